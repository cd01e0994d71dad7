"""
The text of a pass pipeline, as MLIR writes it, and the errors that point into it.

    builtin.module(canonicalize,func.func(cse),tile{sizes=4,8 memory="L1" dry-run})

A flat list `canonicalize,cse` is a pipeline too. This file knows the brackets only; what the names mean is known to
`pipeline.py`. It reads `mlir-opt[PIPELINE]` as xDSL does: as the options of its pass that runs mlir-opt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from .errors import Diagnostic

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z0-9_][\w.+-]*")
_BARE = re.compile(r"""[^\s,{}\[\]"']+""")
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\])*)\1""", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t"}

_OPTIMIZER = "mlir-opt"
"""The pass of xDSL that runs upstream's program."""
ROUNDTRIP = "roundtrip"
"""The value of `--verify-each` that verifies the text of the IR, too."""

T = TypeVar("T")


class UsageError(Diagnostic):
    """The command is wrong, rather than the input: exit code 2."""


def once(flag: str, pairs: Sequence[tuple[str, T]]) -> dict[str, T]:
    """Return pairs as a dictionary. Raises UsageError where a name is given twice."""
    values = dict(pairs)
    names = [name for name, _ in pairs]
    if len(values) == len(pairs):
        return values
    twice = next(name for name in names if names.count(name) > 1)
    raise UsageError(f"{flag} is given twice for '{twice}'", remedy="give it once")


@dataclass(frozen=True)
class OptionValue:
    """One value of an option; `quoted` where it stood in quotes and so is a text whatever it looks like."""

    text: str
    start: int
    quoted: bool = False


@dataclass(frozen=True)
class Option:
    """An option of a pass. `values` is None where the option stood alone, without `=`."""

    name: str
    start: int
    values: tuple[OptionValue, ...] | None


@dataclass(frozen=True)
class Item:
    """A pass with its options, or, where `children` is not None, an anchor op with the passes to run on it."""

    name: str
    start: int
    options: tuple[Option, ...] = ()
    children: tuple[Item, ...] | None = None


def point_at(
    text: str, start: int, message: str, *, source: str = "", expected: str = "", remedy: str = ""
) -> UsageError:
    """Return the error that shows a pipeline with a caret under its character `start`."""
    line_start = text.rfind("\n", 0, start) + 1
    first = max(line_start, start - 60)
    line = text[first:].split("\n", 1)[0][:110]
    snippet = line, " " * (start - first) + "^"
    return UsageError(
        message, where=source or f"pass pipeline:{start + 1}", expected=expected, remedy=remedy, snippet=snippet
    )


def parse_items(text: str, source: str = "") -> tuple[Item, ...]:
    """Parse a pipeline. Raises UsageError, which names `source` where the text stands in a file."""
    parser = _PipelineReader(text, source)
    items = parser.items("")
    if parser.peek():
        parser.fail("the pipeline goes on after its end", expected="a comma, or nothing more")
    return items


class _PipelineReader:
    """A reader of one pipeline: `position` is the character that comes next."""

    def __init__(self, text: str, source: str):
        self.text = text
        self.source = source
        self.position = 0

    def fail(self, message: str, *, expected: str = "", at: int | None = None) -> NoReturn:
        start = self.position if at is None else at
        raise point_at(self.text, start, message, source=self.source, expected=expected)

    def peek(self) -> str:
        """Skip space and return the next character; empty at the end."""
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1]

    def take(self, char: str) -> bool:
        if self.peek() != char:
            return False
        self.position += 1
        return True

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def items(self, closing: str) -> tuple[Item, ...]:
        if self.peek() == closing:
            return ()
        items = [self.item()]
        while self.take(","):
            items.append(self.item())
        return tuple(items)

    def item(self) -> Item:
        self.peek()
        start = self.position
        name = self.match(_NAME)
        if not name:
            self.fail("a pass is missing", expected="the name of a pass, or of an op and its passes in parentheses")
        if self.take("("):
            children = self.items(")")
            if not self.take(")"):
                self.fail(f"'{name[0]}(' is not closed", expected="a comma or ')'")
            return Item(name[0], start, children=children)
        if name[0] == _OPTIMIZER and self.take("["):
            return Item(name[0], start, (self.optimizer_arguments(),))
        options = self.options(name[0]) if self.take("{") else ()
        return Item(name[0], start, options)

    def optimizer_arguments(self) -> Option:
        """Read the pipeline of mlir-opt in brackets, as the option that holds mlir-opt's arguments."""
        start = self.position
        pipeline = self.enclosed("[", "]", start - 1)
        arguments = ("--mlir-print-op-generic", "--allow-unregistered-dialect", "-p", f"builtin.module({pipeline})")
        return Option("arguments", start, tuple(OptionValue(text, start, quoted=True) for text in arguments))

    def options(self, name: str) -> tuple[Option, ...]:
        options: list[Option] = []
        while not self.take("}"):
            start = self.position
            key = self.match(_NAME)
            if not key:
                self.fail(f"an option of '{name}' is malformed", expected="option=value, or '}'")
            values = self.values() if self.take("=") else None
            options.append(Option(key[0], start, values))
        return tuple(options)

    def values(self) -> tuple[OptionValue, ...]:
        if self.take("["):
            values = self.values_up_to("]")
            if not self.take("]"):
                self.fail("the list is not closed", expected="a comma or ']'")
            return values
        return self.values_up_to("")

    def values_up_to(self, closing: str) -> tuple[OptionValue, ...]:
        if closing and self.peek() == closing:
            return ()
        values = [self.value()]
        while self.take(","):
            values.append(self.value())
        return tuple(values)

    def value(self) -> OptionValue:
        char = self.peek()
        start = self.position
        if char == "{":
            return self.braces(start)
        if char and char in "\"'":
            quoted = self.match(_QUOTED)
            if not quoted:
                self.fail("the quoted text is not closed", expected=f"a closing {char}")
            return OptionValue(_unescape(quoted[2]), start, quoted=True)
        bare = self.match(_BARE)
        if not bare:
            self.fail("the value is missing", expected='a value; put text with spaces or brackets in "quotes"')
        return OptionValue(bare[0], start)

    def braces(self, start: int) -> OptionValue:
        """Read a value in braces: all up to the brace that closes the first."""
        return OptionValue(self.enclosed("{", "}", start), start, quoted=True)

    def enclosed(self, opening: str, closing: str, start: int) -> str:
        """Read up to the bracket that closes the one at `start`, and return what is between them."""
        depth = 0
        for position in range(start, len(self.text)):
            depth += {opening: 1, closing: -1}.get(self.text[position], 0)
            if depth == 0:
                self.position = position + 1
                return self.text[start + 1 : position]
        what = "brace" if opening == "{" else "bracket"
        self.fail(f"the {what} is not closed", expected=f"'{closing}'", at=start)


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text, flags=re.DOTALL)


def quote(text: str) -> str:
    """Return a text as a pipeline writes it, in quotes where it would be read as something else without."""
    if _BARE.fullmatch(text) and not looks_typed(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def looks_typed(text: str) -> bool:
    """Return whether a bare value reads as a number or a truth value."""
    if text in ("true", "false"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
