"""
Concurrent programs: happens-before by vector clocks, and streams between them.

Control flow does not depend on data, so that programs with streams are a Kahn process network (Kahn, "The semantics of
a simple language for parallel programming", 1974): one schedule shows all. Whether it blocks, and what is ordered,
holds for each.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from xdsl.ir import Operation

from ...dialects.hier.programs import ConcurrentOp, Instance, instances_of, program_of
from ...dialects.hier.streams import FrontOp, PopOp, PushOp, ReleaseOp, ReserveOp, Ring, StreamEndOp, StreamOp
from ...errors import Diagnostic
from ...ir import where
from ..explicit.client import Handler
from .buffers import Buffers
from .clocks import Clocks
from .memory import InFlightOp, MemoryState
from .regions import NEVER, Buffer
from .rules import listed, refuse


class _StreamQueue:
    """One queue of a stream: its state, its slots, and the clocks at which they were handed on."""

    def __init__(self, op: StreamOp, name: str, slots: Sequence[Buffer]):
        self.op = op
        self.ring = Ring(op.depth.data)
        self.name = name
        self.slots = slots
        self.handed: dict[type[StreamEndOp], list[list[int]]] = {PushOp: [], ReleaseOp: []}
        self.users: dict[type[StreamEndOp], int] = {}
        """Op class -> the program that has used it last, by number."""

    def text(self) -> str:
        """Return the name and the state, for messages."""
        return f"{self.name}, {self.ring.text()}"


_Queues: TypeAlias = dict[tuple[int, ...], _StreamQueue]
"""Queues of an array of streams, by coordinates."""


class ProgramsWalk:
    """Streams and programs of a walk. Raises Diagnostic at the first step that breaks a rule."""

    def __init__(self, state: MemoryState, buffers: Buffers, switch: Callable[[list[tuple[str, int]]], None]):
        """Begin; `switch` makes the loops around the present step those of another program."""
        self._state = state
        self._buffers = buffers
        self._switch = switch
        self._queues: list[_StreamQueue] = []
        self._taken = 0
        """Steps of all programs over all streams."""

    def signal(self, op: Operation) -> Handler:
        """Return the handler of a stream, or of an op on one end of it."""
        if isinstance(op, StreamOp):
            return lambda: self._stream(op)
        assert isinstance(op, StreamEndOp)

        def take(streams: _Queues, *point: int) -> Generator[Any, Any, Buffer | None]:
            return self._take(op, _element(op, streams, point))

        rank = len(op.coordinates)

        def hand_on(streams: _Queues, *point: Any) -> None:
            self._hand_on(op, _element(op, streams, point[:rank]), *point[rank:])

        def front(streams: _Queues, *point: int) -> Buffer:
            queue = _element(op, streams, point)
            return queue.slots[queue.ring.front(op)]

        if isinstance(op, FrontOp):
            return front
        return take if isinstance(op, ReserveOp | PopOp) else hand_on

    def _stream(self, op: StreamOp) -> _Queues:
        queues: _Queues = {}
        name = f"%{op.stream.name_hint or 'stream'}"
        for point in product(*(range(extent) for extent in op.type.extents)):
            at = listed(point) if point else ""
            tile = op.type.tile
            count = op.depth.data if tile is not None else 0
            slots = [self._buffers.new(f"slot {k} of {name}{at}", tile, initial=False) for k in range(count) if tile]
            self._buffers.homes |= dict.fromkeys((slot.memory for slot in slots), point)
            queues[point] = _StreamQueue(op, f"{name}{at}", slots)
        self._queues += queues.values()
        return queues

    def _take(self, op: StreamEndOp, queue: _StreamQueue) -> Generator[Any, Any, Buffer | None]:
        """Take a slot, when there is one."""
        while not queue.ring.is_ready(type(op)):
            yield op, queue
        number, clocks = queue.ring.count(type(op)), self._clocks
        slot = self._step(op, queue)
        clocks_of = queue.handed[PushOp if isinstance(op, PopOp) else ReleaseOp]
        before = number if isinstance(op, PopOp) else number - queue.ring.depth
        if before >= 0:
            clocks.join(clocks_of[before])
        if slot is None:
            return None
        clocks.holders[slot.memory] = clocks.current
        if isinstance(op, ReserveOp):
            slot.memory.fill(NEVER)
        return slot

    def _hand_on(self, op: StreamEndOp, queue: _StreamQueue, after: InFlightOp | None = None) -> None:
        """Hand a slot on to the other program, at the end of the transfer `after` if there is one."""
        slot = self._step(op, queue)
        if after is not None and slot is not None and after.target.memory is slot.memory:
            self._state.publish(op, after)
        queue.handed[type(op)].append(self._clocks.snapshot())
        if slot is None:
            return
        for transfer in self._state.under_way:
            if slot.memory in transfer.accessed:
                message = f"'{op.name}' hands on a slot that '{transfer.op.name}' still accesses"
                users = dict.fromkeys((self._clocks.current, *queue.users.values()))
                names = [self._clocks.names[user] for user in users]
                at, remedy = [self._state.place(), queue.text()], "wait for the transfer before"
                raise refuse("race", message, op, at, remedy=remedy, programs=names, others=[transfer.op])
        self._clocks.holders[slot.memory] = None

    def _step(self, op: StreamEndOp, queue: _StreamQueue) -> Buffer | None:
        """Return the slot that an op takes."""
        if not queue.ring.is_ready(type(op)):
            message = f"'{op.name}' has no slot to take"
            raise refuse("balance", message, op, [self._state.place(), queue.text()])
        self._taken += 1
        ends = (ReserveOp, PushOp) if isinstance(op, ReserveOp | PushOp) else (PopOp, ReleaseOp)
        for other in {queue.users.get(end, self._clocks.current) for end in ends} - {self._clocks.current}:
            names = [self._clocks.names[program] for program in (other, self._clocks.current)]
            message = f"two programs are at one end of the stream: '{op.name}' of '{names[1]}', after '{names[0]}'"
            raise refuse("race", message, op, [self._state.place(), queue.text()])
        queue.users[type(op)] = self._clocks.current
        number = queue.ring.take(op)
        return queue.slots[number] if queue.slots else None

    @property
    def _clocks(self) -> Clocks:
        assert self._state.programs is not None
        return self._state.programs

    # Programs

    def run(self, op: ConcurrentOp, bodies: Sequence[Callable[..., Generator[Any, Any, None]]]) -> None:
        """
        Run programs until all have ended. Raises Diagnostic where none of those left can go on, and in a program.
        """
        if self._state.programs is not None:
            raise Diagnostic(
                "concurrent programs in a program cannot be run", where=where(op), remedy="call it beside them"
            )
        around, instances = self._state.steps, instances_of(op)
        names = [name for _, name, _ in instances]
        self._state.programs = Clocks(names, [point for *_, point in instances], self._buffers.homes)
        origin = [0] * len(instances)
        for queue in self._queues:
            # What ended before these programs precedes all of them, and orders none of them among each other.
            queue.handed = {kind: [origin] * len(clocks) for kind, clocks in queue.handed.items()}
            queue.users = {}
        body_of = dict(zip(op.programs, bodies, strict=True))
        steps = [list(around) for _ in instances]
        running = {index: body_of[program](steps[index], *point) for index, (program, _, point) in enumerate(instances)}
        blocked: dict[int, tuple[StreamEndOp, _StreamQueue]] = {}
        while running:
            before = self._taken, len(running)
            for index, program in list(running.items()):
                self._state.programs.current = index
                self._switch(steps[index])
                try:
                    blocked[index] = next(program)
                except StopIteration:
                    del running[index]
            if before == (self._taken, len(running)):
                self._switch(steps[next(iter(running))])
                raise self._deadlock(instances, {index: blocked[index] for index in running})
        self._switch(around)
        self._state.programs = None

    def _deadlock(
        self, instances: Sequence[Instance], blocked: Mapping[int, tuple[StreamEndOp, _StreamQueue]]
    ) -> Exception:
        """Return the error for programs of which none can go on, each of which waits for another."""
        names = [name for _, name, _ in instances]
        awaited = {index: self._awaited(instances, *blocked[index]) for index in blocked}
        chain = _chain(awaited)
        first = chain[0]
        op, queue = blocked[first]
        last = awaited[chain[-1]]
        ended = last is not None and last not in blocked
        error = refuse(
            "deadlock",
            f"program '{names[first]}' blocks forever at '{op.name}'",
            op,
            [self._state.place(), queue.text()],
            found=_described(names, chain, last, ended=ended),
            remedy="let the two programs take equally many slots"
            if ended
            else "push or release what the programs wait for, or give the stream more depth",
            programs=[names[index] for index in chain],
        )
        others = [*chain[1:], *(index for index in blocked if index not in chain)]
        for index in others:
            op, queue = blocked[index]
            error.notes.append(f"program '{names[index]}' is blocked at '{op.name}' ({where(op)}): {queue.text()}")
        return error

    def _awaited(self, instances: Sequence[Instance], op: StreamEndOp, queue: _StreamQueue) -> int | None:
        """Return the program that a blocked one waits for, by number; None where it has not used the stream yet."""
        kinds = (PushOp, ReserveOp) if isinstance(op, PopOp) else (ReleaseOp, PopOp)
        used = next((queue.users[kind] for kind in kinds if kind in queue.users), None)
        if used is not None:
            return used
        programs = {program_of(use.operation) for use in queue.op.stream.uses if isinstance(use.operation, kinds)}
        named = [index for index, (program, _, _) in enumerate(instances) if program in programs]
        return named[0] if len(named) == 1 else None

    def finish(self) -> None:
        """Check that no slot is left in a stream."""
        for queue in self._queues:
            counts = {queue.ring.count(kind) for kind in (ReserveOp, PushOp, PopOp, ReleaseOp)}
            if len(counts) > 1:
                message = "slots are left in the stream when its programs have ended"
                raise refuse("balance", message, queue.op, [queue.text()])


def _chain(awaited: Mapping[int, int | None]) -> list[int]:
    """Return blocked programs each of which waits for the next one: a cycle, if there is one."""
    longest: list[int] = []
    for start in awaited:
        path = [start]
        following = awaited[start]
        while following is not None and following in awaited and following not in path:
            path.append(following)
            following = awaited[following]
        if following is not None and following in path:
            return path[path.index(following) :]
        longest = max(longest, path, key=len)
    return longest


def _described(names: Sequence[str], chain: Sequence[int], last: int | None, *, ended: bool) -> str:
    """Return the blocked programs, each with the one that it waits for, for messages."""
    text = " waits for ".join(f"'{names[index]}'" for index in chain)
    if last is None:
        return f"{text}, which waits for a program that has not used the stream yet"
    return f"{text} waits for '{names[last]}'" + (", which has ended" if ended else "")


def _element(op: StreamEndOp, streams: _Queues, point: tuple[int, ...]) -> _StreamQueue:
    if point in streams:
        return streams[point]
    raise Diagnostic(
        f"'{op.name}' names an instance that does not exist",
        where=where(op),
        expected=f"coordinates within {list(op.type.extents)}",
        found=str(list(point)),
    )
