"""Walk of a program step by step: each memory access is checked against the state of memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.scf import ForOp, IfOp, ParallelOp, WhileOp
from xdsl.ir import Attribute, Operation

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.effect_traits import Launches
from ...dialects.core.effects import Effects, declared
from ...dialects.core.kernel import is_shaped
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.model import Machine
from ...dialects.hier import ConcurrentOp, GridOp, LocalOp
from ...errors import Diagnostic
from ...ir import functions, where
from ..explicit.client import Branch, Call, Handler, Parallel, WalkClient
from ..explicit.compile import Compiled, compile_function
from ..explicit.events import queue_of, touches_memory
from .accesses import AccessRules
from .buffers import Buffers, Shards
from .calls import AccessedRegions
from .forks import Fork
from .kernel import ATTRIBUTE
from .memory import InFlightOp, MemoryState
from .paths import Paths
from .programs import ProgramsWalk
from .queues import InFlightInstructions, check_states
from .regions import NEVER, Buffer
from .rules import listed, refuse, shown
from .values import Values


class Walk(WalkClient):
    """Walker of a module's functions. Raises Diagnostic at the first step that breaks a rule."""

    def __init__(
        self,
        module: ModuleOp,
        levels: Mapping[str, Level],
        carried: Mapping[GridOp, Collection[int]] = {},
        *,
        tiles: bool = True,
        machine: Machine | None = None,
    ):
        """
        Begin; `levels` are ordered from far to near, `carried` has the operands that a grid's body reads besides its
        inputs.

        Without `tiles`, the operand tiles of kernels are not checked.
        """
        super().__init__()
        self._follows_tiles = tiles
        self._levels = levels
        self._symbols = {f.sym_name.data: f for f in functions(module)}
        self._globals = {g.sym_name.data: g for g in module.body.block.ops if isinstance(g, memref.GlobalOp)}
        self._code: dict[tuple[FuncOp, tuple[int, ...], bool], Compiled] = {}
        self._parts: list[Operation] = []
        """The kernels on tiles of the compiled functions."""
        kinds = {type(op): op for op in module.walk()}
        self._has_queues = any(queue_of(kind) is not None for kind in kinds)
        self._machine = machine
        if self._has_queues:
            check_states(kinds.values())
        self._rules = AccessRules(carried, tiles=tiles)

    def run(self, function: FuncOp) -> None:
        """Walk through a function from its beginning."""
        self.state = MemoryState()
        self.steps = self.state.steps
        self._buffers = Buffers(self.state, self._globals, self._levels)
        self._rules.begin(self.state)
        self._programs = ProgramsWalk(self.state, self._buffers, self._switch)
        if self._has_queues:
            machine = self._machine
            self.state.queues = InFlightInstructions(
                machine and machine.queues, machine.home.name if machine is not None else ""
            )
        self._launching: list[tuple[Attribute | None, AccessedRegions]] = []
        outputs = _outputs(function)
        values: list[Any] = []
        for index, argument in enumerate(function.body.block.args):
            name = f"%{argument.name_hint or f'arg{index}'}"
            memory = is_shaped(argument)
            values.append(self._buffers.new(name, argument.type, initial=index not in outputs) if memory else None)
        if self._follows_tiles and (named := Values(function, self.state)).are_stated:
            named.begin(values)
            self.state.values = named
        try:
            self._enter(function, values)
        except RecursionError as error:
            raise self.refuse(function, "the calls nest too deep to be walked through", str(error)) from error
        self._finish(function, [values[index] for index in outputs])
        if self.state.values is not None:
            self.state.values.finish(function, self.state.memories, values)

    def refuse(self, op: Operation, message: str, counterexample: str) -> Exception:
        return refuse("static", message, op, [counterexample])

    def _enter(self, function: FuncOp, values: Sequence[Any], *, by_data: bool = False) -> None:
        """Walk through a function, given its buffers, and its numbers or None where these depend on data."""
        static = tuple(index for index, value in enumerate(values) if value is not None)
        key = function, static, by_data
        if key not in self._code:
            self._code[key] = compile_function(function, static, self, by_data=by_data)
        call = self._rules.tiles.enter()
        try:
            self._code[key].walk(*values)
        except ZeroDivisionError as error:
            raise self.refuse(function, "an index is divided by zero", self.state.place()) from error
        self._rules.tiles.call = call

    def _finish(self, function: FuncOp, outputs: Sequence[Buffer]) -> None:
        for transfer in self.state.under_way:
            raise refuse(
                "token",
                "the transfer is never waited for",
                transfer.op,
                [f"address {transfer.target.low} of {transfer.target.memory.name}", shown(transfer.steps)],
            )
        if self.state.queues is not None:
            self.state.queues.finish()
        self._programs.finish()
        if self._follows_tiles:
            self._check_tiles()
        for buffer in outputs:
            missing = np.argwhere(buffer.writes == NEVER)
            if missing.size:
                element = [int(i) for i in missing[0][:-1]]
                message = f"the output {buffer.memory.name} is not written completely"
                raise refuse("complete", message, function, [f"element {listed(element)}"])
            self._rules.check_complete(function, buffer, f"the output {buffer.memory.name}")

    def _check_tiles(self) -> None:
        self._rules.tiles.check_covered()
        for op in self._parts:
            if op not in self._rules.facts:
                raise refuse("complete", f"'{op.name}' is a part of a kernel that is never run", op, ["element 0"])

    def ranged(self, op: Operation, low: int, high: int) -> Range:
        return Range(low, high - 1)

    # Memory

    def get_global(self, op: Operation) -> Handler:
        return lambda: self._buffers.of_global(cast(memref.GetGlobalOp, op))

    def alloc(self, op: Operation) -> Handler:
        return lambda *extents: self._buffers.allocated(op, extents)

    def view(self, op: Operation) -> Handler:
        if isinstance(op, LocalOp):

            def shard(shards: Shards | Buffer, *point: int) -> Buffer:
                return self._buffers.shard(op, shards, point)

            return shard

        def view(source: Buffer, *indices: int | None) -> Buffer:
            return self._buffers.view(op, source, indices)

        return view

    def access(self, op: Operation, effects: Effects) -> Handler:
        if ATTRIBUTE in op.attributes:
            self._parts.append(op)
        return self._rules.of(op, effects)

    # Control flow

    def branch(self, op: ForOp | IfOp | WhileOp) -> Branch:
        return Branch(
            lambda: self.state.paths.append(Paths()),
            lambda: self.state.paths[-1].exchange(),
            lambda: self.state.join_paths(op),
            lambda: self.state.end_paths(),
        )

    def parallel(self, op: ParallelOp) -> Parallel:
        rank = len(op.lowerBound)

        def iteration() -> None:
            self.state.forks[-1].begin(self.state.place(rank))

        return Parallel(lambda: self.state.forks.append(Fork()), iteration, lambda: self.state.forks.pop())

    def call(self, op: CallOp, static: Sequence[int], *, by_data: bool) -> Call:
        """Return the call of a function, whose steps are walked. Raises Diagnostic at one without a body."""
        name = op.callee.string_value()

        def enter(*values: Any) -> None:
            if name in self._symbols:
                self._enter(self._symbols[name], values, by_data=by_data)
            elif touches_memory(op):
                raise Diagnostic(f"the module defines no function '{name}' with a body", where=where(op))

        return Call(enter)

    # Concurrent programs

    def signal(self, op: Operation) -> Handler:
        return self._programs.signal(op)

    def programs(self, op: Operation) -> Handler:
        return lambda *bodies: self._programs.run(cast(ConcurrentOp, op), bodies)

    def _switch(self, steps: list[tuple[str, int]]) -> None:
        """Go on with another program, inside of these loops."""
        self.steps = self.state.steps = steps

    # Asynchronous accesses

    def launch(self, op: Operation) -> tuple[Handler, Handler]:
        trait = declared(type(op), Launches)
        assert trait is not None
        queue = trait.queue_of(op)

        def begin() -> None:
            accesses = AccessedRegions()
            self._launching.append((self.state.queue, accesses))
            self.state.queue = queue
            self.state.observers.append(accesses)

        def end() -> list[InFlightOp]:
            self.state.queue, accesses = self._launching.pop()
            self.state.observers.remove(accesses)
            transfers = [InFlightOp(op, tuple(self.steps or ()), *sides, queue=queue) for sides in accesses.pairs()]
            for transfer in transfers:
                self.state.begin(transfer)
            return transfers

        return begin, end

    def fence(self, op: Operation, queues: Collection[str]) -> Handler:
        def fence() -> None:
            if self.state.queues is not None:
                self.state.queues.fence(op, queues)

        return fence

    def wait(self, op: Operation) -> Handler:
        def wait(token: InFlightOp | list[InFlightOp] | None) -> None:
            if isinstance(token, list):
                self.state.joined(token)
            else:
                self.state.end(op, token)

        return wait


def _outputs(function: FuncOp) -> list[int]:
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    return [index for index, attrs in enumerate(attributes) if "tilewright.output" in attrs.data]
