"""Cost model of a fused group in tiles: the simulator's cycles for the program that it lowers to."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from math import prod
from typing import TypeAlias, cast

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import kernel_of
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.routes import Edge, instance_number, route_between
from ...dialects.hier.capabilities import passes_of
from ...ir import Ints, element_of, numpy_type, shape_of
from ..tiles.group import Tilings
from ..tiles.kernels import KernelTiles
from ..tiles.operands import OperandTiles
from ..tiles.stream import TileStream, resident_steps
from ..timing.mesh import NeighbourBuses
from ..timing.programs import PassedTiles, TileTransfers, feed_program, grid_program
from ..timing.resources import LinkTime, SlotQueue, Times
from ..timing.timeline import Program, makespan
from ..timing.transfers import Descriptor, TransferCost, cost_of, instructions_of, tile_costs
from .banks import BufferRing, in_banks, meeting, meeting_within
from .building import split_reduction, trailing_dims
from .epilogues import TransferEpilogue
from .route import Route
from .spreading import NOWHERE, SpatialMapping

_LONGEST = 2000
"""Grids of more steps are estimated by a formula: they are rarely competitive."""
_LONGEST_CHAINED = 512
"""The same with operands from neighbours: the formula is exact once tiles are on their way through all instances."""

CostOfTile: TypeAlias = "Callable[[tuple[int, ...]], int | None]"
"""Cost model of a tile: maps its extents to cycles, None if the engine cannot run it."""


def _shared(op: Operation, tile_cost: CostOfTile, setup: int) -> CostOfTile:
    """
    Return the cost of a tile as its share of the whole kernel's cost plus set-up, or its own cost if larger.

    For tiles that another hop tiles again: a shape that suits the engine at this level is no gain.
    """
    bounds = kernel_of(op).bounds
    whole = tile_cost(bounds)
    if whole is None or not prod(bounds):
        return tile_cost
    computing, points = max(0, whole - setup), prod(bounds)

    def share(sizes: tuple[int, ...]) -> int | None:
        own = tile_cost(sizes)
        return None if own is None else max(own, setup - (-computing * prod(sizes) // points))

    return share


@dataclass(frozen=True)
class StepWork:
    """Compute cycles of an engine at steps that are multiples of `run`; with `last`, at the step before each."""

    cycles: int
    run: int = 1
    last: bool = False

    def at(self, step: int) -> int:
        """Return the cycles at a step."""
        return self.cycles if (step + self.last) % self.run == 0 else 0


_TileKey: TypeAlias = "tuple[SSAValue, tuple[int, ...], bool, bool, str, str]"
"""Operand, extents, direction, whether it may extend beyond the operand, home and level of a tile."""
_MovesKey: TypeAlias = "tuple[Attribute, bool, str, str, tuple[int, ...], Attribute | None, int]"
_IssuesKey: TypeAlias = "tuple[str, Attribute | None, tuple[int, ...], int]"
_Moves: TypeAlias = "Callable[[tuple[int, ...]], int]"
_Costs: TypeAlias = "Callable[[tuple[int, ...]], TransferCost]"


@dataclass
class CostModel:
    """Cost model of tilings of one group of kernels."""

    ops: tuple[Operation, ...]
    route: Route
    is_counting: bool = False
    """True for one that counts instructions instead of cycles."""
    _costs: dict[_TileKey, Descriptor] = field(default_factory=dict["_TileKey", Descriptor])
    _interior: dict[_MovesKey, _Costs] = field(default_factory=dict["_MovesKey", "_Costs"])
    _issues: dict[_IssuesKey, _Moves] = field(default_factory=dict["_IssuesKey", "_Moves"])
    _passes: dict[tuple[TransferEpilogue, str], int] = field(default_factory=dict["tuple[TransferEpilogue, str]", int])

    @cached_property
    def counting(self) -> CostModel | None:
        """The same with instructions instead of cycles; None on a machine whose program issues none."""
        return replace(self, is_counting=True) if self.route.machine.issuing else None

    def _cost_of(self, op: Operation, engine: Engine) -> CostOfTile:
        if self.is_counting:
            return self.route.machine.counter(engine, op) or (lambda bounds: 0)
        tile_cost = self.route.machine.tile_cost(engine, op)
        if tile_cost is None:
            return lambda bounds: None
        return _shared(op, tile_cost, engine.setup) if self.route.ahead else tile_cost

    @cached_property
    def whole(self) -> tuple[CostOfTile, ...]:
        """Cost model per tile of each kernel, its epilogue included."""
        *producers, leader = self.ops
        producer_costs = [
            self._with_epilogue(op) if role_levels.separate_sums else self._cost_of(op, self.route.engines[op])
            for op, role_levels in zip(producers, self.route.role_levels, strict=False)
        ]
        return (*producer_costs, self._cost_of(leader, self.route.engines[leader]))

    def _with_epilogue(self, op: Operation) -> CostOfTile:
        """Return the cost model of a producer whose epilogue is a kernel of its own."""
        split = split_reduction(op)
        once, end = self._cost_of(split.whole, self.route.engines[op]), self._cost_beside(split.epilogue, op)
        forms = [linear(expr) for expr in kernel_of(op).outputs[0].map.results]
        dims = [next(iter(form.dims()), None) for form in forms]

        def tile_cost(sizes: tuple[int, ...]) -> int | None:
            costs = once(sizes), end(tuple(1 if dim is None else sizes[dim] for dim in dims))
            return None if None in costs else sum(cast("tuple[int, int]", costs))

        return tile_cost

    @cached_property
    def partial(self) -> tuple[CostOfTile, CostOfTile, CostOfTile]:
        """Cost models per tile of a split reduction: initialisation, step, epilogue."""
        split, leader = split_reduction(self.ops[-1]), self.ops[-1]
        epilogue = self.route.role_levels[-1].epilogue
        end = self._cost_beside(split.epilogue if epilogue is None else None, leader)
        start = self._cost_beside(split.start if epilogue is None or epilogue.bias is None else None, leader)
        return start, self._cost_of(split.step, self.route.engines[leader]), end

    @cached_property
    def once(self) -> CostOfTile:
        """Cost model per tile of an uncut reduction whose epilogue is no part of it."""
        split, epilogue = split_reduction(self.ops[-1]), self.route.role_levels[-1].epilogue
        is_started = epilogue is not None and epilogue.bias is not None
        return self._cost_of(split.step if is_started else split.whole, self.route.engines[self.ops[-1]])

    def _cost_beside(self, op: Operation | None, leader: Operation) -> CostOfTile:
        """Return the cost model of an initialisation or epilogue, on the engine of its kernel if able."""
        if op is None:
            return lambda bounds: 0
        engine = self.route.engine_beside(op, leader)
        return (lambda bounds: None) if engine is None else self._cost_of(op, engine)

    def copies_beside(self) -> int:
        """Return the instances of the engines that run initialisation and epilogue of a split reduction."""
        split, leader = split_reduction(self.ops[-1]), self.ops[-1]
        ops = (split.start, split.epilogue) if self.route.role_levels[-1].epilogue is None else (split.start,)
        engines = [self.route.engine_beside(op, leader) for op in ops if op is not None]
        return min((engine.total for engine in engines if engine is not None), default=self.route.copies)

    def compute(self, tiling: Tilings, order: Sequence[int], spread: SpatialMapping = NOWHERE) -> list[StepWork] | None:
        """
        Return the compute cycles per step of the engines, per instance if spatially mapped; None if one cannot run a
        tile.
        """
        counts = spread.counts(tiling.grid)
        works: list[StepWork] = []
        for part, tile_cost in zip(tiling.parts[:-1], self.whole[:-1], strict=True):
            cycles = tile_cost(part.shape)
            if cycles is None:
                return None
            works.append(StepWork(cycles, prod(counts[dim] for dim in trailing_dims(order, part))))
        leader = self.leader(tiling)
        return None if leader is None else [*works, *leader]

    def leader(self, tiling: Tilings) -> list[StepWork] | None:
        """Return the compute cycles per step of the leader's engine; None if it cannot run a tile."""
        part = tiling.parts[-1]
        if not tiling.is_split[0]:
            cycles = self.whole[-1](part.shape)
            return None if cycles is None else [StepWork(cycles)]
        run = prod(tiling.grid[dim] for dim in tiling.cut_reductions)
        shape = self._output_tile(part, tiling)
        start, step, end = self.partial
        if not tiling.cut_reductions:
            costs = 0, self.once(part.shape), end(shape)
        else:
            costs = start(shape), step(part.shape), end(shape)
        if None in costs:
            return None
        first, middle, last = cast("tuple[int, int, int]", costs)
        return [StepWork(first, run), StepWork(middle), StepWork(last, run, last=True)]

    def _output_tile(self, part: KernelTiles, tiling: Tilings) -> tuple[int, ...]:
        return part.tiles(part.kernel.outputs[0], tiling.counts, is_output=True, in_place=False).shape

    def transfer(self, tile: OperandTiles) -> Descriptor:
        """Return the transfer cost of tiles of an operand."""
        key = tile.value, tile.shape, tile.is_output, tile.is_clipped, tile.operand_level, tile.level
        if key not in self._costs:
            link, reads, machine = self.route.link(tile), not tile.is_output, self.route.machine
            self._costs[key] = Descriptor(
                machine,
                link,
                tile.value,
                tile.shape,
                reads=reads,
                near=tile.near,
                repeated=tile.constant_axes,
                is_clipped=tile.is_clipped,
                passes=self.passes(tile),
            )
        return self._costs[key]

    def passes(self, tile: OperandTiles) -> int:
        """Return the reads by the link of each row of a tile to compute the epilogue, 1 without one."""
        link = self.route.link(tile)
        if tile.epilogue is None or not tile.is_output:
            return 1
        key = tile.epilogue, link.name
        if key not in self._passes:
            self._passes[key] = passes_of(tile.epilogue.body, link)
        return self._passes[key]

    def cycles(
        self,
        tiling: Tilings,
        order: Sequence[int],
        stages: Sequence[int],
        spread: SpatialMapping = NOWHERE,
        longest: int = _LONGEST_CHAINED,
    ) -> int | None:
        """
        Compute the modelled cycles of a tiling; None if an engine cannot run it.

        With operands from neighbours, those of more than `longest` points over all instances are extrapolated.

        `stages` are the buffers per operand of `tiling.tiles`; `order` lists the tiled loops, outermost first.
        """
        order, counts = spread.order(order, tiling.grid), spread.counts(tiling.grid)
        works = self.compute(tiling, order, spread)
        if works is None:
            return None
        if not spread.loops and (late := self._at_banks(tiling, order, stages, _steady(works))):
            works.append(StepWork(late))
        steps = prod(counts)
        moved = [(t, s) for t, s in zip(tiling.tiles, stages, strict=True) if not t.in_place]
        ordered = sorted(moved, key=lambda pair: pair[0].is_output)
        issued = self._issued(tiling, order, spread)
        is_long = steps * spread.copies > _LONGEST
        if is_long and spread.copies == 1:
            return sum(self._totals(works, issued, ordered, counts, order))
        links = {link.name: link for link in (self.route.link(tile) for tile, _ in ordered)}
        numbers = {name: at for at, name in enumerate(links)}

        def idle() -> list[LinkTime]:
            return [LinkTime(link.channels) for link in links.values()]

        if spread.chained:
            return self._chained(tiling, order, works, ordered, spread, numbers, idle, longest)
        copies = [
            [self._transfers(tile, count, counts, order, begin, numbers) for tile, count in ordered]
            for begin in spread.begins(tiling.grid)
        ]
        compute = _longer(_compute(works), _compute(issued))

        def together(steps: int) -> int:
            states = idle()
            return makespan([grid_program(steps, compute, transfers, states) for transfers in copies])

        if len(copies) == 1 or not is_long:
            return together(steps)
        busy, moving = self._totals(works, issued, ordered, counts, order)
        bound = max(busy + moving, moving * spread.copies)
        late = min(steps, max(2, _LONGEST // len(copies)))
        return max(bound, _extrapolated(steps, late, together))

    def _issued(self, tiling: Tilings, order: Sequence[int], spread: SpatialMapping) -> list[StepWork]:
        """
        Return the cycles per step in which the program issues the instructions of kernels and transfers.

        The transfers of operands that are fetched once precede all steps.
        """
        works = self.counting.compute(tiling, order, spread) if self.counting is not None else None
        if works is None:
            return []
        counts, cycles = spread.counts(tiling.grid), self.route.machine.issuing
        runs = [(tile, _run(tile, counts, order)) for tile in tiling.tiles if not tile.in_place]
        works += [
            StepWork(self.instructions(tile)(tile.shape), run, tile.is_output)
            for tile, run in runs
            if run < prod(counts) or tile.is_output
        ]
        return [replace(work, cycles=work.cycles * cycles) for work in works]

    def instructions(self, tile: OperandTiles) -> _Moves:
        """Return the memoised instructions of an operand's tile as a function of its extents."""
        link, near = self.route.link(tile), tile.near
        shape = () if tile.is_output or tile.starts else shape_of(tile.value)
        key = link.name, near, shape, self.passes(tile)
        if key not in self._issues:
            self._issues[key] = cache(instructions_of(link, near, shape, self.passes(tile)))
        return self._issues[key]

    @cached_property
    def _in_step(self) -> tuple[str, ...]:
        """Roles of the operands that the leader's engine reads in step."""
        support = self.route.engines[self.ops[-1]].support(self.ops[-1])
        return () if support is None else support.beside

    def _at_banks(self, tiling: Tilings, order: Sequence[int], stages: Sequence[int], computing: int) -> int:
        """
        Return the cycles per step in which the leader's reads wait at banks with a single port.

        Rows that the engine reads in step take turns. Where a program issues instructions, reads also wait for rows
        that are loaded meanwhile; operands that are not read in step are read in each of the `computing` cycles.
        """
        part, conflicts, in_step = tiling.parts[-1], 0.0, self._in_step
        for level in (level for level in self.route.levels if in_step and level.single_port):
            moved, inner = rings_of(tiling, stages, level)
            placed = dict(zip(moved, in_banks((*moved.values(), *inner.values()), level, level.size), strict=False))
            rows = {at: tiling.tiles[at].size / level.row_bytes for at in placed}
            reads = {at: part.role(position) in in_step for at, position in _read_by(tiling, placed)}
            rates = {at: min(1, rows[at] / max(computing, 1)) if beside else 1 for at, beside in reads.items()}
            for at in (at for at, beside in reads.items() if beside):
                conflicts += rows[at] * sum(meeting(placed[at], placed[other], level) for other in reads if other != at)
            if not self.route.machine.issuing:
                continue
            for at in (at for at in reads if placed[at].stages > 1):
                met = {other: meeting(placed[at], placed[other], level) for other in reads if other != at}
                met[at] = meeting_within(placed[at], level)
                loaded = rows[at] / _run(tiling.tiles[at], tiling.grid, order)
                conflicts += loaded * sum(share * rates[other] for other, share in met.items())
        return round(conflicts)

    def floor(self, tiling: Tilings, order: Sequence[int], spread: SpatialMapping, computing: int) -> int:
        """
        Return a lower bound in cycles of a spatially mapped tiling that computes for `computing` cycles.

        The busiest link is occupied by its transfers. The instance at the end of all chains computes after its first
        tiles have arrived, and then writes its last one. Partial tiles count by the operand's elements alone, and
        those that may be prefetched do not.
        """
        if self.route.ahead:
            return computing
        order, counts = spread.order(order, tiling.grid), spread.counts(tiling.grid)
        steps, busy, before, after = prod(counts), dict[str, list[int]](), 0, 0
        for tile in tiling.tiles:
            if tile.in_place:
                continue
            cost = self.transfer(tile).at([offset.constant for offset in tile.forms])
            chain = spread.chain(tile)
            users = prod(n for at, n in enumerate(spread.extents) if at not in chain)
            often = users * (steps // _run(tile, counts, order))
            link = self.route.link(tile)
            total = busy.setdefault(link.name, [0, 0])
            if tile.is_clipped:
                tiles = prod(tiling.grid[dim] for dim in tile.dims) * prod(tile.shape)
                total[0] += cost.data * often * min(tiles, prod(shape_of(tile.value))) // tiles
                continue
            total[0] += cost.data * often
            total[1] += (cost.startup + cost.data) * often // link.channels
            if tile.is_output:
                after = max(after, cost.startup + cost.data)
            else:
                hops = sum(spread.extents[at] - 1 for at in chain) * self.hop(tile) if chain else 0
                before = max(before, cost.startup + cost.data + hops)
        return max([before + computing + after, *(max(total) for total in busy.values())])

    def hop(self, tile: OperandTiles) -> int:
        """Return the cycles of a tile from an instance to its neighbour."""
        return self.hops(tile, tile.value)(tile.shape)

    def hops(self, tile: OperandTiles, value: SSAValue) -> _Moves:
        """Return the cycles of a tile from an instance to its neighbour as a function of its extents."""
        return lambda extents: sum(self._hop_times(tile.level, value, extents))

    def hop_times(self, tile: OperandTiles) -> Times:
        """Return the start-up and data cycles of a tile from an instance to its neighbour."""
        return self._hop_times(tile.level, tile.value, tile.shape)

    def _hop_times(self, level: str, value: SSAValue, extents: tuple[int, ...]) -> Times:
        link, item = self.route.neighbours(level), numpy_type(element_of(value)).itemsize
        assert link is not None
        cost = cost_of(self.route.machine, link, prod(extents) * item, ())
        return Times(cost.startup, cost.data)

    def _chained(
        self,
        tiling: Tilings,
        order: Sequence[int],
        works: Sequence[StepWork],
        moved: Sequence[tuple[OperandTiles, int]],
        spread: SpatialMapping,
        links: Mapping[str, int],
        idle: Callable[[], list[LinkTime]],
        longest: int,
    ) -> int:
        """Return the modelled cycles of a tiling whose instances take operands from neighbours."""
        counts = spread.counts(tiling.grid)
        points = list(product(*map(range, spread.extents)))
        fetches: dict[tuple[OperandTiles, tuple[int, ...]], TileTransfers] = {}
        for tile, stages in moved:
            chain = spread.chain(tile)
            for point in points:
                if not any(point[position] for position in chain):
                    begin = spread.begin(point, tiling.grid)
                    fetches[tile, point] = self._transfers(tile, stages, counts, order, begin, links)

        total, compute = prod(counts), _compute(works)

        def together(steps: int) -> int:
            states, mesh, feeds = idle(), NeighbourBuses(), list[Program]()
            own: dict[tuple[int, ...], list[TileTransfers]] = {point: [] for point in points}
            passed: dict[tuple[int, ...], list[PassedTiles]] = {point: [] for point in points}
            for tile, stages in moved:
                chain = spread.chain(tile)
                if not chain:
                    for point in points:
                        own[point].append(fetches[tile, point].within(steps))
                    continue
                tiles = TileStream(False, _run(tile, counts, order), 1, stages).within(steps)
                queues = {point: SlotQueue(tiles.ring) for point in points}
                for point in points:
                    if not any(point[position] for position in chain):
                        feeds.append(feed_program(fetches[tile, point].within(steps), queues[point], states))
                    passed[point].append(self._passed(tile, point, chain, spread, queues, tiles, mesh))
            # Of fewer points, the first ones and the last ones count.
            skipped = total - steps

            def computed(step: int) -> int:
                return compute(step if 2 * step < steps else step + skipped)

            nodes = [grid_program(steps, computed, own[point], states, passed[point]) for point in points]
            return makespan([*feeds, *nodes])

        if total * spread.copies <= longest:
            return together(total)
        return _extrapolated(total, min(total, max(4, longest // spread.copies)), together)

    def _passed(
        self,
        tile: OperandTiles,
        point: tuple[int, ...],
        chain: Sequence[int],
        spread: SpatialMapping,
        queues: Mapping[tuple[int, ...], SlotQueue],
        tiles: TileStream,
        mesh: NeighbourBuses,
    ) -> PassedTiles:
        """Return the tiles of an operand at an instance: they go on along each dimension of the chain."""
        machine, link = self.route.machine, self.route.neighbours(tile.level)
        assert link is not None
        level, behind = machine.level(tile.level), list[tuple[SlotQueue, Sequence[Edge]]]()
        for number, position in enumerate(chain):
            if point[position] + 1 == spread.extents[position] or any(point[later] for later in chain[number + 1 :]):
                continue
            target = (*point[:position], point[position] + 1, *point[position + 1 :])
            ends = [instance_number(level.count, instance, spread.extents) for instance in (point, target)]
            behind.append((queues[target], route_between(machine.level(link.far).count, link, ends[0], ends[1])))
        return PassedTiles(tiles.run, tiles.count, mesh, link, self.hop_times(tile), queues[point], behind)

    def _totals(
        self,
        works: Sequence[StepWork],
        issued: Sequence[StepWork],
        moved: Sequence[tuple[OperandTiles, int]],
        counts: Sequence[int],
        order: Sequence[int],
    ) -> tuple[int, int]:
        """Return the cycles of an instance's program, and of its transfers, without overlap."""
        steps = prod(counts)
        busy = max(sum(work.cycles * (steps // work.run) for work in program) for program in (works, issued))
        moving = 0
        for tile, _ in moved:
            often = steps // _run(tile, counts, order)
            busy += self.program(tile, tile.value)(tile.shape) * often
            moving += self.moves(tile, tile.value)(tile.shape) * often
        return busy, moving

    def moves(self, tile: OperandTiles, value: SSAValue) -> _Moves:
        """Return the transfer cycles of an interior tile of an operand as a function of its extents."""
        cost_of = self._cost_of_interior(tile, value)

        def cycles(extents: tuple[int, ...]) -> int:
            cost = cost_of(extents)
            return cost.startup + cost.data

        return cycles

    def program(self, tile: OperandTiles, value: SSAValue) -> _Moves:
        """Return the cycles in which the program issues the transfer of an interior tile and waits for it to end."""
        cost_of = self._cost_of_interior(tile, value)
        return lambda extents: cost_of(extents).issue + self._waiting

    @property
    def _waiting(self) -> int:
        """Cycles of the program for each wait."""
        return self.route.machine.program.wait

    def _cost_of_interior(self, tile: OperandTiles, value: SSAValue) -> _Costs:
        """Return the memoised transfer cost of an interior tile of an operand as a function of its extents."""
        repeated = tile.constant_axes
        passes = self.passes(tile)
        key = value.type, tile.is_output, tile.operand_level, tile.level, repeated, tile.layout, passes
        if key not in self._interior:
            shape = [1 << 62 if axis in repeated else extent for axis, extent in enumerate(shape_of(value))]
            link, reads = self.route.link(tile), not tile.is_output
            cost_of = tile_costs(
                self.route.machine, link, value, reads=reads, near=tile.near, repeated=repeated, passes=passes
            )

            @cache
            def cost(extents: tuple[int, ...]) -> TransferCost:
                return cost_of(extents, tuple(map(min, extents, shape)))

            self._interior[key] = cost
        return self._interior[key]

    def _transfers(
        self,
        tile: OperandTiles,
        stages: int,
        counts: Sequence[int],
        order: Sequence[int],
        begin: Mapping[int, int],
        links: Mapping[str, int],
    ) -> TileTransfers:
        bounds = [counts[dim] for dim in order]
        run = _run(tile, counts, order)
        link = links[self.route.link(tile).name]
        count, times = prod(bounds) // run, self._times(tile, run, order, bounds, begin)
        if count == 1 and not tile.is_output and not tile.starts:
            startup, data, issue = times(0)
            first, second = (int(self.route.waited(tile.value, np.array(cycles))) for cycles in (startup, data))
            once = Times(first, second, issue)
            return TileTransfers(TileStream(False, run, 1, stages), lambda number: once, link, self._waiting)
        tiles = TileStream(tile.is_output, run, count, stages, tile.starts)
        return TileTransfers(tiles, times, link, self._waiting)

    def _times(
        self, tile: OperandTiles, run: int, order: Sequence[int], bounds: Sequence[int], begin: Mapping[int, int]
    ) -> Callable[[int], Times]:
        descriptor = self.transfer(tile)
        if not tile.is_clipped:
            cost = descriptor.at([offset.constant for offset in tile.forms])
            same = Times(cost.startup, cost.data, cost.issue)
            return lambda number: same
        steps = np.arange(prod(bounds) // run) * run
        weights = {dim: (prod(bounds[position + 1 :]), bounds[position]) for position, dim in enumerate(order)}
        shape, begins = shape_of(tile.value), list[Ints]()
        for offset in tile.forms:
            at = np.full(len(steps), offset.constant)
            for atom, factor in offset.terms:
                weight, bound = weights.get(cast(int, atom), (1, 1))
                at += (steps // weight % bound + begin.get(cast(int, atom), 0)) * factor
            begins.append(at)
        keys = np.zeros(len(steps), np.int64)
        for at, extent, size in zip(begins, tile.shape, shape, strict=True):
            keys = keys * (extent + 1) + np.clip(at + extent, 0, size) - np.clip(at, 0, size)
        _, first, kinds = np.unique(keys, return_index=True, return_inverse=True)
        costs = [descriptor.at([int(at[index]) for at in begins]) for index in first]
        times = [Times(cost.startup, cost.data, cost.issue) for cost in costs]
        every = [times[kind] for kind in kinds.ravel().tolist()]
        return every.__getitem__


def _extrapolated(steps: int, late: int, makespan: Callable[[int], int]) -> int:
    """Extrapolate the makespan on several instances from its growth over the second half of the first steps."""
    early = late // 2
    first, second = makespan(early), makespan(late)
    return second + (second - first) * (steps - late) // (late - early)


def _run(tile: OperandTiles, counts: Sequence[int], order: Sequence[int]) -> int:
    """Return the number of steps for which a tile is reused; `counts` are the tiles along each loop."""
    return resident_steps(counts, tile.dims, order)


def _compute(works: Sequence[StepWork]) -> Callable[[int], int]:
    """Return the compute cycles as a function of the step."""
    steady = _steady(works)
    others = [work for work in works if work.run > 1]
    return (lambda step: steady + sum(work.at(step) for work in others)) if others else lambda step: steady


def _steady(works: Sequence[StepWork]) -> int:
    """Return the cycles of the compute of each step."""
    return sum(work.cycles for work in works if work.run == 1)


def _longer(computed: Callable[[int], int], issued: Callable[[int], int]) -> Callable[[int], int]:
    """Return the cycles of the kernels of a step, or of the issue of its instructions if that takes longer."""
    return lambda step: max(computed(step), issued(step))


def near_bytes(tilings: Tilings, rings: Sequence[Ints | int], level: Level) -> Ints:
    """
    Compute the footprint of tilings in a level, in aligned bytes [N]; `rings` are the buffers per operand of `tiles`.
    """
    total = np.zeros(len(tilings), np.int64)
    for tiles, ring in zip(tilings.tiles, rings, strict=True):
        if tiles.has_buffer and tiles.level in (level.name, ""):
            total += _reserved(tiles.bytes, level) * ring
    for scratch in tilings.scratch:
        if scratch.level in (level.name, ""):
            total += _reserved(scratch.bytes, level)
    return total


def _reserved(sizes: Ints, level: Level) -> Ints:
    return -(-sizes // level.unit) * level.unit


def rings_of(
    tiling: Tilings, stages: Sequence[int], level: Level
) -> tuple[dict[int, BufferRing], dict[int, BufferRing]]:
    """Return the buffers of a tiling in a level: of its tiles, and of its scratch, each by number."""
    pairs = enumerate(zip(tiling.tiles, stages, strict=True))
    moved = {
        at: BufferRing(reserved(t.size, level), n) for at, (t, n) in pairs if t.has_buffer and t.level == level.name
    }
    inner = {at: BufferRing(reserved(s.size, level)) for at, s in enumerate(tiling.scratch) if s.level == level.name}
    return moved, inner


def _read_by(tiling: Tilings, tiles: Container[int]) -> Iterator[tuple[int, int]]:
    """Yield those of some tiles that the leader reads, by number, each with its position among the operands."""
    leader, numbers = len(tiling.parts) - 1, {tile: at for at, tile in enumerate(tiling.tiles)}
    for (kernel, position), tile in tiling.tile_of.items():
        if kernel == leader and numbers[tile] in tiles:
            yield numbers[tile], position


def reserved(size: int, level: Level) -> int:
    """Return the aligned size of a buffer in bytes."""
    return -(-size // level.unit) * level.unit
