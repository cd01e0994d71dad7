"""Cost of a compiled network: memory by level, weights, stack, modelled time, and work layer by layer."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import itemgetter
from types import UnionType
from typing import Any, cast

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Operation, OpResult, SSAValue

from ..dialects import emitc
from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.kernel import is_kernel, is_shaped
from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.core.work import multiply_accumulates
from ..dialects.hier import DmaStartOp, GridOp, LaunchOp
from ..dialects.onnx.schema import is_constant
from ..ir import node_names
from ..passes.core.manager import Observer, PassPosition
from ..passes.core.pipeline import Pipeline
from ..passes.emitc.sharing import spare_memories
from ..passes.emitc.text.stack import stack_bound
from ..passes.memory.views import bytes_of
from .simulator.explicit import is_explicit, outside_kernels
from .simulator.simulate import CallCycles, call_cycles, expanded


class ReportObserver(Observer):
    """
    Report of a network that is being compiled.

    Its work is that of the last phase that leaves all of it as kernels, in functions or not; its memory that of the
    last phase after which every buffer has a place; its time that of the last phase after which the program can be
    simulated as it is; its stack that of the C. Without `has_cycles`, nothing is simulated.
    """

    def __init__(self, *, has_cycles: bool = True) -> None:
        self._has_cycles = has_cycles
        self._nodes: list[str] = []
        self._layers: list[dict[str, Any]] = []
        self._cycles: CallCycles | None = None
        self.content: dict[str, Any] = {}

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self._nodes = graph_nodes(module)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if not place.ends_phase:
            return
        network = _network(module)
        if network is not None:
            self._see(module, network)
        elif self.content and any(isinstance(op, emitc.FuncOp) for op in module.body.block.ops):
            self.content["stack_bytes"] = stack_bound(module)

    def _see(self, module: ModuleOp, network: func.FuncOp) -> None:
        """Report the network as a phase has left it, once it is on buffers."""
        ops = nested_ops(network)
        if any(isinstance(result.type, TensorType) for op in ops for result in op.results):
            return
        names = _BufferNames(network)
        self._layers = _latest(self._layers, network, names)
        if not _has(memref.AllocOp, ops):
            self._cycles = _modelled_cycles(module, self._cycles) if self._has_cycles else None
            self.content = self._report(module, _arena(module, ops, names))

    def _report(self, module: ModuleOp, arena: dict[str, Any]) -> dict[str, Any]:
        present = {node for layer in self._layers for node in layer["nodes"]}
        levels = _levels(module)
        weights, arena_bytes, state = (sum(map(itemgetter(kind), levels)) for kind in ("weights", "arena", "state"))
        return {
            "nodes": len(self._nodes),
            "arena": {"bytes": arena_bytes, **arena},
            "levels": levels,
            "weights_bytes": weights,
            **({"state_bytes": state} if state else {}),
            "flash": {"weights": weights, "code": None},
            "stack_bytes": None,
            "modelled_cycles": self._cycles and self._cycles.warm,
            "modelled_cold_cycles": self._cycles and self._cycles.cold,
            "macs": sum(map(itemgetter("macs"), self._layers)),
            "kernels": len(set(map(itemgetter("kernel"), self._layers))),
            "layers": self._layers,
            "folded": [node for node in self._nodes if node not in present],
        }


def graph_nodes(module: ModuleOp) -> list[str]:
    """Return the names of the ONNX nodes of a module at the graph level, constants aside, in order."""
    ops = (op for op in nested_ops(module) if op.name.startswith("onnx.") and not is_constant(op))
    return list(dict.fromkeys(name for op in ops for name in node_names(op)))


def _network(module: ModuleOp) -> func.FuncOp | None:
    """Return the network, None where it is C or has no body."""
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    network = functions.get("network")
    return network if network is not None and network.body.blocks else None


def _has(kinds: type[Operation] | UnionType, ops: list[Operation]) -> bool:
    """Return whether any op is of a class."""
    return any(issubclass(kind, kinds) for kind in set(map(type, ops)))


def _layers(network: func.FuncOp, names: _BufferNames) -> list[dict[str, Any]]:
    """Return a row per kernel, or call of one, in order."""
    return [_layer(op, names) for op in outside_kernels(network) if _is_work(op)]


def _latest(before: list[dict[str, Any]], network: func.FuncOp, names: _BufferNames) -> list[dict[str, Any]]:
    """Return the rows of a network, or those `before` where these are of functions, or where work has been lost."""
    if before and all("." not in layer["kernel"] for layer in before):
        return before
    after = _layers(network, names)
    return before if _is_work_lost(before, after) else after


def _is_work_lost(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> bool:
    """Return whether a node has fewer multiply-accumulates than before, or no kernel any more."""
    old, new = _work_of_nodes(before), _work_of_nodes(after)
    return any(new.get(node, -1) < macs for node, macs in old.items())


def _work_of_nodes(layers: list[dict[str, Any]]) -> dict[str, int]:
    work: dict[str, int] = {}
    for layer in layers:
        # Copies may become transfers, which are no work.
        for node in layer["nodes"] if layer["kernel"] != memref.CopyOp.name else ():
            work[node] = work.get(node, 0) + layer["macs"]
    return work


def _is_work(op: Operation) -> bool:
    return is_kernel(op) or type(op) is memref.CopyOp or (type(op) is func.CallOp and "macs" in op.attributes)


def _modelled_cycles(module: ModuleOp, before: CallCycles | None) -> CallCycles | None:
    """Return the cycles of a program on its machine, or those `before` where it cannot be simulated as it is."""
    ops = nested_ops(module)
    if ATTRIBUTE not in module.attributes or _has(GridOp, ops):
        return before
    if before is not None and not _has(DmaStartOp | LaunchOp, ops):
        return before  # kernels one after the other take as long in functions as outside
    if not is_explicit(module):
        return before
    return call_cycles(expanded(module), "network", machine_of(module))


class _BufferNames:
    """The names of a network's buffers, each of which has one of its own; views have that of what they show."""

    def __init__(self, network: func.FuncOp) -> None:
        self._names: dict[SSAValue, str] = {}
        self._taken: set[str] = set()
        arguments = network.body.block.args
        said = network.arg_attrs or ArrayAttr([DictionaryAttr({}) for _ in arguments])
        for argument, attributes in zip(arguments, said, strict=True):
            name = attributes.data.get("onnx.name")
            self._add(argument, name.data if isinstance(name, StringAttr) else f"arg{argument.index}")
        for op in network.body.block.ops:
            if type(op) is memref.GetGlobalOp:
                self._names[op.memref] = op.name_.string_value()
                self._taken.add(op.name_.string_value())
            elif _is_planned(op):
                self._add(op.results[0], op.results[0].name_hint or "buffer")

    def _add(self, value: SSAValue, name: str) -> None:
        numbered = (name if number == 1 else f"{name}#{number}" for number in range(1, len(self._taken) + 2))
        self._names[value] = next(candidate for candidate in numbered if candidate not in self._taken)
        self._taken.add(self._names[value])

    def of(self, value: SSAValue) -> str:
        while value not in self._names and isinstance(value, OpResult) and value.op.operands:
            value = value.op.operands[0]
        return self._names.get(value) or value.name_hint or "buffer"


def _is_planned(op: Operation) -> bool:
    return "tilewright.lifetime" in op.attributes and isinstance(op, memref.ViewOp)


def _layer(op: Operation, names: _BufferNames) -> dict[str, Any]:
    """Return the row of a kernel, or of the call of a function that is one."""
    kernel, macs = op.name, multiply_accumulates(op)
    if isinstance(op, func.CallOp):
        kernel, macs = op.callee.string_value(), cast("IntegerAttr[Any]", op.attributes["macs"]).value.data
    buffers = [value for value in op.operands if is_shaped(value)]
    operands = [{"name": names.of(value), "bytes": bytes_of(value.type)} for value in buffers]
    return {"kernel": kernel, "nodes": list(node_names(op)), "macs": macs * _times(op), "operands": operands}


def _times(op: Operation) -> int:
    """Return the trip count of an op: the product over the loops and grids around it."""
    parent = op.parent_op()
    return 1 if parent is None else _times(parent) * _trip_count(parent)


def _trip_count(op: Operation) -> int:
    """Return the trip count of a loop or grid, 1 where it depends on data."""
    match op:
        case GridOp():
            return prod(op.bounds)
        case scf.ForOp():
            return _trips(op.lb, op.ub, op.step)
        case scf.ParallelOp():
            return prod(map(_trips, op.lowerBound, op.upperBound, op.step))
        case _:
            return 1


def _trips(*bounds: SSAValue) -> int:
    constants = [number for value in bounds if (number := constant_integer(value)) is not None]
    return len(range(*constants)) if len(constants) == len(bounds) else 1


def _levels(module: ModuleOp) -> list[dict[str, Any]]:
    """
    Return a row per level of the machine: its size, and the bytes of static memory, weights and state in it.

    Memories that functions of one module share count once.

    A module without a machine has one of unknown size, and those that its types name.
    """
    sizes: dict[str, int | None] = {"memory": None}
    if ATTRIBUTE in module.attributes:
        sizes = {level.name: level.size for level in machine_of(module).levels}
    far = next(iter(sizes))
    used = {name: {"arena": 0, "weights": 0, "state": 0} for name in sizes}
    spare = spare_memories(module)
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp) and op not in spare:
            space = getattr(op.type, "memory_space", None)
            level = space.data if isinstance(space, StringAttr) else far
            used.setdefault(level, {"arena": 0, "weights": 0, "state": 0})[_kind(op)] += bytes_of(op.type)
    return [{"name": name, "size": sizes.get(name), **counts} for name, counts in used.items()]


def _kind(op: memref.GlobalOp) -> str:
    if "tilewright.state" in op.attributes:
        return "state"
    return "weights" if isinstance(op.initial_value, DenseIntOrFPElementsAttr) else "arena"


def _arena(module: ModuleOp, ops: list[Operation], names: _BufferNames) -> dict[str, Any]:
    """Return the least bytes of the buffers in arenas, and those alive at the fullest step of each arena."""
    arenas = [op for op in module.body.block.ops if "tilewright.arena" in op.attributes]
    views = [cast(memref.ViewOp, op) for op in ops if _is_planned(op)]
    alive: list[dict[str, Any]] = []
    for arena in arenas:
        symbol = cast(memref.GlobalOp, arena).sym_name.data
        buffers = [_buffer(view, names) for view in views if _symbol(view) == symbol]
        alive += _alive(buffers, _fullest(buffers))
    peaks = [cast("IntegerAttr[Any]", arena.attributes["tilewright.peak"]).value.data for arena in arenas]
    shown: list[dict[str, Any]] = []
    for buffer in alive:
        shown.append({key: buffer[key] for key in ("name", "nodes", "offset", "bytes")})
    return {"lower_bound": sum(peaks), "alive_at_peak": shown}


def _symbol(view: memref.ViewOp) -> str:
    """Return the symbol of the arena of a buffer."""
    return cast(memref.GetGlobalOp, view.source.owner).name_.string_value()


def _fullest(buffers: list[dict[str, Any]]) -> int:
    """Return the step with the most bytes alive: where several have as many, that of the first buffer among them."""
    change: list[int] = [0] * (max((b["last"] for b in buffers), default=-1) + 2)
    for b in buffers:
        change[b["first"]] += b["bytes"]
        change[b["last"] + 1] -= b["bytes"]
    alive = list(accumulate(change))
    return max((b["first"] for b in buffers), key=alive.__getitem__, default=0)


def _alive(buffers: list[dict[str, Any]], step: int) -> list[dict[str, Any]]:
    return [b for b in buffers if b["first"] <= step <= b["last"]]


def _buffer(view: memref.ViewOp, names: _BufferNames) -> dict[str, Any]:
    first, _, last = cast(StringAttr, view.attributes["tilewright.lifetime"]).data.partition("..")
    offset = cast(Operation, view.byte_shift.owner).properties["value"]
    return {
        "name": names.of(view.result),
        "nodes": list(node_names(view)),
        "offset": cast("IntegerAttr[Any]", offset).value.data,
        "bytes": bytes_of(view.result.type),
        "first": int(first),
        "last": int(last),
    }
