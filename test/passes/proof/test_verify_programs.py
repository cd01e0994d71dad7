"""Concurrent programs: verify-memory against the enumeration of all interleavings, and under random seeds."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.test.oracles import interleavings
from tilewright.test.oracles.interleavings_oracle import enumerated


@cache
def _judged(count: int = 36, seed: int = 4) -> list[interleavings.Judgement]:
    found = (interleavings.judged(case, 400) for case in interleavings.cases(count, seed))
    return [judgement for judgement in found if judgement is not None]


def test_what_goes_wrong_in_an_interleaving_is_refused() -> None:
    verdicts = Counter(judgement.verdict for judgement in _judged())
    assert not verdicts["missed"]
    assert verdicts["wrong"] > 8
    assert verdicts["right"] > 10
    assert {judgement.rule for judgement in _judged()} >= {"", "race", "disjoint", "balance"}


def test_the_interpreter_has_results_of_interleavings() -> None:
    assert sum(map(interleavings.is_comparable, _judged())) > 15
    assert not any(interleavings.strays(judgement, range(2)) for judgement in _judged())


def test_seeds_show_what_a_lucky_order_hides() -> None:
    racing = [each for each in _judged() if len(each.outcome.results) > 1 and interleavings.is_comparable(each)]
    assert len([each for each in racing if interleavings.shows(each, 100)]) >= 0.75 * len(racing) > 0


def test_the_reduced_enumeration_finds_what_the_whole_one_does() -> None:
    """A step that is taken alone leaves out no fault and no result."""
    compared = 0
    for judgement in _judged():
        whole = enumerated(judgement.case, 600, reduced=False)
        if whole.is_complete:
            compared += 1
            assert (whole.faults, whole.results) == (judgement.outcome.faults, judgement.outcome.results)
    assert compared > 5


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


CALLED = """
func.func @inner(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %n5 = arith.constant 5 : i32
  hier.concurrent {
    hier.program "write" {
      memref.store %n5, %x[%c0] : memref<1xi32>
    }
  }
  func.return
}
func.func @network(%x: memref<1xi32>) {
  hier.concurrent {
    hier.program "call" {
      func.call @inner(%x) : (memref<1xi32>) -> ()
    }
  }
  func.return
}
"""


@pytest.mark.quick
def test_programs_in_a_function_that_a_program_calls_are_refused() -> None:
    with pytest.raises(Diagnostic, match="concurrent programs in a program cannot be run"):
        verify_memory(parse_module(new_context(), CALLED))
