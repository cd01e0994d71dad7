"""Tiles of kernels and operands in N tilings, as arrays: row i corresponds to tiling i."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access
from ...ir import Ints, element_of, numpy_type, shape_of
from .epilogues import TransferEpilogue
from .tiling import Part, index_dims
from .views import buffer_type

Flags = NDArray[np.bool_]


def any_along(flags: Flags) -> Flags:
    """Reduce flags along axis 1 by logical or."""
    return np.asarray(flags.any(axis=1), np.bool_)


@dataclass(frozen=True)
class Tiles:
    """Tiles of one operand: extents [N, axes] and the leader's loops along which they move [N, loops]."""

    access: Access
    extents: Ints
    moving: Flags
    is_output: bool
    in_place: bool
    home: str = ""
    level: str = ""
    epilogue: TransferEpilogue | None = None
    repeated: tuple[int, ...] | None = None
    """Axes along which a tile that the sums start from repeats an element; None of other tiles."""
    layout: AffineMapAttr | None = None
    """Order of the elements in the tiles' buffers, row-major if none."""

    @property
    def element(self) -> Attribute:
        """Type of the elements that the tiles' buffers store."""
        return element_of(self.access.value) if self.epilogue is None else self.epilogue.element

    @property
    def near(self) -> Attribute | None:
        """Type of a buffer of such elements, None if it is dense and of the operand's."""
        is_own = self.epilogue is None and self.layout is None
        return None if is_own else buffer_type(shape_of(self.access.value), self.element, self.layout)

    @property
    def has_buffer(self) -> bool:
        """Return whether the tiles are brought to a buffer of their own."""
        return not self.in_place and self.repeated is None

    @property
    def bytes(self) -> Ints:
        """Bytes of a tile."""
        return self.extents.prod(axis=1) * numpy_type(self.element).itemsize


@dataclass(frozen=True)
class Parts:
    """Kernel of the group: tile extents [N, loops] and, per own loop, the leader's loops that move the tile."""

    part: Part
    sizes: Ints
    moving: Flags
    """[N, own loops, the leader's loops]"""

    @property
    def cut(self) -> Flags:
        """Loops along which a tile is smaller than the kernel [N, loops]."""
        return np.asarray(self.moving.any(axis=2) | (self.sizes != np.array(self.part.kernel.bounds)), np.bool_)

    @property
    def unreduced(self) -> Parts:
        """The same kernel with whole reduced loops, as `Part.unreduced`."""
        reduced, sizes, moving = sorted(self.part.kernel.reduced), self.sizes.copy(), self.moving.copy()
        sizes[:, reduced], moving[:, reduced] = np.array(self.part.kernel.bounds)[reduced], False
        return replace(self, sizes=sizes, moving=moving)

    def operand_tiles(self, position: int, access: Access, homes: Mapping[SSAValue, str], *, is_output: bool) -> Tiles:
        """Compute the tiles of an operand at its place, as `Part.operand_tile` does."""
        places = self.part.places
        home, role = homes.get(access.value, places.far), self.part.role(position)
        in_place = places.reaches(role, home)
        tiles = self.tiles(access, is_output=is_output, in_place=in_place)
        epilogue = places.epilogue if is_output else None
        layout = None if in_place else places.layout(role, access.map)
        level = home if in_place else places.level(role)
        return replace(tiles, home=home, level=level, epilogue=epilogue, layout=layout)

    def tiles(self, access: Access, *, is_output: bool, in_place: bool) -> Tiles:
        """Compute the tiles of an operand."""
        axes = [self.axis(access, axis, in_place=in_place) for axis in range(len(access.map.results))]
        count, loops = len(self.sizes), self.moving.shape[2]
        extents = np.stack([a for a, _ in axes], axis=1) if axes else np.ones((count, 0), np.int64)
        moving = np.any([m for _, m in axes], axis=0) if axes else np.zeros((count, loops), np.bool_)
        return Tiles(access, extents, moving, is_output, in_place)

    def axis(self, access: Access, axis: int, *, in_place: bool) -> tuple[Ints, Flags]:
        """Compute the tile extents along one axis, and the leader's loops along which they move."""
        form, extent = linear(access.map.results[axis]), shape_of(access.value)[axis]
        if form.divides:
            whole = np.full(len(self.sizes), extent, np.int64)
            return whole, np.zeros((len(self.sizes), self.moving.shape[2]), np.bool_)
        terms = [(cast(int, dim), abs(factor)) for dim, factor in form.terms]
        length = np.ones(len(self.sizes), np.int64)
        moving = np.zeros((len(self.sizes), self.moving.shape[2]), np.bool_)
        for dim, factor in terms:
            length += factor * (self.sizes[:, dim] - 1)
            moving |= self.moving[:, dim]
        low, high = form.interval(self.part.kernel.bounds)
        is_padded = access.fill is not None and (low < 0 or high >= extent) and access not in self.part.filled
        if is_padded or (in_place and form.constant == 0):
            whole = ~any_along(self.cut[:, [dim for dim, _ in terms]])
            return np.where(whole, extent, length), moving & ~whole[:, None]
        return length, moving

    def allowed(self, homes: Mapping[SSAValue, str]) -> Flags:
        """Return the mask of legal tilings of the kernel."""
        kernel, cut = self.part.kernel, self.cut
        reduced = sorted(kernel.reduced)
        padded = self.sizes[:, reduced] > np.array(kernel.bounds)[reduced]
        fine = np.ones(len(self.sizes), np.bool_) if kernel.fill_is_neutral else ~any_along(padded)
        for dim in index_dims(kernel) | kernel.divided_dims:
            fine &= ~cut[:, dim]
        if (self.sizes > kernel.bounds).any():
            for dim in kernel.shared_dims:
                fine &= self.sizes[:, dim] <= kernel.bounds[dim]
        for inner, outer in kernel.axis_pairs:
            partial = self.sizes[:, inner] != kernel.bounds[inner]
            fine &= ~(partial & any_along(self.sizes[:, outer] > 1))
            fine &= ~(partial & (kernel.bounds[inner] % np.maximum(self.sizes[:, inner], 1) != 0))
        places = self.part.places
        for blocks, access in self.part.blocks():
            if (axis := blocks.axis(access.map)) is not None:
                fine &= self.axis(access, axis, in_place=False)[0] % blocks.extent == 0
        for position, access in self.part.uses:
            if places.reaches(self.part.role(position), homes.get(access.value, places.far)):
                fine &= self.stays_inside(access)
        return fine

    def stays_inside(self, access: Access) -> Flags:
        """Return the mask of tilings whose tiles of an operand lie inside of it."""
        bounds = np.array(self.part.kernel.bounds)
        uneven = self.cut & (bounds % np.maximum(self.sizes, 1) != 0)
        fine = np.ones(len(self.sizes), np.bool_)
        for form, extent in zip((linear(e) for e in access.map.results), shape_of(access.value), strict=True):
            dims = sorted(form.dims())
            low, high = form.interval(self.part.kernel.bounds)
            if access in self.part.filled and (low < 0 or high >= extent):
                return np.zeros_like(fine)
            if low < 0 or high >= extent:
                fine &= ~any_along(self.cut[:, dims])
            fine &= ~any_along(uneven[:, dims])
        return fine
