"""
Structural keys: ops with equal keys are structurally equal and share analysis results.

A key has the class, the operands, the result types and the facts of each op and of those nested in it. Names and
locations never count. A value counts by where it is first defined or used, so that equal keys mean equal data flow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from xdsl.ir import Block, Operation, SSAValue


def all_facts(op: Operation) -> Hashable:
    """Return all properties and attributes of an op."""
    return frozenset(op.properties.items()), frozenset(op.attributes.items())


def structural_key(
    ops: Sequence[Operation],
    outside: Callable[[SSAValue], Hashable],
    facts: Callable[[Operation], Hashable] = all_facts,
) -> Hashable:
    """
    Return the canonical key of a sequence of ops.

    `outside` gives the key of a value defined around the ops, besides the positions of its uses: the value itself where
    its identity counts, else its type or more. `facts` gives the key of an op's properties and attributes, also of
    nested ops.
    """
    return _Keys(outside, facts).ops(ops)


class _Keys:
    def __init__(self, outside: Callable[[SSAValue], Hashable], facts: Callable[[Operation], Hashable]):
        self._outside, self._facts = outside, facts
        self._numbers: dict[SSAValue, int] = {}

    def ops(self, ops: Sequence[Operation]) -> Hashable:
        return tuple([self._op(op) for op in ops])

    def _op(self, op: Operation) -> Hashable:
        operands = tuple([self._operand(value) for value in op.operands])
        regions = tuple([tuple([self._block(block) for block in region.blocks]) for region in op.regions])
        return op.name, operands, self._entered(op.results), self._facts(op), regions

    def _block(self, block: Block) -> Hashable:
        return self._entered(block.args), self.ops(list(block.ops))

    def _entered(self, values: Sequence[SSAValue]) -> Hashable:
        """Number values; returns their types."""
        for value in values:
            self._numbers[value] = len(self._numbers)
        return tuple([value.type for value in values])

    def _operand(self, value: SSAValue) -> Hashable:
        number = self._numbers.get(value)
        if number is not None:
            return number
        self._numbers[value] = len(self._numbers)
        return self._numbers[value], self._outside(value)
