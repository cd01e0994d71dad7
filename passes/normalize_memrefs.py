"""Lowering of layout maps: buffers in a layout become row-major ones in their physical shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.instruction import InstructionOp
from ..dialects.core.layouts import layout_map, physical_shape
from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import Index
from ..dialects.hier import ViewOp
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass
from .grids.writer import Writer
from .memory.views import row_major


def normalize_memrefs(module: ModuleOp) -> None:
    """
    Replace the types of buffers in a layout by their physical shapes, and map the indices of their accesses.

    A subview that lies in one block becomes a `memref.reinterpret_cast`; instructions have physical indices. Raises
    Diagnostic for other uses, such as a kernel that is not loops yet.
    """
    accesses = [op for function in functions(module) for op in nested_ops(function) if _has_layout(op.operands)]
    for op in accesses:
        _rewrite(op)
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp):
            op.properties["type"] = _physical(op.type)
    for function in functions(module):
        _retype(function)


def _has_layout(values: Sequence[SSAValue]) -> bool:
    return any(layout_map(value.type) is not None for value in values)


def _physical(type: Attribute) -> Attribute:
    """Return the type of a buffer in its physical shape, other types as they are."""
    if layout_map(type) is None:
        return type
    shaped = cast("MemRefType[Any]", type)
    return MemRefType(shaped.get_element_type(), physical_shape(shaped), NoneAttr(), shaped.memory_space)


def _rewrite(op: Operation) -> None:
    """Map the indices of an access to a buffer in a layout, whose type stays until all accesses are mapped."""
    match op:
        case memref.LoadOp():
            op.operands = [op.memref, *_place(op, op.memref, list(op.indices))]
        case memref.StoreOp():
            op.operands = [op.value, op.memref, *_place(op, op.memref, list(op.indices))]
        case memref.SubviewOp():
            _reinterpret(op)
        case func.CallOp() | func.ReturnOp() | memref.DeallocOp() | InstructionOp():
            pass
        case memref.CopyOp() if layout_map(op.source.type) == layout_map(op.destination.type):
            pass
        case _:
            raise Diagnostic(
                f"'{op.name}' has an operand in a layout, which cannot be lowered",
                where=where(op),
                expected="loads, stores, subviews, and copies between buffers in one layout",
                found=", ".join(str(value.type) for value in op.operands if layout_map(value.type) is not None),
                remedy="lower kernels and transfers to loops before (convert-kernels-to-loops, convert-dma-to-loops)",
            )


def _place(op: Operation, buffer: SSAValue, indices: Sequence[Index]) -> list[SSAValue]:
    """Emit the physical indices of an element."""
    lead = layout_map(buffer.type)
    assert lead is not None
    writer = Writer.before(op)
    return [writer.value(writer.affine(expr, indices.__getitem__)) for expr in lead.results]


def _reinterpret(op: memref.SubviewOp) -> None:
    """Replace a subview of a buffer in a layout, within one block, by a view from its first element on."""
    writer = Writer.before(op)
    dynamic = iter(op.offsets)
    static = [int(offset) for offset in op.static_offsets.get_values()]
    offsets: list[Index] = [next(dynamic) if offset == DYNAMIC_INDEX else offset for offset in static]
    kind = cast("MemRefType[Any]", op.result.type)
    first: Index = 0
    source = cast("MemRefType[Any]", op.source.type)
    for place, stride in zip(_place(op, op.source, offsets), row_major(physical_shape(source)), strict=True):
        first = writer.add(first, writer.mul(place, stride))
    strides = [cast(int, stride) for stride in kind.get_strides() or ()]
    sizes = list(kind.get_shape())
    view = memref.ReinterpretCastOp.from_dynamic(op.source, [writer.value(first)], sizes, strides, kind)
    view.location = op.location
    Rewriter.replace_op(op, view)


def _retype(function: func.FuncOp) -> None:
    """Give all buffers of a function their physical shapes."""
    blocks = [block for region in function.regions for block in region.blocks]
    for op in nested_ops(function):
        blocks += [block for region in op.regions for block in region.blocks]
        for result in op.results:
            _set_type(result)
        if isinstance(op, ViewOp):
            view = memref.ViewOp(op.source, op.byte_shift, [], cast("MemRefType[Any]", op.result.type))
            view.location = op.location
            Rewriter.replace_op(op, view)
    for block in blocks:
        for argument in block.args:
            _set_type(argument)
    old = function.function_type
    inputs, outputs = map(_physical, old.inputs), map(_physical, old.outputs)
    function.properties["function_type"] = FunctionType.from_lists(list(inputs), list(outputs))


def _set_type(value: SSAValue) -> None:
    if layout_map(value.type) is not None:
        Rewriter.replace_value_with_new_type(value, _physical(value.type))


@dataclass(frozen=True)
class NormalizeMemrefsPass(Pass):
    """
    Lower layout maps: give buffers in a layout their physical shapes, row-major, and map the indices of accesses.

    Run it after convert-kernels-to-loops and convert-dma-to-loops: kernels on buffers in a layout are refused.
    """

    name = "normalize-memrefs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        normalize_memrefs(op)
