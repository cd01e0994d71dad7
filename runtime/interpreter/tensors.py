"""Semantics of tensor and bufferization. A tensor is an immutable array, so that views of it are tensors too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import bufferization, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue

from ...dialects.core.semantics import Runner, Value, semantics
from ...dialects.core.slices import mixed, sized, window
from ...errors import Diagnostic
from ...ir import Array, collapsed_shape, reassociated_axes, where
from .bits import dtype_of
from .ownership import inserts_in_place


def _shape(value: SSAValue) -> tuple[int, ...]:
    return cast("TensorType[Any]", value.type).get_shape()


@semantics(tensor.EmptyOp)
def _empty(runner: Runner, op: tensor.EmptyOp, operands: Sequence[Value]) -> list[Array]:
    return [runner.interleaving.undefine(np.zeros(sized(_shape(op.tensor), operands), dtype_of(op.tensor.type)))]


@semantics(tensor.ExtractSliceOp)
def _extract_slice(runner: Runner, op: tensor.ExtractSliceOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    slices, sizes = window(op, source.shape, dynamic)
    shape = _shape(op.result)
    return [source[slices].reshape(sizes if len(shape) == len(sizes) else shape)]


@semantics(tensor.InsertSliceOp)
def _insert_slice(runner: Runner, op: tensor.InsertSliceOp, operands: Sequence[Value]) -> list[Array]:
    source, target, *dynamic = operands
    slices, sizes = window(op, target.shape, dynamic)
    result = target if runner.cached(op, inserts_in_place) else np.array(target)
    result[slices] = source.reshape(sizes)
    return [result]


@semantics(tensor.PadOp)
def _pad(runner: Runner, op: tensor.PadOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    low = mixed(op.static_low, dynamic[: len(op.low)])
    high = mixed(op.static_high, dynamic[len(op.low) :])
    if min([*low, *high], default=0) < 0:
        raise Diagnostic("a tensor cannot be padded by a negative number", where=where(op), found=f"{low}, {high}")
    shape = [a + extent + b for a, extent, b in zip(low, source.shape, high, strict=True)]
    inside = tuple(slice(a, a + extent) for a, extent in zip(low, source.shape, strict=True))
    result = np.empty(shape, source.dtype)
    block = op.region.block
    if not any(arg.uses for arg in block.args):
        result[...] = runner.run_region(op.region, [np.int64(0)] * len(shape))[0]
    else:
        for point in np.ndindex(*shape):
            result[point] = runner.run_region(op.region, [np.int64(i) for i in point])[0]
    result[inside] = source
    return [result]


@semantics(tensor.ConcatOp)
def _concat(runner: Runner, op: tensor.ConcatOp, operands: Sequence[Value]) -> list[Array]:
    return [np.concatenate(operands, axis=op.dim.value.data)]


@semantics(tensor.CollapseShapeOp)
def _collapse_shape(runner: Runner, op: tensor.CollapseShapeOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].reshape(collapsed_shape(operands[0].shape, reassociated_axes(op.reassociation)))]


@semantics(tensor.ExpandShapeOp)
def _expand_shape(runner: Runner, op: tensor.ExpandShapeOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    return [source.reshape(mixed(op.static_output_shape, dynamic))]


@semantics(tensor.ReshapeOp)
def _reshape(runner: Runner, op: tensor.ReshapeOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].reshape([int(extent) for extent in operands[1]])]


@semantics(tensor.CastOp)
def _cast(runner: Runner, op: tensor.CastOp, operands: Sequence[Value]) -> list[Array]:
    expected = _shape(op.dest) if isinstance(op.dest.type, TensorType) else operands[0].shape
    if any(want not in (DYNAMIC_INDEX, have) for want, have in zip(expected, operands[0].shape, strict=True)):
        raise Diagnostic(
            "a tensor is cast to a shape that differs from its own",
            where=where(op),
            expected=str(list(expected)),
            found=str(list(operands[0].shape)),
        )
    return [operands[0]]


@semantics(tensor.DimOp)
def _dim(runner: Runner, op: tensor.DimOp, operands: Sequence[Value]) -> list[Array]:
    return [extent(op, operands[0], operands[1])]


def extent(op: Any, array: Array, axis: Value) -> Any:
    """Return an array's extent along an axis. Raises Diagnostic for an invalid axis."""
    if not 0 <= int(axis) < array.ndim:
        raise Diagnostic(f"axis {int(axis)} of an operand with {array.ndim} axes does not exist", where=where(op))
    return np.int64(array.shape[int(axis)])


def point(op: Any, array: Array, indices: Sequence[Value]) -> tuple[int, ...]:
    """Return indices as numbers. Raises Diagnostic for indices out of bounds."""
    numbers = tuple(int(index) for index in indices)
    if any(not 0 <= index < size for index, size in zip(numbers, array.shape, strict=True)):
        raise Diagnostic(
            f"'{op.name}' is out of bounds",
            where=where(op),
            expected=f"indices into the shape {list(array.shape)}",
            found=str(list(numbers)),
        )
    return numbers


@semantics(tensor.ExtractOp, memref.LoadOp)
def _extract(runner: Runner, op: tensor.ExtractOp | memref.LoadOp, operands: Sequence[Value]) -> list[Array]:
    source, *indices = operands
    return [source[point(op, source, indices)]]


@semantics(tensor.InsertOp)
def _insert(runner: Runner, op: tensor.InsertOp, operands: Sequence[Value]) -> list[Array]:
    value, target, *indices = operands
    result = target if runner.cached(op, inserts_in_place) else np.array(target)
    result[point(op, result, indices)] = value
    return [result]


@semantics(tensor.SplatOp)
def _splat(runner: Runner, op: tensor.SplatOp, operands: Sequence[Value]) -> list[Array]:
    value, *dynamic = operands
    return [np.full(sized(_shape(op.result), dynamic), value)]


@semantics(tensor.FromElementsOp)
def _from_elements(runner: Runner, op: tensor.FromElementsOp, operands: Sequence[Value]) -> list[Array]:
    return [np.array(operands, dtype_of(op.result.type)).reshape(_shape(op.result))]


@semantics(bufferization.AllocTensorOp)
def _alloc_tensor(runner: Runner, op: bufferization.AllocTensorOp, operands: Sequence[Value]) -> list[Array]:
    if op.copy is not None:
        return [operands[len(op.dynamic_sizes)]]
    return [runner.interleaving.undefine(np.zeros(sized(_shape(op.tensor), operands), dtype_of(op.tensor.type)))]


@semantics(bufferization.CloneOp, bufferization.ToTensorOp, bufferization.ToBufferOp)
def _copied(runner: Runner, op: Any, operands: Sequence[Value]) -> list[Array]:
    """Copy a buffer to a tensor or back, so that later updates are not shared."""
    return [np.array(operands[0])]


@semantics(bufferization.MaterializeInDestinationOp)
def _materialize(
    runner: Runner, op: bufferization.MaterializeInDestinationOp, operands: Sequence[Value]
) -> list[Array]:
    source, target = operands
    if op.results:
        return [source]
    target[...] = source
    return []
