"""Placements: the axis of a value that is split along each coordinate of a mesh, or copies along it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel, is_among, used_inputs
from ...dialects.core.machine.model import Machine
from ...dialects.hier.sharded import ShardedAttr
from ...errors import Diagnostic
from ...ir import shape_of
from ..memory.views import VIEWS
from ..tiles.legality import index_dims

Placement: TypeAlias = tuple[int | None, ...]
"""
For each coordinate the axis that is split along it, in equal parts; None where each instance along it has a copy. Of an
axis that is split along several coordinates, the first one has the largest parts.
"""


@dataclass(frozen=True)
class InstanceMesh:
    """
    Instances of an engine, and of the level in which they compute.

    `groups` split the coordinates of the instances into several each: [[2, 2], [4]] are two sub-arrays of two rows.
    """

    engine: str
    level: str
    instances: tuple[int, ...]
    width: float = 0.0
    """Bytes a cycle from the far level, for all instances together."""
    ring: float = 0.0
    """Bytes a cycle from an instance to its neighbour."""
    groups: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The extents of the coordinates along which values are split."""
        return tuple(extent for group in self.groups for extent in group) if self.groups else self.instances

    @cached_property
    def strides(self) -> tuple[tuple[int, int], ...]:
        """For each coordinate that of the instances, and how many instances of it lie between two neighbours."""
        groups = self.groups or tuple((extent,) for extent in self.instances)
        return tuple((dim, prod(group[n + 1 :])) for dim, group in enumerate(groups) for n in range(len(group)))

    @property
    def copies(self) -> Placement:
        """The placement of a value of which each instance has a copy."""
        return (None,) * len(self.extents)

    def gathers_faster(self, coordinates: Sequence[int]) -> bool:
        """Return whether gathering by rings along coordinates is faster than a round trip through the far level."""
        parts = prod(self.extents[coordinate] for coordinate in coordinates)
        return (parts - 1) * self.width < 2 * prod(self.extents) * self.ring

    def part(self, shape: Sequence[int], placement: Placement) -> list[int]:
        """Return the shape of an instance's part of a value."""
        extents = list(shape)
        for axis, extent in zip(placement, self.extents, strict=True):
            if axis is not None:
                extents[axis] //= extent
        return extents

    def steps(self, shape: Sequence[int], placement: Placement) -> list[int]:
        """Return the elements between the parts of neighbours along each coordinate; 0 for copies."""
        strides, inner = [0] * len(placement), self.part(shape, placement)
        for coordinate in reversed(range(len(placement))):
            if (axis := placement[coordinate]) is not None:
                strides[coordinate] = inner[axis]
                inner[axis] *= self.extents[coordinate]
        return strides

    def coordinate(self, number: int) -> AffineExpr:
        """Return a coordinate, of those of the instance."""
        dim, stride = self.strides[number]
        expr: AffineExpr = AffineExpr.dimension(dim)
        expr = expr // stride if stride > 1 else expr
        return expr % self.extents[number] if stride * self.extents[number] < self.instances[dim] else expr

    def type_of(self, element: Attribute, shape: Sequence[int], placement: Placement) -> MemRefType[Any]:
        """Return the type of a sharded value: an axis of its own for each coordinate with copies, in front."""
        lead = [extent for axis, extent in zip(placement, self.extents, strict=True) if axis is None]
        steps = self.steps(shape, placement)
        sums: list[AffineExpr | None] = [None] * len(self.instances)
        for number, (axis, extent) in enumerate(zip(placement, self.extents, strict=True)):
            if axis is None:
                expr: AffineExpr = AffineExpr.dimension(placement[:number].count(None))
            else:
                expr = AffineExpr.dimension(len(lead) + axis) // steps[number]
                expr = expr % extent if steps[number] * extent < shape[axis] else expr
            dim, stride = self.strides[number]
            expr = expr * stride if stride > 1 else expr
            before = sums[dim]
            sums[dim] = expr if before is None else before + expr
        results = tuple(AffineExpr.constant(0) if expr is None else expr for expr in sums)
        space = ShardedAttr.get(self.level, self.instances, AffineMap(len(lead) + len(shape), 0, results))
        return MemRefType(cast(Any, element), [*lead, *shape], NoneAttr(), space)


def mesh_of(machine: Machine) -> InstanceMesh:
    """Return the largest engine with instances whose level has as many. Raises Diagnostic where there is none."""
    meshes = [
        InstanceMesh(engine.name, level.name, level.count, *_widths(machine, level.name))
        for engine in machine.engines
        for level in machine.levels
        if len(engine.count) > 0 and engine.count == level.count and level.name in engine.levels_of()
    ]
    if not meshes:
        raise Diagnostic(
            f"the machine '{machine.name}' has no engine with instances in a level of as many",
            expected="an engine and its level with one count, such as count = [4, 4]",
            remedy="plan its memory with plan-memory",
        )
    return max(meshes, key=lambda mesh: prod(mesh.instances))


def sub_array(mesh: InstanceMesh, over: Sequence[int]) -> InstanceMesh:
    """Return the first instances of a mesh, so many along each coordinate. Raises Diagnostic where it has fewer."""
    if not over:
        return mesh
    most = mesh.instances
    if len(over) != len(most) or any(not 1 <= n <= all for n, all in zip(over, most, strict=True)):
        raise Diagnostic(
            f"'{mesh.engine}' has no such instances",
            expected=f"numbers of instances up to {', '.join(map(str, most))}",
            found=", ".join(map(str, over)),
            remedy="give over= one number for each coordinate, or leave it out",
        )
    return replace(mesh, instances=tuple(over))


def sub_arrays(mesh: InstanceMesh, groups: Sequence[Sequence[int]]) -> InstanceMesh:
    """Return the first instances of a mesh in groups. Raises Diagnostic where it has fewer."""
    first = sub_array(mesh, [prod(group) for group in groups])
    return replace(first, groups=tuple(map(tuple, groups)))


def _widths(machine: Machine, level: str) -> tuple[float, float]:
    """Return the bytes a cycle of the links from the far level, and between neighbours; 0 where there is none."""
    loads = [link.width for link in machine.links if link.near == level != link.far]
    rings = [link.width / (1 + link.startup) for link in machine.links if link.near == level == link.far]
    return max(loads, default=0), max(rings, default=0)


def accesses_of(op: Operation, kernel: Kernel) -> list[Access] | None:
    """Return the access of each operand of a kernel, None where operands are no buffers of accesses."""
    inputs = kernel.inputs[: len(op.operands) - len(kernel.extras) - len(kernel.outputs)]
    accesses = [*inputs, *kernel.extras, *kernel.outputs]
    return accesses if [access.value for access in accesses] == list(op.operands) else None


def outputs_read(op: Operation, kernel: Kernel) -> list[bool]:
    """Return, for each output of a kernel, whether it reads the elements that the output holds before."""
    starts = [initial for reduction in kernel.reductions for initial in reduction.initial]
    own = kernel.inputs[len(op.operands) - len(kernel.extras) - len(kernel.outputs) :]
    used = used_inputs(kernel)
    before = [is_among(access, used) for access in own] or [False] * len(kernel.outputs)
    return [None in starts or is_read for is_read in before]


def split_loops(
    kernel: Kernel,
    accesses: Sequence[Access],
    placements: Sequence[Placement | None],
    mesh: InstanceMesh,
    asked: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """
    Return the loop of a kernel that is split along each coordinate, by coordinate; none where it has copies.

    Those that are `asked` for come first. `placements` are those of the inputs, None for those that are in no
    instance: loops along which operands are split already come next. Of others, the last coordinate takes the longest,
    each one before it the last.
    """
    able = [loop for loop in kernel.output_dims if _may_split(kernel, accesses, loop)]
    loops: dict[int, int] = {}
    wishes = [dict(asked or {})]
    for access, placement in zip(accesses, placements, strict=False):
        exprs = [
            (coordinate, access.map.results[axis])
            for coordinate, axis in enumerate(placement or ())
            if axis is not None
        ]
        wishes.append({at: expr.position for at, expr in exprs if isinstance(expr, AffineDimExpr)})
    for wish in wishes:
        taken = set(loops.values())
        for coordinate, loop in sorted(wish.items()):
            parts = mesh.extents[coordinate] * prod(mesh.extents[other] for other in loops if loops[other] == loop)
            if coordinate not in loops and loop in able and loop not in taken and kernel.bounds[loop] % parts == 0:
                loops[coordinate] = loop
    free = [loop for loop in able if loop not in loops.values()]
    for coordinate in reversed(range(len(mesh.extents))):
        extent = mesh.extents[coordinate]
        left = [loop for loop in free if extent > 1 and kernel.bounds[loop] % extent == 0]
        if coordinate in loops or not left:
            continue
        is_last = coordinate == len(mesh.extents) - 1
        loops[coordinate] = max(left, key=lambda loop: kernel.bounds[loop]) if is_last else left[-1]
        free.remove(loops[coordinate])
    return dict(sorted(loops.items()))


def may_split(kernel: Kernel, accesses: Sequence[Access], loops: Mapping[int, int], mesh: InstanceMesh) -> bool:
    """Return whether loops, by coordinate, divide into equal parts that are independent, and boxes of operands."""
    parts = dict.fromkeys(loops.values(), 1)
    for coordinate, loop in loops.items():
        parts[loop] *= mesh.extents[coordinate]
    able = set(kernel.output_dims)
    return all(
        loop in able and _may_split(kernel, accesses, loop) and kernel.bounds[loop] % n == 0
        for loop, n in parts.items()
    )


def _may_split(kernel: Kernel, accesses: Sequence[Access], loop: int) -> bool:
    """Return whether parts of a loop are independent, and each a box of every operand."""
    if loop in kernel.reduced or loop in index_dims(kernel) or not kernel.bounds[loop]:
        return False
    for access in accesses:
        axes = _indexed_by(access, loop)
        if len(axes) > 1 or any(not isinstance(expr, AffineDimExpr) for expr in axes):
            return False
    return all(_indexed_by(access, loop) for access in kernel.outputs)


def _indexed_by(access: Access, loop: int) -> list[AffineExpr]:
    """Return the indices of an access that a loop moves."""
    return [expr for expr in access.map.results if loop in linear(expr).dims()]


def begin_of(kernel: Kernel, loops: dict[int, int], mesh: InstanceMesh) -> AffineMap:
    """Return the map from the coordinates of an instance to the point at which its part of a kernel begins."""
    begin: list[AffineExpr] = [AffineExpr.constant(0) for _ in kernel.bounds]
    steps = mesh.steps(kernel.bounds, tuple(loops.get(coordinate) for coordinate in range(len(mesh.extents))))
    for number, loop in loops.items():
        first = mesh.coordinate(number) * steps[number]
        begin[loop] = first if begin[loop] == AffineExpr.constant(0) else begin[loop] + first
    return AffineMap(len(mesh.instances), 0, tuple(begin))


def needed(access: Access, loops: dict[int, int], mesh: InstanceMesh) -> Placement:
    """Return the placement of an operand of a kernel whose loops are split."""
    axes = {expr.position: axis for axis, expr in enumerate(access.map.results) if isinstance(expr, AffineDimExpr)}
    coordinates = range(len(mesh.extents))
    return tuple(axes.get(loops[number]) if number in loops else None for number in coordinates)


def shared_loads(shape: Sequence[int], wanted: Placement, mesh: InstanceMesh) -> Placement:
    """
    Return the placement in which each element of a value is loaded once along coordinates with rings that are faster.

    Copies for all instances along a coordinate share the link from the far level; the rings of a coordinate work at
    once, and an instance keeps what it passes on.
    """
    placement = list(wanted)
    left = {axis: size for axis, size in enumerate(shape) if axis not in wanted and size}
    for coordinate, extent in enumerate(mesh.extents):
        free = sorted((axis for axis, size in left.items() if size % extent == 0), key=lambda axis: axis in placement)
        if wanted[coordinate] is None and extent > 1 and free and prod(mesh.extents) * mesh.ring > 2 * mesh.width:
            placement[coordinate] = free[0]
            left[free[0]] //= extent
    return tuple(placement)


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
    values = set[int]()
    for indices in product(*(range(kernel.bounds[dim]) for dim in dims)):
        for dim, index in zip(dims, indices, strict=True):
            point[dim] = index
        values.add(expr.eval(point, []))
    return values


def keeps(current: Placement, wanted: Placement) -> list[bool]:
    """Return, for each coordinate, whether it splits a value as is wanted: coordinates before it of its axis do too."""
    kept: list[bool] = []
    for number, axis in enumerate(wanted):
        others = [other for other in range(number) if axis in (current[other], wanted[other])]
        kept.append(axis is not None and current[number] == axis and all(kept[other] for other in others))
    return kept


def reshaped(
    placement: Placement, source: Sequence[int], target: Sequence[int], mesh: InstanceMesh
) -> Placement | None:
    """Return the placement of a value in another shape of as many elements; None where its parts are no boxes there."""
    if list(source) == list(target):
        return placement
    reshaped_axes: list[int | None] = [None] * len(placement)
    for here, there in axis_groups(source, target):
        split = [(number, axis) for axis in here for number, split_axis in enumerate(placement) if split_axis == axis]
        sizes = [(axis, source[axis]) for axis in here if source[axis] > 1]
        if _in_order(split, sizes, mesh) is None:
            return None
        anywhere = [(number, -1) for number, _ in split]
        target_axes = _in_order(anywhere, [(axis, target[axis]) for axis in there], mesh)
        if target_axes is None:
            return None
        for number, axis in target_axes.items():
            reshaped_axes[number] = axis
    return tuple(reshaped_axes)


def _in_order(
    split: Sequence[tuple[int, int]], sizes: Sequence[tuple[int, int]], mesh: InstanceMesh
) -> dict[int, int] | None:
    """
    Return the axis that each coordinate splits where they split a row of axes from the first one on; None for others.

    `split` are coordinates, each with the axis that it has to split, -1 for any.
    """
    axes: dict[int, int] = {}
    rest = list(sizes)
    for number, wanted in split:
        while rest and rest[0][1] == 1 and mesh.extents[number] > 1:
            rest.pop(0)
        axis, size = rest[0] if rest else (wanted, 1)
        if size % mesh.extents[number] or (wanted not in (-1, axis) and mesh.extents[number] > 1):
            return None
        if any(later > number for later, other in axes.items() if other == axis):
            return None
        axes[number] = axis if rest else (sizes[-1][0] if sizes else wanted)
        if rest:
            rest[0] = (axis, size // mesh.extents[number])
    return axes


def axis_groups(source: Sequence[int], target: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return the smallest groups of axes of two shapes that have as many elements each, in order."""
    if 0 in source:
        return [([*range(len(source))], [*range(len(target))])]
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) and j < len(target):
        first, second = i, j
        i, j = i + 1, j + 1
        elements, other = source[first], target[second]
        while elements != other:
            if elements < other:
                elements, i = elements * source[i], i + 1
            else:
                other, j = other * target[j], j + 1
        groups.append(([*range(first, i)], [*range(second, j)]))
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
