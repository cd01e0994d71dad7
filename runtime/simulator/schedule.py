"""Discrete-event schedule of kernels and transfers on shared engines, channels, buses and banks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import ceil, prod
from typing import ClassVar, TypeAlias

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.machine.engine import Queue
from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...ir import Array
from ...passes.timing.kernels import Allocation, KernelCost
from ...passes.timing.mesh import NeighbourBuses
from ...passes.timing.resources import InOrder, LinkTime, Times
from ...passes.timing.timeline import Program, Signal, Timeline
from ...passes.timing.transfers import TransferCost
from .columns import Trail
from .in_flight import CompletionToken, Running
from .lane_actions import ActionRecorder, Ends, LaneToken, TransferAction, route_table
from .lanes import NotInStep
from .result import BufferResidency, BusyInterval, EngineCost, Hop, KernelTotals, LayerCost, LinkCost, Nodes
from .rows import Banks

Action: TypeAlias = Callable[[], Signal | None]
"""Event of one iteration of a parallel loop, or of a concurrent program."""


class Schedule:
    """
    State of a machine during a simulation.

    The program is one thread. A kernel blocks it until its end, unless it is launched. A transfer is asynchronous until
    its token is waited for. Iterations of a parallel loop are threads of their own, on instances of the engines and
    private levels; they share the links, which serve first come, first served.

    Every cycle of the program is charged to one layer, so that the layers' times add up to the makespan: to that of a
    concurrent kernel, else to that of the program's op. In a parallel loop these are the cycles of the slowest
    iteration.

    Equal instances of a concurrent program are executed together, unless `by_class` is false: `tokens` are then those
    of each instance.
    """

    KEEPS_ACCOUNTS: ClassVar[bool] = True
    """True if costs are recorded per layer, engine and link."""

    def __init__(self, machine: Machine, *, by_class: bool = True):
        self.machine = machine.warm
        self.by_class = by_class
        self.routes = route_table(machine)
        self.layers: dict[Nodes, LayerCost] = {}
        self._engine_copies = {engine.name: prod(engine.count) for engine in machine.engines}
        self._level_copies = {level.name: prod(level.count) for level in machine.levels}
        self._bandwidth = {level.name: level.bandwidth for level in machine.levels}
        self._energy = {level.name: level.energy for level in machine.levels}
        self.restart()

    def restart(self) -> None:
        """Begin once more: the machine is idle, and its layers are those of before."""
        machine = self.machine
        self.now = 0
        self.events = Trail(BusyInterval)
        self.engines = {engine.name: [InOrder(engine.queue)] for engine in machine.engines}
        """Instances of each engine."""
        self.engine_costs: dict[str, EngineCost] = {}
        """Cost of the instances of engines, by `resource`."""
        self.queue_costs: dict[str, dict[str, EngineCost]] = {}
        """Cost of the queues of instructions of an engine, by `ENGINE.QUEUE`."""
        self.queues_end = 0
        """The cycle at which the last instruction on a queue ends."""
        self.tokens: list[CompletionToken] = []
        """Tokens of all kernels and transfers, in program order; of concurrent programs one after the other."""
        self.shares: list[int] = []
        """Number of tokens of each concurrent program."""
        self.links = {link.name: LinkTime(link.channels) for link in machine.links}
        self.link_costs = {link.name: _idle(link, machine) for link in machine.links}
        self.hops = Trail(Hop)
        self.recorder: ActionRecorder | None = None
        """The actions of the class of equal instances that is being walked."""
        self.mesh = NeighbourBuses()
        self._banks = Banks(machine)
        self._engine_waits = True
        """False while a program runs that has no engine: its waits are those of none."""
        self._uses: dict[tuple[Allocation, int, Nodes], list[int]] = {}
        self._names: dict[tuple[Allocation, int, Nodes], str] = {}
        self._launched: dict[str, str] = {}
        """Engine's instance -> the level that has all operands of its last launched kernel, if one has."""
        self._traffic: dict[tuple[str, int], list[tuple[int, int, float]]] = {}
        self._copy = 0
        self._instance = -1
        """Instance of the engine whose program runs, -1 outside of these."""
        self._thread = 0
        self._running: dict[int, list[Running]] = {}
        """Launched kernels of each iteration or concurrent program, by its number, in order of start."""
        self._last: tuple[int, LayerCost, str] | None = None
        """Cycle at which the last transfer ends, its layer, and the kind of wait."""
        self._recorded: list[Action] | None = None
        self._iterations: list[list[Action]] = []
        self._forks = 0
        """The parallel loops around."""
        self._spent: list[tuple[LayerCost | KernelTotals, str, int]] | None = None

    def layer(self, nodes: Nodes) -> LayerCost:
        """Return the layer of some ONNX nodes."""
        return self.layers.setdefault(nodes, LayerCost(nodes))

    def fork(self) -> None:
        """Begin a parallel loop; a nested one is part of the outer iteration."""
        self._forks += 1
        if self._forks == 1:
            self._iterations = []

    def iteration(self) -> None:
        """Begin an iteration of a parallel loop, whose work is recorded for later."""
        if self._forks == 1:
            self._recorded = []
            self._iterations.append(self._recorded)

    def record(self, action: Action) -> None:
        """Record an action of a concurrent program."""
        assert self._recorded is not None
        self._recorded.append(action)

    def act(self, action: Callable[[], None]) -> None:
        """Execute an action of the program, or record it in an iteration or a concurrent program."""
        if self.recorder is not None:
            raise NotInStep
        if self._recorded is not None:
            self._recorded.append(action)
        else:
            action()

    def gather(self, copies: Sequence[int] = (), waits: Sequence[bool] = ()) -> list[tuple[int, Operation]]:
        """
        End a parallel loop: execute its iterations concurrently; the program resumes at the end of the slowest.

        Ties are broken by iteration order. `copies` are the instances of engines and levels that the iterations use, by
        default one each; `waits` tells whose waits are those of the engine, by default all. Returns the iterations that
        block forever, and where.
        """
        self._forks -= 1
        if self._forks:
            return []
        self._recorded, iterations = None, self._iterations
        spent: list[list[tuple[LayerCost | KernelTotals, str, int]]] = [[] for _ in iterations]
        timeline = Timeline(
            [
                self._iteration(number, actions, copies[number] if copies else number, not waits or waits[number], own)
                for number, (actions, own) in enumerate(zip(iterations, spent, strict=True))
            ]
        )
        blocked = timeline.run()
        self._copy, self._thread, self._spent, self._engine_waits, self._instance = 0, 0, None, True, -1
        self.now = max(timeline.ends, default=self.now)
        for part, what, cycles in spent[timeline.ends.index(self.now)] if iterations else ():
            self._spend(part, what, cycles)
        return blocked

    def _iteration(
        self,
        thread: int,
        actions: Sequence[Action],
        copy: int,
        engine_waits: bool,
        spent: list[tuple[LayerCost | KernelTotals, str, int]],
    ) -> Program:
        """Execute the actions of an iteration of a parallel loop, or of a concurrent program, on an instance."""

        def act(ready: int, action: Action) -> int | Signal:
            self.now, self._thread, self._copy, self._spent = ready, thread, copy, spent
            self._engine_waits, self._instance = engine_waits, copy if engine_waits else -1
            signal = action()
            return self.now if signal is None else signal

        now = self.now
        for action in actions:
            now = yield now, act, action
        return now

    def idle_from(self, engine: str) -> Array:
        """Return the cycles from which the instances of an engine are idle."""
        instances = self.engines[engine]
        cycles = np.zeros(self._engine_copies[engine], np.int64)
        cycles[: len(instances)] = [instance.free for instance in instances]
        return cycles

    def stall(self, layer: LayerCost, until: int) -> None:
        """Advance the program to a cycle; the stall is charged to a layer."""
        if until > self.now:
            self._stall(layer, "wait in", until)

    def control(self, layer: LayerCost, cycles: int) -> None:
        """Advance the program by the cycles of its own code, charged to a layer's set-up."""
        if cycles:
            self.act(partial(self._control, layer, cycles))

    def _control(self, layer: LayerCost, cycles: int) -> None:
        self._pass(layer, "setup", self.now + cycles)

    def _spend(self, part: LayerCost | KernelTotals, what: str, cycles: int) -> None:
        """Charge cycles to an account; within an iteration, the charge is deferred until the slowest is known."""
        if self._spent is not None:
            self._spent.append((part, what, cycles))
        else:
            setattr(part, what, getattr(part, what) + cycles)

    def _pass(self, layer: LayerCost, what: str, end: int, kind: KernelTotals | None = None) -> list[tuple[int, int]]:
        """
        Advance the program to `end`; charge its time to concurrent kernels, else to `what`.

        Returns the intervals without a concurrent kernel.
        """
        at, begin, own = self.now, self.now, list[tuple[int, int]]()
        running = self._running.get(self._thread, [])
        running[:] = [kernel for kernel in running if kernel.end > begin]
        for kernel in running:
            low, high = max(at, kernel.start), min(end, kernel.end)
            if high <= low:
                continue
            self._spend(kernel.layer, "busy", high - low)
            self._spend(kernel.kind, "busy", high - low)
            own += [(at, low)] if low > at else []
            at = high
        own += [(at, end)] if end > at else []
        alone = sum(high - low for low, high in own)
        self._spend(layer, what, alone)
        if kind is not None:
            self._spend(kind, "busy", alone)
            self._spend(layer, "hidden", end - begin - alone)
        self.now = end
        return own

    def _engine(self, name: str) -> InOrder:
        """Return the engine instance that serves the iteration, round robin if there are fewer."""
        copy = self._copy % self._engine_copies[name]
        return self.instances(name, copy + 1)[copy]

    def instances(self, name: str, count: int) -> list[InOrder]:
        """Return the instances of an engine, the first `count` of them at least."""
        instances = self.engines[name]
        instances += [InOrder(self.machine.engine(name).queue) for _ in range(count - len(instances))]
        return instances

    def _name(self, engine: str) -> str:
        """Return the resource name of the engine instance."""
        return self.resource(engine, self._copy)

    def resource(self, engine: str, copy: int) -> str:
        """Return the resource name of the instance of an engine that serves an instance of a program."""
        total = self._engine_copies[engine]
        return f"{engine}.{copy % total}" if total > 1 else engine

    def cost_of(self, engine: str, copy: int) -> EngineCost:
        """Return the cost of the instance of an engine that serves an instance of a program."""
        name = self.resource(engine, copy)
        if name not in self.engine_costs:
            self.engine_costs[name] = EngineCost(name, engine)
        return self.engine_costs[name]

    def _own(self, level: str) -> tuple[str, int]:
        """Return a level, and its instance for the iteration."""
        return level, self._copy % self._level_copies[level]

    def run(self, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]) -> None:
        """Run a kernel; the program resumes at its end."""
        if self.recorder is not None:
            self.recorder.run(layer, kernel, places)
            return
        token = CompletionToken()
        self.tokens.append(token)
        self.act(partial(self._run, token, layer, kernel, places))

    def _run(self, token: CompletionToken, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]) -> None:
        kind = layer.of_operator(kernel.operator)
        self._pass(layer, "busy", max(self.now, self._engine(kernel.engine).free))
        token.start, token.end = self.now, self._contended(kernel.cycles, kernel)
        self._spend(layer, "conflicts", token.end - token.start - kernel.cycles)
        self._hinder(layer, kernel, token.end - token.start)
        self._pass(layer, "busy", token.end, kind)
        self._ran(token, layer, kernel, places)

    def _hinder(self, layer: LayerCost, kernel: KernelCost, cycles: int) -> None:
        """Delay what other engines have been launched on, for as long as a kernel works beside it in the same level."""
        for engine in self.machine.engines:
            if not engine.contention or engine.name == kernel.engine:
                continue
            other = self._engine(engine.name)
            left = max(0, other.free - self.now)
            if self._launched.get(self._name(engine.name)) in dict(kernel.levels):
                delay = ceil(engine.contention * min(left, cycles / (1 + engine.contention)))
                other.free += delay
                self._spend(layer, "conflicts", delay)

    def _ran(self, token: CompletionToken, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]) -> None:
        """Record that a kernel runs on its engine in its token's interval."""
        cost, share = self.cost_of(kernel.engine, self._copy), layer.of_engine(kernel.engine)
        energy = self.kernel_energy(kernel)
        self._engine(kernel.engine).free = token.end
        cost.busy += token.end - token.start
        cost.calls += 1
        cost.energy += energy
        cost.peak = max(cost.peak, kernel.peak)
        share.busy += token.end - token.start
        kind = layer.of_operator(kernel.operator)
        for part in (kind, share):
            part.rate(kernel.macs, kernel.peak)
        for part in (layer, kind, share):
            part.calls += 1
            part.points += kernel.points
            part.macs += kernel.macs
        layer.bytes_touched += sum(kernel.sizes)
        layer.energy += energy
        self.span(layer, token.start, token.end)
        name = self._name(kernel.engine)
        span = token.start, token.end
        self.events.append(BusyInterval(name, "compute", kernel.operator, layer.nodes, *span, instance=self._instance))
        for place, size in zip(places, kernel.sizes, strict=True):
            self.keep(place, size, layer.nodes, token.start, token.end)

    def kernel_energy(self, kernel: KernelCost) -> float:
        """Return the energy of a kernel and of its accesses to memory, in picojoules."""
        return kernel.energy + sum(self._energy[level] * size for level, size in kernel.levels)

    # Concurrent kernels

    def launch(self, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]) -> CompletionToken:
        """Launch a kernel on its engine, or enqueue it; the program resumes after the set-up."""
        token = CompletionToken()
        self.tokens.append(token)
        self.act(partial(self._launch, token, layer, kernel, places))
        return token

    def _launch(
        self, token: CompletionToken, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]
    ) -> None:
        engine = self._engine(kernel.engine)
        setup = min(self.machine.engine(kernel.engine).setup, kernel.cycles)
        self._pass(layer, "setup", engine.entry(self.now) + setup)
        begun, token.start = self.now, max(self.now, engine.free)
        self.now = token.start
        token.end = self._contended(kernel.cycles - setup, kernel)
        self.now = begun
        self._spend(layer, "conflicts", token.end - token.start - (kernel.cycles - setup))
        engine.execute_until(token.end)
        self._launched[self._name(kernel.engine)] = kernel.levels[0][0] if len(kernel.levels) == 1 else ""
        self._beside(token, layer, layer.of_operator(kernel.operator))
        self._ran(token, layer, kernel, places)

    def _beside(self, token: CompletionToken, layer: LayerCost, kind: KernelTotals) -> None:
        """Record that a kernel runs concurrently in its token's interval."""
        running = self._running.setdefault(self._thread, [])
        running.append(Running(token.start, token.end, layer, kind))
        running.sort(key=lambda kernel: kernel.start)

    def conflict(self, layer: LayerCost, cycles: int) -> None:
        """Record cycles that instructions of a layer lose to accesses of one bank."""
        self._spend(layer, "conflicts", cycles)

    def executed(self, token: CompletionToken, layer: LayerCost, queue: Queue, operator: str) -> None:
        """Record that a queue executes an instruction in its token's interval, concurrently with the program."""
        cycles, kind = token.end - token.start, layer.of_operator(operator)
        name = f"{self._name(queue.engine)}.{queue.name}"
        cost = self.queue_costs.setdefault(queue.engine, {}).setdefault(name, EngineCost(name, name))
        share = layer.of_engine(name)
        self._beside(token, layer, kind)
        cost.busy += cycles
        share.busy += cycles
        cost.calls += 1
        for part in (layer, kind, share):
            part.calls += 1
        self.span(layer, token.start, token.end)
        if self._last is None or token.end > self._last[0]:
            self._last = token.end, layer, "wait_in"
        self.events.append(BusyInterval(name, "compute", operator, layer.nodes, token.start, token.end))

    def copy_of(self, engine: str) -> int:
        """Return the number of the engine instance that serves the iteration."""
        return self._copy % self._engine_copies[engine]

    def join(self, layer: LayerCost, kernel: KernelCost) -> None:
        """Wait for all kernels launched on a kernel's engine."""
        self.act(partial(self._join, layer, kernel))

    def _join(self, layer: LayerCost, kernel: KernelCost) -> None:
        self._pass(layer, "busy", max(self.now, self._engine(kernel.engine).free))

    def start(
        self,
        layer: LayerCost,
        link: Link,
        cost: TransferCost,
        far: Allocation,
        near: Allocation,
        sizes: tuple[int, int],
        outward: bool,
        route: Sequence[tuple[int, int]] | Ends = (),
    ) -> CompletionToken | LaneToken:
        """
        Issue a transfer on the channel that is idle first; `sizes` are those of the far and the near buffer.

        `route` are the hops from instance to instance of a transfer between neighbours, of several lanes their ends.
        """
        if self.recorder is not None:
            ends = route if isinstance(route, Ends) else None
            transfer = TransferAction(LaneToken(outward), layer, link, cost, far, near, sizes, ends)
            return self.recorder.start(transfer)
        assert not isinstance(route, Ends)
        token = CompletionToken(outward)
        self.tokens.append(token)
        self.act(partial(self._start, token, layer, link, cost, far, near, sizes, route))
        return token

    def _start(
        self,
        token: CompletionToken,
        layer: LayerCost,
        link: Link,
        cost: TransferCost,
        far: Allocation,
        near: Allocation,
        sizes: tuple[int, int],
        route: Sequence[tuple[int, int]],
    ) -> None:
        channel = self._occupy(token, layer, link, cost, (far.level, near.level), route)
        outward, traffic, start, end = token.outward, self.link_costs[link.name], token.start, token.end
        hops = max(len(route), 1)
        traffic.busy += cost.data * hops
        traffic.channels[channel] += end - start
        self.account(layer, link, cost, (far.level, near.level), hops, outward)
        if outward:
            layer.stored += cost.bytes
            layer.produced += sizes[1]
        self.span(layer, start, end)
        self.note_last(layer, end, outward=outward)
        kind = "out" if outward else "in"
        name, instance = f"{link.name}.{channel}", self._instance
        self.events.append(BusyInterval(name, kind, far.name, layer.nodes, start, end, cost.bytes, instance))
        self.keep(far, sizes[0], layer.nodes, start, end)
        tile = self.keep(near, sizes[1], layer.nodes, start, end)
        if not near.bytes:
            self.name(tile, far.name)

    def _occupy(
        self,
        token: CompletionToken,
        layer: LayerCost,
        link: Link,
        cost: TransferCost,
        levels: tuple[str, str],
        route: Sequence[tuple[int, int]],
    ) -> int:
        """
        Set start and end of a transfer on the channel that is idle first; return the channel.

        A route goes from instance to instance, over a bus of its own for each hop.
        """
        if route:
            return self._hop(token, layer.nodes, link, cost, route)
        time = self.links[link.name]
        data = cost.data + self._banks.delay(cost, [self._own(rows.level)[1] for rows in cost.rows])
        token.end = time.move(self.now, Times(cost.startup, data))
        channel, token.start, begin = time.last
        for level in dict.fromkeys(levels) if data else ():
            traffic = self._traffic.setdefault(self._own(level), [])
            traffic.append((begin, token.end, cost.bytes / data))
        return channel

    def buses(self, link: str) -> int:
        """Return the number of buses of a link that are in use: a link between neighbours has several."""
        return max(1, self.mesh.buses(link))

    def _hop(
        self, token: CompletionToken, nodes: Nodes, link: Link, cost: TransferCost, route: Sequence[tuple[int, int]]
    ) -> int:
        """Set start and end of a transfer from instance to instance; return the channel."""
        data = cost.data + self._banks.delay(cost, (route[0][0], route[-1][1]))
        token.start, token.end, spans = self.mesh.send(link, route, self.now, cost.startup, data)
        for edge, span in zip(route, spans, strict=True):
            self.hops.append(Hop(link.name, *edge, nodes, *span, cost.bytes))
        time = self.links[link.name]
        time.bus = max(time.bus, token.end)
        return 0

    def wait(self, layer: LayerCost, token: CompletionToken | LaneToken | None) -> None:
        """Wait for a transfer; the stall is charged to the layer's engine."""
        if token is None:
            return
        if isinstance(token, LaneToken):
            assert self.recorder is not None
            self.recorder.wait(layer, token)
            return
        self.act(partial(self._wait, layer, token))

    def _wait(self, layer: LayerCost, token: CompletionToken) -> None:
        if token.end <= self.now:
            return
        kind = "wait out" if token.outward else "wait in"
        self.span(layer, self.now, token.end)
        self._stall(layer, kind, token.end)

    def _stall(self, layer: LayerCost, kind: str, until: int) -> None:
        """Advance the program to a cycle, and record the intervals in which the layer's engine waits."""
        for start, end in self._pass(layer, kind.replace(" ", "_"), until):
            if layer.first_engine and self._engine_waits:
                waiting = BusyInterval(
                    self._name(layer.first_engine), kind, kind, layer.nodes, start, end, instance=self._instance
                )
                self._add_wait(waiting)

    def end(self) -> int:
        """Advance the program to the end of all issued work, and return that cycle."""
        engines = (engine.free for instances in self.engines.values() for engine in instances)
        last = max([self.now, self.queues_end, *engines, *(link.bus for link in self.links.values())])
        if self._last is not None and last > self.now:
            self._pass(*self._last[1:], last)
        return last

    def memory(self) -> tuple[BufferResidency, ...]:
        """
        Return the residency of all buffers, from first to last use.

        A resident buffer has its own name, a tile that of its source or destination.
        """
        return tuple(
            BufferResidency(
                place.level, self._names.get((place, size, nodes), place.name), nodes, place.address, size, *span
            )
            for (place, size, nodes), span in self._uses.items()
        )

    def account(
        self,
        layer: LayerCost,
        link: Link,
        cost: TransferCost,
        levels: Iterable[str],
        hops: int,
        outward: bool,
        count: int = 1,
    ) -> None:
        """Charge `count` equal transfers, of so many hops in all, to a layer and a link."""
        energy = cost.bytes * (link.energy * hops + sum(self._energy[level] for level in levels) * count)
        for part in (layer, self.link_costs[link.name]):
            part.transfers += count
            part.energy += energy
            part.bytes_in += 0 if outward else cost.bytes * count
            part.bytes_out += cost.bytes * count if outward else 0
        layer.link_cycles += (cost.startup + cost.data if link.channels == 1 else cost.data) * count

    def note_last(self, layer: LayerCost, end: int, *, outward: bool) -> None:
        """Note the end of a transfer, to whose layer the program's last wait is charged where it is the last one."""
        if self._last is None or end > self._last[0]:
            self._last = end, layer, "wait_out" if outward else "wait_in"

    def keep(self, place: Allocation, size: int, nodes: Nodes, start: int, end: int) -> tuple[Allocation, int, Nodes]:
        """Extend the residency of a buffer, shared by all layers unless it is a tile; return its key."""
        lasts = place.level == self.machine.far.name or place.bytes > 0
        key = place, place.bytes or size, () if lasts else nodes
        span = self._uses.setdefault(key, [start, end])
        span[0], span[1] = min(span[0], start), max(span[1], end)
        return key

    def name(self, buffer: tuple[Allocation, int, Nodes], name: str) -> None:
        """Name a tile, by its key of `keep`, by its source or destination."""
        self._names[buffer] = name

    def _add_wait(self, event: BusyInterval) -> None:
        last = self.events.last
        same = last is not None and last[:4] == event[:4] and last.end == event.start
        if same and last is not None:
            self.events.replace_last(last._replace(end=event.end))
        else:
            self.events.append(event)

    def span(self, layer: LayerCost, start: int, end: int) -> None:
        layer.start = start if layer.start < 0 else min(layer.start, start)
        layer.end = max(layer.end, end)

    def _contended(self, cycles: int, kernel: KernelCost) -> int:
        """
        Return the end of a kernel that starts now, slowed by bank contention.

        Transfers have priority on a level's banks. While the remaining bandwidth is below the kernel's demand, the
        kernel slows down in proportion.
        """
        end = self.now + cycles
        for level, size in kernel.levels:
            capacity, traffic = self._bandwidth[level], self._traffic.setdefault(self._own(level), [])
            traffic[:] = [use for use in traffic if use[1] > self.now]
            if capacity and traffic and cycles:
                end = max(end, _slowed(self.now, cycles, size / kernel.cycles, capacity, traffic))
        return end


def _idle(link: Link, machine: Machine) -> LinkCost:
    """Return the cost of a link before its first transfer; its width is in bytes per cycle of the machine's clock."""
    clock = machine.clock.nominal
    ratio = link.clock.nominal / clock if link.clock.mhz and clock else 1.0
    return LinkCost(link.name, link.width * ratio, [0] * link.channels)


def _slowed(start: int, cycles: int, need: float, capacity: int, traffic: Sequence[tuple[int, int, float]]) -> int:
    """Return the end of work of `cycles` that needs `need` bytes per cycle next to the traffic."""
    left, at = float(cycles), start
    times = sorted({time for begin, end, _ in traffic for time in (begin, end) if time > start})
    for time in times:
        used = sum(rate for begin, end, rate in traffic if begin <= at < end)
        speed = min(1.0, max(0.0, capacity - used) / need) if need else 1.0
        if speed * (time - at) >= left:
            return at + ceil(left / speed)
        left -= speed * (time - at)
        at = time
    return at + ceil(left)
