"""Events of an explicit program on the schedule of a machine: the costs of kernels, copies, transfers and waits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from ...dialects.core.analysis.arithmetic import is_evaluated
from ...dialects.core.effect_traits import CopyEffects, DeclaredRange, Launches
from ...dialects.core.effects import Effects, declared, effects_of
from ...dialects.core.kernel import is_kernel, is_shaped
from ...dialects.hier import ConcurrentOp
from ...dialects.hier.capabilities import passes_of_transfer
from ...dialects.hier.programs import program_of
from ...errors import Diagnostic
from ...ir import node_names, shape_of, where
from ...passes.explicit.client import Call, Handler, Parallel, WalkClient
from ...passes.explicit.compile import Compiled, compile_function
from ...passes.explicit.events import Event, event_of_class, queue_of
from ...passes.explicit.transfers import TileTransfer, transfer_of
from ...passes.memory.views import MEMORY_VIEWS, bytes_of
from ...passes.timing.kernels import (
    Allocation,
    KernelCost,
    bank_conflict_cycles,
    cost_of_copy,
    cost_of_kernel,
    level_of,
)
from ...passes.timing.transfers import Descriptor, TransferCost, copy_over_link, link_between
from .in_flight import CompletionToken
from .instruction_cache import InstructionCache, code_key
from .lane_actions import LaneToken
from .lanes import Diverged, Lanes
from .programs import SimulatedPrograms
from .queues import SimulatedQueues
from .result import LayerCost, Nodes, StreamUse
from .rows import DramAddresses
from .schedule import Schedule


class _Launched(NamedTuple):
    """Token of a launched kernel."""

    layer: LayerCost
    cost: KernelCost


class Walker(WalkClient):
    """Client that reports the kernels and transfers of a module's function to a schedule."""

    def __init__(self, module: ModuleOp, schedule: Schedule):
        super().__init__()
        self.folds = True
        self._schedule = schedule
        self._machine = schedule.machine
        symbols = (op for op in module.body.block.ops if isinstance(op, func.FuncOp | memref.GlobalOp))
        self._symbols = {op.sym_name.data: op for op in symbols}
        self._code: dict[tuple[str, Nodes | None, StringAttr | None], Compiled] = {}
        self._nodes: Nodes | None = None
        """The nodes of the call whose function is being compiled."""
        self._engine: StringAttr | None = None
        """The engine of the program with this call."""
        self._launched: list[_Launched] = []
        self._programs = SimulatedPrograms(schedule, self._layer)
        self._addresses = DramAddresses(self._machine)
        self._cache = InstructionCache(self._machine.program)
        self._queues = SimulatedQueues(schedule, self._layer, self._cache.program.instruction)

    def restart(self, *, is_cold: bool) -> None:
        """
        Begin once more, at cycle 0 of an idle machine; what has been walked need not be compiled again.

        Where `is_cold`, the instruction cache holds none of the program's code.
        """
        for part in (self._schedule, self._programs, self._queues):
            part.restart()
        self._cache.restart(is_cold=is_cold)

    def streams(self) -> tuple[StreamUse, ...]:
        """Return the use of the streams of concurrent programs."""
        return self._programs.streams()

    def walk(self, name: str) -> None:
        """Walk a function from start to end. Raises Diagnostic for unsupported ops."""
        function = self._function(name)
        arguments = function.body.block.args
        said = cast("Sequence[DictionaryAttr]", function.arg_attrs or [DictionaryAttr({})] * len(arguments))
        places: list[Allocation] = []
        for argument, attributes in zip(arguments, said, strict=True):
            title = attributes.data.get("onnx.name")
            text = title.data if isinstance(title, StringAttr) else f"arg{argument.index}"
            places.append(Allocation(text, self._level(argument), -1))
        try:
            self._compiled(name).walk(*places)
        except ZeroDivisionError as error:
            raise Diagnostic(f"an index is divided by zero in '{name}'", where=where(function)) from error

    def _compiled(self, name: str) -> Compiled:
        """Return the walk of a function, whose ops are charged to the nodes of the call."""
        key = name, self._nodes, self._engine
        if key not in self._code:
            function = self._function(name)
            self._code[key] = compile_function(function, range(len(function.body.block.args)), self)
        return self._code[key]

    def _function(self, name: str) -> func.FuncOp:
        function = self._symbols.get(name)
        if not isinstance(function, func.FuncOp) or not function.body.blocks:
            raise Diagnostic(f"the module has no function '{name}' with a body", expected="a program to simulate")
        return function

    def _level(self, value: SSAValue) -> str:
        return level_of(value, self._machine.far.name)

    def _layer(self, op: Operation) -> LayerCost:
        return self._schedule.layer(self._nodes or _nodes_of(op))

    def _engine_of(self, op: Operation) -> StringAttr | None:
        """Return the engine of the program around an op, or around the call that leads there."""
        program = program_of(op)
        return self._engine if program is None else program.engine

    def refuse(self, op: Operation, message: str, counterexample: str) -> Exception:
        return Diagnostic(
            f"'{op.name}' cannot be simulated",
            where=where(op),
            expected="loops over kernels and transfers, index arithmetic, views of buffers",
            remedy="simulate the program before its kernels become loops (convert-kernels-to-loops)",
        )

    def unknown(self, op: Operation) -> int | None:
        if op.has_trait(DeclaredRange):
            # Tiles in the range cost the same, wherever they are.
            return DeclaredRange.of(op)[0]
        if _loads_index(op):
            # Row offsets do not affect the timing, so that any index does.
            return 0
        raise self.refuse(op, "", "")

    # Memory

    def get_global(self, op: Operation) -> Handler:
        assert isinstance(op, memref.GetGlobalOp)
        name = op.name_.string_value()
        place = Allocation(name, self._level(op.memref), 0 if self._is_memory(name) else -1)
        return lambda: place

    def _is_memory(self, name: str) -> bool:
        """Return whether a global is memory for views: an arena, or the memory of a level."""
        symbol = self._symbols.get(name)
        return isinstance(symbol, memref.GlobalOp) and "constant" not in symbol.properties

    def alloc(self, op: Operation) -> Handler:
        place = Allocation(_name_of(op), self._level(op.results[0]), -1)
        return lambda *_: place

    def view(self, op: Operation) -> Handler:
        if not isinstance(op, MEMORY_VIEWS):
            return _source
        level = self._level(op.result)
        far = level == self._machine.far.name
        # Views for tiles are unnamed in the IR; views for resident buffers have the name of their value.
        lasts = bytes_of(op.result.type) if not far and op.result.name_hint else 0
        title = _name_of(op)

        def view(place: Allocation, shift: int) -> Allocation:
            name = title if far or lasts else place.name
            return Allocation(name, level, place.address + shift if place.address >= 0 else -1, lasts)

        return view

    # Control flow

    def parallel(self, op: scf.ParallelOp) -> Parallel:
        if op.results:
            raise Diagnostic(
                "a parallel loop with reductions cannot be simulated",
                where=where(op),
                expected="iterations that write their results to memory",
            )
        return Parallel(self._schedule.fork, self._schedule.iteration, self._schedule.gather)

    def call(self, op: func.CallOp, static: Sequence[int], *, by_data: bool) -> Call:
        before = self._nodes, self._engine
        self._nodes, self._engine = node_names(op) or self._nodes or _nodes_of(op) or None, self._engine_of(op)
        callee = self._compiled(op.callee.string_value())
        self._nodes, self._engine = before
        return Call(callee.walk, callee.returned, callee.blocks)

    # Concurrent programs

    def signal(self, op: Operation) -> Handler:
        return self._programs.signal(op)

    def programs(self, op: Operation) -> Handler:
        return lambda *bodies: self._programs.run(cast(ConcurrentOp, op), bodies)

    # Kernels and transfers

    def access(self, op: Operation, effects: Effects) -> Handler:
        if (trait := queue_of(type(op))) is not None:
            return self._queues.issue(op, trait)
        if is_kernel(op):
            return self._kernel(op)
        if op.has_trait(DeclaredRange) or _loads_index(op):
            return _source
        if declared(type(op), CopyEffects) is not None:
            return self._copy(op, effects)
        if (transfer := transfer_of(op, effects)) is not None:
            return self._transfer(op, transfer)
        raise self.refuse(op, "", "")

    def _kernel(self, op: Operation) -> Handler:
        cost = cost_of_kernel(op, self._machine, self._engine_of(op))
        return self._run(
            op, cost, [is_shaped(value) for value in op.operands], bank_conflict_cycles(op, self._machine, cost.engine)
        )

    def _run(
        self,
        op: Operation,
        cost: KernelCost,
        shaped: Sequence[bool],
        conflict_cycles: Callable[[Sequence[Allocation]], int] | None = None,
    ) -> Handler:
        """
        Return the handler of a kernel: it runs, or is launched if it is inside of a launch.

        `conflict_cycles` are the cycles that it takes more, by the places of its operands.
        """
        layer, schedule = self._layer(op), self._schedule
        layer.first_engine = layer.first_engine or cost.engine
        around, launched = op.parent_op(), self._launched
        is_launched = around is not None and declared(type(around), Launches) is not None
        size = self._cache.program.launch if is_launched else self._cache.kernel_bytes(op)
        fetch = self._fetch(op, size)

        def run(*operands: Any) -> None:
            fetch(0)
            places = [place for place, is_place in zip(operands, shaped, strict=False) if is_place]
            late = conflict_cycles(places) if conflict_cycles is not None else 0
            taken = replace(cost, cycles=cost.cycles + late) if late else cost
            if is_launched:
                schedule.launch(layer, taken, places)
                launched.append(_Launched(layer, taken))
            else:
                schedule.run(layer, taken, places)

        return run

    def _fetch(self, op: Operation, size: int) -> Callable[[int], None]:
        """
        Return the action of the program before a call: it fetches the call and the function, and takes more cycles.

        `size` are the bytes of the function.
        """
        cache, schedule, layer = self._cache, self._schedule, self._layer(op)
        if not cache.is_modelled:
            return lambda cycles: None
        pieces = cache.add(op, cache.program.call), cache.add(code_key(op), size)
        return lambda cycles: schedule.control(layer, cycles + cache.cycles(pieces))

    def launch(self, op: Operation) -> tuple[Handler, Handler]:
        kernel = op.regions[0].block.first_op
        if kernel is None or not is_kernel(kernel):
            message = f"a launch of '{kernel.name if kernel is not None else op.name}' cannot be simulated"
            raise Diagnostic(message, where=where(op), remedy="simulate the program before outline-kernels")
        return lambda: None, self._launched.pop

    def fence(self, op: Operation, queues: Collection[str]) -> Handler:
        return self._queues.fence(op, queues)

    def wait(self, op: Operation) -> Handler:
        layer, schedule = self._layer(op), self._schedule
        waiting = self._cache.program.wait

        def wait(token: CompletionToken | _Launched | None) -> None:
            if isinstance(token, _Launched):
                schedule.join(token.layer, token.cost)
            else:
                schedule.wait(layer, token)
                schedule.control(layer, waiting)

        return wait

    def _copy(self, op: Operation, effects: Effects) -> Handler:
        source, target = effects.reads[0], effects.writes[0]
        if self._level(source) == self._level(target):
            return self._run(op, cost_of_copy(op, source, self._machine, self._engine_of(op)), [True, True])
        link, far, near, cost = copy_over_link(op, source, target, self._machine)
        outward = near is source
        sizes, schedule, layer = (bytes_of(far.type), bytes_of(near.type)), self._schedule, self._layer(op)
        opened = self._addresses.opened(far, near, (), is_outward=outward)

        def copy(source: Allocation, target: Allocation) -> None:
            ends = (target, source) if outward else (source, target)
            moved = opened(cost, [0] * len(shape_of(far)), *ends)
            schedule.wait(layer, schedule.start(layer, link, moved, *ends, sizes, outward))

        return copy

    def _transfer(self, op: Operation, transfer: TileTransfer) -> Handler:
        far, near, box, outward = transfer
        link = link_between(self._machine, self._level(transfer.source), self._level(transfer.target), op)
        descriptor = Descriptor(
            self._machine,
            link,
            far,
            shape_of(near),
            reads=not outward,
            near=near.type,
            repeated=transfer.repeated,
            is_clipped=box.clipped,
            passes=passes_of_transfer(op, link),
        )
        sizes, schedule, layer = (bytes_of(far.type), bytes_of(near.type)), self._schedule, self._layer(op)
        operands, programs = list(op.operands), self._programs
        opened = self._addresses.opened(far, near, transfer.repeated, is_outward=outward)
        fetch = self._fetch(op, self._cache.program.transfer)
        far_at, near_at, *offsets_at = (operands.index(cast(SSAValue, value)) for value in (far, near, *box.offsets))

        def start(*operands: Any) -> CompletionToken | LaneToken:
            places, offsets = (operands[far_at], operands[near_at]), [operands[at] for at in offsets_at]
            cost = opened(_cost_at(descriptor, offsets), offsets, *places)
            fetch(cost.issue)
            route = programs.route(link, *(places[::-1] if outward else places))
            return schedule.start(layer, link, cost, *places, sizes, outward, route)

        return start


def _nodes_of(op: Operation) -> Nodes:
    """Return the nodes that an op is from; those of a program without nodes are its name."""
    program = program_of(op)
    return node_names(op) or (() if program is None else (program.title.data,))


def _cost_at(descriptor: Descriptor, offsets: Sequence[Any]) -> TransferCost:
    """Return the cost of a tile. Raises Diverged where it is not the same for all lanes."""
    columns = [offset.values.tolist() for offset in offsets if isinstance(offset, Lanes)]
    if not columns:
        return descriptor.at(offsets)
    count = len(columns[0])
    rows = zip(
        *(offset.values.tolist() if isinstance(offset, Lanes) else [offset] * count for offset in offsets), strict=True
    )
    costs = list(map(descriptor.at, rows))
    kinds = list(dict.fromkeys(costs))
    if len(kinds) > 1:
        raise Diverged(np.array(list(map(kinds.index, costs))))
    return kinds[0]


def _source(source: Any, *_: Any) -> Any:
    """Return the place of a view: that of its source."""
    return source


def _loads_index(op: Operation) -> bool:
    """Return whether an op loads a value that is used as an index only."""
    return isinstance(op, memref.LoadOp) and (
        bool(op.res.uses) and all(isinstance(use.operation, arith.IndexCastOp) for use in op.res.uses)
    )


def _name_of(op: Operation) -> str:
    """Return the name of a buffer: the last node whose result it holds, else its name in the IR."""
    nodes = node_names(op)
    return nodes[-1] if nodes else op.results[0].name_hint or "buffer"


_CONTROL = (arith.ConstantOp, scf.ForOp, scf.IfOp, scf.ParallelOp, scf.YieldOp, scf.ReduceOp, func.ReturnOp)
_EVENTS = (
    Event.GET_GLOBAL,
    Event.ALLOC,
    Event.VIEW,
    Event.WAIT,
    Event.FENCE,
    Event.NOTHING,
    Event.CALL,
    Event.SIGNAL,
    Event.PROGRAMS,
)


def can_walk(op: Operation) -> bool:
    """Return whether the walker supports an op on buffers, regardless of its regions."""
    kind = type(op)
    event = event_of_class(kind)
    if event is Event.LAUNCH:
        return (kernel := op.regions[0].block.first_op) is not None and is_kernel(kernel)
    if kind in _CONTROL or event in _EVENTS or queue_of(kind) is not None or is_kernel(op) or _loads_index(op):
        return True
    around = op.parent_op()
    if around is not None and event_of_class(type(around)) is Event.PROGRAMS:
        return True
    if kind.has_trait(DeclaredRange):
        return True
    is_copy = declared(kind, CopyEffects) is not None
    return is_evaluated(kind) or is_copy or (event is None and transfer_of(op, effects_of(op)) is not None)
