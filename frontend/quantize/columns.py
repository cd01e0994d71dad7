"""Sampled operands of products with constant weights: the columns that the rows of the weight matrix multiply."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
from onnx import NodeProto

from ...dialects.onnx.registry import mentions
from ...ir import Array
from .layers import Layer
from .network import FloatNetwork, attribute

_COLUMNS = 2048
"""Columns per layer over all samples; the product of a network is estimated from them."""


@mentions("Conv")
def matrix_of(network: FloatNetwork, layer: Layer) -> Array:
    """
    Return the weights as [groups, rows, K], a row for each output channel.

    A weight of a MatMul that has more than two axes is none: it has no rows of its own.
    """
    weight = network.constants[layer.weight]
    if layer.node.op_type == "Conv":
        return weight.reshape(attribute(layer.node, "group"), -1, prod(weight.shape[1:]))
    return (weight if layer.axis == 0 else weight.T)[None]


@mentions("Conv")
def weight_of(network: FloatNetwork, layer: Layer, matrix: Array) -> Array:
    """Return the weights of a matrix [groups, rows, K] in the layout of the network."""
    weight = network.constants[layer.weight]
    if layer.node.op_type == "Conv":
        return matrix.reshape(weight.shape)
    return matrix[0] if layer.axis == 0 else matrix[0].T


def has_matrix(layer: Layer) -> bool:
    """Return whether a layer multiplies constant weights that have an axis of output channels."""
    return bool(layer.weight) and layer.axis is not None


class Sampler:
    """Collector of columns [groups, K, M] of one layer; positions are drawn by the name of the node."""

    def __init__(self, network: FloatNetwork, layer: Layer, samples: int):
        self._network = network
        self._layer = layer
        self._wanted = max(1, _COLUMNS // samples)
        self._random = np.random.default_rng([*layer.name.encode()][-64:])
        self._parts: list[Array] = []

    @mentions("Conv")
    def add(self, data: Array) -> None:
        """Add columns of the operand of one sample."""
        if not has_matrix(self._layer):
            return
        take = self._windows if self._layer.node.op_type == "Conv" else self._rows
        self._parts.append(take(data.astype(np.float32)))

    def columns(self) -> Array:
        """Return all columns, [groups, K, M]."""
        return np.concatenate(self._parts, axis=2) if self._parts else np.zeros((1, 0, 0), np.float32)

    def _rows(self, data: Array) -> Array:
        rows = data.reshape(-1, data.shape[-1])
        return rows[self._drawn(rows.shape[0])].T[None]

    def _drawn(self, count: int) -> Array:
        every = self._random.permutation(count) if count > self._wanted else np.arange(count)
        return every[: self._wanted]

    def _windows(self, data: Array) -> Array:
        node, weight = self._layer.node, self._network.constants[self._layer.weight]
        kernel, rank = weight.shape[2:], weight.ndim - 2
        outputs = self._network.shape(node.output[0])[2:]
        strides, dilations = (attribute(node, name) or (1,) * rank for name in ("strides", "dilations"))
        needed = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(outputs, strides, kernel, dilations, strict=True)]
        missing = [max(n - size, 0) for n, size in zip(needed, data.shape[2:], strict=True)]
        begins = _begins(node, missing)
        ends = [max(n - size - b, 0) for n, size, b in zip(needed, data.shape[2:], begins, strict=True)]
        padded = np.pad(data, [(0, 0), (0, 0), *zip(begins, ends, strict=True)])
        drawn = self._drawn(data.shape[0] * prod(outputs))
        image, *position = np.unravel_index(drawn, (data.shape[0], *outputs))
        places: list[Array] = [
            (at * stride)[:, None] + np.arange(size) * dilation
            for at, stride, size, dilation in zip(cast(Any, position), strides, kernel, dilations, strict=True)
        ]
        spread: list[Array] = []
        for own, place in enumerate(places):
            others = [1 + axis for axis in range(rank) if axis != own]
            spread.append(np.expand_dims(place, others))
        taken = padded[(image.reshape(-1, *(1,) * rank), slice(None), *spread)]
        # The axis of channels comes last: [M, *kernel, C].
        columns = np.moveaxis(taken, -1, 1).reshape(drawn.size, attribute(node, "group"), -1)
        return np.moveaxis(columns, 0, 2)


def _begins(node: NodeProto, missing: list[int]) -> list[int]:
    mode = attribute(node, "auto_pad")
    if mode in ("NOTSET", "VALID"):
        pads = attribute(node, "pads") if mode == "NOTSET" else None
        return list(pads[: len(missing)]) if pads else [0] * len(missing)
    return [n // 2 if mode == "SAME_UPPER" else n - n // 2 for n in missing]
