"""Kernels cut into tiles of random sizes, orders and stages."""

from __future__ import annotations

import random

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tilewright.dialects.hier import GridOp
from tilewright.passes.memory.building import grid_of
from tilewright.passes.tiles.group import Tilings, tiling_of
from tilewright.passes.tiles.legality import refusal


def drawn_tiling(op: Operation, draw: random.Random, *, cuts_reductions: bool = False) -> Tilings:
    """Return a random tiling that is allowed, of one tile where none is found; reduced loops are whole by default."""
    whole = tiling_of(op)
    kept = frozenset[int]() if cuts_reductions else whole.kernel.reduced
    for _ in range(40):
        sizes = [
            bound if dim in kept or draw.random() < 0.4 else -(-bound // draw.randint(1, min(bound, 4)))
            for dim, bound in enumerate(whole.kernel.bounds)
        ]
        if not refusal(tiling := tiling_of(op, sizes)):
            return tiling
    return whole


def cut(op: Operation, level: str, draw: random.Random, *, cuts_reductions: bool = False) -> GridOp:
    """Replace a kernel by a grid of tiles in a level."""
    tiling = drawn_tiling(op, draw, cuts_reductions=cuts_reductions)
    order = [dim for dim, count in enumerate(tiling.grid) if count > 1]
    draw.shuffle(order)
    order.sort(key=lambda dim: dim in tiling.kernel.reduced)
    stages = [draw.randint(1, 3) for _ in tiling.tiles]
    addresses: list[int | None] = []
    end = 0
    for tile, count in zip(tiling.tiles, stages, strict=True):
        addresses.append(end)
        end += -(-tile.size // 8) * 8 * count
    grid = grid_of(tiling, level, addresses, stages, order)
    Rewriter.replace_op(op, grid, [])
    return grid
