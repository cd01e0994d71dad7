"""Memory of each level that holds a function's tiles, scratch and resident buffers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, NoneAttr, StringAttr, UnitAttr, i8, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.machine.attribute import units_of
from ...dialects.core.machine.level import LARGEST_ELEMENT
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import Index
from ...dialects.hier import GridOp
from ...dialects.hier.grid import spatial_grid
from ...errors import Diagnostic
from ...ir import free_symbol, where
from ..memory.views import bytes_of, view_of
from .streams import stage_bytes
from .writer import Writer

ADDRESS = "hier.address"
"""Attribute of an allocation with a fixed byte offset in its level for the whole function."""


COPIES = "hier.copies"
"""Attribute of a level's memory that is partitioned into equal parts, one per instance of the level."""


@dataclass
class _Reach:
    """
    Extent in bytes of a level's buffers: private ones of one engine instance, of `copies` in all, and shared ones.
    """

    part: int = 0
    copies: int = 1
    shared: int = 0
    unit: int = LARGEST_ELEMENT
    """Alignment of buffers in bytes."""

    @property
    def stride(self) -> int:
        """Aligned stride in bytes between instances of the level."""
        return self.part if self.copies == 1 else stage_bytes(self.part, self.unit)

    @property
    def size(self) -> int:
        """Bytes of all instances."""
        return max(self.copies * self.stride, self.shared)


class Memories:
    """Memories of the levels that a function uses: memrefs of bytes, sized by the largest end of a buffer."""

    def __init__(self, module: ModuleOp, function: FuncOp):
        """Define the memories in the module."""
        self.units = units_of(module)
        self._reach: dict[str, _Reach] = {}
        for op in nested_ops(function):
            for level, end in _ends(op, self.units):
                reach = self._reach.setdefault(level, _Reach(unit=self.units.get(level, LARGEST_ELEMENT)))
                _extend(reach, spatial_grid(op), level, end)
        self._windows: dict[Operation, dict[str, SSAValue]] = {}
        self._whole: dict[str, SSAValue] = {}
        first = function.body.block.first_op
        assert first is not None
        for level, reach in sorted(self._reach.items()):
            name = free_symbol(module, f"{function.sym_name.data}_{level}")
            kind = MemRefType(i8, [reach.size], NoneAttr(), StringAttr(level))
            definition = memref.GlobalOp.get(StringAttr(name), kind, UnitAttr(), alignment=16)
            if reach.copies > 1:
                definition.attributes[COPIES] = IntegerAttr(reach.copies, i64)
            get = memref.GetGlobalOp(name, kind)
            definition.location = get.location = function.location
            Rewriter.insert_op(definition, InsertPoint.before(function))
            Rewriter.insert_op(get, InsertPoint.before(first))
            self._whole[level] = get.results[0]

    def at(self, op: Operation) -> dict[str, SSAValue]:
        """Return the memories visible to an op: those of its engine instance, inside a loop over instances."""
        around = op.parent_op()
        while around is not None and around not in self._windows:
            around = around.parent_op()
        return self._whole if around is None else self._windows[around]

    def enter(self, parallel: Operation, windows: dict[str, SSAValue]) -> None:
        """Register the memories visible inside a loop over instances."""
        self._windows[parallel] = windows

    def windows(self, grid: GridOp, writer: Writer, instance: Sequence[SSAValue]) -> dict[str, SSAValue]:
        """
        Return the memories of one engine instance, given its index along the spatial dimensions of extent above 1.

        A view begins at address 0 of the instance and covers its buffers.
        """
        copy: Index = 0
        extents = [grid.bounds[dim] for dim in grid.spatial_dims if grid.bounds[dim] > 1]
        for index, extent in zip(instance, extents, strict=True):
            copy = writer.add(writer.mul(copy, extent), index)
        windows = dict(self._whole)
        ends: dict[str, int] = {}
        for op in nested_ops(grid):
            for level, end in _ends(op, self.units):
                ends[level] = max(ends.get(level, 0), end)
        for level, end in sorted(ends.items()):
            stride = grid.stride_in(level) or self._reach[level].stride
            kind = MemRefType(i8, [end], NoneAttr(), StringAttr(level))
            start = writer.value(writer.mul(copy, stride))
            windows[level] = writer.op(memref.ViewOp(self._whole[level], start, [], kind))
        return windows


def _extend(reach: _Reach, around: GridOp | None, level: str, end: int) -> None:
    """Extend a level to the end of a buffer, of a grid over instances or of another op."""
    stride = around.stride_in(level) if around is not None else None
    if around is not None and stride is not None:
        reach.shared = max(reach.shared, end + (around.copies - 1) * stride)
        return
    reach.part = max(reach.part, end)
    reach.copies = max(reach.copies, around.copies if around is not None else 1)


def place_residents(allocations: Iterable[memref.AllocOp], memories: Memories) -> None:
    """Replace each allocation with an address by a view of its level's memory."""
    for op in allocations:
        if (address := address_of(op)) is None:
            continue
        writer = Writer.before(op)
        kind = cast("MemRefType[Any]", op.memref.type)
        view = view_of(memories.at(op)[_level_of(op)], writer.value(address), kind)
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        view.attributes |= {name: value for name, value in op.attributes.items() if name != ADDRESS}
        Rewriter.replace_op(op, view)


def address_of(op: memref.AllocOp) -> int | None:
    """Return the byte offset of an allocation in its level, None if it has none."""
    address = op.attributes.get(ADDRESS)
    return cast("IntegerAttr[Any]", address).value.data if isinstance(address, IntegerAttr) else None


def _ends(op: Operation, units: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the level and the end in bytes of each buffer of an op."""
    if type(op) is memref.AllocOp and (address := address_of(op)) is not None:
        yield _level_of(op), address + bytes_of(op.memref.type)
    if type(op) is not GridOp:
        return
    for tile, operand in zip(op.tiles, op.operands, strict=True):
        if tile.level_name is not None and tile.byte_address is not None:
            stage = stage_bytes(tile.bytes_of(operand), units.get(tile.level_name, LARGEST_ELEMENT))
            yield tile.level_name, tile.byte_address + tile.stage_count * stage
    for index, scratch in enumerate(op.scratches):
        if scratch.byte_address is None:
            raise Diagnostic(f"scratch {index} has no address", where=where(op), remedy="run plan-memory before")
        yield scratch.level_name, scratch.byte_address + scratch.bytes


def _level_of(op: memref.AllocOp) -> str:
    space = cast("MemRefType[Any]", op.memref.type).memory_space
    if isinstance(space, StringAttr):
        return space.data
    raise Diagnostic(
        f"an allocation with '{ADDRESS}' has no memory level",
        where=where(op),
        expected='a memory space such as memref<16xi8, "L1">',
        found=str(op.memref.type),
    )
