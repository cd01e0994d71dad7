"""
Upstream's `tensor`: xDSL's with the ops that it lacks.

    %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<5x1xindex>) -> tensor<5x4xf32>

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/TensorOps/.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerType,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.tensor import Tensor, YieldOp
from xdsl.dialects.utils import DynamicIndexList
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, integer_width, numbers_of, numpy_type, shape_of, where
from ..core.extended import extended, verify_by
from ..core.semantics import Runner, Value, semantics
from ..core.slices import sized
from .pack import TensorPackOp, TensorUnpackOp


@irdl_op_definition
class TensorBitcastOp(IRDLOperation):
    """
    The bits of each element as another type of the same width.

        %r = tensor.bitcast %t : tensor<4xi32> to tensor<4xf32>
    """

    name = "tensor.bitcast"
    source = operand_def(TensorType)
    dest = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        widths = [_width(element_of(value)) for value in (self.source, self.dest)]
        if widths[0] != widths[1] or len(shape_of(self.source)) != len(shape_of(self.dest)):
            raise VerifyException("expected tensors of one rank whose elements have as many bits")


def _width(type: Attribute) -> int | None:
    return integer_width(type) or getattr(type, "bitwidth", None)


@irdl_op_definition
class TensorRankOp(IRDLOperation):
    """
    The number of axes.

        %r = tensor.rank %t : tensor<*xf32>
    """

    name = "tensor.rank"
    tensor = operand_def(base(TensorType) | base(UnrankedTensorType))
    result = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class GatherOp(IRDLOperation):
    """
    Slices at coordinates along some dimensions, which are the last axis of a tensor of indices.

        %r = tensor.gather %t[%i] gather_dims([1]) unique : (tensor<4x8xf32>, tensor<5x1xindex>) -> tensor<5x4x1xf32>

    Dimensions that are gathered have an extent of 1 in the result, or are left out. `unique` says that no two
    coordinates are equal.
    """

    name = "tensor.gather"
    source = operand_def(TensorType)
    indices = operand_def(TensorType)
    gather_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        _verify_slices(self, shape_of(self.source), numbers_of(self.gather_dims), self.result.type)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """
    A tensor with slices written at different coordinates along some dimensions, the counterpart of `tensor.gather`.

        %r = tensor.scatter %s into %t[%i] scatter_dims([1]) unique
            : (tensor<5x4x1xf32>, tensor<4x8xf32>, tensor<5x1xindex>) -> tensor<4x8xf32>
    """

    name = "tensor.scatter"
    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    indices = operand_def(TensorType)
    scatter_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` (`unique` $unique^)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        if self.unique is None:
            raise VerifyException("expected 'unique': of equal coordinates it is undefined which slice is written")
        if self.result.type != self.dest.type:
            raise VerifyException("expected a result of the destination's type")
        _verify_slices(self, shape_of(self.dest), numbers_of(self.scatter_dims), self.source.type)


def _verify_slices(op: Any, whole: Sequence[int], dims: Sequence[int], slices: Any) -> None:
    indices = shape_of(op.indices)
    if not dims or list(dims) != sorted(set(dims)) or not set(dims) <= set(range(len(whole))):
        raise VerifyException(f"expected dimensions of 0 to {len(whole) - 1} in ascending order")
    if not indices or indices[-1] != len(dims) or not isinstance(element_of(op.indices), IndexType | IntegerType):
        raise VerifyException(f"expected indices whose last axis has {len(dims)} coordinates")
    full = [*indices[:-1], *(1 if dim in dims else extent for dim, extent in enumerate(whole))]
    reduced = [*indices[:-1], *(extent for dim, extent in enumerate(whole) if dim not in dims)]
    if list(slices.get_shape()) not in (full, reduced):
        raise VerifyException(f"expected slices of shape {full} or {reduced}, found {list(slices.get_shape())}")


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """
    A tensor whose elements the region computes from their indices.

        %r = tensor.generate %n {
        ^bb0(%i: index, %j: index):
          %v = arith.addi %i, %j : index
          tensor.yield %v : index
        } : tensor<?x4xindex>
    """

    name = "tensor.generate"
    dynamic_extents = var_operand_def(IndexType())
    result = result_def(TensorType)
    body = region_def("single_block")

    def verify_(self) -> None:
        shape, block = shape_of(self.result), self.body.block
        if len(self.dynamic_extents) != shape.count(DYNAMIC_INDEX):
            raise VerifyException("expected an operand for each dynamic extent")
        if [arg.type for arg in block.args] != [IndexType()] * len(shape):
            raise VerifyException("the region must take an index for each axis")
        if not isinstance(block.last_op, YieldOp) or block.last_op.operand_types != (element_of(self.result),):
            raise VerifyException(f"the region must yield {element_of(self.result)}")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        extents = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        region = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operands = [parser.resolve_operand(extent, IndexType()) for extent in extents or ()]
        return cls.build(
            operands=[operands], result_types=[parser.parse_type()], regions=[region], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.dynamic_extents:
            printer.print_list(self.dynamic_extents, printer.print_ssa_value)
            printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """
    The slice that an iteration of `scf.forall` writes to a shared output.

        tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    """

    name = "tensor.parallel_insert_slice"
    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    strides = var_operand_def(IndexType())
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets) "
        "custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) "
        "attr-dict `:` type($source) `into` type($dest)"
    )

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and parent.name != "scf.forall.in_parallel":
            raise VerifyException(f"'{self.name}' expects parent op 'scf.forall.in_parallel'")
        rank = len(shape_of(self.dest))
        lists = (self.static_offsets, self.static_sizes, self.static_strides)
        if any(len(numbers_of(numbers)) != rank for numbers in lists):
            raise VerifyException(f"expected {rank} offsets, sizes and strides")
        if element_of(self.source) != element_of(self.dest):
            raise VerifyException("expected tensors with elements of one type")


@semantics(TensorBitcastOp)
def _bitcast(runner: Runner, op: TensorBitcastOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].view(numpy_type(element_of(op.dest)))]


@semantics(TensorRankOp)
def _rank(runner: Runner, op: TensorRankOp, operands: Sequence[Value]) -> list[Any]:
    return [np.int64(operands[0].ndim)]


def _places(op: Any, indices: Array, dims: Sequence[int], shape: Sequence[int]) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return for each coordinate its place in the tensor of indices and the slice that it is of a shape."""
    places: list[tuple[Any, tuple[Any, ...]]] = []
    for place in np.ndindex(indices.shape[:-1]):
        slices: list[Any] = [slice(None)] * len(shape)
        for dim, index in zip(dims, indices[place], strict=True):
            if not 0 <= index < shape[dim]:
                expected = f"indices from 0 to {shape[dim] - 1}"
                raise Diagnostic(f"'{op.name}' is out of bounds along axis {dim}", where(op), expected, str(int(index)))
            slices[dim] = slice(int(index), int(index) + 1)
        places.append((place, tuple(slices)))
    return places


@semantics(GatherOp)
def _gather(runner: Runner, op: GatherOp, operands: Sequence[Value]) -> list[Array]:
    source, indices = operands
    shape = (*indices.shape[:-1], *(1 if d in numbers_of(op.gather_dims) else n for d, n in enumerate(source.shape)))
    result = np.empty(shape, source.dtype)
    for place, slices in _places(op, indices, numbers_of(op.gather_dims), source.shape):
        result[place] = source[slices]
    is_full = len(shape_of(op.result)) == result.ndim
    kept = tuple(n for d, n in enumerate(source.shape) if d not in numbers_of(op.gather_dims))
    return [result if is_full else result.reshape((*indices.shape[:-1], *kept))]


@semantics(ScatterOp)
def _scatter(runner: Runner, op: ScatterOp, operands: Sequence[Value]) -> list[Array]:
    source, target, indices = operands
    result = np.array(target)
    for place, slices in _places(op, indices, numbers_of(op.scatter_dims), target.shape):
        result[slices] = source[place].reshape(result[slices].shape)
    return [result]


@semantics(GenerateOp)
def _generate(runner: Runner, op: GenerateOp, operands: Sequence[Value]) -> list[Array]:
    result = np.empty(sized(shape_of(op.result), operands), numpy_type(element_of(op.result)))
    for point in np.ndindex(result.shape):
        (result[point],) = runner.run_region(op.body, [np.int64(index) for index in point])
    return [result]


def _verify_reshape(op: tensor.ReshapeOp) -> None:
    if len(shape_of(op.shape)) != 1 or not isinstance(element_of(op.shape), IndexType | IntegerType):
        raise VerifyException("expected a shape that is a tensor of integers of rank 1")
    if cast("TensorType[Any]", op.source.type).element_type != cast("TensorType[Any]", op.result.type).element_type:
        raise VerifyException("source and result tensor should have the same element type")
    shapes = [shape_of(op.source), shape_of(op.result)]
    if shape_of(op.shape)[0] not in (DYNAMIC_INDEX, len(shapes[-1])):
        raise VerifyException("length of shape operand differs from the result's tensor rank")
    counts = {prod(shape) for shape in shapes if DYNAMIC_INDEX not in shape}
    if len(counts) > 1:
        raise VerifyException("source and result tensor should have the same number of elements")


# xDSL's verifier takes a dynamic extent for -1.
verify_by(tensor.ReshapeOp, _verify_reshape)

TENSOR = extended(
    Tensor,
    [
        GatherOp,
        GenerateOp,
        TensorPackOp,
        ParallelInsertSliceOp,
        ScatterOp,
        TensorBitcastOp,
        TensorRankOp,
        TensorUnpackOp,
    ],
)
