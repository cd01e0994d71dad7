"""Planned programs for the simulator, and what they must cost, counted in other ways than the simulator does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import cast

import islpy as isl
import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from tilewright.dialects.core.analysis.affine_form import linear
from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import FirstOp, GridOp, LastOp, TileAttr
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model, import_onnx
from tilewright.ir import element_of, node_names, numpy_type, shape_of
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.grids.streams import OperandStream
from tilewright.passes.plan_memory import PlanMemoryPass
from tilewright.passes.tiles.stream import TileStream
from tilewright.passes.timing.kernels import cost_of_copy, cost_of_kernel
from tilewright.passes.timing.programs import TileTransfers
from tilewright.passes.timing.resources import Times
from tilewright.passes.timing.transfers import Descriptor, link_between
from tilewright.runtime.simulator import Simulation

_TO_BUFFERS = (
    "infer-integer-types,convert-onnx-to-linalg,canonicalize,fold-constants,cse,"
    "fuse-epilogues,canonicalize,cse,bufferize"
)


@cache
def _buffers(network: str) -> ModuleOp:
    module = import_onnx(Path(network)) if network.endswith(".onnx") else import_model(zoo.build(network))
    PassManager().run(module, parse_pipeline(_TO_BUFFERS, all_passes()), new_context())
    return module


def planned(network: str, machine: Machine, *, double_buffered: bool = True) -> ModuleOp:
    """Return a network of the zoo, or of a file, planned for a machine: grids with places."""
    module = _buffers(network).clone()
    attach_machine(module, machine)
    PlanMemoryPass(double_buffered=double_buffered).apply(new_context(), module)
    return module


def grids_of(module: ModuleOp) -> list[GridOp]:
    """Return the grids of a module that are in no other grid."""
    grids = [op for op in module.walk() if isinstance(op, GridOp)]
    return [grid for grid in grids if not isinstance(grid.parent_op(), GridOp)]


def with_stages(module: ModuleOp, stages: int) -> ModuleOp:
    """Return a copy in which every tile that moves takes turns in so many buffers, wherever these lie."""
    copy = module.clone()
    for grid in grids_of(copy):
        changed = [_staged(tile, stages if tile.dims() else 1) for tile in grid.tiles]
        grid.properties["tiles"] = ArrayAttr(changed)
    return copy


def _staged(tile: TileAttr, stages: int) -> TileAttr:
    return tile if tile.own_buffer is None else tile.with_buffer(tile.own_buffer.with_stages(stages))


def modelled_cycles(module: ModuleOp) -> dict[tuple[str, ...], int]:
    """Return the time that the planner expects of each layer."""
    found: dict[tuple[str, ...], int] = {}
    for grid in grids_of(module):
        value = grid.attributes.get("modelled_cycles")
        if isinstance(value, IntegerAttr):
            found[node_names(grid)] = found.get(node_names(grid), 0) + int(value.value.data)
    return found


def moved_bytes(grid: GridOp) -> tuple[int, int]:
    """
    Return the bytes that a grid moves in and out: walks its points, and counts a tile whenever it is another one.

    What lies outside of the operand is not moved.
    """
    totals = [0, 0]
    count = len(grid.inputs)
    for index, (tile, operand) in enumerate(zip(grid.tiles, grid.operands, strict=True)):
        if tile.level_name is None:
            continue
        held: tuple[int, ...] | None = None
        for point in product(*(range(extent) for extent in grid.bounds)):
            offsets = tile.offsets(point)
            if offsets != held:
                totals[index >= count] += _inside(tile, operand, offsets)
            held = offsets
    return totals[0], totals[1]


def _inside(tile: TileAttr, operand: SSAValue, offsets: Sequence[int]) -> int:
    sides = zip(offsets, tile.extents, shape_of(operand), strict=True)
    elements = prod(max(0, min(offset + extent, size) - max(offset, 0)) for offset, extent, size in sides)
    return elements * numpy_type(element_of(operand)).itemsize


def counted_by_isl(grid: GridOp, index: int) -> int:
    """
    Return the bytes that one operand of a grid moves, as isl counts the points of the relation from tile to element.

    A tile is told apart by the grid's dimensions up to the last along which it moves.
    """
    tile, operand = list(grid.tiles)[index], grid.operands[index]
    if tile.level_name is None:
        return 0
    moving = [dim for dim in tile.dims() if grid.bounds[dim] > 1]
    dims = moving[-1] + 1 if moving else 0
    names = [f"d{dim}" for dim in range(dims)] + [f"e{axis}" for axis in range(len(tile.extents))]
    limits = [f"0 <= d{dim} < {grid.bounds[dim]}" for dim in range(dims)]
    for axis, (expr, extent, size) in enumerate(
        zip(tile.map.data.results, tile.extents, shape_of(operand), strict=True)
    ):
        start = _text(expr, dims)
        limits += [f"0 <= e{axis} < {size}", f"{start} <= e{axis} < {start} + {extent}"]
    text = f"{{ [{', '.join(names)}] : {' and '.join(limits)} }}"
    return int(isl.Set(text).count_val().to_python()) * numpy_type(element_of(operand)).itemsize


def _text(expr: AffineExpr, dims: int) -> str:
    """Return a linear expression as isl reads it, with the dimensions from `dims` on at 0."""
    form = linear(expr)
    terms = [f"{factor} * d{dim}" for dim, factor in form.terms if isinstance(dim, int) and dim < dims]
    return " + ".join([*terms, str(form.constant)])


def critical_path(simulation: Simulation) -> int:
    """
    Return a time that no schedule of the program's kernels and transfers can beat.

    Each layer has to fetch something before its first kernel, do all its kernels, and write its last tile.
    """
    total = 0
    for layer in simulation.layers:
        events = [event for event in simulation.events if event.nodes == layer.nodes]
        kernels = [event for event in events if event.kind == "compute"]
        ins = [e.end - e.start for e in events if e.kind == "in" and kernels and e.start < kernels[0].start]
        outs = [e.end - e.start for e in events if e.kind == "out"]
        total += min(ins, default=0) + sum(e.end - e.start for e in kernels) + min(outs, default=0)
    return max(total, *(link.busy for link in simulation.links), 0)


def transfers_of(grid: GridOp, machine: Machine) -> tuple[int, list[TileTransfers]]:
    """Return the steps of a grid, and the transfers of its operands, but for those that are used where they lie."""
    steps, count = prod(grid.bounds), len(grid.inputs)
    transfers: list[TileTransfers] = []
    for index, tile in enumerate(grid.tiles):
        if tile.level_name is None:
            continue
        moving = [dim for dim in tile.dims() if grid.bounds[dim] > 1]
        run = prod(grid.bounds[moving[-1] + 1 :]) if moving else steps
        times = _times(grid, index, machine, run)
        tiles = TileStream(index >= count, run, steps // run, tile.stage_count)
        transfers.append(TileTransfers(tiles, times, waiting=machine.program.wait))
    return steps, transfers


def work_of(grid: GridOp, machine: Machine) -> Callable[[int], int]:
    """Return the cycles that the kernels of a grid's body take at a step."""

    def work(step: int) -> int:
        point = [int(each) for each in np.unravel_index(step, grid.bounds)] if grid.bounds else []
        return sum(_cycles(op, grid, point, machine) for op in grid.body.block.ops)

    return work


def _cycles(op: Operation, grid: GridOp, point: Sequence[int], machine: Machine) -> int:
    if isinstance(op, FirstOp | LastOp):
        at = [point[grid.point.index(cast(BlockArgument, dim))] for dim in op.dims]
        ends = [0 if isinstance(op, FirstOp) else bound - 1 for bound in op.bounds]
        return sum(_cycles(inner, grid, point, machine) for inner in op.body.block.ops) if at == ends else 0
    if isinstance(op, memref.CopyOp):
        return cost_of_copy(op, op.source, machine).cycles
    return cost_of_kernel(op, machine).cycles if is_kernel(op) else 0


def _times(grid: GridOp, index: int, machine: Machine, run: int) -> Callable[[int], Times]:
    tile, operand = list(grid.tiles)[index], grid.operands[index]
    reads, level = index < len(grid.inputs), tile.level_name or ""
    ends = (machine.far.name, level) if reads else (level, machine.far.name)
    clipped = OperandStream(grid, index, None, 1).is_partial
    descriptor = Descriptor(
        machine, link_between(machine, *ends, grid), operand, tile.extents, reads=reads, is_clipped=clipped
    )

    def times(turn: int) -> Times:
        point = np.unravel_index(turn * run, grid.bounds) if grid.bounds else ()
        cost = descriptor.at(tile.offsets([int(each) for each in point]))
        return Times(cost.startup, cost.data, cost.issue)

    return times
