"""Concurrent programs in time: streams that block them, and transfers between instances of a level."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias

from xdsl.ir import Operation

from ...dialects.core.machine.model import Link
from ...dialects.core.machine.routes import Edge, instance_number, route_between
from ...dialects.hier.programs import ConcurrentOp, ProgramOp, instances_of
from ...dialects.hier.sharded import level_name
from ...dialects.hier.streams import FrontOp, PopOp, PushOp, ReleaseOp, ReserveOp, StreamEndOp, StreamOp
from ...errors import Diagnostic
from ...ir import where
from ...passes.explicit.client import Handler
from .accounts import Layer, Place, Token
from .result import StreamUse
from .schedule import Schedule, Signal


class _Queue:
    """One queue of a stream: its slots, and the cycles at which they are handed on."""

    def __init__(self, op: StreamOp, slots: Sequence[Place]):
        self.depth = op.depth.data
        self.slots = slots
        self.taken: dict[type[StreamEndOp], int] = dict.fromkeys((ReserveOp, PushOp, PopOp, ReleaseOp), 0)
        self.handed: dict[type[StreamEndOp], list[int]] = {PushOp: [], ReleaseOp: []}


_Queues: TypeAlias = dict[tuple[int, ...], _Queue]


class Programs:
    """
    Streams and programs of a walk.

    Control flow depends neither on data nor on time, so that each program is recorded from start to end by itself. The
    schedule then executes all of them together, and streams block them.
    """

    def __init__(self, schedule: Schedule, layer: Callable[[Operation], Layer]):
        self._schedule = schedule
        self._layer = layer
        self.restart()

    def restart(self) -> None:
        """Begin once more, without streams."""
        self._instances: dict[Place, int] = {}
        """Slot of an array of streams -> the instance of its level, by number."""
        self._current = 0
        self._streams: dict[StreamOp, list[_Queue]] = {}

    def streams(self) -> tuple[StreamUse, ...]:
        """Return the use of all streams."""
        return tuple(_use_of(op, queues) for op, queues in self._streams.items())

    def signal(self, op: Operation) -> Handler:
        """Return the handler of a stream, or of an op on one end of it."""
        if isinstance(op, StreamOp):
            return lambda: self._stream(op)
        assert isinstance(op, StreamEndOp)
        layer = self._layer(op)

        def take(streams: _Queues, *point: int) -> Generator[Any, Any, Place | None]:
            queue, number = _step(op, streams, point)
            self._schedule.record(partial(self._take, op, queue, number, layer))
            return queue.slots[number % queue.depth] if queue.slots else None
            yield

        rank = len(op.coordinates)

        def hand_on(streams: _Queues, *point: Any) -> None:
            queue, _ = _step(op, streams, point[:rank])
            self._schedule.record(partial(self._hand_on, op, queue, *point[rank:]))

        def front(streams: _Queues, *point: int) -> Place:
            queue = _element(op, streams, point)
            return queue.slots[queue.taken[ReleaseOp] % queue.depth]

        if isinstance(op, FrontOp):
            return front
        return take if isinstance(op, ReserveOp | PopOp) else hand_on

    def _stream(self, op: StreamOp) -> _Queues:
        made: _Queues = {}
        tile, name = op.type.tile, op.stream.name_hint or "stream"
        level = self._schedule.machine.level((level_name(tile) if tile else None) or self._schedule.machine.far.name)
        count = 0 if tile is None else op.depth.data
        for point in product(*(range(extent) for extent in op.type.extents)):
            at = f"[{', '.join(map(str, point))}]" if point else ""
            slots = [Place(f"slot {slot} of {name}{at}", level.name, -1) for slot in range(count)]
            number = instance_number(level.count, point, op.type.extents)
            self._instances |= dict.fromkeys(slots, number) if point else {}
            made[point] = _Queue(op, slots)
        self._streams.setdefault(op, []).extend(made.values())
        return made

    def _take(self, op: StreamEndOp, queue: _Queue, number: int, layer: Layer) -> Signal | None:
        """Take a slot at the cycle at which it is handed on, or block."""
        times = queue.handed[PushOp if isinstance(op, PopOp) else ReleaseOp]
        before = number if isinstance(op, PopOp) else number - queue.depth
        if before >= len(times):
            return Signal(queue, op)
        if before >= 0:
            self._schedule.stall(layer, times[before])
        return None

    def _hand_on(self, op: StreamEndOp, queue: _Queue, after: Token | None = None) -> Signal:
        """Hand a slot on at the present cycle, or at the end of a transfer and of the slots handed on before."""
        times = queue.handed[type(op)]
        times.append(max(self._schedule.now, after.end if after is not None else 0, times[-1] if times else 0))
        return Signal(queue)

    def run(self, op: ConcurrentOp, bodies: Sequence[Callable[..., Generator[Any, Any, None]]]) -> None:
        """Record all programs, and execute them together. Raises Diagnostic where they block forever."""
        instances, body_of = instances_of(op), dict(zip(op.programs, bodies, strict=True))
        copies = [self._copy(program, point) for program, _, point in instances]
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
            found = [(instances[thread][1], at) for thread, at in blocked]
            raise Diagnostic(
                f"program '{found[0][0]}' blocks forever at '{found[0][1].name}'",
                where=where(found[0][1]),
                expected="programs that end",
                notes=[f"program '{name}' is blocked at '{at.name}'" for name, at in found[1:]],
            )

    def _copy(self, program: ProgramOp, point: Sequence[int]) -> int:
        """Return the number of the engine instance that runs an instance of a program."""
        count = () if program.engine is None else self._schedule.machine.engine(program.engine.data).count
        return instance_number(count, point, [a + n for a, n in zip(program.first, program.extents, strict=True)])

    def route(self, link: Link, source: Place, target: Place) -> tuple[Edge, ...]:
        """Return the hops of a transfer over a link between neighbours; one within the instance if it stays there."""
        if not link.neighbours:
            return ()
        ends = [self._instances.get(place, self._current) for place in (source, target)]
        return route_between(self._schedule.machine, link, ends[0], ends[1])


def _use_of(op: StreamOp, queues: Sequence[_Queue]) -> StreamUse:
    pushed = [queue.handed[PushOp] for queue in queues]
    name = op.stream.name_hint or "stream"
    return StreamUse(name, len(queues), sum(map(len, pushed)), max(map(_period, pushed), default=0))


def _period(times: Sequence[int]) -> float:
    """Return the mean distance of the later half of some cycles, 0 for fewer than four."""
    later = times[len(times) // 2 :]
    return (later[-1] - later[0]) / (len(later) - 1) if len(times) > 3 else 0


def _step(op: StreamEndOp, streams: _Queues, point: tuple[int, ...]) -> tuple[_Queue, int]:
    """Return a queue, and how often the op's class has taken a slot of it before."""
    queue = _element(op, streams, point)
    queue.taken[type(op)] += 1
    return queue, queue.taken[type(op)] - 1


def _element(op: StreamEndOp, streams: _Queues, point: tuple[int, ...]) -> _Queue:
    if point not in streams:
        raise Diagnostic(
            f"'{op.name}' names an instance that does not exist",
            where=where(op),
            expected=f"coordinates within {list(op.type.extents)}",
            found=str(list(point)),
        )
    return streams[point]
