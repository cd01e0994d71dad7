"""Choice of a network's outputs: a model with other outputs, and without what leads to none of them."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import ModelProto, ValueInfoProto

from ..errors import Diagnostic, did_you_mean
from .order import taken


def with_outputs(model: ModelProto, names: Sequence[str]) -> ModelProto:
    """
    Return a copy of a model whose outputs are the tensors of these names, in this order.

    Nodes, initialisers and subgraphs that none of them needs are left out; inputs stay. Raises Diagnostic for a tensor
    that the main graph lacks.
    """
    graph = model.graph
    tensors = {name for node in graph.node for name in node.output if name}
    ports = {value.name: value for value in (*graph.value_info, *graph.output)}
    for name in names:
        if name not in tensors and name not in {value.name for value in graph.output}:
            _refuse(name, [value.name for value in graph.output], tensors)
    chosen = ModelProto()
    chosen.CopyFrom(model)
    needed = _needed(model, names)
    nodes = [node for node in graph.node if needed.intersection(node.output)]
    for field in ("node", "output", "initializer", "sparse_initializer"):
        chosen.graph.ClearField(field)
    chosen.graph.node.extend(nodes)
    chosen.graph.output.extend(ports.get(name, ValueInfoProto(name=name)) for name in names)
    inputs = {value.name for value in graph.input}
    kept = needed | inputs
    chosen.graph.initializer.extend(tensor for tensor in graph.initializer if tensor.name in kept)
    chosen.graph.sparse_initializer.extend(tensor for tensor in graph.sparse_initializer if tensor.values.name in kept)
    return chosen


def _needed(model: ModelProto, names: Sequence[str]) -> set[str]:
    """Return the tensors that these tensors are computed from, themselves included."""
    producers = {name: node for node in model.graph.node for name in node.output if name}
    pending, needed = list(names), set[str]()
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in producers:
            pending += taken(producers[name])
    return needed


def _refuse(name: str, outputs: Sequence[str], tensors: set[str]) -> None:
    raise Diagnostic(
        "an output is chosen that the model lacks",
        where=f'output "{name}"',
        expected="one of " + ", ".join(f'"{output}"' for output in outputs) + ", or another tensor of the model",
        found=name,
        remedy=did_you_mean(name, [*outputs, *sorted(tensors)]) or "correct the name",
    )
