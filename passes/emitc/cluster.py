"""Conversion of parallel kernels, transfers and blocks of sums to calls of a cluster's C runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import MemRefType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...dialects.cluster import DmaCopyOp, DmaOutOp
from ...dialects.core.c_call import CCall
from ...dialects.core.cluster_im2col import Im2colOp
from ...dialects.core.cluster_sums import DotOp, SumsOp
from ...dialects.core.cluster_unpack import UnpackRowOp
from ...dialects.core.effects import is_pure
from ...ir import element_of, numbers_of, numpy_type, shape_of
from .buffers import element_index
from .builder import INDEX, Builder, Strided, layout_of, scalar_type

DOT = "tilewright_dot.h"
UNPACK = "tilewright_unpack.h"
"""The headers that declare what a core does by itself; the rest is the target's runtime."""

_HOLDS = UnitAttr()


def dma_begin(b: Builder, op: Operation) -> None:
    """Convert `cluster.dma_begin`."""
    b.values[op.results[0]] = _transfer(b, op, "begin", [], INDEX)


def dma_copy(b: Builder, op: Operation) -> None:
    """Convert `cluster.dma_in` and `cluster.dma_out`."""
    assert isinstance(op, DmaCopyOp)
    size = numpy_type(element_of(op.far)).itemsize
    far, near = _place(b, op, op.far, op.far_at), _place(b, op, op.near, op.near_at)
    stride = layout_of(op.far, op).strides[op.axis.value.data] * size if shape_of(op.far) else 0
    is_out = isinstance(op, DmaOutOp)
    row = b.value(op.elements)
    bytes_of_row = row if size == 1 else b.emit(emitc.MulOp, [row, b.integer(size)], INDEX)
    operands = [far, near] if is_out else [near, far]
    sizes = [bytes_of_row, b.value(op.rows), b.integer(stride)]
    _transfer(b, op, "out" if is_out else "in", [*operands, *sizes], None)


def dma_wait(b: Builder, op: Operation) -> None:
    """Convert `cluster.dma_wait`."""
    _transfer(b, op, "wait", [b.value(op.operands[0])], None)


def _transfer(b: Builder, op: Operation, call: str, operands: list[SSAValue], result: Attribute | None) -> SSAValue:
    """Call a function of the engine that makes an op's transfers."""
    is_external = "external" in op.properties
    b.include_runtime(op, external=is_external)
    return _effect(b, f"tw_{'ram' if is_external else 'dma'}_{call}", operands, result)


def sums(b: Builder, op: Operation) -> None:
    """Convert `cluster.dot` and `cluster.window`."""
    assert isinstance(op, SumsOp)
    x_steps = _steps(layout_of(op.x, op), numbers_of(op.x_axes), numbers_of(op.steps))
    w_steps = _steps(layout_of(op.w, op), numbers_of(op.w_axes))
    operands = [
        _place(b, op, op.x, op.x_at),
        _place(b, op, op.w, op.w_at),
        b.value(op.sums),
        *(b.integer(number) for number in (*shape_of(op.sums), *x_steps, *w_steps)),
        b.value(op.rows),
        b.value(op.elements),
        b.integer(0 if op.unsigned is not None else 1),
    ]
    b.headers[DOT] = None
    if isinstance(op, DotOp) and op.packed_bits:
        b.headers[UNPACK] = None
        operands += [b.integer(op.packed_bits), b.integer(0 if op.unsigned_weights is not None else 1)]
        _effect(b, "tw_dot_packed" if op.packed_x is None else "tw_dot_narrow", operands, None)
        return
    _effect(b, "tw_dot_block" if isinstance(op, DotOp) else "tw_window_block", operands, None)


def im2col(b: Builder, op: Operation) -> None:
    """Convert `cluster.im2col`."""
    assert isinstance(op, Im2colOp)
    x_steps = _steps(layout_of(op.x, op), numbers_of(op.x_axes), numbers_of(op.x_steps))
    layout = layout_of(op.windows, op)
    rows = replace(layout, shape=layout.shape[:1], strides=layout.strides[:1])
    windows = b.value(op.windows)
    operands = [
        _place(b, op, op.x, op.x_at),
        b.emit(emitc.AddOp, [windows, element_index(b, rows, [op.pixel])], windows.type),
        b.value(op.first),
        *(b.integer(number) for number in (op.size.value.data, *x_steps, *numbers_of(op.steps))),
        b.value(op.rows),
        b.value(op.taps),
        b.value(op.elements),
    ]
    b.headers[DOT] = None
    if op.packed_bits:
        b.headers[UNPACK] = None
        operands.append(b.integer(op.packed_bits))
    _effect(b, "tw_pack_window" if op.packed_bits else "tw_im2col", operands, None)


def unpack(b: Builder, op: Operation) -> None:
    """Convert `cluster.unpack`."""
    assert isinstance(op, UnpackRowOp)
    operands = [
        _place(b, op, op.packed, op.packed_at),
        _place(b, op, op.out, op.out_at),
        b.value(op.count),
        b.integer(op.bits.value.data),
        b.integer(0 if op.unsigned is not None else 1),
    ]
    b.headers[UNPACK] = None
    _effect(b, "tw_unpack_row", operands, None)


def _steps(layout: Strided, axes: Sequence[int], steps: Sequence[int] = ()) -> list[int]:
    """Return the strides along axes in memory, 0 along none; steps are of 1 where none are given."""
    far = steps or [1] * len(axes)
    return [layout.strides[axis] * step if axis >= 0 else 0 for axis, step in zip(axes, far, strict=True)]


def _place(b: Builder, op: Operation, value: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
    """Return a pointer to an element."""
    base = b.value(value)
    return b.emit(emitc.AddOp, [base, element_index(b, layout_of(value, op), at)], base.type)


def c_call(b: Builder, op: CCall) -> None:
    """Convert an op that is a call of a target's runtime."""
    operands = [b.integer(each) if isinstance(each, int) else _argument(b, op, each) for each in op.c_arguments()]
    result = scalar_type(op.results[0].type, op) if op.results else None
    b.include_runtime(op)
    if is_pure(op) and result is not None:
        value = b.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(op.C_FUNCTION)})
    else:
        value = _effect(b, op.C_FUNCTION, operands, result)
    if op.results:
        b.values[op.results[0]] = value


def _argument(b: Builder, op: Operation, value: SSAValue) -> SSAValue:
    """Return the C argument for a value: for a buffer the pointer to its first element."""
    offset = layout_of(value, op).offset if isinstance(value.type, MemRefType) else 0
    base = b.value(value)
    return b.emit(emitc.AddOp, [base, b.integer(offset)], base.type) if offset else base


def _effect(b: Builder, function: str, operands: list[SSAValue], result: Attribute | None) -> SSAValue:
    """Call a function that does more than to compute its result, which stays where it is."""
    value = b.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(function)})
    b.ops[-1].attributes["tilewright.effect"] = _HOLDS
    return value
