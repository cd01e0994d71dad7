"""The onnx dialect: one op for each operator, whatever the installed onnx package has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import defs, helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.test import TestOp as SourceOp
from xdsl.ir import Attribute
from xdsl.traits import Pure

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx import ONNX, op_class
from tilewright.dialects.onnx.custom import DOMAIN, SCHEMAS
from tilewright.dialects.onnx.parameters import channel_shape
from tilewright.dialects.onnx.schema import OnnxOp, make, stored_value
from tilewright.ir import dense

pytestmark = pytest.mark.quick

Kind, Type = OpSchema.FormalParameterOption, OpSchema.AttrType
TENSOR = TensorType(f32, [4])
CLASSES = [cls for cls in ONNX.operations if issubclass(cls, OnnxOp)]
SAMPLES: dict[Any, Any] = {
    Type.INT: 1,
    Type.FLOAT: 1.5,
    Type.STRING: "x",
    Type.INTS: [1, 2],
    Type.FLOATS: [1.5, -2.0],
    Type.STRINGS: ["a", "b"],
}


def build(cls: type[OnnxOp], *, full: bool) -> ModuleOp:
    """Return a module with one op: with every optional part, or with none."""
    schema = cls.SCHEMA
    wanted = [p for p in schema.inputs if full or p.option != Kind.Optional]
    source = SourceOp(result_types=[TENSOR] * len(wanted))
    values = iter(source.results)
    inputs = [next(values) if full or p.option != Kind.Optional else None for p in schema.inputs]
    outputs = [TENSOR if full or p.option != Kind.Optional else None for p in schema.outputs]
    properties: dict[str, Attribute] = {}
    for name, attribute in schema.attributes.items():
        if attribute.type in SAMPLES and (attribute.required or full):
            properties[name] = stored_value(attribute.type, SAMPLES[attribute.type])
        elif attribute.required:
            properties[name] = stored_value(Type.INT, 1)
    if cls.name == "onnx.Constant":
        properties["value"] = dense(np.zeros(4, np.float32), f32)
    if schema.domain == DOMAIN:
        known = {"div": 8, "D": 8, "n_levels": 16, "signed": 0}
        properties |= {n: stored_value(Type.INT, v) for n, v in known.items() if n in properties}
    return ModuleOp([source, make(cls, inputs, outputs, properties)])


def test_every_schema_has_an_op():
    schemas = {(schema.domain, schema.name): schema for schema in defs.get_all_schemas() if schema.domain != DOMAIN}
    missing = [key for key in schemas if (cls := op_class(key[1], key[0])) is None or cls.SCHEMA.name != key[1]]
    assert not missing
    assert len(CLASSES) == len(schemas) + len(SCHEMAS)


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize("full", [True, False], ids=["full", "minimal"])
def test_every_op_round_trips(full: bool):
    context = new_context()
    for cls in CLASSES:
        if cls.get_irdl_definition().regions:
            continue
        module = build(cls, full=full)
        verify(module)
        text = print_ir(module)
        assert print_ir(parse_module(context, text)) == text
        assert print_ir(parse_module(context, print_ir(module, generic=True))) == text


def test_names_follow_the_domain():
    assert op_class("Conv").name == "onnx.Conv"  # pyright: ignore[reportOptionalMemberAccess]
    assert op_class("Scaler", "ai.onnx.ml").name == "onnx.ml.Scaler"  # pyright: ignore[reportOptionalMemberAccess]
    assert op_class("Adam", "ai.onnx.preview.training").name == "onnx.preview.training.Adam"  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("domain", ["", "PACTOps", "ai.onnx.contrib", "com.example"])
def test_quantised_operators_are_known_in_every_domain(domain: str):
    assert op_class("RequantShift", domain) is op_class("RequantShift")


def test_other_operators_are_known_in_their_domain_only():
    assert op_class("Conv", "com.example") is None
    assert op_class("Conv", "ai.onnx") is op_class("Conv")
    assert op_class("Gelu", "com.microsoft") is op_class("Gelu")
    assert op_class("Frobnicate") is None


def test_attributes_have_their_defaults():
    op = next(op for op in build(op_class("Gemm"), full=False).walk() if isinstance(op, OnnxOp))  # pyright: ignore[reportArgumentType]
    assert not op.properties
    assert (op.attribute("alpha"), op.attribute("transB")) == (1.0, 0)


def test_attributes_are_python_values():
    op = next(op for op in build(op_class("Conv"), full=True).walk() if isinstance(op, OnnxOp))  # pyright: ignore[reportArgumentType]
    assert (op.attribute("pads"), op.attribute("auto_pad"), op.attribute("group")) == ((1, 2), "x", 1)
    assert helper.make_attribute("pads", op.attribute("pads")).ints == [1, 2]


def test_inputs_are_listed_by_position():
    text = '%x, %s = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)\n'
    text += "%y = onnx.Resize(%x, none, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
    op = next(op for op in parse_module(new_context(), text).walk() if isinstance(op, OnnxOp))
    assert [value is None for value in op.node_inputs] == [False, True, False]
    assert op.node_input(2) is op.operands[1]
    assert op.node_input(3) is None
    assert op.node_outputs == (op.results[0],)


def test_random_and_nested_ops_have_effects():
    effects = {cls.SCHEMA.name for cls in CLASSES if not cls.has_trait(Pure)}
    assert {"RandomNormal", "Dropout", "Multinomial", "If", "Loop", "Scan"} <= effects
    assert not {"Conv", "RequantShift", "Constant", "MatMul"} & effects


@pytest.mark.parametrize(
    ("parameter", "x", "expected"),
    [
        ((), (2, 3), (1, 1)),
        ((1,), (2, 3, 4), (1, 1, 1)),
        ((3,), (2, 3, 4), (1, 3, 1)),
        ((3,), (1, 3, 3), (1, 3, 1)),
        ((4,), (3, 4), (1, 4)),
        ((3, 1, 1), (2, 3, 5, 5), (3, 1, 1)),
        ((3, 1, 1), (3, 3, 5), (1, 3, 1)),
        ((3, 1), (3, 4), (3, 1)),
        ((1, 3, 1, 1), (2, 3, 5, 5), (1, 3, 1, 1)),
        ((5,), (2, 3, 5), None),
        ((2, 3), (3, 4), None),
    ],
)
def test_channel_shape(parameter: tuple[int, ...], x: tuple[int, ...], expected: tuple[int, ...] | None):
    assert channel_shape(parameter, x) == expected
