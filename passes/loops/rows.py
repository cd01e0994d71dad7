"""Loops for f32 reductions along contiguous memory, with several partial sums for vectorisation."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FloatAttr, MemRefType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.core.kernel import Access, Kernel, Reduction, is_shaped
from ...dialects.core.scalars import Index
from .affine import clamps_of
from .kept import kept_of
from .kernel import KernelLoops
from .nest import INDEPENDENT, PARALLEL, Nest

_MOST_LANES, _FEWEST_LANES = 32, 16
"""Numbers of partial sums: two vectors if there are enough elements, to hide latency, else one."""
_MOST_KEPT = 4096
"""Elements of a row of which a value is stored: 16 KiB, half of the smallest first cache that there is today."""
_NEUTRAL: dict[type[Operation], float] = {
    arith.AddfOp: -0.0,
    arith.MulfOp: 1.0,
    arith.MaximumfOp: -inf,
    arith.MinimumfOp: inf,
}
"""Op that folds a value into an accumulator -> the number that, folded into any other, leaves it as it is."""


def is_of_rows(kernel: Kernel) -> bool:
    """
    Return whether a kernel reduces f32 along one dimension, the innermost of its inputs in memory.

    Each of its reductions folds a value into one accumulator: a sum, a product, a maximum or a minimum.
    """
    if len(kernel.reduced) != 1 or not kernel.reductions or clamps_of(kernel):
        return False
    (dim,) = kernel.reduced
    if kernel.bounds[dim] < 2 * _FEWEST_LANES:
        return False
    folds = all(fold_of(kernel, number) is not None for number in range(len(kernel.reductions)))
    return folds and all(_runs_along(access, dim) for access in kernel.inputs)


def fold_of(kernel: Kernel, number: int) -> type[Operation] | None:
    """Return the op that folds elements into a reduction's accumulator; None for other reductions."""
    reduction = kernel.reductions[number]
    terminator = reduction.body.last_op
    if len(reduction.initial) != 1 or terminator is None:
        return None
    own, result = reduction.body.args[-1], terminator.operands[0]
    fold = result.owner
    if own.type != f32 or not isinstance(fold, tuple(_NEUTRAL)) or len(list(own.uses)) != 1:
        return None
    return type(fold) if own in fold.operands else None


def _runs_along(access: Access, dim: int) -> bool:
    """Return whether an operand is invariant or contiguous along a dimension."""
    if not is_shaped(access.value):
        return True
    users = [number for number, expr in enumerate(access.map.results) if dim in expr.used_dims()]
    if not users:
        return True
    strides = cast("MemRefType[Any]", access.value.type).get_strides()
    last = len(access.map.results) - 1
    return users == [last] and access.map.results[last] == AffineDimExpr(dim) and bool(strides) and strides[-1] == 1


def lower_rows(kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops: parallel loops outermost; inside one reduction after the other, then the result.

    A reduction runs over blocks of elements, one per partial sum. The partial sums are then folded by halves, and, if
    the kernel accumulates, into the output's old element. A value common to the last reduction and the result, such as
    an exponential, is stored in a buffer on the stack.
    """
    _RowLoops(kernel, nest).build()


class _RowLoops(KernelLoops):
    def __init__(self, kernel: Kernel, nest: Nest):
        super().__init__(kernel, nest)
        (self.dim,) = kernel.reduced
        self.extent = kernel.bounds[self.dim]
        self.lanes = _MOST_LANES if self.extent >= 2 * _MOST_LANES else _FEWEST_LANES
        kept = kept_of(kernel)
        self.kept = kept if kept is not None and kept.type == f32 and self.extent <= _MOST_KEPT else None
        self.buffer: SSAValue | None = None

    def build(self) -> None:
        kernel = self.kernel
        with self.over([d for d in range(len(kernel.bounds)) if d != self.dim], [PARALLEL]):
            if self.kept is not None:
                self.buffer = self.nest.op(memref.AllocaOp.get(f32, shape=[self.extent], alignment=64))
                self.buffer.name_hint = "kept"
            accumulators: list[SSAValue] = []
            for reduction in kernel.reductions:
                accumulators += self.reduce(reduction, accumulators)
            with self.over([d for d in kernel.output_dims if d == self.dim], [INDEPENDENT]):
                self.finish(self.results(accumulators))

    def results(self, accumulators: list[SSAValue]) -> list[SSAValue]:
        """Build the results of the current element."""
        result, kept = self.kernel.result, list[SSAValue]()
        if self.kept is not None and self.buffer is not None:
            kept = [self.nest.read(self.buffer, [self.nest.value(self.position[self.dim])])]
            result = self.kept.result
        if result is None:
            return accumulators[-1:]
        return self.run(result, [*self.kernel.inputs, *accumulators, *kept], ("x",))

    def reduce(self, reduction: Reduction, earlier: Sequence[SSAValue]) -> list[SSAValue]:
        """Build a reduction and return its accumulator."""
        fold = fold_of(self.kernel, self.kernel.reductions.index(reduction))
        assert fold is not None
        nest, start = self.nest, reduction.initial[0]
        partial = nest.op(memref.AllocaOp.get(f32, shape=[self.lanes], alignment=64))
        partial.name_hint = "partial"
        with nest.loop("l", 0, self.lanes, marks=[INDEPENDENT]) as lane:
            first = nest.attribute(FloatAttr(_NEUTRAL[fold], f32) if start is None else cast("FloatAttr[Any]", start))
            nest.insert(memref.StoreOp.get(first, partial, [nest.value(lane)]))
        whole, rest = divmod(self.extent, self.lanes)
        with nest.loop("s", 0, whole) as stretch:
            self.stretch(reduction, earlier, partial, nest.mul(stretch, self.lanes), self.lanes)
        if rest:
            self.stretch(reduction, earlier, partial, whole * self.lanes, rest)
        total = self.folded(partial, fold)
        return [total if start is not None else nest.op(cast(Any, fold)(self.initial(0, None), total))]

    def stretch(
        self, reduction: Reduction, earlier: Sequence[SSAValue], partial: SSAValue, start: Index, size: int
    ) -> None:
        """Build the loop that folds a block of elements into the partial sums."""
        nest = self.nest
        keeps = self.kept is not None and reduction is self.kernel.reductions[-1]
        body = self.kept.reduction if self.kept is not None and keeps else reduction.body
        with nest.loop("l", 0, size, marks=[INDEPENDENT]) as lane:
            self.position[self.dim] = nest.add(lane, start)
            total = nest.read(partial, [nest.value(lane)])
            result, *kept = self.run(body, [*self.kernel.inputs, *earlier, total], ("x",))
            nest.insert(memref.StoreOp.get(result, partial, [nest.value(lane)]))
            for value in kept:
                assert self.buffer is not None
                nest.insert(memref.StoreOp.get(value, self.buffer, [nest.value(self.position[self.dim])]))
        del self.position[self.dim]

    def folded(self, partial: SSAValue, fold: type[Operation]) -> SSAValue:
        """Build the loops that fold the upper half of the partial sums into the lower one; return the total."""
        nest, half = self.nest, self.lanes // 2
        while half > 1:
            with nest.loop("l", 0, half, marks=[INDEPENDENT]) as lane:
                lower = nest.read(partial, [nest.value(lane)])
                upper = nest.read(partial, [nest.value(nest.add(lane, half))])
                nest.insert(memref.StoreOp.get(nest.op(cast(Any, fold)(lower, upper)), partial, [nest.value(lane)]))
            half //= 2
        ends = [memref.LoadOp.get(partial, [nest.value(place)]) for place in (0, 1)]
        total = cast(Any, fold)(*(load.res for load in ends))
        for op in (*ends, total):
            nest.insert(op)
        return total.results[0]
