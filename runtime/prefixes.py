"""Prefixes of a program, which end with one of its ops, and searches for the first one that differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from ..dialects.core.nesting import nested_ops
from ..ir import functions

VALUE = "value"
"""Name of the only output of a prefix."""
_UNKNOWN = 16
"""Prefixes that cannot run alone before a search ends with a range."""


def function_of(module: ModuleOp, name: str) -> FuncOp | None:
    """Return the function of a name, None where there is none of one block."""
    named = (function for function in functions(module) if function.sym_name.data == name)
    return next((function for function in named if len(function.body.blocks) == 1), None)


@dataclass(frozen=True)
class PrefixDifference:
    """Positions of ops of which one is the first to differ, ends included, and the difference of the last one."""

    first: int
    last: int
    difference: str


def first_different(function: FuncOp, differs: Callable[[int], str | None]) -> PrefixDifference | None:
    """
    Return the first op that differs among those that an output of a function depends on; None if none is known to.

    `differs` returns the difference of the prefix that ends with the op at a position, empty without one and None where
    it is unknown. A bisection in the order of the program comes first; from the op that it finds the search goes on to
    operands that differ, as those of another branch may.
    """
    differences: dict[int, str | None] = {}

    def differs_once(position: int) -> str | None:
        if position not in differences:
            differences[position] = differs(position)
        return differences[position]

    ops = list(function.body.block.ops)
    positions = {op: position for position, op in enumerate(ops)}
    for value in ops[-1].operands:
        ends = sorted(positions[op] for op in _slice_of(value, positions) if _ends_prefix(op))
        candidates = first_range(len(ends), lambda index: differs_once(ends[index]))
        if candidates is None:
            continue
        first, last = ends[candidates[0]], ends[candidates[1]]
        origin = _origin(last, ops, positions, differs_once)
        first = first if origin == last else origin
        return PrefixDifference(first, origin, differences[origin] or "")
    return None


def _origin(
    position: int, ops: Sequence[Operation], positions: Mapping[Operation, int], differs: Callable[[int], str | None]
) -> int:
    """Return the position of an op that differs while its operands do not, from which an op has its difference."""
    while True:
        owners = [op for op in _used(ops[position], positions) if _ends_prefix(op)]
        different = next((positions[op] for op in owners if differs(positions[op])), None)
        if different is None:
            return position
        position = different


def _slice_of(value: SSAValue, positions: Mapping[Operation, int]) -> set[Operation]:
    """Return the ops of a function's block that a value depends on."""
    worklist = [value.owner] if isinstance(value.owner, Operation) else []
    ops: set[Operation] = set()
    while worklist:
        op = worklist.pop()
        if op not in ops:
            ops.add(op)
            worklist += _used(op, positions)
    return ops


def _used(op: Operation, positions: Mapping[Operation, int]) -> list[Operation]:
    """Return the ops of the function's block of which an op, or one in its regions, has operands."""
    owners = [operand.owner for inner in nested_ops(op) for operand in inner.operands]
    return [owner for owner in dict.fromkeys(owners) if isinstance(owner, Operation) and owner in positions]


def _ends_prefix(op: Operation) -> bool:
    """Return whether a prefix may end with an op: not with a constant or memory."""
    return bool(op.operands) and _has_value(op)


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
