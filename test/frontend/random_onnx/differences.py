"""The differences from ONNX Runtime that docs/onnx-differences.md explains, each by its name there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onnx import ModelProto, NodeProto, helper, numpy_helper


def explained(model: ModelProto, detail: str) -> str:
    """Return the name of the difference that the nodes of a cut-down graph have, empty where there is none."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        given = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        for name, applies in DIFFERENCES.items():
            if applies(node, given, constants, detail):
                return name
    return ""


Given = dict[str, Any]


def _grid_sample(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    cubic = given.get("mode") in (b"cubic", b"bicubic")
    return node.op_type == "GridSample" and cubic and given.get("padding_mode") == b"border"


def _length(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type == "Resize" and len(node.input) == 3 and ", not float" in detail


def _fractional(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    where = given.get("coordinate_transformation_mode")
    scales = constants.get(node.input[2]) if len(node.input) > 2 else None
    return node.op_type == "Resize" and where == b"align_corners" and scales is not None and bool((scales % 1).any())


_EXTREMES = ("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin", "Max", "Min", "Clip", "Relu")


def _nan(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    scattered = node.op_type.startswith("Scatter") and given.get("reduction") in (b"max", b"min")
    return "nan" in detail and (scattered or node.op_type in _EXTREMES)


def _activation_defaults(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    names = {name.decode().lower() for name in given.get("activations", ())}
    without = "activation_alpha" not in given or "activation_beta" not in given
    return (
        node.op_type in ("LSTM", "GRU", "RNN") and without and bool(names & {"affine", "scaledtanh", "thresholdedrelu"})
    )


def _slope(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type == "PRelu" and ", not float" in detail


def _integer_mean(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type == "ReduceMean" and "." not in detail.split(": ")[1].split(" found")[0]


def _transposed_nan(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type == "ConvTranspose" and "nan found" in detail


def _resized_nan(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type == "Resize" and given.get("mode") in (b"linear", b"cubic") and "nan expected" in detail


def _is_same(given: Given) -> bool:
    return given.get("auto_pad") in (b"SAME_UPPER", b"SAME_LOWER")


def _beyond_the_window(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    convolves = node.op_type in ("Conv", "ConvInteger", "QLinearConv")
    pairs = zip(given.get("strides", ()), given.get("kernel_shape", ()), strict=False)
    return convolves and _is_same(given) and any(stride > size for stride, size in pairs)


def _dilated(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    pools = node.op_type in ("AveragePool", "LpPool", "MaxPool")
    return pools and _is_same(given) and any(step > 1 for step in given.get("dilations", ()))


NOT_NUMBERS = "; an input holds not-a-numbers"
"""Last words of the detail of a node with such an input."""


def _index_of_nan(node: NodeProto, given: Given, constants: Given, detail: str) -> bool:
    return node.op_type in ("ArgMax", "ArgMin") and detail.endswith(NOT_NUMBERS)


DIFFERENCES: dict[str, Callable[[NodeProto, Given, Given, str], bool]] = {
    "grid-sample-cubic-border": _grid_sample,
    "resize-length": _length,
    "resize-align-corners-fraction": _fractional,
    "extreme-of-nan": _nan,
    "index-of-nan": _index_of_nan,
    "recurrent-activation-defaults": _activation_defaults,
    "slope-of-more-axes": _slope,
    "integer-mean": _integer_mean,
    "transposed-convolution-of-nan": _transposed_nan,
    "resize-of-nan": _resized_nan,
    "same-padding-beyond-the-window": _beyond_the_window,
    "same-padding-of-dilated-windows": _dilated,
}
"""Name -> whether a node, by its attributes, its constant inputs and what was found, has the difference."""
