"""IR builder with constant folding and common-subexpression elimination of index arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.scalars import Index, index_constant
from ...dialects.hier import DmaNoneOp, DmaWaitOp
from ...errors import Diagnostic

_Binary: TypeAlias = (
    "arith.AddiOp | arith.MuliOp | arith.DivUIOp | arith.RemUIOp | arith.CeilDivSIOp | arith.FloorDivSIOp"
)

Side: TypeAlias = "Callable[[Writer], Sequence[SSAValue]]"
"""Builds one branch of a conditional and returns the yielded values."""


class Writer:
    """IR builder at one insertion point, with one location."""

    def __init__(self, point: InsertPoint, location: LocationAttr):
        self._point = point
        self._location = location
        self._numbers: dict[int, SSAValue] = {}
        self._known: dict[tuple[object, ...], SSAValue] = {}

    @property
    def place(self) -> InsertPoint:
        """Insertion point of the next op."""
        return self._point

    def at_end_of(self, block: Block) -> Writer:
        """Return a builder at the end of a nested block."""
        inner = Writer(InsertPoint.at_end(block), self._location)
        inner._numbers, inner._known = dict(self._numbers), dict(self._known)
        return inner

    def op(self, op: Operation) -> SSAValue:
        """Insert an op; return its first result."""
        self.effect(op)
        return op.results[0]

    def effect(self, op: Operation) -> None:
        """Insert an op and ignore its results."""
        op.location = self._location
        Rewriter.insert_op(op, self._point)

    def _binary(self, kind: type[_Binary], a: Index, b: Index) -> SSAValue:
        """Return the result of a binary index op; equal ops are inserted once."""
        left, right = self.value(a), self.value(b)
        if (kind, left, right) not in self._known:
            self._known[kind, left, right] = self.op(kind(left, right))
        return self._known[kind, left, right]

    def value(self, index: Index) -> SSAValue:
        """Return an index as an SSA value."""
        if isinstance(index, SSAValue):
            return index
        if index not in self._numbers:
            self._numbers[index] = self.op(index_constant(index))
        return self._numbers[index]

    def add(self, a: Index, b: Index) -> Index:
        """Return a + b."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if isinstance(a, int):
            a, b = b, a
        return a if b == 0 else self._binary(arith.AddiOp, a, b)

    def multiply(self, a: Index, by: int) -> Index:
        """Return a * by."""
        if isinstance(a, int):
            return a * by
        if by == 0:
            return 0
        return a if by == 1 else self._binary(arith.MuliOp, a, by)

    def divide(self, a: Index, by: int) -> Index:
        """Return a / b for non-negative a and b."""
        if isinstance(a, int):
            return a // by
        return a if by == 1 else self._binary(arith.DivUIOp, a, by)

    def remainder(self, a: Index, by: int) -> Index:
        """Return a mod b for non-negative a and b."""
        if isinstance(a, int):
            return a % by
        return 0 if by == 1 else self._binary(arith.RemUIOp, a, by)

    def affine(self, expr: AffineExpr, dims: Callable[[int], Index]) -> Index:
        """Build the value of an affine expression. Raises Diagnostic for symbols."""
        match expr:
            case AffineConstantExpr():
                return expr.value
            case AffineDimExpr():
                return dims(expr.position)
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b):
                return self.add(self.affine(a, dims), self.affine(b, dims))
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, AffineConstantExpr(factor)):
                return self.multiply(self.affine(a, dims), factor)
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, AffineConstantExpr(factor), b):
                return self.multiply(self.affine(b, dims), factor)
            case AffineBinaryOpExpr(kind, a, AffineConstantExpr(divisor)) if divisor > 0:
                return self._quotient(kind, self.affine(a, dims), divisor)
            case _:
                raise Diagnostic(f"the index expression {expr} is not supported")

    def _quotient(self, kind: AffineBinaryOpKind, a: Index, by: int) -> Index:
        if kind is AffineBinaryOpKind.CeilDiv:
            return -(-a // by) if isinstance(a, int) else self._binary(arith.CeilDivSIOp, a, by)
        floor = a // by if isinstance(a, int) else self._binary(arith.FloorDivSIOp, a, by)
        return floor if kind is AffineBinaryOpKind.FloorDiv else self.add(a, self.multiply(floor, -by))

    def equals(self, a: SSAValue, b: int) -> SSAValue:
        """Return a == b."""
        return self.op(arith.CmpiOp(a, self.value(b), "eq"))

    def within(self, a: SSAValue, low: int, high: int) -> SSAValue:
        """Return low <= a <= high."""
        if low == high:
            return self.equals(a, low)
        is_after = self.op(arith.CmpiOp(a, self.value(low), "uge"))
        return self.op(arith.AndIOp(is_after, self.op(arith.CmpiOp(a, self.value(high), "ule"))))

    def is_turn(self, step: SSAValue, run: int, number: int, steps: int) -> SSAValue:
        """Return step mod run == number; `steps` is the trip count of the loop."""
        within = step if run == steps else self.value(self.remainder(step, run))
        return self.equals(within, number)

    def when(self, condition: SSAValue, then: Callable[[Writer], object]) -> scf.IfOp:
        """Insert a conditional without results."""
        block = Block()
        inner = self.at_end_of(block)
        then(inner)
        inner.effect(scf.YieldOp())
        op = scf.IfOp(condition, [], Region(block))
        self.effect(op)
        return op

    def choose(self, condition: SSAValue, types: Sequence[Attribute], then: Side, otherwise: Side) -> list[SSAValue]:
        """Insert a conditional; return its results."""
        regions: list[Region] = []
        for side in (then, otherwise):
            block = Block()
            inner = self.at_end_of(block)
            inner.effect(scf.YieldOp(*side(inner)))
            regions.append(Region(block))
        op = scf.IfOp(condition, types, regions[0], regions[1])
        self.effect(op)
        return list(op.results)

    def wait(self, token: SSAValue) -> None:
        """Insert the wait for a transfer."""
        self.effect(DmaWaitOp(token))

    def no_transfer(self) -> SSAValue:
        """Insert the token of no transfer."""
        return self.op(DmaNoneOp())
