"""
The pass `interleave-transfers`: the instructions of transfers are issued between those of the kernel that they overlap.

    func.call @read_tile_0(%x, %next, %i)
    func.call @conv_0(%x0, %w, %sums)

becomes

    func.call @conv_0_1(%x0, %w, %sums, %true, %x, %next, %i)

The core issues instructions in order, and waits where a queue is full. Loads that come before a kernel would fill
theirs, and keep the kernel from starting; a part of them behind each block of products keeps both queues busy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.analysis.constants import constant_integer
from ....dialects.core.effects import is_pure
from ....dialects.core.nesting import nested_ops
from ....ir import functions, symbol_names
from ....passes.core.base import Pass
from ..interleaving import Issued, interleave
from ..issues import ArrayFunctions, Issue, are_awaited, buffer_of, carried, condition, copied, token_of


class _Interleaver:
    """The functions of a module, and those that are made of them."""

    def __init__(self, module: ModuleOp):
        self._program = ArrayFunctions(module)
        self._taken = symbol_names(module.body.block)
        self._interleaved: dict[tuple[FuncOp, tuple[Issued, ...]], FuncOp | None] = {}

    def kernels(self, function: FuncOp) -> list[CallOp]:
        """Return the calls of kernels in a function, those of most work first."""
        calls = [op for op in nested_ops(function) if isinstance(op, CallOp) and self._program.kernel(op) is not None]
        return sorted(calls, key=self._program.work, reverse=True)

    def visit(self, call: CallOp) -> None:
        """Issue the transfers before the call of a kernel inside of it, as far as they may be in flight there."""
        kernel, block = self._program.kernel(call), call.parent
        assert kernel is not None
        assert block is not None
        there = _defined(block)
        issues = [issue for issue in self._before(call) if copied(issue.values(), block, there) is not None]
        issues = self._program.separable(kernel, issues)
        function = self._function(kernel, [self._issued(issue.call) for issue in issues]) if issues else None
        if function is not None:
            _replace(call, block, function, issues)

    def _issued(self, call: CallOp) -> Issued:
        function = self._program.transfer(call)
        assert function is not None
        return Issued(function, tuple(constant_integer(operand) for operand in call.operands))

    def _before(self, call: Operation) -> list[Issue]:
        """
        Return the transfers issued before a call that nobody has waited for there, in order.

        Kernels of less work may stand between, as those that fill sums, if they access other memories.
        """
        issues: list[Issue] = []
        later: list[Operation] = []
        accessed = set[SSAValue | str]()
        op = call.prev_op
        while op is not None and self._program.work(op) < self._program.work(call):
            later.append(op)
            accessed |= self._program.accessed(op)
            for issue in reversed(list(self._program.issues(op))):
                token = token_of(issue)
                if token is None or are_awaited(carried(token), later):
                    continue
                if accessed.isdisjoint(map(buffer_of, issue.call.operands)):
                    issues.append(issue)
            op = op.prev_op
        return issues[::-1]

    def _function(self, kernel: FuncOp, transfers: Sequence[Issued]) -> FuncOp | None:
        key = kernel, tuple(transfers)
        if key not in self._interleaved:
            candidates = (f"{kernel.sym_name.data}_{number}" for number in count(1))
            name = next(candidate for candidate in candidates if candidate not in self._taken)
            function = self._interleaved[key] = interleave(name, kernel, transfers)
            if function is not None:
                self._taken.add(name)
                Rewriter.insert_op(function, InsertPoint.after(kernel))
        return self._interleaved[key]


def _defined(block: Block) -> dict[SSAValue, SSAValue]:
    """Return the values of a block, each as it is."""
    values = (*block.args, *chain.from_iterable(op.results for op in block.ops))
    return dict(zip(values, values, strict=True))


def _replace(call: CallOp, block: Block, function: FuncOp, issues: Sequence[Issue]) -> None:
    """Replace the call of a kernel and those of transfers before it by one of a function that does both."""
    arguments: list[SSAValue] = list(call.operands)
    point = InsertPoint.before(call)
    mapping = _defined(block)
    for issue in issues:
        copies = copied(issue.values(), block, mapping)
        assert copies is not None
        ops, values = copies
        for op in ops:
            Rewriter.insert_op(op, point)
        mapping |= values
        guards = [(values.get(value, value), side) for value, side in issue.guards]
        arguments += [condition(guards, point), *(values.get(operand, operand) for operand in issue.call.operands)]
        _erase(issue.call)
    replacement = CallOp(function.sym_name.data, arguments, [])
    replacement.attributes |= dict(call.attributes)
    replacement.location = call.location
    Rewriter.replace_op(call, replacement, [])


def _erase(call: CallOp) -> None:
    """Erase the call of a transfer, and the branches around it that issue nothing else and have no result."""
    block = call.parent
    Rewriter.erase_op(call)
    while block is not None:
        branch = block.parent_op()
        if not isinstance(branch, scf.IfOp) or branch.results or not is_pure(branch):
            return
        block = branch.parent
        Rewriter.erase_op(branch)


@dataclass(frozen=True)
class InterleaveTransfersPass(Pass):
    """
    Issue transfers between the instructions of the kernel that they overlap.

    Run it after `hoist-configuration`, so that few transfers set registers: these stay where they are beside others
    that access the same ones. So does a transfer for which someone waits before the kernel, or where something else
    than transfers stands between.
    """

    name = "interleave-transfers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        interleaver = _Interleaver(op)
        for function in functions(op):
            for call in interleaver.kernels(function):
                interleaver.visit(call)
