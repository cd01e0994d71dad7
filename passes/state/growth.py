"""Dataflow analysis of cache rows through a network, and growth of the dependent tensors to the extent of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, FunctionType, ModuleOp, TensorType, i64
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.ports import ROWS
from ...dialects.onnx.facts import facts_of
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp, is_constant
from ...errors import Diagnostic
from ...ir import Array, array_of, dense, element_of, numbers_of, set_argument_attributes, shape_of, where
from ...runtime.interpreter import Interpreter, load_rules, run_op
from .caches import Cache, constant_array, port_attributes
from .causal import causal_axis, causal_mask
from .nodes import literal
from .relations import REDUCED, labels_of


@dataclass
class Growth:
    """
    Tensors of a function with an axis of cache rows, and that axis.

    The extent is `old` rows in the exported network and `new` rows with a state. With `open`, the exported extent is
    symbolic, and the importer has marked the tensors.
    """

    function: func.FuncOp
    caches: list[Cache]
    old: int
    new: int
    open: bool = False
    axes: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    reductions: list[OnnxOp] = field(default_factory=list[OnnxOp])
    """Reductions over the rows, in program order."""


def follow(function: func.FuncOp, caches: list[Cache], new: int) -> Growth:
    """
    Find all tensors with an axis of cache rows, by forward and backward propagation, which reaches masks too.

    Raises Diagnostic with the node that stops the propagation, and for an output with cache rows.
    """
    first = caches[0]
    growth = Growth(function, caches, first.length + first.added, new)
    joins = {cache.concat for cache in caches}
    growth.axes |= _stated(function, caches)
    growth.open = bool(growth.axes)
    for value, axis in growth.axes.items():
        if shape_of(value)[axis] != growth.old:
            raise Diagnostic(
                "a tensor has an entry for some of the rows of a cache only",
                where=where(value.op) if isinstance(value, OpResult) else f"argument {value.name_hint}",
                expected=f"one for each of the {growth.old} rows, the new ones with them",
                found=f"{shape_of(value)[axis]} along axis {axis}",
                remedy="export the network so that it works on the caches after the new rows are joined to them",
            )
    for cache in caches:
        growth.axes[cache.concat.results[0]] = cache.axis
    pending: list[Operation] = [use.operation for value in growth.axes for use in value.uses]
    while pending:
        op = pending.pop()
        if op in joins or op is function.body.block.last_op or is_constant(op):
            continue
        for value in _spread(growth, op):
            pending += [use.operation for use in value.uses]
            pending += [value.op] if isinstance(value, OpResult) else []
    _check_outputs(growth)
    _check_sources(growth, joins)
    ops = [op for op in function.body.block.ops if isinstance(op, OnnxOp)]
    growth.reductions = [op for op in ops if op not in joins and _reduces(growth, op)]
    return growth


def is_open(function: func.FuncOp) -> bool:
    """Return whether the importer has marked the tensors with cache rows."""
    return any(ROWS in op.attributes for op in function.body.block.ops)


def fold_rows(module: ModuleOp, function: func.FuncOp, caches: Sequence[Cache]) -> None:
    """Fold constant operators that may depend on the number of rows."""
    load_rules(module)
    runner = Interpreter(module)
    rows = caches[0].length + caches[0].added
    for op in list(function.body.block.ops):
        arrays = [constant_array(value) for value in op.operands]
        if not isinstance(op, OnnxOp) or len(op.results) != 1 or not arrays or any(array is None for array in arrays):
            continue
        if rows in shape_of(op.results[0]):
            (array,) = run_op(runner, op, arrays)
            folded = literal(array, element_of(op.results[0]), op)
            folded.name_hint = op.results[0].name_hint
            Rewriter.replace_op(op, [], [folded])


def _stated(function: func.FuncOp, caches: Sequence[Cache]) -> dict[SSAValue, int]:
    """Remove the importer's row attributes from a function; return the row axis of each marked tensor."""
    axes_of: dict[SSAValue, int] = {}
    for op in function.body.block.ops:
        axes = numbers_of(op.attributes.pop(ROWS)) if ROWS in op.attributes else ()
        axes_of |= {value: axis for value, axis in zip(op.results, axes, strict=False) if axis >= 0}
    ports = port_attributes(function, "arg_attrs")
    for argument, row in zip(function.body.block.args, ports, strict=True):
        if ROWS in row:
            axes_of[argument] = numbers_of(row.pop(ROWS))[0]
    if axes_of:
        set_argument_attributes(function, [DictionaryAttr(row) for row in ports])
    pasts = {value for cache in caches for value in _shown(cache)}
    return {value: axis for value, axis in axes_of.items() if value not in pasts}


def _shown(cache: Cache) -> Iterator[SSAValue]:
    """Yield the views of the past of a cache, up to the concatenation."""
    value = cache.concat.operands[0]
    while value is not cache.past:
        yield value
        value = cast(OpResult, value).op.operands[0]
    yield value


def _spread(growth: Growth, op: Operation) -> list[SSAValue]:
    """Propagate the row axis through an op; return the newly marked values."""
    rows = labels_of(op)
    names = set[Any]()
    for value, labels in rows:
        if value not in growth.axes:
            continue
        label = labels[growth.axes[value]]
        if label is None:
            raise _refusal(op, growth.axes[value], value)
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
    """Return a value as the op's own: a constant with other uses is cloned."""
    if not isinstance(value, OpResult) or not is_constant(value.op):
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


def _check_sources(growth: Growth, joins: Set[Operation]) -> None:
    """Check that all operators that produce rows from operands without rows can be resized."""
    for value in growth.axes:
        op = value.owner
        if not isinstance(op, Operation) or op in joins or any(operand in growth.axes for operand in op.operands):
            continue
        if not is_constant(op) and op.name not in _RESIZED:
            raise _refusal(op, growth.axes[value], value)


def _refusal(op: Operation, axis: int, value: SSAValue) -> Diagnostic:
    return Diagnostic(
        f"the rows of a cache cannot be followed through {op.name.removeprefix('onnx.')}",
        where=where(op),
        expected="an operator that treats all cached rows alike, or sums over them",
        found=f"axis {axis} of a tensor of shape {list(shape_of(value))}",
        remedy="export the network with the operator before the cache",
    )


def _reduces(growth: Growth, op: OnnxOp) -> bool:
    if not any(value in growth.axes for value in op.operands):
        return False
    return any(value in growth.axes and labels[growth.axes[value]] == REDUCED for value, labels in labels_of(op))


def grow(growth: Growth, position: SSAValue) -> None:
    """
    Resize all tensors with cache rows: inputs, extended constants, shape operands and results.

    Raises Diagnostic for a constant that cannot be extrapolated.
    """
    for value, axis in list(growth.axes.items()):
        shape = [growth.new if i == axis else extent for i, extent in enumerate(shape_of(value))]
        if isinstance(value, OpResult) and is_constant(value.op):
            _continue(growth, value, axis, position)
        elif not isinstance(value, OpResult) or not any(cache.concat is value.op for cache in growth.caches):
            del growth.axes[value]
            new = Rewriter.replace_value_with_new_type(value, TensorType(cast(Any, element_of(value)), shape))
            growth.axes[new] = axis
    for value, axis in list(growth.axes.items()):
        if isinstance(value, OpResult) and value.op.name in _RESIZED:
            _RESIZED[value.op.name](cast(OnnxOp, value.op), axis, growth.new)
    block = growth.function.body.block
    outputs = growth.function.function_type.outputs
    growth.function.properties["function_type"] = FunctionType.from_lists([a.type for a in block.args], list(outputs))


def _set_shape(op: OnnxOp, axis: int, rows: int) -> None:
    size = facts_of(op.name).size
    assert size is not None
    op.operands[size] = literal(shape_of(op.results[0]), i64, op)


def _set_limit(op: OnnxOp, axis: int, rows: int) -> None:
    """Set the limit of a constant Range for `rows` numbers."""
    start, step = constant_array(op.operands[0]), constant_array(op.operands[2])
    assert start is not None
    assert step is not None
    op.operands[1] = literal(start + rows * step, element_of(op.operands[1]), op)


def _set_end(op: OnnxOp, axis: int, rows: int) -> None:
    """Set the end of a slice along the row axis."""
    rank = len(shape_of(op.results[0]))
    ends, axes = constant_array(op.node_input(2)), constant_array(op.node_input(3))
    assert ends is not None
    places = [int(axis_number) % rank for axis_number in (range(ends.size) if axes is None else axes)]
    if axis in places:
        new = [rows if place == axis else int(end) for place, end in zip(places, ends, strict=True)]
        op.operands[2] = literal(new, element_of(op.operands[2]), op)


_RESIZED: Registry[str, Callable[[OnnxOp, int, int], None]] = Registry(
    "rows of caches",
    {
        "onnx.ConstantOfShape": _set_shape,
        "onnx.Expand": _set_shape,
        "onnx.Range": _set_limit,
        "onnx.Reshape": _set_shape,
        "onnx.Slice": _set_end,
    },
)
"""Operators with operands that determine the result's shape, and the function that resizes them."""


def _continue(growth: Growth, value: OpResult, axis: int, position: SSAValue) -> None:
    """
    Extend a constant along the row axis: equal values are repeated, arithmetic progressions continued.

    A causal mask of several new rows is computed from the position.
    """
    values = array_of(cast(Any, value.op.properties["value"]))
    rows = np.moveaxis(values, axis, 0)
    if growth.open and growth.new <= growth.old:
        return _replace_constant(growth, value, axis, np.moveaxis(rows[: growth.new], 0, axis))
    with np.errstate(invalid="ignore"):
        steps = np.diff(rows.astype(np.float64 if rows.dtype.kind == "f" else np.int64), axis=0)
    new = causal_axis(values, axis, growth.caches[0].length)
    if new is not None:
        mask = causal_mask(values, (new, axis), growth.new, position, value.op)
        mask.name_hint = value.name_hint
        value.replace_all_uses_with(mask)
        del growth.axes[value]
        growth.axes[mask] = axis
        return None
    # Any two numbers are an arithmetic progression; only two integers are taken for one.
    if not (steps == steps[:1]).all() or (len(rows) == 2 and steps.any() and rows.dtype.kind == "f"):
        raise Diagnostic(
            "a constant has a value of its own for each cached row",
            where=where(value.op),
            expected="values that are alike, or count, along the cached rows, so that further rows are known",
            found=f"a constant of shape {list(values.shape)}, axis {axis}",
            remedy="export the network with dynamic axes for its caches, or with this constant as an input",
        )
    counts = np.arange(growth.new).reshape(-1, *(1,) * (rows.ndim - 1))
    longer = np.moveaxis(rows[:1] + counts * steps[:1], 0, axis).astype(values.dtype)
    return _replace_constant(growth, value, axis, longer)


def _replace_constant(growth: Growth, value: OpResult, axis: int, array: Array) -> None:
    attribute = dense(array, element_of(value))
    value.op.properties["value"] = attribute
    del growth.axes[value]
    new = Rewriter.replace_value_with_new_type(value, cast(Any, attribute.type))
    growth.axes[new] = axis
