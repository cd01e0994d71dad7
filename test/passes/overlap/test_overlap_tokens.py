"""Transfers that are begun and not waited for: as many as counted, and no more than a DMA engine has counters."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.attribute import attach_machine, machine_of
from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.hier import transfers as hier_transfers
from tilewright.frontend.zoo import llama
from tilewright.ir import functions
from tilewright.passes.overlap.items import items_of
from tilewright.passes.overlap.order import TransferLimit
from tilewright.passes.overlap.tokens import Opened, Tokens
from tilewright.passes.overlap_engines import OverlapEnginesPass
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.overlap.engine_programs import CONTEXT, PLACES, inputs, kernel, program, results, transfer

LLAMA = llama.Config(layers=2, dim=32, heads=4, hidden=96, vocabulary=64, context=32)
FEW = 3


@contextmanager
def counted() -> Generator[list[int]]:
    """Count the transfers that are open after each begin, while the interpreter runs."""
    counts = [0]
    now = 0
    transfer = hier_transfers._Transfer  # pyright: ignore[reportPrivateUsage]

    class Counted(transfer):
        def __init__(self, *arguments: object):
            nonlocal now
            super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
            now += 1
            counts.append(now)

        def finish(self) -> None:
            nonlocal now
            super().finish()
            now -= 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hier_transfers, "_Transfer", Counted)
        yield counts


def bound(module: ModuleOp) -> int:
    """Return how many transfers a module's function opens, by its ops."""
    (function,) = functions(module)
    tokens = Tokens(0, lambda start: 0)
    opened = [tokens.opened_by(item.op) for item in items_of(function.body.block)]
    return TransferLimit(0, opened).most_open(range(len(opened)))


@settings(deadline=None, max_examples=20, derandomize=True, database=None)
@given(st.lists(st.tuples(st.integers(0, PLACES - 1), st.booleans()), min_size=3, max_size=16), st.integers(1, FEW))
def test_no_more_are_open_than_there_may_be(moves: list[tuple[int, bool]], most: int):
    steps = [transfer(number, place, outward=outward) for number, (place, outward) in enumerate(moves)]
    module = program(steps, [0, 16, 32, 48, 64])
    wanted = results(module)
    OverlapEnginesPass(open=most).apply(CONTEXT, module)
    with counted() as counts:
        np.testing.assert_array_equal(run_module(module, inputs())["out"], wanted)
    assert max(counts) <= most
    assert bound(module) == max(counts)


@pytest.mark.quick
def test_as_many_are_open_as_help():
    steps = [
        *(transfer(0, 0, outward=False), kernel(1, "cluster", (0, 0), 1)),
        *(transfer(2, 2, outward=False), transfer(3, 3, outward=False), kernel(4, "cluster", (2, 3), 4)),
    ]
    alone, few, many = (program(steps, [0, 16, 32, 48, 64]) for _ in range(3))
    OverlapEnginesPass(open=1).apply(CONTEXT, few)
    OverlapEnginesPass().apply(CONTEXT, many)
    assert bound(few) == 1
    assert bound(many) > 1
    assert simulate(few).cycles < simulate(alone).cycles


@pytest.mark.quick
@pytest.mark.parametrize("most", [1, 2])
def test_the_links_say_how_many_may_be_open(most: int):
    steps = [*(transfer(n, n, outward=False) for n in range(4)), kernel(4, "cluster", (0, 1), 4)]
    module = program(steps, [0, 16, 32, 48, 64])
    machine = machine_of(module)
    attach_machine(module, replace(machine, links=tuple(replace(link, in_flight=most) for link in machine.links)))
    OverlapEnginesPass().apply(CONTEXT, module)
    assert bound(module) == most


@pytest.mark.quick
def test_a_loop_that_finds_no_room_is_reserved_for():
    """A transfer begun by itself leaves what a loop needs for a while."""
    limit = TransferLimit(4, [Opened(1, 1), Opened(2, -1)])
    assert [limit.fits(count, 0) for count in (0, 1, 2)] == [True, True, False]
    assert [limit.fits(count, 1) for count in (2, 3)] == [True, False]


DOUBLE_BUFFERED = """
func.func @network(%a: memref<64xi8> {onnx.name = "a"}, %out: memref<64xi8> {onnx.name = "out", tilewright.output}) {
  %c0, %c1, %c2, %c4, %c16 = arith.constants
  %near = memref.alloc() : memref<32xi8, "L1">
  %first = memref.view %near[%c0][] : memref<32xi8, "L1"> to memref<16xi8, "L1">
  %t = hier.dma_start %a[%c0] to %first : memref<64xi8>, memref<16xi8, "L1">
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%token = %t) -> (!hier.token) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %c4 : index
    %following = scf.if %more -> (!hier.token) {
      %turn = arith.remui %next, %c2 : index
      %at = arith.muli %turn, %c16 : index
      %buffer = memref.view %near[%at][] : memref<32xi8, "L1"> to memref<16xi8, "L1">
      %offset = arith.muli %next, %c16 : index
      %u = hier.dma_start %a[%offset] to %buffer : memref<64xi8>, memref<16xi8, "L1">
      scf.yield %u : !hier.token
    } else {
      %none = hier.dma_none
      scf.yield %none : !hier.token
    }
    hier.dma_wait %token
    %turn = arith.remui %i, %c2 : index
    %at = arith.muli %turn, %c16 : index
    %buffer = memref.view %near[%at][] : memref<32xi8, "L1"> to memref<16xi8, "L1">
    %offset = arith.muli %i, %c16 : index
    %w = hier.dma_start %out[%offset] from %buffer : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %w
    scf.yield %following : !hier.token
  }
  func.return
}
"""


@pytest.mark.quick
def test_transfers_inside_of_a_loop_are_counted():
    """A loop that waits for all it begins leaves none open after it, and two while it runs."""
    constants = "\n".join(f"%c{number} = arith.constant {number} : index" for number in (0, 1, 2, 4, 16))
    text = DOUBLE_BUFFERED.replace("%c0, %c1, %c2, %c4, %c16 = arith.constants", constants)
    module = parse_module(CONTEXT, text)
    given = np.arange(64, dtype=np.int8)
    with counted() as counts:
        np.testing.assert_array_equal(run_module(module, {"a": given})["out"], given)
    assert max(counts) == 2
    assert bound(module) == 2


@pytest.mark.nightly
def test_loops_open_what_is_counted(tmp_path: Path):
    """Of a network with tiles in loops: the count is never below what is open as it runs, and limits hold."""
    path = tmp_path / "llama.onnx"
    path.write_bytes(llama.step(16, config=LLAMA).SerializeToString())
    machine = tmp_path / "small.toml"
    machine.write_text('include = "siracusa"\n[levels.L1]\nsize = "3KiB"\n')
    found: list[int] = []
    for most in (FEW, 16):
        module = compile_model(Model(path), str(machine), stop_after="pipeline-dma").module
        OverlapEnginesPass(open=most).apply(CONTEXT, module)
        with counted() as counts:
            run_module(module, random_inputs(module, 0))
        assert max(counts) <= bound(module)
        assert bound(module) <= most
        found.append(max(counts))
    assert found[0] < found[1]
