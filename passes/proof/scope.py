"""
Scope of a grid's body: the dimensions of all grids around it, its buffers, and the guards of its ops.

The dimensions of grids in grids are numbered from the outermost grid's first one on, of each grid the spatial ones
first: what a copy goes through is then in row-major order, and nothing stays from one copy to another. Those with one
point are left out of all forms and guards.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear, drop_unit_dims, linear
from ...dialects.core.analysis.arithmetic import integer_of
from ...dialects.hier import FirstOp, GridOp, LastOp
from ...ir import shape_of
from .grid import Tiles, tiles_of
from .rules import Refusal, grid_point, listed, refuse
from .sets import leaving

Forms: TypeAlias = tuple[Linear, ...]
"""An element, per axis, as linear forms of the grid point."""


@dataclass(frozen=True)
class Guard:
    """Guard of an op: it runs where the dimensions in `first` are 0 and those in `last` are at their ends."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()

    @property
    def dims(self) -> frozenset[int]:
        """The dimensions that it asks for."""
        return self.first | self.last

    def implies(self, other: Guard) -> bool:
        """Return whether an op under this guard runs only where one under the other does."""
        return other.first <= self.first and other.last <= self.last

    def below(self, depth: int) -> Guard:
        """Return the part of the guard on the dimensions before `depth`."""
        first = frozenset(dim for dim in self.first if dim < depth)
        return Guard(first, frozenset(dim for dim in self.last if dim < depth))


@dataclass(frozen=True)
class BufferOffset:
    """Offset of a buffer in an enclosing shape: that of an operand, or of the whole result of a kernel."""

    start: Forms
    shape: tuple[int, ...]

    def moved(self, by: Forms) -> BufferOffset:
        """Return the place of a part that begins `by` later."""
        return BufferOffset(tuple(a + b for a, b in zip(self.start, by, strict=True)), self.shape)


@dataclass(frozen=True, eq=False)
class GridBuffer:
    """
    Denotation of an argument of a body.

    `memory` is the buffer whose bytes it is, at `offset` in it: itself, unless it is a view. The content stays while
    the dimensions from `kept` on run. `around` is the operand that it is a tile of, None outside of all grids and for
    scratch.
    """

    value: SSAValue
    memory: SSAValue
    offset: Forms
    kept: int
    tiles: Tiles | None = None
    start: Forms = ()
    """Where it begins in the operand around it."""
    around: GridBuffer | None = None
    number: int | None = None
    """Which of the grid's scratch buffers it is, if it is one."""
    by_data: bool = False
    """Data choose which tile it is, or which one it is a tile of: nothing tells its offset."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the buffer."""
        return shape_of(self.value)

    @property
    def name(self) -> str:
        """The buffer, for messages."""
        if self.tiles is not None:
            return self.tiles.name
        return f"scratch {self.number}" + (f" (%{self.value.name_hint})" if self.value.name_hint else "")

    @property
    def root(self) -> GridBuffer:
        """The buffer that it is a tile of a tile of: one outside of all grids, or scratch."""
        return self if self.around is None else self.around.root

    @cached_property
    def places(self) -> tuple[BufferOffset, ...]:
        """Offsets in the operands around it, the innermost first."""
        if self.around is None or self.by_data:
            return ()
        return BufferOffset(self.start, self.around.shape), *(place.moved(self.start) for place in self.around.places)

    @property
    def is_view(self) -> bool:
        """Return whether the buffer is a view of another one."""
        return self.tiles is not None and self.tiles.is_view

    @property
    def is_part(self) -> bool:
        """Return whether the buffer is a subview, made in the body."""
        return isinstance(self.value.owner, memref.SubviewOp)

    @property
    def is_output(self) -> bool:
        """Return whether it is the tile of an output."""
        return self.tiles is not None and self.tiles.is_output

    @property
    def part(self) -> Forms | None:
        """Offset in its memory, None where it begins at 0 at every point."""
        return self.offset if any(form != Linear() for form in self.offset) else None

    @property
    def offset_dims(self) -> frozenset[int]:
        """The dimensions that move it within its memory."""
        return frozenset(dim for form in self.offset for dim in form.dims())


@dataclass
class GridScope:
    """One grid, within those around it."""

    grid: GridOp
    outer: GridScope | None
    guard: Guard
    """When the grid runs."""
    base: int = field(init=False)
    bounds: tuple[int, ...] = field(init=False)
    """The extents of all dimensions, down to those of this grid."""
    written: tuple[int, ...] = field(init=False)
    """The number that each dimension has where the spatial ones are not the first."""
    spatial: frozenset[int] = field(init=False)
    """The dimensions along copies, of all grids down to this one."""
    dims: dict[SSAValue, int] = field(init=False)
    buffers: dict[SSAValue, GridBuffer] = field(init=False)

    def __post_init__(self) -> None:
        self.base = len(self.outer.bounds) if self.outer else 0
        grid, sequence = self.grid, self.grid.sequence
        self.bounds = (*(self.outer.bounds if self.outer else ()), *(grid.bounds[dim] for dim in sequence))
        self.written = (*(self.outer.written if self.outer else ()), *(self.base + dim for dim in sequence))
        own = {dim: self.base + place for place, dim in enumerate(sequence)}
        self.spatial = self.outer.spatial if self.outer else frozenset()
        self.spatial |= {own[dim] for dim in grid.spatial_dims}
        self.dims = dict(self.outer.dims) if self.outer else {}
        self.dims |= {value: own[dim] for dim, value in enumerate(grid.point)}
        self.buffers = dict(self.outer.buffers) if self.outer else {}
        for tiles, value in zip(tiles_of(grid), grid.buffers, strict=True):
            self.buffers[value] = self._tile(tiles, value, own)
        kept = self.base + len(grid.spatial_dims)
        for number, value in enumerate(grid.scratch_buffers):
            self.buffers[value] = GridBuffer(value, value, _zeros(value), kept, number=number)

    @property
    def depth(self) -> int:
        """The number of dimensions."""
        return len(self.bounds)

    def operand(self, value: SSAValue) -> GridBuffer:
        """Return an operand of the grid; one that belongs to no grid has its content from outside."""
        buffer = self.outer.buffers.get(value) if self.outer else None
        return buffer or GridBuffer(value, value, _zeros(value), 0)

    def _tile(self, tiles: Tiles, value: SSAValue, numbers: Mapping[int, int]) -> GridBuffer:
        around = self.operand(tiles.value)
        by_data = around.by_data or bool(tiles.tile.lookups)
        start = _zeros(value) if by_data else tuple(_renamed(form, numbers) for form in tiles.starts)
        if tiles.is_view:
            offset = tuple(a + b for a, b in zip(around.offset, start, strict=True))
            return GridBuffer(value, around.memory, offset, around.kept, tiles, start, around, by_data=by_data)
        kept = self.base + tiles.moving
        return GridBuffer(value, value, _zeros(value), kept, tiles, start, around, by_data=by_data)

    def view(self, op: memref.SubviewOp) -> GridBuffer:
        """
        Return the part of a tile or of scratch that a subview is: a tile of it, as in a grid within this one.

        Raises Diagnostic for one that leaves it, and for one of other buffers, with steps, or at offsets that are not
        affine in the grid point.
        """
        source, extents = self.buffers.get(op.source), shape_of(op.result)
        dynamic = iter(op.offsets)
        static = op.static_offsets.get_values()
        forms = [self._form(next(dynamic)) if at == DYNAMIC_INDEX else Linear((), at) for at in static]
        affine, steps = tuple(form for form in forms if form is not None), op.static_strides.get_values()
        if source is None or not len(affine) == len(static) == len(extents) or any(step != 1 for step in steps):
            at = [self.text(self.point()), f"part of {listed(extents)}"]
            remedy = "use parts of tiles and of scratch, at affine offsets, of consecutive elements"
            raise refuse("whole-kernel", "nothing tells which part a view is", op, at, remedy=remedy)
        for axis, (start, extent, size) in enumerate(zip(affine, extents, source.shape, strict=True)):
            if (point := leaving(start, extent, size, self.bounds)) is not None:
                at = [self.text(point), f"elements from {start.at(point)} on of {size}, along axis {axis}"]
                raise refuse("inside", f"a view of {source.name} of the grid leaves it", op, at)
        offset = tuple(a + b for a, b in zip(source.offset, affine, strict=True))
        by_data, kept = source.by_data, source.kept
        return GridBuffer(op.result, source.memory, offset, kept, source.tiles, affine, source, by_data=by_data)

    def _form(self, value: SSAValue) -> Linear | None:
        """Return an index as a form of the grid point, None where it is not affine."""
        if value in self.dims:
            dim = self.dims[value]
            return Linear(((dim, 1),)) if self.bounds[dim] > 1 else Linear()
        if (number := integer_of(value)) is not None:
            return Linear((), number)
        if not isinstance(value.owner, arith.AddiOp | arith.MuliOp):
            return None
        a, b = (self._form(operand) for operand in value.owner.operands)
        if a is None or b is None:
            return None
        return a + b if isinstance(value.owner, arith.AddiOp) else a.times(b)

    def within(self, op: FirstOp | LastOp, guard: Guard) -> Guard:
        """Return the guard of an op's body, conjoined with that of the op itself."""
        dims = frozenset(dim for value in op.dims if self.bounds[dim := self.dims[value]] > 1)
        if isinstance(op, FirstOp):
            return Guard(guard.first | dims, guard.last)
        return Guard(guard.first, guard.last | dims)

    def running(self, start: int) -> frozenset[int]:
        """Return the dimensions from `start` on that have more than one point."""
        return frozenset(dim for dim in range(start, self.depth) if self.bounds[dim] > 1)

    def point(self, ones: Collection[int] = (), ends: Collection[int] = ()) -> list[int]:
        """Return a grid point: 0, but 1 along some dimensions, and the last one along others."""
        return [n - 1 if d in ends else int(d in ones) for d, n in enumerate(self.bounds)]

    def text(self, point: Sequence[int]) -> str:
        """Return a grid point as text, its dimensions in the order in which the grids have them."""
        indices = {self.written[dim]: index for dim, index in enumerate(point)}
        spatial = sorted(self.written[dim] for dim in self.spatial)
        return grid_point([indices[dim] for dim in range(len(point))], spatial)

    def refuse(
        self, rule: str, op: Operation, message: str, buffer: GridBuffer, point: Sequence[int] = (), **parts: Any
    ) -> Refusal:
        """Return the error for a grid that breaks a rule at a point, of 0 unless told, where it accesses a buffer."""
        at = [self.text(point or self.point()), f"element {listed([0] * len(buffer.shape))}"]
        return refuse(rule, message, op, at, **parts)

    def names(self, dims: Collection[int]) -> str:
        """Return dimensions as text."""
        written = sorted(self.written[dim] for dim in dims)
        return ", ".join(f"d{dim}" for dim in written)


def _zeros(value: SSAValue) -> Forms:
    return tuple(Linear() for _ in shape_of(value))


def _renamed(form: Linear, numbers: Mapping[int, int]) -> Linear:
    """Return a form in dimensions that have other numbers."""
    if all(numbers[dim] == dim for dim in form.dims()):
        return form
    return linear(form.expr({dim: numbers[dim] for dim in form.dims()}))


def at_first(form: Linear, dims: Collection[int], bounds: Sequence[int]) -> Linear:
    """Return a form where some dimensions are 0."""
    if not form.divides:
        return Linear(tuple((d, f) for d, f in form.terms if d not in dims), form.constant)
    return drop_unit_dims(form, [1 if d in dims else n for d, n in enumerate(bounds)])
