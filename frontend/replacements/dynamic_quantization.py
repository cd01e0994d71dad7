"""DynamicQuantizeLinear by primitives, with a scale of 1 for zeros, as in ONNX Runtime."""

from __future__ import annotations

from onnx import TensorProto

from ..site import Site, expands

_STEPS = 255.0
"""Steps of an unsigned byte."""


@expands("DynamicQuantizeLinear")
def _dynamic_quantize_linear(site: Site) -> None:
    """
    Make up the operator as its function body in ONNX does, but for the scale of a range of 0.

    The body divides by that scale, which is 0 there; ONNX Runtime takes 1.
    """
    x, zero, most = site.input(0), site.number(0.0, TensorProto.FLOAT), site.number(_STEPS, TensorProto.FLOAT)
    low = site.emit("Min", site.emit("ReduceMin", x, keepdims=0), zero)
    high = site.emit("Max", site.emit("ReduceMax", x, keepdims=0), zero)
    reach = site.emit("Sub", high, low)
    one = site.number(1.0, TensorProto.FLOAT)
    scale = site.emit("Where", site.emit("Equal", reach, zero), one, site.emit("Div", reach, most))
    least = site.emit("Sub", zero, site.emit("Div", low, scale))
    point = site.emit("Round", site.emit("Clip", least, zero, most))
    point = site.emit("Cast", point, to=TensorProto.UINT8)
    site.give(0, site.emit("QuantizeLinear", x, scale, point))
    site.give(1, scale)
    site.give(2, point)
