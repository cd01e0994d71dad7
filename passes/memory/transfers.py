"""Transfers: bytes moved and cost on a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects.core.machine.model import Link, Machine
from ...dialects.hier.tiles import overlap
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from .views import layout_of


@dataclass(frozen=True)
class Cost:
    """
    Cost of a transfer in cycles of the machine's clock: `startup` on its channel, then `data` on the bus.

    `bytes` are read and written. Padding is filled by the link, at its width.
    """

    bytes: int
    startup: int
    data: int


def link_between(machine: Machine, source: str, target: str, op: Operation) -> Link:
    """Return the link that joins two levels, or instances of one. Raises Diagnostic unless there is exactly one."""
    among = [link for link in machine.links if link.neighbours and link.far == source == target]
    path = among or machine.path(source, target)
    if len(path) != 1:
        raise Diagnostic(
            f"a transfer from '{source}' to '{target}' takes {len(path)} links",
            where=where(op),
            expected="levels that one link joins",
            remedy="move the data over the levels between them, one by one",
        )
    return path[0]


def cost_of(machine: Machine, link: Link, row: int, counts: Sequence[int], filled: int = 0) -> Cost:
    """Compute the cost of moving `prod(counts)` rows of `row` bytes, and of filling `filled` bytes of padding."""
    size = row * prod(counts)
    total = machine.transfer_cycles(link, row, counts) if size else 0
    data = machine.transfer_cycles(link.started, row, counts) if size else 0
    fill = machine.transfer_cycles(link.unbroken, filled) if filled else 0
    return Cost(size, total - data, data + fill)


def tile_costs(
    machine: Machine, link: Link, far: SSAValue, *, reads: bool
) -> Callable[[Sequence[int], Sequence[int]], Cost]:
    """
    Return the cost model of a far buffer's tiles: a function of the tile's extents and of the extents in bounds.

    Axes that are contiguous on both sides form rows; the other axes of extent above 1 are strided.
    """
    item, strides = numpy_type(element_of(far)).itemsize, layout_of(far)[0]

    def cost(tile: Sequence[int], inside: Sequence[int]) -> Cost:
        moved = prod(inside)
        missing = (prod(tile) - moved) * item if reads else 0
        if not moved:
            return cost_of(machine, link, 0, (), missing)
        row, near, counts = item, item, list[int]()
        for extent, size, stride in zip(reversed(inside), reversed(tile), reversed(strides), strict=True):
            if extent != 1 and not counts and stride * item == near == row:
                row *= extent
            elif extent != 1:
                counts.append(extent)
            near *= size
        return cost_of(machine, link, row, counts[::-1], missing)

    return cost


class Descriptor:
    """Memoised transfer cost of tiles of one shape between a far buffer and dense near buffers."""

    def __init__(self, machine: Machine, link: Link, far: SSAValue, tile: Sequence[int], *, reads: bool):
        self._shape, self._tile = shape_of(far), tuple(tile)
        self._cost = tile_costs(machine, link, far, reads=reads)
        self._costs: dict[tuple[int, ...], Cost] = {}
        """Cost by in-bounds extents."""
        self._known: dict[tuple[int, ...], Cost] = {}
        """Cost by offsets."""

    def at(self, offsets: Sequence[int]) -> Cost:
        """Return the cost of the tile at these offsets; only its in-bounds part is moved."""
        begin = tuple(offsets)
        known = self._known.get(begin)
        if known is None:
            inside = tuple(part.stop - part.start for part in overlap(begin, self._tile, self._shape)[0])
            if inside not in self._costs:
                self._costs[inside] = self._cost(self._tile, inside)
            known = self._known[begin] = self._costs[inside]
        return known
