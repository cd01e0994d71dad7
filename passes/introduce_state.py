"""Conversion of caches, passed as inputs and outputs, to state that outlives a call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from onnx import helper
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.buckets import BUCKET_OF, STATE, bucket_rows
from ..dialects.core.ports import POSITION, POSITIONS
from ..dialects.ml_program import GlobalLoadOp, GlobalStoreOp, new_global
from ..dialects.onnx.registry import mentions
from ..dialects.onnx.schema import OnnxOp
from ..errors import Diagnostic
from ..ir import dense, element_of, functions, numpy_type, set_argument_attributes, shape_of, where
from .core.base import Pass
from .lowering.index_ranges import RANGE, bound_indices, carried, moved
from .state.caches import Cache, constant_array, find_caches, port_attributes, port_name
from .state.entries import add_entry
from .state.growth import Growth, fold_rows, follow, grow, is_open
from .state.masks import neutralise
from .state.nodes import literal, node


def introduce_state(module: ModuleOp, function: func.FuncOp, context: int, bucket: int = 0) -> None:
    """
    Convert the caches of a function to state of `context` rows, with one input `position` instead of all pasts.

    An input named `position` of one integer is reused, else added. Dependent tensors have `context` rows; the result
    equals, bit for bit, that of the network exported for a past of `position` rows. With a `bucket` there are functions
    for every multiple of that many rows (`dialects/core/buckets.py`).

    Raises Diagnostic for a context or bucket out of range, for a network without caches, and for an operator through
    which the rows cannot be followed exactly.
    """
    if not 0 <= bucket <= context:
        raise Diagnostic(
            "the state has no bucket of so many rows",
            expected=f"a number of rows from 1 to the {context} of the context",
            found=str(bucket),
            remedy="give another number of rows to a bucket",
        )
    drop_unused(function)
    sizes = bucket_rows(context, bucket, find_caches(function)[0].added)
    plain = module.clone() if sizes else module
    name = function.sym_name.data
    _introduce(module, function, context, context)
    for rows in sizes:
        other = plain.clone()
        _introduce(other, next(entry for entry in functions(other) if entry.sym_name.data == name), context, rows)
        add_entry(module, other, f"{name}_{rows}", function=name)
        functions(module)[-1].attributes[BUCKET_OF] = StringAttr(name)


def _introduce(module: ModuleOp, function: func.FuncOp, context: int, rows: int) -> None:
    """Convert the caches of a function to state of `context` rows; the function computes on the first `rows`."""
    growth, position = caches_to_state(module, function, context, rows)
    neutralise(growth, position)
    drop_caches(function, growth.caches)
    bound_indices(function)


def caches_to_state(
    module: ModuleOp, function: func.FuncOp, context: int, rows: int, *, filled: bool = True
) -> tuple[Growth, SSAValue]:
    """
    Replace the caches of a function by state of `context` rows; return the grown tensors and the input `position`.

    Unwritten rows still take part in reductions, and the ports of the caches are still there. The state begins as
    zeros; without a value where it is not `filled`.
    """
    for argument in function.body.block.args:
        if not isinstance(argument.type, TensorType):
            raise Diagnostic(f"argument {argument.index} is no tensor", where(function), "tensors", str(argument.type))
    caches = find_caches(function)
    added = caches[0].added
    if context < added:
        raise Diagnostic(
            "the context is smaller than the rows that each call adds",
            expected=f"{added} rows at least",
            found=str(context),
            remedy="give a larger context",
        )
    if not is_open(function):
        fold_rows(module, function, caches)
        _check_positions(function)
    growth = follow(function, caches, rows)
    position = _position(function, rows, added)
    _number_rows(function, position, added)
    check_tables(function, position, context - added)
    first = function.body.block.first_op
    assert first is not None
    index = position if shape_of(position) == (1,) else _reshaped(position, [1], first)
    grow(growth, position)
    _keep_inputs(growth, context)
    for cache in caches:
        del growth.axes[cache.concat.results[0]]
        growth.axes[_keep(module, cache, context, rows, index, filled)] = cache.axis
    return growth, position


def _keep_inputs(growth: Growth, context: int) -> None:
    """Resize inputs with cache rows to the whole state, and slice the first rows for the function."""
    if growth.new == context:
        return
    first = growth.function.body.block.first_op
    assert first is not None
    for value, axis in list(growth.axes.items()):
        if not isinstance(value, BlockArgument):
            continue
        shape = [context if i == axis else extent for i, extent in enumerate(shape_of(value))]
        del growth.axes[value]
        whole = Rewriter.replace_value_with_new_type(value, TensorType(cast(Any, element_of(value)), shape))
        uses = list(whole.uses)
        seen = _first_rows(whole, axis, growth.new, first)
        for use in uses:
            use.operation.operands[use.index] = seen
        growth.axes[seen] = axis


def _first_rows(value: SSAValue, axis: int, rows: int, before: Operation) -> SSAValue:
    """Insert a slice of the first rows of a tensor along an axis; return its result."""
    bounds = [literal([number], i64, before) for number in (0, rows, axis)]
    shape = [rows if i == axis else extent for i, extent in enumerate(shape_of(value))]
    return node("Slice", [value, *bounds], TensorType(cast(Any, element_of(value)), shape), before)


def _reshaped(value: SSAValue, shape: list[int], before: Operation) -> SSAValue:
    """Insert a reshape before an op; return its result."""
    kind = TensorType(cast(Any, element_of(value)), shape)
    return node("Reshape", [value, literal(shape, i64, before)], kind, before)


def _position(function: func.FuncOp, context: int, added: int) -> SSAValue:
    """Return the position argument with its value range; added if missing."""
    rows = port_attributes(function, "arg_attrs")
    block = function.body.block
    names = [port_name(rows, index, "arg") for index in range(len(block.args))]
    if POSITION in names:
        argument = block.args[names.index(POSITION)]
        if not isinstance(element_of(argument), IntegerType) or prod(shape_of(argument)) != 1:
            raise Diagnostic(
                f"the input '{POSITION}' of a network with caches is not a position",
                where=f'input "{POSITION}"',
                expected="one integer: the number of rows in the caches",
                found=str(argument.type),
                remedy="rename the input, or export it as one integer",
            )
    else:
        argument = block.insert_arg(TensorType(i32, [1]), len(block.args))
        argument.name_hint = POSITION
        rows.append({"onnx.name": StringAttr(POSITION)})
    rows[argument.index] |= {
        STATE: DenseArrayBase.from_list(i64, [added, context]),
        RANGE: DenseArrayBase.from_list(i64, [0, context - added]),
    }
    set_ports(function, rows, port_attributes(function, "res_attrs"))
    return argument


@mentions("Gather")
def _check_positions(function: func.FuncOp) -> None:
    """Check that a network of tokens exported for one length has a position input; else positions are constants."""
    names = port_attributes(function, "arg_attrs")
    arguments = {port_name(names, argument.index, "arg"): argument for argument in function.body.block.args}
    if arguments.keys() & {POSITION, *POSITIONS}:
        return
    for op in function.body.block.ops:
        if op.name != "onnx.Gather" or constant_array(op.operands[0]) is None:
            continue
        if isinstance(carried(op.operands[1]), BlockArgument):
            raise Diagnostic(
                "the network is exported for one fixed position",
                where=where(op),
                expected=f"caches of an open length, or an input named {POSITION} or {POSITIONS[0]}",
                found=f"the inputs {', '.join(arguments)}, all of fixed shapes",
                remedy="export the network with dynamic axes for its caches, or with its positions as an input",
            )


def _number_rows(function: func.FuncOp, position: SSAValue, added: int) -> None:
    """Compute inputs with the positions of all new rows from the first position."""
    rows = port_attributes(function, "arg_attrs")
    block = function.body.block
    first = block.first_op
    assert first is not None
    for argument in list(block.args):
        element: Any = element_of(argument)
        numbers = isinstance(element_of(argument), IntegerType) and prod(shape_of(argument)) == added
        if port_name(rows, argument.index, "arg") not in POSITIONS or not numbers:
            continue
        start = _reshaped(position, [1], first) if shape_of(position) != (1,) else position
        to = helper.np_dtype_to_tensor_dtype(np.dtype(numpy_type(element)))
        start = node("Cast", [start], TensorType(element, [1]), first, to=to)
        counts = literal(np.arange(added), element, first)
        numbered = node("Add", [start, counts], TensorType(element, [added]), first)
        argument.replace_all_uses_with(_reshaped(numbered, list(shape_of(argument)), first))
        del rows[argument.index]
        block.erase_arg(argument)
    set_ports(function, rows, port_attributes(function, "res_attrs"))


@mentions("Gather")
def check_tables(function: func.FuncOp, position: SSAValue, last: int) -> None:
    """Check that tables indexed by the position have a row for each of `last` positions."""
    for op in function.body.block.ops:
        if not isinstance(op, OnnxOp) or op.name != "onnx.Gather":
            continue
        source, _, greatest = moved(op.operands[1])
        table = shape_of(op.operands[0])
        rows = table[int(op.attribute("axis")) % len(table)]
        if source is position and rows <= last + greatest:
            raise Diagnostic(
                f"the context is longer than a table of {rows} positions",
                where=where(op),
                expected=f"a context of {rows} at most",
                found=str(last + greatest + 1),
                remedy="give a smaller context, or export the network for more positions",
            )


def set_ports(
    function: func.FuncOp, arguments: list[dict[str, Attribute]], results: list[dict[str, Attribute]]
) -> None:
    """Bring the signature in line with the function's block, and set the attributes of arguments and results."""
    block = function.body.block
    assert block.last_op is not None
    set_argument_attributes(function, [DictionaryAttr(row) for row in arguments])
    function.properties["res_attrs"] = ArrayAttr([DictionaryAttr(row) for row in results])
    outputs = [value.type for value in block.last_op.operands]
    function.properties["function_type"] = FunctionType.from_lists([a.type for a in block.args], outputs)


def _keep(module: ModuleOp, cache: Cache, context: int, rows: int, index: SSAValue, filled: bool) -> SSAValue:
    """
    Replace a cache by a global: insert the store of new rows at `index`; return its first `rows`.

    onnx.TensorScatter scatters along any axis but the first, which is a batch of caches with an index each. A unit axis
    is prepended unless the cache has a batch of 1.
    """
    concat = cache.concat
    shape = [context if i == cache.axis else n for i, n in enumerate(shape_of(concat.results[0]))]
    element = cast(Any, element_of(concat.results[0]))
    added = _new_rows(cache)
    batched = shape[0] == 1 and cache.axis > 0
    if not batched:
        added = _reshaped(added, [1, *shape_of(added)], concat)
    kind = TensorType(element, shape if batched else [1, *shape])
    name = _free_name(module, cache.name)
    definition = new_global(name, kind, dense(np.zeros(kind.get_shape()), element) if filled else None)
    definition.attributes["onnx.name"] = StringAttr(cache.name)
    Rewriter.insert_op(definition, InsertPoint.before(functions(module)[0]))
    load = GlobalLoadOp(name, kind)
    load.location = concat.location
    Rewriter.insert_op(load, InsertPoint.before(concat))
    axis = cache.axis + (not batched)
    updated = node("TensorScatter", [load.result, added, index], kind, concat, axis=axis)
    store = GlobalStoreOp(name, updated)
    store.location = concat.location
    Rewriter.insert_op(store, InsertPoint.before(concat))
    whole = updated if batched else _reshaped(updated, shape, concat)
    if rows < context:
        whole = _first_rows(whole, cache.axis, rows, concat)
    whole.name_hint = concat.results[0].name_hint
    concat.results[0].replace_all_uses_with(whole)
    return whole


def _new_rows(cache: Cache) -> SSAValue:
    """Return the new rows of a cache, concatenated if they have several parts."""
    rows = list(cache.concat.operands[1:])
    if len(rows) == 1:
        return rows[0]
    shape = [cache.added if i == cache.axis else n for i, n in enumerate(shape_of(rows[0]))]
    kind = TensorType(cast(Any, element_of(rows[0])), shape)
    return node("Concat", [*rows], kind, cache.concat, axis=cache.axis)


def _free_name(module: ModuleOp, name: str) -> str:
    """Return a fresh symbol derived from a name."""
    taken = {cast(Any, op.properties["sym_name"]).data for op in module.body.block.ops if "sym_name" in op.properties}
    base = re.sub(r"\W", "_", name) or "state"
    base = f"_{base}" if base[0].isdigit() else base
    candidates = (base, *(f"{base}_{i}" for i in range(len(taken) + 1)))
    return next(candidate for candidate in candidates if candidate not in taken)


def drop_caches(function: func.FuncOp, caches: list[Cache]) -> None:
    """Remove the inputs and outputs of the caches, and ops that become dead."""
    block = function.body.block
    terminator = block.last_op
    assert terminator is not None
    gone = {cache.output for cache in caches}
    arguments, results = (port_attributes(function, key) for key in ("arg_attrs", "res_attrs"))
    terminator.operands = [value for index, value in enumerate(terminator.operands) if index not in gone]
    drop_unused(function)
    pasts = sorted((cache.past for cache in caches), key=lambda argument: argument.index, reverse=True)
    for past in pasts:
        del arguments[past.index]
        block.erase_arg(past)
    set_ports(function, arguments, [row for index, row in enumerate(results) if index not in gone])


def drop_unused(function: func.FuncOp) -> None:
    """Erase dead operators."""
    for op in reversed(list(function.body.block.ops)):
        if isinstance(op, OnnxOp) and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class IntroduceStatePass(Pass):
    """
    Convert caches from inputs and outputs to state that persists between calls.

    For networks of onnx ops whose inputs are concatenated with new rows into outputs. `context` is the number of rows
    of the state. The input `position` is the number of valid rows; the result equals that of the network exported for
    such a past. With a `bucket` there is a function for every multiple of that many rows, so that cost follows the
    position.
    """

    name = "introduce-state"

    context: int = 0
    bucket: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.context < 1:
            raise Diagnostic("introduce-state needs a context", remedy="introduce-state{context=256}")
        for function in functions(op):
            introduce_state(op, function, self.context, self.bucket)
