"""Lowerings of operators that move elements to places known beforehand: reshapes, slices, joins, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.scalars import scalar_attr
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import Array, element_of, shape_of, where
from .code import Code, computed, same
from .lowerer import Lowerer, constant_of, lowers, unsupported
from .moves import broadcast, joined, part_of, picked, tiled, transposed
from .rules import result_element


def fixed(op: OnnxOp, index: int, what: str) -> Array | None:
    """
    Return an input that decides a shape, None where it is left out.

    Raises Diagnostic where it is not constant; `what` names it.
    """
    value = op.node_input(index)
    constant = constant_of(value)
    if value is not None and constant is None:
        raise unsupported(op, f"with {what} that are not constant", "give their values with the model")
    return constant


@lowers("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def _reshape(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    shape = shape_of(op.results[0])
    if 0 in shape:
        return [lower.empty(shape, result_element(op))]
    return [lower.reshape(lower[op.operands[0]], shape)]


@lowers("Transpose")
def _transpose(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = lower[op.operands[0]]
    return [transposed(lower, x, list(op.attribute("perm") or range(len(shape_of(x)) - 1, -1, -1)))]


@lowers("Concat")
def _concat(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    shape = shape_of(op.results[0])
    if 0 in shape:
        return [lower.empty(shape, result_element(op))]
    return [joined(lower, [lower[value] for value in op.operands], op.attribute("axis") % len(shape))]


@lowers("Expand")
def _expand(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [broadcast(lower, lower[op.operands[0]], shape_of(op.results[0]))]


@lowers("Tile")
def _tile(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    repeats = fixed(op, 1, "repeats")
    assert repeats is not None
    if 0 in shape_of(op.results[0]):
        return [lower.empty(shape_of(op.results[0]), result_element(op))]
    return [tiled(lower, lower[op.operands[0]], [int(count) for count in repeats])]


# Blocks of pixels and channels


@lowers("DepthToSpace")
def _depth_to_space(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, size = lower[op.operands[0]], int(op.attribute("blocksize"))
    n, c, h, w = shape_of(x)
    if op.attribute("mode") == "CRD":
        blocks, order = [n, c // size**2, size, size, h, w], [0, 1, 4, 2, 5, 3]
    else:
        blocks, order = [n, size, size, c // size**2, h, w], [0, 3, 4, 1, 5, 2]
    return [lower.reshape(transposed(lower, lower.reshape(x, blocks), order), shape_of(op.results[0]))]


@lowers("SpaceToDepth")
def _space_to_depth(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, size = lower[op.operands[0]], int(op.attribute("blocksize"))
    n, c, h, w = shape_of(x)
    blocks = [n, c, h // size, size, w // size, size]
    channels_first = "mode" in op.SCHEMA.attributes and op.attribute("mode") == "CRD"
    order = [0, 1, 3, 5, 2, 4] if channels_first else [0, 3, 5, 1, 2, 4]
    return [lower.reshape(transposed(lower, lower.reshape(x, blocks), order), shape_of(op.results[0]))]


# Slices


@lowers("Slice")
def _slice(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value = lower[op.operands[0]]
    shape, result = shape_of(value), shape_of(op.results[0])
    starts, _, axes, steps = (fixed(op, i, "bounds") for i in range(1, 5))
    assert starts is not None
    for i, start in enumerate(starts):
        axis = int(axes[i]) % len(shape) if axes is not None else i
        step, extent = int(steps[i]) if steps is not None else 1, shape[axis]
        first = int(start) + (extent if start < 0 else 0)
        first = min(max(first, 0), extent) if step > 0 else min(max(first, 0), extent - 1)
        value = part_of(lower, value, axis, first, result[axis], step)
    return [value]


@lowers("Split")
def _split(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = lower[op.operands[0]]
    axis = int(op.attribute("axis")) % len(shape_of(x))
    results: list[SSAValue] = []
    start = 0
    for result in op.results:
        extent = shape_of(result)[axis]
        results.append(part_of(lower, x, axis, start, extent))
        start += extent
    return results


@lowers("Compress")
def _compress(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, condition = lower[op.operands[0]], fixed(op, 1, "conditions")
    assert condition is not None
    axis = op.attribute("axis")
    if axis is None:
        x, axis = lower.reshape(x, [int(np.prod(shape_of(x), dtype=np.int64))]), 0
    return [picked(lower, x, int(axis) % len(shape_of(x)), [int(i) for i in np.flatnonzero(condition)])]


@lowers("Trilu")
def _trilu(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, upper = lower[op.operands[0]], bool(op.attribute("upper"))
    shape, rank = shape_of(x), len(shape_of(x))
    diagonal = op.node_input(1)
    inputs, maps = [x], [AffineMap.identity(rank)]
    if diagonal is not None:
        inputs.append(lower[diagonal])
        maps.append(AffineMap(rank, 0, tuple(AffineExpr.constant(0) for _ in shape_of(diagonal))))

    def build(code: Code, element: SSAValue, *offset: SSAValue) -> SSAValue:
        border = code.index(rank - 2)
        if offset:
            # An offset beyond the matrix does as much as one at its border.
            limit = max(shape)
            border = code.add(border, code.limited(offset[0], -limit, limit))
        kept = code.compare(code.index(rank - 1), "sge" if upper else "sle", border)
        return code.select(kept, element, code.constant(0, element.type))

    return [computed(lower, inputs, maps, shape, element_of(x), build)]


# Padding


def padded(lower: Lowerer, value: SSAValue, low: Sequence[int], high: Sequence[int], fill: Attribute) -> SSAValue:
    """Append a padded tensor, with numbers of elements `fill` before and after it along each axis."""
    block = Block(arg_types=[IndexType()] * len(low))
    constant = arith.ConstantOp(cast(Any, fill))
    block.add_ops([constant, tensor.YieldOp(constant.result)])
    shape = [before + extent + after for before, extent, after in zip(low, shape_of(value), high, strict=True)]
    result = TensorType(cast(Any, element_of(value)), shape)
    return lower.op(tensor.PadOp(value, [], [], Region(block), list(low), list(high), result))


@lowers("Pad")
def _pad(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value = lower[op.operands[0]]
    low, high = _pads(op, len(shape_of(value)))
    mode = op.attribute("mode")
    if 0 in shape_of(op.results[0]):
        return [lower.empty(shape_of(op.results[0]), result_element(op))]
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        kept = shape_of(value)[axis] + min(before, 0) + min(after, 0)
        value = part_of(lower, value, axis, max(-before, 0), kept)
    low = [max(pad, 0) for pad in low]
    high = [max(pad, 0) for pad in high]
    if mode == "constant":
        return [_pad_constant(lower, op, value, low, high)]
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        extent = shape_of(value)[axis]
        if (before or after) and not extent:
            raise Diagnostic(f"axis {axis} has no elements to pad with in mode '{mode}'", where=where(op))
        places = np.pad(np.arange(extent), (before, after), mode=mode)
        value = picked(lower, value, axis, [int(place) for place in places])
    return [value]


def _pads(op: OnnxOp, rank: int) -> tuple[list[int], list[int]]:
    """Return the padding before and after each axis."""
    is_attribute = "pads" in op.SCHEMA.attributes
    pads = op.attribute("pads") if is_attribute else fixed(op, 1, "pads")
    chosen = None if is_attribute else fixed(op, 3, "axes")
    assert pads is not None
    axes = [int(axis) % rank for axis in chosen] if chosen is not None else list(range(rank))
    low, high = [0] * rank, [0] * rank
    for position, axis in enumerate(axes):
        low[axis], high[axis] = int(pads[position]), int(pads[position + len(axes)])
    return low, high


def _pad_constant(lower: Lowerer, op: OnnxOp, value: SSAValue, low: Sequence[int], high: Sequence[int]) -> SSAValue:
    if not any(low) and not any(high):
        return value
    element, shape = element_of(value), shape_of(op.results[0])
    fill = None if "pads" in op.SCHEMA.attributes else op.node_input(2)
    number = constant_of(fill)
    if fill is not None and number is None:
        return _pad_with(lower, value, lower[fill], low, shape)
    return padded(lower, value, low, high, scalar_attr(0 if number is None else number.item(), element))


def _pad_with(lower: Lowerer, value: SSAValue, fill: SSAValue, low: Sequence[int], shape: Sequence[int]) -> SSAValue:
    """Append a tensor padded with a computed number."""
    inner, rank = shape_of(value), len(shape)
    nowhere = AffineMap(rank, 0, tuple(AffineExpr.constant(0) for _ in shape_of(fill)))
    if 0 in inner:
        return computed(lower, [fill], [nowhere], shape, element_of(value), same)

    def build(code: Code, number: SSAValue) -> SSAValue:
        places = [code.sub(code.index(axis), pad) for axis, pad in enumerate(low)]
        within = [code.is_inside(place, extent) for place, extent in zip(places, inner, strict=True)]
        near = [code.clip(place, 0, extent - 1) for place, extent in zip(places, inner, strict=True)]
        return code.select(code.all_of(within), code.take(value, near), number)

    return computed(lower, [fill], [nowhere], shape, element_of(value), build)


@lowers("CenterCropPad")
def _center_crop_pad(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value = lower[op.operands[0]]
    result = shape_of(op.results[0])
    low, high = [0] * len(result), [0] * len(result)
    for axis, wanted in enumerate(result):
        extent = shape_of(value)[axis]
        if extent > wanted:
            value = part_of(lower, value, axis, (extent - wanted) // 2, wanted)
        low[axis] = max(0, wanted - extent) // 2
        high[axis] = max(0, wanted - extent) - low[axis]
    return [padded(lower, value, low, high, scalar_attr(0, element_of(value)))]
