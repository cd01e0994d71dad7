"""Loops in loops, in the walk without tiles: faults that only one turn of the outer loop has."""

from __future__ import annotations

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.verify_memory import verify_memory

pytestmark = pytest.mark.quick

PROGRAM = """
"memref.global"() <{sym_name = "near", type = memref<64xi8, "L1">, initial_value}> : () -> ()
func.func @network(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %near = memref.get_global @near : memref<64xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %x = memref.view %near[%c0][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
  %y = memref.view %near[%c16][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
  %z = memref.view %near[%c8][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
  "memref.copy"(%a, %x) : (memref<16xi8>, memref<16xi8, "L1">) -> ()
  scf.for %o = %c0 to %c4 step %c1 {
    %is = arith.cmpi eq, %o, %c2 : index
    BEFORE
    LOOP
    AFTER
  }
  func.return
}
"""
PLAIN = """
    scf.for %i = %c0 to %c2 step %c1 {
      "memref.copy"(%x, %y) : (memref<16xi8, "L1">, memref<16xi8, "L1">) -> ()
      "memref.copy"(%y, %c) : (memref<16xi8, "L1">, memref<16xi8>) -> ()
    }
"""
CARRYING = """
    %t = hier.dma_start %a[%c0] to %x : memref<16xi8>, memref<16xi8, "L1">
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%token = %t) -> (!hier.token) {
      hier.dma_wait %token
      "memref.copy"(%x, %y) : (memref<16xi8, "L1">, memref<16xi8, "L1">) -> ()
      "memref.copy"(%y, %c) : (memref<16xi8, "L1">, memref<16xi8>) -> ()
      %next = hier.dma_start %a[%c0] to %x : memref<16xi8>, memref<16xi8, "L1">
      scf.yield %next : !hier.token
    }
"""
SOMETIMES = """
    %s = scf.if %is -> (!hier.token) {{
      %u = hier.dma_start {transfer}
      scf.yield %u : !hier.token
    }} else {{
      %none = hier.dma_none
      scf.yield %none : !hier.token
    }}
"""
WAIT = "hier.dma_wait %s"
TO_X = SOMETIMES.format(transfer='%a[%c0] to %x : memref<16xi8>, memref<16xi8, "L1">')
FROM_Y = SOMETIMES.format(transfer='%c[%c0] from %y : memref<16xi8>, memref<16xi8, "L1">')
OVER_X = 'scf.if %is {\n "memref.copy"(%a, %z) : (memref<16xi8>, memref<16xi8, "L1">) -> ()\n}'
LATE = "scf.if %is {\n} else {\n hier.dma_wait %r\n}"


def prove(before: str, loop: str, after: str) -> None:
    text = PROGRAM.replace("BEFORE", before).replace("LOOP", loop).replace("AFTER", after)
    verify_memory(parse_module(new_context(), text), tiles=False)


@pytest.mark.parametrize(("loop", "after"), [(PLAIN, ""), (CARRYING, "hier.dma_wait %r")])
def test_a_loop_in_a_loop_is_accepted(loop: str, after: str):
    prove("", loop, after)


@pytest.mark.parametrize(
    ("before", "loop", "after", "rule"),
    [
        (TO_X, PLAIN, WAIT, "race"),
        (FROM_Y, PLAIN, WAIT, "race"),
        (OVER_X, PLAIN, "", "disjoint"),
        ("", CARRYING, LATE, "race"),
        ("", CARRYING, "hier.dma_wait %r\nhier.dma_wait %t", "token"),
    ],
    ids=["written", "read", "overwritten", "not waited for", "waited for twice"],
)
def test_a_fault_around_one_turn_is_found(before: str, loop: str, after: str, rule: str):
    with pytest.raises(Diagnostic, match=f"rule '{rule}'"):
        prove(before, loop, after)


def test_transfers_that_touch_nothing_of_the_loop_may_run_beside_it():
    other = SOMETIMES.format(transfer='%a[%c0] to %w : memref<16xi8>, memref<16xi8, "L1">')
    view = (
        '%c32 = arith.constant 32 : index\n%w = memref.view %near[%c32][] : memref<64xi8, "L1"> to memref<16xi8, "L1">'
    )
    prove(f"{view}\n{other}", PLAIN, WAIT)
