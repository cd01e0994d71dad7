"""Tiling of parallel loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.builder import Builder
from ..dialects.core.nesting import nested_ops
from ..errors import Diagnostic
from .core.base import Pass

_REST = AffineMap(3, 0, (AffineExpr.dimension(0), AffineExpr.dimension(1) - AffineExpr.dimension(2)))
"""(extent of a tile, upper bound, start of the tile) -> what the least of is the extent of this tile."""


def tile_parallel_loops(module: ModuleOp, sizes: Sequence[int]) -> None:
    """
    Tile the innermost parallel loops: an outer loop over tiles of `sizes` iterations, an inner one over those of each.

    A missing size is 1; axes of the size 0 are left to the inner loop. Loops with reductions stay as they are: tiling
    changes the order in which floats are added.
    """
    for op in nested_ops(module):
        if isinstance(op, scf.ParallelOp) and not op.results and not _holds_another(op):
            _tile(op, [*sizes, *[1] * len(op.step)][: len(op.step)])


def _holds_another(op: scf.ParallelOp) -> bool:
    return any(isinstance(inner, scf.ParallelOp) for inner in nested_ops(op) if inner is not op)


def _tile(op: scf.ParallelOp, sizes: Sequence[int]) -> None:
    axes = [axis for axis, size in enumerate(sizes) if size]
    if not axes:
        return
    builder = Builder.before(op, wraps=True)
    zero = builder.value(0)
    extents = {axis: builder.mul(op.step[axis], sizes[axis]) for axis in axes}
    tiles = Block([scf.ReduceOp()], arg_types=[IndexType()] * len(axes))
    starts = dict(zip(axes, tiles.args, strict=True))
    inside: list[Operation] = []
    lows, highs = list[SSAValue](op.lowerBound), list[SSAValue](op.upperBound)
    for axis in axes:
        lows[axis], highs[axis] = zero, extents[axis]
        if not _is_whole(op, axis, sizes[axis]):
            rest = affine.MinOp([extents[axis], op.upperBound[axis], starts[axis]], AffineMapAttr(_REST))
            inside.append(rest)
            highs[axis] = rest.result
    first = [op.lowerBound[axis] for axis in axes]
    last = [op.upperBound[axis] for axis in axes]
    outer = scf.ParallelOp(first, last, list(extents.values()), Region(tiles))
    body = op.detach_region(0)
    inside.append(scf.ParallelOp(lows, highs, op.step, body))
    _offset(body.block, starts)
    end = tiles.last_op
    assert end is not None
    tiles.insert_ops_before(inside, end)
    for new in (outer, end, *inside):
        new.location = op.location
    Rewriter.replace_op(op, outer)


def _is_whole(op: scf.ParallelOp, axis: int, size: int) -> bool:
    """Return whether all tiles along an axis are known to have all of their iterations."""
    low, high, step = (constant_integer(bounds[axis]) for bounds in (op.lowerBound, op.upperBound, op.step))
    if low is None or high is None or step is None or step <= 0:
        return False
    return -(-(high - low) // step) % size == 0


def _offset(body: Block, starts: Mapping[int, SSAValue]) -> None:
    """Add the start of the tile to the indices of a loop over its iterations."""
    first = body.first_op
    assert first is not None
    for axis, start in starts.items():
        index = body.args[axis]
        shifted = arith.AddiOp(start, index)
        shifted.location = first.location
        index.replace_uses_with_if(shifted.result, lambda use, definition=shifted: use.operation is not definition)
        body.insert_op_before(shifted, first)


@dataclass(frozen=True)
class ScfParallelLoopTilingPass(Pass):
    """
    Tile the innermost parallel loops without reductions, with any bounds and steps.

    `parallel-loop-tile-sizes` are in iterations; missing ones are 1, axes of the size 0 are not tiled. Upstream's pass
    of that name.
    """

    name = "scf-parallel-loop-tiling"

    parallel_loop_tile_sizes: tuple[int, ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(size < 0 for size in self.parallel_loop_tile_sizes):
            sizes = ",".join(map(str, self.parallel_loop_tile_sizes))
            raise Diagnostic("a tile size is negative", expected="sizes of at least 0", found=sizes)
        tile_parallel_loops(op, self.parallel_loop_tile_sizes)
