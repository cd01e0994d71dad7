"""Proof that buffers with addresses, allocations and slots of streams, are disjoint while they are live."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ParallelOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.effect_traits import Launches
from ...dialects.core.effects import declared
from ...dialects.core.machine.level import Level
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import ConcurrentOp, GridOp, StreamOp, TokenType
from ...dialects.hier.programs import program_of
from ..core.byte_ranges import ByteRanges
from ..grids.memories import address_of
from ..memory.views import bytes_of
from .levels import Placed, buffers_of_copies, placed_in, prove_disjoint, prove_inside
from .rules import listed, refuse

ResidentOp = memref.AllocOp | StreamOp


@dataclass(frozen=True)
class _Resident:
    """Buffer with an address, and its live range in ops of its block, or all of the block where it `leaves` that."""

    buffer: Placed
    block: Block
    first: int
    last: int
    leaves: bool


@dataclass
class _Blocks:
    """Positions of ops in their blocks."""

    _numbers: dict[Block, dict[Operation, int]] = field(default_factory=dict[Block, dict[Operation, int]])

    def number(self, op: Operation) -> int:
        """Return the position of an op in its block."""
        block = op.parent
        assert block is not None
        if block not in self._numbers:
            self._numbers[block] = {member: index for index, member in enumerate(block.ops)}
        return self._numbers[block][op]


def prove_residents(function: FuncOp, levels: Mapping[str, Level]) -> None:
    """
    Prove that buffers with addresses are in bounds of their levels, and disjoint from live buffers and those of grids.

    A buffer is live from its first use to its last one, and to the waits for what its uses have issued.
    """
    owners = [op for op in nested_ops(function) if isinstance(op, ResidentOp) and _address(op) is not None]
    if not owners:
        return
    blocks = _Blocks()
    residents = [resident for op in owners if (resident := _resident(op, blocks)) is not None]
    for resident in residents:
        _prove_own(resident.buffer, levels)
        prove_inside(resident.buffer, levels)
        prove_disjoint(resident.buffer, resident.buffer)
    by_block: dict[Block, list[_Resident]] = defaultdict(list)
    for resident in residents:
        by_block[resident.block].append(resident)
    for inner, outer in combinations(by_block, 2):
        pair = _BlockPair(inner, outer, blocks)
        for a, b in product(by_block[inner], by_block[outer]):
            if pair.at_once(a, b):
                prove_disjoint(a.buffer, b.buffer)
    for block, block_residents in by_block.items():
        _prove_disjoint_in(block, block_residents, levels)


def _prove_own(buffer: Placed, levels: Mapping[str, Level]) -> None:
    """Prove that instances of a replicated program do not have a buffer at one place of a level that they share."""
    program, level = program_of(buffer.owner), levels.get(buffer.level)
    if program is None or program.copies == 1 or level is None or prod(level.count) > 1:
        return
    raise refuse(
        "disjoint",
        f"the instances of program '{program.title.data}' have {buffer.name} at one place of {buffer.level}",
        buffer.owner,
        [f"address {buffer.address} of {buffer.level}", f"instances {listed([0] * len(program.extents))} and the next"],
        remedy="leave the address out, or allocate it in a level with an instance for each",
    )


def _address(op: ResidentOp) -> int | None:
    if isinstance(op, StreamOp):
        return op.address.data if op.address is not None else None
    return address_of(op)


def _resident(op: ResidentOp, blocks: _Blocks) -> _Resident | None:
    value = op.results[0]
    tile = op.type.tile if isinstance(op, StreamOp) else cast("MemRefType[Any]", value.type)
    block, count = op.parent, op.depth.data if isinstance(op, StreamOp) else 1
    if block is None or tile is None or not isinstance(tile.memory_space, StringAttr):
        return None
    users = [_within(block, user) for user in _users(value)] or [op]
    inside = [blocks.number(user) for user in users if user is not None] or [blocks.number(op)]
    leaves = None in users
    name = f"%{value.name_hint}" if value.name_hint else "a resident buffer"
    size = count * bytes_of(tile)
    placed = buffers_of_copies(op, name, tile.element_type, tile.memory_space.data, _address(op) or 0, size)
    return _Resident(placed, block, 0 if leaves else min(inside), len(block.ops) if leaves else max(inside), leaves)


def _users(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a buffer, a view of it or a slot, and those that wait for what they have issued."""
    pending, seen = [value], {value}
    while pending:
        for use in pending.pop().uses:
            yield use.operation
            more = [value_after for value_after in _following(use.operation) if value_after not in seen]
            pending += more
            seen.update(more)


def _following(op: Operation) -> list[SSAValue]:
    """Return the buffers and tokens by which a use goes on: results, arguments of regions, and what a region yields."""
    arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
    around = op.parent_op()
    is_passed_on = op.has_trait(IsTerminator) or (around is not None and declared(type(around), Launches) is not None)
    outer = around.results if around is not None and is_passed_on else ()
    return [value for value in (*op.results, *arguments, *outer) if isinstance(value.type, TokenType | MemRefType)]


def _within(block: Block, op: Operation) -> Operation | None:
    """Return the op of a block that an op is, or is in; None where it is outside of the block."""
    here: Operation | None = op
    while here is not None and here.parent is not block:
        here = here.parent_op()
    return here


@dataclass(frozen=True)
class _BlockPair:
    """Two blocks, and the order of the ops that they are in, in the innermost block around both."""

    a: Block
    b: Block
    blocks: _Blocks

    @cached_property
    def _ops(self) -> tuple[Operation | None, Operation | None]:
        """The op of the innermost common block that each is in, None for a block that is the common one."""
        around = _around(self.a)
        block: Block | None = self.b
        op: Operation | None = None
        while block is not None and block not in around:
            op = block.parent_op()
            block = op.parent if op is not None else None
        return (around[block], op) if block is not None else (None, None)

    def at_once(self, a: _Resident, b: _Resident) -> bool:
        """Return whether buffers of the two blocks may be live at the same time."""
        first, second = self._ops
        if a.leaves or b.leaves or first is second:
            return True
        if first is None or second is None:
            outer, op = (a, second) if first is None else (b, first)
            assert op is not None
            return outer.first <= self.blocks.number(op) <= outer.last or _is_repeated_at_once(op)
        return isinstance(first.parent_op(), ConcurrentOp) or _is_repeated_at_once(first)


def _around(block: Block) -> dict[Block, Operation | None]:
    """Return the blocks around a block and itself, each with its op that leads there."""
    ops: dict[Block, Operation | None] = {block: None}
    op = block.parent_op()
    while op is not None and op.parent is not None:
        ops[op.parent] = op
        op = op.parent.parent_op()
    return ops


def _is_repeated_at_once(op: Operation) -> bool:
    """Return whether iterations of a parallel loop around an op run at once."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ParallelOp):
        parent = parent.parent_op()
    return parent is not None


def _prove_disjoint_in(block: Block, residents: Sequence[_Resident], levels: Mapping[str, Level]) -> None:
    """Prove that buffers live at an op of a block are disjoint from each other and from those of its grids."""
    begun, ended = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, resident in enumerate(residents):
        begun[resident.first].append(index)
        ended[resident.last].append(index)
    alive: dict[str, ByteRanges] = defaultdict(ByteRanges)

    def prove(placed: Placed) -> None:
        for other in sorted(alive[placed.level].meeting(placed.address, placed.end)):
            prove_disjoint(residents[other].buffer, placed)

    for number, op in enumerate(block.ops):
        for index in begun[number]:
            buffer = residents[index].buffer
            prove(buffer)
            alive[buffer.level].add(buffer.address, buffer.end, index)
        grids = (inner for inner in op.walk() if isinstance(inner, GridOp)) if op.regions else ()
        for placed in (placed for grid in grids for placed in placed_in(grid, levels)):
            prove(placed)
        for index in ended[number]:
            buffer = residents[index].buffer
            alive[buffer.level].remove(buffer.address, buffer.end, index)
