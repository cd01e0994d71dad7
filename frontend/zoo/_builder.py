"""
Builds float-encoded integer networks: FLOAT tensors that hold integers, requantised by `PACTOps::RequantShift`.

Every tensor also carries its int64 values for a batch of calibration samples, computed as the network grows, from which
the factors of each RequantShift are chosen. All of it is integer arithmetic or correctly rounded, so that the same seed
gives the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ...errors import Diagnostic
from ..requant_shift import DOMAIN, OPSET, requant_shift
from ._evaluate import apply
from ._inputs import INPUT_TYPE, RANGES, random_integers

SAMPLES = 16
"""Calibration samples for a network that brings no data of its own."""

LEVELS = 256
_IR_VERSION = 8
_EXACT_FLOAT = 2**24
_INT32 = 2**31
_MAX_SHIFT = 24
_SIGMAS = 3.5
_SIGMAS_ABOVE_ZERO = 0.5
_SIGMA_PER_MEAN_DEVIATION = 1.2533  # of a normal distribution; the mean absolute deviation is an exact integer sum


@dataclass(frozen=True)
class Value:
    """
    A tensor of the network.

    `data` holds its calibration values, int64 of shape [samples, ...]. `peak` bounds its absolute value for all inputs
    of the network: int64 of shape [channels] for an accumulator (convolution, dense), [1] otherwise.
    """

    name: str
    data: np.ndarray
    peak: np.ndarray


class Builder:
    """
    Builds one network, operator by operator, with weights drawn from `seed`.

    `module` is the `__name__` of the network's file, which names it; the first line of `doc` describes it. Every method
    raises a Diagnostic where an accumulator could leave the range in which float32 or int32 is exact.
    """

    def __init__(self, module: str, doc: str | None, seed: int) -> None:
        self._name = module.rpartition(".")[2].replace("_", "-")
        self._summary = (doc or "").strip().partition("\n")[0]
        # RandomState, because NumPy promises never to change its streams.
        self._random = np.random.RandomState(seed)
        self._inputs: list[onnx.ValueInfoProto] = []
        self._input_types: dict[str, str] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._types: dict[str, int] = {}

    def input(self, shape: Sequence[int], integers: str = "ui8", data: np.ndarray | None = None) -> Value:
        """
        Add the network's input, of `shape` without the batch axis and with values of the type `integers` (ui8, i8).

        `data` [samples, *shape] calibrates the network; without it random integers do.
        """
        low, high = RANGES[integers]
        if data is None:
            data = random_integers(self._random, low, high, (SAMPLES, *shape))
        self._inputs.append(helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, *shape]))
        self._input_types["input"] = integers
        return Value("input", data.astype(np.int64), np.array([max(high, -low)]))

    def conv(
        self, x: Value, channels: int, kernel: Sequence[int], stride: int = 1, pads: Sequence[int] = (0,) * 4
    ) -> Value:
        """
        Return the int32 accumulator [N, channels, H', W'] of a convolution of `x` [N, C, H, W] with random weights.

        `kernel` is (height, width); `pads` is (top, left, bottom, right).
        """
        return self._conv(x, (channels, x.data.shape[1], *kernel), stride, pads, group=1)

    def depthwise(self, x: Value, kernel: Sequence[int], stride: int = 1, pads: Sequence[int] = (0,) * 4) -> Value:
        """Return the int32 accumulator [N, C, H', W'] of one convolution for each channel of `x` [N, C, H, W]."""
        channels = x.data.shape[1]
        return self._conv(x, (channels, 1, *kernel), stride, pads, group=channels)

    def dense(self, x: Value, features: int) -> Value:
        """Return the int32 accumulator [N, features] of a dense layer of `x` [N, C], its bias centring each feature."""
        weight = self._weights((features, x.data.shape[1]))
        return self.dense_with(x, weight, -rounded_mean((x.data @ weight.T).T))

    def dense_with(self, x: Value, weight: np.ndarray, bias: np.ndarray) -> Value:
        """Return the accumulator `x weight^T + bias` for int8 `weight` [features, C] and int32 `bias` [features]."""
        peak = np.abs(weight).sum(axis=1) * x.peak.max() + np.abs(bias)
        attributes = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 1}
        return self._add_node("Gemm", [x], {"weight": weight, "bias": bias}, peak, attributes)

    def requant(self, x: Value, signed: bool = False) -> Value:
        """
        Return `x` requantised to ui8, clipped at 0 like a ReLU, or to i8 where `signed`.

        Factors are per channel for an accumulator, else one for the tensor, and map the calibration values to a mean in
        the middle of the range of i8, or half a standard deviation above the 0 of ui8, with 3.5 deviations to the end.
        """
        rows = np.moveaxis(x.data, 1, 0).reshape(x.peak.size, -1)
        mean = rounded_mean(rows)
        sigma = ((LEVELS // 2 if signed else LEVELS) - 1) / _SIGMAS
        ratio = sigma / deviation(rows)
        return self.requant_with(x, ratio, (0.0 if signed else _SIGMAS_ABOVE_ZERO * sigma) - mean * ratio, signed)

    def requant_with(self, x: Value, ratio: np.ndarray, offset: np.ndarray, signed: bool = False) -> Value:
        """Return `x * ratio + offset`, factors of the shape of `x.peak`, rounded and clipped to ui8 (`signed`: i8)."""
        shift, mul, add = _fixed_point(x, ratio, offset)
        shape = (x.peak.size,) + (1,) * (x.data.ndim - 2) if x.peak.size > 1 else ()
        constants = {"mul": mul.reshape(shape), "add": add.reshape(shape)}
        attributes = {
            "div": _tensor("", np.array(1 << shift)),
            "n_levels_out": _tensor("", np.array([LEVELS])),
            "signed": _tensor("", np.array([int(signed)])),
        }
        peak = np.array([LEVELS // 2 if signed else LEVELS - 1])
        return self._add_node("RequantShift", [x], constants, peak, attributes, domain=DOMAIN)

    def add_residual(self, left: Value, right: Value) -> Value:
        """Return the sum of two requantised branches of one shape, requantised to ui8."""
        return self.requant(self._add_node("Add", [left, right], {}, left.peak + right.peak))

    def max_pool(self, x: Value, kernel: Sequence[int]) -> Value:
        """Return the maxima of the (height, width) = `kernel` windows of `x` [N, C, H, W], side by side."""
        attributes = {"kernel_shape": list(kernel), "pads": [0] * 4, "strides": list(kernel)}
        return self._add_node("MaxPool", [x], {}, x.peak, attributes)

    def flatten(self, x: Value) -> Value:
        """Return `x` [N, C, H, W] as [N, C * H * W]."""
        shape = np.array([-1, np.prod(x.data.shape[1:])], dtype=np.int64)
        return self._add_node("Reshape", [x], {"shape": shape}, x.peak)

    def finish(self, x: Value) -> onnx.ModelProto:
        """Return the network with `x`, then named `output`, as its output."""
        for node in self._nodes:
            node.input[:] = ["output" if name == x.name else name for name in node.input]
            node.output[:] = ["output" if name == x.name else name for name in node.output]
        inner = [self._info(name, name) for name in self._shapes if name != x.name]
        output = self._info(x.name, "output")
        graph = helper.make_graph(
            self._nodes, self._name, self._inputs, [output], self._constants, self._summary, value_info=inner
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]
        model = helper.make_model(graph, functions=[requant_shift()], opset_imports=opsets, ir_version=_IR_VERSION)
        model.producer_name = "tilewright"
        model.doc_string = self._summary
        helper.set_model_props(model, {INPUT_TYPE + name: integers for name, integers in self._input_types.items()})
        return model

    def _info(self, key: str, name: str) -> onnx.ValueInfoProto:
        """Return the declaration under `name` of the tensor `key`."""
        return helper.make_tensor_value_info(name, self._types.get(key, TensorProto.FLOAT), self._shapes[key])

    def _conv(self, x: Value, shape: tuple[int, ...], stride: int, pads: Sequence[int], group: int) -> Value:
        weight = self._weights(shape)
        peak = np.abs(weight).sum(axis=(1, 2, 3)) * x.peak.max()
        attributes = {
            "dilations": [1, 1],
            "group": group,
            "kernel_shape": list(shape[2:]),
            "pads": list(pads),
            "strides": [stride, stride],
        }
        return self._add_node("Conv", [x], {"weight": weight}, peak, attributes)

    def _weights(self, shape: tuple[int, ...]) -> np.ndarray:
        """
        Return int8 weights, near normal with a deviation of 37, as int64: sums of four uniform integers.

        A He initialisation scales them by the fan-in; here the RequantShift that follows holds that scale.
        """
        return random_integers(self._random, -31, 31, (4, *shape)).sum(axis=0)

    def _add_node(
        self,
        op_type: str,
        operands: list[Value],
        constants: dict[str, np.ndarray],
        peak: np.ndarray,
        attributes: dict[str, Any] | None = None,
        domain: str = "",
    ) -> Value:
        name = f"{op_type}_{len(self._nodes)}"
        output = name.lower()
        if peak.max() >= _EXACT_FLOAT:
            raise Diagnostic(
                "an accumulator can leave the integers that float32 holds",
                where=f'node "{name}"',
                expected=f"values below {_EXACT_FLOAT}",
                found=f"up to {peak.max()}",
                remedy="use fewer or smaller weights for each output",
            )
        inputs = [operand.name for operand in operands]
        inputs += [f"{output}.{constant}" for constant in constants]
        node = helper.make_node(op_type, inputs, [output], name=name, domain=domain, **(attributes or {}))
        data = apply(node, [*(operand.data for operand in operands), *constants.values()])
        self._nodes.append(node)
        self._constants += [_tensor(f"{output}.{constant}", array) for constant, array in constants.items()]
        self._shapes[output] = (1, *data.shape[1:])
        return Value(output, data, peak)


def rounded_mean(rows: np.ndarray) -> np.ndarray:
    """Return the mean of each row of int64 `rows` [channels, values], rounded to an integer."""
    return np.rint(rows.sum(axis=1) / rows.shape[1]).astype(np.int64)


def deviation(rows: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each row of int64 `rows` [channels, values], as if normal; 1.25 at least."""
    mean_deviation = np.abs(rows - rounded_mean(rows)[:, None]).sum(axis=1) / rows.shape[1]
    return np.maximum(mean_deviation, 1.0) * _SIGMA_PER_MEAN_DEVIATION


def _fixed_point(x: Value, ratio: np.ndarray, offset: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """
    Return (shift, mul, add) with `x * ratio + offset` near `(x * mul + add) / 2^shift`.

    The shift is the greatest for which no partial sum can leave int32. `add` is rounded to a float32, which stores it.
    """
    for shift in range(_MAX_SHIFT, 0, -1):
        mul = np.rint(ratio * 2.0**shift).astype(np.int64)
        add = np.rint(offset * 2.0**shift).astype(np.float32).astype(np.int64)
        if (x.peak * np.abs(mul) + np.abs(add)).max() + (1 << (shift - 1)) < _INT32 and mul.max() < _EXACT_FLOAT:
            return shift, mul, add
    raise Diagnostic(
        f"no shift keeps the requantisation of {x.name} in int32",
        expected=f"values below {_INT32}",
        found=f"accumulators up to {x.peak.max()}, scaled by up to {ratio.max()}",
        remedy="use a smaller scale",
    )


def _tensor(name: str, array: np.ndarray) -> onnx.TensorProto:
    """Return `array` as a FLOAT tensor, or as INT64 where it is the shape of a Reshape."""
    return numpy_helper.from_array(array if name.endswith(".shape") else array.astype(np.float32), name)
