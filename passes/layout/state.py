"""Rewriting of a block's values to chosen layouts: twins of values, and construction of the ops that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, ModuleOp, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.kernel_op import KernelOp
from ...ir import array_of, dense, element_of, numbers_of, shape_of
from ..lowering.lowerer import Lowerer
from .orders import Order, composed, identity, memory_order, relative

WORTH_MOVING = 4
"""Rows from which on a transposed copy of a matrix, contiguous along the reduction, costs less than strided reads."""


def constant_of(value: SSAValue) -> Any:
    """Return the array of a constant tensor, None for other values."""
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        return array_of(cast(Any, value.op.value))
    return None


@dataclass
class Layouts:
    """Twins of a block's values: the same values in other layouts. A replaced op lasts until all ops are rewritten."""

    block: Block
    twins: dict[tuple[SSAValue, Order], SSAValue] = field(default_factory=dict[tuple[SSAValue, Order], SSAValue])
    produced: dict[SSAValue, Order] = field(default_factory=dict[SSAValue, Order])
    """The layouts in which replaced values are produced."""
    dead: list[Operation] = field(default_factory=list[Operation])
    current: Operation = field(default_factory=lambda: ModuleOp([]))

    def order_of(self, value: SSAValue) -> Order:
        """Return the layout in which a value is produced, or that of which it is a transpose."""
        source, permutation = origin(value, self.block)
        return relative(permutation, self.produced.get(source, identity(len(permutation))))

    def has(self, value: SSAValue, order: Order) -> bool:
        """Return whether a value or its transpose is there in a layout."""
        source, permutation = origin(value, self.block)
        return (source, composed(permutation, order)) in self.twins

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op before the current one, at its location."""
        for nested in op.walk():
            nested.location = self.current.location
        Rewriter.insert_op(op, InsertPoint.before(self.current))
        return op.results[0]

    def given(self, value: SSAValue, order: Order) -> SSAValue:
        """Return a value in a layout; a transposed copy is made if there is none."""
        source, permutation = origin(value, self.block)
        order = composed(permutation, order)
        if (source, order) not in self.twins and order == identity(len(order)):
            return source
        if (source, order) not in self.twins:
            old = self.order_of(source)
            self.twins[source, order] = transposed(self, self.given(source, old), relative(old, order))
        return self.twins[source, order]

    def add(self, value: SSAValue, order: Order, twin: SSAValue) -> None:
        """Make the twin of a value known."""
        source, permutation = origin(value, self.block)
        self.twins[source, composed(permutation, order)] = twin

    def replace(self, op: Operation, twin: SSAValue, order: Order) -> None:
        """Replace an op's result by its twin in a layout; users of the old layout get that transposed back."""
        old = op.results[0]
        twin.name_hint = old.name_hint
        self.add(old, order, twin)
        self.produced[old] = order
        self.dead.append(op)

    def erase_unused(self) -> None:
        """Erase the ops that were replaced; where a result is still used, it is made from its twin."""
        for op in reversed(self.dead):
            old = op.results[0]
            self.current = op
            if old.uses:
                order = self.produced.get(old, identity(len(shape_of(old))))
                twin = self.given(old, order)
                back = transposed(self, twin, relative(order, identity(len(order))))
                back.name_hint = old.name_hint if back is not twin else twin.name_hint
                old.replace_all_uses_with(back)
            Rewriter.erase_op(op)


def is_transpose(op: Operation) -> bool:
    """Return whether an op is a transpose of a tensor."""
    return isinstance(op, linalg.TransposeOp) and bool(op.results)


def permutation_of(op: Operation) -> Order:
    """Return the permutation of a transpose: the axes of its operand in the order of its result."""
    return tuple(int(axis) for axis in numbers_of(cast(linalg.TransposeOp, op).permutation))


def origin(value: SSAValue, block: Block) -> tuple[SSAValue, Order]:
    """Return the source of a chain of a block's transposes, and their composed permutation."""
    permutation = identity(len(shape_of(value)))
    while isinstance(value, OpResult) and is_transpose(value.op) and value.op.parent is block:
        permutation = composed(permutation_of(value.op), permutation)
        value = value.op.operands[0]
    return value, permutation


def transposed(state: Layouts, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """Return a value with its axes in this order: itself where they are, a view where only axes of extent 1 move."""
    shape = shape_of(value)
    if list(order) == sorted(order):
        return value
    target = [shape[axis] for axis in order]
    if memory_order(shape, order) == memory_order(shape, identity(len(shape))):
        return viewed(state, value, target)
    out = state.emit(tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), target)))
    return state.emit(linalg.TransposeOp(value, out, DenseArrayBase.from_list(i64, order), out.type))


def viewed(state: Layouts, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """Return a value in another shape of as many elements."""
    block = Block()
    view = Lowerer(block).reshape(value, shape)
    for op in list(block.ops):
        op.detach()
        state.emit(op)
    return view


def padded(state: Layouts, x: SSAValue, low: list[int], high: list[int], fill: arith.ConstantOp) -> SSAValue:
    """Return a tensor with `low` and `high` elements of `fill` before and after each axis."""
    shape = [a + n + b for a, n, b in zip(low, shape_of(x), high, strict=True)]
    block = Block([fill, tensor.YieldOp(fill.result)], arg_types=[IndexType()] * len(shape))
    type = TensorType(cast(Any, element_of(x)), shape)
    return state.emit(tensor.PadOp(x, [], [], Region(block), low, high, type))


def type_in(value: SSAValue, order: Order) -> TensorType[Any]:
    """Return the type of a tensor's twin in a layout."""
    shape = shape_of(value)
    return TensorType(cast(Any, element_of(value)), [shape[axis] for axis in order])


def empty_like(state: Layouts, value: SSAValue, order: Order) -> SSAValue:
    """Return a new tensor for the twin of a value in a layout."""
    return state.emit(tensor.EmptyOp((), type_in(value, order)))


def weights_like(op: Operation, values: Any, old: SSAValue) -> SSAValue:
    """Insert a constant before an op, of the type and name of another."""
    constant = arith.ConstantOp(cast(Any, dense(values, element_of(old))))
    constant.location = op.location
    constant.result.name_hint = old.name_hint
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result


def rebuilt(
    state: Layouts,
    op: KernelOp,
    kind: type[KernelOp],
    inputs: Sequence[SSAValue],
    properties: dict[str, Attribute | None],
    order: Order,
) -> SSAValue:
    """Return the twin of a kernel's result in a layout, from a kernel of the same epilogue on operands to match."""
    extras, maps = permuted(state, op.extras, op.epilogue_maps.data if op.epilogue_maps else (), order)
    twin = kind(
        inputs,
        empty_like(state, op.results[0], order),
        properties,
        unsigned=[index for index in range(len(inputs)) if op.is_unsigned(index)],
        extras=extras,
        epilogue_maps=maps,
        epilogue=op.detach_region(op.epilogue) if op.epilogue is not None else None,
    )
    twin.attributes |= op.attributes
    return state.emit(twin)


def follows(value: SSAValue, map: AffineMap, rank: int) -> bool:
    """
    Return whether an operand of a computation is read in the layout of the result.

    The result's axes are the first `rank` dims. The operand has as many, and the place along each depends on that along
    the result's axis alone and on reduced dims: the same, broadcast, repeated, a slice or a window.
    """
    if len(map.results) != rank or constant_of(value) is not None:
        return False
    others = set(range(rank))
    return all(expr.used_dims() & others <= {axis} for axis, expr in enumerate(map.results))


def permuted(
    state: Layouts, values: Sequence[SSAValue], maps: Sequence[AffineMapAttr], order: Order
) -> tuple[list[SSAValue], list[AffineMapAttr]]:
    """Return operands of a computation and their maps, as an output in another layout sees them."""
    rank = len(order)
    taken: list[SSAValue] = []
    seen: list[AffineMapAttr] = []
    for value, attribute in zip(values, maps, strict=True):
        count = attribute.data.num_dims
        dims = AffineMap.identity(count).results
        old = AffineMap(count, 0, (*(dims[order.index(axis)] for axis in range(rank)), *dims[rank:]))
        map = attribute.data.compose(old)
        if follows(value, attribute.data, rank):
            value, map = state.given(value, order), AffineMap(count, 0, tuple(map.results[axis] for axis in order))
        taken.append(value)
        seen.append(AffineMapAttr(map))
    return taken, seen


def gathers_of(op: Operation) -> list[tensor.ExtractOp]:
    """Return the ops in the body of a `linalg.generic` that take elements of tensors from outside."""
    if not isinstance(op, linalg.GenericOp):
        return []
    gathers = [gather for gather in op.body.walk() if isinstance(gather, tensor.ExtractOp)]
    return [gather for gather in gathers if not op.is_ancestor(gather.operands[0].owner)]


def end_of(use: Use, block: Block) -> tuple[Operation, int]:
    """Return the op of a block that uses a value, and the index of the operand; those it gathers from come last."""
    op: Operation | None = use.operation
    while op is not None and op.parent is not block:
        op = op.parent_op()
    if op is None or op is use.operation or not isinstance(op, linalg.GenericOp):
        return use.operation, use.index
    gathers = gathers_of(op)
    if use.operation not in gathers or use.index != 0:
        return use.operation, use.index
    return op, len(op.operands) + gathers.index(cast(tensor.ExtractOp, use.operation))


def values_of(op: Operation) -> list[SSAValue]:
    """Return the operands of an op, and the tensors that it gathers from."""
    return [*op.operands, *(gather.operands[0] for gather in gathers_of(op))]


def is_constant(value: SSAValue) -> bool:
    """Return whether a value is a constant or has no content: then each layout is free."""
    return isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp | tensor.EmptyOp)
