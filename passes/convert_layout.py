"""Channels last: convolutions and what lies between them work on [N, spatial..., C], weights are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, ModuleOp, TensorType, UnitAttr, i8, i32, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel_op import KernelOp
from ..dialects.nn import ConvOp, MatmulOp, PoolOp, ints
from ..dialects.packed import DepthwiseOp, PackedConvOp, pack
from ..ir import array_of, dense, element_of, functions, numbers_of, shape_of
from .core.base import Pass
from .fuse_epilogues import is_elementwise
from .lowering.lowerer import Lowerer


def convert_layout(block: Block, *, packed: bool = True) -> None:
    """Rewrite the kernels of a block of tensor-level ops; values that others need are transposed back for them."""
    state = _Layout(packed)
    for op in list(block.ops):
        state.current = op
        if isinstance(op, ConvOp) and state.takes(op):
            _convert_conv(state, op) if packed else _move_channels(state, op)
        elif isinstance(op, MatmulOp) and packed and _is_matrix_of_bytes(op):
            _convert_matmul(op)
        elif isinstance(op, MatmulOp) and not packed and _is_of_bytes(op):
            _transpose_matrix(state, op)
        elif isinstance(op, PoolOp) and not op.channels_last and state.follows(op.inputs):
            _convert_pool(state, op)
        elif isinstance(op, tensor.PadOp) and len(shape_of(op.results[0])) > 2:
            _convert_pad(state, op)
        elif is_elementwise(op) and state.follows(cast(linalg.GenericOp, op).inputs):
            _convert_elementwise(state, cast(linalg.GenericOp, op))
    state.erase_unused()


def _permutation(rank: int) -> list[int]:
    """Return the order of axes of [N, C, spatial...] that is [N, spatial..., C]."""
    return [0, *range(2, rank), 1]


def _constant(value: SSAValue) -> Any:
    """Return the array of a constant tensor, None for other values."""
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        return array_of(cast(Any, value.op.value))
    return None


@dataclass
class _Layout:
    """What is known of the values of a block: the channels-last twins of those that have one."""

    packed: bool
    twins: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    dead: list[Operation] = field(default_factory=list[Operation])
    current: Operation = field(default_factory=lambda: ModuleOp([]))

    def follows(self, values: Sequence[SSAValue]) -> bool:
        """Return whether one of these values is channels-last already."""
        return any(value in self.twins for value in values)

    def takes(self, op: ConvOp) -> bool:
        """Return whether a convolution is brought into the new form."""
        if op.channels_last is not None or _constant(op.inputs[1]) is None:
            return False
        return not self.packed or _is_packable(op)

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op before the current one, at its location."""
        for nested in op.walk():
            nested.location = self.current.location
        Rewriter.insert_op(op, InsertPoint.before(self.current))
        return op.results[0]

    def last(self, value: SSAValue) -> SSAValue:
        """Return the channels-last twin of a value of rank 3 or more; one is made where there is none."""
        if value not in self.twins:
            self.twins[value] = _transposed(self, value, _permutation(len(shape_of(value))))
        return self.twins[value]

    def replace(self, op: Operation, twin: SSAValue) -> None:
        """Let a twin stand for an op's result; other users get it transposed back."""
        old = op.results[0]
        twin.name_hint = old.name_hint
        self.twins[old] = twin
        self.dead.append(op)

    def erase_unused(self) -> None:
        """Erase the ops that were replaced; where a result is still used, it is made from its twin."""
        for op in reversed(self.dead):
            old = op.results[0]
            self.current = op
            if old.uses:
                order = _permutation(len(shape_of(old)))
                back = _transposed(self, self.twins[old], [order.index(axis) for axis in range(len(order))])
                back.name_hint = old.name_hint
                old.replace_all_uses_with(back)
            Rewriter.erase_op(op)


def _transposed(state: _Layout, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """Return a value with its axes in this order: itself where they are, a view where only axes of extent 1 move."""
    shape = shape_of(value)
    if list(order) == sorted(order):
        return value
    target = [shape[axis] for axis in order]
    if [axis for axis in order if shape[axis] != 1] == sorted(axis for axis in order if shape[axis] != 1):
        block = Block()
        made = Lowerer(block).reshape(value, target)
        for op in list(block.ops):
            op.detach()
            state.emit(op)
        return made
    out = state.emit(tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), target)))
    return state.emit(linalg.TransposeOp(value, out, DenseArrayBase.from_list(i64, order), out.type))


def _empty_like(state: _Layout, value: SSAValue) -> SSAValue:
    """Return a new tensor for the channels-last twin of a value."""
    shape = shape_of(value)
    twin = [shape[axis] for axis in _permutation(len(shape))]
    return state.emit(tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), twin)))


def _weights(op: Operation, values: Any, old: SSAValue) -> SSAValue:
    """Insert a constant before an op, of the type and name of another."""
    constant = arith.ConstantOp(cast(Any, dense(values, element_of(old))))
    constant.location = op.location
    constant.result.name_hint = old.name_hint
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result


# Contractions


def _is_packable(op: ConvOp) -> bool:
    """Return whether a convolution is dense or depthwise, of bytes, and gives every window that there is."""
    x, w = op.inputs
    features, depth, *kernel = shape_of(w)
    if element_of(x) != i8 or element_of(w) != i8 or op.accumulator != i32 or op.is_unsigned(1):
        return False
    groups, dilations = op.groups.value.data, numbers_of(op.dilations)
    dense_rows = groups == 1 and (kernel[-1] == 1 or dilations[-1] == 1)
    depthwise = depth == 1 and groups == features
    return len(kernel) <= 2 and op.wraps is None and (dense_rows or depthwise) and _full(op)


def _full(op: ConvOp) -> bool:
    """Return whether the output has every window that the padded input has."""
    (_, _, *space), (_, _, *kernel) = (shape_of(value) for value in op.inputs)
    strides, dilations, pads = (numbers_of(p) for p in (op.strides, op.dilations, op.pads))
    padded = [n + a + b for n, a, b in zip(space, pads, pads[len(space) :], strict=False)]
    full = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(padded, kernel, dilations, strides, strict=True)]
    return list(shape_of(op.output)[2:]) == full


def _convert_conv(state: _Layout, op: ConvOp) -> None:
    x, w = op.inputs
    weight = np.moveaxis(_constant(w), 1, -1)
    kernel = weight.shape[1:-1]
    source = _padded(state, state.last(x), numbers_of(op.pads))
    depthwise = op.groups.value.data > 1 and weight.shape[-1] == 1
    values = np.ascontiguousarray(np.moveaxis(weight[..., 0], 0, -1)) if depthwise else pack(weight)
    properties: dict[str, Attribute | None] = {
        "strides": op.strides,
        "dilations": op.dilations,
        "kernel": ints(kernel),
        "accumulator": op.accumulator,
    }
    made = DepthwiseOp if depthwise else PackedConvOp
    state.replace(op, _rebuilt(state, op, made, [source, _weights(op, values, w)], properties))


def _move_channels(state: _Layout, op: ConvOp) -> None:
    """Convert a convolution whose weights stay one array, and whose padding stays its own."""
    x, w = op.inputs
    weight = _weights(op, np.ascontiguousarray(np.moveaxis(_constant(w), 1, -1)), w)
    names = ("strides", "dilations", "pads", "groups", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, _rebuilt(state, op, ConvOp, [state.last(x), weight], properties))


def _padded(state: _Layout, x: SSAValue, pads: Sequence[int]) -> SSAValue:
    """Return a channels-last tensor with zeros around it."""
    if not any(pads):
        return x
    half = len(pads) // 2
    low, high = [0, *pads[:half], 0], [0, *pads[half:], 0]
    return _pad(state, x, low, high, arith.ConstantOp.from_int_and_width(0, 8))


def _pad(state: _Layout, x: SSAValue, low: list[int], high: list[int], fill: arith.ConstantOp) -> SSAValue:
    shape = [a + n + b for a, n, b in zip(low, shape_of(x), high, strict=True)]
    block = Block([fill, tensor.YieldOp(fill.result)], arg_types=[IndexType()] * len(shape))
    type = TensorType(cast(Any, element_of(x)), shape)
    return state.emit(tensor.PadOp(x, [], [], Region(block), low, high, type))


def _rebuilt(
    state: _Layout,
    op: KernelOp,
    made: type[KernelOp],
    inputs: Sequence[SSAValue],
    properties: dict[str, Attribute | None],
) -> SSAValue:
    """Return the twin of a kernel's result, from a kernel of the same epilogue on channels-last operands."""
    rank = len(shape_of(op.output))
    extras, maps = _permuted(state, op.extras, op.epilogue_maps.data if op.epilogue_maps else (), rank)
    twin = made(
        inputs,
        _empty_like(state, op.results[0]),
        properties,
        unsigned=[index for index in range(len(inputs)) if op.is_unsigned(index)],
        extras=extras,
        epilogue_maps=maps,
        epilogue=op.detach_region(op.epilogue) if op.epilogue is not None else None,
    )
    twin.attributes |= op.attributes
    return state.emit(twin)


def _permuted(
    state: _Layout, values: Sequence[SSAValue], maps: Sequence[AffineMapAttr], rank: int
) -> tuple[list[SSAValue], list[AffineMapAttr]]:
    """Return operands of an elementwise computation and their maps, as a channels-last output sees them."""
    order = _permutation(rank)
    dims = AffineMap.identity(rank).results
    old = AffineMap(rank, 0, tuple(dims[order.index(axis)] for axis in range(rank)))
    taken: list[SSAValue] = []
    seen: list[AffineMapAttr] = []
    for value, attribute in zip(values, maps, strict=True):
        if attribute.data == AffineMap.identity(rank) and _constant(value) is None:
            taken.append(state.last(value))
            seen.append(attribute)
        else:
            taken.append(value)
            seen.append(AffineMapAttr(attribute.data.compose(old)))
    return taken, seen


def _is_matrix_of_bytes(op: MatmulOp) -> bool:
    a, b = op.inputs
    """Return whether a matrix product is of bytes, with constant weights."""
    flat = len(shape_of(a)) == 2 and len(shape_of(b)) == 2 and op.transpose_a is None
    return flat and _is_of_bytes(op) and _constant(b) is not None


def _is_of_bytes(op: MatmulOp) -> bool:
    a, b = op.inputs
    integers = element_of(a) == i8 and element_of(b) == i8 and op.accumulator == i32
    return integers and op.wraps is None and not op.is_unsigned(1)


def _convert_matmul(op: MatmulOp) -> None:
    a, b = op.inputs
    weight = _constant(b) if op.transpose_b is not None else _constant(b).T
    none = ints([])
    twin = PackedConvOp(
        [a, _weights(op, pack(np.ascontiguousarray(weight)), b)],
        op.output,
        {"strides": none, "dilations": none, "kernel": none, "accumulator": op.accumulator},
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


def _transpose_matrix(state: _Layout, op: MatmulOp) -> None:
    """Let what a sum takes of the second matrix lie side by side, if that is free or there are rows enough."""
    b = op.inputs[1]
    if op.transpose_b is not None or op.transpose_a is not None:
        return
    rank = len(shape_of(b))
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    source = b.owner if isinstance(b, OpResult) else None
    if _constant(b) is not None:
        op.operands[1] = _weights(op, np.ascontiguousarray(np.swapaxes(_constant(b), -1, -2)), b)
    elif isinstance(source, linalg.TransposeOp) and b.has_one_use():
        order = numbers_of(source.permutation)
        op.operands[1] = _transposed(state, source.operands[0], [order[axis] for axis in swapped])
    elif shape_of(op.inputs[0])[-2] >= _WORTH_MOVING:
        op.operands[1] = _transposed(state, b, swapped)
    else:
        return
    op.properties["transpose_b"] = UnitAttr()


# What lies between


def _convert_pool(state: _Layout, op: PoolOp) -> None:
    names = ("window", "strides", "dilations", "pads", "kind", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, _rebuilt(state, op, PoolOp, [state.last(op.inputs[0])], properties))


def _convert_pad(state: _Layout, op: tensor.PadOp) -> None:
    """Convert padding whose users will be channels-last: convolutions."""
    users = [use.operation for use in op.results[0].uses]
    fill = op.region.block.last_op.operands[0].owner if op.region.block.last_op is not None else None
    if not users or not all(isinstance(user, ConvOp) and state.takes(user) for user in users):
        return
    if not isinstance(fill, arith.ConstantOp) or op.low or op.high:
        return
    order = _permutation(len(shape_of(op.results[0])))
    low, high = ([int(numbers[axis]) for axis in order] for numbers in map(numbers_of, (op.static_low, op.static_high)))
    state.replace(op, _pad(state, state.last(op.source), low, high, fill.clone()))


def _convert_elementwise(state: _Layout, op: linalg.GenericOp) -> None:
    rank = len(shape_of(op.results[0]))
    inputs, maps = _permuted(state, list(op.inputs), op.indexing_maps.data[:-1], rank)
    out = _empty_like(state, op.results[0])
    body = op.detach_region(op.body)
    twin = linalg.GenericOp(inputs, [out], body, [*maps, op.indexing_maps.data[-1]], op.iterator_types, [out.type])
    twin.attributes |= op.attributes
    state.replace(op, state.emit(twin))


@dataclass(frozen=True)
class ConvertLayoutPass(Pass):
    """
    Bring convolutions with constant weights into channels-last form, with what lies between them.

    With `packed`, dense ones of bytes become `packed.conv`, as do matrix products; depthwise ones `packed.depthwise`;
    their padding becomes `tensor.pad`. Without it, all become `nn.conv` with `channels_last`, and matrix products of
    bytes get `transpose_b`, which makes a sum run along memory. Transpositions remain where the network begins and
    ends. Run it after fuse-epilogues.
    """

    name = "convert-layout"

    packed: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_layout(function.body.block, packed=self.packed)
