"""Proofs about allocation: buffers are in bounds of their levels, aligned, and disjoint while live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import lcm

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.machine.level import LARGEST_ELEMENT, Level
from ...dialects.hier import GridOp
from ...dialects.hier.grid import spatial_grid
from ...ir import element_of, numpy_type
from ..grids.streams import stage_bytes
from .copies import point_of
from .rules import grid_point, refuse


@dataclass(frozen=True)
class Placed:
    """
    Bytes of a buffer in a level; `owner` is its grid or allocation.

    If `copies` of an engine share the level, each has such a buffer, `stride` bytes after the one before.
    """

    owner: Operation
    name: str
    level: str
    address: int
    size: int
    item: int
    copies: int = 1
    stride: int = 0

    @property
    def end(self) -> int:
        """End in bytes of the last instance's buffer."""
        return self.address + self.size + (self.copies - 1) * self.stride

    @property
    def whose(self) -> str:
        """Owner of the buffer, for messages."""
        return f"{self.name} of the grid" if isinstance(self.owner, GridOp) else self.name

    @property
    def at(self) -> str:
        """Begin of the buffer's live range, for counterexamples."""
        return grid_point([0] * len(self.owner.bounds)) if isinstance(self.owner, GridOp) else ""

    def at_copy(self, copy: int) -> str:
        """The grid point at which a copy needs the buffer first, for counterexamples."""
        around = spatial_grid(self.owner)
        if around is not self.owner or around is None:
            return f"copy {copy}" if around is not None else ""
        return grid_point(point_of(around, copy), around.spatial_dims)

    def first_common(self, other: Placed) -> tuple[int, int] | None:
        """Return the first engine instances of two buffers that overlap, None if they are disjoint."""
        if self.level != other.level or self.address >= other.end or other.address >= self.end:
            return None
        mine = self.address + np.arange(self.copies)[:, None] * self.stride
        others = other.address + np.arange(other.copies)[None, :] * other.stride
        shared = (mine < others + other.size) & (others < mine + self.size)
        if self is other:
            np.fill_diagonal(shared, val=False)
        pairs = np.argwhere(shared)
        return (int(pairs[0][0]), int(pairs[0][1])) if len(pairs) else None


def prove_levels(grid: GridOp, levels: Mapping[str, Level]) -> None:
    """
    Prove that the buffers of a grid are in bounds, aligned, and disjoint from each other and from those of enclosing
    grids.

    `levels` may be empty.
    """
    own = placed_in(grid, levels)
    for buffer in own:
        prove_inside(buffer, levels)
        prove_disjoint(buffer, buffer)
    for a, b in combinations(own, 2):
        prove_disjoint(a, b)
    around = grid.parent_op()
    while around is not None:
        for a in placed_in(around, levels) if isinstance(around, GridOp) else ():
            for b in own:
                prove_disjoint(a, b)
        around = around.parent_op()


def placed_in(grid: GridOp, levels: Mapping[str, Level]) -> list[Placed]:
    """Return the buffers of a grid that have addresses; `levels` may be empty."""
    placed: list[Placed] = []
    for index, (tile, value) in enumerate(zip(grid.tiles, grid.operands, strict=True)):
        if tile.level_name is not None and tile.byte_address is not None:
            limits = levels.get(tile.level_name)
            stage = stage_bytes(tile.bytes_of(value), limits.unit if limits else LARGEST_ELEMENT)
            size = tile.stage_count * stage
            placed.append(_placed(grid, f"operand {index}", value, tile.level_name, tile.byte_address, size))
    for index, (scratch, value) in enumerate(zip(grid.scratches, grid.scratch_buffers, strict=True)):
        if scratch.byte_address is not None:
            placed.append(
                _placed(grid, f"scratch {index}", value, scratch.level_name, scratch.byte_address, scratch.bytes)
            )
    return placed


def _placed(owner: Operation, what: str, value: SSAValue, level: str, address: int, size: int) -> Placed:
    name = what + (f" (%{value.name_hint})" if value.name_hint else "")
    return buffers_of_copies(owner, name, element_of(value), level, address, size)


def buffers_of_copies(owner: Operation, name: str, element: Attribute, level: str, address: int, size: int) -> Placed:
    """Return the buffers of an op in a level, one per engine instance."""
    item = numpy_type(element).itemsize
    around = spatial_grid(owner)
    stride = around.stride_in(level) if around is not None else None
    if around is None or stride is None:
        return Placed(owner, name, level, address, size, item)
    return Placed(owner, name, level, address, size, item, around.copies, stride)


def prove_inside(buffer: Placed, levels: Mapping[str, Level]) -> None:
    limits = levels.get(buffer.level)
    if levels and limits is None:
        names = f"levels {', '.join(levels)}"
        message = f"the machine has no level '{buffer.level}'"
        raise refuse("level", message, buffer.owner, [buffer.name], found=names)
    if buffer.address < 0 or (limits is not None and buffer.end > limits.size):
        wrong = buffer.address if buffer.address < 0 or limits is None else max(buffer.address, limits.size)
        end = f"; {buffer.level} has {limits.size} bytes" if limits else ""
        raise refuse(
            "level",
            f"the buffer of {buffer.whose} leaves {buffer.level}",
            buffer.owner,
            [f"address {wrong}", buffer.at_copy(buffer.copies - 1) or buffer.at],
            found=f"bytes {buffer.end - buffer.size} to {buffer.end - 1}{end}",
        )
    unit = lcm(buffer.item, limits.alignment if limits else 1)
    for copy in range(min(buffer.copies, 2)):
        address = buffer.address + copy * buffer.stride
        if address % unit:
            raise refuse(
                "aligned",
                f"the buffer of {buffer.whose} is not aligned to {unit} bytes",
                buffer.owner,
                [f"address {address} of {buffer.level}", buffer.at_copy(copy) or buffer.at],
            )


def prove_disjoint(a: Placed, b: Placed) -> None:
    pair = a.first_common(b)
    if pair is None:
        return
    names = f"{a.name} and {b.whose}" if a.owner is b.owner else f"{a.whose} and {b.whose}"
    if a.owner is not b.owner and isinstance(a.owner, GridOp) and isinstance(b.owner, GridOp):
        names = f"{a.name} of the grid around and {b.whose}"
    first, second = a.address + pair[0] * a.stride, b.address + pair[1] * b.stride
    points = [a.at_copy(pair[0]), b.at_copy(pair[1])]
    at = [" and ".join(points)] if all(points) else [points[1] or points[0] or b.at or a.at]
    raise refuse(
        "disjoint",
        f"the buffers of {names if a is not b else a.whose} overlap in {a.level}",
        b.owner,
        [f"address {max(first, second)} of {a.level}", *at],
        found=f"bytes {first} to {first + a.size - 1} and {second} to {second + b.size - 1}",
    )
