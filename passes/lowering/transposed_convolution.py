"""
The lowering of ConvTranspose: one convolution whose features are all phases of the result, which are then interleaved.

A result at u = q * s + r, counted from the first element that padding may cut off, is the sum over j of
x[q - j] * w[j * s + r]: for each phase r of s a convolution of stride 1 with ceil(K / s) taps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.scalars import scalar_attr
from ...dialects.nn import ConvOp, ints
from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.transposed import transposed_pads
from ...ir import element_of, shape_of
from .code import copied
from .lowerer import Lowerer, lowers
from .movement import padded
from .moves import transposed
from .products import channel_map
from .rules import add_bias, compute_type


@dataclass(frozen=True)
class _Axis:
    """One spatial axis: x has `size` elements, w `taps` (with the zeros between them), the result `out`."""

    size: int
    taps: int
    stride: int
    out: int
    begin: int
    """Elements before the result that are cut off; negative for zeros that are added."""

    @property
    def steps(self) -> int:
        """Taps of each phase."""
        return -(-self.taps // self.stride)

    @property
    def first(self) -> int:
        """The first q that is computed; padding before x cannot be negative."""
        return min(self.begin // self.stride, self.steps - 1)

    @property
    def count(self) -> int:
        """Number of values of q that are computed."""
        return -(-(self.begin + self.out) // self.stride) - self.first

    @property
    def pads(self) -> tuple[int, int]:
        """Padding before and after x."""
        before = self.steps - 1 - self.first
        return before, max(0, self.count + self.steps - 1 - before - self.size)


def _axes(op: OnnxOp) -> list[_Axis]:
    x, w, out = shape_of(op.operands[0])[2:], shape_of(op.operands[1])[2:], shape_of(op.results[0])[2:]
    rank = len(x)
    strides = op.attribute("strides") or (1,) * rank
    taps = [(k - 1) * d + 1 for k, d in zip(w, op.attribute("dilations") or (1,) * rank, strict=True)]
    return [_Axis(*sizes) for sizes in zip(x, taps, strides, out, transposed_pads(op), strict=True)]


def _phases(lower: Lowerer, op: OnnxOp, axes: Sequence[_Axis]) -> SSAValue:
    """
    Append the weights [C, F / G, K...] as those of all phases: [G, F / G, strides..., C / G, steps...].

    Taps are in reverse order; where a phase has no tap, there is zero.
    """
    w, groups = lower[op.operands[1]], int(op.attribute("group"))
    channels, features, *kernel = shape_of(w)
    rank, zero = len(kernel), scalar_attr(0, element_of(w))
    dilations = op.attribute("dilations") or (1,) * rank
    spread = [1, 1, *(n for d in dilations for n in (1, d))]
    if any(d > 1 for d in dilations):
        dilated = lower.reshape(w, [channels, features, *(n for k in kernel for n in (k, 1))])
        dilated = padded(lower, dilated, [0] * len(spread), [n - 1 for n in spread], zero)
        w = lower.reshape(dilated, [channels, features, *(k * d for k, d in zip(kernel, dilations, strict=True))])
    lengths = [axis.steps * axis.stride for axis in axes]
    whole = [0, 0, *(max(0, n - size) for n, size in zip(lengths, shape_of(w)[2:], strict=True))]
    w = padded(lower, w, [0] * len(whole), whole, zero) if any(whole) else w
    depth = channels // groups
    strides = [axis.stride for axis in axes]
    shape = [groups, features, *strides, depth, *(axis.steps for axis in axes)]
    group, feature, *rest = AffineMap.identity(len(shape)).results
    residues, channel, steps = rest[:rank], rest[rank], rest[rank + 1 :]
    taps = [
        (step * -1 + (axis.steps - 1)) * axis.stride + residue
        for axis, step, residue in zip(axes, steps, residues, strict=True)
    ]
    return copied(lower, w, AffineMap(len(shape), 0, (group * depth + channel, feature, *taps)), shape)


@lowers("ConvTranspose")
def _conv_transpose(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    axes, compute, rank = _axes(op), compute_type(op), len(shape_of(op.operands[0])) - 2
    weights = _phases(lower, op, axes)
    batch, features = shape_of(op.results[0])[:2]
    strides = [axis.stride for axis in axes]
    counts = [axis.count for axis in axes]
    shape = shape_of(weights)
    filters = lower.reshape(weights, [prod(shape[: 2 + rank]), *shape[2 + rank :]])
    befores, afters = zip(*(axis.pads for axis in axes), strict=True)
    properties = {
        "strides": ints([1] * rank),
        "dilations": ints([1] * rank),
        "pads": ints([*befores, *afters]),
        "groups": scalar_attr(op.attribute("group"), i64),
        "accumulator": compute,
    }
    out = lower.empty([batch, features * prod(strides), *counts], compute)
    total = lower.op(ConvOp([lower[op.operands[0]], filters], out, properties))
    # [N, F, strides..., counts...] -> [N, F, count, stride, count, stride, ...]
    phases = lower.reshape(total, [batch, features, *strides, *counts])
    order = [0, 1, *(axis for i in range(rank) for axis in (2 + rank + i, 2 + i))]
    if any(stride > 1 for stride in strides):
        phases = transposed(lower, phases, order)
    lengths = [count * stride for count, stride in zip(counts, strides, strict=True)]
    whole = lower.reshape(phases, [batch, features, *lengths])
    offsets = [0, 0, *(axis.begin - axis.first * axis.stride for axis in axes)]
    wanted = shape_of(op.results[0])
    cut = whole if shape_of(whole) == wanted else lower.extract(whole, offsets, wanted, [1] * len(wanted))
    return [add_bias(lower, op, cut, op.node_input(2), channel_map(2 + rank))]
