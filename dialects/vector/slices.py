"""Ops of `vector` on parts and orders of elements: slices, shapes, transposes, interleaving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, VectorType, i64
from xdsl.dialects.vector import BitcastOp, ShuffleOp
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, numbers_of, numpy_type, where
from ..core.semantics import Runner, Value, semantics
from .types import element_type, empty, integers, is_scalable, shape


@irdl_op_definition
class ExtractStridedSliceOp(IRDLOperation):
    """
    A slice along the leading axes; strides are 1.

        %r = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 2], strides = [1, 1]}
            : vector<4x8xf32> to vector<2x2xf32>
    """

    name = "vector.extract_strided_slice"
    vector = operand_def(VectorType)
    offsets = prop_def(base(ArrayAttr))
    sizes = prop_def(base(ArrayAttr))
    strides = prop_def(base(ArrayAttr))
    result = result_def(VectorType)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$vector attr-dict `:` type($vector) `to` type($result)"

    def verify_(self) -> None:
        whole, sizes = shape(self.vector.type), integers(self.sizes)
        _verify_slice(whole, integers(self.offsets), sizes, integers(self.strides))
        expected = (*sizes, *whole[len(sizes) :])
        if shape(self.result.type) != expected or element_type(self.result.type) != element_type(self.vector.type):
            raise VerifyException(f"expected a result of shape {list(expected)}")


def _verify_slice(whole: Sequence[int], offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> None:
    if not len(offsets) == len(sizes) == len(strides) <= len(whole):
        raise VerifyException(f"expected as many offsets, sizes and strides, at most {len(whole)}")
    if any(stride != 1 for stride in strides):
        raise VerifyException("expected strides of 1")
    if any(not 0 <= o <= o + n <= extent for o, n, extent in zip(offsets, sizes, whole, strict=False)):
        raise VerifyException(f"the slice is not inside the shape {list(whole)}")


@irdl_op_definition
class InsertStridedSliceOp(IRDLOperation):
    """
    A vector with a slice replaced, of which the innermost axes are those of the source; strides are 1.

        %r = vector.insert_strided_slice %s, %v {offsets = [1, 2], strides = [1, 1]}
            : vector<2x2xf32> into vector<4x8xf32>
    """

    name = "vector.insert_strided_slice"
    V: ClassVar = VarConstraint("V", base(VectorType))
    source = operand_def(VectorType)
    dest = operand_def(V)
    offsets = prop_def(base(ArrayAttr))
    strides = prop_def(base(ArrayAttr))
    res = result_def(V)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"

    def verify_(self) -> None:
        whole, part = shape(self.dest.type), shape(self.source.type)
        offsets, strides = integers(self.offsets), integers(self.strides)
        if len(offsets) != len(whole) or len(strides) != len(part) or len(part) > len(whole):
            raise VerifyException("expected an offset for each axis of the vector, a stride for each of the source")
        added = (1,) * (len(whole) - len(part))
        _verify_slice(whole, offsets, (*added, *part), (*added, *strides))
        if element_type(self.source.type) != element_type(self.dest.type):
            raise VerifyException("expected vectors with elements of one type")


@irdl_op_definition
class VectorShapeCastOp(IRDLOperation):
    """
    The elements in row-major order in another shape.

        %r = vector.shape_cast %v : vector<4x8xf32> to vector<32xf32>
    """

    name = "vector.shape_cast"
    source = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        counts = [int(np.prod(shape(value.type), dtype=np.int64)) for value in (self.source, self.result)]
        if counts[0] != counts[1] or element_type(self.source.type) != element_type(self.result.type):
            raise VerifyException("expected a vector with as many elements of the type")


@irdl_op_definition
class VectorTransposeOp(IRDLOperation):
    """
    A vector with the axes in another order.

        %r = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
    """

    name = "vector.transpose"
    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def verify_(self) -> None:
        source, order = shape(self.vector.type), numbers_of(self.permutation)
        if sorted(order) != list(range(len(source))):
            raise VerifyException(f"expected a permutation of {len(source)} axes")
        if shape(self.result.type) != tuple(source[axis] for axis in order):
            raise VerifyException("expected a result with the axes in the order of the permutation")


@irdl_op_definition
class InterleaveOp(IRDLOperation):
    """
    The elements of two vectors in turn along the last axis.

        %r = vector.interleave %a, %b : vector<4xf32> -> vector<8xf32>
    """

    name = "vector.interleave"
    V: ClassVar = VarConstraint("V", base(VectorType))
    lhs = operand_def(V)
    rhs = operand_def(V)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def verify_(self) -> None:
        _verify_halves(shape(self.lhs.type), shape(self.result.type))


def _verify_halves(half: Sequence[int], whole: Sequence[int]) -> None:
    expected = (*half[:-1], half[-1] * 2) if half else (2,)
    if tuple(whole) != expected:
        raise VerifyException(f"expected a vector of shape {list(expected)}, found {list(whole)}")


@irdl_op_definition
class DeinterleaveOp(IRDLOperation):
    """
    The elements at even and at odd positions along the last axis.

        %even, %odd = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>
    """

    name = "vector.deinterleave"
    V: ClassVar = VarConstraint("V", base(VectorType))
    source = operand_def(VectorType)
    res1 = result_def(V)
    res2 = result_def(V)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($res1)"

    def verify_(self) -> None:
        _verify_halves(shape(self.res1.type), shape(self.source.type))


@irdl_op_definition
class ScalableInsertOp(IRDLOperation):
    """
    A scalable vector with a part replaced, which begins at a multiple of its length.

        %r = vector.scalable.insert %s, %v[4] : vector<4xf32> into vector<[4]xf32>
    """

    name = "vector.scalable.insert"
    V: ClassVar = VarConstraint("V", base(VectorType))
    source = operand_def(VectorType)
    dest = operand_def(V)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(V)
    traits = traits_def(Pure())
    assembly_format = "$source `,` $dest `[` $pos `]` attr-dict `:` type($source) `into` type($dest)"

    def verify_(self) -> None:
        _verify_scalable(self.source.type, self.dest.type, self.pos.value.data)


@irdl_op_definition
class ScalableExtractOp(IRDLOperation):
    """
    A part of a scalable vector, which begins at a multiple of its length.

        %r = vector.scalable.extract %v[4] : vector<4xf32> from vector<[4]xf32>
    """

    name = "vector.scalable.extract"
    source = operand_def(VectorType)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$source `[` $pos `]` attr-dict `:` type($res) `from` type($source)"

    def verify_(self) -> None:
        _verify_scalable(self.res.type, self.source.type, self.pos.value.data)


def _verify_scalable(part: Any, whole: Any, position: int) -> None:
    if len(shape(part)) != 1 or len(shape(whole)) != 1 or not is_scalable(whole):
        raise VerifyException("expected a vector of rank 1 in a scalable one")
    if position % shape(part)[0]:
        raise VerifyException(f"expected a position that is a multiple of {shape(part)[0]}, found {position}")


@irdl_op_definition
class VectorScaleOp(IRDLOperation):
    """
    The number by which the machine multiplies the extents of scalable vectors.

        %r = vector.vscale
    """

    name = "vector.vscale"
    res = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


@irdl_op_definition
class FlatTransposeOp(IRDLOperation):
    """
    The transpose of a matrix whose elements a vector of rank 1 holds column by column.

        %r = vector.flat_transpose %v {columns = 4 : i32, rows = 2 : i32} : vector<8xf32> -> vector<8xf32>
    """

    name = "vector.flat_transpose"
    matrix = operand_def(VectorType)
    rows = prop_def(IntegerAttr)
    columns = prop_def(IntegerAttr)
    res = result_def(VectorType)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$matrix attr-dict `:` type($matrix) `->` type($res)"

    def verify_(self) -> None:
        count = self.rows.value.data * self.columns.value.data
        if shape(self.matrix.type) != (count,) or self.res.type != self.matrix.type:
            raise VerifyException(f"expected vectors of {count} elements")


@irdl_op_definition
class VectorReshapeOp(IRDLOperation):
    """
    A vector whose innermost axes hold the elements of a shape in pieces of fixed sizes, for another shape.

        %r = vector.reshape %v, [%a, %b], [%c], [] : vector<2x3xf32> to vector<6xf32>
    """

    name = "vector.reshape"
    vector = operand_def(VectorType)
    input_shape = var_operand_def(IndexType())
    output_shape = var_operand_def(IndexType())
    fixed_vector_sizes = prop_def(base(ArrayAttr))
    result = result_def(VectorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$vector `,` `[` $input_shape `]` `,` `[` $output_shape `]` `,` $fixed_vector_sizes attr-dict "
        "`:` type($vector) `to` type($result)"
    )


@semantics(ExtractStridedSliceOp)
def _extract(runner: Runner, op: ExtractStridedSliceOp, operands: Sequence[Value]) -> list[Array]:
    pairs = zip(integers(op.offsets), integers(op.sizes), strict=True)
    return [operands[0][tuple(slice(offset, offset + size) for offset, size in pairs)]]


@semantics(InsertStridedSliceOp)
def _insert(runner: Runner, op: InsertStridedSliceOp, operands: Sequence[Value]) -> list[Array]:
    source, target = operands
    offsets = integers(op.offsets)
    sizes = (1,) * (target.ndim - source.ndim) + source.shape
    result = np.array(target)
    slices = tuple(slice(offset, offset + size) for offset, size in zip(offsets, sizes, strict=True))
    result[slices] = source.reshape(sizes)
    return [result]


@semantics(VectorShapeCastOp)
def _cast(runner: Runner, op: VectorShapeCastOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].reshape(empty(op, op.result.type).shape)]


@semantics(VectorTransposeOp)
def _transpose(runner: Runner, op: VectorTransposeOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].transpose(numbers_of(op.permutation))]


@semantics(InterleaveOp)
def _interleave(runner: Runner, op: InterleaveOp, operands: Sequence[Value]) -> list[Array]:
    return [np.stack(operands, axis=-1).reshape(empty(op, op.result.type).shape)]


@semantics(DeinterleaveOp)
def _deinterleave(runner: Runner, op: DeinterleaveOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0][..., ::2], operands[0][..., 1::2]]


@semantics(FlatTransposeOp)
def _flat(runner: Runner, op: FlatTransposeOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].reshape(op.columns.value.data, op.rows.value.data).T.ravel()]


@semantics(ShuffleOp)
def _shuffle(runner: Runner, op: ShuffleOp, operands: Sequence[Value]) -> list[Array]:
    whole = np.concatenate([np.atleast_1d(operand) for operand in operands])
    if min(numbers_of(op.mask)) < 0:
        raise Diagnostic("an element of 'vector.shuffle' is undefined", where(op), found=str(op.mask))
    return [whole[list(numbers_of(op.mask))]]


@semantics(BitcastOp)
def _bitcast(runner: Runner, op: BitcastOp, operands: Sequence[Value]) -> list[Array]:
    return [np.ascontiguousarray(operands[0]).view(numpy_type(element_type(op.result.type)))]
