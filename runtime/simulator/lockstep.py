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

from collections.abc import Sequence

import numpy as np

from ...dialects.hier.streams import PopOp, PushOp, ReleaseOp
from ...ir import Array
from ...passes.timing.mesh import PORT
from ...passes.timing.resources import LinkTime, Times
from .lane_actions import (
    Action,
    ActionRecorder,
    Ends,
    HandOn,
    KernelAction,
    NodeClass,
    Take,
    TransferAction,
    WaitAction,
)
from .lanes import NotInStep
from .schedule import Schedule
from .spans import Spans

_INSTANCE, _NUMBER = 12, 20
"""Bits of the number of an instance, and of an action, in a key; cycles have the rest."""


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
        streams = dict.fromkeys(stream for stream, _ in recorder.taken)
        self._handed = {stream: stream.begin() for stream in streams}
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
