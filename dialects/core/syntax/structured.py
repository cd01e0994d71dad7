"""Upstream's syntax of structured ops: `affine.if`, `linalg.generic`, `scf.index_switch` and `scf.reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    StringAttr,
    UnregisteredOp,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, SingleBlockImplicitTerminator, ensure_terminator

from ..operand_lists import parse_operand_list


def parse_affine_if(op: type[Operation], parser: Parser) -> Operation:
    """Parse `affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%n] -> (f32) {...} else {...}`."""
    from xdsl.dialects.affine import YieldOp

    start = parser.pos
    condition = parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error("expected an affine set", start, parser.pos)
    operands = [*_indices(parser, parser.Delimiter.PAREN), *_indices(parser, parser.Delimiter.SQUARE)]
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        results = [parser.parse_type()] if types is None else types
    regions = [terminated_region(parser, YieldOp)]
    has_else = parser.parse_optional_keyword("else") is not None
    regions.append(terminated_region(parser, YieldOp) if has_else else Region())
    attributes = parser.parse_optional_attr_dict()
    properties: dict[str, Attribute] = {"condition": condition}
    return op.create(
        operands=operands, result_types=results, properties=properties, regions=regions, attributes=attributes
    )


def _indices(parser: Parser, delimiter: Parser.Delimiter) -> Sequence[SSAValue]:
    """Parse the operands of a set between brackets, if they are there."""
    start = parser.pos
    operands = parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand) or []
    return parser.resolve_operands(operands, [IndexType()] * len(operands), start)


def terminated_region(
    parser: Parser, terminator: type[Operation], arguments: Sequence[Parser.Argument] | None = None
) -> Region:
    """Parse a region of one block, and add the terminator that one without results may omit."""
    region = parser.parse_region(arguments)
    if not region.blocks:
        region.add_block(Block(arg_types=[argument.type for argument in arguments or ()]))
    last = region.blocks[-1].last_op
    if last is None or not (last.has_trait(IsTerminator) or isinstance(last, UnregisteredOp)):
        region.blocks[-1].add_op(terminator.create())
    return region


def parse_generic(op: type[Operation], parser: Parser) -> Operation:
    """Parse `linalg.generic {...} ins(...) outs(...) attrs = {...} {...} -> (T, U)`; xDSL reads one result."""
    start = parser.pos
    properties = dict(parser.parse_optional_attr_dict())
    iterators = properties.get("iterator_types")
    if not isinstance(iterators, ArrayAttr) or not isinstance(properties.get("indexing_maps"), ArrayAttr):
        parser.raise_error("expected indexing_maps and iterator_types", start, parser.pos)
    kinds = cast("ArrayAttr[Attribute]", iterators)
    properties["iterator_types"] = ArrayAttr([_iterator(kind, parser) for kind in kinds])
    inputs = parse_operand_list(parser) if parser.parse_optional_keyword("ins") is not None else []
    outputs = parse_operand_list(parser) if parser.parse_optional_keyword("outs") is not None else []
    attributes: dict[str, Attribute] = {}
    if parser.parse_optional_keyword("attrs") is not None:
        parser.parse_punctuation("=")
        attributes = parser.parse_optional_attr_dict()
    region = parser.parse_region()
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        results = (
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type) if types is None else types
        )
    known = cast("type[IRDLOperation]", op).get_irdl_definition().properties
    attributes |= {name: properties.pop(name) for name in list(properties) if name not in known}
    return cast(Any, op).build(
        operands=[inputs, outputs],
        result_types=[results],
        properties=properties,
        attributes=attributes,
        regions=[region],
    )


def _iterator(kind: Attribute, parser: Parser) -> Attribute:
    from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr

    if not isinstance(kind, StringAttr):
        return kind
    if kind.data not in set(IteratorType):
        parser.raise_error(f"expected a kind of iterator: {', '.join(IteratorType)}; found '{kind.data}'")
    return IteratorTypeAttr(IteratorType(kind.data))


def parse_index_switch(op: type[Operation], parser: Parser) -> Operation:
    """Parse `scf.index_switch %i {a.b} -> i32 case 1 {...} default {...}`."""
    from xdsl.dialects.scf import YieldOp

    operand = parser.parse_operand(IndexType())
    attributes = parser.parse_optional_attr_dict()
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    cases: list[int] = []
    regions: list[Region] = []
    while parser.parse_optional_keyword("case") is not None:
        cases.append(parser.parse_integer())
        regions.append(terminated_region(parser, YieldOp))
    parser.parse_keyword("default")
    default = terminated_region(parser, YieldOp)
    return cast(Any, op)(operand, DenseArrayBase.from_list(i64, cases), default, regions, types, attributes)


def print_affine_if(op: Operation, printer: Printer) -> None:
    """Print the form that `parse_affine_if` reads."""
    condition = cast(AffineSetAttr, op.properties["condition"])
    printer.print_string(" ")
    printer.print_attribute(condition)
    dims = condition.data.num_dims
    with printer.in_parens():
        printer.print_list(op.operands[:dims], printer.print_ssa_value)
    if op.operands[dims:]:
        with printer.in_square_brackets():
            printer.print_list(op.operands[dims:], printer.print_ssa_value)
    if op.results:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(op.result_types, printer.print_attribute)
    words = ("", "else ")
    for word, region in zip(words, op.regions, strict=True):
        if region.blocks:
            printer.print_string(f" {word}")
            printer.print_region(region, print_block_terminators=bool(op.results))
    printer.print_op_attributes(op.attributes)


def parse_reduce(op: type[Operation], parser: Parser) -> Operation:
    """Parse `scf.reduce(%a, %b : i32, f32) {...}, {...}`; xDSL prints no comma between the regions."""
    operands: Sequence[SSAValue] = ()
    if parser.parse_optional_punctuation("(") is not None:
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        operands = parser.resolve_operands(names, types, start)
    regions: list[Region] = []
    while len(regions) < len(operands):
        if regions:
            parser.parse_optional_punctuation(",")
        regions.append(parser.parse_region())
    reduce = cast(Any, op)(operands, regions)
    reduce.attributes |= parser.parse_optional_attr_dict()
    for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
        ensure_terminator(reduce, trait)
    return reduce


def print_reduce(op: Operation, printer: Printer) -> None:
    """Print the form that `parse_reduce` reads."""
    if op.operands:
        with printer.in_parens():
            printer.print_list(op.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(op.operand_types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_list(op.regions, printer.print_region)
    printer.print_op_attributes(op.attributes)
