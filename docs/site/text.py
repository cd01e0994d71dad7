"""Markdown of generated pages: escaped text, tables, and docstrings with their examples as code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

_CODE = re.compile(r"(^```.*?^```|`[^`]*`)", re.MULTILINE | re.DOTALL)
_IR = re.compile(r"%\w|^\s*[#!]\w+\.|\b(?:func|scf|memref|arith)\.\w", re.MULTILINE)
_SHELL = re.compile(r"\s*(?:\$ |opt-tool |tilewright |python |pip |cc |lit |build/)")


@dataclass(frozen=True)
class GeneratedPage:
    """Page that is made from the code: its place below docs/, such as `reference/passes/cse.md`, and its Markdown."""

    uri: str
    text: str
    names: tuple[tuple[str, str], ...] = ()
    """Names that inline code on other pages links here, each with its anchor; the anchor is empty for the page."""


def page_file(name: str) -> str:
    """Return the file of the page of something with a name; `index.md` is taken, by the list of its folder."""
    return "index_.md" if name == "index" else f"{name}.md"


def escaped(text: str) -> str:
    """Return a text whose `<`, `&` and `*` outside of code are characters, not HTML or emphasis."""
    parts = _CODE.split(text)
    parts[::2] = [re.sub(r"[<&*]", _entity, part) for part in parts[::2]]
    return "".join(parts)


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def code(text: str) -> str:
    """Return inline code; for a table too, in which a bar would begin a cell."""
    if not text:
        return ""
    if "|" in text or "`" in text:
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<code>{plain.replace('|', '&#124;').replace('`', '&#96;').replace('*', '&#42;')}</code>"
    return f"`{text}`"


def block(text: str, language: str = "") -> str:
    """Return a fenced block of code."""
    fence = "`" * (3 + max((len(run) - 2 for run in re.findall(r"`{3,}", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; empty without rows."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(header), _row(["---"] * len(header)), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"


def docstring(documented: object) -> str:
    """Return the docstring of an object as Markdown; empty for the one that `dataclass` makes up."""
    text = inspect.cleandoc(getattr(documented, "__doc__", None) or "")
    name = getattr(documented, "__name__", "")
    return "" if name and text.startswith(f"{name}(") else prose(text)


def prose(text: str, indent: int = 4, language: str = "") -> str:
    """
    Return plain text as Markdown: lines indented by `indent` or more are code, in IR, shell or the `language` given.

    Other lines keep their inline code; nothing else of them is markup, but for lists.
    """
    parts = list(_parts(text.splitlines(), indent))
    return "\n\n".join(
        block(dedent(part), language or language_of(part)) if is_code else _paragraphs(part) for is_code, part in parts
    )


def _parts(lines: Sequence[str], indent: int) -> Iterator[tuple[bool, str]]:
    """Yield the runs of code and of other text; an empty line between two lines of code belongs to them."""
    margin = " " * indent
    kinds = [line.startswith(margin) for line in lines]
    for number, line in enumerate(lines):
        after = next((kinds[later] for later in range(number, len(lines)) if lines[later].strip()), False)
        if not line.strip():
            kinds[number] = bool(number) and kinds[number - 1] and after
    for is_code, numbers in groupby(range(len(lines)), kinds.__getitem__):
        part = "\n".join(lines[number] for number in numbers)
        if part.strip():
            yield is_code, part.strip("\n")


def _paragraphs(text: str) -> str:
    """Return paragraphs and lists, with the empty line before a list that Markdown asks for."""
    lines = escaped(text).splitlines()
    spaced: list[str] = []
    for line in lines:
        if _is_item(line) and spaced and spaced[-1].strip() and not _is_item(spaced[-1]) and spaced[-1][0] != " ":
            spaced.append("")
        spaced.append(re.sub(r"^(\s*)([#|+>=])", r"\1\\\2", line))
    return "\n".join(spaced)


def _is_item(line: str) -> bool:
    return bool(re.match(r"\s*(?:[-*]|\d+\.) ", line))


def language_of(text: str) -> str:
    """Return the language of an example: `mlir`, `sh`, or `text`."""
    if _SHELL.match(text):
        return "sh"
    return "mlir" if _IR.search(text) else "text"


def summary(documented: object) -> str:
    """Return the first line of a docstring, for a table."""
    return table_text(docstring(documented).partition("\n")[0])


def table_text(text: str) -> str:
    """Return a text for a cell, in which a bar outside of code is no border."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[1::2] = [code(part[1:-1]) for part in parts[1::2]]
    parts[::2] = [part.replace("|", "&#124;") for part in parts[::2]]
    return "".join(parts)
