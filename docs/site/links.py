"""
Links from pages to the repository: by where a page's source lies, as they work beside the files, they lead to the site.

A link of a page is relative to its source, docs/hier.md or README.md. Of its target
- a file below docs/ is a page or file of the site,
- another Markdown file is a page by its name, README.md the first page,
- any other file, or a folder, is a page of its text, or of its names, below `source/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).parents[2]
_LINK = re.compile(
    r"(?P<code>^(?P<fence>[ \t]*`{3,})[^\n]*\n.*?^(?P=fence)|`[^`\n]*`)"
    r"|(?P<before>\]\(|^\[[^\]\n]+\]:\s+)(?P<target>[^)\s]+)",
    re.MULTILINE | re.DOTALL,
)
_SOURCES = "source"
_BUILT = ("build", "dist")
"""Folders that the repository does not have."""


def site_uri(path: str) -> str:
    """Return where the site has a file or folder of the repository, relative to docs/."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path == "README.md":
        return "index.md"
    if path.endswith(".md") and "/" not in path:
        return path.lower()
    return f"{_SOURCES}/{path}.html"


def rewritten(text: str, origin: str, uri: str) -> str:
    """
    Return a page's Markdown whose links to existing files lead to their places on the site; others stay as they are.

    `origin` is the page's source in the repository, `uri` its place on the site.
    """

    def replace(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        path, anchor = _target(match["target"], origin)
        if path is None or not _is_known(path):
            return match[0]
        return f"{match['before']}{relpath(site_uri(path), PurePosixPath(uri).parent)}{anchor}"

    return _LINK.sub(replace, text)


def outside(text: str, origin: str) -> Iterator[str]:
    """Yield the existing files and folders outside docs/ that a page links, or names in inline code."""
    for match in _LINK.finditer(text):
        path = named_path(match["code"].strip("`")) if match["code"] else _target(match["target"], origin)[0]
        if path is not None and not path.startswith("docs/") and (ROOT / path).exists():
            yield path


def named_path(text: str) -> str | None:
    """Return the file or folder that inline code names, such as `passes/cse.py`; None where it is none."""
    path = text.removesuffix("/")
    is_path = "/" in text and re.fullmatch(r"\w[\w.-]*(?:/[\w.-]+)*", path) is not None
    return path if is_path and path.partition("/")[0] not in _BUILT and (ROOT / path).exists() else None


def _target(target: str, origin: str) -> tuple[str | None, str]:
    """Return the path in the repository that a link leads to, None for another address, and its anchor."""
    path, mark, anchor = target.partition("#")
    if not path or "://" in target or target.startswith(("mailto:", "/")):
        return None, ""
    path = normpath(PurePosixPath(origin).parent / path)
    return (None if path.startswith("..") else path), mark + anchor


def _is_known(path: str) -> bool:
    return path.startswith("docs/") or (ROOT / path).exists()


_SOURCE_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{path}</title>
<link rel="stylesheet" href="{root}/site/assets/source.css">
</head>
<body>
<h1><a href="{root}/index.html">Tilewright</a> {path}</h1>
{body}
</body>
</html>
"""


def source_page(path: str) -> str:
    """Return the page of a file's text, its lines with the anchors `L1`, ..., or of a folder's names."""
    root = relpath(".", PurePosixPath(site_uri(path)).parent)
    place = ROOT / path
    if place.is_dir():
        names = sorted(f"{entry.name}{'/' if entry.is_dir() else ''}" for entry in place.iterdir())
        body = "<ul>\n" + "\n".join(f"<li>{escape(name)}</li>" for name in names if name[0] not in "._") + "\n</ul>"
    else:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
        numbered = (f'<span id="L{number}">{escape(line)}</span>' for number, line in enumerate(lines, 1))
        body = "<pre>" + "\n".join(numbered) + "\n</pre>"
    return _SOURCE_PAGE.format(path=escape(path), root=root, body=body)
