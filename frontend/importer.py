"""ONNX models in: the model's graph becomes `func.func @network` over `onnx` ops. See docs/import.md."""

from __future__ import annotations

import re
import warnings
from collections import ChainMap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from google.protobuf.message import DecodeError
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
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

from ..dialects.core.ports import POSITION, ROWS, SHAPE_OF
from ..dialects.onnx import Yield, op_class
from ..dialects.onnx.schema import OnnxOp, make, stored_value
from ..errors import Diagnostic, did_you_mean
from ..files import errors_in, read_regular
from ..ir import Array, named_location, shape_of
from .checks import check_node, check_nodes
from .chosen_outputs import with_outputs
from .functions import without_functions
from .node_view import NodeView
from .onnx_graph import Graph, check_given, check_texts, read_graph
from .order import where_node
from .pasts import OpenPast, Past, Sample, open_past
from .resolution import RULES
from .resolver import Resolver
from .sequences import split_inputs
from .shapes import input_infos
from .static_inputs import fix_inputs, value_remedy
from .tensor_info import TensorInfo, described, info_of
from .tensors import CARRIED, ELEMENTS, TYPE_NAMES, check_memory, element_type, type_name

ANY_INTEGER = "int"
"""The type to give for an input that holds integers of unknown width in floats: any that f32 holds exactly."""

_DECLARATION = "tilewright.input_type."
"""The prefix of the model's metadata entries that declare the type of an input."""

_INTEGER = re.compile(r"(u?)i(\d+)")

Shapes = Mapping[str, Sequence[int]]
Types = Mapping[str, str]
Values = Mapping[str, Array]


def import_onnx(
    path: Path,
    *,
    input_shapes: Shapes = {},
    input_types: Types = {},
    input_values: Values = {},
    outputs: Sequence[str] = (),
    rows: int = 0,
    added: int = 0,
) -> ModuleOp:
    """
    Return the module for the model in a file.

    `input_shapes` gives inputs their shape, also in place of the one that the file fixes; `input_types` says which
    integers an input holds whatever type carries them ("ui8"; "int" for a width unknown), which the function keeps as
    `onnx.type`; the model's metadata may say so too, as `tilewright.input_type.NAME`. Inputs with `input_values` are
    none any more: they are constants. `outputs` are the tensors to compute, the model's outputs where there are none.
    `rows` and `added` are those of caches of an open length. Raises Diagnostic for all bad input.
    """
    model = model_proto(path)
    with errors_in(path):
        return import_model(
            model,
            folder=path.parent,
            input_shapes=input_shapes,
            input_types=input_types,
            input_values=input_values,
            outputs=outputs,
            rows=rows,
            added=added,
        )


def model_proto(path: Path) -> ModelProto:
    """Return the ONNX model that a file holds. Raises Diagnostic where it cannot be read, or is none."""
    try:
        data = read_regular(path)
    except OSError as error:
        raise Diagnostic(
            "the model cannot be read",
            source=str(path),
            expected="a file that this user may read",
            found=error.strerror or str(error),
            remedy="correct the path of the model",
        ) from error
    try:
        model = ModelProto.FromString(data)
    except DecodeError as error:
        raise Diagnostic(
            "this is not an ONNX model, or only part of one",
            source=str(path),
            expected="a protobuf of the type onnx.ModelProto",
            found=f"{len(data)} bytes that cannot be decoded as one",
            remedy="export or copy the model again; graphs in graphs can be 30 deep, as protobuf nests 100 messages",
        ) from error
    _check_graph(model, str(path))
    return model


def _check_graph(model: ModelProto, source: str = "") -> None:
    if not model.HasField("graph"):
        raise Diagnostic(
            "this is not an ONNX model, or it has no graph",
            source=source,
            expected="an onnx.ModelProto with a graph",
            found="no graph" if model.ByteSize() else "nothing at all",
            remedy="export or copy the model again",
        )


def import_model(
    model: ModelProto,
    *,
    folder: Path | None = None,
    input_shapes: Shapes = {},
    input_types: Types = {},
    input_values: Values = {},
    outputs: Sequence[str] = (),
    rows: int = 0,
    added: int = 0,
) -> ModuleOp:
    """
    Return the module for a model in memory, which is not changed. External data may lie in `folder` or below.

    With `rows`, caches of an open length have so many with the new ones, of which there are `added` (as the shapes
    given for the inputs say where it is 0); the network then has an input `position` (frontend/pasts.py), and tensors
    say which of their axes have an entry for each row.
    """
    graph = _read(model, folder, input_values, outputs)
    graph.rows = rows
    input_types = _types_declared(model) | dict(input_types)
    past = open_past(graph, input_shapes, added) if rows else None
    graph.is_open = past is not None
    resolver = (
        _resolved(graph, input_shapes, input_types) if past is None else _for_any_past(graph, past, rows, input_types)
    )
    _check_known(resolver)
    check_nodes(resolver.graph, resolver.info)
    return _Network(resolver).module(input_types)


def _read(model: ModelProto, folder: Path | None, input_values: Values, outputs: Sequence[str] = ()) -> Graph:
    """Read a model's main graph without functions, with the inputs of `input_values` as constants."""
    _check_graph(model)
    check_texts(model)
    plain = without_functions(model)
    graph = read_graph(with_outputs(plain, outputs) if outputs else plain, folder)
    fix_inputs(graph, input_values)
    return graph


def resolve_model(
    model: ModelProto, *, folder: Path | None = None, input_shapes: Shapes = {}, input_values: Values = {}
) -> Resolver:
    """
    Resolve a model in memory: nodes in the newest form of their operators, all types and shapes known.

    Raises Diagnostic as `import_model` does.
    """
    resolver = _resolved(_read(model, folder, input_values), input_shapes, {})
    _check_known(resolver)
    check_nodes(resolver.graph, resolver.info)
    return resolver


def _resolved(graph: Graph, input_shapes: Shapes, input_types: Types, past: Past | None = None) -> Resolver:
    """Resolve a network. Raises Diagnostic for unknown input types and shapes, and for its nodes."""
    sequences, empty = split_inputs(graph, input_shapes)
    _check_types_given(graph, input_types)
    inputs = input_infos(graph, input_shapes)
    for name, info in inputs.items():
        check_memory(f'input "{name}"', _dims(info.shape), info.data_type)
    graph.inputs = [helper.make_tensor_value_info(name, info.data_type, info.shape) for name, info in inputs.items()]
    resolver = Resolver(graph, inputs, RULES)
    resolver.sequences, resolver.empty_optionals, resolver.past = sequences, empty, past
    resolver.run()
    if past is not None:
        past.check_outputs(graph)
    return resolver


def _sample(graph: Graph, past: OpenPast, length: int, input_types: Types) -> Sample:
    """Resolve the network for a number of cached rows; for one row where none gives no valid network."""
    try:
        resolver = _resolved(graph.copy(), past.at(length), input_types)
    except Diagnostic:
        if length > 0:
            raise
        return _sample(graph, past, 1, input_types)
    return Sample(length, resolver, resolver.written | resolver.folded)


def _for_any_past(graph: Graph, past: OpenPast, rows: int, input_types: Types) -> Resolver:
    """Resolve the network for caches of any length up to `rows`; dependent values are computed from the position."""
    length = max(rows - past.added, 3)
    near, far = (_sample(graph, past, past_length, input_types) for past_length in (length - 1, 0))
    if all(value.name != POSITION for value in graph.inputs):
        graph.inputs.append(helper.make_tensor_value_info(POSITION, TensorProto.INT32, [1]))
    try:
        return _resolved(graph, past.at(length), input_types, Past(length, near, far))
    except Diagnostic as error:
        error.notes.insert(0, f"the caches have {length} rows here and get {past.added} new ones")
        raise


def _types_declared(model: ModelProto) -> dict[str, str]:
    """Return the input types that the model's metadata declares: `tilewright.input_type.x` = `ui8`."""
    entries = {entry.key: entry.value for entry in model.metadata_props if entry.key.startswith(_DECLARATION)}
    return {key.removeprefix(_DECLARATION): value for key, value in entries.items()}


def _check_types_given(graph: Graph, input_types: Types) -> None:
    inputs = {value.name: value for value in graph.inputs}
    check_given(graph, "type", input_types)
    for name, kind in input_types.items():
        types = [*TYPE_NAMES, ANY_INTEGER]
        if kind not in types:
            raise Diagnostic(
                "the type given for an input is unknown",
                where=f'input "{name}"',
                expected=", ".join(types),
                found=kind,
                remedy=did_you_mean(kind, types) or "give one of the types expected",
            )
        element = ELEMENTS.get(inputs[name].type.tensor_type.elem_type)
        if element is not None and kind != ANY_INTEGER and not _holds(str(element), kind):
            raise Diagnostic(
                "the type given for an input does not fit the type in the model",
                where=f'input "{name}"',
                expected=f"integers that {element} holds, or {element}",
                found=kind,
                remedy="correct the type",
            )


def _holds(element: str, other: str) -> bool:
    """Return whether an input of the model's element type can hold the values of the type given for it."""
    inner, outer = _INTEGER.fullmatch(other), _INTEGER.fullmatch(element)
    if inner is None or outer is None:
        return other == element or inner is not None
    # An unsigned type takes a bit more of a signed one, and no unsigned type holds a signed one.
    spare = int(outer[2]) - int(inner[2]) - (inner[1] > outer[1])
    return spare >= 0 and not inner[1] < outer[1]


def _check_known(resolver: Resolver) -> None:
    """Raise Diagnostic for the first tensor whose type or shape is not known."""
    for node in resolver.nodes:
        for name in filter(None, node.output):
            info = resolver.info(name)
            if info is not None and not _is_open(info):
                check_memory(f'tensor "{name}"', _dims(info.shape), info.data_type)
                continue
            check_node(NodeView(resolver.graph, node, resolver.info))
            raise Diagnostic(
                f"the type or shape of an output of {node.op_type} is not known",
                where=where_node(node),
                expected="a tensor whose shape does not depend on data",
                found=f'"{name}" {described(info)}',
                remedy=value_remedy(resolver.graph, resolver.nodes, node.input)
                + "store its type as value_info, or replace the node",
            )
        for body in resolver.bodies.get(id(node), {}).values():
            _check_known(body)


def _is_open(info: TensorInfo | None) -> bool:
    return info is None or info.shape is None or None in info.shape


class _Builder:
    """Builder of a block from a settled graph; `values` are the tensors of the enclosing blocks."""

    def __init__(self, resolver: Resolver, values: Mapping[str, SSAValue] = {}):
        self._resolver = resolver
        self._graph = resolver.graph
        self._values = ChainMap[str, SSAValue]({}, cast(Any, values))
        self._block = Block(arg_types=[self._type(value.name) for value in self._graph.inputs])
        for value, argument in zip(self._graph.inputs, self._block.args, strict=True):
            self._define(value.name, argument)
        for name in self._graph.constants:
            self._add_constant(name)
        for node in resolver.nodes:
            self._add_node(node)

    def yielding(self) -> Region:
        """Return the block as a graph that a node holds."""
        self._block.add_op(Yield.create(operands=[self._values[value.name] for value in self._graph.outputs]))
        return Region(self._block)

    def _info(self, name: str) -> TensorInfo:
        info = self._resolver.info(name)
        assert info is not None, f"{name} was checked before"
        return info

    def _type(self, name: str) -> Attribute:
        info = self._info(name)
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
        self._mark(op, [name])

    def _add_node(self, node: NodeProto) -> None:
        inputs = [self._values[name] if name else None for name in node.input]
        types = [self._type(name) if name else None for name in node.output]
        cls = _known(node.op_type, node.domain)
        bodies = self._resolver.bodies.get(id(node), {})
        regions = [_Builder(bodies[name], self._values).yielding() for name in cls.SCHEMA.attributes if name in bodies]
        op = make(cls, inputs, types, self._resolver.properties[id(node)], regions=regions)
        op.location = named_location(node.name)
        self._block.add_op(op)
        names = list(filter(None, node.output))
        for name, result in zip(names, op.results, strict=True):
            self._define(name, result)
        self._mark(op, names)

    def _mark(self, op: Operation, names: Sequence[str]) -> None:
        """Mark the axes of an op's results with an entry for each row of caches of an open length."""
        axes = [self._axis(name, str(op.location)) for name in names]
        if any(axis >= 0 for axis in axes):
            op.attributes[ROWS] = DenseArrayBase.from_list(i64, axes)

    def _axis(self, name: str, where: str) -> int:
        past = self._resolver.past
        axis = past.axis(name, self._info(name), where) if past is not None else None
        return -1 if axis is None else axis


class _Network(_Builder):
    """Builder of the function of the main graph."""

    def module(self, input_types: Types) -> ModuleOp:
        """Return the module that holds the network."""
        graph = self._graph
        axes = {
            value.name: axis for value in graph.inputs if (axis := self._axis(value.name, f'input "{value.name}"')) >= 0
        }
        end = ReturnOp(*map(self._output, graph.outputs))
        self._block.add_op(end)
        inputs = [_port(value.name, input_types, axis=axes.get(value.name)) for value in graph.inputs]
        outputs = [_port(value.name, {}, self._resolver.shape_of) for value in graph.outputs]
        function = FuncOp(
            "network",
            FunctionType.from_lists(self._block.arg_types, end.operand_types),
            Region(self._block),
            arg_attrs=ArrayAttr(inputs),
            res_attrs=ArrayAttr(outputs),
        )
        opset = cast(Attribute, IntegerAttr(graph.opset, 64))
        return ModuleOp([function], {"onnx.graph_name": StringAttr(graph.name), "onnx.opset": opset})

    def _output(self, port: ValueInfoProto) -> SSAValue:
        """
        Return the value of a graph output, in the type that the file declares for it.

        Float-encoded integer networks declare integers that floating-point operators compute: these are cast. Where the
        shape is not the one declared, e.g. that of a pooling with ceil_mode, the computed one counts, with a warning,
        as it does for ONNX Runtime.
        """
        value, declared, inferred = self._values[port.name], info_of(port.type), self._info(port.name)
        if declared is None:
            return value
        if declared.data_type != inferred.data_type:
            _check_castable(port.name, declared, inferred)
            value = self._cast(port.name, value, declared.data_type)
        extents = self._resolver.extents.of(port.name)
        if _agree(declared.shape, [None if axis in extents else dim for axis, dim in enumerate(inferred.shape or ())]):
            return value
        stated = ["?" if dim is None else dim for dim in declared.shape or ()]
        text = f"the shape {list(inferred.shape or ())} is computed, not {stated}, as declared"
        warnings.warn(f'output "{port.name}": warning: {text}', stacklevel=2)
        return value

    def _cast(self, name: str, value: SSAValue, data_type: int) -> SSAValue:
        """Append a Cast of an output to another element type."""
        result = TensorType(cast(Any, element_type(data_type, f'output "{name}"')), shape_of(value))
        to = {"to": stored_value(OpSchema.AttrType.INT, data_type)}
        op = make(_known("Cast"), [value], [result], to)
        owner = value.owner
        op.location = owner.location if isinstance(owner, Operation) else named_location(name)
        self._block.add_op(op)
        op.results[0].name_hint = value.name_hint
        return op.results[0]


def _check_castable(name: str, declared: TensorInfo, inferred: TensorInfo) -> None:
    """Raise Diagnostic where the element types of an output, declared and found, differ and one is carried as bits."""
    if declared.data_type in CARRIED or inferred.data_type in CARRIED:
        raise Diagnostic(
            "an output of the graph is of another type than it declares",
            where=f'output "{name}"',
            expected=f"{type_name(declared.data_type)}, as declared",
            found=f"{type_name(inferred.data_type)}, as computed",
            remedy="correct the declaration, or put a Cast before the output",
        )


def _dims(shape: Sequence[int | None] | None) -> list[int]:
    return [dim for dim in shape or () if dim is not None]


def _agree(declared: Sequence[int | None] | None, inferred: Sequence[int | None] | None) -> bool:
    if declared is None or inferred is None:
        return True
    same = (a is None or b is None or a == b for a, b in zip(declared, inferred, strict=False))
    return len(declared) == len(inferred) and all(same)


def _known(op_type: str, domain: str = "") -> type[OnnxOp]:
    cls = op_class(op_type, domain)
    assert cls is not None, f"{op_type} was checked before"
    return cls


def _port(name: str, types: Types, shape_of: Mapping[str, str] = {}, axis: int | None = None) -> DictionaryAttr:
    entries: dict[str, Attribute] = {"onnx.name": StringAttr(name)}
    if axis is not None:
        entries[ROWS] = DenseArrayBase.from_list(i64, [axis])
    if name in shape_of:
        entries[SHAPE_OF] = StringAttr(shape_of[name])
    if name in types:
        entries["onnx.type"] = StringAttr(types[name])
    return DictionaryAttr(entries)


def _hint(name: str) -> str | None:
    """Return a name for an SSA value that reads like the tensor's."""
    # xDSL takes one number at the end of a name for its own, whenever it reads one.
    text = re.sub(r"(_\d+)*_*$", "", re.sub(r"[^A-Za-z0-9_]+", "_", name)).lstrip("_")
    text = f"t{text}" if text[:1].isdigit() else text
    return text if text and SSAValue.is_valid_name(text) else None
