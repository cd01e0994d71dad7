"""Random networks of what the NPU can do, and of what it almost can."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st
from onnx import ModelProto, helper, numpy_helper

from tilewright.test.passes.network_builder import Builder, Value

_T = TypeVar("_T")
_ELEMENTS = 6000
"""Elements of a tensor at most."""
_MACS = 2_000_000


class _Seeded(Builder):
    """A builder that draws from its generator: evenly, where hypothesis prefers the small and the simple."""

    def integer(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high, endpoint=True))

    def choice(self, options: Sequence[_T]) -> _T:
        return options[self.integer(0, len(options) - 1)]

    def flag(self) -> bool:
        return bool(self.integer(0, 1))


def _window(net: Builder, x: Value) -> Value:
    """Add a convolution: mostly one that the NPU has."""
    batch, channels, *space = x.shape
    kernel = net.choice([[3, 3], [3, 3], [1, 1], [1, 3], [4, 2]])
    depthwise = net.integer(0, 3) == 0
    pads = [net.integer(0, 2) if max(kernel) > 2 else 0 for _ in range(4)]
    strides = net.choice([[1, 1], [1, 1], [1, 1], [2, 1]])
    dilations = net.choice([[1, 1], [1, 1], [1, 2], [2, 1]]) if kernel != [1, 1] else [1, 1]
    reaches = [(taps - 1) * dilation for taps, dilation in zip(kernel, dilations, strict=True)]
    sizes = [n + pads[i] + pads[2 + i] - 1 - reach for i, (n, reach) in enumerate(zip(space, reaches, strict=True))]
    if min(sizes) < 0:
        return x
    out = [n // s + 1 for n, s in zip(sizes, strides, strict=True)]
    most = min(40, _ELEMENTS // (batch * prod(out)), _MACS // (channels * prod(kernel) * prod(out) * batch))
    if most < 1:
        return x
    features = channels if depthwise else net.integer(1, most)
    limit = net.choice([1, 7, 127])
    weights = net.weights([features, 1 if depthwise else channels, *kernel], -limit - 1, limit)
    bias = [net.weights([features], -3000, 3000)] if net.flag() else []
    group = channels if depthwise else 1
    shape = [batch, features, *out]
    return net.add(
        "Conv", [x.name, weights, *bias], shape, strides=strides, dilations=dilations, pads=pads, group=group
    )[0]


def _linear(net: Builder, x: Value) -> Value:
    """Add a product of rows with a matrix, or a layer of it."""
    x = _rows(net, x)
    columns, (*rows, inner) = net.integer(1, 40), x.shape
    if len(rows) == 1 and net.flag():
        name = net.weights([columns, inner], -128, 127)
        inputs = [x.name, name, *([net.weights([columns], -900, 900)] if net.flag() else [])]
        return net.add("Gemm", inputs, [*rows, columns], transB=1)[0]
    return net.add("MatMul", [x.name, net.weights([inner, columns], -128, 127)], [*rows, columns])[0]


def _rows(net: Builder, x: Value) -> Value:
    """Return x with at most three axes."""
    return net.reshaped(x, [*x.shape[:2], prod(x.shape[2:])]) if len(x.shape) > 3 else x


def _per_channel(x: Value) -> list[int]:
    """Return the shape of numbers for each channel of a tensor."""
    *_, last = x.shape
    return {2: [last], 3: [1, 1, last]}.get(len(x.shape), [*x.shape[1:2], 1, 1])


def _requantized(net: Builder, x: Value) -> Value:
    """Bring numbers back to bytes, mostly in a way that the NPU has."""
    forms = [_per_channel(x), [1]]
    mul = net.weights(net.choice(forms), 1, net.choice([100, 250, 9000]))
    add = net.weights(net.choice(forms), -90000, 90000)
    levels = net.choice([256, 256, 256, 16])
    numbers = {"div": 1 << net.integer(0, 20), "n_levels": levels, "signed": int(net.flag())}
    return net.add("RequantShift", [x.name, mul, add], x.shape, **numbers)[0]


def _between(net: Builder, x: Value) -> Value:
    """Add what comes between a layer and its requantisation, or after it."""
    form = net.integer(0, 5)
    if form == 0:
        return net.add("Relu", [x.name], x.shape)[0]
    if form == 1:
        partners = [value for value in net.values if value.shape == x.shape]
        return net.add("Add", [x.name, net.choice(partners).name], x.shape)[0]
    if form == 2:
        channels = _per_channel(x)[-3:]
        op = net.choice(["Add", "Mul", "Sub"])
        return net.add(op, [x.name, net.weights(channels, 1, 9)], x.shape)[0]
    return x


@st.composite
def npu_networks(draw: Any) -> tuple[ModelProto, str]:
    """Draw a network of one to three layers on bytes, with the type of its input."""
    net = _Seeded(draw, np.random.default_rng(draw(st.integers(0, 1 << 32))))
    image = net.integer(0, 3) > 0
    shape = [net.integer(1, 2), net.choice([1, 3, 28, 33]), net.integer(1, 13), net.integer(1, 13)]
    if not image:
        shape = [*net.choice([[], [net.integer(1, 3)]]), net.integer(1, 50), net.integer(1, 40)]
    x = Value("x", tuple(shape))
    net.values.append(x)
    for _ in range(net.integer(1, 3)):
        x = _window(net, x) if len(x.shape) > 3 and net.integer(0, 5) else _linear(net, x)
        for _ in range(net.integer(1, 2)):
            x = _requantized(net, _between(net, x))
    return model_of(net, x), net.choice(["i8", "ui8"])


def model_of(net: Builder, x: Value) -> ModelProto:
    """Return the network that computes a value from the first one."""
    inputs, outputs = ([net.info(value.name)] for value in (net.values[0], x))
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in net.constants.items()]
    graph = helper.make_graph(net.nodes, "random", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def inputs_of(model: ModelProto, kind: str, seed: int) -> Sequence[dict[str, Any]]:
    """Return inputs of random bytes and of the least and greatest ones."""
    shape = [axis.dim_value for axis in model.graph.input[0].type.tensor_type.shape.dim]
    low, high = (0, 255) if kind == "ui8" else (-128, 127)
    random = np.random.default_rng(seed)
    drawn = random.integers(low, high, shape, endpoint=True), random.choice([low, high], shape)
    return [{"x": values.astype(np.float32)} for values in drawn]
