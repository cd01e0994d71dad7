"""
Ops read by the line: one that differs from an earlier one in the names of its values alone is made like it.

Of the ops in long texts most are written in a line each, and most lines are alike: `%3 = arith.addi %1, %2 : i32` has
the op, the types and the attributes of each other line `% = arith.addi %, % : i32`. Such a line needs no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

_NAME = re.compile(r"%([0-9]+(?:#[0-9]+)?|[a-zA-Z$._-][a-zA-Z0-9$._-]*(?:#[0-9]+)?)")
_SPACE = r"(?:[ \t\r\n]++|//[^\n]*+)*+"
_SPACE_ONLY = re.compile(_SPACE)
_OP = r"""(?:[a-zA-Z_][a-zA-Z0-9_$]*\.[a-zA-Z0-9_$.]+|"[a-zA-Z0-9_$.]+"[ \t]*\()"""
_NEXT = re.compile(rf"""{_SPACE}(?:\}}|%[a-zA-Z0-9$._-]+[ \t]*=[ \t]*{_OP}|{_OP})""")
"""End of an op's text, by what follows: the end of its region, or an op whose name has its dialect or is quoted."""
_CUSTOM = re.compile(r"(?:%[a-zA-Z0-9$._-]+[ \t]*=[ \t]*)?[a-zA-Z_][a-zA-Z0-9_$]*\.")
_GENERIC = re.compile(r'(?:%[a-zA-Z0-9$._-]+[ \t]*=[ \t]*)?"')
_LONGEST = 512
"""The characters of a line that may be like others: longer ones hold constants."""
_MOST = 1 << 14
"""The lines that are remembered, so that a text of many different ones needs little more memory."""

LineKey: TypeAlias = tuple[tuple[str, ...], tuple[int, ...] | None]
"""A line's text between the names of values; and for each name the first that is the same, where some are."""
Values: TypeAlias = Mapping[str, Sequence[SSAValue]]
"""The values that are defined, by name without `%`."""


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """Op of a line without its values: those that each line of its key has."""

    op: type[Operation]
    defines: bool
    """True where the first name of the line is that of the op's result."""
    operands: tuple[int, ...]
    """For each operand the number of its name in the line."""
    operand_types: tuple[Attribute, ...]
    result_types: tuple[Attribute, ...]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    location: LocationAttr | None
    """None where the line has no location."""


class LineReader:
    """Reader of the lines of a text: it remembers those whose ops the parser has made, and makes ops like them."""

    def __init__(self, text: str):
        self._text = text
        self._templates: dict[LineKey, LineTemplate] = {}

    def line_at(self, start: int) -> tuple[LineKey, list[str], int] | None:
        """
        Return the key, the names and the end of the line from a position on, where it may hold one op.

        None where it may not: what follows may go on with the op, or the line is long.
        """
        end = self._text.find("\n", start, start + _LONGEST)
        if end < 0 or _NEXT.match(self._text, end) is None:
            return None
        pieces = _NAME.split(self._text[start:end])
        names = pieces[1::2]
        pattern = None if len(set(names)) == len(names) else tuple(map(names.index, names))
        return (tuple(pieces[::2]), pattern), names, end

    def op_like(self, key: LineKey, names: Sequence[str], values: Values) -> tuple[Operation, bool] | None:
        """
        Return the op of a line, and whether its first name is that of its result.

        None where no line like it has been read, or where an operand is not yet defined or has another type.
        """
        template = self._templates.get(key)
        if template is None:
            return None
        operands: list[SSAValue] = []
        for number, type in zip(template.operands, template.operand_types, strict=True):
            value = _value_of(names[number], values)
            if value is None or (value.type is not type and value.type != type):
                return None
            operands.append(value)
        op = template.op.create(
            operands=operands,
            result_types=template.result_types,
            properties=template.properties,
            attributes=template.attributes,
            location=template.location,
        )
        return op, template.defines

    def remember(self, op: Operation, key: LineKey, names: Sequence[str], values: Values, end: int, after: int) -> None:
        """
        Remember the op of a line that ends at `end`, where `after` is the first token after the op.

        Ops are left out whose text goes on after the line, and those that names do not tell apart: with regions or
        successors, with several results, or with a syntax of their own, whose code may look at more than the line.
        """
        if len(self._templates) >= _MOST or op.regions or op.successors or len(op.results) > 1:
            return
        if not _has_common_syntax(op, key[0]):
            return
        space = _SPACE_ONLY.match(self._text, end)
        if space is None or space.end() != after:
            return
        defines = bool(op.results) and len(key[0]) > 1 and key[0][1].lstrip().startswith("=")
        if defines != bool(op.results):
            return
        numbers = _numbers(names[1:] if defines else names, values, int(defines))
        operands = tuple(numbers.get(operand, -1) for operand in op.operands) if numbers is not None else (-1,)
        if -1 in operands or len(set(operands)) != len(numbers or ()):
            return
        location = None if op.location is UNKNOWN_LOC else op.location
        properties, attributes = dict(op.properties), dict(op.attributes)
        self._templates[key] = LineTemplate(
            type(op),
            defines,
            operands,
            tuple(op.operand_types),
            tuple(op.result_types),
            properties,
            attributes,
            location,
        )


def _has_common_syntax(op: Operation, pieces: Sequence[str]) -> bool:
    """Return whether an op's text is in the generic form, in the declared format of its class, or in one of xDSL's."""
    if isinstance(op, UnregisteredOp):
        return False
    line = "%_".join(pieces)
    if not _names_values(line):
        return False
    if _GENERIC.match(line):
        return True
    if _CUSTOM.match(line) is None:
        return False
    is_declared = isinstance(op, IRDLOperation) and op.get_irdl_definition().assembly_format is not None
    return is_declared or type(op).__module__.startswith("xdsl.")


def _names_values(line: str) -> bool:
    """Return whether no `%` of a line is in a string, as far as counting quotes can tell."""
    outside = line.split('"')[::2]
    return '\\"' not in line and sum(part.count("%") for part in outside) == line.count("%")


def _numbers(names: Sequence[str], values: Values, first: int) -> dict[SSAValue, int] | None:
    """Return the number of the name of each value, from `first` on; None where two names are one value's, or none's."""
    numbers: dict[SSAValue, int] = {}
    for number, name in enumerate(names, first):
        value = _value_of(name, values)
        if value is None:
            return None
        if value in numbers and names[numbers[value] - first] != name:
            return None
        numbers.setdefault(value, number)
    return numbers


def _value_of(name: str, values: Values) -> SSAValue | None:
    """Return the value of a name such as `x` or `x#1`; None for one that is not defined."""
    if (group := values.get(name)) is not None:
        return group[0] if group else None
    name, hash, index = name.partition("#")
    group = values.get(name) if hash else None
    return group[int(index)] if group is not None and int(index) < len(group) else None
