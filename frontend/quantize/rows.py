"""
Softmax and layer normalisation of quantised tensors in 32-bit integers, as plain ONNX.

All operators are those of ONNX on i32, whose results do not depend on the runtime. Softmax takes powers from a table;
layer normalisation takes the square root by Newton's method, as I-BERT does (arXiv:2101.01321, algorithm 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, prod, sqrt
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...dialects.onnx.registry import mentions
from ...ir import Array
from .network import FloatNetwork
from .scales import Scale

_LOW, _HIGH = -128, 127
_ROOM = 30
"""Bits of the largest intermediate result."""
_POWER_BITS = 22
"""Most bits after the point of a power."""
_WIDE_BITS = 15
"""Bits after the point of a softmax that is not quantised to bytes."""
_FAR = 16.0
"""Distance from the greatest operand beyond which powers are not told from 0."""
_LONGEST_TABLE = 4096
_SUMMAND = 1 << 20
"""Largest summand of the operand, in steps; a mask of infinities is brought to it."""
_NORMALISED = 16
_FACTOR = (1 << 13) - 1
_OFFSET = 1 << 30
"""Summand that makes the dividend of the last division positive."""


class NodeChain:
    """Nodes that are appended one after the other, named after a node of the float network."""

    def __init__(self, network: FloatNetwork, base: str):
        self._network = network
        self._base = base
        self.nodes: list[NodeProto] = []

    def op(self, operator: str, *inputs: str | int | Array, **attributes: Any) -> str:
        """Append a node; numbers and arrays become constants. Returns the name of its result."""
        names = [operand if isinstance(operand, str) else self.constant(operand) for operand in inputs]
        result = self._network.names.take(f"{self._base}.{operator.lower()}")
        self.nodes.append(helper.make_node(operator, names, [result], name=result, **attributes))
        return result

    def constant(self, value: int | Array) -> str:
        """Add a constant, i32 where it is a number; returns its name."""
        array = value if isinstance(value, np.ndarray) else np.array(value, np.int32)
        return self._network.add_constant(f"{self._base}.constant", array)

    def cast(self, value: str, data_type: int = TensorProto.INT32) -> str:
        """Append a conversion; returns the name of its result."""
        return self.op("Cast", value, to=data_type)


@dataclass(frozen=True)
class RowOperand:
    """Bytes of a tensor with a step of its scale, its shape, and the axis of its rows, or the first of them."""

    name: str
    step: float
    shape: Sequence[int]
    axis: int

    @property
    def count(self) -> int:
        """The numbers from the axis on."""
        return prod(self.shape[self.axis :])


def softmax(chain: NodeChain, x: RowOperand, summand: str, y: Scale | None) -> str:
    """
    Append the softmax of bytes along an axis, plus the summand of i32 steps that may be "".

    `p = 2^k exp(-step (max - x))` comes from a table; the result is `(p M + sum / 2) / sum + zero`, `M = 1 / scale`.
    Returns bytes, or without `y` i32 of `softmax_scale`. For rows of n numbers, a number p differs from that of
    exact arithmetic by up to half a step and `(1 + n p) 2^-k-1`.
    """
    length, step, places = x.shape[x.axis], x.step, np.array([x.axis], np.int64)
    factor = 1 << _WIDE_BITS if y is None else round(1 / y.scale)
    bits = min(_POWER_BITS, _ROOM - (factor + length).bit_length())
    operand = chain.cast(x.name)
    operand = chain.op("Add", operand, summand) if summand else operand
    distance = chain.op("Sub", chain.op("ReduceMax", operand, places), operand)
    entries = _HIGH - _LOW + 1
    if summand:
        divisor = ceil(_FAR / (_LONGEST_TABLE * step))
        step, entries = step * divisor, max(ceil(_FAR / (step * divisor)), 1) + 1
        distance = _divided(chain, distance, divisor)
        distance = chain.op("Min", distance, entries - 1)
    table = np.rint(np.exp(-step * np.arange(entries)) * (1 << bits)).astype(np.int32)
    powers = chain.op("Gather", table, distance)
    total = chain.op("ReduceSum", powers, places)
    scaled = chain.op("Add", chain.op("Mul", powers, factor), chain.op("Div", total, 2))
    shares = chain.op("Div", scaled, total)
    if y is None:
        return shares
    shares = chain.op("Add", shares, y.zero) if y.zero else shares
    shares = chain.op("Min", shares, _HIGH) if factor + y.zero > _HIGH else shares
    return chain.cast(shares, TensorProto.INT8)


def softmax_scale() -> Array:
    """Return the scale of a softmax in i32."""
    return np.array(2.0**-_WIDE_BITS, np.float32)


def steps_of(chain: NodeChain, network: FloatNetwork, summand: str, step: float) -> str:
    """Append a float summand of the operand of a softmax as i32 steps, rounded; returns its name, "" for none."""
    if not summand:
        return ""
    if summand in network.constants:
        steps = np.clip(np.rint(network.constants[summand] / np.float32(step)), -_SUMMAND, _SUMMAND)
        return chain.constant(steps.astype(np.int32))
    scaled = chain.op("Div", summand, np.array(step, np.float32))
    limits = (np.array(limit, np.float32) for limit in (-_SUMMAND, _SUMMAND))
    return chain.cast(chain.op("Round", chain.op("Clip", scaled, *limits)))


def layer_norm(chain: NodeChain, x: RowOperand, epsilon: float, factors: Array, summands: Array, y: Scale) -> str:
    """
    Append the layer normalisation of bytes over the axes from that of the operand on; returns bytes.

    With n numbers in a row, `c = n x - sum`, `v` = n times the variance, and `r = sqrt(4^t (v + n epsilon))` by
    Newton's method, the result is `(K c / r) G + B` over a power of two. A number differs from that of exact
    arithmetic by up to one step, where the operand varies by more than one step.
    """
    count, places = x.count, np.arange(x.axis, len(x.shape), dtype=np.int64)
    operand = chain.cast(x.name)
    total = chain.op("ReduceSum", operand, places)
    centred = chain.op("Sub", chain.op("Mul", operand, count), total)
    root, shift = _deviation(chain, operand, total, count, places, count * epsilon / x.step**2)
    # |centred| <= 255 count, and centred / root <= count / 2^shift.
    most = min((1 << _ROOM) / (255 * count), 2.0 ** (_NORMALISED + shift) / count)
    factor = 1 << max(floor(log2(most)), 0)
    normalised = chain.op("Div", chain.op("Mul", centred, factor), root)
    scale = factors.astype(np.float64) * 2.0**shift / (sqrt(count) * factor * y.scale)
    steps = summands.astype(np.float64) / y.scale + y.zero
    reach = max(float(np.abs(scale).max()) / _FACTOR, float(np.abs(steps).max()) / (_OFFSET / 2 - (1 << 20)))
    bits = int(np.clip(floor(-log2(reach)) if reach else 20, 0, 20))
    whole = np.clip(np.rint(scale * 2.0**bits), -_FACTOR, _FACTOR).astype(np.int32)
    most = _OFFSET // 2 - (1 << 20)
    added = np.clip(np.rint(steps * 2.0**bits), -most, most).astype(np.int64) + _OFFSET + (1 << bits >> 1)
    result = chain.op("Add", chain.op("Mul", normalised, whole), added.astype(np.int32))
    result = chain.op("Sub", chain.op("Div", result, 1 << bits), _OFFSET >> bits)
    return chain.cast(chain.op("Clip", result, _LOW, _HIGH), TensorProto.INT8)


@mentions("Div", "Mul")
def _deviation(
    chain: NodeChain, operand: str, total: str, count: int, places: Array, epsilon: float
) -> tuple[str, int]:
    """Append `sqrt(4^shift (sum((x - mean)^2) + epsilon))` of each row; returns its name and the shift."""
    mean = chain.op("Div", total, count)
    apart = chain.op("Sub", operand, mean)
    squares = chain.op("ReduceSum", chain.op("Mul", apart, apart), places)
    rest = chain.op("Sub", total, chain.op("Mul", mean, count))
    shift = floor((_ROOM - log2(count * (_HIGH - _LOW) ** 2 / 4 + epsilon)) / 2)
    operator, power = ("Mul", 4**shift) if shift >= 0 else ("Div", 4**-shift)
    # (x - mean) adds up to the rest of the division by which the mean is rounded.
    squares = chain.op(operator, squares, power)
    rest = chain.op(operator, chain.op("Mul", rest, rest), power)
    scaled = chain.op("Sub", squares, chain.op("Div", rest, count))
    return _root(chain, chain.op("Add", scaled, max(round(epsilon * 4.0**shift), 1))), shift


def _root(chain: NodeChain, square: str) -> str:
    """Append the integer square root of numbers from 1 to 2^30 along a last axis of 1; it is at most 1 too large."""
    exponents = np.arange(1, 15)
    above = chain.cast(chain.op("GreaterOrEqual", square, (4**exponents).astype(np.int32)))
    last = np.array([-1], np.int64)
    root = chain.op("ReduceSum", chain.op("Mul", above, (2**exponents).astype(np.int32)), last)
    root = chain.op("Add", root, 2)
    # From at most twice the root, each step squares the relative error: 1, 1/4, 1/40, 3e-4, 5e-8.
    for _ in range(4):
        root = chain.op("Div", chain.op("Add", root, chain.op("Div", square, root)), 2)
    return root


def _divided(chain: NodeChain, value: str, divisor: int) -> str:
    """Append the quotient of numbers from 0 on, rounded; the numbers themselves where the divisor is 1."""
    return value if divisor == 1 else chain.op("Div", chain.op("Add", value, divisor // 2), divisor)
