"""Builder of ops that allocate and reshape operands of generics, on tensors or memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, islice
from typing import Any, cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.core.kernel import result_types
from ...dialects.core.nesting import nested_ops
from ...ir import element_of, reassociation, shape_of


class Shapes:
    """Builder of ops before an op, at its location, on tensors or memrefs like the op's."""

    def __init__(self, anchor: Operation, *, on_tensors: bool):
        self._anchor = anchor
        self._on_tensors = on_tensors

    def emit(self, op: Operation) -> Operation:
        """Add an op."""
        block = self._anchor.parent
        assert block is not None
        for nested in nested_ops(op):
            nested.location = self._anchor.location
        block.insert_op_before(op, self._anchor)
        return op

    def result_types(self, outputs: Sequence[SSAValue]) -> list[Attribute]:
        """Return the result types of an op with these outputs."""
        return result_types(list(outputs))

    def empty(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """Build an empty tensor or a buffer."""
        if self._on_tensors:
            return self.emit(tensor.EmptyOp([], TensorType(cast(Any, element), shape))).results[0]
        return self.emit(memref.AllocOp([], [], MemRefType(cast(Any, element), shape))).results[0]

    def constant(self, value: Attribute) -> SSAValue:
        """Build a scalar constant."""
        return self.emit(arith.ConstantOp(cast("IntegerAttr[Any]", value))).results[0]

    def filled(self, target: SSAValue, value: Attribute) -> SSAValue:
        """Build the fill of `target` with a scalar."""
        fill = FillOp([self.constant(value)], [target], self.result_types([target]))
        self.emit(fill)
        return fill.results[0] if fill.results else target

    def padded(self, source: SSAValue, low: Sequence[int], high: Sequence[int], value: Attribute) -> SSAValue:
        """Pad `source` by `low` and `high` elements per axis."""
        shape = [a + extent + b for a, extent, b in zip(low, shape_of(source), high, strict=True)]
        if not self._on_tensors:
            return self._padded_buffer(source, low, shape, value)
        fill = self.constant(value)
        body = Block([tensor.YieldOp(fill)], arg_types=[IndexType()] * len(shape))
        type = TensorType(cast(Any, element_of(source)), shape)
        return self.emit(tensor.PadOp(source, [], [], Region(body), list(low), list(high), type)).results[0]

    def _padded_buffer(self, source: SSAValue, low: Sequence[int], shape: Sequence[int], value: Attribute) -> SSAValue:
        whole = self.filled(self.empty(shape, element_of(source)), value)
        self.emit(memref.CopyOp(source, self._part(whole, low, shape_of(source))))
        return whole

    def cut(self, source: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Slice the leading `sizes` elements of `source` per axis."""
        none = [0] * len(sizes)
        if not self._on_tensors:
            return self._part(source, none, sizes)
        return self.emit(tensor.ExtractSliceOp.from_static_parameters(source, none, sizes)).results[0]

    def _part(self, whole: SSAValue, offsets: Sequence[int], sizes: Sequence[int]) -> SSAValue:
        """Build a subview of a buffer."""
        source = cast("MemRefType[Any]", whole.type)
        strides = list(source.get_strides() or ())
        offset = source.layout.get_offset() if isinstance(source.layout, StridedLayoutAttr) else 0
        for place, stride in zip(offsets, strides, strict=True):
            offset = None if offset is None or stride is None else offset + place * stride
        type = MemRefType(source.element_type, sizes, StridedLayoutAttr(strides, offset), source.memory_space)
        ones = [1] * len(sizes)
        return self.emit(memref.SubviewOp(whole, [], [], [], list(offsets), list(sizes), ones, type)).results[0]

    def expanded(self, value: SSAValue, groups: Sequence[Sequence[int]]) -> SSAValue:
        """Expand axis i of `value` into the extents `groups[i]`."""
        shape = [extent for group in groups for extent in group]
        places = DenseArrayBase.from_list(i64, shape)
        if self._on_tensors:
            type = TensorType(cast(Any, element_of(value)), shape)
            return self.emit(tensor.ExpandShapeOp(value, [], _reassociation(groups), shape, type)).results[0]
        expand = memref.ExpandShapeOp.build(
            operands=[value, []],
            result_types=[_expanded_buffer(cast("MemRefType[Any]", value.type), groups)],
            properties={"reassociation": _reassociation(groups), "static_output_shape": places},
        )
        return self.emit(expand).results[0]

    def collapsed(self, value: SSAValue, groups: Sequence[Sequence[int]], like: SSAValue) -> SSAValue:
        """Collapse the new value of `like` after `expanded`; a buffer needs no op."""
        if not self._on_tensors or value.type == like.type:
            return value
        collapse = tensor.CollapseShapeOp.build(
            operands=[value], result_types=[like.type], properties={"reassociation": _reassociation(groups)}
        )
        return self.emit(collapse).results[0]


def _reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Return the reassociation of axes that expand to the extents `groups`."""
    axes = count()
    return reassociation(list(islice(axes, len(group))) for group in groups)


def _expanded_buffer(type: MemRefType[Any], groups: Sequence[Sequence[int]]) -> MemRefType[Any]:
    shape = [extent for group in groups for extent in group]
    if not isinstance(type.layout, StridedLayoutAttr):
        return MemRefType(type.element_type, shape, type.layout, type.memory_space)
    strides: list[int | None] = []
    for stride, group in zip(type.layout.get_strides(), groups, strict=True):
        inner: list[int | None] = []
        for extent in reversed(group):
            inner.insert(0, stride)
            stride = None if stride is None else stride * extent
        strides += inner
    layout = StridedLayoutAttr(strides, type.layout.get_offset())
    return MemRefType(type.element_type, shape, layout, type.memory_space)
