"""Discrete-event schedule of kernels and transfers on shared engines, channels, buses and banks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import ceil, prod
from typing import TypeAlias

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
from .accounts import CompletionToken, EngineAccount, EngineUse, LayerAccount, LinkUse, Running, Tally
from .columns import Trail
from .lanes import NotInStep
from .lockstep import ActionRecorder, Ends, LaneToken, Lockstep, TransferAction, route_table
from .lockstep_accounts import account
from .result import BufferResidency, BusyInterval, Hop, Nodes
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

    def __init__(self, machine: Machine, *, by_class: bool = True):
        self.machine = machine.warm
        self.by_class = by_class
        self.routes = route_table(machine)
        self.layers: dict[Nodes, LayerAccount] = {}
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
        self.engines = {engine.name: [EngineUse(InOrder(engine.queue))] for engine in machine.engines}
        """Use of each engine, by instance."""
        self.queues: dict[str, dict[str, EngineUse]] = {}
        """Use of the queues of instructions of an engine, by `ENGINE.QUEUE`."""
        self.queues_end = 0
        """The cycle at which the last instruction on a queue ends."""
        self.tokens: list[CompletionToken] = []
        """Tokens of all kernels and transfers, in program order; of concurrent programs one after the other."""
        self.shares: list[int] = []
        """Number of tokens of each concurrent program."""
        self.links = {
            link.name: LinkUse(link, LinkTime(link.channels), channel_busy=[0] * link.channels)
            for link in machine.links
        }
        self.hops = Trail(Hop)
        self.recorder: ActionRecorder | None = None
        """The actions of the class of equal instances that is being walked."""
        self.mesh = NeighbourBuses()
        self._banks = Banks(machine)
        self._engine_waits = True
        """False while a program runs that has no engine: its waits are those of none."""
        self._uses: dict[tuple[Allocation, int, Nodes], list[int]] = {}
        self._names: dict[tuple[Allocation, int, Nodes], str] = {}
        self._traffic: dict[tuple[str, int], list[tuple[int, int, float]]] = {}
        self._copy = 0
        self._instance = -1
        """Instance of the engine whose program runs, -1 outside of these."""
        self._thread = 0
        self._running: dict[int, list[Running]] = {}
        """Launched kernels of each iteration or concurrent program, by its number, in order of start."""
        self._last: tuple[int, LayerAccount, str] | None = None
        """Cycle at which the last transfer ends, its layer, and the kind of wait."""
        self._recorded: list[Action] | None = None
        self._iterations: list[list[Action]] = []
        self._forks = 0
        """The parallel loops around."""
        self._spent: list[tuple[LayerAccount | Tally, str, int]] | None = None

    def layer(self, nodes: Nodes) -> LayerAccount:
        """Return the layer of some ONNX nodes."""
        return self.layers.setdefault(nodes, LayerAccount(nodes))

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
        spent: list[list[tuple[LayerAccount | Tally, str, int]]] = [[] for _ in iterations]
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
        spent: list[tuple[LayerAccount | Tally, str, int]],
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

    def commit(self, steps: Lockstep) -> None:
        """Take over the execution of concurrent programs by classes; the program resumes at the end of the slowest."""
        self._settle(steps)
        account(self, steps)

    def _settle(self, steps: Lockstep) -> None:
        """Take over the state of engines, links and streams, and the cycle of the end."""
        self.now = steps.end
        steps.spans.settle(self.mesh, self.now)
        for name, time in steps.links.items():
            self.links[name].time = time
        for engine, free in steps.free.items():
            for use, cycle in zip(self._uses_of(engine, len(free)), free.tolist(), strict=True):
                use.time.free = cycle
        steps.settle_streams()

    def idle_from(self, engine: str) -> Array:
        """Return the cycles from which the instances of an engine are idle."""
        uses = self.engines[engine]
        cycles = np.zeros(self._engine_copies[engine], np.int64)
        cycles[: len(uses)] = [use.time.free for use in uses]
        return cycles

    def stall(self, layer: LayerAccount, until: int) -> None:
        """Advance the program to a cycle; the stall is charged to a layer."""
        if until > self.now:
            self._stall(layer, "wait in", until)

    def control(self, layer: LayerAccount, cycles: int) -> None:
        """Advance the program by the cycles of its own code, charged to a layer's set-up."""
        if cycles:
            self.act(partial(self._control, layer, cycles))

    def _control(self, layer: LayerAccount, cycles: int) -> None:
        self._pass(layer, "setup", self.now + cycles)

    def _spend(self, part: LayerAccount | Tally, what: str, cycles: int) -> None:
        """Charge cycles to an account; within an iteration, the charge is deferred until the slowest is known."""
        if self._spent is not None:
            self._spent.append((part, what, cycles))
        else:
            setattr(part, what, getattr(part, what) + cycles)

    def _pass(self, layer: LayerAccount, what: str, end: int, tally: Tally | None = None) -> list[tuple[int, int]]:
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
            self._spend(kernel.tally, "busy", high - low)
            own += [(at, low)] if low > at else []
            at = high
        own += [(at, end)] if end > at else []
        alone = sum(high - low for low, high in own)
        self._spend(layer, what, alone)
        if tally is not None:
            self._spend(tally, "busy", alone)
            self._spend(layer, "hidden", end - begin - alone)
        self.now = end
        return own

    def _use(self, engine: str) -> EngineUse:
        """Return the engine instance that serves the iteration, round robin if there are fewer."""
        copy = self._copy % self._engine_copies[engine]
        return self._uses_of(engine, copy + 1)[copy]

    def _uses_of(self, engine: str, count: int) -> list[EngineUse]:
        """Return the use of the instances of an engine, the first `count` of them at least."""
        uses = self.engines[engine]
        uses += [EngineUse(InOrder(self.machine.engine(engine).queue)) for _ in range(count - len(uses))]
        return uses

    def _name(self, engine: str) -> str:
        """Return the resource name of the engine instance."""
        return self.resource(engine, self._copy)

    def resource(self, engine: str, copy: int) -> str:
        """Return the resource name of the instance of an engine that serves an instance of a program."""
        total = self._engine_copies[engine]
        return f"{engine}.{copy % total}" if total > 1 else engine

    def uses_at(self, engine: str, copies: Sequence[int]) -> list[EngineUse]:
        """Return the use of the instances of an engine that serve instances of a program."""
        total = self._engine_copies[engine]
        uses = self._uses_of(engine, max(copy % total for copy in copies) + 1)
        return [uses[copy % total] for copy in copies]

    def _own(self, level: str) -> tuple[str, int]:
        """Return a level, and its instance for the iteration."""
        return level, self._copy % self._level_copies[level]

    def run(self, layer: LayerAccount, kernel: KernelCost, places: Sequence[Allocation]) -> None:
        """Run a kernel; the program resumes at its end."""
        if self.recorder is not None:
            self.recorder.run(layer, kernel, places)
            return
        token = CompletionToken()
        self.tokens.append(token)
        self.act(partial(self._run, token, layer, kernel, places))

    def _run(
        self, token: CompletionToken, layer: LayerAccount, kernel: KernelCost, places: Sequence[Allocation]
    ) -> None:
        tally = layer.operators.setdefault(kernel.operator, Tally())
        self._pass(layer, "busy", max(self.now, self._use(kernel.engine).time.free))
        token.start, token.end = self.now, self._contended(kernel.cycles, kernel)
        self._spend(layer, "conflicts", token.end - token.start - kernel.cycles)
        self._hinder(layer, kernel, token.end - token.start)
        self._pass(layer, "busy", token.end, tally)
        self._ran(token, layer, kernel, places)

    def _hinder(self, layer: LayerAccount, kernel: KernelCost, cycles: int) -> None:
        """Delay what other engines have been launched on, for as long as a kernel works beside it in the same level."""
        for engine in self.machine.engines:
            if not engine.contention or engine.name == kernel.engine:
                continue
            use = self._use(engine.name)
            left = max(0, use.time.free - self.now)
            if use.level in dict(kernel.levels):
                delay = ceil(engine.contention * min(left, cycles / (1 + engine.contention)))
                use.time.free += delay
                self._spend(layer, "conflicts", delay)

    def _ran(
        self, token: CompletionToken, layer: LayerAccount, kernel: KernelCost, places: Sequence[Allocation]
    ) -> None:
        """Record that a kernel runs on its engine in its token's interval."""
        use, tally = self._use(kernel.engine), layer.operators[kernel.operator]
        energy = self.kernel_energy(kernel)
        use.time.free = token.end
        use.busy += token.end - token.start
        use.calls += 1
        use.energy += energy
        use.peak = max(use.peak, kernel.peak)
        share = layer.engines.setdefault(kernel.engine, EngineAccount())
        share.busy += token.end - token.start
        if kernel.peak:
            share.rated += kernel.macs
            share.least += kernel.macs / kernel.peak
        for part in (layer, tally, share):
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

    def launch(self, layer: LayerAccount, kernel: KernelCost, places: Sequence[Allocation]) -> CompletionToken:
        """Launch a kernel on its engine, or enqueue it; the program resumes after the set-up."""
        token = CompletionToken()
        self.tokens.append(token)
        self.act(partial(self._launch, token, layer, kernel, places))
        return token

    def _launch(
        self, token: CompletionToken, layer: LayerAccount, kernel: KernelCost, places: Sequence[Allocation]
    ) -> None:
        engine, use = self.machine.engine(kernel.engine), self._use(kernel.engine)
        setup = min(engine.setup, kernel.cycles)
        self._pass(layer, "setup", use.time.entry(self.now) + setup)
        begun, token.start = self.now, max(self.now, use.time.free)
        self.now = token.start
        token.end = self._contended(kernel.cycles - setup, kernel)
        self.now = begun
        self._spend(layer, "conflicts", token.end - token.start - (kernel.cycles - setup))
        use.time.execute_until(token.end)
        use.level = kernel.levels[0][0] if len(kernel.levels) == 1 else ""
        tally = layer.operators.setdefault(kernel.operator, Tally())
        self._beside(token, layer, tally)
        self._ran(token, layer, kernel, places)

    def _beside(self, token: CompletionToken, layer: LayerAccount, tally: Tally) -> None:
        """Record that a kernel runs concurrently in its token's interval."""
        running = self._running.setdefault(self._thread, [])
        running.append(Running(token.start, token.end, layer, tally))
        running.sort(key=lambda kernel: kernel.start)

    def conflict(self, layer: LayerAccount, cycles: int) -> None:
        """Record cycles that instructions of a layer lose to accesses of one bank."""
        self._spend(layer, "conflicts", cycles)

    def executed(self, token: CompletionToken, layer: LayerAccount, queue: Queue, operator: str) -> None:
        """Record that a queue executes an instruction in its token's interval, concurrently with the program."""
        cycles, tally = token.end - token.start, layer.operators.setdefault(operator, Tally())
        name = f"{self._name(queue.engine)}.{queue.name}"
        use = self.queues.setdefault(queue.engine, {}).setdefault(name, EngineUse())
        share = layer.engines.setdefault(name, EngineAccount())
        self._beside(token, layer, tally)
        use.busy += cycles
        share.busy += cycles
        use.calls += 1
        for part in (layer, tally, share):
            part.calls += 1
        self.span(layer, token.start, token.end)
        if self._last is None or token.end > self._last[0]:
            self._last = token.end, layer, "wait_in"
        self.events.append(BusyInterval(name, "compute", operator, layer.nodes, token.start, token.end))

    def copy_of(self, engine: str) -> int:
        """Return the number of the engine instance that serves the iteration."""
        return self._copy % self._engine_copies[engine]

    def join(self, layer: LayerAccount, kernel: KernelCost) -> None:
        """Wait for all kernels launched on a kernel's engine."""
        self.act(partial(self._join, layer, kernel))

    def _join(self, layer: LayerAccount, kernel: KernelCost) -> None:
        self._pass(layer, "busy", max(self.now, self._use(kernel.engine).time.free))

    def start(
        self,
        layer: LayerAccount,
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
        layer: LayerAccount,
        link: Link,
        cost: TransferCost,
        far: Allocation,
        near: Allocation,
        sizes: tuple[int, int],
        route: Sequence[tuple[int, int]],
    ) -> None:
        channel = self._occupy(token, layer, link, cost, (far.level, near.level), route)
        outward, bus, start, end = token.outward, self.links[link.name], token.start, token.end
        hops = max(len(route), 1)
        bus.busy += cost.data * hops
        bus.channel_busy[channel] += end - start
        self.account(layer, bus, cost, (far.level, near.level), hops, outward)
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
        layer: LayerAccount,
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
        bus = self.links[link.name]
        data = cost.data + self._banks.delay(cost, [self._own(rows.level)[1] for rows in cost.rows])
        token.end = bus.time.move(self.now, Times(cost.startup, data))
        channel, token.start, begin = bus.time.last
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
        bus = self.links[link.name]
        bus.time.bus = max(bus.time.bus, token.end)
        return 0

    def wait(self, layer: LayerAccount, token: CompletionToken | LaneToken | None) -> None:
        """Wait for a transfer; the stall is charged to the layer's engine."""
        if token is None:
            return
        if isinstance(token, LaneToken):
            assert self.recorder is not None
            self.recorder.wait(layer, token)
            return
        self.act(partial(self._wait, layer, token))

    def _wait(self, layer: LayerAccount, token: CompletionToken) -> None:
        if token.end <= self.now:
            return
        kind = "wait out" if token.outward else "wait in"
        self.span(layer, self.now, token.end)
        self._stall(layer, kind, token.end)

    def _stall(self, layer: LayerAccount, kind: str, until: int) -> None:
        """Advance the program to a cycle, and record the intervals in which the layer's engine waits."""
        for start, end in self._pass(layer, kind.replace(" ", "_"), until):
            if layer.engine and self._engine_waits:
                waiting = BusyInterval(
                    self._name(layer.engine), kind, kind, layer.nodes, start, end, instance=self._instance
                )
                self._add_wait(waiting)

    def end(self) -> int:
        """Advance the program to the end of all issued work, and return that cycle."""
        engines = (use.time.free for uses in self.engines.values() for use in uses)
        last = max([self.now, self.queues_end, *engines, *(bus.time.bus for bus in self.links.values())])
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
        layer: LayerAccount,
        bus: LinkUse,
        cost: TransferCost,
        levels: Iterable[str],
        hops: int,
        outward: bool,
        count: int = 1,
    ) -> None:
        """Charge `count` equal transfers, of so many hops in all, to a layer and a link."""
        energy = cost.bytes * (bus.link.energy * hops + sum(self._energy[level] for level in levels) * count)
        for part in (layer, bus):
            part.transfers += count
            part.energy += energy
            part.bytes_in += 0 if outward else cost.bytes * count
            part.bytes_out += cost.bytes * count if outward else 0
        layer.link_cycles += (cost.startup + cost.data if bus.link.channels == 1 else cost.data) * count

    def note_last(self, layer: LayerAccount, end: int, *, outward: bool) -> None:
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

    def span(self, layer: LayerAccount, start: int, end: int) -> None:
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
