"""Concurrent programs in time: streams that block them, and transfers between instances of a level."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.machine.link import Link
from ...dialects.core.machine.routes import Edge, instance_number, route_between
from ...dialects.hier.programs import ConcurrentOp, Instance, ProgramOp, instances_of
from ...dialects.hier.streams import FrontOp, PopOp, PushOp, ReleaseOp, ReserveOp, StreamEndOp, StreamOp
from ...errors import Diagnostic
from ...ir import where
from ...passes.explicit.client import Handler
from ...passes.timing.kernels import Allocation
from ...passes.timing.timeline import Signal
from .in_flight import CompletionToken
from .lane_actions import ActionRecorder, Ends, NodeClass, classes_of, is_supported
from .lane_events import LaneEvents
from .lanes import NotInStep
from .lockstep import Lockstep
from .lockstep_accounts import commit
from .result import LayerCost, StreamUse
from .schedule import Schedule
from .stream import Stream


class SimulatedPrograms:
    """
    Streams and programs of a walk.

    Control flow depends neither on data nor on time, so that each program is recorded from start to end by itself. The
    schedule then executes all of them together, and streams block them. Equal instances are recorded once, as lanes of
    a class (lockstep.py).
    """

    def __init__(self, schedule: Schedule, layer: Callable[[Operation], LayerCost]):
        self._schedule = schedule
        self._layer = layer
        self._steps = schedule.by_class and is_supported(schedule.machine)
        self.restart()

    def restart(self) -> None:
        """Begin once more, without streams."""
        self._instances: dict[Allocation, int] = {}
        """Slot of an array of streams -> the instance of its level, by number."""
        self._current = 0
        self._streams: dict[StreamOp, list[Stream]] = {}

    def streams(self) -> tuple[StreamUse, ...]:
        """Return the use of all streams."""
        return tuple(_use_of(op, streams) for op, streams in self._streams.items())

    def signal(self, op: Operation) -> Handler:
        """Return the handler of a stream, or of an op on one end of it."""
        if isinstance(op, StreamOp):
            return lambda: self._stream(op)
        assert isinstance(op, StreamEndOp)
        layer = self._layer(op)

        rank, kind = len(op.coordinates), type(op)

        def take(stream: Stream, *point: Any) -> Generator[Any, Any, Allocation | None]:
            if (recorder := self._schedule.recorder) is not None:
                return recorder.take(op, stream, point, layer)
            queue = _queue_at(op, stream, point)
            number = stream.take(kind, queue)
            self._schedule.record(partial(self._take, op, stream, queue, number, layer))
            return stream.slot(queue, number)
            yield

        def hand_on(stream: Stream, *point: Any) -> None:
            if (recorder := self._schedule.recorder) is not None:
                recorder.hand_on(op, stream, point[:rank], *point[rank:])
                return
            queue = _queue_at(op, stream, point[:rank])
            stream.take(kind, queue)
            self._schedule.record(partial(self._hand_on, op, stream, queue, *point[rank:]))

        def front(stream: Stream, *point: Any) -> Allocation | None:
            if (recorder := self._schedule.recorder) is not None:
                return recorder.front(stream, point)
            queue = _queue_at(op, stream, point)
            return stream.slot(queue, int(stream.taken[ReleaseOp][queue]))

        if isinstance(op, FrontOp):
            return front
        return take if isinstance(op, ReserveOp | PopOp) else hand_on

    def _stream(self, op: StreamOp) -> Stream:
        stream = Stream(op, self._schedule.machine)
        self._instances |= stream.instances_of_slots()
        self._streams.setdefault(op, []).append(stream)
        return stream

    def _take(self, op: StreamEndOp, stream: Stream, queue: int, number: int, layer: LayerCost) -> Signal | None:
        """Take a slot at the cycle at which it is handed on, or block."""
        slots = stream.queues[queue]
        end = (slots.pop if isinstance(op, PopOp) else slots.reserve)(self._schedule.now, number)
        if isinstance(end, Signal):
            return end._replace(op=op)
        self._schedule.stall(layer, end)
        return None

    def _hand_on(self, op: StreamEndOp, stream: Stream, queue: int, after: CompletionToken | None = None) -> Signal:
        """Hand a slot on at the present cycle, or at the end of a transfer and of the slots handed on before."""
        slots = stream.queues[queue]
        hand_on = slots.push if isinstance(op, PushOp) else slots.release
        return hand_on(self._schedule.now, after.end if after is not None else 0)

    def run(self, op: ConcurrentOp, bodies: Sequence[Callable[..., Generator[Any, Any, None]]]) -> None:
        """Record all programs, and execute them together. Raises Diagnostic where they block forever."""
        instances, body_of = instances_of(op), dict(zip(op.programs, bodies, strict=True))
        copies = [self._copy(program, point) for program, _, point in instances]
        if self._steps and self._run_classes(instances, copies, body_of):
            return
        self._schedule.fork()
        for (program, _, point), copy in zip(instances, copies, strict=True):
            self._schedule.iteration()
            self._current, before = copy, len(self._schedule.tokens)
            for _ in body_of[program]([], *point):
                pass
            self._schedule.shares.append(len(self._schedule.tokens) - before)
        self._current = 0
        blocked = self._schedule.gather(copies, [program.engine is not None for program, _, _ in instances])
        if blocked:
            stuck = [(instances[thread][1], at) for thread, at in blocked]
            raise Diagnostic(
                f"program '{stuck[0][0]}' blocks forever at '{stuck[0][1].name}'",
                where=where(stuck[0][1]),
                expected="programs that end",
                notes=[f"program '{name}' is blocked at '{at.name}'" for name, at in stuck[1:]],
            )

    def _run_classes(
        self,
        instances: Sequence[Instance],
        copies: Sequence[int],
        body_of: dict[ProgramOp, Callable[..., Generator[Any, Any, None]]],
    ) -> bool:
        """Walk and execute equal instances together; return whether they can be."""
        schedule, recorder, classes = self._schedule, ActionRecorder(), list[NodeClass]()
        schedule.recorder, tokens = recorder, len(schedule.tokens)
        try:
            for program, body in body_of.items():
                own = [number for number, instance in enumerate(instances) if instance[0] is program]
                nodes = NodeClass(np.array(own), np.array(copies)[own], program.engine is not None)
                points = np.array([instances[number][2] for number in own], np.int64)
                classes += classes_of(recorder, body, nodes, points)
            commit(schedule, self._executed(classes, recorder))
        except NotInStep:
            del schedule.tokens[tokens:]
            return False
        finally:
            schedule.recorder = None
        return True

    def _executed(self, classes: Sequence[NodeClass], recorder: ActionRecorder) -> Lockstep:
        """Execute classes, in step where that is the order of events. Raises NotInStep for a deadlock."""
        try:
            steps = Lockstep(self._schedule, classes, recorder)
            steps.run()
        except NotInStep:
            steps = LaneEvents(self._schedule, classes, recorder)
            steps.run()
        return steps

    def _copy(self, program: ProgramOp, point: Sequence[int]) -> int:
        """Return the number of the engine instance that runs an instance of a program."""
        count = () if program.engine is None else self._schedule.machine.engine(program.engine.data).count
        return instance_number(count, point, [a + n for a, n in zip(program.first, program.extents, strict=True)])

    def route(self, link: Link, source: Allocation, target: Allocation) -> tuple[Edge, ...] | Ends:
        """Return the hops of a transfer over a link between neighbours; one within the instance if it stays there."""
        if not link.neighbours:
            return ()
        if (recorder := self._schedule.recorder) is not None:
            return recorder.ends(source, target)
        ends = [self._instances.get(place, self._current) for place in (source, target)]
        return route_between(self._schedule.machine.level(link.far).count, link, ends[0], ends[1])


def _use_of(op: StreamOp, streams: Sequence[Stream]) -> StreamUse:
    pushed = [queue.pushed for stream in streams for queue in stream.queues]
    name = op.stream.name_hint or "stream"
    return StreamUse(name, len(pushed), sum(map(len, pushed)), max(map(_period, pushed), default=0))


def _period(times: Sequence[int]) -> float:
    """Return the mean distance of the later half of some cycles, 0 for fewer than four."""
    later = times[len(times) // 2 :]
    return (later[-1] - later[0]) / (len(later) - 1) if len(times) > 3 else 0


def _queue_at(op: StreamEndOp, stream: Stream, point: Sequence[int]) -> int:
    queue = stream.queue_at(point)
    if queue is None:
        raise Diagnostic(
            f"'{op.name}' names an instance that does not exist",
            where=where(op),
            expected=f"coordinates within {list(op.type.extents)}",
            found=str(list(point)),
        )
    return queue
