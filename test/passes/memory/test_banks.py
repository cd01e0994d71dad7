"""Addresses in banks with a single port: which buffers share one, and what is left as it was."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tilewright.dialects.core.machine.level import Level
from tilewright.passes.memory.banks import BufferRing, consecutive, in_banks, meeting, meetings

pytestmark = pytest.mark.quick

LEVEL = Level("SPAD", 4096, alignment=16, row_bytes=16, banks=4, single_port=True)
"""Banks of 1,024 bytes."""


def test_shares_are_those_of_contiguous_banks():
    assert LEVEL.bank_bytes == 1024
    assert LEVEL.shares(512, 2048) == {0: 0.25, 1: 0.5, 2: 0.25}
    assert LEVEL.shares(1024, 1024) == {1: 1}
    assert replace(LEVEL, single_port=False).shares(0, 64) == {}
    assert LEVEL.meeting(range(0, 1024), range(512, 1536)) == 0.5
    assert LEVEL.meeting(range(0, 1024), range(1024, 2048)) == 0


def test_meetings_are_means_over_the_buffers():
    one, two = BufferRing(512, 2, 512), BufferRing(1024, 1, 0)
    assert meeting(one, two, LEVEL) == 0.5
    assert meetings([one, two], LEVEL) == (0.5, 0)
    assert meetings([replace(one, address=0), two], LEVEL) == (1, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("rings", "least"),
    [
        ([BufferRing(64, 2), BufferRing(64)], (0, 0)),
        ([BufferRing(64, 2), BufferRing(64, 2)], (0, 0)),
        ([BufferRing(1024, 2), BufferRing(1024, 2)], (0, 0)),
        ([BufferRing(64), BufferRing(64), BufferRing(64), BufferRing(64)], (0, 0)),
        ([BufferRing(64), BufferRing(64), BufferRing(64), BufferRing(64), BufferRing(64)], (1, 0)),
        ([BufferRing(2048), BufferRing(2048)], (0, 0)),
        ([BufferRing(1536), BufferRing(1536), BufferRing(512)], (0.111111, 0)),
        ([BufferRing(3072), BufferRing(512, 2)], (0, 1)),
        ([BufferRing(64, 3), BufferRing(64)], (0, 0.333333)),
    ],
)
def test_buffers_that_are_accessed_at_once_share_no_bank_where_they_fit(
    rings: list[BufferRing], least: tuple[float, float]
):
    found = in_banks(tuple(rings), LEVEL, LEVEL.size)
    assert meetings(found, LEVEL) == least
    assert [replace(ring, address=0) for ring in found] == rings
    bytes_ = [address for ring in found for address in range(ring.address, ring.end)]
    assert len(bytes_) == len(set(bytes_))
    assert max(bytes_) < LEVEL.size
    assert all(ring.address % LEVEL.unit == 0 for ring in found)


@pytest.mark.long
def test_no_addresses_are_better_than_those_found():
    """All pairs of addresses, of two rings on a level of 32 units."""
    level = Level("SPAD", 512, alignment=16, row_bytes=16, banks=4, single_port=True)
    for sizes in product((16, 48, 80, 112), (1, 2), (16, 96, 160), (1, 2)):
        rings = (BufferRing(*sizes[:2]), BufferRing(*sizes[2:]))
        if sum(ring.end for ring in rings) > level.size:
            continue
        places = [[replace(r, address=at) for at in range(0, level.size - r.end + 1, 16)] for r in rings]
        legal = [pair for pair in product(*places) if pair[0].end <= pair[1].address or pair[1].end <= pair[0].address]
        assert meetings(in_banks(rings, level, level.size), level) == min(meetings(pair, level) for pair in legal)


@pytest.mark.parametrize("level", [replace(LEVEL, single_port=False), replace(LEVEL, banks=1)])
def test_buffers_lie_one_behind_the_other_where_nothing_is_better(level: Level):
    rings = (BufferRing(64, 2), BufferRing(32))
    assert in_banks(rings, level, LEVEL.size) == consecutive(rings) == [BufferRing(64, 2, 0), BufferRing(32, 1, 128)]
    assert in_banks(rings, LEVEL, 160) == consecutive(rings), "no more capacity than their bytes"
