"""A product and the sum that it is added to are what they were, as `arith`, as `cluster.mac` and in C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.convert_to_emitc import ConvertToEmitcPass
from tilewright.runtime.interpreter.boundary import run_module
from tilewright.targets.siracusa.passes.fuse_products import FuseProductsPass

pytestmark = pytest.mark.quick

CONTEXT = new_context()
WORDS = st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=8, max_size=8)
LOOP = """func.func @network(%x: memref<8xi32> {onnx.name = "x"}, %w: memref<8xi32> {onnx.name = "w"},
    %b: memref<8xi32> {onnx.name = "b"}, %y: memref<8xi32> {onnx.name = "y", tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %u = memref.load %x[%i] : memref<8xi32>
    %v = memref.load %w[%i] : memref<8xi32>
    %s = memref.load %b[%i] : memref<8xi32>
    %p = arith.muli %u, %v : i32
    %t = arith.addi %s, %p : i32
    memref.store %t, %y[%i] : memref<8xi32>
  }
  func.return
}"""


@pytest.mark.long
@settings(max_examples=4, deadline=None)
@given(WORDS, WORDS, WORDS)
@example([-(1 << 31)] * 8, [-(1 << 31)] * 8, [-1] * 8)
@example([46341] * 8, [46341] * 8, [(1 << 31) - 1] * 8)
def test_sums_wrap_around(x: list[int], w: list[int], b: list[int]) -> None:
    module = parse_module(CONTEXT, LOOP)
    inputs = {name: np.asarray(values, np.int32) for name, values in (("x", x), ("w", w), ("b", b))}
    wanted = np.asarray([u * v + s for u, v, s in zip(x, w, b, strict=True)], object) % 2**32
    for step, name in ((FuseProductsPass(), "cluster.mac"), (ConvertToEmitcPass("tw_cluster.h"), "tw_mac_i32")):
        step.apply(CONTEXT, module)
        assert name in str(module)
        y = run_module(module, inputs)["y"]
        np.testing.assert_array_equal(y.view(np.uint32), wanted.astype(np.uint32))
