"""Calls that issue the instructions of transfers, where a program has them beside kernels of the array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from math import inf
from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from ...dialects.core.effects import is_speculatable, root_of
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import DmaNoneOp, DmaWaitOp
from ...ir import functions
from .interleaving import is_interleavable, most_instructions, registers_of


class Issue(NamedTuple):
    """Call that issues a transfer, under the conditions of the branches around it."""

    call: CallOp
    guards: tuple[tuple[SSAValue, bool], ...]

    def values(self) -> list[SSAValue]:
        """Return the values on which the call depends."""
        return [*(value for value, _ in self.guards), *self.call.operands]


class ArrayFunctions:
    """The functions of a module that kernels of the array and transfers have become."""

    def __init__(self, module: ModuleOp):
        interleavable = filter(is_interleavable, functions(module))
        self._by_name = {function.sym_name.data: function for function in interleavable}
        self._most: dict[FuncOp, int] = {}

    def kernel(self, op: Operation) -> FuncOp | None:
        """Return the function of a kernel that an op calls, None for other ops, and for one that sets registers."""
        function = self._called(op, is_kernel=True)
        return function if function is not None and not registers_of(function, written=True) else None

    def transfer(self, op: Operation) -> FuncOp | None:
        """Return the function of a transfer that an op calls, None for other ops."""
        return self._called(op, is_kernel=False)

    def _called(self, op: Operation, *, is_kernel: bool) -> FuncOp | None:
        function = self._by_name.get(op.callee.string_value()) if isinstance(op, CallOp) else None
        return function if function is not None and ("engine" in function.attributes) == is_kernel else None

    def separable(self, kernel: FuncOp, issues: Sequence[Issue]) -> list[Issue]:
        """
        Return those of some transfers whose instructions may come in parts between each other's and a kernel's.

        One that sets registers, as the stores with a scale of each channel do, needs them for itself.
        """
        functions = {issue: function for issue in issues if (function := self.transfer(issue.call)) is not None}
        shared = set[type]()
        for issue, function in functions.items():
            others = [kernel, *(functions[other] for other in functions if other is not issue)]
            accessed = {register for other in others for register in registers_of(other, written=False)}
            shared |= registers_of(function, written=True) & accessed
        return [issue for issue in functions if shared.isdisjoint(registers_of(functions[issue], written=False))]

    def work(self, op: Operation) -> float:
        """
        Return the instructions of the kernels that an op calls, at most.

        It is 0 for an op that issues transfers, waits for some and computes addresses; infinite for any other.
        """
        if isinstance(op, scf.IfOp):
            return sum(self.work(inner) for region in op.regions if region.blocks for inner in region.block.ops)
        kernel = self.kernel(op)
        if kernel is not None:
            if kernel not in self._most:
                self._most[kernel] = most_instructions(kernel)
            return self._most[kernel]
        if isinstance(op, DmaNoneOp | DmaWaitOp) or op.has_trait(IsTerminator):
            return 0
        return 0 if self.transfer(op) is not None or is_speculatable(op) else inf

    def accessed(self, op: Operation) -> set[SSAValue | str]:
        """Return the buffers that the kernels which an op calls access, by `buffer_of`."""
        calls = [call for call in (op, *nested_ops(op)) if self.kernel(call) is not None]
        return {buffer_of(operand) for call in calls for operand in call.operands}

    def issues(self, op: Operation, guards: tuple[tuple[SSAValue, bool], ...] = ()) -> Iterator[Issue]:
        """Yield the transfers that an op of finite `work` issues, in order."""
        if self.transfer(op) is not None:
            assert isinstance(op, CallOp)
            yield Issue(op, guards)
        if isinstance(op, scf.IfOp):
            for region, side in ((op.true_region, True), (op.false_region, False)):
                for inner in region.block.ops if region.blocks else ():
                    yield from self.issues(inner, (*guards, (op.cond, side)))


def buffer_of(value: SSAValue) -> SSAValue | str:
    """Return the buffer that a memref is a view of, the name of a global one."""
    root = root_of(value)
    return root.owner.name_.string_value() if isinstance(root.owner, memref.GetGlobalOp) else root


def token_of(issue: Issue) -> SSAValue | None:
    """Return the token that stands for a transfer's end, None where there is none."""
    after = issue.call.next_op
    return after.token if isinstance(after, DmaNoneOp) else None


def carried(token: SSAValue) -> set[SSAValue]:
    """Return the values that may be a token: itself, and results of the branches that yield it."""
    values, pending = set[SSAValue](), [token]
    while pending:
        value = pending.pop()
        if value in values:
            continue
        values.add(value)
        for use in value.uses:
            branch = use.operation.parent_op()
            if isinstance(use.operation, scf.YieldOp) and isinstance(branch, scf.IfOp):
                pending.append(branch.results[use.index])
    return values


def are_awaited(tokens: Set[SSAValue], ops: Sequence[Operation]) -> bool:
    """Return whether some ops, or those inside of them, wait for a token."""
    waits = [wait for op in ops for wait in nested_ops(op) if isinstance(wait, DmaWaitOp)]
    return any(operand in tokens for wait in waits for operand in wait.operands)


def copied(
    values: Sequence[SSAValue], scope: Block, mapping: Mapping[SSAValue, SSAValue]
) -> tuple[list[Operation], dict[SSAValue, SSAValue]] | None:
    """
    Return copies of the ops inside a block on which values depend, in order, and the values that replace the old ones.

    `known` are those of values that need no copy. None where an op cannot be copied.
    """
    copies: list[Operation] = []
    mapped = dict(mapping)

    def visit(value: SSAValue) -> bool:
        owner = value.owner
        if value in mapped:
            return True
        if not isinstance(owner, Operation):
            return not _is_within(owner, scope)
        if not _is_within(owner.parent, scope):
            return True
        if not is_speculatable(owner) or not all([visit(operand) for operand in owner.operands]):
            return False
        copies.append(owner.clone(mapped))
        copies[-1].location = owner.location
        return True

    return (copies, mapped) if all([visit(value) for value in values]) else None


def _is_within(block: Block | None, scope: Block) -> bool:
    while block is not None and block is not scope:
        block = block.parent_block()
    return block is scope


def condition(guards: Sequence[tuple[SSAValue, bool]], point: InsertPoint) -> SSAValue:
    """Insert the conjunction of conditions, and return it."""

    def insert(op: Operation) -> SSAValue:
        Rewriter.insert_op(op, point)
        return op.results[0]

    conjunction: SSAValue | None = None
    for value, side in guards:
        holds = value if side else insert(arith.XOrIOp(value, insert(arith.ConstantOp(_TRUE))))
        conjunction = holds if conjunction is None else insert(arith.AndIOp(conjunction, holds))
    return insert(arith.ConstantOp(_TRUE)) if conjunction is None else conjunction


_TRUE = IntegerAttr(-1, i1)
