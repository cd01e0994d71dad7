"""
Tiles of one operand of a fused group, in N tilings: row i of an array corresponds to tiling i.

One tiling is N = 1, of which `shape`, `forms` and `size` give the tile in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, Region, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from ...dialects.core.kernel import Access
from ...dialects.core.scalars import scalar_attr
from ...ir import Ints, element_of, numpy_type, shape_of
from ..memory.epilogues import TransferEpilogue
from ..memory.views import buffer_type

Flags: TypeAlias = NDArray[np.bool_]


class Offsets(NamedTuple):
    """
    Offsets of tiles as linear forms in the leader's tile numbers.

    `factors` [N, axes, loops] are the coefficients of the tile numbers, `constants` [N, axes] what is added.
    """

    factors: Ints
    constants: Ints

    def forms(self, row: int) -> tuple[Linear, ...]:
        """Return the linear forms of one tiling."""
        factors, constants = self.factors[row].tolist(), self.constants[row].tolist()
        return tuple(
            Linear(tuple((dim, factor) for dim, factor in enumerate(along) if factor), constant)
            for along, constant in zip(factors, constants, strict=True)
        )

    def take(self, rows: slice | Ints | Flags) -> Offsets:
        """Return the offsets of some tilings."""
        return Offsets(self.factors[rows], self.constants[rows])


@dataclass(frozen=True, eq=False)
class OperandTiles:
    """
    Tiles of one operand: their extents [N, axes], and the leader's loops along which they move [N, loops].

    A tile `in_place` is a view of the operand, and never partial. Others move between `operand_level` and `level`. The
    buffer of one with an `epilogue` holds partial sums, which the transfer maps. One that `starts` the sums of the
    output's tile, along whose loops it is brought, has no buffer of its own.
    """

    access: Access
    extents: Ints
    moving: Flags
    counts: Ints
    """The leader's tiles along each loop [N, loops]."""
    offsets_of: Callable[[], Offsets]
    """Computes the offsets of the tiles."""
    is_output: bool
    in_place: bool = False
    operand_level: str = ""
    level: str = ""
    epilogue: TransferEpilogue | None = None
    layout: AffineMapAttr | None = None
    """Order of the elements in the tiles' buffers, row-major if none."""
    starts: bool = False

    @property
    def value(self) -> SSAValue:
        """The operand."""
        return self.access.value

    @property
    def element(self) -> Attribute:
        """Type of the elements that the tiles' buffers store."""
        return element_of(self.value) if self.epilogue is None else self.epilogue.element

    @property
    def near(self) -> Attribute | None:
        """Type of the tile's buffer, of several tilings of the whole operand's; None if it is dense and of its type."""
        if self.epilogue is None and self.layout is None:
            return None
        shape = self.shape if len(self.extents) == 1 else shape_of(self.value)
        return buffer_type(shape, self.element, self.layout)

    @property
    def body(self) -> Region | None:
        """Scalar code that the transfer applies to each element, None for tiles that are only moved."""
        if self.epilogue is None:
            return None
        bias = self.epilogue.bias
        return self.epilogue.body if not self.starts or bias is None else bias.body

    @property
    def has_buffer(self) -> bool:
        """Return whether the tiles are brought to a buffer of their own."""
        return not self.in_place and not self.starts

    @property
    def constant_axes(self) -> tuple[int, ...]:
        """Axes along which tiles repeat one element of the operand."""
        bias = self.epilogue.bias if self.epilogue is not None and self.starts else None
        return bias.constant_axes if bias is not None else ()

    @property
    def bytes(self) -> Ints:
        """Bytes of a tile [N]."""
        return self.extents.prod(axis=1) * numpy_type(self.element).itemsize

    @cached_property
    def offsets(self) -> Offsets:
        """Offsets of the tiles in the operand."""
        return self.offsets_of()

    @cached_property
    def is_partial(self) -> Flags:
        """Return whether a tile extends beyond the operand [N]."""
        reach = self.offsets.factors * (self.counts - 1)[:, None, :]
        first = self.offsets.constants + np.minimum(reach, 0).sum(axis=2)
        last = self.offsets.constants + np.maximum(reach, 0).sum(axis=2)
        beyond = last + self.extents > np.array(shape_of(self.value))
        beyond[:, self.constant_axes] = False
        return np.asarray(((first < 0) | beyond).any(axis=1), np.bool_)

    def take(self, rows: slice | Ints | Flags) -> OperandTiles:
        """Return the tiles of some tilings."""
        return replace(
            self,
            extents=self.extents[rows],
            moving=self.moving[rows],
            counts=self.counts[rows],
            offsets_of=lambda: self.offsets.take(rows),
        )

    # One tiling

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Extents of the tile of one tiling."""
        (extents,) = self.extents.tolist()
        return tuple(extents)

    @cached_property
    def forms(self) -> tuple[Linear, ...]:
        """Offsets of the tile of one tiling as linear forms in the leader's tile numbers."""
        return self.offsets.forms(0)

    @cached_property
    def size(self) -> int:
        """Bytes of the tile of one tiling."""
        return int(self.bytes[0])

    @property
    def near_size(self) -> int:
        """Bytes of the tile of one tiling in the near level, 0 without a buffer of its own."""
        return self.size if self.has_buffer else 0

    @cached_property
    def dims(self) -> frozenset[int]:
        """Leader's loops along which the tile of one tiling moves."""
        return frozenset(np.flatnonzero(self.moving[0]).tolist())

    @cached_property
    def is_clipped(self) -> bool:
        """Return whether the tile of one tiling is partial somewhere."""
        return bool(self.is_partial[0])

    @property
    def fill(self) -> Attribute | None:
        """Value of the tile of one tiling beyond the operand; None where nothing is filled."""
        if self.is_output or not self.is_clipped:
            return None
        if self.starts or self.access.fill is None:
            return scalar_attr(0, self.element)
        return self.access.fill

    @property
    def repeated(self) -> tuple[int, ...]:
        """Axes along which the tile of one tiling repeats one element of the operand."""
        return tuple(axis for axis in self.constant_axes if self.shape[axis] > 1)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Canonical key of the tile of one tiling among those of a buffer."""
        return self.value, self.shape, self.forms, self.fill, self.in_place, self.level, self.layout
