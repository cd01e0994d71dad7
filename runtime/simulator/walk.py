"""
Translation of explicit programs to closures for simulation.

Only timing-relevant values are computed: indices, conditions, memory regions of buffers and tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects.core.analysis.arithmetic import evaluator, is_evaluated
from ...dialects.core.effect_traits import DeclaredRange
from ...dialects.core.kernel import is_kernel, is_shaped
from ...dialects.hier import DmaNoneOp, DmaStartOp, DmaWaitOp, JoinOp, LaunchOp
from ...errors import Diagnostic
from ...ir import node_names, shape_of, where
from ...passes.memory.transfers import Descriptor, link_between
from ...passes.memory.views import bytes_of
from .accounts import Place
from .kernels import cost_of_copy, cost_of_kernel, level_of
from .result import Nodes
from .schedule import Action, Schedule
from .values import Code, Values

_VIEWS = (
    memref.SubviewOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
    memref.MemorySpaceCastOp,
)


class Walker:
    """Walker of a module's function, which reports kernels and transfers to a schedule."""

    def __init__(self, module: ModuleOp, schedule: Schedule):
        self._schedule = schedule
        self._machine = schedule.machine
        symbols = (op for op in module.body.block.ops if isinstance(op, func.FuncOp | memref.GlobalOp))
        self._symbols = {op.sym_name.data: op for op in symbols}
        self._values = Values()
        self._nodes: Nodes | None = None

    def walk(self, name: str) -> None:
        """Walk a function from start to end. Raises Diagnostic for unsupported ops."""
        function = self._function(name)
        arguments = function.body.block.args
        said = cast("Sequence[DictionaryAttr]", function.arg_attrs or [DictionaryAttr({})] * len(arguments))
        for argument, attributes in zip(arguments, said, strict=True):
            title = attributes.data.get("onnx.name")
            text = title.data if isinstance(title, StringAttr) else f"arg{argument.index}"
            self._values.numbered[self._values.slot(argument)] = Place(text, self._level(argument), -1)
        try:
            for code in self._block(function.body.block)[0]:
                code(self._values.numbered)
        except ZeroDivisionError as error:
            raise Diagnostic(f"an index is divided by zero in '{name}'", where=where(function)) from error

    def _function(self, name: str) -> func.FuncOp:
        found = self._symbols.get(name)
        if not isinstance(found, func.FuncOp) or not found.body.blocks:
            raise Diagnostic(f"the module has no function '{name}' with a body", expected="a program to simulate")
        return found

    def _level(self, value: SSAValue) -> str:
        return level_of(value, self._machine.far.name)

    def _block(self, block: Block) -> tuple[list[Code], tuple[int, ...]]:
        """Return the code of a block, and the slots of its terminator's operands."""
        codes: list[Code] = []
        for op in block.ops:
            if type(op) in _ENDS:
                return codes, self._values.slots(op.operands)
            code = self._op(op)
            if code is not None:
                codes.append(code)
        return codes, ()

    def _op(self, op: Operation) -> Code | None:
        """Return the code of an op, None if it folds away."""
        rule = _RULES.get(type(op))
        if rule is not None:
            return rule(self, op)
        if op.has_trait(DeclaredRange):
            # Tiles in the range cost the same, wherever they are.
            return self._values.fix(op.results[0], DeclaredRange.of(op)[0])
        if isinstance(op, memref.LoadOp) and _is_index(op):
            # Row offsets do not affect the timing, so that any index does.
            return self._values.fix(op.res, 0)
        if is_kernel(op):
            return self._kernel(op)
        if (compute := evaluator(op)) is not None:
            return self._values.computed(op.results[0], op.operands, compute)
        raise Diagnostic(
            f"'{op.name}' cannot be simulated",
            where=where(op),
            expected="loops over kernels and transfers, index arithmetic, views of buffers",
            remedy="simulate the program before its kernels become loops (convert-kernels-to-loops)",
        )

    def _constant(self, op: arith.ConstantOp) -> None:
        value = op.value
        self._values.fix(op.result, value.value.data if isinstance(value, IntegerAttr) else value)

    def _global(self, op: memref.GetGlobalOp) -> None:
        name = op.name_.string_value()
        self._values.fix(op.memref, Place(name, self._level(op.memref), 0 if self._is_memory(name) else -1))

    def _is_memory(self, name: str) -> bool:
        """Return whether a global is memory for views: an arena, or the memory of a level."""
        found = self._symbols.get(name)
        return isinstance(found, memref.GlobalOp) and "constant" not in found.properties

    def _alloc(self, op: Operation) -> None:
        self._values.fix(op.results[0], Place(_name_of(op), self._level(op.results[0]), -1))

    def _view(self, op: memref.ViewOp) -> Code | None:
        level = self._level(op.result)
        far = level == self._machine.far.name
        # Views for tiles are unnamed in the IR; views for resident buffers have the name of their value.
        lasting = bytes_of(op.result.type) if not far and op.result.name_hint else 0
        title = _name_of(op)

        def compute(place: Place, shift: int) -> Place:
            name = title if far or lasting else place.name
            return Place(name, level, place.address + shift if place.address >= 0 else -1, lasting)

        return self._values.computed(op.result, (op.source, op.byte_shift), compute)

    def _same(self, op: Operation) -> Code | None:
        return self._values.same(op.results[0], op.operands[0])

    def _for(self, op: scf.ForOp) -> Code:
        low, high, step = self._values.slots((op.lb, op.ub, op.step))
        variable, *carried = self._values.slots(op.body.block.args)
        initial, results = self._values.slots(op.iter_args), self._values.slots(op.results)
        codes, yielded = self._block(op.body.block)

        def run(values: list[Any]) -> None:
            state = [values[slot] for slot in initial]
            for index in range(values[low], values[high], values[step]):
                values[variable] = index
                for slot, value in zip(carried, state, strict=True):
                    values[slot] = value
                for code in codes:
                    code(values)
                state = [values[slot] for slot in yielded]
            for slot, value in zip(results, state, strict=True):
                values[slot] = value

        return run

    def _parallel(self, op: scf.ParallelOp) -> Code:
        if op.results:
            raise Diagnostic(
                "a parallel loop with reductions cannot be simulated",
                where=where(op),
                expected="iterations that write their results to memory",
            )
        rank = len(op.lowerBound)
        bounds, variables = self._values.slots(op.operands), self._values.slots(op.body.block.args)
        (codes, _), schedule = self._block(op.body.block), self._schedule

        def run(values: list[Any]) -> None:
            low, high, step = (bounds[group * rank : (group + 1) * rank] for group in range(3))
            spans = [range(*(values[slot] for slot in axis)) for axis in zip(low, high, step, strict=True)]
            iterations: list[list[Action]] = []
            for point in product(*spans):
                for slot, index in zip(variables, point, strict=True):
                    values[slot] = index
                with schedule.iteration() as actions:
                    for code in codes:
                        code(values)
                iterations.append(actions)
            schedule.run_together(iterations)

        return run

    def _if(self, op: scf.IfOp) -> Code:
        condition, results = self._values.slot(op.cond), self._values.slots(op.results)
        sides = [self._side(region) for region in (op.false_region, op.true_region)]

        def run(values: list[Any]) -> None:
            codes, yielded = sides[bool(values[condition])]
            for code in codes:
                code(values)
            for slot, source in zip(results, yielded, strict=True):
                values[slot] = values[source]

        return run

    def _side(self, region: Region) -> tuple[list[Code], tuple[int, ...]]:
        return self._block(region.block) if region.blocks else ([], ())

    def _call(self, op: func.CallOp) -> Code:
        """Return the code of the callee, which is charged to the nodes of the call."""
        function = self._function(op.callee.string_value())
        before, self._nodes = self._nodes, node_names(op) or self._nodes
        with self._values.another_call():
            inner = self._values.slots(function.body.block.args)
            codes, yielded = self._block(function.body.block)
        self._nodes = before
        outer, results = self._values.slots(op.operands), self._values.slots(op.results)

        def run(values: list[Any]) -> None:
            for slot, source in zip(inner, outer, strict=True):
                values[slot] = values[source]
            for code in codes:
                code(values)
            for slot, source in zip(results, yielded, strict=True):
                values[slot] = values[source]

        return run

    def _nodes_of(self, op: Operation) -> Nodes:
        return self._nodes or node_names(op)

    def _kernel(self, op: Operation) -> Code:
        cost = cost_of_kernel(op, self._machine)
        layer = self._schedule.layer(self._nodes_of(op))
        layer.engine = layer.engine or cost.engine
        slots = self._values.slots([value for value in op.operands if is_shaped(value)])
        schedule = self._schedule

        def run(values: list[Any]) -> None:
            schedule.run(layer, cost, [values[slot] for slot in slots])

        return run

    def _launch(self, op: LaunchOp) -> Code:
        kernel = self._kernel_of(op)
        cost = cost_of_kernel(kernel, self._machine)
        layer = self._schedule.layer(self._nodes_of(kernel))
        layer.engine = layer.engine or cost.engine
        slots = self._values.slots([value for value in kernel.operands if is_shaped(value)])
        schedule = self._schedule

        def run(values: list[Any]) -> None:
            schedule.launch(layer, cost, [values[slot] for slot in slots])

        return run

    def _join(self, op: JoinOp) -> Code:
        kernel = self._kernel_of(cast(LaunchOp, op.token.owner))
        cost, schedule = cost_of_kernel(kernel, self._machine), self._schedule
        layer = schedule.layer(self._nodes_of(kernel))
        return lambda values: schedule.join(layer, cost)

    def _kernel_of(self, op: LaunchOp) -> Operation:
        if not is_kernel(op.kernel):
            message = f"a launch of '{op.kernel.name}' cannot be simulated"
            raise Diagnostic(message, where=where(op), remedy="simulate the program before outline-kernels")
        return op.kernel

    def _copy(self, op: memref.CopyOp) -> Code:
        source, target = self._values.slots(op.operands)
        schedule, layer = self._schedule, self._schedule.layer(self._nodes_of(op))
        if self._level(op.source) == self._level(op.destination):
            cost = cost_of_copy(op, self._machine)
            layer.engine = layer.engine or cost.engine
            return lambda values: schedule.run(layer, cost, [values[source], values[target]])
        link = link_between(self._machine, self._level(op.source), self._level(op.destination), op)
        outward = self._level(op.source) == link.near
        far, near = (op.destination, op.source) if outward else (op.source, op.destination)
        cost = Descriptor(self._machine, link, far, shape_of(near), reads=False).at([0] * len(shape_of(far)))
        places, sizes = self._values.slots((far, near)), (bytes_of(far.type), bytes_of(near.type))

        def run(values: list[Any]) -> None:
            ends = values[places[0]], values[places[1]]
            schedule.wait(layer, schedule.start(layer, link, cost, *ends, sizes, outward))

        return run

    def _start(self, op: DmaStartOp) -> Code:
        levels = self._level(op.far), self._level(op.near)
        outward = op.writes_far is not None
        source, target = levels[::-1] if outward else levels
        link = link_between(self._machine, source, target, op)
        descriptor = Descriptor(self._machine, link, op.far, shape_of(op.near), reads=not outward)
        sizes = bytes_of(op.far.type), bytes_of(op.near.type)
        far, near, *offsets = self._values.slots((op.far, op.near, *op.offsets))
        token, schedule = self._values.slot(op.token), self._schedule
        layer = schedule.layer(self._nodes_of(op))

        def run(values: list[Any]) -> None:
            cost = descriptor.at([values[slot] for slot in offsets])
            values[token] = schedule.start(layer, link, cost, values[far], values[near], sizes, outward)

        return run

    def _wait(self, op: DmaWaitOp) -> Code:
        token, schedule = self._values.slot(op.token), self._schedule
        layer = schedule.layer(self._nodes_of(op))
        return lambda values: schedule.wait(layer, values[token])

    def _none(self, op: DmaNoneOp) -> None:
        self._values.fix(op.token, None)


def _is_index(op: memref.LoadOp) -> bool:
    """Return whether a loaded value is used as an index only."""
    return bool(op.res.uses) and all(isinstance(use.operation, arith.IndexCastOp) for use in op.res.uses)


def _name_of(op: Operation) -> str:
    """Return the name of a buffer: the last node whose result it holds, else its name in the IR."""
    nodes = node_names(op)
    return nodes[-1] if nodes else op.results[0].name_hint or "buffer"


_Rules: TypeAlias = dict[type[Operation], Callable[[Walker, Any], Code | None]]


def _rules() -> _Rules:
    walker: Any = Walker
    rules: _Rules = {
        arith.ConstantOp: walker._constant,
        memref.GetGlobalOp: walker._global,
        memref.AllocOp: walker._alloc,
        memref.ViewOp: walker._view,
        memref.CopyOp: walker._copy,
        scf.ForOp: walker._for,
        scf.ParallelOp: walker._parallel,
        scf.IfOp: walker._if,
        func.CallOp: walker._call,
        DmaStartOp: walker._start,
        DmaWaitOp: walker._wait,
        DmaNoneOp: walker._none,
        LaunchOp: walker._launch,
        JoinOp: walker._join,
    }
    return rules | cast(_Rules, dict.fromkeys(_VIEWS, walker._same))


_RULES = _rules()
_ENDS = (scf.YieldOp, scf.ReduceOp, func.ReturnOp)


def can_walk(op: Operation) -> bool:
    """Return whether the walker supports an op on buffers, regardless of its regions."""
    kind = type(op)
    if kind is LaunchOp:
        return is_kernel(cast(LaunchOp, op).kernel)
    if kind is memref.LoadOp:
        return _is_index(cast(memref.LoadOp, op))
    return kind.has_trait(DeclaredRange) or kind in _RULES or is_evaluated(kind) or kind in _ENDS or is_kernel(op)
