"""Loops for channels-last pooling: over the taps of a window, then over channels."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import Kernel
from ...dialects.core.scalars import Index, is_float
from ...dialects.nn import PoolOp
from .affine import clamps_of
from .blocks import BlockInterval, PartLoops, parts
from .nest import INDEPENDENT, PARALLEL, Nest

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
        with self.over(range(self.channel), [PARALLEL]):
            for part in parts(0, self.kernel.bounds[self.channel], _CHANNELS):
                with self.blocks("c", part) as first:
                    self.block(part, first)

    def block(self, part: BlockInterval, first: Index) -> None:
        """Build the pooling of a block of channels."""
        nest, (initial,), clamps = self.nest, self.reduction.initial, clamps_of(self.kernel)
        folded = nest.op(memref.AllocaOp.get(self.op.accumulator, shape=[part.size], alignment=64))
        folded.name_hint = "folded"
        with self.lanes(part, first) as lane:
            nest.insert(memref.StoreOp.get(self.initial(0, initial), folded, [lane]))
        with self.over_reduced(self.limits(clamps), []), self.lanes(part, first) as lane:
            total = nest.read(folded, [lane])
            inside = [clamp.axis for clamp in clamps]
            (result,) = self.run(self.reduction.body, [*self.kernel.inputs, total], ("x",), inside)
            nest.insert(memref.StoreOp.get(result, folded, [lane]))
        with self.lanes(part, first) as lane:
            self.finish([nest.read(folded, [lane])])

    @contextmanager
    def lanes(self, part: BlockInterval, first: Index) -> Generator[SSAValue]:
        """Build in the loop over the channels of a block, and give its index."""
        with self.nest.loop("c", 0, part.size, marks=[INDEPENDENT]) as lane:
            self.position[self.channel] = self.nest.add(lane, first)
            yield self.nest.value(lane)
        del self.position[self.channel]
