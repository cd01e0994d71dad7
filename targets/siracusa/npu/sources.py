"""Recognition of tensor-level kernels that the NPU supports: products with constant weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Operation, OpResult, SSAValue

from ....dialects.core.kernel import single_block
from ....dialects.core.kernel_op import KernelOp
from ....dialects.core.kernel_structure import structure_of
from ....dialects.nn import ConvOp, MatmulOp
from ....dialects.nn.contraction import ContractionOp, PackableOp
from ....errors import Diagnostic
from ....ir import Array, array_of, element_of, numbers_of, shape_of, where
from .epilogues import Requantization, requantization_of
from .geometry import ConvKind, packed_shape
from .jobs import MOST_PADDING, Padding
from .weights import MOST_BITS, fewest_bits

_NATIVE = "1x1 or 3x3, or channels last and no depthwise one"


@dataclass(frozen=True)
class RowWindows:
    """Windows of an image [N, H, W, C] that become rows of a matrix (im2col): [N * Ho * Wo, kh * kw * C]."""

    shape: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[int, int, int, int]


@dataclass(frozen=True)
class Source:
    """
    Kernel in the form of the NPU.

    `x` is [N, C, H, W], [N, H, W, C] with `channels_last`, or [..., K] for the rows of a matrix product, whose `pads`
    (above, left, below, right) are None. `weight` is [Cout, Cin, kh, kw], depthwise [C, 1, kh, kw]. The NPU has no
    strides. With `strides`, a 1x1 window reads a strided slice of x; other windows compute all pixels, and the result
    is sliced. `folded` contiguous columns of x become one column with all their channels; `weight`, `pads` and
    `strides` then refer to the folded image. `widened` are columns that the padding of x gets besides before that. With
    `windows` the kernel is the product of the windows of x, which may be [N, W, C] then, copied to rows of a matrix. Of
    several `groups` that the NPU does not have it is one convolution of all channels, with zeros between the weights
    of groups.
    """

    op: ContractionOp
    kind: ConvKind
    x: SSAValue
    weight: Array
    pads: tuple[int, int, int, int] | None = None
    fill: int = 0
    channels_last: bool = True
    strides: tuple[int, int] = (1, 1)
    folded: int = 1
    widened: int = 0
    windows: RowWindows | None = None
    groups: int = 1

    @property
    def feature_axis(self) -> int:
        """Channel axis of the output."""
        return len(shape_of(self.op.output)) - 1 if self.channels_last else 1

    @property
    def column_axis(self) -> int:
        """Axis of the columns of x, an image."""
        return 2 if self.channels_last else 3

    @property
    def unsigned(self) -> bool:
        """Return whether x is unsigned."""
        return self.op.is_unsigned(0)

    @cached_property
    def requantization(self) -> Requantization | None:
        """Requantisation of the kernel's epilogue on the NPU, None if there is none."""
        return requantization_of(self.op, self.feature_axis, self.sums())

    @cached_property
    def stored(self) -> tuple[int, int]:
        """
        Bits and offset of stored weights; pointwise weights always have 8 bits, because fewer save nothing.

        Raises Diagnostic as `fewest_bits` does.
        """
        bits, offset = fewest_bits(self.weight)
        if self.kind is not ConvKind.POINTWISE:
            return bits, offset
        low = int(self.weight.min())
        return MOST_BITS, -128 if low >= -128 and int(self.weight.max()) < 128 else low

    @cached_property
    def form(self) -> Hashable:
        """Canonical key of kernels with equal NPU work, cost and remaining epilogue."""
        requantized, block = None, single_block(self.op.epilogue)
        if self.requantization is not None and block is not None:
            requantized = [*block.ops].index(self.requantization.of), self.requantization.scale_bits
        makers = tuple(type(value.owner) for value in self.op.inputs)
        image = (
            self.x.type,
            self.pads,
            self.fill,
            self.channels_last,
            self.strides,
            self.folded,
            self.windows,
            self.groups,
        )
        return structure_of([self.op]), makers, image, self.kind, self.weight.shape, self.stored, requantized

    def sums(self) -> tuple[Array, Array]:
        """Return the least and the greatest sum of each output channel, for any x, in int64."""
        rows = self.weight.reshape(len(self.weight), -1).astype(np.int64)
        low, high = (0, 255) if self.unsigned else (-128, 127)
        ends = rows * low, rows * high
        return np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1)


def is_candidate(op: Operation) -> bool:
    """Return whether the NPU may support an op, by its class."""
    return type(op) in _SOURCES


def source_of(op: Operation) -> Source:
    """Return the NPU's form of a kernel. Raises Diagnostic with the reason for an unsupported kernel."""
    kernel = cast(ContractionOp, op)
    x, w = kernel.inputs
    if not kernel.results:
        raise _declined(op, "works on buffers", "a kernel on tensors")
    # Weights less a zero point fit i16 and, in the NPU, 8 bits with an offset.
    is_of_bytes = element_of(x) == i8 and (element_of(w) == i8 or (element_of(w) == i16 and not kernel.is_unsigned(1)))
    if not is_of_bytes or kernel.accumulator != i32:
        types = f"{element_of(x)}, {element_of(w)}, sums of {kernel.accumulator}"
        raise _declined(op, "is not on bytes with sums of 32 bits", "i8, i8 or i16, sums of i32", types)
    if isinstance(op, PackableOp) and op.packed_bits:
        raise _declined(op, "has packed weights", "weights as bytes, which the NPU packs otherwise")
    if not all((*shape_of(x), *shape_of(w))):
        raise _declined(op, "has no elements", "an image and weights of one element at least")
    if _constant(w) is None:
        raise _declined(op, "has weights that are not constant", "constant weights")
    return _folded(_SOURCES[type(op)](op))


def _folded(source: Source) -> Source:
    """
    Fold the column stride of a 3x3 convolution into channels, if that needs no more weights.

    As many columns as the stride become one, with the channels of all. A window spans at most two such columns, so that
    a 3x3 window contains its weights, padded with zeros. One column of padding after the image suffices. Padding that
    is part of x is widened to whole columns.
    """
    pads, (down, across) = source.pads, source.strides
    columns = source.column_axis
    if source.kind is not ConvKind.DENSE or pads is None or across == 1:
        return source
    width, output_columns = shape_of(source.x)[columns], shape_of(source.op.output)[columns]
    widened = -width % across
    if widened and not _is_constant_padding(source.x):
        return source
    above, left, below, _ = pads
    before = output_columns + 1 - (width + widened) // across
    weight = _folded_weight(source.weight, across, left, before)
    if _row_bytes(weight) > _row_bytes(source.weight) or _is_slice(source):
        return source
    pads = above, before, below, 1
    return replace(source, weight=weight, pads=pads, strides=(down, 1), folded=across, widened=widened)


def _is_constant_padding(x: SSAValue) -> bool:
    """Return whether x is a tensor padded by constant numbers of one value."""
    pad = x.owner
    return isinstance(pad, tensor.PadOp) and not pad.low and not pad.high and _constant_fill(pad) is not None


def _is_slice(source: Source) -> bool:
    """Return whether x is a slice of a tensor, whose reshape needs a copy."""
    x = source.x
    while isinstance(x.owner, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
        x = x.owner.operands[0]
    return source.channels_last and isinstance(x.owner, tensor.ExtractSliceOp)


def _folded_weight(weight: Array, columns: int, left: int, before: int) -> Array:
    """
    Fold weights [Cout, Cin, 3, 3] to [Cout, columns * Cin, 3, 3].

    The image has `left` columns of padding, `before` folded ones.
    """
    features, channels, *window = weight.shape
    wide = np.zeros((features, columns, channels, *window), weight.dtype)
    for tap in range(window[1]):
        column, channel = divmod(tap - left, columns)
        wide[:, channel, :, :, column + before] = weight[..., tap]
    return wide.reshape(features, -1, *window)


def _row_bytes(weight: Array) -> int:
    """Return the bytes of packed weights for an output channel, of weights [Cout, Cin, 3, 3]."""
    features, channels, *_ = weight.shape
    return packed_shape(ConvKind.DENSE, features, channels, fewest_bits(weight)[0])[1]


def _declined(op: Operation, why: str, expected: str = "", found: str = "") -> Diagnostic:
    return Diagnostic(
        f"the NPU does not support '{op.name}': it {why}", where=where(op), expected=expected, found=found
    )


def _constant(value: SSAValue) -> Array | None:
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        return array_of(cast(Any, value.op.value))
    return None


def _weights(op: KernelOp) -> Array:
    """Return the stored weights of an op as int16."""
    stored = _constant(op.inputs[1])
    assert stored is not None
    return (stored.view(np.uint8) if op.is_unsigned(1) else stored).astype(np.int16)


def _check_window(op: Operation, kernel: tuple[int, ...], dilations: tuple[int, ...]) -> None:
    if kernel not in ((1, 1), (3, 3)):
        raise _declined(op, "has another window", _NATIVE, "x".join(map(str, kernel)))
    if kernel == (3, 3) and set(dilations) != {1}:
        raise _declined(op, "has dilations", "dilations of 1", str(list(dilations)))


def _conv(op: ConvOp) -> Source:
    weight, groups = _weights(op), op.groups.value.data
    weight = np.moveaxis(weight, -1, 1) if op.channels_last is not None else weight
    _, depth, *kernel = weight.shape
    if len(kernel) not in (1, 2):
        raise _declined(op, "has another number of spatial axes", "1 or 2", str(len(kernel)))
    if groups > 1 and depth > 1:
        return replace(_of_groups(op, _with_zeros(weight, groups), 1), groups=groups)
    return _of_groups(op, weight, groups)


def _with_zeros(weight: Array, groups: int) -> Array:
    """Return weights [Cout, Cin / groups, kh, kw] as those of one group, with zeros for the channels of others."""
    features, depth, *window = weight.shape
    wide = np.zeros((groups, features // groups, groups, depth, *window), weight.dtype)
    own = weight.reshape(groups, features // groups, depth, *window)
    wide[np.arange(groups), :, np.arange(groups)] = own
    return wide.reshape(features, groups * depth, *window)


def _of_groups(op: ConvOp, weight: Array, groups: int) -> Source:
    """Return a convolution with weights [Cout, Cin / groups, kh, kw]; of several groups it must be depthwise."""
    features, _, *kernel = weight.shape
    last = op.channels_last is not None
    if len(kernel) == 1:
        return _line(op, weight, groups)
    if last and groups == 1 and not _is_native(op, kernel):
        return _unfolded(op, weight)
    _check_window(op, tuple(kernel), numbers_of(op.dilations))
    if groups > 1 and (groups != features or kernel != [3, 3]):
        raise _declined(op, "has groups of one channel", "a 3x3 window for each channel", f"{groups} groups")
    pads = cast("tuple[int, int, int, int]", numbers_of(op.pads))
    most = MOST_PADDING if kernel == [3, 3] else 0
    if max(pads) > most:
        raise _declined(op, "has more padding", f"0 to {most} on each side", str(list(pads)))
    _check_whole(op, pads)
    x, kind = op.inputs[0], _kind(kernel, groups)
    strides = cast("tuple[int, int]", numbers_of(op.strides))
    bare = Source(op, kind, x, weight, pads, channels_last=last, strides=strides)
    return _with_padding(bare) if kernel == [3, 3] and not any(pads) else bare


def _line(op: ConvOp, weight: Array, groups: int) -> Source:
    """Return a convolution along one axis, with weights [Cout, Cin, k], as one of an image of one row."""
    if groups > 1:
        raise _declined(op, "has groups of one channel", "a 3x3 window for each channel", f"{groups} groups")
    if op.channels_last is None:
        raise _declined(op, "is along one axis with channels first", "channels last")
    (stride,), (dilation,), (before, after) = (
        numbers_of(attribute) for attribute in (op.strides, op.dilations, op.pads)
    )
    features, _, taps = weight.shape
    _check_whole(op, (before, after), (dilation,))
    if (taps, stride, before, after) == (1, 1, 0, 0):
        return Source(op, ConvKind.POINTWISE, op.inputs[0], weight[..., None])
    rows = np.moveaxis(weight, 1, -1).reshape(features, -1, 1, 1)
    windows = RowWindows((1, taps), (1, stride), (1, dilation), (0, before, 0, after))
    return Source(op, ConvKind.POINTWISE, op.inputs[0], rows, windows=windows)


def _is_native(op: ConvOp, kernel: list[int]) -> bool:
    """Return whether the NPU's windows have this shape, these dilations and at most this padding."""
    if kernel == [3, 3]:
        return set(numbers_of(op.dilations)) == {1} and max(numbers_of(op.pads)) <= MOST_PADDING
    return kernel == [1, 1] and not any(numbers_of(op.pads))


def _unfolded(op: ConvOp, weight: Array) -> Source:
    """Return a convolution with channels last as a matrix product of its windows; `weight` is [Cout, Cin, kh, kw]."""
    features, _, down, across = weight.shape
    numbers = (numbers_of(attribute) for attribute in (op.strides, op.dilations, op.pads))
    windows = RowWindows((down, across), *cast(Any, map(tuple, numbers)))
    _check_whole(op, windows.pads, windows.dilations)
    rows = np.moveaxis(weight, 1, -1).reshape(features, -1, 1, 1)
    return Source(op, ConvKind.POINTWISE, op.inputs[0], rows, windows=windows)


def _kind(kernel: list[int], groups: int) -> ConvKind:
    if kernel == [1, 1]:
        return ConvKind.POINTWISE
    return ConvKind.DEPTHWISE if groups > 1 else ConvKind.DENSE


def _check_whole(op: ConvOp, pads: tuple[int, ...], dilations: tuple[int, ...] = (1, 1)) -> None:
    """Check that the output has all windows of the image."""
    shapes = (op.channels_first(shape_of(value)) for value in (*op.inputs, op.output))
    (_, _, *space), (_, _, *kernel), (_, _, *out) = shapes
    sizes = [(taps - 1) * dilation + 1 for taps, dilation in zip(kernel, dilations, strict=True)]
    strides = numbers_of(op.strides)
    after = pads[len(space) :]
    full = [(n + a + b - k) // s + 1 for n, a, b, k, s in zip(space, pads, after, sizes, strides, strict=False)]
    if out != full:
        raise _declined(op, "leaves out windows", f"an output of {full} pixels", str(out))


def _matmul(op: MatmulOp) -> Source:
    weight = _weights(op)
    if op.transpose_a is not None or weight.ndim != 2:
        raise _declined(op, "is no product of rows with one matrix", "[..., K] times a constant matrix")
    rows = weight if op.transpose_b is not None else weight.T
    return Source(op, ConvKind.POINTWISE, op.inputs[0], rows[:, :, None, None])


def _with_padding(source: Source) -> Source:
    """
    Return a convolution with the padding of its image as the NPU's own, or without where the NPU lacks it.

    Columns are folded with one of padding after the image: that must not be contested either.
    """
    pad, rows = source.x.owner, source.column_axis - 1
    if not isinstance(pad, tensor.PadOp) or pad.low or pad.high:
        return source
    fill = _constant_fill(pad)
    low, high = numbers_of(pad.static_low), numbers_of(pad.static_high)
    outside = [n for axis, pair in enumerate(zip(low, high, strict=True)) if axis not in (rows, rows + 1) for n in pair]
    if fill is None or any(outside) or max(*low, *high) > MOST_PADDING or min(*low, *high) < 0:
        return source
    (above, left), (below, right) = low[rows : rows + 2], high[rows : rows + 2]
    after = 1 if source.kind is ConvKind.DENSE and source.strides[1] > 1 else right
    if Padding(above, after, below, left, fill).is_contested:
        return source
    return replace(source, x=pad.source, pads=(above, left, below, right), fill=fill)


def _constant_fill(pad: tensor.PadOp) -> int | None:
    terminator = pad.region.block.last_op
    fill = terminator.operands[0].owner if terminator is not None else None
    return cast(Any, fill.value).value.data if isinstance(fill, arith.ConstantOp) else None


_SOURCES: dict[type[Operation], Callable[[Any], Source]] = {
    ConvOp: _conv,
    MatmulOp: _matmul,
}
"""Op class -> its conversion to a source."""
