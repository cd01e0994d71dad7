"""Kernels cut into tiles of random sizes, orders and stages, on one level and on two, compute the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import GridOp
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.memory.building import grid_of
from tilewright.passes.memory.tiling import Tiling, tiling_of
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.passes.levels import run_step, steps

AFTER = "expand-grid,pipeline-dma,allocate-static,outline-kernels,convert-dma-to-loops,canonicalize,cse"


def drawn_tiling(op: Operation, draw: random.Random) -> Tiling:
    """Return a random tiling that is allowed, of one tile where none is found."""
    whole = tiling_of(op)
    for _ in range(40):
        sizes = [
            bound if dim in whole.kernel.reduced or draw.random() < 0.4 else -(-bound // draw.randint(1, min(bound, 4)))
            for dim, bound in enumerate(whole.kernel.bounds)
        ]
        if not (tiling := tiling_of(op, sizes)).blocked_dims():
            return tiling
    return whole


def cut(op: Operation, level: str, draw: random.Random) -> GridOp:
    """Replace a kernel by a grid of tiles in a level."""
    tiling = drawn_tiling(op, draw)
    order = [dim for dim, count in enumerate(tiling.counts) if count > 1]
    draw.shuffle(order)
    stages = [draw.randint(1, 3) for _ in tiling.tiles]
    addresses: list[int | None] = []
    end = 0
    for tile, count in zip(tiling.tiles, stages, strict=True):
        addresses.append(end)
        end += -(-tile.bytes // 8) * 8 * count
    grid = grid_of(tiling, level, addresses, stages, order)
    Rewriter.replace_op(op, grid, [])
    return grid


@pytest.mark.parametrize(
    ("name", "levels"), [("ds-cnn", ["L1"]), ("resnet8", ["L1"]), ("mlp", ["L2", "L1"]), ("resnet8", ["L2", "L1"])]
)
def test_networks_in_tiles(name: str, levels: list[str]) -> None:
    draw = random.Random(f"{name} {levels}")
    module = import_model(zoo.build(name))
    for step in steps("buffers"):
        run_step(step, module)
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)["output"]
    for kernel in [op for op in functions(module)[0].body.block.ops if is_kernel(op)]:
        grid = cut(kernel, levels[0], draw)
        for level in levels[1:]:
            for inner in [op for op in grid.body.block.ops if is_kernel(op)]:
                cut(inner, level, draw)
    verify(module)
    np.testing.assert_array_equal(run_module(module, inputs)["output"], expected)
    for step in parse_pipeline(AFTER, all_passes()).steps:
        step.run.apply(new_context(), module)
        verify(module)
        np.testing.assert_array_equal(run_module(module, inputs)["output"], expected, err_msg=step.name)
