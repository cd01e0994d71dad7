"""Convolutions and matrix products as kernels of `packed`: channels last, weights in blocks of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects.core.kernel_op import KernelOp
from ....dialects.core.scalars import is_float, scalar_attr
from ....dialects.nn import ConvOp, MatmulOp, PoolOp, ReduceOp, ints
from ....ir import Array, element_of, numbers_of, shape_of
from ....passes.core.base import Pass
from ....passes.layout.convert import convert_layouts
from ....passes.layout.orders import channels_last, identity, swapped
from ....passes.layout.rules import LayoutForm, LayoutRule, kernel_form, own_properties, where_moved
from ....passes.layout.state import WORTH_MOVING, Layouts, constant_of, padded, rebuilt, weights_like
from ..dialects.packed import DepthwiseOp, PackedConvOp, PackedMatmulOp, group_of, pack
from ..dialects.packed.tiles import DOT_TYPES, LANES, TILE_TYPES

# Contractions


def _is_packable(op: Operation) -> bool:
    """
    Return whether a convolution with constant weights is of a type of tiles, and gives every window that there is.

    Of bytes it is depthwise, or of one group and with the taps of a row side by side.
    """
    if not isinstance(op, ConvOp) or op.channels_last is not None or constant_of(op.inputs[1]) is None:
        return False
    x, w = op.inputs
    features, depth, *kernel = shape_of(w)
    groups, dilations = op.groups.value.data, numbers_of(op.dilations)
    depthwise = depth == 1 and groups == features
    types = TILE_TYPES if depthwise and groups > 1 else DOT_TYPES
    if 0 in shape_of(w) or (element_of(x), element_of(w), op.accumulator) not in types or op.is_unsigned(1):
        return False
    dense_rows = groups == 1 and (kernel[-1] == 1 or dilations[-1] == 1)
    fits = dense_rows or depthwise or is_float(op.accumulator)
    return len(kernel) <= 2 and op.wraps is None and fits and _full(op)


def _full(op: ConvOp) -> bool:
    """Return whether the output has every window that the padded input has."""
    (_, _, *space), (_, _, *kernel) = (shape_of(value) for value in op.inputs)
    strides, dilations, pads = (numbers_of(p) for p in (op.strides, op.dilations, op.pads))
    padded = [n + a + b for n, a, b in zip(space, pads, pads[len(space) :], strict=False)]
    full = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(padded, kernel, dilations, strides, strict=True)]
    return list(shape_of(op.output)[2:]) == full


def _channels_last(op: ConvOp) -> list[LayoutForm]:
    order = channels_last(len(shape_of(op.output)))
    return [kernel_form(op, [order, None], order)]


def _convert_conv(state: Layouts, op: ConvOp, form: LayoutForm) -> None:
    x, w = op.inputs
    order = form.result
    weight = np.moveaxis(constant_of(w), 1, -1)
    kernel = weight.shape[1:-1]
    source = _bordered(state, state.given(x, order), numbers_of(op.pads))
    groups = op.groups.value.data
    properties: dict[str, Attribute | None] = {
        "strides": op.strides,
        "dilations": op.dilations,
        "kernel": ints(kernel),
        "accumulator": op.accumulator,
    }
    if 1 < groups == len(weight) and weight.shape[-1] == 1:
        values = np.ascontiguousarray(np.moveaxis(weight[..., 0], 0, -1))
        twin = rebuilt(state, op, DepthwiseOp, [source, weights_like(op, values, w)], properties, order)
        state.replace(op, twin, order)
        return
    weight, parts = _merged(weight, groups)
    properties["parts"] = scalar_attr(parts, i64) if parts > 1 else None
    packed = weights_like(op, pack(weight, group_of(op.accumulator), parts), w)
    twin = rebuilt(state, op, PackedConvOp, [source, packed], properties, order)
    state.replace(op, twin, order)


def _merged(weight: Array, groups: int) -> tuple[Array, int]:
    """
    Return the weights [F, taps..., C] of fewer groups, and how many.

    Groups of few features are put together, with zeros for the channels of each other: the lanes of a vector that would
    be empty take their products.
    """
    own = len(weight) // groups
    count = max(n for n in range(1, groups + 1) if groups % n == 0 and (n == 1 or n * own <= LANES))
    if count == 1:
        return weight, groups
    channels = weight.shape[-1]
    merged = np.zeros((*weight.shape[:-1], count * channels), weight.dtype)
    for index in range(count):
        rows = (np.arange(len(weight)) // own) % count == index
        merged[rows, ..., index * channels : (index + 1) * channels] = weight[rows]
    return merged, groups // count


def _bordered(state: Layouts, x: SSAValue, pads: Sequence[int]) -> SSAValue:
    """Pad the spatial axes of a channels-last tensor with zeros."""
    if not any(pads):
        return x
    half = len(pads) // 2
    low, high = [0, *pads[:half], 0], [0, *pads[half:], 0]
    return padded(state, x, low, high, arith.ConstantOp(scalar_attr(0, element_of(x))))


def _is_packable_matrix(op: Operation) -> bool:
    """Return whether an op is the product of matrices and one of constant weights, of a type of tiles."""
    if not isinstance(op, MatmulOp):
        return False
    a, b = op.inputs
    flat = len(shape_of(a)) <= 4 and len(shape_of(b)) == 2 and op.transpose_a is None and 0 not in shape_of(b)
    types = (element_of(a), element_of(b), op.accumulator) in DOT_TYPES and not op.is_unsigned(1)
    return flat and types and op.wraps is None and not op.packed_bits and constant_of(b) is not None


def _rows(op: MatmulOp) -> list[LayoutForm]:
    a, result = (identity(len(shape_of(value))) for value in (op.inputs[0], op.output))
    return [kernel_form(op, [a, None], result)]


def _convert_matmul(state: Layouts, op: MatmulOp, form: LayoutForm) -> None:
    a, b = op.inputs
    weight = constant_of(b) if op.transpose_b is not None else constant_of(b).T
    # Each axis between the first and the last one is like the spatial axis of a window of one tap.
    ones = [1] * (len(shape_of(a)) - 2)
    properties: dict[str, Attribute | None] = dict.fromkeys(("strides", "dilations", "kernel"), ints(ones))
    taps = np.ascontiguousarray(weight).reshape(len(weight), *ones, -1)
    packed = weights_like(op, pack(taps, group_of(op.accumulator)), b)
    _exchange(op, PackedConvOp, [a, packed], properties)


def _exchange(
    op: MatmulOp, kind: type[KernelOp], inputs: Sequence[SSAValue], properties: dict[str, Attribute | None]
) -> None:
    """Replace a matrix product by another kernel with its output and epilogue."""
    twin = kind(
        inputs,
        op.output,
        {**properties, "accumulator": op.accumulator},
        unsigned=[0] if op.is_unsigned(0) else [],
        extras=list(op.extras),
        epilogue_maps=list(op.epilogue_maps.data) if op.epilogue_maps else (),
        epilogue=op.detach_region(op.epilogue) if op.epilogue is not None else None,
    )
    twin.attributes |= op.attributes
    twin.location = op.location
    twin.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, twin)


def _is_of_floats(op: Operation) -> bool:
    """Return whether an op is a matrix product of f32 with rows enough to transpose what it needs."""
    if not isinstance(op, MatmulOp):
        return False
    floats = all(type_ == f32 for type_ in (*map(element_of, op.inputs), op.accumulator))
    return floats and (op.transpose_b is None or shape_of(op.output)[-2] >= WORTH_MOVING)


def _row_major(op: MatmulOp) -> list[LayoutForm]:
    """Return the layouts of two matrices in which neither is stored transposed."""
    flags = (op.transpose_a, op.transpose_b)
    ranks = [len(shape_of(value)) for value in op.inputs]
    inputs = [identity(rank) if flag is None else swapped(rank) for rank, flag in zip(ranks, flags, strict=True)]
    return [kernel_form(op, inputs, identity(len(shape_of(op.output))))]


def _convert_product(state: Layouts, op: MatmulOp, form: LayoutForm) -> None:
    inputs = [state.given(value, order or ()) for value, order in zip(op.inputs, form.operands, strict=False)]
    _exchange(op, PackedMatmulOp, inputs, {})


# Kernels between them


def _is_over_space(op: Operation) -> bool:
    """Return whether an op reduces floats [N, C, spatial...] over all spatial axes, which stay."""
    if not isinstance(op, ReduceOp):
        return False
    axes, rank = sorted(numbers_of(op.axes)), len(shape_of(op.inputs[0]))
    return axes == list(range(2, rank)) and op.keep_dims is not None and is_float(op.accumulator)


def _reductions(op: ReduceOp) -> list[LayoutForm]:
    rank = len(shape_of(op.output))
    return [kernel_form(op, [order], order) for order in (identity(rank), channels_last(rank))]


def _convert_reduction(state: Layouts, op: ReduceOp, form: LayoutForm) -> None:
    """Convert a reduction over space, as the pooling of one window."""
    x = state.given(op.inputs[0], form.result)
    window = shape_of(x)[1:-1]
    ones, none = ints([1] * len(window)), ints([0] * 2 * len(window))
    properties = own_properties(op, "kind", "accumulator", "wraps") | {
        "window": ints(window),
        "strides": ones,
        "dilations": ones,
        "pads": none,
        "channels_last": UnitAttr(),
    }
    state.replace(op, rebuilt(state, op, PoolOp, [x], properties, form.result), form.result)


_RULES = (
    LayoutRule(_is_packable, _convert_conv, forms=_channels_last),
    LayoutRule(_is_packable_matrix, _convert_matmul, forms=_rows),
    LayoutRule(_is_of_floats, _convert_product, forms=_row_major),
    LayoutRule(_is_over_space, where_moved(_convert_reduction), forms=_reductions),
)


@dataclass(frozen=True)
class ConvertToPackedPass(Pass):
    """
    Bring convolutions and matrix products into the layout of tiles, channels last, with what lies between them.

    Convolutions of bytes or f32 with constant weights, and products with constant matrices, become `packed.conv`;
    depthwise ones become `packed.depthwise`; their padding becomes `tensor.pad`; other products of f32 become
    `packed.matmul`. Poolings, elementwise kernels, padding, concatenations and reductions over space follow.
    Transpositions remain where the network begins and ends. Run it after fuse-epilogues.
    """

    name = "convert-to-packed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_layouts(op, _RULES)
