"""Kernels in parts, so that one engine works on the first while another one is still at what the rest needs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
from .map_engines import ATTRIBUTE as ENGINE
from .memory.tiling import Part
from .split.cuts import Cut, pairs_of_cuts
from .split.parts import can_be_made, made_parts, whole_of
from .split.steps import Step, cycles_of, steps_of

AROUND = 2
"""Kernels before and after a pair that are looked at with it."""
FARTHEST = 12
"""Kernels before one among which those are looked for whose results it reads."""
LEAST_GAIN = 0.01
"""The part of the pair's cycles that cutting it has to save."""


def split_kernels(function: FuncOp, machine: Machine) -> None:
    """
    Do kernels of a function in parts where two engines are then modelled to work at once, and so to be done earlier.

    Looks at every kernel of the outermost block with the one that made what it reads, where one of their engines works
    beside the program. Parts are kernels of the same kind on views of the same buffers.
    """
    if not any(engine.queue for engine in machine.engines):
        return
    found = (whole_of(op) for op in function.body.block.ops if is_kernel(op) and not op.results)
    plan = _Plan(machine, {whole.op: whole for whole in found if whole.kernel.points})
    for second in range(len(plan.ops)):
        for first in plan.makers(second):
            plan.improve(first, second)
    for op, cut in plan.cuts.items():
        _replace(op, cut)


@dataclass
class _Plan:
    """The kernels of a block in order, and how those that are done in parts are cut."""

    machine: Machine
    kernels: Mapping[Operation, Part]
    cuts: dict[Operation, Cut] = field(default_factory=dict[Operation, Cut])
    _known: dict[tuple[Operation, Cut], list[Step] | None] = field(
        default_factory=dict[tuple[Operation, Cut], "list[Step] | None"], init=False
    )
    _chosen: dict[Hashable, tuple[Cut, Cut] | None] = field(
        default_factory=dict[Hashable, "tuple[Cut, Cut] | None"], init=False
    )

    @cached_property
    def ops(self) -> Sequence[Operation]:
        """The kernels' ops."""
        return list(self.kernels)

    def makers(self, number: int) -> list[int]:
        """Return the kernels whose results one reads, where the two run on engines of which one has a queue."""
        mine, found = self._whole(number), list[int]()
        missing = list(mine.reads) if mine is not None else []
        for other in reversed(range(max(0, number - FARTHEST), number)):
            step = self._whole(other)
            if mine is None or step is None or not any(a.meets(b) for a in missing for b in step.writes):
                continue
            missing = [place for place in missing if not any(place.meets(written) for written in step.writes)]
            if step.engine != mine.engine and (step.engine.queue or mine.engine.queue):
                found.append(other)
        return found

    def improve(self, first: int, second: int) -> None:
        """Cut two kernels, of which one reads what the other makes, where both engines are then busier."""
        ops = self.ops[first], self.ops[second]
        begin = max(0, first - AROUND)
        around = self.ops[begin : second + AROUND + 1]
        decided = tuple((op.attributes.get(ENGINE), self.cuts.get(op)) for op in around)
        key = structure_of(around), decided, first - begin, second - first
        if key not in self._chosen:
            self._chosen[key] = self._best(ops, around)
        self.cuts |= zip(ops, self._chosen[key] or (), strict=False)

    def _best(self, ops: tuple[Operation, Operation], around: Sequence[Operation]) -> tuple[Cut, Cut] | None:
        """Return the cuts of two kernels that save most, None where they save too little."""
        whole = [step for op in ops for step in self._steps(op, {}) or ()]
        starting = sum(step.engine.setup for step in whole)
        least = max(LEAST_GAIN * sum(step.cycles for step in whole), starting)
        if min(step.cycles for step in whole) <= least + starting or ops[1] in self.cuts:
            return None  # what is saved is less than the shorter of the two, and another part of each has to be started
        now = self._cycles(around, {})
        if now is None:
            return None
        found: list[tuple[int, tuple[Cut, Cut]]] = []
        for pair in pairs_of_cuts(self.kernels[ops[0]], self.kernels[ops[1]], self.cuts.get(ops[0])):
            cuts = dict(zip(ops, pair, strict=True))
            are_cut = all(cut.points for cut in pair) and self._has_room(cuts)
            cycles = self._cycles(around, cuts) if are_cut else None
            if cycles is not None and cycles < now - least:
                found.append((cycles, pair))
        return next((pair for _, pair in sorted(found, key=lambda each: each[0]) if _can_be_made(ops, pair)), None)

    def _has_room(self, cuts: Mapping[Operation, Cut]) -> bool:
        """Return whether a part of each kernel have room in the near memory together."""
        parts = [self._steps(op, cuts) or [] for op in cuts]
        size = sum(max((step.size for step in steps), default=0) for steps in parts)
        return all(size <= self.machine.near_level_of(step.engine).size for steps in parts for step in steps)

    def _whole(self, number: int) -> Step | None:
        """Return a kernel that is not cut as a step."""
        steps = self._steps(self.ops[number], {})
        return steps[0] if steps else None

    def _cycles(self, ops: Sequence[Operation], cuts: Mapping[Operation, Cut]) -> int | None:
        """Return the modelled time of kernels with some of them cut, None where it is not known."""
        found: list[Step] = []
        for op in ops:
            steps = self._steps(op, cuts if op in cuts else self.cuts)
            if steps is None:
                return None
            found += steps
        return cycles_of(found)

    def _steps(self, op: Operation, cuts: Mapping[Operation, Cut]) -> list[Step] | None:
        cut = cuts.get(op, Cut(0))
        if (op, cut) not in self._known:
            self._known[op, cut] = steps_of(self.kernels[op], self.machine, cut.loop, cut.points)
        return self._known[op, cut]


def _can_be_made(ops: Sequence[Operation], cuts: Sequence[Cut]) -> bool:
    return all(can_be_made(op, cut.loop, cut.points) for op, cut in zip(ops, cuts, strict=True))


def _replace(op: Operation, cut: Cut) -> None:
    made = made_parts(op, cut.loop, cut.points)
    Rewriter.insert_op(made, InsertPoint.before(op))
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class SplitKernelsPass(Pass):
    """
    Do kernels in parts, so that one engine works on what another one has made while that is still at the rest.

    Run it on buffers, after map-engines and before plan-memory: parts are kernels on views of the same buffers, cut
    along the outermost axis of what they write, each on the engine of the whole. Which are cut, and where, follows from
    the machine's costs: a kernel and the one that reads its result, on two engines of which one has a queue, are cut
    where both are then modelled to be done at least 1 % earlier, if a part of each have room in the near level.
    Afterwards overlap-engines lets them run at once.
    """

    name = "split-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            split_kernels(function, machine)
