"""Timed execution with data: kernels and transfers access memory at their modelled times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IndexType, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from ...dialects.core.effect_traits import CopyEffects, ResultAllocation
from ...dialects.core.effects import declared, effects_of
from ...dialects.core.kernel import is_kernel, is_shaped
from ...dialects.core.layout_arrays import part_of
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.model import Machine
from ...dialects.core.semantics import WORK_RULES, Value
from ...dialects.hier import TokenType
from ...dialects.hier.tile_copies import is_partial, overlap
from ...errors import Diagnostic
from ...ir import Array, where
from ...passes.explicit.events import Event, event_of_class, fence_of, queue_of
from ...passes.explicit.transfers import TileTransfer, transfer_of
from ...passes.timing.timeline import Timeline
from ..interpreter import Interpreter, Session, run_op
from ..interpreter.boundary import ports
from ..interpreter.memory import check_writable
from .clock import BareSchedule
from .effects import TimedEffect, poison
from .in_flight import CompletionToken
from .simulate import expanded, scheduled


class TimedSession(Session):
    """
    Session that runs a program with timed memory effects, on a given machine or the module's own.

    The program is one that `simulate` takes, with the same times. A missing wait or overlapping buffers thus give wrong
    results, as on the machine. Uninitialised memory holds poison. Each call fills resident values, as the first one.
    Raises Diagnostic for unsupported programs.
    """

    def __init__(self, module: ModuleOp, function: str = "network", machine: Machine | None = None):
        self._machine = machine or machine_of(module)
        super().__init__(expanded(module), function)

    def reset(self) -> None:
        self._interpreter = TimedInterpreter(self._module, self._machine)
        self._written = 0


class TimedInterpreter(Interpreter):
    """
    Interpreter with two phases: a walk computes the schedule, then memory effects are executed in the order of time.

    Control flow is executed at once in the second phase; memory effects go to a timeline.
    """

    def __init__(self, module: ModuleOp, machine: Machine):
        super().__init__(module)
        self._machine = machine
        self._schedules: dict[str, BareSchedule] = {}
        self._tokens: Iterator[CompletionToken] = iter(())
        self._shares: Iterator[int] = iter(())
        """Number of tokens of each concurrent program."""
        self._forked: list[TimedInterpreter] = []
        self._timeline, self._in_flight = Timeline(), set[TimedEffect]()
        self._now = 0
        """Cycle up to which the program has waited."""
        self._ends: dict[str, int] = {}
        """Queue -> the cycle at which its last instruction ends."""

    def call(self, symbol: str, arguments: Sequence[Value]) -> Sequence[Value]:
        if self._frames:
            return super().call(symbol, arguments)
        if symbol not in self._schedules:
            self._schedules[symbol] = scheduled(self.module, symbol, self._machine, by_class=False)
        for port, value in zip(ports(self.symbol(symbol))[0], arguments, strict=True):
            if port.is_output:
                poison(value)
        with np.errstate(all="ignore"):
            # Effects that the program has not waited for happen before its next run, but after its results are read.
            self._timeline.run()
            schedule = self._schedules[symbol]
            self._tokens, self._shares = iter(schedule.tokens), iter(schedule.shares)
            self._timeline, self._in_flight, self._now, self._ends = Timeline(), set[TimedEffect](), 0, {}
            results = super().call(symbol, arguments)
            self._timeline.run(self._now)
        if next(self._tokens, None) is not None:
            raise _deviation(self.symbol(symbol))
        return results

    def fork(self) -> TimedInterpreter:
        forked = cast(TimedInterpreter, super().fork())
        forked._tokens = iter(list(islice(self._tokens, next(self._shares, 0))))
        forked._forked = []
        self._forked.append(forked)
        return forked

    def storage(self, symbol: str) -> Value:
        is_new = symbol not in self._storage
        memory = super().storage(symbol)
        op = self.symbol(symbol)
        if is_new and isinstance(op, memref.GlobalOp) and not isinstance(op.initial_value, DenseIntOrFPElementsAttr):
            poison(memory)
        return memory

    def _run(self, op: Operation, env: dict[SSAValue, Value]) -> None:
        event = event_of_class(type(op))
        if event is Event.WAIT:
            self._wait(env[op.operands[0]])
        elif (trait := queue_of(type(op))) is not None:
            token = self._happens(self._instruction(op, env))
            self._ends[trait.queue] = max(token.end, self._ends.get(trait.queue, 0))
        elif (fence := fence_of(type(op))) is not None:
            self._now = max(self._now, *(self._ends.get(name, 0) for name in fence.queues or self._ends), 0)
            self._at_once(op, env)
        elif event is Event.LAUNCH:
            (kernel,) = op.regions[0].block.ops
            env[op.results[0]] = self._happens(self._kernel(kernel, env))
        elif is_kernel(op) or declared(type(op), CopyEffects) is not None:
            self._wait(self._happens(self._kernel(op, env)))
        elif event is None and (transfer := self.cached(op, _transfer_of)) is not None:
            env[op.results[0]] = self._happens(self._transfer(op, transfer, env))
        elif event is Event.SIGNAL and op.operands and isinstance(op.operands[-1].type, TokenType):
            # The schedule lets no other program take the slot before the transfer has ended.
            super()._run(op, {**env, op.operands[-1]: None})
        else:
            self._at_once(op, env)

    def _at_once(self, op: Operation, env: dict[SSAValue, Value]) -> None:
        """Execute an op that takes no time, after the effects before it on what it reads."""
        reads = [env[value] for value in self.cached(op, _reads)]
        if reads and any(effect.may_write(reads) for effect in self._in_flight):
            self._timeline.run(self._now)
        super()._run(op, env)
        if self._forked:
            self._now = max(self._now, *(program._now for program in self._forked))
            self._forked = []
        if declared(type(op), ResultAllocation) is not None:
            poison(env[op.results[0]])

    def _happens(self, effect: TimedEffect) -> CompletionToken:
        """Assign an effect to the next kernel or transfer of the schedule."""
        for array in effect.writes:
            check_writable(effect.op, array)
        token = next(self._tokens, None)
        if token is None:
            raise _deviation(effect.op)
        if token.start < self._timeline.now:
            raise Diagnostic(
                "an index is loaded in a parallel loop, before the effects of other iterations are scheduled",
                where=where(effect.op),
                expected="indices that are loaded before the loop",
            )
        self._timeline.add(effect.program(token.start, token.end, self._in_flight))
        return token

    def _wait(self, token: CompletionToken | None) -> None:
        self._now = max(self._now, token.end if token else 0)

    def _kernel(self, op: Operation, env: dict[SSAValue, Value]) -> TimedEffect:
        """Return the effect of a kernel: it reads its operands, and writes its outputs."""
        written = self.cached(op, _written)
        operands = {value: env[value] for value in op.operands}
        scope = {value: env[value] for value in self.cached(op, _captured)}

        def compute() -> Sequence[Array]:
            outputs = {value: np.array(operands[value]) for value in written}
            self._frames.append(scope)
            try:
                run_op(self, op, [outputs.get(value, operands[value]) for value in op.operands])
            finally:
                self._frames.pop()
            return list(outputs.values())

        reads = [array for value, array in operands.items() if is_shaped(value) and value not in written]
        return TimedEffect(op, reads, [operands[value] for value in written], compute)

    def _instruction(self, op: Operation, env: dict[SSAValue, Value]) -> TimedEffect:
        """Return the effect of an instruction on a queue: it accesses its regions."""
        work = WORK_RULES[type(op)](self, op, [env[operand] for operand in op.operands])
        reads, writes = ([array for array, _ in side] for side in (work.reads, work.writes))
        return TimedEffect(op, reads, writes, work.compute)

    def _transfer(self, op: Operation, transfer: TileTransfer, env: dict[SSAValue, Value]) -> TimedEffect:
        """Return the effect of a transfer, whose work runs on copies of the region that it writes."""
        far, near, box = env[transfer.far], env[transfer.near], transfer.box
        ends = box.offsets, box.sizes
        offsets, sizes = ([bound if isinstance(bound, int) else int(env[bound]) for bound in side] for side in ends)
        there, _ = overlap(offsets, sizes, far.shape)
        here = overlap(offsets, near.shape, far.shape, transfer.repeated)[1]
        values = {value: env[value] for value in op.operands}
        outside = part_of(far, there)

        def work(operands: Mapping[Any, Any]) -> None:
            (pending,) = run_op(self, op, [operands.get(value, values[value]) for value in op.operands])
            pending.finish()

        def write_far() -> Sequence[Array]:
            whole = np.empty(far.shape, far.dtype)
            work({transfer.far: whole})
            return [part_of(whole, there)]

        def write_near() -> Sequence[Array]:
            tile = np.empty(near.shape, near.dtype)
            work({transfer.near: tile})
            return [tile]

        if transfer.outward:
            inside = part_of(near, here) if is_partial(here, near.shape) else near
            return TimedEffect(op, [inside], [outside], write_far)
        return TimedEffect(op, [outside], [near], write_near)


def _written(op: Operation) -> tuple[SSAValue, ...]:
    """Return the distinct buffers that a kernel writes."""
    return tuple(effects_of(op).writes)


def _reads(op: Operation) -> tuple[SSAValue, ...]:
    """Return the distinct buffers of which an op reads a number at once; none of one that makes a buffer or a token."""
    is_number = [isinstance(result.type, IndexType | IntegerType | AnyFloat) for result in op.results]
    return tuple(effects_of(op).reads) if is_number and all(is_number) and not op.regions else ()


def _captured(op: Operation) -> tuple[SSAValue, ...]:
    """Return the values that a kernel's body captures."""
    inner = [nested for region in op.regions for nested in region.walk()]
    inside = {value for nested in inner for value in nested.results}
    inside |= {value for region in op.regions for block in region.blocks for value in block.args}
    inside |= {
        value for nested in inner for region in nested.regions for block in region.blocks for value in block.args
    }
    return tuple({value: None for nested in inner for value in nested.operands if value not in inside})


def _transfer_of(op: Operation) -> TileTransfer | None:
    return transfer_of(op, effects_of(op))


def _deviation(op: Operation) -> Diagnostic:
    return Diagnostic(
        "the program deviates from its schedule",
        where=where(op),
        expected="loops and conditions that do not depend on data",
        remedy="run it on the interpreter",
    )
