"""Asynchronous kernels: launch on the queue of an engine, and join."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, region_def, result_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from ..core.effect_traits import Awaits, Launches
from ..core.effects import declared
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


class _Job:
    """Launched kernel: it runs at its join, or earlier in another interleaving, after those before it on its queue."""

    def __init__(self, runner: Runner, op: LaunchOp, before: _Job | None):
        self._runner, self._op, self._before = runner.fork(), op, before
        self._is_done = False

    def finish(self) -> None:
        """Run the kernels of the queue up to this one, unless they have been run."""
        waiting: list[_Job] = []
        job: _Job | None = self
        while job is not None and not job._is_done:
            waiting.append(job)
            job = job._before
        for waiter in reversed(waiting):
            waiter._is_done, waiter._before = True, None
            # No other program sees a kernel half done, whose join would not wait for the rest.
            runner, body = waiter._runner, waiter._op.body
            runner.interleaving.atomically(lambda runner=runner, body=body: runner.run_region(body, []))


def _last_of(runner: Runner, op: LaunchOp) -> dict[Attribute, _Job]:
    """Return the last job of each queue of a run."""
    root: Operation = op
    while (parent := root.parent_op()) is not None:
        root = parent
    return runner.cached(root, _no_jobs)


def _no_jobs(module: Operation) -> dict[Attribute, _Job]:
    return {}


@semantics(LaunchOp)
def _launch(runner: Runner, op: LaunchOp, operands: Sequence[Value]) -> list[Value]:
    trait, last = declared(LaunchOp, Launches), _last_of(runner, op)
    assert trait is not None
    queue = trait.queue_of(op)
    last[queue] = job = _Job(runner, op, last.get(queue))
    runner.interleaving.issue(job.finish, op)
    return [job]


@semantics(JoinOp)
def _join(runner: Runner, op: JoinOp, operands: Sequence[Value]) -> list[Value]:
    operands[0].finish()
    return []
