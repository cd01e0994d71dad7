"""
Builds networks of ONNX's own quantised operators: asymmetric uint8 activations, int8 weights with a scale per channel.

The form is that of ONNX Runtime's static quantiser: QLinearConv with an int32 bias, QLinearMatMul without one, ReLU as
saturation at the zero point, and sums of two branches in float between DequantizeLinear and QuantizeLinear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._builder import SAMPLES, Builder, Value, deviation, rounded_mean
from ._evaluate import apply
from ._inputs import random_integers

_OPSET = 13
_INPUT_SCALE, _INPUT_ZERO = np.float32(1 / 64), 128
_REACH = 4.0
_ABOVE_ZERO = 0.5


@dataclass(frozen=True)
class _Pending:
    """An accumulator whose operator awaits the quantisation of its result."""

    op_type: str
    x: str
    weight: np.ndarray
    bias: bool
    attributes: dict[str, Any]


class QLinearBuilder(Builder):
    """
    Builds a network as `Builder` does, of QLinearConv, QLinearMatMul, DequantizeLinear and QuantizeLinear.

    Each `Value` of 8 bits stands for `(data - zero) * scale`. Scales and zero points come from the least and greatest
    calibration values.
    """

    def __init__(self, module: str, doc: str | None, seed: int) -> None:
        super().__init__(module, doc, seed)
        self._quantisation: dict[str, tuple[np.float32, int]] = {}
        self._pending: dict[str, _Pending] = {}
        self._values: dict[str, Value] = {}

    def input(self, shape: Sequence[int], integers: str = "ui8", data: np.ndarray | None = None) -> Value:
        """Add the network's uint8 input, of `shape` without the batch axis."""
        if data is None:
            data = random_integers(self._random, 0, 255, (SAMPLES, *shape))
        self._inputs.append(helper.make_tensor_value_info("input", TensorProto.UINT8, [1, *shape]))
        self._quantisation["input"] = _INPUT_SCALE, _INPUT_ZERO
        return Value("input", data.astype(np.int64), np.array([255]))

    def dense(self, x: Value, features: int) -> Value:
        """
        Return the int32 accumulator [N, features] of a dense layer of `x` [N, C].

        The weights of each feature add up to about 0, which centres it as well as the missing bias would.
        """
        weight = self._weights((features, x.data.shape[1]))
        weight = np.clip(weight - rounded_mean(weight)[:, None], -127, 127)
        data = (x.data - self._quantisation[x.name][1]) @ weight.T
        return self._accumulator("QLinearMatMul", x, data, weight.T, {})

    def requant(self, x: Value, signed: bool = False) -> Value:
        """Return `x` quantised to uint8, with a ReLU unless `signed`."""
        if x.name in self._pending:
            return self._quantised(self._pending[x.name], x, relu=not signed)
        # A branch that is quantised already needs no second time.
        return x

    def add_residual(self, left: Value, right: Value) -> Value:
        """Return the ReLU of the sum of two branches, added in float, as uint8."""
        parts = [self._dequantised(branch) for branch in (left, right)]
        names = [part.name for part in parts]
        total = self._node("Add", names, [part.data for part in parts], {})
        scale, zero = _quantisation_of(np.maximum(total.data, 0).astype(np.float64))
        return self._with_quantisation("QuantizeLinear", total, scale, zero)

    def finish(self, x: Value) -> onnx.ModelProto:
        """Return the network with `x`, then named `output`, as its output."""
        model = super().finish(x)
        del model.functions[:], model.opset_import[:]
        model.opset_import.append(helper.make_opsetid("", _OPSET))
        return model

    def _conv(self, x: Value, shape: tuple[int, ...], stride: int, pads: Sequence[int], group: int) -> Value:
        weight = self._weights(shape)
        attributes: dict[str, Any] = {
            "dilations": [1, 1],
            "group": group,
            "kernel_shape": list(shape[2:]),
            "pads": list(pads),
            "strides": [stride, stride],
        }
        node = helper.make_node("Conv", ["x", "w"], ["y"], **attributes)
        data = apply(node, [x.data - self._quantisation[x.name][1], weight])
        return self._accumulator("QLinearConv", x, data, weight, attributes)

    def _accumulator(
        self, op_type: str, x: Value, data: np.ndarray, weight: np.ndarray, attributes: dict[str, Any]
    ) -> Value:
        """Return a value for the sums of products that the next `requant` makes a node of."""
        name = f"accumulator_{len(self._nodes)}_{len(self._pending)}"
        self._pending[name] = _Pending(op_type, x.name, weight, op_type == "QLinearConv", attributes)
        self._values[x.name] = x
        return Value(name, data, np.array([255] * data.shape[1]))

    def _quantised(self, pending: _Pending, x: Value, *, relu: bool) -> Value:
        rows = np.moveaxis(x.data, 1, 0).reshape(x.data.shape[1], -1)
        sigma = deviation(rows)
        bias = np.rint(-rounded_mean(rows) + (_ABOVE_ZERO * sigma if relu else 0)).astype(np.int32)
        shift = bias if pending.bias else np.zeros_like(bias)
        real = (rows + shift[:, None]) / sigma[:, None]
        scale, zero = _quantisation_of(np.maximum(real, 0) if relu else real)
        x_scale, x_zero = self._quantisation[pending.x]
        constants: dict[str, np.ndarray] = {
            "x_scale": np.array(x_scale),
            "x_zero": np.array(x_zero, np.uint8),
            "weight": pending.weight.astype(np.int8),
            "weight_scale": (1 / (sigma * np.float64(x_scale))).astype(np.float32),
            "weight_zero": np.zeros(len(sigma), np.int8),
            "scale": np.array(scale),
            "zero": np.array(zero, np.uint8),
        }
        if pending.bias:
            constants["bias"] = bias
        source = self._values[pending.x]
        result = self._node(pending.op_type, [source.name], [source.data], constants, pending.attributes)
        self._quantisation[result.name] = scale, zero
        return result

    def _dequantised(self, x: Value) -> Value:
        scale, zero = self._quantisation[x.name]
        return self._with_quantisation("DequantizeLinear", x, scale, zero)

    def _with_quantisation(self, op_type: str, x: Value, scale: np.float32, zero: int) -> Value:
        constants = {"scale": np.array(scale), "zero": np.array(zero, np.uint8)}
        result = self._node(op_type, [x.name], [x.data], constants)
        self._quantisation[result.name] = scale, zero
        return result

    def _node(
        self,
        op_type: str,
        names: list[str],
        values: list[np.ndarray],
        constants: dict[str, np.ndarray],
        attributes: dict[str, Any] | None = None,
    ) -> Value:
        name = f"{op_type}_{len(self._nodes)}"
        output = name.lower()
        inputs = [*names, *(f"{output}.{constant}" for constant in constants)]
        node = helper.make_node(op_type, inputs, [output], name=name, **(attributes or {}))
        data = apply(node, [*values, *constants.values()])
        self._nodes.append(node)
        self._constants += [numpy_helper.from_array(array, f"{output}.{part}") for part, array in constants.items()]
        self._shapes[output] = (1, *data.shape[1:])
        self._types[output] = TensorProto.FLOAT if op_type in ("DequantizeLinear", "Add") else TensorProto.UINT8
        return Value(output, data, np.array([255]))

    def max_pool(self, x: Value, kernel: Sequence[int]) -> Value:
        """Return the maxima of the (height, width) = `kernel` windows of `x` [N, C, H, W], side by side."""
        return self._like(super().max_pool(x, kernel), x)

    def flatten(self, x: Value) -> Value:
        """Return `x` [N, C, H, W] as [N, C * H * W]."""
        return self._like(super().flatten(x), x)

    def _like(self, made: Value, x: Value) -> Value:
        self._quantisation[made.name] = self._quantisation[x.name]
        self._types[made.name] = TensorProto.UINT8
        return replace(made, peak=x.peak)


def _quantisation_of(real: np.ndarray) -> tuple[np.float32, int]:
    """Return scale and zero point of uint8 for these numbers, with 0 among them and 4 deviations at most."""
    low = max(min(float(real.min()), 0.0), -_REACH)
    high = min(max(float(real.max()), 0.0), _REACH)
    scale = np.float32((high - low) / 255)
    return scale, int(np.rint(-low / np.float64(scale)))
