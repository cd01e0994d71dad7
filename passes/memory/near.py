"""Resident buffers of the near levels, and the bytes that they leave to kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ...dialects.core.machine.level import Level
from .layers import Layers


class ResidentSet:
    """
    Mutable set of resident buffers of the near levels, of `capacity` bytes each.

    `left` has, per level and kernel, the bytes not taken by live resident buffers.
    """

    def __init__(self, layers: Layers, resident: Iterable[int], capacity: Mapping[str, int]):
        self.layers, self.capacity = layers, capacity
        self.resident: set[int] = set()
        self.left = {level: np.full(len(layers.ops), size, np.int64) for level, size in capacity.items()}
        self._begun = {level: [0] * len(layers.ops) for level in capacity}
        for number in resident:
            self.toggle(number)

    def toggle(self, number: int) -> None:
        """Add a buffer to the resident set, or remove it."""
        buffer = self.layers.buffers[number]
        size = -buffer.size if number in self.resident else buffer.size
        self.resident ^= {number}
        self.left[buffer.level][buffer.first : buffer.last + 1] -= size
        self._begun[buffer.level][buffer.first] += size

    def available(self, first: int, last: int, levels: Iterable[Level]) -> tuple[int, ...]:
        """Return the bytes of each level available to a fused group of kernels `first` to `last`."""
        return tuple(self._available(first, last, level.name) for level in levels)

    def _available(self, first: int, last: int, level: str) -> int:
        return int(self.left[level][first]) - sum(self._begun[level][first + 1 : last + 1])


class Largest:
    """Interval tree of live ranges, queried for the live buffer with the largest key."""

    def __init__(self, layers: Layers, numbers: Iterable[int], key: Callable[[int], tuple[int, int]]):
        self._leaves, self._key = len(layers.ops), key
        self._nodes: dict[int, list[int]] = defaultdict(list)
        for number in sorted(numbers, key=key):
            low, high = layers.buffers[number].first + self._leaves, layers.buffers[number].last + self._leaves + 1
            while low < high:
                if low % 2:
                    self._nodes[low].append(number)
                if high % 2:
                    self._nodes[high - 1].append(number)
                low, high = (low + 1) // 2, high // 2

    def at(self, kernel: int, resident: set[int]) -> int | None:
        """Return the largest resident buffer live at a kernel; evicted ones are dropped from the tree."""
        numbers_live: list[int] = []
        node = kernel + self._leaves
        while node:
            numbers = self._nodes.get(node, [])
            while numbers and numbers[-1] not in resident:
                numbers.pop()
            numbers_live += numbers[-1:]
            node //= 2
        return max(numbers_live, key=self._key, default=None)
