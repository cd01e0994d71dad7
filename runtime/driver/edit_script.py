"""Shortest edit script between two sequences of lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

_MOST_EDITS = 1_000
"""The most edits of a script that is the shortest, found in 0.6 s; a longer one is found by heuristics."""


def common_runs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """
    Return the runs of lines that two texts have in common, as the index in each and the length.

    The shortest edit script, by the greedy algorithm of Myers (An O(ND) Difference Algorithm and Its Variations, 1986),
    where that has few edits.
    """
    trace = _furthest_paths(old, new)
    if trace is None:
        return [(a, b, size) for a, b, size in SequenceMatcher(None, old, new).get_matching_blocks() if size]
    runs: list[tuple[int, int, int]] = []
    x, y = len(old), len(new)
    for edits in range(len(trace) - 1, -1, -1):
        furthest, diagonal = trace[edits], x - y
        is_insertion = _comes_from_insertion(furthest, diagonal, edits)
        before = diagonal + 1 if is_insertion else diagonal - 1
        start = furthest[before] if edits else 0
        first = (start if is_insertion else start + 1) if edits else 0
        if x > first:
            runs.append((first, first - diagonal, x - first))
        x, y = start, start - before
    return runs[::-1]


def _furthest_paths(old: Sequence[str], new: Sequence[str]) -> list[dict[int, int]] | None:
    """Return, for each number of edits, the furthest index in `old` by diagonal before them; None for too many."""
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            is_insertion = _comes_from_insertion(furthest, diagonal, edits)
            x = furthest[diagonal + 1] if is_insertion else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return trace
    return None


def _comes_from_insertion(furthest: dict[int, int], diagonal: int, edits: int) -> bool:
    """Return whether the furthest path of a diagonal ends with an insertion, and not with a deletion."""
    if diagonal in (-edits, edits):
        return diagonal == -edits
    return furthest[diagonal - 1] < furthest[diagonal + 1]
