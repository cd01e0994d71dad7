"""
Concurrent programs in time, by classes of equal nodes.

Instances of a program whose control flow and costs are the same are lanes of one class. It is walked once, and each of
its actions is executed for all lanes together, on arrays of cycles: what an action waits for in a stream does not
depend on the order of execution (a Kahn process network), and lanes have engines of their own.

Links serve first come, first served. Their order is that of events, by cycle, instance and number of the action; an
action that a stream has blocked comes right after what it waits for. The `order` of an action has the greatest of
these keys among all that precede it, so that it sorts as the events do. Where actions cannot be executed in that order
class by class, NotInStep is raised: lane_events.py executes them event by event. What cannot be walked by classes, the
schedule executes instance by instance.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...dialects.core.machine.routes import Edge, route_between
from ...dialects.hier.streams import PopOp, PushOp, ReleaseOp, StreamEndOp
from ...ir import Array
from ...passes.timing.kernels import Allocation, KernelCost
from ...passes.timing.mesh import PORT
from ...passes.timing.resources import LinkTime, Times
from ...passes.timing.transfers import TransferCost
from .lanes import Diverged, Lanes, NotInStep
from .result import LayerCost
from .spans import Spans
from .stream import Stream

if TYPE_CHECKING:
    from .schedule import Schedule

_CLASSES = 32
"""Classes beyond which walking them costs more than it saves: each is walked up to twice."""
_INSTANCE, _NUMBER = 12, 20
"""Bits of the number of an instance, and of an action, in a key; cycles have the rest."""


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


class Lockstep:
    """Execution of the classes of concurrent programs. The schedule is changed by `commit` alone."""

    def __init__(self, schedule: Schedule, classes: Sequence[NodeClass], recorder: ActionRecorder):
        self._schedule = schedule
        self._classes = classes
        self._recorder = recorder
        self._machine = schedule.machine
        self._begin = schedule.now
        self._buses = Spans(schedule.mesh)
        self._links = {name: time.copy() for name, time in schedule.links.items()}
        self._served = -1
        """The order of the last transfer that a link with channels has served."""
        self._free: dict[str, Array] = {}
        self._handed = {stream: stream.begin() for stream in dict.fromkeys(stream for stream, _ in recorder.taken)}
        """For each stream, and op that hands on, the cycles and orders of the slots handed on."""
        most = max((len(nodes.actions) for nodes in classes), default=0)
        if most >> _NUMBER or sum(len(nodes.instances) for nodes in classes) >> _INSTANCE:
            raise NotInStep

    def run(self) -> None:
        """Execute all classes. Raises NotInStep."""
        for nodes in self._classes:
            nodes.now = np.full(len(nodes.instances), self._begin, np.int64)
            nodes.order = np.full(len(nodes.instances), -1, np.int64)
            nodes.next = 0
        while not all(nodes.is_done for nodes in self._classes):
            before = [nodes.next for nodes in self._classes]
            for nodes in self._classes:
                self._advance(nodes)
            if before != [nodes.next for nodes in self._classes]:
                continue
            waiting = [nodes for nodes in self._classes if not nodes.is_done and _is_shared(nodes.actions[nodes.next])]
            if not waiting:
                raise NotInStep
            self._serve(waiting)
        if any(int(nodes.now.max()) - self._begin >> 63 - _INSTANCE - _NUMBER for nodes in self._classes):
            raise NotInStep

    @property
    def classes(self) -> Sequence[NodeClass]:
        """The classes, after all of their actions."""
        return self._classes

    @property
    def end(self) -> int:
        """The cycle at which the slowest instance ends."""
        return max((int(nodes.now.max()) for nodes in self._classes), default=self._begin)

    @property
    def slowest(self) -> tuple[NodeClass, int] | None:
        """The class and the lane of the first instance that ends last, None without instances."""
        slowest: tuple[NodeClass, int] | None = None
        for nodes in self._classes:
            for lane in np.flatnonzero(nodes.now == self.end).tolist():
                if slowest is None or nodes.instances[lane] < slowest[0].instances[slowest[1]]:
                    slowest = nodes, lane
        return slowest

    @property
    def spans(self) -> Spans:
        """Use of the buses between neighbours after the programs."""
        return self._buses

    @property
    def links(self) -> dict[str, LinkTime]:
        """State of each link after the programs."""
        return self._links

    @property
    def free(self) -> dict[str, Array]:
        """The cycles at which instances of engines are idle after the programs."""
        return self._free

    def settle_streams(self) -> None:
        """Let the slots that have been taken, and handed on, count."""
        for (stream, kind), taken in self._recorder.taken.items():
            stream.taken[kind] = taken
        for kinds in self._handed.values():
            for handed in kinds.values():
                handed.settle()

    def _key(self, nodes: NodeClass, number: int) -> Array:
        return (nodes.now - self._begin << _INSTANCE | nodes.instances) << _NUMBER | number

    def _advance(self, nodes: NodeClass) -> None:
        """Execute the actions of a class up to one on a shared link, or one that is blocked for a lane."""
        while not nodes.is_done:
            action = nodes.actions[nodes.next]
            order = np.maximum(nodes.order, self._key(nodes, nodes.next))
            match action:
                case Take():
                    if not self._take(nodes, action, order):
                        return
                case HandOn():
                    self._hand_on(nodes, action, order)
                case WaitAction():
                    action.began, nodes.now = nodes.now, np.maximum(nodes.now, action.token.end)
                case KernelAction():
                    self._run(nodes, action)
                case TransferAction():
                    if action.ends is None:
                        return
                    action.order = order
                    self._send(nodes, action, action.ends, order)
            nodes.order = order
            nodes.next += 1

    def _run(self, nodes: NodeClass, kernel: KernelAction) -> None:
        free = self._idle(kernel.cost.engine)
        copies = nodes.copies % len(free)
        if len(np.unique(copies)) < len(copies) or (len(free) == 1 and len(self._classes) > 1):
            raise NotInStep
        kernel.began, kernel.token.start = nodes.now, np.maximum(nodes.now, free[copies])
        nodes.now = kernel.token.end = kernel.token.start + kernel.cost.cycles
        free[copies] = nodes.now

    def _idle(self, engine: str) -> Array:
        """Return the cycles from which the instances of an engine are idle, to be updated."""
        if engine not in self._free:
            self._free[engine] = self._schedule.idle_from(engine)
        return self._free[engine]

    def _take(self, nodes: NodeClass, action: Take, order: Array) -> bool:
        """Take slots at the cycles at which they are handed on; return whether all lanes have theirs."""
        handed = self._handed[action.stream][PushOp if isinstance(action.op, PopOp) else ReleaseOp]
        if not handed.has(action.queues, action.before):
            return False
        times, orders = handed.at(action.queues, action.before)
        action.began, action.until = nodes.now, np.maximum(nodes.now, times)
        nodes.now = action.until
        np.maximum(order, orders, out=order)
        return True

    def _hand_on(self, nodes: NodeClass, action: HandOn, order: Array) -> None:
        times = nodes.now if action.after is None else np.maximum(nodes.now, action.after.end)
        self._handed[action.stream][type(action.op)].add(action.queues, times, order)

    def _send(self, nodes: NodeClass, action: TransferAction, ends: Ends, order: Array) -> None:
        """Send the transfers of all lanes from instance to instance."""
        link, cost, buses = action.link, action.cost, self._buses
        if not link.router or not cost.data:
            raise NotInStep
        routes = self._schedule.routes(link, *ends)
        lengths = np.array(list(map(len, routes)))
        action.counts, action.hops = lengths, []
        at = nodes.now + cost.startup
        inside = ends[0] == ends[1]
        outside = np.flatnonzero(~inside)
        first = at.copy()
        if outside.size:
            ports = np.full(outside.size, PORT)
            at[outside] = buses.occupy(link.name, ports, ends[0][outside], at[outside], cost.data, order[outside])
            first = at.copy()
        for hop in range(int(lengths.max())):
            lanes = np.flatnonzero(lengths > hop)
            edges = np.array([routes[lane][hop] for lane in lanes])
            ready = at[lanes] + np.where(inside[lanes], 0, link.router)
            begun = buses.occupy(link.name, edges[:, 0], edges[:, 1], ready, cost.data, order[lanes])
            at[lanes] = begun
            action.hops.append((lanes, edges[:, 0], edges[:, 1], begun, begun + cost.data))
        first[inside] = at[inside]
        if outside.size:
            ports = np.full(outside.size, PORT)
            ready = at[outside] + link.router
            at[outside] = buses.occupy(link.name, ends[1][outside], ports, ready, cost.data, order[outside])
        token, time = action.token, self._links[link.name]
        time.bus = max(time.bus, int(at.max()) + cost.data)
        token.start, token.end = np.maximum(nodes.now, first - cost.startup), at + cost.data
        action.channels = np.zeros(len(at), np.int64)

    def _serve(self, waiting: Sequence[NodeClass]) -> None:
        """Serve the transfers over links with channels that classes have come to, first come, first served."""
        requests: list[tuple[int, int, TransferAction, int]] = []
        for nodes in waiting:
            order = nodes.order
            while not nodes.is_done and _is_shared(action := nodes.actions[nodes.next]):
                assert isinstance(action, TransferAction)
                order = np.maximum(order, self._key(nodes, nodes.next))
                action.order, size = order, len(order)
                action.token.start, action.token.end = np.empty(size, np.int64), np.empty(size, np.int64)
                action.channels = np.empty(size, np.int64)
                cycles = nodes.now.tolist()
                requests += zip(order.tolist(), cycles, [action] * size, range(size), strict=True)
                nodes.next += 1
            nodes.order = order
        requests.sort(key=lambda request: request[0])
        for order, now, action, lane in requests:
            if order <= self._served:
                raise NotInStep
            self._served = order
            self._occupy(now, action, lane)

    def _occupy(self, now: int, action: TransferAction, lane: int) -> None:
        """Serve a transfer on the channel that is idle first."""
        time = self._links[action.link.name]
        action.token.end[lane] = time.move(now, Times(action.cost.startup, action.cost.data))
        action.channels[lane], action.token.start[lane], _ = time.last


def _is_shared(action: Action) -> bool:
    """Return whether an action is a transfer over a link that all instances share."""
    return isinstance(action, TransferAction) and action.ends is None


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
