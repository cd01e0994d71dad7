"""Affine loops, conditions and accesses in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter import run_module

pytestmark = pytest.mark.quick

PROGRAM = """
#even = affine_set<(d0) : (d0 mod 2 == 0)>
func.func @network(%m: memref<2x3xi32>, %n: index, %y: memref<3xi32> {tilewright.output})
    -> (index {onnx.name = "sum"}) {
  %sum = affine.for %i = -3 to 4 step 2 iter_args(%s = %n) -> (index) {
    affine.for %j = max affine_map<(d0) -> (d0, 0)>(%i) to min affine_map<(d0) -> (d0 + 2, 3)>(%i) {
      %v = affine.load %m[%i mod 2, (%j - 1) mod 3] : memref<2x3xi32>
      affine.store %v, %y[%j] : memref<3xi32>
    }
    %t = affine.apply affine_map<(d0, d1) -> (d0 + d1 floordiv 2)>(%s, %i)
    affine.yield %t : index
  }
  %r = "affine.if"(%n) ({
    affine.yield %sum : index
  }, {
    affine.yield %n : index
  }) {condition = #even} : (index) -> index
  func.return %r : index
}
"""


def results(number: int) -> dict[str, np.ndarray]:
    module = parse_module(new_context(), PROGRAM)
    return run_module(module, {"arg0": np.arange(6, dtype=np.int32).reshape(2, 3), "arg1": np.array(number)})


def test_loops_conditions_and_accesses() -> None:
    even, odd = results(-4), results(-5)
    expected = np.zeros(3, np.int32)
    for i in range(-3, 4, 2):
        for j in range(max(i, 0), min(i + 2, 3)):
            expected[j] = 3 * (i % 2) + (j - 1) % 3
    np.testing.assert_array_equal(even["result0"], expected)
    assert (even["sum"], odd["sum"]) == (-4 - 2 - 1 + 0 + 1, -5)


def test_accesses_out_of_bounds_are_errors() -> None:
    text = PROGRAM.replace("(%j - 1) mod 3", "%j + 1")
    with pytest.raises(Diagnostic, match="out of bounds"):
        run_module(parse_module(new_context(), text), {"arg0": np.zeros((2, 3), np.int32), "arg1": np.array(0)})


def test_a_view_without_axes_is_written_through() -> None:
    text = """
    func.func @network(%y: memref<2xi32> {tilewright.output}) {
      %v = arith.constant 7 : i32
      %e = memref.subview %y[1] [1] [1] : memref<2xi32> to memref<i32, strided<[], offset: 1>>
      memref.store %v, %e[] : memref<i32, strided<[], offset: 1>>
      func.return
    }"""
    assert run_module(parse_module(new_context(), text), {})["result0"].tolist() == [0, 7]
