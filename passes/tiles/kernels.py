"""Tiles of one kernel of a fused group, in N tilings: row i of an array corresponds to tiling i."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from ...dialects.core.kernel import Access, Kernel, is_shaped
from ...dialects.core.kernel_op import KernelOp
from ...ir import Ints, shape_of
from ..memory.role_levels import ONE_LEVEL, BlockedLayout, RoleLevels
from .operands import Flags, Offsets, OperandTiles


def any_along(flags: Flags) -> Flags:
    """Reduce flags along axis 1 by logical or."""
    return np.asarray(flags.any(axis=1), np.bool_)


@dataclass(frozen=True, eq=False)
class KernelTiles:
    """
    Tiles of one kernel: extents in its own loops [N, loops], and which of the leader's loops move each of these.

    A tile of a kernel is the same kernel on smaller operands.
    """

    op: Operation
    kernel: Kernel
    role_levels: RoleLevels
    sizes: Ints
    moving: Flags
    """[N, own loops, the leader's loops]"""
    starts_of: Callable[[], Offsets]
    """Computes the offsets of the tiles in the kernel's own loops."""

    @property
    def first_output(self) -> int:
        """Position of the first output among the operands."""
        return len(self.op.operands) - len(self.kernel.outputs)

    @property
    def first_extra(self) -> int:
        """Position of the first operand of the epilogue."""
        return self.first_output - len(self.kernel.extras)

    @property
    def accumulates(self) -> bool:
        """Return whether the kernel accumulates into its output."""
        return any(initial is None for reduction in self.kernel.reductions for initial in reduction.initial)

    def role(self, position: int) -> str:
        """Return the role of an operand; `weights` are the second operand of a reduction."""
        if position >= self.first_extra:
            return "outs" if position >= self.first_output else "extras"
        return "weights" if position == 1 and self.kernel.reductions else "ins"

    @cached_property
    def uses(self) -> list[tuple[int, Access]]:
        """Accesses of all operands by position."""
        return [
            *enumerate(self.kernel.inputs),
            *enumerate(self.kernel.extras, self.first_extra),
            *enumerate(self.kernel.outputs, self.first_output),
        ]

    @cached_property
    def filled(self) -> tuple[Access, ...]:
        """Accesses to operands whose padding transfers fill, that of whole axes too."""
        return tuple(access for position, access in self.uses if self.role(position) in self.role_levels.filled)

    @cached_property
    def accesses(self) -> dict[int, Access]:
        """Read accesses by operand position."""
        extras = self.kernel.extras if self.role_levels.epilogue is None else ()
        inputs = (*self.kernel.inputs[: self.first_extra], *extras)
        return {k: access for k, access in enumerate(inputs) if is_shaped(access.value) and self._is_used(k)}

    def _is_used(self, position: int) -> bool:
        """Return whether the scalar code uses an input, or the op requires a tile of it for its shape."""
        if position >= self.first_extra or not isinstance(self.op, KernelOp):
            return True
        blocks = [reduction.body for reduction in self.kernel.reductions]
        blocks += [self.kernel.result] if self.kernel.result is not None else []
        return any(block.args[position].uses for block in blocks)

    def blocks(self) -> Iterator[tuple[BlockedLayout, Access]]:
        """Yield the layout of each operand in blocks, with its access."""
        outputs = enumerate(self.kernel.outputs, self.first_output)
        for position, access in (*self.accesses.items(), *outputs) if self.role_levels.blocks else ():
            if (blocks := self.role_levels.blocks.get(self.role(position))) is not None:
                yield blocks, access

    @cached_property
    def cut(self) -> Flags:
        """Loops along which a tile is smaller than the kernel [N, loops]."""
        return np.asarray(self.moving.any(axis=2) | (self.sizes != np.array(self.kernel.bounds)), np.bool_)

    @cached_property
    def starts(self) -> Offsets:
        """Offsets of the tiles in the kernel's own loops."""
        return self.starts_of()

    @property
    def unreduced(self) -> KernelTiles:
        """The same kernel with whole reduced loops, from whose tiles panels are."""
        reduced, sizes, moving = sorted(self.kernel.reduced), self.sizes.copy(), self.moving.copy()
        sizes[:, reduced], moving[:, reduced] = np.array(self.kernel.bounds)[reduced], False

        def starts() -> Offsets:
            factors, constants = self.starts.factors.copy(), self.starts.constants.copy()
            factors[:, reduced], constants[:, reduced] = 0, 0
            return Offsets(factors, constants)

        return replace(self, sizes=sizes, moving=moving, starts_of=starts)

    def take(self, rows: slice | Ints | Flags) -> KernelTiles:
        """Return the tiles of some tilings."""
        return replace(self, sizes=self.sizes[rows], moving=self.moving[rows], starts_of=lambda: self.starts.take(rows))

    def operand_tiles(
        self, position: int, access: Access, counts: Ints, residency: Mapping[SSAValue, str], *, is_output: bool
    ) -> OperandTiles:
        """
        Compute the tiles of an operand in its level.

        `counts` are the leader's tiles along each loop, `residency` has the level of operands outside of the far one.
        """
        operand_level, role = residency.get(access.value, self.role_levels.far), self.role(position)
        in_place = self.role_levels.reaches(role, operand_level)
        tiles = self.tiles(access, counts, is_output=is_output, in_place=in_place)
        epilogue = self.role_levels.epilogue if is_output else None
        layout = None if in_place else self.role_levels.layout(role, access.map)
        level = operand_level if in_place else self.role_levels.level(role)
        return replace(tiles, operand_level=operand_level, level=level, epilogue=epilogue, layout=layout)

    def tiles(self, access: Access, counts: Ints, *, is_output: bool, in_place: bool) -> OperandTiles:
        """Compute the tiles of an operand."""
        axes = range(len(access.map.results))
        spans = [self.span(access, axis, in_place=in_place) for axis in axes]
        count, loops = len(self.sizes), self.moving.shape[2]
        extents = np.stack([extent for extent, *_ in spans], axis=1) if spans else np.ones((count, 0), np.int64)
        moving = np.any([moves for _, moves, _ in spans], axis=0) if spans else np.zeros((count, loops), np.bool_)

        def offsets() -> Offsets:
            along = [self.offset(access, axis, whole) for axis, (*_, whole) in zip(axes, spans, strict=True)]
            if not along:
                return Offsets(np.zeros((count, 0, loops), np.int64), np.zeros((count, 0), np.int64))
            factors, constants = zip(*along, strict=True)
            return Offsets(np.stack(factors, axis=1), np.stack(constants, axis=1))

        return OperandTiles(access, extents, moving, counts, offsets, is_output, in_place)

    def span(self, access: Access, axis: int, *, in_place: bool) -> tuple[Ints, Flags, Flags | None]:
        """
        Compute the extents of tiles along one axis [N], the leader's loops that move them [N, loops], and whether each
        is the whole axis of the operand, whatever its map says [N]; None where that is so of none.
        """
        form, extent = access.forms[axis], shape_of(access.value)[axis]
        count, loops = len(self.sizes), self.moving.shape[2]
        if form.divides:
            return np.full(count, extent, np.int64), np.zeros((count, loops), np.bool_), None
        length, moving = np.ones(count, np.int64), np.zeros((count, loops), np.bool_)
        for dim, factor in _terms(form):
            length += abs(factor) * (self.sizes[:, dim] - 1)
            moving |= self.moving[:, dim]
        whole = self._keeps_whole(access, axis, in_place=in_place)
        if whole is None:
            return length, moving, None
        return np.where(whole, extent, length), moving & ~whole[:, None], whole

    def offset(self, access: Access, axis: int, whole: Flags | None) -> tuple[Ints, Ints]:
        """
        Compute the offsets of tiles along one axis: factors of the tile numbers [N, loops], and constants [N].

        Those of a `whole` axis, as `span` returns it, are 0.
        """
        form, count, loops = access.forms[axis], len(self.sizes), self.moving.shape[2]
        factors = np.zeros((count, loops), np.int64)
        if form.divides:
            return factors, np.zeros(count, np.int64)
        constants = np.full(count, form.constant, np.int64)
        for dim, factor in _terms(form):
            factors += factor * self.starts.factors[:, dim]
            constants += factor * self.starts.constants[:, dim] + min(factor, 0) * (self.sizes[:, dim] - 1)
        if whole is None:
            return factors, constants
        return np.where(whole[:, None], 0, factors), np.where(whole, 0, constants)

    def _keeps_whole(self, access: Access, axis: int, *, in_place: bool) -> Flags | None:
        """Return in which tilings a tile is the whole axis of the operand, padding that is not filled included."""
        form, extent = access.forms[axis], shape_of(access.value)[axis]
        if not (in_place and form.constant == 0):
            if access.fill is None or access in self.filled:
                return None
            low, high = form.interval(self.kernel.bounds)
            if low >= 0 and high < extent:
                return None
        return ~any_along(self.cut[:, sorted(form.dims())])

    def stays_inside(self, access: Access) -> Flags:
        """Return the mask of tilings whose tiles of an operand lie inside of it [N]."""
        bounds = np.array(self.kernel.bounds)
        uneven = self.cut & (bounds % np.maximum(self.sizes, 1) != 0)
        fine = np.ones(len(self.sizes), np.bool_)
        for form, extent in zip(access.forms, shape_of(access.value), strict=True):
            dims = sorted(form.dims())
            low, high = form.interval(self.kernel.bounds)
            if access in self.filled and (low < 0 or high >= extent):
                return np.zeros_like(fine)
            if low < 0 or high >= extent:
                fine &= ~any_along(self.cut[:, dims])
            fine &= ~any_along(uneven[:, dims])
        return fine

    # One tiling

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Extents of the tile of one tiling in the kernel's own loops."""
        (sizes,) = self.sizes.tolist()
        return tuple(sizes)

    @cached_property
    def dims(self) -> frozenset[int]:
        """Leader's loops along which the tile of one tiling moves."""
        return frozenset(np.flatnonzero(self.moving[0].any(axis=0)).tolist())


def _terms(form: Linear) -> list[tuple[int, int]]:
    """Return dimension and factor of each term of a form without divisions."""
    return [(cast(int, dim), factor) for dim, factor in form.terms]


def box_of_kernel(op: Operation, kernel: Kernel, sizes: Sequence[int], begins: Sequence[int]) -> KernelTiles:
    """Return a kernel on a box of its own iteration space, as one tiling that no leader moves."""
    return boxes_of_kernel(op, kernel, np.array([sizes], np.int64), np.array([begins], np.int64))


def boxes_of_kernel(op: Operation, kernel: Kernel, sizes: Ints, begins: Ints) -> KernelTiles:
    """Return a kernel on boxes of its own iteration space, of `sizes` from `begins` on [N, loops]."""
    count, loops = sizes.shape
    starts = Offsets(np.zeros((count, loops, 0), np.int64), begins)
    return KernelTiles(op, kernel, ONE_LEVEL, sizes, np.zeros((count, loops, 0), np.bool_), lambda: starts)
