"""What ONNX's inference lets pass and no kernel could compute: sizes that do not match, scales of zero, NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import NodeProto

from ..dialects.core.onnx_custom import DOMAIN, broadcasts_to, channel_shape
from ..errors import Diagnostic
from .onnx_graph import Graph
from .order import where_node
from .shapes import Infos


def check_nodes(graph: Graph, infos: Infos) -> None:
    """Raise Diagnostic for the first node whose constants or shapes make no sense; all shapes must be known."""
    for node in graph.nodes:
        for check in CHECKS.get((node.domain, node.op_type), ()):
            check(graph, infos, node)


def _shape(infos: Infos, node: NodeProto, index: int) -> tuple[int, ...] | None:
    if index >= len(node.input) or not node.input[index]:
        return None
    return infos[node.input[index]].shape  # pyright: ignore[reportReturnType]


def _attribute(node: NodeProto, name: str, default: int) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), default)


def _misfit(node: NodeProto, what: str, expected: Any, found: Any) -> Diagnostic:
    return Diagnostic(
        f"{what} of {node.op_type} does not fit its input",
        where=where_node(node),
        expected=str(expected),
        found=str(found),
        remedy="correct the shapes in the model, or those given with --input-shape",
    )


def _convolution(graph: Graph, infos: Infos, node: NodeProto) -> None:
    x, w, b = (_shape(infos, node, index) for index in range(3))
    assert x is not None
    assert w is not None
    groups = _attribute(node, "group", 1)
    transposed = node.op_type == "ConvTranspose"
    channels = w[0] if transposed else w[1] * groups
    if x[1] != channels:
        raise _misfit(node, "the weight", f"{channels} input channels", f"{x[1]} input channels")
    outputs = w[1] * groups if transposed else w[0]
    if outputs % groups:
        raise _misfit(node, "the weight", f"output channels in {groups} groups", f"{outputs} output channels")
    if b is not None and b != (outputs,):
        raise _misfit(node, "the bias", [outputs], list(b))


def _gemm(graph: Graph, infos: Infos, node: NodeProto) -> None:
    c = _shape(infos, node, 2)
    result = infos[node.output[0]].shape
    assert result is not None
    if c is not None and not broadcasts_to(c, result):
        raise _misfit(node, "the bias", f"a shape that broadcasts to {list(result)}", list(c))


def _reflection(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """What is reflected must be there: ONNX Runtime refuses longer padding too."""
    mode = next((attribute.s for attribute in node.attribute if attribute.name == "mode"), b"constant")
    pads, shape = graph.constants.get(node.input[1]), _shape(infos, node, 0)
    if mode != b"reflect" or pads is None or shape is None or len(node.input) > 3:
        return
    longest = [max(0, extent - 1) for extent in (*shape, *shape)]
    found = [int(pad) for pad in pads.array.reshape(-1)]
    if any(pad > limit for pad, limit in zip(found, longest, strict=False)):
        raise _misfit(node, "the padding", f"at most {longest} elements to reflect", found)


def _per_channel_vectors(graph: Graph, infos: Infos, node: NodeProto) -> None:
    x = _shape(infos, node, 0)
    assert x is not None
    for index in range(1, len(node.input)):
        shape = _shape(infos, node, index)
        if shape is not None and shape != (x[1],):
            raise _misfit(node, f"input {index}", [x[1]], list(shape))


def _requantisation(graph: Graph, infos: Infos, node: NodeProto) -> None:
    x = _shape(infos, node, 0)
    assert x is not None
    for index, role in ((1, "mul"), (2, "add")):
        shape = _shape(infos, node, index)
        assert shape is not None
        if channel_shape(shape, x) is None:
            raise _misfit(node, f"'{role}'", f"a number, or one per channel of {list(x)}", list(shape))


def _constant(index: int, holds: Callable[[Any], Any], expected: str) -> Callable[[Graph, Infos, NodeProto], None]:
    """Return a check that all elements of an input satisfy `holds`, where that input is a constant."""

    def check(graph: Graph, infos: Infos, node: NodeProto) -> None:
        constant = graph.constants.get(node.input[index]) if index < len(node.input) else None
        if constant is None or (good := np.asarray(holds(constant.array))).all():
            return
        raise Diagnostic(
            f"input {index} of {node.op_type} holds a value that cannot be",
            where=where_node(node),
            expected=expected,
            found=str(constant.array[~good].flat[0]),
            remedy=f'correct the constant "{node.input[index]}", or quantise the network again',
        )

    return check


def _whole(array: Any) -> Any:
    return (
        np.isfinite(array) & (array == np.floor(array)) if array.dtype.kind == "f" else np.ones(array.shape, np.bool_)
    )


def _scale(array: Any) -> Any:
    numbers = array.astype(np.float64)
    return np.isfinite(numbers) & (numbers > 0)


_INTEGERS = "whole numbers"
_SCALES = "finite numbers above zero"
_QUANTISED_WEIGHTS = tuple(_constant(index, _whole, _INTEGERS) for index in (1, 2))

CHECKS: dict[tuple[str, str], tuple[Callable[[Graph, Infos, NodeProto], None], ...]] = {
    ("", "Conv"): (_convolution,),
    ("", "ConvTranspose"): (_convolution,),
    ("", "Gemm"): (_gemm,),
    ("", "Pad"): (_reflection,),
    ("", "InstanceNormalization"): (_per_channel_vectors,),
    ("", "QuantizeLinear"): (_constant(1, _scale, _SCALES),),
    ("", "DequantizeLinear"): (_constant(1, _scale, _SCALES),),
    ("", "QLinearConv"): tuple(_constant(index, _scale, _SCALES) for index in (1, 4, 6)),
    ("", "QLinearMatMul"): tuple(_constant(index, _scale, _SCALES) for index in (1, 4, 6)),
    (DOMAIN, "RequantShift"): (_requantisation, *_QUANTISED_WEIGHTS),
    (DOMAIN, "iRMSNorm"): _QUANTISED_WEIGHTS,
    (DOMAIN, "iLayerNorm"): _QUANTISED_WEIGHTS,
    (DOMAIN, "iNoNorm"): _QUANTISED_WEIGHTS,
}
"""Operator -> its checks."""
