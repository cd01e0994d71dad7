"""Rules of accesses by their declared effects: the regions that an op touches, and the content that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, Resource

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.effect_traits import Box, CopyEffects, Effect, OwnArguments
from ...dialects.core.effects import Effects, declared
from ...dialects.core.kernel import is_kernel
from ...dialects.core.queue_effects import OnQueue, QueueAccess
from ...dialects.hier import GridOp
from ...dialects.hier.tile_copies import overlap
from ...errors import Diagnostic
from ...ir import Array
from ..explicit.client import Handler
from ..explicit.events import queue_of
from .grid import prove_in_place
from .memory import InFlightOp, MemoryState
from .origins import Origin, Spot, brought
from .regions import Buffer, Region
from .rules import listed, name_of
from .tiles import KernelFacts, TileChecks, facts_of

_WRITE = MemoryEffectKind.WRITE

Index: TypeAlias = "int | Range"
"""Index along an axis; of one that depends on data the range that is declared for it."""


class AccessRules:
    """Checks of the accesses of a walk. Raises Diagnostic at the first one that breaks a rule."""

    def __init__(self, carried: Mapping[GridOp, Collection[int]], *, tiles: bool):
        self._carried = carried
        self._follows_tiles = tiles
        self._inside: set[Hashable] = set()
        """The accesses of kernels that stay inside of their operands."""
        self._pieces: dict[tuple[Any, ...], tuple[Region, Region, Sequence[slice], bool]] = {}
        self.facts: dict[Operation, KernelFacts] = {}
        """Those of the kernels that have been run."""
        self._proved: set[tuple[Operation, int, int]] = set()

    def begin(self, state: MemoryState) -> None:
        """Begin the walk of a program."""
        self._state = state
        self._filled: set[Resource] = set()
        """The registers of queues that have a value."""
        self._configured: dict[Any, Any] = {}
        """The configuration of queues."""
        self.tiles = TileChecks(state)

    def of(self, op: Operation, effects: Effects) -> Handler:
        """Return the handler of an op."""
        if is_kernel(op):
            return lambda *buffers: self._kernel(op, buffers)
        for trait, rule in _RULES.items():
            if declared(type(op), trait) is not None:
                return lambda *buffers: rule(self, op, buffers)
        accesses = [effect for effect in effects.instances if isinstance(effect, Effect)]
        if (trait := queue_of(type(op))) is not None:
            return self._instruction_of(op, trait, accesses)
        if any(access.until is not None for access in accesses):
            return self._transfer_of(op, accesses)
        if any(access.region is not None for access in accesses):
            return self._elements_of(op, accesses)
        reads = list(map(op.operands.index, effects.reads))
        writes = list(map(op.operands.index, effects.writes))
        return lambda *buffers: self._touch(op, buffers, reads, writes, set())

    # Elements

    def _elements_of(self, op: Operation, effects: Iterable[Effect]) -> Handler:
        """Return the handler of an op that accesses elements, any along an axis whose index depends on data."""
        index = {value: position for position, value in enumerate(op.operands)}
        plans = [
            (effect.kind is _WRITE, index[cast(SSAValue, effect.value)], _evaluated(effect.region, index))
            for effect in effects
        ]

        def access(*operands: Any) -> None:
            for is_write, position, box in plans:
                buffer, offsets, sizes = operands[position], *box(operands)
                is_exact = not buffer.by_data and all(isinstance(offset, int) for offset in offsets)
                if is_write and not is_exact:
                    self._keeps(op, buffer)
                region = self._part(op, buffer, offsets, sizes)
                if is_write:
                    self._state.check_write(op, region, position)
                    self._state.wrote(op, region, buffer)
                else:
                    self._state.check_read(op, region, buffer.number, position)

        return access

    def _part(self, op: Operation, buffer: Buffer, offsets: Sequence[Index | None], sizes: Sequence[int]) -> Region:
        shape = buffer.array.shape
        if buffer.by_data:
            return buffer.part(tuple(slice(None) for _ in shape))
        box = list(zip(offsets, sizes, shape, strict=True))
        if any(i is not None and not 0 <= _ends(i)[0] <= _ends(i)[1] <= n - size for i, size, n in box):
            element = [0 if i is None else _outermost(i, n) for i, _, n in box]
            at = f"element {listed(element)} of the shape {listed(shape)}"
            raise self._state.refuse("inside", op, f"'{op.name}' is out of bounds of its buffer", at)
        return buffer.part(tuple(_around(index, size) for index, size, _ in box))

    def _keeps(self, op: Operation, buffer: Buffer) -> None:
        self._may_leave(op, buffer.part(tuple(slice(None) for _ in buffer.array.shape)), buffer)

    def _may_leave(self, op: Operation, region: Region, buffer: Buffer) -> None:
        """Check a region that an op writes a part of, which data choose: the rest keeps its content."""
        self._state.check_read(op, region, buffer.number, "what it may leave as it is")
        self.check_complete(op, region, "what it may leave as it is")

    def _unknown(self) -> Origin | None:
        """Return the origin of bytes that data choose."""
        return Origin(is_mixed=True) if self._follows_tiles else None

    # Instructions on queues

    def _instruction_of(self, op: Operation, trait: OnQueue, effects: Sequence[Effect]) -> Handler:
        """Return the handler of an instruction on a queue: it accesses regions until a fence."""
        taken = {effect.resource for effect in effects if effect.kind is MemoryEffectKind.FREE}
        filled = {effect.resource for effect in effects if effect.kind is _WRITE and effect.value is None}

        def issue(*operands: Any) -> None:
            self._take(op, taken)
            self._filled |= filled
            try:
                accesses = trait.issue(op, operands, self._configured)
            except Diagnostic as error:
                message = f"'{op.name}': {error.message}"
                parts = {"found": error.found, "remedy": error.remedy}
                raise self._state.refuse("configured", op, message, **parts) from error
            regions = [(self._region_of(op, access, operands), access.is_write, access.operand) for access in accesses]
            self._state.issue(
                op, trait.queue, [(region, is_write, name_of(op, at)) for region, is_write, at in regions]
            )
            for region, is_write, position in regions:
                if not is_write:
                    self._state.check_read(op, region, operands[position].number, position)
            for region, _, position in (access for access in regions if access[1]):
                self._state.check_write(op, region, position)
                for other, _, at in regions:
                    self._check_disjoint(op, {at: other, position: region}, at, position, allowed=False)
            for region, _, position in (access for access in regions if access[1]):
                self._state.wrote(op, region, operands[position])
            self._state.issued()

        return issue

    def _region_of(self, op: Operation, access: QueueAccess, operands: Sequence[Any]) -> Region:
        """Return the region of an access. Raises Diagnostic where it depends on data, or leaves its buffer."""
        buffer, counts, steps = operands[access.operand], access.counts, access.steps
        self._is_static(op, buffer)
        numbers = [*counts, *(access.offsets if steps is not None else ())]
        if not all(isinstance(number, int) for number in numbers):
            message = f"the extents of a region of '{op.name}' depend on data"
            raise self._state.refuse("static", op, message, name_of(op, access.operand))
        if steps is None:
            return self._part(op, buffer, access.offsets, counts)
        array = buffer.array
        begin = self._part(op, buffer, access.offsets, (1,) * array.ndim).array
        ends = [step * (n - 1) for step, n in zip(array.strides, array.shape, strict=True)]
        at = [step * i for step, i in zip(array.strides, access.offsets, strict=True)]
        reach = sum((count - 1) * step for count, step in zip(counts, steps, strict=True)) * array.itemsize
        if 0 not in counts and sum(at) + reach > sum(ends):
            place = f"element {(sum(at) + reach) // array.itemsize} in memory from the buffer's first one on"
            last = f"the last one is {sum(ends) // array.itemsize}"
            raise self._state.refuse("inside", op, f"'{op.name}' is out of bounds of its buffer", place, found=last)
        strides = [step * array.itemsize for step in steps]
        return Region(buffer.memory, np.lib.stride_tricks.as_strided(begin, counts, strides))

    def _take(self, op: Operation, registers: Collection[Resource]) -> None:
        """Check that an instruction before has filled registers, which are empty from here on."""
        for register in registers:
            if register not in self._filled:
                message = f"'{op.name}' takes {register.name()}, which nothing has filled since it was last taken"
                raise self._state.refuse("initialised", op, message)
        self._filled -= set(registers)

    # Whole buffers

    def _copy(self, op: Operation, buffers: Sequence[Any]) -> None:
        """
        Copy a buffer: unwritten bytes stay unwritten in the copy, like upstream's poison.

        A tensor with slices inserted later is such a buffer. A read of these bytes is rejected.
        """
        source, target = buffers
        missing = None if source.by_data or target.by_data else self._state.missing_part(source, source.number)
        if missing is not None:
            self._state.check_read(op, source, source.number, 0, is_whole=False)
            self._state.check_write(op, target, 1)
            self._check_disjoint(op, [source, target], 0, 1, allowed=False)
            self._state.copied_part(op, target, missing)
            return
        origin = self._state.origin_of(source) if self._follows_tiles else None
        before = self._check_values(op, buffers)
        self._touch(op, [source, target], [0], [1], set(), origin)
        if self._state.values is not None and not source.by_data and not target.by_data:
            self._state.values.copy(source, target)
            self._state.values.leave(op, buffers, before)

    def _kernel(self, op: Operation, buffers: Sequence[Buffer | None]) -> None:
        facts = self.facts.get(op)
        if facts is None:
            facts = self.facts[op] = facts_of(op, None if self._follows_tiles else self._inside)
        if not self._follows_tiles:
            self._touch(op, buffers, facts.reads, facts.writes, self._in_place(facts, buffers))
            return
        before = self._check_values(op, buffers)
        result = facts.leaves
        for index in facts.reads:
            if index not in facts.adds_to:
                self.check_complete(op, buffers[index], name_of(op, index))
        if facts.part is not None:
            self._is_static(op, *buffers)
            result = self.tiles.result_of(facts, facts.part, buffers)
        self._touch(op, buffers, facts.reads, facts.writes, self._in_place(facts, buffers), result)
        if self._state.values is not None:
            self._state.values.leave(op, buffers, before)

    def _in_place(self, facts: KernelFacts, buffers: Sequence[Buffer | None]) -> set[tuple[int, int]]:
        """Return the operands that a kernel updates in place, as (read, written); prove that it does so elementwise."""
        together: set[tuple[int, int]] = set()
        for read, written in product(facts.reads, facts.writes):
            a, b = cast(Buffer, buffers[read]), cast(Buffer, buffers[written])
            if read == written or not (a is b or (a.same(b) and not a.by_data)):
                continue
            if (clobber := facts.clobber(read, written)) is not None:
                op = facts.op
                message = f"'{op.name}' writes {name_of(op, written)} over {name_of(op, read)}, which it still needs"
                remedy = "write to another buffer"
                raise self._state.refuse("disjoint", op, message, clobber.text, a.address(), remedy=remedy)
            together.add((read, written))
        return together

    def _check_values(self, op: Operation, buffers: Sequence[Any]) -> list[Array | None]:
        """Check that operands hold the values that an op states; return the numbers of those that it overwrites."""
        if self._state.values is None:
            return []
        self._state.values.check(op, buffers)
        return self._state.values.before(op, buffers)

    def check_complete(self, op: Operation, buffer: Region | None, what: str) -> None:
        """Check that a region holds no partial sums."""
        if buffer is not None and self._state.lacks(buffer):
            message = f"'{op.name}' reads {what} before its sums are complete"
            raise self._state.refuse("whole-kernel", op, message, buffer.address())

    def _touch(
        self,
        op: Operation,
        buffers: Sequence[Buffer | None],
        reads: Sequence[int],
        writes: Sequence[int],
        in_place: set[tuple[int, int]],
        origin: Origin | None = None,
    ) -> None:
        """Check the reads and writes of an op, by operand indices, then record its writes."""
        for index in reads:
            buffer = cast(Buffer, buffers[index])
            self._state.check_read(op, buffer, buffer.number, index)
        for index in writes:
            buffer = cast(Buffer, buffers[index])
            if buffer.by_data:
                self._keeps(op, buffer)
            self._state.check_write(op, buffer, index)
        for target in writes:
            for other in (*reads, *(w for w in writes if w < target)):
                self._check_disjoint(op, buffers, other, target, allowed=(other, target) in in_place)
        for index in writes:
            buffer = cast(Buffer, buffers[index])
            self._state.wrote(op, buffer, buffer, origin if not buffer.by_data else None)

    def _check_disjoint(self, op: Operation, buffers: Any, other: int, target: int, *, allowed: bool) -> None:
        """Check that two operands, by index, do not share a byte; the same one is `allowed` in place."""
        a, b = cast(Buffer, buffers[other]), cast(Buffer, buffers[target])
        if other == target or not a.meets(b) or allowed:
            return
        message = f"'{op.name}' writes {name_of(op, target)} over {name_of(op, other)}, which it still needs"
        ranges = f"bytes {a.low} to {a.high - 1} and {b.low} to {b.high - 1}"
        raise self._state.refuse("disjoint", op, message, a.address(a.first_common(b)), found=ranges)

    def _grid(self, grid: Operation, buffers: Sequence[Any]) -> None:
        """Check the operands of a grid; its body has been proved."""
        op = cast(GridOp, grid)
        self._is_static(op, *buffers)
        count = len(op.inputs)
        pairs = product(range(count), range(count, len(buffers)))
        together = {(read, written) for read, written in pairs if buffers[read].same(buffers[written])}
        for read, written in sorted(together):
            if (op, read, written) not in self._proved:
                prove_in_place(op, read, written)
            self._proved.add((op, read, written))
        carried = sorted(self._carried.get(op, ()))
        together |= {(index, index) for index in carried}
        self._touch(op, buffers, [*range(count), *carried], range(count, len(buffers)), together)

    def _is_static(self, op: Operation, *buffers: Any) -> None:
        """Raise Diagnostic for buffers at indices that depend on data."""
        for index, buffer in enumerate(buffers):
            if isinstance(buffer, Buffer) and buffer.by_data:
                name = f"operand {index}"
                raise self._state.refuse("static", op, f"{name} of '{op.name}' depends on data", name)

    # Transfers

    def _transfer_of(self, op: Operation, effects: Sequence[Effect]) -> Handler:
        """Return the handler of a transfer between a tile of the far buffer and all of the near one."""
        index = {value: position for position, value in enumerate(op.operands)}
        (outer,) = (effect for effect in effects if effect.region is not None)
        (inner,) = (effect for effect in effects if effect.region is None)
        box = outer.region
        assert box is not None
        evaluated, outward = _evaluated(box, index), outer.kind is _WRITE
        transforms = any(region.blocks for region in op.regions)
        far_at, near_at = (index[cast(SSAValue, effect.value)] for effect in (outer, inner))

        def issue(*operands: Any) -> InFlightOp:
            far, near, begin = operands[far_at], operands[near_at], tuple(evaluated(operands)[0])
            outside, inside, here, hangs = self._sides_of(op, box, far, near, begin, outward=outward)
            source, target = (inside, outside) if outward else (outside, near)
            is_exact = all(isinstance(index, int) for index in begin)
            if transforms:
                self.check_complete(op, source, "what its body maps")
            transfer = InFlightOp(op, tuple(self._state.steps), source, target)
            if outward:
                if not is_exact:
                    self._may_leave(op, outside, far)
                self._begin(op, transfer, near, "the tile's buffer", "the far buffer")
                left = self._left(op, near, far, begin, here, hangs=hangs) if is_exact else self._unknown()
                self._state.wrote(op, outside, far, _mapped(left) if transforms else left)
                if is_exact and not transforms:
                    self._carry(source, outside)
            else:
                self._begin(op, transfer, far, "the far buffer", "the tile's buffer")
                fill = box.fill if hangs else None
                origin = self._fetched(box, fill, near, far, begin, here, outside) if is_exact else self._unknown()
                self._state.wrote(op, near, near, _mapped(origin, fill) if transforms else origin)
                if is_exact and not transforms and near.blocks is None:
                    self._carry(outside, near.part(tuple(here)))
            self._state.begin(transfer)
            return transfer

        return issue

    def _carry(self, source: Region, target: Region) -> None:
        """Note that a transfer has copied elements."""
        if self._state.values is not None:
            self._state.values.copy(source, target)

    def _sides_of(
        self, op: Operation, box: Box, far: Buffer, near: Buffer, begin: tuple[Index, ...], *, outward: bool
    ) -> tuple[Region, Region, Sequence[slice], bool]:
        """Return the far and the near side of a transfer, the part of the tile that it is, and whether that is less."""
        key = (op, far, near, begin)
        if key not in self._pieces:
            self._is_static(op, far, *begin, near)
            shape, sizes = near.array.shape, tuple(int(size) for size in box.sizes if not isinstance(size, SSAValue))
            touched = tuple(part.stop - part.start for part in map(_around, begin, sizes))
            there, inner = overlap([_ends(index)[0] for index in begin], touched, far.array.shape)
            outside = far.part(there)
            hangs = outside.array.shape != touched
            # Along a broadcast axis, one far element is all of the tile; one at an index in a range is whole there.
            sides = zip(inner, touched, shape, strict=True)
            here = tuple(slice(0, n) if size != n else part for part, size, n in sides)
            if hangs:
                self._may_hang(op, box, far, near, begin, outward=outward)
            self._pieces[key] = (outside, _read_part(near, here) if hangs and outward else near, here, hangs)
        return self._pieces[key]

    def _left(
        self, op: Operation, near: Buffer, far: Buffer, begin: tuple[int, ...], here: Sequence[slice], *, hangs: bool
    ) -> Origin | None:
        """Return the origin of the bytes that a transfer leaves in the far buffer, proved to belong there."""
        if not self._follows_tiles:
            return None
        is_known = self.tiles.check_written(op, near, far, begin, here)
        return self._written(near, here if hangs else None, is_known=is_known)

    def _fetched(
        self,
        box: Box,
        fill: Attribute | None,
        near: Buffer,
        far: Buffer,
        begin: tuple[int, ...],
        here: Sequence[slice],
        outside: Region,
    ) -> Origin | None:
        """Return the origin of the bytes that a transfer brings to the tile's buffer."""
        if not self._follows_tiles:
            return None
        own = Spot((far.number, far.low), begin, far.array.shape)
        views = [spot.moved(begin) for spot in far.spots[1:]]
        outer = self._state.origin_of(outside) if outside.array.size else None
        shape = near.array.shape
        repeated = tuple(axis for axis, (one, n) in enumerate(zip(box.sizes, shape, strict=True)) if one != n)
        origin = brought(own, views, outer, here, shape, fill, repeated)
        return replace(origin, is_whole=False) if far.memory.is_shared and outer is None else origin

    def _written(self, near: Buffer, piece: Sequence[slice] | None, *, is_known: bool) -> Origin | None:
        """Return the content that a part of a tile leaves in the far buffer; None where it is known to belong there."""
        origin = self._state.origin_of(near)
        if origin is None or (is_known and not origin.lacks):
            return None
        if piece is None:
            return replace(origin, solved=None)
        shape = tuple(axis_slice.stop - axis_slice.start for axis_slice in piece)
        return origin.part([axis_slice.start for axis_slice in piece], shape)

    def _begin(self, op: Operation, transfer: InFlightOp, source: Buffer, reads: str, writes: str) -> None:
        self._state.check_read(op, transfer.source, source.number, reads)
        self._state.check_write(op, transfer.target, writes)
        if transfer.source.meets(transfer.target):
            at = f"address {transfer.source.first_common(transfer.target)}"
            raise self._state.refuse("race", op, "both sides of a transfer are the same memory", at)

    def _may_hang(
        self, op: Operation, box: Box, far: Buffer, near: Buffer, offsets: Sequence[Index], *, outward: bool
    ) -> None:
        if box.clipped and (outward or box.fill is not None):
            return
        sides = [(*_ends(o), t, n) for o, t, n in zip(offsets, near.array.shape, far.array.shape, strict=True)]
        element = [low if low < 0 else max(high, n) if high + t > n else low for low, high, t, n in sides]
        rule = "fill" if not box.clipped and not outward else "inside"
        at = f"element {listed(element)} of the shape {listed(far.array.shape)}"
        message, remedy = "a transfer is out of bounds of its far buffer", "mark it as clipped, with a fill if it reads"
        raise self._state.refuse(rule, op, message, at, remedy=remedy)


_RULES: Mapping[Any, Callable[[AccessRules, Operation, Sequence[Any]], None]] = {
    OwnArguments: AccessRules._grid,  # pyright: ignore[reportPrivateUsage]
    CopyEffects: AccessRules._copy,  # pyright: ignore[reportPrivateUsage]
}
"""Trait -> the rule for ops that have it."""


def _read_part(near: Buffer, here: tuple[slice, ...]) -> Region:
    """Return the part of a tile's buffer that a transfer reads: all of it where the part has no strides in a layout."""
    if near.blocks is not None and not near.blocks.has_strides(here):
        return near
    return near.part(here)


def _mapped(origin: Origin | None, fill: Attribute | None = None) -> Origin | None:
    """Return an origin whose elements a body has mapped, but those that the transfer has filled."""
    return replace(origin, value=None, fill=fill) if origin is not None else None


def _ends(index: Index) -> tuple[int, int]:
    """Return the least and the greatest value of an index."""
    return (index.low, index.high) if isinstance(index, Range) else (index, index)


def _outermost(index: Index, size: int) -> int:
    """Return the index itself, of a range the end that is outside of an axis."""
    low, high = _ends(index)
    return low if low < 0 or high < size else high


def _around(index: Index | None, size: int) -> slice:
    """Return the elements along an axis that an access of `size` elements at an index may touch."""
    return slice(None) if index is None else slice(_ends(index)[0], _ends(index)[1] + size)


def _evaluated(
    box: Box | None, index: Mapping[SSAValue, int]
) -> Callable[[Sequence[Any]], tuple[list[Any], list[Any]]]:
    """Return the function from operands to the offsets and sizes of a region."""
    assert box is not None
    bounds = [
        (index[bound], 0) if isinstance(bound, SSAValue) else (None, bound) for bound in chain(box.offsets, box.sizes)
    ]
    rank = len(box.offsets)

    def evaluate(operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        numbers = [number if at is None else operands[at] for at, number in bounds]
        return numbers[:rank], numbers[rank:]

    return evaluate
