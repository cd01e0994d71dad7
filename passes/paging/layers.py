"""
Attention of decoder layers over caches, as a paged store computes it.

    new rows ──▶ state ──views, repeated heads──▶ Attention(queries, keys, values, causal mask)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import FloatAttr, ModuleOp, TensorType, f32, i64
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ...dialects.core.ports import ATTENTION_MASK
from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import Array, element_of, numpy_type, shape_of, where
from ...runtime.interpreter import Interpreter, load_rules, run_op
from ..state.caches import constant_array, port_attributes, port_name
from ..state.growth import Growth
from ..state.nodes import literal, node

_HIDDEN = -1e4
"""Greatest value that a float mask adds to a hidden score: exp(-1e4) is 0 in float32."""


@dataclass(frozen=True)
class LayerAttention:
    """
    Attention of a layer over its caches.

    `keys` and `values` are the new rows f32 [tokens, kv_heads, head_dim], `queries` [1, heads, tokens, head_dim].
    """

    op: OnnxOp
    queries: SSAValue
    keys: SSAValue
    values: SSAValue
    heads: int
    kv_heads: int
    head_dim: int
    scale: float


@mentions("Attention", "TensorScatter")
def find_layers(module: ModuleOp, growth: Growth, position: SSAValue, added: int) -> list[LayerAttention]:
    """
    Find the attention of each layer, in program order; the rows of caches are those of TensorScatter ops.

    Raises Diagnostic for a cache that no recognised attention takes, and for attention that is not causal over all
    rows, takes another layout, or shares heads unevenly.
    """
    attentions = [op for op in growth.function.body.block.ops if op.name == "onnx.Attention"]
    layers = [_layer(module, growth, cast(OnnxOp, op), position, added) for op in attentions]
    taken = {value.owner for op in attentions for value in (_cache_of(op.operands[1]), _cache_of(op.operands[2]))}
    for op in growth.function.body.block.ops:
        if op.name == "onnx.TensorScatter" and op not in taken:
            raise _refusal(op, "a cache that no recognised attention takes", "softmax(scale * q k + causal mask) v")
    return layers


def _layer(module: ModuleOp, growth: Growth, op: OnnxOp, position: SSAValue, added: int) -> LayerAttention:
    queries, keys, values = op.operands[:3]
    if element_of(queries) != f32:
        raise _refusal(op, f"attention of {element_of(queries)}", "float32")
    _, heads, tokens, head_dim = shape_of(queries)
    if tokens != added or shape_of(values)[-1] != head_dim:
        raise _refusal(op, "queries or values of another shape", f"{added} queries, values of {head_dim} numbers")
    counts = {_kv_heads(growth, op, value, heads, head_dim) for value in (keys, values)}
    if len(counts) != 1:
        raise _refusal(op, "keys and values of other numbers of heads", "as many")
    _check_mask(module, growth, op, position, added)
    kv_heads = counts.pop()
    rows = [_rows(op, value, kv_heads, head_dim) for value in (keys, values)]
    scale = op.properties.get("scale")
    factor = cast("FloatAttr[Any]", scale).value.data if scale is not None else 1 / sqrt(head_dim)
    return LayerAttention(op, queries, rows[0], rows[1], heads, kv_heads, head_dim, float(np.float32(factor)))


def _cache_of(value: SSAValue) -> SSAValue:
    """Return the state that a value is a view of, through layout ops and repeated heads."""
    while isinstance(value, OpResult) and value.op.name in _LAYOUTS:
        value = value.op.operands[0]
    return value


def _rows(op: Operation, value: SSAValue, kv_heads: int, head_dim: int) -> SSAValue:
    """Insert the new rows of a state as [tokens, kv_heads, head_dim]; return them."""
    scatter = cast(OnnxOp, cast(OpResult, _cache_of(value)).op)
    rows, axis = scatter.operands[1], int(scatter.attribute("axis"))
    shape = shape_of(rows)
    axis %= len(shape)
    order = [axis, *(i for i in range(len(shape)) if i != axis)]
    kind = TensorType(f32, [shape[i] for i in order])
    first = node("Transpose", [rows], kind, op, perm=order) if order != sorted(order) else rows
    return reshaped(first, [shape[axis], kv_heads, head_dim], op)


def reshaped(value: SSAValue, shape: Sequence[int], before: Operation) -> SSAValue:
    """Insert a reshape of a float tensor before an op; return its result."""
    return node("Reshape", [value, literal(list(shape), i64, before)], TensorType(f32, list(shape)), before)


# Layouts: which number of which head each number of a row of keys is


@mentions("TensorScatter")
def _kv_heads(growth: Growth, op: OnnxOp, value: SSAValue, heads: int, head_dim: int) -> int:
    """Return the heads of a state that an operand [1, heads or fewer, rows, head_dim] of attention repeats evenly."""
    cache = _cache_of(value)
    if not isinstance(cache, OpResult) or cache.op.name != "onnx.TensorScatter":
        raise _refusal(op, "keys or values that are no cache", "the rows of a cache in their order")
    numbers, axis = _numbers(growth, op, value)
    if axis != 2:
        raise _refusal(op, f"rows along axis {axis} of keys or values", "axis 2")
    first = numbers[0, :, 0, 0]
    kv_heads = prod(shape_of(cache)) // shape_of(cache)[growth.axes[cache]] // head_dim
    repeated = np.repeat(first, heads // max(len(first), 1))
    shared = np.arange(heads) // max(heads // max(kv_heads, 1), 1) * head_dim
    if kv_heads < 1 or heads % kv_heads or not np.array_equal(repeated, shared):
        raise _refusal(op, "heads that share keys in another order", "query head h with KV head h * kv_heads / heads")
    if not np.array_equal(numbers[0, :, 0, :], first[:, None] + np.arange(head_dim)):
        raise _refusal(op, "keys or values in another layout", "the numbers of a head side by side")
    return kv_heads


@mentions("Cast", "Expand", "Identity", "TensorScatter", "Transpose")
def _numbers(growth: Growth, op: OnnxOp, value: SSAValue) -> tuple[Array, int]:
    """
    Return the position in a row of the cache of each number of a view of it, and the axis of its rows.

    The axis has one entry here: layout ops treat all rows alike.
    """
    if not isinstance(value, OpResult) or value.op.name == "onnx.TensorScatter":
        axis = growth.axes[value]
        shape = [1 if i == axis else extent for i, extent in enumerate(shape_of(value))]
        return np.arange(prod(shape)).reshape(shape), axis
    numbers, axis = _numbers(growth, op, value.op.operands[0])
    name = value.op.name
    if name in ("onnx.Identity", "onnx.Cast"):
        return numbers, axis
    if name == "onnx.Transpose":
        order = cast(OnnxOp, value.op).attribute("perm") or range(numbers.ndim)[::-1]
        return numbers.transpose(order), list(order).index(axis)
    after = growth.axes.get(value)
    if after is None:
        raise _refusal(op, f"rows that {where(value.op)} mixes", "layout ops alone between cache and attention")
    shape = [1 if i == after else extent for i, extent in enumerate(shape_of(value))]
    moved = np.broadcast_to(numbers, shape) if name == "onnx.Expand" else numbers.reshape(shape)
    return moved, after


_LAYOUTS = having(Trait.VIEW, "onnx.") | {"onnx.Cast", "onnx.Expand"}


# Masks


def _check_mask(module: ModuleOp, growth: Growth, op: OnnxOp, position: SSAValue, added: int) -> None:
    """Raise Diagnostic for a mask that is not causal or hides earlier rows, at both ends of the context and between."""
    mask = op.operands[3] if len(op.operands) > 3 else None
    if mask is None:
        if added > 1:
            raise _refusal(op, "no mask", "a causal mask of the new rows")
        return
    load_rules(module)
    runner = Interpreter(module)
    for first in sorted({0, 1, growth.new // 2, growth.new - added}):
        if not 0 <= first <= growth.new - added:
            continue
        _check_mask_at(op, _evaluated(runner, growth, op, mask, position, first), first, added)


def _check_mask_at(op: OnnxOp, mask: Array, first: int, added: int) -> None:
    last: Array = np.arange(first, first + added, dtype=np.int64)[:, None]
    columns: Array = np.arange(mask.shape[-1], dtype=np.int64)
    rows: Array = np.broadcast_to(mask, (*mask.shape[:-2], added, mask.shape[-1])) if mask.ndim > 1 else mask[None]
    is_seen: Array = rows if rows.dtype == bool else rows == 0
    is_hidden: Array = ~rows if rows.dtype == bool else rows < _HIDDEN
    is_past: Array = columns <= last
    is_future: Array = (columns > last) & (columns < first + added)
    if not bool(np.all(is_seen | ~is_past)):
        raise _refusal(op, f"a mask that hides earlier rows at position {first}", "a mask that hides later rows alone")
    if not bool(np.all(is_hidden | ~is_future)):
        raise _refusal(op, f"a mask that shows later rows at position {first}", "a causal mask")


def _evaluated(
    runner: Interpreter, growth: Growth, op: OnnxOp, value: SSAValue, position: SSAValue, first: int
) -> Array:
    """Return a value that depends on the position and on a mask of ones alone, at a position."""
    names = port_attributes(growth.function, "arg_attrs")
    values: dict[SSAValue, Array] = {}

    def of(wanted: SSAValue) -> Array:
        if wanted in values:
            return values[wanted]
        constant = constant_array(wanted)
        if constant is not None:
            values[wanted] = constant
        elif isinstance(wanted, BlockArgument):
            name = port_name(names, wanted.index, "arg")
            if wanted is not position and name != ATTENTION_MASK:
                raise _refusal(op, f"a mask that depends on the input '{name}'", "one of positions alone")
            content = first if wanted is position else 1
            values[wanted] = np.full(shape_of(wanted), content, numpy_type(cast(Any, element_of(wanted))))
        else:
            definition = cast(OpResult, wanted).op
            results = run_op(runner, definition, [of(operand) for operand in definition.operands])
            values.update(zip(definition.results, (np.asarray(result) for result in results), strict=True))
        return values[wanted]

    return of(value)


def _refusal(op: Operation, reason: str, expected: str) -> Diagnostic:
    return Diagnostic(
        "a layer's attention cannot be paged",
        where=where(op),
        expected=expected,
        found=reason,
        remedy="export plain causal attention over caches [1, kv_heads, rows, head_dim], or keep the caches dense",
    )
