"""Provenance of memory contents, tracked in a walk of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Operation

from ...ir import Array

Index: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Spot:
    """Offset in an enclosing shape: of a buffer, or of the whole result of a kernel."""

    source: Any
    start: Index
    shape: Index

    def moved(self, by: Sequence[int]) -> Spot:
        """Return the spot of a part that begins `by` later."""
        return Spot(self.source, tuple(a + b for a, b in zip(self.start, by, strict=True)), self.shape)


@dataclass(frozen=True)
class PartialSums:
    """Partial sums: `done` holds the accumulated points of the tiled reduction loops, by loop in order."""

    op: Operation
    start: Index | None
    """Where the sums begin in all that the kernel makes."""
    done: Array
    begun: tuple[Spot, ...] = ()
    """Tiles of the output that a copy initialised them from; none where they began as a constant or an operand."""

    @property
    def are_complete(self) -> bool:
        """Return whether all points have been added."""
        return bool(self.done.all())


@dataclass(frozen=True)
class Origin:
    """
    Content of a buffer: a part of other buffers at `spots`, innermost first, with its fill outside of `valid`; or the
    `result` that a kernel on tiles has computed.

    `solved` is that kernel and what it has read, for as long as the buffer holds just that. `is_mixed` says that parts
    of it do not fit together.
    """

    spots: tuple[Spot, ...] = ()
    fill: Attribute | None = None
    valid: tuple[tuple[int, int], ...] | None = None
    result: Spot | None = None
    solved: Any = field(default=None, compare=False)
    sums: PartialSums | None = field(default=None, compare=False)
    value: Attribute | None = None
    """The constant that it is, everywhere."""
    is_mixed: bool = False
    is_whole: bool = True
    """Whether there is nothing else that it could be a part of."""
    repeated: tuple[int, ...] = ()
    """Axes along which one element of what lies at the spots is repeated."""
    is_placed: bool = False
    """Whether it comes from kernels on tiles that wrote it to its place in all that they make."""

    def part(self, by: Sequence[int], shape: Sequence[int]) -> Origin:
        """Return the origin of a part of this shape that begins `by` later."""
        valid = self.valid
        if valid is not None:
            sides = zip(valid, by, shape, strict=True)
            valid = tuple((max(0, low - at), min(n, high - at)) for (low, high), at, n in sides)
        by = [0 if axis in self.repeated else at for axis, at in enumerate(by)]
        spots = tuple(spot.moved(by) for spot in self.spots)
        result = self.result.moved(by) if self.result is not None else None
        return replace(self, spots=spots, valid=valid, result=result, solved=None)

    @property
    def lacks(self) -> bool:
        """Return whether it has incomplete partial sums."""
        return self.sums is not None and not self.sums.are_complete


def of_shape(spots: Sequence[Spot], shape: Index) -> Spot | None:
    """Return the last of some spots that is in something of a shape."""
    return next((spot for spot in reversed(spots) if spot.shape == shape), None)


def merged(origins: Sequence[Origin | None]) -> Origin | None:
    """Return the origin of a buffer made of parts, each as if the buffer began where it does; None where not known."""
    parts = [origin for origin in origins if origin is not None]
    if len(parts) < len(origins) or not parts or len({origin.repeated for origin in parts}) > 1:
        return None
    spots: tuple[Spot, ...] = parts[0].spots
    for other in parts[1:]:
        spots = tuple(spot for spot in spots if spot in other.spots)
    result = {origin.result for origin in parts}
    values = {origin.value for origin in parts}
    lacking = next((origin.sums for origin in parts if origin.lacks), None)
    return Origin(
        spots,
        result=result.pop() if len(result) == 1 else None,
        sums=lacking,
        value=values.pop() if len(values) == 1 else None,
        is_mixed=not spots and len(result) > 1,
        is_whole=all(origin.is_whole for origin in parts),
        is_placed=all(origin.is_placed for origin in parts),
        repeated=parts[0].repeated,
    )


def brought(
    own: Spot,
    views: Sequence[Spot],
    outer: Origin | None,
    inside: Sequence[slice],
    shape: Index,
    fill: Attribute | None,
    repeated: tuple[int, ...] = (),
) -> Origin:
    """
    Return the origin of a tile of a shape that is `own` of a buffer, where of the tile only `inside` lies in it.

    `views` is the same in what the buffer is a view of, `outer` what that part holds, `fill` what the rest has been
    filled with. Along `repeated` axes the tile repeats one element.
    """
    begin = [piece.start for piece in inside]
    valid = tuple((piece.start, piece.stop) for piece in inside)
    spots, result = (own, *views), None
    if outer is not None:
        back = [-at for at in begin]
        spots += tuple(spot.moved(back) for spot in outer.spots)
        repeated = tuple(sorted({*repeated, *outer.repeated}))
        result = outer.result.moved(back) if outer.result is not None else None
        if outer.valid is not None:
            valid = tuple((low + at, high + at) for (low, high), at in zip(outer.valid, begin, strict=True))
        fill = outer.fill if fill is None else fill
    filled = valid if any(low > 0 or high < n for (low, high), n in zip(valid, shape, strict=True)) else None
    origin = Origin(spots, fill, filled, result, repeated=repeated)
    if outer is None:
        return origin
    return replace(
        origin,
        sums=outer.sums,
        value=outer.value,
        is_mixed=outer.is_mixed,
        is_whole=outer.is_whole or result is not None,
    )


def index_within(outer: Array, inner: Array, distance: int) -> Index | None:
    """
    Return the element of an array at which a box of it begins, which has the same strides, `distance` bytes after its
    beginning; None where it is no such box.
    """
    if outer.ndim != inner.ndim or outer.strides != inner.strides or distance < 0:
        return None
    element = [0] * outer.ndim
    for axis in sorted(range(outer.ndim), key=lambda axis: -outer.strides[axis]):
        if outer.strides[axis] > 0 and outer.shape[axis] > 1:
            element[axis], distance = divmod(distance, outer.strides[axis])
    fits = all(at + n <= size for at, n, size in zip(element, inner.shape, outer.shape, strict=True))
    return tuple(element) if fits and not distance else None
