"""Ops of `vector` on elements: reads, writes, and vectors made of scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.dialects.vector import BroadcastOp, ExtractOp, InsertOp
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, where
from ..core.semantics import Runner, Value, semantics
from ..core.slices import mixed
from .types import element_type, empty, shape

_POSITION = base(IndexType) | base(IntegerType)


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """
    An element of a vector of rank 1 at a position, or that of one of rank 0.

        %r = vector.extractelement %v[%i : index] : vector<4xf32>
    """

    name = "vector.extractelement"
    T: ClassVar = VarConstraint("T", AnyAttr())
    vector = operand_def(VectorType.constr(T))
    position = opt_operand_def(_POSITION)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$vector `[` ($position^ `:` type($position))? `]` attr-dict `:` type($vector)"

    def verify_(self) -> None:
        _verify_position(self, self.vector.type)


def _verify_position(op: Any, type: Any) -> None:
    if len(shape(type)) != (op.position is not None):
        raise VerifyException("expected a position in a vector of rank 1, none in one of rank 0")


@irdl_op_definition
class InsertElementOp(IRDLOperation):
    """
    A vector of rank 1 with another element at a position, or one of rank 0 of an element.

        %r = vector.insertelement %x, %v[%i : index] : vector<4xf32>
    """

    name = "vector.insertelement"
    V: ClassVar = VarConstraint("V", base(VectorType))
    source = operand_def()
    dest = operand_def(V)
    position = opt_operand_def(_POSITION)
    result = result_def(V)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_position(self, self.dest.type)
        if self.source.type != element_type(self.dest.type):
            raise VerifyException(f"expected an element of {element_type(self.dest.type)}")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dest = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        position = None
        if (name := parser.parse_optional_unresolved_operand()) is not None:
            parser.parse_punctuation(":")
            position = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("]")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        operands = [parser.resolve_operand(source, element_type(type)), parser.resolve_operand(dest, type)]
        return cls.build(operands=[*operands, position], result_types=[type], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.source, self.dest], printer.print_ssa_value)
        with printer.in_square_brackets():
            if self.position is not None:
                printer.print_ssa_value(self.position)
                printer.print_string(" : ")
                printer.print_attribute(self.position.type)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class VectorFromElementsOp(IRDLOperation):
    """
    A vector of elements in row-major order.

        %r = vector.from_elements %a, %b, %c, %d : vector<2x2xf32>
    """

    name = "vector.from_elements"
    elements = var_operand_def()
    result = result_def(VectorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        extents = shape(self.result.type)
        if len(self.elements) != int(np.prod(extents, dtype=np.int64)):
            raise VerifyException(f"expected {int(np.prod(extents, dtype=np.int64))} elements")
        if any(type != element_type(self.result.type) for type in self.elements.types):
            raise VerifyException(f"expected elements of {element_type(self.result.type)}")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        elements = parser.resolve_operands(names, [element_type(type)] * len(names), start)
        return cls.build(operands=[elements], result_types=[type], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.elements, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class VectorSplatOp(IRDLOperation):
    """
    A vector of equal elements.

        %r = vector.splat %x : vector<4xf32>
    """

    name = "vector.splat"
    T: ClassVar = VarConstraint("T", AnyAttr())
    input = operand_def(T)
    aggregate = result_def(VectorType.constr(T))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($aggregate)"


@irdl_op_definition
class StepOp(IRDLOperation):
    """
    The vector of 0, 1, 2, ...

        %r = vector.step : vector<4xindex>
    """

    name = "vector.step"
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def verify_(self) -> None:
        if len(shape(self.result.type)) != 1 or not isinstance(element_type(self.result.type), IndexType):
            raise VerifyException("expected a vector of indices of rank 1")


def _place(op: Any, vector: Array, position: Sequence[Value]) -> tuple[int, ...]:
    place = tuple(int(index) for index in position)
    if any(not 0 <= index < extent for index, extent in zip(place, vector.shape, strict=False)):
        found = f"{list(place)} in the shape {list(vector.shape)}"
        raise Diagnostic(f"'{op.name}' is out of bounds", where(op), found=found)
    return place


@semantics(ExtractElementOp)
def _extract_element(runner: Runner, op: ExtractElementOp, operands: Sequence[Value]) -> list[Value]:
    vector, *position = operands
    return [vector[_place(op, vector, position)]]


@semantics(InsertElementOp)
def _insert_element(runner: Runner, op: InsertElementOp, operands: Sequence[Value]) -> list[Array]:
    value, vector, *position = operands
    result = np.array(vector)
    result[_place(op, vector, position)] = value
    return [result]


def _positions(op: Any, vector: Array, dynamic: Sequence[Value]) -> tuple[int, ...]:
    return _place(op, vector, mixed(op.static_position, dynamic))


@semantics(ExtractOp)
def _extract(runner: Runner, op: ExtractOp, operands: Sequence[Value]) -> list[Value]:
    vector, *dynamic = operands
    return [vector[_positions(op, vector, dynamic)]]


@semantics(InsertOp)
def _insert(runner: Runner, op: InsertOp, operands: Sequence[Value]) -> list[Array]:
    value, vector, *dynamic = operands
    result = np.array(vector)
    result[_positions(op, vector, dynamic)] = value
    return [result]


@semantics(VectorFromElementsOp)
def _from_elements(runner: Runner, op: VectorFromElementsOp, operands: Sequence[Value]) -> list[Array]:
    result = empty(op, op.result.type)
    result[...] = np.array(operands, result.dtype).reshape(result.shape)
    return [result]


@semantics(VectorSplatOp, BroadcastOp)
def _splat(runner: Runner, op: Any, operands: Sequence[Value]) -> list[Array]:
    result = empty(op, op.results[0].type)
    result[...] = operands[0]
    return [result]


@semantics(StepOp)
def _step(runner: Runner, op: StepOp, operands: Sequence[Value]) -> list[Array]:
    result = empty(op, op.result.type)
    result[...] = np.arange(len(result))
    return [result]
