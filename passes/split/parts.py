"""Split of a kernel on buffers or tensors along one parallel loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.kernel import Access, Kernel, is_shaped, kernel_of, result_types
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.verification.verifier import verify
from ...dialects.nn import ints
from ...errors import Diagnostic
from ...ir import Ints, array_of, dense, element_of, numbers_of, numpy_type, shape_of, where
from ..memory.hints import ALL as HINTS
from ..memory.views import layout_of, subview
from ..overlap.regions import MemoryRegion, region_of
from ..tiles.kernels import KernelTiles, box_of_kernel, boxes_of_kernel
from ..tiles.legality import refusal_of_part

PADS = "pads"
"""Property of kernels with padding before each axis of the input, then after it."""


@dataclass(frozen=True)
class OperandFootprint:
    """Footprint of a kernel's part in an operand, and its padding before and after along each axis."""

    value: SSAValue
    offsets: tuple[int, ...]
    extents: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def region(self) -> MemoryRegion | None:
        """Memory region in bytes, None if unknown."""
        whole = region_of(self.value)
        if whole is None:
            return None
        strides, _ = layout_of(self.value)
        size = numpy_type(element_of(self.value)).itemsize
        begin = sum(offset * stride for offset, stride in zip(self.offsets, strides, strict=True))
        last = begin + sum((extent - 1) * stride for extent, stride in zip(self.extents, strides, strict=True))
        return MemoryRegion(whole.memory, whole.low + begin * size, whole.low + (last + 1) * size)


def whole_of(op: Operation) -> KernelTiles:
    """Return the whole kernel as one part."""
    kernel = kernel_of(op)
    return box_of_kernel(op, kernel, kernel.bounds, [0] * len(kernel.bounds))


def part_of(whole: KernelTiles, loop: int, begin: int, end: int) -> KernelTiles:
    """Return the part of a kernel over the points [begin, end) of a loop."""
    sizes, begins = list(whole.shape), whole.starts.constants[0].tolist()
    sizes[loop], begins[loop] = end - begin, begin
    return box_of_kernel(whole.op, whole.kernel, sizes, begins)


def parts_before(whole: KernelTiles, loop: int) -> KernelTiles:
    """Return the parts of a kernel before each point n = 1, 2, ... of a loop, as many tilings."""
    sizes = np.tile(whole.sizes, (whole.shape[loop], 1))
    sizes[:, loop] = np.arange(1, whole.shape[loop] + 1)
    return boxes_of_kernel(whole.op, whole.kernel, sizes, np.zeros_like(sizes))


def reach_of(parts: KernelTiles, access: Access) -> Ints:
    """Compute the end in bytes, from an operand's begin, of the footprint of each part [N], 0 for an empty one."""
    tiles = parts.tiles(access, np.ones((len(parts.sizes), 0), np.int64), is_output=False, in_place=False)
    last = np.minimum(tiles.offsets.constants + tiles.extents, np.array(shape_of(access.value))) - 1
    strides, _ = layout_of(access.value)
    size = numpy_type(element_of(access.value)).itemsize
    return (last @ np.array(strides, np.int64) + 1) * size


def parts_along(whole: KernelTiles, loop: int, cuts: Sequence[int]) -> KernelTiles:
    """
    Return the parts of a kernel along a loop, as many tilings.

    `cuts` are the first points of all but the first.
    """
    points = np.array((0, *cuts, whole.shape[loop]), np.int64)
    sizes, begins = (np.tile(rows, (len(points) - 1, 1)) for rows in (whole.sizes, whole.starts.constants))
    sizes[:, loop], begins[:, loop] = np.diff(points), points[:-1]
    return boxes_of_kernel(whole.op, whole.kernel, sizes, begins)


def can_split(op: Operation, loop: int) -> bool:
    """Return whether a kernel can be split along a loop, regardless of padding."""
    whole = whole_of(op)
    kernel = whole.kernel
    if loop in kernel.reduced or kernel.captures or any(r.initial == (None,) for r in kernel.reductions):
        return False
    if not all(is_shaped(value) for value in op.operands) or kernel.bounds[loop] < 2:
        return False
    half = part_of(whole, loop, 0, kernel.bounds[loop] // 2)
    return not refusal_of_part(half) and _moves_outputs(kernel, loop)


def _moves_outputs(kernel: Kernel, loop: int) -> bool:
    """Return whether each output has an axis indexed by the loop alone, so that parts write disjoint elements."""
    own = kernel.identity.results[loop]
    return all(own in access.map.results for access in kernel.outputs)


def touched_by(part: KernelTiles) -> dict[int, Access]:
    """Return the accesses of a kernel's part, by operand position."""
    return part.accesses | {part.first_output + number: access for number, access in enumerate(part.kernel.outputs)}


def footprints_of(parts: KernelTiles) -> list[dict[int, OperandFootprint]]:
    """Return the footprint of each of a kernel's parts in each operand, by operand position."""
    touched = touched_by(parts)
    by_operand = [_footprints_in(parts, access) for access in touched.values()]
    return [dict(zip(touched, footprints, strict=True)) for footprints in zip(*by_operand, strict=True)]


def _footprints_in(parts: KernelTiles, access: Access) -> list[OperandFootprint]:
    """Compute the footprint of each of a kernel's parts in an operand, clipped to the operand, and its padding."""
    tiles = parts.tiles(access, np.ones((len(parts.sizes), 0), np.int64), is_output=False, in_place=False)
    begins = tiles.offsets.constants
    ends = begins + tiles.extents
    low, high = np.maximum(begins, 0), np.minimum(ends, np.array(shape_of(access.value), np.int64))
    columns = (low, high - low, low - begins, ends - high)
    rows = zip(*(map(tuple, column.tolist()) for column in columns), strict=True)
    return [OperandFootprint(access.value, *row) for row in rows]


def build_parts(op: Operation, loop: int, cuts: Sequence[int]) -> list[Operation]:
    """
    Build the parts of a kernel along a loop, in order: views of the operands, and kernels on these.

    `cuts` are the first points of all parts but the first. The ops are not inserted. Raises Diagnostic if a part is not
    a legal kernel of the same op, for example because of padding.
    """
    return [op for ops in grouped_parts(op, loop, cuts) for op in ops]


def grouped_parts(op: Operation, loop: int, cuts: Sequence[int]) -> list[list[Operation]]:
    """Return the ops of `build_parts` grouped by part; the kernel is the last op of each group."""
    groups: list[list[Operation]] = []
    try:
        parts = parts_along(whole_of(op), loop, cuts)
        for row, footprints in enumerate(footprints_of(parts)):
            groups.append([])
            _make_part(parts.take(slice(row, row + 1)), footprints, groups[-1])
    except Diagnostic:
        # An op that is not in the module must not be a user of the kernel's operands.
        _erase([op for group in groups for op in group])
        raise
    return groups


def _erase(ops: Sequence[Operation]) -> None:
    """Erase ops that are not inserted, the last first."""
    for op in reversed(ops):
        op.erase()


def can_build(op: Operation, loop: int, cuts: Sequence[int]) -> bool:
    """Return whether `build_parts` succeeds for these split points."""
    try:
        ops = build_parts(op, loop, cuts)
    except Diagnostic:
        return False
    _erase(ops)
    return True


def _make_part(part: KernelTiles, footprints: Mapping[int, OperandFootprint], ops: list[Operation]) -> None:
    """
    Append to `ops` the views of a part's operands and its kernel, not inserted.

    Raises Diagnostic if the part is not a legal kernel of the same op; `ops` has then what was built.
    """
    op = part.op
    operands = list(op.operands)
    for position, footprint in footprints.items():
        if footprint.extents == shape_of(footprint.value):
            continue
        view = _view(footprint, is_output=position >= part.first_output)
        ops.append(view)
        view.location = op.location
        view.results[0].name_hint = footprint.value.name_hint
        operands[position] = view.results[0]
    properties = _properties(part, footprints) if isinstance(op, KernelOp) else dict(op.properties)
    attributes = {name: value for name, value in op.attributes.items() if name not in HINTS}
    regions = [region.clone() for region in op.regions]
    types = result_types(operands[part.first_output :])
    kernel = op.__class__.create(
        operands=operands, result_types=types, properties=properties, attributes=attributes, regions=regions
    )
    ops.append(kernel)
    kernel.location = op.location
    verify(kernel)
    if kernel_of(kernel).bounds != part.shape:
        raise Diagnostic(f"'{op.name}' cannot be split: the op on a part of its operands is another kernel")


def _view(footprint: OperandFootprint, *, is_output: bool) -> Operation:
    """Build the op for a part of an operand: a subview of a buffer, a slice of a tensor, or an empty output tensor."""
    value, steps = footprint.value, [1] * len(footprint.extents)
    if not isinstance(value.type, TensorType):
        return subview(value, footprint.offsets, footprint.extents, steps)
    if is_output:
        return tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), footprint.extents))
    if isinstance(value.owner, arith.ConstantOp):
        taken = tuple(slice(at, at + extent) for at, extent in zip(footprint.offsets, footprint.extents, strict=True))
        numbers = array_of(cast(Any, value.owner.value))[taken]
        return arith.ConstantOp(cast(Any, dense(numbers, element_of(value))))
    return tensor.ExtractSliceOp.from_static_parameters(value, footprint.offsets, footprint.extents, steps)


def _properties(part: KernelTiles, footprints: Mapping[int, OperandFootprint]) -> dict[str, Attribute]:
    """Return the properties of a kernel on a part of its operands, with the part's padding."""
    op = cast(KernelOp, part.op)
    properties = op.tile_properties(part.shape)
    outside = [
        pair
        for footprint in footprints.values()
        for pair in zip(footprint.before, footprint.after, strict=True)
        if any(pair)
    ]
    if not outside:
        return properties
    whole, kept = numbers_of(op.properties[PADS]), list(numbers_of(properties[PADS]))
    rank = len(whole) // 2
    axes = {number % rank for number, (a, b) in enumerate(zip(whole, kept, strict=True)) if a != b}
    if len(axes) != 1 or len(outside) != 1:
        raise Diagnostic(f"'{op.name}' is padded along several axes of a loop", where=where(op))
    (axis,), ((kept[axis], kept[axis + rank]),) = axes, outside
    return properties | {PADS: ints(kept)}
