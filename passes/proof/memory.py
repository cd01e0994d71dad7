"""State of memory during a walk: the last write of each byte, and the transfers in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from ...ir import Array
from .calls import AccessedRegions
from .forks import Fork
from .origins import Origin, merged
from .program_point import ProgramPoint
from .queues import InFlightInstructions
from .regions import INITIAL, NEVER, Buffer, Key, Memory, Region
from .rules import Refusal, Steps, name_of, refuse, shown
from .values import Values

NOBODY = -2
"""Number of no buffer, for bytes whose last writer is data-dependent."""


@dataclass(slots=True)
class Write:
    """Write to memory: its op, its step, and the content."""

    op: Operation
    steps: Steps
    buffer: Buffer
    region: Region
    origin: Origin | None = None

    def origin_of(self, region: Region) -> Origin | None:
        """Return the origin of a region that it has written, or of a region around it, if that is uniform."""
        if self.origin is None or region.same(self.region):
            return self.origin
        own, other = self.region.index, region.index
        if own is None or other is None:
            return None
        if self.region.home != region.home:
            return Origin(is_mixed=True)
        return self.origin.part([b - a for a, b in zip(own, other, strict=True)], region.array.shape)


@dataclass(eq=False)
class InFlightOp:
    """Transfer, or launched kernel: its issue, reads and writes."""

    op: Operation
    steps: Steps
    source: Region
    target: Region
    done: bool = False
    published: bool = False
    """The target is a slot that has been handed on: its reader awaits the end of the transfer."""
    queue: Attribute | None = None

    @property
    def accessed(self) -> tuple[Memory, ...]:
        """The memories that it still accesses, as far as its program knows."""
        return (self.source.memory,) if self.published else (self.source.memory, self.target.memory)


@dataclass
class MemoryState(ProgramPoint):
    """All memories, the writes to them in order, and the transfers in flight."""

    memories: list[Memory] = field(default_factory=list[Memory])
    writes: list[Write | None] = field(default_factory=lambda: [None, None])
    owners: Array = field(default_factory=lambda: np.full(1024, -1, np.int32))
    """Write -> the number of the buffer that it wrote."""
    lacking: set[int] = field(default_factory=set[int])
    """The writes of sums that were not complete then."""
    under_way: list[InFlightOp] = field(default_factory=list[InFlightOp])
    queue: Attribute | None = None
    """The engine that a kernel is being launched on, which does what it was given before first."""
    keys: dict[Key, int] = field(default_factory=dict[Key, int])
    forks: list[Fork] = field(default_factory=list[Fork])
    """The parallel loops around, outermost first."""
    queues: InFlightInstructions | None = None
    """The instructions in flight on queues, where the program has such."""
    observers: list[AccessedRegions] = field(default_factory=list["AccessedRegions"])
    """The accesses of the kernels that are being launched."""

    values: Values | None = None
    """The named values in memory, where ops state which they read."""

    def join_paths(self, op: Operation) -> None:
        """
        Join the state of memory with that of the other path to the end of an op.

        A byte comes from the buffer that wrote it last on both paths; from none where these differ.
        """
        for memory, bytes, here, there in self.paths[-1].ends():
            differ = np.flatnonzero(here != there)
            if not differ.size:
                continue
            pairs = np.stack([here[differ], there[differ]], axis=1)
            kinds, which = np.unique(pairs, axis=0, return_inverse=True)
            joined = [self._joined(op, int(a), int(b)) for a, b in kinds]
            memory.writes[bytes[differ]] = np.array(joined, np.int32)[which.reshape(-1)]

    def end_paths(self) -> None:
        """Note that the paths have met; what they wrote, the path around has."""
        inner = self.paths.pop()
        if self.paths:
            self.paths[-1].undo += inner.undo

    def _joined(self, op: Operation, a: int, b: int) -> int:
        """Return the write that a byte comes from which one or the other has written last, as data decide."""
        if INITIAL in (a, b):
            return a if b == INITIAL else b
        last = self.writes[max(a, b)]
        if NEVER in (a, b) or last is None:
            return NEVER
        index = self._add(Write(op, tuple(self.steps), last.buffer, last.buffer))
        if self.owners[a] != self.owners[b]:
            self.writes[index] = last
            self.owners[index] = NOBODY
        self.lacking |= {index} if {a, b} & self.lacking else set()
        return index

    def number_of(self, key: Key) -> int:
        """Return the number of a buffer."""
        return self.keys.setdefault(key, len(self.keys))

    def check_read(self, op: Operation, region: Region, number: int, what: str | int, *, is_whole: bool = True) -> None:
        """
        Prove that a region, `what` of an op (operands by index), may be read as part of a buffer, by its number.

        Unless it is read as a whole, bytes of it may be missing.
        """
        self._check_order(op, region, what, is_write=False)
        for observer in self.observers:
            observer.read(region)
        if is_whole and not self.holds(region, number):
            self._explain(op, region, number, _named(op, what))

    def holds(self, region: Region, number: int) -> bool:
        """Return whether all of a region was last written as part of the buffer of that number, or by the caller."""
        if not region.array.size:
            return True
        last = region.memory.last_write
        if last is not None:
            return last == INITIAL or bool(self.owners[last] == number)
        writes = region.flat
        first = writes[(0,) * writes.ndim]
        if self.owners[first] != number:
            return False
        return bool((writes == first).all()) or bool((self.owners[writes] == number).all())

    def missing_part(self, region: Region, number: int) -> Array | None:
        """
        Return a mask of the bytes of a region that its buffer does not hold yet: nothing has written them since it has.

        None where it holds all or none, and where another buffer has been written over it.
        """
        if region.memory.last_write is not None or self.holds(region, number):
            return None
        writes = region.writes
        missing = (self.owners[writes] != number) & (writes != INITIAL)
        if missing.all() or not missing.any():
            return None
        return missing if writes[missing].max() < writes[~missing].min() else None

    def copied_part(self, op: Operation, target: Buffer, missing: Array) -> None:
        """Record the copy of a partially written buffer: the missing bytes are missing in the target too."""
        self.wrote(op, target, target)
        target.writes[missing] = NEVER

    def _check_order(self, op: Operation, region: Region, what: str | int, *, is_write: bool) -> None:
        """Prove that no iteration, program or transfer beside an op conflicts with its access to a region."""
        for fork in self.forks:
            conflict = fork.write(region) if is_write else fork.read(region)
            if conflict is not None:
                byte, iteration = conflict
                does = "touches" if is_write else "writes"
                message = f"{_does(op, what, is_write=is_write)}, which another iteration of the parallel loop {does}"
                by = f"the iteration {iteration} {does} it" if iteration else "several iterations read it"
                remedy = "give each iteration bytes of its own"
                raise self._race(op, region.address(byte), message, found=by, remedy=remedy)
        if self.programs is not None:
            self._check_programs(op, region, _does(op, what, is_write=is_write), is_write=is_write)
        if self.queues is not None and not self.queues.is_issuing:
            self.queues.access(op, tuple(self.steps), region, _named(op, what), is_write=is_write)
        for transfer in self._beside():
            sides = (transfer.target, "writes"), (transfer.source, "reads")
            for side, does in sides if is_write else sides[:1]:
                if not side.meets(region) or (transfer.published and side is transfer.target):
                    continue
                byte, kind = side.first_common(region), "transfer" if transfer.queue is None else "kernel"
                message = f"{_does(op, what, is_write=is_write)}, which a {kind} still {does}"
                by = f"the {kind} begun{_after(transfer.steps)} has not been waited for"
                at, others = region.address(side.low if byte is None else byte), [transfer.op]
                raise self._race(op, at, message, found=by, remedy=f"wait for the {kind} before", others=others)

    def _check_programs(self, op: Operation, region: Region, does: str, *, is_write: bool) -> None:
        """Prove that an access to a region is ordered with those of the other programs, if there are any."""
        if self.programs is None:
            return
        access = self.programs.write if is_write else self.programs.read
        if conflict := access(op, region, tuple(self.steps)):
            remedy, parts = "hand the buffer on by a stream", {"found": conflict.other, "programs": conflict.programs}
            raise self._race(op, region.address(), f"{does}, {conflict.what}", remedy=remedy, **parts)

    def _race(self, op: Operation, at: str, message: str, **parts: Any) -> Refusal:
        return self.refuse("race", op, f"'{op.name}' {message}", at, **parts)

    def _explain(self, op: Operation, region: Region, number: int, what: str) -> None:
        writes = region.writes
        wrong = (self.owners[writes] != number) & (writes != INITIAL)
        if not wrong.any():
            return
        element = tuple(int(i) for i in np.argwhere(wrong)[0])
        culprit = self.writes[int(writes[element])]
        at = f"element [{', '.join(map(str, element[:-1]))}]", region.address(region.byte_of(element))
        if culprit is None:
            raise self.refuse("initialised", op, f"'{op.name}' reads {what}, which nothing has written", *at)
        message = f"'{op.name}' reads {what}, which another buffer has been written over"
        own, other = f"bytes {region.low} to {region.high - 1} of {region.memory.name}", culprit.buffer
        by = f"bytes {other.low} to {other.high - 1} were written by '{culprit.op.name}'{_after(culprit.steps)}"
        raise self.refuse("disjoint", op, message, *at, found=f"{own}; {by}")

    def check_write(self, op: Operation, region: Region, what: str | int) -> None:
        """Prove that a region, `what` of an op (operands by index), may be written."""
        if region.memory.constant:
            raise self.refuse("constant", op, f"'{op.name}' {_does(op, what, is_write=True)}", region.address())
        self._check_order(op, region, what, is_write=True)

    def wrote(self, op: Operation, region: Region, buffer: Buffer, origin: Origin | None = None) -> None:
        """Note that a region, part of a buffer, has been written."""
        if self.lacking:
            self._forget(region)
        for observer in self.observers:
            observer.wrote(region)
        if self.values is not None:
            self.values.forget(region)
        index = self._add(Write(op, tuple(self.steps), buffer, region, origin))
        if origin is not None and origin.lacks:
            self.lacking.add(index)
        if self.paths:
            self.paths[-1].note(region.memory, region.low, region.high)
        if region.is_whole:
            region.memory.fill(index)
        else:
            region.flat[...] = index

    def _add(self, write: Write) -> int:
        """Note a write and return its number."""
        index = len(self.writes)
        self.writes.append(write)
        if index >= len(self.owners):
            self.owners = np.concatenate([self.owners, np.full(len(self.owners), -1, np.int32)])
        self.owners[index] = write.buffer.number
        return index

    def _forget(self, region: Region) -> None:
        """Remove partial sums of exactly this region."""
        number = self._first_write(region) if region.array.size else NEVER
        write = self.writes[number]
        if write is not None and write.region.low == region.low and write.region.array.shape == region.array.shape:
            self.lacking.discard(number)

    def issue(self, op: Operation, queue: str, accesses: Sequence[tuple[Region, bool, str]]) -> None:
        """Issue an instruction to a queue, with its regions; until `issued`, accesses are those of the instruction."""
        if self.forks or self.programs is not None or self.queue is not None or self.queues is None:
            message = f"'{op.name}' on the queue '{queue}' is in a parallel loop, a launch or a concurrent program"
            raise refuse(
                "static", message, op, [self.place()], remedy="issue the instructions of a queue in one thread"
            )
        self.queues.issue(op, tuple(self.steps), queue, accesses)
        self.queues.is_issuing = True

    def issued(self) -> None:
        """End the issue of an instruction."""
        if self.queues is not None:
            self.queues.is_issuing = False

    def origin_of(self, region: Region) -> Origin | None:
        """Return the origin of a region's content, where that is uniform."""
        if not region.array.size:
            return None
        first = self._first_write(region)
        write = self.writes[first]
        if write is None or write.origin is None:
            return None
        if region.memory.last_write is not None:
            return write.origin_of(region)
        writes = region.writes
        if bool((writes == first).all()):
            return write.origin_of(region)
        parts = [self.writes[int(number)] for number in np.unique(writes)]
        return merged([part.origin_of(region) if part is not None else None for part in parts])

    @staticmethod
    def _first_write(region: Region) -> int:
        """Return the number of the last write of a region's first byte."""
        last = region.memory.last_write
        return last if last is not None else int(region.writes[(0,) * region.writes.ndim])

    def lacks(self, region: Region) -> bool:
        """Return whether some of a region is sums that are not complete."""
        return any(self._holds(region, number) for number in self.lacking)

    def _holds(self, region: Region, number: int) -> bool:
        """Return whether some of a region comes from a write."""
        write = self.writes[number]
        if write is None or not write.region.meets(region):
            return False
        last = region.memory.last_write
        return last == number if last is not None else bool((region.writes == number).any())

    def _beside(self) -> list[InFlightOp]:
        """Return the transfers and kernels in flight concurrently with the current op."""
        if self.queue is None:
            return self.under_way
        return [transfer for transfer in self.under_way if transfer.queue != self.queue]

    def joined(self, launched: Sequence[InFlightOp]) -> None:
        """Complete a kernel, and all kernels launched before on its engine."""
        if not launched or launched[-1].done:
            return
        last = self.under_way.index(launched[-1])
        for transfer in [launch for launch in self.under_way[: last + 1] if launch.queue == launched[-1].queue]:
            self.end(transfer.op, transfer)

    def begin(self, transfer: InFlightOp) -> None:
        """Note a transfer as in flight."""
        self.under_way.append(transfer)

    def end(self, op: Operation, transfer: InFlightOp | None) -> None:
        """Note that a transfer has been waited for; None is the token of no transfer."""
        if transfer is None:
            return
        if transfer.done:
            message = f"the transfer that '{transfer.op.name}' began{_after(transfer.steps)} is waited for twice"
            raise self.refuse("token", op, message, transfer.target.address())
        transfer.done = True
        self.under_way.remove(transfer)
        self._check_programs(op, transfer.source, "has read a buffer", is_write=False)
        if not transfer.published:
            self._check_programs(op, transfer.target, "has written a buffer", is_write=True)

    def publish(self, op: Operation, transfer: InFlightOp) -> None:
        """Note that what a transfer writes is handed on by an op, to a program that awaits its end."""
        if not transfer.done:
            transfer.published = True
            self._check_programs(op, transfer.target, "has written a buffer", is_write=True)


def _named(op: Operation, what: str | int) -> str:
    return what if isinstance(what, str) else name_of(op, what)


def _does(op: Operation, what: str | int, *, is_write: bool) -> str:
    return f"{'writes' if is_write else 'reads'} {_named(op, what)}"


def _after(steps: Steps) -> str:
    return f" at {shown(steps)}" if steps else ""
