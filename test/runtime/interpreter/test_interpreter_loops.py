"""Loop nests run vectorised against the same loops run op by op, and the facts that vectorising relies on."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.interpreter import control, lanes, random_inputs, run_module
from tilewright.runtime.interpreter.facts import NestFacts
from tilewright.test.runtime.interpreter.support import module, run

pytestmark = pytest.mark.quick


@contextmanager
def op_by_op() -> Generator[None]:
    """Run loops without vectorising."""
    with patch.object(control, "run_nest", return_value=None):
        yield


def results(text: str, seed: int) -> tuple[list[Array], list[Array]]:
    """Return what a text computes vectorised and op by op."""
    parsed = module(text)
    inputs = random_inputs(parsed, seed)
    fast = run_module(parsed, inputs)
    with op_by_op():
        slow = run_module(parsed, inputs)
    return list(fast.values()), list(slow.values())


def check(text: str, seed: int = 0) -> None:
    fast, slow = results(text, seed)
    assert fast, "the program has no outputs to compare"
    for a, b in zip(fast, slow, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


CONSTANTS = "\n".join(f"%c{i} = arith.constant {i} : index" for i in range(-2, 17)).replace("%c-", "%m")

CONV = """func.func @network(%x: memref<{c}x{h}x{w}x{t}>, %k: memref<{f}x{c}x3x3x{t}>,
                             %o: memref<{f}x{oh}x{ow}xi32> {{tilewright.output}}) {{
  {constants}
  %zero = arith.constant 0 : i32
  %stride = arith.constant {stride} : index
  %h = arith.constant {h} : index
  %w = arith.constant {w} : index
  scf.for %f = %c0 to %c{f} step %c1 {{
    scf.for %y = %c0 to %c{oh} step %c1 {{
      %y0 = arith.muli %y, %stride : index
      %ya = arith.subi %c1, %y0 : index
      %ylow = arith.maxsi %ya, %c0 : index
      %yb = arith.addi %h, %c1 : index
      %yc = arith.subi %yb, %y0 : index
      %yhigh = arith.minsi %yc, %c3 : index
      scf.for %z = %c0 to %c{ow} step %c1 {{
        %z0 = arith.muli %z, %stride : index
        %za = arith.subi %c1, %z0 : index
        %zlow = arith.maxsi %za, %c0 : index
        %zb = arith.addi %w, %c1 : index
        %zc = arith.subi %zb, %z0 : index
        %zhigh = arith.minsi %zc, %c3 : index
        %total = scf.for %c = %c0 to %c{c} step %c1 iter_args(%a0 = %zero) -> (i32) {{
          %s0 = scf.for %ky = %ylow to %yhigh step %c1 iter_args(%a1 = %a0) -> (i32) {{
            %s1 = scf.for %kz = %zlow to %zhigh step %c1 iter_args(%a2 = %a1) -> (i32) {{
              %iy0 = arith.addi %y0, %ky : index
              %iy = arith.subi %iy0, %c1 : index
              %iz0 = arith.addi %z0, %kz : index
              %iz = arith.subi %iz0, %c1 : index
              %v = memref.load %x[%c, %iy, %iz] : memref<{c}x{h}x{w}x{t}>
              %q = memref.load %k[%f, %c, %ky, %kz] : memref<{f}x{c}x3x3x{t}>
              %v1 = arith.{extend} %v : {t} to i32
              %q1 = arith.extsi %q : {t} to i32
              {combine}
              scf.yield %s : i32
            }}
            scf.yield %s1 : i32
          }}
          scf.yield %s0 : i32
        }}
        memref.store %total, %o[%f, %y, %z] : memref<{f}x{oh}x{ow}xi32>
      }}
    }}
  }}
  func.return
}}"""

COMBINE = [
    "%p = arith.muli %v1, %q1 : i32\n%s = arith.addi %a2, %p : i32",
    "%p = arith.muli %v1, %q1 : i32\n%s = arith.maxsi %p, %a2 : i32",
    "%p = arith.subi %v1, %q1 : i32\n%s = arith.minsi %a2, %p : i32",
    "%p = arith.xori %v1, %q1 : i32\n%s = arith.muli %a2, %p : i32",
    "%p = arith.muli %v1, %q1 : i32\n%s = arith.subi %a2, %p : i32",
    "%p = arith.muli %v1, %a2 : i32\n%s = arith.addi %q1, %p : i32",
]


@pytest.mark.sample(13)
@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(COMBINE), st.integers(0, 2**32), st.sampled_from([1 << 22, 40]))
def test_convolutions_with_clamped_windows(data: st.DataObject, combine: str, seed: int, largest: int):
    draw = data.draw
    h, w, stride = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(1, 2))
    sizes = {"c": draw(st.integers(1, 3)), "f": draw(st.integers(1, 3)), "h": h, "w": w, "stride": stride}
    sizes |= {"oh": (h - 1) // stride + 1, "ow": (w - 1) // stride + 1}
    extend = draw(st.sampled_from(["extsi", "extui"]))
    text = CONV.format(**sizes, t="i8", extend=extend, combine=combine, constants=CONSTANTS)
    with patch.object(lanes, "LARGEST", largest):
        check(text, seed)


BINARY = ["addi", "subi", "muli", "maxsi", "minsi", "xori", "andi", "ori", "shrsi", "divsi"]


@st.composite
def programs(draw: Any) -> str:
    """
    Two nested loops over two memrefs, of which one lies in the other's buffer, with loads and stores at random places.

    Most of them have loops that depend on their earlier iterations.
    """
    lines: list[str] = []
    values = ["%s"]
    for i in range(draw(st.integers(1, 4))):
        index = draw(st.sampled_from(["%i", "%j", "%ij", "%i1", "%c0", "%j1"]))
        other = draw(st.sampled_from(["%i", "%j", "%c1", "%j1"]))
        if draw(st.booleans()):
            source = draw(st.sampled_from(["%a", "%b"]))
            lines.append(f"%l{i} = memref.load {source}[{index}, {other}] : memref<8x8xi16>")
            values.append(f"%l{i}")
        op = draw(st.sampled_from(BINARY))
        lines.append(f"%v{i} = arith.{op} {draw(st.sampled_from(values))}, {draw(st.sampled_from(values))} : i16")
        values.append(f"%v{i}")
        if draw(st.booleans()):
            target = draw(st.sampled_from(["%a", "%b"]))
            lines.append(f"memref.store %v{i}, {target}[{index}, {other}] : memref<8x8xi16>")
    carried = draw(st.booleans())
    upper = draw(st.sampled_from(["%c4", "%c0", "%i", "%i1"]))
    body = "\n".join(lines)
    inner = (
        f"""%r = scf.for %j = %c0 to {upper} step %c1 iter_args(%s = %start) -> (i16) {{
          {INDICES} {body}
          scf.yield {values[-1]} : i16 }}
        memref.store %r, %b[%i, %c7] : memref<8x8xi16>"""
        if carried
        else f"""scf.for %j = %c0 to {upper} step %c1 {{
          %s = arith.index_cast %j : index to i16
          {INDICES} {body} }}"""
    )
    shift = draw(st.sampled_from([0, 2, 16, 34, 128]))
    return f"""func.func @network(%in: memref<256xi8>, %out: memref<256xi8> {{tilewright.output}}) {{
      {CONSTANTS}
      %start = arith.constant 5 : i16
      %shift = arith.constant {shift} : index
      "memref.copy"(%in, %out) : (memref<256xi8>, memref<256xi8>) -> ()
      %a = memref.view %out[%c0][] : memref<256xi8> to memref<8x8xi16>
      %b = memref.view %out[%shift2][] : memref<256xi8> to memref<8x8xi16>
      scf.for %i = %c0 to %c4 step %c1 {{
        {inner}
      }}
      func.return }}""".replace("%shift2", "%shift" if shift <= 128 else "%c0")


INDICES = """%ij = arith.addi %i, %j : index
          %i1 = arith.addi %i, %c1 : index
          %j1 = arith.addi %j, %c2 : index"""


@pytest.mark.sample(47)
@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(programs(), st.integers(0, 2**32))
def test_loops_that_may_depend_on_each_other(text: str, seed: int):
    if "to %i1 step" in text:
        text = text.replace("%r = scf.for %j", "%i1 = arith.addi %i, %c1 : index\n%r = scf.for %j", 1)
        text = text.replace("        scf.for %j", "        %i1 = arith.addi %i, %c1 : index\n        scf.for %j", 1)
        text = text.replace(INDICES, INDICES.replace("%i1 = arith.addi %i, %c1 : index\n", ""), 1)
    check(text, seed)


def test_a_branch_that_differs_between_lanes_masks_loads_and_stores():
    check(f"""func.func @network(%x: memref<8xi8>, %o: memref<8xi8> {{tilewright.output}}) {{
      {CONSTANTS}
      %zero = arith.constant 0 : i8
      scf.for %i = %c0 to %c8 step %c1 {{
        %j = arith.subi %i, %c3 : index
        %inside = arith.cmpi sge, %j, %c0 : index
        %v = scf.if %inside -> (i8) {{
          %l = memref.load %x[%j] : memref<8xi8>
          scf.yield %l : i8
        }} else {{
          scf.yield %zero : i8
        }}
        scf.if %inside {{
          memref.store %v, %o[%j] : memref<8xi8>
        }}
      }}
      func.return }}""")


def test_loops_with_steps_and_bounds_that_differ_between_lanes():
    check(f"""func.func @network(%x: memref<16xi32>, %o: memref<8xi32> {{tilewright.output}}) {{
      {CONSTANTS}
      %zero = arith.constant 0 : i32
      scf.for %i = %c0 to %c8 step %c2 {{
        %r = scf.for %j = %i to %c16 step %c3 iter_args(%a = %zero) -> (i32) {{
          %v = memref.load %x[%j] : memref<16xi32>
          %s = arith.addi %a, %v : i32
          scf.yield %s : i32
        }}
        memref.store %r, %o[%i] : memref<8xi32>
      }}
      func.return }}""")


def test_a_maximum_over_no_iterations_is_the_initial_value():
    text = f"""func.func @network(%x: memref<4xi8>, %o: memref<4xi8> {{tilewright.output}}) {{
      {CONSTANTS}
      %low = arith.constant -7 : i8
      scf.for %i = %c0 to %c4 step %c1 {{
        %r = scf.for %j = %c0 to %i step %c1 iter_args(%a = %low) -> (i8) {{
          %v = memref.load %x[%j] : memref<4xi8>
          %s = arith.maxsi %a, %v : i8
          scf.yield %s : i8
        }}
        memref.store %r, %o[%i] : memref<4xi8>
      }}
      func.return }}"""
    assert run(text, arg0=[-100, 3, -5, 9])[0].tolist() == [-7, -7, 3, 3]


def test_two_values_carried_through_loops_at_once():
    check(f"""func.func @network(%x: memref<4x8xi32>, %o: memref<4x2xi32> {{tilewright.output}}) {{
      {CONSTANTS}
      %zero = arith.constant 0 : i32
      scf.for %i = %c0 to %c4 step %c1 {{
        %r:2 = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %zero, %b = %zero) -> (i32, i32) {{
          %v = memref.load %x[%i, %j] : memref<4x8xi32>
          %p = arith.muli %v, %v : i32
          %s = arith.addi %a, %v : i32
          %t = arith.addi %p, %b : i32
          scf.yield %s, %t : i32, i32
        }}
        memref.store %r#0, %o[%i, %c0] : memref<4x2xi32>
        memref.store %r#1, %o[%i, %c1] : memref<4x2xi32>
      }}
      func.return }}""")


SHIFTED = f"""func.func @network(%x: memref<8xi32>, %o: memref<8xi32> {{tilewright.output}}) {{
  {CONSTANTS}
  "memref.copy"(%x, %o) : (memref<8xi32>, memref<8xi32>) -> ()
  scf.for %i = %c1 to %c8 step %c1 {{
    %before = arith.subi %i, %c1 : index
    %v = memref.load %o[%before] : memref<8xi32>
    %w = memref.load %o[%i] : memref<8xi32>
    %s = arith.addi %v, %w : i32
    memref.store %s, %o[%i] : memref<8xi32>
  }}
  func.return }}"""


def test_a_running_sum_is_not_vectorised():
    assert run(SHIFTED, arg0=np.arange(8))[0].tolist() == np.cumsum(np.arange(8)).tolist()


def test_the_loop_test_can_fail(monkeypatch: pytest.MonkeyPatch):
    def always(facts: NestFacts, loop: Any) -> bool:
        return True

    monkeypatch.setattr(NestFacts, "independent", always)
    assert run(SHIFTED, arg0=np.arange(8))[0].tolist() != np.cumsum(np.arange(8)).tolist()


PARTS = """
  func.func private @next(%x: memref<8xi32, strided<[1], offset: ?>>, %y: memref<8xi32, strided<[1], offset: ?>>) {{
    {constants}
    scf.for %i = %c0 to %c8 step %c1 {{
      %v = memref.load %x[%i] : memref<8xi32, strided<[1], offset: ?>>
      %w = arith.addi %v, %v : i32
      memref.store %w, %y[%i] : memref<8xi32, strided<[1], offset: ?>>
    }}
    func.return
  }}
  func.func @network(%x: memref<32xi32>, %o: memref<32xi32> {{tilewright.output}}) {{
    memref.copy %x, %o : memref<32xi32> to memref<32xi32>
    {parts}
    func.return
  }}"""


@pytest.mark.parametrize("places", [(24, 8, 9, 7), (8, 10, 0), (9, 7, 8), (8, 9, 24, 11)])
def test_a_loop_runs_again_on_buffers_that_lie_otherwise(places: tuple[int, ...]):
    """Whether its iterations depend on each other is another question each time."""
    kind = "memref<8xi32, strided<[1], offset: {}>>"
    parts = [
        f"""
    %x{place} = memref.subview %o[8] [8] [1] : memref<32xi32> to {kind.format(8)}
    %s{place} = memref.cast %x{place} : {kind.format(8)} to {kind.format("?")}
    %y{place} = memref.subview %o[{place}] [8] [1] : memref<32xi32> to {kind.format(place)}
    %t{place} = memref.cast %y{place} : {kind.format(place)} to {kind.format("?")}
    func.call @next(%s{place}, %t{place}) : ({kind.format("?")}, {kind.format("?")}) -> ()"""
        for place in dict.fromkeys(places)
    ]
    check(PARTS.format(constants=CONSTANTS, parts="".join(parts)))


def test_an_index_that_wraps_around_is_not_taken_for_a_sum():
    check(f"""func.func @network(%o: memref<8xi32> {{tilewright.output}}) {{
      {CONSTANTS}
      %big = arith.constant 120 : i8
      scf.for %i = %c0 to %c16 step %c1 {{
        %n = arith.index_cast %i : index to i8
        %s = arith.addi %n, %big : i8
        %u = arith.index_cast %s : i8 to index
        %k = arith.remui %u, %c8 : index
        %v = arith.index_cast %i : index to i32
        memref.store %v, %o[%k] : memref<8xi32>
      }}
      func.return }}""")


@pytest.mark.parametrize("index", ["%i", "%c9"])
def test_out_of_bounds_is_reported(index: str):
    text = f"""func.func @network(%x: memref<4xi8>, %o: memref<16xi8> {{tilewright.output}}) {{
      {CONSTANTS}
      scf.for %i = %c0 to %c16 step %c1 {{
        %v = memref.load %x[{index}] : memref<4xi8>
        memref.store %v, %o[%i] : memref<16xi8>
      }}
      func.return }}"""
    with pytest.raises(Diagnostic, match="out of bounds") as error:
        run(text, arg0=[0, 1, 2, 3])
    assert "test.mlir:" in str(error.value)


def test_a_loop_that_does_not_end_is_reported():
    text = f"""func.func @network(%o: memref<16xi8> {{tilewright.output}}) {{
      {CONSTANTS}
      scf.for %i = %c0 to %c16 step %c0 {{
      }}
      func.return }}"""
    with pytest.raises(Diagnostic, match="does not end"):
        run(text)


def test_a_convolution_of_two_million_products_takes_a_moment():
    """A bound that only vectorised loops keep: op by op this takes minutes."""
    import time

    sizes = {"c": 16, "f": 16, "h": 16, "w": 16, "stride": 1, "oh": 16, "ow": 16}
    text = CONV.format(**sizes, t="i8", extend="extsi", combine=COMBINE[0], constants=CONSTANTS)
    parsed = module(text)
    inputs = random_inputs(parsed, 0)
    start = time.process_time()
    run_module(parsed, inputs)
    assert time.process_time() - start < 20
