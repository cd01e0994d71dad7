"""Quantised operators of ONNX Runtime as what they come to: dequantised, computed, quantised."""

from __future__ import annotations

from onnx import TensorProto

from ..site import Site, replaces


def _real(site: Site, first: int) -> str:
    """Append the numbers that a quantised tensor stands for; its scale and zero point are the inputs after it."""
    return site.emit("DequantizeLinear", *filter(None, site.node.input[first : first + 3]))


def _give(site: Site, real: str, scale: int) -> None:
    """Give numbers as the quantised result; its scale and zero point are the inputs from `scale` on."""
    zero = site.input(scale + 1)
    if zero:
        site.give(0, site.emit("QuantizeLinear", real, site.input(scale), zero))
    else:
        site.give(0, site.emit("QuantizeLinear", real, site.input(scale), output_dtype=site.kind(0)))


def _binary(op: str) -> None:
    @replaces(f"QLinear{op}")
    def rule(site: Site) -> None:
        _give(site, site.emit(op, _real(site, 0), _real(site, 3)), 6)

    assert rule


for _name in ("Add", "Mul"):
    _binary(_name)


@replaces("QLinearSigmoid")
def _sigmoid(site: Site) -> None:
    _give(site, site.emit("Sigmoid", _real(site, 0)), 3)


@replaces("QLinearLeakyRelu")
def _leaky_relu(site: Site) -> None:
    _give(site, site.emit("LeakyRelu", _real(site, 0), alpha=site.attribute("alpha")), 3)


@replaces("QLinearSoftmax")
def _softmax(site: Site) -> None:
    """Normalise one axis, or before opset 13 all from it on."""
    shape = site.shape(0)
    axis = int(site.attribute("axis")) % len(shape)
    real = _real(site, 0)
    if int(site.attribute("opset")) >= 13 or axis == len(shape) - 1:
        _give(site, site.emit("Softmax", real, axis=axis), 3)
        return
    flat = site.emit("Softmax", site.emit("Flatten", real, axis=axis), axis=-1)
    _give(site, site.reshape(flat, *shape), 3)


@replaces("QLinearGlobalAveragePool")
def _global_average(site: Site) -> None:
    rank, last = len(site.shape(0)), bool(site.attribute("channels_last"))
    axes = site.sizes(*range(1 if last else 2, rank - 1 if last else rank))
    _give(site, site.emit("ReduceMean", _real(site, 0), axes, keepdims=1), 3)


@replaces("QLinearConcat")
def _concat(site: Site) -> None:
    parts = [_real(site, first) for first in range(2, len(site.node.input), 3)]
    site.give(
        0, site.emit("QuantizeLinear", site.emit("Concat", *parts, axis=site.attribute("axis")), *site.node.input[:2])
    )


def _product(site: Site, a: str, b: str, zeros: tuple[str, str], scales: tuple[str, str], bias: str) -> None:
    """Give the product of integers, scaled: one scale for the first, one or one for each column for the second."""
    operands = [a, b, *zeros]
    while not operands[-1]:
        operands.pop()
    total = site.cast(site.emit("MatMulInteger", *operands), TensorProto.INT32, TensorProto.FLOAT)
    site.give(0, site.sum(site.emit("Mul", total, site.emit("Mul", *scales)), bias))


@replaces("DynamicQuantizeMatMul")
def _dynamic_matmul(site: Site) -> None:
    a, scale, zero = site.emit_many("DynamicQuantizeLinear", [site.input(0)], 3)
    _product(site, a, site.input(1), (zero, site.input(3)), (scale, site.input(2)), site.input(4))


@replaces("MatMulIntegerToFloat")
def _scaled_matmul(site: Site) -> None:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = (site.input(index) for index in range(7))
    _product(site, a, b, (a_zero, b_zero), (a_scale, b_scale), bias)
