"""
Upstream's `index`: arithmetic of the integers that have the width of a pointer, 64 bits.

    %c = index.constant 4
    %q = index.floordivs %i, %c
    %b = index.cmp slt(%q, %n)

Each op computes what its counterpart of `arith` computes, by which `convert-index-to-arith` replaces it. Syntax and
meaning are upstream's: https://mlir.llvm.org/docs/Dialects/IndexOps/.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ..ir import Array
from .core.analysis.arithmetic import COMPARISONS, SEMANTICS, Semantics
from .core.index_cast import IndexCastUIOp
from .core.semantics import SCALAR_RULES, scalar

SIZE = 64
"""The bits of an index, which every level of the compiler takes it to have."""


class IndexBinaryOp(IRDLOperation):
    """A binary op of indices."""

    lhs = operand_def(IndexType())
    rhs = operand_def(IndexType())
    result = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[IndexType()])


@irdl_op_definition
class IndexAddOp(IndexBinaryOp):
    """
    The sum, which wraps around.

        %r = index.add %a, %b
    """

    name = "index.add"


@irdl_op_definition
class IndexAndOp(IndexBinaryOp):
    """
    The bits that both operands have.

        %r = index.and %a, %b
    """

    name = "index.and"


@irdl_op_definition
class IndexCeilDivSOp(IndexBinaryOp):
    """
    The quotient of signed indices, rounded up; undefined for a divisor of 0 and for an overflow.

        %r = index.ceildivs %a, %b
    """

    name = "index.ceildivs"


@irdl_op_definition
class IndexCeilDivUOp(IndexBinaryOp):
    """
    The quotient of unsigned indices, rounded up; undefined for a divisor of 0.

        %r = index.ceildivu %a, %b
    """

    name = "index.ceildivu"


@irdl_op_definition
class IndexDivSOp(IndexBinaryOp):
    """
    The quotient of signed indices, rounded toward zero; undefined for a divisor of 0 and for an overflow.

        %r = index.divs %a, %b
    """

    name = "index.divs"


@irdl_op_definition
class IndexDivUOp(IndexBinaryOp):
    """
    The quotient of unsigned indices, rounded down; undefined for a divisor of 0.

        %r = index.divu %a, %b
    """

    name = "index.divu"


@irdl_op_definition
class IndexFloorDivSOp(IndexBinaryOp):
    """
    The quotient of signed indices, rounded down; undefined for a divisor of 0 and for an overflow.

        %r = index.floordivs %a, %b
    """

    name = "index.floordivs"


@irdl_op_definition
class IndexMaxSOp(IndexBinaryOp):
    """
    The greater of two signed indices.

        %r = index.maxs %a, %b
    """

    name = "index.maxs"


@irdl_op_definition
class IndexMaxUOp(IndexBinaryOp):
    """
    The greater of two unsigned indices.

        %r = index.maxu %a, %b
    """

    name = "index.maxu"


@irdl_op_definition
class IndexMinSOp(IndexBinaryOp):
    """
    The smaller of two signed indices.

        %r = index.mins %a, %b
    """

    name = "index.mins"


@irdl_op_definition
class IndexMinUOp(IndexBinaryOp):
    """
    The smaller of two unsigned indices.

        %r = index.minu %a, %b
    """

    name = "index.minu"


@irdl_op_definition
class IndexMulOp(IndexBinaryOp):
    """
    The product, which wraps around.

        %r = index.mul %a, %b
    """

    name = "index.mul"


@irdl_op_definition
class IndexOrOp(IndexBinaryOp):
    """
    The bits that one or both operands have.

        %r = index.or %a, %b
    """

    name = "index.or"


@irdl_op_definition
class IndexRemSOp(IndexBinaryOp):
    """
    The remainder of a signed division toward zero, with the sign of the dividend.

        %r = index.rems %a, %b
    """

    name = "index.rems"


@irdl_op_definition
class IndexRemUOp(IndexBinaryOp):
    """
    The remainder of an unsigned division.

        %r = index.remu %a, %b
    """

    name = "index.remu"


@irdl_op_definition
class IndexShlOp(IndexBinaryOp):
    """
    The bits moved left by an unsigned amount below 64.

        %r = index.shl %a, %b
    """

    name = "index.shl"


@irdl_op_definition
class IndexShrSOp(IndexBinaryOp):
    """
    The bits moved right by an unsigned amount below 64, with copies of the sign.

        %r = index.shrs %a, %b
    """

    name = "index.shrs"


@irdl_op_definition
class IndexShrUOp(IndexBinaryOp):
    """
    The bits moved right by an unsigned amount below 64, with zeros.

        %r = index.shru %a, %b
    """

    name = "index.shru"


@irdl_op_definition
class IndexSubOp(IndexBinaryOp):
    """
    The difference, which wraps around.

        %r = index.sub %a, %b
    """

    name = "index.sub"


@irdl_op_definition
class IndexXOrOp(IndexBinaryOp):
    """
    The bits that one operand alone has.

        %r = index.xor %a, %b
    """

    name = "index.xor"


class ComparisonPredicate(StrEnum):
    """Order that `index.cmp` asks for; `u` compares unsigned indices."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"

    @property
    def number(self) -> int:
        """The predicate's number in `arith.cmpi`."""
        return arith.CMPI_COMPARISON_OPERATIONS.index(self.value)


@irdl_attr_definition
class ComparisonPredicateAttr(EnumAttribute[ComparisonPredicate], SpacedOpaqueSyntaxAttribute):
    """The predicate of `index.cmp`: `#index<cmp_predicate slt>`."""

    name = "index.cmp_predicate"


@irdl_op_definition
class IndexCmpOp(IRDLOperation):
    """
    The comparison of two indices.

        %r = index.cmp slt(%a, %b)
    """

    name = "index.cmp"
    pred = prop_def(ComparisonPredicateAttr)
    lhs = operand_def(IndexType())
    rhs = operand_def(IndexType())
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$pred `(` $lhs `,` $rhs `)` attr-dict"


class IndexCastOp(IRDLOperation):
    """A conversion between an index and an integer."""

    input = operand_def(base(IntegerType) | base(IndexType))
    result = result_def(base(IntegerType) | base(IndexType))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        if isinstance(self.input.type, IndexType) == isinstance(self.result.type, IndexType):
            raise VerifyException(f"expected one index, got {self.input.type} and {self.result.type}")


@irdl_op_definition
class IndexCastSOp(IndexCastOp):
    """
    An integer as an index, or an index as an integer: a wider result is sign-extended, a narrower one truncated.

        %r = index.casts %n : i32 to index
    """

    name = "index.casts"


@irdl_op_definition
class IndexCastUOp(IndexCastOp):
    """
    An integer as an index, or an index as an integer: a wider result is zero-extended, a narrower one truncated.

        %r = index.castu %n : i32 to index
    """

    name = "index.castu"


class _IndexConstant(IRDLOperation):
    traits = traits_def(ConstantLike(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _IndexConstant:
        start = parser.pos
        is_bool = cls is IndexBoolConstantOp
        value = parser.parse_boolean() if is_bool else parser.parse_integer(allow_boolean=False)
        if not is_bool and not -(1 << (SIZE - 1)) <= value < 1 << (SIZE - 1):
            parser.raise_error("expected an integer of 64 bits", start, parser.pos)
        attribute: Attribute = BoolAttr.from_bool(bool(value)) if is_bool else IntegerAttr(value, IndexType())
        type = i1 if is_bool else IndexType()
        attributes = parser.parse_optional_attr_dict()
        return cls.create(properties={"value": attribute}, result_types=[type], attributes=attributes)

    def print(self, printer: Printer) -> None:
        number = constant_value(self)
        text = str(number) if isinstance(self, IndexConstantOp) else ("true" if number else "false")
        printer.print_string(f" {text}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class IndexBoolConstantOp(_IndexConstant):
    """
    A truth value.

        %r = index.bool.constant true
    """

    name = "index.bool.constant"
    value = prop_def(BoolAttr)
    result = result_def(i1)


@irdl_op_definition
class IndexConstantOp(_IndexConstant):
    """
    An index.

        %r = index.constant -7
    """

    name = "index.constant"
    value = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())


def constant_value(op: Any) -> int:
    """Return the number that a constant of the dialect is; a truth value is 0 or 1."""
    number: int = op.value.value.data
    return number & 1 if isinstance(op, IndexBoolConstantOp) else number


@irdl_op_definition
class IndexSizeOfOp(IRDLOperation):
    """
    The bits of an index: 64.

        %r = index.sizeof
    """

    name = "index.sizeof"
    result = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


BINARY: dict[type[Operation], type[Operation]] = {
    IndexAddOp: arith.AddiOp,
    IndexAndOp: arith.AndIOp,
    IndexCeilDivSOp: arith.CeilDivSIOp,
    IndexCeilDivUOp: arith.CeilDivUIOp,
    IndexDivSOp: arith.DivSIOp,
    IndexDivUOp: arith.DivUIOp,
    IndexFloorDivSOp: arith.FloorDivSIOp,
    IndexMaxSOp: arith.MaxSIOp,
    IndexMaxUOp: arith.MaxUIOp,
    IndexMinSOp: arith.MinSIOp,
    IndexMinUOp: arith.MinUIOp,
    IndexMulOp: arith.MuliOp,
    IndexOrOp: arith.OrIOp,
    IndexRemSOp: arith.RemSIOp,
    IndexRemUOp: arith.RemUIOp,
    IndexShlOp: arith.ShLIOp,
    IndexShrSOp: arith.ShRSIOp,
    IndexShrUOp: arith.ShRUIOp,
    IndexSubOp: arith.SubiOp,
    IndexXOrOp: arith.XOrIOp,
}
"""Binary op -> its counterpart of `arith`."""

CASTS: dict[type[Operation], type[Operation]] = {IndexCastSOp: arith.IndexCastOp, IndexCastUOp: IndexCastUIOp}
"""Conversion -> its counterpart of `arith`."""


def _computed(semantics: Semantics, a: Array, b: Array) -> Array:
    dtype = np.uint64 if semantics.is_unsigned else np.int64
    return semantics.on_arrays(np.asarray(a, np.int64).view(dtype), np.asarray(b, np.int64).view(dtype))


@scalar(*BINARY)
def _binary(op: IndexBinaryOp, a: Array, b: Array) -> Array:
    return np.asarray(_computed(SEMANTICS[BINARY[type(op)]], a, b)).view(np.int64)[()]


@scalar(IndexCmpOp)
def _compare(op: IndexCmpOp, a: Array, b: Array) -> Array:
    return _computed(COMPARISONS[op.pred.data.number], a, b)


@scalar(*CASTS)
def _cast(op: IndexCastOp, a: Array) -> Array:
    return SCALAR_RULES[CASTS[type(op)]](op, a)


@scalar(IndexBoolConstantOp)
def _truth(op: IndexBoolConstantOp) -> Any:
    return np.bool_(constant_value(op))


@scalar(IndexConstantOp)
def _constant(op: IndexConstantOp) -> Any:
    return np.int64(constant_value(op))


@scalar(IndexSizeOfOp)
def _size(op: IndexSizeOfOp) -> Any:
    return np.int64(SIZE)


INDEX = Dialect(
    "index",
    [*BINARY, *CASTS, IndexBoolConstantOp, IndexCmpOp, IndexConstantOp, IndexSizeOfOp],
    [ComparisonPredicateAttr],
)
