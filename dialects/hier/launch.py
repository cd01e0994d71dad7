"""Kernels that run beside the program, and the joins that wait for them."""

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
    Start a kernel on its engine and go on; it is done when a join for the token is.

        %job = hier.launch {
          npu.matmul ins(%x, %w : ...) outs(%y : ...) {engine = "npu"}
        }
        hier.join %job

    Until the join, what the kernel reads may not be written, and what it writes may be neither read nor written. The
    join stands in the block of the launch. Kernels of one engine run in the order of their launches.
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
            raise VerifyException(f"a launch holds one kernel on buffers, not {len(ops)} ops")
        joins = [use.operation for use in self.token.uses]
        if len(joins) != 1 or not isinstance(joins[0], JoinOp):
            raise VerifyException("a launch is joined once")
        if joins[0].parent_block() is not self.parent_block():
            raise VerifyException("a launch is joined in the block where it stands")


@irdl_op_definition
class JoinOp(IRDLOperation):
    """
    Wait until a kernel that was launched is done, and with it all that were launched before it on its engine.

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
            raise VerifyException("only a launch can be joined")


class _Queue:
    """Queue of launched, not yet joined ops of a run, in order."""

    def __init__(self, module: Operation):
        self._pending: list[tuple[LaunchOp, Callable[[], object]]] = []

    def add(self, op: LaunchOp, run: Callable[[], object]) -> None:
        """Note a launch."""
        self._pending.append((op, run))

    def run_until(self, op: LaunchOp) -> None:
        """Run what has been launched up to an op."""
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
    _queue(runner, op).add(op, lambda: runner.run_region(op.body, []))
    return [op]


@semantics(JoinOp)
def _join(runner: Runner, op: JoinOp, operands: Sequence[Value]) -> list[Value]:
    _queue(runner, op).run_until(operands[0])
    return []
