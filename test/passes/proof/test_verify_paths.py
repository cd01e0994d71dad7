"""Journal of two paths against copies of all memory."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tilewright.passes.proof.paths import Paths
from tilewright.passes.proof.regions import Memory

BYTES = 24


def written(random: Random, memories: list[Memory], paths: list[Paths], first: int) -> None:
    """Write ranges of bytes, with numbers from `first` on."""
    for number in range(first, first + random.randrange(5)):
        memory, (low, high) = random.choice(memories), sorted(random.choices(range(BYTES + 1), k=2))
        paths[-1].note(memory, low, high)
        memory.writes[low:high] = number


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(30))
def test_the_ends_of_two_paths_are_those_of_copies_of_memory(seed: int):
    random = Random(seed)
    memories = [Memory(name, np.zeros(BYTES, np.uint8), initial=name == "a") for name in "abc"]
    around, paths = Paths(), [Paths()]
    paths.insert(0, around)
    written(random, memories, paths[:1], 10)
    before = [memory.writes.copy() for memory in memories]
    written(random, memories, paths, 20)
    expected = before
    if seed % 2:
        expected = [memory.writes.copy() for memory in memories]
        paths[-1].exchange()
        assert all((memory.writes == old).all() for memory, old in zip(memories, before, strict=True))
        written(random, memories, paths, 30)
    here = [memory.writes.copy() for memory in memories]
    there = [own.copy() for own in here]
    for memory, at, own, other in paths[-1].ends():
        number = memories.index(memory)
        assert (here[number][at] == own).all()
        there[number][at] = other
    assert all((a == b).all() for a, b in zip(there, expected, strict=True))
    assert all((memory.writes == own).all() for memory, own in zip(memories, here, strict=True))
    around.undo += paths.pop().undo
    around.exchange()
    assert all((memory.writes == memory.unwritten).all() for memory in memories)
