"""Code of index arithmetic, inserted before an op and with its location."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.rewriter import InsertPoint, Rewriter

from ...errors import Diagnostic
from ...ir import where

_O = TypeVar("_O", bound=Operation)

_OPS = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
}
"""Kind of affine operation -> its op; a modulus takes several."""
_DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)


class IndexCode:
    """Builder of index arithmetic before an op; values get the name of a result that they replace."""

    def __init__(self, anchor: Operation, replaced: SSAValue | None = None):
        self._anchor = anchor
        self._name = replaced.name_hint if replaced is not None else None

    def insert(self, op: _O) -> _O:
        """Insert an op before the anchor, with its location."""
        op.location = self._anchor.location
        op.results[0].name_hint = self._name
        Rewriter.insert_op(op, InsertPoint.before(self._anchor))
        return op

    def constant(self, number: int) -> SSAValue:
        """Insert a constant."""
        return self.insert(arith.ConstantOp(IntegerAttr(number, IndexType()))).result

    def binary(self, kind: type[arith.SignlessIntegerBinaryOperation], a: SSAValue, b: SSAValue) -> SSAValue:
        """Insert an op of two integers."""
        return self.insert(kind(a, b)).result

    def reduce(self, kind: type[arith.SignlessIntegerBinaryOperation], values: Sequence[SSAValue]) -> SSAValue:
        """Insert the left fold of at least one value by an op."""
        total = values[0]
        for value in values[1:]:
            total = self.binary(kind, total, value)
        return total

    def results(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """Insert the computation of a map's results; its dimensions come before its symbols."""
        return [self.expression(expr, operands[: map.num_dims], operands[map.num_dims :]) for expr in map.results]

    def expression(self, expr: AffineExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]) -> SSAValue:
        """Insert the computation of an expression. Raises Diagnostic for a divisor that is not positive."""
        match expr:
            case AffineConstantExpr():
                return self.constant(expr.value)
            case AffineDimExpr():
                return dims[expr.position]
            case AffineSymExpr():
                return symbols[expr.position]
            case _:
                return self._binary_expression(cast(AffineBinaryOpExpr, expr), dims, symbols)

    def _binary_expression(
        self, expr: AffineBinaryOpExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]
    ) -> SSAValue:
        if expr.kind in _DIVISIONS and (not isinstance(expr.rhs, AffineConstantExpr) or expr.rhs.value <= 0):
            raise Diagnostic(
                f"the divisor of '{expr.kind.get_token()}' is not positive, which is undefined",
                where=where(self._anchor),
                expected="a constant of at least 1",
                found=str(expr.rhs),
            )
        left = self.expression(expr.lhs, dims, symbols)
        right = self.expression(expr.rhs, dims, symbols)
        if expr.kind is AffineBinaryOpKind.Mod:
            return self._modulus(left, right)
        return self.binary(_OPS[expr.kind], left, right)

    def _modulus(self, dividend: SSAValue, divisor: SSAValue) -> SSAValue:
        """Insert a modulus by a positive divisor, of 0 to the divisor - 1: a remainder has the sign of the dividend."""
        remainder = self.binary(arith.RemSIOp, dividend, divisor)
        is_negative = self.insert(arith.CmpiOp(remainder, self.constant(0), "slt"))
        above = self.binary(arith.AddiOp, remainder, divisor)
        return self.insert(arith.SelectOp(is_negative.result, above, remainder)).result

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Insert a comparison: `slt`, `sge`, ..."""
        return self.insert(arith.CmpiOp(cast(Any, a), cast(Any, b), predicate)).result
