"""Concurrent programs of classes of equal nodes, executed event by event: for any order of transfers on links."""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush

import numpy as np

from ...dialects.core.machine.routes import Edge
from ...dialects.hier.streams import PopOp, PushOp, ReleaseOp
from ...passes.timing.mesh import NeighbourBuses
from .lane_actions import Action, HandOn, KernelAction, NodeClass, Take, TransferAction, WaitAction
from .lanes import NotInStep
from .lockstep import Lockstep
from .spans import Spans
from .stream import Stream


class LaneEvents(Lockstep):
    """Execution of the actions of all lanes by cycle, instance and number of the action, as the schedule has events."""

    def run(self) -> None:
        """Execute all lanes. Raises NotInStep where some block forever."""
        self._buses = Spans(NeighbourBuses())
        self._serial = 0
        self._steps: dict[Action, list[tuple[int, int]]] = {}
        """Queue of each lane, and the slot that has to be handed on before."""
        self._routes: dict[Action, list[tuple[Edge, ...]]] = {}
        owners: dict[int, tuple[NodeClass, int]] = {}
        for nodes in self._classes:
            nodes.now = np.full(len(nodes.instances), self._begin, np.int64)
            owners |= {number: (nodes, lane) for lane, number in enumerate(nodes.instances.tolist())}
            for action in nodes.actions:
                self._begin_columns(action, len(nodes.instances))
        ready = [(self._begin, number, 0) for number, (nodes, _) in owners.items() if nodes.actions]
        blocked: dict[tuple[Stream, type, int], list[tuple[int, int, int]]] = defaultdict(list)
        heapify(ready)
        while ready:
            now, number, at = entry = heappop(ready)
            nodes, lane = owners[number]
            action, freed = nodes.actions[at], None
            if isinstance(action, Take):
                kind = PushOp if isinstance(action.op, PopOp) else ReleaseOp
                queue, before = self._steps[action][lane]
                until = self._handed[action.stream][kind].time(queue, before)
                if until is None:
                    blocked[action.stream, kind, queue].append(entry)
                    continue
                action.began[lane], action.until[lane] = now, (now := max(now, until))
            elif isinstance(action, HandOn):
                (queue, _), after = self._steps[action][lane], action.after
                time = now if after is None else max(now, int(after.end[lane]))
                self._handed[action.stream][type(action.op)].hand_on(queue, time)
                freed = action.stream, type(action.op), queue
            else:
                now = self._execute(nodes, action, lane, now)
            if at + 1 < len(nodes.actions):
                heappush(ready, (now, number, at + 1))
            else:
                nodes.now[lane] = now
            for resumed in blocked.pop(freed, ()) if freed is not None else ():
                heappush(ready, resumed)
        if blocked:
            raise NotInStep
        for nodes in self._classes:
            _gather_hops(nodes)

    def _begin_columns(self, action: Action, count: int) -> None:
        """Begin the columns of an action, and read those that its lanes need one by one."""
        if isinstance(action, Take | HandOn):
            before = action.before if isinstance(action, Take) else action.queues
            self._steps[action] = list(zip(action.queues.tolist(), before.tolist(), strict=True))
        if isinstance(action, Take):
            action.began, action.until = np.empty(count, np.int64), np.empty(count, np.int64)
        if isinstance(action, KernelAction | WaitAction):
            action.began = np.empty(count, np.int64)
        if isinstance(action, KernelAction | TransferAction):
            action.token.start, action.token.end = np.empty(count, np.int64), np.empty(count, np.int64)
        if isinstance(action, TransferAction):
            action.channels, action.order = np.zeros(count, np.int64), np.zeros(count, np.int64)
            action.counts, action.passed = np.zeros(count, np.int64), []
            if action.ends is not None:
                self._routes[action] = self._schedule.routes(action.link, *action.ends)

    def _execute(
        self, nodes: NodeClass, action: KernelAction | TransferAction | WaitAction, lane: int, now: int
    ) -> int:
        """Execute an action of a lane that no stream blocks; return the cycle at which the lane resumes."""
        token = action.token
        match action:
            case WaitAction():
                action.began[lane] = now
                return max(now, int(token.end[lane]))
            case KernelAction():
                free = self._idle(action.cost.engine)
                copy = int(nodes.copies[lane]) % len(free)
                action.began[lane], token.start[lane] = now, max(now, int(free[copy]))
                free[copy] = token.end[lane] = token.start[lane] + action.cost.cycles
                return int(token.end[lane])
            case TransferAction():
                self._serial += 1
                action.order[lane] = self._serial
                if action.ends is None:
                    self._occupy(now, action, lane)
                else:
                    self._hop(now, action, lane)
                return now

    def _hop(self, now: int, action: TransferAction, lane: int) -> None:
        """Send the transfer of a lane from instance to instance."""
        link, cost = action.link, action.cost
        route = self._routes[action][lane]
        start, end, spans = self._schedule.mesh.send(link, route, now, cost.startup, cost.data)
        action.token.start[lane], action.token.end[lane] = start, end
        action.counts[lane] = len(route)
        action.passed += [(lane, *edge, *span) for edge, span in zip(route, spans, strict=True)]
        time = self._links[link.name]
        time.bus = max(time.bus, end)


def _gather_hops(nodes: NodeClass) -> None:
    """Give the hops of all lanes as columns."""
    for action in nodes.actions:
        if isinstance(action, TransferAction) and action.ends is not None:
            lanes, sources, targets, begun, ended = np.array(action.passed, np.int64).reshape(-1, 5).T
            action.hops = [(lanes, sources, targets, begun, ended)]
