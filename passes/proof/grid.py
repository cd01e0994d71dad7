"""Proofs about grids, from their affine maps, without enumerating points or elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear, drop_unit_dims
from ...dialects.core.layouts import layout_map, view_strides
from ...dialects.hier import FirstOp, GridOp, LastOp, TileAttr
from ...dialects.hier.indirect import free_forms
from ...ir import shape_of
from .rules import grid_point, listed, name_of, refuse
from .sets import Dims, first_point, leaving, points, sample


@dataclass(frozen=True)
class Tiles:
    """The tiles of one operand of a grid."""

    grid: GridOp
    index: int
    tile: TileAttr
    value: SSAValue

    @property
    def is_output(self) -> bool:
        """Return whether the operand is written."""
        return self.index >= len(self.grid.inputs)

    @property
    def name(self) -> str:
        """The operand, for messages."""
        return name_of(self.grid, self.index)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the operand."""
        return shape_of(self.value)

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The shape of a tile."""
        return self.tile.extents

    @cached_property
    def footprint(self) -> tuple[int, ...]:
        """The shape of the elements of the operand that a tile holds: one along axes that it repeats."""
        return tuple(
            1 if axis in self.tile.source.broadcast_axes else extent for axis, extent in enumerate(self.extents)
        )

    @property
    def is_view(self) -> bool:
        """Return whether the tile is a view of the operand."""
        return self.tile.is_in_place

    @cached_property
    def starts(self) -> tuple[Linear, ...]:
        """Offset of the tile, in the dimensions of `bounds` with more than one point."""
        return tuple(drop_unit_dims(form, self.bounds) for form in free_forms(self.tile, self.grid.bounds)[0])

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The extents of the grid, and after them one for each lookup: the entry may be any in its range."""
        return free_forms(self.tile, self.grid.bounds)[1]

    @cached_property
    def moving(self) -> int:
        """
        Number of the grid's dimensions, outermost first, along which a tile changes; it is resident through the rest.

        Spatial dimensions are outside of all others: each copy has tiles of its own.
        """
        moved = self if self.tile.started_output is None else self.starting
        dims = {dim for start in moved.starts for dim in start.dims()}
        dims |= {dim for dim in moved.tile.lookup_dims() if self.grid.bounds[dim] > 1}
        last = max((place for place, dim in enumerate(self.grid.sequence) if dim in dims), default=-1)
        return max(last + 1, len(self.grid.spatial_dims))

    @property
    def starting(self) -> Tiles:
        """The tiles of the output that the operand starts."""
        assert self.tile.started_output is not None
        index = len(self.grid.inputs) + self.tile.started_output
        return Tiles(self.grid, index, self.grid.tiles.data[index], self.grid.operands[index])

    @property
    def stays_through(self) -> tuple[int, ...]:
        """Dimensions over which a tile is resident."""
        return self.grid.sequence[self.moving :]

    def point_text(self, point: Sequence[int]) -> str:
        """Return a grid point as text."""
        return grid_point(point[: len(self.grid.bounds)], self.grid.spatial_dims)

    def element_at(self, point: Sequence[int], element: Sequence[int]) -> list[str]:
        """Return a grid point and an element of the operand as text."""
        return [self.point_text(point), f"element {listed(element)} of the shape {listed(self.shape)}"]

    def at(self, point: Sequence[int]) -> list[int]:
        """Return the offset of the tile at a grid point."""
        return [start.at(point) for start in self.starts]

    def holds(self, dims: Dims, element: Dims) -> list[str]:
        """Return the constraints that the tile at a point holds an element."""
        sides = zip(self.starts, self.extents, element.names, strict=True)
        return [f"{dims.text(start)} <= {name} < {dims.text(start)} + {extent}" for start, extent, name in sides]

    def same(self, a: Dims, b: Dims) -> list[str]:
        """Return the constraints that the tiles at two points are the same."""
        return [f"{a.text(start)} = {b.text(start)}" for start in self.starts if start.terms]


def tiles_of(grid: GridOp) -> list[Tiles]:
    """Return the tiles of every operand."""
    pairs = zip(grid.tiles, grid.operands, strict=True)
    return [Tiles(grid, index, tile, value) for index, (tile, value) in enumerate(pairs)]


def prove_tiles(grid: GridOp) -> None:
    """Prove that outputs are written exactly once, partial input tiles are filled, and views are in bounds."""
    for tiles in tiles_of(grid):
        if tiles.is_view:
            _prove_view(tiles)
        elif not tiles.is_output:
            _prove_fill(tiles)
        if tiles.is_output:
            _prove_none_missed(tiles)
            _prove_none_twice(tiles)
            _prove_not_revisited(tiles)


def _prove_fill(tiles: Tiles) -> None:
    if tiles.tile.source.padding is None and (witness := _outside(tiles)):
        message = f"{tiles.name} of the grid is read outside of its bounds"
        raise refuse("fill", message, tiles.grid, tiles.element_at(*witness), remedy="give the tile a fill")


def _prove_view(tiles: Tiles) -> None:
    if witness := _outside(tiles):
        message, at = f"a view of {tiles.name} of the grid leaves it", tiles.element_at(*witness)
        remedy = "bring tiles that hang over to a level, with a fill"
        raise refuse("inside", message, tiles.grid, at, found=_tile_text(tiles), remedy=remedy)
    _prove_in_block(tiles)


def _prove_in_block(tiles: Tiles) -> None:
    """Prove that a view of an operand in blocks is strided as its type says: each is in one block, at its beginning."""
    whole = cast("MemRefType[Any]", tiles.value.type)
    if layout_map(whole) is None or tiles.extents == tiles.shape:
        return
    strides = view_strides(whole, tiles.extents)
    moving = sorted({dim for start in tiles.starts for dim in start.dims()})
    for index in product(*(range(tiles.grid.bounds[dim]) for dim in moving)):
        point = [0] * len(tiles.grid.bounds)
        for dim, number in zip(moving, index, strict=True):
            point[dim] = number
        if view_strides(whole, tiles.extents, tuple(tiles.at(point))) != strides:
            message = f"a view of {tiles.name} of the grid spans blocks of its layout"
            at, remedy = tiles.element_at(point, tiles.at(point)), "let tiles begin at multiples of the block"
            raise refuse("inside", message, tiles.grid, at, found=_tile_text(tiles), remedy=remedy)


def _outside(tiles: Tiles) -> tuple[list[int], list[int]] | None:
    """Return a point with a tile out of bounds of the operand, and its first element there."""
    for axis, (start, extent, size) in enumerate(zip(tiles.starts, tiles.footprint, tiles.shape, strict=True)):
        point = leaving(start, extent, size, tiles.bounds)
        if point is None:
            continue
        at = tiles.at(point)
        outside = at[axis] if at[axis] < 0 else size
        return point, [outside if a == axis else max(0, o) for a, o in enumerate(at)]
    return None


def _prove_none_missed(tiles: Tiles) -> None:
    """Prove that every element is in a tile; axes without a common grid dimension are checked separately."""
    dims = Dims("p", tiles.grid.bounds)
    whole = Dims("e", tiles.shape)
    holds = tiles.holds(dims, whole)
    for axes in _coupled(tiles.starts):
        if all(_is_whole(tiles, axis) for axis in axes):
            continue
        names = [whole.names[a] for a in axes]
        box = [whole.inside[a] for a in axes]
        used = sorted({d for a in axes for d in tiles.starts[a].dims()})
        covering = [holds[a] for a in axes]
        covering += [dims.inside[d] for d in used]
        covered = points(names, [*box, *covering], exists=[dims.names[d] for d in used])
        missed = first_point(points(names, box).subtract(covered))
        if missed is None:
            continue
        at = dict(zip(axes, missed, strict=True))
        element = [at.get(axis, 0) for axis in range(len(tiles.shape))]
        message = f"an element of {tiles.name} of the grid is in no tile"
        raise refuse("written-once", message, tiles.grid, [f"element {listed(element)}"], found=_tile_text(tiles))


def _is_whole(tiles: Tiles, axis: int) -> bool:
    return tiles.starts[axis] == Linear() and tiles.extents[axis] >= tiles.shape[axis]


def _coupled(starts: Sequence[Linear]) -> list[list[int]]:
    """Partition the axes such that no grid dimension moves the tile along axes of two parts."""
    groups: list[tuple[set[int], list[int]]] = []
    for axis, start in enumerate(starts):
        dims = set(start.dims())
        joined = [group for group in groups if group[0] & dims]
        groups = [group for group in groups if not group[0] & dims]
        coupled_axes = chain([axis], *(axes for _, axes in joined))
        dims.update(*(other for other, _ in joined))
        groups.append((dims, sorted(coupled_axes)))
    return [axes for _, axes in groups]


def _prove_none_twice(tiles: Tiles) -> None:
    """Prove that tiles at different places do not overlap in the operand, and each element is of one instance."""
    p, q = Dims("p", tiles.grid.bounds), Dims("q", tiles.grid.bounds)
    for start in tiles.starts:
        if start.terms:
            _prove_disjoint(tiles, p, q, f"{p.text(start)} < {q.text(start)}", "in two tiles")
    remedy = "let the spatial dimensions move the output's tiles"
    for dim in tiles.grid.spatial_dims:
        _prove_disjoint(tiles, p, q, f"{p.names[dim]} < {q.names[dim]}", "written by two engine instances", remedy)


def _prove_disjoint(tiles: Tiles, p: Dims, q: Dims, order: str, fault: str, remedy: str = "") -> None:
    """Prove that the tiles at two grid points, in this order, share no element of the operand."""
    witness = sample([*p.names, *q.names], [*p.inside, *q.inside, *_overlap(tiles, p, tiles, q), order])
    if witness is None:
        return
    first, second = witness[: len(p.bounds)], witness[len(p.bounds) :]
    element = [max(a, b, 0) for a, b in zip(tiles.at(first), tiles.at(second), strict=True)]
    raise refuse(
        "written-once",
        f"an element of {tiles.name} of the grid is {fault}",
        tiles.grid,
        [f"{tiles.point_text(first)} and {tiles.point_text(second)}", f"element {listed(element)}"],
        found=_tile_text(tiles),
        remedy=remedy,
    )


def _overlap(a: Tiles, p: Dims, b: Tiles, q: Dims) -> list[str]:
    """Return the constraints that the tiles of two operands of one shape share an element."""
    constraints: list[str] = []
    for start, other, m, n, size in zip(a.starts, b.starts, a.extents, b.extents, a.shape, strict=True):
        left, right = p.text(start), q.text(other)
        constraints += [f"{left} < {right} + {n}", f"{right} < {left} + {m}"]
        constraints += [f"{left} < {size}", f"{right} < {size}", f"{left} + {m} > 0", f"{right} + {n} > 0"]
    return constraints


def _prove_not_revisited(tiles: Tiles) -> None:
    """Prove that a tile is not revisited after its write-back, because its buffer is lost. Views keep their content."""
    if tiles.is_view:
        return
    p, q, r = (Dims(letter, tiles.grid.bounds) for letter in "pqr")
    used = tiles.grid.sequence[: tiles.moving]
    names = [dims.names[dim] for dims in (p, q, r) for dim in used]
    inside = [dims.inside[dim] for dims in (p, q, r) for dim in used]
    for earlier in p.before(r, used):
        ends = [*inside, *tiles.same(p, r), *earlier]
        if sample(names, ends) is None:
            continue
        others = [(q.text(s), sign, p.text(s)) for s in tiles.starts if s.terms for sign in "<>"]
        for left, right, (a, sign, b) in product(p.before(q, used), q.before(r, used), others):
            witness = sample(names, [*ends, *left, *right, f"{a} {sign} {b}"])
            if witness is not None:
                raise _revisited(tiles, witness)


def _revisited(tiles: Tiles, witness: Sequence[int]) -> Exception:
    rank, used = tiles.moving, tiles.grid.sequence[: tiles.moving]
    points: list[list[int]] = []
    for number in range(3):
        at = dict(zip(used, witness[number * rank : (number + 1) * rank], strict=True))
        points.append([at.get(dim, 0) for dim in range(len(tiles.grid.bounds))])
    first, between, last = points
    texts = ", then ".join(map(tiles.point_text, (first, between, last)))
    return refuse(
        "written-once",
        f"a tile of {tiles.name} of the grid is left and taken up again",
        tiles.grid,
        [texts, f"element {listed(tiles.at(first))}"],
        remedy="make the dimensions that the output does not depend on the innermost ones",
    )


def _tile_text(tiles: Tiles) -> str:
    return f"tiles {listed(tiles.tile.extents)} at {tiles.tile.map.data} over the grid {listed(tiles.grid.bounds)}"


def prove_in_place(grid: GridOp, read: int, written: int) -> None:
    """
    Prove, for an input and an output in one buffer, that reads precede the grid's writes (no WAR hazard).

    A tile is read no later than at its first point, and written no earlier than at its last. A view is accessed at any
    point at which the body uses it. Accesses of different engine instances are unordered.
    """
    every = tiles_of(grid)
    source, target = every[read], every[written]
    bounds = grid.bounds
    p, q = Dims("p", bounds), Dims("q", source.bounds)
    ends = [f"{p.names[d]} = {bounds[d] - 1}" for d in target.stays_through if not target.is_view]
    begins = [f"{q.names[d]} = 0" for d in source.stays_through if not source.is_view]
    ends += [f"{p.names[d]} = {place}" for d, place in _used_at(grid, written)] if target.is_view else []
    begins += [f"{q.names[d]} = {place}" for d, place in _used_at(grid, read)] if source.is_view else []
    same_copy = [f"{p.names[d]} = {q.names[d]}" for d in grid.spatial_dims]
    other_copy = [[f"{p.names[d]} {sign} {q.names[d]}"] for d in grid.spatial_dims for sign in "<>"]
    earlier_on_copy = [[*same_copy, *case] for case in p.before(q, grid.temporal_dims)]
    for wrong in (*other_copy, *earlier_on_copy):
        constraints = [*p.inside, *q.inside, *ends, *begins, *wrong, *_overlap(target, p, source, q)]
        witness = sample([*p.names, *q.names], constraints)
        if witness is None:
            continue
        first, second = witness[: len(bounds)], witness[len(bounds) :]
        element = [max(a, b, 0) for a, b in zip(target.at(first), source.at(second), strict=True)]
        points = f"written at {target.point_text(first)}, read at {source.point_text(second)}"
        raise refuse(
            "in-place",
            f"{source.name} of the grid is read after {target.name}, the same memory, has been written",
            grid,
            [points, f"element {listed(element)}"],
            remedy="write to another buffer",
        )


def _used_at(grid: GridOp, index: int) -> set[tuple[int, int]]:
    """Return the guards under which the body uses an operand's buffer: (dimension, index) pairs."""
    guards = [_conditions(user, grid) for user in _users(grid.buffers[index])]
    return set[tuple[int, int]].intersection(*guards) if guards else set()


def _users(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a buffer, itself or by way of views."""
    for use in value.uses:
        views = [result for result in use.operation.results if isinstance(result.type, MemRefType)]
        if views:
            for view in views:
                yield from _users(view)
        else:
            yield use.operation


def _conditions(op: Operation, grid: GridOp) -> set[tuple[int, int]]:
    """Return the guards under which an op of the grid's body runs: (dimension, index) pairs."""
    guards: set[tuple[int, int]] = set()
    while (parent := op.parent_op()) is not None and parent is not grid:
        if isinstance(parent, FirstOp | LastOp):
            dims = [grid.point.index(dim) for dim in parent.dims if dim in grid.point]
            guards |= {(d, 0 if isinstance(parent, FirstOp) else grid.bounds[d] - 1) for d in dims}
        op = parent
    return guards
