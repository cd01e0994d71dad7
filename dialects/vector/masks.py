"""Masks of `vector`, the region of an op with a mask, and ops whose values differ between threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import I64, ArrayAttr, IndexType, IntegerAttr, StringAttr, VectorType, i1, i64
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CreateMaskOp, ReductionOp, TransferReadOp, TransferWriteOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ...errors import Diagnostic
from ...ir import Array, where
from ..core.semantics import Runner, Value, semantics
from ..core.syntax.enums import InAngleBrackets
from .memory import transferred, written
from .sums import ContractOp, MultiReductionOp, contracted
from .types import element_type, empty, fold, integers, shape


@irdl_op_definition
class ConstantMaskOp(IRDLOperation):
    """
    A mask that is true in the leading part of each axis.

        %r = vector.constant_mask [1, 3] : vector<2x4xi1>
    """

    name = "vector.constant_mask"
    mask_dim_sizes = prop_def(base(ArrayAttr))
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$mask_dim_sizes attr-dict `:` type($result)"

    def verify_(self) -> None:
        sizes, whole = integers(self.mask_dim_sizes), shape(self.result.type) or (1,)
        if element_type(self.result.type) != i1:
            raise VerifyException("expected a vector of i1")
        if len(sizes) != len(whole) or any(not 0 <= n <= extent for n, extent in zip(sizes, whole, strict=False)):
            raise VerifyException(f"expected sizes within the shape {list(whole)}, found {list(sizes)}")


@irdl_op_definition
class VectorYieldOp(IRDLOperation):
    """
    The end of the region of an op of `vector`.

        vector.yield %v : vector<4xf32>
    """

    name = "vector.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"


@irdl_op_definition
class MaskOp(IRDLOperation):
    """
    An op that is done at the elements at which a mask is true; elsewhere its result is that of `passthru`, if any.

        %r = vector.mask %mask { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
    """

    name = "vector.mask"
    mask = operand_def(VectorType)
    passthru = opt_operand_def()
    res = var_result_def()
    maskRegion = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def masked(self) -> Operation | None:
        """The op in the region, None for an empty one."""
        first = self.maskRegion.block.first_op
        return None if isinstance(first, VectorYieldOp) else first

    def verify_(self) -> None:
        block = self.maskRegion.block
        if not isinstance(block.last_op, VectorYieldOp) or len(block.ops) > 2:
            raise VerifyException("expected one op in the region, and its vector.yield")
        if tuple(block.last_op.operand_types) != tuple(self.result_types):
            raise VerifyException("expected results of the types that the region yields")
        if element_type(self.mask.type) != i1:
            raise VerifyException("expected a mask of i1")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        mask = parser.parse_unresolved_operand()
        other = parser.parse_unresolved_operand() if parser.parse_optional_punctuation(",") is not None else None
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        block = region.block
        if not isinstance(last := block.last_op, VectorYieldOp):
            block.add_op(VectorYieldOp(operands=[list(last.results) if last is not None else []]))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        results: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            results = several or [parser.parse_type()]
        passthru = [parser.resolve_operand(other, type) for type in results[:1]] if other is not None else []
        operands = [parser.resolve_operand(mask, type), passthru or None]
        return cls.build(operands=operands, result_types=[results], regions=[region], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" { ")
        if (op := self.masked) is not None:
            printer.print_op(op)
        printer.print_string(" }")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.mask.type)
        if self.res:
            printer.print_string(" -> ")
            printer.print_list(self.res.types, printer.print_attribute)

    def needs_generic_form(self) -> bool:
        """Return whether the region holds a name, or attributes, that the custom form has no place for."""
        end = self.maskRegion.block.last_op
        op = self.masked
        return bool(end is not None and end.attributes) or (op is None and bool(end is not None and end.operands))


@irdl_op_definition
class WarpExecuteOnLane0Op(IRDLOperation):
    """
    A region that the first of a number of threads executes; every thread has a part of each vector.

        %r = vector.warp_execute_on_lane_0(%lane)[32] -> (vector<1xf32>) {
          %c = arith.constant dense<0.0> : vector<32xf32>
          vector.yield %c : vector<32xf32>
        }
    """

    name = "vector.warp_execute_on_lane_0"
    laneid = operand_def(IndexType())
    args = var_operand_def()
    warp_size = prop_def(IntegerAttr[I64])
    res = var_result_def()
    warpRegion = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        if not isinstance(self.warpRegion.block.last_op, VectorYieldOp):
            raise VerifyException("the region must end with vector.yield")
        if len(self.args) != len(self.warpRegion.block.args):
            raise VerifyException("expected an argument of the region for each operand")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        with parser.in_parens():
            lane = parser.parse_operand(IndexType())
        with parser.in_square_brackets():
            size = parser.parse_integer()
        values: Sequence[Any] = ()
        if parser.parse_optional_keyword("args") is not None:
            start = parser.pos
            with parser.in_parens():
                names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
                parser.parse_punctuation(":")
                types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            values = parser.resolve_operands(names, types, start)
        results: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        region: Region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        if not isinstance(region.block.last_op, VectorYieldOp):
            region.block.add_op(VectorYieldOp(operands=[[]]))
        return cls.build(
            operands=[lane, values],
            result_types=[results],
            properties={"warp_size": IntegerAttr(size, i64)},
            regions=[region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.laneid)
        printer.print_string(f"[{self.warp_size.value.data}]")
        if self.args:
            printer.print_string(" args")
            with printer.in_parens():
                printer.print_list(self.args, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list(self.args.types, printer.print_attribute)
        if self.res:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        end = self.warpRegion.block.last_op
        has_end = bool(self.res) or (end is not None and bool(end.attributes))
        printer.print_region(self.warpRegion, print_block_terminators=has_end)
        printer.print_op_attributes(self.attributes)


class Punctuation(StrEnum):
    """Text that `vector.print` prints behind a value."""

    NONE = "no_punctuation"
    NEWLINE = "newline"
    COMMA = "comma"
    OPEN = "open"
    CLOSE = "close"


@irdl_attr_definition
class PunctuationAttr(InAngleBrackets, EnumAttribute[Punctuation]):
    """`#vector.punctuation<comma>`."""

    name = "vector.punctuation"


@irdl_op_definition
class VectorPrintOp(IRDLOperation):
    """
    A value, a string or punctuation on standard output.

        vector.print %v : vector<4xf32> punctuation <comma>

        vector.print str "text"

        vector.print punctuation <comma>
    """

    name = "vector.print"
    source = opt_operand_def()
    punctuation = opt_prop_def(PunctuationAttr)
    stringLiteral = opt_prop_def(StringAttr)

    def verify_(self) -> None:
        if self.source is not None and self.stringLiteral is not None:
            raise VerifyException("expected a value or a string, not both")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        source = None
        properties: dict[str, Attribute] = {"punctuation": PunctuationAttr(Punctuation.NEWLINE)}
        if (name := parser.parse_optional_unresolved_operand()) is not None:
            parser.parse_punctuation(":")
            source = parser.resolve_operand(name, parser.parse_type())
        elif parser.parse_optional_keyword("str") is not None:
            properties["stringLiteral"] = StringAttr(parser.parse_str_literal())
        if parser.parse_optional_keyword("punctuation") is not None:
            properties["punctuation"] = PunctuationAttr(PunctuationAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        return cls.build(operands=[source], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.source is not None:
            printer.print_string(" ")
            printer.print_ssa_value(self.source)
            printer.print_string(" : ")
            printer.print_attribute(self.source.type)
        elif self.stringLiteral is not None:
            printer.print_string(" str ")
            printer.print_attribute(self.stringLiteral)
        if self.punctuation is not None and self.punctuation.data is not Punctuation.NEWLINE:
            printer.print_string(" punctuation ")
            self.punctuation.print_parameter(printer)
        printer.print_op_attributes(self.attributes)

    def needs_generic_form(self) -> bool:
        """Return whether punctuation, which the text takes for a newline where it has none, is missing."""
        return self.punctuation is None


def _leading(op: Any, type: Any, sizes: Sequence[int]) -> Array:
    result = empty(op, type)
    result[...] = False
    result[tuple(slice(max(0, size)) for size in sizes) if result.ndim else ()] = (
        True if result.ndim else bool(sizes[0])
    )
    return result


@semantics(ConstantMaskOp)
def _constant(runner: Runner, op: ConstantMaskOp, operands: Sequence[Value]) -> list[Array]:
    return [_leading(op, op.result.type, integers(op.mask_dim_sizes))]


@semantics(CreateMaskOp)
def _create(runner: Runner, op: CreateMaskOp, operands: Sequence[Value]) -> list[Array]:
    return [_leading(op, op.mask_vector.type, [int(size) for size in operands])]


def _reduction(op: ReductionOp, mask: Array, operands: Sequence[Value]) -> Sequence[Value]:
    vector, *rest = operands
    return [fold(op.kind, vector, [0], rest[0] if rest else _neutral(op, vector), mask)]


def _neutral(op: ReductionOp, vector: Array) -> Any:
    """Return the value that the fold of no elements is."""
    limits = np.iinfo(vector.dtype) if vector.dtype.kind == "i" else None
    least, greatest = (limits.min, limits.max) if limits is not None else (-np.inf, np.inf)
    values = {"mul": 1, "and": -1, "minui": -1, "minsi": greatest, "maxsi": least, "minimumf": greatest}
    values |= {"maximumf": least, "minnumf": np.nan, "maxnumf": np.nan}
    name = str(op.kind.data)
    start = -0.0 if name == "add" and limits is None else values.get(name, 0)
    return np.asarray(bool(start) if vector.dtype == np.bool_ else start, vector.dtype)[()]


def _multi_reduction(op: MultiReductionOp, mask: Array, operands: Sequence[Value]) -> Sequence[Value]:
    return [fold(op.kind, operands[0], integers(op.reduction_dims), operands[1], mask)]


def _contract(op: ContractOp, mask: Array, operands: Sequence[Value]) -> Sequence[Value]:
    return [contracted(op, operands, mask)]


def _transfer_read(op: TransferReadOp, mask: Array, operands: Sequence[Value]) -> Sequence[Value]:
    array, *indices, padding = operands
    return [transferred(op, array, indices, padding, mask)]


def _transfer_write(op: TransferWriteOp, mask: Array, operands: Sequence[Value]) -> Sequence[Value]:
    vector, array, *indices = operands
    return written(op, vector, array, indices, mask)


_MASKED: dict[type[Operation], Callable[[Any, Array, Sequence[Value]], Sequence[Value]]] = {
    ContractOp: _contract,
    MultiReductionOp: _multi_reduction,
    ReductionOp: _reduction,
    TransferReadOp: _transfer_read,
    TransferWriteOp: _transfer_write,
}
"""Op class -> `(op, mask, operands) -> results`."""


@semantics(MaskOp)
def _mask(runner: Runner, op: MaskOp, operands: Sequence[Value]) -> Sequence[Value]:
    masked = op.masked
    if masked is None:
        end = op.maskRegion.block.last_op
        return [runner.value(value) for value in end.operands] if end is not None else []
    if type(masked) not in _MASKED or op.passthru is not None:
        raise Diagnostic(f"no interpreter rule for '{masked.name}' with a mask", where(masked))
    return _MASKED[type(masked)](masked, operands[0], [runner.value(value) for value in masked.operands])
