"""Backward slice of a value in a loop, and its clone for another step of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.analysis.arithmetic import evaluator, integer_of
from ...dialects.core.effect_traits import DeclaredRange
from ...dialects.core.effects import EffectAnalysis, is_allocation, is_speculatable, root_of
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import Index
from .writer import Writer


class Cone:
    """Backward slice of values in a loop: the ops that compute them from the induction variable and loop invariants."""

    def __init__(self, loop: scf.ForOp, ops: Sequence[Operation]):
        self._loop = loop
        self.ops = ops

    @cached_property
    def _constants(self) -> dict[SSAValue, int]:
        """Indices that are loop-invariant constants."""
        indices = [value for op in self.ops for value in (*op.operands, *op.results)]
        numbers = {value: integer_of(value) for value in indices if isinstance(value.type, IndexType)}
        return {value: number for value, number in numbers.items() if number is not None}

    @staticmethod
    def of(loop: scf.ForOp, values: Sequence[SSAValue]) -> Cone | None:
        """Compute the backward slice of values; None if it has side effects or loop-carried dependences."""
        ops: dict[Operation, None] = {}
        if all(_collect(loop, value, ops) for value in values):
            return Cone(loop, list(ops))
        return None

    def numbers(self, step: int | None) -> dict[SSAValue, int]:
        """Fold the indices of the slice to constants, at a given step or independent of the step."""
        numbers = dict(self._constants)
        if step is not None:
            numbers[self._loop.body.block.args[0]] = step
        for op in self.ops:
            if not numbers.keys() >= set(op.operands) or not isinstance(op.results[0].type, IndexType):
                continue
            if (compute := evaluator(op)) is not None:
                numbers[op.results[0]] = compute(*(numbers[operand] for operand in op.operands))
        return numbers

    def at(self, writer: Writer, step: Index, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Clone the slice for a step; return the values there."""
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
            writer.insert(clone)
            mapping.update(zip(op.results, clone.results, strict=True))
        return [known(value) for value in values]


def reads_unwritten(loop: scf.ForOp, op: Operation) -> bool:
    """Return whether an op looks up a table that the loop does not write, so that any step may look it up."""
    if not op.has_trait(DeclaredRange):
        return False
    analysis = EffectAnalysis()
    tables = {_memory_of(value) for value in analysis.of(op).reads}
    for inner in nested_ops(loop):
        effects = analysis.of(inner)
        written = {*map(_memory_of, effects.writes), *effects.symbols_written}
        if not effects.is_known or effects.writes_any or None in (written | tables) or written & tables:
            return False
    return True


def _memory_of(value: SSAValue) -> SSAValue | str | None:
    """Return the buffer that a memref is a view of, a global by its name; None where control flow chooses it."""
    root = root_of(value)
    if isinstance(root.owner, memref.GetGlobalOp):
        return root.owner.name_.string_value()
    is_argument = isinstance(root.owner, Block) and isinstance(root.owner.parent_op(), func.FuncOp)
    return root if is_argument or is_allocation(root) else None


def _collect(loop: scf.ForOp, value: SSAValue, ops: dict[Operation, None]) -> bool:
    """Collect the backward slice of a value in topological order; return False if an op is not speculatable."""
    owner = value.owner
    if value is loop.body.block.args[0] or owner in ops or not loop.is_ancestor(owner):
        return True
    if not isinstance(owner, Operation) or not (is_speculatable(owner) or reads_unwritten(loop, owner)):
        return False
    if not all(_collect(loop, operand, ops) for operand in owner.operands):
        return False
    ops[owner] = None
    return True
