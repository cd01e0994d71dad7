"""
Memoisation of loops, as a program is walked through: the effects of a loop on the same values are those it had before.

A loop inside of another one does the same again where all values from outside of it are the same: indices, buffers, and
transfers in flight. Its first walk records which bytes from before it reads, which it writes, and which transfers it
leaves in flight. Later ones replay that, as long as what is in flight besides touches none of these bytes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.ir import Operation

from .memory import State, Transfer
from .regions import Buffer, Place, Region

_TRIES = 6
"""Recorded walks of a loop without a replay, after which recording stops."""


@dataclass
class _Read:
    """Bytes from before a loop that it reads as part of a buffer: `parts` of a region around them."""

    around: Region
    number: int
    parts: dict[Place, tuple[Operation, Region]] = field(default_factory=dict[Place, tuple[Operation, Region]])


@dataclass
class _Recording:
    """Effects of a loop, from its first walk."""

    key: Hashable
    first: int
    """The number of its first write."""
    tokens: list[Transfer]
    """The transfers among the values that it is given."""
    open: list[bool]
    """Which of them are in flight as it begins."""
    before: list[Transfer]
    """The transfers in flight as it begins."""
    reads: dict[Place, _Read] = field(default_factory=dict[Place, _Read])
    parts: dict[Place, tuple[Operation, Region, Buffer]] = field(
        default_factory=dict[Place, tuple[Operation, Region, Buffer]]
    )
    is_sound: bool = True
    """Soundness of a replay."""
    writes: list[tuple[Operation, Region, Buffer]] = field(default_factory=list[tuple[Operation, Region, Buffer]])
    left: list[Transfer] = field(default_factory=list[Transfer])
    """The transfers that it begins and leaves in flight."""
    ended: list[int] = field(default_factory=list[int])
    """Which of its tokens it waits for."""
    results: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    def read(self, op: Operation, region: Region, number: int) -> None:
        """Note a read, where it is of bytes from before the loop."""
        memory = region.memory
        if memory.constant or not region.array.size:
            return
        if not (memory.initial and memory.untouched):
            is_own = region.flat >= self.first
            if is_own.any():
                self.is_sound &= bool(is_own.all())
                return
        around = region.box[0] if region.box is not None else region
        found = self.reads.setdefault((*around.place, number), _Read(around, number))
        found.parts.setdefault(region.place, (op, region))

    def branch(self) -> None:
        """Note that data decide what follows, which a replay would not say."""
        self.is_sound = False

    def wrote(self, op: Operation, region: Region, buffer: Buffer) -> None:
        """Note a write; of those of one place the last counts."""
        place = (*region.place, buffer.number)
        self.parts.pop(place, None)
        self.parts[place] = (op, region, buffer)


class Repeats:
    """The loops of one walk that have been recorded."""

    def __init__(self, state: State):
        self._state = state
        self._known: dict[Hashable, _Recording | None] = {}
        self._active: list[_Recording | None] = []
        self._recorded: dict[Operation, int] = {}
        self._found: set[Operation] = set()

    def replay(self, op: Operation, values: Sequence[Any]) -> tuple[Any, ...] | None:
        """
        Replay the memoised effects of a loop on these values and return its results; None where it has to be walked.
        """
        state = self._state
        if state.forks or any(transfer.queue is not None for transfer in state.under_way):
            self._active.append(None)
            return None
        tries = self._recorded.setdefault(op, 0)
        if tries >= _TRIES and op not in self._found:
            self._active.append(None)
            return None
        key = (op, *map(_key, values))
        tokens = [value for value in values if isinstance(value, Transfer)]
        known = self._known.get(key)
        if known is not None and self._is_apart(known, tokens) and self._reads(known):
            self._found.add(op)
            return self._do(op, known, tokens)
        if key in self._known:
            self._active.append(None)
            return None
        self._recorded[op] = tries + 1
        opened = [not token.done for token in tokens]
        recording = _Recording(key, len(state.writes), tokens, opened, list(state.under_way))
        state.observers.append(recording)
        self._active.append(recording)
        return None

    def _is_apart(self, known: _Recording, tokens: Sequence[Transfer]) -> bool:
        """Test that transfers in flight, other than the tokens of a loop, share no byte with its reads and writes."""
        others = [transfer for transfer in self._state.under_way if transfer not in tokens]
        for other in others:
            if any(other.target.meets(read.around) for read in known.reads.values()):
                return False
            if any(other.target.meets(region) or other.source.meets(region) for _, region, _ in known.writes):
                return False
        return True

    def _reads(self, known: _Recording) -> bool:
        """Return whether memory holds all that a loop reads of it."""
        holds = self._state.holds
        return all(
            holds(read.around, read.number) or all(holds(region, read.number) for _, region in read.parts.values())
            for read in known.reads.values()
        )

    def _do(self, op: Operation, known: _Recording, tokens: Sequence[Transfer]) -> tuple[Any, ...]:
        """Replay the memoised effects of a loop; returns its results."""
        state = self._state
        for read in known.reads.values():
            for observer in state.observers:
                for user, region in read.parts.values():
                    observer.read(user, region, read.number)
        for number in known.ended:
            state.end(op, tokens[number])
        for writer, region, buffer in known.writes:
            state.wrote(writer, region, buffer)
        left = [Transfer(each.op, tuple(state.steps), each.source, each.target) for each in known.left]
        for transfer in left:
            state.begin(transfer)
        found: dict[str, Sequence[Transfer]] = {"left": left, "token": tokens}
        results: list[Any] = [found[kind][value] if kind in found else value for kind, value in known.results]
        return tuple(results)

    def end(self, op: Operation, results: Sequence[Any]) -> None:
        """Note the end of a loop that has been walked through."""
        recording = self._active.pop()
        if recording is None:
            return
        state = self._state
        state.observers.remove(recording)
        tokens = recording.tokens
        recording.left = [transfer for transfer in state.under_way if transfer not in recording.before]
        recording.ended = [n for n, token in enumerate(tokens) if recording.open[n] and token.done]
        recording.results = [self._result(recording, value) for value in results]
        lost = [each for each in recording.before if each.done and each not in tokens]
        is_sound = recording.is_sound and not lost and all(each.queue is None for each in recording.left)
        recording.writes = self._final(recording)
        self._known[recording.key] = recording if is_sound else None

    def _result(self, recording: _Recording, value: Any) -> tuple[str, Any]:
        if isinstance(value, Transfer):
            for kind, known in (("left", recording.left), ("token", recording.tokens)):
                if value in known:
                    return kind, known.index(value)
        launched = cast("list[Transfer]", value) if isinstance(value, list) else []
        recording.is_sound &= all(each.done for each in launched)
        return "value", cast("Any", value)

    def _final(self, recording: _Recording) -> list[tuple[Operation, Region, Buffer]]:
        """Return the last writes of a loop: a whole buffer where all of it is the loop's in the end, else the parts."""
        parts, whole = list[tuple[Operation, Region, Buffer]](), dict[int, tuple[Operation, Region, Buffer]]()
        for op, region, buffer in recording.parts.values():
            if buffer.number in whole and whole[buffer.number][1] is buffer:
                continue
            is_own = bool((buffer.flat >= recording.first).all()) and self._state.holds(buffer, buffer.number)
            if is_own and buffer.number not in whole:
                whole[buffer.number] = (op, buffer, buffer)
            else:
                parts.append((op, region, buffer))
        return [*parts, *whole.values()]


def _key(value: Any) -> Hashable:
    """Return the key of a value from outside of a loop."""
    if isinstance(value, Transfer):
        return value.op, value.source.place, value.target.place, value.done
    if isinstance(value, list):
        return tuple(map(_key, cast("list[Any]", value)))
    return cast(Hashable, value)
