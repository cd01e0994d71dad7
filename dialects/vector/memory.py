"""Ops of `vector` on memory: loads and stores, with masks, of gathered elements, and transfers with padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IndexType, MemRefType, TensorType, VectorType
from xdsl.dialects.vector import LoadOp, MaskedLoadOp, MaskedStoreOp, StoreOp, TransferReadOp, TransferWriteOp
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, shape_of, where
from ..core.effect_traits import OperandEffects, ViewLike
from ..core.semantics import Runner, Value, semantics
from .types import element_type, empty, is_vector, shape

_SHAPED = base(MemRefType) | base(TensorType)


def _verify_lanes(op: Any, lanes: Any, *others: Any) -> None:
    """Verify that a vector has an element of the base for each element of other vectors."""
    if element_type(lanes.type) != element_of(op.base):
        raise VerifyException(f"expected a vector of {element_of(op.base)}")
    if any(shape(other.type) != shape(lanes.type) for other in others):
        raise VerifyException(f"expected vectors of shape {list(shape(lanes.type))}")
    if len(op.indices) != len(shape_of(op.base)):
        raise VerifyException("expected an index for each axis")


@irdl_op_definition
class VectorGatherOp(IRDLOperation):
    """
    Elements at distances from a place, along the last axis, where the mask is true; elsewhere those of `%other`.

        %r = vector.gather %m[%i, %j] [%distances], %mask, %other
            : memref<8x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    """

    name = "vector.gather"
    base = operand_def(_SHAPED)
    indices = var_operand_def(IndexType())
    index_vec = operand_def(VectorType)
    mask = operand_def(VectorType)
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(OperandEffects(reads=("base",)))
    assembly_format = (
        "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $pass_thru attr-dict "
        "`:` type($base) `,` type($index_vec) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def verify_(self) -> None:
        _verify_lanes(self, self.result, self.index_vec, self.mask, self.pass_thru)


@irdl_op_definition
class VectorScatterOp(IRDLOperation):
    """
    Writes of elements at distances from a place, along the last axis, where the mask is true, in ascending order.

        vector.scatter %m[%i, %j] [%distances], %mask, %v
            : memref<8x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
    """

    name = "vector.scatter"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    index_vec = operand_def(VectorType)
    mask = operand_def(VectorType)
    valueToStore = operand_def(VectorType)
    traits = traits_def(OperandEffects(writes=("base",)))
    assembly_format = (
        "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $valueToStore attr-dict "
        "`:` type($base) `,` type($index_vec) `,` type($mask) `,` type($valueToStore)"
    )

    def verify_(self) -> None:
        _verify_lanes(self, self.valueToStore, self.index_vec, self.mask)


@irdl_op_definition
class ExpandLoadOp(IRDLOperation):
    """
    Consecutive elements from a place on, one for each true element of the mask; elsewhere elements of `%other`.

        %r = vector.expandload %m[%i], %mask, %other : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    """

    name = "vector.expandload"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType)
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(OperandEffects(reads=("base",)))
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict "
        "`:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def verify_(self) -> None:
        _verify_lanes(self, self.result, self.mask, self.pass_thru)


@irdl_op_definition
class CompressStoreOp(IRDLOperation):
    """
    Writes of the elements where the mask is true, to consecutive places.

        vector.compressstore %m[%i], %mask, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
    """

    name = "vector.compressstore"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType)
    valueToStore = operand_def(VectorType)
    traits = traits_def(OperandEffects(writes=("base",)))
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $valueToStore attr-dict "
        "`:` type($base) `,` type($mask) `,` type($valueToStore)"
    )

    def verify_(self) -> None:
        _verify_lanes(self, self.valueToStore, self.mask)


@irdl_op_definition
class TypeCastOp(IRDLOperation):
    """
    A memref as one of a single vector.

        %r = vector.type_cast %m : memref<5x4xf32> to memref<vector<5x4xf32>>
    """

    name = "vector.type_cast"
    memref = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(ViewLike())
    assembly_format = "$memref attr-dict `:` type($memref) `to` type($result)"

    def verify_(self) -> None:
        vector = element_of(self.result)
        if shape_of(self.result) or not is_vector(vector):
            raise VerifyException("expected a memref of rank 0 of a vector")
        if (*shape_of(self.memref),) != shape(vector) or element_type(vector) != element_of(self.memref):
            raise VerifyException("expected a vector of the shape of the memref")


def _window(op: Any, array: Array, indices: Sequence[Value], extents: Sequence[int]) -> Array:
    """Return the view of the innermost axes from a place on. Raises Diagnostic where it leaves the array."""
    place = [int(index) for index in indices]
    sizes = [1] * (len(place) - len(extents)) + list(extents)
    if any(not 0 <= p <= p + n <= extent for p, n, extent in zip(place, sizes, array.shape, strict=True)):
        found = f"{list(place)} and {sizes} elements, in the shape {list(array.shape)}"
        raise Diagnostic(f"'{op.name}' is out of bounds", where(op), found=found)
    return array[tuple(slice(p, p + n) for p, n in zip(place, sizes, strict=True))].reshape(extents)


@semantics(LoadOp)
def _load(runner: Runner, op: LoadOp, operands: Sequence[Value]) -> list[Array]:
    memref, *indices = operands
    return [np.array(_window(op, memref, indices, empty(op, op.result.type).shape))]


@semantics(StoreOp)
def _store(runner: Runner, op: StoreOp, operands: Sequence[Value]) -> list[Array]:
    vector, memref, *indices = operands
    place = [int(index) for index in indices]
    _window(op, memref, indices, vector.shape)
    sizes = [1] * (len(place) - vector.ndim) + list(vector.shape)
    memref[tuple(slice(p, p + n) for p, n in zip(place, sizes, strict=True))] = vector.reshape(sizes)
    return []


def _lanes(op: Any, array: Array, indices: Sequence[Value], distances: Array, mask: Array) -> list[tuple[int, Any]]:
    """Return the lanes at which the mask is true, each with its place in the array."""
    *outer, last = (int(index) for index in indices)
    lanes: list[tuple[int, Any]] = []
    for lane in np.flatnonzero(mask):
        place = (*outer, last + int(distances.ravel()[lane]))
        if any(not 0 <= index < extent for index, extent in zip(place, array.shape, strict=True)):
            found = f"{list(place)} in the shape {list(array.shape)}"
            raise Diagnostic(f"'{op.name}' is out of bounds", where(op), found=found)
        lanes.append((int(lane), place))
    return lanes


def _read(lanes: Sequence[tuple[int, Any]], array: Array, other: Array) -> Array:
    result = np.array(other)
    for lane, place in lanes:
        result.flat[lane] = array[place]
    return result


def _write(lanes: Sequence[tuple[int, Any]], array: Array, vector: Array) -> list[Array]:
    for lane, place in lanes:
        array[place] = vector.flat[lane]
    return []


@semantics(VectorGatherOp)
def _gather(runner: Runner, op: VectorGatherOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, distances, mask, other = operands
    return [_read(_lanes(op, array, indices, distances, mask), array, other)]


@semantics(VectorScatterOp)
def _scatter(runner: Runner, op: VectorScatterOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, distances, mask, vector = operands
    return _write(_lanes(op, array, indices, distances, mask), array, vector)


def _consecutive(mask: Array) -> Array:
    return np.arange(mask.size)


@semantics(MaskedLoadOp)
def _masked_load(runner: Runner, op: MaskedLoadOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, mask, other = operands
    return [_read(_lanes(op, array, indices, _consecutive(mask), mask), array, other)]


@semantics(MaskedStoreOp)
def _masked_store(runner: Runner, op: MaskedStoreOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, mask, vector = operands
    return _write(_lanes(op, array, indices, _consecutive(mask), mask), array, vector)


@semantics(ExpandLoadOp)
def _expand(runner: Runner, op: ExpandLoadOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, mask, other = operands
    return [_read(_lanes(op, array, indices, np.cumsum(mask) - 1, mask), array, other)]


@semantics(CompressStoreOp)
def _compress(runner: Runner, op: CompressStoreOp, operands: Sequence[Value]) -> list[Array]:
    array, *indices, mask, vector = operands
    return _write(_lanes(op, array, indices, np.cumsum(mask) - 1, mask), array, vector)


def _places(op: Any, array: Array, indices: Sequence[Value], extents: Sequence[int], mask: Array | None) -> Any:
    """
    Yield each position in the vector of a transfer with its place in the array, None where the vector reads padding.

    The mask is over the vector's axes in the order of the array's, without those that are broadcast.
    """
    results = op.permutation_map.data.results
    axes = [expr.position if isinstance(expr, AffineDimExpr) else None for expr in results]
    order = sorted(axis for axis in axes if axis is not None)
    bounds = [bool(flag.value.data) for flag in op.in_bounds] if op.in_bounds is not None else [False] * len(axes)
    for position in np.ndindex(*extents):
        steps = {axis: step for axis, step in zip(axes, position, strict=True) if axis is not None}
        place = tuple(int(index) + steps.get(axis, 0) for axis, index in enumerate(indices))
        if mask is not None and not mask[tuple(steps[axis] for axis in order)]:
            yield position, None
            continue
        outside = [axis for axis, index in enumerate(place) if not 0 <= index < array.shape[axis]]
        if any(axis not in axes or bounds[axes.index(axis)] for axis in outside):
            found = f"{list(place)} in the shape {list(array.shape)}"
            raise Diagnostic(f"'{op.name}' is out of bounds", where(op), found=found)
        yield position, None if outside else place


def transferred(
    op: TransferReadOp, array: Array, indices: Sequence[Value], padding: Value, mask: Array | None
) -> Array:
    """Return the vector that a transfer reads."""
    result = empty(op, op.result.type)
    result[...] = padding
    for position, place in _places(op, array, indices, result.shape, mask):
        if place is not None:
            result[position] = array[place]
    return result


def written(
    op: TransferWriteOp, vector: Array, array: Array, indices: Sequence[Value], mask: Array | None
) -> list[Array]:
    """Write the vector of a transfer; a tensor is copied first."""
    target = array if op.result is None else np.array(array)
    for position, place in _places(op, array, indices, vector.shape, mask):
        if place is not None:
            target[place] = vector[position]
    return [] if op.result is None else [target]


@semantics(TransferReadOp)
def _transfer_read(runner: Runner, op: TransferReadOp, operands: Sequence[Value]) -> list[Array]:
    count = len(op.indices)
    array, indices, padding, rest = operands[0], operands[1 : count + 1], operands[count + 1], operands[count + 2 :]
    return [transferred(op, array, indices, padding, rest[0] if rest else None)]


@semantics(TransferWriteOp)
def _transfer_write(runner: Runner, op: TransferWriteOp, operands: Sequence[Value]) -> list[Array]:
    count = len(op.indices)
    vector, array, indices, rest = operands[0], operands[1], operands[2 : count + 2], operands[count + 2 :]
    return written(op, vector, array, indices, rest[0] if rest else None)
