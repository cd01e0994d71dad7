"""Import rules of elementwise operators, of quantisers, and of operators that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...dialects.onnx.custom import DOMAIN
from ...dialects.onnx.parameters import channel_shape
from ..node_view import NodeView
from ..opset import take
from . import EVERY_OPSET, LIKE_INPUT, Moved, operators
from .common import broadcast, broadcast_to_first, holds, one_number, scales


def _broadcast(node: NodeView) -> None:
    """Check that the inputs broadcast to one shape."""
    broadcast(node, range(node.inputs))


def _inference_dropout(view: NodeView) -> Sequence[NodeProto]:
    """Replace a Dropout that does not train by a copy of its input."""
    node, training = view.node, view.value(2)
    may_train = bool(view.input(2)) and (training is None or training.any())
    if may_train or any(node.output[1:2]):
        return [node]
    return [helper.make_node("Identity", [node.input[0]], [node.output[0]], name=node.name)]


operators(
    "Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or"
    " Pow Sub Sum Where Xor",
    checks=(_broadcast,),
)
operators("BitShift", words={"direction": ("LEFT", "RIGHT")}, checks=(_broadcast,))
operators(
    "Clip",
    moved=(Moved("min", 1, LIKE_INPUT), Moved("max", 2, LIKE_INPUT)),
    checks=(one_number(1), one_number(2)),
)
operators(
    "Dropout",
    moved=(Moved("ratio", 1, TensorProto.FLOAT),),
    until=EVERY_OPSET,
    older=_inference_dropout,
    folds=False,
)
operators("Gelu", words={"approximate": ("none", "tanh")})
operators("PRelu", checks=(broadcast_to_first,))


def _are_whole(array: Any) -> Any:
    """Return for each element whether it is an integer."""
    return (
        np.isfinite(array) & (array == np.floor(array)) if array.dtype.kind == "f" else np.ones(array.shape, np.bool_)
    )


def _requantisation(node: NodeView) -> None:
    """Check that multipliers and summands are one number, or one per channel."""
    x = node.shape(0)
    for index, role in ((1, "mul"), (2, "add")):
        if channel_shape(shape := node.shape(index), x) is None:
            raise node.misfit(f"'{role}'", f"a number, or one per channel of {list(x)}", list(shape))


def _scale_shape(node: NodeView) -> None:
    """Check that a scale is one number, a vector along the axis, or has a number per block along the axis."""
    x, scale, block, axis = node.shape(0), node.shape(1), node.attribute("block_size"), node.attribute("axis")
    if prod(scale) == 1 and len(scale) < 2:
        return
    if not -len(x) <= axis < len(x):
        raise node.misfit("the axis", f"one of the {len(x)} axes of {list(x)}", axis)
    wanted: list[int] = list(x) if block else [x[axis]]
    if block:
        wanted[axis] = -(-x[axis] // int(block))
    if list(scale) != wanted:
        raise node.misfit("the scale", f"one number, or the shape {wanted}", list(scale))


def _zero_point_shape(node: NodeView) -> None:
    """Check that a zero point is one number, or has the shape of the scale."""
    if node.inputs < 3 or not node.node.input[2]:
        return
    scale, zero = node.shape(1), node.shape(2)
    if list(zero) != list(scale) and not (prod(zero) == 1 and len(zero) < 2):
        raise node.misfit("the zero point", f"one number, or the scale's shape {list(scale)}", list(zero))


_WHOLE_WEIGHTS = tuple(holds(index, _are_whole, "whole numbers") for index in (1, 2))

operators("DequantizeLinear QuantizeLinear", checks=(*scales(1), _scale_shape, _zero_point_shape), folds=False)
operators("DynamicQuantizeLinear", folds=False)
operators("RequantShift", DOMAIN, checks=(_requantisation, *_WHOLE_WEIGHTS))
operators("iLayerNorm iNoNorm iRMSNorm", DOMAIN, checks=_WHOLE_WEIGHTS)


def _older_dft(view: NodeView) -> Sequence[NodeProto]:
    """Make the axis an input, which up to opset 19 was an attribute with the first after the batch as its default."""
    node = view.node
    axis = np.array(take(node, "axis", 1), np.int64)
    node.input.extend([""] * (2 - len(node.input)))
    node.input.append(view.graph.add_constant(node, "axis", axis, TensorProto.INT64))
    return [node]


operators("BlackmanWindow HammingWindow HannWindow", shape_inputs=(0,))
operators("ConstantOfShape", shape_inputs=(0,), made_of_shapes=True)
operators("DFT", shape_inputs=(1, 2), until=20, older=_older_dft)
operators("MelWeightMatrix", shape_inputs=(0, 1, 2, 3, 4), made_of_shapes=True)
operators("Range", shape_inputs=(0, 1, 2), made_of_shapes=True)
operators("STFT", shape_inputs=(1, 3), explicit=("onesided",))
operators("Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike", folds=False)
