"""Upstream's syntax of `arith.cmpi` and `arith.cmpf`, with attributes, of scalars, vectors and tensors."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, TensorType, VectorType, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer


def truth_type(type: Attribute) -> Attribute:
    """Return the type of the comparison of values of a type: i1, or a vector or tensor of it."""
    match type:
        case VectorType():
            vector = cast("VectorType[Any]", type)
            return VectorType(i1, vector.shape, vector.scalable_dims)
        case TensorType():
            tensor = cast("TensorType[Any]", type)
            return TensorType(i1, tensor.shape, tensor.encoding)
        case _:
            return i1


def _predicates(name: str) -> list[str]:
    from xdsl.dialects import arith

    return arith.CMPI_COMPARISON_OPERATIONS if name == "arith.cmpi" else arith.CMPF_COMPARISON_OPERATIONS


def parse_comparison(op: type[Operation], parser: Parser) -> Operation:
    """Parse `arith.cmpi slt, %a, %b {a.b} : i32`, or `arith.cmpf olt, %a, %b fastmath<nnan> : vector<4xf32>`."""
    start, names = parser.pos, _predicates(op.name)
    predicate = parser.parse_identifier()
    if predicate not in names:
        parser.raise_error(f"expected a comparison: {', '.join(names)}", start, parser.pos)
    properties: dict[str, Attribute] = {"predicate": IntegerAttr(names.index(predicate), i64)}
    parser.parse_punctuation(",")
    start = parser.pos
    operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    if op.name == "arith.cmpf":
        properties["fastmath"] = _parse_flags(parser)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    return op.create(
        operands=parser.resolve_operands(operands, [type] * len(operands), start),
        result_types=[truth_type(type)],
        properties=properties,
        attributes=attributes,
    )


def _parse_flags(parser: Parser) -> Attribute:
    from xdsl.dialects.arith import FastMathFlagsAttr

    if parser.parse_optional_keyword("fastmath") is None:
        return FastMathFlagsAttr("none")
    return FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))


def print_comparison(op: Operation, printer: Printer) -> None:
    """Print what `parse_comparison` reads."""
    number: int = cast(Any, op.properties["predicate"]).value.data
    printer.print_string(f" {_predicates(op.name)[number]}, ")
    printer.print_list(op.operands, printer.print_ssa_value)
    flags = op.properties.get("fastmath")
    if flags is not None and cast(Any, flags).data:
        printer.print_string(" fastmath")
        cast(Any, flags).print_parameter(printer)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[0].type)
