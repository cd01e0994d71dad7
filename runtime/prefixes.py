"""Prefixes of a program, which end with one of its ops, and searches for the first one that differs."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from ..ir import functions

VALUE = "value"
"""Name of the only output of a prefix."""
_UNKNOWN = 16
"""Prefixes that cannot run alone before a search ends with a range."""


def function_of(module: ModuleOp, name: str) -> FuncOp | None:
    """Return the function of a name, None where there is none of one block."""
    named = (function for function in functions(module) if function.sym_name.data == name)
    return next((function for function in named if len(function.body.blocks) == 1), None)


def ends_of(function: FuncOp) -> list[int]:
    """Return the positions of the ops at which a prefix of a function may end: constants and memory are no values."""
    ops = list(function.body.block.ops)
    return [position for position, op in enumerate(ops) if op.operands and _has_value(op)]


def _has_value(op: Operation) -> bool:
    return bool(op.results) and not isinstance(op.results[0].type, MemRefType) and not op.name.endswith(".dim")


def prefix_of(module: ModuleOp, name: str, position: int) -> ModuleOp:
    """Return a copy of a program whose function ends with the op at a position, and returns its first result alone."""
    copy = module.clone()
    function = function_of(copy, name)
    assert function is not None, "the function has been chosen"
    block = function.body.block
    ops = list(block.ops)
    for op in reversed(ops[position + 1 :]):
        op.detach()
        op.erase()
    value = ops[position].results[0]
    block.add_op(ReturnOp(value))
    function.function_type = FunctionType.from_lists(list(function.function_type.inputs), [value.type])
    function.res_attrs = ArrayAttr([DictionaryAttr({"onnx.name": StringAttr(VALUE)})])
    return copy


def first_range(count: int, differs: Callable[[int], str | None]) -> tuple[int, int, str] | None:
    """
    Return the range of indices, ends included, that holds the first different one, and the difference at its end.

    The search bisects between the last equal index and the first different one. Where `differs` returns None, for
    unknown, it takes the nearest neighbour instead; it gives up after _UNKNOWN of these. Returns None where the highest
    known index is equal.
    """
    equal, different, last_difference = -1, count, ""
    unknown: set[int] = set()
    while len(unknown) < _UNKNOWN and (open := [i for i in range(equal + 1, different) if i not in unknown]):
        middle = (equal + different) // 2 if last_difference else count - 1
        index = min(open, key=lambda i: abs(i - middle))
        difference = differs(index)
        if difference is None:
            unknown.add(index)
        elif difference:
            different, last_difference = index, difference
        elif last_difference:
            equal = index
        else:
            return None
    return (equal + 1, different, last_difference) if last_difference else None
