"""The memory of the levels that a function's tiles, scratch and resident buffers lie in."""

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
from ...dialects.core.machine.model import LARGEST_ELEMENT
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import GridOp
from ...dialects.hier.grid import spatial_grid
from ...errors import Diagnostic
from ...ir import free_symbol, where
from ..loops.nest import Index
from ..memory.views import bytes_of
from .streams import stage_bytes
from .writer import Writer

ADDRESS = "hier.address"
"""The attribute of an allocation that lies at this byte of its level for as long as the function runs."""


COPIES = "hier.copies"
"""The attribute of a level's memory that has a part of the same size for each of so many copies of the level."""


@dataclass
class _Reach:
    """
    Ends of the buffers of a level, in bytes: private ones of one engine instance, of `copies` in all, and shared ones.
    """

    part: int = 0
    copies: int = 1
    shared: int = 0
    unit: int = LARGEST_ELEMENT
    """Bytes that buffers in it begin at multiples of."""

    @property
    def stride(self) -> int:
        """The bytes from one copy of the level to the next, such that buffers are aligned in all of them."""
        return self.part if self.copies == 1 else stage_bytes(self.part, self.unit)

    @property
    def size(self) -> int:
        """The bytes of all."""
        return max(self.copies * self.stride, self.shared)


class Memories:
    """The memory of each level that a function uses, as large as anything reaches in it: memrefs of bytes."""

    def __init__(self, module: ModuleOp, function: FuncOp):
        """Define them in the module."""
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
        """Return the memories that an op sees: those of the copy that it is done on, where it is."""
        around = op.parent_op()
        while around is not None and around not in self._windows:
            around = around.parent_op()
        return self._whole if around is None else self._windows[around]

    def enter(self, parallel: Operation, windows: dict[str, SSAValue]) -> None:
        """Let the ops of a loop over copies see the memories of their copy."""
        self._windows[parallel] = windows

    def windows(self, grid: GridOp, writer: Writer, place: Sequence[SSAValue]) -> dict[str, SSAValue]:
        """
        Return the memories of one copy, at this place along the spatial dimensions that have more than one point.

        A view begins where address 0 is for the copy, and reaches as far as its buffers do.
        """
        copy: Index = 0
        extents = [grid.bounds[dim] for dim in grid.spatial_dims if grid.bounds[dim] > 1]
        for index, extent in zip(place, extents, strict=True):
            copy = writer.add(writer.multiply(copy, extent), index)
        found = dict(self._whole)
        ends: dict[str, int] = {}
        for op in nested_ops(grid):
            for level, end in _ends(op, self.units):
                ends[level] = max(ends.get(level, 0), end)
        for level, end in sorted(ends.items()):
            stride = grid.apart_in(level) or self._reach[level].stride
            kind = MemRefType(i8, [end], NoneAttr(), StringAttr(level))
            start = writer.value(writer.multiply(copy, stride))
            found[level] = writer.op(memref.ViewOp(self._whole[level], start, [], kind))
        return found


def _extend(reach: _Reach, around: GridOp | None, level: str, end: int) -> None:
    """Let a level reach to the end of a buffer of a grid with copies, or of another op."""
    apart = around.apart_in(level) if around is not None else None
    if around is not None and apart is not None:
        reach.shared = max(reach.shared, end + (around.copies - 1) * apart)
        return
    reach.part = max(reach.part, end)
    reach.copies = max(reach.copies, around.copies if around is not None else 1)


def place_residents(allocations: Iterable[memref.AllocOp], memories: Memories) -> None:
    """Replace each allocation that has an address by a view of its level's memory."""
    for op in allocations:
        if (address := address_of(op)) is None:
            continue
        writer = Writer(InsertPoint.before(op), op.location)
        kind = cast("MemRefType[Any]", op.memref.type)
        view = memref.ViewOp(memories.at(op)[_level_of(op)], writer.value(address), [], kind)
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        view.attributes |= {name: value for name, value in op.attributes.items() if name != ADDRESS}
        Rewriter.replace_op(op, view)


def address_of(op: memref.AllocOp) -> int | None:
    """Return the byte of its level that an allocation has been given, None where it has none."""
    address = op.attributes.get(ADDRESS)
    return cast("IntegerAttr[Any]", address).value.data if isinstance(address, IntegerAttr) else None


def _ends(op: Operation, units: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the levels that an op has buffers in, each with the byte after the buffer."""
    if type(op) is memref.AllocOp and (address := address_of(op)) is not None:
        yield _level_of(op), address + bytes_of(op.memref.type)
    if type(op) is not GridOp:
        return
    for tile, operand in zip(op.tiles, op.operands, strict=True):
        if tile.level_name is not None and tile.place is not None:
            stage = stage_bytes(tile.bytes_of(operand), units.get(tile.level_name, LARGEST_ELEMENT))
            yield tile.level_name, tile.place + tile.stages.data * stage
    for index, scratch in enumerate(op.scratches):
        if scratch.place is None:
            raise Diagnostic(f"scratch {index} has no address", where=where(op), remedy="run plan-memory before")
        yield scratch.level_name, scratch.place + scratch.bytes


def _level_of(op: memref.AllocOp) -> str:
    space = cast("MemRefType[Any]", op.memref.type).memory_space
    if isinstance(space, StringAttr):
        return space.data
    raise Diagnostic(
        f"an allocation with '{ADDRESS}' lies in no level",
        where=where(op),
        expected='a memory space such as memref<16xi8, "L1">',
        found=str(op.memref.type),
    )
