"""Value ranges of buffers: interval analysis of constants and of the scalar code of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of
from ...ir import DenseAttr, array_of, integer_width
from ..loops.affine import axes_of
from ..memory.views import VIEWS

Ranges = dict[SSAValue, Range | None]
"""Value or buffer -> value range, as signed integers of its type; None if unbounded."""


def ranges_of(function: func.FuncOp, module: ModuleOp) -> Callable[[SSAValue], Range | None]:
    """
    Analyse the value ranges of a function's buffers; return the query for a buffer or a view of it.

    Arguments and state are unbounded, and so are writes in loops or branches and by ops other than kernels, views and
    copies. Unsigned bytes are in two's complement, from -128 on.
    """
    constants = {op.sym_name.data: op for op in module.ops if isinstance(op, memref.GlobalOp)}
    buffers: Ranges = dict.fromkeys(function.args)
    for op in function.body.block.ops:
        _visit(op, buffers, constants)
    return lambda value: buffers.get(_root(value))


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value


def _visit(op: Operation, buffers: Ranges, constants: dict[str, memref.GlobalOp]) -> None:
    if isinstance(op, memref.GetGlobalOp):
        buffers[op.memref] = _constant(constants.get(op.name_.root_reference.data))
    elif isinstance(op, memref.CopyOp):
        _write(op.destination, buffers.get(_root(op.source)), buffers)
    elif is_kernel(op):
        kernel = kernel_of(op)
        for access, written in zip(kernel.outputs, _outputs(kernel, buffers), strict=True):
            _write(access.value, written, buffers)
    elif not isinstance(op, (memref.AllocOp, memref.DeallocOp, *VIEWS)) and not op.has_trait(IsTerminator):
        for value in {value for inner in op.walk() for value in inner.operands if is_shaped(value)}:
            buffers[_root(value)] = None


def _write(buffer: SSAValue, written: Range | None, buffers: Ranges) -> None:
    root = _root(buffer)
    before = buffers.get(root, written)
    buffers[root] = None if before is None or written is None else before | written


def _constant(definition: memref.GlobalOp | None) -> Range | None:
    value = definition.properties.get("initial_value") if definition is not None else None
    if definition is None or definition.constant is None or not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    element = cast("MemRefType[Any]", definition.type).element_type
    if integer_width(element) is None:
        return None
    return Range.of_array(array_of(cast(DenseAttr, value)))


# Kernels


def _outputs(kernel: Kernel, buffers: Ranges) -> list[Range | None]:
    """Return the value range of each output that a kernel writes."""
    inputs = [_element(access, kernel, buffers) for access in kernel.inputs]
    values = [_fold(kernel, number, inputs, buffers) for number in range(len(kernel.reductions))]
    if kernel.result is not None:
        values = _yielded(kernel.result, [*inputs, *values], buffers)
    if kernel.epilogue is not None:
        values = _yielded(
            kernel.epilogue, [*values, *(_element(access, kernel, buffers) for access in kernel.extras)], buffers
        )
    return values


def _element(access: Access, kernel: Kernel, buffers: Ranges) -> Range | None:
    """Return the value range of an operand's elements, joined with the fill where a kernel reads outside of it."""
    interval = buffers.get(_root(access.value)) if is_shaped(access.value) else ValueRanges().of(access.value)
    fill = access.fill
    if interval is None or not any(axis.low or axis.high for axis in axes_of(access, kernel.bounds)):
        return interval
    return interval | Range(fill.value.data, fill.value.data) if isinstance(fill, IntegerAttr) else None


def _fold(kernel: Kernel, number: int, inputs: Sequence[Range | None], buffers: Ranges) -> Range | None:
    """Return the value range of an accumulator: a fixed point that one more step preserves."""
    reduction = kernel.reductions[number]
    (initial, *others) = reduction.initial
    if others or number or not isinstance(initial, IntegerAttr):
        return None
    start = Range(initial.value.data, initial.value.data)
    once = _yielded(reduction.body, [*inputs, start], buffers)[0]
    again = _yielded(reduction.body, [*inputs, once], buffers)[0]
    if once is None or again is None or again not in once:
        return None
    return once | start if kernel.points == 0 else once


def _yielded(body: Block, arguments: Sequence[Range | None], buffers: Ranges) -> list[Range | None]:
    """Return the value ranges that scalar code yields."""
    if body.last_op is None:
        return []
    pairs = zip(body.args, arguments, strict=False)
    intervals: Ranges = {value: interval for value, interval in pairs if interval is not None}
    ranges = ValueRanges(intervals, lambda value: buffers.get(_source(value)))
    return [ranges.of(value) for value in body.last_op.operands]


def _source(value: SSAValue) -> SSAValue:
    """Return the buffer that a value is loaded from, the value itself where it is none."""
    return _root(value.owner.memref) if isinstance(value.owner, memref.LoadOp) else value
