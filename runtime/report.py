"""What a compiled network costs: memory, weights, work, layer by layer."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, OpResult, SSAValue

from ..ir import node_names
from ..passes.core.manager import Observer, Place
from ..passes.core.views import bytes_of


class ReportObserver(Observer):
    """Keeps the report of the last module in which the network was planned: a list of calls of kernels."""

    def __init__(self) -> None:
        self.content: dict[str, Any] = {}

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        self.content = network_report(module) or self.content


def network_report(module: ModuleOp, function: str = "network") -> dict[str, Any]:
    """
    Return the report of a planned network, empty where the module holds none.

    Sizes are bytes. `arena` has the static memory and who is alive where most of it is needed; `layers` a row per
    call of a kernel, in order: kernel, ONNX nodes, multiply-accumulates, and the bytes of each operand.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    network = functions.get(function)
    if network is None or not network.body.blocks:
        return {}
    calls = [op for op in network.body.block.ops if isinstance(op, func.CallOp)]
    if not calls or not all("macs" in call.attributes for call in calls):
        return {}
    layers = [_layer(call) for call in calls]
    return {
        "arena": _arena(module, network),
        "weights_bytes": _weights(module),
        "kernels": len({str(call.callee.string_value()) for call in calls}),
        "macs": sum(layer["macs"] for layer in layers),
        "layers": layers,
    }


def _layer(call: func.CallOp) -> dict[str, Any]:
    macs = cast("IntegerAttr[Any]", call.attributes["macs"]).value.data
    operands = [{"name": _name(value), "bytes": bytes_of(value.type)} for value in call.arguments]
    return {"kernel": call.callee.string_value(), "nodes": list(node_names(call)), "macs": macs, "operands": operands}


def _name(value: SSAValue) -> str:
    if isinstance(value, OpResult) and isinstance(value.op, memref.GetGlobalOp):
        return value.op.name_.string_value()
    return value.name_hint or f"%{value.index if hasattr(value, 'index') else 0}"  # pyright: ignore


def _weights(module: ModuleOp) -> int:
    definitions = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp)]
    return sum(bytes_of(op.type) for op in definitions if isinstance(op.initial_value, DenseIntOrFPElementsAttr))


def _arena(module: ModuleOp, network: func.FuncOp) -> dict[str, Any]:
    """Return the arena's size, its lower bound, and the buffers that are alive at the fullest step."""
    definition = next((op for op in module.body.block.ops if "tilewright.arena" in op.attributes), None)
    if not isinstance(definition, memref.GlobalOp):
        return {"bytes": 0, "lower_bound": 0, "alive_at_peak": []}
    views = [
        op for op in network.body.walk() if isinstance(op, memref.ViewOp) and "tilewright.lifetime" in op.attributes
    ]
    buffers = [_buffer(view) for view in views]
    fullest = max(
        (b["first"] for b in buffers), key=lambda step: sum(b["bytes"] for b in _alive(buffers, step)), default=0
    )
    return {
        "bytes": bytes_of(definition.type),
        "lower_bound": cast("IntegerAttr[Any]", definition.attributes["tilewright.peak"]).value.data,
        "alive_at_peak": [
            {"name": b["name"], "nodes": b["nodes"], "offset": b["offset"], "bytes": b["bytes"]}
            for b in _alive(buffers, fullest)
        ],
    }


def _alive(buffers: list[dict[str, Any]], step: int) -> list[dict[str, Any]]:
    return [b for b in buffers if b["first"] <= step <= b["last"]]


def _buffer(view: memref.ViewOp) -> dict[str, Any]:
    first, _, last = cast(StringAttr, view.attributes["tilewright.lifetime"]).data.partition("..")
    return {
        "name": _name(view.result),
        "nodes": list(node_names(view)),
        "offset": _constant(view.byte_shift.owner),
        "bytes": bytes_of(view.result.type),
        "first": int(first),
        "last": int(last),
    }


def _constant(op: Any) -> int:
    assert isinstance(op, Operation)
    return cast("IntegerAttr[Any]", op.properties["value"]).value.data
