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
from tilewright.runtime.tools.replay import replay

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
    "stages that overlap": (GRID.replace("address 32", "address 16"), "apart", "output 'result0' is"),
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
