"""
The sub-graph of a stage as an ONNX model, for a vendor's compiler: a part of the network's own model.

The tensors at the cut are found by the names of nodes that ops carry as their locations.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, shape_inference
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....errors import Diagnostic
from ....ir import functions, node_names, numpy_type, where
from .subgraph import Subgraph, SubgraphPort

_NAME = "onnx.name"


@dataclass(frozen=True)
class ModelPart:
    """A part of an ONNX model, with the tensors that its inputs and outputs are, in the order of the stage's ports."""

    model: ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return the model as a file: equal bytes for equal cuts."""
        return self.model.SerializeToString(deterministic=True)


def read_model(path: Path) -> ModelProto:
    """Return a model with its external data, and with the element types and shapes of all tensors that ONNX infers."""
    return shape_inference.infer_shapes(cast(Any, onnx).load(path), data_prop=True)


def cut_model(model: ModelProto, module: ModuleOp, subgraph: Subgraph) -> ModelPart:
    """
    Return the part of a model that a stage on tensors computes, as `read_model` gives it.

    Raises Diagnostic where a tensor at the cut, or its element type, is unknown: then an op between stages came of no
    node, or of another model.
    """
    if subgraph.function.body.block.args and not subgraph.function.function_type.outputs.data:
        raise Diagnostic(
            f"stage {subgraph.name} is on buffers, from which no part of the model is cut",
            where=where(subgraph.function),
            expected="a function on tensors",
            remedy="write artefacts after outline-stages, before bufferize",
        )
    names = _TensorNames(model)
    inputs = [_input(names, module, subgraph, index, port) for index, port in enumerate(subgraph.inputs)]
    outputs = [
        names.tensor(value, port, subgraph)
        for value, port in zip(_returned(subgraph.function), subgraph.outputs, strict=True)
    ]
    nodes = list(reversed(list(_needed(model, inputs, outputs, subgraph))))
    used = {name for node in nodes for name in _used(node)}
    declared_inputs = [names.declared(name, port, subgraph) for name, port in zip(inputs, subgraph.inputs, strict=True)]
    declared_outputs = [
        names.declared(name, port, subgraph) for name, port in zip(outputs, subgraph.outputs, strict=True)
    ]
    constants = [tensor for tensor in model.graph.initializer if tensor.name in used]
    graph = helper.make_graph(nodes, subgraph.name, declared_inputs, declared_outputs, constants)
    part = helper.make_model(graph, opset_imports=model.opset_import, functions=model.functions)
    part.ir_version = model.ir_version
    return ModelPart(part, tuple(inputs), tuple(outputs))


class _TensorNames:
    """The tensors of a model, by the names of the nodes that compute them."""

    def __init__(self, model: ModelProto):
        graph = model.graph
        self.order = {name: index for index, node in enumerate(graph.node) for name in node.output}
        self.of_node: dict[str, list[str]] = {}
        for index, node in enumerate(graph.node):
            # The importer names nodes without a name alike.
            self.of_node.setdefault(node.name or f"{node.op_type}_{index}", []).extend(filter(None, node.output))
        infos = (*graph.input, *graph.value_info, *graph.output)
        self.types = {info.name: info.type.tensor_type for info in infos}
        self.inputs = {info.name for info in graph.input}

    def tensor(self, value: SSAValue, port: SubgraphPort, subgraph: Subgraph) -> str:
        """Return the tensor that a value is: of those that its op's nodes compute the last one of its size."""
        owner = value.owner
        nodes = node_names(owner) if isinstance(owner, Operation) else ()
        computed = [name for node in nodes for name in self.of_node.get(node, ())]
        fitting = [name for name in computed if self._elements(name) in (None, prod(port.shape))]
        if not fitting:
            raise Diagnostic(
                f"the model has no tensor for {port.name} of stage {subgraph.name}",
                where=where(owner) if isinstance(owner, Operation) else where(subgraph.function),
                expected=f"a node of the model that computes {'x'.join(map(str, port.shape)) or 'a scalar'}",
                found=", ".join(nodes) or "an op without the name of a node",
                remedy="cut the network between other layers, or use the reference plug-in",
            )
        return max(fitting, key=self.order.__getitem__)

    def _elements(self, name: str) -> int | None:
        dims = self._dims(name)
        return None if dims is None or None in dims else prod(cast("list[int]", dims))

    def _dims(self, name: str) -> list[int | None] | None:
        kind = self.types.get(name)
        if kind is None or not kind.HasField("shape"):
            return None
        return [size.dim_value if size.HasField("dim_value") else None for size in kind.shape.dim]

    def declared(self, name: str, port: SubgraphPort, subgraph: Subgraph) -> ValueInfoProto:
        """Return a tensor at the cut with the model's element type, and its shape where that is static."""
        kind = self.types.get(name)
        if kind is None or kind.elem_type == TensorProto.UNDEFINED:
            raise Diagnostic(
                f'ONNX infers no element type of tensor "{name}", at which stage {subgraph.name} is cut',
                where=where(subgraph.function),
                remedy="run onnx.shape_inference on the model, or cut the network between other layers",
            )
        dims = self._dims(name)
        shape = port.shape if dims is None or None in dims else cast("list[int]", dims)
        return helper.make_tensor_value_info(name, kind.elem_type, shape)


def _input(names: _TensorNames, module: ModuleOp, subgraph: Subgraph, index: int, port: SubgraphPort) -> str:
    """Return the tensor of the input of a stage: of the network, or a result of an earlier stage."""
    value = _operand(module, subgraph, index)
    if not isinstance(value.owner, func.CallOp):
        return _network_input(value, names, subgraph)
    stage = next(
        function for function in functions(module) if function.sym_name.data == value.owner.callee.string_value()
    )
    returned = _returned(stage)[list(value.owner.results).index(cast(Any, value))]
    return names.tensor(returned, port, subgraph)


def _operand(module: ModuleOp, subgraph: Subgraph, index: int) -> SSAValue:
    calls = (op for function in functions(module) for op in function.body.block.ops if isinstance(op, func.CallOp))
    return next(call.arguments[index] for call in calls if call.callee.string_value() == subgraph.name)


def _network_input(value: SSAValue, names: _TensorNames, subgraph: Subgraph) -> str:
    argument = cast(BlockArgument, value)
    said = cast(FuncOp, argument.block.parent_op()).arg_attrs
    name_attr = said.data[argument.index].data.get(_NAME) if said is not None else None
    name = name_attr.data if isinstance(name_attr, StringAttr) else value.name_hint or ""
    if name not in names.inputs:
        raise Diagnostic(
            f'the model has no input "{name}", which stage {subgraph.name} takes',
            where=where(subgraph.function),
            expected=", ".join(sorted(names.inputs)),
            remedy="give the model from which the network was imported",
        )
    return name


def _returned(function: FuncOp) -> Sequence[SSAValue]:
    last = function.body.block.last_op
    assert last is not None
    return last.operands


def _needed(
    model: ModelProto, inputs: Sequence[str], outputs: Sequence[str], subgraph: Subgraph
) -> Iterator[NodeProto]:
    """Yield the nodes between the tensors of a cut, the last one first. Raises Diagnostic for a cut that is open."""
    wanted, graph_inputs = set(outputs) - set(inputs), {value.name for value in model.graph.input}
    for node in reversed(model.graph.node):
        if wanted.isdisjoint(node.output):
            continue
        wanted = (wanted | set(_used(node))) - set(inputs)
        yield node
    initial = {tensor.name for tensor in model.graph.initializer}
    if opened := sorted((wanted & graph_inputs) - initial):
        raise Diagnostic(
            f"stage {subgraph.name} is no part of the model between its inputs and outputs",
            where=where(subgraph.function),
            expected=f"inputs {', '.join(inputs)}",
            found=f"a path from {', '.join(opened)}",
            remedy="cut the network between other layers, or use the reference plug-in",
        )


def _used(node: NodeProto) -> Iterator[str]:
    """Yield the tensors that a node reads, in the graphs that it holds too."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _used(inner)


def described_ports(cut: ModelPart, subgraph: Subgraph) -> str:
    """
    Return the ports of a stage, and the types and shapes that the model has at its cut, as JSON for worker.py.

    Raises Diagnostic where a stage has other elements than the model, such as i8 for float32; their sign may differ.
    """
    infos = {info.name: info.type.tensor_type for info in (*cut.model.graph.input, *cut.model.graph.output)}
    sides = {"inputs": (cut.inputs, subgraph.inputs), "outputs": (cut.outputs, subgraph.outputs)}
    ports: dict[str, list[dict[str, Any]]] = {}
    for kind, (names, own) in sides.items():
        pairs = zip(names, own, strict=True)
        ports[kind] = [_described(infos[name], name, port, subgraph) for name, port in pairs]
    return json.dumps(ports, sort_keys=True)


def _described(info: TypeProto.Tensor, name: str, port: SubgraphPort, subgraph: Subgraph) -> dict[str, Any]:
    ours, theirs = numpy_type(port.element), helper.tensor_dtype_to_np_dtype(info.elem_type)
    is_integer = all(np.issubdtype(kind, np.integer) for kind in (ours, theirs))
    if ours != theirs and not (is_integer and ours.itemsize == theirs.itemsize):
        raise Diagnostic(
            f'stage {subgraph.name} has tensor "{name}" as {ours}, the model as {theirs}',
            where=where(subgraph.function),
            expected="equal element types at the cut",
            remedy="use the reference plug-in, which computes in the network's own integers",
        )
    return {
        "name": name,
        "type": str(ours),
        "model_type": str(theirs),
        "shape": list(port.shape),
        "model_shape": [size.dim_value for size in info.shape.dim],
        "bytes": port.bytes,
    }
