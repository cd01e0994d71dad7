"""Scalar ops that vector ops stand for; a vector is an array of scalar values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.scalars import is_float
from ...dialects.vector.types import element_type, is_vector, shape
from ...errors import Diagnostic
from ...ir import where

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""The scalar values of a vector, in its shape."""

_INTEGERS: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "mul": arith.MuliOp,
    "minui": arith.MinUIOp,
    "minsi": arith.MinSIOp,
    "maxui": arith.MaxUIOp,
    "maxsi": arith.MaxSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
_FLOATS: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "mul": arith.MulfOp,
    "minnumf": arith.MinnumfOp,
    "maxnumf": arith.MaxnumfOp,
    "minimumf": arith.MinimumfOp,
    "maximumf": arith.MaximumfOp,
}


def array(values: Sequence[SSAValue], extents: Sequence[int]) -> Elements:
    """Return values as the elements of a vector of a shape."""
    elements = np.empty(len(values), object)
    elements[:] = values
    return elements.reshape(tuple(extents))


def filled(value: SSAValue, extents: Sequence[int]) -> Elements:
    """Return a vector of equal elements."""
    elements = np.empty(tuple(extents), object)
    elements.fill(value)
    return elements


@dataclass
class Scalarizer:
    """Builder of the scalar ops in the place of one vector op; `values` are the elements of the vectors so far."""

    op: Operation
    values: dict[SSAValue, Elements]
    block: Block | None = None
    """The block to append to; None to insert before the op."""

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op and return its first result."""
        op.location = self.op.location
        if self.block is not None:
            self.block.add_op(op)
        else:
            Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0] if op.results else cast(SSAValue, None)

    def elements(self, value: SSAValue) -> Elements:
        """Return the elements of a vector; a scalar is one of rank 0."""
        if not is_vector(value.type):
            return array([value], ())
        if value not in self.values:
            message = f"'{self.op.name}' takes a vector that no scalars stand for"
            raise Diagnostic(message, where(self.op), remedy="keep vectors within a block: store and load them instead")
        return self.values[value]

    def constant(self, number: float, type: Attribute) -> SSAValue:
        """Emit a constant."""
        attribute = FloatAttr(number, cast(Any, type)) if is_float(type) else IntegerAttr(int(number), cast(Any, type))
        return self.emit(arith.ConstantOp(cast(Any, attribute)))

    def index(self, number: int) -> SSAValue:
        """Emit a constant index."""
        return self.constant(number, IndexType())

    def shifted(self, index: SSAValue, distance: int) -> SSAValue:
        """Return an index at a distance from another."""
        return self.emit(arith.AddiOp(index, self.index(distance))) if distance else index

    def combine(self, kind: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Emit the fold of two numbers by a `#vector.kind`."""
        table = _FLOATS if is_float(a.type) else _INTEGERS
        return self.emit(cast(Any, table[kind])(a, b))

    def fold(self, kind: str, source: Elements, axes: Sequence[int], start: Elements | None) -> Elements:
        """Fold the elements along axes, in row-major order, from `start` on; None starts with the first."""
        kept = [axis for axis in range(source.ndim) if axis not in axes]
        rows = source.transpose([*axes, *kept]).reshape(-1, *(source.shape[axis] for axis in kept))
        totals = rows[0] if start is None else start
        for row in rows[1:] if start is None else rows:
            totals = self.each(lambda lane: self.combine(kind, *lane), totals, row)
        return totals

    def each(self, function: Callable[[Sequence[SSAValue]], SSAValue], *operands: Elements) -> Elements:
        """Apply a function to the elements at each place of vectors of one shape, or of rank 0."""
        arrays = np.broadcast_arrays(*operands)
        lanes = zip(*(operand.ravel() for operand in arrays), strict=True)
        return array([function(lane) for lane in lanes], arrays[0].shape)

    def equals(self, index: SSAValue, number: int) -> SSAValue:
        """Emit whether an integer is a number."""
        return self.emit(arith.CmpiOp(index, self.constant(number, index.type), "eq"))

    def select(self, condition: SSAValue, then: Elements, otherwise: Elements) -> Elements:
        """Select between vectors."""
        return self.each(lambda lane: self.emit(arith.SelectOp(condition, *lane)), then, otherwise)

    def both(self, conditions: Sequence[SSAValue | None]) -> SSAValue | None:
        """Emit whether all conditions hold; None stands for one that does."""
        total: SSAValue | None = None
        for condition in conditions:
            if condition is not None:
                total = condition if total is None else self.emit(arith.AndIOp(total, condition))
        return total

    def guarded(
        self,
        condition: SSAValue | None,
        build: Callable[[Scalarizer], Sequence[SSAValue]],
        other: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """Emit what is done where a condition holds, and give its values, elsewhere those of `other`."""
        if condition is None:
            return build(self)
        then = Block()
        inside = Scalarizer(self.op, self.values, then)
        then.add_op(scf.YieldOp(*build(inside)))
        otherwise = Region(Block([scf.YieldOp(*other)])) if other else Region()
        branch = scf.IfOp(condition, [value.type for value in other], Region(then), otherwise)
        self.emit(branch)
        return branch.results

    def truth(self, holds: bool) -> SSAValue:
        """Emit a constant i1."""
        return self.constant(holds, i1)


def extents_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a vector."""
    return shape(value.type)


def lane_type(value: SSAValue) -> Attribute:
    """Return the type of the elements of a vector."""
    return element_type(value.type)
