"""
Rows of DRAM that transfers open, and the cycles that this takes.

A bank has one row open. To access another one, the bank precharges, activates the row, and gives the first data after
the CAS latency. Rows lie in the banks by turns. A transfer activates its next row while data of the present one move,
unless it is in the same bank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.layouts import layout_map
from ...dialects.core.machine.model import Machine
from ...dialects.hier import LocalOp
from ...dialects.hier.sharded import is_sharded, level_name, shard_type
from ...dialects.hier.streams import StreamEndOp
from ...dialects.hier.tile_copies import overlap
from ...ir import numpy_type, shape_of
from ...passes.memory.views import MEMORY_VIEWS, VIEWS, bytes_of, layout_of, row_major
from ...passes.timing.kernels import Allocation
from ...passes.timing.transfers import Rows, TransferCost


class Banks:
    """Open rows of the banks of all DRAM, by level and instance."""

    def __init__(self, machine: Machine):
        self._dram = {level.name: level.dram for level in machine.levels if level.dram is not None}
        self._open: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)

    def delay(self, cost: TransferCost, instances: Sequence[int]) -> int:
        """Open the rows of a transfer, at both ends at once; return the cycles by which its end is later."""
        ends = zip(cost.rows, instances, strict=False)
        return max((self._opened(rows, instance, cost.data) for rows, instance in ends), default=0)

    def _opened(self, rows: Rows, instance: int, data: int) -> int:
        """Open the rows of one end; return the cycles by which its data, of `data` cycles, end later."""
        dram, opened = self._dram[rows.level], self._open[rows.level, instance]
        total = sum(size for _, size in rows.pieces)
        # Times in parts of a cycle, of which as many as bytes are in all make one.
        ends: dict[int, int] = {}
        begin = end = 0
        for number, (row, size) in enumerate(rows.pieces):
            bank = row % dram.banks
            before = opened.get(bank)
            opens = 0 if before == row else dram.activate + (0 if before is None else dram.precharge)
            opened[bank] = row
            ready = max(begin, ends.get(bank, 0)) + total * (opens + dram.cas) if opens or not number else end
            begin = max(end, ready)
            end = ends[bank] = begin + data * size
        return -(-end // total) - data if total else 0


class DramAddresses:
    """Addresses of buffers in DRAM: that of an arena is known within it, others follow in the order of first use."""

    def __init__(self, machine: Machine):
        self._row_bytes = {level.name: level.dram.row for level in machine.levels if level.dram is not None}
        self._far = machine.far.name
        self._bases: dict[tuple[str, object], int] = {}
        self._ends: dict[str, int] = defaultdict(int)

    def opened(
        self, far: SSAValue, near: SSAValue, repeated: Sequence[int], *, is_outward: bool
    ) -> Callable[[TransferCost, Sequence[int], Allocation, Allocation], TransferCost]:
        """Return the function from the cost of a transfer, offsets and places to the cost with rows of both ends."""
        ends = self._rows(far, shape_of(near), repeated), self._rows(near, shape_of(near))
        if ends == (None, None):
            return _unchanged
        origin = [0] * len(shape_of(near))

        def opened(cost: TransferCost, offsets: Sequence[int], *places: Allocation) -> TransferCost:
            both = zip(ends, (offsets, origin), places, strict=True)
            rows = [end(at, place.name) for end, at, place in both if end is not None]
            return replace(cost, rows=tuple(rows[::-1] if is_outward else rows))

        return opened

    def _rows(
        self, value: SSAValue, tile: Sequence[int], repeated: Sequence[int] = ()
    ) -> Callable[[Sequence[int], str], Rows] | None:
        """Return the function from the offsets of a tile in a buffer, and its name, to its rows; None without DRAM."""
        level = level_name(value.type) or self._far
        if level not in self._row_bytes:
            return None
        root, shift = _root_of(value)
        size, pieces = _bytes(root.type), dict[tuple[int, ...], tuple[tuple[int, int], ...]]()

        def rows(offsets: Sequence[int], name: str) -> Rows:
            first = self._base(level, _key_of(root, name), size) + shift
            key = first, *offsets
            if key not in pieces:
                pieces[key] = _pieces(value, first, tile, offsets, repeated, self._row_bytes[level])
            return Rows(level, pieces[key])

        return rows

    def _base(self, level: str, key: object, size: int) -> int:
        """Return the address of a buffer, at the begin of a row."""
        if (level, key) not in self._bases:
            row = self._row_bytes[level]
            self._bases[level, key] = self._ends[level]
            self._ends[level] += -(-size // row) * row
        return self._bases[level, key]


def _unchanged(cost: TransferCost, offsets: Sequence[int], far: Allocation, near: Allocation) -> TransferCost:
    return cost


def _root_of(value: SSAValue) -> tuple[SSAValue, int]:
    """Return the buffer that a value is a view of, and the constant bytes from its begin on."""
    shift = _layout(value)[1]
    while isinstance(value.owner, (*VIEWS, LocalOp)):
        if isinstance(value.owner, MEMORY_VIEWS):
            shift += constant_integer(value.owner.operands[1]) or 0
        value = value.owner.operands[0]
    return value, shift


def _layout(value: SSAValue) -> tuple[list[int], int]:
    """Return the strides and the offset of a buffer in bytes; those that depend on the program as of a dense one."""
    item = numpy_type(cast("MemRefType[Any]", value.type).get_element_type()).itemsize
    strides, offset = row_major(shape_of(value)), 0
    if layout_map(value.type) is None:
        stated, first = layout_of(value)
        strides = strides if None in cast("list[int | None]", stated) else stated
        offset = first or 0
    return [stride * item for stride in strides], offset * item


def _key_of(root: SSAValue, name: str) -> object:
    """Return the key of a buffer: the symbol of a global, the name of a slot of a stream, else the buffer."""
    if isinstance(root.owner, memref.GetGlobalOp):
        return root.owner.name_.string_value()
    return name if isinstance(root.owner, StreamEndOp) else root


def _bytes(type: Attribute) -> int:
    """Return the bytes of a buffer in its level, of a sharded value those of a shard."""
    return bytes_of(shard_type(cast("MemRefType[Any]", type)) if is_sharded(type) else type)


def _pieces(
    value: SSAValue, first: int, tile: Sequence[int], at: Sequence[int], repeated: Sequence[int], row: int
) -> tuple[tuple[int, int], ...]:
    """Return the rows that a tile of a buffer from address `first` on lies in, in its order, each with its bytes."""
    strides, item = _layout(value)[0], numpy_type(cast("MemRefType[Any]", value.type).get_element_type()).itemsize
    inside = overlap(tuple(at), tuple(tile), shape_of(value), tuple(repeated))[1]
    counts = [1 if axis in repeated else part.stop - part.start for axis, part in enumerate(inside)]
    start = first + sum(max(0, index) * stride for index, stride in zip(at, strides, strict=True))
    run, outer = item, list(zip(counts, strides, strict=True))
    while outer and (outer[-1][0] == 1 or outer[-1][1] == run):
        run *= outer.pop()[0]
    pieces: list[tuple[int, int]] = []
    for indices in product(*(range(count) for count, _ in outer)):
        here = start + sum(index * stride for index, (_, stride) in zip(indices, outer, strict=True))
        end = here + run
        while here < end:
            size = min(end, (here // row + 1) * row) - here
            if pieces and pieces[-1][0] == here // row:
                pieces[-1] = here // row, pieces[-1][1] + size
            else:
                pieces.append((here // row, size))
            here += size
    return tuple(pieces)
