"""Concurrent programs: verify-memory against the enumeration of all interleavings, and under random seeds."""

from __future__ import annotations

from random import Random

import pytest
from xdsl.ir import Operation

from tilewright.benchmarks import interleavings
from tilewright.passes.proof.clocks import Clocks
from tilewright.passes.proof.regions import Region
from tilewright.passes.proof.rules import Steps


def _cases(count: int, seed: int) -> list[interleavings.Case]:
    random = Random(seed)
    return [interleavings.random_case(random) for _ in range(count)]


@pytest.mark.quick
def test_what_goes_wrong_in_an_interleaving_is_refused() -> None:
    found = [(interleavings.refusal(case), interleavings.enumerated(case)) for case in _cases(60, 7)]
    judged = [(rule, wrong) for rule, wrong in found if rule != "ill-formed"]
    assert all(bool(rule) == bool(wrong) for rule, wrong in judged)
    assert {rule for rule, _ in judged} >= {"", "race", "deadlock", "balance"}


def test_accepted_programs_have_one_result() -> None:
    accepted = [case for case in _cases(40, 11) if not interleavings.refusal(case)]
    assert len(accepted) > 10
    assert all(len(interleavings.results(case, range(4))) == 1 for case in accepted)


def test_racing_programs_have_several_results() -> None:
    """The seeds reach what a lucky order hides."""
    racing = [case for case in _cases(60, 7) if interleavings.refusal(case) == "race"]
    assert any(len(interleavings.results(case, range(8))) > 1 for case in racing)


def test_the_enumeration_finds_a_proof_without_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def accepts(self: Clocks, op: Operation, region: Region, steps: Steps) -> None:
        """Find no access without an order."""

    monkeypatch.setattr(Clocks, "read", accepts)
    monkeypatch.setattr(Clocks, "write", accepts)
    found = [(interleavings.refusal(case), interleavings.enumerated(case)) for case in _cases(60, 7)]
    assert any(wrong and not rule for rule, wrong in found)
