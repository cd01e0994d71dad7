"""Quantised network in plain ONNX: QuantizeLinear and DequantizeLinear around each quantised tensor (QDQ)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from ...ir import Array
from . import rows
from .layers import ROWS, Layer
from .network import FloatNetwork, attribute
from .scales import Scale
from .selection import Selection


@dataclass(frozen=True)
class Parameters:
    """
    Constant operands of a layer as integers.

    `weight` i8 in the layout of the network and its `scales` [1], or [channels] along `axis`; `bias` i32 [channels] of
    the scale of the product, None where the layer has none.
    """

    weight: Array
    scales: Array
    axis: int | None
    bias: Array | None = None

    @property
    def real_weight(self) -> Array:
        """The dequantised weight, f32."""
        shape = [-1 if axis == self.axis else 1 for axis in range(self.weight.ndim)]
        scales = self.scales.reshape(shape if self.axis is not None else ())
        return (self.weight * scales).astype(np.float32)


@dataclass(frozen=True)
class Quantised:
    """A quantised network; `tensors` are the dequantised tensors by their name in the float network."""

    network: FloatNetwork
    tensors: Mapping[str, str]


def emit_qdq(
    network: FloatNetwork,
    selection: Selection,
    scales: Mapping[str, Scale],
    parameters: Mapping[str, Parameters],
    biases: Mapping[str, Array] = MappingProxyType({}),
) -> Quantised:
    """
    Return the network in QDQ form; each quantised tensor keeps its name, which the dequantised one gets.

    `biases` are those of layers of floats, by the name of the layer, f32 [channels].
    """
    written = network.copy()
    for layer in selection.kept:
        if layer.name in biases:
            node = next(other for other in written.nodes if other.name == layer.summing.name)
            index = list(node.input).index(layer.bias)
            node.input[index] = written.add_constant(f"{layer.name}.bias", biases[layer.name])
    return _Writer(written, selection, scales).written(parameters)


class _Writer:
    """Rewriter of a network to QDQ form."""

    def __init__(self, network: FloatNetwork, selection: Selection, scales: Mapping[str, Scale]):
        self._network = network
        self._selection = selection
        self._scales = scales
        self._nodes: list[NodeProto] = []
        self._bytes: dict[str, str] = {}
        self._tensors = {name: name for name in scales}

    @mentions("MatMul")
    def written(self, parameters: Mapping[str, Parameters]) -> Quantised:
        network, scales, tensors = self._network, self._scales, self._tensors
        inputs = [value.name for value in network.inputs if value.name in scales]
        for name in inputs:
            tensors[name] = self._pair(name, name, network.names.take(f"{name}.dequantized"))
        layers = {layer.name: layer for layer in self._selection.layers}
        biases = {node.name: layer for layer in layers.values() for node in layer.tail[:1] if layer.bias}
        for node in network.nodes:
            self._rename(node, {name: tensors[name] for name in inputs})
            if node.name in layers and node.name in parameters:
                self._weights(node, layers[node.name], parameters[node.name])
            if node.name in layers and node.op_type in ROWS:
                self._integers(node, layers[node.name])
                continue
            if node.name in biases and biases[node.name].node.op_type == "MatMul":
                self._summand(node, biases[node.name], parameters[biases[node.name].name])
            self._nodes.append(node)
            for index, name in enumerate(node.output):
                if name in scales:
                    node.output[index] = network.names.take(f"{name}.real")
                    self._pair(node.output[index], name, name)
        network.nodes = self._nodes
        return Quantised(network, tensors)

    def _integers(self, node: NodeProto, layer: Layer) -> None:
        """Append the integer computation of a softmax or a layer normalisation, and its dequantised result."""
        network, name = self._network, layer.output
        chain = rows.NodeChain(network, node.name)
        integers = self._softmax(chain, layer) if layer.is_softmax else self._layer_norm(chain, layer)
        self._nodes += chain.nodes
        self._bytes[name] = integers
        scale, numbers = self._scales.get(name), [rows.softmax_scale()]
        if scale is not None:
            numbers = [np.array(scale.scale, np.float32), np.array(scale.zero, np.int8)]
        inputs = [integers, *(network.add_constant(f"{name}.number", number) for number in numbers)]
        self._nodes.append(helper.make_node("DequantizeLinear", inputs, [name], name=f"{name}.dequantize"))

    def _softmax(self, chain: rows.NodeChain, layer: Layer) -> str:
        network, name = self._network, layer.data[0]
        step, shape = self._scales[name].scale, network.shape(layer.output)
        summand = rows.steps_of(chain, network, self._tensors.get(layer.summand, layer.summand), step)
        axis = attribute(layer.node, "axis") % len(shape)
        operand = rows.RowOperand(self._bytes[name], step, shape, axis)
        return rows.softmax(chain, operand, summand, self._scales.get(layer.output))

    def _layer_norm(self, chain: rows.NodeChain, layer: Layer) -> str:
        network, node, name = self._network, layer.node, layer.data[0]
        shape = network.shape(name)
        axis = attribute(node, "axis") % len(shape)
        factors = network.constants[node.input[1]]
        summands = network.constants[node.input[2]] if len(node.input) > 2 and node.input[2] else np.zeros_like(factors)
        x, y = self._scales[name], self._scales[layer.output]
        operand = rows.RowOperand(self._bytes[name], x.scale, shape, axis)
        return rows.layer_norm(chain, operand, attribute(node, "epsilon"), factors, summands, y)

    def _rename(self, node: NodeProto, renamed: Mapping[str, str]) -> None:
        for index, name in enumerate(node.input):
            node.input[index] = renamed.get(name, name)

    def _pair(self, real: str, name: str, result: str) -> str:
        """Append QuantizeLinear of `real` and DequantizeLinear; returns the name of the result."""
        scale = self._scales[name]
        integer = self._bytes[name] = self._network.names.take(f"{name}.integer")
        numbers = [
            self._network.add_constant(f"{name}.scale", np.array(scale.scale, np.float32)),
            self._network.add_constant(f"{name}.zero", np.array(scale.zero, np.int8)),
        ]
        self._nodes += [
            helper.make_node("QuantizeLinear", [real, *numbers], [integer], name=f"{name}.quantize"),
            helper.make_node("DequantizeLinear", [integer, *numbers], [result], name=f"{name}.dequantize"),
        ]
        return result

    @mentions("MatMul")
    def _weights(self, node: NodeProto, layer: Layer, parameters: Parameters) -> None:
        index = list(node.input).index(layer.weight)
        base = f"{node.name}.weight"
        node.input[index] = self._dequantised(base, parameters.weight, parameters.scales, parameters.axis)
        if layer.node.op_type == "MatMul" or parameters.bias is None:
            return
        del node.input[2:]
        node.input.append(self._bias(layer, parameters))

    def _summand(self, node: NodeProto, layer: Layer, parameters: Parameters) -> None:
        index = list(node.input).index(layer.bias)
        node.input[index] = self._bias(layer, parameters)

    def _bias(self, layer: Layer, parameters: Parameters) -> str:
        """Return the bias in integers of the scale of the product."""
        assert parameters.bias is not None
        x = np.float32(self._scales[layer.data[0]].scale)
        scales = x * parameters.scales
        return self._dequantised(f"{layer.name}.bias", parameters.bias, scales, None if scales.size == 1 else 0)

    def _dequantised(self, base: str, integers: Array, scales: Array, axis: int | None) -> str:
        """Append DequantizeLinear of a constant; returns the name of its result."""
        several = axis is not None and scales.size > 1
        shaped = scales.reshape(-1 if several else ()).astype(np.float32)
        zeros = np.zeros(shaped.shape, integers.dtype)
        named = (("integer", integers), ("scale", shaped), ("zero", zeros))
        inputs = [self._network.add_constant(f"{base}.{role}", array) for role, array in named]
        result = self._network.names.take(f"{base}.dequantized")
        node = helper.make_node("DequantizeLinear", inputs, [result], name=f"{base}.dequantize")
        if several:
            node.attribute.append(helper.make_attribute("axis", axis))
        self._nodes.append(node)
        return result
