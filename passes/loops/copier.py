"""Copy functions for tiles: the lowering of transfers without a DMA engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from itertools import count
from typing import Any

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.structural_key import structural_key
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.builder import Builder
from ...dialects.core.scalars import Index
from ...dialects.hier import DmaStartOp
from ...ir import shape_of, symbol_names

Range = tuple[Index, Index]
"""Half-open interval of an index."""

Move = Callable[[Builder, DmaStartOp, Sequence[Range]], Sequence[SSAValue]]
"""
Builds the body of a copy function (far, near, offsets...) for the in-bounds part of the tile, given per axis; returns
the function's results.
"""


Fill = Callable[[Builder, SSAValue, Sequence[Range], Any], None]
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

        `fill` sets a tile's buffer that is not in bounds, with stores by default.
        """
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
    inside_sides, builder = inside(op), Builder.at_end(block)
    bounds = _bounds(builder, far, near, offsets, inside_sides)
    if op.fill is not None and not all(first and last for first, last in inside_sides):
        fill(builder, near, bounds, op.fill)
    builder.insert(func.ReturnOp(*move(builder, op, bounds)))
    return func.FuncOp(name, FunctionType.from_lists(types, list(results)), Region(block), visibility="private")


def inside(op: DmaStartOp) -> tuple[tuple[bool, bool], ...]:
    """
    Return per axis whether a tile's first and its last index are always in bounds of the far buffer.

    The last one only where tiles divide the axis, or are repeated along it: so the tiles of an axis share a function.
    """
    if op.clipped is None:
        return ((True, True),) * len(op.offsets)
    ranges, sides = ValueRanges(), zip(op.offsets, shape_of(op.near), shape_of(op.far), strict=True)
    in_bounds: list[tuple[bool, bool]] = []
    for axis, (offset, tile, whole) in enumerate(sides):
        interval, last = ranges.of(offset), 0 if axis in op.repeated else whole - tile
        divides = axis in op.repeated or whole % tile == 0
        begins = interval is not None and interval.low >= 0
        ends = interval is not None and divides and interval.high <= last
        in_bounds.append((begins, ends))
    return tuple(in_bounds)


def _bounds(
    builder: Builder,
    far: SSAValue,
    near: SSAValue,
    offsets: Sequence[SSAValue],
    inside_sides: Sequence[tuple[bool, bool]],
) -> list[Range]:
    """Return the interval of the tile's indices in bounds of the far buffer per axis; `inside_sides`: see `inside`."""
    bounds: list[Range] = []
    for offset, tile, extent, (first, last) in zip(offsets, shape_of(near), shape_of(far), inside_sides, strict=True):
        low = 0 if first else builder.max(0, builder.sub(0, offset))
        high = tile if last else builder.min(tile, builder.sub(extent, offset))
        bounds.append((low, high))
    return bounds


@contextmanager
def over_box(builder: Builder, bounds: Sequence[Range]) -> Generator[list[SSAValue]]:
    """Build in loops over a box, the last axis innermost, and give their indices."""
    with ExitStack() as stack:
        yield [builder.value(stack.enter_context(builder.loop(None, low, high))) for low, high in bounds]


def _is_partial(builder: Builder, near: SSAValue, bounds: Sequence[Range]) -> SSAValue:
    """Return the condition that part of a tile is out of bounds."""
    parts = [
        builder.compare(builder.sub(high, low), "slt", tile)
        for (low, high), tile in zip(bounds, shape_of(near), strict=True)
        if isinstance(low, SSAValue) or isinstance(high, SSAValue)
    ]
    return reduce(builder.either, parts)


def fill_outside(
    builder: Builder, near: SSAValue, bounds: Sequence[Range], fill: Callable[[Sequence[Range], int], None]
) -> None:
    """
    Build the fill of the part of a tile that is out of bounds, if there is one, as boxes.

    `fill` builds that of a box, given as an interval per axis and the number of the axis that is out of bounds: the
    axes before are in bounds, those behind are whole.
    """
    whole: list[Range] = [(0, tile) for tile in shape_of(near)]
    with builder.when(_is_partial(builder, near, bounds)):
        for axis, ((low, high), (_, tile)) in enumerate(zip(bounds, whole, strict=True)):
            parts: list[Range] = [(0, builder.min(low, tile))] if isinstance(low, SSAValue) else []
            parts += [(builder.max(high, 0), tile)] if isinstance(high, SSAValue) else []
            for part in parts:
                fill([*bounds[:axis], part, *whole[axis + 1 :]], axis)


def _fill(builder: Builder, near: SSAValue, bounds: Sequence[Range], fill: Any) -> None:
    """Build the fill of the part of a tile that is out of bounds by stores of elements."""
    value = builder.op(arith.ConstantOp(fill))

    def store(box: Sequence[Range], axis: int) -> None:
        with over_box(builder, box) as indices:
            builder.insert(memref.StoreOp.get(value, near, indices))

    fill_outside(builder, near, bounds, store)
