"""Axes of a design space: keys of a machine file, options of passes, samples of a batch; their values and points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from math import isfinite
from typing import Any, NamedTuple, cast

from ....errors import did_you_mean
from ....grammar import UsageError
from ...exploration import DesignAxis

BATCH = "batch"
"""The axis of the samples of a call."""

Keys = tuple[str, ...]
"""Keys of nested tables, from the outermost."""
Table = Mapping[str, Any]

_PARTS = re.compile(r'"([^"]*)"|([^."]+)')
_TUPLE = re.compile(r"\d+(x\d+)+")


class PassOption(NamedTuple):
    """Option of a pass."""

    step: str
    name: str

    def __str__(self) -> str:
        return f"{self.step}.{self.name}"


@dataclass(frozen=True)
class Setting:
    """Values of keys of the machine file and of options of passes, and the samples of a call, 0 for the network's."""

    machine: Mapping[Keys, object] = field(default_factory=dict[Keys, object])
    options: Mapping[PassOption, str] = field(default_factory=dict[PassOption, str])
    samples: int = 0

    @property
    def keys(self) -> set[Keys]:
        """The keys and options that it sets, and the axis of samples."""
        return {*self.machine, *map(tuple, self.options), *([(BATCH,)] if self.samples else [])}

    def joined(self, other: Setting) -> Setting:
        """Return both settings."""
        machine, options = {**self.machine, **other.machine}, {**self.options, **other.options}
        return Setting(machine, options, self.samples or other.samples)


class Point(NamedTuple):
    """Point of a design space: the value of each axis as the user wrote it, and what they set."""

    values: tuple[tuple[str, str], ...]
    setting: Setting

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.values)


@dataclass(frozen=True)
class Vary:
    """Axis as the user gives it, `NAME=VALUE,VALUE`."""

    name: str
    values: tuple[str, ...]


def parse_vary(text: str) -> Vary:
    """Parse `NAME=VALUE,VALUE`. Raises UsageError for another form, and for a value that occurs twice."""
    name, mark, values = text.partition("=")
    stripped = tuple(value.strip() for value in values.split(","))
    if not name or not mark or not all(stripped):
        raise UsageError(
            "not an axis", expected="--vary NAME=VALUE,VALUE, such as levels.L1.size=64KiB,128KiB", found=text
        )
    if len(set(stripped)) < len(stripped):
        raise UsageError(f"the axis '{name}' has a value twice", expected="different values", found=values)
    return Vary(name.strip(), stripped)


@dataclass(frozen=True)
class DesignAxes:
    """
    Axes that there are: of the machine `table`, of the passes of its pipeline, and the short names of its target.

    `options` has the names of the options of each pass.
    """

    table: Table
    options: Mapping[str, Sequence[str]]
    short: Mapping[str, DesignAxis]

    def points(self, varied: Sequence[Vary]) -> list[Point]:
        """
        Return the points of the design space, the last axis varying fastest.

        Raises UsageError for unknown axes, values of the wrong form, and two axes that set one key.
        """
        axis_of: dict[Keys, str] = {}
        axes: list[list[tuple[tuple[str, str], Setting]]] = []
        for vary in varied:
            settings = [self.setting(vary.name, value) for value in vary.values]
            for key in sorted({key for setting in settings for key in setting.keys}):
                if key in axis_of:
                    both = f"{axis_of[key]}, {vary.name}"
                    raise UsageError(f"two axes set '{shown(key)}'", expected="one axis for each key", found=both)
                axis_of[key] = vary.name
            axes.append([((vary.name, text), setting) for text, setting in zip(vary.values, settings, strict=True)])
        return [_point(values) for values in product(*axes)]

    def setting(self, name: str, value: str) -> Setting:
        """Return the setting of a value of an axis. Raises UsageError for an unknown axis and a wrong value."""
        if name in self.short:
            axis = self.short[name]
            arguments = _integers(name, value, axis.integers) if axis.integers else [value]
            setting = Setting()
            for key, entry in axis.settings(*arguments).items():
                setting = setting.joined(self._set(key, entry, name))
            return setting
        if name == BATCH:
            return Setting(samples=_integers(name, value, 1)[0])
        return self._set(name, _typed(value), name)

    def _set(self, key: str, value: object, axis: str) -> Setting:
        """Return the setting of one key. Raises UsageError where nothing has that key."""
        parts = [quoted or plain for quoted, plain in _PARTS.findall(key)]
        if len(parts) > 1 and _inside(self.table, _located(self.table, parts)[:-1]):
            path = _located(self.table, parts)
            old = _inside(self.table, path[:-1]).get(path[-1])
            return Setting({path: [value] if _is_list(old) and not _is_list(value) else value})
        step, _, option = key.partition(".")
        if option in self.options.get(step, ()):
            text = "x".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)
            return Setting(options={PassOption(step, option): text})
        names = [
            *self.short,
            BATCH,
            *self.keys(),
            *(str(PassOption(step, other)) for step in self.options for other in self.options[step]),
        ]
        raise UsageError(
            f"there is no axis '{axis}'",
            expected=f"one of {', '.join([*self.short, BATCH])}, a key of the machine file such as "
            f"{next(iter(self.keys()), 'clock.mhz')}, or PASS.OPTION",
            found=axis,
            remedy=did_you_mean(axis, names) or "tilewright explore --list shows them all",
        )

    def keys(self) -> Iterator[str]:
        """Yield the keys of the machine file, as axes."""
        for part in ("levels", "links", "engines", "clock"):
            for path, _ in _leaves(self.table.get(part, {}), (part,)):
                yield shown(path)


def shown(path: Keys) -> str:
    """Return the keys of a value as one text, those with a point or a star in quotes."""
    return ".".join(f'"{part}"' if re.search(r"[^\w-]", part) else part for part in path)


def leaves(table: Table) -> Iterator[tuple[Keys, object]]:
    """Yield the values of a table that are no tables, with their keys."""
    yield from _leaves(table, ())


def _leaves(value: object, path: Keys) -> Iterator[tuple[Keys, object]]:
    if not isinstance(value, Mapping):
        yield path, value
        return
    for key, entry in cast("Table", value).items():
        yield from _leaves(entry, (*path, key))


def _point(values: Sequence[tuple[tuple[str, str], Setting]]) -> Point:
    setting = Setting()
    for _, part in values:
        setting = setting.joined(part)
    return Point(tuple(value for value, _ in values), setting)


def _located(table: Table, parts: Sequence[str]) -> Keys:
    """Return the keys that a dotted name means: those of the table may have points themselves, as `nn.matmul`."""
    path: list[str] = []
    inner, rest = table, list(parts)
    while rest:
        length = next((n for n in range(len(rest), 0, -1) if ".".join(rest[:n]) in inner), 1)
        path.append(".".join(rest[:length]))
        inner, rest = _table_at(inner, path[-1]), rest[length:]
    return tuple(path)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _inside(table: Table, path: Keys) -> Table:
    """Return the table at some keys, empty where there is none."""
    for key in path:
        table = _table_at(table, key)
    return table


def _table_at(table: Table, key: str) -> Table:
    """Return the table inside another one, empty where there is none."""
    inner: Any = table.get(key)
    return cast("Table", inner) if isinstance(inner, dict) else {}


def _integers(axis: str, value: str, count: int) -> list[int]:
    """Return the integers of a value such as `8x16`. Raises UsageError where they are not so many, or not positive."""
    parts = value.split("x")
    if len(parts) == count and all(part.isdecimal() and int(part) > 0 for part in parts):
        return [int(part) for part in parts]
    form = "a positive integer" if count == 1 else f"{count} positive integers, such as {'x'.join(['8'] * count)}"
    raise UsageError(f"a value of the axis '{axis}' has the wrong type", expected=form, found=value)


def _typed(value: str) -> object:
    """Return a value as TOML would: integers, numbers, truth values, lists of integers as `8x8`, texts."""
    if value in ("true", "false"):
        return value == "true"
    if _TUPLE.fullmatch(value):
        return [int(part) for part in value.split("x")]
    for convert in (int, float):
        with suppress(ValueError):
            number = convert(value)
            return number if isfinite(number) else value
    return value
