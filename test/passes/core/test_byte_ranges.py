"""Index of ranges of bytes against a list of them."""

from __future__ import annotations

from random import Random

import pytest

from tilewright.passes.core.byte_ranges import ByteRanges


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_found_as_in_a_list(seed: int):
    random, ranges, known = Random(seed), ByteRanges(), list[tuple[int, int, int]]()
    for number in range(80):
        low = random.randrange(100)
        high = low + random.choice([0, 1, 2, 4, 8, random.randrange(100), 1 << 62])
        match random.randrange(5):
            case 0 if known:
                gone = known.pop(random.randrange(len(known)))
                ranges.remove(*gone)
            case 1:
                ranges.forget(low, high)
                known = [each for each in known if not (low <= each[0] and each[1] <= high)]
            case _:
                ranges.add(low, high, number)
                known.append((low, high, number))
        low, high = sorted(random.choices(range(200), k=2))
        assert sorted(ranges.meeting(low, high)) == [n for begin, end, n in known if begin < high and low < end]
