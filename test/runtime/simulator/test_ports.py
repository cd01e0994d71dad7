"""Banks with a single port, by hand: rows read in step, and rows that are written while others are read."""

from __future__ import annotations

from itertools import permutations

import pytest

from tilewright.runtime.simulator.ports import BankRows, Ports

pytestmark = pytest.mark.quick

ARRAY, LOADS = ("execute", 0), ("load", 0)
FIRST, SECOND = ("SPAD", 0), ("SPAD", 1)


def reads(bank: tuple[str, int], rows: float = 16) -> BankRows:
    return BankRows({bank: rows}, {}, {})


def beside(bank: tuple[str, int], rows: float = 16) -> BankRows:
    return BankRows({}, {bank: rows}, {})


def writes(bank: tuple[str, int], rows: float) -> BankRows:
    return BankRows({}, {}, {bank: rows})


@pytest.mark.parametrize(("bank", "is_next", "cycles"), [(FIRST, True, 16), (SECOND, True, 0), (FIRST, False, 0)])
def test_rows_beside_those_of_the_instruction_before_take_turns(bank: tuple[str, int], is_next: bool, cycles: int):
    ports = Ports()
    assert ports.bank_conflict_cycles(ARRAY, reads(FIRST), is_next=False) == 0
    assert not list(ports.execute(ARRAY, reads(FIRST), 0, 16, now=0))
    assert ports.bank_conflict_cycles(ARRAY, beside(bank), is_next=is_next) == cycles


def test_rows_take_turns_with_the_instruction_before_alone():
    ports = Ports()
    for rows, start in ((reads(FIRST), 0), (beside(SECOND), 16)):
        list(ports.execute(ARRAY, rows, start, start + 16, now=0))
    assert ports.bank_conflict_cycles(ARRAY, beside(FIRST), is_next=True) == 0


def test_rows_beside_others_of_their_instruction_take_turns_with_these():
    ports = Ports()
    list(ports.execute(ARRAY, reads(SECOND), 0, 16, now=0))
    assert ports.bank_conflict_cycles(ARRAY, BankRows({FIRST: 16}, {FIRST: 12, SECOND: 4}, {}), is_next=True) == 12


@pytest.mark.parametrize(("bank", "waits"), [(FIRST, 10), (SECOND, 0)])
def test_reads_wait_for_the_rows_that_are_written_meanwhile(bank: tuple[str, int], waits: int):
    """20 rows in 100 cycles: 10 in the 50 of a read that takes 40 alone, whichever of the two is issued first."""
    for order in permutations([(LOADS, writes(FIRST, 20), 0, 100), (ARRAY, reads(bank, 40), 50, 90)]):
        ports, found = Ports(), 0
        for own, rows, start, end in order:
            for late, cycles in ports.execute(own, rows, start, end, now=0):
                assert late == ARRAY
                found += cycles
        assert found == waits


def test_waits_of_less_than_a_cycle_add_up():
    ports, found = Ports(), list[int]()
    list(ports.execute(LOADS, writes(FIRST, 100), 0, 500, now=0))
    for start in range(0, 40, 10):
        found.append(sum(cycles for _, cycles in ports.execute(ARRAY, reads(FIRST, 10), start, start + 10, now=start)))
    assert found == [2, 3, 2, 3]


def test_rows_that_take_part_of_the_cycles_wait_in_these():
    ports = Ports()
    list(ports.execute(LOADS, writes(FIRST, 100), 0, 200, now=0))
    assert list(ports.execute(ARRAY, reads(FIRST, 8), 0, 20, now=0)) == [(ARRAY, 5)]


@pytest.mark.parametrize(("rows", "waits"), [(60, 30), (100, 50)])
def test_no_row_delays_a_read_twice(rows: int, waits: int):
    """A read of 100 cycles that begins in the middle of the writes waits for half of them at most."""
    ports = Ports()
    list(ports.execute(LOADS, writes(FIRST, rows), 0, 100, now=0))
    assert list(ports.execute(ARRAY, reads(FIRST, 100), 50, 150, now=0)) == [(ARRAY, waits)]


def test_what_has_ended_at_an_issue_meets_nothing():
    ports = Ports()
    list(ports.execute(LOADS, writes(FIRST, 100), 0, 100, now=0))
    assert not list(ports.execute(ARRAY, reads(FIRST, 50), 100, 150, now=100))
