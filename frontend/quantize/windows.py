"""Transposed convolutions whose windows are disjoint, as convolutions of one point and data movement."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from .network import FloatNetwork, attribute, is_named


def split_windows(network: FloatNetwork, floats: Collection[str] = ()) -> None:
    """
    Replace each ConvTranspose whose strides are its window by a Conv of one point, and the Relu after it with it.

    With the window [a, b], weights [I, O, a, b] are those [O * a * b, I, 1, 1] of the Conv; its result
    [N, O * a * b, H, W] is reshaped to [N, O, a, b, H, W], transposed to [N, O, H, a, W, b], and reshaped. The Conv
    has the name of the node; nodes that a pattern of `floats` names stay.
    """
    for node in list(network.nodes):
        if _is_disjoint(network, node) and not is_named(node, floats):
            _split(network, node)


@mentions("ConvTranspose")
def _is_disjoint(network: FloatNetwork, node: NodeProto) -> bool:
    if node.op_type != "ConvTranspose" or any(name not in network.constants for name in node.input[1:] if name):
        return False
    window = network.constants[node.input[1]].shape[2:]
    shape, result = network.shape(node.input[0]), network.shape(node.output[0])
    is_plain = attribute(node, "group") == 1 and tuple(attribute(node, "strides") or ()) == window
    is_plain &= all(dilation == 1 for dilation in attribute(node, "dilations") or ())
    is_plain &= not any(attribute(node, "pads") or ()) and not any(attribute(node, "output_padding") or ())
    return is_plain and result[2:] == tuple(a * b for a, b in zip(shape[2:], window, strict=True))


@mentions("Conv", "Relu")
def _split(network: FloatNetwork, node: NodeProto) -> None:
    weights = network.constants[node.input[1]]
    (channels, features, *window), (batch, _, *image) = weights.shape, network.shape(node.input[0])
    rank, points = len(window), prod(window)
    matrix = np.moveaxis(weights, 0, -1).reshape(features * points, channels, *(1,) * rank)
    names = [network.add_constant(f"{node.name}.weights", matrix)]
    if len(node.input) > 2 and node.input[2]:
        bias = np.repeat(network.constants[node.input[2]], points)
        names.append(network.add_constant(f"{node.name}.bias", bias))
    users, output = network.consumers()[node.output[0]], node.output[0]
    is_limited = len(users) == 1 and users[0].op_type == "Relu" and output not in network.output_names
    last = users[0].output[0] if is_limited else output
    nodes: list[NodeProto] = []

    def append(operator: str, inputs: list[str], result: tuple[int, ...], name: str = "", **attributes: Any) -> str:
        tensor = name or network.names.take(f"{node.name}.{operator.lower()}")
        network.infos[tensor] = network.infos[output]._replace(shape=result)
        own = node.name if operator == "Conv" else tensor
        nodes.append(helper.make_node(operator, inputs, [tensor], name=own, **attributes))
        return tensor

    def reshaped(tensor: str, shape: tuple[int, ...], name: str = "") -> str:
        target = network.add_constant(f"{node.name}.shape", np.array(shape, np.int64))
        return append("Reshape", [tensor, target], shape, name)

    columns = (batch, features * points, *image)
    pixels = append("Conv", [node.input[0], *names], columns)
    pixels = append("Relu", [pixels], columns) if is_limited else pixels
    pixels = reshaped(pixels, (batch, features, *window, *image))
    pairs = [axis for dim in range(rank) for axis in (2 + rank + dim, 2 + dim)]
    sizes = [size for pair in zip(image, window, strict=True) for size in pair]
    pixels = append("Transpose", [pixels], (batch, features, *sizes), perm=[0, 1, *pairs])
    reshaped(pixels, (batch, features, *(a * b for a, b in zip(image, window, strict=True))), last)
    place = next(index for index, other in enumerate(network.nodes) if other is node)
    network.nodes[place : place + 1] = nodes
    network.erase(users if is_limited else [])
