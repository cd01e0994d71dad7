"""
Lowerings of ONNX's own quantised operators: QLinearConv, QLinearMatMul, QuantizeLinear, DequantizeLinear.

Zero points leave the sums of products: constant weights are centred beforehand, and what the input's zero point adds to
each sum is a constant that becomes part of the bias. Padding is filled with the input's zero point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, UnitAttr, f32, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body, scalar_attr
from ...dialects.core.onnx_schema import OnnxOp
from ...dialects.nn import ConvOp, MatmulOp, ints
from ...dialects.quant import RescaleOp
from ...ir import Array, element_of, numbers_of, shape_of
from .integer_ranges import range_of_element
from .lowerer import Lowerer, constant_of, is_unsigned, lowers, unsupported
from .standard import compute_type, result_element, windows_of


def _constant(op: OnnxOp, index: int, what: str) -> Array:
    """Return a constant input. Raises Diagnostic where it is computed."""
    values = constant_of(op.node_input(index))
    if values is None:
        raise unsupported(op, f"with {what} that is not constant")
    return values


def _zero(op: OnnxOp, index: int, what: str) -> int:
    """Return a zero point, 0 where there is none. Raises Diagnostic where it is computed or one per channel."""
    if op.node_input(index) is None:
        return 0
    values = _constant(op, index, f"a zero point of {what}")
    if not bool(np.all(values == values.flat[0])):
        raise unsupported(op, f"with more than one zero point of {what}")
    return int(values.flat[0])


def _factors(op: OnnxOp, positions: tuple[int, int, int]) -> Array:
    """Return x_scale * w_scale / y_scale, [1] or one for each channel, each step rounded to f32."""
    x, w, y = (_constant(op, i, "a scale").astype(np.float32) for i in positions)
    if x.size != 1 or y.size != 1:
        raise unsupported(op, "with more than one scale of an activation")
    return (np.float32(x.flat[0]) * w.reshape(-1) / np.float32(y.flat[0])).astype(np.float32)


def _padded(lower: Lowerer, x: SSAValue, pads: Sequence[int], fill: int) -> SSAValue:
    """Return x [N, C, spatial...] with `pads`, the leading and then the trailing ones, of a number around it."""
    if not any(pads):
        return x
    shape, rank = shape_of(x), len(pads) // 2
    low, high = [0, 0, *pads[:rank]], [0, 0, *pads[rank:]]
    element = cast(Any, element_of(x))
    block = Block(arg_types=[IndexType()] * len(shape))
    constant = arith.ConstantOp(cast("IntegerAttr[Any]", scalar_attr(fill, element)))
    block.add_ops([constant, tensor.YieldOp(constant.result)])
    full = [a + size + b for a, size, b in zip(low, shape, high, strict=True)]
    return lower.emit(tensor.PadOp(x, [], [], Region(block), low, high, TensorType(element, full)))


def _centred(values: Array, zero: Array | int) -> tuple[Array, Attribute]:
    """Return weights less their zero points, and the type that holds them."""
    numbers = values.astype(np.int64) - zero
    narrow = not numbers.size or (numbers.min() >= -128 and numbers.max() <= 127)
    return numbers.astype(np.int8 if narrow else np.int16), i8 if narrow else i16


def _requantised(
    lower: Lowerer, op: OnnxOp, total: SSAValue, bias: Array, factors: Array, zero: int, axis: int
) -> SSAValue:
    """Append the kernel that adds a bias to sums, both one per element of an axis, and brings them to the result."""
    shape, element, compute = shape_of(total), result_element(op), element_of(total)
    channels = shape[axis]
    along = AffineMap(len(shape), 0, (AffineMap.identity(len(shape)).results[axis],))
    limits = range_of_element(element_of(op.results[0]))
    values, maps, types = [total], [AffineMap.identity(len(shape))], [compute]
    for numbers, type in ((bias, compute), (factors, f32)):
        if not bool(np.all(numbers == numbers.flat[0])):
            values.append(lower.constant(np.broadcast_to(numbers, channels), type))
            maps.append(along)
            types.append(type)
    body = Body([*types, element])
    arguments = iter(body.args[1:])
    terms = [
        next(arguments) if not bool(np.all(numbers == numbers.flat[0])) else body.constant(numbers.flat[0].item(), type)
        for numbers, type in ((bias, compute), (factors, f32))
    ]
    value = body.add(body.args[0], terms[0]) if bias.any() else body.args[0]
    rescaled = RescaleOp(value, terms[1], zero=zero, low=limits.low, high=limits.high, type=element)
    return lower.generic(values, maps, shape, element, body.finish(body.op(rescaled)))


@lowers("QLinearConv")
def _qlinear_conv(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, w = op.operands[0], op.operands[3]
    weight = _constant(op, 3, "a weight")
    zeros = _constant(op, 5, "a zero point of the weight").astype(np.int64).reshape(-1, *(1,) * (weight.ndim - 1))
    centred, type = _centred(weight, zeros)
    x_zero = _zero(op, 2, "the input")
    bias = _constant(op, 8, "a bias").astype(np.int64) if op.node_input(8) is not None else np.zeros(1, np.int64)
    bias = bias - x_zero * centred.astype(np.int64).reshape(len(centred), -1).sum(axis=1)
    windows = windows_of(op, shape_of(w)[2:])
    source = _padded(lower, lower[x], numbers_of(windows["pads"]), x_zero)
    properties: dict[str, Attribute | None] = {
        **windows,
        "pads": ints([0] * len(numbers_of(windows["pads"]))),
        "groups": scalar_attr(op.attribute("group"), i64),
        "accumulator": compute_type(op),
    }
    out = lower.empty(shape_of(op.results[0]), compute_type(op))
    unsigned = [0] if is_unsigned(x) else []
    total = lower.emit(ConvOp([source, lower.constant(centred, type)], out, properties, unsigned=unsigned))
    factors = _factors(op, (1, 4, 6))
    return [_requantised(lower, op, total, bias, factors, _zero(op, 7, "the result"), 1)]


@lowers("QLinearMatMul")
def _qlinear_matmul(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    a, b = op.operands[0], op.operands[3]
    values = constant_of(b)
    if values is None or values.ndim != 2 or len(shape_of(a)) < 2:
        raise unsupported(op, "with a second operand that is no constant matrix")
    zeros = _constant(op, 5, "a zero point of the second operand").astype(np.int64)
    centred, type = _centred(values, zeros.reshape(-1))
    a_zero = _zero(op, 2, "the first operand")
    bias = -a_zero * centred.astype(np.int64).sum(axis=0)
    shape = shape_of(op.results[0])
    rows = [int(np.prod(shape[:-1])), shape[-1]]
    source = lower.reshape(lower[a], [rows[0], shape_of(a)[-1]])
    weight = lower.constant(np.ascontiguousarray(centred.T), type)
    properties: dict[str, Attribute | None] = {"accumulator": compute_type(op), "transpose_b": UnitAttr()}
    unsigned = [0] if is_unsigned(a) else []
    out = lower.empty(rows, compute_type(op))
    total = lower.emit(MatmulOp([source, weight], out, properties, unsigned=unsigned))
    factors = _factors(op, (1, 4, 6))
    result = _requantised(lower, op, total, bias, factors, _zero(op, 7, "the result"), 1)
    return [lower.reshape(result, shape)]


def _along(op: OnnxOp, numbers: Array) -> AffineMap:
    """Return the map from an element to its scale or zero point: one for all, or one along the op's axis."""
    rank = len(shape_of(op.operands[0]))
    if numbers.size == 1:
        none: tuple[AffineExpr, ...] = ()
        return AffineMap(rank, 0, none)
    if numbers.ndim != 1 or numbers.size != shape_of(op.operands[0])[op.attribute("axis") % rank]:
        raise unsupported(op, "by blocks")
    return AffineMap(rank, 0, (AffineMap.identity(rank).results[int(op.attribute("axis")) % rank],))


def _scales(lower: Lowerer, op: OnnxOp) -> tuple[Array, list[SSAValue], list[AffineMap]]:
    """Return the scales; as an input of a kernel and with its map where there are several."""
    scales = _constant(op, 1, "a scale").astype(np.float32)
    map = _along(op, scales)
    return (scales, [], []) if scales.size == 1 else (scales, [lower.constant(scales, f32)], [map])


@lowers("QuantizeLinear")
def _quantize_linear(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = lower[op.operands[0]]
    scales, inputs, maps = _scales(lower, op)
    element, shape = result_element(op), shape_of(x)
    limits = range_of_element(element_of(op.results[0]))
    body = Body([element_of(x), *(f32 for _ in inputs), element])
    value = body.convert(body.args[0], f32, unsigned=is_unsigned(op.operands[0]))
    scaled = body.div(value, body.args[1] if inputs else scales.item())
    one = body.constant(1.0, f32)
    zero = _zero(op, 2, "the result")
    rounded = body.op(RescaleOp(scaled, one, zero=zero, low=limits.low, high=limits.high, type=element))
    return [lower.generic([x, *inputs], [AffineMap.identity(len(shape)), *maps], shape, element, body.finish(rounded))]


@lowers("DequantizeLinear")
def _dequantize_linear(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    source = op.operands[0]
    x, zero = lower[source], _zero(op, 2, "the input")
    scales, inputs, maps = _scales(lower, op)
    shape, element = shape_of(x), element_of(x)
    if element not in (i8, i16, i32) or result_element(op) != f32:
        raise unsupported(op, f"from {element} to {result_element(op)}")
    body = Body([element, *(f32 for _ in inputs), f32])
    centred = body.convert(body.args[0], i32, unsigned=is_unsigned(source))
    centred = body.sub(centred, zero) if zero else centred
    real = body.mul(body.convert(centred, f32), body.args[1] if inputs else scales.item())
    return [lower.generic([x, *inputs], [AffineMap.identity(len(shape)), *maps], shape, f32, body.finish(real))]
