"""Bounds of one run of the interpreter: a number of steps, and undefined behaviour as an error."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Operation, SSAValue

from ...dialects.core.semantics import Value
from ...errors import Diagnostic
from ...ir import where
from .undefined import undefined


class EndlessError(Diagnostic):
    """A run exceeds its steps."""


class UndefinedError(Diagnostic):
    """A run reaches an op without a defined result."""


@dataclass
class RunLimits:
    """
    Bounds of a run.

    A step is an op, an iteration of a loop or a branch. With `sequential` every loop runs op by op, in the order of
    the program, so that its floats are rounded as written. `undefined` says which ops end the run: those that trap, or
    those too whose result is poison; in loops that are not vectorised.
    """

    steps: int
    sequential: bool = False
    undefined: Literal["none", "traps", "poison"] = "none"
    spent: int = 0

    def check(self, op: Operation, operands: Sequence[Value]) -> None:
        """Count an op. Raises EndlessError beyond the steps, UndefinedError where the op has no defined result."""
        self.spend(op, 1)
        if self.undefined == "none":
            return
        if reason := undefined(op, operands, poison=self.undefined == "poison"):
            raise UndefinedError(f"'{op.name}' is undefined: {reason}", where=where(op))

    def enter(self, op: Operation, operands: MutableSequence[Value]) -> None:
        """Observe the operands of an op before it runs, of a terminator before it leaves; may replace them."""

    def record(self, op: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]) -> Sequence[Value]:
        """
        Observe an op that has run and return its results, or others in their place.

        `values` are those in scope. Subclasses trace runs with it.
        """
        return results

    def spend(self, op: Operation, steps: int) -> None:
        """Count steps. Raises EndlessError beyond their number."""
        self.spent += steps
        if self.spent > self.steps:
            raise EndlessError(f"the program does not end within {self.steps:,} steps", where=where(op))
