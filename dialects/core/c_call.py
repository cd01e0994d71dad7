"""Ops that are calls of a target's C runtime, and what the functions of such a runtime do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeVar

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.traits import MemoryEffect, OpTrait
from xdsl.utils.exceptions import VerifyException

from .effect_traits import OperandEffects, is_buffer, places_named
from .semantics import Value


class _DeclaredOnBuffers(OpTrait):
    """A call on buffers declares which of them it reads and writes."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CCall)
        for name in _undeclared(op):
            raise VerifyException(
                f"'{op.name}', a call of {op.C_FUNCTION}, does not declare its effects on the buffer '{name}'; give "
                f"{type(op).__name__} the trait OperandEffects(reads=(...), writes=(...)) that names it, or Pure()"
            )


def _undeclared(op: CCall) -> Iterator[str]:
    """Yield the names of operands that are buffers on which an op declares no effects."""
    traits = op.get_traits_of_type(MemoryEffect)
    if not all(isinstance(trait, OperandEffects) for trait in traits):
        return
    declared = {name for each in traits if isinstance(each, OperandEffects) for name in (*each.reads, *each.writes)}
    for name, _ in op.get_irdl_definition().operands:
        if name not in declared and any(map(is_buffer, places_named(op, [name]))):
            yield name


class CCall(IRDLOperation):
    """
    An op that in C is a call of `C_FUNCTION`, which the header of the target's runtime declares.

    A class with buffers among its operands declares its effects on them (`effect_traits.py`); one without, that
    declares none, may do anything. An op that is `Pure` only computes its result.

        class LoadOp(CCall):
            name = "toy.load"
            C_FUNCTION: ClassVar[str] = "toy_load"
            far = operand_def(MemRefType)
            near = operand_def(MemRefType)
            traits = traits_def(OperandEffects(reads=("far",), writes=("near",)))
    """

    C_FUNCTION: ClassVar[str]

    traits = traits_def(_DeclaredOnBuffers())

    def c_arguments(self) -> Sequence[SSAValue | int]:
        """Return the arguments of the C function."""
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
