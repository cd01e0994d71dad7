"""A builder for the scalar bodies of kernels: straight-line `arith`/`math` code on the elements of operands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, f32, i1
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.math import AbsFOp, AbsIOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...ir import integer_width

ScalarAttr: TypeAlias = "IntegerAttr[Any] | FloatAttr[Any]"
"""Attribute of a number, the value of an `arith.constant`."""

_NO_SIGNED_WRAP = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
_WRAPS = arith.IntegerOverflowAttr("none")


def is_float(type: Attribute) -> bool:
    """Return whether a scalar type is a floating-point type."""
    return _is_float_class(type.__class__)


@cache
def _is_float_class(kind: type[Attribute]) -> bool:
    return issubclass(kind, AnyFloat)


class Body:
    """
    Builds one block of scalar ops.

        body = Body([i8, i8, i32])
        x, w, total = body.args
        block = body.finish(body.add(total, body.mul(body.extend(x, i32), body.extend(w, i32))))

    Integer arithmetic is marked as not overflowing (`nsw`) unless `wraps`.
    """

    def __init__(self, types: Sequence[Attribute], *, wraps: bool = False):
        self.block = Block(arg_types=types)
        self._overflow = _WRAPS if wraps else _NO_SIGNED_WRAP

    @property
    def args(self) -> tuple[SSAValue, ...]:
        """The block's arguments."""
        return self.block.args

    def op(self, op: Operation) -> SSAValue:
        """Append an op and return its result."""
        self.block.add_op(op)
        return op.results[0]

    def finish(self, *values: SSAValue) -> Block:
        """End the block with the elements to yield and return it."""
        self.block.add_op(linalg.YieldOp(*values))
        return self.block

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """Append a constant of a scalar type."""
        return self.op(arith.ConstantOp(scalar_attr(value, type)))

    def _like(self, value: SSAValue | float, other: SSAValue) -> SSAValue:
        return value if isinstance(value, SSAValue) else self.constant(value, other.type)

    def add(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append a + b."""
        b = self._like(b, a)
        return self.op(arith.AddfOp(a, b) if is_float(a.type) else arith.AddiOp(a, b, overflow=self._overflow))

    def sub(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append a - b."""
        b = self._like(b, a)
        return self.op(arith.SubfOp(a, b) if is_float(a.type) else arith.SubiOp(a, b, overflow=self._overflow))

    def mul(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append a * b."""
        b = self._like(b, a)
        return self.op(arith.MulfOp(a, b) if is_float(a.type) else arith.MuliOp(a, b, overflow=self._overflow))

    def div(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append a / b; integers are rounded toward zero."""
        b = self._like(b, a)
        return self.op(arith.DivfOp(a, b) if is_float(a.type) else arith.DivSIOp(a, b))

    def floordiv(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append the integer a / b rounded toward minus infinity."""
        return self.op(arith.FloorDivSIOp(a, self._like(b, a)))

    def max(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append the larger of two (signed) values."""
        b = self._like(b, a)
        return self.op(arith.MaximumfOp(a, b) if is_float(a.type) else arith.MaxSIOp(a, b))

    def min(self, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """Append the smaller of two (signed) values."""
        b = self._like(b, a)
        return self.op(arith.MinimumfOp(a, b) if is_float(a.type) else arith.MinSIOp(a, b))

    def clip(self, a: SSAValue, low: float, high: float) -> SSAValue:
        """Append min(max(a, low), high)."""
        return self.min(self.max(a, low), high)

    def shift_right(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """Append the arithmetic shift a >> b."""
        return self.op(arith.ShRSIOp(a, self._like(b, a)))

    def shift_left(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """Append a << b."""
        return self.op(arith.ShLIOp(a, self._like(b, a), overflow=self._overflow))

    def absolute(self, a: SSAValue) -> SSAValue:
        """Append |a| of an integer."""
        return self.op(AbsIOp(a))

    def negate(self, a: SSAValue) -> SSAValue:
        """Append -a."""
        return self.op(arith.NegfOp(a)) if is_float(a.type) else self.sub(self.constant(0, a.type), a)

    def magnitude(self, a: SSAValue) -> SSAValue:
        """Append |a|."""
        return self.op(AbsFOp(a)) if is_float(a.type) else self.absolute(a)

    def compare(self, a: SSAValue, predicate: str, b: SSAValue | float) -> SSAValue:
        """Append the comparison `predicate` of signed integers (slt, eq, ...); of floats, the ordered one (olt)."""
        b = self._like(b, a)
        if is_float(a.type):
            return self.op(arith.CmpfOp(a, b, f"o{predicate[-2:]}"))
        return self.op(arith.CmpiOp(a, b, predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """Append condition ? a : b."""
        return self.op(arith.SelectOp(condition, a, b))

    def index_of(self, dim: int, type: IntegerType) -> SSAValue:
        """Append the index of a dimension of the kernel's loops, as an integer."""
        return self.op(arith.IndexCastOp(self.op(linalg.IndexOp(dim)), type))

    def sign(self, a: SSAValue) -> SSAValue:
        """Append -1, 0 or 1."""
        return self.clip(a, -1, 1)

    def convert(self, a: SSAValue, type: Attribute, *, unsigned: bool = False) -> SSAValue:
        """Append the conversion of a number to another type; `unsigned` says how an integer's bits are read."""
        source = a.type
        if source == type:
            return a
        if is_float(source) and is_float(type):
            sizes = cast(Any, source).compile_time_size, cast(Any, type).compile_time_size
            if sizes[0] == sizes[1]:
                return self.convert(self.convert(a, f32), type)
            widens = sizes[0] < sizes[1]
            return self.op(arith.ExtFOp(a, type) if widens else arith.TruncFOp(a, type))  # pyright: ignore[reportArgumentType]
        if is_float(source):
            return self.op(arith.FPToSIOp(a, cast(Any, type)))
        unsigned = unsigned or source == i1
        if is_float(type):
            target = cast(Any, type)
            return self.op(arith.UIToFPOp(a, target) if unsigned else arith.SIToFPOp(a, target))
        target = cast("IntegerType[Any, Any]", type)
        if (integer_width(source) or 0) > (integer_width(type) or 0):
            return self.op(arith.TruncIOp(a, target))
        return self.op(arith.ExtUIOp(a, target) if unsigned else arith.ExtSIOp(a, target))


def scalar_attr(value: float, type: Attribute) -> ScalarAttr:
    """Return the attribute of a number in a scalar type; a bit pattern above the signed range is taken as it is."""
    if isinstance(type, AnyFloat):
        return FloatAttr(float(value), type)
    number, width = int(value), integer_width(type) or 64
    if number >= 1 << (width - 1) and width > 1:
        number -= 1 << width
    return cast(ScalarAttr, IntegerAttr(number, cast(Any, type)))


def lowest(type: Attribute) -> ScalarAttr:
    """Return the smallest value of a scalar type, integers read as signed."""
    if is_float(type):
        return scalar_attr(float("-inf"), type)
    return scalar_attr(-(1 << ((integer_width(type) or 64) - 1)), type)


def highest(type: Attribute) -> ScalarAttr:
    """Return the largest value of a scalar type, integers read as signed."""
    if is_float(type):
        return scalar_attr(float("inf"), type)
    return scalar_attr((1 << ((integer_width(type) or 64) - 1)) - 1, type)
