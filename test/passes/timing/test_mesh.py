"""Transfers between neighbours: routers, contention, gaps, and the rings of a schedule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.dialects.core.machine.link import Link
from tilewright.passes.timing.mesh import NeighbourBuses

LINK = Link("noc", "NODE", "NODE", 8, neighbours="mesh", router=4)
ROW = ((0, 1), (1, 2), (2, 3))


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_data_follow_over_routers(hops: int) -> None:
    start, end, spans = NeighbourBuses().send(LINK, ROW[:hops], 100, 0, 64)
    assert (start, end) == (100, 100 + 64 + 4 * (hops + 1))
    assert [begin for begin, _ in spans] == [104 + 4 * hop for hop in range(hops)]


def test_without_routers_each_hop_takes_all() -> None:
    mesh, link = NeighbourBuses(), replace(LINK, router=0)
    assert mesh.send(link, ROW, 0, 2, 64)[:2] == (0, 3 * 66)
    assert mesh.send(link, ROW[:1], 10, 2, 64)[:2] == (66, 132)


def test_a_busy_bus_is_waited_for() -> None:
    mesh = NeighbourBuses()
    mesh.send(LINK, ROW, 0, 0, 64)
    _, end, spans = mesh.send(LINK, ROW[1:2], 0, 0, 64)
    assert (spans, end) == ([(72, 136)], 136 + 4)
    assert mesh.send(LINK, ((2, 1),), 0, 0, 64)[1] == 64 + 8, "the other direction has buses of its own"
    assert mesh.buses("noc") == 4


def test_gaps_are_used() -> None:
    mesh = NeighbourBuses()
    mesh.send(LINK, ROW[:1], 200, 0, 64)
    assert mesh.send(LINK, ROW[:1], 0, 0, 64)[1] == 64 + 8
    assert mesh.send(LINK, ROW[:1], 70, 0, 200)[0] == 264, "too long for what is left between the two"


def test_an_instance_sends_and_receives_one_transfer_at_a_time() -> None:
    mesh = NeighbourBuses()
    assert mesh.send(LINK, ((0, 1),), 0, 0, 64)[1] == 72
    assert mesh.send(LINK, ((2, 1),), 0, 0, 64)[1] == 72 + 64
    assert mesh.send(LINK, ((0, 4),), 0, 0, 64)[1] == 72 + 64


def test_within_an_instance_no_router_is_passed() -> None:
    assert NeighbourBuses().send(LINK, ((1, 1),), 5, 3, 64)[:2] == (5, 5 + 3 + 64)


def test_a_round_of_a_ring_has_no_contention() -> None:
    """All send to the next instance, the last one over all others back to the first."""
    mesh = NeighbourBuses()
    back = tuple((here, here - 1) for here in (3, 2, 1))
    ends = [mesh.send(LINK, route, 0, 0, 64)[1] for route in (*((edge,) for edge in ROW), back)]
    assert ends == [72, 72, 72, 80]
