"""Backward slices of a requantisation: its value as a function of one or two numbers of the kernel, by channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.semantics import SCALAR_RULES
from ...dialects.quant import LookupOp, RequantizeOp, RescaleOp
from ...ir import Array, integer_width, numpy_type
from .channels import Channels

Requantization: TypeAlias = RequantizeOp | RescaleOp

_QUANTISED = (RequantizeOp, RescaleOp, LookupOp)
BYTE = 8
"""The bits of a leaf of which all values are enumerated."""


@dataclass(frozen=True)
class Slice:
    """
    The ops between the `leaves`, which vary within a channel, and a requantisation, the last of them.

    All else that they use is constant in each channel.
    """

    leaves: tuple[SSAValue, ...]
    ops: tuple[Operation, ...]
    channels: Channels

    @property
    def requantization(self) -> Requantization:
        """The last op."""
        return cast("Requantization", self.ops[-1])

    def values(self, *leaves: Array) -> Array:
        """Compute the requantised values of leaves [channels or 1, n], as int64, an unsigned result as such."""
        op = self.requantization
        low, bits = op.low.value.data, integer_width(op.result.type) or 0
        values = self._evaluate(leaves)
        raw = SCALAR_RULES[type(op)](op, *(self._operand(values, operand) for operand in op.operands))
        return ((raw.astype(np.int64) - low) & ((1 << bits) - 1)) + low

    def reals(self, *leaves: Array) -> Array:
        """Compute the values before they are rounded and clipped, float64 [channels or 1, n]."""
        op = self.requantization
        values = self._evaluate(leaves)
        x, factor, *rest = (self._operand(values, operand).astype(np.float64) for operand in op.operands)
        if isinstance(op, RescaleOp):
            return x * factor + op.zero.value.data
        return np.ldexp(x * factor + rest[0], -op.shift.value.data)

    def _evaluate(self, leaves: Sequence[Array]) -> dict[SSAValue, Array]:
        types = [numpy_type(leaf.type) for leaf in self.leaves]
        typed = [leaf.astype(type) for leaf, type in zip(leaves, types, strict=True)]
        values = dict(zip(self.leaves, typed, strict=True))
        with np.errstate(all="ignore"):
            for op in self.ops[:-1]:
                values[op.results[0]] = SCALAR_RULES[type(op)](op, *(self._operand(values, v) for v in op.operands))
        return values

    def _operand(self, values: dict[SSAValue, Array], operand: SSAValue) -> Array:
        return values[operand] if operand in values else cast(Array, self.channels[operand])[:, None]

    def lines(self) -> list[tuple[Array, Array]]:
        """
        Return multiplier and summand of each integer computed from the only leaf as a line of it, in Python integers.

        The list ends at the first op that is no sum, product or extension.
        """
        lines = [(np.array([1], object), np.array([0], object))]
        for op in self.ops[:-1]:
            if not isinstance(op, arith.ExtSIOp | arith.AddiOp | arith.SubiOp | arith.MuliOp):
                break
            lines.append(_extended(op, lines[-1], self.channels))
        return lines

    def is_uniform(self) -> bool:
        """Return whether all channels have the same constants."""
        operands = {operand for op in self.ops for operand in op.operands}
        constants = [self.channels[operand] for operand in operands]
        return all(numbers is None or len(numbers) == 1 for numbers in constants)

    def is_read_unsigned(self, leaf: SSAValue) -> bool:
        """Return whether the ops read the bits of a leaf as an unsigned number."""
        return any(isinstance(op, arith.ExtUIOp | arith.UIToFPOp) and leaf in op.operands for op in self.ops)


def slice_of(
    op: Requantization, channels: Channels, *, through_integers: bool = True, through_bytes: bool = False
) -> Slice:
    """
    Return the backward slice of a requantisation to quantised numbers and to values of no scalar op.

    Unless `through_integers` it ends at the integers that become floats. With `through_bytes` earlier requantisations
    are part of it.
    """
    ops: list[Operation] = [op]
    leaves = _varying(op, channels)
    before = op.prev_op
    while before is not None:
        if before.results and before.results[0] in leaves and _is_inner(before, through_integers, through_bytes):
            del leaves[before.results[0]]
            leaves |= _varying(before, channels)
            ops.append(before)
        before = before.prev_op
    return Slice(tuple(leaves), tuple(reversed(ops)), channels)


def _varying(op: Operation, channels: Channels) -> dict[SSAValue, None]:
    return {operand: None for operand in op.operands if channels[operand] is None}


def _is_inner(op: Operation, through_integers: bool, through_bytes: bool) -> bool:
    if isinstance(op, RequantizeOp | RescaleOp) and through_bytes:
        return True
    if isinstance(op, _QUANTISED) or type(op) not in SCALAR_RULES or len(op.results) != 1 or op.regions:
        return False
    width = integer_width(op.results[0].type)
    return width is None or width == 1 or (width > BYTE and through_integers)


_NONDECREASING = (
    arith.AddfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MaxSIOp, arith.MinSIOp,
    math.RoundEvenOp, math.FloorOp, math.CeilOp,
)  # fmt: skip
"""Ops that are nondecreasing in each operand, the others constant; rounded results included."""


def is_nondecreasing(code: Slice) -> bool:
    """Return whether the slice is a nondecreasing function of its only leaf, by the ops that it is composed of."""
    return all(_is_nondecreasing(op, code.channels) for op in code.ops)


def _is_nondecreasing(op: Operation, channels: Channels) -> bool:
    varying = [index for index, operand in enumerate(op.operands) if channels[operand] is None]
    if len(varying) != 1 or any(not _is_finite(channels[operand]) for operand in op.operands):
        return False
    constants = [cast(Array, channels[operand]) for operand in op.operands if channels[operand] is not None]
    match op:
        case arith.ExtUIOp() | arith.UIToFPOp() | arith.ExtSIOp() | arith.SIToFPOp():
            return _keeps_order(op)
        case arith.AddiOp() | arith.SubiOp() | arith.MuliOp():
            if arith.IntegerOverflowFlag.NSW not in op.overflow_flags.data:
                return False
            is_factor = isinstance(op, arith.MuliOp)
            return (not is_factor or bool((constants[0] >= 0).all())) and _grows(op, varying[0])
        case arith.MulfOp():
            return bool((constants[0] >= 0).all())
        case arith.DivfOp():
            return varying == [0] and bool((constants[0] > 0).all())
        case arith.SubfOp():
            return varying == [0]
        case RequantizeOp() | RescaleOp():
            return varying == [0] and bool((constants[0] >= 0).all())
        case _:
            return isinstance(op, _NONDECREASING)


def _keeps_order(op: Operation) -> bool:
    """Return whether a conversion reads the bits of its operand as the op before it has stored them."""
    is_unsigned = isinstance(op, arith.ExtUIOp | arith.UIToFPOp)
    before = op.operands[0].owner
    if isinstance(before, RequantizeOp | RescaleOp):
        half = 1 << (integer_width(before.result.type) or 0) - 1
        return before.low.value.data >= 0 if is_unsigned else before.high.value.data < half
    values = ValueRanges().of(op.operands[0])
    return not is_unsigned or (values is not None and values.low >= 0)


def _grows(op: Operation, varying: int) -> bool:
    return varying == 0 or not isinstance(op, arith.SubiOp)


def _is_finite(numbers: Array | None) -> bool:
    return numbers is None or bool(np.isfinite(numbers).all())


def _extended(op: Operation, line: tuple[Array, Array], channels: Channels) -> tuple[Array, Array]:
    """Return the line of an op's result from that of its only operand that is not constant."""
    factor, summand = line
    numbers = [channels[operand] for operand in op.operands]
    constants = [number.astype(object) for number in numbers if number is not None]
    match op:
        case arith.AddiOp():
            return factor, summand + constants[0]
        case arith.SubiOp():
            return factor, summand - constants[0]
        case arith.MuliOp():
            return factor * constants[0], summand * constants[0]
        case _:
            return line
