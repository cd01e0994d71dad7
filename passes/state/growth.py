"""Following the rows of caches through a network, and giving every tensor that has them as many as the state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, TensorType, i64
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.onnx_schema import OnnxOp
from ...errors import Diagnostic
from ...ir import array_of, dense, element_of, shape_of, where
from .caches import Cache
from .nodes import literal
from .relations import REDUCED, labels_of

_SHAPED_BY_OPERAND = "onnx.Reshape"


@dataclass
class Growth:
    """
    The tensors of a function that have the rows of the caches, each with the axis along which it has them.

    They have `old` rows in the network as it was exported, and `new` ones once there is a state.
    """

    function: func.FuncOp
    caches: list[Cache]
    old: int
    new: int
    axes: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    reductions: list[OnnxOp] = field(default_factory=list[OnnxOp])
    """Ops that sum over the rows, or take an extreme of them, in order."""


def follow(function: func.FuncOp, caches: list[Cache], new: int) -> Growth:
    """
    Find all tensors that have the rows of the caches, forwards and backwards: masks have them too.

    Raises Diagnostic, naming the node, where rows cannot be followed, and where an output would have them.
    """
    first = caches[0]
    growth = Growth(function, caches, first.length + first.added, new)
    joins = {cache.concat for cache in caches}
    for cache in caches:
        growth.axes[cache.concat.results[0]] = cache.axis
    pending: list[Operation] = [use.operation for cache in caches for use in cache.concat.results[0].uses]
    while pending:
        op = pending.pop()
        if op in joins or op is function.body.block.last_op or op.name == "onnx.Constant":
            continue
        for value in _spread(growth, op):
            pending += [use.operation for use in value.uses]
            pending += [value.op] if isinstance(value, OpResult) else []
    _check_outputs(growth)
    ops = [op for op in function.body.block.ops if isinstance(op, OnnxOp)]
    growth.reductions = [op for op in ops if op not in joins and _reduces(growth, op)]
    return growth


def _spread(growth: Growth, op: Operation) -> list[SSAValue]:
    """Mark the axes of an op's values that are the one that is marked already; returns the values newly marked."""
    rows = labels_of(op)
    names = set[Any]()
    for value, labels in rows:
        if value not in growth.axes:
            continue
        label = labels[growth.axes[value]]
        if label is None:
            raise Diagnostic(
                f"the rows of a cache cannot be followed through {op.name.removeprefix('onnx.')}",
                where=where(op),
                expected="an operator that treats all cached rows alike, or sums over them",
                found=f"axis {growth.axes[value]} of a tensor of shape {list(shape_of(value))}",
                remedy="export the network with the operator before the cache",
            )
        names.add(label)
    if len(names) > 1:
        raise Diagnostic(
            "two axes of one tensor would have the rows of a cache",
            where=where(op),
            expected="queries of the new rows alone",
        )
    marked: list[SSAValue] = []
    for value, labels in rows:
        axis = next((i for i, label in enumerate(labels) if label in names), None)
        if axis is None or shape_of(value)[axis] == 1 or growth.axes.get(value) == axis:
            continue
        value = _own_constant(op, value)
        growth.axes[value] = axis
        marked.append(value)
    return marked


def _own_constant(op: Operation, value: SSAValue) -> SSAValue:
    """Return a value, which is a copy for this op alone where it is a constant that others use too."""
    if not isinstance(value, OpResult) or value.op.name != "onnx.Constant":
        return value
    if all(use.operation is op for use in value.uses):
        return value
    copy = value.op.clone()
    Rewriter.insert_op(copy, InsertPoint.before(value.op))
    for index, operand in enumerate(op.operands):
        if operand is value:
            op.operands[index] = copy.results[0]
    return copy.results[0]


def _check_outputs(growth: Growth) -> None:
    terminator = growth.function.body.block.last_op
    assert terminator is not None
    caches = {cache.output for cache in growth.caches}
    for index, value in enumerate(terminator.operands):
        if value in growth.axes and index not in caches:
            raise Diagnostic(
                "an output would have the rows of a cache",
                where=where(value.op) if isinstance(value, OpResult) else "",
                expected="outputs of the new rows, and one for each cache",
                found=f"output {index} of shape {list(shape_of(value))}",
                remedy="leave this output out when exporting the network",
            )


def _reduces(growth: Growth, op: OnnxOp) -> bool:
    if not any(value in growth.axes for value in op.operands):
        return False
    return any(value in growth.axes and labels[growth.axes[value]] == REDUCED for value, labels in labels_of(op))


def grow(growth: Growth) -> None:
    """
    Give all tensors found the new extent: inputs, constants that continue, shapes that are operands, results.

    Raises Diagnostic for a constant that does not tell what its further rows are.
    """
    for value, axis in list(growth.axes.items()):
        shape = [growth.new if i == axis else extent for i, extent in enumerate(shape_of(value))]
        if isinstance(value, OpResult) and value.op.name == "onnx.Constant":
            _continue(growth, value, axis)
        elif not isinstance(value, OpResult) or not any(cache.concat is value.op for cache in growth.caches):
            del growth.axes[value]
            new = Rewriter.replace_value_with_new_type(value, TensorType(cast(Any, element_of(value)), shape))
            growth.axes[new] = axis
    for value in list(growth.axes):
        if isinstance(value, OpResult) and value.op.name == _SHAPED_BY_OPERAND:
            value.op.operands[1] = literal(shape_of(value), i64, value.op)
    block = growth.function.body.block
    outputs = growth.function.function_type.outputs
    growth.function.properties["function_type"] = FunctionType.from_lists([a.type for a in block.args], list(outputs))


def _continue(growth: Growth, value: OpResult, axis: int) -> None:
    """Replace a constant by one with more rows: what is alike, or counts, along the axis, goes on so."""
    values = array_of(cast(Any, value.op.properties["value"]))
    rows = np.moveaxis(values, axis, 0)
    steps = np.diff(rows.astype(np.float64 if rows.dtype.kind == "f" else np.int64), axis=0)
    if not (steps == steps[:1]).all():
        raise Diagnostic(
            "a constant has a value of its own for each cached row",
            where=where(value.op),
            expected="values that are alike, or count, along the cached rows, so that further rows are known",
            found=f"a constant of shape {list(values.shape)}, axis {axis}",
            remedy="export the network with this constant as an input",
        )
    counts = np.arange(growth.new).reshape(-1, *(1,) * (rows.ndim - 1))
    longer = np.moveaxis(rows[:1] + counts * steps[:1], 0, axis).astype(values.dtype)
    attribute = dense(longer, element_of(value))
    value.op.properties["value"] = attribute
    del growth.axes[value]
    new = Rewriter.replace_value_with_new_type(value, cast(Any, attribute.type))
    growth.axes[new] = axis
