"""
Actions of concurrent programs by classes of equal nodes, and their recorder.

A class is walked once: each action is that of all its lanes. lockstep.py executes them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...dialects.core.machine.routes import Edge, route_between
from ...dialects.hier.streams import PopOp, ReleaseOp, StreamEndOp
from ...ir import Array
from ...passes.timing.kernels import Allocation, KernelCost
from ...passes.timing.transfers import TransferCost
from .lanes import Diverged, Lanes, NotInStep
from .result import LayerCost
from .stream import Stream

_CLASSES = 32
"""Classes beyond which walking them costs more than it saves: each is walked up to twice."""


@dataclass(eq=False)
class LaneToken:
    """Completion token of the transfers of all lanes of an action."""

    outward: bool
    start: Array = field(default_factory=lambda: np.empty(0, np.int64))
    end: Array = field(default_factory=lambda: np.empty(0, np.int64))


class Ends(NamedTuple):
    """Instances of a level that the transfers of all lanes go from, and to."""

    source: Array
    target: Array


class SlotName:
    """Name of a slot of a stream, of a queue of its own for each lane."""

    def __init__(self, stream: Stream, queues: Array, slots: Array):
        self.stream = stream
        self.queues = queues
        self.slots = slots

    @cached_property
    def texts(self) -> list[str]:
        """The names of the slots of all lanes."""
        return [self.stream.slot_name(*key) for key in zip(self.queues.tolist(), self.slots.tolist(), strict=True)]


@dataclass(eq=False)
class KernelAction:
    """Kernel that each lane runs."""

    layer: LayerCost
    cost: KernelCost
    places: Sequence[Allocation]
    began: Array = field(init=False)
    token: LaneToken = field(default_factory=lambda: LaneToken(False))


@dataclass(eq=False)
class TransferAction:
    """Transfer that each lane issues; over a link between neighbours from instance to instance, by `ends`."""

    token: LaneToken
    layer: LayerCost
    link: Link
    cost: TransferCost
    far: Allocation
    near: Allocation
    sizes: tuple[int, int]
    ends: Ends | None
    channels: Array = field(init=False)
    hops: list[tuple[Array, Array, Array, Array, Array]] = field(init=False)
    """For some hops of lanes: the lane, both ends of the bus, and the cycles of begin and end on it."""
    passed: list[tuple[int, int, int, int, int]] = field(init=False)
    """The same of single hops."""
    counts: Array = field(init=False)
    order: Array = field(init=False)


@dataclass(eq=False)
class WaitAction:
    """Wait of each lane for its transfer."""

    layer: LayerCost
    token: LaneToken
    began: Array = field(init=False)


@dataclass(eq=False)
class Take:
    """Slots that lanes take, each of a queue of its own, when those `before` have been handed on."""

    op: StreamEndOp
    layer: LayerCost
    stream: Stream
    queues: Array
    before: Array
    began: Array = field(init=False)
    until: Array = field(init=False)


@dataclass(eq=False)
class HandOn:
    """Slots that lanes hand on, at the ends of transfers if there are such."""

    op: StreamEndOp
    stream: Stream
    queues: Array
    after: LaneToken | None


Action: TypeAlias = KernelAction | TransferAction | WaitAction | Take | HandOn


@dataclass(eq=False)
class NodeClass:
    """Class of equal nodes: instances, by their numbers, and their engines' instances; `actions` are those of each."""

    instances: Array
    copies: Array
    has_engine: bool
    actions: list[Action] = field(default_factory=list[Action])
    next: int = 0
    now: Array = field(init=False)
    order: Array = field(init=False)

    @property
    def is_done(self) -> bool:
        """True when all actions have been executed."""
        return self.next == len(self.actions)


def is_supported(machine: Machine) -> bool:
    """Return whether lanes share nothing but links and streams, whose data take the same cycles for each lane."""
    cached = any(engine.program.cache for engine in machine.engines)
    contended = any(engine.contention for engine in machine.engines)
    banked = any(level.bandwidth or level.single_port or level.dram is not None for level in machine.levels)
    return not (cached or contended or banked)


class ActionRecorder:
    """Actions of the class that is being walked."""

    def __init__(self) -> None:
        self._taken: dict[tuple[Stream, type[StreamEndOp]], Array] = {}
        """Slots of each queue that the walked classes have taken, by the class of op."""
        self._users: dict[tuple[Stream, type[StreamEndOp]], Array] = {}
        self._number = 0

    def begin(self, nodes: NodeClass) -> None:
        """Begin the walk of a class."""
        self.nodes = nodes
        self._number += 1
        self._before = {key: counts.copy() for key, counts in self._taken.items()}

    def abandon(self) -> None:
        """End a walk that does not count: its lanes are of several classes."""
        self._taken = self._before

    @property
    def taken(self) -> dict[tuple[Stream, type[StreamEndOp]], Array]:
        """Slots of each queue that all classes have taken, by the class of op."""
        return self._taken

    def run(self, layer: LayerCost, cost: KernelCost, places: Sequence[Allocation]) -> None:
        """Record a kernel."""
        self.nodes.actions.append(KernelAction(layer, cost, places))

    def start(self, transfer: TransferAction) -> LaneToken:
        """Record a transfer; return its token."""
        self.nodes.actions.append(transfer)
        return transfer.token

    def wait(self, layer: LayerCost, token: LaneToken) -> None:
        """Record a wait."""
        self.nodes.actions.append(WaitAction(layer, token))

    def take(self, op: StreamEndOp, stream: Stream, point: Sequence[Any], layer: LayerCost) -> Allocation | None:
        """Record that each lane takes a slot; return the slots."""
        queues = self.queues_at(stream, point)
        numbers = self._step(type(op), stream, queues)
        before = numbers if isinstance(op, PopOp) else numbers - stream.depth
        self.nodes.actions.append(Take(op, layer, stream, queues, before))
        return self._slot(stream, queues, numbers % stream.depth)

    def hand_on(self, op: StreamEndOp, stream: Stream, point: Sequence[Any], after: LaneToken | None = None) -> None:
        """Record that each lane hands a slot on."""
        queues = self.queues_at(stream, point)
        self._step(type(op), stream, queues)
        self.nodes.actions.append(HandOn(op, stream, queues, after))

    def front(self, stream: Stream, point: Sequence[Any]) -> Allocation | None:
        """Return the slots that lanes have popped first, and not released."""
        queues = self.queues_at(stream, point)
        return self._slot(stream, queues, self._counts(ReleaseOp, stream)[queues] % stream.depth)

    def ends(self, source: Allocation, target: Allocation) -> Ends:
        """Return the instances of their levels that two buffers of each lane are in."""
        return Ends(self._instances(source), self._instances(target))

    def _instances(self, place: Allocation) -> Array:
        name: object = place.name
        if not isinstance(name, SlotName) or name.stream.instances is None:
            return self.nodes.copies
        return name.stream.instances[name.queues]

    def queues_at(self, stream: Stream, point: Sequence[Any]) -> Array:
        """Return the queues of a stream at the coordinates of each lane. Raises NotInStep for none."""
        queues = np.zeros(len(self.nodes.instances), np.int64)
        for index, extent in zip(point, stream.extents, strict=True):
            values = index.values if isinstance(index, Lanes) else index
            if np.any((values < 0) | (values >= extent)):
                raise NotInStep
            queues = queues * extent + values
        if len(np.unique(queues)) < len(queues):
            raise NotInStep
        return queues

    def _counts(self, kind: type[StreamEndOp], stream: Stream) -> Array:
        if (stream, kind) not in self._taken:
            self._taken[stream, kind] = stream.taken[kind].copy()
        return self._taken[stream, kind]

    def _step(self, kind: type[StreamEndOp], stream: Stream, queues: Array) -> Array:
        """Count a slot of queues; return how many were taken before. Raises NotInStep where two classes take some."""
        counts = self._counts(kind, stream)
        users = self._users.setdefault((stream, kind), np.zeros(len(counts), np.int64))
        others = (users[queues] != 0) & (users[queues] != self._number)
        if np.any(others & (counts[queues] > stream.taken[kind][queues])):
            raise NotInStep
        users[queues] = self._number
        numbers = counts[queues]
        counts[queues] += 1
        return numbers

    def _slot(self, stream: Stream, queues: Array, slots: Array) -> Allocation | None:
        if not stream.has_slots:
            return None
        # A name of lanes stands where a text is in other buffers; it is resolved when buffers are accounted.
        name: Any = SlotName(stream, queues, slots)
        return Allocation(name, stream.level, -1)


Body: TypeAlias = Callable[..., Generator[Any, Any, None]]


def classes_of(recorder: ActionRecorder, body: Body, nodes: NodeClass, points: Array) -> list[NodeClass]:
    """Walk the instances of a program, by coordinates; return their classes. Raises NotInStep for too many."""
    classes: list[NodeClass] = []
    pending = [np.arange(len(points))]
    while pending:
        members = pending.pop()
        current = NodeClass(nodes.instances[members], nodes.copies[members], nodes.has_engine)
        recorder.begin(current)
        try:
            for _ in body([], *map(_coordinate, points[members].T)):
                pass
        except Diverged as split:
            recorder.abandon()
            labels = np.unique(split.labels)
            if len(classes) + len(pending) + len(labels) > _CLASSES:
                raise NotInStep from split
            pending += [members[split.labels == label] for label in labels]
            continue
        classes.append(current)
    return classes


def _coordinate(values: Array) -> Any:
    first = int(values[0])
    return first if bool((values == first).all()) else Lanes(values)


def route_table(machine: Machine) -> Callable[[Link, Array, Array], list[tuple[Edge, ...]]]:
    """Return the memoised function from sources and targets of transfers to their routes."""
    table: dict[tuple[str, int, int], tuple[Edge, ...]] = {}

    def routes(link: Link, sources: Array, targets: Array) -> list[tuple[Edge, ...]]:
        paths: list[tuple[Edge, ...]] = []
        for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
            key = link.name, source, target
            if key not in table:
                table[key] = route_between(machine.level(link.far).count, link, source, target)
            paths.append(table[key])
        return paths

    return routes
