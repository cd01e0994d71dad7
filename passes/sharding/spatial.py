"""
Spatial mappings that kernels state: the loops that are split along the coordinates of a mesh, and its sub-arrays.

    nn.matmul ins(...) outs(...)
        {hier.sub_arrays = [array<i64: 2, 2>, array<i64: 4>], hier.spatial = array<i64: 0, 1, 2>}

Coordinate 0 of the mesh is split into two sub-arrays of two rows. Loop 0 of the kernel is split over the sub-arrays,
loop 1 over the rows of each, loop 2 over coordinate 1; -1 is no loop. A kernel without `hier.spatial` that makes an
operand of one with it is split as the operand is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of
from ...errors import Diagnostic
from ...ir import numbers_of, shape_of, where
from .placement import Mesh, Placement, accesses_of, may_split, needed, reshaped, root_of, sub_arrays

SUB_ARRAYS, SPATIAL = "hier.sub_arrays", "hier.spatial"


def sub_arrays_of(op: Operation, mesh: Mesh) -> Mesh:
    """Return the mesh of a kernel, in the sub-arrays that it states. Raises Diagnostic where they do not fit."""
    stated = op.attributes.get(SUB_ARRAYS)
    if stated is None:
        return mesh
    parts = cast("ArrayAttr[Attribute]", stated).data if isinstance(stated, ArrayAttr) else ()
    groups = [_numbers(each, SUB_ARRAYS, op) for each in parts]
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


def spatial_loops(function: FuncOp, mesh: Mesh) -> dict[Operation, dict[int, int]]:
    """Return the loop along each coordinate of the kernels that state them, and of those that make their operands."""
    found: dict[Operation, dict[int, int]] = {}
    wanted: dict[SSAValue, tuple[Mesh, Placement]] = {}
    for op in reversed(list(function.body.block.ops) if function.body.blocks else []):
        kernel = kernel_of(op) if is_kernel(op) and not op.results else None
        accesses = accesses_of(op, kernel) if kernel is not None and not kernel.tables else None
        if kernel is None or accesses is None:
            continue
        own = sub_arrays_of(op, mesh)
        loops = _stated(op, kernel, accesses, own) if SPATIAL in op.attributes else None
        loops = _made(kernel, accesses, wanted, own) if loops is None else loops
        if not loops:
            continue
        found[op] = loops
        for access in accesses[: len(accesses) - len(kernel.outputs)]:
            root, is_whole = root_of(access.value)
            if not is_whole or not is_shaped(access.value):
                continue
            placement = reshaped(needed(access, loops, own), shape_of(access.value), shape_of(root), own)
            if placement is not None:
                wanted.setdefault(root, (own, placement))
    return found


def _stated(op: Operation, kernel: Kernel, accesses: Sequence[Access], mesh: Mesh) -> dict[int, int]:
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
            expected=f"parallel loops that divide into {[mesh.extents[each] for each in loops]}",
            found=f"loops {list(loops.values())} of {bounds} iterations",
            remedy=f"state other sub-arrays ({SUB_ARRAYS}), or -1 for no loop",
        )
    return loops


def _made(
    kernel: Kernel, accesses: Sequence[Access], wanted: dict[SSAValue, tuple[Mesh, Placement]], mesh: Mesh
) -> dict[int, int]:
    """Return the loops that make a result of a kernel as it is wanted; none where they cannot be split."""
    for access in accesses[len(accesses) - len(kernel.outputs) :]:
        root, is_whole = root_of(access.value)
        if root not in wanted or not is_whole or wanted[root][0] != mesh:
            continue
        placement = reshaped(wanted[root][1], shape_of(root), shape_of(access.value), mesh)
        exprs = [(n, access.map.results[axis]) for n, axis in enumerate(placement or ()) if axis is not None]
        loops = {n: expr.position for n, expr in exprs if isinstance(expr, AffineDimExpr)}
        if may_split(kernel, accesses, loops, mesh):
            return loops
    return {}


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
