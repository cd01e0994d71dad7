"""Loops for row kernels on cores without vectors: unrolled by four, row values stored for reuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import Kernel, Reduction
from ...dialects.core.scalars import Index
from ...ir import numpy_type
from .kept import Kept, kept_of, row_of
from .kernel import KernelLoops
from .nest import PARALLEL, Nest
from .powers import Powers, powers_of, tabulates

_Element: TypeAlias = "Callable[[Sequence[SSAValue]], Sequence[SSAValue]]"
"""Builds the code of the current element of a row, given the loop-carried values."""

STRETCH = 4
"""Unroll factor of loops along a row."""
LONG_STRETCH = 8
"""Unroll factor of loops along a row whose values are stored, each of which moves several pointers on."""


def is_rowwise(kernel: Kernel) -> bool:
    """Return whether a kernel reduces rows of sufficient length and computes results along them."""
    dim = row_of(kernel)
    return dim is not None and kernel.bounds[dim] >= 2 * STRETCH


def lower_rowwise(kernel: Kernel, nest: Nest, row_bytes: int, table_bytes: int = 0) -> None:
    """
    Build the loops: over rows outermost; inside one reduction after the other, then the result, unrolled by four.

    Cores may share the result's elements of a single row; each then computes the reductions redundantly.

    A value common to the last reduction and the result is stored in a buffer on the core's stack, if a row takes at
    most `row_bytes`. The powers of a softmax with many elements come from a lookup table of at most `table_bytes`, also
    on the stack, which each core fills first.
    """
    _RowwiseLoops(kernel, nest, row_bytes, table_bytes).build()


def is_shareable(kernel: Kernel) -> bool:
    """
    Return whether cores may share the elements of a row, with redundant reductions on each.

    Requires that the outputs do not alias the inputs.
    """
    written = {access.value for access in kernel.outputs}
    return not any(access.value in written for access in kernel.inputs)


def keeps(kept: Kept | None, extent: int, row_bytes: int) -> bool:
    """Return whether row values are stored, in a buffer of at most `row_bytes` bytes."""
    return kept is not None and extent * numpy_type(kept.type).itemsize <= row_bytes


class _RowwiseLoops(KernelLoops):
    def __init__(self, kernel: Kernel, nest: Nest, row_bytes: int, table_bytes: int):
        super().__init__(kernel, nest)
        (self.dim,) = kernel.reduced
        self.extent = kernel.bounds[self.dim]
        kept = kept_of(kernel)
        self.kept = kept if keeps(kept, self.extent, row_bytes) else None
        self.stretch = LONG_STRETCH if self.kept is not None and self.extent % LONG_STRETCH == 0 else STRETCH
        self.buffer: SSAValue | None = None
        powers = powers_of(kernel, self.kept)
        self.powers = powers if tabulates(powers, kernel.points, table_bytes) else None
        self.table: SSAValue | None = None

    def build(self) -> None:
        """Build the nest."""
        kernel = self.kernel
        if self.powers is not None:
            self.table = self.filled(self.powers)
        with self.over([d for d in range(len(kernel.bounds)) if d != self.dim], [PARALLEL]):
            if self.kept is not None:
                self.buffer = self.nest.op(memref.AllocaOp.get(self.kept.type, shape=[self.extent]))
                self.buffer.name_hint = "kept"
            accumulators: list[SSAValue] = []
            for reduction in kernel.reductions:
                accumulators += self.reduce(reduction, accumulators)
            marks = [PARALLEL] if self.nest.depth == 0 and is_shareable(kernel) else []
            self.along_row(lambda carried: self.element(accumulators), [], marks=marks)

    def filled(self, powers: Powers) -> SSAValue:
        """Build the loop that fills a table, and return the table."""
        table = self.nest.op(memref.AllocaOp.get(powers.type, shape=[powers.entries]))
        table.name_hint = "powers"
        with self.nest.loop("d", 0, powers.entries) as entry:
            index = self.nest.value(entry)
            distance = self.nest.op(arith.IndexCastOp(index, powers.power.args[0].type))
            (power,) = self.run(powers.power, [distance], ())
            self.nest.insert(memref.StoreOp.get(power, table, [index]))
        return table

    def reduce(self, reduction: Reduction, earlier: Sequence[SSAValue]) -> list[SSAValue]:
        """Build a reduction and return its accumulators."""
        keeps = self.kept is not None and reduction is self.kernel.reductions[-1]
        body = self.kept.reduction if self.kept is not None and keeps else reduction.body
        table = list[SSAValue]()
        if self.powers is not None and self.table is not None and keeps:
            body, table = self.powers.reduction, [self.table]
        own = reduction.body.args[len(self.kernel.inputs) + len(earlier) :]

        def fold(carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            results = self.run(body, [*self.kernel.inputs, *earlier, *carried, *table], ("x",))
            if self.buffer is not None and keeps:
                self.nest.insert(memref.StoreOp.get(results.pop(), self.buffer, [self.element_index()]))
            return results

        first = [self.initial(number, value) for number, value in enumerate(reduction.initial)]
        return list(self.along_row(fold, first, [arg.name_hint or "acc" for arg in own]))

    def element(self, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        """Build the result and the stores of one element."""
        result, kept = self.kernel.result, list[SSAValue]()
        if self.kept is not None and self.buffer is not None:
            load = memref.LoadOp.get(self.buffer, [self.element_index()])
            self.nest.insert(load)
            result, kept = self.kept.result, [load.res]
        assert result is not None
        self.finish(self.run(result, [*self.kernel.inputs, *accumulators, *kept], ("x",)))
        return []

    def along_row(
        self, build: _Element, carried: Sequence[SSAValue], names: Sequence[str] = (), marks: Sequence[str] = ()
    ) -> Sequence[SSAValue]:
        """
        Build the unrolled loop along a row and its remainder; return the final loop-carried values.

        Loops get the `marks`; with marks, the remainder is a loop of one iteration.
        """
        whole, rest = divmod(self.extent, self.stretch)
        nest = self.nest
        with nest.carried_loop("s", 0, whole, carried, names=names, marks=marks, kept=bool(marks)) as loop:
            loop.values = self.elements(build, nest.mul(loop.index, self.stretch), self.stretch, loop.values)
        if not marks or not rest:
            return self.elements(build, whole * self.stretch, rest, loop.values)
        with nest.carried_loop("r", 0, 1, loop.values, marks=marks, kept=True) as last:
            last.values = self.elements(build, nest.add(last.index, whole * self.stretch), rest, last.values)
        return last.values

    def elements(self, build: _Element, first: Index, count: int, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Build consecutive elements (unrolling)."""
        for place in range(count):
            self.position[self.dim] = self.nest.add(first, place)
            values = build(values)
            del self.position[self.dim]
        return values

    def element_index(self) -> SSAValue:
        """Return the index of the current element in its row."""
        return self.nest.value(self.position[self.dim])

    def clone(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """Clone a scalar op; loop-invariant ops are emitted once."""
        if op.regions or len(op.results) != 1 or isinstance(op, memref.LoadOp | IndexOp):
            super().clone(op, values)
            return
        operands = [values.get(operand, operand) for operand in op.operands]
        key = (op.name, tuple(op.properties.items()), op.results[0].type)
        values[op.results[0]] = self.nest.once(key, operands, lambda: op.clone(values))
