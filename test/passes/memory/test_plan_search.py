"""Residency in the search over windows of kernels."""

from __future__ import annotations

from collections.abc import Set

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.memref import AllocOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import functions
from tilewright.passes.memory.candidates import Candidates
from tilewright.passes.memory.layers import Layers
from tilewright.passes.plan_memory import PlanLimits, plan_memory
from tilewright.test.machines.make import machine


def _chain(first: str, second: str) -> ModuleOp:
    """Return three products, and their intermediates with these attributes."""
    return parse_module(
        new_context(),
        f"""
        func.func @network(%x: memref<32x32xi8>, %u: memref<32x16xi8>, %v: memref<16x32xi8>, %w: memref<32x32xi8>,
            %y: memref<32x32xi8>) {{
          %s = memref.alloc() {{{first}}} : memref<32x16xi8>
          %t = memref.alloc() {{{second}}} : memref<32x32xi8>
          nn.matmul ins(%x, %u : memref<32x32xi8>, memref<32x16xi8>) outs(%s : memref<32x16xi8>) {{accumulator = i8}}
          nn.matmul ins(%s, %v : memref<32x16xi8>, memref<16x32xi8>) outs(%t : memref<32x32xi8>) {{accumulator = i8}}
          nn.matmul ins(%t, %w : memref<32x32xi8>, memref<32x32xi8>) outs(%y : memref<32x32xi8>) {{accumulator = i8}}
          func.return
        }}""",
    )


FAR, NEAR = "hier.keep = false", "hier.keep = true"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("size", "first", "second", "near"),
    [
        (1800, "", "", [True, True]),
        (1800, FAR, "", [False, True]),
        (1600, "", "", [True, False]),
        (1600, "", NEAR, [False, True]),
    ],
)
def test_the_search_tries_no_residency_against_a_pin(
    size: int, first: str, second: str, near: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An intermediate that cannot be resident is so in no candidate, although that would be faster."""
    module, options, tried = _chain(first, second), Layers.options, set[int]()

    def recorded(self: Layers, first: int, count: int, resident: Set[int]) -> Candidates:
        tried.update(resident)
        return options(self, first, count, resident)

    monkeypatch.setattr(Layers, "options", recorded)
    (function,) = functions(module)
    plan_memory(function, machine(size), PlanLimits(time_budget=0.5))
    types = [str(op.results[0].type) for op in module.walk() if isinstance(op, AllocOp)]
    assert ['"L1"' in each for each in types] == near
    assert tried == ({1} if first == FAR else {0, 1})
