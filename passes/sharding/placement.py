"""Placements: the axis of a value that is split along each coordinate of a mesh, or copies along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel, used_inputs
from ...dialects.core.machine.model import Machine
from ...dialects.hier.sharded import ShardedAttr
from ...errors import Diagnostic
from ...ir import shape_of
from ..memory.tiling import index_dims
from ..memory.views import VIEWS

Placement: TypeAlias = tuple[int | None, ...]
"""For each coordinate the axis that is split along it, in equal parts; None where each instance along it has a copy."""


@dataclass(frozen=True)
class Mesh:
    """Instances of an engine, and of the level in which they compute."""

    engine: str
    level: str
    extents: tuple[int, ...]
    width: float = 0.0
    """Bytes a cycle from the far level, for all instances together."""
    ring: float = 0.0
    """Bytes a cycle from an instance to its neighbour."""

    @property
    def copies(self) -> Placement:
        """The placement of a value of which each instance has a copy."""
        return (None,) * len(self.extents)

    def part(self, shape: Sequence[int], placement: Placement) -> list[int]:
        """Return the shape of an instance's part of a value."""
        found = list(shape)
        for axis, extent in zip(placement, self.extents, strict=True):
            if axis is not None:
                found[axis] //= extent
        return found

    def type_of(self, element: Attribute, shape: Sequence[int], placement: Placement) -> MemRefType[Any]:
        """Return the type of a sharded value: an axis of its own for each coordinate with copies, in front."""
        lead = [extent for axis, extent in zip(placement, self.extents, strict=True) if axis is None]
        exprs: list[AffineExpr] = []
        for coordinate, (axis, extent) in enumerate(zip(placement, self.extents, strict=True)):
            if axis is None:
                exprs.append(AffineExpr.dimension(placement[:coordinate].count(None)))
            else:
                exprs.append(AffineExpr.dimension(len(lead) + axis) // (shape[axis] // extent))
        map = AffineMap(len(lead) + len(shape), 0, tuple(exprs))
        space = ShardedAttr.get(self.level, self.extents, map)
        return MemRefType(cast(Any, element), [*lead, *shape], NoneAttr(), space)


def mesh_of(machine: Machine) -> Mesh:
    """Return the largest engine with instances whose level has as many. Raises Diagnostic where there is none."""
    found = [
        Mesh(engine.name, level.name, level.count, *_widths(machine, level.name))
        for engine in machine.engines
        for level in machine.levels
        if len(engine.count) > 0 and engine.count == level.count and level.name in engine.levels_of()
    ]
    if not found:
        raise Diagnostic(
            f"the machine '{machine.name}' has no engine with instances in a level of as many",
            expected="an engine and its level with one count, such as count = [4, 4]",
            remedy="plan its memory with plan-memory",
        )
    return max(found, key=lambda mesh: prod(mesh.extents))


def sub_array(mesh: Mesh, over: Sequence[int]) -> Mesh:
    """Return the first instances of a mesh, so many along each coordinate. Raises Diagnostic where it has fewer."""
    if not over:
        return mesh
    if len(over) != len(mesh.extents) or any(not 1 <= n <= most for n, most in zip(over, mesh.extents, strict=True)):
        raise Diagnostic(
            f"'{mesh.engine}' has no such instances",
            expected=f"numbers of instances up to {', '.join(map(str, mesh.extents))}",
            found=", ".join(map(str, over)),
            remedy="give over= one number for each coordinate, or leave it out",
        )
    return replace(mesh, extents=tuple(over))


def _widths(machine: Machine, level: str) -> tuple[float, float]:
    """Return the bytes a cycle of the links from the far level, and between neighbours; 0 where there is none."""
    loads = [link.width for link in machine.links if link.near == level != link.far]
    rings = [link.width / (1 + link.startup) for link in machine.links if link.near == level == link.far]
    return max(loads, default=0), max(rings, default=0)


def accesses_of(op: Operation, kernel: Kernel) -> list[Access] | None:
    """Return the access of each operand of a kernel, None where operands are no buffers of accesses."""
    inputs = kernel.inputs[: len(op.operands) - len(kernel.extras) - len(kernel.outputs)]
    found = [*inputs, *kernel.extras, *kernel.outputs]
    return found if [access.value for access in found] == list(op.operands) else None


def outputs_read(op: Operation, kernel: Kernel) -> list[bool]:
    """Return, for each output of a kernel, whether it reads the elements that the output holds before."""
    starts = [initial for reduction in kernel.reductions for initial in reduction.initial]
    own = kernel.inputs[len(op.operands) - len(kernel.extras) - len(kernel.outputs) :]
    used = used_inputs(kernel)
    before = [any(access is each for each in used) for access in own] or [False] * len(kernel.outputs)
    return [None in starts or is_read for is_read in before]


def split_loops(
    kernel: Kernel, accesses: Sequence[Access], held: Sequence[Placement | None], mesh: Mesh
) -> dict[int, int]:
    """
    Return the loop of a kernel that is split along each coordinate, by coordinate; none where it has copies.

    `held` are the placements of the inputs, None for those that are in no instance. Loops along which operands are
    split already come first. Of others, the last coordinate takes the longest, each one before it the last.
    """
    free = [loop for loop in kernel.output_dims if _may_split(kernel, accesses, loop)]
    found: dict[int, int] = {}
    for access, placement in zip(accesses, held, strict=False):
        for coordinate, axis in enumerate(placement or ()):
            if axis is None or coordinate in found:
                continue
            expr = access.map.results[axis]
            loop = expr.position if isinstance(expr, AffineDimExpr) else -1
            if loop in free and kernel.bounds[loop] % mesh.extents[coordinate] == 0:
                found[coordinate] = loop
                free.remove(loop)
    for coordinate in reversed(range(len(mesh.extents))):
        extent = mesh.extents[coordinate]
        able = [loop for loop in free if extent > 1 and kernel.bounds[loop] % extent == 0]
        if coordinate in found or not able:
            continue
        is_last = coordinate == len(mesh.extents) - 1
        found[coordinate] = max(able, key=lambda loop: kernel.bounds[loop]) if is_last else able[-1]
        free.remove(found[coordinate])
    return found


def _may_split(kernel: Kernel, accesses: Sequence[Access], loop: int) -> bool:
    """Return whether parts of a loop are independent, and each a box of every operand."""
    if loop in kernel.reduced or loop in index_dims(kernel):
        return False
    for access in accesses:
        axes = [expr for expr in access.map.results if loop in linear(expr).dims()]
        if len(axes) > 1 or any(not isinstance(expr, AffineDimExpr) for expr in axes):
            return False
    return all(any(loop in linear(expr).dims() for expr in access.map.results) for access in kernel.outputs)


def begin_of(kernel: Kernel, loops: dict[int, int], mesh: Mesh) -> AffineMap:
    """Return the map from the coordinates of an instance to the point at which its part of a kernel begins."""
    begin: list[AffineExpr] = [AffineExpr.constant(0) for _ in kernel.bounds]
    for coordinate, loop in loops.items():
        begin[loop] = AffineExpr.dimension(coordinate) * (kernel.bounds[loop] // mesh.extents[coordinate])
    return AffineMap(len(mesh.extents), 0, tuple(begin))


def needed(access: Access, loops: dict[int, int], mesh: Mesh) -> Placement:
    """Return the placement of an operand of a kernel whose loops are split."""
    axes = {expr.position: axis for axis, expr in enumerate(access.map.results) if isinstance(expr, AffineDimExpr)}
    return tuple(axes.get(loops[each]) if each in loops else None for each in range(len(mesh.extents)))


def shared_loads(shape: Sequence[int], wanted: Placement, mesh: Mesh) -> Placement:
    """
    Return the placement in which each element of a value is loaded once along coordinates with rings that are faster.

    Copies for all instances along a coordinate share the link from the far level; the rings of a coordinate work at
    once, and an instance keeps what it passes on.
    """
    found = list(wanted)
    for coordinate, extent in enumerate(mesh.extents):
        free = [axis for axis, size in enumerate(shape) if axis not in found and size % extent == 0]
        if found[coordinate] is None and free and prod(mesh.extents) * mesh.ring > 2 * mesh.width:
            found[coordinate] = free[0]
    return tuple(found)


def covers(access: Access, kernel: Kernel) -> bool:
    """Return whether the loops of a kernel reach all elements of an operand."""
    plain = [expr.position for expr in access.map.results if isinstance(expr, AffineDimExpr)]
    if len(set(plain)) == len(access.map.results):
        return [kernel.bounds[loop] for loop in plain] == list(shape_of(access.value))
    dims = [dim for expr in access.map.results for dim in expr.used_dims()]
    extents = zip(access.map.results, shape_of(access.value), strict=True)
    return len(set(dims)) == len(dims) and all(_reached(expr, kernel) == set(range(n)) for expr, n in extents)


def _reached(expr: AffineExpr, kernel: Kernel) -> set[int]:
    """Return the values of an expression over the loops of a kernel."""
    dims = sorted(expr.used_dims())
    point = [0] * len(kernel.bounds)
    found = set[int]()
    for indices in product(*(range(kernel.bounds[dim]) for dim in dims)):
        for dim, index in zip(dims, indices, strict=True):
            point[dim] = index
        found.add(expr.eval(point, []))
    return found


def reshaped(placement: Placement, source: Sequence[int], target: Sequence[int], mesh: Mesh) -> Placement | None:
    """Return the placement of a value in another shape of as many elements; None where its parts are no boxes there."""
    if list(source) == list(target):
        return placement
    found: list[int | None] = []
    for axis, extent in zip(placement, mesh.extents, strict=True):
        if axis is None:
            found.append(None)
            continue
        same = [
            there
            for (here, there) in axis_groups(source, target)
            if axis in here and all(source[each] == 1 for each in here if each < axis)
        ]
        outer = next((each for each in same[0] if target[each] > 1), None) if same else None
        if outer is None or target[outer] % extent or outer in found:
            return None
        found.append(outer)
    return tuple(found)


def axis_groups(source: Sequence[int], target: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return the smallest groups of axes of two shapes that have as many elements each, in order."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) and j < len(target):
        here, there = [i], [j]
        while prod(source[each] for each in here) != prod(target[each] for each in there):
            if prod(source[each] for each in here) < prod(target[each] for each in there):
                here.append(here[-1] + 1)
            else:
                there.append(there[-1] + 1)
        groups.append((here, there))
        i, j = here[-1] + 1, there[-1] + 1
    if groups:
        groups[-1][0].extend(range(i, len(source)))
        groups[-1][1].extend(range(j, len(target)))
    return groups


def root_of(value: SSAValue) -> tuple[SSAValue, bool]:
    """Return the buffer that a value is a view of, and whether it is all of it in another shape."""
    is_whole = True
    while isinstance(value.owner, VIEWS):
        is_whole &= isinstance(value.owner, memref.ExpandShapeOp | memref.CollapseShapeOp)
        value = value.owner.operands[0]
    return value, is_whole
