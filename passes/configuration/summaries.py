"""Summaries of ops: the configuration registers that they read before they write them, and those that they write."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.scf import ForOp, IfOp
from xdsl.ir import Block, Operation

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.instruction import InstructionOp
from ...dialects.core.nesting import nested_ops
from ...ir import functions
from .registers import Register, is_configuration, registers_read, values_set


@dataclass(frozen=True)
class Summary:
    """
    Registers that an op reads: all of them, and those that it has not written before; and that it writes: all of them,
    and those that it writes on each path.
    """

    reads: Set[Register] = frozenset()
    exposed: Set[Register] = frozenset()
    may: Set[Register] = frozenset()
    must: Set[Register] = frozenset()

    def then(self, other: Summary) -> Summary:
        """Return the summary of one op after another."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        exposed = self.exposed | (other.exposed - self.must)
        return Summary(self.reads | other.reads, exposed, self.may | other.may, self.must | other.must)

    def either(self, other: Summary) -> Summary:
        """Return the summary of one op or another."""
        exposed = self.exposed | other.exposed
        return Summary(self.reads | other.reads, exposed, self.may | other.may, self.must & other.must)


NOTHING = Summary()


class Summaries:
    """Summaries of the ops of a module, memoised; after a change of it, `changed` forgets those that it concerns."""

    def __init__(self, module: ModuleOp):
        self.functions = {function.sym_name.data: function for function in functions(module)}
        ops = nested_ops(module)
        instructions = [op for op in ops if isinstance(op, InstructionOp)]
        self._calls: dict[str, list[CallOp]] = {}
        for call in (op for op in ops if isinstance(op, CallOp)):
            self._calls.setdefault(call.callee.string_value(), []).append(call)
        self._values: dict[Operation, Mapping[Register, Hashable] | None] = {
            op: values_set(op) for op in instructions if is_configuration(op)
        }
        self.registers = frozenset(register for values in self._values.values() for register in values or ())
        self._reads: dict[Hashable, Set[Register]] = {}
        self._summaries: dict[Operation, Summary] = {}

    def values(self, op: Operation) -> Mapping[Register, Hashable] | None:
        """Return the values that an op of `is_configuration` sets, None where they are unknown."""
        if op not in self._values:
            assert isinstance(op, InstructionOp)
            self._values[op] = values_set(op)
        return self._values[op]

    def changed(self, op: Operation) -> None:
        """Invalidate the summaries of a changed op, of its ancestors, and of their calls."""
        pending = [op]
        while pending:
            at: Operation | None = pending.pop()
            while at is not None and at in self._summaries:
                del self._summaries[at]
                at = at.parent_op()
            # What is around an op without a summary has none either.
            pending += self._calls.get(at.sym_name.data, []) if isinstance(at, FuncOp) else []

    def of(self, op: Operation) -> Summary:
        """Return the summary of an op."""
        if op not in self._summaries:
            self._summaries[op] = self._everything  # of a recursive call
            self._summaries[op] = self._compute(op)
        return self._summaries[op]

    @cached_property
    def _everything(self) -> Summary:
        return Summary(self.registers, self.registers, self.registers)

    def _compute(self, op: Operation) -> Summary:
        match op:
            case InstructionOp():
                return self._of_instruction(op)
            case CallOp():
                callee = self.functions.get(op.callee.string_value())
                has_body = callee is not None and bool(callee.body.blocks)
                return self.of_block(callee.body.block) if callee is not None and has_body else self._everything
            case _ if not op.regions:
                return NOTHING
            case ForOp():
                body = self.of_block(op.body.block)
                return body if runs(op) else body.either(NOTHING)
            case IfOp():
                first, second = (self.of_block(region.block) if region.blocks else NOTHING for region in op.regions)
                return first.either(second)
            case _:
                inner = [self.of(nested) for region in op.regions for block in region.blocks for nested in block.ops]
                return _concurrent(inner)

    def of_block(self, block: Block) -> Summary:
        """Return the summary of the ops of a block, in order."""
        return in_order(self.of(op) for op in block.ops)

    def _of_instruction(self, op: InstructionOp) -> Summary:
        if is_configuration(op):
            values = self.values(op)
            if values is None:
                owners = {parameter.element for parameter in op.INSTRUCTION.configurations}
                return Summary(may=frozenset(register for register in self.registers if register.owner in owners))
            return Summary(may=values.keys(), must=values.keys())
        if not op.INSTRUCTION.configurations:
            return Summary(may=self.registers) if _resets(op) else NOTHING
        key = type(op), tuple(op.properties.items()), tuple(operand.type for operand in op.operands)
        if key not in self._reads:
            self._reads[key] = registers_read(op, self.registers)
        return Summary(self._reads[key], self._reads[key])


def _resets(op: InstructionOp) -> bool:
    """Return whether an instruction sets nothing but state that is no configuration, as the start of a device does."""
    record = op.INSTRUCTION
    return bool(record.states) and not any(kind.reads or kind.writes for kind in record.buffers.values())


def in_order(summaries: Iterable[Summary]) -> Summary:
    """Return the summary of ops one after another."""
    total = NOTHING
    for summary in summaries:
        total = total.then(summary)
    return total


def _concurrent(summaries: Iterable[Summary]) -> Summary:
    """Return the summary of ops whose order is unknown."""
    reads, may = set[Register](), set[Register]()
    for summary in summaries:
        reads |= summary.reads
        may |= summary.may
    return Summary(reads, reads, may)


def runs(loop: ForOp) -> bool:
    """Return whether a loop has an iteration, by the constants that are its bounds."""
    low, high = constant_integer(loop.lb), constant_integer(loop.ub)
    return low is not None and high is not None and low < high


def calls_of(module: ModuleOp) -> Mapping[FuncOp, list[CallOp]]:
    """Return the calls of each private function with a body that only calls name."""
    private = {
        function.sym_name.data: function
        for function in functions(module)
        if function.sym_visibility is not None and function.sym_visibility.data == "private" and function.body.blocks
    }
    calls: dict[FuncOp, list[CallOp]] = {function: [] for function in private.values()}
    for op in nested_ops(module):
        if isinstance(op, CallOp) and (name := op.callee.string_value()) in private:
            calls[private[name]].append(op)
    return calls
