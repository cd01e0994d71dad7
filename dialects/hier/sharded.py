"""Sharded values: buffers whose elements lie in the instances of a level, by an affine map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntAttr, MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ..core.syntax.affine import affine_text


@irdl_attr_definition
class ShardedAttr(ParametrizedAttribute):
    """
    Memory space of a value that lies in the instances of a level: the map gives the instance that holds an element.

        memref<4x64x32xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 floordiv 16)>>

    The element (h, n, c) is in the memory of instance (h, n floordiv 16). A constant result is one coordinate.

    A coordinate may number sub-arrays of instances, and the instances of each: a sum of terms of one axis each.

        memref<8x32xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0 floordiv 4 * 2 + d1 floordiv 16)>>
    """

    name = "hier.sharded"

    level: StringAttr
    over: ArrayAttr[IntAttr]
    map: AffineMapAttr

    @staticmethod
    def get(level: str, over: Sequence[int], map: AffineMap) -> ShardedAttr:
        """Return the attribute; `over` are the extents of the coordinates."""
        return ShardedAttr(StringAttr(level), ArrayAttr([IntAttr(extent) for extent in over]), AffineMapAttr(map))

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the coordinates."""
        return tuple(extent.data for extent in self.over)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            level = parser.parse_str_literal()
            parser.parse_keyword("over")
            over = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            map = parser.parse_affine_map()
        return [StringAttr(level), ArrayAttr([IntAttr(extent) for extent in over]), AffineMapAttr(map)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.level.data)
            dims = [f"d{axis}" for axis in range(self.map.data.num_dims)]
            results = ", ".join(affine_text(result, dims) for result in self.map.data.results)
            printer.print_string(f" over {list(self.extents)} ({', '.join(dims)}) -> ({results})")

    def verify(self) -> None:
        map = self.map.data
        if any(extent < 1 for extent in self.extents):
            raise VerifyException(f"expected extents of 1 or more, found {list(self.extents)}")
        if map.num_symbols or len(map.results) != len(self.extents):
            raise VerifyException(f"expected a map to {len(self.extents)} coordinates, found {map}")
        for result in map.results:
            if any(len(term.used_dims()) > 1 for term in _terms(result)):
                raise VerifyException(f"expected coordinates that are sums of terms of one axis each, found {result}")


class ShardStep(NamedTuple):
    """Elements between shards along a digit of a coordinate, `(p - lower) floordiv stride mod extent`."""

    dim: int
    stride: int
    extent: int
    elements: int

    def digit(self, at: int) -> int:
        """Return the digit of an instance, so many instances behind the first one along the coordinate."""
        return at // self.stride % self.extent


@dataclass(frozen=True)
class Axis:
    """Axis of a sharded value: an instance has the elements from `first + sum of elements * digit` of the steps on."""

    size: int
    first: int
    steps: tuple[ShardStep, ...]

    def offset(self, point: Sequence[int]) -> int:
        """Return the first element of the shard of an instance, at coordinates relative to the first instance."""
        return self.first + sum(step.elements * step.digit(point[step.dim]) for step in self.steps)


@dataclass(frozen=True)
class Sharding:
    """Shards of a value: the instances that hold one, a box of coordinates, and the elements of each."""

    level: str
    over: tuple[int, ...]
    lower: tuple[int, ...]
    """Coordinates of the first instance that holds a shard."""
    extents: tuple[int, ...]
    """Instances that hold a shard, along each coordinate."""
    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a shard."""
        return tuple(axis.size for axis in self.axes)

    @property
    def holders(self) -> Iterator[tuple[int, ...]]:
        """The coordinates of the instances that hold a shard, in row-major order."""
        return product(*(range(low, low + n) for low, n in zip(self.lower, self.extents, strict=True)))

    def offsets(self, point: Sequence[int]) -> tuple[int, ...] | None:
        """Return the first element of the shard of an instance, None for one without a shard."""
        here = [at - low for at, low in zip(point, self.lower, strict=True)]
        if not all(0 <= at < n for at, n in zip(here, self.extents, strict=True)):
            return None
        return tuple(axis.offset(here) for axis in self.axes)

    def box(self, point: Sequence[int]) -> tuple[slice, ...] | None:
        """Return the elements of the shard of an instance as slices, None for one without a shard."""
        offsets = self.offsets(point)
        if offsets is None:
            return None
        return tuple(slice(at, at + axis.size) for at, axis in zip(offsets, self.axes, strict=True))

    def axis_along(self, dim: int) -> int | None:
        """Return the axis that is split over a coordinate alone, into shards of one element; None for none."""
        whole = (dim, 1, self.extents[dim])
        axes: list[int] = []
        for number, axis in enumerate(self.axes):
            if axis.size == 1 and [step[:3] for step in axis.steps] == [whole]:
                axes.append(number)
        return axes[0] if len(axes) == 1 else None


def level_name(type: Attribute) -> str | None:
    """Return the level of a buffer's type, None for the far level."""
    space = getattr(type, "memory_space", None)
    if isinstance(space, ShardedAttr):
        return space.level.data
    return space.data if isinstance(space, StringAttr) else None


def is_sharded(type: Attribute) -> bool:
    """Return whether a type is that of a sharded value."""
    return isinstance(type, MemRefType) and isinstance(type.memory_space, ShardedAttr)


def shard_type(type: MemRefType[Any]) -> MemRefType[Any]:
    """Return the type of a shard, in the memory of its instance. Raises Diagnostic for a map without equal boxes."""
    sharding = sharding_of(type)
    return MemRefType(type.get_element_type(), sharding.shape, NoneAttr(), StringAttr(sharding.level))


def sharding_of(type: Attribute) -> Sharding:
    """Return the shards of a sharded value. Raises Diagnostic unless each instance has one box, of equal shapes."""
    shaped = cast("MemRefType[Any]", type)
    space = shaped.memory_space
    if not isinstance(space, ShardedAttr):
        raise Diagnostic(f"{type} is not sharded", expected="the memory space #hier.sharded<...>")
    if not isinstance(shaped.layout, NoneAttr):
        raise Diagnostic("a sharded value has a layout", expected="row-major shards", found=str(type))
    return _sharding(shaped.get_shape(), space)


@cache
def _sharding(shape: tuple[int, ...], space: ShardedAttr) -> Sharding:
    map, over = space.map.data, space.extents
    if map.num_dims != len(shape) or any(extent < 1 for extent in shape):
        actual = f"{map} for the shape {list(shape)}"
        raise Diagnostic("the map of a sharded value is not one of its elements", expected="static axes", found=actual)
    digits = [_digits(result, shape) for result in map.results]
    if any(coordinate is None for coordinate in digits):
        raise _no_boxes("of a coordinate with several axes", map, shape)
    coordinates = [coordinate for coordinate in digits if coordinate is not None]
    lower = tuple(low for low, _ in coordinates)
    extents: list[int] = []
    for _, by_axis in coordinates:
        extents.append(prod(digit.extent for digit in by_axis.values()))
    for dim, (low, extent) in enumerate(zip(lower, extents, strict=True)):
        if low < 0 or low + extent > over[dim]:
            raise Diagnostic(
                "the map of a sharded value gives an instance that does not exist",
                expected=f"coordinates within {list(over)}",
                found=f"{low if low < 0 else low + extent - 1} along coordinate {dim}, by {map.results[dim]}",
            )
    axes: list[Axis] = []
    for axis, length in enumerate(shape):
        own = [(dim, by_axis[axis]) for dim, (_, by_axis) in enumerate(coordinates) if axis in by_axis]
        split = _axis(length, own)
        if split is None:
            raise _no_boxes(f"along axis {axis}", map, shape)
        axes.append(split)
    return Sharding(space.level.data, over, lower, tuple(extents), tuple(axes))


def _no_boxes(where: str, map: AffineMap, shape: Sequence[int]) -> Diagnostic:
    return Diagnostic(
        f"the instances do not hold boxes of equal shape {where} of a sharded value",
        expected="an equal number of consecutive elements for each instance, such as d0 floordiv 16",
        found=f"{map} for {list(shape)} elements",
    )


@dataclass(frozen=True)
class _Digit:
    """Digit of a coordinate, in a mixed radix, for each index of the axis that it is of."""

    values: np.ndarray[Any, Any]
    stride: int
    extent: int


def _terms(expr: AffineExpr) -> list[AffineExpr]:
    """Return the terms of a sum."""
    match expr:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b):
            return [*_terms(a), *_terms(b)]
        case _:
            return [expr]


def _digits(expr: AffineExpr, shape: Sequence[int]) -> tuple[int, dict[int, _Digit]] | None:
    """Return the least value of a coordinate, and its digits by axis; None where axes are no digits of it."""
    sums: dict[int, np.ndarray[Any, Any]] = {}
    low = 0
    for term in _terms(expr):
        axis = next(iter(term.used_dims()), None)
        if axis is None:
            low += int(np.asarray(term.eval([0] * len(shape), [])))
            continue
        indices = np.arange(shape[axis], dtype=np.int64)
        values = np.broadcast_to(np.asarray(term.eval([cast(Any, indices)] * len(shape), []), np.int64), indices.shape)
        sums[axis] = values + sums.get(axis, 0)
    low += sum(int(values.min()) for values in sums.values())
    spans = {axis: values - values.min() for axis, values in sums.items()}
    if len(spans) == 1:
        return low, {axis: _Digit(span, 1, int(span.max()) + 1) for axis, span in spans.items()}
    by_axis: dict[int, _Digit] = {}
    stride = 1
    for axis, span in sorted(spans.items(), key=lambda item: (_least(item[1]), item[0])):
        extent = int(span.max()) // stride + 1
        if (span % stride).any() or (extent > 1 and _least(span) != stride):
            return None
        by_axis[axis] = _Digit(span // stride, stride, extent)
        stride *= extent
    return low, by_axis


def _least(span: np.ndarray[Any, Any]) -> int:
    """Return the least positive number, 0 where there is none."""
    positive = span[span > 0]
    return int(positive.min()) if positive.size else 0


def _axis(length: int, digits: Sequence[tuple[int, _Digit]]) -> Axis | None:
    """Return an axis whose indices are on the instances of these digits of coordinates; None without equal runs."""
    extents = [digit.extent for _, digit in digits]
    points = np.stack([digit.values for _, digit in digits]) if digits else np.zeros((0, length), np.int64)
    changes = np.flatnonzero((points[:, 1:] != points[:, :-1]).any(axis=0)) + 1
    starts = np.array([0, *changes])
    size = length // len(starts)
    if (starts != np.arange(len(starts)) * size).any() or size * len(starts) != length:
        return None
    holders = points[:, starts]
    coordinates: list[list[int]] = holders.T.tolist()
    firsts: dict[tuple[int, ...], int] = dict(zip(map(tuple, coordinates), starts.tolist(), strict=True))
    if len(firsts) != len(starts) or len(starts) != np.prod(extents, dtype=np.int64):
        return None
    first = firsts[(0,) * len(digits)]
    units = np.eye(len(digits), dtype=np.int64).tolist()
    steps = [firsts[tuple(unit)] - first if extent > 1 else 0 for unit, extent in zip(units, extents, strict=True)]
    if (first + np.array(steps, np.int64) @ holders != starts).any():
        return None
    digit_steps = [
        ShardStep(dim, digit.stride, digit.extent, by) for (dim, digit), by in zip(digits, steps, strict=True)
    ]
    return Axis(size, first, tuple(digit_steps))
