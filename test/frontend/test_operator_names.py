"""Operators that are not handled: those of ONNX Runtime are unsupported, others unknown, each with its remedy."""

from __future__ import annotations

import random
import re
from importlib import import_module
from importlib.metadata import version
from typing import Any

import pytest
from onnx import NodeProto, defs, helper

from tilewright.dialects.onnx import op_types
from tilewright.dialects.onnx.facts import Trait, having
from tilewright.dialects.onnx.registry import key_of
from tilewright.dialects.onnx.runtime_operators import RUNTIME_OPERATORS, VERSION
from tilewright.errors import Diagnostic, did_you_mean
from tilewright.frontend.operator_names import CLASSICAL, TRAINING, check_operators
from tilewright.frontend.replacements import load_rules
from tilewright.frontend.site import REPLACEMENTS

pytestmark = pytest.mark.quick


def refused(*operators: tuple[str, str]) -> Diagnostic:
    nodes = [helper.make_node(name, [], [], domain=domain, name=f"n{i}") for i, (domain, name) in enumerate(operators)]
    with pytest.raises(Diagnostic) as caught:
        check_operators(nodes)
    return caught.value


@pytest.mark.parametrize(
    ("domain", "name", "remedy"),
    [
        ("com.microsoft", "LongformerAttention", "ORT_ENABLE_BASIC"),
        ("com.microsoft", "QEmbedLayerNormalization", "ORT_ENABLE_BASIC"),
        ("com.microsoft.nchwc", "Conv", "ORT_ENABLE_EXTENDED"),
        ("com.ms.internal.nhwc", "MaxPool", "ORT_ENABLE_EXTENDED"),
        ("ai.onnx.ml", "TreeEnsembleClassifier", "hummingbird-ml"),
        ("ai.onnx.ml", "Scaler", "hummingbird-ml"),
        ("ai.onnx.preview.training", "Gradient", "without the step of its training"),
    ],
)
def test_operators_of_onnx_runtime_are_unsupported_not_unknown(domain: str, name: str, remedy: str):
    error = refused((domain, name))
    assert error.notes == [
        f'node "n0": {name} of the domain {domain} is an operator of ONNX Runtime that is not supported'
    ]
    assert remedy in error.remedy


def test_all_kinds_are_told_at_once_each_with_its_remedy():
    error = refused(("ai.onnx.ml", "Scaler"), ("", "Relo"), ("com.microsoft.nchwc", "Conv"), ("ai.onnx.ml", "Scaler"))
    assert error.message == "3 operators are not handled"
    assert error.found == "ai.onnx.ml::Scaler, Relo, com.microsoft.nchwc::Conv"
    assert [part.split()[0] for part in error.remedy.split("; ")] == ["convert", "export", "save"]
    assert "'Relu'" in error.notes[1]


def test_names_are_suggested_of_the_same_domain_and_never_the_same():
    draw = random.Random(1)
    domains = ["", "com.microsoft", "ai.onnx.ml", "com.example", "PACTOps"]
    every = sorted({*op_types(), *op_types("com.microsoft"), *op_types("ai.onnx.ml")})
    for _ in range(200):
        domain, name = draw.choice(domains), draw.choice(every)
        place = draw.randrange(len(name))
        wrong = draw.choice([name, name[:place] + "x" + name[place:], name[:place] + name[place + 1 :]])
        try:
            check_operators([helper.make_node(wrong, [], [], domain=domain, name="n")])
        except Diagnostic as error:
            suggested = re.findall(r"'(\w+)'", error.notes[0])
            assert set(suggested) <= set(op_types(domain)) - {wrong}, (domain, wrong)


def test_a_name_is_not_suggested_for_itself():
    assert did_you_mean("Conv", ["Conv", "ConvX"]) == "did you mean 'ConvX'?"
    assert did_you_mean("Conv", ["Conv"]) == ""


def test_what_is_known_of_onnx_runtime_is_what_it_has():
    """The table is that of one release; another release may have others."""
    if version("onnxruntime") != VERSION:
        pytest.skip("the table is of another release of ONNX Runtime")
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    found: dict[str, set[str]] = {}
    for schema in state.get_all_operator_schema():
        if schema.domain.startswith("com."):
            found.setdefault(schema.domain, set()).add(schema.name)
    assert found == RUNTIME_OPERATORS


def test_operators_of_onnx_with_a_rule_are_handled():
    load_rules()
    handled = [key for key in REPLACEMENTS if key[0] in (CLASSICAL, TRAINING)]
    assert {key_of(key) for key in handled} == having(Trait.HANDLED)
    for domain in (CLASSICAL, TRAINING):
        names = {name for own, name in handled if own == domain}
        nodes = [NodeProto(op_type=name, domain=domain) for name in names]
        check_operators(nodes)
        assert names < {schema.name for schema in defs.get_all_schemas() if schema.domain == domain}
