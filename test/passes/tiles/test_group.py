"""Tiles of random kernels cover what their points access, in one tiling as in many."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.file import find_machine
from tilewright.frontend.importer import import_model
from tilewright.ir import Ints, functions, shape_of
from tilewright.passes.memory.cost_model import CostModel
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.memory.sweep import Sweep
from tilewright.passes.tiles.group import Tilings, tiling_of, tilings_of
from tilewright.passes.tiles.legality import RULES, legal, refusal
from tilewright.passes.tiles.operands import OperandTiles
from tilewright.test.passes.plans import on_buffers
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)
MACHINES = Path(__file__).parents[2] / "machines"


def layers(network: Network, file: str = "two_level") -> Layers:
    module: ModuleOp = on_buffers(import_model(network.model, input_types=network.input_types))
    (function,) = functions(module)
    machine = find_machine(MACHINES / f"{file}.toml")
    return layers_of(function.body.block, machine, 0, double_buffered=True, keep_resident=False)


def footprint(tiling: Tilings, tile: OperandTiles, number: int, point: tuple[int, ...]) -> tuple[Ints, Ints]:
    """Return the least and the greatest index that a kernel on its tile at a point of the grid accesses, by axis."""
    part, loops = tiling.parts[number], range(len(tiling.parts[number].kernel.bounds))
    starts = [form.at(point) for form in part.starts.forms(0)]
    corners = product(*((starts[dim], starts[dim] + part.shape[dim] - 1) for dim in loops))
    indices = np.array([tile.access.map.eval(list(corner), []) for corner in corners])
    return indices.min(axis=0), indices.max(axis=0)


@examples(12)
@given(networks(ALL, largest=3), st.randoms(use_true_random=False))
def test_a_tile_is_the_footprint_of_its_points(network: Network, draw: random.Random) -> None:
    for op in layers(network).ops:
        bounds = tiling_of(op).kernel.bounds
        sizes = [draw.choice([bound, -(-bound // 2), draw.randint(1, bound)]) for bound in bounds]
        tiling = tiling_of(op, sizes)
        if refusal(tiling) or len(bounds) > 8:
            continue
        point = tuple(draw.randrange(count) for count in tiling.grid)
        for (number, _), tile in tiling.operands.reads.items():
            if any(form.divides for form in tile.access.forms):
                continue
            low, high = footprint(tiling, tile, number, point)
            begins = [form.at(point) for form in tile.forms]
            for axis, extent in enumerate(shape_of(tile.value)):
                is_whole = (begins[axis], tile.shape[axis]) == (0, extent)
                assert is_whole or (begins[axis], begins[axis] + tile.shape[axis] - 1) == (low[axis], high[axis])
                assert tile.is_clipped or (begins[axis] >= 0 and begins[axis] + tile.shape[axis] <= extent)


@examples(12)
@given(networks(ALL, largest=3), st.randoms(use_true_random=False))
def test_a_row_of_many_tilings_is_that_tiling(network: Network, draw: random.Random) -> None:
    for op in layers(network).ops:
        bounds = tiling_of(op).kernel.bounds
        rows = [[draw.choice([bound, draw.randint(1, bound + 1)]) for bound in bounds] for _ in range(4)]
        tilings = tilings_of(op, rows)
        assert legal(tilings).tolist() == [not refusal(tiling_of(op, sizes)) for sizes in rows]
        for sizes, row in zip(rows, map(tilings.row, range(len(tilings))), strict=True):
            alone = tiling_of(op, sizes)
            assert [tile.key for tile in row.tiles] == [tile.key for tile in alone.tiles]
            assert [buffer.size for buffer in row.scratch] == [buffer.size for buffer in alone.scratch]


@examples(12)
@given(networks(ALL, largest=3), st.sampled_from(["two_level", "systolic_local", "systolic_padded"]))
def test_what_is_swept_is_legal(network: Network, file: str) -> None:
    planning = layers(network, file)
    for first in range(len(planning.ops)):
        for count in range(1, 3 if first + 1 < len(planning.ops) and planning.joins(first) is not None else 2):
            ops, route = planning.ops[first : first + count], planning.route(planning.ops[first : first + count])
            sweep = Sweep.of(ops, route, CostModel(tuple(ops), route), {})
            assert legal(sweep.tilings).all()
            for number in range(0, len(sweep), 1 + len(sweep) // 10):
                assert not any(tile.in_place and tile.is_clipped for tile in sweep.tilings.row(number).tiles)


def test_each_rule_has_a_name_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
