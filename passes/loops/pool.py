"""Loops for channels-last pooling: over the taps of a window, then over channels."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from ...dialects.core.body import is_float
from ...dialects.core.kernel import Kernel
from ...dialects.nn import PoolOp
from .affine import clamps_of
from .blocks import Part, PartLoops, parts
from .nest import INDEPENDENT, PARALLEL, Index, Nest

_CHANNELS = 64
"""Channels per block, pooled in a buffer of their own."""


def is_pool(op: Operation) -> bool:
    """Return whether an op is a channels-last pooling of floats."""
    return isinstance(op, PoolOp) and op.channels_last is not None and is_float(op.accumulator)


def lower_pool(op: PoolOp, kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops of a pooling: over pixels, blocks of channels, taps, channels.

    The innermost loops are contiguous and without loop-carried values, so that compilers vectorise them.
    """
    _PoolLoops(op, kernel, nest).build()


class _PoolLoops(PartLoops):
    def __init__(self, op: PoolOp, kernel: Kernel, nest: Nest):
        super().__init__(kernel, nest)
        self.op = op
        self.channel = len(kernel.bounds) - len(kernel.reduced) - 1
        (self.reduction,) = kernel.reductions

    def build(self) -> None:
        outer = self.open_all(range(self.channel), [PARALLEL])
        for part in parts(0, self.kernel.bounds[self.channel], _CHANNELS):
            first = self.loop("c", part)
            folded = self.nest.op(memref.AllocaOp.get(self.op.accumulator, shape=[part.size], alignment=64))
            folded.name_hint = "folded"
            self.start(folded, part, first)
            self.fold(folded, part, first)
            self.end(folded, part, first)
            self.close(part)
        self.nest.close_all(outer)

    def lane(self, part: Part, first: Index) -> SSAValue:
        """Open the loop over the channels of a block and return its index."""
        index, *_ = self.nest.open("c", 0, part.size, marks=[INDEPENDENT])
        self.position[self.channel] = self.nest.add(index, first)
        return self.nest.value(index)

    def start(self, folded: SSAValue, part: Part, first: Index) -> None:
        lane = self.lane(part, first)
        (initial,) = self.reduction.initial
        self.nest.last(memref.StoreOp.get(self.initial(0, initial), folded, [lane]))
        self.nest.close()

    def fold(self, folded: SSAValue, part: Part, first: Index) -> None:
        clamps, before = clamps_of(self.kernel), self.nest.depth
        for dim in sorted(self.kernel.reduced):
            self.open(dim, *self.limits(dim, clamps), [])
        lane = self.lane(part, first)
        total = self.nest.op(memref.LoadOp.get(folded, [lane]))
        inside = [clamp.axis for clamp in clamps]
        (result,) = self.run(self.reduction.body, [*self.kernel.inputs, total], ("x",), inside)
        self.nest.last(memref.StoreOp.get(result, folded, [lane]))
        while self.nest.depth > before:
            self.nest.close()
        for dim in self.kernel.reduced:
            del self.position[dim]

    def end(self, folded: SSAValue, part: Part, first: Index) -> None:
        lane = self.lane(part, first)
        self.finish([self.nest.op(memref.LoadOp.get(folded, [lane]))])
        self.nest.close()
        del self.position[self.channel]
