"""
Navigation of the site: the sections of README's list of pages, one for each folder of docs/, and the reference.

README's numbered list has the pages to start with, its table of topics names the sections of the guide and their pages.
Pages that it does not link are in a section of their own, so that none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from tilewright.docs.site.links import site_uri

Navigation: TypeAlias = "list[str | dict[str, Navigation]]"

_LINK = re.compile(r"\]\(([\w./-]+\.md)\)")
_GENERATED = "reference"
_START = "Start"


def navigation(readme: str, pages: Sequence[str], first: Sequence[str] = ()) -> Navigation:
    """
    Return the navigation over pages, given by their places below docs/; README is `index.md`.

    The pages `first` are those to start with, beside README's.
    """
    listed = sections(readme)
    listed[_START] = [*listed[_START][:1], *first, *listed[_START][1:]]
    top = [page for page in pages if "/" not in page]
    known = {page for names in listed.values() for page in names}
    unknown = [page for page in top if page not in known]
    listed = {name: _with_parts(names, unknown) for name, names in listed.items()}
    known |= {page for names in listed.values() for page in names}
    others = [page for page in top if page not in known and page != site_uri("README.md")]
    guide: Navigation = [{name: list(names)} for name, names in listed.items() if name != _START]
    if others:
        guide.append({"More": list(others)})
    folders = [*_folders(pages)]
    below: Navigation = [{_title(name): _folder(name, pages)} for name in folders if name != _GENERATED]
    reference: Navigation = [{"Reference": _folder(_GENERATED, pages)}] if _GENERATED in folders else []
    return [site_uri("README.md"), {_START: list(listed[_START])}, *below, {"Guide": guide}, *reference]


def sections(readme: str) -> dict[str, list[str]]:
    """Return the pages of each section of README, each where it is linked first, without those of folders."""
    rows = re.findall(r"^\| ([\w ]+) \| (.*\]\(docs/.*) \|$", readme, re.MULTILINE)
    start = "\n".join(re.findall(r"^\d+\. .*$", readme, re.MULTILINE))
    pages_of: dict[str, list[str]] = {}
    for name, text in [(_START, start), *rows]:
        before = {page for pages in pages_of.values() for page in pages}
        linked = dict.fromkeys(map(site_uri, _LINK.findall(text)))
        pages_of[name[0].upper() + name[1:]] = [page for page in linked if page not in before and "/" not in page]
    return pages_of


def _with_parts(names: Iterable[str], pages: Sequence[str]) -> list[str]:
    """Return pages, each followed by those named after it: `siracusa-costs.md` comes after `siracusa.md`."""
    parts = {name: [page for page in pages if page.startswith(f"{name.removesuffix('.md')}-")] for name in names}
    return list(dict.fromkeys(page for name, others in parts.items() for page in (name, *others)))


def _folders(pages: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(PurePosixPath(page).parts[0] for page in sorted(pages) if "/" in page)


def _folder(name: str, pages: Iterable[str]) -> Navigation:
    """Return the pages of a folder, its index first, and then its folders."""
    inside = sorted(page for page in pages if page.startswith(f"{name}/"))
    direct = [page for page in inside if page.count("/") == name.count("/") + 1]
    ordered = sorted(direct, key=lambda page: (not page.endswith("/index.md"), page))
    folders = dict.fromkeys("/".join(page.split("/")[: name.count("/") + 2]) for page in inside if page not in direct)
    return [*ordered, *({_title(folder): _folder(folder, pages)} for folder in folders)]


def _title(folder: str) -> str:
    return PurePosixPath(folder).name.replace("-", " ").capitalize()
