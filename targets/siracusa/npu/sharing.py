"""Assignment of kernels to the NPU and another engine that minimises the makespan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ....dialects.core.machine.model import Engine, Machine
from ....passes.map_engines import ATTRIBUTE
from ....passes.overlap.runs import Run, cycles_of_runs
from .division import Division
from .flow import Flow

WINDOW = 12
"""Kernels after one among which those are looked for that may run beside it."""
AROUND = 8
"""Kernels before and after such kernels that are looked at with them."""
LEAST_GAIN = 0.1
"""The part of its own cycles that dividing a kernel has to save: its parts take transfers and a call more."""
SWEEPS = 3
"""How often it is gone through the kernels, at most, to decide which are divided."""
NOTHING: Mapping[Operation, Division] = MappingProxyType({})


@dataclass(frozen=True)
class Choice:
    """
    A kernel that the NPU can do: its cycles there, and those of what is left to do after it, if anything is.

    `image` is what the NPU needs of what is computed before, `elsewhere` the fastest other engine and its cycles; None
    where no other can do it.
    """

    image: SSAValue
    npu: int
    rest: int | None
    elsewhere: tuple[Engine, int] | None

    @property
    def is_faster(self) -> bool:
        """Return whether the NPU and what is left after it take less than another engine, each alone."""
        return self.elsewhere is None or self.loss < 0

    @property
    def loss(self) -> int:
        """The cycles that the NPU and what is left after it take more than another engine, each alone."""
        return self.npu + (self.rest or 0) - (self.elsewhere[1] if self.elsewhere is not None else 0)


@dataclass
class Sharing:
    """
    The kernels of a block, and how many cycles they take when engines share them.

    `choices` are those that the NPU can do, of which it may be decided for those that are `free`.
    """

    flow: Flow
    machine: Machine
    npu: Engine
    choices: Mapping[Operation, Choice]
    free: Set[Operation]
    _known: dict[Operation, tuple[Engine, int] | None] = field(
        default_factory=dict[Operation, "tuple[Engine, int] | None"], init=False
    )

    def improved(self, taken: Set[Operation]) -> set[Operation]:
        """
        Improve an assignment by local search: move kernels `taken` by the NPU to or from it where the makespan shrinks.

        Kernels of which none makes what another one's NPU job reads are decided on together: from the given choice and
        from the longest first, each to the engine that is done first, by changing one at a time while that helps.
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
        """Return a kernel and those soon after it that may run beside it and beside each other."""
        group = [first]
        begin = self.flow.number(first)
        for op in self.flow.kernels[begin + 1 : begin + WINDOW]:
            is_apart = op in self.free - decided and not any(self._needs(op, each) for each in group)
            group += [op] if is_apart else []
        return group

    def _needs(self, op: Operation, other: Operation) -> bool:
        """Return whether what the NPU reads for a kernel follows from what another one makes."""
        return self.flow.needs(self.choices[op].image, other)

    def _best(self, group: Sequence[Operation], taken: set[Operation]) -> set[Operation]:
        numbers = [self.flow.number(op) for op in group]
        window = self.flow.kernels[max(0, numbers[0] - AROUND) : numbers[-1] + AROUND + 1]
        starts = taken, self._longest_first(group, taken)
        found = [self._descended(group, window, start) for start in starts]
        return min(found, key=lambda each: each[0])[1]

    def _longest_first(self, group: Sequence[Operation], taken: Set[Operation]) -> set[Operation]:
        """Return the choice that gives the longest kernels first to the engine that is done with them first."""
        loads = {True: 0, False: 0}
        found = set(taken) - set(group)
        for op in sorted(group, key=lambda op: -self._alone(op, npu=False)):
            ends = {npu: load + self._alone(op, npu=npu) for npu, load in loads.items()}
            npu = ends[True] < ends[False]
            loads[npu] = ends[npu]
            found |= {op} if npu else set()
        return found

    def _alone(self, op: Operation, *, npu: bool) -> int:
        choice = self.choices[op]
        assert choice.elsewhere is not None
        return choice.npu + (choice.rest or 0) if npu else choice.elsewhere[1]

    def _descended(
        self, group: Sequence[Operation], window: Sequence[Operation], taken: set[Operation]
    ) -> tuple[int, set[Operation]]:
        """Return the cycles of a window and a choice for which no change of a single kernel is better."""
        best = self.cycles(window, taken), taken
        while True:
            others = [best[1] ^ {op} for op in group]
            found = min(((self.cycles(window, other), other) for other in others), key=lambda each: each[0])
            if found[0] >= best[0]:
                return best
            best = found

    def divided(self, taken: Set[Operation], ways: Mapping[Operation, Sequence[Division]]) -> dict[Operation, Division]:
        """
        Return the kernels to split between the NPU and another engine, with their splits, where the makespan shrinks.

        `ways` are those of the kernels that may be, `taken` those that the NPU does. One after the other is decided on,
        and once more where another one's division may have changed what is best.
        """
        found: dict[Operation, Division] = {}
        for _ in range(SWEEPS):
            before = dict(found)
            for op in (op for op in self.flow.kernels if ways.get(op)):
                others = {other: way for other, way in found.items() if other != op}
                found = others | self._division(op, ways[op], taken, others)
            if found == before:
                break
        return found

    def _division(
        self, op: Operation, ways: Sequence[Division], taken: Set[Operation], others: Mapping[Operation, Division]
    ) -> dict[Operation, Division]:
        """Return the best way to divide a kernel, with others divided so, if it is better than not to."""
        number = self.flow.number(op)
        window = self.flow.kernels[max(0, number - AROUND) : number + AROUND + 1]
        least = LEAST_GAIN * self._alone(op, npu=op in taken)
        priced = [(self.cycles(window, taken, {**others, op: way}), way) for way in ways]
        cycles, best = min(priced, key=lambda each: each[0])
        return {op: best} if cycles < self.cycles(window, taken, others) - least else {}

    def cycles(
        self, window: Sequence[Operation], taken: Set[Operation], divided: Mapping[Operation, Division] = NOTHING
    ) -> int:
        """Return the modelled time of kernels that follow each other, of which the NPU does those taken, or a part."""
        runs: list[Run] = []
        numbers: dict[Operation, set[int]] = {}
        for op in window:
            before = len(runs)
            if op in divided:
                self._add_divided(op, divided[op], runs, numbers)
            elif op in taken:
                self._add_npu(op, self.choices[op].npu, self.choices[op].rest, runs, numbers)
                before = len(runs) - 1
            elif (price := self._price(op)) is not None:
                runs.append(Run(*price, self._after(op.operands, numbers)))
            numbers[op] = set(range(before, len(runs)))
        return cycles_of_runs(runs)

    def _add_npu(
        self, op: Operation, npu: int, rest: int | None, runs: list[Run], numbers: Mapping[Operation, set[int]]
    ) -> None:
        choice = self.choices[op]
        runs.append(Run(self.npu, npu, self._after([choice.image], numbers)))
        if rest is not None and choice.elsewhere is not None:
            after = self._after(op.operands, numbers) | {len(runs) - 1}
            runs.append(Run(choice.elsewhere[0], rest, after))

    def _add_divided(
        self, op: Operation, division: Division, runs: list[Run], numbers: Mapping[Operation, set[int]]
    ) -> None:
        elsewhere = self.choices[op].elsewhere
        assert elsewhere is not None
        self._add_npu(op, division.npu, division.rest, runs, numbers)
        runs.append(Run(elsewhere[0], division.beside, self._after(op.operands, numbers)))

    def _after(self, values: Sequence[SSAValue], numbers: Mapping[Operation, set[int]]) -> set[int]:
        makers = (maker for value in values for maker in self.flow.makers(value) if maker in numbers)
        return {number for maker in makers for number in numbers[maker]}

    def _price(self, op: Operation) -> tuple[Engine, int] | None:
        """Return the engine that does a kernel where the NPU does not, and its cycles; None where none does."""
        if op in self.choices:
            return self.choices[op].elsewhere
        if op not in self._known:
            hint = op.attributes.get(ATTRIBUTE)
            able = [each for each in self.machine.engines_for(op) if hint in (None, StringAttr(each[0].name))]
            self._known[op] = able[0] if able else None
        return self._known[op]
