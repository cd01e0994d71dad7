"""Upstream's syntax of accesses, maps and parallel loops of `affine`, with their symbols and attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ....ir import numbers_of
from .affine import affine_text

_NUMBERED = re.compile(r"\0(\d+)\0")


class MappedAccess(NamedTuple):
    """A memref, the map of its indices, and the operands of the map."""

    memref: UnresolvedOperand
    map: AffineMapAttr
    operands: Sequence[SSAValue]


def parse_access(parser: Parser) -> MappedAccess:
    """Parse `%m[%i + symbol(%n), 0]`."""
    memref = parser.parse_unresolved_operand()
    map, operands = parser.parse_affine_map_of_ssa_ids()
    return MappedAccess(memref, AffineMapAttr(map), operands)


def print_access(printer: Printer, memref: SSAValue, map: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Print what `parse_access` reads."""
    printer.print_ssa_value(memref)
    with printer.in_square_brackets():
        _print_expressions(printer, map.results, map.num_dims, operands)


def _print_expressions(
    printer: Printer, expressions: Sequence[AffineExpr], dims: int, operands: Sequence[SSAValue]
) -> None:
    """Print expressions with operands in place of dimensions and symbols."""
    names = [f"\0{number}\0" for number in range(len(operands))]
    symbols = [f"symbol({name})" for name in names[dims:]]
    text = ", ".join(affine_text(expr, names[:dims], symbols) for expr in expressions)
    for index, part in enumerate(_NUMBERED.split(text)):
        if index % 2:
            printer.print_ssa_value(operands[int(part)])
        else:
            printer.print_string(part)


def parse_load(op: type[Operation], parser: Parser) -> Operation:
    """Parse `affine.load %m[%i + 1] {a.b} : memref<8xf32>`, or `affine.vector_load` with a type of vectors behind."""
    access = parse_access(parser)
    attributes = parser.parse_optional_attr_dict()
    type, memref = _memref(parser, access.memref)
    result = type.element_type
    if op.name == "affine.vector_load":
        parser.parse_punctuation(",")
        result = parser.parse_type()
    return op.create(
        operands=[memref, *access.operands],
        result_types=[result],
        properties={"map": access.map},
        attributes=attributes,
    )


def parse_store(op: type[Operation], parser: Parser) -> Operation:
    """Parse `affine.store %v, %m[%i + 1] {a.b} : memref<8xf32>`, or `affine.vector_store` with the type of `%v`."""
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    access = parse_access(parser)
    attributes = parser.parse_optional_attr_dict()
    type, memref = _memref(parser, access.memref)
    stored = type.element_type
    if op.name == "affine.vector_store":
        parser.parse_punctuation(",")
        stored = parser.parse_type()
    return op.create(
        operands=[parser.resolve_operand(value, stored), memref, *access.operands],
        properties={"map": access.map},
        attributes=attributes,
    )


def _memref(parser: Parser, memref: UnresolvedOperand) -> tuple[MemRefType[Any], SSAValue]:
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected the type of a memref", start, parser.pos)
    type = cast("MemRefType[Any]", type)
    return type, parser.resolve_operand(memref, type)


def print_load(op: Operation, printer: Printer) -> None:
    """Print what `parse_load` reads."""
    memref, *operands = op.operands
    printer.print_string(" ")
    print_access(printer, memref, _map_of(op), operands)
    printer.print_op_attributes(op.attributes)
    _print_types(printer, memref.type, op.results[0].type)


def print_store(op: Operation, printer: Printer) -> None:
    """Print what `parse_store` reads."""
    value, memref, *operands = op.operands
    printer.print_string(" ")
    printer.print_ssa_value(value)
    printer.print_string(", ")
    print_access(printer, memref, _map_of(op), operands)
    printer.print_op_attributes(op.attributes)
    _print_types(printer, memref.type, value.type)


def _map_of(op: Operation, name: str = "map") -> AffineMap:
    return cast(AffineMapAttr, op.properties[name]).data


def _print_types(printer: Printer, memref: Attribute, value: Attribute) -> None:
    printer.print_string(" : ")
    printer.print_attribute(memref)
    if value.name == VectorType.name:
        printer.print_string(", ")
        printer.print_attribute(value)


def parse_mapped(op: type[Operation], parser: Parser) -> Operation:
    """Parse `affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n] {a.b}`, `affine.min` or `affine.max`."""
    start = parser.pos
    map = parser.parse_attribute()
    if not isinstance(map, AffineMapAttr):
        parser.raise_error("expected an affine map", start, parser.pos)
    operands: list[SSAValue] = []
    for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE):
        operands += (
            parser.parse_optional_comma_separated_list(delimiter, lambda: parser.parse_operand(IndexType())) or []
        )
    return op.create(
        operands=operands,
        result_types=[IndexType()],
        properties={"map": map},
        attributes=parser.parse_optional_attr_dict(),
    )


def print_mapped(op: Operation, printer: Printer) -> None:
    """Print what `parse_mapped` reads."""
    dims = _map_of(op).num_dims
    printer.print_string(" ")
    printer.print_attribute(op.properties["map"])
    with printer.in_parens():
        printer.print_list(op.operands[:dims], printer.print_ssa_value)
    if op.operands[dims:]:
        with printer.in_square_brackets():
            printer.print_list(op.operands[dims:], printer.print_ssa_value)
    printer.print_op_attributes(op.attributes)


ATOMIC_KINDS = (
    *("addf", "addi", "assign", "maximumf", "maxs", "maxu", "minimumf", "mins", "minu", "mulf", "muli", "ori", "andi"),
    *("maxnumf", "minnumf"),
)
"""The kinds of `memref.atomic_rmw` and of the reductions of `affine.parallel`, each at its number."""


class _Bounds(NamedTuple):
    """One side of the bounds of parallel loops: a map, how many of its results are of each loop, and its operands."""

    map: AffineMapAttr
    groups: DenseIntElementsAttr
    operands: Sequence[SSAValue]


def parse_parallel(op: type[Operation], parser: Parser) -> Operation:
    """Parse `affine.parallel (%i, %j) = (0, max(1, %n)) to (8, %m) step (2, 1) reduce ("addf") -> (f32) {...}`."""
    from xdsl.dialects.affine import YieldOp

    from .structured import terminated_region

    variables = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(IndexType())
    )
    parser.parse_punctuation("=")
    low = _parse_bounds(parser, "max")
    parser.parse_keyword("to")
    high = _parse_bounds(parser, "min")
    steps = [1] * len(variables)
    if parser.parse_optional_keyword("step") is not None:
        steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    kinds: list[Attribute] = []
    if parser.parse_optional_keyword("reduce") is not None:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_kind(parser))
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        results = several or [parser.parse_type()]
    region = terminated_region(parser, YieldOp, variables)
    properties: dict[str, Attribute] = {
        "lowerBoundsMap": low.map,
        "lowerBoundsGroups": low.groups,
        "upperBoundsMap": high.map,
        "upperBoundsGroups": high.groups,
        "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
        "reductions": ArrayAttr(kinds),
    }
    return op.create(
        operands=[*low.operands, *high.operands],
        result_types=results,
        properties=properties,
        regions=[region],
        attributes=parser.parse_optional_attr_dict(),
    )


def _parse_kind(parser: Parser) -> Attribute:
    start = parser.pos
    kind = parser.parse_str_literal()
    if kind not in ATOMIC_KINDS:
        parser.raise_error(f"expected a kind of reduction: {', '.join(ATOMIC_KINDS)}", start, parser.pos)
    return IntegerAttr(ATOMIC_KINDS.index(kind), i64)


def _parse_bounds(parser: Parser, extremum: str) -> _Bounds:
    """Parse `(0, max(%n, 1))`, an expression or several in `max(...)` for each loop."""
    maps: list[tuple[AffineMap, Sequence[SSAValue]]] = []

    def parse_bound() -> None:
        delimiter = parser.Delimiter.PAREN if parser.parse_optional_keyword(extremum) is not None else None
        maps.append(cast(Any, parser).parse_expressions_of_ssa_ids(delimiter))

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_bound)
    dims = sum(map.num_dims for map, _ in maps)
    symbols = sum(map.num_symbols for map, _ in maps)
    results: list[AffineExpr] = []
    operands: tuple[list[SSAValue], list[SSAValue]] = ([], [])
    for map, values in maps:
        new_dims = [AffineExpr.dimension(len(operands[0]) + index) for index in range(map.num_dims)]
        new_symbols = [AffineExpr.symbol(len(operands[1]) + index) for index in range(map.num_symbols)]
        results += [expr.replace_dims_and_symbols(new_dims, new_symbols) for expr in map.results]
        operands[0].extend(values[: map.num_dims])
        operands[1].extend(values[map.num_dims :])
    counts = [len(map.results) for map, _ in maps]
    groups = DenseIntElementsAttr.from_list(TensorType(i32, [len(counts)]), counts)
    return _Bounds(AffineMapAttr(AffineMap(dims, symbols, tuple(results))), groups, [*operands[0], *operands[1]])


def print_parallel(op: Operation, printer: Printer) -> None:
    """Print what `parse_parallel` reads."""
    low, high = _map_of(op, "lowerBoundsMap"), _map_of(op, "upperBoundsMap")
    count = low.num_dims + low.num_symbols
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(op.regions[0].block.args, printer.print_ssa_value)
    printer.print_string(" = ")
    _print_bounds(printer, low, cast(Any, op).lowerBoundsGroups, op.operands[:count], "max")
    printer.print_string(" to ")
    _print_bounds(printer, high, cast(Any, op).upperBoundsGroups, op.operands[count:], "min")
    steps = [step.value.data for step in cast(Any, op).steps]
    if any(step != 1 for step in steps):
        printer.print_string(f" step ({', '.join(map(str, steps))})")
    if op.results:
        kinds = ", ".join(f'"{ATOMIC_KINDS[kind.value.data]}"' for kind in cast(Any, op).reductions)
        printer.print_string(f" reduce ({kinds}) -> ")
        with printer.in_parens():
            printer.print_list(op.result_types, printer.print_attribute)
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False, print_block_terminators=bool(op.results))
    printer.print_op_attributes(op.attributes)


def _print_bounds(
    printer: Printer, map: AffineMap, groups: DenseIntElementsAttr, operands: Sequence[SSAValue], extremum: str
) -> None:
    starts = [0]
    for count in numbers_of(groups):
        starts.append(starts[-1] + count)
    pairs = list(pairwise(starts))

    def print_bound(pair: tuple[int, int]) -> None:
        results = map.results[pair[0] : pair[1]]
        printer.print_string(extremum + "(" if len(results) > 1 else "")
        _print_expressions(printer, results, map.num_dims, operands)
        printer.print_string(")" if len(results) > 1 else "")

    with printer.in_parens():
        printer.print_list(pairs, print_bound)


def has_no_upstream_form(op: Operation) -> bool:
    """Return whether parallel loops are not what `parse_parallel` reads: the words of xDSL's reductions, for one."""
    kinds: Sequence[Any] = cast(Any, op).reductions.data
    steps: Sequence[Any] = cast(Any, op).steps.data
    if not all(isinstance(kind, IntegerAttr) and 0 <= kind.value.data < len(ATOMIC_KINDS) for kind in kinds):
        return True
    groups = (cast(Any, op).lowerBoundsGroups, cast(Any, op).upperBoundsGroups)
    is_plain = all(isinstance(group.type, TensorType) and 0 not in numbers_of(group) for group in groups)
    return not is_plain or any(number.type != i64 for number in (*kinds, *steps))
