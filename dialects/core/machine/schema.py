"""
The keys of a machine's description, and what their values may be.

`machine_from` makes a `Machine` of a table, as `tomllib` or the attribute `hier.machine` gives it, and reports all
problems of the table at once; `table_of` is its inverse. A key has the name of the dataclass' field.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ....errors import Diagnostic, did_you_mean
from .checks import check
from .cost_table import (
    Parameter,
    known_costs,
    known_timings,
    known_transforms,
    parameters_of,
    timing_named,
    transform_named,
)
from .model import Machine
from .operations import OpSupport
from .parts import DRAM, PROGRAM, ROLES, STACK, TRANSFORMS, Clock, Engine, Level, Link
from .values import (
    Convert,
    Expected,
    Table,
    by_name,
    clock,
    flag,
    integer,
    matching,
    number,
    one_of,
    operand_levels,
    several,
    size,
    text,
)

_TYPE = re.compile(r"\*|(ui|si|i)[1-9]\d*|f16|bf16|f32|f64|index")
_DIMENSION = re.compile(r"[bmnkpu](\d*|-1)")
_QUEUE = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True)
class Key:
    """Schema of a key: `convert` raises Expected where the value does not fit."""

    convert: Convert
    required: bool = False


class Problems(list[str]):
    """Problems of a table, one text for each key."""

    def expected(self, key: str, expected: str, found: object = None) -> None:
        """Record a key whose value has the wrong form."""
        self.append(f"{key}: expected {expected}, found {_shown(found)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if value is None:
        return "nothing"
    return f'"{value}"' if isinstance(value, str) else str(value)


_DIMENSIONS = "the name of a loop, such as n, k0 or p-1"
_EXTENTS = by_name(integer(1), matching(_DIMENSION, _DIMENSIONS))
_TYPES = several(matching(_TYPE, "an element type such as i8 or f32, or *"))


def _peak(value: Any) -> tuple[tuple[str, float], ...]:
    """Convert multiply-accumulates per cycle: a number, or a table of these by the type of the weights."""
    table = cast("Table", value if isinstance(value, Mapping) else {"*": value})
    return by_name(number(positive=True), matching(_TYPE, "an element type such as i8 or f32, or *"))(table)


def _transform(value: Any) -> str:
    """Convert a way to transform what moves: one of `TRANSFORMS`, or a function of a target, as `<target>.<name>`."""
    name = text(value)
    if name in TRANSFORMS:
        return name
    try:
        transform_named(name)
    except KeyError:
        raise Expected(f"one of {', '.join((*TRANSFORMS, *known_transforms()))}") from None
    return name


def _timing(value: Any) -> str:
    """Convert the name of a property of a memory, as `<target>.<name>`."""
    name = text(value)
    try:
        timing_named(name)
    except KeyError:
        raise Expected(f"a timing of a target: {', '.join(known_timings()) or 'there is none'}") from None
    return name


LEVEL: dict[str, Key] = {
    "size": Key(size, required=True),
    "alignment": Key(integer(1)),
    "row_bytes": Key(integer(1)),
    "element": Key(matching(_TYPE, "an element type such as i32")),
    "banks": Key(integer(1)),
    "bank_width": Key(integer(0)),
    "single_port": Key(flag),
    "latency": Key(integer(0)),
    "energy": Key(number()),
    "holds": Key(several(one_of(*ROLES))),
    "count": Key(several(integer(1))),
    "preloaded": Key(flag),
    "external": Key(flag),
    "dram": Key(by_name(integer(0), one_of(*DRAM))),
    "timing": Key(by_name(integer(1), _timing)),
}
LINK: dict[str, Key] = {
    "far": Key(text, required=True),
    "near": Key(text, required=True),
    "width": Key(integer(1), required=True),
    "direction": Key(one_of("in", "out", "both")),
    "neighbours": Key(one_of("", "mesh", "torus")),
    "router": Key(integer(0)),
    "channels": Key(integer(1, 65536)),
    "startup": Key(integer(0)),
    "dims": Key(integer(1, 8)),
    "burst": Key(integer(0)),
    "burst_overhead": Key(number()),
    "burst_minimum": Key(number()),
    "in_flight": Key(integer(1)),
    "energy": Key(number()),
    "clock": Key(clock),
    "transforms": Key(several(_transform, empty=True)),
    "blocks": Key(integer(1)),
    "repeats": Key(integer(1)),
    "packs": Key(flag),
    "rows": Key(integer(1)),
    "lines": Key(integer(0)),
}
ENGINE: dict[str, Key] = {
    "level": Key(operand_levels, required=True),
    "cores": Key(integer(1)),
    "count": Key(several(integer(1))),
    "setup": Key(integer(0)),
    "warm_setup": Key(integer(0)),
    "contention": Key(number()),
    "vector_bytes": Key(integer(0)),
    "queue": Key(integer(0)),
    "queues": Key(by_name(integer(1), matching(_QUEUE, "the name of a queue, of letters, digits and '_'"))),
    "interlocks": Key(several(text)),
    "caches": Key(several(size)),
    "stack": Key(by_name(size, one_of(*STACK))),
    "program": Key(by_name(size, one_of(*PROGRAM))),
    "energy": Key(number()),
    "clock": Key(clock),
    "hosts": Key(several(text)),
    "watts": Key(number()),
}
SUPPORT: dict[str, Key] = {
    "cost": Key(text, required=True),
    "types": Key(_TYPES),
    "result_types": Key(_TYPES),
    "multiples": Key(_EXTENTS),
    "maxima": Key(_EXTENTS),
    "whole": Key(several(matching(_DIMENSION, _DIMENSIONS))),
    "padded": Key(several(matching(_DIMENSION, _DIMENSIONS))),
    "filled": Key(several(one_of("ins"))),
    "beside": Key(several(one_of("ins", "weights"))),
    "blocked": Key(by_name(matching(_DIMENSION, _DIMENSIONS), one_of("ins", "weights", "outs"))),
    "peak": Key(_peak),
}
_TOP: dict[str, Key] = {
    "description": Key(text),
    "clock": Key(clock),
    "idle_watts": Key(number()),
    "pipeline": Key(text),
}
_PARTS = ("levels", "links", "engines")


# From a table to a machine


def machine_from(table: Table, name: str, source: str) -> Machine:
    """
    Return the machine that a table describes; `source`, a file or an attribute, is where the table stands.

    Raises Diagnostic that lists all problems of the table, each with its key.
    """
    problems = Problems()
    _unknown(table, [*_TOP, *_PARTS], "", problems)
    fields = _read(table, _TOP, "", problems)
    fields.pop("pipeline", None)  # says how the machine is compiled for, and nothing of what it is
    levels = [_level(*each, problems) for each in _parts(table, "levels", problems)]
    links = [_part(Link, LINK, *each, problems) for each in _parts(table, "links", problems)]
    engines = [_engine(*each, problems) for each in _parts(table, "engines", problems)]
    if problems:
        raise _diagnostic(problems, source)
    machine = check(Machine(name, tuple(levels), tuple(engines), tuple(links), **fields), problems)
    if problems:
        raise _diagnostic(problems, source)
    return machine


def _diagnostic(problems: Problems, source: str) -> Diagnostic:
    remedy = "docs/machines.md describes the keys"
    if len(problems) == 1:
        return Diagnostic(problems[0], source, remedy=remedy)
    return Diagnostic(f"the machine's description has {len(problems)} faults", source, remedy=remedy, notes=problems)


def _parts(table: Table, kind: str, problems: Problems) -> list[tuple[str, Table]]:
    """Return the tables of the levels, the links or the engines, in order of their names."""
    parts: Any = table.get(kind, {})
    named = cast("dict[str, Any]", parts if isinstance(parts, Mapping) else {"": parts})
    if others := [name for name, each in named.items() if not isinstance(each, Mapping)]:
        for name in others:
            where = f"{kind}.{name}" if name else kind
            problems.expected(where, f"a table [{where}]" if name else f"tables [{kind}.NAME]", named[name])
        return []
    if not named and kind != "links":
        problems.expected(kind, f"at least one table [{kind}.NAME]")
    for name in named:
        if not _NAME.fullmatch(name):
            problems.expected(f"{kind}.{name}", "a name of letters, digits, '_', '.' and '-'", name)
    return [(f"{kind}.{name}", named[name]) for name in sorted(named)]


def _part(cls: Any, keys: Mapping[str, Key], path: str, table: Table, problems: Problems) -> Any:
    _unknown(table, keys, path, problems)
    fields = _read(table, keys, path, problems)
    complete = all(key in fields for key, each in keys.items() if each.required)
    return cls(name=path.partition(".")[2], **fields) if complete else None


def _level(path: str, table: Table, problems: Problems) -> Level:
    """Read a level, whose size may be given in rows."""
    rows, row_bytes = table.get("rows"), table.get("row_bytes", 1)
    rest = {key: value for key, value in table.items() if key != "rows"}
    if rows is not None:
        if "size" in rest or "row_bytes" not in rest:
            problems.expected(f"{path}.rows", "row_bytes beside it, and no size", rows)
        row_count = _convert(integer(1), rows, f"{path}.rows", problems)
        rest["size"] = row_count * row_bytes if row_count and isinstance(row_bytes, int) else 1
    if "row_bytes" in rest:
        rest.setdefault("alignment", row_bytes)
    return _part(Level, LEVEL, path, rest, problems)


def _engine(path: str, table: Table, problems: Problems) -> Engine:
    runs = table.get("runs")
    entries: list[Any] = []
    if isinstance(runs, Mapping) and runs:
        ops = cast("Table", runs)
        entries = [_support(op, f'{path}.runs."{op}"', ops[op], problems) for op in sorted(ops)]
    else:
        problems.expected(f"{path}.runs", "a table from op names to what they cost", cast("object", runs) or None)
    engine = _part(Engine, ENGINE | {"runs": Key(lambda _: tuple(entries))}, path, {**table, "runs": {}}, problems)
    return engine


def _support(op: str, path: str, entry: Any, problems: Problems) -> OpSupport | None:
    """Read an entry of `runs`, in which the parameters of the cost function stand beside the keys."""
    if not isinstance(entry, Mapping):
        problems.expected(path, "a table with cost", entry)
        return None
    table = cast("Table", entry)
    known = parameters_for(table.get("cost"), path, problems)
    if known is None:
        return None
    _unknown(table, [*SUPPORT, *known], path, problems)
    parameters = tuple(sorted(_read(table, known, path, problems).items()))
    return OpSupport(op=op, **_read(table, SUPPORT, path, problems), parameters=parameters)


def parameters_for(cost: object, path: str, problems: Problems) -> dict[str, Key] | None:
    """Return the keys of a cost function's parameters; None, after noting why, if there is no such function."""
    try:
        parameters = parameters_of(str(cost)).values()
    except KeyError:
        known = known_costs()
        hint = did_you_mean(str(cost), known)
        problems.expected(f"{path}.cost", f"a cost function, one of {', '.join(known)}", cost)
        problems[-1] += f"; {hint}" if hint else ""
        return None
    return {each.name: Key(_parameter(each), each.required) for each in parameters}


def _parameter(parameter: Parameter) -> Convert:
    if parameter.type is int:
        return integer(0 if parameter.may_be_zero else 1)
    converted = number(positive=not parameter.may_be_zero)
    return several(converted) if parameter.type is tuple else converted


def _read(table: Table, keys: Mapping[str, Key], path: str, problems: Problems) -> dict[str, Any]:
    """Return the values of the keys that a table has, and note those that are missing or do not fit."""
    fields: dict[str, Any] = {}
    for key, how in keys.items():
        full = f"{path}.{key}" if path else key
        if key in table:
            fields[key] = _convert(how.convert, table[key], full, problems)
        elif how.required:
            problems.expected(full, _expectation(how.convert))
    return fields


def _convert(convert: Convert, value: Any, path: str, problems: Problems) -> Any:
    try:
        return convert(value)
    except Expected as error:
        problems.expected(path, str(error), value)
        return None


def _expectation(convert: Convert) -> str:
    try:
        convert(None)
    except Expected as error:
        return str(error)
    return "a value"


def _unknown(table: Table, known: Iterable[str], path: str, problems: Problems) -> None:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known)
            problems.append(f"{path + '.' if path else ''}{key}: unknown key{'; ' + hint if hint else ''}")


# From a machine to a table


def table_of(machine: Machine) -> dict[str, Any]:
    """Return the table that describes a machine, defaults omitted."""
    table = _plain(machine)
    for kind in ("levels", "links", "engines"):
        parts: tuple[Any, ...] = getattr(machine, kind)
        table[kind] = {each.name: _plain(each) for each in sorted(parts, key=lambda each: each.name)}
    for engine in machine.engines:
        supports = {each.op: _plain(each) | dict(each.parameters) for each in engine.runs}
        table["engines"][engine.name]["runs"] = _lists(supports)
    return table


_SEPARATE = ("name", "op", "levels", "links", "engines", "runs", "parameters")
_ALWAYS = ("alignment",)
"""Fields whose default depends on others."""
_MAPPINGS = ("level", "multiples", "maxima", "blocked", "peak", "stack", "program", "queues", "dram", "timing")


def _plain(part: Any) -> dict[str, Any]:
    """Return the fields of a part that are not as they are by default."""
    table: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name in _SEPARATE or (value == field.default and field.name not in _ALWAYS):
            continue
        table[field.name] = _lists(dict(value) if field.name in _MAPPINGS else value)
    return table


def _lists(value: Any) -> Any:
    if isinstance(value, Clock):
        return {key: _lists(each) for key, each in dataclasses.asdict(value).items() if each}
    if isinstance(value, dict):
        return {key: _lists(each) for key, each in cast("dict[str, Any]", value).items()}
    return [_lists(each) for each in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
