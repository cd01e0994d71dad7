"""Converters of the values in a machine's description: each takes a value and returns it in the form of its field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from .parts import ROLES, Clock

Table = Mapping[str, Any]
Convert = Callable[[Any], Any]
"""Returns what a field holds. Raises Expected where the value does not fit."""

_MOST = (1 << 63) - 1
"""What an integer attribute can hold."""
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"(\d+)\s*([A-Za-z]*)")


class Expected(Exception):
    """A value is not what its key needs; the text says what that is."""


def integer(least: int, most: int = _MOST) -> Convert:
    """Return the converter of integers within limits."""
    limits = f"of at least {least}" if most == _MOST else f"from {least} to {most}"

    def convert(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise Expected(f"an integer {limits}")
        return value

    return convert


def number(*, positive: bool = False) -> Convert:
    """Return the converter of numbers that are not negative, or are positive."""

    def convert(value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not (0 < value if positive else 0 <= value) or value == float("inf"):
            raise Expected("a positive number" if positive else "a number that is not negative")
        return float(value)

    return convert


def size(value: Any) -> int:
    """Convert bytes, or a text such as "64KiB"."""
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match and match[2] in _UNITS:
        value = int(match[1]) * _UNITS[match[2]]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MOST:
        raise Expected('a size such as "64KiB" or a positive number of bytes')
    return value


def flag(value: Any) -> bool:
    """Convert a truth value."""
    if not isinstance(value, bool):
        raise Expected("true or false")
    return value


def text(value: Any) -> str:
    """Convert a text."""
    if not isinstance(value, str):
        raise Expected("a text")
    return value


def one_of(*words: str) -> Convert:
    """Return the converter of one of some words."""

    def convert(value: Any) -> str:
        if value not in words:
            raise Expected(f"one of {', '.join(words)}")
        return value

    return convert


def matching(pattern: re.Pattern[str], what: str) -> Convert:
    """Return the converter of texts of a form."""

    def convert(value: Any) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Expected(what)
        return value

    return convert


def several(convert: Convert, *, empty: bool = False) -> Convert:
    """Return the converter of a list of such values, or of one of them; of an `empty` list too."""

    def convert_all(value: Any) -> tuple[Any, ...]:
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        try:
            return tuple(convert(each) for each in (values if values or empty else [None]))
        except Expected as error:
            raise Expected(f"{error}, or a list of {'' if empty else 'at least one '}such") from error

    return convert_all


def by_name(convert: Convert, names: Convert) -> Convert:
    """Return the converter of a table from names of a form to such values; sorted by name."""

    def convert_all(value: Any) -> tuple[tuple[str, Any], ...]:
        if not isinstance(value, Mapping):
            raise Expected("a table")
        table = cast("Table", value)
        return tuple((names(name), convert(table[name])) for name in sorted(table))

    return convert_all


def operand_levels(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Convert the levels of an engine: a name, names in order of preference, or a table of these by role."""
    table = cast("Table", value if isinstance(value, Mapping) else {"ins": value})
    if "ins" not in table:
        raise Expected("a level for the role ins")
    return by_name(several(text), one_of(*ROLES))(table)


def clock(value: Any) -> Clock:
    """Convert a table of operating points."""
    table = cast("Table", value if isinstance(value, Mapping) else {})
    positive = several(number(positive=True))
    if "mhz" not in table or set(table) - {"mhz", "volts", "up", "down"}:
        raise Expected("a table with mhz and, optionally, volts, up and down")
    mhz, *others = (positive(table[key]) if key in table else () for key in ("mhz", "volts", "up", "down"))
    if others[0] and len(others[0]) != len(mhz):
        raise Expected("as many volts as mhz")
    if any(delays and (len(delays) != 2 or delays[0] > delays[1]) for delays in others[1:]):
        raise Expected("up and down as the least and the most microseconds of a change")
    return Clock(mhz, *others)
