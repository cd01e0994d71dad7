"""Resident buffers of a near level: the room that they leave, and the largest that is alive at a kernel."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tilewright.passes.memory.layers import Layers, loads
from tilewright.passes.memory.near import Largest, ResidentSet

CAPACITY = 1000


def layers_of(random: Random, kernels: int, buffers: int) -> Any:
    """Return kernels and buffers of random live ranges and sizes."""
    made: list[SimpleNamespace] = []
    for _ in range(buffers):
        first, last = sorted(random.choices(range(kernels), k=2))
        made.append(SimpleNamespace(first=first, last=last, size=random.randint(1, 9), level=random.choice("AB")))
    return cast(Layers, SimpleNamespace(ops=[None] * kernels, buffers=made))


@pytest.mark.quick
@pytest.mark.parametrize("kernels", [1, 7, 16])
def test_the_room_is_what_buffers_alive_at_any_of_the_kernels_leave(kernels: int):
    random = Random(kernels)
    layers = layers_of(random, kernels, 20)
    near = ResidentSet(layers, range(0, 20, 2), {"A": CAPACITY, "B": 2 * CAPACITY})
    levels: Any = [SimpleNamespace(name="A"), SimpleNamespace(name="B")]
    for _ in range(60):
        near.toggle(random.randrange(20))
        first = random.randrange(kernels)
        last = min(kernels - 1, first + random.randrange(3))
        alive = [layers.buffers[n] for n in near.resident]
        during = [buffer for buffer in alive if buffer.first <= last and buffer.last >= first]
        taken = [sum(buffer.size for buffer in during if buffer.level == name) for name in "AB"]
        assert near.available(first, last, levels) == (CAPACITY - taken[0], 2 * CAPACITY - taken[1])


@pytest.mark.quick
@pytest.mark.parametrize("kernels", [1, 7, 16])
def test_the_largest_is_found_among_the_buffers_alive_and_resident(kernels: int):
    random = Random(kernels)
    layers = layers_of(random, kernels, 30)

    def key(number: int) -> tuple[int, int]:
        return layers.buffers[number].size, number

    resident, largest = set(range(30)), Largest(layers, range(30), key)
    for _ in range(60):
        kernel = random.randrange(kernels)
        alive = [n for n in resident if layers.buffers[n].first <= kernel <= layers.buffers[n].last]
        found = largest.at(kernel, resident)
        assert found == max(alive, key=key, default=None)
        resident.discard(found if found is not None else -1)


@pytest.mark.quick
def test_the_load_of_a_step_is_that_of_the_live_ranges_over_it():
    assert loads([(0, 2, 5), (1, 1, 7), (2, 3, 1)], 5) == [5, 12, 6, 1, 0]
