"""Functions at the graph level as ONNX models, for a vendor's compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, defs, helper, numpy_helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from ....dialects.onnx.schema import OnnxOp
from ....errors import Diagnostic
from ....ir import element_of, shape_of, where
from ....runtime.interpreter import Interpreter, run_op
from ....runtime.interpreter.onnx import node_of

OPSET = 13
"""Opset of the models: tpu-mlir 1.30.2 takes no axes of reductions among the operands, as later ones have them."""
_IR_VERSION = 8


def exported(function: FuncOp) -> ModelProto:
    """
    Return a function on tensors of float32 at the graph level as a model; equal bytes for equal functions.

    Inputs are `in0`, `in1`, .., outputs `out0`, `out1`, .., in order. Raises Diagnostic for other types, for ops that
    are no ONNX operators, and for operators that OPSET does not have in this form.
    """
    names: dict[SSAValue, str] = {value: f"in{index}" for index, value in enumerate(function.body.block.args)}
    last = function.body.block.last_op
    assert isinstance(last, ReturnOp)
    _refuse_types(function, [*names, *last.operands])
    nodes: list[NodeProto] = []
    constants: list[TensorProto] = []
    for number, op in enumerate(function.body.block.ops):
        if op is last:
            continue
        if not isinstance(op, OnnxOp) or op.regions:
            raise Diagnostic(f"{op.name} is no operator of an ONNX model without branches", where=where(op))
        names |= {value: f"t{number}_{index}" for index, value in enumerate(op.results)}
        by_name = {tensor.name: tensor for tensor in constants}
        if all(names[value] in by_name for value in op.operands):
            constants += _computed(op, names, by_name)
        else:
            nodes.append(_named(op, names, by_name))
    nodes = _divided(nodes, {tensor.name: tensor for tensor in constants})
    nodes += [helper.make_node("Identity", [names[value]], [f"out{k}"]) for k, value in enumerate(last.operands)]
    inputs = [_info(names[value], value) for value in function.body.block.args]
    outputs = [_info(f"out{index}", value) for index, value in enumerate(last.operands)]
    used = {name for node in nodes for name in node.input}
    weights = [tensor for tensor in constants if tensor.name in used]
    graph = helper.make_graph(nodes, function.sym_name.data, inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = _IR_VERSION
    try:
        cast(Any, onnx).checker.check_model(model)
    except cast(Any, onnx).checker.ValidationError as error:
        raise Diagnostic(
            f"{function.sym_name.data} is no model of ONNX opset {OPSET}",
            where=where(function),
            found=str(error).splitlines()[0],
            remedy="leave its kind out of --modules",
        ) from error
    return model


def _computed(op: OnnxOp, names: Mapping[SSAValue, str], constants: Mapping[str, TensorProto]) -> list[TensorProto]:
    """Return the results of an op on constants, such as weights that are stored in fewer bits."""
    if op.name == "onnx.Constant":
        return [numpy_helper.from_array(op.attribute("value"), names[op.results[0]])]
    operands = [numpy_helper.to_array(constants[names[value]]) for value in op.operands]
    results = run_op(Interpreter(ModuleOp([])), op, operands)
    return [
        numpy_helper.from_array(np.asarray(array), names[value])
        for value, array in zip(op.results, results, strict=True)
    ]


def _named(op: OnnxOp, names: Mapping[SSAValue, str], constants: Mapping[str, TensorProto]) -> NodeProto:
    """Return an op as a node of OPSET, its tensors named as values are; constant axes become an attribute there."""
    node = node_of(op)
    inputs = [names[value] if value is not None else "" for value in op.node_inputs]
    outputs = [names[value] if value is not None else "" for value in op.node_outputs]
    del node.input[:], node.output[:]
    if len(inputs) > 1 and inputs[1] in constants and "axes" in _schema(op).attributes:
        axes = numpy_helper.to_array(constants[inputs.pop()])
        node.attribute.append(helper.make_attribute("axes", axes.tolist()))
    node.input.extend(inputs)
    node.output.extend(outputs)
    node.name = outputs[0]
    return node


def _divided(nodes: Sequence[NodeProto], constants: Mapping[str, TensorProto]) -> list[NodeProto]:
    """
    Return nodes in which products with an inverse, x * (1 / y), are quotients x / y.

    tpu-mlir 1.30.2 makes an operator RMSNorm of the former behind a root, and aborts where it lowers that for cv181x.
    """
    inverses = {node.output[0]: node.input[-1] for node in nodes if _is_inverse(node, constants)}
    changed: list[NodeProto] = []
    for node in nodes:
        factor = next((name for name in node.input if name in inverses), "")
        if node.op_type == "Mul" and factor and len(set(node.input)) > 1:
            other = next(name for name in node.input if name != factor)
            node = helper.make_node("Div", [other, inverses[factor]], list(node.output), name=node.name)
        changed.append(node)
    used = {name for node in changed for name in node.input}
    return [node for node in changed if node.output[0] not in inverses or node.output[0] in used]


def _is_inverse(node: NodeProto, constants: Mapping[str, TensorProto]) -> bool:
    if node.op_type == "Reciprocal":
        return True
    one = constants.get(node.input[0]) if node.op_type == "Div" else None
    return one is not None and bool((numpy_helper.to_array(one) == 1).all())


def _schema(op: OnnxOp) -> OpSchema:
    """Return the schema of an operator in OPSET. Raises Diagnostic for a newer operator."""
    try:
        return defs.get_schema(op.SCHEMA.name, OPSET, op.SCHEMA.domain)
    except defs.SchemaError as error:
        raise Diagnostic(
            f"{op.SCHEMA.name} is newer than ONNX opset {OPSET}",
            where=where(op),
            remedy="leave the kind of its module out of --modules",
        ) from error


def _info(name: str, value: SSAValue) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape_of(value))


def _refuse_types(function: FuncOp, values: Sequence[SSAValue]) -> None:
    """Raise Diagnostic for inputs or outputs that are not of float32."""
    other = next((value for value in values if element_of(value) != f32), None)
    if other is not None:
        raise Diagnostic(
            f"the TPU takes tensors of float32 alone, {function.sym_name.data} has others",
            where=where(function),
            expected="inputs and outputs of f32",
            found=str(other.type),
            remedy="leave its kind out of --modules",
        )
