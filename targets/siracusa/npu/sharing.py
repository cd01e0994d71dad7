"""Assignment of kernels to the NPU and another engine that minimises the makespan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....passes.map_engines import ATTRIBUTE
from ....passes.overlap.runs import KernelRun, cycles_of_runs
from .division import Division
from .flow import KernelFlow

WINDOW = 12
"""Distance in kernels within which concurrent ones are searched."""
AROUND = 8
"""Neighbouring kernels before and after in a cost estimate."""
LEAST_GAIN = 0.1
"""Least saving of a split, as a fraction of the kernel's cycles: parts add transfers and a call."""
SWEEPS = 3
"""Maximum sweeps over the kernels to select splits."""
NOTHING: Mapping[Operation, Division] = MappingProxyType({})


@dataclass(frozen=True)
class NpuChoice:
    """
    Kernel that the NPU supports: its cycles there, and those of the remaining elementwise kernel.

    `ahead` are the cycles of the kernel that makes its image, on the engine `elsewhere`.
    `image` is the NPU's dynamic input; `elsewhere` is the fastest other engine and its cycles, None if there is none.
    """

    image: SSAValue
    npu: int
    rest: int | None
    elsewhere: tuple[Engine, int] | None
    ahead: int = 0

    @property
    def is_faster(self) -> bool:
        """Return whether the NPU and the remaining kernel take fewer cycles than another engine."""
        return self.elsewhere is None or self.loss < 0

    @property
    def loss(self) -> int:
        """Cycles of the NPU and the other kernels that it needs, minus those of another engine."""
        return self.on_npu - (self.elsewhere[1] if self.elsewhere is not None else 0)

    @property
    def on_npu(self) -> int:
        """Cycles of the NPU's kernel, and of those before and after it, one after another."""
        return self.ahead + self.npu + (self.rest or 0)


@dataclass
class Sharing:
    """
    Assignment problem of a block's kernels to engines, and its makespan.

    `choices` are the kernels that the NPU supports; those in `free` may be assigned.
    """

    flow: KernelFlow
    machine: Machine
    npu: Engine
    choices: Mapping[Operation, NpuChoice]
    free: Set[Operation]
    _elsewhere: dict[Operation, tuple[Engine, int] | None] = field(
        default_factory=dict[Operation, "tuple[Engine, int] | None"], init=False
    )

    def improved(self, taken: Set[Operation]) -> set[Operation]:
        """
        Improve an assignment by local search: move kernels `taken` by the NPU to or from it if the makespan decreases.

        Independent kernels are assigned together. The initial solutions are the given assignment and longest-first; the
        search changes one kernel at a time.
        """
        taken, decided = set(taken), set[Operation]()
        for op in self.flow.kernels:
            if op in decided or op not in self.free:
                continue
            group = self._siblings(op, decided)
            decided |= set(group)
            taken = self._best(group, taken)
        return taken

    def _siblings(self, first: Operation, decided: Set[Operation]) -> list[Operation]:
        """Return a kernel and nearby ones that are independent of it and of each other."""
        group = [first]
        begin = self.flow.number(first)
        for op in self.flow.kernels[begin + 1 : begin + WINDOW]:
            is_independent = op in self.free - decided and not any(self._needs(op, member) for member in group)
            group += [op] if is_independent else []
        return group

    def _needs(self, op: Operation, other: Operation) -> bool:
        """Return whether the NPU's input of a kernel depends on another kernel."""
        return self.flow.needs(self.choices[op].image, other)

    def _best(self, group: Sequence[Operation], taken: set[Operation]) -> set[Operation]:
        numbers = [self.flow.number(op) for op in group]
        window = self.flow.kernels[max(0, numbers[0] - AROUND) : numbers[-1] + AROUND + 1]
        starts = taken, self._longest_first(group, taken)
        assignments = [self._descended(group, window, start) for start in starts]
        return min(assignments, key=lambda assignment: assignment[0])[1]

    def _longest_first(self, group: Sequence[Operation], taken: Set[Operation]) -> set[Operation]:
        """Return the longest-processing-time-first assignment."""
        loads = {True: 0, False: 0}
        assigned = set(taken) - set(group)
        for op in sorted(group, key=lambda op: -self._alone(op, npu=False)):
            ends = {npu: load + self._alone(op, npu=npu) for npu, load in loads.items()}
            npu = ends[True] < ends[False]
            loads[npu] = ends[npu]
            assigned |= {op} if npu else set()
        return assigned

    def _alone(self, op: Operation, *, npu: bool) -> int:
        choice = self.choices[op]
        assert choice.elsewhere is not None
        return choice.on_npu if npu else choice.elsewhere[1]

    def _descended(
        self, group: Sequence[Operation], window: Sequence[Operation], taken: set[Operation]
    ) -> tuple[int, set[Operation]]:
        """Return the makespan of a window and an assignment that is a local optimum for changes of one kernel."""
        best = self.cycles(window, taken), taken
        while True:
            others = [best[1] ^ {op} for op in group]
            neighbour = min(
                ((self.cycles(window, other), other) for other in others), key=lambda assignment: assignment[0]
            )
            if neighbour[0] >= best[0]:
                return best
            best = neighbour

    def divided(
        self, taken: Set[Operation], candidates: Mapping[Operation, Sequence[Division]]
    ) -> dict[Operation, Division]:
        """
        Select the kernels to split between the NPU and another engine, with their splits, to minimise the makespan.

        `candidates` are the possible splits, `taken` the kernels on the NPU. Kernels are decided in order, in several
        sweeps because splits interact.
        """
        splits: dict[Operation, Division] = {}
        for _ in range(SWEEPS):
            before = dict(splits)
            for op in (op for op in self.flow.kernels if candidates.get(op)):
                others = {other: division for other, division in splits.items() if other != op}
                splits = others | self._division(op, candidates[op], taken, others)
            if splits == before:
                break
        return splits

    def _division(
        self, op: Operation, candidates: Sequence[Division], taken: Set[Operation], others: Mapping[Operation, Division]
    ) -> dict[Operation, Division]:
        """Return the best split of a kernel, given those of others, if it reduces the makespan."""
        number = self.flow.number(op)
        window = self.flow.kernels[max(0, number - AROUND) : number + AROUND + 1]
        least = LEAST_GAIN * self._alone(op, npu=op in taken)
        costed = [(self.cycles(window, taken, {**others, op: division}), division) for division in candidates]
        cycles, best = min(costed, key=lambda candidate: candidate[0])
        return {op: best} if cycles < self.cycles(window, taken, others) - least else {}

    def cycles(
        self, window: Sequence[Operation], taken: Set[Operation], divided: Mapping[Operation, Division] = NOTHING
    ) -> int:
        """Return the makespan of consecutive kernels, given those on the NPU and those split."""
        runs: list[KernelRun] = []
        numbers: dict[Operation, set[int]] = {}
        for op in window:
            before = len(runs)
            if op in divided:
                self._add_divided(op, divided[op], runs, numbers)
            elif op in taken:
                self._add_npu(op, self.choices[op].npu, self.choices[op].rest, runs, numbers)
                before = len(runs) - 1
            elif (cost := self._cost_elsewhere(op)) is not None:
                runs.append(KernelRun.on(*cost, self._after(op.operands, numbers)))
            numbers[op] = set(range(before, len(runs)))
        return cycles_of_runs(runs)

    def _add_npu(
        self, op: Operation, npu: int, rest: int | None, runs: list[KernelRun], numbers: Mapping[Operation, set[int]]
    ) -> None:
        choice = self.choices[op]
        after = self._after([choice.image], numbers)
        if choice.ahead and choice.elsewhere is not None:
            runs.append(KernelRun.on(choice.elsewhere[0], choice.ahead, after))
            after = {len(runs) - 1}
        runs.append(KernelRun.on(self.npu, npu, after))
        if rest is not None and choice.elsewhere is not None:
            after = self._after(op.operands, numbers) | {len(runs) - 1}
            runs.append(KernelRun.on(choice.elsewhere[0], rest, after))

    def _add_divided(
        self, op: Operation, division: Division, runs: list[KernelRun], numbers: Mapping[Operation, set[int]]
    ) -> None:
        elsewhere = self.choices[op].elsewhere
        assert elsewhere is not None
        self._add_npu(op, division.npu, division.rest, runs, numbers)
        runs.append(KernelRun.on(elsewhere[0], division.beside, self._after(op.operands, numbers)))

    def _after(self, values: Sequence[SSAValue], numbers: Mapping[Operation, set[int]]) -> set[int]:
        makers = (maker for value in values for maker in self.flow.makers(value) if maker in numbers)
        return {number for maker in makers for number in numbers[maker]}

    def _cost_elsewhere(self, op: Operation) -> tuple[Engine, int] | None:
        """Return the engine of a kernel that the NPU does not run, and its cycles; None if there is none."""
        if op in self.choices:
            return self.choices[op].elsewhere
        if op not in self._elsewhere:
            hint = op.attributes.get(ATTRIBUTE)
            able = [
                candidate for candidate in self.machine.engines_for(op) if hint in (None, StringAttr(candidate[0].name))
            ]
            self._elsewhere[op] = able[0] if able else None
        return self._elsewhere[op]
