"""Plans of single kernels: none of all tilings, loop orders and stages takes fewer cycles in the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import functions
from tilewright.passes.memory.candidates import (
    Candidate,
    _thinned,  # pyright: ignore[reportPrivateUsage]
)
from tilewright.passes.memory.cost_model import CostModel, near_bytes
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.memory.plan import Choice
from tilewright.passes.memory.sweep import Stages
from tilewright.passes.plan_memory import PlanLimits, plan_memory, replace_by_grid
from tilewright.passes.tiles.legality import refusal
from tilewright.runtime.simulator import simulate

MACHINES = Path(__file__).parents[2] / "machines"
REQUANTIZED = """{
  ^bb0(%sum: i32, %f: i32):
    %r = quant.requantize %sum, %f, %f shift 9 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }"""
MATMUL = f"""
func.func @network(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %m: memref<32xi32>, %c: memref<8x32xi8>) {{
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>)
    {{accumulator = i32, engine = "ENGINE"}} epilogue(%m : memref<32xi32>) at
    [affine_map<(d0, d1) -> (d1)>] {REQUANTIZED}
  func.return
}}"""
SCALED = """
func.func @network(%a: memref<16x64xi8>, %b: memref<64x16xi8>, %c: memref<16x16xi8>) {
  nn.matmul ins(%a, %b : memref<16x64xi8>, memref<64x16xi8>) outs(%c : memref<16x16xi8>)
    {accumulator = i32, engine = "ENGINE"} epilogue() at [] {
  ^bb0(%sum: i32):
    %f = arith.constant 77 : i32
    %z = arith.constant 0 : i32
    %r = quant.requantize %sum, %f, %z shift 14 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return
}"""
PADDED = SCALED.replace("16x64", "20x60").replace("64x16", "60x10").replace("16x16", "20x10")
CONV = """
func.func @network(%x: memref<1x8x6x6xi8>, %w: memref<16x8x3x3xi8>, %y: memref<1x16x6x6xi8>) {
  nn.conv ins(%x, %w : memref<1x8x6x6xi8>, memref<16x8x3x3xi8>) outs(%y : memref<1x16x6x6xi8>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i8, wraps, engine = "ENGINE"}
  func.return
}"""


def layers(module: ModuleOp, target: Machine) -> Layers:
    (function,) = functions(module)
    return layers_of(function.body.block, target, 0, double_buffered=True, keep_resident=False)


def sizes(found: Layers, step: int) -> Iterator[tuple[int, ...]]:
    """Yield all tile sizes in even cuts, whole blocks of the engine and multiples of a step."""
    (op,), (kernel,) = found.ops, found.kernels
    support = found.engines[op].support(op)
    assert support is not None
    blocks, spans, ends = support.blocks(kernel), support.spans(kernel), support.padded_bounds(kernel)
    extents = [
        [n for n in range(1, end + 1) if n == end or (not whole and n % block == n % step == end % n == 0)]
        for end, block, whole in zip(ends, blocks, spans, strict=True)
    ]
    yield from product(*extents)


def candidates(found: Layers, step: int) -> Iterator[Candidate]:
    """Yield all legal tilings that fit the levels, in all orders with reductions innermost, with one and two stages."""
    levels, ways = found.levels_of(0, 1), range(1 + len(found.stored))
    for each, way in product(sizes(found, step), ways):
        tiling = found.tiling(0, 1, each, set(), way)
        if refusal(tiling):
            continue
        cut = [dim for dim, count in enumerate(tiling.grid) if count > 1 and dim not in tiling.cut_reductions]
        for order, double in product(permutations(cut), (False, True)):
            stages = tuple(2 if double and tile.dims else 1 for tile in tiling.tiles)
            footprint = tuple(int(near_bytes(tiling, stages, level)[0]) for level in levels)
            if all(size <= level.size for size, level in zip(footprint, levels, strict=True)):
                yield Candidate(each, (*order, *tiling.cut_reductions), stages, footprint, 0, alternative=way)


def simulated(module: ModuleOp, target: Machine, candidate: Candidate) -> int | None:
    """Return the cycles of a candidate in the simulator; None if no engine runs its tiles."""
    copy = module.clone()
    found = layers(copy, target)
    tiling = found.tiling(0, 1, candidate.sizes, set(), candidate.alternative)
    if CostModel(tiling.ops, found.route(tiling.ops, candidate.alternative)).compute(tiling, candidate.order) is None:
        return None
    replace_by_grid(found, Choice(0, 1, candidate), {level.name: 0 for level in found.levels})
    return simulate(copy).cycles


def small(file: str, size: int) -> Machine:
    """Return a machine of the library whose near levels have so many bytes."""
    machine = find_machine(MACHINES / f"{file}.toml")
    far = machine.far.name
    return replace(machine, levels=tuple(e if e.name == far else replace(e, size=size) for e in machine.levels))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("file", "engine", "text", "size", "step"),
    [
        ("systolic_activation", "array", MATMUL, 64 << 10, 1),
        ("systolic_activation", "array", MATMUL, 1 << 10, 1),
        ("systolic_activation", "array", SCALED, 64 << 10, 1),
        ("systolic_activation", "array", SCALED, 1 << 10, 1),
        ("systolic_padded", "array", PADDED, 2 << 10, 1),
        ("systolic_blocked", "array", PADDED, 2 << 10, 1),
        ("two_near", "core", MATMUL, 2 << 10, 8),
        ("two_near", "npu", CONV, 1 << 10, 2),
        ("two_level", "cluster", MATMUL, 1 << 10, 4),
    ],
)
def test_no_tiling_is_faster(file: str, engine: str, text: str, size: int, step: int) -> None:
    target = small(file, size)
    module = parse_module(new_context(), text.replace("ENGINE", engine))
    attach_machine(module, target)
    tried = [cycles for each in candidates(layers(module, target), step) if (cycles := simulated(module, target, each))]
    (function,) = functions(module)
    plan_memory(function, target, PlanLimits())
    assert len(tried) >= 10
    assert simulate(module).cycles <= min(tried)


def test_the_fastest_estimates_are_kept_whatever_their_bytes() -> None:
    """Of 64 tilings in 16 groups, the four fastest are neighbours in bytes."""
    found = {((size,), (), Stages(1, 1), (), False): (size, abs(size - 40)) for size in range(64)}
    kept = {sizes[0] for sizes, *_ in _thinned(found, 16)}
    assert {38, 39, 40, 41} <= kept
    assert {*range(3, 36, 4), *range(44, 64, 4)} <= kept
