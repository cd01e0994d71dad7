"""Layout state of a block's values in convert-layout, and construction of their channels-last twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, ModuleOp, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.kernel_op import KernelOp
from ...dialects.nn import ConvOp
from ...ir import array_of, dense, element_of, numbers_of, shape_of
from ..lowering.lowerer import Lowerer

WORTH_MOVING = 4
"""Rows from which on a transposed copy of a matrix, contiguous along the reduction, costs less than strided reads."""


def permutation(rank: int) -> list[int]:
    """Return the order of axes of [N, C, spatial...] that is [N, spatial..., C]."""
    return [0, *range(2, rank), 1]


def constant_of(value: SSAValue) -> Any:
    """Return the array of a constant tensor, None for other values."""
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        return array_of(cast(Any, value.op.value))
    return None


@dataclass
class Layout:
    """Layout state of the values of a block: the channels-last twins of those that have one."""

    is_taken: Callable[[ConvOp], bool]
    """Return whether a convolution becomes channels-last."""
    twins: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    dead: list[Operation] = field(default_factory=list[Operation])
    current: Operation = field(default_factory=lambda: ModuleOp([]))

    def follows(self, values: Sequence[SSAValue]) -> bool:
        """Return whether one of these values is channels-last already."""
        return any(value in self.twins for value in values)

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op before the current one, at its location."""
        for nested in op.walk():
            nested.location = self.current.location
        Rewriter.insert_op(op, InsertPoint.before(self.current))
        return op.results[0]

    def last(self, value: SSAValue) -> SSAValue:
        """Return the channels-last twin of a value of rank 3 or more; one is made if there is none."""
        if value not in self.twins:
            self.twins[value] = transposed(self, value, permutation(len(shape_of(value))))
        return self.twins[value]

    def replace(self, op: Operation, twin: SSAValue) -> None:
        """Replace an op's result by its twin; other users get that transposed back."""
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
                order = permutation(len(shape_of(old)))
                back = transposed(self, self.twins[old], [order.index(axis) for axis in range(len(order))])
                back.name_hint = old.name_hint
                old.replace_all_uses_with(back)
            Rewriter.erase_op(op)


def transposed(state: Layout, value: SSAValue, order: Sequence[int]) -> SSAValue:
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


def swapped(state: Layout, matrix: SSAValue) -> SSAValue:
    """Return a tensor with its last two axes swapped; the transposition that made it and the swap become one."""
    rank = len(shape_of(matrix))
    axes = [*range(rank - 2), rank - 1, rank - 2]
    source = matrix.owner if isinstance(matrix, OpResult) else None
    if isinstance(source, linalg.TransposeOp) and matrix.has_one_use():
        order = numbers_of(source.permutation)
        return transposed(state, source.operands[0], [order[axis] for axis in axes])
    return transposed(state, matrix, axes)


def padded(state: Layout, x: SSAValue, low: list[int], high: list[int], fill: arith.ConstantOp) -> SSAValue:
    """Return a tensor with `low` and `high` elements of `fill` before and after each axis."""
    shape = [a + n + b for a, n, b in zip(low, shape_of(x), high, strict=True)]
    block = Block([fill, tensor.YieldOp(fill.result)], arg_types=[IndexType()] * len(shape))
    type = TensorType(cast(Any, element_of(x)), shape)
    return state.emit(tensor.PadOp(x, [], [], Region(block), low, high, type))


def empty_like(state: Layout, value: SSAValue) -> SSAValue:
    """Return a new tensor for the channels-last twin of a value."""
    shape = shape_of(value)
    twin = [shape[axis] for axis in permutation(len(shape))]
    return state.emit(tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), twin)))


def weights_like(op: Operation, values: Any, old: SSAValue) -> SSAValue:
    """Insert a constant before an op, of the type and name of another."""
    constant = arith.ConstantOp(cast(Any, dense(values, element_of(old))))
    constant.location = op.location
    constant.result.name_hint = old.name_hint
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result


def rebuilt(
    state: Layout,
    op: KernelOp,
    made: type[KernelOp],
    inputs: Sequence[SSAValue],
    properties: dict[str, Attribute | None],
) -> SSAValue:
    """Return the twin of a kernel's result, from a kernel of the same epilogue on channels-last operands."""
    rank = len(shape_of(op.output))
    extras, maps = permuted(state, op.extras, op.epilogue_maps.data if op.epilogue_maps else (), rank)
    twin = made(
        inputs,
        empty_like(state, op.results[0]),
        properties,
        unsigned=[index for index in range(len(inputs)) if op.is_unsigned(index)],
        extras=extras,
        epilogue_maps=maps,
        epilogue=op.detach_region(op.epilogue) if op.epilogue is not None else None,
    )
    twin.attributes |= op.attributes
    return state.emit(twin)


def permuted(
    state: Layout, values: Sequence[SSAValue], maps: Sequence[AffineMapAttr], rank: int
) -> tuple[list[SSAValue], list[AffineMapAttr]]:
    """Return operands of an elementwise computation and their maps, as a channels-last output sees them."""
    order = permutation(rank)
    dims = AffineMap.identity(rank).results
    old = AffineMap(rank, 0, tuple(dims[order.index(axis)] for axis in range(rank)))
    taken: list[SSAValue] = []
    seen: list[AffineMapAttr] = []
    for value, attribute in zip(values, maps, strict=True):
        if attribute.data == AffineMap.identity(rank) and constant_of(value) is None:
            taken.append(state.last(value))
            seen.append(attribute)
        else:
            taken.append(value)
            seen.append(AffineMapAttr(attribute.data.compose(old)))
    return taken, seen
