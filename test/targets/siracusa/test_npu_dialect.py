"""Kernels of the NPU: what they compute, what their view says, and how they are cut, proved and lowered."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, StringAttr, TensorType, i8, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import GridOp
from tilewright.dialects.nn import ints
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.memory.building import grid_of
from tilewright.passes.tiles.group import tiling_of
from tilewright.passes.tiles.legality import refusal
from tilewright.runtime.interpreter import Interpreter, run_module, run_op
from tilewright.runtime.interpreter.structured import run_structured
from tilewright.targets.siracusa.npu.geometry import ConvKind, pixel_grids
from tilewright.targets.siracusa.npu.kernel_ops import NpuConvOp, NpuKernelOp, NpuMatmulOp, epilogue_of
from tilewright.targets.siracusa.npu.weights import pack

CONTEXT = new_context()
MACHINE = Path(__file__).parent / "npu/npu.toml"
SOME = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True)
class Case:
    """A network of one kernel of the NPU, with its inputs."""

    module: ModuleOp
    op: NpuKernelOp
    inputs: dict[str, Array]


def build(
    kind: ConvKind | None,
    shape: tuple[int, ...],
    features: int,
    *,
    bits: int = 8,
    offset: int = -128,
    pads: tuple[int, int, int, int] = (0, 0, 0, 0),
    fill: int = 0,
    unsigned: bool = False,
    requantized: bool = True,
    seed: int = 1,
) -> Case:
    """Return a network of one convolution of that kind, or of one matrix product where it is None."""
    random = np.random.default_rng(seed)
    channels, taps = shape[-1], kind.taps if kind else 1
    features = channels if kind is ConvKind.DEPTHWISE else features
    depth = 1 if kind is ConvKind.DEPTHWISE else channels
    weight = random.integers(0, 1 << bits, (features, depth, taps, taps)) + offset
    inputs: dict[str, Array] = {
        "x": random.integers(-128, 128, shape).astype(np.int8),
        "w": pack(kind or ConvKind.POINTWISE, weight, bits, offset).view(np.int8),
    }
    if requantized:
        inputs["scale"] = random.integers(0, 256, features).astype(np.uint8).view(np.int8)
        inputs["bias"] = random.integers(-70000, 70000, features).astype(np.int32)
    space = [n + a + b - taps + 1 for n, a, b in zip(shape[1:3], pads, pads[2:], strict=False)]
    out = [shape[0], *space, features] if kind else [shape[0], features]
    types = [TensorType(i32 if array.dtype == np.int32 else i8, array.shape) for array in inputs.values()]
    result = TensorType(i8 if requantized else i32, out)
    block = Block(arg_types=[*types, result])
    properties: dict[str, Attribute | None] = {"bits": IntegerAttr(bits, i64), "offset": IntegerAttr(offset, i64)}
    if kind:
        properties |= {"kind": StringAttr(kind.name.lower()), "pads": ints(pads), "pad_value": IntegerAttr(fill, i64)}
    region, maps = epilogue_of(4 if kind else 2, i8, shift=13, low=0, high=255)
    x, w, *extras, o = block.args
    chosen = NpuConvOp if kind else NpuMatmulOp
    marks = [0] if unsigned else []
    epilogue = region if requantized else None
    op = chosen([x, w], o, properties, unsigned=marks, extras=extras, epilogue=epilogue, epilogue_maps=maps)
    block.add_ops([op, ReturnOp(op.results[0])])
    function = FuncOp("network", FunctionType.from_lists([*types, result], [result]), Region(block))
    names = [*inputs, "o"]
    for argument, name in zip(block.args, names, strict=True):
        argument.name_hint = name
    function.properties["arg_attrs"] = _named(names)
    function.properties["res_attrs"] = _named(["y"])
    inputs["o"] = np.zeros(out, np.int8 if requantized else np.int32)
    return Case(ModuleOp([function]), op, inputs)


def _named(names: list[str]) -> Any:
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr

    return ArrayAttr([DictionaryAttr({"onnx.name": StringAttr(name)}) for name in names])


@st.composite
def cases(draw: Any, most: int = 9, channels: int = 40) -> Case:
    """Draw a kernel."""
    kind = draw(st.sampled_from([None, *ConvKind]))
    pads = tuple(draw(st.integers(0, 2)) for _ in range(4)) if kind and kind.taps > 1 else (0, 0, 0, 0)
    # Padding of 2 after the image must lie within the last sub-tile.
    height, width = (draw(st.integers(3, min(most, 6 - a - b + 2))) for a, b in zip(pads, pads[2:], strict=False))
    depth = draw(st.integers(1, channels))
    shape = (draw(st.integers(1, 2)), height, width, depth) if kind else (draw(st.integers(1, 8 * most)), depth)
    bits = draw(st.integers(2, 8))
    return build(
        kind,
        shape,
        draw(st.integers(1, channels)),
        bits=bits,
        offset=draw(st.sampled_from([-(1 << (bits - 1)), 3])),
        pads=cast(Any, pads),
        fill=0 if any(pads[2:]) else draw(st.integers(-128, 127)),
        unsigned=draw(st.booleans()),
        requantized=draw(st.booleans()),
        seed=draw(st.integers(0, 1 << 16)),
    )


def run(module: ModuleOp, passes: str) -> None:
    for step in parse_pipeline(f"builtin.module({passes})", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)


def result(module: ModuleOp, inputs: dict[str, Array]) -> Array:
    return next(iter(run_module(module, inputs).values()))


@given(cases(most=4, channels=33))
@SOME
def test_the_view_computes_what_the_semantics_do(case: Case):
    verify(case.module)
    runner, operands = Interpreter(case.module), list(case.inputs.values())
    by_view = run_structured(runner, case.op, operands)[0]
    np.testing.assert_array_equal(run_op(runner, case.op, operands)[0], by_view)


def test_the_view_reads_whole_rows_and_all_channels():
    op = build(ConvKind.DENSE, (1, 13, 13, 30), 64, pads=(1, 1, 0, 0), fill=-7).op
    tiling = tiling_of(op, (1, 6, 12, 32, *kernel_of(op).bounds[4:]))
    assert not refusal(tiling)
    x, w, scale, bias, out = tiling.tiles
    assert (x.shape, w.shape) == ((1, 8, 13, 30), (32, 512))
    assert (scale.shape, bias.shape, out.shape) == ((32,), (32,), (1, 6, 12, 32))
    assert x.fill == IntegerAttr(-7, i8)


@pytest.mark.parametrize(
    ("kind", "dim"), [(ConvKind.DENSE, 6), (ConvKind.DENSE, 7), (ConvKind.DEPTHWISE, 3), (ConvKind.POINTWISE, 6)]
)
def test_what_cannot_be_cut_is_not(kind: ConvKind, dim: int):
    op = build(kind, (1, 6, 6, 60), 64).op
    sizes = list(kernel_of(op).bounds)
    sizes[dim] //= 2
    assert f"uses the index d{dim}" in refusal(tiling_of(op, sizes))
    with pytest.raises(Diagnostic, match="cannot be tiled so"):
        grid_of(tiling_of(op, sizes), "L1", [], [], [dim])


@pytest.mark.sample(8)
@given(cases(most=13), st.data())
@settings(SOME, max_examples=25)
def test_tiles_are_proved_and_run_by_the_registers(case: Case, data: st.DataObject):
    expected = result(case.module, case.inputs)
    parallel = 3 + (case.op.RANK == 4) if case.op.format.kind is not ConvKind.DEPTHWISE else 3
    bounds = kernel_of(case.op).bounds[: 2 if case.op.RANK == 2 else parallel]
    sizes = [data.draw(st.integers(max(1, bound // 3), bound)) for bound in bounds]
    whole = [0] * (len(kernel_of(case.op).bounds) - len(sizes))
    case.op.attributes["hier.sizes"] = ints([*sizes, *whole])
    machine = f"attach-machine{{target={MACHINE}}},map-engines"
    run(case.module, f"bufferize,{machine},plan-memory{{time-budget=0}},verify-memory")
    (grid,) = (op for op in case.module.walk() if isinstance(op, GridOp))
    assert sorted(grid.bounds) == sorted(-(-b // s) for b, s in zip(bounds, sizes, strict=True) if s < b)
    np.testing.assert_array_equal(result(case.module, case.inputs), expected)
    run(case.module, "expand-grid,pipeline-dma,verify-memory,attach-machine{target=siracusa},lower-to-npu")
    assert not any(isinstance(op, NpuKernelOp) for op in case.module.walk())
    np.testing.assert_array_equal(result(case.module, case.inputs), expected)


def test_outlined_kernels_are_lowered_too():
    case = build(ConvKind.DENSE, (2, 9, 9, 30), 40, pads=(1, 1, 1, 1))
    expected = result(case.module, case.inputs)
    machine = f"attach-machine{{target={MACHINE}}},map-engines"
    run(case.module, f"bufferize,{machine},plan-memory,expand-grid,outline-kernels,lower-to-npu,canonicalize,cse")
    np.testing.assert_array_equal(result(case.module, case.inputs), expected)


def test_products_count_once_whatever_their_bits():
    dense = build(ConvKind.DENSE, (1, 9, 9, 30), 40, pads=(1, 1, 1, 1), bits=3, offset=-4)
    assert dense.op.multiply_accumulates == 9 * 9 * 40 * 9 * 30
    assert build(ConvKind.DEPTHWISE, (1, 9, 9, 30), 30).op.multiply_accumulates == 7 * 7 * 30 * 9
    assert build(None, (6, 20), 40).op.multiply_accumulates == 6 * 20 * 40


def test_rows_fill_sub_tiles():
    for rows in range(1, 400):
        images = pixel_grids(rows)
        assert sum(height * width for height, width in images) == rows
        tiles = sum(-(-height // 6) * -(-width // 6) for height, width in images)
        assert tiles <= -(-rows // 36) + 1, rows
    assert pixel_grids(64) == [(4, 16)]
    assert pixel_grids(197) == [(6, 32), (1, 5)]


# Registers

JOB = """
builtin.module {
  func.func @network(%x: memref<6x6x32xi8, "L1">, %w: memref<8x32xi8, "WMEM">, %y: memref<6x6x8xi32, "L1">) {
BODY
    func.return
  }
}
"""
WORDS = {6: 32, 7: 192, 9: 32, 10: 32, 11: 192, 12: 32, 13: 32, 15: 8 << 16 | 32, 16: 6 << 16 | 6, 17: 6 << 16 | 6}
WORDS.update(
    {18: 1 << 16 | 1, 19: 1 << 16 | 1, 21: -128, 23: 7 | 2 << 5 | 1 << 9 | 1 << 15 | 2 << 21 | 1 << 23 | 1 << 26}
)


def program(*lines: str) -> ModuleOp:
    """Return a program of register operations; `REGISTERS` stands for all writes of one job."""
    addresses = [
        '%ax = npu.address %x : memref<6x6x32xi8, "L1">',
        '%aw = npu.address %w : memref<8x32xi8, "WMEM">',
        '%ay = npu.address %y : memref<6x6x8xi32, "L1">',
        f"%base = arith.constant {0x10400000} : i32",
        "%pw = arith.subi %aw, %base : i32",
    ]
    names = {0: "%pw", 1: "%ax", 2: "%ay"}
    constants = [f"%c{number} = arith.constant {WORDS.get(number, 0)} : i32" for number in range(3, 24)]
    writes = [f"npu.write {names.get(number, f'%c{number}')} {{index = {number}}}" for number in range(24)]
    body = [text for line in lines for text in (writes if line == "REGISTERS" else [line])]
    return parse_module(CONTEXT, JOB.replace("BODY", "\n".join([*addresses, *constants, *body])))


def arrays() -> list[Array]:
    """Return the operands of the program's job and its result."""
    random = np.random.default_rng(4)
    x = random.integers(-128, 128, (6, 6, 32)).astype(np.int8)
    weight = random.integers(-128, 128, (8, 32))
    packed = pack(ConvKind.POINTWISE, weight[:, :, None, None], 8, -128).view(np.int8)
    return [x, packed, np.zeros((6, 6, 8), np.int32), (x.astype(np.int64) @ weight.T).astype(np.int32)]


def test_a_job_runs_by_hand():
    *operands, expected = arrays()
    Interpreter(program("%j = npu.acquire", "REGISTERS", "npu.trigger", "npu.wait")).call("network", operands)
    np.testing.assert_array_equal(operands[2], expected)


def test_what_is_not_waited_for_is_not_there():
    *operands, expected = arrays()
    Interpreter(program("%j = npu.acquire", "REGISTERS", "npu.trigger")).call("network", operands)
    assert not np.array_equal(operands[2], expected)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["REGISTERS"], "without ACQUIRE"),
        (["npu.trigger"], "without ACQUIRE"),
        (["%j = npu.acquire", "%k = npu.acquire"], "before the one before it was triggered"),
        (["%j = npu.acquire", "npu.trigger", "npu.wait"], "does not support this job"),
    ],
)
def test_misuse_of_the_registers_is_refused(lines: list[str], message: str):
    with pytest.raises(Diagnostic, match=message):
        Interpreter(program(*lines)).call("network", arrays()[:3])


def test_buffers_larger_than_their_memory_are_refused():
    text = """
    func.func @network(%x: memref<300000xi8, "L1">) {
      %a = npu.address %x : memref<300000xi8, "L1">
      func.return
    }"""
    module = parse_module(CONTEXT, text)
    attach_machine(module, find_machine("siracusa"))
    with pytest.raises(Diagnostic, match="more buffers than its memory holds"):
        Interpreter(module).call("network", [np.zeros(300000, np.int8)])
