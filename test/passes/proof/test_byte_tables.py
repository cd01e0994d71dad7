"""Last writes and accesses of bytes: a number for a whole memory, a table once parts differ, with the same answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import test as test_ops

from tilewright.errors import Diagnostic
from tilewright.passes.proof.clocks import Clocks
from tilewright.passes.proof.memory import MemoryState
from tilewright.passes.proof.regions import Buffer, Memory

SIZE = 6
BOXES = st.tuples(st.integers(0, SIZE - 1), st.integers(1, SIZE), st.integers(1, 3)).map(lambda box: slice(*box))
PARTS = st.one_of(st.just(slice(None)), BOXES, BOXES)


def memory(*, initial: bool) -> tuple[Memory, np.ndarray]:
    array = np.zeros(SIZE, np.int16)
    return Memory("%m", array, initial=initial), array


@settings(max_examples=200)
@given(st.booleans(), st.lists(st.tuples(st.booleans(), st.integers(0, 2), PARTS), min_size=6, max_size=16))
def test_reads_find_the_last_writer_of_every_byte(initial: bool, steps: list[tuple[bool, int, slice]]) -> None:
    op, state, (whole, array), writers = test_ops.TestOp(), MemoryState(), memory(initial=initial), np.full(SIZE, -1)
    for is_write, number, part in steps:
        region = Buffer(whole, array[part], (0, number), number)
        if is_write:
            state.wrote(op, region, region)
            writers[part] = number
            continue
        if ((writers[part] == number) | (initial & (writers[part] == -1))).all():
            state.check_read(op, region, number, "x")
        else:
            with pytest.raises(Diagnostic):
                state.check_read(op, region, number, "x")


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), PARTS), min_size=6, max_size=16))
def test_a_program_conflicts_with_the_last_unordered_access(steps: list[tuple[int, bool, slice]]) -> None:
    clocks, (whole, array) = Clocks(["a", "b", "c"]), memory(initial=False)
    read, written = np.zeros((3, SIZE), bool), np.zeros((3, SIZE), bool)
    for program, is_write, part in steps:
        clocks.current = program
        others = [other for other in range(3) if other != program]
        before = written | read if is_write else written
        access = clocks.write if is_write else clocks.read
        conflict = access(test_ops.TestOp(), Buffer(whole, array[part], (0,), 0), ())
        assert (conflict is not None) == before[others][:, part].any()
        if conflict is None:
            (written if is_write else read)[program, part] = True


@pytest.mark.parametrize("initial", [False, True])
def test_writes_of_whole_buffers_keep_no_table(initial: bool) -> None:
    state, (whole, array) = MemoryState(), memory(initial=initial)
    for number in range(3):
        region = Buffer(whole, array.reshape(2, 3), (0, number), number)
        state.wrote(test_ops.TestOp(), region, region)
        assert state.holds(region, number)
    assert whole.last_write is not None
