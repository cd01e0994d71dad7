"""Machines as data: levels, paths, and what engines and links cost."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, TensorType, f32, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.machine import cost_table, costs
from tilewright.dialects.core.machine.link import Link
from tilewright.dialects.core.machine.picture import draw
from tilewright.dialects.core.machine.values import IntegerForm, NumberForm
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.test.machines.make import TWO_LEVEL, library, load_text, machine

pytestmark = pytest.mark.quick

CONV = """
func.func @f(%x: tensor<1x{c}x10x10x{t}>, %w: tensor<8x{d}x3x3x{t}>, %o: tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi32> {{
  %r = nn.conv ins(%x, %w : tensor<1x{c}x10x10x{t}>, tensor<8x{d}x3x3x{t}>) outs(%o : tensor<1x8x8x8xi32>)
    {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = {g} : i64,
     accumulator = i32}}
  func.return %r : tensor<1x8x8x8xi32>
}}
"""
MATMUL = """
func.func @f(%a: tensor<5x33xi8>, %b: tensor<33x20xi8>, %o: tensor<5x20xi32>) -> tensor<5x20xi32> {
  %r = nn.matmul ins(%a, %b : tensor<5x33xi8>, tensor<33x20xi8>) outs(%o : tensor<5x20xi32>) {accumulator = i32}
  func.return %r : tensor<5x20xi32>
}
"""
ADD = """
func.func @f(%a: tensor<4x6xi8>, %o: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %r = linalg.add ins(%a, %a : tensor<4x6xi8>, tensor<4x6xi8>) outs(%o : tensor<4x6xi8>) -> tensor<4x6xi8>
  func.return %r : tensor<4x6xi8>
}
"""


def kernel(text: str) -> Operation:
    """Return the kernel of a function; its module stays alive as long as it does."""
    return next(op for op in parse_module(new_context(), text).walk() if is_kernel(op))


def conv(channels: int = 4, groups: int = 1, element: str = "i8") -> Operation:
    return kernel(CONV.format(c=channels, d=channels // groups, g=groups, t=element))


def test_levels_go_from_far_to_near():
    assert [level.name for level in library("three_level").levels] == ["L3", "L2", "L1"]
    assert [level.name for level in library("systolic").levels] == ["DRAM", "SPAD", "ACC"]


def test_paths_follow_directions():
    three = library("three_level")
    assert [link.name for link in three.path("L3", "L1")] == ["hyperbus", "dma"]
    assert [link.name for link in three.path("L1", "L3")] == ["dma", "hyperbus"]
    assert three.path("L2", "L2") == ()
    systolic = library("systolic")
    assert [link.name for link in systolic.path("ACC", "DRAM")] == ["mvout"]
    with pytest.raises(Diagnostic, match="no link leads from 'SPAD' to 'DRAM'"):
        systolic.path("SPAD", "DRAM")
    with pytest.raises(Diagnostic, match="no level 'SPDA'") as error:
        systolic.path("SPDA", "DRAM")
    assert "did you mean 'SPAD'" in error.value.remedy


def test_operands_have_levels_by_role():
    systolic = library("systolic")
    array = systolic.engine("array")
    assert systolic.near_level_of(array).name == systolic.near_level_of(array, "weights").name == "SPAD"
    assert systolic.near_level_of(array, "accumulators").name == "ACC"
    assert library("npu_cluster").engine("npu").levels_of("weights") == ("WMEM", "L1")


def test_memories_of_rows():
    spad = library("systolic").level("SPAD")
    assert (spad.size, spad.rows, spad.alignment, spad.aligned(17)) == (256 << 10, 16384, 16, 32)


def test_a_machine_made_for_a_test():
    made = machine(8 << 10, levels=3, channels=2, bandwidth=4, l2=99)
    assert (made.level("L1").size, made.level("L2").size, made.link("dma").channels) == (8192, 99, 2)
    assert made.link("dma").width == 4
    assert machine(levels=1) == library("flat")


@pytest.mark.parametrize(
    ("row", "counts", "dims", "cycles"),
    [
        (4096, (), 2, 18 + 512),
        (64, (8,), 2, 18 + 8 * 8),
        (3, (10,), 2, 18 + 10),
        (64, (8,), 1, 8 * (18 + 8)),
        (64, (3, 8), 2, 3 * 18 + 24 * 8),
        (64, (3, 8), 3, 18 + 24 * 8),
        (0, (), 2, 18),
    ],
)
def test_transfers_cost_start_up_and_rows(row: int, counts: tuple[int, ...], dims: int, cycles: int):
    """With 8 bytes a cycle and 18 of start-up, as measured on mchan: 18 + rows * max(1, ceil(row / 8))."""
    assert Link("dma", "L2", "L1", 8, startup=18, dims=dims, burst=256).cycles(row, counts) == cycles


def test_bursts_cost_more():
    """As measured on mchan towards the far level: 17 + rows * (ceil(row / 8) + ceil(row / 256))."""
    link = Link("dma", "L2", "L1", 8, startup=17, dims=2, burst=256, burst_overhead=1)
    assert link.cycles(600, (5,)) == 17 + 5 * (75 + 3)
    slow = Link("mvin", "D", "S", 16, dims=2, burst=64, burst_minimum=10.3)
    assert slow.cycles(100, (10,)) == 206


def test_dimensions_are_named():
    assert kernel_of(conv()).loop_names == ("m0", "u0", "n0", "m1", "m2", "k0", "k1", "k2")
    assert kernel_of(conv(groups=2)).loop_names == ("m0", "b0", "n0", "m1", "m2", "k0", "k1", "k2")
    assert kernel_of(kernel(MATMUL)).loop_names == ("m0", "n0", "k0")
    assert kernel_of(kernel(ADD)).loop_names == ("p0", "p1")


def test_cost_of_macs():
    made = machine()
    cluster = made.engine("cluster")
    macs, outputs = 8 * 64 * 36, 8 * 64
    assert made.cost(cluster, conv()) == 90 + round(macs / 9.6) + outputs
    tile_cost = made.tile_cost(cluster, conv())
    assert tile_cost is not None
    assert tile_cost((1, 1, 4, 2, 2, 4, 3, 3)) == 90 + 60 + 16
    assert tile_cost((1, 1, 3, 2, 2, 4, 3, 3)) == tile_cost((1, 1, 4, 2, 2, 4, 3, 3)), (
        "an incomplete block costs as much"
    )


def test_the_peak_is_by_the_type_of_the_weights(tmp_path: Path):
    """Per core and cycle of the engine's clock; types that are not listed have the next narrower one's."""

    def peak(text: str) -> float:
        edited = re.sub(r'("nn.conv" += .*) }', rf"\1, {text} }}", TWO_LEVEL) if text else TWO_LEVEL
        made = load_text(edited, tmp_path)
        return made.peak(made.engine("cluster"), conv())

    cores = machine().engine("cluster").cores
    assert peak("") == 12  # macs_per_cycle, of all cores
    assert peak("peak = 3") == peak("peak = { i8 = 3, i4 = 6 }") == peak("peak = { '*' = 1, i4 = 3 }") == 3 * cores
    assert peak("peak = { i16 = 3, '*' = 1 }") == cores
    assert peak("peak = { i16 = 3 }") == 0


def test_blocks_are_by_name():
    systolic = library("systolic")
    array = systolic.engine("array")
    op = kernel(MATMUL)
    support = array.support(op)
    assert support is not None
    view = kernel_of(op)
    assert (support.blocks(view), support.limits(view)) == ((4, 16, 16), (5, 20, 33))
    assert systolic.cost(array, op) == 7 + 8 * 32 * 48 // 256
    entry = array.support(conv(channels=16))
    assert entry is not None
    assert entry.spans(kernel_of(conv())) == (False,) * 6 + (True, True)


def test_an_engine_takes_its_types_only():
    npu = library("npu_cluster").engine("npu")
    assert npu.support(conv()) is not None
    assert npu.support(conv(element="i16")) is None
    assert npu.support(kernel(ADD)) is None


def test_engines_come_cheapest_first():
    both = library("npu_cluster")
    ranked = both.engines_for(conv(channels=64))
    assert [engine.name for engine, _ in ranked] == ["npu", "cluster"]
    assert ranked[0][1] < ranked[1][1]
    assert [engine.name for engine, _ in both.engines_for(conv(element="i16"))] == ["cluster"]


def test_an_engine_with_a_clock_of_its_own():
    """The accelerator runs at half the machine's clock: a cycle of it, set-up included, is two of the machine's."""
    both = library("npu_cluster")
    cycles = 221 + -(-(12 * 12 * 32 * 36) // 288)
    assert both.cost(both.engine("npu"), conv()) == 2 * cycles
    assert both.seconds(370) == pytest.approx(1e-6)


def test_names_before_dialects_before_anything():
    cluster = library("two_level").engine("cluster")
    found = [cluster.support(op) for op in (conv(), kernel(ADD))]
    assert [each.op for each in found if each] == ["nn.conv", "*"]


def test_cost_of_loop_nests():
    view = kernel_of(kernel(MATMUL))
    core = library("flat").engine("core")
    assert costs.per_point(view, (5, 20, 33), core, cycles=(2.0, 10.0)) == 2 * 3300 + 10 * 100 + 10 * 5
    assert costs.per_point(view, (5, 1, 33), core, cycles=(2.0, 10.0)) == 2 * 165 + 10 * 5
    assert costs.per_point(view, (1, 1, 1), core, cycles=(2.0, 10.0)) == 2
    assert costs.per_point(view, (5, 20, 33), core, cycles=(2.0, 10.0), per_output=3) == 7650 + 3 * 100


def test_cost_of_elements_on_cores():
    view = kernel_of(kernel(ADD))
    cluster = library("two_level").engine("cluster")
    assert costs.per_element(view, (4, 6), cluster, cycles=10) == 24 * 10 // 8
    assert costs.per_element(view, (4, 6), cluster, cycles=10, parallel=0.5, startup=7) == 7 + 120 + 15


def test_a_kernel_of_several_passes_pays_for_each():
    text = """
    func.func @f(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) -> tensor<2x8xi8> {
      %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
        {levels = 256 : i64, accumulator = i32, element = i8}
      func.return %r : tensor<2x8xi8>
    }
    """
    view = kernel_of(kernel(text))
    passes = len(view.reductions) + 1
    assert passes > 1
    cluster = library("two_level").engine("cluster")
    assert costs.per_element(view, view.bounds, cluster, cycles=10) == passes * 16 * 10 // 8


def test_costs_of_a_target_bear_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cost_table, "_COSTS", dict(cost_table._COSTS))  # pyright: ignore[reportPrivateUsage]

    def fixed(kernel: object, bounds: object, engine: object, *, jobs: int, extra: float = 0) -> int:
        return jobs

    fixed.__module__ = "tilewright.targets.chip.costs"
    cost_table.cost("npu")(fixed)
    assert cost_table.cost_named("chip.npu") is fixed
    parameters = cost_table.parameters_of("chip.npu")
    assert [(key.form, key.is_required) for key in parameters.values()] == [
        (IntegerForm(1), True),
        (NumberForm(), False),
    ]
    with pytest.raises(KeyError):
        cost_table.cost_named("npu")


def test_a_cost_over_tiles_is_that_of_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(cost_table, "_COSTS", dict(cost_table._COSTS))  # pyright: ignore[reportPrivateUsage]

    def over_tiles(kernel: object, bounds: NDArray[np.int64], engine: object) -> NDArray[np.int64] | str:
        points = bounds.prod(axis=0)
        return "it is large" if points.min() > 500 else np.where(points > 500, -1, points)

    def of_one(kernel: object, bounds: tuple[int, ...], engine: object) -> int | str:
        return prod(bounds) if prod(bounds) <= 500 else "it is large"

    cost_table.cost("over_tiles", over_tiles=True)(over_tiles)
    cost_table.cost("of_one")(of_one)
    op = kernel(ADD.replace("4x6", "40x60"))
    whole = kernel_of(op).bounds
    found = {
        name: load_text(TWO_LEVEL.replace('cost = "per_element", cycles = 12', f'cost = "{name}"'), tmp_path)
        for name in ("over_tiles", "of_one")
    }
    tile_costs = {name: machine.tile_cost(machine.engine("cluster"), op) for name, machine in found.items()}
    rng = np.random.default_rng(0)
    tiles = rng.integers(1, np.array(whole) + 1, (200, len(whole)))
    each = {name: tile_cost.each(tiles).tolist() for name, tile_cost in tile_costs.items() if tile_cost is not None}
    assert each["over_tiles"] == each["of_one"]
    assert 0 < each["of_one"].count(-1) < len(tiles)
    one = tile_costs["over_tiles"]
    assert one is not None
    assert [one(tuple(tile)) for tile in tiles.tolist()] == [None if cost < 0 else cost for cost in each["of_one"]]
    faults = {name: machine.fault(machine.engine("cluster"), op) for name, machine in found.items()}
    assert faults == dict.fromkeys(found, "it is large")


def test_a_cost_function_may_refuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(cost_table, "_COSTS", dict(cost_table._COSTS))  # pyright: ignore[reportPrivateUsage]

    def only_small(kernel: object, bounds: tuple[int, ...], engine: object, *, limit: int) -> int | str:
        return 1 if max(bounds) < limit else f"a loop is longer than {limit}"

    cost_table.cost("only_small")(only_small)
    text = TWO_LEVEL.replace('cost = "per_element", cycles = 12', 'cost = "only_small", limit = 8')
    found = load_text(text, tmp_path)
    assert [cycles for _, cycles in found.engines_for(kernel(ADD))] == [91]
    assert found.cost(found.engine("cluster"), kernel(ADD), (4, 9)) is None
    assert found.fault(found.engine("cluster"), kernel(ADD)) == ""
    large = kernel(ADD.replace("4x6", "4x9"))
    assert found.fault(found.engine("cluster"), large) == "a loop is longer than 8"
    with pytest.raises(Diagnostic, match="limit: expected an integer of at least 1, found 0"):
        load_text(text.replace("limit = 8", "limit = 0"), tmp_path)


def test_an_op_that_is_no_kernel():
    returned = FuncOp("f", FunctionType.from_lists([TensorType(i8, [2]), TensorType(f32, [2])], [i32]))
    with pytest.raises(Diagnostic, match=r"'func\.func' is not a structured kernel"):
        machine().engines_for(returned)


def test_the_picture_shows_all_parts():
    from rich.console import Console

    console = Console(width=140, record=True, file=open("/dev/null", "w", encoding="utf-8"))
    console.print(draw(library("systolic")))
    console.print(draw(library("mesh")))
    text = console.export_text()
    for part in (
        "16,384 rows of 16 B",
        "array (outs)",
        "ACC, see above",
        "k up to 512",
        "neighbours in a mesh",
        "16 x 16",
    ):
        assert part in text
