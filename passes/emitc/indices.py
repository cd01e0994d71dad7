"""Intervals of the indices that functions are called with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.effects import callee_of, calls_in
from ...dialects.core.nesting import nested_ops
from .builder import NARROW, stored_range


def index_arguments(callees_first: Sequence[Operation], private: Mapping[str, Operation]) -> dict[SSAValue, Range]:
    """
    Return the interval of each index argument of a private function, joined over its calls.

    `callees_first` are the functions of a module in topological order. An index is narrowed where it is passed.
    """
    intervals: dict[SSAValue, Range] = {}
    for function in reversed(callees_first):
        ranges = ValueRanges(dict(intervals), stored_range)
        for op in nested_ops(function):
            callee = private.get(callee_of(op) or "")
            if callee is not None and callee.regions[0].blocks:
                for argument, passed in _passed(op, callee.regions[0].blocks[0].args, ranges):
                    intervals[argument] = intervals[argument] | passed if argument in intervals else passed
    return intervals


def _passed(call: Operation, arguments: Sequence[SSAValue], ranges: ValueRanges) -> Iterator[tuple[SSAValue, Range]]:
    """Yield the index arguments of a call, and the interval that it passes."""
    for operand, argument in zip(call.operands, arguments, strict=False):
        if isinstance(argument.type, IndexType):
            passed = ranges.of(operand)
            yield argument, passed if passed is not None and passed in NARROW else NARROW
    if count := calls_in(call):
        yield arguments[-1], Range(0, count - 1)
