"""
Conversion between machines and tables, as `tomllib` or the attribute `hier.machine` gives them.

`machine_from` reads the keys that keys.py derives from the dataclasses of the parts, and reports all problems of a
table at once; `table_of` is its inverse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from ....errors import Diagnostic, did_you_mean
from .checks import check, unknown_name
from .cost_table import (
    cost_named,
    known_costs,
    known_timings,
    known_transforms,
    parameters_of,
    timing_named,
    transform_named,
)
from .engine import Engine
from .file_keys import MERGED, EngineFileKeys, LevelFileKeys, MachineFileKeys
from .keys import Form, Key, PartForm, PartsForm, heading_of, keys_of, value_form_of
from .level import Level
from .model import Machine
from .operations import OpSupport
from .values import Count, Expected, NameForm, Table, ValueForm

FILE_KEYS: Mapping[type, type] = {Machine: MachineFileKeys, Level: LevelFileKeys, Engine: EngineFileKeys}
"""Part -> further keys that its table may have in a file."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A name that needs no quotes in TOML."""

_FUNCTIONS: dict[str, tuple[Callable[[str], object], Callable[[], list[str]]]] = {
    "a cost function": (cost_named, known_costs),
    "a transform": (transform_named, known_transforms),
    "a timing": (timing_named, known_timings),
}
"""Kind of a name -> the function of that name, or KeyError; all names."""


class Problems(list[str]):
    """Problems of a table, one text for each key."""

    def expected(self, key: str, expected: str, value: object = None) -> None:
        """Record a key whose value has the wrong form."""
        self.append(f"{key}: expected {expected}, found {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if value is None:
        return "nothing"
    return f'"{value}"' if isinstance(value, str) else str(value)


# From a table to a machine


def machine_from(table: Table, name: str, source: str) -> Machine:
    """
    Return the machine that a table describes; `source`, a file or an attribute, is where the table stands.

    Raises Diagnostic that lists all problems of the table, each with its key.
    """
    problems = Problems()
    values = _values(Machine, table, "", problems)
    if problems:
        raise _diagnostic(problems, source)
    machine = check(Machine(name, **values), problems)
    if problems:
        raise _diagnostic(problems, source)
    return machine


def _diagnostic(problems: Problems, source: str) -> Diagnostic:
    remedy = "docs/machines.md describes the keys"
    if len(problems) == 1:
        return Diagnostic(problems[0], source, remedy=remedy)
    return Diagnostic(f"the machine's description has {len(problems)} faults", source, remedy=remedy, notes=problems)


def _values(part: type, table: Table, path: str, problems: Problems) -> dict[str, Any]:
    """Return the values of the fields that the keys of a table set, and note keys that are missing or do not fit."""
    others = [key for key in keys_of(FILE_KEYS[part]) if key not in MERGED] if part in FILE_KEYS else []
    parameters = _parameters(table, path, problems) if part is OpSupport else dict[str, Key]()
    if parameters is None:
        return {}
    _unknown_keys(table, [*keys_of(part), *others, *parameters], path, problems)
    table = _with_size(table, path, problems) if part is Level else table
    values = _stated(keys_of(part), table, path, problems)
    if parameters:
        values["parameters"] = tuple(sorted(_stated(parameters, table, path, problems).items()))
    return values


def _with_size(table: Table, path: str, problems: Problems) -> Table:
    """Return the table of a level with its size, which may be given in rows."""
    if "rows" not in table:
        return table
    rows, row_bytes = table["rows"], table.get("row_bytes")
    if "size" in table or row_bytes is None:
        problems.expected(f"{path}.rows", "row_bytes beside it, and no size", rows)
    count = _read(value_form_of(Count), rows, f"{path}.rows", problems)
    size = count * row_bytes if count and isinstance(row_bytes, int) else 1
    return {"size": size, **{key: value for key, value in table.items() if key != "rows"}}


def _parameters(table: Table, path: str, problems: Problems) -> Mapping[str, Key] | None:
    """Return the keys of the parameters of an entry's cost function; None, after noting why, if there is none."""
    try:
        return parameters_of(str(table.get("cost")))
    except KeyError:
        problems.append(_unknown_function(NameForm("a cost function"), f"{path}.cost", table.get("cost")))
        return None


def _stated(keys: Mapping[str, Key], table: Table, path: str, problems: Problems) -> dict[str, Any]:
    """Return the values of the keys that a table has, or whose default it states."""
    values: dict[str, Any] = {}
    for key in keys.values():
        full = _joined(path, key.name)
        is_empty = key.is_required and isinstance(key.form, PartsForm) and table.get(key.name) == {}
        if key.name in table and not is_empty:
            values[key.name] = _read(key.form, table[key.name], full, problems)
        elif key.is_required:
            problems.expected(full, _expectation(key.form, full))
    followed = {key.name: values.get(key.follows) for key in keys.values() if key.name not in values}
    return values | {name: value for name, value in followed.items() if value}


def _read(form: Form, value: Any, path: str, problems: Problems) -> Any:
    """Return the value of a field, None where that of its key does not fit."""
    match form:
        case PartsForm() if isinstance(value, Mapping):
            return _parts(form.part, cast("Table", value), path, problems)
        case PartForm() if isinstance(value, Mapping):
            return _part(form.part, "", cast("Table", value), path, problems)
        case PartsForm():
            problems.expected(path, f"tables [{path}.NAME]", value)
        case PartForm():
            problems.expected(path, _expectation(form, path), value)
        case _:
            return _value(form, value, path, problems)
    return None


def _value(form: ValueForm, value: Any, path: str, problems: Problems) -> Any:
    try:
        field = form.read(value)
    except Expected as error:
        problems.expected(path, str(error), value)
        return None
    functions = [(stated, name) for stated, name in form.names(field) if stated.kind in _FUNCTIONS]
    problems += [_unknown_function(stated, path, name) for stated, name in functions if _is_unknown(stated, name)]
    return field


def _parts(part: type, tables: Table, path: str, problems: Problems) -> tuple[Any, ...]:
    """Return the parts that tables describe, in order of their names, but for those that are incomplete."""
    parts: list[Any] = []
    for name in sorted(tables):
        full = _joined(path, name)
        if not isinstance(tables[name], Mapping):
            problems.expected(full, f"a table [{full}]", tables[name])
            continue
        _value(heading_of(part)[1], name, full, problems)
        parts.append(_part(part, name, tables[name], full, problems))
    return tuple(parts)


def _part(part: type, name: str, table: Table, path: str, problems: Problems) -> Any:
    """Return a part, with a name where it stands in a table of such parts; None if a required key is missing."""
    values = _values(part, table, path, problems)
    if any(key.is_required and key.name not in values for key in keys_of(part).values()):
        return None
    return part(**({heading_of(part)[0]: name} if name else {}), **values)


def _expectation(form: Form, path: str) -> str:
    """Return the text of an error where a key is missing."""
    match form:
        case PartsForm():
            return f"at least one table [{path}.NAME]"
        case PartForm():
            return "a table"
        case _:
            return form.expected


def _joined(path: str, name: str) -> str:
    """Return the path of a key, with quotes where TOML has them."""
    quoted = name if _BARE.fullmatch(name) else f'"{name}"'
    return f"{path}.{quoted}" if path else quoted


def _is_unknown(form: NameForm, name: str) -> bool:
    try:
        _FUNCTIONS[form.kind][0](name)
    except KeyError:
        return True
    return False


def _unknown_function(form: NameForm, path: str, name: object) -> str:
    names = [*form.words, *_FUNCTIONS[form.kind][1]()]
    return unknown_name(path, form.kind, names, _shown(name), did_you_mean(str(name), names))


def _unknown_keys(table: Table, names: Collection[str], path: str, problems: Problems) -> None:
    for key in table:
        if key not in names:
            hint = did_you_mean(key, names)
            problems.append(f"{_joined(path, key)}: unknown key{'; ' + hint if hint else ''}")


# From a machine to a table


def table_of(machine: Machine) -> dict[str, Any]:
    """Return the table that describes a machine, defaults omitted."""
    return _table(machine)


def _table(part: object) -> dict[str, Any]:
    """Return the keys of a part whose values are not those by default."""
    table: dict[str, Any] = {}

    for key in keys_of(type(part)).values():
        value = getattr(part, key.name)
        if value != key.default_in(part):
            table[key.name] = _written(key.form, value)
    if isinstance(part, OpSupport):
        keys = parameters_of(part.cost)
        table |= {name: _written(keys[name].form, value) for name, value in part.parameters}
    return table


def _written(form: Form, value: Any) -> Any:
    match form:
        case PartsForm():
            name = heading_of(form.part)[0]
            tables = {getattr(part, name): _table(part) for part in cast("tuple[object, ...]", value)}
            return {name: tables[name] for name in sorted(tables)}
        case PartForm():
            return _table(value)
        case _:
            return form.write(value)
