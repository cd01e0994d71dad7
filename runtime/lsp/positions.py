"""Positions of the language server protocol: lines, and code units within a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")
UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}
"""Encoding -> the number of its code units in a text."""


class LinePosition(NamedTuple):
    """Line, from 0, and code units before a character in it."""

    line: int
    character: int


class Positions:
    """Lines of a text, and the conversion of offsets in code points to positions and back."""

    def __init__(self, text: str, encoding: str = "utf-16"):
        self._text = text
        self._is_ascii = text.isascii()
        self._units = UNITS[encoding]
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def at(self, offset: int) -> LinePosition:
        """Return the position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        return LinePosition(line, offset - start if self._is_ascii else self._units(self._text[start:offset]))

    def offset(self, line: int, character: int) -> int:
        """Return the offset of a position; beyond the end of a line, or in a character, the nearest before it."""
        if line >= len(self.starts):
            return len(self._text)
        start, end = self.starts[line], self.line_end(line)
        if self._is_ascii:
            return min(start + character, end)
        # One code point has at most four units, and at least one.
        low, high = min(start + character // 4, end), min(start + character, end)
        while low < high:
            middle = (low + high + 1) // 2
            if self._units(self._text[start:middle]) <= character:
                low = middle
            else:
                high = middle - 1
        return low

    def line_end(self, line: int) -> int:
        """Return the offset of the end of a line, before its line break."""
        last = line + 1 >= len(self.starts)
        end = len(self._text) if last else self.starts[line + 1]
        return end if last else end - len(self._text[self.starts[line] : end]) + len(self._line(line))

    def _line(self, line: int) -> str:
        return self._text[self.starts[line] : self.starts[line + 1]].rstrip("\r\n")
