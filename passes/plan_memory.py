"""Memory planning: tile shapes, stages, residency and addresses in the near levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Level, Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import GridOp
from ..dialects.hier.grid import spatial_grid
from ..errors import Diagnostic
from ..ir import functions, fused_location, where
from .core.base import Pass
from .map_engines import engine_of
from .memory.building import grid_of
from .memory.hints import KEEP
from .memory.layers import Hop, Layers, alternatives, layers_of
from .memory.plan import Choice, lower_bound
from .memory.planner import DoesNotFit, plan_layers
from .memory.pricing import reserved
from .memory.tiling import Tiling, tiling_of
from .memory.views import move
from .verify_levels import parts_of

ADDRESS = "hier.address"
"""Attribute of an allocation in a near level: its offset there, in bytes."""


@dataclass(frozen=True)
class Limits:
    """
    Constraints of a plan: bytes of the nearest level (0 for its size), stages, search budget, residency, and the reuse
    distance of bytes in kernels.
    """

    level_bytes: int = 0
    double_buffered: bool = True
    time_budget: float = 2.0
    layer_by_layer: bool = False
    apart: int = 0


def plan_memory(function: FuncOp, machine: Machine, limits: Limits = Limits()) -> None:
    """
    Replace the kernels whose engines work in near memories by grids of tiles that fit there.

    Plans hop by hop from the far level inwards: resident buffers, fused groups and their tilings, for the least
    modelled
    cycles. Kernels of engines at the buffers' own level are unchanged. Raises Diagnostic if no tiling fits, with the
    smallest size that suffices.
    """
    hops = hops_of(function, machine)
    for index, hop in enumerate(hops):
        taken = _taken(function, hop.near, machine)
        short: list[DoesNotFit] = []
        for block in _blocks(function, index):
            try:
                _plan_block(block, hop, limits, taken, outer=index == 0)
            except DoesNotFit as error:
                short.append(error)
        if short:
            raise max(short, key=lambda error: error.needed)


def hops_of(function: FuncOp, machine: Machine) -> list[Hop]:
    """Return the hops from the far level to the nearest one that an engine of the function uses."""
    paths: dict[tuple[str, ...], list[Hop]] = {}
    for op in nested_ops(function.body):
        if is_kernel(op):
            hops = _path(op, machine)
            paths[tuple(hop.near.name for hop in hops)] = hops
    none: list[Hop] = []
    longest = max(paths.values(), key=len, default=none)
    names = tuple(hop.near.name for hop in longest)
    for path in paths:
        if path != names[: len(path)]:
            raise Diagnostic(
                f"the engines of '{machine.name}' work behind different links",
                where=where(function),
                expected="near levels one behind the other",
                found=f"{', '.join(path)} and {', '.join(names)}",
                remedy="map the kernels to engines behind one link (the attribute 'engine')",
            )
    return longest


def _path(op: Operation, machine: Machine) -> list[Hop]:
    hint = op.attributes.get("engine")
    engine = machine.engine(hint.data) if isinstance(hint, StringAttr) else engine_of(op, machine)
    near, outs = machine.near_level_of(engine), machine.near_level_of(engine, "outs")
    inward = machine.path(machine.far.name, near.name)
    outward = machine.path(outs.name, machine.far.name)
    names = [machine.far.name]
    for link in inward:
        names.append(link.near if link.far == names[-1] else link.far)
    levels = [machine.level(name) for name in names]
    if len(outward) != len(inward):
        raise Diagnostic(
            f"the paths to '{near.name}' and back differ in length",
            where=where(op),
            remedy="give the machine links in both directions between neighbouring levels",
        )
    stores = reversed(outward)
    pairs = zip(levels, levels[1:], inward, stores, strict=False)
    last = len(inward) - 1
    return [
        Hop(machine, far, near, fetch, store, outs if number == last else near, number == last)
        for number, (far, near, fetch, store) in enumerate(pairs)
    ]


def _blocks(function: FuncOp, depth: int) -> list[Block]:
    """Return the blocks with kernels to plan: the function's body, or the bodies of the previous hop's grids."""
    if depth == 0:
        return [function.body.block]
    grids = [op for op in nested_ops(function) if isinstance(op, GridOp)]
    blocks = [grid.body.block for grid in grids]
    return blocks + [region.block for b in blocks for op in b.ops for region in op.regions if _is_guard(op)]


def _is_guard(op: Operation) -> bool:
    return op.name in ("hier.first", "hier.last")


def _plan_block(block: Block, hop: Hop, limits: Limits, taken: int, *, outer: bool) -> None:
    """Plan the kernels of a block; `taken` bytes of the near level are unavailable."""
    size = min(limits.level_bytes or hop.near.size, hop.near.size) if hop.is_last else hop.near.size
    capacity = size - taken
    found = layers_of(
        block, hop, double_buffered=limits.double_buffered, keep_resident=outer and not limits.layer_by_layer
    )
    if not found.ops:
        return
    found.fixed = taken
    if outer:
        found.taken = _taken(cast(FuncOp, block.parent_op()), hop.far, hop.machine)
    options = (limits.time_budget, limits.apart)
    plans = [(*plan_layers(layers, capacity, *options), layers) for layers in alternatives(found)]
    plan, addresses, layers = min(plans, key=lambda each: each[0].cycles)
    if outer:
        _note(cast(FuncOp, block.parent_op()), layers, plan.cycles)
    resident: set[SSAValue] = set(layers.placed)
    for number, place in addresses.resident.items():
        resident |= _keep(layers.buffers[number].alloc, hop.near.name, place)
    for choice, address in zip(plan.choices, addresses.blocks, strict=True):
        _replace(layers, choice, address, resident)


def _taken(function: FuncOp, level: Level, machine: Machine) -> int:
    """Return the bytes of a level used by weights, state, inputs and outputs."""
    module = function.parent_op()
    parts = parts_of(module, machine.far.name) if isinstance(module, ModuleOp) else ()
    return sum(level.aligned(part.bytes) for part in parts if part.level == level.name)


def _note(function: FuncOp, layers: Layers, cycles: int) -> None:
    """Annotate the function with the modelled cycles of the plan and their lower bound."""
    function.attributes["hier.modelled_cycles"] = IntegerAttr(cycles, i64)
    function.attributes["hier.cycles_bound"] = IntegerAttr(min(cycles, lower_bound(layers)), i64)


def _keep(alloc: Operation, level: str, address: int) -> set[SSAValue]:
    """Make a buffer and its views resident in a near level; return them."""
    alloc.attributes.pop(KEEP, None)
    alloc.attributes[ADDRESS] = IntegerAttr(address, i64)
    return set(move(alloc.results[0], StringAttr(level)))


def _replace(layers: Layers, choice: Choice, address: int, resident: set[SSAValue]) -> None:
    ops = layers.ops[choice.first : choice.last + 1]
    candidate = choice.candidate
    tiling = tiling_of(ops, candidate.sizes, resident.intersection(value for op in ops for value in op.operands))
    tiles, scratch, ends = _addresses(tiling, choice, layers.hop, address)
    route, spread = layers.route(ops), candidate.spread
    shared = {level.name for level in (route.near, route.outs) if route.sharing(level, spread.copies) > 1}
    apart = {level: end - begin for level, (begin, end) in ends.items() if level in shared and end > begin}

    def engine(op: Operation, source: Operation) -> str:
        found = route.engines[source] if op.name == source.name else route.engine_beside(op, source)
        return found.name if found is not None else ""

    grid = grid_of(
        tiling,
        layers.hop.near.name,
        tiles,
        candidate.stages,
        candidate.order,
        scratch,
        engine,
        layers.hop.outs.name,
        spread,
        apart if spread.loops else None,
    )
    if (around := spatial_grid(ops[-1].parent_op())) is not None:
        _set_apart(around, apart)
    grid.attributes["engine"] = StringAttr(layers.engines[ops[-1]].name)
    grid.attributes["modelled_cycles"] = IntegerAttr(candidate.cycles, i64)
    if len(ops) > 1:
        grid.location = fused_location([op.location for op in ops])
    between = [value.owner for value in tiling.intermediates]
    Rewriter.replace_op(ops[-1], grid, [])
    for op in (*ops[:-1], *between):
        if isinstance(op, Operation) and (op in ops or isinstance(op, memref.AllocOp)):
            Rewriter.erase_op(op)


def _set_apart(grid: GridOp, apart: Mapping[str, int]) -> None:
    """Set the strides of a spatially mapped grid's buffers in shared levels to at least these bytes."""
    found: dict[str, Attribute] = dict(grid.apart.data) if grid.apart is not None else {}
    for level, size in apart.items():
        found[level] = IntegerAttr(max(size, grid.apart_in(level) or 0), i64)
    if found:
        grid.properties["apart"] = DictionaryAttr(found)


def _addresses(
    tiling: Tiling, choice: Choice, hop: Hop, address: int
) -> tuple[Sequence[int | None], Sequence[int | None], dict[str, tuple[int, int]]]:
    """Return the addresses of tiles and scratch, consecutive from an address on, and their extent in each level."""
    tiles: list[int | None] = []
    scratch: list[int | None] = []
    begins = {hop.near.name: address, hop.outs.name: 0 if hop.is_split else address}
    ends = dict(begins)
    for tile, stages in zip(tiling.tiles, choice.candidate.stages, strict=True):
        level = hop.outs if tile.is_output else hop.near
        tiles.append(None if tile.in_place else ends[level.name])
        ends[level.name] += reserved(tile.near_bytes, level) * stages
    for each in tiling.scratch:
        scratch.append(ends[hop.outs.name])
        ends[hop.outs.name] += reserved(each.bytes, hop.outs)
    return tiles, scratch, {level: (begin, ends[level]) for level, begin in begins.items()}


@dataclass(frozen=True)
class PlanMemoryPass(Pass):
    """
    Tile kernels for the near memories of the engines that run them.

    The machine is the module's (attach-machine). The plan selects tile shapes, loop orders, fused groups and resident
    buffers by the least modelled cycles; structurally equal layers are solved once. `level-bytes` caps the nearest
    level,
    `double-buffered=false` disables prefetching. If the capacity limits the plan, local search refines the initial
    solution for about `time-budget` seconds of work; 0 disables it. With `layer-by-layer` there is no residency and no
    fusion. Bytes of a near level are not reused for as many kernels as transfers may be in flight (`in_flight` of the
    machine's links), if the capacity permits, so that overlap-engines can overlap neighbours; `apart` overrides that
    number. The function's attributes
    `hier.modelled_cycles` and `hier.cycles_bound` give the plan's cycles and a lower bound of any plan's.
    """

    name = "plan-memory"

    level_bytes: int = 0
    double_buffered: bool = True
    time_budget: float = 2.0
    layer_by_layer: bool = False
    apart: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        apart = machine.in_flight(external=False) if self.apart is None else self.apart
        limits = Limits(self.level_bytes, self.double_buffered, self.time_budget, self.layer_by_layer, apart)
        for function in functions(op):
            plan_memory(function, machine, limits)
