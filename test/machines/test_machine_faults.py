"""Faults in the programs of all machines: each is refused, or shows in no execution, and refusals can be replayed."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.discovery import scope
from tilewright.test.faults import machine_faults
from tilewright.test.faults.machine_faults import Outcomes, planted, programs

SLOW = ("mesh_sharded", "paged_attention", "systolic_instructions_chained")
COUNT = 12


def _outcomes(seed: int) -> list[Outcomes]:
    with scope():
        return list(planted(COUNT, seed, list(programs(SLOW))).values())


def test_no_fault_is_missed_and_refusals_are_replayed() -> None:
    found = _outcomes(7)
    assert [seed for each in found for seed in each.missed] == []
    refused = sum((each.refused for each in found), Counter[str]())
    assert sum(refused.values()) > COUNT // 3
    assert refused["not replayed"] == 0


@pytest.mark.nightly
def test_a_proof_that_refuses_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(_: ModuleOp) -> None: ...

    monkeypatch.setattr(machine_faults, "verify_memory", accept)
    assert sum(len(each.missed) for each in _outcomes(7)) > COUNT // 4
