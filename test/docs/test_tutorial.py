"""The commands and programs of the tutorial and of other pages, run in order in an empty folder."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.toolchain import compiler
from tilewright.test.docs.warm_commands import warm_commands

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with warm_commands(tmp_path_factory.mktemp("commands")) as found:
        yield found


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return (language, text) of each block of code of a page."""
    return re.findall(r"^```([a-z ]+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("tutorial.md", 7),
        ("native.md", 2),
        ("state.md", 8),
        ("extending.md", 7),
        ("target-tutorial.md", 10),
        ("python.md", 3),
        ("hier.md", 1),
        ("quantize.md", 2),
        ("explore.md", 4),
        ("sg2002.md", 3),
    ],
)
def test_commands(page: str, least: int, environment: dict[str, str], tmp_path: Path) -> None:
    try:
        compiler()
    except Diagnostic:
        pytest.skip("the commands call cc")
    found = blocks(DOCS / page)
    assert len(found) >= least
    for language, text in found:
        if language in ("mlir", "toml", "text"):
            continue
        if language == "c":
            # A program that uses what the commands before it have compiled.
            (tmp_path / "main.c").write_text(text, encoding="utf-8")
            language, text = "sh", "cc -std=c11 -Wall -Wextra -Werror -O1 -I build main.c build/*.[cS] -lm && ./a.out"
        command = ["python", "-c", text] if language == "python" else ["bash", "-euo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        if language == "sh fails":
            assert done.returncode == 1
            assert "error:" in done.stderr
            assert "Traceback" not in done.stderr
        else:
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
