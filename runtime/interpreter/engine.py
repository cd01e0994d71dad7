"""Core of the interpreter: functions, blocks and the dispatch to rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.interleaving import Interleaving, Order
from ...dialects.core.kernel import is_kernel
from ...dialects.core.semantics import (
    BRANCH_RULES,
    RULES,
    SCALAR_RULES,
    SEMANTICS_REMEDY,
    STORAGE_RULES,
    Rule,
    Runner,
    Value,
)
from ...errors import Diagnostic, did_you_mean
from ...ir import Array, where
from .limits import RunLimits

_O = TypeVar("_O", bound=Operation)
_T = TypeVar("_T")

MAX_DEPTH = 64
"""Maximum depth of nested calls."""


class Interpreter:
    """
    Interpreter of a module's functions by rules per op.

    Globals persist as long as the interpreter. `dialects/core/semantics.py` registers new rules. Concurrent programs
    and asynchronous accesses are interleaved in the order `interleave`, a random one by its seed (`Interleaving`).
    `limits` bound the steps of all calls together.
    """

    def __init__(self, module: ModuleOp, interleave: Order | int | None = None, limits: RunLimits | None = None):
        self.module = module
        self.limits = limits
        self.interleaving = Interleaving(interleave)
        self._symbols = {
            name.data: op for op in module.ops if isinstance(name := op.properties.get("sym_name"), StringAttr)
        }
        self._storage: dict[str, Array] = {}
        self._cache: dict[Any, Any] = {}
        self._frames: list[dict[SSAValue, Value]] = []

    def call(self, symbol: str, arguments: Sequence[Value]) -> Sequence[Value]:
        """
        Run a function and return its results.

        Raises Diagnostic for an undefined function, for ops without a rule, for errors of ops, and for calls nested
        deeper than `MAX_DEPTH`.
        """
        function = self.symbol(symbol)
        if not function.regions or not function.regions[0].blocks:
            raise Diagnostic(f"'{symbol}' has no body to run", where=where(function))
        if len(self._frames) >= MAX_DEPTH:
            raise Diagnostic(f"calls nest deeper than {MAX_DEPTH}, in '{symbol}'", where=where(function))
        self._frames.append({})
        try:
            with np.errstate(all="ignore"):
                return self.run_region(function.regions[0], arguments)
        finally:
            self._frames.pop()

    def symbol(self, name: str) -> Operation:
        """Return the op that defines a symbol. Raises Diagnostic for an undefined symbol."""
        if name not in self._symbols:
            raise Diagnostic(f"the module defines no '{name}'", remedy=did_you_mean(name, self._symbols))
        return self._symbols[name]

    def storage(self, symbol: str) -> Value:
        """Return the memory of a global, which persists for the whole run."""
        if symbol not in self._storage:
            op = self.symbol(symbol)
            rule = STORAGE_RULES.get(type(op))
            if rule is None:
                raise Diagnostic(f"'{op.name}' is not a global array", where=where(op))
            array = rule(op)
            is_undefined = isinstance(op.properties.get("initial_value"), UnitAttr)
            self._storage[symbol] = self.interleaving.undefine(array) if is_undefined else array
        return self._storage[symbol]

    def value(self, value: SSAValue) -> Value:
        """Return the run-time value of an SSA value in scope."""
        return self._frames[-1][value]

    @property
    def is_sequential(self) -> bool:
        """Return whether no loop may be vectorised."""
        return self.limits is not None and self.limits.sequential

    @property
    def is_bounded(self) -> bool:
        """Return whether the steps are counted."""
        return self.limits is not None

    def spend(self, op: Operation, steps: int = 1) -> None:
        """Count iterations of a loop, or branches. Raises EndlessError beyond the limit."""
        if self.limits is not None:
            self.limits.spend(op, steps)

    def cached(self, op: _O, make: Callable[[_O], _T]) -> _T:
        """Return `make(op)`, memoised per op and function."""
        key = (op, make)
        if key not in self._cache:
            self._cache[key] = make(op)
        return self._cache[key]

    def fork(self) -> Interpreter:
        """Return an interpreter for a concurrent program: of the same memory, with a copy of the values in scope."""
        forked = copy(self)
        forked._frames = [dict(self._frames[-1])]
        return forked

    def run_region(self, region: Region, arguments: Sequence[Value]) -> Sequence[Value]:
        """
        Run a region from its first block on, and return the operands of the terminator that leaves it.

        Raises Diagnostic for a terminator with successors that has no rule.
        """
        env = self._frames[-1] if self._frames else {}
        block = region.blocks[0]
        while True:
            env.update(zip(block.args, arguments, strict=True))
            last = _terminator(block)
            for op in block.ops:
                if op is not last:
                    self._run(op, env)
            if last is None:
                return []
            operands = [env[operand] for operand in last.operands]
            if self.limits is not None:
                self.limits.enter(last, operands)
            if not last.successors:
                return operands
            self.spend(last)
            block, arguments = self._successor(last, operands)

    def _successor(self, op: Operation, operands: Sequence[Value]) -> tuple[Block, Sequence[Value]]:
        """Return the block where a terminator goes on, and the values of its arguments."""
        rule = BRANCH_RULES.get(type(op))
        if rule is None:
            raise Diagnostic(f"no interpreter rule for the branch '{op.name}'", where=where(op))
        return rule(op, operands)

    def _run(self, op: Operation, env: dict[SSAValue, Value]) -> None:
        if not self.interleaving.is_default:
            self.interleaving.step()
        operands = [env[operand] for operand in op.operands]
        if self.limits is not None:
            self.limits.enter(op, operands)
            self.limits.check(op, operands)
        try:
            results = run_op(self, op, operands)
        except Diagnostic as error:
            error.where = error.where or where(op)
            raise
        except RecursionError as error:
            raise Diagnostic("regions nest too deep to be interpreted", where=where(op)) from error
        if self.limits is not None:
            results = self.limits.record(op, env, results)
        env.update(zip(op.results, results, strict=True))


def _terminator(block: Block) -> Operation | None:
    last = block.last_op
    return last if last is not None and last.has_trait(IsTerminator) else None


def run_op(runner: Runner, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
    """Run one op on run-time values. Raises Diagnostic for an op without a rule."""
    if (rule := _rule_of(type(op))) is not None:
        return rule(runner, op, operands)
    if (scalar_rule := SCALAR_RULES.get(type(op))) is not None:
        results = scalar_rule(op, *operands)
        return (results,) if len(op.results) == 1 else tuple(results)
    if is_kernel(op):
        from .structured import run_structured

        return run_structured(runner, op, operands)
    raise Diagnostic(f"no interpreter rule for '{op.name}'", where=where(op), remedy=f"lower it, or {SEMANTICS_REMEDY}")


def _rule_of(op_class: type[Operation]) -> Rule | None:
    return next((RULES[base] for base in op_class.__mro__ if base in RULES), None)
