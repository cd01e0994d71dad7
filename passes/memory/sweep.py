"""
Vectorised search space of tile sizes of a fused group: legality, footprint and estimated cycles as arrays.

Row i of an array corresponds to tiling i of N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product
from typing import NamedTuple, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import kernel_of
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.tile_costs import TileCost
from ...ir import Ints, shape_of
from ..core.remarks import wanted
from ..tiles.group import Tilings, tilings_of
from ..tiles.kernels import any_along
from ..tiles.legality import Refusal, legal, refusal, refusals_of
from ..tiles.operands import Flags, OperandTiles
from ..tiles.stream import tiles_in_order
from .cost_model import CostModel, near_bytes
from .panels import panels_to_try
from .route import Route
from .tile_extents import Most, extents_to_try, most_of

TOO_LARGE = 1 << 60
"""More bytes than any levels have."""
PERMUTED = 3
"""Number of loops whose orders are permuted; others stay outside of these."""


class Stages(NamedTuple):
    """Buffers of each operand that moves: of an input, and of an output."""

    inputs: int
    outputs: int


@dataclass(frozen=True, eq=False)
class Sweep:
    """
    All legal tilings of a fused group that the engines support.

    What is derived from the tilings is memoised: others are another sweep.
    """

    cost_model: CostModel
    route: Route
    tilings: Tilings
    choices: Sequence[Sequence[int]]
    """The sizes to try of each of the leader's loops."""
    tables: Sequence[Ints] = ()
    """The cycles of each producer, of the leader, and of the ends of its partial sums, per row."""
    counts_issued: Sequence[Ints] = ()
    """The instructions of the same, per row; none where the program issues none."""
    tried: int = 0
    """Number of tilings, legal or not."""
    refusals: Sequence[Refusal] = ()
    """Tilings that rules refused; none where nobody wants remarks."""
    emptied: str = ""
    """Rule that the last tilings broke; empty if there are tilings."""

    @staticmethod
    def of(ops: Sequence[Operation], route: Route, cost_model: CostModel, residency: Mapping[SSAValue, str]) -> Sweep:
        """Return the sweep of a group of kernels; `residency` has the level of operands outside of the far one."""
        choices = extents_to_try(ops[-1], kernel_of(ops[-1]), route)
        tilings = tilings_of(tuple(ops), list(product(*choices)), residency, route.role_levels)
        limits = ", ".join(f"d{dim}" for dim, extents in enumerate(choices) if not extents)
        emptied = f"'multiples' and 'maxima' of the engine exclude each other along {limits}" if limits else ""
        refusals = refusals_of(tilings) if wanted() else ()
        sweep = Sweep(cost_model, route, tilings, choices, tried=len(tilings), refusals=refusals, emptied=emptied)
        sweep = sweep._kept(legal(tilings), lambda: refusal(tilings.take(slice(0, 1))))
        for link in sorted({link.name for link in route.machine.links if "fill" not in link.transforms}):
            sweep = sweep._kept(sweep._unfilled(link), lambda: f"the link '{link}' cannot 'fill' partial tiles")
        if route.ahead:
            sweep = sweep._kept(~sweep._looking_whole(), lambda: "padded tiles are as large as their operands")
        return sweep._costed()

    def _kept(self, flags: Flags, why: Callable[[], str]) -> Sweep:
        if flags.all():
            return self
        tilings, tables = self.tilings.take(flags), [table[flags] for table in self.tables]
        issued = [table[flags] for table in self.counts_issued]
        emptied = why() if len(self) and not len(tilings) else self.emptied
        return replace(self, tilings=tilings, tables=tables, counts_issued=issued, emptied=emptied)

    def _looking_whole(self) -> Flags:
        """
        Return the tilings with a moving tile of the extents of its operand, due to padding.

        At an inner hop, verify-memory distinguishes a tile from its operand by the shape.
        """
        looking = np.zeros(len(self), np.bool_)
        for tiles in self.tilings.tiles:
            looking |= (tiles.extents == np.array(shape_of(tiles.value))).all(axis=1) & any_along(tiles.moving)
        return looking

    def _unfilled(self, name: str) -> Flags:
        """Return the tilings whose tiles lie inside of the operands that a link brings."""
        fine = np.ones(len(self), np.bool_)
        for (number, position), tiles in self.tilings.operands.reads.items():
            part = self.tilings.parts[number]
            if position < part.first_output and not tiles.in_place and self.route.link(tiles).name == name:
                fine &= part.stays_inside(tiles.access)
        return fine

    def with_panels(self) -> Iterator[Sweep]:
        """Yield the tilings that cut a reduction, once for each input that may be in panels."""
        tilings = self.tilings
        bounds, reduced = np.array(tilings.kernel.bounds), tilings.reduced
        even = ~any_along(bounds[reduced] % np.maximum(tilings.sizes[:, reduced], 1) != 0)
        for position, shared in panels_to_try(tilings, self.route):
            kept = (tilings.reductions > 1) & even & ~any_along(tilings.counts[:, sorted(shared)] > 1)
            panels = replace(tilings, panels=(position,), computed=None)
            yield replace(self, tilings=panels)._kept(kept, lambda: self.emptied)

    def __len__(self) -> int:
        return len(self.tilings)

    def _costed(self) -> Sweep:
        """Tabulate the compute cycles of all tiles; return the tilings that the engines support."""
        tables, counting = self._tables(self.cost_model), self.cost_model.counting
        fine = np.logical_and.reduce([table >= 0 for table in tables])
        engines = ", ".join(dict.fromkeys(engine.name for engine in self.route.engines.values()))
        smallest = self.tilings.sizes[:1].tolist()
        supported = replace(self, tables=tables)._kept(
            fine, lambda: f"no cost of tiles such as {smallest[0]} on {engines}"
        )
        return supported if counting is None else replace(supported, counts_issued=supported._tables(counting))

    def _tables(self, cost_model: CostModel) -> list[Ints]:
        """Tabulate the costs of all tiles: of each producer, of the leader, and of the ends of its partial sums."""
        tables: list[Ints] = []
        for parts, tile_cost in zip(self.tilings.parts[:-1], cost_model.whole[:-1], strict=True):
            tables.append(_each(parts.sizes, tile_cost))
        split, role_levels = self.tilings.reductions > 1, self.tilings.parts[-1].role_levels
        is_separate = role_levels.separate_sums or role_levels.epilogue is not None
        once = _each(self.tilings.sizes, cost_model.once if is_separate else cost_model.whole[-1], ~split)
        ends = np.zeros(len(self), np.int64)
        if split.any() or is_separate:
            start, step, end = cost_model.partial
            leader = self.tilings.parts[-1]
            shapes = leader.tiles(leader.kernel.outputs[0], self.counts, is_output=True, in_place=False).extents
            first, last = _each(shapes, start, split), _each(shapes, end, split | is_separate)
            once = np.where(split, _each(self.tilings.sizes, step, split), once)
            first, last = np.where(split, first, 0), np.where(split | is_separate, last, 0)
            ends = np.where((first < 0) | (last < 0), -1, first + last)
        return [*tables, once, ends]

    @property
    def counts(self) -> Ints:
        """Tiles along each of the leader's loops [N, loops]."""
        return self.tilings.counts

    def exposed(self, order: Sequence[int], stages: Stages) -> Ints:
        """
        Estimate per tiling the cycles in which nothing is computed, as buffers of outputs are in use.

        With two, sums start from an operand then; with one, outputs are also written.
        """
        total = np.zeros(len(self), np.int64)
        written = [tiles for tiles in self.tilings.tiles if tiles.is_output and not tiles.in_place]
        waiting = [*self.tilings.operands.starts] if stages.outputs < 3 else []
        for tiles in (*waiting, *(written if stages.outputs < 2 else ())):
            often = tiles_in_order(self.counts, tiles.moving, order)
            total += np.where(often > 2, self._transfers(tiles) * often, 0)
        return total

    @property
    def holds_sums(self) -> bool:
        """Return whether buffers of outputs hold partial sums, which transfers map."""
        return any(tiles.epilogue is not None for tiles in self.tilings.tiles if tiles.is_output)

    @property
    def most(self) -> Most:
        """Return the maximum numbers of candidates."""
        return most_of(self.tilings.op, self.tilings.kernel, self.route)

    @property
    def copies(self) -> int:
        """Return the engine instances available for spatial mapping."""
        return self.route.copies

    def divided(self, order: Sequence[int], most: int) -> list[Ints]:
        """
        Return the spatial mappings to try: instances along each loop [N, loops], at most `most` in all.

        Each divisor of `most` limits the outermost mapped loop of `order`; inner loops share the rest, outer first.
        Only loops along which all outputs move are mapped: instances write disjoint tiles.
        """
        written = [set[int]().union(*(linear(e).dims() for e in a.map.results)) for a in self.tilings.kernel.outputs]
        parallel = [dim for dim in order if dim not in self.tilings.reduced]
        dims = [dim for dim in parallel if all(dim in dims_of_output for dims_of_output in written)]
        table = _divisors(int(self.counts.max(initial=1)), most)
        mappings: dict[bytes, Ints] = {}
        for limit in (count for count in range(most, 0, -1) if most % count == 0):
            divided, left = np.ones_like(self.tilings.sizes), np.full(len(self), most)
            for dim in dims:
                divided[:, dim] = table[self.counts[:, dim], np.minimum(left, limit) if dim == dims[0] else left]
                left //= divided[:, dim]
            mappings.setdefault(divided.tobytes(), divided)
        return list(mappings.values())

    def near_bytes(self, level: Level, stages: Stages, divided: Ints | None = None) -> Ints:
        """Compute the bytes of each tiling in a level, over all instances that share it."""
        own = self.counts if divided is None else self.counts // divided
        copies = 1 if divided is None else divided.prod(axis=1)
        rings = [
            np.where(any_along(tiles.moving & (own > 1)), stages.outputs if tiles.is_output else stages.inputs, 1)
            for tiles in self.tilings.tiles
        ]
        total = near_bytes(self.tilings, rings, level)
        return total * self.route.around * copies if self.route.sharing(level, 2) > 1 else total

    def all_bytes(self, stages: Stages, divided: Ints | None = None) -> Ints:
        """Compute the bytes of each tiling over all levels; TOO_LARGE and the bytes short where one is too small."""
        levels = self.route.levels
        in_level = [self.near_bytes(level, stages, divided) for level in levels]
        if len(levels) == 1:
            return in_level[0]
        short = np.sum([np.maximum(size - level.size, 0) for size, level in zip(in_level, levels, strict=True)], axis=0)
        return cast(Ints, np.where(short > 0, TOO_LARGE + short, np.sum(in_level, axis=0)))

    def orders(self) -> Iterator[tuple[int, ...]]:
        """Yield the loop orders to try: reductions innermost, unpermuted loops outermost."""
        bounds = self.tilings.kernel.bounds
        loops = [dim for dim, sizes in enumerate(self.choices) if sizes != [bounds[dim]]]
        parallel = [dim for dim in loops if dim not in self.tilings.reduced]
        longest = sorted(sorted(parallel, key=lambda dim: -len(self.choices[dim]))[:PERMUTED])
        others = [dim for dim in parallel if dim not in longest]
        for order in permutations(longest):
            yield (*others, *order, *(dim for dim in loops if dim in self.tilings.reduced))

    def estimate(
        self, order: Sequence[int], divided: Ints | None = None, *, chained: bool = False
    ) -> tuple[Ints, Ints, Ints]:
        """
        Estimate per tiling the cycles of an instance's program, those of all transfers, and of one per operand.

        Those of one per operand are for all instances, if these share the link. If `chained`, an input is transferred
        once for all instances along loops that it does not depend on.
        """
        counts = self.counts if divided is None else self.counts // divided
        copies = 1 if divided is None else divided.prod(axis=1)
        compute = self._computed(self.tables, counts, order)
        if self.counts_issued:
            compute = np.maximum(compute, self._issued(counts, order))
        moved, single = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        for tiles in self.tilings.tiles:
            if tiles.in_place:
                continue
            cycles, often = self._transfers(tiles), tiles_in_order(counts, tiles.moving, order)
            compute = compute + self._program(tiles) * often
            alone = cycles if tiles.is_output else self.route.waited(tiles.value, cycles)
            first = np.where(often == 1, alone, cycles)
            users = copies
            if chained and divided is not None and _may_pass(tiles):
                users = np.where(tiles.moving, divided, 1).prod(axis=1)
            moved += first * often * users
            single += first * users
        return compute, moved, single

    def _computed(self, tables: Sequence[Ints], counts: Ints, order: Sequence[int]) -> Ints:
        """Sum the entries of `tables` for the kernels over the steps of each tiling."""
        steps = counts.prod(axis=1)
        *producers, once, ends = tables
        total = once * steps + ends * (steps // self.tilings.reductions)
        for parts, table in zip(self.tilings.parts[:-1], producers, strict=True):
            total += table * tiles_in_order(counts, any_along(parts.moving), order)
        return total

    def _issued(self, counts: Ints, order: Sequence[int]) -> Ints:
        """Estimate per tiling the cycles in which the program issues instructions, as `CostModel` does per step."""
        total = self._computed(self.counts_issued, counts, order)
        for tiles in self.tilings.tiles:
            if tiles.in_place:
                continue
            often = tiles_in_order(counts, tiles.moving, order)
            cycles = self._instructions(tiles)
            total += np.where((often > 1) | tiles.is_output, cycles * often, 0)
        return total * self.route.machine.issuing

    def are_neighbours(self, order: Sequence[int], divided: Ints) -> Flags:
        """Return the spatial mappings whose coordinates are those of instances in the machine."""
        mapped = divided[:, list(order)]
        fine, rank = np.ones(len(mapped), np.bool_), (mapped > 1).sum(axis=1)
        for level in self.route.levels:
            place = np.clip((mapped > 1).cumsum(axis=1) - 1, 0, len(level.count) - 1)
            fits = (mapped <= np.array(level.count)[place]).all(axis=1)
            fine &= fits | (rank != len(level.count))
        return fine

    def hops(self, order: Sequence[int], divided: Ints) -> tuple[Ints, Ints]:
        """
        Estimate per tiling the cycles of an instance's transfers to a neighbour, and those of one to the last instance.
        """
        own, length = self.counts // divided, len(self)
        passed, last = np.zeros(length, np.int64), np.zeros(length, np.int64)
        for tiles in self.tilings.tiles:
            if not _may_pass(tiles):
                continue
            far = np.where(tiles.moving, 0, divided - 1).sum(axis=1)
            hop = _each(tiles.extents, self.cost_model.hops(tiles, tiles.value))
            passed += np.where(far > 0, hop, 0) * tiles_in_order(own, tiles.moving, order)
            last = np.maximum(last, far * hop)
        return passed, last

    def _transfers(self, tiles: OperandTiles) -> Ints:
        """Return the transfer cycles of an interior tile."""
        if id(tiles) not in self._moved:
            moves = self.cost_model.moves(tiles, tiles.value)
            self._moved[id(tiles)] = _each(tiles.extents, moves)
        return self._moved[id(tiles)]

    def _program(self, tiles: OperandTiles) -> Ints:
        """Return the cycles of the program for the transfer of an interior tile, as `CostModel.program`."""
        if not self.route.machine.program:
            return np.zeros(len(self), np.int64)
        if id(tiles) not in self._controlled:
            program = self.cost_model.program(tiles, tiles.value)
            self._controlled[id(tiles)] = _each(tiles.extents, program)
        return self._controlled[id(tiles)]

    def _instructions(self, tiles: OperandTiles) -> Ints:
        """Return the instructions that transfer a tile."""
        if id(tiles) not in self._counted:
            self._counted[id(tiles)] = _each(tiles.extents, self.cost_model.instructions(tiles))
        return self._counted[id(tiles)]

    @cached_property
    def _moved(self) -> dict[int, Ints]:
        return {}

    @cached_property
    def _controlled(self) -> dict[int, Ints]:
        return {}

    @cached_property
    def _counted(self) -> dict[int, Ints]:
        return {}


def _may_pass(tiles: OperandTiles) -> bool:
    """Return whether the tiles of an operand may come from a neighbour."""
    return not tiles.is_output and tiles.has_buffer and tiles.near is None


def _each(rows: Ints, tile_cost: Callable[[tuple[int, ...]], int | None], where: Flags | None = None) -> Ints:
    """Compute a cost per row, once per distinct row; -1 for unsupported tiles, 0 for rows outside of `where`."""
    if not len(rows):
        return np.zeros(0, np.int64)
    keys = np.zeros(len(rows), np.int64)
    for column in rows.T:
        keys = keys * (int(column.max()) + 1) + column
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    distinct = rows[first]
    asked = np.ones(len(distinct), np.bool_)
    if where is not None:
        asked = np.zeros(len(distinct), np.bool_)
        asked[index.ravel()[where]] = True
    costs = np.zeros(len(distinct), np.int64)
    costs[asked] = _costs_of(distinct[asked], tile_cost)
    return costs[index.ravel()]


def _costs_of(rows: Ints, tile_cost: Callable[[tuple[int, ...]], int | None]) -> Ints:
    if isinstance(tile_cost, TileCost):
        return tile_cost.each(rows)
    costs = [tile_cost(tuple(row)) for row in rows.tolist()]
    return np.array([-1 if cost is None else cost for cost in costs], np.int64)


def _divisors(most: int, copies: int) -> Ints:
    """Tabulate the greatest divisor of each n <= `most` that is at most each k <= `copies`: table[n, k]."""
    table = np.ones((most + 1, copies + 1), np.int64)
    for divisor in range(2, copies + 1):
        table[::divisor, divisor:] = divisor
    return table
