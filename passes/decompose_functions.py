"""Decomposition of ONNX function operators that have no lowering of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from onnx import (
    AttributeProto,
    FunctionProto,
    ModelProto,
    NodeProto,
    TypeProto,
    helper,
    numpy_helper,
)
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.onnx.schema import OnnxOp
from ..ir import element_of, functions, shape_of
from .core.base import Pass
from .lowering import load_rules
from .lowering.lowerer import LOWERINGS, constant_of

_DOMAIN = "tilewright.body"


def decompose_functions(function: func.FuncOp) -> None:
    """Replace operators without a lowering by their ONNX function bodies, until a fixpoint."""
    load_rules()
    pending = [op for op in nested_ops(function.body) if _is_decomposed(op)]
    while pending:
        body = _decompose(cast(OnnxOp, pending.pop()))
        pending += [op for op in body if _is_decomposed(op)]


def _is_decomposed(op: Operation) -> bool:
    if not isinstance(op, OnnxOp) or op.name in LOWERINGS or op.regions:
        return False
    schema: Any = op.SCHEMA
    return bool(schema.has_function or schema.has_context_dependent_function)


def _decompose(op: OnnxOp) -> list[Operation]:
    """Replace an op by its body; return the ops of the body. An op without a body for its types is unchanged."""
    from ..frontend.importer import import_model

    function = _body_of(op)
    if not function.node:
        return []
    body = functions(import_model(_model_of(op, function)))[0].body.block
    assert body.last_op is not None
    for argument, value in zip(body.args, _inputs(op).values(), strict=True):
        argument.replace_all_uses_with(value)
    results = list(body.last_op.operands)
    ops = list(body.ops)[:-1]
    for inner in ops:
        inner.detach()
        inner.location = op.location
    Rewriter.insert_op(ops, InsertPoint.before(op))
    Rewriter.replace_op(op, [], results)
    return ops


def _body_of(op: OnnxOp) -> FunctionProto:
    """Return the newest ONNX function body of an op, empty if there is none for its types."""
    schema: Any = op.SCHEMA
    if schema.has_function:
        data = schema.get_function_with_opset_version(max(schema.function_opset_versions))
    else:
        version = max(schema.context_dependent_function_opset_versions)
        types = [TypeProto() if value is None else _onnx_type(value) for value in op.node_inputs]
        serialized = _node_of(op).SerializeToString(), [type.SerializeToString() for type in types]
        data = schema.get_context_dependent_function_with_opset_version(version, *serialized)
    function = FunctionProto.FromString(data)
    function.name, function.domain = "Body", _DOMAIN
    return function


def _node_of(op: OnnxOp) -> NodeProto:
    """Return an op as a node with all its attributes, defaults included."""
    from ..runtime.interpreter.onnx import node_of

    node = node_of(op)
    for name, attribute in op.SCHEMA.attributes.items():
        if name not in op.properties and attribute.default_value.type != AttributeProto.UNDEFINED:
            node.attribute.append(attribute.default_value)
    return node


def _inputs(op: OnnxOp) -> dict[str, SSAValue]:
    """Return the non-constant operands by their names in the op's model."""
    named = {f"i{index}": value for index, value in enumerate(op.node_inputs) if value is not None}
    return {name: value for name, value in named.items() if constant_of(value) is None}


def _model_of(op: OnnxOp, function: FunctionProto) -> ModelProto:
    """Build a model that calls the body of an op."""
    call = _node_of(op)
    call.op_type, call.domain = function.name, function.domain
    inputs = [helper.make_value_info(name, _onnx_type(value)) for name, value in _inputs(op).items()]
    outputs = [
        helper.make_value_info(f"o{index}", _onnx_type(value))
        for index, value in enumerate(op.node_outputs)
        if value is not None
    ]
    constants = {f"i{index}": constant_of(value) for index, value in enumerate(op.node_inputs)}
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items() if array is not None]
    graph = helper.make_graph([call], "function", inputs, outputs, initializers)
    imports = [*function.opset_import, helper.make_opsetid(_DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=imports, functions=[function])


def _onnx_type(value: SSAValue) -> TypeProto:
    from ..frontend.tensors import ELEMENTS

    element = element_of(value)
    number = next(number for number, kind in ELEMENTS.items() if kind == element)
    return helper.make_tensor_type_proto(number, shape_of(value))


@dataclass(frozen=True)
class DecomposeFunctionsPass(Pass):
    """
    Decompose operators without a lowering into their ONNX function bodies.

    The ops of a body have the location of the op that they replace.
    """

    name = "decompose-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            decompose_functions(function)
