"""
Spatial mappings that kernels state: the loops that are split along the coordinates of a mesh, and its sub-arrays.

    nn.matmul ins(...) outs(...)
        {hier.sub_arrays = [array<i64: 2, 2>, array<i64: 4>], hier.spatial = array<i64: 0, 1, 2>}

Coordinate 0 of the mesh is split into two sub-arrays of two rows. Loop 0 of the kernel is split over the sub-arrays,
loop 1 over the rows of each, loop 2 over coordinate 1; -1 is no loop. A kernel without `hier.spatial` that makes an
operand of one with it is split as the operand is needed, one that reads its result as that is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of
from ...errors import Diagnostic
from ...ir import numbers_of, shape_of, where
from .placement import InstanceMesh, Placement, accesses_of, may_split, needed, reshaped, root_of, sub_arrays

SUB_ARRAYS, SPATIAL = "hier.sub_arrays", "hier.spatial"


def sub_arrays_of(op: Operation, mesh: InstanceMesh) -> InstanceMesh:
    """Return the mesh of a kernel, in the sub-arrays that it states. Raises Diagnostic where they do not fit."""
    stated = op.attributes.get(SUB_ARRAYS)
    if stated is None:
        return mesh
    parts = cast("ArrayAttr[Attribute]", stated).data if isinstance(stated, ArrayAttr) else ()
    groups = [_numbers(part, SUB_ARRAYS, op) for part in parts]
    if len(groups) != len(mesh.instances) or any(not group or min(group) < 1 for group in groups):
        raise Diagnostic(
            f"the attribute {SUB_ARRAYS} does not describe sub-arrays of '{mesh.engine}'",
            where=where(op),
            expected=f"{len(mesh.instances)} arrays of positive extents, such as [array<i64: 2, 2>, array<i64: 4>]",
            found=str(cast("Attribute", stated)),
        )
    if any(prod(group) > most for group, most in zip(groups, mesh.instances, strict=True)):
        raise Diagnostic(
            f"the sub-arrays need more instances than '{mesh.engine}' has",
            where=where(op),
            expected=f"products of at most {', '.join(map(str, mesh.instances))}",
            found=" and ".join(" x ".join(map(str, group)) for group in groups),
        )
    return sub_arrays(mesh, groups)


class _Mapped(NamedTuple):
    """Kernel with the accesses of its operands, inputs first, and its mesh."""

    op: Operation
    kernel: Kernel
    accesses: Sequence[Access]
    mesh: InstanceMesh

    @property
    def inputs(self) -> Sequence[Access]:
        """The accesses of the inputs."""
        return self.accesses[: len(self.accesses) - len(self.kernel.outputs)]

    @property
    def outputs(self) -> Sequence[Access]:
        """The accesses of the outputs."""
        return self.accesses[len(self.accesses) - len(self.kernel.outputs) :]

    def may_split(self, loops: dict[int, int]) -> bool:
        """Return whether these loops divide into equal parts, by coordinate."""
        return may_split(self.kernel, self.accesses, loops, self.mesh)


_Placed: TypeAlias = "dict[SSAValue, tuple[InstanceMesh, Placement]]"
"""Buffer -> its placement on a mesh."""


def spatial_loops(function: FuncOp, mesh: InstanceMesh) -> dict[Operation, dict[int, int]]:
    """
    Return the loop along each coordinate of the kernels that state them, and of others that are split as these need it.

    What makes an operand is split as it is needed; what reads a result, as it is held; and again what makes operands.
    """
    kernels: list[_Mapped] = []
    loops_of: dict[Operation, dict[int, int]] = {}
    for op in list(function.body.block.ops) if function.body.blocks else []:
        kernel = kernel_of(op) if is_kernel(op) and not op.results else None
        accesses = accesses_of(op, kernel) if kernel is not None and not kernel.tables else None
        if kernel is None or accesses is None:
            continue
        kernels.append(_Mapped(op, kernel, accesses, sub_arrays_of(op, mesh)))
        if SPATIAL in op.attributes:
            loops_of[op] = _stated(op, kernel, accesses, kernels[-1].mesh)
    if loops_of:
        _split_producers(kernels, loops_of)
        _split_consumers(kernels, loops_of)
        _split_producers(kernels, loops_of)
    return loops_of


def _split_producers(kernels: Sequence[_Mapped], loops_of: dict[Operation, dict[int, int]]) -> None:
    """Add the loops of kernels whose results others need split; of several, as the one that splits it most."""
    wanted: _Placed = {}
    for kernel in reversed(kernels):
        loops = loops_of.get(kernel.op) or _loops(kernel, kernel.outputs, wanted)
        if not loops:
            continue
        loops_of[kernel.op] = loops
        for root, placement in _placements(kernel, kernel.inputs, loops):
            if root not in wanted or wanted[root][1].count(None) > placement.count(None):
                wanted[root] = kernel.mesh, placement


def _split_consumers(kernels: Sequence[_Mapped], loops_of: dict[Operation, dict[int, int]]) -> None:
    """Add the loops of kernels that read results which are held split."""
    placements: _Placed = {}
    for kernel in kernels:
        loops = loops_of.get(kernel.op) or _loops(kernel, kernel.inputs, placements)
        if loops:
            loops_of[kernel.op] = loops
        for access in kernel.outputs:
            placements.pop(root_of(access.value)[0], None)
        for root, placement in _placements(kernel, kernel.outputs, loops):
            placements[root] = kernel.mesh, placement


def _placements(kernel: _Mapped, accesses: Sequence[Access], loops: dict[int, int]) -> list[tuple[SSAValue, Placement]]:
    """Return the buffers of operands, each with the placement that it has where the loops are split."""
    placements: list[tuple[SSAValue, Placement]] = []
    for access in accesses if loops else ():
        root, is_whole = root_of(access.value)
        if not is_whole or not is_shaped(access.value):
            continue
        placement = reshaped(needed(access, loops, kernel.mesh), shape_of(access.value), shape_of(root), kernel.mesh)
        placements += [(root, placement)] if placement is not None else []
    return placements


def _loops(kernel: _Mapped, accesses: Sequence[Access], placed: _Placed) -> dict[int, int]:
    """Return the loops along which operands are split as they are placed, the first one's first."""
    loops: dict[int, int] = {}
    for access in accesses:
        root, is_whole = root_of(access.value)
        if root not in placed or not is_whole or placed[root][0] != kernel.mesh:
            continue
        placement = reshaped(placed[root][1], shape_of(root), shape_of(access.value), kernel.mesh)
        exprs = [(n, access.map.results[axis]) for n, axis in enumerate(placement or ()) if axis is not None]
        for number, expr in exprs:
            wish = loops | {number: expr.position} if isinstance(expr, AffineDimExpr) else loops
            loops = wish if number not in loops and kernel.may_split(wish) else loops
    return dict(sorted(loops.items()))


def _stated(op: Operation, kernel: Kernel, accesses: Sequence[Access], mesh: InstanceMesh) -> dict[int, int]:
    """Return the loops that a kernel states. Raises Diagnostic for those that are not split into equal boxes."""
    numbers = _numbers(op.attributes[SPATIAL], SPATIAL, op)
    loops = {coordinate: loop for coordinate, loop in enumerate(numbers) if loop >= 0}
    if len(numbers) != len(mesh.extents) or any(loop >= len(kernel.bounds) for loop in numbers):
        raise Diagnostic(
            f"the attribute {SPATIAL} does not name loops of this kernel",
            where=where(op),
            expected=f"a loop of {len(kernel.bounds)}, or -1, for each of {len(mesh.extents)} coordinates",
            found=str(numbers),
        )
    if not may_split(kernel, accesses, loops, mesh):
        bounds = [kernel.bounds[loop] for loop in loops.values()]
        raise Diagnostic(
            "the loops of a kernel do not divide into equal parts that are independent",
            where=where(op),
            expected=f"parallel loops that divide into {[mesh.extents[coordinate] for coordinate in loops]}",
            found=f"loops {list(loops.values())} of {bounds} iterations",
            remedy=f"state other sub-arrays ({SUB_ARRAYS}), or -1 for no loop",
        )
    return loops


def _numbers(attribute: Attribute, name: str, op: Operation) -> list[int]:
    """Return the numbers of an array. Raises Diagnostic for another attribute."""
    if not isinstance(attribute, DenseArrayBase):
        raise Diagnostic(
            f"the attribute {name} is no array of numbers",
            where=where(op),
            expected="array<i64: ...>",
            found=str(attribute),
        )
    return list(numbers_of(cast("DenseArrayBase[Any]", attribute)))
