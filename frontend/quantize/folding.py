"""Constant folding before quantisation: constant subgraphs, batch normalisation, scales and biases of channels."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from onnx import NodeProto

from ...dialects.onnx.facts import facts_of
from ...dialects.onnx.registry import Registry, mentions
from ...ir import Array
from ..evaluation import evaluate, is_foldable
from ..tensors import Constant
from .gemms import plain_gemms
from .network import FloatNetwork, attribute, is_named
from .windows import split_windows

_Affine = tuple[Array, Array]
"""Factor and summand per channel."""


def fold(network: FloatNetwork, floats: Collection[str] = ()) -> None:
    """
    Drop unused nodes, fold constant subgraphs, then affine functions per channel into the convolution before.

    Transposed convolutions of disjoint windows become convolutions. Nodes that a pattern of `floats` names stay.
    """
    _drop_unused(network)
    _fold_constants(network)
    plain_gemms(network, floats)
    changed = True
    while changed:
        changed = _fold_affine(network, floats)
    split_windows(network, floats)
    for node in network.nodes:
        _negate(network, node)


def _drop_unused(network: FloatNetwork) -> None:
    needed = set(network.output_names)
    unused: list[NodeProto] = []
    for node in reversed(network.nodes):
        if needed & set(node.output):
            needed |= set(node.input)
        else:
            unused.append(node)
    network.erase(unused)


def _fold_constants(network: FloatNetwork) -> None:
    folded: list[NodeProto] = []
    outputs = set(network.output_names)
    for node in network.nodes:
        operands = list(filter(None, node.input))
        if not operands or not is_foldable(node) or any(name not in network.constants for name in operands):
            continue
        if outputs & set(node.output):
            continue
        results = evaluate(node, {name: _constant(network.constants[name], node) for name in operands})
        if all(name in results for name in node.output if name):
            network.constants |= {name: value.array for name, value in results.items()}
            folded.append(node)
    network.erase(folded)


def _constant(array: Array, node: NodeProto) -> Constant:
    from onnx import helper

    return Constant(array, helper.np_dtype_to_tensor_dtype(array.dtype), node.name)


def _fold_affine(network: FloatNetwork, floats: Collection[str]) -> bool:
    consumers, producers = network.consumers(), network.producers()
    outputs = set(network.output_names)
    for node in network.nodes:
        affine = None if is_named(node, floats) else _affine(network, node)
        if affine is None:
            continue
        name, (factor, summand) = affine
        before = producers.get(name)
        if before is None or name in outputs or len(consumers[name]) != 1:
            continue
        if not _FOLDED.get(before.op_type, _never)(network, before, factor, summand):
            continue
        before.output[0] = node.output[0]
        network.erase([node])
        return True
    return False


@mentions("Add", "BatchNormalization", "Mul")
def _affine(network: FloatNetwork, node: NodeProto) -> tuple[str, _Affine] | None:
    """Return the operand and the affine function per channel that a node computes; None for other nodes."""
    if node.op_type == "BatchNormalization":
        values = [network.constants.get(name) for name in node.input[1:]]
        if any(value is None for value in values) or attribute(node, "training_mode"):
            return None
        gamma, beta, mean, variance = (np.asarray(value, np.float64) for value in values)
        factor = gamma / np.sqrt(variance + attribute(node, "epsilon"))
        return node.input[0], (factor, beta - mean * factor)
    if node.op_type not in ("Add", "Mul") or len(node.input) != 2:
        return None
    place = 1 if node.input[1] in network.constants else 0
    constant, data = network.constants.get(node.input[place]), node.input[1 - place]
    if constant is None or data in network.constants or constant.dtype != np.float32:
        return None
    channels = _per_channel(constant, network.shape(data), network.shape(node.output[0]))
    if channels is None:
        return None
    ones = np.ones_like(channels)
    return data, (channels, 0 * ones) if node.op_type == "Mul" else (ones, channels)


def _per_channel(constant: Array, data: tuple[int, ...], result: tuple[int, ...]) -> Array | None:
    """Return a constant [C] that broadcasts along axis 1 of at least three; None for other constants."""
    if data != result or len(data) < 3:
        return None
    shape = (1,) * (len(data) - constant.ndim) + constant.shape
    if shape[0] != 1 or any(dim != 1 for dim in shape[2:]) or shape[1] not in (1, data[1]):
        return None
    return np.broadcast_to(constant.reshape(-1).astype(np.float64), (data[1],))


def _fold_conv(network: FloatNetwork, node: NodeProto, factor: Array, summand: Array) -> bool:
    axis = facts_of(node.op_type).channels
    assert axis is not None
    if axis and attribute(node, "group") != 1:
        return False
    weights = network.constants.get(node.input[1])
    bias = network.constants.get(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros(1)
    if weights is None or bias is None:
        return False
    scaled = weights * factor.reshape(-1, *(1,) * (weights.ndim - 1 - axis))
    shifted = np.broadcast_to(bias * factor + summand, (weights.shape[axis],))
    names = [
        network.add_constant(f"{node.output[0]}.{role}", array.astype(weights.dtype))
        for role, array in (("weights", scaled), ("bias", shifted))
    ]
    del node.input[1:]
    node.input.extend(names)
    return True


def _never(network: FloatNetwork, node: NodeProto, factor: Array, summand: Array) -> bool:
    return False


_FOLDED: Registry[str, Callable[[FloatNetwork, NodeProto, Array, Array], bool]] = Registry(
    "folding of constants",
    {
        "Conv": _fold_conv,
        "ConvTranspose": _fold_conv,
    },
)
"""Operator -> the rule that folds an affine function per channel into its constants."""


@mentions("Gemm")
def add_biases(network: FloatNetwork) -> None:
    """Give each Conv and Gemm with constant weights a bias of zeros where it has none."""
    for node in network.nodes:
        if node.op_type not in ("Conv", "Gemm") or node.input[1] not in network.constants or any(node.input[2:]):
            continue
        zeros = np.zeros(network.shape(node.output[0])[1], network.constants[node.input[1]].dtype)
        del node.input[2:]
        node.input.append(network.add_constant(f"{node.output[0]}.bias", zeros))


@mentions("Add", "Sub")
def _negate(network: FloatNetwork, node: NodeProto) -> None:
    """Turn the subtraction of a constant into the addition of its negation."""
    if node.op_type != "Sub" or node.input[1] not in network.constants or not network.is_float(node.input[1]):
        return
    node.op_type = "Add"
    node.input[1] = network.add_constant(node.input[1], -network.constants[node.input[1]])
