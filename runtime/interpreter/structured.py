"""Semantics of structured kernels of any dialect, and of other linalg ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.core.kernel import Kernel, is_shaped, kernel_of
from ...dialects.core.layout_arrays import LayoutArray, strided
from ...dialects.core.semantics import Runner, Value, semantics
from ...ir import Array, shape_of
from .kernels import run_kernel


def run_structured(runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Array]:
    """
    Run a structured op into its output memrefs, or into new tensors, which are returned.

    One whose types leave extents open runs as a copy of the op with those of its operands.
    """
    if any(extent < 0 for value in op.operands if is_shaped(value) for extent in shape_of(value)):
        op = _with_extents(op, operands)
    return _run(runner, kernel_of(op), dict(zip(op.operands, operands, strict=True)))


def _with_extents(op: Operation, operands: Sequence[Value]) -> Operation:
    """Return a copy of an op with the shapes of its operands in their types and in those of its results."""
    types = [_of_shape(value.type, np.shape(array)) for value, array in zip(op.operands, operands, strict=True)]
    arguments = Block(arg_types=types).args
    # In its regions the copy keeps values of outer ones, which are in scope.
    copy = op.clone(dict(zip(op.operands, arguments, strict=True)))
    for result, type_ in zip(copy.results, types[len(types) - len(copy.results) :], strict=True):
        Rewriter.replace_value_with_new_type(result, type_)
    return copy


def _of_shape(type_: Attribute, shape: tuple[int, ...]) -> Attribute:
    match type_:
        case MemRefType():
            memref = cast("MemRefType[Any]", type_)
            return MemRefType(memref.element_type, shape, memref.layout, memref.memory_space)
        case TensorType():
            tensor = cast("TensorType[Any]", type_)
            return TensorType(tensor.element_type, shape, tensor.encoding)
        case _:
            return type_


def _run(runner: Runner, kernel: Kernel, values: dict[SSAValue, Value]) -> list[Array]:
    def value_of(value: SSAValue) -> Value:
        return strided(values[value] if value in values else runner.value(value))

    targets: list[Array] = []
    results: list[Array] = []
    for access in kernel.outputs:
        array = values[access.value]
        if not isinstance(access.value.type, MemRefType):
            array = np.array(array)
            results.append(array)
        targets.append(strided(array))
    run_kernel(kernel, value_of, targets)
    for access, target in zip(kernel.outputs, targets, strict=True):
        if isinstance(whole := values[access.value], LayoutArray):
            whole[...] = target
    return results


@semantics(linalg.FillOp)
def _fill(runner: Runner, op: linalg.FillOp, operands: Sequence[Value]) -> list[Array]:
    value, output = operands
    if isinstance(op.outputs[0].type, MemRefType):
        output[...] = value
        return []
    return [np.full_like(output, value)]
