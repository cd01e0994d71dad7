"""
Tilings of a fused group of kernels: the tile of each operand at each grid point, from the access maps alone.

Along tiled axes, padding moves into the tile maps: transfers fill the padding on the way in, and drop it on the way
out. Each kernel of a group except the last, the leader, produces an intermediate for later kernels only. Tiles of
intermediates follow from those of the leader, and never leave the near level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.kernel import Access, Kernel, kernel_of
from ...ir import Ints, element_of, numpy_type
from ..memory.role_levels import ONE_LEVEL, RoleLevels
from .kernels import KernelTiles, box_of_kernel
from .operands import Flags, Offsets, OperandTiles


@dataclass(frozen=True, eq=False)
class ScratchTiles:
    """
    Near-level scratch buffer of a group: an intermediate, or the accumulator of a split reduction.

    `extents` are [N, axes]; a tiling that is not in `used` [N] has no such buffer.
    """

    extents: Ints
    used: Flags
    element: Attribute
    level: str
    layout: AffineMapAttr | None = None

    @property
    def bytes(self) -> Ints:
        """Bytes of the buffer [N], 0 where it is not used."""
        return np.where(self.used, self.extents.prod(axis=1) * numpy_type(self.element).itemsize, 0)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the buffer of one tiling."""
        (extents,) = self.extents.tolist()
        return tuple(extents)

    @property
    def size(self) -> int:
        """Bytes of the buffer of one tiling."""
        return prod(self.shape) * numpy_type(self.element).itemsize

    def take(self, rows: slice | Ints | Flags) -> ScratchTiles:
        """Return the buffer of some tilings."""
        return replace(self, extents=self.extents[rows], used=self.used[rows])


@dataclass(frozen=True, eq=False)
class Operands:
    """Tiles of the operands of a group outside of it, by kernel number and operand position, and its scratch."""

    reads: Mapping[tuple[int, int], OperandTiles]
    starts: Sequence[OperandTiles]
    """Tiles that the leader's sums start from; none where they start from a constant."""
    writes: Sequence[OperandTiles]
    intermediates: Mapping[SSAValue, ScratchTiles]
    sums: Mapping[int, ScratchTiles]
    """Accumulators of split reductions by kernel number; none where the output's tile serves as one."""

    def take(self, rows: slice | Ints | Flags) -> Operands:
        """Return the operands of some tilings."""
        return Operands(
            {key: tiles.take(rows) for key, tiles in self.reads.items()},
            [tiles.take(rows) for tiles in self.starts],
            [tiles.take(rows) for tiles in self.writes],
            {value: scratch.take(rows) for value, scratch in self.intermediates.items()},
            {number: scratch.take(rows) for number, scratch in self.sums.items() if scratch.used[rows].any()},
        )


@dataclass(frozen=True, eq=False)
class Tilings:
    """
    N tilings of a fused group: tile sizes in the leader's loops [N, loops].

    `residency` has the level of each operand outside of the far level, `role_levels` those of each kernel's roles.
    One tiling is N = 1.
    """

    ops: tuple[Operation, ...]
    kernels: tuple[Kernel, ...]
    sizes: Ints
    residency: Mapping[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    role_levels: tuple[RoleLevels, ...] = ()
    panels: tuple[int, ...] = ()
    """Positions of the leader's inputs whose tiles are panels: whole along reduced loops that are cut for others."""
    computed: Operands | None = None
    """The operands where they have been computed with those of other tilings."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def op(self) -> Operation:
        """Leader: the last kernel of the group."""
        return self.ops[-1]

    @property
    def kernel(self) -> Kernel:
        """Kernel view of the leader."""
        return self.kernels[-1]

    def take(self, rows: slice | Ints | Flags) -> Tilings:
        """Return some of the tilings, by number or by mask."""
        return replace(self, sizes=self.sizes[rows], computed=None)

    def row(self, number: int) -> Tilings:
        """Return one tiling by itself; its tiles are computed with those of all others."""
        rows = slice(number, number + 1)
        return replace(self, sizes=self.sizes[rows], computed=self.operands.take(rows))

    @cached_property
    def counts(self) -> Ints:
        """Tiles along each of the leader's loops [N, loops]; the last may be partial."""
        return -(-np.array(self.kernel.bounds, np.int64) // np.maximum(self.sizes, 1))

    @cached_property
    def reduced(self) -> list[int]:
        """Leader's reduced loops."""
        return sorted(self.kernel.reduced)

    @cached_property
    def reductions(self) -> Ints:
        """Number of reduction steps of the leader [N]."""
        return self.counts[:, self.reduced].prod(axis=1)

    @cached_property
    def parts(self) -> tuple[KernelTiles, ...]:
        """Kernels with their tiles, producers first."""
        loops = self.sizes.shape[1]
        moving = (self.counts > 1)[:, :, None] & np.eye(loops, dtype=np.bool_)[None]

        def starts() -> Offsets:
            factors = np.where(moving, self.sizes[:, :, None], 0)
            return Offsets(factors, np.zeros_like(self.sizes))

        role_levels = self.role_levels or (ONE_LEVEL,) * len(self.ops)
        parts = [KernelTiles(self.op, self.kernel, role_levels[-1], self.sizes, moving, starts)]
        for op, kernel, own in reversed(list(zip(self.ops[:-1], self.kernels[:-1], role_levels[:-1], strict=True))):
            parts.insert(0, self._producer(op, kernel, own, parts))
        return tuple(parts)

    def _producer(
        self, op: Operation, kernel: Kernel, role_levels: RoleLevels, users: Sequence[KernelTiles]
    ) -> KernelTiles:
        """Return a producer on the tiles of its result that the first of its users needs."""
        output, count, loops = kernel.outputs[0], len(self), self.sizes.shape[1]
        reads = ((user, access) for user in users for access in user.accesses.values())
        user, access = next((user, access) for user, access in reads if access.value is output.value)
        sizes = np.tile(np.array(kernel.bounds, np.int64), (count, 1))
        moving = np.zeros((count, len(kernel.bounds), loops), np.bool_)
        axes = [(axis, cast(int, form.terms[0][0])) for axis, form in enumerate(output.forms) if form.terms]
        whole: dict[int, Flags | None] = {}
        for axis, dim in axes:
            sizes[:, dim], moving[:, dim], whole[axis] = user.span(access, axis, in_place=False)

        def starts() -> Offsets:
            factors, constants = np.zeros((count, len(kernel.bounds), loops), np.int64), np.zeros_like(sizes)
            for axis, dim in axes:
                factors[:, dim], constants[:, dim] = user.offset(access, axis, whole[axis])
            return Offsets(factors, constants)

        return KernelTiles(op, kernel, role_levels, sizes, moving, starts)

    @cached_property
    def is_split(self) -> Flags:
        """Return whether the leader's kernel computes partial sums only [N]."""
        role_levels = self.parts[-1].role_levels
        return np.asarray(
            (self.reductions > 1) | role_levels.separate_sums | (role_levels.epilogue is not None), np.bool_
        )

    @cached_property
    def operands(self) -> Operands:
        """Tiles of the operands, and scratch."""
        if self.computed is not None:
            return self.computed
        leader = self.parts[-1]
        outputs = list(enumerate(self.kernel.outputs, leader.first_output))
        writes = [self._tiles(leader, position, access, is_output=True) for position, access in outputs]
        intermediates = {part.kernel.outputs[0].value: self._intermediate(part) for part in self.parts[:-1]}
        reads: dict[tuple[int, int], OperandTiles] = {}
        for number, part in enumerate(self.parts):
            outside = [(n, access) for n, access in part.accesses.items() if access.value not in intermediates]
            for position, access in outside:
                source = part.unreduced if part is leader and position in self.panels else part
                reads[number, position] = self._tiles(source, position, access, is_output=False)
        for (position, access), written in zip(outputs, writes, strict=True):
            if leader.accumulates and not written.in_place:
                reads[len(self.parts) - 1, position] = self._tiles(leader, position, access, is_output=False)
        return Operands(reads, self._starts(leader, writes), writes, intermediates, self._sums())

    def _tiles(self, part: KernelTiles, position: int, access: Access, *, is_output: bool) -> OperandTiles:
        return part.operand_tiles(position, access, self.counts, self.residency, is_output=is_output)

    def _intermediate(self, part: KernelTiles) -> ScratchTiles:
        output = part.kernel.outputs[0]
        extents = part.tiles(output, self.counts, is_output=True, in_place=False).extents
        level, layout = part.role_levels.level("outs"), part.role_levels.layout("outs", output.map)
        return ScratchTiles(extents, np.ones(len(self), np.bool_), element_of(output.value), level, layout)

    def _starts(self, leader: KernelTiles, writes: Sequence[OperandTiles]) -> list[OperandTiles]:
        epilogue = leader.role_levels.epilogue
        if epilogue is None or epilogue.bias is None:
            return []
        (write,), bias = writes, epilogue.bias

        def offsets() -> Offsets:
            factors, constants = write.offsets.factors.copy(), write.offsets.constants.copy()
            factors[:, bias.constant_axes], constants[:, bias.constant_axes] = 0, 0
            return Offsets(factors, constants)

        operand_level = leader.role_levels.far
        start = replace(
            write, access=bias.access, is_output=False, operand_level=operand_level, layout=None, starts=True
        )
        return [replace(start, offsets_of=offsets)]

    def _sums(self) -> dict[int, ScratchTiles]:
        sums: dict[int, ScratchTiles] = {}
        for number, part in enumerate(self.parts):
            kernel, role_levels = part.kernel, part.role_levels
            used = self.is_split if part is self.parts[-1] else np.full(len(self), role_levels.separate_sums)
            if (
                kernel.epilogue is None
                or role_levels.epilogue is not None
                or len(kernel.reductions) != 1
                or not used.any()
            ):
                continue
            extents = part.tiles(kernel.outputs[0], self.counts, is_output=True, in_place=False).extents
            element = kernel.reductions[0].body.args[-1].type
            sums[number] = ScratchTiles(extents, used, element, role_levels.level("accumulators"))
        return sums

    @cached_property
    def tiles(self) -> list[OperandTiles]:
        """
        Distinct tiles read, then those that sums start from, then the tiles written.

        A buffer updated in place has both. Of one tiling, tiles are told apart by what they cover of a buffer, of
        several by their accesses.
        """
        return [*self._distinct.values(), *self.operands.starts, *self.operands.writes]

    @cached_property
    def _distinct(self) -> dict[object, OperandTiles]:
        tiles: dict[object, OperandTiles] = {}
        for key, read in self.operands.reads.items():
            tiles.setdefault(self._key_of(key), read)
        return tiles

    def _key_of(self, key: tuple[int, int]) -> object:
        """Return the key by which a read is distinct: that of its tile, if others read the buffer too."""
        read = self.operands.reads[key]
        if len(self) > 1:
            return key[0], read.value, read.access.map, read.level
        is_alone = sum(other.value is read.value for other in self.operands.reads.values()) == 1
        return read.value if is_alone else read.key

    @cached_property
    def scratch(self) -> tuple[ScratchTiles, ...]:
        """Scratch buffers of the group."""
        return (*self.operands.intermediates.values(), *self.operands.sums.values())

    # One tiling

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Tile sizes of one tiling in the leader's loops."""
        (sizes,) = self.sizes.tolist()
        return tuple(sizes)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """Tiles of one tiling along each of the leader's loops."""
        (counts,) = self.counts.tolist()
        return tuple(counts)

    @cached_property
    def cut_reductions(self) -> tuple[int, ...]:
        """Leader's reduction loops that one tiling cuts."""
        return tuple(dim for dim in self.reduced if self.grid[dim] > 1)

    @cached_property
    def tile_of(self) -> dict[tuple[int, int], OperandTiles]:
        """Tile that each operand read has in one tiling, by kernel number and position: one of `tiles`."""
        return {key: self._distinct[self._key_of(key)] for key in self.operands.reads}

    def within_panel(self, position: int) -> OperandTiles:
        """Return the tile that a step of one tiling's leader uses of a panel, its offsets relative to the panel."""
        part, panel = self.parts[-1], self.operands.reads[len(self.parts) - 1, position]
        tile = self._tiles(part, position, part.accesses[position], is_output=False)

        def offsets() -> Offsets:
            begin, own = panel.offsets, tile.offsets
            return Offsets(own.factors - begin.factors, own.constants - begin.constants)

        return replace(tile, offsets_of=offsets)


def tilings_of(
    op: Operation | Sequence[Operation],
    sizes: Sequence[Sequence[int]] | Ints,
    residency: Mapping[SSAValue, str] | None = None,
    role_levels: Sequence[RoleLevels] = (),
    panels: tuple[int, ...] = (),
) -> Tilings:
    """
    Build tilings of a kernel or fused group, of tile sizes in the leader's loops [N, loops].

    `residency` has the level of each operand outside of the far level, `panels` the leader's inputs of which tiles are
    panels. Without `role_levels`, tiles have no level, and operands of the level "" are used in place.
    """
    ops = (op,) if isinstance(op, Operation) else tuple(op)
    kernels = tuple(kernel_of(kernel) for kernel in ops)
    array = np.array(sizes, np.int64).reshape(len(sizes), len(kernels[-1].bounds))
    return Tilings(ops, kernels, array, residency or {}, tuple(role_levels), panels)


def tiling_of(
    op: Operation | Sequence[Operation],
    sizes: Sequence[int] | None = None,
    residency: Mapping[SSAValue, str] | None = None,
    role_levels: Sequence[RoleLevels] = (),
    panels: tuple[int, ...] = (),
) -> Tilings:
    """Build one tiling of a kernel or fused group, as `tilings_of`; without sizes, of one tile."""
    leader = op if isinstance(op, Operation) else op[-1]
    return tilings_of(op, [kernel_of(leader).bounds if sizes is None else sizes], residency, role_levels, panels)


def roles_of(op: Operation) -> list[tuple[SSAValue, str]]:
    """Return the operands of a kernel, each with its role."""
    kernel = kernel_of(op)
    whole = box_of_kernel(op, kernel, kernel.bounds, [0] * len(kernel.bounds))
    return [(access.value, whole.role(position)) for position, access in whole.uses]
