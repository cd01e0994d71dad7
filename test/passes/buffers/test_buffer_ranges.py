"""What is said of the integers in buffers holds for what the interpreter computes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.analysis.intervals import Range
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import functions
from tilewright.passes.buffers.ranges import ranges_of
from tilewright.runtime.interpreter.boundary import run_module

pytestmark = pytest.mark.quick

EVERY_BYTE = np.arange(-128, 128).astype(np.int8)
WITH_CONSTANT = {
    "addi": st.integers(-300, 300),
    "subi": st.integers(-300, 300),
    "muli": st.integers(-9, 9),
    "minsi": st.integers(-200, 200),
    "maxsi": st.integers(-200, 200),
    "minui": st.integers(-5, 200),
    "maxui": st.integers(-5, 200),
    "shrsi": st.integers(0, 9),
    "shrui": st.integers(0, 9),
    "andi": st.integers(-40, 40),
}


@st.composite
def codes(draw: st.DrawFn) -> str:
    """Draw scalar code from the i8 %in to an i8."""
    lines = [f"%v0 = arith.{draw(st.sampled_from(['extsi', 'extui']))} %in : i8 to i32"]
    count = draw(st.integers(1, 5))
    for number in range(count):
        name = draw(st.sampled_from(sorted(WITH_CONSTANT)))
        lines += [
            f"%c{number} = arith.constant {draw(WITH_CONSTANT[name])} : i32",
            f"%w{number} = arith.{name} %v{number}, %c{number} : i32",
        ]
        other = draw(st.integers(0, number))
        value = f"%w{number}" if draw(st.booleans()) else f"%v{other}"
        lines.append(f"%v{number + 1} = arith.select %t, %w{number}, {value} : i32")
    return "\n".join([*lines, f"%narrow = arith.trunci %v{count} : i32 to i8", "linalg.yield %narrow : i8"])


def generic(code: str, source: str, target: str) -> str:
    return f"""
  linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}}
      ins({source} : memref<256xi8>) outs({target} : memref<256xi8>) {{
  ^bb0(%in: i8, %out: i8):
    %zero = arith.constant 0 : i8
    %t = arith.cmpi slt, %in, %zero : i8
    {code}
  }}"""


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(codes(), codes())
def test_kernels_one_after_the_other(first: str, second: str) -> None:
    module = parse_module(
        new_context(),
        f"""func.func @f(%x: memref<256xi8>, %z: memref<256xi8> {{tilewright.output}},
    %y: memref<256xi8> {{tilewright.output}}) {{
  %a = memref.alloc() : memref<256xi8>
  {generic(first, "%x", "%a")}
  %b = memref.alloc() : memref<256xi8>
  {generic(second, "%a", "%b")}
  "memref.copy"(%a, %z) : (memref<256xi8>, memref<256xi8>) -> ()
  "memref.copy"(%b, %y) : (memref<256xi8>, memref<256xi8>) -> ()
  func.return
}}""",
    )
    (function,) = functions(module)
    held = ranges_of(function, module)
    of_a, of_b = (held(op.results[0]) for op in function.walk() if op.name == "memref.alloc")
    for found, told in zip(run_module(module, {"arg0": EVERY_BYTE}, function="f").values(), (of_a, of_b), strict=True):
        assert told is None or Range.of_array(found) in told


def test_a_border_that_a_kernel_fills() -> None:
    module = parse_module(
        new_context(),
        """
"memref.global"() <{sym_name = "some", sym_visibility = "private", type = memref<1x2x2x1xi8>,
  initial_value = dense<3> : tensor<1x2x2x1xi8>, constant}> : () -> ()
func.func @f(%y: memref<1x4x4x1xi8> {tilewright.output}) {
  %some = memref.get_global @some : memref<1x2x2x1xi8>
  %pooled = memref.alloc() : memref<1x4x4x1xi8>
  nn.pool ins(%some : memref<1x2x2x1xi8>) outs(%pooled : memref<1x4x4x1xi8>)
    {kind = "max", window = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
     pads = array<i64: 1, 1, 1, 1>, accumulator = i8, channels_last}
  "memref.copy"(%pooled, %y) : (memref<1x4x4x1xi8>, memref<1x4x4x1xi8>) -> ()
  func.return
}""",
    )
    (function,) = functions(module)
    (pooled,) = (op.results[0] for op in function.walk() if op.name == "memref.alloc")
    told = ranges_of(function, module)(pooled)
    (found,) = run_module(module, {}, function="f").values()
    assert told is not None
    assert Range.of_array(found) in told


KERNELS = """
"memref.global"() <{sym_name = "some", sym_visibility = "private", type = memref<1x4x4x2xi8>,
  initial_value = dense<3> : tensor<1x4x4x2xi8>, constant}> : () -> ()
"memref.global"() <{sym_name = "state", sym_visibility = "private", type = memref<1x4x4x2xi8>,
  initial_value = dense<3> : tensor<1x4x4x2xi8>}> : () -> ()
func.func @f(%x: memref<1x4x4x2xi8>, %i: index, %n: i1) {
  %some = memref.get_global @some : memref<1x4x4x2xi8>
  %state = memref.get_global @state : memref<1x4x4x2xi8>
  %padded = memref.alloc() : memref<1x6x4x2xi8>
  %minus = arith.constant -5 : i8
  linalg.fill ins(%minus : i8) outs(%padded : memref<1x6x4x2xi8>)
  %inner = memref.subview %padded[0, 1, 0, 0] [1, 4, 4, 2] [1, 1, 1, 1]
    : memref<1x6x4x2xi8> to memref<1x4x4x2xi8, strided<[48, 8, 2, 1], offset: 8>>
  "memref.copy"(%some, %inner)
    : (memref<1x4x4x2xi8>, memref<1x4x4x2xi8, strided<[48, 8, 2, 1], offset: 8>>) -> ()
  %pooled = memref.alloc() : memref<1x3x2x2xi8>
  nn.pool ins(%padded : memref<1x6x4x2xi8>) outs(%pooled : memref<1x3x2x2xi8>)
    {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
     pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  %summed = memref.alloc() : memref<1x3x2x2xi8>
  nn.pool ins(%padded : memref<1x6x4x2xi8>) outs(%summed : memref<1x3x2x2xi8>)
    {kind = "sum", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
     pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  %stored = memref.alloc() : memref<1x4x4x2xi8>
  "memref.copy"(%some, %stored) : (memref<1x4x4x2xi8>, memref<1x4x4x2xi8>) -> ()
  scf.if %n {
    memref.store %minus, %stored[%i, %i, %i, %i] : memref<1x4x4x2xi8>
  }
  func.return
}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("some", Range(3, 3)),
        ("state", None),
        ("padded", Range(-5, 3)),
        ("inner", Range(-5, 3)),
        ("pooled", Range(-5, 3)),
        ("summed", None),
        ("stored", None),
        ("x", None),
    ],
)
def test_buffers(name: str, expected: Range | None) -> None:
    module = parse_module(new_context(), KERNELS)
    (function,) = functions(module)
    values = {*function.args, *(result for op in function.walk() for result in op.results)}
    (value,) = (value for value in values if value.name_hint == name)
    assert ranges_of(function, module)(value) == expected
