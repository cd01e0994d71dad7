"""Splitting of producers and consumers into parts, so that two engines overlap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.core.kernel_structure import structure_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..ir import functions
from .core.base import Pass
from .core.remarks import missed, passed
from .map_engines import ATTRIBUTE as ENGINE
from .split.cuts import LoopSplit, pairs_of_cuts
from .split.parts import build_parts, can_build, whole_of
from .split.steps import KernelStep, cycles_of, steps_of
from .tiles.kernels import KernelTiles

AROUND = 2
"""Neighbouring kernels before and after a pair in its cost estimate."""
FARTHEST = 12
"""Distance in kernels within which producers are searched."""
LEAST_GAIN = 0.01
"""Least saving, as a fraction of the pair's cycles."""


def split_kernels(function: FuncOp, machine: Machine) -> None:
    """
    Split kernels of a function if that reduces the modelled makespan of two engines.

    Considers each kernel of the outermost block with its producer, if one of their engines runs asynchronously. Parts
    are kernels of the same op on views of the same buffers.
    """
    if not any(engine.queue for engine in machine.engines):
        return
    kernels = (whole_of(op) for op in function.body.block.ops if is_kernel(op) and not op.results)
    plan = _SplitPlan(machine, {whole.op: whole for whole in kernels if whole.kernel.points})
    for second in range(len(plan.ops)):
        for first in plan.producers(second):
            plan.improve(first, second)
    for op, cut in plan.cuts.items():
        parts = len(cut.points) + 1
        passed(op, "split", "{parts} parts along d{loop}, which overlap another engine", parts=parts, loop=cut.loop)
        _replace(op, cut)


@dataclass
class _SplitPlan:
    """Kernels of a block in order, and the splits selected so far."""

    machine: Machine
    kernels: Mapping[Operation, KernelTiles]
    cuts: dict[Operation, LoopSplit] = field(default_factory=dict[Operation, LoopSplit])
    _steps_by_cut: dict[tuple[Operation, LoopSplit], list[KernelStep] | None] = field(
        default_factory=dict[tuple[Operation, LoopSplit], "list[KernelStep] | None"], init=False
    )
    _chosen: dict[Hashable, tuple[LoopSplit, LoopSplit] | None] = field(
        default_factory=dict[Hashable, "tuple[LoopSplit, LoopSplit] | None"], init=False
    )

    @cached_property
    def ops(self) -> Sequence[Operation]:
        """Ops of the kernels."""
        return list(self.kernels)

    def producers(self, number: int) -> list[int]:
        """Return the producers of a kernel's inputs, if one of the two engines has a queue."""
        mine, producers = self._whole(number), list[int]()
        missing = list(mine.reads) if mine is not None else []
        for other in reversed(range(max(0, number - FARTHEST), number)):
            step = self._whole(other)
            if mine is None or step is None:
                continue
            unwritten = [region for region in missing if not any(map(region.meets, step.writes))]
            if len(unwritten) == len(missing):
                continue
            missing = unwritten
            if step.engine != mine.engine and (step.engine.queue or mine.engine.queue):
                producers.append(other)
        return producers

    def improve(self, first: int, second: int) -> None:
        """Split a producer and its consumer if that reduces the makespan."""
        ops = self.ops[first], self.ops[second]
        begin = max(0, first - AROUND)
        around = self.ops[begin : second + AROUND + 1]
        decided = tuple((op.attributes.get(ENGINE), self.cuts.get(op)) for op in around)
        key = structure_of(around), decided, first - begin, second - first
        if key not in self._chosen:
            self._chosen[key] = self._best(ops, around)
        self.cuts |= zip(ops, self._chosen[key] or (), strict=False)
        if self._chosen[key] is None:
            text = "no split with its producer '{producer}' on another engine saves {least:.0%} and a set-up"
            missed(ops[1], "split", text, producer=ops[0].name, least=LEAST_GAIN)

    def _best(
        self, ops: tuple[Operation, Operation], around: Sequence[Operation]
    ) -> tuple[LoopSplit, LoopSplit] | None:
        """Return the split of two kernels with the largest saving, None if it is too small."""
        whole = [step for op in ops for step in self._steps(op, {}) or ()]
        starting = sum(step.engine.setup for step in whole)
        least = max(LEAST_GAIN * sum(step.cycles for step in whole), starting)
        if min(step.cycles for step in whole) <= least + starting or ops[1] in self.cuts:
            return None  # the saving is at most the shorter kernel's cycles, and each additional part has a set-up
        now = self._cycles(around, {})
        if now is None:
            return None
        candidates: list[tuple[int, tuple[LoopSplit, LoopSplit]]] = []
        for pair in pairs_of_cuts(self.kernels[ops[0]], self.kernels[ops[1]], self.cuts.get(ops[0])):
            cuts = dict(zip(ops, pair, strict=True))
            are_cut = all(cut.points for cut in pair) and self._fits(cuts)
            cycles = self._cycles(around, cuts) if are_cut else None
            if cycles is not None and cycles < now - least:
                candidates.append((cycles, pair))
        by_cycles = sorted(candidates, key=lambda candidate: candidate[0])
        return next((pair for _, pair in by_cycles if _can_build(ops, pair)), None)

    def _fits(self, cuts: Mapping[Operation, LoopSplit]) -> bool:
        """Return whether a part of each kernel fits the near memory at the same time."""
        parts = [self._steps(op, cuts) or [] for op in cuts]
        steps = list(chain.from_iterable(parts))
        largest = sum(max(part, key=attrgetter("size")).size for part in parts if part)
        return all(largest <= self.machine.near_level_of(step.engine).size for step in steps)

    def _whole(self, number: int) -> KernelStep | None:
        """Return an unsplit kernel as a step."""
        steps = self._steps(self.ops[number], {})
        return steps[0] if steps else None

    def _cycles(self, ops: Sequence[Operation], cuts: Mapping[Operation, LoopSplit]) -> int | None:
        """Return the makespan of kernels with some of them split, None if unknown."""
        schedule: list[KernelStep] = []
        for op in ops:
            steps = self._steps(op, cuts if op in cuts else self.cuts)
            if steps is None:
                return None
            schedule += steps
        return cycles_of(schedule)

    def _steps(self, op: Operation, cuts: Mapping[Operation, LoopSplit]) -> list[KernelStep] | None:
        cut = cuts.get(op, LoopSplit(0))
        if (op, cut) not in self._steps_by_cut:
            self._steps_by_cut[op, cut] = steps_of(self.kernels[op], self.machine, cut.loop, cut.points)
        return self._steps_by_cut[op, cut]


def _can_build(ops: Sequence[Operation], cuts: Sequence[LoopSplit]) -> bool:
    return all(can_build(op, cut.loop, cut.points) for op, cut in zip(ops, cuts, strict=True))


def _replace(op: Operation, cut: LoopSplit) -> None:
    parts = build_parts(op, cut.loop, cut.points)
    Rewriter.insert_op(parts, InsertPoint.before(op))
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class SplitKernelsPass(Pass):
    """
    Split kernels into parts, so that a consumer on one engine overlaps with its producer on another.

    Run it on buffers, after map-engines and before plan-memory: parts are kernels on views of the same buffers, split
    along the outermost axis of their output, each on the engine of the whole. A producer and its consumer on two
    engines, one with a queue, are split if the modelled makespan decreases by at least 1 % and a part of each fits the
    near level. overlap-engines then overlaps them.
    """

    name = "split-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            split_kernels(function, machine)
