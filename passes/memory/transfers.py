"""What a transfer moves, and what it costs on a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects.core.hier_tiles import overlap
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from ...targets.core.machine import Link, Machine
from .views import layout_of, row_major


@dataclass(frozen=True)
class Cost:
    """
    A transfer's time on a link in cycles of the machine's clock: `startup` on its channel, then `data` on the bus.

    `bytes` are read and written. What lies outside of the far buffer is filled by the link, at its width.
    """

    bytes: int
    startup: int
    data: int


def link_between(machine: Machine, source: str, target: str, op: Operation) -> Link:
    """Return the link that moves data from one level to another. Raises Diagnostic where no single one does."""
    path = machine.path(source, target)
    if len(path) != 1:
        raise Diagnostic(
            f"a transfer from '{source}' to '{target}' takes {len(path)} links",
            where=where(op),
            expected="levels that one link joins",
            remedy="move the data over the levels between them, one by one",
        )
    return path[0]


def cost_of(machine: Machine, link: Link, row: int, counts: Sequence[int], filled: int = 0) -> Cost:
    """Return the cost of moving `prod(counts)` rows of `row` bytes, and of filling further bytes."""
    size = row * prod(counts)
    total = machine.transfer_cycles(link, row, counts) if size else 0
    data = machine.transfer_cycles(replace(link, startup=0), row, counts) if size else 0
    fill = machine.transfer_cycles(replace(link, startup=0, burst=0, burst_overhead=0.0), filled) if filled else 0
    return Cost(size, total - data, data + fill)


class Descriptor:
    """
    The transfer of tiles of one shape between a far buffer and dense near ones, at offsets given each time.

    Axes that are contiguous on both sides make up the rows; the others, those of a single step aside, are strided.
    """

    def __init__(self, machine: Machine, link: Link, far: SSAValue, tile: Sequence[int], *, reads: bool):
        self._machine, self._link, self._reads = machine, link, reads
        self._item = numpy_type(element_of(far)).itemsize
        self._shape, self._tile = shape_of(far), tuple(tile)
        self._strides = layout_of(far)[0]
        self._costs: dict[tuple[int, ...], Cost] = {}

    def at(self, offsets: Sequence[int]) -> Cost:
        """Return the cost of the tile at these offsets, of which only what lies inside of the far buffer is moved."""
        inside = tuple(part.stop - part.start for part in overlap(offsets, self._tile, self._shape)[0])
        if inside not in self._costs:
            self._costs[inside] = self._cost(inside)
        return self._costs[inside]

    def _cost(self, inside: tuple[int, ...]) -> Cost:
        missing = (prod(self._tile) - prod(inside)) * self._item if self._reads else 0
        if not prod(inside):
            return cost_of(self._machine, self._link, 0, (), missing)
        row, counts = self._item, list[int]()
        for extent, far, near in reversed(list(zip(inside, self._strides, row_major(self._tile), strict=True))):
            if extent == 1:
                continue
            if not counts and far * self._item == near * self._item == row:
                row *= extent
            else:
                counts.insert(0, extent)
        return cost_of(self._machine, self._link, row, counts, missing)
