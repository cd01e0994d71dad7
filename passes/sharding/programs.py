"""Programs over the instances of a mesh: a kernel on parts of its operands, and transfers to and from the far level."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    LocationAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from ...dialects.core.scalars import Index
from ...dialects.hier import ConcurrentOp, DmaStartOp, LocalOp, ProgramOp
from ...ir import collapsed_shape, element_of, reassociation, shape_of
from ..grids.writer import Writer
from .placement import InstanceMesh, Placement, axis_groups


@dataclass(frozen=True)
class Located:
    """Sharded value in the instances: `buffer` has this shape, its parts placed as `placement`."""

    buffer: SSAValue
    shape: tuple[int, ...]
    placement: Placement


class Program:
    """Builder of a program over all instances of a mesh."""

    def __init__(self, outer: Writer, mesh: InstanceMesh, location: LocationAttr):
        self._outer, self._mesh = outer, mesh
        self.block = Block(arg_types=[IndexType()] * len(mesh.instances))
        self.body = Writer.at_end(self.block, location)

    def coordinate(self, number: int) -> Index:
        """Return a coordinate of the instance, of those along which values are split."""
        (dim, stride), extent = self._mesh.strides[number], self._mesh.extents[number]
        coordinate = self.body.div_unsigned(self.block.args[dim], stride)
        if stride * extent == self._mesh.instances[dim]:
            return coordinate
        return self.body.rem_unsigned(coordinate, extent)

    def finish(self, title: str) -> None:
        """Insert the program."""
        program = ProgramOp(title, Region(self.block), self._mesh.engine, self._mesh.instances)
        self._outer.insert(ConcurrentOp([program]))

    def own(self, value: Located, shape: Sequence[int]) -> SSAValue:
        """Return the instance's part of a value, in a shape of as many elements."""
        return in_shape(self.body, self.body.op(LocalOp(value.buffer, self.block.args)), shape)

    def empty(self, like: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Return a new buffer of the instance, for elements of the type of another's."""
        level = StringAttr(self._mesh.level)
        return self.body.op(memref.AllocaOp.get(cast(Any, element_of(like)), shape=list(shape), memory_space=level))

    def offsets(self, shape: Sequence[int], placement: Placement) -> list[SSAValue]:
        """Return the indices of the first element of the instance's part."""
        first: list[Index] = [0] * len(shape)
        steps = self._mesh.steps(shape, placement)
        for number, axis in enumerate(placement):
            if axis is not None:
                first[axis] = self.body.add(self.body.mul(self.coordinate(number), steps[number]), first[axis])
        return [self.body.value(index) for index in first]

    def load(self, far: SSAValue, placement: Placement) -> SSAValue:
        """Transfer the instance's part of a far buffer to a new one of its own."""
        return self._taken(far, self.offsets(shape_of(far), placement), self._mesh.part(shape_of(far), placement))

    def fetch(self, far: SSAValue, near: SSAValue, placement: Placement) -> None:
        """Transfer the instance's part of a far buffer to a buffer of its own."""
        self.body.wait(self.body.op(DmaStartOp(far, self.offsets(shape_of(far), placement), near)))

    def store(self, near: SSAValue, far: SSAValue, placement: Placement) -> None:
        """Transfer the instance's part to a far buffer; of copies, that of the first instance."""
        conditions = [
            self.body.compare(self.coordinate(number), "eq", 0)
            for number, (axis, extent) in enumerate(zip(placement, self._mesh.extents, strict=True))
            if axis is None and extent > 1
        ]
        offsets = self.offsets(shape_of(far), placement)
        with ExitStack() as branches:
            for condition in conditions:
                branches.enter_context(self.body.when(condition))
            self.body.wait(self.body.op(DmaStartOp(far, offsets, near, writes_far=True)))

    def part(self, value: SSAValue, placement: Placement) -> SSAValue:
        """Return a copy of the instance's part of a buffer of its own."""
        return self._taken(value, self.offsets(shape_of(value), placement), self._mesh.part(shape_of(value), placement))

    def move(self, source: SSAValue, target: SSAValue, offsets: Sequence[SSAValue]) -> None:
        """Copy a buffer of the instance to a box of another one."""
        self.body.wait(self.body.op(DmaStartOp(target, list(offsets), source, writes_far=True)))

    def _taken(self, value: SSAValue, offsets: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
        near = self.empty(value, shape)
        self.body.wait(self.body.op(DmaStartOp(value, list(offsets), near)))
        return near


def in_shape(writer: Writer, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """Return a buffer in another shape of as many elements, axes by axes."""
    old, groups = shape_of(value), axis_groups(shape_of(value), shape)
    if tuple(old) == tuple(shape):
        return value
    flat = value
    collapsed = [here for here, _ in groups]
    expanded = [there for _, there in groups]
    if any(len(group) > 1 for group in collapsed) or not shape:
        flat = _viewed(writer, memref.CollapseShapeOp, value, collapsed_shape(old, collapsed), collapsed, {})
    if all(len(group) == 1 for group in expanded) and len(groups) == len(shape):
        return flat
    sizes: dict[str, Attribute] = {"static_output_shape": DenseArrayBase.from_list(i64, list(shape))}
    return _viewed(writer, memref.ExpandShapeOp, flat, shape, expanded, sizes)


def _viewed(
    writer: Writer,
    op: type[memref.CollapseShapeOp | memref.ExpandShapeOp],
    value: SSAValue,
    shape: Sequence[int],
    groups: Sequence[Sequence[int]],
    properties: dict[str, Attribute],
) -> SSAValue:
    kind = cast("MemRefType[Any]", value.type)
    view_type = MemRefType(kind.element_type, list(shape), NoneAttr(), kind.memory_space)
    return writer.op(
        op.build(
            operands=[value, []] if properties else [value],
            result_types=[view_type],
            properties={"reassociation": reassociation(groups), **properties},
        )
    )
