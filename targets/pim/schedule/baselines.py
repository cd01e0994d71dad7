"""
Schedules without search, to compare with: one partition for all layers of a stage.

B: a branch a node. P: patches split as far as a row of nodes allows. AH: heads split as far as they divide. Weights
that do not fit are spread over all nodes: each node receives its share again in every block of every layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ....errors import Diagnostic
from .model import PartitionCandidate, Scheme
from .records import BlockStage, MeshProfile
from .solve import MeshPlan, StagePlan, stage_plan


def _whole(_stage: BlockStage, _mesh: MeshProfile) -> Scheme:
    return Scheme(1, 1)


def _patches(stage: BlockStage, mesh: MeshProfile) -> Scheme:
    most = min(-(-stage.queries // mesh.minimum_rows), mesh.array[1])
    return Scheme(1, 1 << most.bit_length() - 1)


def _heads(stage: BlockStage, mesh: MeshProfile) -> Scheme:
    return Scheme(max(n for n in range(1, mesh.array[0] + 1) if stage.heads % n == 0), 1)


BASELINES: dict[str, Callable[[BlockStage, MeshProfile], Scheme]] = {
    "B": _whole,
    "P": _patches,
    "AH": _heads,
}


def baseline(name: str, stages: Sequence[BlockStage], mesh: MeshProfile) -> MeshPlan:
    """Return the plan of a baseline, its weights spread over all nodes where they do not fit."""
    plans: list[StagePlan] = []
    for stage in stages:
        candidate = PartitionCandidate(stage, BASELINES[name](stage, mesh), mesh)
        if not candidate.parallel:
            raise Diagnostic(f"no node is left for {candidate.scheme} of stage {stage.name}")
        plans.append(stage_plan(stage, [candidate] * candidate.layers(stage.branches)))
    plan = MeshPlan(tuple(plans))
    if plan.weights + plan.workspace <= mesh.node_bytes:
        return plan
    return MeshPlan(tuple(replace(planned, spread=True) for planned in plans))
