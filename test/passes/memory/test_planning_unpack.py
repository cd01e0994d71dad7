"""Kernels that divide an index, planned: weights that are unpacked for the kernel after them, and enlarged images."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn.unpack import packed_shape
from tilewright.test.passes.plans import check_plan
from tilewright.test.random.networks.integers import examples

CONTEXT = new_context()
MACHINE = find_machine("siracusa/cluster")
ROOMS = st.sampled_from([128, 512, 2048, 16384])


def run(text: str, level_bytes: int, *, double_buffered: bool) -> None:
    """Check the plan of a function."""
    module = parse_module(CONTEXT, text)
    verify(module)
    check_plan(module, MACHINE, level_bytes, double_buffered=double_buffered)


def memref(*shape: int, element: str = "i8") -> str:
    return f"memref<{'x'.join(map(str, shape))}x{element}>"


@pytest.mark.nightly
@examples(2)
@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 13),
    st.integers(1, 8),
    st.sampled_from([1, 3]),
    st.sampled_from([2, 4]),
    ROOMS,
    st.booleans(),
    st.booleans(),
)
@example(2, 3, 13, 8, 3, 4, 128, True, False)
@example(2, 3, 13, 8, 3, 4, 128, True, True)
@example(1, 1, 13, 1, 3, 4, 128, True, False)
def test_weights_for_a_convolution(
    height: int,
    width: int,
    depth: int,
    features: int,
    taps: int,
    bits: int,
    room: int,
    double_buffered: bool,
    reads_packed: bool,
) -> None:
    x, w = memref(1, height, width, depth), memref(features, taps, taps, depth)
    p, o = memref(*packed_shape((features, taps, taps, depth), bits)), memref(1, height, width, features, element="i32")
    pads = ", ".join([str(taps // 2)] * 4)
    unpack = f"%w = memref.alloc() : {w}\nnn.unpack ins(%p : {p}) outs(%w : {w}) {{bits = {bits} : i64}}"
    weights, packing = ("%p", f", weight_bits = {bits} : i64") if reads_packed else ("%w", "")
    text = f"""func.func @network(%x: {x}, %p: {p}, %o: {o} {{tilewright.output}}) {{
      {"" if reads_packed else unpack}
      nn.conv ins(%x, {weights} : {x}, {p if reads_packed else w}) outs(%o : {o}) {{strides = array<i64: 1, 1>,
        dilations = array<i64: 1, 1>, pads = array<i64: {pads}>, groups = 1 : i64, accumulator = i32,
        channels_last{packing}}}
      func.return }}"""
    run(text, room, double_buffered=double_buffered)


@examples(8)
@given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), st.integers(2, 3), ROOMS, st.booleans())
@example(20, 3, 4, 2, 128, True)
def test_enlarged_images(channels: int, height: int, width: int, factor: int, room: int, double_buffered: bool) -> None:
    x, y = memref(channels, height, width), memref(channels, height * factor, width * factor)
    maps = f"affine_map<(c, h, w) -> (c, h floordiv {factor}, w floordiv {factor})>, affine_map<(c, h, w) -> (c, h, w)>"
    text = f"""func.func @network(%x: {x}, %y: {y} {{tilewright.output}}) {{
      linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%x : {x}) outs(%y : {y}) {{
      ^bb0(%a: i8, %b: i8):
        linalg.yield %a : i8
      }}
      func.return }}"""
    run(text, room, double_buffered=double_buffered)
