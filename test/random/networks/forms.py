"""Builder of random quantised networks: tensors with scales and zero points, nodes in QLinear, QDQ or float form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2
from random import Random
from typing import Any

import numpy as np
from onnx import TensorProto

from tilewright.ir import Array

from .builder import Builder, Tensor

RANGES: dict[int, tuple[int, int]] = {
    TensorProto.UINT8: (0, 255),
    TensorProto.INT8: (-128, 127),
    TensorProto.UINT4: (0, 15),
    TensorProto.INT4: (-8, 7),
}
"""ONNX type -> its least and its greatest number."""

BYTES = (TensorProto.UINT8, TensorProto.INT8)
FOUR_BITS = (TensorProto.UINT4, TensorProto.INT4)

_EXTENTS = (1, 2, 3, 4, 5, 6, 7, 9, 11, 13)
_CHANNELS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 21, 24, 31, 32, 33)

_QLINEAR = frozenset("Add AveragePool GlobalAveragePool LeakyRelu Mul Sigmoid Softmax".split())
"""Operators that ONNX Runtime has in QLinear form, with inputs alone that are quantised."""


@dataclass(frozen=True)
class Weight:
    """Constant weights [..] of 8 bits: numbers, scales and zero points along `axis`, one of each where it is None."""

    numbers: Array
    scales: Array
    zeros: Array
    kind: int
    axis: int | None

    def parameter(self, values: Array) -> Array:
        """Return scales or zero points as the input of an operator: a scalar, or a vector along the axis."""
        return values if self.axis is not None else values.reshape(())


class QuantisedBuilder(Builder):
    """
    Builder of networks whose tensors have scales and zero points.

    `form` is `qlinear`, `qdq`, `mixed` (of both, by node) or `float`. With `exact` all scales are powers of two and
    sums of floats are exact. Activations have any of `kinds` in QDQ form, else one of them throughout, as ONNX Runtime
    asks for; weights of unsigned activations have either sign.
    """

    def __init__(self, random: Random, form: str, *, exact: bool, kinds: Sequence[int] = BYTES):
        super().__init__(random, opset=21)
        self.form, self.exact = form, exact
        self.kinds = tuple(kinds) if form == "qdq" else (self.choice(list(kinds)),)

    # Draws

    def extent(self) -> int:
        return self.choice(_EXTENTS)

    def channels(self) -> int:
        return self.choice(_CHANNELS)

    def scale(self, about: float) -> float:
        if self.exact:
            return 2.0 ** round(log2(about))
        return float(np.float32(about * self.random.uniform(0.7, 1.5)))

    def element(self) -> int:
        """Return the type of an activation."""
        return self.choice(self.kinds)

    def zero(self, kind: int) -> int:
        """Return a zero point: the middle of the range, near it, an end, or any; from an end half of all saturate."""
        low, high = RANGES[kind]
        middle, quarter = (low + high + 1) // 2, (high - low + 1) // 4
        near = [middle + self.number(-quarter, quarter) for _ in range(4)]
        return self.choice([middle, middle, *near, low, self.choice([low, high]), self.number(low, high)])

    # Nodes

    def integers(self, *values: int) -> str:
        return self.constant(list(values), TensorProto.INT64)

    def floats(self, values: Any) -> str:
        return self.constant(values, TensorProto.FLOAT)

    def maps(self, shape: Sequence[int]) -> Tensor:
        """Add an input of the network."""
        name = f"x{len(self.inputs)}"
        if self.form == "float":
            return self.port(Tensor(name, TensorProto.FLOAT, tuple(shape)))
        scale, kind = self.scale(1 / 64), self.choice(BYTES) if self.kinds[0] in FOUR_BITS else self.element()
        return self.port(Tensor(name, kind, tuple(shape), 8, 64 * scale, scale, self.zero(kind)))

    # Quantisation

    def parameters(self, x: Tensor) -> list[str]:
        """Add the scale and the zero point of a tensor."""
        return [self.floats(np.float32(x.scale)), self.constant(x.zero, x.kind)]

    def real(self, x: Tensor) -> str:
        """Add the numbers that a tensor stands for, as floats."""
        return x.name if x.kind == TensorProto.FLOAT else self.op("DequantizeLinear", [x.name, *self.parameters(x)])

    def result(self, shape: Sequence[int], size: float, like: Tensor | None = None) -> Tensor:
        """Return a tensor without a name: about `size` large, or of the scale and zero point of another."""
        if self.form == "float":
            return Tensor("", TensorProto.FLOAT, tuple(shape), size=size)
        if like:
            return replace(like, name="", shape=tuple(shape), size=size)
        kind = self.element()
        steps = (RANGES[kind][1] - RANGES[kind][0] + 1) / 4
        return Tensor("", kind, tuple(shape), 8, size, self.scale(size / steps), self.zero(kind))

    def named(self, name: str, x: Tensor) -> Tensor:
        """Return a tensor that has a name at last."""
        return replace(x, name=name)

    def quantised(self, name: str, shape: Sequence[int], size: float, like: Tensor | None = None) -> Tensor:
        """Add the quantisation of floats."""
        y = self.result(shape, size, like)
        if self.form != "float":
            name = self.op("QuantizeLinear", [name, *self.parameters(y)])
        return self.named(name, y)

    def is_qlinear(self) -> bool:
        """Return whether the next node is of QLinear form."""
        return self.form == "qlinear" or (self.form == "mixed" and self.chance(0.5))

    def apply(self, op: str, xs: Sequence[Tensor], shape: Sequence[int], size: float, **attributes: Any) -> Tensor:
        """Add an operator on tensors: in QLinear form where it exists, else between floats."""
        if op not in _QLINEAR or not self.is_qlinear():
            return self.quantised(self.op(op, [self.real(x) for x in xs], **attributes), shape, size)
        y = self.result(shape, size)
        operands = [name for x in xs for name in (x.name, *self.parameters(x))]
        attributes |= {"opset": 13} if op == "Softmax" else {}
        name = self.op(f"QLinear{op}", [*operands, *self.parameters(y)], domain="com.microsoft", **attributes)
        return self.named(name, y)

    def moved(
        self, op: str, xs: Sequence[Tensor], rest: Sequence[str], shape: Sequence[int], **attributes: Any
    ) -> Tensor:
        """Add an operator that moves or chooses elements of tensors of one scale: on bytes, or between floats."""
        first = xs[0]
        if self.form == "float" or self.is_qlinear():
            return self.named(
                self.op(op, [*(x.name for x in xs), *rest], **attributes), self.result(shape, first.size, first)
            )
        name = self.op(op, [*(self.real(x) for x in xs), *rest], **attributes)
        return self.quantised(name, shape, first.size, like=first)

    # Weights

    def weights(self, x: Tensor, shape: Sequence[int], axis: int | None, terms: int) -> Weight:
        """Draw weights of a tensor with a scale for all, or for each part of an axis, for sums of so many terms."""
        kind = self.choice(BYTES) if x.kind == TensorProto.UINT8 else TensorProto.INT8
        kind = TensorProto.INT4 if self.kinds[0] in FOUR_BITS else kind
        low, high = RANGES[kind]
        count = shape[axis] if axis is not None else 1
        about = 4 / (high - low + 1) / terms**0.5
        scales = np.array([self.scale(about) for _ in range(count)], np.float32)
        middle, most = (low + high + 1) // 2, 3 if kind in FOUR_BITS else 20
        zero = middle if self.chance(0.6) else middle + self.number(-most, most)
        numbers = self.generator().integers(low, high + 1, shape)
        return Weight(numbers, scales, np.full(count, zero), kind, axis)

    def real_weight(self, w: Weight) -> str:
        """Add weights as floats, dequantised unless the network is of floats."""
        if self.form == "float":
            return self.floats(self.generator().standard_normal(w.numbers.shape) * w.scales.flat[0] * 64)
        inputs = [self.constant(w.numbers, w.kind), self.floats(w.parameter(w.scales))]
        inputs.append(self.constant(w.parameter(w.zeros), w.kind))
        along: dict[str, Any] = {} if w.axis is None else {"axis": w.axis}
        return self.op("DequantizeLinear", inputs, **along)

    def weight_parameters(self, w: Weight) -> list[str]:
        """Add weights, their scales and zero points as inputs of an operator in QLinear form."""
        scales, zeros = w.parameter(w.scales), w.parameter(w.zeros)
        return [self.constant(w.numbers, w.kind), self.floats(scales), self.constant(zeros, w.kind)]

    def bias(self, count: int) -> Array:
        """Draw a bias in steps of the sums, int32 [count]."""
        most = 30 if self.kinds[0] in FOUR_BITS else 3000
        return self.generator().integers(-most, most, count)

    def real_bias(self, x: Tensor, w: Weight, steps: Array) -> str:
        """Add a bias as floats: dequantised from int32, or a constant."""
        scales = np.broadcast_to(np.float32(x.scale) * w.scales, steps.shape)
        if self.form == "float" or self.chance(0.5):
            return self.floats((steps * scales).astype(np.float32))
        zeros = self.constant(np.zeros(len(steps), int), TensorProto.INT32)
        return self.op(
            "DequantizeLinear", [self.constant(steps, TensorProto.INT32), self.floats(scales), zeros], axis=0
        )
