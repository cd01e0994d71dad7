"""The timeline serves programs first come, first served, and its makespan keeps to bounds that need no timeline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.passes.tiles.stream import TileStream
from tilewright.passes.timing.programs import TileTransfers, feed_program, grid_program
from tilewright.passes.timing.resources import InOrder, LinkTime, SlotQueue, Times
from tilewright.passes.timing.timeline import Program, Timeline, makespan

pytestmark = pytest.mark.quick


def transfers(is_output: bool, steps: int, run: int, stages: int, startup: int, data: int) -> TileTransfers:
    return TileTransfers(TileStream(is_output, run, steps // run, stages), lambda turn: Times(startup, data))


_STREAM = st.tuples(st.sampled_from([1, 2, 4, 8]), st.integers(1, 3), st.integers(0, 9), st.integers(0, 20))


@given(st.lists(_STREAM, min_size=1, max_size=3), _STREAM, st.integers(0, 30), st.integers(1, 3), st.integers(1, 3))
def test_a_makespan_lies_between_the_busiest_resource_and_the_sum_of_all(
    inputs: list[tuple[int, int, int, int]],
    output: tuple[int, int, int, int],
    cycles: int,
    channels: int,
    instances: int,
) -> None:
    steps = 8
    moved = [transfers(False, steps, *one) for one in inputs] + [transfers(True, steps, *output)]
    links = [LinkTime(channels)]
    total = makespan([grid_program(steps, lambda step: cycles, moved, links) for _ in range(instances)])
    counts = [one.tiles.count for one in moved]
    bus = sum(count * one.times(0)[1] for count, one in zip(counts, moved, strict=True)) * instances
    whole = sum(count * sum(one.times(0)[:2]) for count, one in zip(counts, moved, strict=True)) * instances
    assert max(steps * cycles, bus) <= total <= steps * cycles + whole


@given(st.lists(_STREAM, min_size=1, max_size=3), st.integers(0, 30))
def test_more_buffers_and_channels_never_cost_time(inputs: list[tuple[int, int, int, int]], cycles: int) -> None:
    def cycles_with(stages: int, channels: int) -> int:
        moved = [transfers(False, 8, run, stages, startup, data) for run, _, startup, data in inputs]
        return makespan([grid_program(8, lambda step: cycles, moved, [LinkTime(channels)])])

    assert cycles_with(2, 1) <= cycles_with(1, 1)
    assert cycles_with(2, 2) <= cycles_with(2, 1)


def test_without_prefetch_nothing_overlaps() -> None:
    moved = [transfers(False, 4, 1, 1, 3, 10), transfers(True, 4, 1, 1, 3, 5)]
    assert makespan([grid_program(4, lambda step: 100, moved, [LinkTime(1)])]) == 4 * (13 + 100 + 8)


def test_requests_of_one_cycle_are_served_by_number() -> None:
    served: list[int] = []

    def note(ready: int, number: int) -> int:
        served.append(number)
        return ready + 1

    def program(number: int, begin: int) -> Program:
        now = yield begin, note, number
        return (yield now, note, number)

    assert makespan([program(0, 5), program(1, 4), program(2, 5)]) == 7
    assert served == [1, 0, 1, 2, 0, 2]


def test_a_program_that_nothing_resumes_is_named() -> None:
    def pop(queue: SlotQueue) -> Program:
        return (yield 0, queue.pop, 0)

    def push(queue: SlotQueue) -> Program:
        return (yield 7, queue.push, 9)

    fed, dry = SlotQueue(1), SlotQueue(1)
    timeline = Timeline([pop(dry), pop(fed), push(fed)])
    assert [number for number, _ in timeline.run()] == [0]
    assert timeline.ends == [0, 9, 7]


def test_a_queue_is_fed_as_far_ahead_as_it_has_slots() -> None:
    queue, links = SlotQueue(2), [LinkTime(1)]
    timeline = Timeline([feed_program(transfers(False, 4, 1, 2, 0, 10), queue, links)])
    assert [number for number, _ in timeline.run()] == [0], "the third tile waits for a release"
    assert queue.pushed == [10, 20]


def test_an_engine_executes_in_order_and_blocks_a_full_queue() -> None:
    engine = InOrder(2)
    assert [engine.execute(0, 10), engine.execute(3, 10)] == [10, 20]
    assert (engine.entry(4), engine.entry(4, 1), engine.entry(12)) == (10, 20, 12)
    assert InOrder().entry(3) == 3
