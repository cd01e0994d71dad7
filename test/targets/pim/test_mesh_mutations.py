"""Faults in the programs of the nodes of a mesh: those that change a result are refused."""

from __future__ import annotations

from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.test.faults import mesh_mutations
from tilewright.test.faults.mesh_fault_kinds import KINDS
from tilewright.test.faults.mesh_mutations import Outcomes, plant
from tilewright.test.fuzz.mesh_networks import Program, programs_of
from tilewright.test.targets.pim.networks import Block

COUNT = 24


@cache
def _programs() -> list[Program]:
    return programs_of(Block(5, tokens=2, heads=2, width=2).model(), (1, 2), "attention on 1x2", 3)


def _outcomes(count: int) -> Outcomes:
    by_kind = {kind: Outcomes() for kind in KINDS}
    for number in range(count):
        plant(_programs(), f"7.{number}", by_kind)
    total = Outcomes()
    for each in by_kind.values():
        total.add(each)
    return total


@pytest.mark.nightly
def test_no_fault_that_changes_a_result_is_missed() -> None:
    found = _outcomes(COUNT)
    assert found.missed == []
    assert found.wrong > COUNT // 2
    assert len(found.alarms) <= COUNT // 8


@pytest.mark.nightly
def test_a_proof_without_the_stated_values_misses_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_tiles(module: ModuleOp, *, plain: bool) -> None:
        verify(module, plain=plain, tiles=False)

    verify = mesh_mutations.verify_memory
    monkeypatch.setattr(mesh_mutations, "verify_memory", without_tiles)
    assert len(_outcomes(COUNT * 3 // 4).missed) >= 2
