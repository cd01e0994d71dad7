"""Gemm without factors and with plain operands, so that its product is one of bytes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from .network import FloatNetwork, attribute, is_named


@mentions("Gemm")
def plain_gemms(network: FloatNetwork, floats: Collection[str] = ()) -> None:
    """
    Make factors part of constants, and transposes and products of two computed tensors nodes of their own.

    `alpha A^T B + beta C` with computed B or C is Transpose, MatMul, Mul and Add; with constant ones, `alpha` and
    `beta` are part of the constants. Nodes that a pattern of `floats` names stay.
    """
    for node in list(network.nodes):
        if node.op_type != "Gemm" or is_named(node, floats) or not network.is_float(node.output[0]):
            continue
        _scale(network, node)
        if node.input[0] not in network.constants and attribute(node, "transA"):
            _transpose(network, node, 0, "transA")
        if not _is_plain(network, node):
            _split(network, node)


def _is_plain(network: FloatNetwork, node: NodeProto) -> bool:
    """Return whether the second operand alone is constant, and the bias a number or one for each column."""
    bias = node.input[2] if len(node.input) > 2 else ""
    has_bias = not bias or (bias in network.constants and network.constants[bias].size in (1, _columns(network, node)))
    return node.input[0] not in network.constants and node.input[1] in network.constants and has_bias


def _columns(network: FloatNetwork, node: NodeProto) -> int:
    return network.shape(node.output[0])[1]


def _scale(network: FloatNetwork, node: NodeProto) -> None:
    """Make `alpha` and `beta` part of constant weights and of a constant bias."""
    if not any(node.input[2:]):
        _drop_attribute(node, "beta")
    for index, name in ((1, "alpha"), (2, "beta")):
        factor = attribute(node, name)
        if factor == 1 or len(node.input) <= index or node.input[index] not in network.constants:
            continue
        constant = network.constants[node.input[index]]
        node.input[index] = network.add_constant(node.input[index], (constant * factor).astype(constant.dtype))
        _drop_attribute(node, name)


def _drop_attribute(node: NodeProto, name: str) -> None:
    kept = [other for other in node.attribute if other.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)


def _transpose(network: FloatNetwork, node: NodeProto, index: int, name: str) -> None:
    """Insert the transpose of an operand before a node, whose attribute says so."""
    source = node.input[index]
    _drop_attribute(node, name)
    if source in network.constants:
        node.input[index] = network.add_constant(source, np.ascontiguousarray(network.constants[source].T))
        return
    rows, columns = network.shape(source)
    node.input[index] = _insert(network, node, "Transpose", [source], (columns, rows), perm=[1, 0])


def _insert(
    network: FloatNetwork, before: NodeProto, operator: str, inputs: list[str], shape: tuple[int, ...], **more: Any
) -> str:
    """Insert a node before another; returns the name of its result."""
    result = network.names.take(f"{before.name}.{operator.lower()}")
    network.infos[result] = network.infos[before.output[0]]._replace(shape=shape)
    place = next(index for index, other in enumerate(network.nodes) if other is before)
    network.nodes.insert(place, helper.make_node(operator, inputs, [result], name=result, **more))
    return result


@mentions("Add", "Mul")
def _split(network: FloatNetwork, node: NodeProto) -> None:
    """Turn a Gemm into a MatMul, with its factor, its bias and the factor of that after it."""
    for index, name in ((0, "transA"), (1, "transB")):
        if attribute(node, name):
            _transpose(network, node, index, name)
    shape, alpha, beta = network.shape(node.output[0]), attribute(node, "alpha"), attribute(node, "beta")
    bias = node.input[2] if len(node.input) > 2 else ""
    inputs, name, result = list(node.input[:2]), node.name, node.output[0]
    del node.attribute[:]
    steps: list[tuple[str, str]] = [("Mul", _number(network, name, alpha))] if alpha != 1 else []
    if bias and beta != 1:
        bias = _insert(network, node, "Mul", [bias, _number(network, name, beta)], network.shape(bias))
    steps += [("Add", bias)] if bias else []
    if not steps:
        node.CopyFrom(helper.make_node("MatMul", inputs, [result], name=name))
        return
    product = network.names.take(f"{name}.product")
    network.infos[product] = network.infos[result]
    place = next(index for index, other in enumerate(network.nodes) if other is node)
    network.nodes.insert(place, helper.make_node("MatMul", inputs, [product], name=name))
    for operator, operand in steps[:-1]:
        product = _insert(network, node, operator, [product, operand], shape)
    operator, operand = steps[-1]
    last = network.names.take(f"{name}.{operator.lower()}")
    node.CopyFrom(helper.make_node(operator, [product, operand], [result], name=last))


def _number(network: FloatNetwork, name: str, value: float) -> str:
    return network.add_constant(f"{name}.factor", np.array(value, np.float32))
