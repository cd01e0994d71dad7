"""The first op of a program that computes another value than the program before a pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.core.semantics import Value
from ...errors import Diagnostic
from ...ir import where
from ..driver.references import Bench, Reference
from ..interpreter.limits import RunLimits

_STEPS = 200_000
"""Steps of a traced run: two seconds op by op, at 10 us each."""
_SHOWN = 8
"""Numbers of a value that an error shows."""


@dataclass(frozen=True, eq=False)
class TracedOp:
    """An op that has run, with its values."""

    op: Operation
    operands: tuple[Hashable, ...]
    results: tuple[Hashable, ...]
    texts: tuple[str, ...]
    """Results as text, or operands where there are none."""


@dataclass
class TracedRun(RunLimits):
    """Run op by op, with the values of each op in order."""

    events: list[TracedOp] = field(default_factory=list[TracedOp])

    def record(self, op: Operation, operands: Sequence[Value], results: Sequence[Value]) -> None:
        texts = tuple(map(_text, results or operands))
        self.events.append(TracedOp(op, tuple(map(_key, operands)), tuple(map(_key, results)), texts))


def _key(value: Value) -> Hashable:
    """Return a hashable that is equal for equal numbers of any type; of memory, for equal contents."""
    array = _array(value)
    if array is None:
        return type(value).__name__
    return array.shape, tuple(array.reshape(-1).tolist())


def _array(value: Value) -> np.ndarray[Any, Any] | None:
    """Return a value as an array; None for those that are no numbers, such as tokens."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biufV" else None


def _text(value: Value) -> str:
    array = _array(value)
    if array is None:
        return type(value).__name__
    flat = array.reshape(-1)
    rest = ", ..." if flat.size > _SHOWN else ""
    return f"{', '.join(map(str, flat[:_SHOWN]))}{rest}" if array.shape else str(flat[0])


def first_difference(bench: Bench, before: ModuleOp, after: ModuleOp, reference: Reference) -> list[str]:
    """
    Return notes on the first op after a pass with a result that no op before it has, on the inputs of a run.

    Of an op without results its operands count. There are none where all values are those of before, or a run does not
    end within `_STEPS` steps.
    """
    traces: list[TracedRun] = []
    for module in (before, after):
        trace = TracedRun(_STEPS, sequential=True)
        try:
            bench.rerun(module, reference, trace)
        except Diagnostic:
            if module is before:
                return []
        traces.append(trace)
    old, new = (trace.events for trace in traces)
    pairs = _pairs(old, new)
    event = next((event for event, same in pairs if event.results != same.results), None) or _first_new(old, new)
    if event is None:
        return ["every op computes values that it computes before the pass: the program uses another one of them"]
    origin = _origin(event, old, new)
    notes = [f"the first op with another value: {_line(origin)}"]
    if same := next((same for event, same in pairs if event is origin), None) or _alike(origin, old):
        notes.append(f"before the pass:                 {_line(same)}")
    return notes


def _pairs(old: Sequence[TracedOp], new: Sequence[TracedOp]) -> list[tuple[TracedOp, TracedOp]]:
    """Return the ops after a pass, each with the one before it that has the names of its results, turn by turn."""
    before, after = _turns(old), _turns(new)
    pairs = [pair for names in after for pair in zip(after[names], before.get(names, ()), strict=False)]
    order = {event: number for number, event in enumerate(new)}
    return sorted(pairs, key=lambda pair: order[pair[0]])


def _turns(events: Sequence[TracedOp]) -> dict[tuple[str, ...], list[TracedOp]]:
    """
    Return the turns of each op with named results by these names.

    Of ops with the same names the last counts: a pass names all ops that replace one after it.
    """
    last = {_names(event): event.op for event in events}
    turns: dict[tuple[str, ...], list[TracedOp]] = defaultdict(list)
    for event in events:
        if (names := _names(event)) and last[names] is event.op:
            turns[names].append(event)
    return turns


def _names(event: TracedOp) -> tuple[str, ...]:
    """Return the name hints of an op's results, none where one has no hint."""
    hints = [result.name_hint for result in event.op.results]
    return tuple(hint for hint in hints if hint) if all(hints) else ()


def _values(events: Sequence[TracedOp]) -> set[Hashable]:
    return {key for event in events for key in (*event.operands, *event.results)}


def _origin(event: TracedOp, old: Sequence[TracedOp], new: Sequence[TracedOp]) -> TracedOp:
    """
    Return the op from which an op has a value that no op before the pass has, or the op itself.

    Constants of a pass's own are no origin: the op that uses one is.
    """
    values = _values(old)
    earlier = {key: other for other in reversed(new) if other.operands for key in other.results}
    passed = {event}
    while True:
        foreign = [earlier[key] for key in event.operands if key not in values and key in earlier]
        unseen = [other for other in foreign if other not in passed]
        if not unseen:
            return event
        event = unseen[0]
        passed.add(event)


def _first_new(old: Sequence[TracedOp], new: Sequence[TracedOp]) -> TracedOp | None:
    """Return the first op with a result that is no value before the pass, or with such an effect."""
    values = _values(old)
    effects = {(event.op.name, event.operands) for event in old if not event.results}
    for event in new:
        is_new = any(key not in values for key in event.results)
        if is_new or (not event.results and (event.op.name, event.operands) not in effects):
            return event
    return None


def _alike(event: TracedOp, old: Sequence[TracedOp]) -> TracedOp | None:
    """Return the op before a pass that has the operands of an op after it."""
    return next(
        (other for other in old if other.operands == event.operands and len(other.results) == len(event.results)), None
    )


def _line(event: TracedOp) -> str:
    text = str(event.op).partition("\n")[0]
    place = where(event.op)
    values = "; ".join(event.texts)
    return f"{text} -> {values}{f', at {place}' if place else ''}"
