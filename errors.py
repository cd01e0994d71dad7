"""
The one shape in which Tilewright reports that something is wrong.

    net.onnx: node "Conv_3": error: [lower-onnx, pass 2 of 9] the kernel has 3 axes, the input 2
      expected: a kernel of 2 spatial axes, 16x3x3x3
      found:    16x3x3x3x3
      remedy:   export the convolution with a 4-D weight
      reproducer: crash/lower-onnx.mlir

    net.mlir:2:23: error: the value %x is used, but not defined
        %b = arith.addi %a, %x : i32
                            ^
      note: net.mlir:3:3: operand defined here (op in the same block)
"""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(eq=False)
class Diagnostic(Exception):
    """
    A problem to show to the user. Raise it anywhere; the tools add the input's name, the pass and the reproducer.

    `where` is `file:line:col`, or `node "NAME"` for what came from ONNX.
    """

    message: str
    where: str = ""
    expected: str = ""
    found: str = ""
    remedy: str = ""
    stage: str = ""
    reproducer: str = ""
    source: str = ""
    notes: list[str] = field(default_factory=list[str])
    snippet: tuple[str, ...] = ()
    """The line of the input that the error is about, and below it a caret."""

    def __str__(self) -> str:
        source = "" if self.where.startswith(f"{self.source}:") else self.source
        place = ": ".join(part for part in (source, self.where) if part)
        stage = f"[{self.stage}] " if self.stage else ""
        lines = [f"{place + ': ' if place else ''}error: {stage}{self.message}"]
        lines += [f"  {line}" for line in self.snippet]
        lines += [f"  note: {note}" for note in self.notes]
        rows = (
            ("expected", self.expected),
            ("found", self.found),
            ("remedy", self.remedy),
            ("reproducer", self.reproducer),
        )
        lines += [f"  {name + ':':<12}{text}" for name, text in rows if text]
        return "\n".join(lines)


def note_at(where: str, text: str) -> str:
    """Return a note about a place, as that of an op."""
    return f"{where}: {text}" if where else text


_PLACE = re.compile(r"(.*):(\d+):(\d+)", re.DOTALL)
_WIDEST = 160
"""The columns of a snippet."""


def snippet_at(text: str, line: int, column: int) -> tuple[str, ...]:
    """Return a line of a text, cut to the part around a column, with a caret below it; lines and columns begin at 1."""
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return ()
    first = max(0, column - 1 - _WIDEST // 2) if len(lines[line - 1]) > _WIDEST else 0
    return lines[line - 1][first : first + _WIDEST], " " * (column - 1 - first) + "^"


def point_into(error: Diagnostic, text: str, source: str, first_line: int = 1) -> None:
    """Add the line of `text` to an error about a place in it; it is what the file `source` holds from a line on."""
    match = _PLACE.fullmatch(error.where)
    if match is not None and match[1] == source and not error.snippet:
        error.snippet = snippet_at(text, int(match[2]) - first_line + 1, int(match[3]))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the known names nearest to `name`, which is none of them, or an empty text."""
    near = difflib.get_close_matches(name, [other for other in names if other != name], n=3, cutoff=0.5)
    return f"did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


@contextmanager
def warnings_as_lines() -> Generator[None]:
    """
    Print each warning of ours as a line of its own, without its place in the code, to standard error.

    Ours are of the class UserWarning; those of libraries, such as NumPy's RuntimeWarning, are not for the user.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _print_line
        yield


def _print_line(message: Warning | str, category: type[Warning], *_: object) -> None:
    if category is UserWarning:
        print(message, file=sys.stderr)
