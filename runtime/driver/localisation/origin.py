"""Search for the op after a pass that makes an answer wrong, and its description beside its counterpart."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....dialects.core.syntax.text import one_line
from ....errors import Diagnostic
from ....ir import where
from ...interpreter.limits import EndlessError, RunLimits
from ...interpreter.observations import Observation
from ..answers import WrongAnswer, equal
from ..references import Bench, Reference
from .accesses import last_writer
from .contents import element_of
from .matching import Counterparts, Snapshot
from .probing import Difference, Forcing, Recording, Same, Slot, comparable

_STEPS = 200_000
"""Steps of a run op by op: two seconds at 10 us each. In longer programs loops are vectorised, and one op each."""
_TRIES = 12
"""Slots that are tried, each in a run of its own."""
_FEW = 8
"""Elements of a constant that a note shows."""
_WIDEST = 160
"""Columns of an op in a note."""

Judge = Callable[[Observation], Diagnostic | None]
"""Returns the first difference between what a run after the pass gives and what is expected; None if it is right."""


@dataclass
class FaultOrigin:
    """Place of the first op with another value, empty if it is not known, and notes that describe it."""

    where: str = ""
    notes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Localisation:
    """Runs of a program before and after a pass, on inputs on which their answers differ."""

    bench: Bench
    snapshot: Snapshot
    module: ModuleOp
    reference: Reference
    judge: Judge

    def origin(self, error: Diagnostic) -> FaultOrigin:
        """Return the first op after the pass that makes the answer wrong, as `error` says."""
        pairs = self.snapshot.counterparts(self.module)
        try:
            recording, forcing = self._record(pairs)
        except Diagnostic:
            return FaultOrigin()
        if not forcing.differences:
            return self._origin_in_memory(error, pairs, recording, forcing)
        free = self._forcing(pairs, recording, [])
        self._run(free)
        slots = [slot for slot in forcing.differences if slot in free.differences]
        if not slots:
            return FaultOrigin()
        guilty = self._guilty(pairs, recording, slots[:_TRIES])
        origin = self._described(free.differences[(guilty or slots)[0]], pairs, recording, free)
        if not guilty:
            origin.notes.append("the answer stays wrong with that value in its place: the pass changes more")
        elif len(guilty) == 1:
            origin.notes.append("with that value in its place the answer is right")
        others = {slot.op: _text(slot.op) for slot in guilty if slot.op is not guilty[0].op}
        origin.notes += [f"wrong too:                       {text}{_at(op)}" for op, text in others.items()]
        return origin

    def _record(self, pairs: Counterparts) -> tuple[Recording, Forcing]:
        """Run the program before the pass and, with all slots forced, after it; op by op if it is short enough."""
        for limits in self._limits():
            recording = Recording(limits.steps, limits.sequential, limits.undefined, recorded=frozenset(pairs.values()))
            forcing = self._forcing(pairs, recording, None)
            try:
                self.bench.rerun(self.snapshot.module, self.reference, recording)
                self._run(forcing)
            except EndlessError:
                continue
            return recording, forcing
        raise EndlessError("the program is too long to be traced")

    def _limits(self) -> list[RunLimits]:
        """Return the limits of a run, and those of another one if the program exceeds the first."""
        if self.bench.sequential:
            return [self.bench.limits_after_pass(self.reference)]
        return [RunLimits(_STEPS, sequential=True), RunLimits(sys.maxsize)]

    def _forcing(self, pairs: Counterparts, recording: Recording, forced: Iterable[Slot] | None) -> Forcing:
        same = partial(equal, exactness=self.bench.exactness)
        slots = None if forced is None else frozenset(forced)
        limits = recording.steps, recording.sequential, recording.undefined
        return Forcing(*limits, pairs=pairs, recording=recording, same=same, forced=slots)

    def _run(self, forcing: Forcing) -> Observation | None:
        """Run the program after the pass; None where it fails."""
        try:
            return self.bench.rerun(self.module, self.reference, forcing)
        except EndlessError:
            raise
        except Diagnostic:
            return None

    def _guilty(self, pairs: Counterparts, recording: Recording, slots: Sequence[Slot]) -> list[Slot]:
        """
        Return the slots that make the answer right where they take the recorded values, in their order.

        One alone, or the fewest of a prefix; none where no prefix does.
        """
        is_right = partial(self._is_right, pairs, recording)
        if single := next((slot for slot in slots if is_right([slot])), None):
            return [single]
        count = next((count for count in range(2, len(slots) + 1) if is_right(slots[:count])), 0)
        guilty = list(slots[:count])
        for slot in slots[:count]:
            rest = [other for other in guilty if other is not slot]
            guilty = rest if is_right(rest) else guilty
        return guilty

    def _is_right(self, pairs: Counterparts, recording: Recording, slots: Sequence[Slot]) -> bool:
        try:
            seen = self._run(self._forcing(pairs, recording, slots))
        except EndlessError:
            return False
        return seen is not None and self.judge(seen) is None

    def _described(
        self, difference: Difference, pairs: Counterparts, recording: Recording, forcing: Forcing
    ) -> FaultOrigin:
        """Return the place and the notes of a difference."""
        op, old = difference.slot.op, difference.counterpart.op
        value, old_value = forcing.value_of(difference.slot), recording.value_of(difference.counterpart)
        number, old_number = _values(difference, forcing.same)
        turn = f", in execution {difference.turn + 1}" if difference.turn else ""
        operand = value if difference.slot.is_operand else None
        notes = [f"the first op with another value: {_line(op, operand, number)}{turn}"]
        if value is not None and _is_used_instead(value, old_value, pairs):
            role = f"its operand {list(op.operands).index(value)} is:"
            notes = [f"the first op with another value: {_text(op)}{_at(op)}{turn}"]
            notes.append(f"{role:<32} {_line(op, value, number)}")
        elif not difference.slot.is_operand:
            old_value = None
        before = f"before the pass:                 {_line(old, old_value, old_number)}"
        notes.append(before)
        if not difference.slot.is_operand:
            notes += _changed_properties(op, old)
        notes += _writers(difference, pairs, recording, forcing)
        is_gone = old_value is not None and old_value.owner not in pairs.values()
        return FaultOrigin(_place(old_value if is_gone else None, old), notes)

    def _origin_in_memory(
        self, error: Diagnostic, pairs: Counterparts, recording: Recording, forcing: Forcing
    ) -> FaultOrigin:
        """Return the ops that write the element of `error` last; of use where no value differs but contents do."""
        if not isinstance(error, WrongAnswer):
            return FaultOrigin()
        function = self.bench.functions[0]
        ranges = element_of(error, self.snapshot.module, function, recording)
        new_ranges = element_of(error, self.module, function, forcing)
        if not ranges or not new_ranges:
            return FaultOrigin()
        old, new = last_writer(recording.accesses, ranges), last_writer(forcing.accesses, new_ranges)
        if _are_counterparts(old, new, pairs) or not (recording.knows_all_writes and forcing.knows_all_writes):
            return FaultOrigin()
        notes = [
            f"the op that writes it last:      {_text(new) + _at(new) if new else 'none'}",
            f"before the pass:                 {_text(old) + _at(old) if old else 'none'}",
        ]
        op = old or new
        return FaultOrigin(_file_place(op) if op else "", notes)


def _values(difference: Difference, same: Same) -> tuple[str, str]:
    """Return the texts of the first elements that differ, after the pass and before."""
    before, after = comparable(difference.before.value, difference.after.value)
    if after.size == 1:
        return str(after.reshape(-1)[0]), str(before.reshape(-1)[0])
    wrong = ~same(before, after)
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    count = f"{np.count_nonzero(wrong):,} of {wrong.size:,} values differ"
    return f"{after[index]} at {list(index)}, {count}", f"{before[index]} at {list(index)}"


def _line(op: Operation, value: SSAValue | None, number: str) -> str:
    """Return the op that defines a value, or else `op`, with a number and its place."""
    if isinstance(value, BlockArgument):
        name = f"%{value.name_hint}, argument" if value.name_hint else "argument"
        around = value.block.parent_op()
        is_entry = around is not None and value.block is around.regions[0].first_block
        return f"{name} {value.index} of {'' if is_entry else 'a block of '}{_owner(around)} -> {number}"
    owner = value.owner if value is not None else op
    assert isinstance(owner, Operation)
    return f"{_text(owner)} -> {number}{_at(owner)}"


def _owner(op: Operation | None) -> str:
    """Return the name of a function around a block, or of another op."""
    symbol = op.properties.get("sym_name") if op else None
    return f"@{symbol.data}" if isinstance(symbol, StringAttr) else f"'{op.name}'" if op else "a block"


def _text(op: Operation) -> str:
    return _cut(one_line(op, elide=_FEW).strip().partition("\n")[0])


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}..."


def _at(op: Operation) -> str:
    return f", at {place}" if (place := where(op)) and not place.startswith("op ") else ""


def _file_place(op: Operation) -> str:
    place = where(op)
    return "" if place.startswith("op ") else place


def _place(value: SSAValue | None, op: Operation) -> str:
    """Return the place of the op that defines a value before the pass, or else of `op`."""
    owner = value.owner if value is not None else op
    return _file_place(owner) if isinstance(owner, Operation) else _file_place(op)


def _is_used_instead(value: SSAValue, old: SSAValue | None, pairs: Counterparts) -> bool:
    """Return whether an operand is a value that the program had before the pass too, used in another one's place."""
    owner, old_owner = value.owner, old.owner if old else None
    if isinstance(owner, Operation):
        return owner in pairs and pairs[owner] is not old_owner
    return not (isinstance(old, BlockArgument) and isinstance(value, BlockArgument) and value.index == old.index)


def _changed_properties(op: Operation, old: Operation) -> Iterator[str]:
    """Yield notes on the properties and attributes of an op that differ, where the text of the op is cut."""
    if op.name != old.name or not _text(op).endswith("..."):
        return
    after, before = op.properties | op.attributes, old.properties | old.attributes
    for name in after:
        text, old_text = _cut(str(after[name])), _cut(str(before.get(name, "none")))
        if text != old_text:
            role = f"its {name} is:"
            yield f"{role:<32} {text}; before the pass: {old_text}"


def _are_counterparts(old: Operation | None, new: Operation | None, pairs: Counterparts) -> bool:
    return old is new if old is None or new is None else pairs.get(new) is old


def _writers(difference: Difference, pairs: Counterparts, recording: Recording, forcing: Forcing) -> Iterator[str]:
    """Yield notes on the ops that wrote last what the op reads, where another op does so after the pass."""
    reads = difference.before.reads, difference.after.reads
    if not all(read is not None and read.ranges for read in reads):
        return
    old, new = recording.last_writer(difference.before.reads), forcing.last_writer(difference.after.reads)
    if _are_counterparts(old, new, pairs) or not (recording.knows_all_writes and forcing.knows_all_writes):
        return
    yield f"what it reads is written by:     {_text(new) + _at(new) if new else 'no op'}"
    yield f"before the pass:                 {_text(old) + _at(old) if old else 'no op'}"
