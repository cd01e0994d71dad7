"""Functions that copy one tile: what transfers become, whoever moves the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.hier import DmaStartOp
from ...ir import shape_of, symbol_names
from .nest import INDEX, index_constant

Range = tuple[SSAValue, SSAValue]
"""From where to where."""

Move = Callable[[Block, DmaStartOp, Sequence[Range]], Sequence[SSAValue]]
"""
Appends to the block of a function (far, near, offsets...) what moves the part of the tile that lies inside of the far
buffer, given for each axis, and returns what the function returns.
"""


def call_copier(
    function: func.FuncOp, op: DmaStartOp, known: dict[tuple[Any, ...], str], results: Sequence[Attribute], move: Move
) -> func.CallOp:
    """
    Return the call of a function that does the same as a transfer, at its location.

    `known` holds the names of such functions of the module, and gets that which is made if there was none yet.
    """
    arguments = [op.far, op.near, *op.offsets]
    key = (op.far.type, op.near.type, op.writes_far, op.clipped, op.fill, spanned(op))
    if key not in known:
        known[key] = _free_name(function, f"{'write' if op.writes_far else 'read'}_tile", len(known))
        copier = _copier(known[key], op, [value.type for value in arguments], results, move)
        copier.location = op.location
        Rewriter.insert_op(copier, InsertPoint.before(function))
    call = func.CallOp(known[key], arguments, list(results))
    call.location = op.location
    return call


def _free_name(function: func.FuncOp, base: str, number: int) -> str:
    """Return a name with a number, from this one on, that nothing beside the function has."""
    assert function.parent is not None
    taken = symbol_names(function.parent)
    return next(name for name in (f"{base}_{n}" for n in count(number)) if name not in taken)


def _copier(name: str, op: DmaStartOp, types: Sequence[Any], results: Sequence[Attribute], move: Move) -> func.FuncOp:
    """Return the function (far, near, offsets...) that copies one tile."""
    block = Block(arg_types=types)
    far, near, *offsets = block.args
    far.name_hint, near.name_hint = "far", "near"
    bounds = _bounds(block, far, near, offsets, spanned(op))
    if op.fill is not None:
        _fill(block, near, bounds, op.fill)
    returned = move(block, op, bounds)
    block.add_op(func.ReturnOp(*returned))
    return func.FuncOp(name, FunctionType.from_lists(types, list(results)), Region(block), visibility="private")


def add(block: Block, op: Operation) -> SSAValue:
    """Append an op and return its result."""
    block.add_op(op)
    return op.results[0]


def number(block: Block, value: int) -> SSAValue:
    """Append an index constant."""
    return add(block, index_constant(value))


def spanned(op: DmaStartOp) -> tuple[bool, ...]:
    """Return along which axes a tile lies inside of the far buffer as a whole, whatever the rest does."""
    if op.clipped is None:
        return (True,) * len(op.offsets)
    extents = zip(op.offsets, shape_of(op.near), shape_of(op.far), strict=True)
    return tuple((tile, whole) == (1, 1) and _is_zero(offset) for offset, tile, whole in extents)


def _is_zero(value: SSAValue) -> bool:
    constant = value.owner
    attribute = constant.value if isinstance(constant, arith.ConstantOp) else None
    return isinstance(attribute, IntegerAttr) and attribute.value.data == 0


def _bounds(
    block: Block, far: SSAValue, near: SSAValue, offsets: Sequence[SSAValue], whole: Sequence[bool]
) -> list[Range]:
    """Return from where to where each axis of the tile lies inside of the far buffer; those in `whole` always do."""
    bounds: list[Range] = []
    for offset, tile, extent, inside in zip(offsets, shape_of(near), shape_of(far), whole, strict=True):
        low, high = number(block, 0), number(block, tile)
        if not inside:
            low = add(block, arith.MaxSIOp(low, add(block, arith.SubiOp(low, offset))))
            high = add(block, arith.MinSIOp(high, add(block, arith.SubiOp(number(block, extent), offset))))
        bounds.append((low, high))
    return bounds


def nest(block: Block, bounds: Sequence[Range], body: Callable[[Block, list[SSAValue]], None]) -> None:
    """Append loops over a box, the last axis innermost."""
    indices: list[SSAValue] = []
    loops: list[Block] = []
    for low, high in bounds:
        inner = Block(arg_types=[INDEX])
        block.add_op(scf.ForOp(low, high, number(block, 1), [], inner))
        loops.append(inner)
        indices.append(inner.args[0])
        block = inner
    body(block, indices)
    for inner in loops:
        inner.add_op(scf.YieldOp())


def _fill(block: Block, near: SSAValue, bounds: Sequence[Range], fill: Any) -> None:
    """Append the filling of the whole tile, if part of it lies outside."""
    outside: SSAValue | None = None
    for (low, high), tile in zip(bounds, shape_of(near), strict=True):
        inside = add(block, arith.SubiOp(high, low))
        short = add(block, arith.CmpiOp(inside, number(block, tile), "slt"))
        outside = short if outside is None else add(block, arith.OrIOp(outside, short))
    assert outside is not None
    value = add(block, arith.ConstantOp(fill))
    then = Block()
    whole = [(number(then, 0), number(then, tile)) for tile in shape_of(near)]
    nest(then, whole, lambda inner, indices: inner.add_op(memref.StoreOp.get(value, near, indices)))
    then.add_op(scf.YieldOp())
    block.add_op(scf.IfOp(outside, [], Region(then)))
