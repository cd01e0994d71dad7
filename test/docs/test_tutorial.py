"""Commands and programs of the tutorial and of other pages, run in order in an empty folder, and what they print."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.toolchain import compiler
from tilewright.targets.new_target import write_target
from tilewright.test.docs.warm_commands import warm_commands

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = sorted(page.name for page in (DOCS / "tutorial").glob("*.md"))
TARGET_CHAPTER = "5-a-target.md"
"""The chapter that writes a target by hand, which takes 20 seconds of CPU time."""
SHOWN = ("mlir", "toml", "text")
"""Languages of blocks of a page that are not run."""
OUTPUTS = ("mlir", "diff", "text", "c")
"""Languages of blocks of a chapter that show what the block of commands before them prints."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with warm_commands(tmp_path_factory.mktemp("commands")) as found:
        yield found


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return (language, text) of each block of code of a page."""
    return re.findall(r"^```([a-z ]+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(language: str, text: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a block of code of a page: `sh`, `sh fails`, `python`, or `c`, a program that uses the C in `build`."""
    if language == "c":
        (folder / "main.c").write_text(text, encoding="utf-8")
        language, text = "sh", "cc -std=c11 -Wall -Wextra -Werror -O1 -I build main.c build/*.[cS] -lm && ./a.out"
    command = ["python", "-c", text] if language == "python" else ["bash", "-euo", "pipefail", "-c", text]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if language == "sh fails":
        assert done.returncode == 1
        assert "error:" in done.stderr
        assert "Traceback" not in done.stderr
    else:
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done


def unprinted(shown: str, printed: str) -> str:
    """
    Return the first part of a block that an output does not have, empty if it has all in this order.

    Lines `...` of the block part it; the lines of a part follow one another in the output.
    """
    rest = f"\n{printed}"
    for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE):
        _, found, rest = rest.partition(f"\n{part}")
        if not found:
            return part
        rest = f"\n{rest}"
    return ""


@pytest.fixture(autouse=True)
def _compiler() -> None:
    try:
        compiler()
    except Diagnostic:
        pytest.skip("the commands call cc")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("python.md", 3),
        ("extending.md", 6),
        ("native.md", 2),
        ("state.md", 8),
        ("hier.md", 1),
        ("quantize.md", 2),
        ("explore.md", 4),
        ("sg2002.md", 3),
    ],
)
def test_commands(page: str, least: int, environment: dict[str, str], tmp_path: Path) -> None:
    runnable = [block for block in blocks(DOCS / page) if block[0] not in SHOWN]
    assert len(runnable) >= least
    for language, text in runnable:
        run(language, text, tmp_path, environment)


@pytest.mark.parametrize(
    "chapter",
    [pytest.param(name, marks=pytest.mark.nightly) if name == TARGET_CHAPTER else name for name in CHAPTERS],
)
def test_chapters(chapter: str, environment: dict[str, str], tmp_path: Path) -> None:
    printed = ""
    for language, text in blocks(DOCS / "tutorial" / chapter):
        if language in OUTPUTS:
            assert unprinted(text, printed) == "", printed
            continue
        done = run(language, text, tmp_path, environment)
        printed = done.stdout + done.stderr


def test_the_target_by_hand_is_that_of_new_target(tmp_path: Path) -> None:
    write_target("toy", "accelerator", tmp_path, [])
    text = (DOCS / "tutorial" / TARGET_CHAPTER).read_text(encoding="utf-8")
    files: dict[str, str] = {}
    for append, name, content in re.findall(
        r"^cat >(>?) toy/(\S+) <<'[PT]'\n(.*?\n)[PT]$", text, re.MULTILINE | re.DOTALL
    ):
        files[name] = files[name] + content if append else content
    assert {"machine.toml", "costs.py", "dialects/toy.py", "passes/lower_to_toy.py"} <= set(files)
    del files["pipeline.txt"]  # the chapter adds a phase to it
    for name, content in files.items():
        assert content == (tmp_path / "toy" / name).read_text(encoding="utf-8"), name


def test_shown_outputs_are_those_printed() -> None:
    assert unprinted("b\nc\n...\ne\n", "a\nb\nc\nd\ne\n") == ""
    assert unprinted("b\nd\n", "a\nb\nc\nd\n") == "b\nd\n"
    assert unprinted("c\n...\nb\n", "a\nb\nc\n") == "b\n"
