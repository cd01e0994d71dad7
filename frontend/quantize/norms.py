"""Layer normalisations that exporters decompose into primitives, as LayerNormalization again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from ...ir import Array
from .network import FloatNetwork, attribute, is_named


@dataclass(frozen=True)
class _Norm:
    """Normalisation of `x` over its last axis, `(x - mean) / sqrt(variance + epsilon)`, by nodes in order."""

    x: str
    epsilon: float
    nodes: tuple[NodeProto, ...]


def compose_norms(network: FloatNetwork, floats: Collection[str] = ()) -> int:
    """
    Replace layer normalisations over the last axis that are made of primitives by LayerNormalization.

    The form is `d = x - ReduceMean(x)`, `d / Sqrt(ReduceMean(d d) + epsilon)`, with the factor and the summand of a row
    after it; of one, no pattern of `floats` names a node. Returns their number.
    """
    count = 0
    for node in list(network.nodes):
        norm = _norm_of(network, node)
        if norm is not None and not any(is_named(part, floats) for part in norm.nodes):
            _replace(network, norm, floats)
            count += 1
    return count


@mentions("Add", "Div", "Sqrt", "Sub")
def _norm_of(network: FloatNetwork, division: NodeProto) -> _Norm | None:
    """Return the normalisation that a division ends, None for other nodes."""
    if division.op_type != "Div" or not network.is_float(division.output[0]):
        return None
    producers = network.producers()
    apart, root = (producers.get(name) for name in division.input)
    if apart is None or root is None or apart.op_type != "Sub" or root.op_type != "Sqrt":
        return None
    total = producers.get(root.input[0])
    split = None if total is None or total.op_type != "Add" else _split(network, total)
    if total is None or split is None:
        return None
    epsilon, variance = split
    mean, spread = producers.get(apart.input[1]), producers.get(variance)
    if mean is None or not _is_mean(network, mean) or mean.input[0] != apart.input[0]:
        return None
    square = _mean_of(network, spread, producers)
    if spread is None or square is None or not _is_square(network, square, apart.output[0]):
        return None
    return _Norm(apart.input[0], float(epsilon.flat[0]), (mean, apart, square, spread, total, root, division))


def _mean_of(network: FloatNetwork, node: NodeProto | None, producers: Mapping[str, NodeProto]) -> NodeProto | None:
    """Return the producer of the operand of a mean over the last axis, None where a node is none."""
    return producers.get(node.input[0]) if node is not None and _is_mean(network, node) else None


@mentions("ReduceMean")
def _is_mean(network: FloatNetwork, node: NodeProto) -> bool:
    """Return whether a node is the mean over the last axis, which stays as 1."""
    axes = network.constants.get(node.input[1]) if node.op_type == "ReduceMean" and len(node.input) > 1 else None
    if axes is None or axes.size != 1 or not attribute(node, "keepdims"):
        return False
    return int(axes.flat[0]) in (-1, len(network.shape(node.input[0])) - 1)


@mentions("Mul", "Pow")
def _is_square(network: FloatNetwork, node: NodeProto, name: str) -> bool:
    if node.op_type == "Mul":
        return list(node.input) == [name, name]
    exponent = network.constants.get(node.input[1]) if node.op_type == "Pow" else None
    return exponent is not None and exponent.size == 1 and exponent.flat[0] == 2 and node.input[0] == name


def _split(network: FloatNetwork, node: NodeProto) -> tuple[Array, str] | None:
    """Return the constant and the other operand of a node of two, None where it has no constant."""
    place = 0 if node.input[0] in network.constants else 1
    constant = network.constants.get(node.input[place])
    return None if constant is None else (constant, node.input[1 - place])


@mentions("Add", "Mul")
def _replace(network: FloatNetwork, norm: _Norm, floats: Collection[str]) -> None:
    shape = network.shape(norm.x)
    rows = {"Mul": np.ones(shape[-1:], np.float32), "Add": np.zeros(shape[-1:], np.float32)}
    last, gone = norm.nodes[-1], [norm.nodes[-1]]
    for operator in rows:
        after = _after(network, last, operator)
        if after is not None and not is_named(after, floats):
            split = _split(network, after)
            assert split is not None
            rows[operator] = np.broadcast_to(split[0], shape[-1:]).astype(np.float32)
            last, gone = after, [*gone, after]
    names = [network.add_constant(f"{last.output[0]}.{key.lower()}", row) for key, row in rows.items()]
    inputs = [norm.x, *names]
    normalisation = helper.make_node(
        "LayerNormalization", inputs, [last.output[0]], name=last.name, axis=-1, epsilon=norm.epsilon
    )
    place = next(index for index, other in enumerate(network.nodes) if other is last)
    network.nodes[place] = normalisation
    network.erase(gone)
    drop_unused(network)


def _after(network: FloatNetwork, node: NodeProto, operator: str) -> NodeProto | None:
    """Return the only consumer of a node, where it combines the result with a row of constants by `operator`."""
    name, consumers = node.output[0], network.consumers()[node.output[0]]
    if len(consumers) != 1 or name in network.output_names or consumers[0].op_type != operator:
        return None
    split, columns = _split(network, consumers[0]), network.shape(name)[-1]
    if split is None or split[1] != name or network.shape(consumers[0].output[0]) != network.shape(name):
        return None
    is_row = split[0].size in (1, columns) and split[0].size == (split[0].shape[-1:] or (1,))[0]
    return consumers[0] if is_row else None


def drop_unused(network: FloatNetwork) -> None:
    """Erase the nodes from which no output follows."""
    needed: set[str] = set(network.output_names)
    unused: Sequence[NodeProto] = []
    for node in reversed(network.nodes):
        if needed & set(node.output):
            needed |= set(node.input)
        else:
            unused = [*unused, node]
    network.erase(unused)
