"""Conversion of parallel kernels, transfers and blocks of sums to calls of a cluster's C runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects import emitc
from ...errors import Diagnostic
from ...ir import element_of, numbers_of, numpy_type, shape_of, where
from ...passes.emitc.buffers import element_index
from ...passes.emitc.builder import INDEX, Builder, Strided, layout_of
from ...passes.emitc.calls import effect, place
from ...passes.emitc.converter import FunctionConverter
from ...passes.emitc.emitters import emits
from .dialects.cluster import DmaCopyOp, DmaOutOp, ForkOp
from .dialects.cluster.im2col import Im2colOp
from .dialects.cluster.sums import DotOp, SumsOp
from .dialects.cluster.unpack import UnpackRowOp

_UNPACK, _DOT = {"tilewright_unpack.h": 2}, {"tilewright_dot.h": 3}
"""The headers, with their ranks, that declare what a core does by itself; the rest is the target's runtime."""


@emits("cluster.dma_begin")
def _dma_begin(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dma_begin`."""
    b = converter.b
    b.values[op.results[0]] = _transfer(b, op, "begin", [], INDEX)


@emits("cluster.dma_in", "cluster.dma_out")
def _dma_copy(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dma_in` and `cluster.dma_out`."""
    b = converter.b
    assert isinstance(op, DmaCopyOp)
    size = numpy_type(element_of(op.far)).itemsize
    far, near = place(b, op, op.far, op.far_at), place(b, op, op.near, op.near_at)
    stride = layout_of(op.far, op).strides[op.axis.value.data] * size if shape_of(op.far) else 0
    is_out = isinstance(op, DmaOutOp)
    row = b.value(op.elements)
    bytes_of_row = row if size == 1 else b.emit(emitc.MulOp, [row, b.integer(size)], INDEX)
    operands = [far, near] if is_out else [near, far]
    sizes = [bytes_of_row, b.value(op.rows), b.integer(stride)]
    _transfer(b, op, "out" if is_out else "in", [*operands, *sizes], None)


@emits("cluster.dma_wait")
def _dma_wait(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dma_wait`."""
    b = converter.b
    _transfer(b, op, "wait", [b.value(op.operands[0])], None)


def _transfer(b: Builder, op: Operation, call: str, operands: list[SSAValue], result: Attribute | None) -> SSAValue:
    """Call a function of the engine that makes an op's transfers."""
    is_external = "external" in op.properties
    b.include_runtime(op, external=is_external)
    return effect(b, f"tw_{'ram' if is_external else 'dma'}_{call}", operands, result)


@emits("cluster.dot", "cluster.window")
def _sums(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dot` and `cluster.window`."""
    b = converter.b
    assert isinstance(op, SumsOp)
    x_steps = _steps(layout_of(op.x, op), numbers_of(op.x_axes), numbers_of(op.steps))
    w_steps = _steps(layout_of(op.w, op), numbers_of(op.w_axes))
    operands = [
        place(b, op, op.x, op.x_at),
        place(b, op, op.w, op.w_at),
        b.value(op.sums),
        *(b.integer(number) for number in (*shape_of(op.sums), *x_steps, *w_steps)),
        b.value(op.rows),
        b.value(op.elements),
        b.integer(0 if op.unsigned is not None else 1),
    ]
    b.headers |= _DOT
    if isinstance(op, DotOp) and op.packed_bits:
        b.headers |= _UNPACK
        operands += [b.integer(op.packed_bits), b.integer(0 if op.unsigned_weights is not None else 1)]
        effect(b, "tw_dot_packed" if op.packed_x is None else "tw_dot_narrow", operands, None)
        return
    effect(b, "tw_dot_block" if isinstance(op, DotOp) else "tw_window_block", operands, None)


@emits("cluster.im2col")
def _im2col(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.im2col`."""
    b = converter.b
    assert isinstance(op, Im2colOp)
    x_steps = _steps(layout_of(op.x, op), numbers_of(op.x_axes), numbers_of(op.x_steps))
    layout = layout_of(op.windows, op)
    rows = replace(layout, shape=layout.shape[:1], strides=layout.strides[:1])
    windows = b.value(op.windows)
    operands = [
        place(b, op, op.x, op.x_at),
        b.emit(emitc.AddOp, [windows, element_index(b, rows, [op.pixel])], windows.type),
        b.value(op.first),
        *(b.integer(number) for number in (op.size.value.data, *x_steps, *numbers_of(op.steps))),
        b.value(op.rows),
        b.value(op.taps),
        b.value(op.elements),
    ]
    b.headers |= _DOT
    if op.packed_bits:
        b.headers |= _UNPACK
        operands.append(b.integer(op.packed_bits))
    effect(b, "tw_pack_window" if op.packed_bits else "tw_im2col", operands, None)


@emits("cluster.unpack")
def _unpack(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.unpack`."""
    b = converter.b
    assert isinstance(op, UnpackRowOp)
    operands = [
        place(b, op, op.packed, op.packed_at),
        place(b, op, op.out, op.out_at),
        b.value(op.count),
        b.integer(op.bits.value.data),
        b.integer(0 if op.unsigned is not None else 1),
    ]
    b.headers |= _UNPACK
    effect(b, "tw_unpack_row", operands, None)


def _steps(layout: Strided, axes: Sequence[int], steps: Sequence[int] = ()) -> list[int]:
    """Return the strides along axes in memory, 0 along none; steps are of 1 where none are given."""
    far = steps or [1] * len(axes)
    return [layout.strides[axis] * step if axis >= 0 else 0 for axis, step in zip(axes, far, strict=True)]


@emits("cluster.fork")
def _fork(converter: FunctionConverter, op: Operation) -> None:
    """
    Convert `cluster.fork`, all that a function does: a loop over the cores, whose turns the cores share in C.

    The function gets the attribute `tilewright.fork`, the number of turns.
    """
    assert isinstance(op, ForkOp)
    others = [other for other in converter.function.regions[0].block.ops if other.name not in (op.name, "func.return")]
    if others or op.parent_op() is not converter.function:
        raise Diagnostic(
            "a kernel is shared among cores in the middle of a function",
            where(op),
            expected="a function that does nothing else",
            remedy="run fork-kernels, which makes it",
        )
    converter.attributes["tilewright.fork"] = op.cores
    converter.b.include_runtime(op)
    body = Block(arg_types=[INDEX])
    body.args[0].name_hint = "core"
    operands = [*(converter.b.value(operand) for operand in op.arguments), body.args[0]]
    target = SymbolRefAttr(converter.state.names[op.callee.string_value()])
    body.add_ops([emitc.CallOp.create(operands=operands, properties={"callee": target}), emitc.YieldOp.create()])
    limits = [converter.b.integer(number) for number in (0, op.cores.value.data, 1)]
    converter.b.ops.append(emitc.ForOp.create(operands=limits, regions=[Region(body)]))
