"""Program point that a walk is at: the loops, programs and paths around it, which each refusal names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from .clocks import Clocks
from .paths import Paths
from .rules import Refusal, refuse, shown


@dataclass
class ProgramPoint:
    """Program point of a walk: its present step."""

    steps: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """The loops around, outermost first: the name of the index and its value."""
    programs: Clocks | None = None
    """The order of the concurrent programs of which one takes the present step."""
    paths: list[Paths] = field(default_factory=list[Paths])
    """The ops around, outermost first, of which data decide the path."""

    def place(self, innermost: int = 0) -> str:
        """Return the current step as text, for the innermost loops or for all."""
        return shown(self.steps[-innermost:])

    def refuse(self, rule: str, op: Operation, message: str, *at: str, **parts: Any) -> Refusal:
        """Return the error for a program that breaks a rule at the present step; `parts` are those of a refusal."""
        return refuse(rule, message, op, [*at, self.place()], **parts)
