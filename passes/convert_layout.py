"""Channels last: convolutions and what lies between them work on [N, spatial..., C], weights are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    TensorType,
    UnitAttr,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.body import is_float, scalar_attr
from ..dialects.core.kernel_op import KernelOp
from ..dialects.nn import ConvOp, MatmulOp, PoolOp, ReduceOp, ints
from ..dialects.packed import DepthwiseOp, PackedConvOp, PackedMatmulOp, pack
from ..dialects.packed.tiles import LANES, TILE_TYPES
from ..ir import Array, element_of, functions, numbers_of, shape_of
from .core.base import Pass
from .fuse_epilogues import is_elementwise
from .layout.state import Layout, constant_of, empty_like, permutation, permuted, rebuilt, transposed, weights_like


def convert_layout(block: Block, *, packed: bool = True) -> None:
    """Rewrite the kernels of a block of tensor-level ops; values that others need are transposed back for them."""
    state = Layout(packed)
    for op in list(block.ops):
        state.current = op
        if isinstance(op, ConvOp) and _takes(state, op):
            _convert_conv(state, op) if packed else _move_channels(state, op)
        elif isinstance(op, MatmulOp) and packed and _is_packable_matrix(op):
            _convert_matmul(op)
        elif isinstance(op, MatmulOp) and packed and _is_of_floats(op):
            _convert_product(state, op)
        elif isinstance(op, MatmulOp) and not packed and _is_of_bytes(op):
            _transpose_matrix(state, op)
        elif isinstance(op, PoolOp) and not op.channels_last and state.follows(op.inputs):
            _convert_pool(state, op)
        elif isinstance(op, ReduceOp) and packed and _is_over_space(op) and state.follows(op.inputs):
            _convert_reduction(state, op)
        elif isinstance(op, tensor.ConcatOp) and packed and state.follows(op.inputs):
            _convert_concatenation(state, op)
        elif isinstance(op, tensor.PadOp) and len(shape_of(op.results[0])) > 2:
            _convert_pad(state, op)
        elif is_elementwise(op) and state.follows(cast(linalg.GenericOp, op).inputs):
            _convert_elementwise(state, cast(linalg.GenericOp, op))
    state.erase_unused()


# Contractions


def _takes(state: Layout, op: ConvOp) -> bool:
    """Return whether a convolution is brought into the new form."""
    if op.channels_last is not None or constant_of(op.inputs[1]) is None:
        return False
    return not state.packed or _is_packable(op)


def _is_packable(op: ConvOp) -> bool:
    """
    Return whether a convolution is of a type of tiles, and gives every window that there is.

    Of bytes it is depthwise, or of one group and with the taps of a row side by side.
    """
    x, w = op.inputs
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
    source = _padded(state, state.last(x), numbers_of(op.pads))
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


def _move_channels(state: Layout, op: ConvOp) -> None:
    """Convert a convolution whose weights stay one array, and whose padding stays its own."""
    x, w = op.inputs
    weight = weights_like(op, np.ascontiguousarray(np.moveaxis(constant_of(w), 1, -1)), w)
    names = ("strides", "dilations", "pads", "groups", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, rebuilt(state, op, ConvOp, [state.last(x), weight], properties))


def _padded(state: Layout, x: SSAValue, pads: Sequence[int]) -> SSAValue:
    """Return a channels-last tensor with zeros around it."""
    if not any(pads):
        return x
    half = len(pads) // 2
    low, high = [0, *pads[:half], 0], [0, *pads[half:], 0]
    return _pad(state, x, low, high, arith.ConstantOp(scalar_attr(0, element_of(x))))


def _pad(state: Layout, x: SSAValue, low: list[int], high: list[int], fill: arith.ConstantOp) -> SSAValue:
    shape = [a + n + b for a, n, b in zip(low, shape_of(x), high, strict=True)]
    block = Block([fill, tensor.YieldOp(fill.result)], arg_types=[IndexType()] * len(shape))
    type = TensorType(cast(Any, element_of(x)), shape)
    return state.emit(tensor.PadOp(x, [], [], Region(block), low, high, type))


def _is_packable_matrix(op: MatmulOp) -> bool:
    """Return whether an op is the product of matrices and one of constant weights, of a type of tiles."""
    a, b = op.inputs
    flat = len(shape_of(a)) <= 4 and len(shape_of(b)) == 2 and op.transpose_a is None
    types = (element_of(a), element_of(b), op.accumulator) in TILE_TYPES and not op.is_unsigned(1)
    return flat and types and op.wraps is None and not op.packed_bits and constant_of(b) is not None


def _is_of_bytes(op: MatmulOp) -> bool:
    a, b = op.inputs
    integers = element_of(a) == i8 and element_of(b) == i8 and op.accumulator == i32
    return integers and op.wraps is None and not op.is_unsigned(1)


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
    """Let another kernel of the same output and epilogue stand for a matrix product."""
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


_WORTH_MOVING = 4
"""Rows for which it pays to move a matrix once, so that what each sum takes of it lies side by side."""


def _is_of_floats(op: MatmulOp) -> bool:
    """Return whether an op is a matrix product of f32 for which it pays to bring both into the order of tiles."""
    floats = all(type_ == f32 for type_ in (*map(element_of, op.inputs), op.accumulator))
    return floats and (op.transpose_b is None or shape_of(op.output)[-2] >= _WORTH_MOVING)


def _convert_product(state: Layout, op: MatmulOp) -> None:
    a, b = op.inputs
    inputs = [
        a if op.transpose_a is None else _swapped(state, a),
        b if op.transpose_b is None else _swapped(state, b),
    ]
    _exchange(op, PackedMatmulOp, inputs, {})


def _swapped(state: Layout, matrix: SSAValue) -> SSAValue:
    """Return a tensor with its last two axes swapped: what is a transposition already is made at once."""
    rank = len(shape_of(matrix))
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    source = matrix.owner if isinstance(matrix, OpResult) else None
    if isinstance(source, linalg.TransposeOp) and matrix.has_one_use():
        order = numbers_of(source.permutation)
        return transposed(state, source.operands[0], [order[axis] for axis in swapped])
    return transposed(state, matrix, swapped)


def _transpose_matrix(state: Layout, op: MatmulOp) -> None:
    """Transpose the second matrix so that its reduced axis is contiguous, if that is free or there are rows enough."""
    b = op.inputs[1]
    if op.transpose_b is not None or op.transpose_a is not None:
        return
    source = b.owner if isinstance(b, OpResult) else None
    if constant_of(b) is not None:
        op.operands[1] = weights_like(op, np.ascontiguousarray(np.swapaxes(constant_of(b), -1, -2)), b)
    elif isinstance(source, linalg.TransposeOp) and b.has_one_use():
        op.operands[1] = _swapped(state, b)
    elif shape_of(op.inputs[0])[-2] >= _WORTH_MOVING:
        op.operands[1] = _swapped(state, b)
    else:
        return
    op.properties["transpose_b"] = UnitAttr()


# What lies between


def _convert_pool(state: Layout, op: PoolOp) -> None:
    names = ("window", "strides", "dilations", "pads", "kind", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, rebuilt(state, op, PoolOp, [state.last(op.inputs[0])], properties))


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


def _convert_pad(state: Layout, op: tensor.PadOp) -> None:
    """Convert padding whose users will be channels-last: convolutions."""
    users = [use.operation for use in op.results[0].uses]
    fill = op.region.block.last_op.operands[0].owner if op.region.block.last_op is not None else None
    if not users or not all(isinstance(user, ConvOp) and _takes(state, user) for user in users):
        return
    if not isinstance(fill, arith.ConstantOp) or op.low or op.high:
        return
    order = permutation(len(shape_of(op.results[0])))
    low, high = ([int(numbers[axis]) for axis in order] for numbers in map(numbers_of, (op.static_low, op.static_high)))
    state.replace(op, _pad(state, state.last(op.source), low, high, fill.clone()))


def _convert_elementwise(state: Layout, op: linalg.GenericOp) -> None:
    rank = len(shape_of(op.results[0]))
    inputs, maps = permuted(state, list(op.inputs), op.indexing_maps.data[:-1], rank)
    out = empty_like(state, op.results[0])
    body = op.detach_region(op.body)
    twin = linalg.GenericOp(inputs, [out], body, [*maps, op.indexing_maps.data[-1]], op.iterator_types, [out.type])
    twin.attributes |= op.attributes
    state.replace(op, state.emit(twin))


def _blocks(block: Block) -> list[Block]:
    """Return a block and those of the conditionals and loops in it."""
    nested = [op for op in block.walk() if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp)]
    return [block, *(inner for op in nested for region in op.regions for inner in region.blocks)]


@dataclass(frozen=True)
class ConvertLayoutPass(Pass):
    """
    Bring convolutions with constant weights into channels-last form, with what lies between them.

    With `packed`, those of bytes or f32 become `packed.conv`, as do products with constant matrices; depthwise ones
    become `packed.depthwise`; their padding becomes `tensor.pad`; other products of f32 become `packed.matmul`. Without
    it, all become `nn.conv` with `channels_last`, and matrix products of bytes get `transpose_b`, which makes a sum run
    along memory. Transpositions remain where the network begins and ends. Run it after fuse-epilogues.
    """

    name = "convert-layout"

    packed: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for block in _blocks(function.body.block):
                convert_layout(block, packed=self.packed)
