"""ONNX models in: the model's graph becomes `func.func @network` over `onnx` ops. See docs/import.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from google.protobuf.message import DecodeError
from onnx import ModelProto, NodeProto, ValueInfoProto, helper
from onnx.checker import ValidationError
from onnx.defs import OpSchema
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ..dialects.core.onnx_custom import DOMAIN
from ..dialects.core.onnx_schema import OnnxOp, make, segments, stored_value
from ..dialects.onnx import op_class
from ..errors import Diagnostic, did_you_mean
from ..ir import dense, named_location
from .attributes import properties_of
from .checks import check_nodes
from .exporters import flatten_matrices
from .onnx_graph import Graph, read_graph, where_node
from .opset import upgrade
from .shapes import Infos, infer, info_of, input_infos
from .tensors import ELEMENTS, TYPE_NAMES, element_type

ANY_INTEGER = "int"
"""The type to give for an input that holds integers of unknown width in floats: any that f32 holds exactly."""

_DECLARATION = "tilewright.input_type."
"""The prefix of the model's metadata entries that declare the type of an input."""

_INTEGER = re.compile(r"(u?)i(\d+)")

Shapes = Mapping[str, Sequence[int]]
Types = Mapping[str, str]


def import_onnx(path: Path, *, input_shapes: Shapes = {}, input_types: Types = {}) -> ModuleOp:
    """
    Return the module for the model in a file.

    `input_shapes` gives inputs with open dimensions their shape; `input_types` says which integers an input holds
    whatever type carries them ("ui8"; "int" for a width unknown), which the function keeps as `onnx.type`; the model's
    metadata may say so too, as `tilewright.input_type.NAME`. Raises Diagnostic for all bad input.
    """
    try:
        model = ModelProto.FromString(path.read_bytes())
    except OSError as error:
        raise Diagnostic("the model cannot be read", source=str(path), found=error.strerror or str(error)) from error
    except DecodeError as error:
        raise Diagnostic(
            "this is not an ONNX model, or only part of one",
            source=str(path),
            expected="a protobuf of the type onnx.ModelProto",
            found=f"{path.stat().st_size} bytes that cannot be decoded as one",
            remedy="export or copy the model again",
        ) from error
    try:
        return import_model(model, folder=path.parent, input_shapes=input_shapes, input_types=input_types)
    except Diagnostic as error:
        error.source = error.source or str(path)
        raise


def import_model(
    model: ModelProto, *, folder: Path | None = None, input_shapes: Shapes = {}, input_types: Types = {}
) -> ModuleOp:
    """Return the module for a model in memory, which is not changed. External data may lie in `folder` or below."""
    if not model.HasField("graph"):
        raise Diagnostic(
            "this is not an ONNX model, or it has no graph",
            expected="an onnx.ModelProto with a graph",
            found="no graph" if model.ByteSize() else "nothing at all",
            remedy="export or copy the model again",
        )
    graph = read_graph(_without_functions(model), folder)
    input_types = _types_declared(model) | dict(input_types)
    _check_types_given(graph, input_types)
    inputs = input_infos(graph, input_shapes)
    graph.inputs = [helper.make_tensor_value_info(name, info.data_type, info.shape) for name, info in inputs.items()]
    upgrade(graph)
    flatten_matrices(graph)
    properties = [_checked_properties(graph, node) for node in graph.nodes]
    infos = infer(graph, strict=True)
    _complete(graph, infos)
    check_nodes(graph, infos)
    return _Builder(graph, infos).module(properties, input_types)


def _without_functions(model: ModelProto) -> ModelProto:
    """Return the model with its own functions inlined, but for those that are operators which Tilewright knows."""
    calls = [(function.domain, function.name) for function in model.functions]
    inlined = [call for call in calls if (cls := op_class(call[1], call[0])) is None or cls.SCHEMA.domain != DOMAIN]
    if not inlined:
        return model
    from onnx import inliner

    try:
        return inliner.inline_selected_functions(model, inlined)
    except (RuntimeError, ValueError, ValidationError) as error:
        raise Diagnostic(
            "the functions of the model cannot be inlined",
            found=str(error).strip().splitlines()[0],
            remedy="export the model without functions of its own",
        ) from error


def _types_declared(model: ModelProto) -> dict[str, str]:
    """Return the input types that the model's metadata declares: `tilewright.input_type.x` = `ui8`."""
    entries = {entry.key: entry.value for entry in model.metadata_props if entry.key.startswith(_DECLARATION)}
    return {key.removeprefix(_DECLARATION): value for key, value in entries.items()}


def _check_types_given(graph: Graph, input_types: Types) -> None:
    inputs = {value.name: value for value in graph.inputs}
    names = list(inputs)
    for name, kind in input_types.items():
        if name not in names:
            raise Diagnostic(
                "a type is given for what is no input",
                where=f'input "{name}"',
                expected="one of " + ", ".join(f'"{known}"' for known in names),
                remedy=did_you_mean(name, names) or "correct the name",
            )
        known = [*TYPE_NAMES, ANY_INTEGER]
        if kind not in known:
            raise Diagnostic(
                "the type given for an input is unknown",
                where=f'input "{name}"',
                expected=", ".join(known),
                found=kind,
                remedy=did_you_mean(kind, known) or "give one of the types expected",
            )
        element = ELEMENTS.get(inputs[name].type.tensor_type.elem_type)
        if element is not None and kind != ANY_INTEGER and not _holds(str(element), kind):
            raise Diagnostic(
                "the type given for an input is not what the model's input can hold",
                where=f'input "{name}"',
                expected=f"integers that {element} holds, or {element}",
                found=kind,
                remedy="correct the type",
            )


def _holds(element: str, given: str) -> bool:
    """Return whether an input of the model's element type can hold the values of the type given for it."""
    inner, outer = _INTEGER.fullmatch(given), _INTEGER.fullmatch(element)
    if inner is None or outer is None:
        return given == element or inner is not None
    # An unsigned type takes a bit more of a signed one, and no unsigned type holds a signed one.
    spare = int(outer[2]) - int(inner[2]) - (inner[1] > outer[1])
    return spare >= 0 and not inner[1] < outer[1]


def _checked_properties(graph: Graph, node: NodeProto) -> dict[str, Attribute]:
    """Return a node's properties. Raises Diagnostic where it does not have what its operator asks for."""
    schema = _known(node.op_type, node.domain).SCHEMA
    try:
        list(segments("input", schema.inputs, [name or None for name in node.input]))
        list(segments("output", schema.outputs, [name or None for name in node.output]))
    except ValueError as error:
        raise Diagnostic(
            f"{node.op_type} has not the inputs and outputs that its operator asks for",
            where=where_node(node),
            expected=f"{_span(schema.min_input, schema.max_input)} inputs, "
            f"{_span(schema.min_output, schema.max_output)} outputs",
            found=f"{len(node.input)} inputs, {len(node.output)} outputs: {error}",
            remedy="correct the node, or export the model again",
        ) from error
    return properties_of(node, schema, graph.folder)


def _complete(graph: Graph, infos: Infos) -> None:
    """Make `infos` hold a type and all dims of every tensor. Raises Diagnostic that names the tensor it cannot tell."""
    tensors = [(node, name) for node in graph.nodes for name in node.output if name]
    if not any(_is_open(infos, name) for _, name in tensors):
        return
    for name, info in infer(graph, strict=False).items():
        if _is_open(infos, name):
            infos[name] = info
    for node, name in tensors:
        if _is_open(infos, name):
            raise Diagnostic(
                f"the type or shape of an output of {node.op_type} cannot be told",
                where=where_node(node),
                expected="a tensor whose shape does not depend on data",
                found=f'"{name}": {infos[name] if name in infos else "nothing known"}',
                remedy="store the tensor's type as value_info, or replace the operator",
            )


def _is_open(infos: Infos, name: str) -> bool:
    info = infos.get(name)
    return info is None or info.shape is None or None in info.shape


class _Builder:
    """Makes the function from a graph in which everything is known."""

    def __init__(self, graph: Graph, infos: Infos):
        self._graph = graph
        self._infos = infos
        self._block = Block(arg_types=[self._type(value.name) for value in graph.inputs])
        self._values: dict[str, SSAValue] = {}

    def module(self, properties: Sequence[dict[str, Attribute]], input_types: Types) -> ModuleOp:
        """Return the module that holds the network; `properties` are those of each node."""
        graph = self._graph
        for value, argument in zip(graph.inputs, self._block.args, strict=True):
            self._define(value.name, argument)
        for name in graph.constants:
            self._add_constant(name)
        for node, given in zip(graph.nodes, properties, strict=True):
            self._add_node(node, given)
        results = [self._output(value) for value in graph.outputs]
        self._block.add_op(ReturnOp(*results))
        function = FuncOp(
            "network",
            FunctionType.from_lists(self._block.arg_types, [value.type for value in results]),
            Region(self._block),
            arg_attrs=ArrayAttr(_port(value.name, input_types) for value in graph.inputs),
            res_attrs=ArrayAttr(_port(value.name, {}) for value in graph.outputs),
        )
        opset = cast(Attribute, IntegerAttr(graph.opset, 64))
        return ModuleOp([function], {"onnx.graph_name": StringAttr(graph.name), "onnx.opset": opset})

    def _type(self, name: str) -> Attribute:
        info = self._infos[name]
        return TensorType(cast(Any, element_type(info.data_type, f'tensor "{name}"')), _dims(info.shape))

    def _define(self, name: str, value: SSAValue) -> None:
        self._values[name] = value
        value.name_hint = _hint(name)

    def _add_constant(self, name: str) -> None:
        constant = self._graph.constants[name]
        value = constant.dense
        op = make(_known("Constant"), [], [value.type], {"value": value})
        op.location = named_location(constant.origin)
        self._block.add_op(op)
        self._define(name, op.results[0])

    def _add_node(self, node: NodeProto, properties: dict[str, Attribute]) -> None:
        inputs = [self._values[name] if name else None for name in node.input]
        types = [self._type(name) if name else None for name in node.output]
        op = make(_known(node.op_type, node.domain), inputs, types, properties)
        op.location = named_location(node.name)
        self._block.add_op(op)
        for name, result in zip(filter(None, node.output), op.results, strict=True):
            self._define(name, result)

    def _output(self, port: ValueInfoProto) -> SSAValue:
        """
        Return the value of a graph output, in the type that the file declares for it.

        Float-encoded integer networks declare integers that floating-point operators compute: these are cast. Where the
        number of elements agrees and the shape does not, e.g. [1] for a scalar, the value is reshaped.
        """
        value, declared, found = self._values[port.name], info_of(port.type), self._infos[port.name]
        if declared is None:
            return value
        if declared.data_type != found.data_type:
            to = {"to": stored_value(OpSchema.AttrType.INT, declared.data_type)}
            value = self._adapt(port.name, "Cast", [value], declared.data_type, found.shape or (), to)
        shape = declared.shape or ()
        if _agree(declared.shape, found.shape):
            return value
        if None in shape or prod(_dims(shape)) != prod(_dims(found.shape)):
            raise Diagnostic(
                "an output of the graph has another shape than it declares",
                where=f'output "{port.name}"',
                expected=f"the shape {list(shape)}, as declared",
                found=f"the shape {list(found.shape or ())}, as computed",
                remedy="correct the declaration, or the shapes given with --input-shape",
            )
        sizes = dense(np.array(shape, np.int64), i64)
        constant = make(_known("Constant"), [], [sizes.type], {"value": sizes})
        constant.location = named_location(port.name)
        self._block.add_op(constant)
        return self._adapt(port.name, "Reshape", [value, constant.results[0]], declared.data_type, shape, {})

    def _adapt(
        self,
        name: str,
        op_type: str,
        inputs: list[SSAValue],
        data_type: int,
        shape: Sequence[int | None],
        properties: dict[str, Attribute],
    ) -> SSAValue:
        """Return the result of an op that turns an output's value into its declared type."""
        element = cast(Any, element_type(data_type, f'output "{name}"'))
        op = make(_known(op_type), inputs, [TensorType(element, _dims(shape))], properties)
        owner = inputs[0].owner
        op.location = owner.location if isinstance(owner, Operation) else named_location(name)
        self._block.add_op(op)
        op.results[0].name_hint = inputs[0].name_hint
        return op.results[0]


def _dims(shape: Sequence[int | None] | None) -> list[int]:
    return [dim for dim in shape or () if dim is not None]


def _agree(declared: Sequence[int | None] | None, found: Sequence[int | None] | None) -> bool:
    if declared is None or found is None:
        return True
    same = (a is None or a == b for a, b in zip(declared, found, strict=False))
    return len(declared) == len(found) and all(same)


def _known(op_type: str, domain: str = "") -> type[OnnxOp]:
    cls = op_class(op_type, domain)
    assert cls is not None, f"{op_type} was checked before"
    return cls


def _span(low: int, high: int) -> str:
    if high > 1000:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _port(name: str, types: Types) -> DictionaryAttr:
    entries = {"onnx.name": StringAttr(name)}
    if name in types:
        entries["onnx.type"] = StringAttr(types[name])
    return DictionaryAttr(entries)


def _hint(name: str) -> str | None:
    """Return a name for an SSA value that reads like the tensor's."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    text = f"t{text}" if text[:1].isdigit() else text
    return text if text and SSAValue.is_valid_name(text) else None
