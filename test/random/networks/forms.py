"""Builder of random quantised networks: tensors with scales and zero points, nodes in one of several forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2
from random import Random
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper

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
    gain: float = 1.0
    """About how much larger sums of products with the weights are than what they multiply."""

    def parameter(self, values: Array) -> Array:
        """Return scales or zero points as the input of an operator: a scalar, or a vector along the axis."""
        return values if self.axis is not None else values.reshape(())


class QuantisedBuilder(Builder):
    """
    Builder of networks whose tensors have scales and zero points.

    `form` is `qlinear`, `qdq`, `mixed` (of both, by node), `requant` or `float`. With `exact` all scales are powers of
    two and sums of floats are exact. Activations have any of `kinds` in QDQ form and in `requant` form, else one of
    them throughout, as ONNX Runtime asks for; weights of unsigned activations have either sign.

    In `requant` form floats carry integers without scales; RequantShift brings sums back to bytes. `carried` are the
    types of the integers of its inputs.
    """

    def __init__(self, random: Random, form: str, *, exact: bool, kinds: Sequence[int] = BYTES):
        super().__init__(random, opset=21)
        self.form, self.exact = form, exact
        self.kinds = tuple(kinds) if form in ("qdq", "requant") else (self.choice(list(kinds)),)
        self.carried: dict[str, int] = {}

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
        if self.form == "requant":
            self.carried[name] = self.element()
            return self.port(Tensor(name, TensorProto.FLOAT, tuple(shape), 8, 64))
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
        if self.form == "requant":
            return Tensor("", TensorProto.FLOAT, tuple(shape), 8, 64)
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
        if self.form == "requant" and like is None:
            name = self.requantised(name, shape, size)
        elif self.form not in ("float", "requant"):
            name = self.op("QuantizeLinear", [name, *self.parameters(y)])
        return self.named(name, y)

    def requantised(self, name: str, shape: Sequence[int], size: float) -> str:
        """Add RequantShift of integers about `size` large: by one factor or one for each channel, to 8 or 4 bits."""
        axis = 1 if len(shape) > 2 else len(shape) - 1
        channels = [shape[axis], *[1] * (len(shape) - axis - 1)]
        scalars: list[list[int]] = [[], [1]]
        forms = [channels, self.choice(scalars)]
        levels, signed = self.choice([256, 256, 256, 16]), self.element() == TensorProto.INT8
        largest = self.choice([100, 250, 9000])
        shift = max(0, min(24, round(log2(largest * size * 4 / levels))))
        div = 1 << shift
        mul = self.generator().integers(max(1, largest // 3), largest, self.choice(forms), endpoint=True)
        low, high = (-levels // 8, levels // 8) if signed else (-levels // 8, levels // 2)
        add = self.generator().integers(low * div, high * div, self.choice(forms), endpoint=True)
        return self.requant(name, mul, add, div=div, levels=levels, signed=signed)

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
        if self.form in ("float", "requant") or self.is_qlinear():
            return self.named(
                self.op(op, [*(x.name for x in xs), *rest], **attributes), self.result(shape, first.size, first)
            )
        name = self.op(op, [*(self.real(x) for x in xs), *rest], **attributes)
        return self.quantised(name, shape, first.size, like=first)

    # Weights

    def weights(self, x: Tensor, shape: Sequence[int], axis: int | None, terms: int) -> Weight:
        """Draw weights of a tensor with a scale for all, or for each part of an axis, for sums of so many terms."""
        if self.form == "requant":
            limit = self.choice([1, 7, 127])
            numbers = self.generator().integers(-limit - 1, limit, shape, endpoint=True)
            one = np.ones(1, np.float32)
            return Weight(numbers, one, np.zeros(1, int), TensorProto.INT8, None, (limit + 1) / 1.7 * terms**0.5)
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
        if self.form == "requant":
            return self.floats(w.numbers)
        inputs = [self.constant(w.numbers, w.kind), self.floats(w.parameter(w.scales))]
        inputs.append(self.constant(w.parameter(w.zeros), w.kind))
        along: dict[str, Any] = {} if w.axis is None else {"axis": w.axis}
        return self.op("DequantizeLinear", inputs, **along)

    def weight_parameters(self, w: Weight) -> list[str]:
        """Add weights, their scales and zero points as inputs of an operator in QLinear form."""
        scales, zeros = w.parameter(w.scales), w.parameter(w.zeros)
        return [self.constant(w.numbers, w.kind), self.floats(scales), self.constant(zeros, w.kind)]

    def numbers_beside(self, x: Tensor, shape: Sequence[int]) -> str:
        """Add numbers as large as those of a tensor: in quarters of its steps, or whole ones."""
        step = 1 if self.form == "requant" else x.scale / 4
        return self.floats(self.generator().integers(-60, 60, shape) * step)

    def bound(self, value: float) -> str:
        """Add a limit of sums."""
        return self.floats(round(value) if self.form == "requant" else value)

    def bias(self, count: int) -> Array:
        """Draw a bias in steps of the sums, int32 [count]."""
        most = 30 if self.kinds[0] in FOUR_BITS else 3000
        return self.generator().integers(-most, most, count)

    def real_bias(self, x: Tensor, w: Weight, steps: Array) -> str:
        """Add a bias as floats: dequantised from int32, or a constant."""
        scales = np.broadcast_to(np.float32(x.scale) * w.scales, steps.shape)
        if self.form in ("float", "requant") or self.chance(0.5):
            return self.floats((steps * scales).astype(np.float32))
        zeros = self.constant(np.zeros(len(steps), int), TensorProto.INT32)
        return self.op(
            "DequantizeLinear", [self.constant(steps, TensorProto.INT32), self.floats(scales), zeros], axis=0
        )

    def model(self, outputs: Sequence[Tensor | ValueInfoProto] | None = None) -> ModelProto:
        model = super().model(outputs)
        if self.form == "requant":
            kinds = {name: "i8" if kind == TensorProto.INT8 else "ui8" for name, kind in self.carried.items()}
            types = {f"tilewright.input_type.{name}": kind for name, kind in kinds.items()}
            helper.set_model_props(model, types)
        return model
