"""Layout of state: a cache that products sum up along its rows is stored transposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.ml_program import GlobalLoadOp, GlobalOp, GlobalStoreOp
from ..dialects.nn import MatmulOp
from ..ir import array_of, dense, element_of, functions, shape_of
from .core.base import Pass
from .layout.orders import swapped


def transpose_state(module: ModuleOp) -> None:
    """Exchange the last two axes of each state that products alone read, as their second matrix."""
    ops = [op for function in functions(module) for op in nested_ops(function)]
    for state in [op for op in module.body.block.ops if isinstance(op, GlobalOp) and op.is_mutable is not None]:
        loads = [op for op in ops if isinstance(op, GlobalLoadOp) and op.symbol == state.sym_name.data]
        stores = [op for op in ops if isinstance(op, GlobalStoreOp) and op.symbol == state.sym_name.data]
        if _is_second_matrix(state, loads):
            _transpose(state, loads, stores)


def _is_second_matrix(state: GlobalOp, loads: Sequence[GlobalLoadOp]) -> bool:
    """Return whether all that reads a state, or rows of it, are products that sum up along its last axis but one."""
    stored = cast(Attribute, state.type)
    if not isinstance(stored, TensorType) or len(cast("TensorType[Any]", stored).get_shape()) < 2:
        return False
    readers = [use for load in loads for use in _readers(load.results[0])]
    return bool(readers) and all(_sums_rows(use) for use in readers)


def _readers(value: SSAValue) -> list[Use]:
    """Return the uses of a state's value, or of its rows, that neither update, slice nor store it."""
    readers: list[Use] = []
    for use in value.uses:
        op = use.operation
        if (isinstance(op, tensor.InsertSliceOp) and use.index == 1) or isinstance(op, tensor.ExtractSliceOp):
            readers += _readers(op.results[0])
        elif not isinstance(op, GlobalStoreOp):
            readers.append(use)
    return readers


def _sums_rows(use: Use) -> bool:
    op = use.operation
    return isinstance(op, MatmulOp) and use.index == 1 and op.transpose_b is None


def _transpose(state: GlobalOp, loads: Sequence[GlobalLoadOp], stores: Sequence[GlobalStoreOp]) -> None:
    """Change the type and the first value of a state; loads and stores get transposes, which convert-layout moves."""
    old = cast("TensorType[Any]", state.type)
    shape, element = old.get_shape(), old.get_element_type()
    order = swapped(len(shape))
    new = TensorType(element, [shape[axis] for axis in order])
    state.properties["type"] = new
    if state.value is not None:
        value = np.swapaxes(array_of(cast(Any, state.value)), -1, -2)
        state.properties["value"] = dense(np.ascontiguousarray(value), element)
    for load in loads:
        converted = GlobalLoadOp.create(properties=load.properties, attributes=load.attributes, result_types=[new])
        converted.location = load.location
        Rewriter.insert_op(converted, InsertPoint.before(load))
        load.results[0].replace_all_uses_with(_swapped(converted.results[0], order, load))
        Rewriter.erase_op(load)
    for store in stores:
        store.operands[0] = _swapped(store.operands[0], order, store)


def _swapped(value: SSAValue, order: Sequence[int], place: Operation) -> SSAValue:
    """Insert a transpose before an op, at its location."""
    shape = [shape_of(value)[axis] for axis in order]
    out = tensor.EmptyOp((), TensorType(cast(Any, element_of(value)), shape))
    transpose = linalg.TransposeOp(value, out.results[0], DenseArrayBase.from_list(i64, order), out.results[0].type)
    transpose.results[0].name_hint = value.name_hint
    for op in (out, transpose):
        op.location = place.location
        Rewriter.insert_op(op, InsertPoint.before(place))
    return transpose.results[0]


@dataclass(frozen=True)
class TransposeStatePass(Pass):
    """
    Store a state transposed where all products that read it sum up along its last axis but one.

    The cached values of attention, [heads, rows, features], become [heads, features, rows], so that what a product
    sums up is contiguous:

        ml_program.global private mutable @values(dense<0> : tensor<1x16x256x4xi8>) : tensor<1x16x256x4xi8>
        ml_program.global private mutable @values(dense<0> : tensor<1x16x4x256xi8>) : tensor<1x16x4x256xi8>

    Loads and stores are transposed back; convert-layout, which is to run next, lets updates, slices and products take
    the layout of the state, so that new rows alone are transposed.
    """

    name = "transpose-state"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        transpose_state(op)
