"""Convolutions and matrix products as kernels of `packed`: channels last, weights in blocks of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects.core.body import is_float, scalar_attr
from ....dialects.core.kernel_op import KernelOp
from ....dialects.nn import ConvOp, MatmulOp, PoolOp, ReduceOp, ints
from ....ir import Array, element_of, numbers_of, shape_of
from ....passes.core.base import Pass
from ....passes.layout.channels import convert_channels
from ....passes.layout.state import (
    WORTH_MOVING,
    Layout,
    constant_of,
    empty_like,
    padded,
    permutation,
    rebuilt,
    swapped,
    weights_like,
)
from ..dialects.packed import DepthwiseOp, PackedConvOp, PackedMatmulOp, pack
from ..dialects.packed.tiles import LANES, TILE_TYPES


def _convert(state: Layout, op: Operation) -> bool:
    """Convert a contraction to `packed`, or an op on channels-last values; return False for others."""
    if isinstance(op, ConvOp) and _is_packable(op):
        _convert_conv(state, op)
    elif isinstance(op, MatmulOp) and _is_packable_matrix(op):
        _convert_matmul(op)
    elif isinstance(op, MatmulOp) and _is_of_floats(op):
        _convert_product(state, op)
    elif isinstance(op, ReduceOp) and _is_over_space(op) and state.follows(op.inputs):
        _convert_reduction(state, op)
    elif isinstance(op, tensor.ConcatOp) and state.follows(op.inputs):
        _convert_concatenation(state, op)
    else:
        return False
    return True


# Contractions


def _is_packable(op: ConvOp) -> bool:
    """
    Return whether a convolution with constant weights is of a type of tiles, and gives every window that there is.

    Of bytes it is depthwise, or of one group and with the taps of a row side by side.
    """
    x, w = op.inputs
    if op.channels_last is not None or constant_of(w) is None:
        return False
    features, depth, *kernel = shape_of(w)
    if (element_of(x), element_of(w), op.accumulator) not in TILE_TYPES or op.is_unsigned(1):
        return False
    groups, dilations = op.groups.value.data, numbers_of(op.dilations)
    dense_rows = groups == 1 and (kernel[-1] == 1 or dilations[-1] == 1)
    depthwise = depth == 1 and groups == features
    fits = dense_rows or depthwise or is_float(op.accumulator)
    return len(kernel) <= 2 and op.wraps is None and fits and _full(op)


def _full(op: ConvOp) -> bool:
    """Return whether the output has every window that the padded input has."""
    (_, _, *space), (_, _, *kernel) = (shape_of(value) for value in op.inputs)
    strides, dilations, pads = (numbers_of(p) for p in (op.strides, op.dilations, op.pads))
    padded = [n + a + b for n, a, b in zip(space, pads, pads[len(space) :], strict=False)]
    full = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(padded, kernel, dilations, strides, strict=True)]
    return list(shape_of(op.output)[2:]) == full


def _convert_conv(state: Layout, op: ConvOp) -> None:
    x, w = op.inputs
    weight = np.moveaxis(constant_of(w), 1, -1)
    kernel = weight.shape[1:-1]
    source = _bordered(state, state.last(x), numbers_of(op.pads))
    groups = op.groups.value.data
    properties: dict[str, Attribute | None] = {
        "strides": op.strides,
        "dilations": op.dilations,
        "kernel": ints(kernel),
        "accumulator": op.accumulator,
    }
    if 1 < groups == len(weight) and weight.shape[-1] == 1:
        values = np.ascontiguousarray(np.moveaxis(weight[..., 0], 0, -1))
        state.replace(op, rebuilt(state, op, DepthwiseOp, [source, weights_like(op, values, w)], properties))
        return
    weight, parts = _merged(weight, groups)
    properties["parts"] = scalar_attr(parts, i64) if parts > 1 else None
    state.replace(op, rebuilt(state, op, PackedConvOp, [source, weights_like(op, pack(weight, parts), w)], properties))


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


def _bordered(state: Layout, x: SSAValue, pads: Sequence[int]) -> SSAValue:
    """Pad the spatial axes of a channels-last tensor with zeros."""
    if not any(pads):
        return x
    half = len(pads) // 2
    low, high = [0, *pads[:half], 0], [0, *pads[half:], 0]
    return padded(state, x, low, high, arith.ConstantOp(scalar_attr(0, element_of(x))))


def _is_packable_matrix(op: MatmulOp) -> bool:
    """Return whether an op is the product of matrices and one of constant weights, of a type of tiles."""
    a, b = op.inputs
    flat = len(shape_of(a)) <= 4 and len(shape_of(b)) == 2 and op.transpose_a is None
    types = (element_of(a), element_of(b), op.accumulator) in TILE_TYPES and not op.is_unsigned(1)
    return flat and types and op.wraps is None and not op.packed_bits and constant_of(b) is not None


def _convert_matmul(op: MatmulOp) -> None:
    a, b = op.inputs
    weight = constant_of(b) if op.transpose_b is not None else constant_of(b).T
    # Each axis between the first and the last one is like the spatial axis of a window of one tap.
    ones = [1] * (len(shape_of(a)) - 2)
    properties: dict[str, Attribute | None] = dict.fromkeys(("strides", "dilations", "kernel"), ints(ones))
    taps = np.ascontiguousarray(weight).reshape(len(weight), *ones, -1)
    _exchange(op, PackedConvOp, [a, weights_like(op, pack(taps), b)], properties)


def _exchange(
    op: MatmulOp, made: type[KernelOp], inputs: Sequence[SSAValue], properties: dict[str, Attribute | None]
) -> None:
    """Replace a matrix product by another kernel with its output and epilogue."""
    twin = made(
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


def _is_of_floats(op: MatmulOp) -> bool:
    """Return whether an op is a matrix product of f32 with rows enough to transpose what it needs."""
    floats = all(type_ == f32 for type_ in (*map(element_of, op.inputs), op.accumulator))
    return floats and (op.transpose_b is None or shape_of(op.output)[-2] >= WORTH_MOVING)


def _convert_product(state: Layout, op: MatmulOp) -> None:
    a, b = op.inputs
    inputs = [
        a if op.transpose_a is None else swapped(state, a),
        b if op.transpose_b is None else swapped(state, b),
    ]
    _exchange(op, PackedMatmulOp, inputs, {})


# Kernels between them


def _is_over_space(op: ReduceOp) -> bool:
    """Return whether an op reduces floats [N, C, spatial...] over all spatial axes, which stay."""
    axes, rank = sorted(numbers_of(op.axes)), len(shape_of(op.inputs[0]))
    return axes == list(range(2, rank)) and op.keep_dims is not None and is_float(op.accumulator)


def _convert_reduction(state: Layout, op: ReduceOp) -> None:
    """Convert a reduction over space, as the pooling of one window."""
    x = state.last(op.inputs[0])
    window = shape_of(x)[1:-1]
    names = ("kind", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    ones, none = ints([1] * len(window)), ints([0] * 2 * len(window))
    properties |= {
        "window": ints(window),
        "strides": ones,
        "dilations": ones,
        "pads": none,
        "channels_last": UnitAttr(),
    }
    state.replace(op, rebuilt(state, op, PoolOp, [x], properties))


def _convert_concatenation(state: Layout, op: tensor.ConcatOp) -> None:
    twins = [state.last(value) for value in op.inputs]
    axis = permutation(len(shape_of(op.results[0]))).index(op.dim.value.data)
    type = empty_like(state, op.results[0]).type
    made = tensor.ConcatOp.build(operands=[twins], result_types=[type], properties={"dim": scalar_attr(axis, i64)})
    state.replace(op, state.emit(made))


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
        convert_channels(op, _is_packable, _convert)
