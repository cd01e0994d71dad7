"""Buffers that stay in a near level, and the bytes that they leave to kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from .layers import Layers


class Near:
    """
    Resident buffers of a near level of `capacity` bytes, which change one at a time.

    `left` holds, for each kernel, the bytes that the buffers alive while it runs leave, and `begun` those of the
    buffers whose live range begins with it.
    """

    def __init__(self, layers: Layers, resident: Iterable[int], capacity: int):
        self.layers, self.capacity = layers, capacity
        self.resident: set[int] = set()
        self.left = np.full(len(layers.ops), capacity, np.int64)
        self._begun = [0] * len(layers.ops)
        for number in resident:
            self.toggle(number)

    def toggle(self, number: int) -> None:
        """Make a buffer resident, or one that is so no longer."""
        buffer = self.layers.buffers[number]
        size = -buffer.size if number in self.resident else buffer.size
        self.resident ^= {number}
        self.left[buffer.first : buffer.last + 1] -= size
        self._begun[buffer.first] += size

    def room(self, first: int, last: int) -> int:
        """Return the bytes that are left to the kernels from `first` to `last` together."""
        return int(self.left[first]) - sum(self._begun[first + 1 : last + 1])


class Largest:
    """Buffers in an interval tree over kernels, to find the one of the largest key that is alive at a kernel."""

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
        """Return the largest of the buffers that are resident and alive at a kernel; others are forgotten."""
        found: list[int] = []
        node = kernel + self._leaves
        while node:
            numbers = self._nodes.get(node, [])
            while numbers and numbers[-1] not in resident:
                numbers.pop()
            found += numbers[-1:]
            node //= 2
        return max(found, key=self._key, default=None)
