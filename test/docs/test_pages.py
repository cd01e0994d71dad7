"""The form of the documentation's pages: an opening with an example, links and paths that exist, valid commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright import cli, opt_tool
from tilewright.grammar import UsageError

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorial").glob("*.md")])
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FOLDERS = "dialects|passes|targets|frontend|runtime|test|benchmarks|docs"


def opening(text: str) -> str:
    """Return the part of a page between its title and its first section."""
    return re.split(r"^## ", re.sub(r"\A# .*\n", "", text), maxsplit=1, flags=re.MULTILINE)[0]


def absent_paths(text: str) -> list[str]:
    """Return the files of the project that a page names in code and that do not exist."""
    named = re.findall(rf"`((?:{FOLDERS})/[\w/-]+(?:\.\w+|/))[`:]", text)
    return [name for name in named if "foo" not in name and not (ROOT / name).exists()]


def broken_links(page: Path, text: str) -> list[str]:
    """Return the links of a page to files that do not exist, or to sections that no heading has."""
    broken: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, section = target.partition("#")
        to = page.parent / file if file else page
        if "://" in target:
            continue
        if not to.exists() or (section and section not in sections(to.read_text(encoding="utf-8"))):
            broken.append(target)
    return broken


def sections(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls of the two tools in a page's blocks of shell commands: the tool and its arguments."""
    for block in re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for tool, line in re.findall(r"^\s*(tilewright|opt-tool) (.*)", block.replace("\\\n", " "), re.MULTILINE):
            words = shlex.split(line, comments=True)
            ends = (index for index, word in enumerate(words) if word in ("|", ">", "2>", "2>&1", "&&", ";"))
            yield tool, words[: next(ends, len(words))]


def parse(tool: str, words: list[str]) -> None:
    """Parse the options of a call. Raises UsageError for a wrong one."""
    if tool == "tilewright":
        cli._parse(words)  # pyright: ignore[reportPrivateUsage]
    else:
        opt_tool.parse_arguments(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_open_with_an_example(page: Path) -> None:
    first = opening(page.read_text(encoding="utf-8"))
    assert first.strip()
    assert re.search(r"^```", first, re.MULTILINE) or "`grep" in first, f"{page.name} opens without an example"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_names_and_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not absent_paths(text)
    assert not broken_links(page, text)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_commands_have_options_that_exist(page: Path) -> None:
    for tool, words in commands(page.read_text(encoding="utf-8")):
        parse(tool, words)


def test_planted_faults_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# A\n\n## B c\n")
    text = "`passes/none.py`, `passes/cse.py` [x](b.md) [y](#b-c) [z](#c)"
    assert absent_paths(text) == ["passes/none.py"]
    assert broken_links(page, text) == ["b.md", "#c"]
    ((tool, words),) = commands("```\ntilewright run net.onnx \\\n --input in.npz > log  # all\n```\n")
    assert (tool, words) == ("tilewright", ["run", "net.onnx", "--input", "in.npz"])
    with pytest.raises(UsageError, match="--inputs"):
        parse(tool, words)
