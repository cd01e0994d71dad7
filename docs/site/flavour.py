"""
GitHub's Markdown as Python-Markdown reads it: indentation of list items, empty lines before blocks, words of fences.

What the conversion misses is found in the page: paragraphs that hold the marks of lists, tables or fences.
"""

from __future__ import annotations

import re

_ITEM = re.compile(r"(?P<indent> *)(?P<mark>(?:[-*+]|\d+\.) +)(?=\S)")
_FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,})(?P<language>[\w+-]*)")
_STEP = 4
"""Indentation of what belongs to a list item, in Python-Markdown."""


def python_markdown(text: str) -> str:
    """Return Markdown as GitHub reads it in the form that Python-Markdown reads in the same way."""
    lines: list[str] = []
    offsets: list[int] = []
    fence = ""
    source = text.splitlines()
    for number, line in enumerate(source):
        match = _FENCE.match(line)
        if not fence and line.strip():
            offsets = _open_items(offsets, len(line) - len(line.lstrip()))
        indented = _indented(line, offsets)
        if match and (not fence or line.strip() == fence):
            fence = "" if fence else match["marks"]
            indented = _indented(match[0], offsets) if fence else indented
        elif not fence and (item := _ITEM.match(line)):
            _space(lines, is_item=True, interrupts=item["mark"].strip() in ("-", "*", "+", "1."))
            offsets.append(item.end())
        elif not fence and _begins_table(source, number):
            _space(lines)
        lines.append(indented)
    return "\n".join(lines) + "\n"


def _open_items(offsets: list[int], indent: int) -> list[int]:
    """Return where the texts begin of the list items that a line of an indentation belongs to."""
    return [offset for offset in offsets if offset <= indent]


def _indented(line: str, offsets: list[int]) -> str:
    """Return a line with the indentation of a list item's text."""
    if not offsets or not line.strip():
        return line
    return " " * (_STEP * len(offsets)) + line[min(offsets[-1], len(line) - len(line.lstrip())) :]


def _begins_table(lines: list[str], number: int) -> bool:
    return lines[number].lstrip().startswith("|") and not lines[number - 1].lstrip().startswith("|")


def _space(lines: list[str], *, is_item: bool = False, interrupts: bool = True) -> None:
    """Add the empty line before a block that interrupts a paragraph, but not between list items."""
    last = lines[-1] if lines else ""
    if not last.strip() or not interrupts or (is_item and (last[0] == " " or _ITEM.match(last))):
        return
    lines.append("")


def unrendered(html: str) -> list[str]:
    """Return the lines of paragraphs that begin as blocks of Markdown do: such a block has not become one."""
    paragraphs = re.findall(r"<p>(.*?)</p>", re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL), re.DOTALL)
    return [line for text in paragraphs for line in re.findall(r"^(?:[-*] |\|.*\||```).*", text, re.MULTILINE)]
