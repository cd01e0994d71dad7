"""Element types and shapes of all tensors: ONNX's inference, with rules for our operators, and the dims users give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import index

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
    shape_inference,
)
from onnx.checker import ValidationError
from onnx.defs import OpSchema

from ..dialects.onnx.custom import DOMAIN, SCHEMAS
from ..dialects.onnx.registry import mentions
from ..errors import Diagnostic
from .attributes import unsound
from .onnx_graph import Graph, check_given
from .operators import operator_of
from .tensor_info import Infos, TensorInfo, described, info_of
from .tensors import CARRIED, Constant

_SMALL = 4096
"""Constants of more elements are shown to inference by their type only; none that shapes depend on is as big."""


# Inference


@cache
def _register_rules() -> None:
    """Make the operators of our own domain known to onnx's inference."""
    for schema in SCHEMAS:
        if not defs.has(schema.name, DOMAIN):
            defs.register_schema(schema)


def infer(graph: Graph, inputs: Mapping[str, TensorInfo]) -> Infos:
    """
    Infer the types and shapes of all tensors with open dimensions of the inputs, by ONNX's inference.

    Nodes may be of an older form of their operator; what the file declares of inner tensors counts.
    """
    _register_rules()
    model = _light_model(graph, inputs)
    try:
        inferred = shape_inference.infer_shapes(model, data_prop=True).graph
    except (shape_inference.InferenceError, RuntimeError, ValueError, IndexError):
        inferred = model.graph
    infos: Infos = {name: _constant_info(constant) for name, constant in graph.constants.items()}
    for value in (*inferred.input, *inferred.value_info, *inferred.output):
        if (info := info_of(value.type)) is not None:
            infos[value.name] = info
    return infos


def _constant_info(constant: Constant) -> TensorInfo:
    return TensorInfo(constant.data_type, constant.array.shape)


def _light_model(graph: Graph, inputs: Mapping[str, TensorInfo]) -> ModelProto:
    """Return the graph as a model in which big constants are inputs."""
    light = GraphProto(name="network", node=[_stand_in(node) for node in graph.nodes if not unsound(node)])
    light.input.extend(_value(value.name, inputs[value.name]) for value in graph.inputs)
    for name, constant in graph.constants.items():
        if _is_shown(constant):
            light.initializer.append(_small_tensor(name, constant))
        else:
            light.input.append(_value(name, _constant_info(constant)))
    names = {value.name for value in light.input} | graph.constants.keys()
    outputs = sorted({value.name for value in graph.outputs} - names)
    stated = {name: kind for name, kind in graph.declared.items() if name not in names}
    light.value_info.extend(ValueInfoProto(name=n, type=kind) for n, kind in stated.items() if n not in outputs)
    light.output.extend(ValueInfoProto(name=n, type=stated.get(n)) for n in outputs)
    return ModelProto(ir_version=10, graph=light, opset_import=_imports())


def _stand_in(node: NodeProto) -> NodeProto:
    if not operator_of(node.op_type, node.domain).like_first:
        return node
    return helper.make_node("Identity", node.input[:1], node.output[:1], name=node.name)


def _value(name: str, info: TensorInfo) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, info.data_type, info.shape)


def _is_shown(constant: Constant) -> bool:
    """Return whether inference is shown a constant's value."""
    small = constant.array.size <= _SMALL and constant.array.dtype.kind in "iufb"
    return small and constant.data_type not in CARRIED


def _small_tensor(name: str, constant: Constant) -> TensorProto:
    tensor = numpy_helper.from_array(np.asarray(constant.array, order="C"), name)
    if tensor.data_type != constant.data_type:
        tensor = helper.make_tensor(name, constant.data_type, constant.array.shape, constant.array.ravel().tolist())
    return tensor


@cache
def _imports() -> tuple[OperatorSetIdProto, ...]:
    """Return the newest version of every domain."""
    versions: dict[str, int] = {}
    for schema in defs.get_all_schemas():
        versions[schema.domain] = max(schema.since_version, versions.get(schema.domain, 0))
    versions[""] = defs.onnx_opset_version()
    return tuple(helper.make_opsetid(domain, version) for domain, version in sorted(versions.items()))


def infer_node(
    node: NodeProto,
    schema: OpSchema,
    inputs: Mapping[str, TensorInfo],
    constant: Callable[[str], Constant | None],
) -> Infos:
    """
    Infer the outputs of a node of the newest version of its operator.

    `inputs` are the types of all its inputs; `constant` gives the value of those that have one. Raises ValueError, with
    the reason, where the node does not fit its inputs.
    """
    _register_rules()
    if reason := unsound(node):
        raise ValueError(reason)
    if operator_of(node.op_type, node.domain).like_first:
        return {node.output[0]: inputs[node.input[0]]}
    types = {name: helper.make_tensor_type_proto(info.data_type, info.shape) for name, info in inputs.items()}
    constants = {name: value for name in inputs if (value := constant(name)) is not None}
    data = {name: _small_tensor(name, value) for name, value in constants.items() if _is_shown(value)}
    try:
        results = shape_inference.infer_node_outputs(
            schema, node, types, data, opset_imports=list(_imports()), ir_version=10
        )
    except (shape_inference.InferenceError, ValidationError, RuntimeError, ValueError, IndexError) as error:
        raise ValueError(_plain(str(error))) from error
    infos = {name: info for name, kind in results.items() if (info := info_of(kind)) is not None}
    return infos | _completed(node, inputs, infos)


def _completed(node: NodeProto, inputs: Mapping[str, TensorInfo], infos: Infos) -> Infos:
    """Return the outputs of unknown rank with the shapes that the operator's own rule gives."""
    rule = operator_of(node.op_type, node.domain).shapes
    if rule is None:
        return {}
    shapes = rule(node, [inputs[name].shape if name else None for name in node.input])
    return {
        name: TensorInfo(infos[name].data_type, shape)
        for name, shape in zip(node.output, shapes, strict=False)
        if name in infos and infos[name].shape is None
    }


def _plain(text: str) -> str:
    text = re.sub(r"\[\w*Error\]\s*|\(op_type:[^)]*\):\s*| in node \w+ \([^)]*\)", "", text)
    return text.strip().rstrip(".") or "no reason given"


# Inputs


def input_infos(graph: Graph, shapes: Mapping[str, Sequence[int]]) -> Infos:
    """
    Return the types of the graph's inputs, all dims known.

    A dim left open by the file is the user's, or follows from what the file declares of a Concat. Where the user's
    shape replaces dims that the file fixes, the shapes that the file declares of other tensors do not count. Raises
    Diagnostic that names all dims which remain, or what does not fit.
    """
    check_given(graph, "shape", shapes)
    infos = {value.name: _input_info(value, shapes.get(value.name)) for value in graph.inputs}
    if any(_replaces_dims(value, infos[value.name]) for value in graph.inputs):
        _forget_shapes(graph)
    if any(None in (info.shape or ()) for info in infos.values()):
        _deduce(graph, infos)
    if notes := list(_open_dims(graph, infos)):
        name = next(n for n, info in infos.items() if None in (info.shape or ()))
        example = ",".join("1" if dim is None else str(dim) for dim in infos[name].shape or ())
        raise Diagnostic(
            "a dimension of an input is not known",
            where=f'input "{name}"',
            expected="a number for each dimension",
            found=notes[0],
            remedy=f"give the shape: --input-shape {name}={example}",
            notes=notes[1:],
        )
    return infos


def _replaces_dims(value: ValueInfoProto, info: TensorInfo) -> bool:
    """Return whether an input has other dims than those that the file fixes."""
    declared = info_of(value.type)
    pairs = zip(declared.shape or (), info.shape or (), strict=False) if declared is not None else ()
    return any(fixed is not None and fixed != dim for fixed, dim in pairs)


def _forget_shapes(graph: Graph) -> None:
    """Let the file declare element types alone for all tensors but inputs."""
    inputs = {value.name for value in graph.inputs}
    others = {name: _without_shape(kind) for name, kind in graph.declared.items() if name not in inputs}
    graph.declared |= others
    graph.outputs = [ValueInfoProto(name=value.name, type=_without_shape(value.type)) for value in graph.outputs]


def _without_shape(kind: TypeProto) -> TypeProto:
    if not kind.HasField("tensor_type"):
        return kind
    return helper.make_tensor_type_proto(kind.tensor_type.elem_type, None)


def _input_info(value: ValueInfoProto, shape: Sequence[int] | None) -> TensorInfo:
    where, info = f'input "{value.name}"', info_of(value.type)
    if info is None:
        raise Diagnostic(
            "an input is not a tensor, or states no type",
            where=where,
            expected="a tensor type with an element type",
            found=value.type.WhichOneof("value") or "no type",
            remedy="export the input with a tensor type",
        )
    if shape is None and info.shape is None:
        raise Diagnostic(
            "the rank of an input is not known",
            where=where,
            expected="a shape",
            found=described(info),
            remedy=f"give the shape: --input-shape {value.name}=1,...",
        )
    if shape is None:
        return info
    shape = _extents(shape, where)
    declared = info.shape if info.shape is not None else (None,) * len(shape)
    if len(shape) != len(declared) or any(dim < 0 for dim in shape):
        raise Diagnostic(
            "the shape given for an input does not fit the model",
            where=where,
            expected="x".join("?" if dim is None else str(dim) for dim in declared) or "a scalar",
            found="x".join(map(str, shape)) or "a scalar",
            remedy="give as many dimensions as the model has, of 0 or more",
        )
    return TensorInfo(info.data_type, shape)


def _extents(shape: Sequence[int], where: str) -> tuple[int, ...]:
    """Return a shape of Python's integers, also one of NumPy's. Raises Diagnostic for other extents."""
    try:
        return tuple(index(dim) for dim in shape)
    except TypeError as error:
        raise Diagnostic(
            "a shape is not of integers",
            where,
            expected="integers",
            found=repr(shape),
            remedy="give whole numbers, as in (1, 3, 224, 224)",
        ) from error


@mentions("Concat")
def _deduce(graph: Graph, infos: Infos) -> None:
    """Fill in the dim along which an input is concatenated, where all else of that Concat is known."""
    inferred = infer(graph, infos)
    for name, kind in graph.declared.items():
        stated = info_of(kind)
        if stated is not None and name not in infos and None not in (stated.shape or (None,)):
            inferred[name] = stated
    for node in graph.nodes:
        if node.op_type != "Concat" or node.domain:
            continue
        axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
        shapes = [
            infos[name].shape if name in infos else _shape(inferred, name) for name in (*node.input, node.output[0])
        ]
        if any(shape is None or not -len(shape) <= axis < len(shape) for shape in shapes):
            continue
        *parts, whole = [shape[axis] for shape in shapes if shape is not None]
        name = node.input[parts.index(None)] if parts.count(None) == 1 else ""
        rest = sum(part for part in parts if part is not None)
        shape = infos[name].shape if name in infos else None
        if shape is not None and whole is not None and whole >= rest:
            axis %= len(shape)
            infos[name] = TensorInfo(infos[name].data_type, (*shape[:axis], whole - rest, *shape[axis + 1 :]))


def _shape(infos: Infos, name: str) -> tuple[int | None, ...] | None:
    return infos[name].shape if name in infos else None


def _open_dims(graph: Graph, infos: Infos) -> Iterator[str]:
    for value in graph.inputs:
        for axis, size in enumerate(infos[value.name].shape or ()):
            if size is None:
                symbol = value.type.tensor_type.shape.dim[axis].dim_param
                yield f'dimension {axis} of "{value.name}" is ' + (f"'{symbol}'" if symbol else "left open")
