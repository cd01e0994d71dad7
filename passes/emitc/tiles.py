"""Conversion of tiles of convolutions to calls of `tilewright_vector.h` and `tilewright_float_tile.h`."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, i64
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_OpaqueAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.body import is_float
from ...dialects.packed.tiles import LANES, MatmulTileOp, TileOp
from ...ir import element_of, numbers_of, shape_of
from .buffers import element_index
from .builder import Builder, Strided, layout_of, pointer, scalar_type

HEADERS = {
    "tw_dot_tile": "tilewright_vector.h",
    "tw_depthwise_tile": "tilewright_vector.h",
    "tw_float_dot_tile": "tilewright_float_tile.h",
    "tw_float_depthwise_tile": "tilewright_float_tile.h",
    "tw_float_matmul_tile": "tilewright_float_tile.h",
}
"""Function -> the header that provides it."""


def local_array(b: Builder, op: Operation) -> None:
    """Convert `memref.alloca` to an array of the function."""
    type_ = cast("MemRefType[Any]", op.results[0].type)
    element = scalar_type(type_.get_element_type(), op)
    count = 1
    for size in layout_of(op.results[0], op).shape:
        count *= size
    array = EmitC_ArrayType([max(count, 1)], cast(Any, element))
    made = emitc.VariableOp.create(result_types=[array], properties={"value": EmitC_OpaqueAttr(StringAttr(""))})
    given = cast("IntegerAttr[Any] | None", op.properties.get("alignment"))
    if given is not None:
        made.attributes["tilewright.alignment"] = IntegerAttr(given.value.data, i64)
    made.result.name_hint = op.results[0].name_hint or "sums"
    b.ops.append(made)
    b.values[op.results[0]] = b.cast(made.result, pointer(element))


def dot_tile(b: Builder, op: Operation) -> None:
    """Convert `packed.dot_tile`."""
    assert isinstance(op, TileOp)
    x, w, geometry = _operands(b, op)
    block = layout_of(op.w, op).strides[0]
    rows, row_step, taps, step = geometry
    channels = op.channels.value.data if op.channels is not None else shape_of(op.x)[-1]
    blocks = op.lanes // LANES
    if is_float(element_of(op.sums)):
        runs = _runs(op, taps, channels)
        _call(b, "tw_float_dot_tile", op, [x, w], [op.pixels, step, rows, row_step, *runs, blocks, block])
        return
    sizes = [op.pixels, step, rows, row_step, taps * channels, blocks, block]
    _call(b, "tw_dot_tile", op, [x, w], [*sizes, 0 if op.unsigned is not None else _TOP_BITS])


def _runs(op: TileOp, taps: int, channels: int) -> tuple[int, int, int]:
    """Return in how many runs a row of a window lies in x, how far apart, and the length of each."""
    apart = numbers_of(op.dilations)[-1] * layout_of(op.x, op).strides[-2] if taps > 1 else channels
    return (1, 0, taps * channels) if apart == channels else (taps, apart, channels)


def matmul_tile(b: Builder, op: Operation) -> None:
    """Convert `packed.matmul_tile`."""
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


_TOP_BITS = 0x80808080
"""What makes signed bytes unsigned: 128 more."""


def depthwise_tile(b: Builder, op: Operation) -> None:
    """Convert `packed.depthwise_tile`."""
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
    _call(b, "tw_depthwise_tile", op, [x, w], [*sizes, signed])


def _operands(b: Builder, op: TileOp) -> tuple[SSAValue, SSAValue, tuple[int, int, int, int]]:
    """Return pointers to x and w and, in elements of x: rows, their stride, taps of a row, the stride of pixels."""
    layout, weights = layout_of(op.x, op), layout_of(op.w, op)
    indexed = len(op.at)
    at = Strided(layout.shape[:indexed], layout.strides[:indexed], layout.offset)
    x = _advanced(b, b.value(op.x), element_index(b, at, op.at))
    places = [0] * (len(weights.shape) - 1)
    axis = 0 if op.name == "packed.dot_tile" else len(places)
    strides = (weights.strides[axis],)
    w = _advanced(
        b, b.value(op.w), element_index(b, Strided((weights.shape[axis],), strides, weights.offset), [op.first])
    )
    kernel, dilations = numbers_of(op.kernel), numbers_of(op.dilations)
    rows, taps = (kernel[0] if len(kernel) > 1 else 1), (kernel[-1] if kernel else 1)
    row_step = dilations[0] * layout.strides[1] if len(kernel) > 1 else 0
    return x, w, (rows, row_step, taps, op.step.value.data * layout.strides[-2])


def _advanced(b: Builder, base: SSAValue, index: SSAValue) -> SSAValue:
    return b.emit(emitc.AddOp, [base, index], base.type)


def _call(b: Builder, function: str, op: TileOp | MatmulTileOp, pointers: list[SSAValue], sizes: list[int]) -> None:
    b.called[function] = None
    operands = [*pointers, b.value(op.sums), *(b.integer(size) for size in sizes)]
    b.emit(emitc.CallOpaqueOp, operands, None, {"callee": StringAttr(function)})
