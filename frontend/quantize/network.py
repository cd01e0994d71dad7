"""Resolved float network, as quantisation reads and rewrites it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, checker, defs, helper, numpy_helper

from ...dialects.onnx.custom import DOMAIN
from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.schema import default_value
from ...errors import Diagnostic
from ...ir import Array, FreshNames
from ..importer import Shapes, Values, resolve_model
from ..onnx_graph import schema_of
from ..order import where_node
from ..requant_shift import DOMAIN as REQUANT_DOMAIN
from ..requant_shift import requant_shift
from ..tensor_info import Infos, untyped
from ..tensors import CARRIED

_OLDEST_OPSET = 20
"""The opset of networks that need none newer."""


@dataclass
class FloatNetwork:
    """
    Float network whose nodes are in the newest form of their operators, in topological order.

    `constants` and `infos` are by tensor; `infos` has the static type of each tensor of the resolved network.
    `requantised` are results of Identity that have another scale than its operand.
    """

    name: str
    nodes: list[NodeProto]
    constants: dict[str, Array]
    inputs: list[ValueInfoProto]
    outputs: list[ValueInfoProto]
    infos: Infos
    names: FreshNames
    requantised: set[str] = field(default_factory=set[str])

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return [value.name for value in self.outputs]

    def consumers(self) -> dict[str, list[NodeProto]]:
        """Return the nodes that read each tensor, once per operand."""
        readers: dict[str, list[NodeProto]] = defaultdict(list)
        for node in self.nodes:
            for name in filter(None, node.input):
                readers[name].append(node)
        return readers

    def producers(self) -> dict[str, NodeProto]:
        """Return the node that computes each tensor."""
        return {name: node for node in self.nodes for name in node.output if name}

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor of the network."""
        if name in self.constants:
            return self.constants[name].shape
        return tuple(dim for dim in self.infos[name].shape or () if dim is not None)

    def is_float(self, name: str) -> bool:
        """Return whether a tensor holds f32."""
        if name in self.constants:
            return self.constants[name].dtype == np.float32
        return name in self.infos and self.infos[name].data_type == TensorProto.FLOAT

    def add_constant(self, base: str, array: Array) -> str:
        """Add a constant; returns its name, which begins with `base`."""
        name = self.names.take(base)
        self.constants[name] = array
        return name

    def erase(self, nodes: Iterable[NodeProto]) -> None:
        """Erase nodes."""
        gone = {id(node) for node in nodes}
        self.nodes = [node for node in self.nodes if id(node) not in gone]

    def copy(self) -> FloatNetwork:
        """Return a network that can be rewritten without changing this one; constant arrays are shared."""
        nodes = [NodeProto() for _ in self.nodes]
        for copied, node in zip(nodes, self.nodes, strict=True):
            copied.CopyFrom(node)
        parts = list(self.inputs), list(self.outputs), dict(self.infos)
        names = {*self.constants, *self.infos, *(name for node in nodes for name in node.output)}
        return FloatNetwork(self.name, nodes, dict(self.constants), *parts, FreshNames(names), set(self.requantised))

    def model(self, outputs: Sequence[str] | None = None) -> ModelProto:
        """Return the ONNX model; `outputs` replace those of the network."""
        used = {value.name for value in self.outputs}
        used.update(*(node.input for node in self.nodes))
        tensors = [numpy_helper.from_array(array, name) for name, array in self.constants.items() if name in used]
        results = self.outputs if outputs is None else untyped(outputs)
        graph = helper.make_graph(self.nodes, self.name, self.inputs, results, tensors)
        opset = _opset(self.nodes)
        imports = [helper.make_opsetid("", opset)]
        domains = {node.domain: node for node in self.nodes if node.domain}
        functions = [requant_shift(opset)] if domains.pop(REQUANT_DOMAIN, None) is not None else []
        imports += [helper.make_opsetid(REQUANT_DOMAIN, 1) for _ in functions]
        imports += [helper.make_opsetid(domain, schema_of(node).since_version) for domain, node in domains.items()]
        model = helper.make_model(graph, opset_imports=imports, functions=functions, producer_name="tilewright")
        model.ir_version = max(10, helper.find_min_ir_version_for(imports, ignore_unknown=True))
        return model


def is_named(node: NodeProto, patterns: Collection[str]) -> bool:
    """Return whether a pattern, such as `Conv` or `encoder/*`, matches the name of a node or its operator."""
    texts = node.name, node.op_type
    return any(text == pattern or fnmatchcase(text, pattern) for text, pattern in product(texts, patterns))


def attribute(node: NodeProto, name: str) -> Any:
    """Return an attribute of a node, or its default; texts are str."""
    for entry in node.attribute:
        if entry.name == name:
            value = helper.get_attribute_value(entry)
            return value.decode() if isinstance(value, bytes) else value
    return default_value(schema_of(node).attributes[name])


def read_network(
    model: ModelProto,
    *,
    folder: Path | None = None,
    input_shapes: Shapes = {},
    input_values: Values = {},
    is_quantised: bool = False,
) -> FloatNetwork:
    """
    Resolve a float model for quantisation, or one that `is_quantised`.

    Raises Diagnostic for a model that cannot be imported, is quantised already or not, other than it says, or keeps
    branches and loops.
    """
    resolver = resolve_model(model, folder=folder, input_shapes=input_shapes, input_values=input_values)
    graph = resolver.graph
    _check_quantised(resolver.nodes, is_quantised=is_quantised)
    if kept := [node for node in resolver.nodes if id(node) in resolver.bodies]:
        raise Diagnostic(
            "a network with branches or loops on data is not quantised",
            where=where_node(kept[0]),
            expected="conditions that are constants",
            found=kept[0].op_type,
            remedy="give the input that decides it with --input-value",
        )
    node_names = FreshNames([])
    for node in resolver.nodes:
        node.name = node_names.take(node.name)
    infos = {name: info for name in resolver.infos if (info := resolver.info(name)) is not None}
    constants = {
        name: constant.array for name, constant in graph.constants.items() if constant.data_type not in CARRIED
    }
    names = {*constants, *infos, *(name for node in resolver.nodes for name in node.output)}
    outputs = [
        helper.make_tensor_value_info(value.name, infos[value.name].data_type, infos[value.name].shape)
        for value in graph.outputs
    ]
    return FloatNetwork(graph.name, resolver.nodes, constants, list(graph.inputs), outputs, infos, FreshNames(names))


def _check_quantised(nodes: Sequence[NodeProto], *, is_quantised: bool) -> None:
    quantised = [node for node in nodes if node.domain == DOMAIN or node.op_type in having(Trait.QUANTISED)]
    if is_quantised and not quantised:
        raise Diagnostic(
            "the model is not quantised",
            expected="QuantizeLinear and DequantizeLinear around its layers, or QLinearConv and QLinearMatMul",
            found="a network of floats",
            remedy="give samples of its inputs with --calibration FILE.npz",
        )
    if quantised and not is_quantised:
        raise Diagnostic(
            "the model is quantised already",
            where=where_node(quantised[0]),
            expected="a network of floats",
            found=", ".join(sorted({node.op_type for node in quantised})),
            remedy="give the network that it was made from",
        )


def check_model(model: ModelProto) -> None:
    """Check a model against the rules of ONNX. Raises Diagnostic where it violates them."""
    try:
        checker.check_model(model, full_check=model.ByteSize() < 1 << 30)  # pyright: ignore[reportUnknownMemberType]
    except (checker.ValidationError, ValueError, RuntimeError) as error:
        raise Diagnostic(
            "the quantised network is not valid ONNX",
            expected="a model that onnx.checker accepts",
            found=str(error).strip().splitlines()[0],
            remedy="keep the operator in floats (--float NAME), and report it",
        ) from error


def _opset(nodes: Sequence[NodeProto]) -> int:
    """Return the oldest opset, from `_OLDEST_OPSET` on, in which nodes have the form that they have in the newest."""
    return max((_needed(node) for node in nodes if not node.domain), default=_OLDEST_OPSET)


def _needed(node: NodeProto) -> int:
    names = {entry.name for entry in node.attribute}
    for version in range(_OLDEST_OPSET, defs.onnx_opset_version()):
        try:
            schema = defs.get_schema(node.op_type, version, node.domain)
        except defs.SchemaError:
            continue
        if names <= set(schema.attributes) and len(node.input) <= schema.max_input:
            return version
    return defs.onnx_opset_version()
