"""Launched kernels of a run: in order on a queue, in any order on several, and whole."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.runtime.interpreter import run_module

SEEDS = range(80)

TEXT = """
func.func @double(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %r = memref.load %x[%c0] : memref<1xi32>
  %s = arith.addi %r, %r : i32
  memref.store %s, %x[%c0] : memref<1xi32>
  func.return
}
func.func @network(%x: memref<1xi32>, %z: memref<1xi32>, %y: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %first = hier.launch {
    linalg.add ins(%x, %x : memref<1xi32>, memref<1xi32>) outs(%y : memref<1xi32>) attrs = {engine = "npu"}
  }
  %second = hier.launch {
    linalg.add ins(%z, %z : memref<1xi32>, memref<1xi32>) outs(%y : memref<1xi32>) attrs = {engine = "npu"}
  }
  func.call @double(%z) : (memref<1xi32>) -> ()
  hier.join %first
  hier.join %second
  func.return
}
"""

BESIDE = """
func.func @step(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %n1 = arith.constant 1 : i32
  %r = memref.load %x[%c0] : memref<1xi32>
  %s = arith.addi %r, %n1 : i32
  memref.store %s, %x[%c0] : memref<1xi32>
  func.return
}
func.func @network(%x: memref<1xi32>, %y: memref<1xi32>, %z: memref<1xi32> {tilewright.output}) {
  hier.concurrent {
    hier.program "one" {
      %job = hier.launch {
        func.call @step(%x) {engine = "npu"} : (memref<1xi32>) -> ()
      }
      hier.join %job
      memref.copy %x, %z : memref<1xi32> to memref<1xi32>
    }
    hier.program "two" {
      %job = hier.launch {
        func.call @step(%y) {engine = "npu"} : (memref<1xi32>) -> ()
      }
      hier.join %job
    }
  }
  func.return
}
"""


def _results(text: str) -> set[int]:
    module = parse_module(new_context(), text)
    inputs = [{"arg0": np.array([3], np.int32), "arg1": np.array([5], np.int32)} for _ in SEEDS]
    runs = (run_module(module, each, interleave=seed) for seed, each in zip(SEEDS, inputs, strict=True))
    return {int(next(iter(run.values()))[0]) for run in runs}


@pytest.mark.quick
def test_a_launched_kernel_runs_during_a_call() -> None:
    """Its operands are those of the launch, and the second kernel of the queue writes last."""
    assert _results(TEXT) == {10, 20}


def test_kernels_of_two_queues_run_in_any_order() -> None:
    text = TEXT.replace('"npu"}\n  }\n  %second', '"dsp"}\n  }\n  %second')
    assert _results(text) == {6, 10, 20}


def test_a_join_finds_the_whole_kernel_done() -> None:
    """Whichever program runs the kernels of their queue."""
    assert _results(BESIDE) == {4}
