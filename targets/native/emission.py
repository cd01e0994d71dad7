"""Conversion of tiles of convolutions and products to calls of C functions with vector instructions."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import StringAttr, bf16, f32, i8
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.scalars import is_float
from ...ir import element_of, numbers_of, shape_of
from ...passes.emitc.buffers import element_index, local_array
from ...passes.emitc.builder import EmitcBuilder, Strided, layout_of
from ...passes.emitc.converter import FunctionConverter
from ...passes.emitc.emitters import emits
from .dialects.packed.ordered_tile import OrderedTileOp, copy_pitch
from .dialects.packed.tiles import LANES, DotTileOp, MatmulTileOp, TileOp

_BYTES, _FLOATS = {"tilewright_vector.h": 2}, {"tilewright_float_tile.h": 2}
"""The headers, with their ranks, that declare the functions of tiles: sums of i32, and of f32."""
_DEPTHWISE_BYTES, _ORDERED_BYTES = {"tilewright_depthwise.h": 3}, {"tilewright_ordered.h": 3}
"""The headers of depthwise tiles of bytes, and of those of ordered weights, which build on that of dense ones."""


@emits("packed.dot_tile")
def _dot_tile(converter: FunctionConverter, op: Operation) -> None:
    """Convert `packed.dot_tile`."""
    b = converter.b
    assert isinstance(op, TileOp)
    x, w, geometry = _operands(b, op)
    block = layout_of(op.w, op).strides[0]
    rows, row_step, taps, step = geometry
    channels = op.channels.value.data if op.channels is not None else shape_of(op.x)[-1]
    blocks = op.lanes // LANES
    if is_float(element_of(op.sums)):
        runs = _runs(op, taps, channels)
        _call(b, _FLOAT_DOTS[element_of(op.w)], op, [x, w], [op.pixels, step, rows, row_step, *runs, blocks, block])
        return
    sizes = [op.pixels, step, rows, row_step, taps * channels, blocks, block]
    _call(b, "tw_dot_tile", op, [x, w], [*sizes, _flip(op)])


@emits("packed.ordered_tile")
def _ordered_tile(converter: FunctionConverter, op: Operation) -> None:
    """Convert `packed.ordered_tile`."""
    b = converter.b
    assert isinstance(op, OrderedTileOp)
    x, _, (rows, row_step, _, step) = _operands(b, op)
    b.headers |= _ORDERED_BYTES
    pitch = copy_pitch(rows, (op.pixels - 1) * step + op.run, op.run, is_signed=op.unsigned is None)
    copy = memref.AllocaOp.get(i8, shape=[max(1, rows * pitch)], alignment=32)
    copy.location = op.location
    copy.memref.name_hint = "copy"
    local_array(b, copy)
    sizes = [op.pixels, step, rows, row_step, op.run, pitch, op.lanes // LANES, _flip(op)]
    _call(b, "tw_ordered_tile", op, [x, b.value(op.w), b.value(op.first), b.values[copy.memref]], sizes)


_FLOAT_DOTS: dict[Attribute, str] = {f32: "tw_float_dot_tile", bf16: "tw_bf16_dot_tile", i8: "tw_byte_dot_tile"}
"""Functions of sums of floats by the element type of the weights."""


def _runs(op: TileOp, taps: int, channels: int) -> tuple[int, int, int]:
    """Return the contiguous runs of a row of a window in x: their count, stride and length, in elements."""
    stride = numbers_of(op.dilations)[-1] * layout_of(op.x, op).strides[-2] if taps > 1 else channels
    return (1, 0, taps * channels) if stride == channels else (taps, stride, channels)


@emits("packed.matmul_tile")
def _matmul_tile(converter: FunctionConverter, op: Operation) -> None:
    """Convert `packed.matmul_tile`."""
    b = converter.b
    assert isinstance(op, MatmulTileOp)
    places: list[SSAValue] = []
    for value, at, summed in ((op.a, op.a_at, -1), (op.b, op.b_at, -2)):
        whole = layout_of(value, op)
        shape, strides = list(whole.shape), list(whole.strides)
        del shape[summed], strides[summed]
        index = element_index(b, Strided(tuple(shape), tuple(strides), whole.offset), at)
        places.append(_advanced(b, b.value(value), index))
    (rows, lanes), depth = shape_of(op.sums), shape_of(op.a)[-1]
    step, following = layout_of(op.a, op).strides[-2], layout_of(op.b, op).strides[-2]
    _call(b, "tw_float_matmul_tile", op, places, [rows, step, depth, following, lanes // LANES, op.columns.value.data])


def _flip(op: TileOp) -> int:
    """Return the mask that turns the four bytes of a word of x into unsigned ones, 128 higher where they are signed."""
    return 0 if op.unsigned is not None else 0x80808080


@emits("packed.depthwise_tile")
def _depthwise_tile(converter: FunctionConverter, op: Operation) -> None:
    """Convert `packed.depthwise_tile`."""
    b = converter.b
    assert isinstance(op, TileOp)
    layout = layout_of(op.x, op)
    x, w, (rows, row_step, taps, step) = _operands(b, op)
    dilations = numbers_of(op.dilations)
    tap_step = layout.strides[-2] * (dilations[-1] if dilations else 1)
    channels = shape_of(op.x)[-1]
    signed = 0 if op.unsigned is not None else 1
    sizes = [op.pixels, step, rows, row_step, taps, tap_step, op.lanes, channels]
    # The first channel moves x as well as w.
    if b.known(op.first) != 0:
        x = b.emit(emitc.AddOp, [x, b.value(op.first)], x.type)
    if is_float(element_of(op.sums)):
        _call(b, "tw_float_depthwise_tile", op, [x, w], sizes)
        return
    b.headers |= _DEPTHWISE_BYTES
    _call(b, "tw_depthwise_tile", op, [x, w], [*sizes, signed])


def _operands(b: EmitcBuilder, op: TileOp) -> tuple[SSAValue, SSAValue, tuple[int, int, int, int]]:
    """Return pointers to x and w and, in elements of x: rows, their stride, taps of a row, the stride of pixels."""
    layout, weights = layout_of(op.x, op), layout_of(op.w, op)
    indexed = len(op.at)
    at = Strided(layout.shape[:indexed], layout.strides[:indexed], layout.offset)
    x = _advanced(b, b.value(op.x), element_index(b, at, op.at))
    axis = 0 if isinstance(op, DotTileOp) else len(weights.shape) - 1
    first = Strided((weights.shape[axis],), (weights.strides[axis],), weights.offset)
    w = _advanced(b, b.value(op.w), element_index(b, first, [op.first]))
    kernel, dilations = numbers_of(op.kernel), numbers_of(op.dilations)
    rows, taps = (kernel[0] if len(kernel) > 1 else 1), (kernel[-1] if kernel else 1)
    row_step = dilations[0] * layout.strides[1] if len(kernel) > 1 else 0
    return x, w, (rows, row_step, taps, op.step.value.data * layout.strides[-2])


def _advanced(b: EmitcBuilder, base: SSAValue, index: SSAValue) -> SSAValue:
    return b.emit(emitc.AddOp, [base, index], base.type)


def _call(
    b: EmitcBuilder, function: str, op: TileOp | MatmulTileOp, pointers: list[SSAValue], sizes: list[int]
) -> None:
    b.headers |= _FLOATS if is_float(element_of(op.sums)) else _BYTES
    operands = [*pointers, b.value(op.sums), *(b.integer(size) for size in sizes)]
    b.emit(emitc.CallOpaqueOp, operands, None, {"callee": StringAttr(function)})
