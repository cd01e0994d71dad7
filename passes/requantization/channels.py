"""The scalar code of a kernel, seen as a function of one number in each channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.semantics import SCALAR_RULES
from ...dialects.nn import ConvOp, MatmulOp
from ...dialects.nn.contraction import ContractionOp
from ...ir import Array, array_of, element_of, integer_width, shape_of
from .steps import Domain


@dataclass
class Channels:
    """
    A body's arguments that are constant in each channel, as arrays [channels], or [1] where they are all the same.

    `axis` is that of the output along which the channels lie, -1 where all constants are scalars.
    """

    axis: int
    count: int
    numbers: dict[SSAValue, Array | None] = field(default_factory=dict[SSAValue, "Array | None"])

    def __getitem__(self, value: SSAValue) -> Array | None:
        """Return the number of each channel, None where it is not constant."""
        if value not in self.numbers:
            self.numbers[value] = self._computed(value.owner)
        return self.numbers[value]

    def _computed(self, owner: Operation | Block) -> Array | None:
        if not isinstance(owner, Operation) or type(owner) not in SCALAR_RULES or len(owner.results) != 1:
            return None
        operands = [self[operand] for operand in owner.operands]
        if any(operand is None for operand in operands):
            return None
        with np.errstate(all="ignore"):
            return np.atleast_1d(SCALAR_RULES[type(owner)](owner, *operands))


def channels_of(block: Block, taken: Sequence[tuple[SSAValue, AffineMap]], shape: Sequence[int], axis: int) -> Channels:
    """
    Return the channels of a body whose last arguments are elements of `taken`, at maps from the output's axes.

    `shape` is the output's, `axis` the channel axis; -1 selects the axis along which the first constant varies.
    """
    arguments = block.args[len(block.args) - len(taken) :]
    constants = [
        (argument, array_of(cast(Any, value.owner.value)), map)
        for argument, (value, map) in zip(arguments, taken, strict=True)
        if isinstance(value.owner, arith.ConstantOp)
    ]
    if axis < 0:
        axes = [dims[0] for *_, map in constants if len(dims := _dims(map, shape)) == 1]
        axis = axes[0] if axes else -1
    channels = Channels(axis, shape[axis] if axis >= 0 else 1, dict.fromkeys(block.args))
    for argument, array, map in constants:
        dims = _dims(map, shape)
        if all(dim == axis for dim in dims):
            channels.numbers[argument] = _by_channel(array, map, channels, channels.count if dims else 1)
    return channels


def _dims(map: AffineMap, shape: Sequence[int]) -> list[int]:
    """Return the axes of the output, of more than one element, along which the elements at a map vary."""
    return sorted({dim for expr in map.results for dim in expr.used_dims() if shape[dim] != 1})


def _by_channel(array: Array, map: AffineMap, channels: Channels, count: int) -> Array:
    point = [0] * map.num_dims
    numbers: list[Any] = []
    for channel in range(count):
        if channels.axis >= 0:
            point[channels.axis] = channel
        numbers.append(array[tuple(map.eval(point, []))])
    return np.array(numbers, array.dtype)


def domain_of(value: SSAValue, sums: Domain | None) -> Domain:
    """
    Return the domain of an integer, [channels] or [1]: sums of the kernel for its first argument, else its value range.
    """
    owner = value.owner
    if isinstance(owner, Block) and value is owner.args[0] and sums is not None:
        return sums
    values = ValueRanges().of(value)
    assert values is not None
    return Domain(np.array([values.low]), np.array([values.high]))


def sums_of(op: ContractionOp) -> Domain | None:
    """
    Return the least and the greatest sum of each output channel of a convolution or matrix product of bytes.

    [channels], or [1] for all; constant weights count by value. None for other kernels, and for sums that begin with
    an earlier one.
    """
    if not isinstance(op, ConvOp | MatmulOp) or op.accumulate is not None or op.wraps is not None:
        return None
    x, w = op.inputs
    if op.packed_bits or any(integer_width(element_of(value)) != 8 for value in (x, w)):
        return None
    (low, high), (least, most) = ((0, 255) if op.is_unsigned(index) else (-128, 127) for index in range(2))
    rows = _rows(op)
    if rows is None:
        products = [a * b for a in (low, high) for b in (least, most)]
        terms = _terms(op)
        return Domain(np.array([terms * min(*products, 0)]), np.array([terms * max(*products, 0)]))
    ends = rows * low, rows * high
    return Domain(np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1))


def _rows(op: ConvOp | MatmulOp) -> Array | None:
    """Return constant weights as int64 [channels, products], None where they are computed."""
    owner = op.inputs[1].owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    stored = array_of(cast(Any, owner.value))
    numbers = (stored.view(np.uint8) if op.is_unsigned(1) else stored).astype(np.int64)
    if isinstance(op, ConvOp):
        return numbers.reshape(len(numbers), -1)
    if numbers.ndim != 2:
        return None
    return numbers if op.transpose_b is not None else numbers.T


def _terms(op: ConvOp | MatmulOp) -> int:
    shape = shape_of(op.inputs[1])
    if isinstance(op, ConvOp):
        return prod(shape[1:])
    return shape[-1] if op.transpose_b is not None else shape[-2]


def channel_axis(op: ConvOp | MatmulOp) -> int:
    """Return the axis of the output along which the channels of `sums_of` lie."""
    last = len(shape_of(op.output)) - 1
    return 1 if isinstance(op, ConvOp) and op.channels_last is None else last
