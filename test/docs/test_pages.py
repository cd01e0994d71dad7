"""The form of the documentation's pages: an opening with an example, links and paths that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
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


def test_planted_faults_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# A\n\n## B c\n")
    text = "`passes/none.py`, `passes/cse.py` [x](b.md) [y](#b-c) [z](#c)"
    assert absent_paths(text) == ["passes/none.py"]
    assert broken_links(page, text) == ["b.md", "#c"]
