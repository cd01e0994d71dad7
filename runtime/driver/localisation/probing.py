"""
Runs that record the values of ops, and runs in which ops take the values that their counterparts have recorded.

A `Slot` is an operand of an op, or one of its products: its results that are numbers, then the contents of the memory
that it writes. Where each slot takes the recorded value at once (teacher forcing), a difference does not spread: each
slot that differs is one at which the program itself computes another value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from ....dialects.core.effects import EffectAnalysis, callee_of
from ....dialects.core.semantics import Value
from ....ir import Array
from ...interpreter.limits import RunLimits
from .accesses import AddressRange, WriteAccess, accesses_of, last_writer, read_ranges
from .matching import Counterparts, share_operands

_LARGEST = 256 << 20
"""Bytes of all values that a run records; of later ones nothing is known."""

Same = Callable[[Array, Array], Array]
"""Returns, per element, whether a value is that of before."""


class Slot(NamedTuple):
    """Operand or product (`is_operand`) of an op, by its number."""

    op: Operation
    is_operand: bool
    number: int


class Reads(NamedTuple):
    """Memory that an op reads, and how many writes came before it."""

    ranges: tuple[AddressRange, ...]
    accesses: int


class RecordedValue(NamedTuple):
    """Value of a slot, and of a product what its op reads."""

    value: Array
    reads: Reads | None = None


class Difference(NamedTuple):
    """First value of a slot that differs, in which execution of its op, and the one of its counterpart."""

    slot: Slot
    counterpart: Slot
    before: RecordedValue
    after: RecordedValue
    turn: int


@dataclass
class Probe(RunLimits):
    """Run that observes the operands and products of ops, and the writes to memory in order."""

    accesses: list[WriteAccess] = field(default_factory=list[WriteAccess])
    scopes: dict[Block, Mapping[SSAValue, Value]] = field(default_factory=dict[Block, Mapping[SSAValue, Value]])
    """Values in scope when a block was entered first."""
    knows_all_writes: bool = True
    """Known effects: each op that has run says which memory it writes."""
    _begins: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Op with ops inside that is running -> the number of writes before it."""
    _analysis: EffectAnalysis = field(default_factory=EffectAnalysis)
    _written: dict[Operation, list[SSAValue]] = field(default_factory=dict[Operation, list[SSAValue]])

    def enter(self, op: Operation, operands: MutableSequence[Value]) -> None:
        if op.regions or callee_of(op) is not None:
            self._begins[op] = len(self.accesses)

    def written(self, op: Operation) -> list[SSAValue]:
        """Return the memory that an op may write, by its values."""
        if op not in self._written:
            effects = self._analysis.of(op)
            is_walked = op.regions or callee_of(op) is not None
            self.knows_all_writes &= effects.only_on_values or bool(is_walked)
            self._written[op] = effects.writes if effects.is_known else [v for v in op.operands if is_memory(v)]
        return self._written[op]

    def products(self, op: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]) -> list[Value]:
        """Return the results of an op that are no memory, and the memory that it writes."""
        numbers = [result for value, result in zip(op.results, results, strict=True) if not is_memory(value)]
        if isinstance(op, memref.StoreOp | affine.StoreOp):
            return numbers  # its operands say what it writes; other elements are those of other ops
        return [*numbers, *(values[value] for value in self.written(op) if value in values)]

    def value_of(self, slot: Slot) -> SSAValue | None:
        """Return the value of an operand, or the memory that a product is; None for a result."""
        if slot.is_operand:
            return slot.op.operands[slot.number]
        index = slot.number - sum(not is_memory(result) for result in slot.op.results)
        written = self.written(slot.op)
        return written[index] if 0 <= index < len(written) and written[index] in slot.op.operands else None

    def reads(self, op: Operation, values: Mapping[SSAValue, Value]) -> Reads:
        """Return the memory that an op which has run may have read."""
        return Reads(read_ranges(op, values), self._begins.get(op, len(self.accesses)))

    def last_writer(self, reads: Reads | None) -> Operation | None:
        """Return the op that wrote last what another one reads."""
        return last_writer(self.accesses[: reads.accesses], reads.ranges) if reads else None

    def note_accesses(self, op: Operation, values: Mapping[SSAValue, Value]) -> None:
        """Add the writes of an op that has run."""
        if op.parent is not None:
            self.scopes.setdefault(op.parent, values)
        if self._begins.pop(op, len(self.accesses)) < len(self.accesses):
            return  # the ops inside of it are observed
        written = self.written(op)
        self.knows_all_writes &= all(isinstance(values.get(value), np.ndarray) for value in written)
        self.accesses += accesses_of(op, values, written)


@dataclass
class Recording(Probe):
    """Run that records the values of ops, of each slot in the order of its executions."""

    recorded: frozenset[Operation] = frozenset()
    samples: dict[Slot, list[RecordedValue]] = field(default_factory=dict[Slot, list[RecordedValue]])
    _bytes: int = 0

    def enter(self, op: Operation, operands: MutableSequence[Value]) -> None:
        super().enter(op, operands)
        if op in self.recorded:
            numbers = enumerate(zip(op.operands, operands, strict=True))
            self._add([(Slot(op, True, i), value) for i, (operand, value) in numbers if not is_memory(operand)])

    def record(self, op: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]) -> Sequence[Value]:
        if op in self.recorded:
            products = enumerate(self.products(op, values, results))
            self._add([(Slot(op, False, i), value) for i, value in products], self.reads(op, values))
        self.note_accesses(op, values)
        return results

    def _add(self, values: Sequence[tuple[Slot, Value]], reads: Reads | None = None) -> None:
        for slot, value in values:
            if (array := as_array(value)) is None or self._bytes > _LARGEST:
                continue
            self._bytes += array.nbytes
            self.samples.setdefault(slot, []).append(RecordedValue(np.array(array), reads))


@dataclass
class Forcing(Probe):
    """
    Run after a pass that compares the slots of ops with those of their counterparts, recorded before it.

    `forced` are the slots that take the recorded value where it differs; all of them if it is None.
    """

    pairs: Counterparts = field(default_factory=dict[Operation, Operation])
    recording: Recording | None = None
    same: Same = np.equal
    forced: frozenset[Slot] | None = None
    differences: dict[Slot, Difference] = field(default_factory=dict[Slot, Difference])
    """First difference of each slot, in the order in which they come."""
    _turns: dict[Slot, int] = field(default_factory=dict[Slot, int])

    def enter(self, op: Operation, operands: MutableSequence[Value]) -> None:
        super().enter(op, operands)
        copy = self.pairs.get(op)
        if copy is None or not share_operands(op, copy):
            return
        for number, operand in enumerate(op.operands):
            if not is_memory(operand):
                operands[number] = self._checked(Slot(op, True, number), copy, operands[number])

    def record(self, op: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]) -> Sequence[Value]:
        copy = self.pairs.get(op)
        if copy is not None:
            results = self._compared(op, copy, values, results)
        self.note_accesses(op, values)
        return results

    def _compared(
        self, op: Operation, copy: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]
    ) -> Sequence[Value]:
        products = self.products(op, values, results)
        numbers = [index for index, value in enumerate(op.results) if not is_memory(value)]
        replaced = list(results)
        for number, value in enumerate(products):
            forced = self._checked(Slot(op, False, number), copy, value, self.reads(op, values))
            if number < len(numbers):
                replaced[numbers[number]] = forced
            elif forced is not value:
                value[...] = forced
        return replaced

    def _checked(self, slot: Slot, copy: Operation, value: Value, reads: Reads | None = None) -> Value:
        """Compare a value with the one recorded in this turn; return the latter where they differ in a forced slot."""
        turn = self._turns.get(slot, 0)
        self._turns[slot] = turn + 1
        counterpart = Slot(copy, slot.is_operand, slot.number)
        assert self.recording is not None
        samples = self.recording.samples.get(counterpart, [])
        array = as_array(value)
        if array is None or turn >= len(samples) or samples[turn].value.size != array.size:
            return value
        before = samples[turn]
        if self.same(*comparable(before.value, array)).all():
            return value
        after = RecordedValue(np.array(array), reads)
        self.differences.setdefault(slot, Difference(slot, counterpart, before, after, turn))
        return _like(before.value, array, value) if self.forced is None or slot in self.forced else value


def is_memory(value: SSAValue) -> bool:
    """Return whether a value is memory or the address of some."""
    return isinstance(value.type, MemRefType) or value.type.name in ("emitc.ptr", "emitc.array", "emitc.lvalue")


def as_array(value: Value) -> Array | None:
    """Return a value as an array; None for those that are no numbers, such as tokens."""
    if not isinstance(value, np.ndarray | np.generic | int | float):
        return None
    array = np.asarray(value)
    return array if array.dtype.kind in "biufV" else None


def comparable(before: Array, after: Array) -> tuple[Array, Array]:
    """Return two arrays of as many elements in one shape; integers of one width as those of one type."""
    before = before.reshape(after.shape)
    if before.dtype != after.dtype and before.dtype.kind in "iu" and after.dtype.kind in "iu":
        after = after.view(before.dtype) if before.itemsize == after.itemsize else after
    return before, after


def _like(before: Array, array: Array, value: Value) -> Any:
    """Return a recorded value in the type and shape of the one that it replaces."""
    reshaped = before.reshape(array.shape)
    is_renamed = reshaped.dtype.kind in "iu" and array.dtype.kind in "iu" and reshaped.itemsize == array.itemsize
    converted = reshaped.view(array.dtype) if is_renamed else reshaped.astype(array.dtype)
    return converted if isinstance(value, np.ndarray) else converted[()]
