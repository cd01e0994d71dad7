"""Copy functions for tiles: the lowering of transfers without a DMA engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from typing import Any

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, NoneAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.structural_key import structural_key
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.scalars import INDEX, index_constant
from ...dialects.hier import DmaStartOp
from ...errors import Diagnostic
from ...ir import shape_of, symbol_names, where

Range = tuple[SSAValue, SSAValue]
"""Half-open interval of an index."""

Move = Callable[[Block, DmaStartOp, Sequence[Range]], Sequence[SSAValue]]
"""
Builds the body of a copy function (far, near, offsets...) for the in-bounds part of the tile, given per axis; returns
the function's results.
"""


Fill = Callable[[Block, SSAValue, Sequence[Range], Any], None]
"""Appends the fill of a tile's buffer where the tile is not in bounds: of the buffer, the part in bounds, the value."""


class Copiers:
    """Copy functions of a module, memoised."""

    def __init__(self, module: ModuleOp):
        self._names: dict[tuple[Any, ...], str] = {}
        self._taken = symbol_names(module.body.block)

    def call(
        self,
        function: func.FuncOp,
        op: DmaStartOp,
        results: Sequence[Attribute],
        move: Move,
        fill: Fill | None = None,
    ) -> func.CallOp:
        """
        Build the call that replaces a transfer; define its callee before `function` if missing.

        `fill` sets a tile's buffer that is not in bounds, with stores by default. Raises Diagnostic for a clipped fetch
        without a fill.
        """
        if isinstance(op.fill, NoneAttr):
            message = "a transfer that may extend beyond its far buffer has no fill"
            raise Diagnostic(message, where=where(op), remedy="give the tile a fill")
        arguments = [op.far, op.near, *op.offsets]
        flags = (op.writes_far, op.clipped, op.fill, op.repeated)
        key = (op.far.type, op.near.type, flags, inside(op), _key_of_body(op))
        if key not in self._names:
            self._names[key] = self._free_name(f"{'write' if op.writes_far else 'read'}_tile")
            copier = _copier(self._names[key], op, [value.type for value in arguments], results, move, fill or _fill)
            copier.location = op.location
            Rewriter.insert_op(copier, InsertPoint.before(function))
        call = func.CallOp(self._names[key], arguments, list(results))
        call.location = op.location
        return call

    def _free_name(self, base: str) -> str:
        """Return a fresh numbered name, and reserve it."""
        numbered = (f"{base}_{number}" for number in count(len(self._names)))
        name = next(name for name in numbered if name not in self._taken)
        self._taken.add(name)
        return name


def _key_of_body(op: DmaStartOp) -> Hashable:
    return structural_key(list(op.body.block.ops), lambda value: value.type) if op.body is not None else None


def _copier(
    name: str, op: DmaStartOp, types: Sequence[Any], results: Sequence[Attribute], move: Move, fill: Fill
) -> func.FuncOp:
    """Build the function (far, near, offsets...) that copies one tile."""
    block = Block(arg_types=types)
    far, near, *offsets = block.args
    far.name_hint, near.name_hint = "far", "near"
    known = inside(op)
    bounds = _bounds(block, far, near, offsets, known)
    if op.fill is not None and not all(first and last for first, last in known):
        fill(block, near, bounds, op.fill)
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


def inside(op: DmaStartOp) -> tuple[tuple[bool, bool], ...]:
    """
    Return per axis whether a tile's first and its last index are always in bounds of the far buffer.

    The last one only where tiles divide the axis, or are repeated along it: so the tiles of an axis share a function.
    """
    if op.clipped is None:
        return ((True, True),) * len(op.offsets)
    ranges, sides = ValueRanges(), zip(op.offsets, shape_of(op.near), shape_of(op.far), strict=True)
    found: list[tuple[bool, bool]] = []
    for axis, (offset, tile, whole) in enumerate(sides):
        held, last = ranges.of(offset), 0 if axis in op.repeated else whole - tile
        divides = axis in op.repeated or whole % tile == 0
        found.append((held is not None and held.low >= 0, held is not None and divides and held.high <= last))
    return tuple(found)


def _bounds(
    block: Block, far: SSAValue, near: SSAValue, offsets: Sequence[SSAValue], known: Sequence[tuple[bool, bool]]
) -> list[Range]:
    """Return the interval of the tile's indices in bounds of the far buffer per axis; `known` is that of `inside`."""
    bounds: list[Range] = []
    for offset, tile, extent, (first, last) in zip(offsets, shape_of(near), shape_of(far), known, strict=True):
        low, high = number(block, 0), number(block, tile)
        if not first:
            low = add(block, arith.MaxSIOp(low, add(block, arith.SubiOp(low, offset))))
        if not last:
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


def outside(block: Block, near: SSAValue, bounds: Sequence[Range]) -> SSAValue:
    """Append the condition that part of a tile is out of bounds."""
    found: SSAValue | None = None
    for (low, high), tile in zip(bounds, shape_of(near), strict=True):
        if _is_constant(low) and _is_constant(high):
            continue
        short = add(block, arith.CmpiOp(add(block, arith.SubiOp(high, low)), number(block, tile), "slt"))
        found = short if found is None else add(block, arith.OrIOp(found, short))
    assert found is not None
    return found


def fill_outside(
    block: Block, near: SSAValue, bounds: Sequence[Range], fill: Callable[[Block, Sequence[Range], int], None]
) -> None:
    """
    Append the fill of the part of a tile that is out of bounds, if there is one, as boxes.

    `fill` appends that of a box, given as an interval per axis and the number of the axis that is out of bounds: the
    axes before are in bounds, those behind are whole.
    """
    condition, then = outside(block, near, bounds), Block()
    whole = [(number(then, 0), number(then, tile)) for tile in shape_of(near)]
    for axis, ((low, high), (zero, tile)) in enumerate(zip(bounds, whole, strict=True)):
        parts = [(zero, add(then, arith.MinSIOp(low, tile)))] if not _is_constant(low) else []
        parts += [(add(then, arith.MaxSIOp(high, zero)), tile)] if not _is_constant(high) else []
        for part in parts:
            fill(then, [*bounds[:axis], part, *whole[axis + 1 :]], axis)
    then.add_op(scf.YieldOp())
    block.add_op(scf.IfOp(condition, [], Region(then)))


def _is_constant(bound: SSAValue) -> bool:
    return isinstance(bound.owner, arith.ConstantOp)


def _fill(block: Block, near: SSAValue, bounds: Sequence[Range], fill: Any) -> None:
    """Append the fill of the part of a tile that is out of bounds by stores of elements."""
    value = add(block, arith.ConstantOp(fill))

    def store(inner: Block, box: Sequence[Range], axis: int) -> None:
        nest(inner, box, lambda last, indices: last.add_op(memref.StoreOp.get(value, near, indices)))

    fill_outside(block, near, bounds, store)
