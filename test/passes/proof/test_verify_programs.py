"""Concurrent programs: verify-memory against the enumeration of all interleavings, and under random seeds."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from xdsl.ir import Operation

from tilewright.benchmarks import interleavings
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.proof.clocks import Clocks
from tilewright.passes.proof.regions import Region
from tilewright.passes.proof.rules import Steps
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module


def _cases(count: int, seed: int) -> list[interleavings.Case]:
    random = Random(seed)
    return [interleavings.random_case(random) for _ in range(count)]


@pytest.mark.quick
def test_what_goes_wrong_in_an_interleaving_is_refused() -> None:
    found = [(interleavings.refusal(case), interleavings.enumerated(case)) for case in _cases(60, 7)]
    judged = [(rule, wrong) for rule, wrong in found if rule != "ill-formed"]
    assert all(bool(rule) == bool(wrong) for rule, wrong in judged)
    assert {rule for rule, _ in judged} >= {"", "race", "deadlock", "balance"}


def test_accepted_programs_have_one_result() -> None:
    accepted = [case for case in _cases(40, 11) if not interleavings.refusal(case)]
    assert len(accepted) > 10
    assert all(len(interleavings.results(case, range(4))) == 1 for case in accepted)


def test_racing_programs_have_several_results() -> None:
    """The seeds reach what a lucky order hides."""
    racing = [case for case in _cases(60, 7) if interleavings.refusal(case) == "race"]
    assert any(len(interleavings.results(case, range(8))) > 1 for case in racing)


def test_the_enumeration_finds_a_proof_without_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def accepts(self: Clocks, op: Operation, region: Region, steps: Steps) -> None:
        """Find no access without an order."""

    monkeypatch.setattr(Clocks, "read", accepts)
    monkeypatch.setattr(Clocks, "write", accepts)
    found = [(interleavings.refusal(case), interleavings.enumerated(case)) for case in _cases(60, 7)]
    assert any(wrong and not rule for rule, wrong in found)


IN_SEQUENCE = """
func.func @network(%x: memref<2xi32>, %y: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n5 = arith.constant 5 : i32
  %s = hier.stream depth 1 : !hier.stream
  hier.concurrent {
    hier.program "before" {
      hier.reserve %s : !hier.stream
      memref.store %n5, %x[%c0] : memref<2xi32>
      hier.push %s : !hier.stream
    }
    hier.program "beside" {
    }
  }
  hier.concurrent {
    hier.program "write" {
      memref.store %n5, %x[%c1] : memref<2xi32>
    }
    hier.program "read" {
      hier.pop %s : !hier.stream
      %r = memref.load %x[%c1] : memref<2xi32>
      memref.store %r, %y[%c0] : memref<1xi32>
      hier.release %s : !hier.stream
    }
  }
  func.return
}
"""

IN_A_LOOP = """
func.func @network(%x: memref<2xi32>, %y: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n5 = arith.constant 5 : i32
  %s = hier.stream depth 1 : !hier.stream
  scf.for %k = %c0 to %c2 step %c1 {
    hier.concurrent {
      hier.program "read" {
        %r = memref.load %x[%c1] : memref<2xi32>
        memref.store %r, %y[%c0] : memref<1xi32>
        hier.pop %s : !hier.stream
        hier.release %s : !hier.stream
      }
      hier.program "write" {
        hier.reserve %s : !hier.stream
        memref.store %n5, %x[%k] : memref<2xi32>
        hier.push %s : !hier.stream
      }
    }
  }
  func.return
}
"""

SEVERAL = {"in sequence": IN_SEQUENCE, "in a loop": IN_A_LOOP}
BESIDE = """    hier.program "beside" {
    }
"""


@pytest.mark.quick
@pytest.mark.parametrize("name", SEVERAL)
def test_a_slot_handed_on_before_orders_nothing_at_once(name: str) -> None:
    """Programs that have ended precede those of the next concurrent op, and order none of these among each other."""
    module = parse_module(new_context(), SEVERAL[name])
    with pytest.raises(Diagnostic, match=r"in no order with .*rule 'race'"):
        verify_memory(module)
    inputs = {"arg0": np.array([1, 2], np.int32)}
    results = {int(next(iter(run_module(module, inputs, interleave=seed).values()))[0]) for seed in range(40)}
    assert results == {2, 5}


@pytest.mark.quick
@pytest.mark.parametrize("beside", [BESIDE, ""])
def test_a_stream_from_one_concurrent_to_the_next_is_proved(beside: str) -> None:
    """The two ops may have different numbers of programs."""
    text = IN_SEQUENCE.replace(BESIDE, beside).replace("%n5, %x[%c1]", "%n5, %x[%c0]")
    verify_memory(parse_module(new_context(), text))
