"""Faults to plant in programs that are right: each changes a module, if there is something in it to change."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, ModuleOp, NoneAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import DmaStartOp, DmaWaitOp, GridOp, SourceAttr, TileAttr
from tilewright.errors import Diagnostic
from tilewright.passes.tiles.group import Tilings, tiling_of
from tilewright.runtime.testing.programs.explicit import arena_program, expanded_program, grid_program
from tilewright.runtime.testing.programs.grids import expanded_tiled_program, tiled_program
from tilewright.test.faults.mutation_tiled_faults import EXPLICIT_FAULTS, GRID_FAULTS


def _ops(module: ModuleOp, kind: type[Operation]) -> list[Any]:
    return [op for op in module.walk() if isinstance(op, kind)]


def _set_tile(module: ModuleOp, draw: random.Random, change: Callable[[TileAttr], TileAttr | None]) -> bool:
    """Change the tile of one operand of the grid; returns whether there is one that can be changed."""
    (grid,) = _ops(module, GridOp)
    tiles = list(grid.tiles)
    for index in draw.sample(range(len(tiles)), len(tiles)):
        changed = change(tiles[index])
        if changed is not None and changed != tiles[index]:
            tiles[index] = changed
            grid.properties["tiles"] = ArrayAttr(tiles)
            return True
    return False


def shift_address(module: ModuleOp, draw: random.Random) -> bool:
    """Move the buffers of one operand."""
    delta = draw.choice([-64, -8, -4, 4, 8, 16, 64])
    return _set_tile(module, draw, lambda t: t.with_address(max(0, (t.byte_address or 0) + delta)))


def _with_result(tile: TileAttr, draw: random.Random, change: Callable[[AffineExpr], AffineExpr]) -> TileAttr:
    lead = tile.map.data
    results = list(lead.results)
    at = draw.randrange(len(results))
    results[at] = change(results[at])
    return tile.with_map(AffineMapAttr(AffineMap(lead.num_dims, 0, tuple(results))))


def shift_map(module: ModuleOp, draw: random.Random) -> bool:
    """Add to a tile's offsets."""
    delta = draw.choice([-2, -1, 1, 2])
    return _set_tile(module, draw, lambda t: _with_result(t, draw, lambda expr: expr + delta))


def change_coefficient(module: ModuleOp, draw: random.Random) -> bool:
    """Let a tile move faster or slower along a dimension."""
    delta = draw.choice([-1, 1, 2])

    def change(tile: TileAttr) -> TileAttr | None:
        rank = tile.map.data.num_dims
        return (
            _with_result(tile, draw, lambda e: e + AffineExpr.dimension(draw.randrange(rank)) * delta) if rank else None
        )

    return _set_tile(module, draw, change)


def change_stages(module: ModuleOp, draw: random.Random) -> bool:
    """Change the number of buffers."""

    def change(tile: TileAttr) -> TileAttr:
        if tile.own_buffer is None:
            return tile
        return tile.with_buffer(tile.own_buffer.with_stages(tile.stage_count + draw.choice([-1, 1]) or 3))

    return _set_tile(module, draw, change)


def remove_tile_fill(module: ModuleOp, draw: random.Random) -> bool:
    """Take the fill of a tile away."""

    def change(tile: TileAttr) -> TileAttr:
        return tile.with_source(SourceAttr(tile.source.broadcast, tile.source.neighbours, NoneAttr()))

    return _set_tile(module, draw, change)


def change_extents(module: ModuleOp, draw: random.Random) -> bool:
    """Make tiles larger or smaller along one loop, the steps from tile to tile staying as they are."""
    (grid,) = _ops(module, GridOp)
    (kernel,) = (op for op in grid.body.block.ops if is_kernel(op))
    whole = kernel.clone({old: new for old, new in zip(kernel.operands, _far_operands(grid, kernel), strict=True)})
    sizes = list(tiling_of(kernel).kernel.bounds)
    dims = [d for d, n in enumerate(tiling_of(kernel).kernel.bounds) if n > 1]
    if not dims:
        return False
    sizes[draw.choice(dims)] += draw.choice([-1, 1])
    try:
        Rewriter.insert_op(whole, InsertPoint.before(grid))
        tiling = tiling_of(kernel, sizes)
        verify(whole)
    except (Diagnostic, VerifyException):
        return False
    finally:
        Rewriter.erase_op(whole)
    return _retile(grid, tiling)


def _far_operands(grid: GridOp, kernel: Operation) -> list[SSAValue]:
    arguments = grid.body.block.args[len(grid.bounds) :]
    near: dict[SSAValue, SSAValue] = dict(zip(arguments, grid.operands, strict=True))
    return [near.get(value, value) for value in kernel.operands]


def _retile(grid: GridOp, tiling: Tilings) -> bool:
    """Give the tiles of a grid, and the kernel in it, the extents of another tiling."""
    tiles = list(grid.tiles)
    arguments = grid.body.block.args[len(grid.bounds) :]
    part, counts = tiling.parts[-1], tiling.counts
    extents = {a.value: part.tiles(a, counts, is_output=False, in_place=False).shape for a in _accesses(tiling)}
    for index, argument in enumerate(arguments):
        if argument in extents:
            old = tiles[index]
            tiles[index] = TileAttr.get(extents[argument], old.map, old.own_buffer, old.source, old.lookups.data)
            Rewriter.replace_value_with_new_type(argument, tiles[index].type_of(grid.operands[index]))
    grid.properties["tiles"] = ArrayAttr(tiles)
    return True


def _accesses(tiling: Tilings) -> list[Any]:
    return [*tiling.kernel.inputs, *tiling.kernel.extras, *tiling.kernel.outputs]


def _constants_of(value: SSAValue) -> list[arith.ConstantOp]:
    """Return the constants that an index is computed from."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return [owner]
    return [c for operand in owner.operands for c in _constants_of(operand)] if isinstance(owner, Operation) else []


def _nudge(draw: random.Random, values: Sequence[SSAValue], deltas: Sequence[int]) -> bool:
    constants = [constant for value in values for constant in _constants_of(value)]
    if not constants:
        return False
    constant = draw.choice(constants)
    number = max(0, cast(Any, constant.value).value.data + draw.choice(deltas))
    old = cast(Any, constant.value).value.data
    constant.properties["value"] = IntegerAttr(number, IndexType())
    return number != old


def nudge_view(module: ModuleOp, draw: random.Random) -> bool:
    """Change a constant in the address of a tile's buffer."""
    views = [op for op in _ops(module, memref.ViewOp)]
    return bool(views) and _nudge(draw, [draw.choice(views).byte_shift], [-8, -1, 1, 8, 16, 64])


def nudge_offset(module: ModuleOp, draw: random.Random) -> bool:
    """Change a constant in the place that a transfer moves to or from."""
    starts = _ops(module, DmaStartOp)
    offsets = draw.choice(starts).offsets if starts else ()
    return bool(offsets) and _nudge(draw, [draw.choice(list(offsets))], [-2, -1, 1, 2])


def drop_wait(module: ModuleOp, draw: random.Random) -> bool:
    """Leave a wait out."""
    waits = _ops(module, DmaWaitOp)
    if waits:
        Rewriter.erase_op(draw.choice(waits))
    return bool(waits)


def delay_wait(module: ModuleOp, draw: random.Random) -> bool:
    """Wait only after the ops that follow."""
    waits = [op for op in _ops(module, DmaWaitOp) if op.next_op is not None and op.next_op.next_op is not None]
    if not waits:
        return False
    wait = draw.choice(waits)
    block = wait.parent
    assert block is not None
    last = block.last_op
    wait.detach()
    block.insert_op_before(wait, cast(Operation, last))
    return True


def swap_tokens(module: ModuleOp, draw: random.Random) -> bool:
    """Exchange two tokens that an op takes, or that two waits take."""
    waits = _ops(module, DmaWaitOp)
    pairs = [(a, 0, b, 0) for i, a in enumerate(waits) for b in waits[:i] if a.parent is b.parent]
    for op in [*_ops(module, scf.YieldOp), *_ops(module, scf.ForOp)]:
        places = [i for i, value in enumerate(op.operands) if str(value.type) == "!hier.token"]
        pairs += [(op, i, op, j) for i in places for j in places if i < j]
    pairs = [(a, i, b, j) for a, i, b, j in pairs if a.operands[i] is not b.operands[j]]
    if not pairs:
        return False
    a, i, b, j = draw.choice(pairs)
    a.operands[i], b.operands[j] = b.operands[j], a.operands[i]
    return True


def remove_fill(module: ModuleOp, draw: random.Random) -> bool:
    """Let a transfer leave its buffer without saying so."""
    clipped = [op for op in _ops(module, DmaStartOp) if op.clipped is not None]
    if clipped:
        op = draw.choice(clipped)
        op.properties = {key: value for key, value in op.properties.items() if key not in ("clipped", "fill")}
    return bool(clipped)


def cut_lifetime(module: ModuleOp, draw: random.Random) -> bool:
    """Place a buffer where another one may be alive."""
    views = _ops(module, memref.ViewOp)
    if len(views) < 2:
        return False
    a, b = draw.sample(views, 2)
    owner = cast(arith.ConstantOp, a.byte_shift.owner)
    place = cast(Any, cast(arith.ConstantOp, b.byte_shift.owner).value).value.data
    moved = IntegerAttr(max(0, place + draw.choice([0, 0, -4, 4])), cast(Any, owner.result.type))
    changed = moved != owner.value
    owner.properties["value"] = moved
    return changed


@dataclass(frozen=True)
class Fault:
    """A kind of fault, and the programs that it is planted in."""

    name: str
    program: Callable[[random.Random], ModuleOp]
    plant: Callable[[ModuleOp, random.Random], bool]


FAULTS = (
    Fault("grid: address shifted", grid_program, shift_address),
    Fault("grid: map off by one or two", grid_program, shift_map),
    Fault("grid: wrong coefficient", grid_program, change_coefficient),
    Fault("grid: stage count", grid_program, change_stages),
    Fault("grid: fill removed", grid_program, remove_tile_fill),
    Fault("grid: tile extent", grid_program, change_extents),
    Fault("transfers: address shifted", expanded_program, nudge_view),
    Fault("transfers: offset shifted", expanded_program, nudge_offset),
    Fault("transfers: missing wait", expanded_program, drop_wait),
    Fault("transfers: late wait", expanded_program, delay_wait),
    Fault("transfers: swapped tokens", expanded_program, swap_tokens),
    Fault("transfers: fill removed", expanded_program, remove_fill),
    Fault("arena: lifetime cut", arena_program, cut_lifetime),
    *(Fault(f"tiled: {name}", tiled_program, plant) for name, plant in GRID_FAULTS.items()),
    *(Fault(f"tiled, explicit: {name}", expanded_tiled_program, plant) for name, plant in EXPLICIT_FAULTS.items()),
)
