"""Regions of several blocks: branches, block arguments, loops by blocks, assertions."""

from __future__ import annotations

import random
from math import gcd

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import run_module
from tilewright.test.runtime.interpreter.support import given, module, run

pytestmark = pytest.mark.quick

GCD = """
func.func @network(%a: i32, %b: i32) -> i32 {
  cf.br ^head(%a, %b : i32, i32)
^head(%x: i32, %y: i32):
  %zero = arith.constant 0 : i32
  %more = arith.cmpi ne, %y, %zero : i32
  cf.cond_br %more, ^body, ^done(%x : i32)
^body:
  %r = arith.remui %x, %y : i32
  cf.br ^head(%y, %r : i32, i32)
^unreachable:
  cf.br ^head(%y, %y : i32, i32)
^done(%d: i32):
  func.return %d : i32
}"""

SWITCH = """
func.func @network(%flag: i8) -> (i32, i32) {
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  cf.switch %flag : i8, [
    default: ^one(%c10 : i32),
    -1: ^two(%c20, %c10 : i32, i32),
    100: ^none,
    3: ^one(%c20 : i32)
  ]
^none:
  func.return %c10, %c10 : i32, i32
^one(%x: i32):
  func.return %x, %x : i32, i32
^two(%y: i32, %z: i32):
  func.return %y, %z : i32, i32
}"""

EXECUTE_REGION = """
func.func @network(%a: i32, %b: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    %less = arith.cmpi slt, %a, %b : i32
    cf.cond_br %less, ^low, ^high
  ^low:
    scf.yield %a : i32
  ^high:
    scf.yield %b : i32
  }
  func.return %r : i32
}"""


@pytest.mark.parametrize(("a", "b"), [(12, 18), (7, 0), (0, 7), (35, 64)])
def test_a_loop_of_blocks(a: int, b: int):
    assert run(GCD, arg0=np.int32(a), arg1=np.int32(b)) == [gcd(a, b)]


@pytest.mark.parametrize(("flag", "results"), [(-1, [20, 10]), (100, [10, 10]), (3, [20, 20]), (4, [10, 10])])
def test_a_switch(flag: int, results: list[int]):
    assert run(SWITCH, arg0=np.int8(flag)) == results


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 1)])
def test_blocks_inside_of_an_op(a: int, b: int):
    assert run(EXECUTE_REGION, arg0=np.int32(a), arg1=np.int32(b)) == [1]


def test_values_are_exchanged_at_once():
    """The arguments of a block are assigned together, as in the loop that swaps them."""
    text = """
func.func @network(%a: i32, %b: i32, %n: i32) -> (i32, i32) {
  %one = arith.constant 1 : i32
  cf.br ^head(%a, %b, %n : i32, i32, i32)
^head(%x: i32, %y: i32, %i: i32):
  %j = arith.subi %i, %one : i32
  %zero = arith.constant 0 : i32
  %more = arith.cmpi sge, %j, %zero : i32
  cf.cond_br %more, ^head(%y, %x, %j : i32, i32, i32), ^done
^done:
  func.return %x, %y : i32, i32
}"""
    assert run(text, arg0=np.int32(5), arg1=np.int32(6), arg2=np.int32(3)) == [6, 5]


def test_an_assertion():
    text = """
func.func @network(%a: i1) -> i1 {
  cf.assert %a, "a is set"
  func.return %a : i1
}"""
    assert run(text, arg0=np.bool_(True)) == [True]
    with pytest.raises(Diagnostic, match="an assertion does not hold: a is set") as error:
        run(text, arg0=np.bool_(False))
    assert error.value.where.startswith("test.mlir:3")


def _structured(draw: random.Random) -> str:
    """Return a program of nested scf loops and branches over carried integers."""
    lines = [
        "func.func @network(%a: i32, %b: i32) -> (i32, i32) {",
        *(f"%c{n} = arith.constant {n} : index" for n in range(5)),
    ]
    numbers = iter(range(1000))

    def body(x: str, y: str, depth: int) -> tuple[str, str]:
        for _ in range(draw.randint(1, 3)):
            name, kind = f"%v{next(numbers)}", draw.choice(["op", "op", "if", "for"] if depth < 2 else ["op"])
            if kind == "op":
                lines.append(f"{name} = arith.{draw.choice(['addi', 'subi', 'muli', 'xori'])} {x}, {y} : i32")
                x, y = draw.choice([(name, y), (x, name), (name, x)])
                continue
            if kind == "if":
                order = draw.choice(["slt", "uge", "ne"])
                lines.extend(
                    (f"{name}c = arith.cmpi {order}, {x}, {y} : i32", f"{name}:2 = scf.if {name}c -> (i32, i32) {{")
                )
                lines.append(f"scf.yield {', '.join(body(x, y, depth + 1))} : i32, i32")
                lines.append("} else {")
                lines.append(f"scf.yield {', '.join(body(y, x, depth + 1))} : i32, i32")
            else:
                upper, step = draw.randint(0, 4), draw.randint(1, 3)
                lines.append(
                    f"{name}:2 = scf.for {name}i = %c0 to %c{upper} step %c{step} "
                    f"iter_args({name}x = {x}, {name}y = {y}) -> (i32, i32) {{"
                )
                lines.append(f"scf.yield {', '.join(body(name + 'x', name + 'y', depth + 1))} : i32, i32")
            lines.append("}")
            x, y = f"{name}#0", f"{name}#1"
        return x, y

    x, y = body("%a", "%b", 0)
    return "\n".join([*lines, f"func.return {x}, {y} : i32, i32", "}"])


def _lowered(text: str) -> ModuleOp:
    parsed = module(text)
    pipeline = parse_pipeline("builtin.module(convert-scf-to-cf)", all_passes())
    PassManager().run(parsed, pipeline, new_context())
    assert not [op for op in parsed.walk() if op.name.startswith("scf.")]
    return parsed


def test_structured_programs_and_their_blocks():
    """Random nests of loops and branches give the same numbers before and after `convert-scf-to-cf`."""
    draw = random.Random(7)
    for _ in range(8):
        text = _structured(draw)
        inputs = given({"arg0": np.int32(draw.randint(-9, 9)), "arg1": np.int32(draw.randint(-(2**31), 2**31 - 1))})
        expected = run_module(module(text), inputs)
        assert run_module(_lowered(text), inputs) == expected, text
