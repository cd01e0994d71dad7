"""Ops that are calls of a target's C runtime, and what the functions of such a runtime do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation

from .semantics import Value


class CCall(IRDLOperation):
    """An op that in C is a call of `C_FUNCTION`, which the header of the target's runtime declares."""

    C_FUNCTION: ClassVar[str]
    C_IS_PURE: ClassVar[bool] = False
    """Whether it only computes its result."""

    def c_arguments(self) -> Sequence[SSAValue | int]:
        """Return what the function takes."""
        return list(self.operands)


CRule = Callable[..., Sequence[Value]]

C_RULES: dict[str, CRule] = {}
"""Function of C -> `(runner, op, *operands) -> results`, on flat arrays that begin where the pointers point."""

_R = TypeVar("_R", bound=CRule)


def c_rule(function: str) -> Callable[[_R], _R]:
    """Register what a function of a target's C runtime does."""

    def register(rule: _R) -> _R:
        C_RULES[function] = rule
        return rule

    return register
