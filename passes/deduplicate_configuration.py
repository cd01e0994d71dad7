"""
Elimination of redundant configuration: instructions that set registers to their present values are erased.

    toy.configure %far {stride = array<i64: 0, 1>}
    toy.load %far, %near
    toy.configure %far {stride = array<i64: 0, 1>}
    toy.load %far, %other

becomes

    toy.configure %far {stride = array<i64: 0, 1>}
    toy.load %far, %near
    toy.load %far, %other
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.dialects.scf import ForOp, IfOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .configuration.registers import Register, is_configuration
from .configuration.summaries import Summaries, calls_of
from .core.base import Pass

RegisterValues: TypeAlias = "Mapping[Register, Hashable]"
"""Values that registers hold, of those that are known."""


def deduplicate_configuration(module: ModuleOp) -> int:
    """Erase instructions that set registers to their present values on each path; return their number."""
    summaries, callers = Summaries(module), calls_of(module)
    if not summaries.registers:
        return 0
    analysis = _Analysis(summaries)
    for function in functions(module):
        if function.body.blocks and not callers.get(function):
            analysis.block(function.body.block, {})
    settings = [op for op in nested_ops(module) if is_configuration(op)]
    redundant = [op for op in settings if op in analysis.reached and op not in analysis.needed]
    for op in redundant:
        Rewriter.erase_op(op)
    return len(redundant)


class _Analysis:
    """
    Constant propagation of configuration registers, through each call anew.

    `reached` are the instructions that set registers, `needed` those that change one on some path.
    """

    def __init__(self, summaries: Summaries):
        self._summaries = summaries
        self.reached: set[Operation] = set()
        self.needed: set[Operation] = set()
        self._done: dict[tuple[Block, frozenset[tuple[Register, Hashable]]], RegisterValues] = {}

    def block(self, block: Block, contents: RegisterValues) -> RegisterValues:
        """Return the values that registers hold behind a block, given those before it."""
        key = block, frozenset(contents.items())
        if key not in self._done:
            self._done[key] = {}  # of a recursive call
            after = contents
            for op in block.ops:
                after = self._op(op, after)
            self._done[key] = after
        return self._done[key]

    def _op(self, op: Operation, contents: RegisterValues) -> RegisterValues:
        if is_configuration(op):
            return self._set(op, contents)
        match op:
            case CallOp() if (callee := self._summaries.functions.get(op.callee.string_value())) and callee.body.blocks:
                return self.block(callee.body.block, contents)
            case IfOp():
                ends = [self.block(region.block, contents) if region.blocks else contents for region in op.regions]
                return _both(ends[0], ends[1])
            case ForOp():
                written = self._summaries.of(op).may
                return self._loop(op, contents) if written else self._inside(op, contents)
            case _ if op.regions:
                return self._unordered(op, contents)
            case _:
                return _without(contents, self._summaries.of(op).may)

    def _inside(self, op: ForOp, contents: RegisterValues) -> RegisterValues:
        """Visit a loop that sets no registers."""
        return contents if not self._summaries.of(op).reads else self.block(op.body.block, contents)

    def _loop(self, op: ForOp, contents: RegisterValues) -> RegisterValues:
        """Visit a loop with the values that its first and all later iterations begin with."""
        begin = contents
        while True:
            trial = _Analysis(self._summaries)
            following = _both(begin, trial.block(op.body.block, begin))
            if len(following) == len(begin):
                break
            begin = following
        return _both(begin, self.block(op.body.block, begin))

    def _unordered(self, op: Operation, contents: RegisterValues) -> RegisterValues:
        """Keep all settings of regions whose order is unknown, and of the functions that they call."""
        pending, seen = [op], set[Operation]()
        while pending:
            for inner in nested_ops(pending.pop()):
                if is_configuration(inner):
                    self.reached.add(inner)
                    self.needed.add(inner)
                callee = (
                    self._summaries.functions.get(inner.callee.string_value()) if isinstance(inner, CallOp) else None
                )
                if callee is not None and callee not in seen:
                    seen.add(callee)
                    pending.append(callee)
        return _without(contents, self._summaries.of(op).may)

    def _set(self, op: Operation, contents: RegisterValues) -> RegisterValues:
        self.reached.add(op)
        values = self._summaries.values(op)
        if values is None:
            self.needed.add(op)
            return _without(contents, self._summaries.of(op).may)
        if any(register not in contents or contents[register] != value for register, value in values.items()):
            self.needed.add(op)
        return {**contents, **values}


def _both(one: RegisterValues, other: RegisterValues) -> RegisterValues:
    return {register: value for register, value in one.items() if register in other and other[register] == value}


def _without(contents: RegisterValues, registers: Set[Register]) -> RegisterValues:
    if not registers:
        return contents
    return {register: value for register, value in contents.items() if register not in registers}


@dataclass(frozen=True)
class DeduplicateConfigurationPass(Pass):
    """
    Erase instructions that set configuration registers to their present values on each path that leads there.

    Values are followed through loops, branches and calls. A register holds nothing known at the begin of a function
    that is not called, behind an external call, and where the order of ops is unknown. A value that depends on data
    is none that is known.
    """

    name = "deduplicate-configuration"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        deduplicate_configuration(op)
