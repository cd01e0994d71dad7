"""
Recognition of caches at the graph level: an input concatenated with new rows gives an output of the same layout.

    past ──views──▶ Concat(past, rows) ──views──▶ present
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp, is_constant
from ...errors import Diagnostic
from ...ir import Array, array_of, element_of, shape_of, where


@dataclass(frozen=True)
class Cache:
    """
    Cache: an input `past` of `length` rows to which `concat` appends `added` rows along `axis` of its result.

    `name` is the input's name, `output` the position of the grown cache among the function's results.
    """

    name: str
    past: BlockArgument
    concat: OnnxOp
    axis: int
    output: int
    length: int
    added: int


def port_name(attributes: Sequence[dict[str, Attribute]], index: int, fallback: str) -> str:
    """Return the ONNX name of an argument or result."""
    name = attributes[index].get("onnx.name") if index < len(attributes) else None
    return name.data if isinstance(name, StringAttr) else f"{fallback}{index}"


def port_attributes(function: func.FuncOp, key: str) -> list[dict[str, Attribute]]:
    """Return the attributes of a function's arguments (`arg_attrs`) or results (`res_attrs`), one row each."""
    count = len(function.function_type.inputs if key == "arg_attrs" else function.function_type.outputs)
    attributes = function.properties.get(key)
    dictionaries = cast("ArrayAttr[DictionaryAttr]", attributes).data if attributes is not None else ()
    rows = [dict(row.data) for row in dictionaries]
    return rows + [{} for _ in range(count - len(rows))]


def find_caches(function: func.FuncOp) -> list[Cache]:
    """
    Find the caches of a function, in the order of its inputs.

    Raises Diagnostic if there is none, with the reasons why inputs are rejected, and for caches of different lengths.
    """
    names = port_attributes(function, "arg_attrs")
    terminator = function.body.block.last_op
    assert terminator is not None
    caches: list[Cache] = []
    notes: list[str] = []
    for argument in function.body.block.args:
        name = port_name(names, argument.index, "arg")
        concat = _first_concat(argument)
        if concat is None:
            notes.append(f'input "{name}" is no first operand of a Concat')
            continue
        output = next((i for i, value in enumerate(terminator.operands) if _origin(value) is concat), None)
        if output is None:
            notes.append(f'input "{name}": {where(concat)} joins it with other rows, but the result is no output')
            continue
        caches.append(_cache(argument, name, concat, output, terminator.operands[output]))
    if not caches:
        raise Diagnostic(
            "the network has no cache",
            expected="an input that is the first operand of a Concat whose result is an output",
            notes=notes,
            remedy="export the network with its past as inputs and its present as outputs, or leave out the context",
        )
    _check_equal_lengths(caches)
    return caches


@mentions("Concat")
def _is_view(op: Operation) -> bool:
    return op.name in having(Trait.VIEW, "onnx.") or (op.name == "onnx.Concat" and len(op.operands) == 1)


@mentions("Concat")
def _first_concat(value: SSAValue) -> OnnxOp | None:
    """Return the Concat whose first operand is a view of a value, None if there is none."""
    for use in value.uses:
        op = use.operation
        if op.name == "onnx.Concat" and use.index == 0 and len(op.operands) > 1:
            return cast(OnnxOp, op)
        if _is_view(op) and use.index == 0 and (concat := _first_concat(op.results[0])) is not None:
            return concat
    return None


@mentions("Concat")
def _origin(value: SSAValue) -> OnnxOp | None:
    """Return the Concat that a value is a view of, None if there is none."""
    while isinstance(value, OpResult):
        op = value.op
        if op.name == "onnx.Concat" and len(op.operands) > 1:
            return cast(OnnxOp, op)
        if not _is_view(op) and not _only_clips(op):
            return None
        value = op.operands[0]
    return None


@mentions("RequantShift")
def _only_clips(op: Operation) -> bool:
    """Return whether an op is an idempotent clip of integers."""
    if op.name != "onnx.RequantShift":
        return False
    mul, add = (constant_array(value) for value in op.operands[1:3])
    div = cast(OnnxOp, op).attribute("div")
    return mul is not None and add is not None and bool((mul == div).all()) and not add.any()


def constant_array(value: SSAValue | None) -> Array | None:
    """Return the array of a constant, None for other values."""
    if not isinstance(value, OpResult) or not is_constant(value.op):
        return None
    return array_of(cast(Any, value.op.properties["value"]))


def _path(value: SSAValue, start: SSAValue) -> list[OnnxOp]:
    """Return the chain of ops from `start` to `value`."""
    ops: list[OnnxOp] = []
    while value is not start:
        op = cast(OpResult, value).op
        ops.insert(0, cast(OnnxOp, op))
        value = op.operands[0]
    return ops


def _cache(past: BlockArgument, name: str, concat: OnnxOp, output: int, present: SSAValue) -> Cache:
    result = concat.results[0]
    axis = int(concat.attribute("axis")) % len(shape_of(result))
    length = shape_of(concat.operands[0])[axis]
    cache = Cache(name, past, concat, axis, output, length, shape_of(result)[axis] - length)
    before, after = _path(concat.operands[0], past), _path(present, result)
    for value in (past, *(op.results[0] for op in before)):
        if len(list(value.uses)) != 1:
            raise _refusal(cache, "is used besides being joined with new rows", "one use")
    if element_of(present) != element_of(past):
        raise _refusal(cache, "comes back in another type", str(element_of(past)), str(element_of(present)))
    clips = [op for op in after if not _is_view(op)]
    shown = [result, *(op.results[0] for op in after[:-1])]
    if clips and any(len(list(value.uses)) != 1 for value in shown[: after.index(clips[-1]) + 1]):
        raise _refusal(cache, "comes back clipped, but is used unclipped", "one use of the joined rows")
    if cache.added < 1:
        raise _refusal(cache, "gets no new rows", "one at least")
    if cache.length + cache.added == 1:
        raise _refusal(
            cache,
            "has one row with its new one, which does not tell rows from what is broadcast",
            "a network exported with one cached row at least, or with several new ones",
        )
    _check_layout(cache, before, after, shape_of(past), shape_of(present))
    return cache


def _refusal(cache: Cache, message: str, expected: str = "", actual: str = "") -> Diagnostic:
    return Diagnostic(
        f'input "{cache.name}" is not a cache: it {message}',
        where=where(cache.concat),
        expected=expected,
        found=actual,
        remedy="export the network so that the output is the input concatenated with new rows alone",
    )


def _check_layout(
    cache: Cache, before: Sequence[OnnxOp], after: Sequence[OnnxOp], past: Sequence[int], present: Sequence[int]
) -> None:
    """
    Check that the present, fed back as the past, keeps the row layout; element numbers are traced through the views.
    """
    axes = [axis for axis, (old, new) in enumerate(zip(past, present, strict=False)) if old != new]
    joined = shape_of(cache.concat.results[0])
    numbers = np.arange(int(np.prod(joined))).reshape(joined)
    again = _shown(numbers, after)
    fits = len(past) == len(present) and len(axes) == 1
    if not fits or not any(np.array_equal(back, numbers) for back in _taken_back(again, before, axes[0])):
        raise _refusal(
            cache,
            "comes back in another layout",
            f"an output like the input's shape {list(past)}, of {cache.added} more rows",
            str(list(present)),
        )


@mentions("Transpose")
def _shown(array: Array, ops: Sequence[OnnxOp]) -> Array:
    """Apply a chain of views to an array."""
    for op in ops:
        transposes = op.name == "onnx.Transpose"
        array = np.transpose(array, op.attribute("perm")) if transposes else array.reshape(shape_of(op.results[0]))
    return array


@mentions("Transpose")
def _taken_back(array: Array, ops: Sequence[OnnxOp], axis: int) -> list[Array]:
    """Return the present after the inverse of the past's views; `axis` has more rows."""
    if not ops:
        return [array]
    op, *rest = ops
    if op.name == "onnx.Transpose":
        order = list(op.attribute("perm") or range(array.ndim - 1, -1, -1))
        return _taken_back(np.transpose(array, order), rest, order.index(axis))
    source, target = shape_of(op.operands[0]), list(shape_of(op.results[0]))
    presents: list[Array] = []
    for place in same_axis(source, axis, target):
        shape = [array.shape[axis] if i == place else extent for i, extent in enumerate(target)]
        presents += _taken_back(array.reshape(shape), rest, place)
    return presents


def same_axis(source: Sequence[int], axis: int, target: Sequence[int]) -> list[int]:
    """
    Return the axes of a reshaped tensor that may be the `axis` of its source: equal extent, outer and inner sizes.
    """
    sides = prod(source[:axis]), prod(source[axis + 1 :])
    return [
        i
        for i, extent in enumerate(target)
        if extent == source[axis] and (prod(target[:i]), prod(target[i + 1 :])) == sides
    ]


def _check_equal_lengths(caches: Sequence[Cache]) -> None:
    """Check that all caches have the same length and growth, because they share one position."""
    first = caches[0]
    for cache in caches:
        if (cache.length, cache.added) != (first.length, first.added):
            raise Diagnostic(
                "two caches differ in length",
                where=where(cache.concat),
                expected=f'{first.length} rows and {first.added} new ones, as of "{first.name}"',
                found=f'{cache.length} rows and {cache.added} new ones in "{cache.name}"',
                remedy="export the network with pasts of one length",
            )
