"""Backward slice of a value in a loop, and its clone for another step of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.arithmetic import evaluator, integer_of
from ...dialects.core.effects import is_speculatable
from ..loops.nest import Index
from .writer import Writer


class Cone:
    """The ops in a loop that some values are computed by, from the number of the step and from what is outside."""

    def __init__(self, loop: scf.ForOp, ops: Sequence[Operation]):
        self._loop = loop
        self.ops = ops

    @cached_property
    def _constants(self) -> dict[SSAValue, int]:
        """The indices that are known numbers at every step."""
        indices = [value for op in self.ops for value in (*op.operands, *op.results)]
        known = {value: integer_of(value) for value in indices if isinstance(value.type, IndexType)}
        return {value: number for value, number in known.items() if number is not None}

    @staticmethod
    def of(loop: scf.ForOp, values: Sequence[SSAValue]) -> Cone | None:
        """Return the cone of values; None where it holds what has effects or depends on more than the step."""
        ops: dict[Operation, None] = {}
        if all(_collect(loop, value, ops) for value in values):
            return Cone(loop, list(ops))
        return None

    def numbers(self, step: int | None) -> dict[SSAValue, int]:
        """Return the indices that are known numbers, at a step or at any."""
        found = dict(self._constants)
        if step is not None:
            found[self._loop.body.block.args[0]] = step
        for op in self.ops:
            compute = evaluator(op) if isinstance(op.results[0].type, IndexType) else None
            if compute is not None and all(operand in found for operand in op.operands):
                found[op.results[0]] = compute(*(found[operand] for operand in op.operands))
        return found

    def at(self, writer: Writer, step: Index, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Write the ops anew for a step; returns what the values are there."""
        numbers = self.numbers(step if isinstance(step, int) else None)
        mapping: dict[SSAValue, SSAValue] = {}
        if isinstance(step, SSAValue):
            mapping[self._loop.body.block.args[0]] = step

        def known(value: SSAValue) -> SSAValue:
            return writer.value(numbers[value]) if value in numbers else mapping.get(value, value)

        for op in self.ops:
            if op.results[0] in numbers:
                continue
            clone = op.clone({operand: known(operand) for operand in op.operands})
            writer.effect(clone)
            mapping.update(zip(op.results, clone.results, strict=True))
        return [known(value) for value in values]


def _collect(loop: scf.ForOp, value: SSAValue, ops: dict[Operation, None]) -> bool:
    """Add the ops in a loop that a value is computed by, each after those before it; false where one may not be."""
    owner = value.owner
    if value is loop.body.block.args[0] or owner in ops or not loop.is_ancestor(owner):
        return True
    if not isinstance(owner, Operation) or not is_speculatable(owner):
        return False
    if not all(_collect(loop, operand, ops) for operand in owner.operands):
        return False
    ops[owner] = None
    return True
