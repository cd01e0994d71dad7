"""How tiles of convolutions become calls of the functions of `tilewright_vector.h` and `tilewright_float_tile.h`."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, i64
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_OpaqueAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.body import is_float
from ...dialects.packed import LANES, TileOp
from ...ir import element_of, numbers_of, shape_of
from .buffers import element_index
from .builder import Builder, Strided, layout_of, pointer, scalar_type

HEADERS = {
    "tw_dot_tile": "tilewright_vector.h",
    "tw_depthwise_tile": "tilewright_vector.h",
    "tw_float_dot_tile": "tilewright_float_tile.h",
    "tw_float_depthwise_tile": "tilewright_float_tile.h",
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
    run = taps * shape_of(op.x)[-1]
    blocks = op.lanes // LANES
    sizes = [op.pixels, step, rows, row_step, run, blocks, block]
    if is_float(element_of(op.sums)):
        _call(b, "tw_float_dot_tile", op, [x, w], sizes)
        return
    _call(b, "tw_dot_tile", op, [x, w], [*sizes, 0 if op.unsigned is not None else _TOP_BITS])


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
    """Return where x and w begin, and in elements of x: rows, how far apart, taps of a row, how far apart pixels."""
    layout, weights = layout_of(op.x, op), layout_of(op.w, op)
    at = Strided(layout.shape[:-1], layout.strides[:-1], layout.offset)
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


def _call(b: Builder, function: str, op: TileOp, pointers: list[SSAValue], sizes: list[int]) -> None:
    b.called[function] = None
    operands = [*pointers, b.value(op.sums), *(b.integer(size) for size in sizes)]
    b.emit(emitc.CallOpaqueOp, operands, None, {"callee": StringAttr(function)})
