"""Costs of transfers: repeated rows, rows with gaps."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, i8, i32
from xdsl.ir.affine import AffineExpr, AffineMap

from tilewright.dialects.core.machine.link import Link
from tilewright.passes.memory.views import buffer_type
from tilewright.passes.timing.transfers import instructions_of, tile_costs
from tilewright.test.passes.memory.systolic import machine

pytestmark = pytest.mark.quick
LINK = Link("bias", "DRAM", "ACC", 16, dims=2, burst=64, burst_minimum=10.0, transforms=("broadcast",))


@pytest.mark.parametrize(
    ("repeats", "tile", "rows"),
    [(1, (3, 20, 16), 60), (16, (3, 20, 16), 6), (16, (3, 16, 16), 3), (16, (3, 1, 16), 1), (64, (1, 100, 16), 2)],
)
def test_a_link_repeats_rows_along_the_innermost_axis(repeats: int, tile: tuple[int, ...], rows: int) -> None:
    far = memref.AllocOp([], [], MemRefType(i32, [1, 1, tile[-1]])).memref
    cost = tile_costs(machine(), replace(LINK, repeats=repeats), far, reads=True, repeated=(0, 1))(tile, tile)
    assert cost.data == rows * 10
    assert cost.bytes == rows * tile[-1] * 4


@pytest.mark.parametrize(
    ("inside", "transfers"),
    [((8, 8, 22), (8, 8)), ((8, 8, 20), (8, 64)), ((8, 5, 22), (8, 8)), ((3, 8, 22), (3, 3)), ((1, 1, 20), (1, 1))],
    ids=str,
)
def test_rows_with_gaps_in_the_near_level_are_transfers_each(
    inside: tuple[int, ...], transfers: tuple[int, int]
) -> None:
    far = memref.AllocOp([], [], MemRefType(i8, [16, 16, 64])).memref
    for packs, expected in zip((False, True), transfers, strict=True):
        link = Link("dma", "DRAM", "SPAD", 8, startup=10, dims=2, packs=packs)
        cost = tile_costs(machine(), link, far, reads=False)((8, 8, 22), inside)
        assert cost.startup == 10 * expected
        assert cost.data == prod(inside[:2]) * 3


def test_each_pass_takes_the_cycles_of_all_rows() -> None:
    far = memref.AllocOp([], [], MemRefType(i8, [16, 16, 64])).memref
    once, passes = (tile_costs(machine(), LINK, far, reads=False, passes=n)((8, 8, 16), (8, 8, 16)) for n in (1, 16))
    assert passes == replace(once, data=16 * once.data)


@pytest.mark.parametrize(
    ("tile", "count"),
    [((32, 64), 2), ((33, 64), 3), ((1, 64), 1), ((32, 80), 4), ((3, 20, 64), 6), ((20, 1, 16), 2)],
    ids=str,
)
def test_an_instruction_moves_rows_of_a_line_and_blocks(tile: tuple[int, ...], count: int) -> None:
    link = replace(LINK, near="SPAD", blocks=4, rows=16)
    rank = len(tile)
    dims = [AffineExpr.dimension(each) for each in range(rank)]
    blocked = AffineMap(rank, 0, (dims[-1] // 16, *dims[:-1], dims[-1] % 16))
    near = buffer_type(tile, i8, AffineMapAttr(blocked))
    assert instructions_of(link, near)(tile) == count
    blocks, one = -(-tile[-1] // 16), replace(link, blocks=1)
    assert instructions_of(one, near, passes=3)(tile) == 3 * (instructions_of(one, near)(tile) + blocks)
    assert instructions_of(replace(one, lines=32), near, passes=3)(tile) == 3 * blocks * (4 if tile[0] > 32 else 2)
    assert instructions_of(replace(link, rows=0), near)(tile) == 0
    assert instructions_of(link, None)(tile) == 0


@pytest.mark.parametrize(
    ("tile", "shape", "count"),
    [((9, 9, 16), (7, 7, 64), 9 + 16), ((9, 9, 64), (7, 7, 64), 9 + 4 * 16), ((8, 7, 16), (7, 7, 16), 8 + 1)],
    ids=str,
)
def test_instructions_fill_padding_of_longer_tiles(tile: tuple[int, ...], shape: tuple[int, ...], count: int) -> None:
    dims = [AffineExpr.dimension(each) for each in range(3)]
    near = buffer_type(tile, i8, AffineMapAttr(AffineMap(3, 0, (dims[2] // 16, dims[0], dims[1], dims[2] % 16))))
    assert instructions_of(replace(LINK, near="SPAD", blocks=4, rows=16), near, shape)(tile) == count
