"""Pointers that the C code only reads, where ops of a target that the emitter does not know write them."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Dialect

from tilewright.dialects.core.instruction import In, Out, Ref, Scalar, i8, i32, instruction
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.formats.c import render

pytestmark = pytest.mark.quick


@instruction("moves.move", c="moves_move")
def move(source: In[i8], target: Out[i8]) -> None:
    """Copy 8 bytes."""
    target[:8] = source[:8]


@instruction("moves.address", c="moves_address")
def address(buffer: Ref[i8]) -> Scalar[i32]:
    """Return the address of a buffer."""
    return np.asarray(buffer.size)


MOVES = Dialect("moves", [move.op, address.op])


def c_of(body: str, functions: str = "") -> str:
    """The C of a function on two buffers."""
    context = new_context()
    context.load_dialect(MOVES)
    text = f"{functions} func.func @f(%x: memref<8xi8>, %y: memref<8xi8>) {{ {body} func.return }}"
    module = parse_module(context, text)
    verify(module)
    convert_to_emitc(module, "toy.h")
    verify(module)
    return render(module).text()


MOVE = "moves.move %x, %y : memref<8xi8>, memref<8xi8>"


def test_a_buffer_that_an_instruction_of_a_target_writes_is_not_const():
    assert "void f_run(const int8_t x[8], int8_t y[8])" in c_of(MOVE)


def test_writes_are_seen_through_views_loops_and_calls():
    functions = """func.func private @rows(%x: memref<8xi8>, %y: memref<8xi8>) {
      %n = arith.constant 2 : index
      scf.for %i = %n to %n step %n {
        %p = memref.subview %y[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
        moves.move %x, %p : memref<8xi8>, memref<4xi8, strided<[1], offset: 4>>
      }
      func.return
    }"""
    text = c_of("func.call @rows(%x, %y) : (memref<8xi8>, memref<8xi8>) -> ()", functions)
    assert "void f_run(const int8_t x[8], int8_t y[8])" in text
    assert "rows(const int8_t *x, int8_t *y)" in text


def test_an_instruction_may_not_write_a_constant():
    constant = """"memref.global"() <{sym_name = "w", type = memref<8xi8>, initial_value = dense<1> : tensor<8xi8>,
      sym_visibility = "private", constant}> : () -> ()"""
    with pytest.raises(Diagnostic, match="a constant is written to"):
        c_of(f"%w = memref.get_global @w : memref<8xi8> {MOVE.replace('%y', '%w')}", constant)


def test_a_pure_call_on_a_buffer_declares_that_it_has_none():
    assert "moves_address" in c_of("""%a = moves.address %x : memref<8xi8> %c = arith.trunci %a : i32 to i8
        %0 = arith.constant 0 : index memref.store %c, %y[%0] : memref<8xi8>""")
