"""Proofs about where buffers lie: inside of their levels, aligned, and apart from others that are needed with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.hier import GridOp
from ...ir import element_of, numpy_type
from ..grids.memories import address_of
from ..grids.streams import stage_bytes
from ..memory.views import bytes_of
from .compile import VIEWS
from .rules import grid_point, refuse


class LevelLimits(Protocol):
    """What a proof has to know of a level: its size in bytes, and what addresses are multiples of."""

    @property
    def size(self) -> int: ...

    @property
    def alignment(self) -> int: ...


@dataclass(frozen=True)
class Placed:
    """Bytes of a level that a buffer takes, `owner` the grid or the allocation that it belongs to."""

    owner: Operation
    name: str
    level: str
    address: int
    size: int
    item: int

    @property
    def end(self) -> int:
        """The byte after the last."""
        return self.address + self.size

    @property
    def whose(self) -> str:
        """What the buffer belongs to, for messages."""
        return f"{self.name} of the grid" if isinstance(self.owner, GridOp) else self.name

    @property
    def at(self) -> str:
        """When the buffer is needed first, for counterexamples."""
        return grid_point([0] * len(self.owner.bounds)) if isinstance(self.owner, GridOp) else ""

    def meets(self, other: Placed) -> bool:
        """Return whether two buffers share a byte."""
        return self.level == other.level and self.address < other.end and other.address < self.end


def prove_levels(grid: GridOp, levels: Mapping[str, LevelLimits]) -> None:
    """
    Prove that the buffers of a grid lie in their levels, aligned, apart from each other and from those of the grids
    around it. `levels` may be empty.
    """
    own = placed_in(grid)
    for each in own:
        _prove_inside(each, levels)
    for a, b in combinations(own, 2):
        _prove_apart(a, b)
    around = grid.parent_op()
    while around is not None:
        for a in placed_in(around) if isinstance(around, GridOp) else ():
            for b in own:
                _prove_apart(a, b)
        around = around.parent_op()


def placed_in(grid: GridOp) -> list[Placed]:
    """Return the buffers of a grid that have addresses."""
    found: list[Placed] = []
    for index, (tile, value) in enumerate(zip(grid.tiles, grid.operands, strict=True)):
        if tile.level_name is not None and tile.place is not None:
            size = tile.stages.data * stage_bytes(tile.bytes_of(value))
            found.append(_placed(grid, f"operand {index}", value, tile.level_name, tile.place, size))
    for index, (scratch, value) in enumerate(zip(grid.scratches, grid.scratch_buffers, strict=True)):
        if scratch.place is not None:
            found.append(_placed(grid, f"scratch {index}", value, scratch.level_name, scratch.place, scratch.bytes))
    return found


def _placed(owner: Operation, what: str, value: SSAValue, level: str, address: int, size: int) -> Placed:
    name = what + (f" (%{value.name_hint})" if value.name_hint else "")
    return Placed(owner, name, level, address, size, numpy_type(element_of(value)).itemsize)


def _prove_inside(buffer: Placed, levels: Mapping[str, LevelLimits]) -> None:
    limits = levels.get(buffer.level)
    if levels and limits is None:
        known = f"levels {', '.join(levels)}"
        message = f"the machine has no level '{buffer.level}'"
        raise refuse("level", message, buffer.owner, [buffer.name], found=known)
    if buffer.address < 0 or (limits is not None and buffer.end > limits.size):
        wrong = buffer.address if buffer.address < 0 or limits is None else max(buffer.address, limits.size)
        end = f"; {buffer.level} has {limits.size} bytes" if limits else ""
        raise refuse(
            "level",
            f"the buffer of {buffer.whose} leaves {buffer.level}",
            buffer.owner,
            [f"address {wrong}", buffer.at],
            found=f"bytes {buffer.address} to {buffer.end - 1}{end}",
        )
    unit = max(buffer.item, limits.alignment if limits else 1)
    if buffer.address % buffer.item or buffer.address % unit:
        raise refuse(
            "aligned",
            f"the buffer of {buffer.whose} is not aligned to {unit} bytes",
            buffer.owner,
            [f"address {buffer.address} of {buffer.level}", buffer.at],
        )


def _prove_apart(a: Placed, b: Placed) -> None:
    if not a.meets(b):
        return
    names = f"{a.name} and {b.whose}" if a.owner is b.owner else f"{a.whose} and {b.whose}"
    if a.owner is not b.owner and isinstance(a.owner, GridOp) and isinstance(b.owner, GridOp):
        names = f"{a.name} of the grid around and {b.whose}"
    raise refuse(
        "apart",
        f"the buffers of {names} overlap in {a.level}",
        b.owner,
        [f"address {max(a.address, b.address)} of {a.level}", b.at or a.at],
        found=f"bytes {a.address} to {a.end - 1} and {b.address} to {b.end - 1}",
    )


@dataclass(frozen=True)
class _Resident:
    """An allocation that has an address, and the ops of its block from its first use to its last."""

    buffer: Placed
    block: Block
    first: int
    last: int


def prove_residents(function: FuncOp, levels: Mapping[str, LevelLimits]) -> None:
    """
    Prove that buffers which have addresses of their own lie in their levels, apart from each other and from the buffers
    of grids, from the first op that uses them to the last.
    """
    allocations = [op for op in function.walk() if isinstance(op, memref.AllocOp) and address_of(op) is not None]
    if not allocations:
        return
    numbers: dict[Operation, int] = {}
    for block in dict.fromkeys(op.parent for op in allocations):
        numbers |= {op: index for index, op in enumerate(block.ops)} if block is not None else {}
    residents = [found for op in allocations if (found := _resident(op, numbers)) is not None]
    for each in residents:
        _prove_inside(each.buffer, levels)
    for a, b in combinations(residents, 2):
        if a.block is not b.block or (a.first <= b.last and b.first <= a.last):
            _prove_apart(a.buffer, b.buffer)
    for block in dict.fromkeys(each.block for each in residents):
        _prove_apart_from_grids(block, [each for each in residents if each.block is block])


def _resident(op: memref.AllocOp, numbers: Mapping[Operation, int]) -> _Resident | None:
    block, level = op.parent, cast("MemRefType[Any]", op.memref.type).memory_space
    if block is None or not isinstance(level, StringAttr):
        return None
    uses = [numbers[_within(block, user)] for user in _users(op.memref)] or [numbers[op]]
    name = f"%{op.memref.name_hint}" if op.memref.name_hint else "a resident buffer"
    item = numpy_type(element_of(op.memref)).itemsize
    placed = Placed(op, name, level.data, address_of(op) or 0, bytes_of(op.memref.type), item)
    return _Resident(placed, block, min(uses), max(uses))


def _users(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a buffer or a view of it."""
    for use in value.uses:
        yield use.operation
        if isinstance(use.operation, VIEWS):
            yield from _users(use.operation.results[0])


def _within(block: Block, op: Operation) -> Operation:
    """Return the op of a block that an op is, or is in."""
    while op.parent is not block:
        outer = op.parent_op()
        assert outer is not None, "uses lie in the block of the definition"
        op = outer
    return op


def _prove_apart_from_grids(block: Block, residents: Sequence[_Resident]) -> None:
    for number, op in enumerate(block.ops):
        live = [each for each in residents if each.first <= number <= each.last]
        if not live or not op.regions:
            continue
        for grid in (inner for inner in op.walk() if isinstance(inner, GridOp)):
            for placed in placed_in(grid):
                for each in live:
                    _prove_apart(each.buffer, placed)
