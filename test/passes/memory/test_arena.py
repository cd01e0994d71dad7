"""Placement of buffers in one arena."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import functions
from tilewright.passes.allocate_static import AllocateStaticPass, lifetimes
from tilewright.passes.memory.arena import Lifetime, peak_step, place
from tilewright.runtime.interpreter import run_module

pytestmark = pytest.mark.quick


@st.composite
def buffers(draw: Any, size: st.SearchStrategy[int]) -> list[Lifetime]:
    found: list[Lifetime] = []
    for index in range(draw(st.integers(0, 14))):
        first = draw(st.integers(0, 20))
        found.append(Lifetime(f"b{index}", draw(size), first, first + draw(st.integers(0, 12))))
    return found


ALIGNMENTS = st.sampled_from([1, 8, 16, 64])


@pytest.mark.long
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(buffers(st.integers(0, 300)), ALIGNMENTS)
def test_buffers_needed_at_the_same_time_share_no_bytes(lives: list[Lifetime], alignment: int):
    found = place(lives, alignment)
    spans = [(offset, offset + life.size) for offset, life in zip(found.offsets, lives, strict=True)]
    assert all(offset % alignment == 0 for offset in found.offsets)
    assert found.size >= max((end for _, end in spans), default=0)
    assert found.size >= found.bound >= max((life.size for life in lives), default=0)
    for (a, first), (b, second) in combinations(zip(lives, spans, strict=True), 2):
        together = set(range(a.first, a.last + 1)) & set(range(b.first, b.last + 1))
        assert not together or first[1] <= second[0] or second[1] <= first[0]


@pytest.mark.long
@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(buffers(st.just(100)), ALIGNMENTS)
def test_buffers_of_one_size_reach_the_bound(lives: list[Lifetime], alignment: int):
    found = place(lives, alignment)
    assert found.size == found.bound


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(buffers(st.integers(1, 90)))
def test_the_peak_is_the_first_step_with_the_most_bytes_alive(lives: list[Lifetime]):
    alive = [sum(life.size for life in lives if life.first <= step <= life.last) for step in range(40)]
    assume(lives)
    assert peak_step(lives, 1) == alive.index(max(alive))


def test_a_chain_needs_its_two_largest_neighbours():
    sizes = [64, 1024, 512, 2048, 16]
    found = place([Lifetime(f"b{i}", size, i, i + 1) for i, size in enumerate(sizes)], 16)
    assert found.size == found.bound == 512 + 2048


def test_the_same_buffers_get_the_same_places():
    lives = [Lifetime(f"b{i}", 16 * (i % 5 + 1), i % 7, i % 7 + i % 3) for i in range(40)]
    assert place(lives, 16) == place(list(lives), 16)


def test_no_buffers():
    assert place([], 16).size == 0


CHAIN = """
func.func @network(%x: memref<64xi8>, %o: memref<64xi8> {tilewright.output}) {
  %a = memref.alloc() : memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  %c = memref.alloc() : memref<64xi8>
  %v = memref.subview %a[8] [16] [1] : memref<64xi8> to memref<16xi8, strided<[1], offset: 8>>
  "memref.copy"(%x, %a) : (memref<64xi8>, memref<64xi8>) -> ()
  "memref.copy"(%a, %b) : (memref<64xi8>, memref<64xi8>) -> ()
  "memref.copy"(%b, %c) : (memref<64xi8>, memref<64xi8>) -> ()
  %w = memref.subview %c[8] [16] [1] : memref<64xi8> to memref<16xi8, strided<[1], offset: 8>>
  "memref.copy"(%v, %w) : (memref<16xi8, strided<[1], offset: 8>>, memref<16xi8, strided<[1], offset: 8>>) -> ()
  "memref.copy"(%c, %o) : (memref<64xi8>, memref<64xi8>) -> ()
  func.return
}
"""


def spans(text: str) -> Sequence[tuple[int, int]]:
    module = parse_module(new_context(), text)
    return [(life.first, life.last) for _, life in lifetimes(next(iter(functions(module))))]


def test_a_view_keeps_its_buffer_alive():
    assert spans(CHAIN) == [(4, 8), (5, 6), (6, 9)]


def test_a_use_in_a_loop_lasts_as_long_as_the_loop():
    text = """
    func.func @network(%x: memref<4xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = memref.alloc() : memref<4xi8>
      scf.for %i = %c0 to %c1 step %c1 {
        "memref.copy"(%x, %a) : (memref<4xi8>, memref<4xi8>) -> ()
      }
      func.return
    }
    """
    assert spans(text) == [(3, 3)]


def test_an_unused_buffer_lives_where_it_is_allocated():
    assert spans("func.func @network() {\n%a = memref.alloc() : memref<4xi8>\nfunc.return\n}") == [(0, 0)]


def test_memory_is_shared_and_the_result_stays():
    context = new_context()
    module = parse_module(context, CHAIN)
    AllocateStaticPass(alignment=16).apply(context, module)
    verify(module)
    arena = next(op for op in module.ops if "tilewright.arena" in op.attributes)
    assert "memref<192xi8>" in str(arena)
    x = np.arange(64, dtype=np.int8)
    np.testing.assert_array_equal(run_module(module, {"arg0": x})["result0"], x)
