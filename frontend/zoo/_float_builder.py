"""Builds networks of floats: convolutions, normalisation, pooling; weights keep activations near unit size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._inputs import INPUT_VALUES

_OPSET = 17
_IR_VERSION = 8
_STEPS = 1 << 15


@dataclass(frozen=True)
class Value:
    """A tensor of the network: its name and shape, the batch axis first, and its element type as ONNX numbers it."""

    name: str
    shape: tuple[int, ...]
    element: int = TensorProto.FLOAT

    def info(self) -> onnx.ValueInfoProto:
        """Return the ONNX declaration of the value."""
        return helper.make_tensor_value_info(self.name, self.element, self.shape)


class FloatBuilder:
    """
    Builds one network, operator by operator, with weights drawn from `seed`.

    `module` is the `__name__` of the network's file, which names it; the first line of `doc` describes it. Weights are
    uniform with the variance of He et al. (arXiv:1502.01852), 2 / fan-in; multiples of a step, so that the same seed
    gives the same bytes on every machine.
    """

    def __init__(self, module: str, doc: str | None, seed: int) -> None:
        self._name = module.rpartition(".")[2].replace("_", "-")
        self._summary = (doc or "").strip().partition("\n")[0]
        # RandomState, because NumPy promises never to change its streams.
        self._random = np.random.RandomState(seed)
        self._inputs: list[Value] = []
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._results: list[Value] = []
        self._metadata: dict[str, str] = {}

    def input(self, shape: Sequence[int], name: str = "input") -> Value:
        """Add an input of the network, of `shape` without the batch axis."""
        return self._input(Value(name, (1, *shape)), "normal")

    def conv(
        self,
        x: Value,
        channels: int,
        kernel: int,
        stride: int = 1,
        pad: int = 0,
        *,
        group: int = 1,
        bias: bool = True,
    ) -> Value:
        """Return a convolution of `x` [N, C, H, W] with square windows and random weights: [N, channels, H', W']."""
        depth = x.shape[1] // group
        constants = {"weight": self._weights((channels, depth, kernel, kernel), depth * kernel**2)}
        if bias:
            constants["bias"] = self._uniform((channels,), 0.1)
        sizes = _windows(x.shape[2:], kernel, stride, (pad, pad))
        attributes = {
            "dilations": [1, 1],
            "group": group,
            "kernel_shape": [kernel] * 2,
            "pads": [pad] * 4,
            "strides": [stride] * 2,
        }
        return self._add("Conv", [x], (x.shape[0], channels, *sizes), attributes, constants)

    def norm(self, x: Value, gain: float = 1.0) -> Value:
        """Return `x` [N, C, ...] through a BatchNormalization of random factors; `gain` is their mean scale."""
        channels = (x.shape[1],)
        constants = {
            "scale": np.float32(gain) * (1 + self._uniform(channels, 0.2)),
            "shift": self._uniform(channels, 0.2),
            "mean": self._uniform(channels, 0.2),
            "variance": 1 + self._uniform(channels, 0.3),
        }
        return self._add("BatchNormalization", [x], x.shape, {"epsilon": 1e-5}, constants)

    def relu(self, x: Value) -> Value:
        """Return `x` with negative numbers replaced by 0."""
        return self._add("Relu", [x], x.shape)

    def relu6(self, x: Value) -> Value:
        """Return `x` clipped to 0 to 6."""
        limits = {"low": np.array(0, np.float32), "high": np.array(6, np.float32)}
        return self._add("Clip", [x], x.shape, constants=limits)

    def add(self, left: Value, right: Value) -> Value:
        """Return the sum of two tensors of one shape."""
        return self._add("Add", [left, right], left.shape)

    def concat(self, values: Sequence[Value]) -> Value:
        """Return tensors [N, C, ...] concatenated along the channels."""
        first = values[0].shape
        shape = (first[0], sum(value.shape[1] for value in values), *first[2:])
        return self._add("Concat", values, shape, {"axis": 1})

    def max_pool(self, x: Value, kernel: int, stride: int, pads: tuple[int, int] = (0, 0)) -> Value:
        """Return the maxima of square windows of `x` [N, C, H, W]; `pads` is before and after, on both axes."""
        return self._pool("MaxPool", x, kernel, stride, pads)

    def average_pool(self, x: Value, kernel: int, stride: int) -> Value:
        """Return the means of square windows of `x` [N, C, H, W]."""
        return self._pool("AveragePool", x, kernel, stride, (0, 0))

    def global_average(self, x: Value) -> Value:
        """Return the mean of each channel of `x` [N, C, H, W]: [N, C, 1, 1]."""
        return self._add("GlobalAveragePool", [x], (*x.shape[:2], 1, 1))

    def response_norm(self, x: Value) -> Value:
        """Return `x` through the local response normalisation of AlexNet, over 5 channels."""
        return self._add("LRN", [x], x.shape, {"alpha": 1e-4, "beta": 0.75, "bias": 1.0, "size": 5})

    def flatten(self, x: Value) -> Value:
        """Return `x` [N, ...] as [N, features]."""
        return self._add("Flatten", [x], (x.shape[0], prod(x.shape[1:])), {"axis": 1})

    def dense(self, x: Value, features: int) -> Value:
        """Return a dense layer of `x` [N, C] with random weights and a bias: [N, features]."""
        constants = {
            "weight": self._weights((features, x.shape[1]), x.shape[1]),
            "bias": self._uniform((features,), 0.1),
        }
        return self._add("Gemm", [x], (x.shape[0], features), {"transB": 1}, constants)

    def constant(self, key: str, array: np.ndarray) -> Value:
        """Return a constant of the network, whose name begins with `key`."""
        name = f"{key}_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return Value(name, array.shape)

    def finish(self, x: Value) -> onnx.ModelProto:
        """Return the network with the softmax of `x` [N, classes], named `output`, as its output."""
        return self.model({"output": self._add("Softmax", [x], x.shape, {"axis": 1})})

    def model(self, outputs: Mapping[str, Value]) -> onnx.ModelProto:
        """Return the network with these outputs, by the name that each is to have."""
        names = {value.name: name for name, value in outputs.items()}
        for node in self._nodes:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]
        inputs = [value.info() for value in self._inputs]
        results = [replace(value, name=name).info() for name, value in outputs.items()]
        inner = [value.info() for value in self._results if value.name not in names]
        graph = helper.make_graph(self._nodes, self._name, inputs, results, doc_string=self._summary, value_info=inner)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
        # Added last, because each of the calls before copies what it is given.
        model.graph.initializer.extend(self._constants)
        model.producer_name = "tilewright"
        model.doc_string = self._summary
        helper.set_model_props(model, self._metadata)
        return model

    def _input(self, value: Value, values: str) -> Value:
        """Add an input; `values` says what it holds, see `INPUT_VALUES`."""
        self._inputs.append(value)
        self._metadata[f"{INPUT_VALUES}{value.name}"] = values
        return value

    def _pool(self, op_type: str, x: Value, kernel: int, stride: int, pads: tuple[int, int]) -> Value:
        low, high = pads
        attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [low, low, high, high]}
        sizes = _windows(x.shape[2:], kernel, stride, pads)
        return self._add(op_type, [x], (*x.shape[:2], *sizes), attributes)

    def _weights(self, shape: tuple[int, ...], fan_in: int) -> np.ndarray:
        return self._uniform(shape, sqrt(6 / fan_in))

    def _uniform(self, shape: tuple[int, ...], limit: float) -> np.ndarray:
        """Return floats uniform from -`limit` to below `limit`."""
        steps = self._random.randint(-_STEPS, _STEPS, size=shape, dtype=np.int16)
        return steps.astype(np.float32) * np.float32(limit / _STEPS)

    def _add(
        self,
        op_type: str,
        operands: Sequence[Value],
        shape: tuple[int, ...],
        attributes: dict[str, Any] | None = None,
        constants: dict[str, np.ndarray] | None = None,
        element: int = TensorProto.FLOAT,
    ) -> Value:
        node = f"{op_type}_{len(self._nodes)}"
        output = node.lower()
        tensors = {f"{output}.{key}": array for key, array in (constants or {}).items()}
        inputs = [*(operand.name for operand in operands), *tensors]
        self._nodes.append(helper.make_node(op_type, inputs, [output], name=node, **(attributes or {})))
        self._constants += [numpy_helper.from_array(array, key) for key, array in tensors.items()]
        self._results.append(Value(output, shape, element))
        return self._results[-1]


def _windows(sizes: Sequence[int], kernel: int, stride: int, pads: tuple[int, int]) -> tuple[int, ...]:
    return tuple((size + sum(pads) - kernel) // stride + 1 for size in sizes)
