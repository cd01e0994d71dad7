"""Proofs about spatial mapping: the number of engine instances, and the visibility of buffers to them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import GridOp
from ...errors import Diagnostic
from ..map_engines import engine_of
from .rules import grid_point, refuse


def prove_copies(grid: GridOp, machine: Machine) -> None:
    """
    Prove that the machine has the engine instances of a spatially mapped grid, with visible operands and disjoint
    buffers.

    Buffers must be in levels with as many instances, or at disjoint strides in shared levels.
    """
    if grid.copies == 1:
        return
    for engine in _engines(grid, machine):
        if grid.copies > engine.total:
            raise _too_many(grid, f"'{engine.name}'", engine.total)
    levels = {level.name: level for level in machine.levels}
    for name in dict.fromkeys(_levels(grid)):
        if level := levels.get(name):
            _prove_level(grid, level)
    for index, tile in enumerate(grid.tiles):
        joined = {link.far for link in machine.links if link.neighbours}
        if tile.source.neighbour_dims and tile.level_name not in joined:
            first, second = (grid_point(point_of(grid, copy), grid.spatial_dims) for copy in range(2))
            raise refuse(
                "level",
                f"operand {index} of the grid comes from the neighbour in {tile.level_name}, and no link joins them",
                grid,
                [f"{first} and {second}"],
                found=", ".join(f"{link.name} ({link.far} to {link.near})" for link in machine.links),
                remedy=f'fetch it from far, or give the machine a link with neighbours = "mesh" in {tile.level_name}',
            )
    for index, value in enumerate(grid.operands):
        space = getattr(value.type, "memory_space", None)
        level = levels.get(space.data) if isinstance(space, StringAttr) else None
        if level is not None and prod(level.count) > 1:
            raise refuse(
                "level",
                f"operand {index} of the grid lies in one copy of {level.name}",
                grid,
                [grid_point(point_of(grid, 1), grid.spatial_dims)],
                found=f"{prod(level.count)} copies, of which the others are not reached",
                remedy="let the operand lie in a level that all copies share",
            )


def point_of(grid: GridOp, copy: int) -> list[int]:
    """Return the first grid point of a copy, counted in row-major order over the spatial dimensions."""
    point = [0] * len(grid.bounds)
    for dim in reversed(grid.spatial_dims):
        copy, point[dim] = divmod(copy, grid.bounds[dim])
    return point


def _engines(grid: GridOp, machine: Machine) -> Iterator[Engine]:
    """Yield the engines that run the kernels of a grid; those that no engine runs are not of interest here."""
    for op in nested_ops(grid):
        if is_kernel(op):
            name = _named(op, grid)
            try:
                yield machine.engine(name) if name else engine_of(op, machine)
            except Diagnostic:
                continue


def _named(op: Operation, grid: GridOp) -> str:
    around: Operation | None = op
    while around is not None:
        if isinstance(name := around.attributes.get("engine"), StringAttr):
            return name.data
        around = around.parent_op() if around is not grid else None
    return ""


def _levels(grid: GridOp) -> Iterator[str]:
    """Yield the levels that a grid, and those in it, have buffers in."""
    for op in nested_ops(grid):
        if isinstance(op, GridOp):
            yield from (name for tile in op.tiles if (name := tile.level_name) is not None)
            yield from (scratch.level_name for scratch in op.scratches)


def _prove_level(grid: GridOp, level: Level) -> None:
    stride, there = grid.stride_in(level.name), prod(level.count)
    if stride is None and there == 1:
        points = [grid_point(point_of(grid, copy), grid.spatial_dims) for copy in range(2)]
        raise refuse(
            "disjoint",
            f"the copies of the grid have their buffers at the same addresses of {level.name}, which they share",
            grid,
            [" and ".join(points)],
            remedy=f"say how many bytes are between them, as strides {{{level.name} = 4096 : i64}}",
        )
    if stride is not None and there > 1:
        raise refuse(
            "level",
            f"the copies of the grid have strides in {level.name}, which has copies itself",
            grid,
            [f"address {stride} of copy 1 of {level.name}", grid_point(point_of(grid, 1), grid.spatial_dims)],
            remedy=f"leave out the stride in {level.name}",
        )
    if stride is None and grid.copies > there:
        raise _too_many(grid, level.name, there)


def _too_many(grid: GridOp, what: str, there: int) -> Exception:
    return refuse(
        "level",
        f"the grid runs on {grid.copies} copies of {what}",
        grid,
        [grid_point(point_of(grid, there), grid.spatial_dims)],
        found=f"{there} {'copy' if there == 1 else 'copies'} in the machine",
    )
