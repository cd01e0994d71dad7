"""Conversion of a decoder's caches to a paged store, and of its attention to that over selected pages."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, cast

from onnx import TensorProto
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DictionaryAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    TensorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.buckets import STATE
from ..dialects.core.ports import ATTENTION_MASK
from ..dialects.ml_program import GlobalLoadOp, GlobalOp, GlobalStoreOp
from ..dialects.onnx.registry import mentions
from ..dialects.paged.ops import AppendOp, AttendOp, BeginOp, CommitOp, PagedPoolOp
from ..errors import Diagnostic
from ..ir import element_of, functions, set_argument_attributes, shape_of, where
from .core.base import Pass
from .introduce_state import caches_to_state, check_tables, drop_caches, drop_unused, set_ports
from .lowering.index_ranges import RANGE, bound_indices
from .paging.layers import LayerAttention, find_layers, reshaped
from .recover import load_rules
from .recover.rules import RULES
from .recover_operators import recover_operators
from .state.caches import find_caches, port_attributes, port_name
from .state.growth import Growth
from .state.nodes import node

POOL = "kv"
"""Symbol of the pool."""
_PROMPT_ROWS = 4096
"""Rows for which a prompt's mask is examined: of 64 tokens it takes 2 MB in the integers of exporters."""
_POSITION, _TOKEN = i32, IntegerType(32, Signedness.UNSIGNED)


def mask_rows(context: int, added: int) -> int:
    """
    Return the rows of the caches for which masks of a function of `added` tokens are examined.

    A step is examined for the whole context, so that a sliding window of any length is found; a prompt's mask has an
    entry for each token and row, and shows the same window.
    """
    return context if added == 1 else min(context, max(_PROMPT_ROWS, 2 * added))


@mentions("Attention")
def introduce_paged_state(module: ModuleOp, function: func.FuncOp, context: int, page_length: int) -> None:
    """
    Replace the caches of a function by a paged pool, and the attention over them by `paged.attend`.

    The input `position` is the length of the pool's sequence. A mask of all rows among the inputs is removed: every row
    counts. Raises Diagnostic for what `introduce-state` refuses, and for a layer whose attention is not causal over its
    cache.
    """
    drop_unused(function)
    added = find_caches(function)[0].added
    rows = mask_rows(context, added)
    growth, position = caches_to_state(module, function, rows, rows, filled=False)
    check_tables(function, position, context - added)
    load_rules()
    recover_operators(function, [rule for rule in RULES if rule.operator == "Attention"])
    layers = find_layers(module, growth, position, added)
    pool = _pool(layers, context, page_length)
    Rewriter.insert_op(pool, InsertPoint.before(functions(module)[0]))
    for number, layer in enumerate(layers):
        _page(number, layer)
    drop_caches(function, growth.caches)
    _drop_states(module, function)
    _drop_mask(function)
    _refuse_rows(function, growth, context)
    _add_step(function, position, added, context)
    bound_indices(function)


def _pool(layers: list[LayerAttention], context: int, page_length: int) -> PagedPoolOp:
    first = layers[0]
    for layer in layers:
        for name in ("heads", "kv_heads", "head_dim", "scale"):
            if getattr(layer, name) != getattr(first, name):
                raise Diagnostic(
                    f"the layers have other numbers of {name}",
                    where=where(layer.op),
                    expected=f"{getattr(first, name)}, as the first layer",
                    found=str(getattr(layer, name)),
                    remedy="keep the caches dense (--context)",
                )
    if first.head_dim % 8:
        raise Diagnostic(
            "the head dimension is no multiple of 8",
            where=where(first.op),
            expected="a multiple of 8, the lanes of a sum",
            found=str(first.head_dim),
            remedy="keep the caches dense (--context)",
        )
    sizes = {"layers": len(layers), "heads": first.heads, "kv_heads": first.kv_heads, "head_dim": first.head_dim}
    return PagedPoolOp.get(POOL, sizes | {"page_length": page_length, "context": context}, first.scale)


def _page(number: int, layer: LayerAttention) -> None:
    """Replace the attention of a layer by an append and an attention over pages."""
    root = layer.op
    _, heads, tokens, head_dim = shape_of(layer.queries)
    turned = node("Transpose", [layer.queries], TensorType(f32, [1, tokens, heads, head_dim]), root, perm=[0, 2, 1, 3])
    queries = reshaped(turned, [tokens, heads, head_dim], root)
    append = AppendOp(POOL, number, layer.keys, layer.values)
    attend = AttendOp(POOL, number, queries)
    for op in (append, attend):
        op.location = root.location
        Rewriter.insert_op(op, InsertPoint.before(root))
    assert attend.result is not None
    rows = reshaped(attend.result, [1, tokens, heads, head_dim], root)
    result = node("Transpose", [rows], root.results[0].type, root, perm=[0, 2, 1, 3])
    result.name_hint = root.results[0].name_hint
    Rewriter.replace_op(root, [], [result])


def _drop_states(module: ModuleOp, function: func.FuncOp) -> None:
    """Erase the dense states and their users."""
    for op in reversed(list(function.body.block.ops)):
        if isinstance(op, GlobalStoreOp):
            Rewriter.erase_op(op)
    drop_unused(function)
    for op in reversed(list(function.body.block.ops)):
        if isinstance(op, GlobalLoadOp):
            Rewriter.erase_op(op)
    for op in list(module.body.block.ops):
        if isinstance(op, GlobalOp):
            Rewriter.erase_op(op)


def _drop_mask(function: func.FuncOp) -> None:
    """Remove an input mask of all rows that nothing uses."""
    rows = port_attributes(function, "arg_attrs")
    block = function.body.block
    for argument in reversed(list(block.args)):
        if port_name(rows, argument.index, "arg") == ATTENTION_MASK and not argument.uses:
            del rows[argument.index]
            block.erase_arg(argument)
    set_ports(function, rows, port_attributes(function, "res_attrs"))


def _refuse_rows(function: func.FuncOp, growth: Growth, context: int) -> None:
    """Raise Diagnostic for a tensor with an entry for each row of the caches that is still used, if it has too few."""
    for op in function.body.block.ops:
        if growth.new < context and any(result in growth.axes for result in op.results):
            raise Diagnostic(
                "a prompt's function computes a value for each row of the context",
                where=where(op),
                expected="values of its tokens alone, besides attention",
                found=f"a tensor for {growth.new} of {context} rows",
                remedy="leave out --prefill",
            )


def _add_step(function: func.FuncOp, position: SSAValue, added: int, context: int) -> None:
    """Begin a step with the tokens of the call at the start of a function, and commit it at its end."""
    block = function.body.block
    others = [argument for argument in block.args if argument is not position]
    tokens = [arg for arg in others if isinstance(element_of(arg), IntegerType) and prod(shape_of(arg)) == added]
    if len(tokens) != 1 or len(others) != 1:
        raise Diagnostic(
            "the network takes more than tokens and a position",
            where=where(function),
            expected=f"one input of {added} tokens",
            found=", ".join(f"{arg.name_hint} of {arg.type}" for arg in others) or "none",
            remedy="export the network with its embedding, rotations and masks computed inside of it",
        )
    first, last = block.first_op, block.last_op
    assert first is not None
    assert last is not None
    numbers = [
        node("Cast", [value], TensorType(element, shape_of(value)), first, to=to)
        for value, element, to in ((position, _POSITION, TensorProto.INT32), (tokens[0], _TOKEN, TensorProto.UINT32))
    ]
    Rewriter.insert_op(_located(BeginOp(POOL, *numbers), function), InsertPoint.before(first))
    Rewriter.insert_op(_located(CommitOp(POOL), function), InsertPoint.before(last))
    rows = port_attributes(function, "arg_attrs")
    for row in rows:
        if row.pop(STATE, None) is not None:
            row[RANGE] = DenseArrayBase.from_list(i64, [0, context - added])
    set_argument_attributes(function, [DictionaryAttr(row) for row in rows])


def _located(op: Operation, function: func.FuncOp) -> Operation:
    op.location = cast(Any, function.location)
    return op


@dataclass(frozen=True)
class IntroducePagedStatePass(Pass):
    """
    Convert the caches of a decoder to a paged pool, and its attention to that of the pages that a query selects.

    `context` is the number of tokens of a sequence at most, `page_length` the tokens of a page.
    """

    name = "introduce-paged-state"

    context: int = 0
    page_length: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for name, number in (("context", self.context), ("page-length", self.page_length)):
            if number < 1:
                remedy = "introduce-paged-state{context=4096 page-length=32}"
                raise Diagnostic(f"introduce-paged-state needs a {name}", remedy=remedy)
        for function in functions(op):
            introduce_paged_state(op, function, self.context, self.page_length)
