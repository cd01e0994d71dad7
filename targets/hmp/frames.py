"""Simulation of stages on frames: the program of `pipeline-frames`, with the times of layers in place of kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.core.effects import Effects
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...passes.explicit.client import Call, Handler
from ...passes.timing.kernels import Allocation, KernelCost
from ...runtime.simulator.in_flight import CompletionToken
from ...runtime.simulator.result import LayerCost
from ...runtime.simulator.schedule import Schedule
from ...runtime.simulator.walk import Walker


class LayerWork(NamedTuple):
    """
    A layer of a stage: the nanoseconds that it takes at the fastest clock, and the clock to ask for before it.

    `processor` does it, by default that of the stage.
    """

    layer: int
    nanoseconds: float
    clocks: Mapping[str, float] = {}
    processor: str = ""


class Change(NamedTuple):
    """A clock is another one from a time on, in nanoseconds."""

    time: float
    mhz: float


class PacedSchedule(Schedule):
    """
    Schedule of a machine whose processors change their clocks: work goes on at the old one until the change.

    A processor that hosts others hands over at once, in the middle of a layer of its own: that time is charged to its
    next layer.
    """

    def __init__(self, machine: Machine, clocks: Mapping[str, float] = {}):
        self._initial = clocks
        super().__init__(machine, by_class=False)

    def restart(self) -> None:
        super().restart()
        self.changes: dict[str, list[Change]] = {
            engine.name: [Change(0.0, self._initial.get(engine.name, engine.clock.nominal))]
            for engine in self.machine.engines
            if engine.clock.mhz
        }
        self._handing = dict.fromkeys(self.engines, 0)
        """The nanosecond at which the last hand-over of each processor for another one ends."""
        self._owed = dict.fromkeys(self.engines, 0)
        """Nanoseconds that hand-overs took from layers of each processor, not yet charged."""

    def hand_over(self, layer: LayerCost, cost: KernelCost) -> None:
        """Run a hand-over on the host of the program's processor."""
        token = CompletionToken()
        self.tokens.append(token)
        self.act(partial(self._hand_over, token, layer, cost))

    def _hand_over(self, token: CompletionToken, layer: LayerCost, cost: KernelCost) -> None:
        kind = layer.of_operator(cost.operator)
        engine, host = self._engine(cost.engine), cost.engine
        self._pass(layer, "busy", max(self.now, self._handing[host]))
        token.start, token.end = self.now, self._end(cost)
        self._handing[host], free = token.end, max(engine.free, token.end)
        self._owed[host] += max(0, min(engine.free, token.end) - token.start)
        self._pass(layer, "busy", token.end, kind)
        self._ran(token, layer, cost, ())
        engine.free = free

    def ask(self, clocks: Mapping[str, float]) -> None:
        """Ask for clocks now, without waiting: each is in force after its delay."""
        self.act(partial(self._ask, clocks))

    def _ask(self, clocks: Mapping[str, float]) -> None:
        for engine in (asked for asked in self.machine.engines if asked.name in clocks):
            changes = self.changes[engine.name]
            if changes[-1].mhz == clocks[engine.name]:
                continue
            changes[:] = [change for change in changes if change.time <= self.now] or changes[:1]
            before, wanted = changes[-1].mhz, clocks[engine.name]
            if wanted != before:
                changes.append(Change(self.now + delay(engine, before, wanted), wanted))

    def _contended(self, cycles: int, kernel: KernelCost) -> int:
        owed, self._owed[kernel.engine] = self._owed[kernel.engine], 0
        return self._end(kernel) + owed

    def _end(self, kernel: KernelCost) -> int:
        """Return the end of work that starts now, in nanoseconds, at the clocks of its processor."""
        engine = self.machine.engine(kernel.engine)
        if not engine.clock.mhz:
            return self.now + kernel.cycles
        return ceil(end_of(self.now, kernel.cycles, engine.clock.nominal, self.changes[engine.name]))


def delay(engine: Engine, before: float, wanted: float) -> float:
    """
    Return the nanoseconds until another clock is in force.

    The least and the most are known (of one step, and of the whole range, by assumption); between them it is linear in
    the number of operating points that are passed.
    """
    low, high = (engine.clock.up if wanted > before else engine.clock.down) or (0.0, 0.0)
    points = sorted(engine.clock.mhz)
    steps, most = abs(points.index(wanted) - points.index(before)), max(1, len(points) - 2)
    return 1000 * (low + (high - low) * min(1.0, (steps - 1) / most))


def end_of(start: float, work: float, nominal: float, changes: Sequence[Change]) -> float:
    """Return the end of work of `work` nanoseconds at the nominal clock, at the clocks in force from `start`."""
    now, left = start, work
    for change, after in zip(changes, [*changes[1:], None], strict=True):
        until = after.time if after is not None else float("inf")
        if until <= now:
            continue
        speed = change.mhz / nominal
        if left <= (until - now) * speed:
            return now + left / speed
        left -= (until - now) * speed
        now = until
    return now


class Span(NamedTuple):
    """Interval of a stage's work on a frame: a layer, or RECEIVE, from one nanosecond to another."""

    stage: str
    processor: str
    frame: int
    layer: int
    start: int
    end: int


RECEIVE = -1
"""In place of a layer: a stage receives its values from other processors, which may be work of its host."""


class FrameSimulation(NamedTuple):
    """Simulation of frames, modelled: what each stage did, in order of stages and frames."""

    spans: tuple[Span, ...]
    frames: int

    @property
    def ends(self) -> list[int]:
        """The nanosecond at which each frame is complete."""
        ends = [0] * self.frames
        for span in self.spans:
            ends[span.frame] = max(ends[span.frame], span.end)
        return ends

    @property
    def period(self) -> float:
        """Nanoseconds between frames, in their later half."""
        later = self.ends[self.frames // 2 :]
        return (later[-1] - later[0]) / (len(later) - 1) if len(later) > 1 else float(self.ends[0])

    @property
    def latency(self) -> float:
        """Nanoseconds that the last frame takes from its first stage's begin."""
        return self.ends[-1] - min(span.start for span in self.spans if span.frame == self.frames - 1)

    def busy(self, processor: str) -> int:
        """Nanoseconds that a processor works, on a layer or, within one, for a processor that it hosts."""
        busy = end = 0
        for span in sorted((span for span in self.spans if span.processor == processor), key=lambda span: span.start):
            busy += max(0, span.end - max(end, span.start))
            end = max(end, span.end)
        return busy


class StageWalker(Walker):
    """
    Walker that takes the layers of a stage for its function: `works` are those of the function of each stage.

    Copies take no time: the hand-over of a value is work of the stage that receives it.
    """

    def __init__(self, module: ModuleOp, schedule: PacedSchedule, works: Mapping[str, Sequence[LayerWork]]):
        super().__init__(module, schedule)
        self._works, self._paced = works, schedule
        self.tokens: list[tuple[str, str, int, CompletionToken]] = []
        """Stage, processor, layer and token of all work, frame by frame for each stage."""

    def call(self, op: func.CallOp, static: Sequence[int], *, by_data: bool) -> Call:
        name = op.callee.string_value()
        works, engine = self._works.get(name), self._engine_of(op)
        if works is None or engine is None:
            return super().call(op, static, by_data=by_data)
        layer, processor = self._layer(op), engine.data
        layer.first_engine = layer.first_engine or processor
        costs = [(work, _cost(work, work.processor or processor)) for work in works]

        def run(*places: Allocation) -> None:
            for work, cost in costs:
                if work.clocks:
                    self._paced.ask(work.clocks)
                if cost.engine == processor:
                    self._paced.run(layer, cost, ())
                else:
                    self._paced.hand_over(layer, cost)
                self.tokens.append((name, cost.engine, work.layer, self._paced.tokens[-1]))

        return Call(run)

    def _copy(self, op: Operation, effects: Effects) -> Handler:
        return lambda *_: None


def _cost(work: LayerWork, engine: str) -> KernelCost:
    return KernelCost(f"layer {work.layer}", engine, ceil(work.nanoseconds), 0, 0, 0.0, (), ())


def simulate_frames(
    module: ModuleOp, machine: Machine, works: Mapping[str, Sequence[LayerWork]], clocks: Mapping[str, float] = {}
) -> FrameSimulation:
    """
    Simulate a program of `pipeline-frames` whose stages take the times of `works`, from the `clocks` in MHz on.

    Raises Diagnostic where its programs block forever.
    """
    schedule = PacedSchedule(machine, clocks)
    walker = StageWalker(module, schedule, works)
    walker.walk("network")
    spans: list[Span] = []
    counts = Counter[tuple[str, int]]()
    for stage, processor, layer, token in walker.tokens:
        spans.append(Span(stage, processor, counts[stage, layer], layer, token.start, token.end))
        counts[stage, layer] += 1
    return FrameSimulation(tuple(spans), max(counts.values(), default=0))
