"""Overlap of kernels on different engines and of transfers, across layers, by list scheduling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import JoinOp, LaunchOp
from ..ir import functions
from .core.base import Pass
from .map_engines import mapped_engine
from .overlap.items import ScheduleItem, items_of
from .overlap.order import SchedulingProblem, TransferLimit, best_order
from .overlap.regions import range_of
from .overlap.times import Durations
from .overlap.tokens import Tokens

_IN_FLIGHT, _IN_FLIGHT_EXTERNAL = 16, 32
"""Default limits of in-flight transfers, over links from addressed and from external levels."""


@dataclass(frozen=True)
class InFlightLimits:
    """
    Limits of transfers in flight: per link and over all links; `external` and `external_open` for external levels.
    """

    transfers: int
    open: int
    external: int
    external_open: int


def overlap_engines(function: FuncOp, machine: Machine, limits: InFlightLimits) -> None:
    """
    Launch kernels asynchronously on engines with a queue, and reorder the function's body by list scheduling.

    Only the outermost block is reordered. Program order is kept if its modelled makespan is least.
    """
    _unroll_single_steps(function)
    for op in nested_ops(function):
        if is_kernel(op) and not isinstance(op.parent_op(), LaunchOp) and mapped_engine(op, machine).queue:
            _launch(op)
    _reorder(function.body.block, Durations(machine, limits.transfers, limits.external), limits)


def _reorder(block: Block, times: Durations, limits: InFlightLimits) -> None:
    """Reorder a block by the least modelled makespan."""
    items = items_of(block)
    most = enumerate((limits.open, limits.external_open) if times.has_external else (limits.open,))
    by_engine: list[TransferLimit] = []
    for engine, count in most:
        outstanding = Tokens(engine, times.is_external)
        by_engine.append(TransferLimit(count, [outstanding.opened_by(item.op) for item in items]))
    problem = SchedulingProblem([item.follows for item in items], times.of_items(items), by_engine)
    _arrange(block, [items[number] for number in best_order(problem)])


def _unroll_single_steps(function: FuncOp) -> None:
    """Inline loops of one iteration."""
    for loop in [op for op in nested_ops(function) if isinstance(op, scf.ForOp)]:
        low, end, step = (range_of(value) for value in (loop.lb, loop.ub, loop.step))
        if low is None or end is None or step is None or low.low != low.high or end.low != end.high:
            continue
        if not low.low < end.low <= low.low + step.low:
            continue
        block = loop.body.block
        last = block.last_op
        assert last is not None
        yielded = list(last.operands)
        Rewriter.erase_op(last)
        arguments = [loop.lb, *loop.iter_args]
        inner: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
        results = [inner.get(value, value) for value in yielded]
        Rewriter.inline_block(block, InsertPoint.before(loop), arguments)
        Rewriter.replace_op(loop, [], results)


def _launch(kernel: Operation) -> None:
    """Replace a kernel by a launch and a join."""
    launch = LaunchOp(kernel.clone())
    join = JoinOp(launch.token)
    launch.location = launch.kernel.location = join.location = kernel.location
    Rewriter.replace_op(kernel, [launch, join], [])


def _arrange(block: Block, items: Sequence[ScheduleItem]) -> None:
    """Reorder the items of a block; ops without effects are sunk to their first use."""
    end = block.last_op
    assert end is not None
    placed: set[Operation] = {end}

    def place(op: Operation) -> None:
        if op in placed or op.parent_block() is not block:
            return
        placed.add(op)
        for inner in nested_ops(op):
            for value in inner.operands:
                if isinstance(value, OpResult):
                    place(value.op)
        op.detach()
        block.insert_op_before(op, end)

    for op in (*(item.op for item in items), *list(block.ops)):
        place(op)


@dataclass(frozen=True)
class OverlapEnginesPass(Pass):
    """
    Overlap engines and transfers: launch kernels on engines with a queue, and reorder by list scheduling.

    Run it after pipeline-dma. Items with disjoint memory regions are independent, so that transfers of the next layer's
    weights are prefetched. At most `transfers` of each link are in flight, of one to an external level `external`,
    since these outlast many kernels. The key `in_flight` of the machine's links limits the sum over all links,
    separately for external levels, because a DMA engine has a fixed number of counters. `open` and `external-open`
    override it.
    """

    name = "overlap-engines"

    transfers: int = 4
    open: int | None = None
    external: int = 16
    external_open: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        open = self.open or machine.in_flight(external=False) or _IN_FLIGHT
        external_open = self.external_open or machine.in_flight(external=True) or _IN_FLIGHT_EXTERNAL
        limits = InFlightLimits(self.transfers, open, self.external, external_open)
        for function in functions(op):
            overlap_engines(function, machine, limits)
