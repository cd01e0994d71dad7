"""Expansions of quantised operators of ONNX Runtime: dequantise, compute, quantise."""

from __future__ import annotations

from onnx import TensorProto

from ..site import Site, replaces


def _real(site: Site, first: int) -> str:
    """Append the dequantisation of a tensor whose scale and zero point are the inputs after it."""
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
    """Normalise along one axis, or up to opset 12 over all axes from it on."""
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


@replaces("QLinearAveragePool")
def _average(site: Site) -> None:
    if site.attribute("channels_last"):
        raise site.unsupported("with its channels last", "the form with channels after the batch")
    own = {name: value for name, value in site.given.items() if name != "channels_last"}
    steps = site.emit("Div", site.emit("AveragePool", _real(site, 0), **own), site.input(3))
    # ONNX Runtime rounds the sum with the zero point: halves go to the even result.
    zero, kind = site.input(4), site.kind(0)
    shifted = site.sum(steps, site.cast(zero, kind, TensorProto.FLOAT) if zero else "")
    site.give(0, site.emit("QuantizeLinear", shifted, site.number(1.0, TensorProto.FLOAT), output_dtype=kind))


@replaces("QLinearWhere")
def _where(site: Site) -> None:
    _give(site, site.emit("Where", site.input(0), _real(site, 1), _real(site, 4)), 7)


@replaces("QGemm")
def _gemm(site: Site) -> None:
    """
    Multiply integers less their zero points, add those of the bias, and scale the sum.

    y = (a - za) (b - zb) + c, of int32, times alpha * a_scale * b_scale: floats, or quantised by y_scale.
    """
    a, b = (site.input(index) for index in (0, 3))
    a = site.emit("Transpose", a, perm=[1, 0]) if site.attribute("transA") else a
    b = site.emit("Transpose", b, perm=[1, 0]) if site.attribute("transB") else b
    total = site.sum(site.emit("MatMulInteger", a, b, site.input(2), site.input(5)), site.input(6))
    alpha = site.number(float(site.attribute("alpha")), TensorProto.FLOAT)
    scale = site.emit("Mul", site.emit("Mul", alpha, site.input(1)), site.input(4))
    is_real = not site.input(7)
    scale = scale if is_real else site.emit("Div", scale, site.input(7))
    real = site.emit("Mul", site.cast(total, TensorProto.INT32, TensorProto.FLOAT), scale)
    if is_real:
        site.give(0, real)
        return
    one = site.number(1.0, TensorProto.FLOAT)
    if site.input(8):
        site.give(0, site.emit("QuantizeLinear", real, one, site.input(8)))
    else:
        site.give(0, site.emit("QuantizeLinear", real, one, output_dtype=site.kind(0)))


@replaces("QLinearConcat")
def _concat(site: Site) -> None:
    parts = [_real(site, first) for first in range(2, len(site.node.input), 3)]
    site.give(
        0, site.emit("QuantizeLinear", site.emit("Concat", *parts, axis=site.attribute("axis")), *site.node.input[:2])
    )


@replaces("DynamicQuantizeMatMul")
def _dynamic_matmul(site: Site) -> None:
    a, scale, zero = site.emit_many("DynamicQuantizeLinear", [site.input(0)], 3)
    product = site.integer_product(a, site.input(1), (zero, site.input(3)), (scale, site.input(2)))
    site.give(0, site.sum(product, site.input(4)))


@replaces("MatMulIntegerToFloat")
def _scaled_matmul(site: Site) -> None:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = (site.input(index) for index in range(7))
    site.give(0, site.sum(site.integer_product(a, b, (a_zero, b_zero), (a_scale, b_scale)), bias))
