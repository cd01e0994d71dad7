"""Small ONNX models, and mutations: bytes flipped and truncated, and every part of the model changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, defs, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_onnx

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
_OPERATORS = sorted({schema.name for schema in defs.get_all_schemas() if not schema.domain})
_NUMBERS = (0, 1, -1, 2, 3, 7, 1 << 31, 1 << 40, 1 << 62, -(1 << 63), (1 << 63) - 1)


def bases() -> list[ModelProto]:
    """Return models that hold every kind of thing: weights, shapes, branches, loops, sequences, functions."""
    return [_convolutions(), _shapes(), _branches(), _sequences(), _functions(), _quantised()]


def _model(
    nodes: Sequence[NodeProto], shape: Sequence[int | str], weights: dict[str, Any] | None = None, opset: int = 20
) -> ModelProto:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()]
    inputs = [helper.make_tensor_value_info("x", F32, shape)]
    graph = helper.make_graph(list(nodes), "net", inputs, [helper.make_tensor_value_info("y", F32, None)], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def _node(op_type: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op_type, names, outputs.split(), **attributes)


def _convolutions() -> ModelProto:
    nodes = [
        _node("Conv", "x w b", "c", pads=[1, 1, 1, 1], strides=[2, 2]),
        _node("BatchNormalization", "c s s s s", "n"),
        _node("Clip", "n", "r", min=0.0, max=6.0),
        _node("MaxPool", "r", "p", kernel_shape=[2, 2]),
        _node("Flatten", "p", "f"),
        _node("Gemm", "f g", "m", transB=1),
        _node("Softmax", "m", "y"),
    ]
    ones = np.ones
    weights = {"w": ones((4, 3, 3, 3), "f4"), "b": ones(4, "f4"), "s": ones(4, "f4"), "g": ones((2, 36), "f4")}
    return _model(nodes, [1, 3, 8, 8], weights, opset=9)


def _shapes() -> ModelProto:
    nodes = [
        _node("Shape", "x", "s"),
        _node("Gather", "s zero", "n", axis=0),
        _node("Concat", "n rest", "t", axis=0),
        _node("Reshape", "x t", "r"),
        _node("Slice", "r zero two one", "l"),
        _node("Pad", "l pads", "p", mode="reflect"),
        _node("Expand", "p shape", "e"),
        _node("ReduceMean", "e axes", "m"),
        _node("Resize", "m _ scales", "y", mode="linear"),
    ]
    whole = {"zero": [0], "one": [1], "two": [2], "rest": [-1], "pads": [0, 1, 0, 1], "shape": [1, 1], "axes": [0]}
    weights = {name: np.array(value, np.int64) for name, value in whole.items()}
    return _model(nodes, [2, 6], weights | {"scales": np.array([1, 2], np.float32)})


def _branches() -> ModelProto:
    port = helper.make_tensor_value_info
    one = helper.make_graph([_node("Relu", "x", "a")], "one", [], [port("a", F32, None)])
    two = helper.make_graph([_node("Neg", "x", "b")], "two", [], [port("b", F32, None)])
    body = helper.make_graph(
        [_node("Add", "v x", "w"), _node("Identity", "k", "l"), _node("Identity", "w", "z")],
        "body",
        [port("i", I64, []), port("k", TensorProto.BOOL, []), port("v", F32, [2, 3])],
        [port("l", TensorProto.BOOL, []), port("w", F32, [2, 3]), port("z", F32, [2, 3])],
    )
    nodes = [
        _node("If", "cond", "f", then_branch=one, else_branch=two),
        _node("Loop", "turns cond f", "g h", body=body),
        _node("ReduceSum", "h", "y"),
    ]
    return _model(nodes, [2, 3], {"cond": np.array(True), "turns": np.array(3)})


def _sequences() -> ModelProto:
    nodes = [
        _node("SplitToSequence", "x two", "s", axis=1),
        _node("SequenceAt", "s zero", "a"),
        _node("SequenceInsert", "s a zero", "t"),
        _node("SequenceLength", "t", "n"),
        _node("ConcatFromSequence", "t", "c", axis=1),
        _node("Optional", "c", "o"),
        _node("OptionalGetElement", "o", "y"),
    ]
    return _model(nodes, [2, 4], {"zero": np.array(0), "two": np.array(2)})


def _functions() -> ModelProto:
    given = _model([_node("Twice", "x", "d", domain="local"), _node("Relu", "d", "y")], [1, 2])
    opsets = [helper.make_opsetid("", 20)]
    given.functions.append(helper.make_function("local", "Twice", ["a"], ["b"], [_node("Add", "a a", "b")], opsets))
    given.opset_import.append(helper.make_opsetid("local", 1))
    return given


def _quantised() -> ModelProto:
    nodes = [
        _node("QuantizeLinear", "x scale zero", "q"),
        _node("DequantizeLinear", "q scale zero", "d"),
        _node("MatMul", "d w", "m"),
        _node("Cast", "m", "h", to=TensorProto.FLOAT16),
        _node("Cast", "h", "y", to=F32),
    ]
    weights = {"scale": np.float32(0.5), "zero": np.int8(3), "w": np.ones((3, 2), np.float32)}
    return _model(nodes, [2, 3], weights)


# Mutations


def mutated(model: ModelProto, random: Random) -> bytes:
    """Return a file that is a model with one to three mutations."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        apply(random.choice(CHANGES), copy, random)
    data = bytearray(copy.SerializeToString())
    for _ in range(random.choice((0, 0, 0, 1, 2, 8))):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data[: random.randrange(len(data))] if random.random() < 0.1 else data)


def apply(change: Callable[[ModelProto, Random], None], model: ModelProto, random: Random) -> None:
    """Change a model in place, unless it has nothing of the kind."""
    try:
        change(model, random)
    except (IndexError, ValueError, TypeError, DecodeError):
        return  # there is nothing of that kind left, or protobuf itself refuses the value


def _graphs(graph: GraphProto) -> list[GraphProto]:
    inner = [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]
    return [graph, *(deep for found in inner for deep in _graphs(found))]


def _some_node(model: ModelProto, random: Random) -> NodeProto:
    functions: list[Any] = list(model.functions)
    return random.choice([node for graph in (*_graphs(model.graph), *functions) for node in graph.node])


def _some_name(model: ModelProto, random: Random) -> str:
    names = [name for node in model.graph.node for name in (*node.input, *node.output)]
    return random.choice([*names, "", "nothing"])


def _operator(model: ModelProto, random: Random) -> None:
    _some_node(model, random).op_type = random.choice([*_OPERATORS, "", "Frobnicate"])


def _domain(model: ModelProto, random: Random) -> None:
    _some_node(model, random).domain = random.choice(["ai.onnx.ml", "com.microsoft", "x", "ai.onnx"])


def _input(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    node.input[random.randrange(len(node.input))] = _some_name(model, random)


def _fewer_inputs(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    del node.input[random.randrange(len(node.input)) :]


def _more_inputs(model: ModelProto, random: Random) -> None:
    _some_node(model, random).input.extend(_some_name(model, random) for _ in range(random.randrange(1, 4)))


def _output(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    node.output[random.randrange(len(node.output))] = _some_name(model, random)


def _outputs(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    if random.random() < 0.5:
        del node.output[:]
    else:
        node.output.append("more")


def _without_node(model: ModelProto, random: Random) -> None:
    graph = random.choice(_graphs(model.graph))
    del graph.node[random.randrange(len(graph.node))]


def _node_twice(model: ModelProto, random: Random) -> None:
    graph = random.choice(_graphs(model.graph))
    graph.node.append(random.choice(list(graph.node)))


def _attribute(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    attribute = random.choice(list(node.attribute))
    name = str(attribute.name)
    attribute.Clear()
    values = (random.choice(_NUMBERS), float("nan"), "text", [random.choice(_NUMBERS) for _ in range(3)], [1.5])
    attribute.CopyFrom(helper.make_attribute(name, random.choice(values)))


def _attribute_field(model: ModelProto, random: Random) -> None:
    attribute = random.choice(list(_some_node(model, random).attribute))
    kind = random.choice(("type", "i", "ints", "name", "ref"))
    if kind == "type":
        cast(Any, attribute).type = random.choice(list(cast(Any, AttributeProto.AttributeType).values()))
    elif kind == "i":
        attribute.i = random.choice(_NUMBERS)
    elif kind == "ints" and attribute.ints:
        attribute.ints[random.randrange(len(attribute.ints))] = random.choice(_NUMBERS)
    elif kind == "ints":
        attribute.ints.append(random.choice(_NUMBERS))
    elif kind == "ref":
        attribute.ref_attr_name = "outer"
    else:
        attribute.name = random.choice(("", "axis", "axes", "pads", attribute.name.upper()))


def _new_attribute(model: ModelProto, random: Random) -> None:
    node = _some_node(model, random)
    schema = defs.get_schema(node.op_type) if defs.has(node.op_type) else None
    names = list(schema.attributes) if schema else []
    name = random.choice([*names, "extra", "description"])
    values = (random.choice(_NUMBERS), 0.5, "text", [random.choice(_NUMBERS) for _ in range(2)])
    node.attribute.append(helper.make_attribute(name, random.choice(values)))


def _weight(model: ModelProto, random: Random) -> None:
    tensor = random.choice(list(model.graph.initializer))
    kind = random.choice(("dims", "dim", "type", "data", "name", "values", "external"))
    if kind == "dims":
        tensor.dims.append(random.choice(_NUMBERS))
    elif kind == "dim":
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice(_NUMBERS)
    elif kind == "type":
        tensor.data_type = random.choice((*TensorProto.DataType.values(), 99))
    elif kind == "data":
        tensor.raw_data = tensor.raw_data[: random.randrange(len(tensor.raw_data))]
    elif kind == "values":
        tensor.raw_data = bytes(random.randrange(256) for _ in tensor.raw_data)
    elif kind == "external":
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=random.choice(("../x", "/etc/passwd", "x", "", "\0", ".")))
    else:
        tensor.name = _some_name(model, random)


def _port(model: ModelProto, random: Random) -> None:
    value = random.choice([*model.graph.input, *model.graph.output])
    kind = random.choice(("name", "type", "none", "dim", "dims", "open", "sequence"))
    tensor = value.type.tensor_type
    if kind == "name":
        value.name = _some_name(model, random)
    elif kind == "type":
        tensor.elem_type = random.choice((*TensorProto.DataType.values(), 99))
    elif kind == "none":
        value.ClearField("type")
    elif kind == "dim":
        random.choice(list(tensor.shape.dim)).dim_value = random.choice(_NUMBERS)
    elif kind == "dims":
        tensor.shape.dim.add().dim_value = random.choice(_NUMBERS)
    elif kind == "open":
        random.choice(list(tensor.shape.dim)).dim_param = "n"
    else:
        value.type.sequence_type.elem_type.tensor_type.elem_type = F32


def _opset(model: ModelProto, random: Random) -> None:
    if random.random() < 0.2:
        del model.opset_import[:]
        return
    random.choice(list(model.opset_import)).version = random.choice((0, 1, 7, 9, 11, 13, 17, 18, 22, 28, 1000))


def _ports(model: ModelProto, random: Random) -> None:
    del random.choice((model.graph.input, model.graph.output))[:]


def _function(model: ModelProto, random: Random) -> None:
    function = random.choice(list(model.functions))
    kind = random.choice(("itself", "input", "output", "name"))
    if kind == "itself":
        function.node.append(_node(function.name, "a", "b", domain=function.domain))
    elif kind == "name":
        function.name = random.choice(("Relu", "Once", ""))
    else:
        del (function.input if kind == "input" else function.output)[:]


CHANGES: tuple[Callable[[ModelProto, Random], None], ...] = (
    _operator,
    _domain,
    _input,
    _fewer_inputs,
    _more_inputs,
    _output,
    _outputs,
    _without_node,
    _node_twice,
    _attribute,
    _attribute_field,
    _new_attribute,
    _weight,
    _port,
    _opset,
    _ports,
    _function,
)
"""What changes a part of a model."""


# What must come of it


def outcome_of(data: bytes, folder: Path) -> str:
    """
    Return "refused", "imported" or "compiled" for a file; raises whatever else comes of it.

    What is imported verifies and reads back from its text; what is compiled, for the host to the tensor level, may be
    refused there.
    """
    path = folder / "mutated.onnx"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = import_onnx(path)
        except Diagnostic as error:
            _check_clear(error)
            return "refused"
        verify(module)
        text = print_ir(module)
        assert print_ir(parse_module(new_context(), text)) == text
        try:
            compile_model(Model(path), "host", stop_after="tensor")
        except Diagnostic as error:
            _check_clear(error)
            return "imported"
    return "compiled"


def _check_clear(error: Diagnostic) -> None:
    """An error says what is wrong, and is one of the input, not of the tool."""
    assert error.message
    assert not error.message.startswith("internal error"), str(error)
    assert "does not verify" not in error.message, str(error)
