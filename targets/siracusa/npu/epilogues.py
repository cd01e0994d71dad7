"""Split of epilogues into the NPU's requantisation and a remaining elementwise kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ....dialects.core.body import Body
from ....dialects.core.kernel import single_block
from ....dialects.core.kernel_op import KernelOp
from ....dialects.quant import RequantizeOp
from ....ir import Array, element_of, integer_width, shape_of
from ....passes.loops.scalar import live_ops
from ....passes.requantization.channels import Channels, channels_of
from .kernel_ops import CLIPS

_INT32 = 1 << 31


@dataclass(frozen=True)
class Requantization:
    """
    Requantisation to bytes: `clip((sum * scale[o] + bias[o]) >> shift, low, high)`.

    `of` is the epilogue's op with this result; if it clips further, to `narrower`.
    """

    scale: Array
    bias: Array
    shift: int
    low: int
    high: int
    of: RequantizeOp
    narrower: tuple[int, int] | None = None

    @property
    def scale_bits(self) -> int:
        """Bits of a scale: 8 if they suffice, else 32."""
        return 8 if not self.scale.size or self.scale.max() < 256 else 32


@dataclass(frozen=True)
class _Line:
    """Clamped linear function: `factor[o] * sum + summand[o]`, limited to [`least[o]`, `most[o]`]."""

    factor: Array
    summand: Array
    least: Array
    most: Array

    def range(self, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        """Return the least and the greatest unlimited value of each channel."""
        ends = [self.factor * end + self.summand for end in sums]
        return np.minimum(*ends), np.maximum(*ends)

    def plus(self, numbers: Array) -> _Line:
        """Add a number per channel."""
        return _Line(self.factor, self.summand + numbers, self.least + numbers, self.most + numbers)

    def times(self, numbers: Array) -> _Line:
        """Multiply by a number per channel."""
        ends = self.least * numbers, self.most * numbers
        return _Line(self.factor * numbers, self.summand * numbers, np.minimum(*ends), np.maximum(*ends))

    def at_least(self, numbers: Array) -> _Line:
        """Take the maximum with a number per channel."""
        return replace(self, least=np.maximum(self.least, numbers), most=np.maximum(self.most, numbers))

    def at_most(self, numbers: Array) -> _Line:
        """Take the minimum with a number per channel."""
        return replace(self, least=np.minimum(self.least, numbers), most=np.minimum(self.most, numbers))

    def is_free(self, low: int, high: int, shift: int) -> bool:
        """Return whether the limits are redundant before a shift and a clip."""
        clipped = (self.least >> shift <= low) & (self.most >> shift >= high)
        constant = (self.factor == 0) & (self.least <= self.summand) & (self.summand <= self.most)
        return bool(np.all(clipped | constant))


_FREE = 1 << 200
"""Infinite limit."""


def requantization_of(op: KernelOp, feature_axis: int, sums: tuple[Array, Array]) -> Requantization | None:
    """
    Match the requantisation at the start of a kernel's epilogue if the NPU supports it; else None.

    `sums` are the least and the greatest sum of each output channel. Additions and multiplications by per-channel
    numbers are folded into scale and bias, and so is the rounding, which the NPU does not have. Limits (a ReLU) must be
    implied by the final clip.
    """
    block = single_block(op.epilogue)
    if block is None:
        return None
    extras = [(value, map.data) for value, map in zip(op.extras, op.epilogue_maps or (), strict=True)]
    channels = channels_of(block, extras, shape_of(op.output), feature_axis)
    steps: list[Operation] = []
    lines: dict[SSAValue, _Line] = {}
    lines[block.args[0]] = _Line(*(np.array([number], dtype=object) for number in (1, 0, -_FREE, _FREE)))
    for inner in block.ops:
        if isinstance(inner, RequantizeOp) and inner.x in lines:
            if any(use.operation is not inner and use.operation not in steps for v in lines for use in v.uses):
                return None
            return _checked(inner, lines[inner.x], channels, sums)
        line = _step(inner, lines, channels)
        if line is not None:
            if not _fits(line, inner, sums):
                return None
            lines[inner.results[0]] = line
            steps.append(inner)
    return None


def _step(op: Operation, lines: dict[SSAValue, _Line], channels: Channels) -> _Line | None:
    """Return the result of an op on a linear function, None if it is not linear."""
    if isinstance(op, arith.ExtSIOp):
        return lines.get(op.input)
    if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.MaxSIOp | arith.MinSIOp):
        return None
    line = lines.get(op.lhs) or lines.get(op.rhs)
    number = channels[op.rhs if op.lhs in lines else op.lhs]
    if line is None or number is None:
        return None
    numbers = number.astype(object)
    match op:
        case arith.AddiOp():
            return line.plus(numbers)
        case arith.MuliOp():
            return line.times(numbers)
        case arith.MaxSIOp():
            return line.at_least(numbers)
        case arith.MinSIOp():
            return line.at_most(numbers)
        case _:
            return line.plus(-numbers) if op.lhs in lines else line.plus(-numbers).times(np.array([-1], dtype=object))


def _fits(line: _Line, op: Operation, sums: tuple[Array, Array]) -> bool:
    """Return whether the range of a linear function fits the type of the op that computes it."""
    low, high = line.range(sums)
    limit = 1 << (integer_width(op.results[0].type) or 1) - 1
    return bool((low >= -limit).all() and (high < limit).all())


def _checked(op: RequantizeOp, line: _Line, channels: Channels, sums: tuple[Array, Array]) -> Requantization | None:
    """Return the requantisation of a linear function, None if scale, bias or their result is out of range."""
    mul, add, shift = channels[op.mul], channels[op.add], op.shift.value.data
    clip = op.low.value.data, op.high.value.data
    wide = next((limits for limits in CLIPS if limits[0] <= clip[0] and clip[1] <= limits[1]), None)
    if mul is None or add is None or wide is None or shift > 31:
        return None
    scaled = line.times(mul.astype(object)).plus(add.astype(object) + ((1 << shift) >> 1))
    scale, bias = (np.broadcast_to(numbers, len(sums[0])) for numbers in (scaled.factor, scaled.summand))
    low, high = scaled.range(sums)
    if (scale < 0).any() or (scale >= 1 << 32).any() or (bias < -_INT32).any() or (bias >= _INT32).any():
        return None
    if (low <= -_INT32).any() or (high >= _INT32).any() or not scaled.is_free(*clip, shift):
        return None
    narrower = None if clip == wide else clip
    return Requantization(scale.astype(np.int64), bias.astype(np.int64), shift, *wide, op, narrower)


# Remaining epilogue


def is_all(op: KernelOp, requantization: Requantization) -> bool:
    """Return whether a requantisation is the whole epilogue."""
    block = single_block(op.epilogue)
    last = block.last_op if block is not None else None
    whole = requantization.narrower is None and element_of(op.output) == i8
    return whole and last is not None and last.operands[0] is requantization.of.result


def rest_of(op: KernelOp, requantization: Requantization | None) -> tuple[list[SSAValue], list[AffineMap], Block]:
    """
    Return the remaining epilogue as an elementwise kernel: operands, maps and code.

    Its first argument is the NPU's result: a requantised byte or a sum; the last is an element of the output.
    """
    source = single_block(op.epilogue)
    assert source is not None
    assert source.last_op is not None
    start = source.args[0] if requantization is None else requantization.of.result
    ops, used = live_ops(source)
    if requantization is not None:
        ops = _after(source, requantization.of)
        used = {operand for inner in (*ops, source.last_op) for operand in inner.operands}
    kept = [index for index, argument in enumerate(source.args[1:]) if argument in used]
    body = Body(
        [start.type if requantization is None else i8, *(source.args[1 + k].type for k in kept), element_of(op.output)]
    )
    first = body.args[0] if requantization is None else _requantized(body, requantization)
    mapping: dict[SSAValue, SSAValue] = {start: first}
    mapping |= {source.args[1 + k]: argument for k, argument in zip(kept, body.args[1:], strict=False)}
    for inner in ops:
        body.block.add_op(inner.clone(value_mapper=mapping))
    result = source.last_op.operands[0]
    maps = [attribute.data for attribute in op.epilogue_maps or ()]
    block = body.finish(mapping.get(result, result))
    extras = [op.extras[k] for k in kept]
    return extras, [maps[k] for k in kept], block


def _requantized(body: Body, requantization: Requantization) -> SSAValue:
    """Append the result of the source's requantisation, computed from the NPU's byte."""
    byte, type = body.args[0], requantization.of.result.type
    if requantization.narrower is None:
        return body.convert(byte, type, unsigned=requantization.low == 0)
    wide = body.clip(body.convert(byte, i32, unsigned=requantization.low == 0), *requantization.narrower)
    return body.convert(wide, type)


def _after(block: Block, requantize: RequantizeOp) -> Sequence[Operation]:
    """Return the ops after a requantisation in the backward slice of the results, in order."""
    assert block.last_op is not None
    needed: set[SSAValue] = set(block.last_op.operands)
    after: list[Operation] = []
    op = block.last_op.prev_op
    while op is not None:
        if op is not requantize and not needed.isdisjoint(op.results):
            after.append(op)
            needed.update(operand for nested in op.walk() for operand in nested.operands)
        op = op.prev_op
    return after[::-1]
