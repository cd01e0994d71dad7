"""DMA engine of an interpreted program: groups of transfers, executed at their wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Transfers:
    """Queue of the DMA engine's transfers; data moves at the wait."""

    groups: dict[int, list[Callable[[], None]]] = field(default_factory=dict[int, list[Callable[[], None]]])
    last: int = 0

    def begin(self) -> int:
        """Open a group and return its number."""
        self.last += 1
        self.groups[self.last] = []
        return self.last

    def start(self, copy: Callable[[], None]) -> None:
        """Add a transfer to the last group."""
        self.groups[self.last].append(copy)

    def wait(self, group: int) -> None:
        """Execute the pending transfers of the group, once."""
        for copy in self.groups.pop(group, []):
            copy()
