"""Asynchronous kernels: launch on the queue of an engine, and join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, region_def, result_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from ..core.effect_traits import Awaits, Launches
from ..core.semantics import Runner, Value, semantics
from .transfers import TokenType


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """
    Launch a kernel on the queue of its engine; it is complete after the join of its token.

        %job = hier.launch {
          npu.matmul ins(%x, %w : ...) outs(%y : ...) {engine = "npu"}
        }
        hier.join %job

    Until the join, operands that the kernel reads must not be written, and operands that it writes must be neither
    read nor written. The join is in the block of the launch. Kernels of one engine run in launch order.
    """

    name = "hier.launch"

    body = region_def("single_block")
    token = result_def(TokenType)
    assembly_format = "$body attr-dict"
    traits = traits_def(NoTerminator(), Launches("token"))

    def __init__(self, kernel: Operation):
        super().__init__(regions=[Region(Block([kernel]))], result_types=[TokenType()])

    @property
    def kernel(self) -> Operation:
        """The kernel, or the call of a function that holds it."""
        op = self.body.block.first_op
        assert op is not None
        return op

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        if len(ops) != 1 or ops[0].results:
            raise VerifyException(f"expected one kernel on buffers in the launch, found {len(ops)} ops")
        joins = [use.operation for use in self.token.uses]
        if len(joins) != 1 or not isinstance(joins[0], JoinOp):
            raise VerifyException(f"expected one hier.join of the launch, found {len(joins)} uses of its token")
        if joins[0].parent_block() is not self.parent_block():
            raise VerifyException("expected the join in the block of the launch")


@irdl_op_definition
class JoinOp(IRDLOperation):
    """
    Wait for a launched kernel, and for all kernels launched before it on its engine.

        hier.join %job
    """

    name = "hier.join"
    token = operand_def(TokenType)
    assembly_format = "$token attr-dict"
    traits = traits_def(Awaits("token"))

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token])

    def verify_(self) -> None:
        if not isinstance(self.token.owner, LaunchOp):
            raise VerifyException("expected the token of a hier.launch")


class _Queue:
    """Queue of launched, not yet joined ops of a run, in order."""

    def __init__(self, module: Operation):
        self._pending: list[tuple[LaunchOp, Callable[[], object]]] = []

    def add(self, op: LaunchOp, run: Callable[[], object]) -> None:
        """Append a launch."""
        self._pending.append((op, run))

    def run_until(self, op: LaunchOp) -> None:
        """Run the pending kernels up to that of an op, in launch order."""
        while any(each is op for each, _ in self._pending):
            self._pending.pop(0)[1]()


def _queue(runner: Runner, op: Operation) -> _Queue:
    root = op
    while (parent := root.parent_op()) is not None:
        root = parent
    return runner.cached(root, _Queue)


@semantics(LaunchOp)
def _launch(runner: Runner, op: LaunchOp, operands: Sequence[Value]) -> list[Value]:
    # A kernel runs as late as it may: the values of the block are then still those of the launch.
    queue = _queue(runner, op)
    queue.add(op, lambda: runner.run_region(op.body, []))
    runner.interleaving.issue(lambda: queue.run_until(op))
    return [op]


@semantics(JoinOp)
def _join(runner: Runner, op: JoinOp, operands: Sequence[Value]) -> list[Value]:
    _queue(runner, op).run_until(operands[0])
    return []
