"""Journal of writes on data-dependent paths, to undo them and to join two paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ...ir import Array
from ..core.byte_ranges import joined
from .regions import Memory

Entries: TypeAlias = "list[tuple[Memory, int, Array]]"
"""For ranges of bytes of memories, from which byte on, the number of the last write of each."""


@dataclass
class Paths:
    """Data-dependent paths from a branch: `undo` has the overwritten state before each write, in order."""

    undo: Entries = field(default_factory=list[tuple[Memory, int, Array]])
    other: Entries = field(default_factory=list[tuple[Memory, int, Array]])
    second: int = 0

    def note(self, memory: Memory, low: int, high: int) -> None:
        """Note that bytes are about to be written."""
        self.undo.append((memory, low, memory.writes[low:high].copy()))

    def exchange(self) -> None:
        """Go back to where the paths begin, to walk the second."""
        self.other = _read((memory, low, low + len(writes)) for memory, low, writes in self.undo)
        _write(reversed(self.undo))
        self.second = len(self.undo)

    def ends(self) -> list[tuple[Memory, Array, Array, Array]]:
        """
        Return, by memory, the bytes written on a path, and the last writes of these here and on the other path.

        The other path is that from the beginning to the end at once where a second one has not been walked.
        """
        ranges = _merged((memory, low, low + len(writes)) for memory, low, writes in self.undo)
        here = _read(ranges)
        _write(reversed(self.undo[self.second :]))
        _write(self.other)
        there = _read(ranges)
        _write(here)
        parts_of: dict[Memory, list[tuple[Array, Array, Array]]] = defaultdict(list)
        for (memory, low, own), (_, _, others) in zip(here, there, strict=True):
            parts_of[memory].append((np.arange(low, low + len(own)), own, others))
        return [(memory, *_joined(parts)) for memory, parts in parts_of.items()]


def _joined(parts: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    bytes, here, there = (np.concatenate(column) for column in zip(*parts, strict=True))
    return bytes, here, there


def _read(ranges: Iterable[tuple[Memory, int, int]]) -> Entries:
    return [(memory, low, memory.writes[low:high].copy()) for memory, low, high in ranges]


def _write(entries: Iterable[tuple[Memory, int, Array]]) -> None:
    for memory, low, writes in entries:
        memory.writes[low : low + len(writes)] = writes


def _merged(ranges: Iterable[tuple[Memory, int, int]]) -> list[tuple[Memory, int, int]]:
    """Return the ranges of each memory without overlaps."""
    by_memory: dict[Memory, list[tuple[int, int]]] = defaultdict(list)
    for memory, low, high in ranges:
        by_memory[memory].append((low, high))
    return [(memory, low, high) for memory, spans in by_memory.items() for low, high in joined(spans)]
