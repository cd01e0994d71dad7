"""
Partitions and temporal layers of all stages, as a mixed-integer program.

Per stage and partition k: n_k layers (integer) and y_k, whether it occurs. Minimise the cycles sum T_k n_k so that
layers cover the branches and the weights of all stages, with the largest workspace, fit a node. A node stores the
weights of each distinct partition of a stage once, or the whole weights where [1,1] occurs. HiGHS is that of OR-Tools,
through MathOpt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import chain

from ortools.math_opt.python import mathopt

from ....errors import Diagnostic
from .model import PartitionCandidate, Scheme, candidates
from .records import BlockStage, MeshProfile

_WHOLE = Scheme(1, 1)
_MIB = 1 << 20


@dataclass(frozen=True)
class PlanLayer:
    """Branches of a stage computed at a time, all with one partition."""

    candidate: PartitionCandidate
    branches: int

    @property
    def nodes(self) -> int:
        """Nodes that have a part of a branch."""
        return self.branches * math.prod(self.candidate.scheme)


@dataclass(frozen=True)
class StagePlan:
    """
    Layers of a stage, those with most branches first, each full but the last.

    `spread` weights are over all nodes of the mesh: each node receives its share again in each layer.
    """

    stage: BlockStage
    layers: tuple[PlanLayer, ...]
    spread: bool = False

    @property
    def mesh(self) -> MeshProfile:
        """The mesh of all layers."""
        return self.layers[0].candidate.mesh

    @cached_property
    def cycles(self) -> float:
        """Cycles of all layers."""
        return sum(map(self._layer_cycles, self.layers))

    @cached_property
    def busy(self) -> float:
        """Cycles of all nodes together in which they have a branch."""
        return sum(layer.nodes * self._layer_cycles(layer) for layer in self.layers)

    @cached_property
    def energy(self) -> float:
        """Picojoules of all nodes, without those of the multipliers."""
        mean = sum(extent / 3 for extent in self.mesh.array)
        received = self.mesh.moved(self.weights, mean) if self.spread else 0.0
        return sum(layer.nodes * (layer.candidate.energy + received) for layer in self.layers)

    def _layer_cycles(self, layer: PlanLayer) -> float:
        return layer.candidate.cycles + (self.weights / self.mesh.link_bytes if self.spread else 0.0)

    @cached_property
    def weights(self) -> float:
        """Bytes of weights of all blocks that a node stores."""
        distinct = {layer.candidate.scheme: layer.candidate.weights for layer in self.layers}
        return self.stage.blocks * distinct.get(_WHOLE, sum(distinct.values()))

    @cached_property
    def workspace(self) -> int:
        """Bytes of the largest working set."""
        return max(layer.candidate.workspace for layer in self.layers)

    def __str__(self) -> str:
        return " ".join(f"{layer.candidate.scheme}x{layer.branches}" for layer in self.layers)


@dataclass(frozen=True)
class MeshPlan:
    """Schedule of a network; `gap` is the relative distance to the proved bound, 0 where optimal."""

    stages: tuple[StagePlan, ...]
    gap: float = 0.0

    @cached_property
    def cycles(self) -> float:
        """Cycles of all stages."""
        return sum(stage.cycles for stage in self.stages)

    @cached_property
    def utilisation(self) -> float:
        """Share of the nodes that have a branch, over the time of all layers (equation 16 of the paper)."""
        nodes = math.prod(self.stages[0].mesh.array)
        return sum(stage.busy for stage in self.stages) / (nodes * self.cycles)

    @cached_property
    def energy(self) -> float:
        """Picojoules of all nodes, without those of the multipliers."""
        return sum(stage.energy for stage in self.stages)

    @cached_property
    def weights(self) -> float:
        """Bytes of weights that a node stores."""
        return sum(stage.weights for stage in self.stages)

    @cached_property
    def workspace(self) -> int:
        """Bytes of the largest working set of a node."""
        return max(stage.workspace for stage in self.stages)


def stage_plan(stage: BlockStage, chosen: Sequence[PartitionCandidate]) -> StagePlan:
    """
    Return the layers of a stage in canonical order: most sub-arrays first, each filled before the next.

    Raises Diagnostic where the layers hold fewer branches than the stage has.
    """
    ordered = sorted(chosen, key=lambda candidate: (-candidate.parallel, candidate.scheme))
    layers: list[PlanLayer] = []
    left = stage.branches
    for candidate in ordered:
        branches = min(left, candidate.parallel)
        left -= branches
        layers += [PlanLayer(candidate, branches)] if branches else []
    if left:
        covered = f"{stage.branches - left} in {len(chosen)} layers"
        raise Diagnostic(f"stage {stage.name} has more branches than its layers", "", str(stage.branches), covered)
    return StagePlan(stage, tuple(layers))


Costs = Mapping[tuple[str, Scheme], int]
"""Stage and partition -> cycles of the program of a block, all layers together."""


def schedule(
    stages: Sequence[BlockStage], mesh: MeshProfile, seconds: float = 60, gap: float = 0.0, costs: Costs | None = None
) -> MeshPlan:
    """
    Return the schedule of the fewest cycles, or one within `gap` of them, or the best found in `seconds`.

    With `costs` only partitions that have one are taken, at the cycles of their programs instead of modelled ones.
    Raises Diagnostic where nothing fits a node, with the stage, the term and the bytes; and where time ran out first.
    """
    usable = [_fitting(stage, mesh, costs) for stage in stages]
    program = _IntegerProgram(stages, usable)
    program.model.minimize(program.cycles)
    limit = program.not_negative(mesh.node_bytes - program.memory)
    limits = mathopt.SolveParameters(time_limit=timedelta(seconds=seconds), relative_gap_tolerance=gap)
    result = mathopt.solve(program.model, mathopt.SolverType.HIGHS, params=limits)
    if result.termination.reason is mathopt.TerminationReason.INFEASIBLE:
        program.model.delete_linear_constraint(limit)
        raise _over_capacity(stages, program, mesh)
    if not result.has_primal_feasible_solution():
        remedy = "allow more time, or a larger gap"
        raise Diagnostic("no schedule was found in time", "", f"one in {seconds:g} s", "none", remedy)
    best, bound = result.objective_value(), result.best_objective_bound()
    return MeshPlan(program.plans(result), max(0.0, (best - bound) / best))


class _IntegerProgram:
    """Variables and rules of the program; the limit of memory is the caller's."""

    def __init__(self, stages: Sequence[BlockStage], usable: Sequence[Sequence[PartitionCandidate]]):
        self.stages, self.usable = stages, usable
        self.model = mathopt.Model()
        self.counts: list[list[mathopt.Variable]] = []
        for stage, partitions in zip(stages, usable, strict=True):
            self.counts.append([self._count(stage, candidate) for candidate in partitions])
        self.workspace = self.model.add_variable(lb=0)
        stored = [self._stored(*arguments) for arguments in zip(stages, usable, self.counts, strict=True)]
        blocks = [stage.blocks for stage in stages]
        self.memory = mathopt.fast_sum([self.workspace, *(n * w for n, w in zip(blocks, stored, strict=True))])
        every, counts = chain.from_iterable(usable), chain.from_iterable(self.counts)
        self.cycles = mathopt.fast_sum(
            [candidate.cycles * count for candidate, count in zip(every, counts, strict=True)]
        )

    def _count(self, stage: BlockStage, candidate: PartitionCandidate) -> mathopt.Variable:
        return self.model.add_integer_variable(lb=0, ub=candidate.layers(stage.branches))

    def _stored(
        self, stage: BlockStage, usable: Sequence[PartitionCandidate], counts: Sequence[mathopt.Variable]
    ) -> mathopt.Variable:
        """Add the rules of a stage; return the bytes of weights of a block that a node stores."""
        stored = self.model.add_variable(lb=0)
        used = [self.model.add_binary_variable() for _ in usable]
        covered = mathopt.fast_sum(
            [candidate.parallel * count for candidate, count in zip(usable, counts, strict=True)]
        )
        self.not_negative(covered - stage.branches)
        parts: list[mathopt.LinearTypes] = []
        whole: mathopt.LinearTypes = 0.0
        for candidate, count, uses in zip(usable, counts, used, strict=True):
            self.not_negative(candidate.layers(stage.branches) * uses - count)
            self.not_negative(count - uses)
            self.not_negative(self.workspace - candidate.workspace * uses)
            if candidate.scheme == _WHOLE:
                whole = uses
                self.not_negative(stored - candidate.weights * uses)
            else:
                parts.append(candidate.weights * uses)
        if any(candidate.mesh.regular for candidate in usable):
            self.not_negative(1 - mathopt.fast_sum(used))
        most = sum(candidate.weights for candidate in usable if candidate.scheme != _WHOLE)
        self.not_negative(stored - mathopt.fast_sum(parts) + most * whole)
        return stored

    def not_negative(self, expression: mathopt.LinearBase) -> mathopt.LinearConstraint:
        """Add the rule that a linear expression is at least 0."""
        return self.model.add_linear_constraint(lb=0, expr=expression)  # pyright: ignore[reportUnknownMemberType]

    def plans(self, result: mathopt.SolveResult) -> tuple[StagePlan, ...]:
        """Return the layers that a solution has."""
        plans: list[StagePlan] = []
        for stage, usable, counts in zip(self.stages, self.usable, self.counts, strict=True):
            times = [round(value) for value in result.variable_values(counts)]
            plans.append(
                stage_plan(stage, [candidate for candidate, n in zip(usable, times, strict=True) for _ in range(n)])
            )
        return tuple(plans)


def _costed(stage: BlockStage, partitions: Sequence[PartitionCandidate], costs: Costs) -> list[PartitionCandidate]:
    """Return the partitions that have a cost, with it. Raises Diagnostic where none has."""
    keys = {candidate: (stage.name, candidate.scheme) for candidate in partitions}
    costed = [replace(candidate, program=costs[key]) for candidate, key in keys.items() if key in costs]
    if costed:
        return costed
    costed_schemes = ", ".join(str(scheme) for name, scheme in costs if name == stage.name)
    raise Diagnostic(
        f"no partition of stage {stage.name} has the cost of a program",
        expected=f"one of {', '.join(str(candidate.scheme) for candidate in partitions)}",
        found=costed_schemes or "none",
        remedy="model the programs of its partitions (benchmarks/pim/programs.py --costs FILE)",
    )


def _fitting(stage: BlockStage, mesh: MeshProfile, costs: Costs | None) -> list[PartitionCandidate]:
    """Return the partitions whose workspace fits a node. Raises Diagnostic where none does, or none has a cost."""
    partitions = candidates(stage, mesh)
    partitions = partitions if costs is None else _costed(stage, partitions, costs)
    fitting = [candidate for candidate in partitions if candidate.workspace <= mesh.node_bytes]
    if fitting:
        return fitting
    least = min(partitions, key=lambda candidate: candidate.workspace)
    term = max(least.workspaces, key=lambda name: least.workspaces[name])
    raise Diagnostic(
        f"no partition of stage {stage.name} fits a node: {term} takes {least.workspace - mesh.node_bytes} bytes more",
        expected=f"a workspace of at most {mesh.node_bytes} bytes",
        found=f"{least.workspace} bytes for {least.scheme}, the least of {len(partitions)} partitions",
        remedy="larger nodes, more of them, or a smaller image",
    )


def _over_capacity(stages: Sequence[BlockStage], program: _IntegerProgram, mesh: MeshProfile) -> Diagnostic:
    """Return the error for weights beyond the nodes, from the plan of the least memory."""
    program.model.minimize(program.memory)
    result = mathopt.solve(program.model, mathopt.SolverType.HIGHS)
    plan = MeshPlan(program.plans(result))
    excess = plan.weights + plan.workspace - mesh.node_bytes
    sizes = ", ".join(f"stage {stage.stage.name} {stage} {stage.weights / _MIB:.4g} MiB" for stage in plan.stages)
    return Diagnostic(
        f"weights and workspace take {excess:.0f} bytes more than a node has; most takes {_largest(plan)}",
        expected=f"weights and workspace of at most {mesh.node_bytes / _MIB:.4g} MiB",
        found=f"{(plan.weights + plan.workspace) / _MIB:.4g} MiB at least: {sizes}, workspace {plan.workspace} bytes",
        remedy=_sharing(plan, excess),
    )


def _sharing(plan: MeshPlan, excess: float) -> str:
    """Return the remedy for weights beyond the nodes: the nodes that have to share those of the largest stage."""
    stage = max(plan.stages, key=lambda stage: stage.weights)
    larger = f"nodes of at least {math.ceil(plan.weights + plan.workspace)} bytes"
    if stage.weights <= excess:
        return f"{larger}; sharing the weights of one stage further is not enough"
    whole = stage.stage.weights * stage.stage.blocks
    nodes, least = whole / stage.weights, math.ceil(whole / (stage.weights - excess))
    return f"{larger}, or share the weights of stage {stage.stage.name} among {least} nodes instead of {nodes:g}"


def _largest(plan: MeshPlan) -> str:
    """Return the term with the most bytes: the weights of a stage, or the working set of a phase."""
    weights = max(plan.stages, key=lambda stage: stage.weights)
    if weights.weights >= plan.workspace:
        return f"the weights of stage {weights.stage.name}, {weights.weights:.0f} bytes"
    used = [layer.candidate for stage in plan.stages for layer in stage.layers]
    largest = max(used, key=lambda candidate: candidate.workspace)
    phase = max(largest.workspaces, key=lambda name: largest.workspaces[name])
    return f"the workspace of stage {largest.stage.name}, {phase}: {largest.workspace} bytes"
