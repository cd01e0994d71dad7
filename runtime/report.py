"""What a compiled network costs: memory, weights, work, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, OpResult, SSAValue

from ..dialects.core.kernel import is_kernel, is_shaped
from ..ir import node_names
from ..passes.core.manager import Observer, Place
from ..passes.core.pipeline import Pipeline
from ..passes.memory.views import bytes_of


class ReportObserver(Observer):
    """Keeps the report of the last phase after which the network was planned: a list of calls of kernels."""

    def __init__(self) -> None:
        self._nodes: list[str] = []
        self.content: dict[str, Any] = {}

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self._nodes = graph_nodes(module)

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        if not place.ends_phase:
            return
        report = network_report(module)
        if not report:
            return
        present = {node for layer in report["layers"] for node in layer["nodes"]}
        folded = [node for node in self._nodes if node not in present]
        self.content = {"nodes": len(self._nodes), **report, "folded": folded}


def graph_nodes(module: ModuleOp) -> list[str]:
    """Return the names of the ONNX nodes of a module at the graph level, constants aside, in order."""
    ops = (op for op in module.walk() if op.name.startswith("onnx.") and op.name != "onnx.Constant")
    return list(dict.fromkeys(name for op in ops for name in node_names(op)))


def network_report(module: ModuleOp, function: str = "network") -> dict[str, Any]:
    """
    Return the report of a planned network, empty where the module holds none.

    Sizes are bytes. `arena` has the static memory and who is alive where most of it is needed; `layers` a row per
    call of a kernel, in order: kernel, ONNX nodes, multiply-accumulates, and the operands; docs/tilewright.md has all.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    network = functions.get(function)
    if network is None or not network.body.blocks:
        return {}
    ops = list(network.walk())
    if any(isinstance(op, memref.AllocOp | memref.CopyOp) or is_kernel(op) for op in ops):
        return {}
    calls = [op for op in ops if isinstance(op, func.CallOp) and "macs" in op.attributes]
    names = _Names(network)
    layers = [_layer(call, names) for call in calls]
    return {
        "arena": _arena(module, ops, names),
        "near": _near_memories(module),
        "weights_bytes": _weights(module),
        **_state(module),
        "macs": sum(layer["macs"] for layer in layers),
        "kernels": len({layer["kernel"] for layer in layers}),
        "layers": layers,
    }


class _Names:
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
            if isinstance(op, memref.GetGlobalOp):
                self._names[op.memref] = op.name_.string_value()
                self._taken.add(op.name_.string_value())
            elif _is_planned(op):
                self._add(op.results[0], op.results[0].name_hint or "buffer")

    def _add(self, value: SSAValue, name: str) -> None:
        numbered = (name if number == 1 else f"{name}#{number}" for number in range(1, len(self._taken) + 2))
        self._names[value] = next(each for each in numbered if each not in self._taken)
        self._taken.add(self._names[value])

    def of(self, value: SSAValue) -> str:
        while value not in self._names:
            assert isinstance(value, OpResult)
            value = value.op.operands[0]
        return self._names[value]


def _is_planned(op: Operation) -> bool:
    return isinstance(op, memref.ViewOp) and "tilewright.lifetime" in op.attributes


def _layer(call: func.CallOp, names: _Names) -> dict[str, Any]:
    macs = cast("IntegerAttr[Any]", call.attributes["macs"]).value.data * _times(call)
    buffers = [value for value in call.arguments if is_shaped(value)]
    operands = [{"name": names.of(value), "bytes": bytes_of(value.type)} for value in buffers]
    return {"kernel": call.callee.string_value(), "nodes": list(node_names(call)), "macs": macs, "operands": operands}


def _times(call: Operation) -> int:
    """Return how many times the loops around an op run it."""
    parent = call.parent_op()
    if parent is None:
        return 1
    return _times(parent) * (_trips(parent) if isinstance(parent, scf.ForOp) else 1)


def _trips(loop: scf.ForOp) -> int:
    """Return how many turns a loop has, 1 where that depends on data."""
    bounds = [bound.owner for bound in (loop.lb, loop.ub, loop.step)]
    known = [_number(op) for op in bounds if isinstance(op, arith.ConstantOp)]
    return len(range(*known)) if len(known) == len(bounds) else 1


def _number(op: arith.ConstantOp) -> int:
    return cast("IntegerAttr[Any]", op.value).value.data


def _near_memories(module: ModuleOp) -> dict[str, int]:
    """Return the bytes that tiles need in each near level."""
    definitions = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp)]
    spaces = [(op.type.memory_space, bytes_of(op.type)) for op in definitions]
    return {space.data: size for space, size in spaces if isinstance(space, StringAttr)}


def _weights(module: ModuleOp) -> int:
    definitions = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp)]
    weights = [op for op in definitions if isinstance(op.initial_value, DenseIntOrFPElementsAttr)]
    return sum(bytes_of(op.type) for op in weights if not _is_state(op))


def _is_state(op: memref.GlobalOp) -> bool:
    return "tilewright.state" in op.attributes


def _state(module: ModuleOp) -> dict[str, int]:
    """Return the bytes that outlive a call, where there are any."""
    definitions = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and _is_state(op)]
    return {"state_bytes": sum(bytes_of(op.type) for op in definitions)} if definitions else {}


def _arena(module: ModuleOp, ops: Sequence[Operation], names: _Names) -> dict[str, Any]:
    """Return the arena's size, its lower bound, and the buffers that are alive at the fullest step."""
    definition = next((op for op in module.body.block.ops if "tilewright.arena" in op.attributes), None)
    if not isinstance(definition, memref.GlobalOp):
        return {"bytes": 0, "lower_bound": 0, "alive_at_peak": []}
    buffers = [_buffer(cast(memref.ViewOp, op), names) for op in ops if _is_planned(op)]
    fullest = max((b["first"] for b in buffers), key=lambda step: _total(_alive(buffers, step)), default=0)
    return {
        "bytes": bytes_of(definition.type),
        "lower_bound": cast("IntegerAttr[Any]", definition.attributes["tilewright.peak"]).value.data,
        "alive_at_peak": [
            {key: b[key] for key in ("name", "nodes", "offset", "bytes")} for b in _alive(buffers, fullest)
        ],
    }


def _alive(buffers: list[dict[str, Any]], step: int) -> list[dict[str, Any]]:
    return [b for b in buffers if b["first"] <= step <= b["last"]]


def _total(buffers: list[dict[str, Any]]) -> int:
    return sum(b["bytes"] for b in buffers)


def _buffer(view: memref.ViewOp, names: _Names) -> dict[str, Any]:
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
