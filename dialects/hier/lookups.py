"""Lookups of table entries at run time: the op that loads one, and the check of its declared range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IndexType, IntAttr, IntegerType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, shape_of, where
from ..core.effect_traits import DeclaredRange, ElementEffects
from ..core.semantics import Runner, Value, semantics
from .offsets import limit_attributes, parse_range, range_text, verify_range


def table_name(value: SSAValue, otherwise: str) -> str:
    """Return the name of a table for messages."""
    return f"%{value.name_hint}" if value.name_hint else otherwise


def checked_entry(op: Operation, name: str, table: Array, indices: Sequence[int], limits: tuple[int, int]) -> int:
    """Return an entry of a table. Raises Diagnostic for one outside of the table or of the declared range."""
    if any(not 0 <= index < extent for index, extent in zip(indices, table.shape, strict=True)):
        raise Diagnostic(
            f"the table {name} has no element {list(indices)}",
            where=where(op),
            expected=f"indices within {list(table.shape)}",
        )
    entry = int(table[tuple(indices)])
    if limits[0] <= entry < limits[1]:
        return entry
    raise Diagnostic(
        f"entry {list(indices)} of the table {name} is out of its range",
        where=where(op),
        expected=f"a number {range_text(*limits)}",
        found=str(entry),
        remedy="correct the table, or declare the range that its entries have",
    )


@irdl_op_definition
class LookupOp(IRDLOperation):
    """
    Load an index from a table; it must be in the declared range.

        %page = hier.lookup %table[%h, %i] in [0, 64) : memref<2x4xi32>

    The range bounds what is accessed at the index, without the table's content. Every run checks it.
    """

    name = "hier.lookup"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    low = prop_def(IntAttr)
    high = prop_def(IntAttr)
    result = result_def(IndexType)
    traits = traits_def(ElementEffects(MemoryEffectKind.READ), DeclaredRange())

    def __init__(self, table: SSAValue, indices: Sequence[SSAValue], limits: tuple[int, int]):
        low, high = limit_attributes(limits)
        super().__init__(
            operands=[table, list(indices)],
            properties={"low": low, "high": high},
            result_types=[IndexType()],
        )

    @property
    def range(self) -> tuple[int, int]:
        """The least entry, and the one after the greatest."""
        return self.low.data, self.high.data

    def verify_(self) -> None:
        verify_range(*self.range)
        if not isinstance(element_of(self.memref), IntegerType | IndexType):
            raise VerifyException(f"expected a table of integers, found {self.memref.type}")
        if len(self.indices) != len(shape_of(self.memref)):
            raise VerifyException(f"expected {len(shape_of(self.memref))} indices, found {len(self.indices)}")

    @classmethod
    def parse(cls, parser: Parser) -> LookupOp:
        start = parser.pos
        table = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        limits = parse_range(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        values = parser.resolve_operands(indices, [IndexType()] * len(indices), start)
        op = cls(parser.resolve_operand(table, type), values, limits)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(f" {range_text(*self.range)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@semantics(LookupOp)
def _lookup(runner: Runner, op: LookupOp, operands: Sequence[Value]) -> list[Value]:
    table, *indices = operands
    entries = runner.interleaving.order.entries
    if entries != "held":
        low, high = op.range
        return [np.int64(low if entries == "low" else high - 1)]
    name = table_name(op.memref, "operand 0")
    return [np.int64(checked_entry(op, name, table, [int(index) for index in indices], op.range))]
