"""Faults to plant in programs that cut reductions, fuse kernels, use views and resident buffers, and nest grids."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.hier import DmaStartOp, FirstOp, GridOp, LastOp, ScratchAttr, SourceAttr, TileAttr


def ops_of(module: ModuleOp, *kinds: type[Operation]) -> list[Any]:
    """Return the ops of some classes."""
    return [op for op in module.walk() if isinstance(op, kinds)]


def _end(module: ModuleOp, draw: random.Random, kind: type[Operation]) -> Any | None:
    found = ops_of(module, kind)
    return draw.choice(found) if found else None


def drop_guard(module: ModuleOp, draw: random.Random) -> bool:
    """Drop the guard of hier.first or hier.last, so that its body runs at every point."""
    found = ops_of(module, FirstOp, LastOp)
    if not found:
        return False
    op = draw.choice(found)
    Rewriter.inline_block(op.body.block, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return True


def _other_dims(op: Any, draw: random.Random) -> bool:
    grid = op.dims[0].owner.parent_op()
    points = list(grid.point)
    names = draw.sample(points, draw.randint(1, len(points)))
    if set(names) == set(op.dims):
        return False
    new = type(op)(names, op.detach_region(op.regions[0]))
    Rewriter.replace_op(op, new)
    return True


def move_first(module: ModuleOp, draw: random.Random) -> bool:
    """Let hier.first name other dimensions."""
    op = _end(module, draw, FirstOp)
    return op is not None and _other_dims(op, draw)


def move_last(module: ModuleOp, draw: random.Random) -> bool:
    """Let hier.last name other dimensions."""
    op = _end(module, draw, LastOp)
    return op is not None and _other_dims(op, draw)


def swap_ends(module: ModuleOp, draw: random.Random) -> bool:
    """Make hier.last of hier.first, or the other way round."""
    op = _end(module, draw, draw.choice([FirstOp, LastOp]))
    if op is None:
        return False
    kind = LastOp if isinstance(op, FirstOp) else FirstOp
    Rewriter.replace_op(op, kind(list(op.dims), op.detach_region(op.regions[0])))
    return True


def drop_start(module: ModuleOp, draw: random.Random) -> bool:
    """Leave out the start of sums: a fill or a copy."""
    found = ops_of(module, linalg.FillOp, memref.CopyOp)
    if found:
        Rewriter.erase_op(draw.choice(found))
    return bool(found)


def change_start(module: ModuleOp, draw: random.Random) -> bool:
    """Let sums begin at another number."""
    fills = ops_of(module, linalg.FillOp)
    owner = draw.choice(fills).operands[0].owner if fills else None
    if not isinstance(owner, arith.ConstantOp):
        return False
    old = cast(Any, owner.value)
    number = old.value.data + draw.choice([-1, 1])
    owner.properties["value"] = IntegerAttr(number if -128 <= number <= 127 else 0, old.type)
    return True


def move_op(module: ModuleOp, draw: random.Random) -> bool:
    """Exchange two ops that follow each other in the body of a grid."""
    pairs = [
        op
        for grid in ops_of(module, GridOp)
        for op in grid.body.block.ops
        if _moves(op) and op.next_op is not None and _moves(op.next_op)
    ]
    if not pairs:
        return False
    op = draw.choice(pairs)
    following = op.next_op
    following.detach()
    op.parent.insert_op_before(following, op)
    return True


def _moves(op: Operation) -> bool:
    return isinstance(op, FirstOp | LastOp | GridOp | memref.CopyOp) or is_kernel(op)


def change_bound(module: ModuleOp, draw: random.Random) -> bool:
    """Make a grid one point longer or shorter."""
    grid = _end(module, draw, GridOp)
    assert grid is not None
    bounds = list(grid.bounds)
    at = draw.randrange(len(bounds))
    bounds[at] = max(1, bounds[at] + draw.choice([-1, -1, 1]))
    changed = tuple(bounds) != grid.bounds
    grid.properties["extents"] = DenseArrayBase.from_list(i64, bounds)
    return changed


def shift_scratch(module: ModuleOp, draw: random.Random) -> bool:
    """Move a scratch buffer."""
    grids = [grid for grid in ops_of(module, GridOp) if grid.scratches]
    if not grids:
        return False
    grid = draw.choice(grids)
    scratch = list(grid.scratches)
    at = draw.randrange(len(scratch))
    place = max(0, (scratch[at].byte_address or 0) + draw.choice([-64, -16, -8, -4, 4, 8]))
    changed = place != scratch[at].byte_address
    scratch[at] = ScratchAttr(scratch[at].buffer, IntAttr(place))
    grid.properties["scratch"] = ArrayAttr(scratch)
    return changed


def shift_resident(module: ModuleOp, draw: random.Random) -> bool:
    """Move a buffer that stays in its level."""
    residents = [op for op in ops_of(module, memref.AllocOp) if "hier.address" in op.attributes]
    if not residents:
        return False
    op = draw.choice(residents)
    place = op.attributes["hier.address"].value.data + draw.choice([4, 8, 16, 24, 32, 64])
    op.attributes["hier.address"] = IntegerAttr(place, i64)
    return True


def _set_tile(module: ModuleOp, draw: random.Random, change: Callable[[TileAttr], TileAttr]) -> bool:
    grid = _end(module, draw, GridOp)
    assert grid is not None
    tiles = list(grid.tiles)
    at = draw.randrange(len(tiles))
    old, tiles[at] = tiles[at], change(tiles[at])
    grid.properties["tiles"] = ArrayAttr(tiles)
    return tiles[at] != old


def _changed(tile: TileAttr, at: int, change: Callable[[AffineExpr], AffineExpr]) -> TileAttr:
    lead = tile.map.data
    results = [change(expr) if axis == at else expr for axis, expr in enumerate(lead.results)]
    return tile.with_map(AffineMapAttr(AffineMap(lead.num_dims, 0, tuple(results))))


def shift_tile(module: ModuleOp, draw: random.Random) -> bool:
    """Add to the offsets of a tile or a view."""
    delta = draw.choice([-2, -1, 1, 2])
    return _set_tile(module, draw, lambda t: _changed(t, draw.randrange(len(t.extents)), lambda expr: expr + delta))


def change_step(module: ModuleOp, draw: random.Random) -> bool:
    """Let a tile or a view move faster or slower along a dimension."""
    delta = draw.choice([-1, 1, 2])

    def change(tile: TileAttr) -> TileAttr:
        dim = AffineExpr.dimension(draw.randrange(tile.map.data.num_dims))
        return _changed(tile, draw.randrange(len(tile.extents)), lambda expr: expr + dim * delta)

    return _set_tile(module, draw, change)


def shift_tile_address(module: ModuleOp, draw: random.Random) -> bool:
    """Move the buffers of one operand of a grid."""
    delta = draw.choice([-64, -16, -8, 8, 16, 64])

    def change(tile: TileAttr) -> TileAttr:
        return tile if tile.byte_address is None else tile.with_address(max(0, tile.byte_address + delta))

    return _set_tile(module, draw, change)


def change_fill(module: ModuleOp, draw: random.Random) -> bool:
    """Fill tiles with something else."""

    def change(tile: TileAttr) -> TileAttr:
        if tile.source.padding is None:
            return tile
        fill = IntegerAttr(draw.choice([1, 5, -3]), cast(Any, tile.source.padding).type)
        return tile.with_source(SourceAttr(tile.source.broadcast, tile.source.neighbours, fill))

    return _set_tile(module, draw, change)


def overwrite(module: ModuleOp, draw: random.Random) -> bool:
    """Let a kernel that adds to its output begin anew each time."""
    found = [op for op in module.walk() if op.properties.get("accumulate") is not None]
    if found:
        del draw.choice(found).properties["accumulate"]
    return bool(found)


# Explicit programs


def drop_condition(module: ModuleOp, draw: random.Random) -> bool:
    """Drop the condition of steps, so that their body runs at all steps."""
    found = [op for op in ops_of(module, scf.IfOp) if not op.results]
    if not found:
        return False
    op = draw.choice(found)
    block = op.true_region.block
    assert block.last_op is not None
    Rewriter.erase_op(block.last_op)
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return True


def drop_conditional(module: ModuleOp, draw: random.Random) -> bool:
    """Drop the ops that run at some steps only."""
    found = [op for op in ops_of(module, scf.IfOp) if not op.results]
    if found:
        Rewriter.erase_op(draw.choice(found))
    return bool(found)


def change_condition(module: ModuleOp, draw: random.Random) -> bool:
    """Do something at another step."""
    found = ops_of(module, arith.CmpiOp)
    return bool(found) and _shift(draw.choice(found), 1, draw.choice([-1, 1]))


def nudge_subview(module: ModuleOp, draw: random.Random) -> bool:
    """Let a view begin elsewhere in its buffer."""
    found = ops_of(module, memref.SubviewOp)
    return bool(found) and _nudge(draw.choice(found), range(1, 3), draw)


def nudge_address(module: ModuleOp, draw: random.Random) -> bool:
    """Change the address of a tile's buffer, of scratch or of a resident buffer."""
    found = ops_of(module, memref.ViewOp)
    return bool(found) and _shift(draw.choice(found), 1, draw.choice([-16, -8, -4, -1, 4, 8, 16, 64]))


def nudge_transfer(module: ModuleOp, draw: random.Random) -> bool:
    """Change where a transfer moves a tile from or to."""
    found = ops_of(module, DmaStartOp)
    if not found:
        return False
    op = draw.choice(found)
    return _shift(op, draw.randrange(1, len(op.operands) - 1), draw.choice([-2, -1, 1, 2]))


def shorten_loop(module: ModuleOp, draw: random.Random) -> bool:
    """Leave out the last step of a loop, or the first."""
    found = ops_of(module, scf.ForOp)
    op = draw.choice(found)
    return _shift(op, *draw.choice([(1, -1), (0, 1)]))


def _nudge(op: Operation, operands: Sequence[int], draw: random.Random) -> bool:
    at = [index for index in operands if index < len(op.operands)]
    return bool(at) and _shift(op, draw.choice(at), draw.choice([-1, 1]))


def _shift(op: Operation, operand: int, delta: int) -> bool:
    """Add a number to one operand of an op."""
    value = op.operands[operand]
    constant = arith.ConstantOp(IntegerAttr(delta, cast(Any, value.type)))
    total = arith.AddiOp(value, constant.result)
    Rewriter.insert_op([constant, total], InsertPoint.before(op))
    op.operands[operand] = total.result
    return True


GRID_FAULTS: dict[str, Callable[[ModuleOp, random.Random], bool]] = {
    "guard dropped": drop_guard,
    "first over other dims": move_first,
    "last over other dims": move_last,
    "first for last": swap_ends,
    "start dropped": drop_start,
    "start at another number": change_start,
    "ops exchanged": move_op,
    "extent changed": change_bound,
    "scratch shifted": shift_scratch,
    "resident shifted": shift_resident,
    "map off by one or two": shift_tile,
    "wrong coefficient": change_step,
    "address shifted": shift_tile_address,
    "other fill": change_fill,
    "sums overwritten": overwrite,
}
EXPLICIT_FAULTS: dict[str, Callable[[ModuleOp, random.Random], bool]] = {
    "condition dropped": drop_condition,
    "conditional dropped": drop_conditional,
    "other step": change_condition,
    "start dropped": drop_start,
    "start at another number": change_start,
    "view shifted": nudge_subview,
    "address shifted": nudge_address,
    "offset shifted": nudge_transfer,
    "step left out": shorten_loop,
    "sums overwritten": overwrite,
}
