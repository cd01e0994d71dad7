"""Gatherings round rings: lowered programs give what the op gives, in any order of their steps."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.interleaving import Order
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module

ROUND = [(1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 1, 3), (2, 2, 1), (3, 2, 2), (2, 3, 1)]
"""Instances from which one gathers, their distance, rings along the coordinate."""


def gathering(count: int, stride: int, rings: int, along: int) -> ModuleOp:
    """Return a program that gathers along a coordinate and gives all copies back."""
    inner = f"d0 floordiv {2 * count} * {count * stride} + d1 floordiv 3"
    source = f"{inner} + d0 floordiv 2 mod {count} * {stride}"
    target = f"d1 floordiv {2 * count} * {count * stride} + d2 floordiv 3 + d0 * {stride}"
    rows, columns, all = 2 * count * rings, 3 * stride, count * stride * rings
    over = [2, all] if along else [all, 2]
    at, lead = ("0, ", "") if along else ("", ", 0")
    part = f'memref<{rows}x{columns}xi8, #hier.sharded<"NODE" over {over} (d0, d1) -> ({at}{source}{lead})>>'
    shape = f"{count}x{rows}x{columns}xi8"
    whole = f'memref<{shape}, #hier.sharded<"NODE" over {over} (d0, d1, d2) -> ({at}{target}{lead})>>'
    words = f"along {along} axis 0 by {stride} within {count * stride}"
    return parse_module(
        new_context(),
        f"""
        func.func @network(%x: memref<{rows}x{columns}xi8>, %y: memref<{shape}> {{tilewright.output}}) {{
          %part = memref.alloc() : {part}
          %all = memref.alloc() : {whole}
          memref.copy %x, %part : memref<{rows}x{columns}xi8> to {part}
          hier.all_gather %part to %all {words} : {part}, {whole}
          memref.copy %all, %y : {whole} to memref<{shape}>
          func.return
        }}
        """,
    )


@pytest.mark.sample(7)
@pytest.mark.parametrize("along", [0, 1])
@pytest.mark.parametrize(("count", "stride", "rings"), ROUND)
def test_each_instance_gathers_from_its_ring(count: int, stride: int, rings: int, along: int) -> None:
    module = gathering(count, stride, rings, along)
    draw = random.Random(count)
    x = np.array([draw.randrange(-128, 128) for _ in range(6 * count * rings * stride)], np.int8).reshape(
        -1, 3 * stride
    )
    expected = np.broadcast_to(x, (count, *x.shape))
    assert np.array_equal(run_module(module, {"arg0": x})["result0"], expected)
    PassManager().run(
        module, parse_pipeline("lower-sharded,allocate-sharded,fuse-programs", all_passes()), new_context()
    )
    verify_memory(module)
    for order in (Order(), Order(early=True), *map(Order, range(4))):
        assert np.array_equal(run_module(module, {"arg0": x}, interleave=order)["result0"], expected)
