"""Arithmetic on scalars and indices, in ops that a builder inserts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast, overload

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, f32, i1
from xdsl.dialects.math import AbsFOp, AbsIOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from ...errors import Diagnostic
from ...ir import integer_width
from .scalars import INDEX, Index, is_float

_NO_SIGNED_WRAP = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
_WRAPS = arith.IntegerOverflowAttr("none")
_UNSIGNED_PREDICATES = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge", "eq": "eq", "ne": "ne"}
_FLOAT_PREDICATES = {"slt": "olt", "sle": "ole", "sgt": "ogt", "sge": "oge", "eq": "oeq", "ne": "une"}

_Kind: TypeAlias = "Callable[..., Operation]"
"""Class of an op."""


class Arithmetic(ABC):
    """
    Arithmetic in ops that a builder inserts, on scalars of any type.

    A Python number is a constant of the other operand's type. Arithmetic on indices folds: that on two numbers is
    computed, x + 0, x * 1 and x / 1 are x, and equal ops are built once. Other arithmetic is built as it is asked for.
    Integer sums, products and shifts are marked as not overflowing (`nsw`) unless `wraps`.
    """

    def __init__(self, *, wraps: bool = False):
        self._overflow = _WRAPS if wraps else _NO_SIGNED_WRAP

    @abstractmethod
    def op(self, op: Operation) -> SSAValue:
        """Insert an op and return its first result."""

    @abstractmethod
    def constant(self, value: float, type: Attribute) -> SSAValue:
        """Return a constant of a scalar type."""

    @abstractmethod
    def once(self, key: object, operands: Sequence[SSAValue], make: Callable[[], Operation]) -> SSAValue:
        """Return the result of an op with these operands, built once per key where an earlier one is defined."""

    def value(self, index: Index) -> SSAValue:
        """Return an index as an SSA value."""
        return index if isinstance(index, SSAValue) else self.constant(index, INDEX)

    @overload
    def add(self, a: SSAValue, b: SSAValue | float) -> SSAValue: ...
    @overload
    def add(self, a: Index, b: Index) -> Index: ...
    def add(self, a: SSAValue | float, b: SSAValue | float) -> Any:
        """Return a + b."""
        if not isinstance(a, SSAValue):
            if not isinstance(b, SSAValue):
                return a + b
            a, b = b, a
        if not isinstance(b, SSAValue) and b <= 0 and isinstance(a.type, IndexType):
            return a if b == 0 else self.sub(a, -b)
        return self._binary(arith.AddfOp, arith.AddiOp, a, b, overflow=self._overflow)

    @overload
    def sub(self, a: SSAValue, b: SSAValue | float) -> SSAValue: ...
    @overload
    def sub(self, a: Index, b: Index) -> Index: ...
    def sub(self, a: SSAValue | float, b: SSAValue | float) -> Any:
        """Return a - b."""
        if not isinstance(b, SSAValue):
            if not isinstance(a, SSAValue):
                return a - b
            if b == 0 and isinstance(a.type, IndexType):
                return a
        return self._binary(arith.SubfOp, arith.SubiOp, a, b, overflow=self._overflow)

    @overload
    def mul(self, a: SSAValue, b: SSAValue | float) -> SSAValue: ...
    @overload
    def mul(self, a: Index, b: Index) -> Index: ...
    def mul(self, a: SSAValue | float, b: SSAValue | float) -> Any:
        """Return a * b."""
        if not isinstance(a, SSAValue):
            if not isinstance(b, SSAValue):
                return a * b
            a, b = b, a
        if not isinstance(b, SSAValue) and 0 <= b <= 1 and isinstance(a.type, IndexType):
            return a if b == 1 else self.constant(0, INDEX)
        return self._binary(arith.MulfOp, arith.MuliOp, a, b, overflow=self._overflow)

    @overload
    def div(self, a: SSAValue, b: SSAValue | float) -> SSAValue: ...
    @overload
    def div(self, a: Index, b: Index) -> Index: ...
    def div(self, a: SSAValue | float, b: SSAValue | float) -> Any:
        """Return a / b; integers are rounded toward zero."""
        if isinstance(a, int) and isinstance(b, int):
            return -(-a // b) if (a < 0) != (b < 0) else a // b
        if b == 1 and isinstance(a, SSAValue) and isinstance(a.type, IndexType):
            return a
        return self._binary(arith.DivfOp, arith.DivSIOp, a, b)

    @overload
    def floordiv(self, a: SSAValue, b: SSAValue | int) -> SSAValue: ...
    @overload
    def floordiv(self, a: Index, b: Index) -> Index: ...
    def floordiv(self, a: SSAValue | float, b: SSAValue | float) -> Any:
        """Return the integer a / b rounded toward minus infinity."""
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        if b == 1 and isinstance(a, SSAValue) and isinstance(a.type, IndexType):
            return a
        return self._integers(arith.FloorDivSIOp, a, b)

    def ceildiv(self, a: Index, b: Index) -> Index:
        """Return the integer a / b rounded toward infinity."""
        if isinstance(a, int) and isinstance(b, int):
            return -(-a // b)
        return a if b == 1 else self._integers(arith.CeilDivSIOp, a, b)

    def div_unsigned(self, a: Index, b: Index) -> Index:
        """Return a / b for a >= 0 and b > 0."""
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if b == 1 else self._integers(arith.DivUIOp, a, b)

    def rem_unsigned(self, a: Index, b: Index) -> Index:
        """Return a mod b for a >= 0 and b > 0."""
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return 0 if b == 1 else self._integers(arith.RemUIOp, a, b)

    @overload
    def max(self, first: SSAValue, /, *others: SSAValue | float) -> SSAValue: ...
    @overload
    def max(self, *values: Index) -> Index: ...
    def max(self, *values: SSAValue | float) -> Any:
        """Return the largest of some (signed) values."""
        numbers = [value for value in values if not isinstance(value, SSAValue)]
        return self._fold(arith.MaximumfOp, arith.MaxSIOp, values, [max(numbers)] if numbers else [])

    @overload
    def min(self, first: SSAValue, /, *others: SSAValue | float) -> SSAValue: ...
    @overload
    def min(self, *values: Index) -> Index: ...
    def min(self, *values: SSAValue | float) -> Any:
        """Return the smallest of some (signed) values."""
        numbers = [value for value in values if not isinstance(value, SSAValue)]
        return self._fold(arith.MinimumfOp, arith.MinSIOp, values, [min(numbers)] if numbers else [])

    def _fold(self, floats: _Kind, integers: _Kind, values: Sequence[SSAValue | float], number: Sequence[float]) -> Any:
        computed = [value for value in values if isinstance(value, SSAValue)]
        total, *rest = [*computed, *number]
        for value in rest:
            total = self._binary(floats, integers, total, value)
        return total

    def clip(self, a: SSAValue, low: float, high: float) -> SSAValue:
        """Return min(max(a, low), high)."""
        return self.min(self.max(a, low), high)

    def affine(
        self, expr: AffineExpr, dims: Callable[[int], Index], symbols: Callable[[int], Index] | None = None
    ) -> Index:
        """
        Return the value of an affine expression of dimensions and, where they are given, symbols.

        Raises Diagnostic for other symbols and for a divisor that is not positive.
        """
        match expr:
            case AffineConstantExpr():
                return expr.value
            case AffineDimExpr():
                return dims(expr.position)
            case AffineSymExpr() if symbols is not None:
                return symbols(expr.position)
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b):
                return self.add(self.affine(a, dims, symbols), self.affine(b, dims, symbols))
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, b):
                left, right = self.affine(a, dims, symbols), self.affine(b, dims, symbols)
                return 0 if left == 0 or right == 0 else self.mul(left, right)
            case AffineBinaryOpExpr(kind, a, AffineConstantExpr(divisor)) if divisor > 0:
                return self._quotient(kind, self.affine(a, dims, symbols), divisor)
            case AffineBinaryOpExpr(kind, _, divisor):
                raise Diagnostic(
                    f"the divisor of '{kind.get_token()}' is not positive, which is undefined",
                    expected="a constant of at least 1",
                    found=str(divisor),
                )
            case _:
                raise Diagnostic(f"the index expression {expr} is not supported")

    def _quotient(self, kind: AffineBinaryOpKind, a: Index, by: int) -> Index:
        if kind is AffineBinaryOpKind.CeilDiv:
            return self.ceildiv(a, by)
        floor = self.floordiv(a, by)
        return floor if kind is AffineBinaryOpKind.FloorDiv else self.sub(a, self.mul(floor, by))

    def shift_right(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """Return the arithmetic shift a >> b."""
        return self._integers(arith.ShRSIOp, a, b)

    def shift_left(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """Return a << b."""
        return self._integers(arith.ShLIOp, a, b, overflow=self._overflow)

    def absolute(self, a: SSAValue) -> SSAValue:
        """Return |a| of an integer."""
        return self.op(AbsIOp(a))

    def negate(self, a: SSAValue) -> SSAValue:
        """Return -a."""
        return self.op(arith.NegfOp(a)) if is_float(a.type) else self.sub(self.constant(0, a.type), a)

    def magnitude(self, a: SSAValue) -> SSAValue:
        """Return |a|."""
        return self.op(AbsFOp(a)) if is_float(a.type) else self.absolute(a)

    def sign(self, a: SSAValue) -> SSAValue:
        """Return -1, 0 or 1."""
        return self.clip(a, -1, 1)

    def compare(self, a: Index, predicate: str, b: SSAValue | float, *, unsigned: bool = False) -> SSAValue:
        """
        Return a comparison: `slt`, `sle`, `sgt`, `sge`, `eq` or `ne`, or of integers `ult` and the like.

        Of floats it is the ordered one (`olt`), but for `ne`; `unsigned` says how integers are read.
        """
        left, right = self._operands(a, b)
        if is_float(left.type):
            return self.op(arith.CmpfOp(left, right, _FLOAT_PREDICATES[predicate]))
        signed = _UNSIGNED_PREDICATES[predicate] if unsigned else predicate
        if isinstance(left.type, IndexType):
            return self.once(signed, (left, right), lambda: arith.CmpiOp(left, right, signed))
        return self.op(arith.CmpiOp(left, right, signed))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return a and b."""
        return self.once("and", (a, b), lambda: arith.AndIOp(a, b))

    def either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return a or b."""
        return self.once("or", (a, b), lambda: arith.OrIOp(a, b))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return condition ? a : b."""
        return self.op(arith.SelectOp(condition, a, b))

    def convert(self, a: SSAValue, type: Attribute, *, unsigned: bool = False) -> SSAValue:
        """Return a number in another type; `unsigned` says how an integer's bits are read."""
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

    def _operands(self, a: SSAValue | float, b: SSAValue | float) -> tuple[SSAValue, SSAValue]:
        """Return two operands of one type, that of the value among them; two numbers are indices."""
        if isinstance(a, SSAValue):
            return a, b if isinstance(b, SSAValue) else self.constant(b, a.type)
        type = b.type if isinstance(b, SSAValue) else INDEX
        return self.constant(a, type), b if isinstance(b, SSAValue) else self.constant(b, type)

    def _binary(
        self, floats: _Kind, integers: _Kind, a: SSAValue | float, b: SSAValue | float, **flags: Attribute
    ) -> SSAValue:
        left, right = self._operands(a, b)
        if is_float(left.type):
            return self.op(floats(left, right))
        return self._of_integers(integers, left, right, flags)

    def _integers(self, kind: _Kind, a: SSAValue | float, b: SSAValue | float, **flags: Attribute) -> SSAValue:
        return self._of_integers(kind, *self._operands(a, b), flags)

    def _of_integers(self, kind: _Kind, left: SSAValue, right: SSAValue, flags: dict[str, Attribute]) -> SSAValue:
        if isinstance(left.type, IndexType):
            return self.once(kind, (left, right), lambda: kind(left, right, **flags))
        return self.op(kind(left, right, **flags))
