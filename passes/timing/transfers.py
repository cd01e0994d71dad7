"""Transfers: bytes moved and cost on a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.layouts import layout_map, physical_shape, view_strides
from ...dialects.core.machine.cost_table import timing_named
from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...dialects.hier import DmaStartOp
from ...dialects.hier.sharded import level_name
from ...dialects.hier.tile_copies import overlap
from ...errors import Diagnostic
from ...ir import numpy_type, shape_of, where
from ..memory.views import layout_of, row_major


class Rows(NamedTuple):
    """Rows of DRAM that one end of a transfer accesses, in order, each with its bytes."""

    level: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TransferCost:
    """
    Cost of a transfer in cycles of the machine's clock: `startup` on its channel, then `data` on the bus.

    `bytes` are read and written. Padding is filled by the link, at its width, or by the program where the machine says
    so. `issue` are the cycles for which the program is busy before. `rows` are those of the source and of the target,
    where these are DRAM: the simulator adds what it takes to open them.
    """

    bytes: int
    startup: int
    data: int
    issue: int = 0
    rows: tuple[Rows, ...] = ()


def link_between(machine: Machine, source: str, target: str, op: Operation) -> Link:
    """Return the link that joins two levels, or instances of one. Raises Diagnostic unless there is exactly one."""
    among = [link for link in machine.links if link.neighbours and link.far == source == target]
    path = among or machine.path(source, target)
    if len(path) != 1:
        raise Diagnostic(
            f"a transfer from '{source}' to '{target}' takes {len(path)} links",
            where=where(op),
            expected="levels that one link joins",
            found=", ".join(link.name for link in path) or "one level, without a link to itself",
            remedy="move the data over one link after the other, or add a link between the two levels",
        )
    return path[0]


def cost_of(machine: Machine, link: Link, row: int, counts: Sequence[int], filled: int = 0) -> TransferCost:
    """Compute the cost of moving `prod(counts)` rows of `row` bytes, and of filling `filled` bytes of padding."""
    size = row * prod(counts)
    total = machine.transfer_cycles(link, row, counts) if size else 0
    data = machine.transfer_cycles(link.started, row, counts) if size else 0
    fill = machine.transfer_cycles(link.unbroken, filled) if filled else 0
    return TransferCost(size, total - data, _at_ends(machine, link, data + fill))


def _at_ends(machine: Machine, link: Link, data: int) -> int:
    """Return the data cycles of a transfer, by the throughput of the levels at both ends (`timing`)."""
    ends = (machine.level(name) for name in {link.far, link.near})
    taken = (timing_named(name)(data, number) for level in ends for name, number in level.timing)
    return max(data, *taken, 0)


def copy_over_link(
    op: Operation, source: SSAValue, target: SSAValue, machine: Machine
) -> tuple[Link, SSAValue, SSAValue, TransferCost]:
    """
    Return the link of a copy between two levels, its far and its near buffer, and its cost.

    Raises Diagnostic unless exactly one link joins the levels.
    """
    begin, end = (level_name(value.type) or machine.far.name for value in (source, target))
    link = link_between(machine, begin, end, op)
    far, near = (target, source) if begin == link.near else (source, target)
    return link, far, near, Descriptor(machine, link, far, shape_of(near), reads=False).at([0] * len(shape_of(far)))


def levels_of(op: DmaStartOp, machine: Machine) -> tuple[str, str]:
    """Return the levels of the source and of the target of a transfer."""
    source, target = (level_name(value.type) or machine.far.name for value in (op.source, op.target))
    return source, target


def link_of(op: DmaStartOp, machine: Machine) -> Link:
    """Return the link of a transfer. Raises Diagnostic unless exactly one joins its levels."""
    return link_between(machine, *levels_of(op, machine), op)


def tile_costs(
    machine: Machine,
    link: Link,
    far: SSAValue,
    *,
    reads: bool,
    near: Attribute | None = None,
    repeated: Sequence[int] = (),
    is_clipped: bool = False,
    passes: int = 1,
) -> Callable[[Sequence[int], Sequence[int]], TransferCost]:
    """
    Return the cost model of a far buffer's tiles: a function of the tile's extents and of the extents in bounds.

    Axes that are contiguous on both sides form rows; the other axes of extent above 1 are strided. Where the types
    differ, the wider elements count; `near` is the type of the tile's buffer if it is not dense of the far buffer's
    type. A blocked layout on one side makes a row of each row of a block, or of as many blocks as the link brings at
    once; along the axis of the blocks, a far buffer may be contiguous though that is not its last. `repeated` axes are
    moved as often, but for what the link repeats of a row along the innermost one. A tile `is_clipped` that may extend
    beyond the far buffer. The link reads each row in as many `passes` (`passes_of`).
    """
    item, strides = _item_of(far.type), _strides_of(far)
    block, order = _row_of(far.type), range(len(strides) - 1, -1, -1)
    if near is not None:
        item, block = max(item, _item_of(near)), min(block, _row_of(near), key=lambda row: row or _UNBROKEN)
        axis = _axis_of_blocks(near)
        if axis is not None and strides[axis] == 1:
            order = (axis, *(other for other in order if other != axis))
    block *= link.blocks
    if repeated:
        strides = [0 if axis in repeated else stride for axis, stride in enumerate(strides)]

    def cost(tile: Sequence[int], inside: Sequence[int]) -> TransferCost:
        moved = prod(inside)
        missing = (prod(tile) - moved) * item if reads else 0
        if not moved:
            return _issued(machine, link, cost_of(machine, link, 0, (), missing), missing, is_clipped=is_clipped)
        row, near, counts, packed = item, item, list[int](), 0
        repeats = link.repeats
        for extent, size, stride in ((inside[axis], tile[axis], strides[axis]) for axis in order):
            if extent != 1 and not stride:
                extent, repeats = -(-extent // repeats), 1
            if extent != 1 and not counts and stride * item == near == row:
                row *= extent
            elif extent != 1:
                packed += row * prod(counts) == near
                counts.append(extent)
            near *= size
        if block and row > block * item and row % (block * item) == 0:
            counts.insert(0, row // (block * item))
            row = block * item
        # A descriptor spans no axis whose steps are not packed.
        single = [1] * (link.dims - 1 - packed) if link.packs else []
        moves = cost_of(machine, link, row, [*counts[::-1], *single], missing)
        moves = replace(moves, data=moves.data * passes) if passes > 1 else moves
        return _issued(machine, link, moves, missing, is_clipped=is_clipped)

    return cost


def _issued(machine: Machine, link: Link, cost: TransferCost, missing: int, *, is_clipped: bool) -> TransferCost:
    """Return the cost with the cycles of the program that issues the transfer and fills `missing` bytes."""
    program = machine.program
    commands = max(1, cost.startup // max(link.startup, 1))
    cycles = program.issue + program.command * (commands - 1)
    if is_clipped:
        cycles += program.clip
    if missing and program.fill:
        cycles += missing // program.fill
    return replace(cost, issue=cycles) if cycles else cost


def instructions_of(
    link: Link, near: Attribute | None, shape: Sequence[int] = (), passes: int = 1
) -> Callable[[Sequence[int]], int]:
    """
    Return the instructions that move a tile of some extents in blocks of rows, whole, 0 over a link that has none.

    With the shape of the far buffer come those that fill its padding, where a tile is longer than that. Of several
    `passes` over a block, each begins with one that configures it.
    """
    lead = layout_map(near) if near is not None and link.rows else None
    axes = lead.results[-1].used_dims() if lead is not None else set[int]()
    if len(axes) != 1:
        return lambda extents: 0
    (axis,), columns = axes, physical_shape(cast("MemRefType[Any]", near))[-1]
    beside = [size for place, size in enumerate(shape) if place != axis]

    def instructions(extents: Sequence[int]) -> int:
        blocks = -(-extents[axis] // columns)
        others = [*extents[:axis], *extents[axis + 1 :]]
        instructions = -(-blocks // link.blocks) * _lines(others, link.rows)
        if passes > 1:
            instructions = (
                passes * blocks * (_tall_lines(others, link.lines) if link.lines else _lines(others, link.rows) + 1)
            )
        inside = [min(pair) for pair in zip(others, beside, strict=False)]
        for place, (extent, within) in enumerate(zip(others, inside, strict=False)):
            if extent > within:
                sides = [(extent - within) // 2, -((within - extent) // 2)]
                instructions += blocks * sum(
                    _lines([*inside[:place], side, *others[place + 1 :]], link.rows, others) for side in sides if side
                )
        return instructions

    return instructions


def _lines(counts: Sequence[int], rows: int, extents: Sequence[int] = ()) -> int:
    """Return the instructions of so many rows each along the last axis that is longer than 1, for all others."""
    longer = [place for place, extent in enumerate(extents or counts) if extent > 1]
    line = longer[-1] if longer else len(counts) - 1
    return prod(count for place, count in enumerate(counts) if place != line) * -(-counts[line] // rows)


def _tall_lines(counts: Sequence[int], most: int) -> int:
    """Return the instructions of so many lines of so many rows each, and those that configure them."""
    longer = [place for place, extent in enumerate(counts) if extent > 1]
    line = longer[-1] if longer else len(counts) - 1
    pieces = prod(-(-extent // most) for extent in counts[max(line - 1, 0) : line + 1])
    return pieces * (1 + prod(counts[: max(line - 1, 0)]))


_UNBROKEN = 1 << 62


def _item_of(type: Attribute) -> int:
    return numpy_type(cast("MemRefType[Any]", type).get_element_type()).itemsize


def _row_of(type: Attribute) -> int:
    """Return the elements of a row of a block, 0 where the layout is strided."""
    shaped = cast("MemRefType[Any]", type)
    if layout_map(type) is None or view_strides(shaped, shaped.get_shape()) is not None:
        return 0
    return physical_shape(shaped)[-1]


def _axis_of_blocks(type: Attribute) -> int | None:
    """Return the axis along which the rows of blocks lie, None where the layout is strided."""
    lead = layout_map(type)
    dims = sorted(lead.results[-1].used_dims()) if lead is not None and _row_of(type) else []
    return dims[0] if len(dims) == 1 else None


def _strides_of(far: SSAValue) -> list[int]:
    """Return the strides of a far buffer in elements; of one in blocks those of a dense one, whose rows blocks cut."""
    return layout_of(far)[0] if layout_map(far.type) is None else row_major(shape_of(far))


class Descriptor:
    """Memoised transfer cost of tiles of one shape between a far buffer and dense near buffers."""

    def __init__(
        self,
        machine: Machine,
        link: Link,
        far: SSAValue,
        tile: Sequence[int],
        *,
        reads: bool,
        near: Attribute | None = None,
        repeated: Sequence[int] = (),
        is_clipped: bool = False,
        passes: int = 1,
    ):
        self._shape, self._tile, self._repeated = shape_of(far), tuple(tile), tuple(repeated)
        self._cost = tile_costs(
            machine, link, far, reads=reads, near=near, repeated=repeated, is_clipped=is_clipped, passes=passes
        )
        self._costs: dict[tuple[int, ...], TransferCost] = {}
        """Cost by in-bounds extents."""
        self._known: dict[tuple[int, ...], TransferCost] = {}
        """Cost by offsets."""

    def at(self, offsets: Sequence[int]) -> TransferCost:
        """Return the cost of the tile at these offsets; only its in-bounds part is moved."""
        begin = tuple(offsets)
        cost = self._known.get(begin)
        if cost is None:
            shared = overlap(begin, self._tile, self._shape, self._repeated)[1]
            inside = tuple(part.stop - part.start for part in shared)
            if inside not in self._costs:
                self._costs[inside] = self._cost(self._tile, inside)
            cost = self._known[begin] = self._costs[inside]
        return cost
