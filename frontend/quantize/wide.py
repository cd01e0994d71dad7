"""Products of operands of two bytes, written as sums of products of bytes in plain ONNX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from ...ir import Array
from .layers import Layer
from .network import FloatNetwork
from .weights import BITS, largest_of

_LARGEST = 127
_FINER = 254
"""Steps of the lower byte in one of the upper byte, whose rounding error is at most half a step."""
_LEAST = float(np.finfo(np.float32).tiny) * _FINER
"""Least step of an upper byte, so that that of the lower one is a normal number."""
_DEAD = 2.0**-24
"""Least magnitude of the weights of a channel that its scale represents, relative to the largest channel's."""
_ROOM = 2
"""Range of an operand relative to the largest magnitude of the samples: one bit, so that larger operands fit too."""


def widen(network: FloatNetwork, layers: Sequence[Layer], reaches: Mapping[str, float], bits: int = BITS) -> None:
    """
    Replace products of floats by sums of products of bytes; each operand is the sum of an upper and a lower byte.

    With `x = xh + xl` and `w = wh + wl`, of which the lower bytes have steps 254 times finer, the product is
    `xh wh + xh wl + xl wh`: what is left out, `xl wl`, is below the steps of the lower bytes. An operand that is
    dequantised from a byte has no lower one. `reaches` are the largest magnitudes of computed operands by name. Bytes
    of weights use so many `bits`, and the steps of their lower ones are `2^bits - 2` times finer.
    """
    _WideRewriter(network, reaches, largest_of(bits)).write({layer.name: layer for layer in layers})


@dataclass
class _WideRewriter:
    """Rewriter of the products of a network in QDQ form."""

    network: FloatNetwork
    reaches: Mapping[str, float]
    largest: int
    """The largest byte of a weight."""
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    parts: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Upper and lower byte, dequantised, of each computed operand."""

    @mentions("DequantizeLinear")
    def write(self, layers: Mapping[str, Layer]) -> None:
        dequantised = {node.output[0] for node in self.network.nodes if node.op_type == "DequantizeLinear"}
        for node in self.network.nodes:
            layer = layers.get(node.name)
            if layer is None:
                self.nodes.append(node)
                continue
            one, other = (
                [name] if name in dequantised else self._operand(layer, name, original)
                for name, original in zip(node.input[:2], layer.node.input[:2], strict=True)
            )
            self._sum(node, [(a, b) for i, a in enumerate(one) for j, b in enumerate(other) if i + j < 2])
        self.network.nodes = self.nodes

    def _operand(self, layer: Layer, name: str, original: str) -> Sequence[str]:
        """Return the upper and the lower byte of an operand, dequantised."""
        constant = self.network.constants.get(name)
        if constant is not None:
            return self._weights(name, constant, layer.axis)
        if name not in self.parts:
            # Samples of zeros tell no range; ONNX Runtime's scale of them is 1.
            reach = self.reaches[original] or float(_LARGEST)
            scale = np.float32(max(reach / _LARGEST * _ROOM, _LEAST))
            upper = self._quantised(name, f"{name}.upper", scale)
            rest = self._append("Sub", [name, upper], f"{name}.rest")
            self.parts[name] = upper, self._quantised(rest, f"{name}.lower", np.float32(scale / _FINER))
        return self.parts[name]

    def _weights(self, name: str, weights: Array, axis: int | None) -> Sequence[str]:
        """Return the upper and the lower byte of weights with a scale per index of an axis, dequantised."""
        others = tuple(index for index in range(weights.ndim) if index != axis)
        largest = np.abs(weights).max(axis=others if axis is not None else None, keepdims=axis is not None)
        # Steps of dead channels, of weights such as 1e-36, would vanish in those of sums.
        largest = np.maximum(largest, largest.max() * _DEAD)
        scale = np.where(largest >= self.largest * _LEAST, largest / self.largest, 1.0).astype(np.float32)
        fine = (scale / (2 * self.largest)).astype(np.float32)
        upper = np.rint(weights / scale.astype(np.float64))
        lower = np.clip(np.rint((weights - upper * scale) / fine.astype(np.float64)), -self.largest, self.largest)
        names: list[str] = []
        for integers, steps, role in ((upper, scale, "upper"), (lower, fine, "lower")):
            numbers = steps.reshape(-1 if axis is not None else ())
            arrays = integers.astype(np.int8), numbers, np.zeros(numbers.shape, np.int8)
            inputs = [self.network.add_constant(f"{name}.{role}", array) for array in arrays]
            along = {} if axis is None else {"axis": axis}
            names.append(self._append("DequantizeLinear", inputs, f"{name}.{role}.dequantized", **along))
        return names

    def _quantised(self, source: str, base: str, scale: np.float32) -> str:
        """Append QuantizeLinear and DequantizeLinear with a zero point of 0; returns the name of the result."""
        numbers = [self.network.add_constant(base, array) for array in (np.array(scale), np.array(0, np.int8))]
        integer = self._append("QuantizeLinear", [source, *numbers], f"{base}.integer")
        return self._append("DequantizeLinear", [integer, *numbers], f"{base}.dequantized")

    def _sum(self, node: NodeProto, pairs: Sequence[tuple[str, str]]) -> None:
        """Append the products of pairs of operands, those of the finest steps first, and their sum."""
        total = ""
        for index, pair in enumerate(reversed(pairs)):
            product = NodeProto()
            product.CopyFrom(node)
            product.input[:2] = pair
            if total:
                del product.input[2:]
            is_last = index == len(pairs) - 1
            if len(pairs) > 1:
                product.name = product.output[0] = self.network.names.take(f"{node.name}.part")
            self.nodes.append(product)
            if not total:
                total = product.output[0]
                continue
            result = node.output[0] if is_last else self.network.names.take(f"{node.name}.sum")
            self.nodes.append(helper.make_node("Add", [total, product.output[0]], [result], name=result))
            total = result

    def _append(self, operator: str, inputs: Sequence[str], base: str, **attributes: Any) -> str:
        result = self.network.names.take(base)
        self.nodes.append(helper.make_node(operator, list(inputs), [result], name=result, **attributes))
        return result
