"""Function inlining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..ir import functions, inlined_location
from .core.base import Pass
from .symbol_dce import erase_unused_symbols


def inline_calls(module: ModuleOp) -> None:
    """
    Inline calls of single-block functions, and erase private functions without callers.

    Recursive calls stay, and calls of functions without a body or with several blocks.
    """
    defined = {function.sym_name.data: function for function in functions(module)}
    done: set[str] = set()
    for function in list(defined.values()):
        _inline_into(function, defined, done, ())
    erase_unused_symbols(module)


def _inline_into(
    function: func.FuncOp, defined: Mapping[str, func.FuncOp], done: set[str], callers: tuple[str, ...]
) -> None:
    """Inline the calls in a function, those in its callees first."""
    name = function.sym_name.data
    if name in done:
        return
    for call in [op for op in nested_ops(function) if isinstance(op, func.CallOp)]:
        callee = defined.get(call.callee.string_value())
        if callee is None or callee.sym_name.data in (*callers, name):
            continue
        _inline_into(callee, defined, done, (*callers, name))
        if len(callee.body.blocks) == 1 and not _calls(callee, callee.sym_name.data):
            _inline(call, callee)
    done.add(name)


def _calls(function: func.FuncOp, name: str) -> bool:
    calls = (op for op in nested_ops(function) if isinstance(op, func.CallOp))
    return any(call.callee.string_value() == name for call in calls)


def _inline(call: func.CallOp, callee: func.FuncOp) -> None:
    body = callee.body.clone()
    block = body.block
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    returned: list[SSAValue] = list(last.operands)
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True))
    Rewriter.erase_op(last)
    locations: dict[Attribute, LocationAttr] = {}
    for op in nested_ops(block):
        if op.location not in locations:
            locations[op.location] = inlined_location(op.location, call.location)
        op.location = locations[op.location]
    Rewriter.inline_block(block, InsertPoint.before(call), call.operands)
    Rewriter.replace_op(call, [], [mapping.get(value, value) for value in returned])


@dataclass(frozen=True)
class InlinePass(Pass):
    """
    Inline calls of single-block functions; erase private functions without callers.

    Recursive calls stay, and calls of functions with several blocks. Inlined ops have the location of their op at that
    of the call. Upstream's pass of that name.
    """

    name = "inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_calls(op)
