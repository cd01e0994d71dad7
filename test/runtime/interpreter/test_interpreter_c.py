"""The rules of `emitc`, in nests and one by one."""

from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.semantics import C_RULES
from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter import Interpreter, c_rules, random_inputs, run_module
from tilewright.runtime.interpreter.facts import NestFacts
from tilewright.test.runtime.interpreter.support import module, run

pytestmark = pytest.mark.quick

ROWS = """emitc.global static const @w : !emitc.array<4xi32> = dense<[1, -2, 3, 4]> {tilewright.alignment = 4 : i64}
emitc.func @rows(%x: !emitc.ptr<i8>, %o: !emitc.ptr<i32>) attributes {specifiers = ["static"]} {
  %0 = "emitc.constant"() <{value = 0 : i32}> : () -> i32
  %1 = "emitc.constant"() <{value = 1 : i32}> : () -> i32
  %4 = "emitc.constant"() <{value = 4 : i32}> : () -> i32
  %w = emitc.get_global @w : !emitc.array<4xi32>
  emitc.for %i = %0 to %4 step %1 : i32 {
    %acc = "emitc.variable"() <{value = 5 : i32}> : () -> !emitc.lvalue<i32>
    %most = "emitc.variable"() <{value = -1000 : i32}> : () -> !emitc.lvalue<i32>
    emitc.for %j = %0 to %4 step %1 : i32 {
      %a = emitc.load %acc : !emitc.lvalue<i32>
      %m = emitc.load %most : !emitc.lvalue<i32>
      %row = emitc.mul %i, %4 : (i32, i32) -> i32
      %at = emitc.add %row, %j : (i32, i32) -> i32
      %p = emitc.subscript %x[%at] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
      %v = emitc.load %p : !emitc.lvalue<i8>
      %q = emitc.subscript %w[%j] : (!emitc.array<4xi32>, i32) -> !emitc.lvalue<i32>
      %f = emitc.load %q : !emitc.lvalue<i32>
      %v32 = emitc.cast %v : i8 to i32
      %product = emitc.mul %v32, %f : (i32, i32) -> i32
      %sum = emitc.add %a, %product : (i32, i32) -> i32
      emitc.assign %sum : i32 to %acc : !emitc.lvalue<i32>
      %positive = emitc.cmp gt, %v, %0 : (i8, i32) -> i1
      emitc.if %positive {
        %larger = emitc.call_opaque "tw_max_i32"(%m, %v32) : (i32, i32) -> i32
        emitc.assign %larger : i32 to %most : !emitc.lvalue<i32>
      }
    }
    %s = emitc.load %acc : !emitc.lvalue<i32>
    %t = emitc.load %most : !emitc.lvalue<i32>
    %r = emitc.add %s, %t : (i32, i32) -> i32
    %y = emitc.subscript %o[%i] : (!emitc.ptr<i32>, i32) -> !emitc.lvalue<i32>
    emitc.assign %r : i32 to %y : !emitc.lvalue<i32>
  }
  emitc.return
}
emitc.func @network_run(%x: !emitc.array<16xi8> {onnx.name = "x", tilewright.shape = array<i64: 4, 4>},
                        %o: !emitc.array<4xi32> {onnx.name = "y",
                              tilewright.output, tilewright.shape = array<i64: 2, 2>}) {
  %x1 = emitc.cast %x : !emitc.array<16xi8> to !emitc.ptr<i8>
  %o1 = emitc.cast %o : !emitc.array<4xi32> to !emitc.ptr<i32>
  emitc.call @rows(%x1, %o1) : (!emitc.ptr<i8>, !emitc.ptr<i32>) -> ()
  emitc.return
}"""


@pytest.mark.parametrize("as_nest", [True, False])
def test_loops_over_variables(as_nest: bool):
    parsed = module(ROWS)
    x = random_inputs(parsed, 2)["x"]
    assert x.shape == (4, 4)
    if as_nest:
        result = run_module(parsed, {"x": x})["y"]
    else:
        with patch.object(c_rules, "_nest_of", return_value=None):
            result = run_module(parsed, {"x": x})["y"]
    wide = x.astype(np.int64)
    most = np.where(wide > 0, wide, -1000).max(axis=1)
    assert result.tolist() == (wide @ [1, -2, 3, 4] + 5 + most).reshape(2, 2).tolist()


def test_the_loop_is_a_nest():
    parsed = module(ROWS)
    loop = next(op for op in parsed.walk() if op.name == "emitc.for")
    assert c_rules._nest_of(loop) is not None  # pyright: ignore


def expression(op: str, types: tuple[str, str], result: str) -> str:
    return f"""emitc.func @network(%a: {types[0]}, %b: {types[1]}) -> {result} {{
      %r = emitc.{op} %a, %b : ({types[0]}, {types[1]}) -> {result}
      emitc.return %r : {result} }}"""


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["add", "sub", "mul", "div", "rem", "bitwise_and"]), st.integers(0, 2**32), st.booleans())
def test_operators_convert_their_operands_as_c_does(op: str, seed: int, unsigned: bool):
    types = ("ui32", "i32") if unsigned else ("i8", "i16")
    rng = np.random.default_rng(seed)
    a = int(rng.integers(0, 2**32)) if unsigned else int(rng.integers(-128, 128))
    b = int(rng.integers(1, 2**31)) if unsigned else int(rng.integers(1, 2**15)) * (-1) ** int(rng.integers(2))
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    expected = {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "div": quotient,
        "rem": a - b * quotient,
        "bitwise_and": a & b,
    }
    result = int(run(expression(op, types, "ui32" if unsigned else "i32"), arg0=a, arg1=b)[0])
    assert result == (expected[op] % 2**32 if unsigned else expected[op])


@pytest.mark.parametrize(
    ("body", "value", "expected"),
    [
        ("%r = emitc.cast %a : i32 to i8", 300, 44),
        ("%r = emitc.cast %a : i32 to ui8", -1, 255),
        ("%r = emitc.cast %a : i32 to i1", 2, 1),
        ("%r = emitc.cast %a : i32 to f32", 3, 3.0),
        ("%r = emitc.unary_minus %a : (i32) -> i32", 7, -7),
        ("%r = emitc.bitwise_not %a : (i32) -> i32", 7, -8),
        ("%r = emitc.logical_not %a : i32", 7, 0),
        ("%r = emitc.bitwise_right_shift %a, %a : (i32, i32) -> i32", 3, 0),
        ("%r = emitc.bitwise_left_shift %a, %a : (i32, i32) -> i32", 3, 24),
        ('%r = emitc.call_opaque "tw_floordiv_i32"(%a, %two) : (i32, i32) -> i32', -7, -4),
        ('%r = emitc.call_opaque "tw_ceildiv_i32"(%a, %two) : (i32, i32) -> i32', -7, -3),
        ('%r = emitc.call_opaque "tw_isqrt32"(%a) : (i32) -> i32', 2147483647, 46340),
        ('%r = emitc.call_opaque "tw_abs_i32"(%a) : (i32) -> i32', -5, 5),
        ('%f = emitc.cast %a : i32 to f32\n%r = emitc.call_opaque "tw_exp2_f32"(%f) : (f32) -> f32', 5, 32.0),
        (
            '%f = emitc.cast %a : i32 to f32\n%r = emitc.call_opaque "tw_bitcast_f32_i32"(%f) : (f32) -> i32',
            1,
            1065353216,
        ),
        ('%r = emitc.literal "TW_INF_F32" : f32', 0, np.inf),
        ("%c = emitc.cmp lt, %a, %two : (i32, i32) -> i1\n%r = emitc.conditional %c, %a, %two : i32", 9, 2),
    ],
)
def test_expressions(body: str, value: int, expected: float):
    result = body.split(":")[-1].split("->")[-1].split(" to ")[-1].strip()
    result = "i1" if "logical_not" in body else result
    text = f"""emitc.func @network(%a: i32) -> {result} {{
      %two = "emitc.constant"() <{{value = 2 : i32}}> : () -> i32
      {body}
      emitc.return %r : {result} }}"""
    assert run(text, arg0=value)[0] == expected


def test_pointers_into_an_arena_see_the_same_bytes():
    text = """emitc.global static @arena : !emitc.array<16xui8>
    emitc.func @network(%a: i32) -> ui8 {
      %arena = emitc.get_global @arena : !emitc.array<16xui8>
      %0 = "emitc.constant"() <{value = 0 : i32}> : () -> i32
      %1 = "emitc.constant"() <{value = 1 : i32}> : () -> i32
      %4 = "emitc.constant"() <{value = 4 : i32}> : () -> i32
      %p = emitc.cast %arena : !emitc.array<16xui8> to !emitc.ptr<ui8>
      %q = emitc.add %p, %4 : (!emitc.ptr<ui8>, i32) -> !emitc.ptr<ui8>
      %words = emitc.cast %q : !emitc.ptr<ui8> to !emitc.ptr<i32>
      %e = emitc.subscript %words[%1] : (!emitc.ptr<i32>, i32) -> !emitc.lvalue<i32>
      emitc.assign %a : i32 to %e : !emitc.lvalue<i32>
      %8 = "emitc.constant"() <{value = 8 : i32}> : () -> i32
      %b = emitc.subscript %arena[%8] : (!emitc.array<16xui8>, i32) -> !emitc.lvalue<ui8>
      %r = emitc.load %b : !emitc.lvalue<ui8>
      emitc.return %r : ui8 }"""
    assert run(text, arg0=0x1234)[0] == 0x34


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('emitc.call_opaque "printf"(%a) : (i32) -> ()', "a call of 'printf'"),
        ('emitc.verbatim "exit(1);"', "exit"),
        (
            '%m = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.array<2xi8>\n'
            "%e = emitc.subscript %m[%a] : (!emitc.array<2xi8>, i32) -> !emitc.lvalue<i8>\n"
            "%v = emitc.load %e : !emitc.lvalue<i8>",
            "out of bounds",
        ),
    ],
)
def test_what_cannot_be_run_is_named(body: str, message: str):
    with pytest.raises(Diagnostic, match=message):
        run(f"emitc.func @network(%a: i32) {{\n{body}\nemitc.return }}", arg0=2)


def test_pointers_that_reach_to_the_end_of_an_arena_do_not_stop_vectorising():
    """In C a pointer has no end: only the addresses that loops form tell the buffers of an arena apart."""
    loop = """emitc.for %i = %0 to %n step %1 : i32 {
        %e = emitc.subscript %x[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
        %v = emitc.load %e : !emitc.lvalue<i8>
        %y = emitc.subscript %o[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
        emitc.assign %v : i8 to %y : !emitc.lvalue<i8>
      }"""
    text = f"""emitc.func @network(%x: !emitc.ptr<i8>, %o: !emitc.ptr<i8>) {{
      %0 = "emitc.constant"() <{{value = 0 : i32}}> : () -> i32
      %1 = "emitc.constant"() <{{value = 1 : i32}}> : () -> i32
      %n = "emitc.constant"() <{{value = 8 : i32}}> : () -> i32
      {loop}
      emitc.return }}"""
    op = next(op for op in module(text).walk() if op.name == "emitc.for")
    nest = c_rules._nest_of(op)  # pyright: ignore
    assert nest is not None
    arena = np.zeros(20, np.int8)
    constants = {"0": np.int32(0), "1": np.int32(1), "n": np.int32(8)}

    def independent(distance: int) -> bool:
        arrays = {"x": arena, "o": arena[distance:]}
        names = {number: value.name_hint or "" for number, value in nest.inputs.items()}
        unnamed = {number: cast(Any, value.owner) for number, value in nest.inputs.items() if not names[number]}
        known = {number: np.int32(constant.value.value.data) for number, constant in unnamed.items()}
        values = {number: (arrays | constants)[name] for number, name in names.items() if name}
        return NestFacts(nest, values | known).independent(nest.loop)

    assert independent(8)
    assert not independent(7)


def test_calls_with_effects_run_once_each_in_order(monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []

    def note(runner: Any, op: Any, index: Any) -> list[Any]:
        calls.append(f"note {index}")
        return []

    def following(runner: Any, op: Any) -> list[Any]:
        calls.append("next")
        return [np.int32(len(calls))]

    monkeypatch.setitem(C_RULES, "toy_note", note)
    monkeypatch.setitem(C_RULES, "tw_toy_next", following)
    text = """emitc.func @f_run(%y: !emitc.array<3xi32> {tilewright.name = "y", tilewright.output}) {
      %0 = "emitc.constant"() <{value = 0 : i32}> : () -> i32
      %1 = "emitc.constant"() <{value = 1 : i32}> : () -> i32
      %3 = "emitc.constant"() <{value = 3 : i32}> : () -> i32
      emitc.for %i = %0 to %3 step %1 : i32 {
        emitc.call_opaque "toy_note"(%i) : (i32) -> ()
        %n = emitc.call_opaque "tw_toy_next"() {tilewright.effect} : () -> i32
        %p = emitc.subscript %y[%i] : (!emitc.array<3xi32>, i32) -> !emitc.lvalue<i32>
        emitc.assign %n : i32 to %p : !emitc.lvalue<i32>
      }
      emitc.return
    }"""
    interpreter, array = Interpreter(module(text)), np.zeros(3, np.int32)
    interpreter.call("f_run", [array])
    assert calls == ["note 0", "next", "note 1", "next", "note 2", "next"]
    assert list(array) == [2, 4, 6]
