"""Random networks on random machines: planned, expanded and run, they compute the same as before."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.memory.building import grid_of
from tilewright.passes.memory.candidates import fits
from tilewright.passes.memory.cost_model import CostModel
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.memory.sweep import Sweep
from tilewright.passes.tiles.group import Tilings, tiling_of
from tilewright.passes.tiles.legality import refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.machines.make import machine
from tilewright.test.passes.plans import assert_same, check_plan, on_buffers, planned
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)


@pytest.mark.sample(3)
@examples(20)
@given(networks(ALL, largest=4), st.sampled_from([64, 128, 256, 1024, 8192]), st.booleans())
def test_random_networks(network: Network, level_bytes: int, double_buffered: bool) -> None:
    module = on_buffers(import_model(network.model, input_types=network.input_types))
    check_plan(module, machine(1 << 20), level_bytes, double_buffered=double_buffered)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "l1"), [("ds-cnn", 16 << 10), ("resnet8", 64 << 10), ("mlp", 1 << 10), ("autoencoder", 8 << 10)]
)
def test_zoo(name: str, l1: int) -> None:
    module = on_buffers(import_model(zoo.build(name)))
    check_plan(module, machine(l1), l1, double_buffered=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "file"), [("mlp", "three_level"), ("mlp", "systolic_activation"), ("ds-cnn", "npu_cluster")]
)
def test_machines(name: str, file: str) -> None:
    module = on_buffers(import_model(zoo.build(name)))
    target = find_machine(Path(__file__).parents[2] / "machines" / f"{file}.toml")
    check_plan(module, target, 16 << 10, double_buffered=True)


def layers(module: ModuleOp, *, keep_resident: bool) -> Layers:
    """Return the kernels of a module's function as planning sees them."""
    (function,) = functions(module)
    return layers_of(function.body.block, machine(1 << 20), 0, double_buffered=True, keep_resident=keep_resident)


@pytest.mark.sample(1)
@pytest.mark.parametrize("file", ["two_level", "four_cores", "systolic_padded"])
@examples(8)
@given(networks(ALL, largest=3), st.booleans())
def test_the_fastest_is_found_without_pricing_all(file: str, network: Network, resident: bool) -> None:
    module = on_buffers(import_model(network.model, input_types=network.input_types))
    (function,) = functions(module)
    target = find_machine(Path(__file__).parents[2] / "machines" / f"{file}.toml")
    found = layers_of(function.body.block, target, 0, double_buffered=True, keep_resident=resident)
    near = frozenset(range(len(found.buffers)))
    for index in range(len(found.ops)):
        for candidate in (front := found.options(index, 1, near).front):
            for less in (0, 1):
                room = [size - less for size in candidate.bytes]
                fitting = [each for each in front if fits(each.bytes, room)]
                fresh = replace(found).options(index, 1, near).fastest(room)
                assert fresh == min(fitting, key=lambda each: each.cycles, default=None)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["ds-cnn", "mlp"])
def test_kernels_done_together(name: str, seed: int) -> None:
    draw = random.Random(f"{name} {seed}")
    module = on_buffers(import_model(zoo.build(name)))
    inputs = random_inputs(module, seed)
    expected = run_module(module, inputs)
    found = layers(module, keep_resident=True)
    index, done = 0, 0
    while index + 1 < len(found.ops):
        count = draw.choice([2, 3])
        while count > 1 and any(found.joins(i) is None for i in range(index, index + count - 1)):
            count -= 1
        ops = found.ops[index : index + count]
        index += count
        if count == 1:
            continue
        sweep = Sweep.of(ops, found.route(ops), CostModel(tuple(ops), found.route(ops)), {})
        drawn = (sweep.tilings.take(slice(row, row + 1)) for row in draw.choices(range(len(sweep)), k=20))
        fused = next((tiling for tiling in drawn if max(tiling.grid) > 1), None)
        if fused is not None:
            fuse(fused)
            done += 1
    assert done > 0
    verify(module)
    assert_same(module, inputs, expected, "done together")
    verify_memory(module)


SCALED_ROWS = """
func.func @network(%x: memref<8x32xi8>, %w: memref<32xi32>, %y: memref<8x32xi8>) {
  %t = memref.alloc() : memref<8x32xi8>
  nn.int_rms_norm ins(%x, %w : memref<8x32xi8>, memref<32xi32>) outs(%t : memref<8x32xi8>)
    {shift = 6 : i64, low = -128 : i64, high = 127 : i64, accumulator = i32, element = i8}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%t : memref<8x32xi8>) outs(%y : memref<8x32xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}
"""


@pytest.mark.quick
def test_rows_of_an_intermediate_are_reduced_in_one_go() -> None:
    found = layers(parse_module(new_context(), SCALED_ROWS), keep_resident=True)
    assert found.joins(0) is not None
    sweep = Sweep.of(found.ops, found.route(found.ops), CostModel(tuple(found.ops), found.route(found.ops)), {})
    assert len(sweep) > 1
    assert not any(refusal(tiling_of(found.ops, sizes)) for sizes in sweep.tilings.sizes.tolist())
    assert set(sweep.tilings.sizes[:, 1].tolist()) == {32}
    assert refusal(tiling_of(found.ops, [8, 16])) == "an intermediate must be reduced in one go"


def fuse(tiling: Tilings) -> None:
    """Replace kernels by the grid that does them together."""
    order = [dim for dim, count in enumerate(tiling.grid) if count > 1]
    order.sort(key=lambda dim: dim in tiling.cut_reductions)
    places: list[int | None] = []
    end = 0
    for size in [*(tile.size for tile in tiling.tiles), *(each.size for each in tiling.scratch)]:
        places.append(end)
        end += -(-size // 8) * 8
    count = len(tiling.tiles)
    grid = grid_of(tiling, "L1", places[:count], [1] * count, order, places[count:])
    *before, last = tiling.ops
    allocs = [value.owner for value in tiling.operands.intermediates]
    Rewriter.replace_op(last, grid, [])
    for op in (*reversed(before), *allocs):
        assert isinstance(op, Operation)
        Rewriter.erase_op(op)


@pytest.mark.parametrize("shape", [(3,) * 7, (2,) * 12], ids=["sevenfold", "twelvefold"])
def test_many_loops(shape: tuple[int, ...]) -> None:
    """However many loops a kernel has, the sizes of its tiles that are tried have an end."""
    node = helper.make_node("Transpose", ["x"], ["y"], perm=list(range(len(shape)))[::-1])
    ports = [helper.make_tensor_value_info(name, TensorProto.INT8, shape) for name in "xy"]
    model = helper.make_model(helper.make_graph([node], "net", ports[:1], ports[1:]))
    module = on_buffers(import_model(model))
    plan = planned(module, machine(1 << 10), 1 << 10)
    inputs = random_inputs(module, 0)
    assert_same(plan, inputs, run_module(module, inputs), "planned")
