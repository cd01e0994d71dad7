"""Cross-layer equalisation: ranges of channels balanced between successive convolutions (Nagel et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import NodeProto

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...ir import Array
from .network import FloatNetwork, attribute

_SWEEPS = 4


def equalize(network: FloatNetwork) -> int:
    """
    Scale the channels between successive convolutions so that the weights on both sides have equal ranges.

    `W2 relu(W1 x) = (W2 S) relu((S^-1 W1) x)` for positive scales S: the function of the network is kept. Returns the
    number of pairs.
    """
    pairs = list(_pairs(network))
    for _ in range(_SWEEPS):
        for first, second in pairs:
            _balance(network, first, second)
    return len(pairs)


def _pairs(network: FloatNetwork) -> Iterator[tuple[NodeProto, NodeProto]]:
    consumers, outputs = network.consumers(), set(network.output_names)
    for node in network.nodes:
        if not is_constant_conv(network, node):
            continue
        name = node.output[0]
        while len(consumers[name]) == 1 and name not in outputs:
            after = consumers[name][0]
            if is_constant_conv(network, after) and _inputs(network, after) is not None:
                yield node, after
            if after.op_type not in having(Trait.HOMOGENEOUS) & having(Trait.ELEMENTWISE):
                break
            name = after.output[0]


@mentions("Conv")
def is_constant_conv(network: FloatNetwork, node: NodeProto) -> bool:
    """Return whether a node is a convolution whose weights and bias are constants."""
    return node.op_type == "Conv" and all(name in network.constants for name in node.input[1:] if name)


def _inputs(network: FloatNetwork, node: NodeProto) -> Array | None:
    """Return the weights with the input channels first; None for groups of several channels."""
    weight = network.constants[node.input[1]]
    groups = attribute(node, "group")
    if groups == 1:
        return np.moveaxis(weight, 1, 0)
    return weight if weight.shape[:2] == (groups, 1) else None


def _balance(network: FloatNetwork, first: NodeProto, second: NodeProto) -> None:
    weight, after = network.constants[first.input[1]], _inputs(network, second)
    assert after is not None
    ranges = [np.abs(array).reshape(array.shape[0], -1).max(axis=1).astype(np.float64) for array in (weight, after)]
    used = (ranges[0] > 0) & (ranges[1] > 0)
    scale = np.where(used, np.sqrt(ranges[0] / np.where(used, ranges[1], 1)), 1.0)
    scale = np.where(used, scale, 1.0)
    _scale(network, first, 1, 1 / scale, 0)
    if len(first.input) > 2 and first.input[2]:
        _scale(network, first, 2, 1 / scale, 0)
    _scale(network, second, 1, scale, 1 if attribute(second, "group") == 1 else 0)


def _scale(network: FloatNetwork, node: NodeProto, index: int, factor: Array, axis: int) -> None:
    array = network.constants[node.input[index]]
    shape = [-1 if dim == axis else 1 for dim in range(array.ndim)]
    scaled = (array * factor.reshape(shape)).astype(np.float32)
    node.input[index] = network.add_constant(f"{node.name}.equalized", scaled)
