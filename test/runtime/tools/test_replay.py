"""Replay of counterexamples: what `verify-memory` refuses goes wrong in an execution, and what it proves does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.cli import main
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.proof.rules import Refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.tools.replay import replay, structural

MACHINES = Path(__file__).parents[2] / "machines"

RING = """
func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
  %a = hier.stream depth 1 : !hier.stream<memref<4xi8>>
  %go = hier.stream depth 1 : !hier.stream
  hier.concurrent {
    hier.program "send" {
      hier.pop %go : !hier.stream
      hier.release %go : !hier.stream
      %t = hier.reserve %a : !hier.stream<memref<4xi8>>
      memref.copy %x, %t : memref<4xi8> to memref<4xi8>
      hier.push %a : !hier.stream<memref<4xi8>>
    }
    hier.program "take" {
      hier.reserve %go : !hier.stream
      hier.push %go : !hier.stream
      %t = hier.pop %a : !hier.stream<memref<4xi8>>
      memref.copy %t, %y : memref<4xi8> to memref<4xi8>
      hier.release %a : !hier.stream<memref<4xi8>>
    }
  }
  func.return
}
"""
SHARED = """
func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
  %go = hier.stream depth 1 : !hier.stream
  %t = memref.alloc() : memref<4xi8>
  hier.concurrent {
    hier.program "write" {
      hier.reserve %go : !hier.stream
      hier.push %go : !hier.stream
      memref.copy %x, %t : memref<4xi8> to memref<4xi8>
    }
    hier.program "read" {
      hier.pop %go : !hier.stream
      hier.release %go : !hier.stream
      memref.copy %t, %y : memref<4xi8> to memref<4xi8>
    }
  }
  func.return
}
"""
GRID = """
func.func @network(%x: memref<8x8xi8>, %y: memref<8x8xi8> {tilewright.output}) {
  hier.grid (%i) in [4]
      ins(%a = %x[%i * 2, 0] [2, 8] in "L1" address 0 stages 2 : memref<8x8xi8>)
      outs(%b = %y[%i * 2, 0] [2, 8] in "L1" address 32 : memref<8x8xi8>) {
    memref.copy %a, %b : memref<2x8xi8, "L1"> to memref<2x8xi8, "L1">
    hier.yield
  }
  func.return
}
"""
TRANSFER = """
func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %t = memref.alloc() : memref<4xi8, "L1">
  %in = hier.dma_start %x[%zero] to %t : memref<4xi8>, memref<4xi8, "L1">
  hier.dma_wait %in
  %out = hier.dma_start %y[%zero] from %t : memref<4xi8>, memref<4xi8, "L1">
  hier.dma_wait %out
  func.return
}
"""
NEAR, BRING = 'memref.alloc() : memref<4xi8, "L1">', 'hier.dma_start %x[%zero] to %u : memref<4xi8>, memref<4xi8, "L1">'
VIEWS = """
builtin.module {
  memref.global "private" @memory : memref<8xi8, "L1"> = uninitialized
  func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %m = memref.get_global @memory : memref<8xi8, "L1">
    %a = memref.view %m[%zero][] : memref<8xi8, "L1"> to memref<4xi8, "L1">
    %b = memref.view %m[%four][] : memref<8xi8, "L1"> to memref<2x2xi8, "L1">
    %none = arith.constant 0 : i8
    memref.copy %x, %a : memref<4xi8> to memref<4xi8, "L1">
    linalg.fill ins(%none : i8) outs(%b : memref<2x2xi8, "L1">)
    memref.copy %a, %y : memref<4xi8, "L1"> to memref<4xi8>
    func.return
  }
}
"""
LOOKUP = """
func.func @network(%x: memref<4x4xi8>, %at: memref<2xi32>, %y: memref<1x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<1x4xi8, "L1">
  %narrow = hier.lookup %at[%zero] in [0, 4) : memref<2xi32>
  %wide = hier.lookup %at[%one] in [0, 5) : memref<2xi32>
  %in = hier.dma_start %x[%wide, %zero] to %t : memref<4x4xi8>, memref<1x4xi8, "L1">
  hier.dma_wait %in
  %out = hier.dma_start %y[%zero, %zero] from %t : memref<1x4xi8>, memref<1x4xi8, "L1">
  hier.dma_wait %out
  func.return
}
"""
COPY = """
func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  memref.copy %y, %y : memref<4xi8> to memref<4xi8>
  func.return
}
"""
SHIFTED = """
builtin.module {
  memref.global "private" @memory : memref<16xi8, "L1"> = uninitialized
  func.func @network(%x: memref<8xi8>, %y: memref<8xi8> {tilewright.output}) {
    %from = arith.constant 0 : index
    %to = arith.constant 4 : index
    %m = memref.get_global @memory : memref<16xi8, "L1">
    %a = memref.view %m[%from][] : memref<16xi8, "L1"> to memref<8xi8, "L1">
    %b = memref.view %m[%to][] : memref<16xi8, "L1"> to memref<8xi8, "L1">
    memref.copy %x, %a : memref<8xi8> to memref<8xi8, "L1">
    linalg.add ins(%a, %a : memref<8xi8, "L1">, memref<8xi8, "L1">) outs(%b : memref<8xi8, "L1">)
    memref.copy %b, %y : memref<8xi8, "L1"> to memref<8xi8>
    func.return
  }
}
"""
BEHIND = """
func.func @network(%x: memref<4xi8>, %y: memref<4xi8> {tilewright.output}) {
  %a = hier.stream depth 1 : !hier.stream<memref<4xi8, "L1">>
  hier.concurrent {
    hier.program "send" {
      %zero = arith.constant 0 : index
      %t = hier.reserve %a : !hier.stream<memref<4xi8, "L1">>
      %in = hier.dma_start %x[%zero] to %t : memref<4xi8>, memref<4xi8, "L1">
      hier.push %a : !hier.stream<memref<4xi8, "L1">>
      hier.dma_wait %in
    }
    hier.program "take" {
      %t = hier.pop %a : !hier.stream<memref<4xi8, "L1">>
      memref.copy %t, %y : memref<4xi8, "L1"> to memref<4xi8>
      hier.release %a : !hier.stream<memref<4xi8, "L1">>
    }
  }
  func.return
}
"""
KEPT = (
    VIEWS.replace(
        "module {",
        """module {
  memref.global "private" @before : memref<4xi8> = dense<0> {tilewright.state}""",
    )
    .replace("    memref.copy %x, %a", "    %s = memref.get_global @before : memref<4xi8>\n    memref.copy %s, %a")
    .replace("    func.return", "    memref.copy %x, %s : memref<4xi8> to memref<4xi8>\n    func.return")
)
TWO_NEAR = (MACHINES / "programs" / "two_near_streams.mlir").read_text(encoding="utf-8")
TILES = '!hier.stream<memref<1x16x4x16xi32, "TCM">>'
WAIT, PUSH = "          hier.dma_wait %across\n", f"          hier.push %sums : {TILES}\n"
IN = "      memref.copy %x, %t : memref<4xi8> to memref<4xi8>\n"
PUSHED = "      hier.push %a : !hier.stream<memref<4xi8>>\n"
OUT = "      memref.copy %t, %y : memref<4xi8> to memref<4xi8>\n"

FAULTS = {
    "a cycle": (
        RING.replace("hier.reserve %go", "hier.SWAP")
        .replace("      hier.SWAP : !hier.stream\n      hier.push %go : !hier.stream\n", "")
        .replace(OUT, OUT + "      hier.reserve %go : !hier.stream\n      hier.push %go : !hier.stream\n"),
        "deadlock",
        "it stops: deadlock",
    ),
    "a reader that does not wait": (SHARED, "race", "output 'result0' is"),
    "a transfer that is not waited for": (TRANSFER.replace("  hier.dma_wait %in\n", ""), "race", "output 'result0' is"),
    "a slot that is pushed unwritten": (RING.replace(IN, ""), "initialised", "output 'result0' is"),
    "an output that is written in part": (GRID.replace("in [4]", "in [3]"), "written-once", "output 'result0' is"),
    "stages that overlap": (GRID.replace("address 32", "address 16"), "disjoint", "output 'result0' is"),
    "a slot that is not released": (
        RING.replace("      hier.release %a : !hier.stream<memref<4xi8>>\n", ""),
        "balance",
        "it stops: deadlock",
    ),
    "a slot that is released early": (
        RING.replace(
            OUT + "      hier.release %a : !hier.stream<memref<4xi8>>\n",
            """      %z = arith.constant 0 : index
      %out = hier.dma_start %y[%z] from %t : memref<4xi8>, memref<4xi8>
      hier.release %a : !hier.stream<memref<4xi8>>
      hier.dma_wait %out
""",
        ),
        "race",
        "output 'result0' is",
    ),
    "a transfer in flight at the end": (
        TRANSFER.replace("  func.return", f"  %u = {NEAR}\n  %ahead = {BRING}\n  func.return"),
        "token",
        "it ends while 'hier.dma_start'",
    ),
    "an entry beyond the table": (LOOKUP, "fill", r"it stops: the tile at (4, 0) leaves the buffer of shape (4, 4)"),
    "a copy onto its source": (COPY, "disjoint", "output 'result0' is"),
    "a wait after the push": (TWO_NEAR.replace(WAIT + PUSH, PUSH + WAIT), "race", "output 'result0' is"),
}


def _refused(text: str) -> tuple[ModuleOp, Refusal]:
    module = parse_module(new_context(), text)
    attach_machine(module, find_machine(MACHINES / ("two_near_linked.toml" if "TCM" in text else "two_level.toml")))
    with pytest.raises(Refusal) as caught:
        verify_memory(module)
    return module, caught.value


@pytest.mark.quick
@pytest.mark.parametrize("name", FAULTS)
def test_an_execution_shows_what_is_refused(name: str) -> None:
    text, rule, shows = FAULTS[name]
    module, refusal = _refused(text)
    assert refusal.rule == rule
    found = replay(module, refusal)
    assert found is not None
    assert found.shows.startswith(shows)


@pytest.mark.quick
def test_what_no_execution_shows_says_why() -> None:
    _, refusal = _refused(GRID.replace("stages 2", "stages 3"))
    assert refusal.rule == "disjoint"
    assert structural(refusal).startswith("the buffers of a grid are its own")
    _, refusal = _refused(SHARED)
    assert structural(refusal) == ""


def test_a_wrong_result_is_shown_against_a_right_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = tmp_path / "right.mlir", tmp_path / "wrong.mlir"
    right.write_text(VIEWS, encoding="utf-8")
    wrong.write_text(VIEWS.replace("constant 4", "constant 2"), encoding="utf-8")
    assert main(["replay", str(wrong), "--seeds", "2"]) == 1
    assert "not replayed: no order shows it" in capsys.readouterr().out
    assert main(["replay", str(wrong), "--seeds", "2", "--against", str(right)]) == 1
    assert "replayed: each program runs" in capsys.readouterr().out


@pytest.mark.quick
def test_a_wrong_use_of_state_is_shown_by_a_later_call() -> None:
    module, refusal = _refused(KEPT.replace("constant 4", "constant 2"))
    shown = replay(module, refusal, None, parse_module(new_context(), KEPT), seeds=0)
    assert shown is not None
    assert shown.order.endswith("call 2 in a row")


@pytest.mark.quick
@pytest.mark.parametrize(("read", "written", "first"), [(0, 4, "first"), (4, 0, "last")])
def test_operands_that_overlap_are_shown_by_loops(read: int, written: int, first: str) -> None:
    text = SHIFTED.replace("constant 0", "constant R").replace("constant 4", f"constant {written}")
    module, refusal = _refused(text.replace("constant R", f"constant {read}"))
    assert refusal.rule == "disjoint"
    shown = replay(module, refusal, seeds=0)
    assert shown is not None
    assert shown.order == f"kernels run as loops, the {first} element first"


@pytest.mark.quick
def test_a_slot_that_is_pushed_before_its_transfer_ends_is_shown_by_a_late_program() -> None:
    module, refusal = _refused(BEHIND)
    assert refusal.programs == ("send",)
    assert refusal.notes == ["counterexample: %a, a stream of depth 1, 1 reserved, 1 pushed, 0 popped, 0 released"]
    shown = replay(module, refusal, seeds=0)
    assert shown is not None
    assert shown.order == "program 'send' runs as late as it can"


@pytest.mark.quick
def test_a_deadlock_names_its_cycle() -> None:
    _, refusal = _refused(FAULTS["a cycle"][0])
    assert refusal.found == "'send' waits for 'take' waits for 'send'"
    assert set(refusal.programs) == {"send", "take"}


@pytest.mark.quick
def test_a_program_that_has_ended_is_named() -> None:
    _, refusal = _refused(
        RING.replace("      hier.release %a : !hier.stream<memref<4xi8>>\n    }\n  }", "    }\n  }").replace(
            PUSHED, PUSHED + "      %u = hier.reserve %a : !hier.stream<memref<4xi8>>\n"
        )
    )
    assert refusal.found == "'send' waits for 'take', which has ended"
    assert refusal.remedy == "let the two programs take equally many slots"


@pytest.mark.quick
def test_the_front_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(SHARED, encoding="utf-8")
    assert main(["replay", str(file)]) == 1
    shown = capsys.readouterr()
    assert "replayed: memory that nothing has written" in shown.out or "replayed: program" in shown.out
    assert "rule 'race'" in shown.err
    file.write_text(RING, encoding="utf-8")
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == "proved: all executions compute the same\n"
