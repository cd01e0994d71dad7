"""Products and tables give what the code gave, for every byte and at every level down to C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.lowering.digital_line import line_through
from tilewright.runtime.interpreter.engine import Interpreter

pytestmark = pytest.mark.quick

CONTEXT = new_context()
KERNEL = """func.func @network(%x: memref<256xi8>, %y: memref<256x{type}> {{tilewright.output}}) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%x : memref<256xi8>) outs(%y : memref<256x{type}>) {{
  ^bb0(%a: i8, %b: {type}):
    %w = arith.{extend} %a : i8 to i64
    %m = arith.constant {factor} : i64
    %p = arith.muli %w, %m : i64
    %d = arith.constant {divisor} : i64
    %q = arith.{divide} %p, %d : i64
    %r = arith.trunci %q : i64 to {type}
    linalg.yield %r : {type}
  }}
  func.return
}}"""


def apply(module: ModuleOp, passes: str) -> None:
    for step in parse_pipeline(f"builtin.module({passes})", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)


def outputs(module: ModuleOp, dtype: str) -> Array:
    result = np.zeros(256, dtype)
    Interpreter(module).call("network", [np.arange(-128, 128).astype(np.int8), result])
    return result


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["extsi", "extui"]),
    st.sampled_from(["floordivsi", "divsi", "remsi"]),
    st.integers(-(1 << 40), 1 << 40),
    st.integers(1, 1 << 30),
    st.sampled_from(["i8", "i16", "i32"]),
)
@example("extsi", "floordivsi", 3, 7, "i8")
def test_every_byte(extend: str, divide: str, factor: int, divisor: int, type: str) -> None:
    text = KERNEL.format(extend=extend, divide=divide, factor=factor, divisor=divisor, type=type)
    module = parse_module(CONTEXT, text)
    dtype = f"int{type[1:]}"
    expected = outputs(module, dtype)
    apply(module, "tabulate")
    assert not any(op.name == f"arith.{divide}" for op in module.walk())
    np.testing.assert_array_equal(outputs(module, dtype), expected)
    apply(module, "convert-kernels-to-loops")
    assert not any(op.name.startswith(("quant.", "linalg.")) for op in module.walk())
    np.testing.assert_array_equal(outputs(module, dtype), expected)


BYTES = np.arange(-128, 128)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.integers(-(1 << 22), 1 << 22), st.integers(-(1 << 22), 1 << 22), st.integers(0, 22))
def test_a_line_is_found_where_there_is_one(factor: int, offset: int, shift: int) -> None:
    values = (BYTES * factor + offset) >> shift
    line = line_through(values)
    assert line is not None
    assert line.shift <= shift
    np.testing.assert_array_equal((BYTES * line.factor + line.offset) >> line.shift, values)


def test_a_bend_is_no_line() -> None:
    for values in (np.abs(BYTES), np.where(BYTES == 3, 9, BYTES), np.trunc(BYTES / 7), BYTES * (1 << 24)):
        assert line_through(np.asarray(values)) is None
