"""Memory planning: tile shapes, stages, residency and addresses in the near levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.engine import Engine
from ..dialects.core.machine.level import Level
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import GridOp
from ..dialects.hier.grid import spatial_grid
from ..ir import functions, fused_location
from .core.base import Pass
from .core.on_buffers import refuse_tensors
from .core.remarks import wanted
from .map_engines import engine_of
from .mapping.refusals import forget_refusals
from .memory.banks import in_banks
from .memory.building import grid_of
from .memory.cost_model import reserved, rings_of
from .memory.gathers import look_up, prepare_gathers
from .memory.hints import KEEP
from .memory.layers import Layers, alternatives, layers_of, levels_of
from .memory.plan import Addresses, Choice, lower_bound
from .memory.planner import DoesNotFit, plan_layers
from .memory.remarks import remark_on_addresses, remark_on_plan
from .memory.role_levels import links_to
from .memory.views import move
from .tiles.group import Tilings, tiling_of
from .verify_levels import parts_of

ADDRESS = "hier.address"
"""Attribute of an allocation in a near level: its offset there, in bytes."""


@dataclass(frozen=True)
class PlanLimits:
    """
    Constraints of a plan: bytes of the nearest level (0 for its size), stages, search budget, residency, and the reuse
    distance of bytes in kernels.
    """

    level_bytes: int = 0
    double_buffered: bool = True
    time_budget: float = 2.0
    layer_by_layer: bool = False
    reuse_distance: int = 0


def plan_memory(function: FuncOp, machine: Machine, limits: PlanLimits = PlanLimits()) -> None:
    """
    Replace the kernels whose engines work in near memories by grids of tiles that fit there.

    Plans hop by hop from the far level inwards: resident buffers, fused groups and their tilings, for the least
    modelled cycles. Kernels of engines at the buffers' own level are unchanged. Raises Diagnostic if no tiling fits,
    with the smallest size that suffices.
    """
    for op in nested_ops(function.body):
        if is_kernel(op):
            refuse_tensors(op)
    if depth_of(function, machine) == 1:
        prepare_gathers(function.body.block, machine, double_buffered=limits.double_buffered)
    for depth in range(depth_of(function, machine)):
        short: list[DoesNotFit] = []
        for block in _blocks(function, depth):
            try:
                _plan_block(block, machine, limits, function, depth)
            except DoesNotFit as error:
                short.append(error)
        if short:
            raise max(short, key=lambda error: error.needed)


def depth_of(function: FuncOp, machine: Machine) -> int:
    """Return the hops from the far level to the nearest one that an engine of the function uses."""
    names = {_engine_hint(op, machine) for op in nested_ops(function.body) if is_kernel(op)}
    return max((links_to(engine, machine) for engine in names), default=0)


def _engine_hint(op: Operation, machine: Machine) -> Engine:
    hint = op.attributes.get("engine")
    return machine.engine(hint.data) if isinstance(hint, StringAttr) else engine_of(op, machine)


def _blocks(function: FuncOp, depth: int) -> list[Block]:
    """Return the blocks with kernels to plan: the function's body, or the bodies of the previous hop's grids."""
    if depth == 0:
        return [function.body.block]
    grids = [op for op in nested_ops(function) if isinstance(op, GridOp)]
    blocks = [grid.body.block for grid in grids]
    return blocks + [region.block for b in blocks for op in b.ops for region in op.regions if _is_guard(op)]


def _is_guard(op: Operation) -> bool:
    return op.name in ("hier.first", "hier.last")


def _plan_block(block: Block, machine: Machine, limits: PlanLimits, function: FuncOp, depth: int) -> None:
    """Plan the kernels of a block; weights, state, inputs and outputs take bytes of the levels."""
    outer = depth == 0
    resident = outer and not limits.layer_by_layer
    initial = layers_of(block, machine, depth, double_buffered=limits.double_buffered, keep_resident=resident)
    if not initial.ops:
        return
    initial.fixed = {level.name: _taken(function, level, machine) for level in initial.levels}
    capacity = {
        level.name: (min(limits.level_bytes, level.size) if limits.level_bytes and initial.is_last else level.size)
        - initial.fixed[level.name]
        for level in initial.levels
    }
    if outer:
        initial.taken = _taken(function, initial.far, machine)
    options = (limits.time_budget, limits.reuse_distance)
    plans = [(*plan_layers(layers, capacity, *options), layers) for layers in alternatives(initial)]
    plan, addresses, layers = min(plans, key=lambda candidate: candidate[0].cycles)
    if outer:
        _note(function, layers, plan.cycles)
    if wanted():
        remark_on_plan(layers, plan, addresses, capacity)
    for level, arena in addresses.items():
        for number, address in arena.resident.items():
            _keep(layers.buffers[number].alloc, level, address)
    exclusive = {name: size for name, size in capacity.items() if _is_free(addresses[name]) and not initial.fixed[name]}
    for number, choice in enumerate(plan.choices):
        begins = {level: arena.blocks[number] for level, arena in addresses.items()}
        replace_by_grid(layers, choice, begins, exclusive)
    _drop_views(initial)


def _is_free(arena: Addresses) -> bool:
    """Return whether the block of each kernel has a level to itself."""
    return not arena.resident and not any(arena.blocks)


def _drop_views(layers: Layers) -> None:
    """Erase the views of biases that no grid has taken."""
    for role_levels in (*layers.role_levels.values(), *layers.stored.values()):
        bias = role_levels.epilogue.bias if role_levels.epilogue is not None else None
        if bias is not None and (view := bias.view) is not None:
            view.erase()


def _taken(function: FuncOp, level: Level, machine: Machine) -> int:
    """Return the bytes of a level used by weights, state, inputs and outputs."""
    module = function.parent_op()
    parts = parts_of(module, machine.far.name) if isinstance(module, ModuleOp) else ()
    return sum(level.aligned(part.bytes) for part in parts if part.level == level.name)


def _note(function: FuncOp, layers: Layers, cycles: int) -> None:
    """Annotate the function with the modelled cycles of the plan and their lower bound."""
    function.attributes["hier.modelled_cycles"] = IntegerAttr(cycles, i64)
    function.attributes["hier.cycles_bound"] = IntegerAttr(min(cycles, lower_bound(layers)), i64)


def _keep(alloc: Operation, level: str, address: int) -> None:
    """Make a buffer and its views resident in a near level."""
    alloc.attributes.pop(KEEP, None)
    alloc.attributes[ADDRESS] = IntegerAttr(address, i64)
    move(alloc.results[0], StringAttr(level))


def replace_by_grid(
    layers: Layers, choice: Choice, begins: Mapping[str, int], exclusive: Mapping[str, int] = {}
) -> None:
    """
    Replace the kernels of a choice by its grid; `begins` has the address of its block in each level.

    `exclusive` has the bytes of each level that the block has to itself, over whose banks its buffers are distributed.
    """
    ops, candidate = layers.ops[choice.first : choice.last + 1], choice.candidate
    role_levels = layers.role_levels_of(ops, candidate.alternative)
    tiling = tiling_of(ops, candidate.sizes, levels_of(ops), role_levels, candidate.panels)
    tiles, scratch, ends = _addresses(tiling, choice, layers.machine, begins)
    route, spread = layers.route(ops, candidate.alternative), candidate.spread
    for name, capacity in exclusive.items() if not spread.loops else ():
        _separate_banks(tiling, choice, layers.machine.level(name), capacity, tiles, scratch)
    shared = {level.name for level in route.levels if route.sharing(level, spread.copies) > 1}
    strides = {level: end - begins[level] for level, end in ends.items() if level in shared and end > begins[level]}

    def engine(op: Operation, source: Operation) -> str:
        runner = route.engines[source] if op.name == source.name else route.engine_beside(op, source)
        return runner.name if runner is not None else ""

    between = strides if spread.loops else None
    grid = grid_of(tiling, "", tiles, candidate.stages, candidate.order, scratch, engine, spread, between)
    if (around := spatial_grid(ops[-1].parent_op())) is not None:
        _set_strides(around, strides)
    grid.attributes["engine"] = StringAttr(layers.engines[ops[-1]].name)
    grid.attributes["modelled_cycles"] = IntegerAttr(candidate.cycles, i64)
    if len(ops) > 1:
        grid.location = fused_location([op.location for op in ops])
    if wanted():
        remark_on_addresses(ops[-1], tiling, tiles, scratch, candidate.stages)
    between_ops = [value.owner for value in tiling.operands.intermediates]
    epilogue = tiling.parts[-1].role_levels.epilogue
    if epilogue is not None and epilogue.bias is not None and (view := epilogue.bias.view) is not None:
        Rewriter.insert_op(view, InsertPoint.before(ops[-1]))
    Rewriter.replace_op(ops[-1], grid, [])
    for op in (*ops[:-1], *between_ops):
        if isinstance(op, Operation) and (op in ops or isinstance(op, memref.AllocOp)):
            Rewriter.erase_op(op)
    look_up(grid)


def _set_strides(grid: GridOp, least: Mapping[str, int]) -> None:
    """Set the strides of a spatially mapped grid's buffers in shared levels to at least these bytes."""
    strides: dict[str, Attribute] = dict(grid.strides.data) if grid.strides is not None else {}
    for level, size in least.items():
        strides[level] = IntegerAttr(max(size, grid.stride_in(level) or 0), i64)
    if strides:
        grid.properties["strides"] = DictionaryAttr(strides)


def _addresses(
    tiling: Tilings, choice: Choice, machine: Machine, begins: Mapping[str, int]
) -> tuple[list[int | None], list[int | None], dict[str, int]]:
    """Return the addresses of tiles and scratch, consecutive in each level from `begins` on, and where they end."""
    tiles: list[int | None] = []
    scratch: list[int | None] = []
    ends = dict(begins)
    for tile, stages in zip(tiling.tiles, choice.candidate.stages, strict=True):
        tiles.append(ends[tile.level] if tile.has_buffer else None)
        if tile.has_buffer:
            ends[tile.level] += reserved(tile.size, machine.level(tile.level)) * stages
    for buffer in tiling.scratch:
        scratch.append(ends[buffer.level])
        ends[buffer.level] += reserved(buffer.size, machine.level(buffer.level))
    return tiles, scratch, ends


def _separate_banks(
    tiling: Tilings, choice: Choice, level: Level, capacity: int, tiles: list[int | None], scratch: list[int | None]
) -> None:
    """Move the buffers in a level whose banks have a single port to different banks."""
    if not level.single_port:
        return
    moved, inner = rings_of(tiling, choice.candidate.stages, level)
    placed = iter(in_banks((*moved.values(), *inner.values()), level, capacity))
    for addresses, rings in ((tiles, moved), (scratch, inner)):
        for at in rings:
            addresses[at] = next(placed).address


@dataclass(frozen=True)
class PlanMemoryPass(Pass):
    """
    Tile kernels for the near memories of the engines that run them.

    The machine is the module's (attach-machine). The plan selects tile shapes, loop orders, fused groups and resident
    buffers by the least modelled cycles; structurally equal layers are solved once. `level-bytes` caps the nearest
    level, `double-buffered=false` disables prefetching. If the capacity limits the plan, local search refines the
    initial solution for about `time-budget` seconds of work; 0 disables it. With `layer-by-layer` there is no residency
    and no fusion. Bytes of a near level are not reused for as many kernels as transfers may be in flight (`in_flight`
    of the machine's links), if the capacity permits, so that overlap-engines can overlap neighbours; `reuse-distance`
    overrides that number. The function's attributes `hier.modelled_cycles` and `hier.cycles_bound` give the plan's
    cycles and a lower bound of any plan's. The attribute `refusals` of kernels (map-engines) is removed: reasons are
    of whole kernels.
    """

    name = "plan-memory"
    places_operands = True

    level_bytes: int = 0
    double_buffered: bool = True
    time_budget: float = 2.0
    layer_by_layer: bool = False
    reuse_distance: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        distance = machine.in_flight(external=False) if self.reuse_distance is None else self.reuse_distance
        limits = PlanLimits(self.level_bytes, self.double_buffered, self.time_budget, self.layer_by_layer, distance)
        forget_refusals(op)
        for function in functions(op):
            plan_memory(function, machine, limits)
