"""
Redundant configuration: an instruction that sets registers to what they hold is erased.

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

Held: TypeAlias = "Mapping[Register, Hashable]"
"""Values that registers hold, of those that are known."""


def deduplicate_configuration(module: ModuleOp) -> int:
    """Erase instructions that set registers to what they hold on each path; return how many."""
    known, callers = Summaries(module), calls_of(module)
    if not known.known:
        return 0
    analysis = _Analysis(known)
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

    def __init__(self, known: Summaries):
        self._known = known
        self.reached: set[Operation] = set()
        self.needed: set[Operation] = set()
        self._done: dict[tuple[Block, frozenset[tuple[Register, Hashable]]], Held] = {}

    def block(self, block: Block, held: Held) -> Held:
        """Return the values that registers hold behind a block, given those before it."""
        key = block, frozenset(held.items())
        if key not in self._done:
            self._done[key] = {}  # of a recursive call
            found = held
            for op in block.ops:
                found = self._op(op, found)
            self._done[key] = found
        return self._done[key]

    def _op(self, op: Operation, held: Held) -> Held:
        if is_configuration(op):
            return self._set(op, held)
        match op:
            case CallOp() if (callee := self._known.functions.get(op.callee.string_value())) and callee.body.blocks:
                return self.block(callee.body.block, held)
            case IfOp():
                ends = [self.block(region.block, held) if region.blocks else held for region in op.regions]
                return _both(ends[0], ends[1])
            case ForOp():
                written = self._known.of(op).may
                return self._loop(op, held) if written else self._inside(op, held)
            case _ if op.regions:
                return self._unordered(op, held)
            case _:
                return _without(held, self._known.of(op).may)

    def _inside(self, op: ForOp, held: Held) -> Held:
        """Visit a loop that sets no registers."""
        return held if not self._known.of(op).reads else self.block(op.body.block, held)

    def _loop(self, op: ForOp, held: Held) -> Held:
        """Visit a loop with the values that its first and all later iterations begin with."""
        begin = held
        while True:
            trial = _Analysis(self._known)
            following = _both(begin, trial.block(op.body.block, begin))
            if len(following) == len(begin):
                break
            begin = following
        return _both(begin, self.block(op.body.block, begin))

    def _unordered(self, op: Operation, held: Held) -> Held:
        """Keep all settings of regions whose order is unknown, and of the functions that they call."""
        pending, seen = [op], set[Operation]()
        while pending:
            for each in nested_ops(pending.pop()):
                if is_configuration(each):
                    self.reached.add(each)
                    self.needed.add(each)
                callee = self._known.functions.get(each.callee.string_value()) if isinstance(each, CallOp) else None
                if callee is not None and callee not in seen:
                    seen.add(callee)
                    pending.append(callee)
        return _without(held, self._known.of(op).may)

    def _set(self, op: Operation, held: Held) -> Held:
        self.reached.add(op)
        values = self._known.values(op)
        if values is None:
            self.needed.add(op)
            return _without(held, self._known.of(op).may)
        if any(register not in held or held[register] != value for register, value in values.items()):
            self.needed.add(op)
        return {**held, **values}


def _both(one: Held, other: Held) -> Held:
    return {register: value for register, value in one.items() if register in other and other[register] == value}


def _without(held: Held, registers: Set[Register]) -> Held:
    return {register: value for register, value in held.items() if register not in registers} if registers else held


@dataclass(frozen=True)
class DeduplicateConfigurationPass(Pass):
    """
    Erase instructions that set configuration registers to what they hold on each path that leads there.

    Values are followed through loops, branches and calls. A register holds nothing known at the begin of a function
    that is not called, behind an external call, and where the order of ops is unknown. A value that depends on data
    is none that is known.
    """

    name = "deduplicate-configuration"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        deduplicate_configuration(op)
