"""
Forms of the values in a machine's description: annotations of the fields of its parts.

`tuple[Level, ...]`, `Literal`, `str` and `bool` have their form by themselves; `Annotated[int, IntegerForm(1)]` states
another one. Each form reads the value of a key, writes it, and describes itself in errors, on the reference page and in
JSON Schema. The forms of lists and tables are in containers.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

Table = Mapping[str, Any]
Names = Mapping[str, Sequence[str]]

_MOST = (1 << 63) - 1
"""Largest value of an integer attribute."""
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"(\d+)\s*([A-Za-z]*)")


class Expected(Exception):
    """A value is not what its key needs; the text says what that is."""


class ValueForm:
    """Form of the value of a key."""

    @property
    def expected(self) -> str:
        """Text of an error."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """Text of the reference page: the unit or the kind of value, and its limits."""
        raise NotImplementedError

    def read(self, value: Any) -> Any:
        """Return the value of the field. Raises Expected where the value does not fit."""
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """Return the value of the key, as `tomllib` gives it: the inverse of `read`."""
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        """Return the JSON Schema of the value; `names` are those of functions that a value may name, by their kind."""
        raise NotImplementedError

    def names(self, value: Any) -> Iterator[tuple[NameForm, str]]:
        """Yield each name of another part or of a function in a value of the field, with its form."""
        yield from ()


@dataclass(frozen=True)
class IntegerForm(ValueForm):
    """Integer within limits."""

    least: int
    most: int = _MOST
    unit: str = ""

    @property
    def expected(self) -> str:
        return f"an integer {self._limits}"

    @property
    def _limits(self) -> str:
        return f"of at least {self.least}" if self.most == _MOST else f"from {self.least} to {self.most}"

    @property
    def text(self) -> str:
        if self.most != _MOST:
            return f"{self.unit or 'integer'} {self._limits}"
        return f"{self.unit or 'integer'}{', positive' if self.least else ''}"

    def read(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not self.least <= value <= self.most:
            raise Expected(self.expected)
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least} | ({"maximum": self.most} if self.most != _MOST else {})


@dataclass(frozen=True)
class NumberForm(ValueForm):
    """Number that is positive, or not negative."""

    is_positive: bool = False
    unit: str = ""

    @property
    def expected(self) -> str:
        return "a positive number" if self.is_positive else "a number that is not negative"

    @property
    def text(self) -> str:
        return f"{self.unit or 'number'}{', positive' if self.is_positive else ''}"

    def read(self, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not (0 < value if self.is_positive else 0 <= value) or value == float("inf"):
            raise Expected(self.expected)
        return float(value)

    def schema(self, names: Names) -> dict[str, Any]:
        return {"type": "number", "exclusiveMinimum" if self.is_positive else "minimum": 0}


@dataclass(frozen=True)
class SizeForm(ValueForm):
    """Number of bytes, or a text such as "64KiB"."""

    @property
    def expected(self) -> str:
        return 'a size such as "64KiB" or a positive number of bytes'

    @property
    def text(self) -> str:
        return "size"

    def read(self, value: Any) -> int:
        match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        if match and match[2] in _UNITS:
            value = int(match[1]) * _UNITS[match[2]]
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MOST:
            raise Expected(self.expected)
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        units = "|".join(filter(None, _UNITS))
        texts = {"type": "string", "pattern": rf"^\s*[0-9]*[1-9][0-9]*\s*({units})?\s*$"}
        return {"anyOf": [texts, {"type": "integer", "minimum": 1}]}


@dataclass(frozen=True)
class FlagForm(ValueForm):
    """Truth value."""

    @property
    def expected(self) -> str:
        return "true or false"

    @property
    def text(self) -> str:
        return "`true` or `false`"

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise Expected(self.expected)
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class TextForm(ValueForm):
    """Text, of a pattern where there is one."""

    pattern: str = ".*"
    what: str = "a text"
    kind: str = "text"

    @property
    def expected(self) -> str:
        return self.what

    @property
    def text(self) -> str:
        return self.kind

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value, re.DOTALL):
            raise Expected(self.expected)
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        return {"type": "string"} | ({"pattern": f"^({self.pattern})$"} if self.pattern != ".*" else {})


@dataclass(frozen=True)
class NameForm(ValueForm):
    """Name of another part of the machine, or of a function of cost_table.py; or one of `words`."""

    kind: str
    words: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        return "a text"

    @property
    def text(self) -> str:
        return f"name of {self.kind}"

    def read(self, value: Any) -> str:
        return TextForm().read(value)

    def schema(self, names: Names) -> dict[str, Any]:
        return {"enum": [*self.words, *names[self.kind]]} if self.kind in names else {"type": "string"}

    def names(self, value: Any) -> Iterator[tuple[NameForm, str]]:
        if value not in self.words:
            yield self, value


@dataclass(frozen=True)
class WordForm(ValueForm):
    """One of some words."""

    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return f"one of {', '.join(self.words)}"

    @property
    def text(self) -> str:
        *words, last = (f"`{word}`" for word in self.words if word)
        return f"{', '.join(words)} or {last}" if words else last

    def read(self, value: Any) -> str:
        if value not in self.words:
            raise Expected(self.expected)
        return value

    def schema(self, names: Names) -> dict[str, Any]:
        return {"enum": list(self.words)}


Bytes = Annotated[int, SizeForm()]
Cycles = Annotated[int, IntegerForm(0, unit="cycles")]
Count = Annotated[int, IntegerForm(1)]
"""Number of at least 1."""
Number = Annotated[int, IntegerForm(0)]
Amount = Annotated[float, NumberForm()]
ElementType = Annotated[
    str,
    TextForm(r"\*|(ui|si|i)[1-9]\d*|f16|bf16|f32|f64|index", "an element type such as i8 or f32, or *", "element type"),
]
Loop = Annotated[str, TextForm(r"[bmnkpu](\d*|-1)", "the name of a loop, such as n, k0 or p-1", "loop")]
LevelName = Annotated[str, NameForm(kind="a level")]
EngineName = Annotated[str, NameForm(kind="an engine")]
