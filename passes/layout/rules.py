"""Layouts in which ops can be executed: the forms of an op, and its rewriting to one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerAttr, UnitAttr, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.scalars import scalar_attr
from ...dialects.nn import PoolOp, ReduceOp, ints
from ...ir import numbers_of, reassociated_axes, shape_of
from .orders import Order, channels_last, collapsed, expanded, identity, relative
from .state import (
    Layouts,
    empty_like,
    follows,
    gathers_of,
    is_constant,
    padded,
    permuted,
    rebuilt,
    type_in,
    viewed,
)

_FOLD = ("kind", "accumulator", "wraps")
"""Properties of every fold of one input."""
VIEWS = (tensor.CollapseShapeOp, tensor.ExpandShapeOp)
"""Ops that are views of their operand, of one layout or another."""
RESULT = -1
"""The index of an op's result, where operands have theirs."""


@dataclass(frozen=True)
class LayoutForm:
    """Layouts of an op's result, and of its operands and gathered tensors: None where any layout will do."""

    operands: tuple[Order | None, ...]
    result: Order

    @property
    def is_plain(self) -> bool:
        """True if all operands and the result are row-major."""
        return all(order == identity(len(order)) for order in (*self.operands, self.result) if order is not None)


def _no_forms(op: Operation) -> list[LayoutForm]:
    return []


def _no_form(op: Operation, index: int, order: Order) -> LayoutForm | None:
    return None


@dataclass(frozen=True)
class LayoutRule:
    """
    Layouts that an op can have.

    `forms` gives those that it demands, or can have beside them; `follow` that in which operand `index`, or the result,
    has a layout: ops free in their layout follow their neighbours. `rewrite` replaces the op by its twin.
    """

    applies: Callable[[Operation], bool]
    rewrite: Callable[[Layouts, Any, LayoutForm], None]
    forms: Callable[[Any], list[LayoutForm]] = field(default=_no_forms)
    follow: Callable[[Any, int, Order], LayoutForm | None] = field(default=_no_form)


def where_moved(rewrite: Callable[[Layouts, Any, LayoutForm], None]) -> Callable[[Layouts, Any, LayoutForm], None]:
    """Return the rewriting of ops that stay as they are where all is row-major."""
    return lambda state, op, form: None if form.is_plain else rewrite(state, op, form)


def operands_in(op: Operation, orders: dict[int, Order], result: Order) -> LayoutForm:
    """Return a form from the layouts of some operands; the others have any."""
    return LayoutForm(tuple(orders.get(index) for index in range(len(op.operands))), result)


# Kernels


def kernel_form(op: KernelOp, inputs: Sequence[Order | None], order: Order) -> LayoutForm:
    """Return the form of a kernel from the layouts of its inputs and its output; elementwise operands follow that."""
    maps = op.epilogue_maps.data if op.epilogue_maps else ()
    extras = [_read_in(value, map.data, order) for value, map in zip(op.extras, maps, strict=True)]
    return LayoutForm((*inputs, *extras, None), order)


def _read_in(value: SSAValue, map: Any, order: Order) -> Order:
    """Return the layout in which a computation with results in `order` reads an operand."""
    return order if follows(value, map, len(order)) else identity(len(shape_of(value)))


def _is_generic(op: Operation) -> bool:
    """
    Return whether an op is a `linalg.generic` whose result has the first iterators, all parallel, as its axes.

    These are elementwise kernels, reductions along further iterators, and gathers.
    """
    if not isinstance(op, linalg.GenericOp) or len(op.results) != 1:
        return False
    *_, out = (map.data for map in op.indexing_maps.data)
    rank = len(shape_of(op.results[0]))
    parallel = all(kind == IteratorTypeAttr.parallel() for kind in op.iterator_types.data[:rank])
    return parallel and list(out.results) == list(AffineMap.identity(out.num_dims).results[:rank])


def _follow_generic(op: linalg.GenericOp, index: int, order: Order) -> LayoutForm | None:
    rank = len(shape_of(op.results[0]))
    pairs = list(zip(op.inputs, op.indexing_maps.data[:-1], strict=True))
    free = [follows(value, map.data, rank) for value, map in pairs]
    free += [bool(op.body.block.args[-1].uses)]
    gathered = [gather.operands[0] for gather in gathers_of(op)]
    free += [len(shape_of(value)) == rank and not is_constant(value) for value in gathered]
    if index != RESULT and not free[index]:
        return None
    values = (*op.operands, *gathered)
    orders = [order if is_free else identity(len(shape_of(value))) for value, is_free in zip(values, free, strict=True)]
    if not op.body.block.args[-1].uses:
        return LayoutForm((*orders[: len(pairs)], None, *orders[len(pairs) + 1 :]), order)
    return LayoutForm(tuple(orders), order)


def _convert_generic(state: Layouts, op: linalg.GenericOp, form: LayoutForm) -> None:
    order, rank = form.result, len(form.result)
    inputs, maps = permuted(state, list(op.inputs), op.indexing_maps.data[:-1], order)
    has_start = form.operands[len(op.inputs)] is not None
    out = state.given(op.outputs[0], order) if has_start else empty_like(state, op.results[0], order)
    for gather in gathers_of(op):
        if len(shape_of(gather.operands[0])) == rank and not is_constant(gather.operands[0]):
            indices = [gather.operands[1 + axis] for axis in order]
            gather.operands = [state.given(gather.operands[0], order), *indices]
    body = op.detach_region(op.body)
    for index in [inner for inner in body.walk() if isinstance(inner, linalg.IndexOp)]:
        axis = index.dim.value.data
        index.dim = IntegerAttr(order.index(axis) if axis < rank else axis, i64)
    twin = linalg.GenericOp(inputs, [out], body, [*maps, op.indexing_maps.data[-1]], op.iterator_types, [out.type])
    twin.attributes |= op.attributes
    state.replace(op, state.emit(twin), order)


def _pool_forms(op: PoolOp) -> list[LayoutForm]:
    """Return the layouts of a pooling: its own, and the other of channels-first and channels-last."""
    rank = len(shape_of(op.output))
    other = channels_last(rank) if op.channels_last is None else relative(channels_last(rank), identity(rank))
    return [kernel_form(op, [order], order) for order in (identity(rank), other)]


def _follow_pool(op: PoolOp, index: int, order: Order) -> LayoutForm | None:
    """Return the form of a pooling whose spatial axes are exchanged, where its sums keep their order."""
    if index not in (0, RESULT):  # an operand of the epilogue
        return None
    order = _with_units_first(op, order)
    places = _spatial_places(op, order)
    if places is None:
        return None
    windowed = [axis for axis in places if numbers_of(op.window)[axis] != 1]
    return kernel_form(op, [order], order) if windowed == sorted(windowed) else None


def _with_units_first(op: PoolOp, order: Order) -> Order:
    """Return a layout of the same memory order, in which a batch and channels of extent 1 come first."""
    channel = 1 if op.channels_last is None else len(order) - 1
    units = [axis for axis in (0, channel) if shape_of(op.output)[axis] == 1]
    rest = [axis for axis in order if axis not in units]
    batch = [] if 0 in units else rest[:1]
    return (*batch, *units, *rest[len(batch) :])


def _spatial_places(op: PoolOp, order: Order) -> list[int] | None:
    """Return the spatial axes of a pooling as they follow in a layout; None where channels would be among them."""
    rank = len(order)
    channel, first = (1, 2) if op.channels_last is None else (rank - 1, 1)
    if order[0] != 0 or channel not in (order[1], order[-1]):
        return None
    return [axis - first for axis in order[1:] if axis != channel]


def _convert_pool(state: Layouts, op: PoolOp, form: LayoutForm) -> None:
    x = state.given(op.inputs[0], form.result)
    order = form.result
    places = _spatial_places(op, order) or []
    properties = own_properties(op, "window", "strides", "dilations", "pads", *_FOLD)
    for name in ("window", "strides", "dilations", "pads"):
        numbers = [int(number) for number in numbers_of(cast(Any, op.properties[name]))]
        sides = [numbers[start : start + len(places)] for start in range(0, len(numbers), len(places))]
        properties[name] = ints([side[place] for side in sides for place in places])
    channel = 1 if op.channels_last is None else len(order) - 1
    if order[1] != channel:
        properties["channels_last"] = UnitAttr()
    state.replace(op, rebuilt(state, op, PoolOp, [x], properties, order), order)


def own_properties(op: KernelOp, *names: str) -> dict[str, Attribute | None]:
    """Return those of the named properties that a kernel has."""
    return {name: op.properties[name] for name in names if name in op.properties}


def _follow_reduction(op: ReduceOp, index: int, order: Order) -> LayoutForm | None:
    axes, rank = sorted(numbers_of(op.axes)), len(shape_of(op.inputs[0]))
    kept = [axis for axis in range(rank) if axis not in axes]
    if index not in (0, RESULT) or (index == RESULT and op.keep_dims is None):
        return None
    # Sums of floats keep their order: reduced axes stay in theirs.
    if [axis for axis in order if axis in axes] != axes:
        return None
    result = order if op.keep_dims is not None else tuple(kept.index(axis) for axis in order if axis in kept)
    return kernel_form(op, [order], result)


def _convert_reduction(state: Layouts, op: ReduceOp, form: LayoutForm) -> None:
    order = form.operands[0] or ()
    axes = sorted(order.index(axis) for axis in numbers_of(op.axes))
    properties = own_properties(op, *_FOLD, "keep_dims") | {"axes": ints(axes)}
    x = state.given(op.inputs[0], order)
    state.replace(op, rebuilt(state, op, ReduceOp, [x], properties, form.result), form.result)


# Movement


def _follow_all(op: Operation, index: int, order: Order) -> LayoutForm:
    """Return the form in which all tensors of an op have one layout."""
    rank = len(order)
    return operands_in(op, {i: order for i, value in enumerate(op.operands) if _rank(value) == rank}, order)


def _rank(value: SSAValue) -> int:
    return len(shape_of(value)) if hasattr(value.type, "get_shape") else -1


def _is_static_pad(op: Operation) -> bool:
    if not isinstance(op, tensor.PadOp) or op.low or op.high or op.region.block.last_op is None:
        return False
    return isinstance(op.region.block.last_op.operands[0].owner, arith.ConstantOp)


def _convert_pad(state: Layouts, op: tensor.PadOp, form: LayoutForm) -> None:
    low, high = _ordered(op.static_low, form.result), _ordered(op.static_high, form.result)
    assert op.region.block.last_op is not None
    fill = cast(arith.ConstantOp, op.region.block.last_op.operands[0].owner).clone()
    twin = padded(state, state.given(op.source, form.result), low, high, fill)
    state.replace(op, twin, form.result)


def _convert_concatenation(state: Layouts, op: tensor.ConcatOp, form: LayoutForm) -> None:
    twins = [state.given(value, form.result) for value in op.inputs]
    axis = form.result.index(op.dim.value.data)
    type = type_in(op.results[0], form.result)
    twin = tensor.ConcatOp.build(operands=[twins], result_types=[type], properties={"dim": scalar_attr(axis, i64)})
    state.replace(op, state.emit(twin), form.result)


_SLICES = ("static_offsets", "static_sizes", "static_strides")


def _is_of_static_size(op: Operation) -> bool:
    if not isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp) or op.sizes or op.strides:
        return False
    return len(shape_of(op.source)) == len(shape_of(op.results[0]))


def _ordered(numbers: Attribute, order: Order) -> list[int]:
    """Return the numbers of the axes, an `array<i64: ...>`, in an order of the axes."""
    by_axis = numbers_of(numbers)
    return [by_axis[axis] for axis in order]


def _convert_slice(state: Layouts, op: tensor.ExtractSliceOp | tensor.InsertSliceOp, form: LayoutForm) -> None:
    static = numbers_of(op.static_offsets)
    dynamic_axes = [axis for axis, offset in enumerate(static) if offset == DYNAMIC_INDEX]
    computed = dict(zip(dynamic_axes, op.offsets, strict=True))
    tensors = [state.given(value, form.result) for value in op.operands[: len(op.operands) - len(op.offsets)]]
    dynamic = [computed[axis] for axis in form.result if axis in computed]
    orders = {name: DenseArrayBase.from_list(i64, _ordered(op.properties[name], form.result)) for name in _SLICES}
    twin = type(op).build(
        operands=[*zip(tensors), dynamic, [], []],
        result_types=[type_in(op.results[0], form.result)],
        properties=orders,
    )
    state.replace(op, state.emit(twin), form.result)


def _follow_reshape(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp, index: int, order: Order) -> LayoutForm | None:
    if index not in (0, RESULT):
        return None
    merges = isinstance(op, tensor.CollapseShapeOp) == (index == 0)
    value = op.results[0] if index == RESULT else op.operands[0]
    groups = reassociated_axes(op.reassociation)
    other = collapsed(shape_of(value), groups, order) if merges else expanded(groups, order)
    if other is None:
        return None
    return operands_in(op, {0: other}, order) if index == RESULT else operands_in(op, {0: order}, other)


def _convert_reshape(state: Layouts, op: Operation, form: LayoutForm) -> None:
    x = state.given(op.operands[0], form.operands[0] or ())
    twin = viewed(state, x, type_in(op.results[0], form.result).get_shape())
    state.replace(op, twin, form.result)


def _is_reshape(op: Operation) -> bool:
    return (
        isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp)
        and _rank(op.operands[0]) * _rank(op.results[0]) > 0
    )


def _is(*types: type[Operation]) -> Callable[[Operation], bool]:
    return lambda op: isinstance(op, types) and bool(op.results)


RULES: tuple[LayoutRule, ...] = (
    LayoutRule(_is_generic, where_moved(_convert_generic), follow=_follow_generic),
    LayoutRule(_is(PoolOp), where_moved(_convert_pool), forms=_pool_forms, follow=_follow_pool),
    LayoutRule(_is(ReduceOp), where_moved(_convert_reduction), follow=_follow_reduction),
    LayoutRule(_is_static_pad, where_moved(_convert_pad), follow=_follow_all),
    LayoutRule(_is(tensor.ConcatOp), where_moved(_convert_concatenation), follow=_follow_all),
    LayoutRule(_is_of_static_size, where_moved(_convert_slice), follow=_follow_all),
    LayoutRule(_is_reshape, where_moved(_convert_reshape), follow=_follow_reshape),
)
"""Ops free in their layout, besides transposes. The first rule that applies counts; those of a target come first."""
