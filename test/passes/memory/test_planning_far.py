"""What lies between two kernels and has no room in the far level is made tile by tile, even where that is slower."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import GridOp
from tilewright.ir import functions
from tilewright.passes.plan_memory import PlanLimits, plan_memory
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.test.machines.make import machine

ROOM = 8 * 8 + 3 * 32 * 8 + 3 * 32 * 32
"""Bytes of the operands and of what lies between kernels."""
NETWORK = """
func.func @network(%x: memref<32x8xi8>, %u: memref<8x8xi8>, %v: memref<8x32xi8>, %w: memref<32x32xi8>,
    %y: memref<32x32xi8>) {
  %s = memref.alloc() : memref<32x8xi8>
  %t = memref.alloc() : memref<32x32xi8>
  nn.matmul ins(%x, %u : memref<32x8xi8>, memref<8x8xi8>) outs(%s : memref<32x8xi8>) {accumulator = i8}
  nn.matmul ins(%s, %v : memref<32x8xi8>, memref<8x32xi8>) outs(%t : memref<32x32xi8>) {accumulator = i8}
  nn.matmul ins(%t, %w : memref<32x32xi8>, memref<32x32xi8>) outs(%y : memref<32x32xi8>) {accumulator = i8}
  func.return
}"""


def planned(far_bytes: int) -> tuple[ModuleOp, int]:
    """Return a plan for a far level of so many bytes, and its modelled cycles."""
    module = parse_module(new_context(), NETWORK)
    (function,) = functions(module)
    plan_memory(function, machine(800, l2=far_bytes), PlanLimits(time_budget=0.5))
    cycles = function.attributes["hier.modelled_cycles"]
    assert isinstance(cycles, IntegerAttr)
    return module, cycles.value.data


def test_what_has_no_room_is_not_made_whole() -> None:
    """The search keeps a fused group that the capacity asks for."""
    split, fast = planned(ROOM)
    together, slow = planned(ROOM - 4)
    assert [sum(isinstance(op, GridOp) for op in module.walk()) for module in (split, together)] == [3, 2]
    assert slow > fast
    random = np.random.RandomState(0)
    inputs = [random.randint(-8, 8, shape).astype(np.int8) for shape in ((32, 8), (8, 8), (8, 32), (32, 32))]
    results = [np.zeros((32, 32), np.int8) for _ in range(2)]
    for module, result in zip((split, together), results, strict=True):
        Interpreter(module).call("network", [*inputs, result])
    np.testing.assert_array_equal(results[0], results[1])
