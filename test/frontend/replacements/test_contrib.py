"""Operators of ONNX Runtime, which the importer replaces, beside ONNX Runtime itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.dialects.onnx.contrib import CONTRIB_SCHEMAS
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.replacements import load_rules
from tilewright.frontend.site import REPLACEMENTS
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.frontend.replacements.contrib_cases import RANDOM, Case, expected, floats
from tilewright.test.passes.lowering.one_node import FLAGS, lowered


def integers(*shape: int, high: int = 256, dtype: Any = np.uint8) -> Array:
    return RANDOM.integers(0, high, shape).astype(dtype)


def signed(*shape: int) -> Array:
    return RANDOM.integers(-128, 128, shape).astype(np.int8)


def f(value: float) -> Array:
    return np.array(value, np.float32)


def u(value: int) -> Array:
    return np.array(value, np.uint8)


def compare(case: Case, found: dict[str, Array]) -> None:
    names = [name for name in case.outputs if name]
    for name, want in zip(names, expected(case), strict=True):
        tolerance = 2e-5 if want.dtype.kind == "f" else 0
        np.testing.assert_allclose(found[name], want, tolerance, tolerance, err_msg=f"{case.op}.{name}")
        assert found[name].dtype == want.dtype


PAIR = [integers(2, 5), f(0.1), u(120), integers(2, 5), f(0.05), u(100), f(0.12), u(110)]
ONE = [integers(2, 3, 4, 5), f(0.04), u(120), f(1 / 256), u(0)]
NORM = [floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8), floats(8)]
TEXT = [
    integers(2, 4, high=9, dtype=np.int32),
    integers(2, 4, high=2, dtype=np.int32),
    floats(9, 8),
    floats(6, 8),
    floats(2, 8),
    floats(8),
    floats(8),
    np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32),
]
SELF = [floats(2, 4, 8), floats(8, 24), floats(24)]
PLAIN = [
    Case("BiasGelu", [floats(2, 8), floats(8)]),
    Case("Gelu", [floats(2, 8)]),
    Case("FastGelu", [floats(2, 8), floats(8)]),
    Case("FastGelu", [floats(2, 8)]),
    Case("QuickGelu", [floats(2, 8)], {"alpha": 1.5}),
    Case("FusedMatMul", [floats(2, 4, 3), floats(2, 5, 4)], {"transA": 1, "transB": 1, "alpha": 0.25}),
    Case("FusedGemm", [floats(3, 4), floats(4, 5), floats(5)], {"activation": "Relu", "alpha": 0.5}),
    Case(
        "FusedConv",
        [floats(1, 2, 5, 5), floats(3, 2, 3, 3), floats(3)],
        {"activation": "Clip", "activation_params": [0.0, 1.0], "pads": [1, 1, 1, 1]},
    ),
    Case("SkipLayerNormalization", NORM, {"epsilon": 1e-5}, ("y", "", "", "s")),
    Case("SkipLayerNormalization", NORM[:3]),
    Case("SkipSimplifiedLayerNormalization", [*NORM[:3], NORM[4]], {"epsilon": 1e-5}, ("y", "", "", "s")),
    Case("SimplifiedLayerNormalization", [NORM[0], NORM[2]], {"axis": -1}, domain=""),
    Case("EmbedLayerNormalization", TEXT, {"epsilon": 1e-6}, ("y", "mask", "sum")),
    Case("EmbedLayerNormalization", [TEXT[0], None, *TEXT[2:4], None, *TEXT[5:7]], {}, ("y", "mask")),
]
QUANTISED = [
    Case("QLinearAdd", PAIR),
    Case("QLinearMul", PAIR),
    Case("QLinearSigmoid", ONE),
    Case("QLinearLeakyRelu", [*ONE[:3], f(0.03), u(90)], {"alpha": 0.1}),
    Case("QLinearSoftmax", ONE, {"axis": 3, "opset": 13}, constants=(1, 2, 3, 4)),
    Case("QLinearGlobalAveragePool", [*ONE[:3], f(0.02), u(128)]),
    Case("QLinearConcat", [f(0.06), u(99), *PAIR[:6]], {"axis": 1}),
    Case("DynamicQuantizeMatMul", [floats(3, 4), integers(4, 5), f(0.02), u(130), floats(5)]),
    *(
        Case(
            "QGemm",
            [integers(*a), f(0.03), u(120), signed(*b), f(0.02), np.array(3, np.int8), bias, *result],
            {"transA": a[0] == 4, "transB": b[0] == 5, "alpha": 1.3},
        )
        for a, b, bias, result in (
            ((3, 4), (4, 5), integers(5, dtype=np.int32), (f(0.11), u(99))),
            ((4, 3), (5, 4), integers(3, 5, dtype=np.int32), ()),
            ((4, 3), (4, 5), None, (f(0.11), u(99))),
        )
    ),
    Case("QGemm", [integers(3, 4), f(0.03), u(7), signed(4, 5), np.abs(floats(5)), signed(5), None, f(0.3), u(9)]),
    *(
        Case(
            "QLinearAveragePool",
            [integers(1, 2, 6, 6), f(0.03), u(120), f(0.02), u(99)],
            {"kernel_shape": [2, 2]} | form,
        )
        for form in ({}, {"pads": [1, 1, 1, 1]}, {"strides": [3, 3], "ceil_mode": 1, "count_include_pad": 1})
    ),
    Case(
        "QLinearWhere",
        [np.array([True, False, True]), integers(2, 3), f(0.03), u(120), integers(3), f(0.05), u(9), f(0.06), u(90)],
    ),
    Case("MatMulIntegerToFloat", [integers(3, 4), integers(4, 5), f(0.1), floats(5), u(3), None, floats(5)]),
]


def lstm(way: str, directions: int, *, columns: bool = False, state: bool = False, bias: bool = True) -> Case:
    """Return an LSTM of 3 steps of 2 sequences of 3 numbers, with a state of 4; scales are one or by column."""
    shape = (directions, 16) if columns else (directions,)
    scale, zero = np.abs(floats(*shape)) * f(0.01) + f(0.005), np.full(shape, 0 if columns else 7, np.int8)
    weights: list[Array | None] = [signed(directions, 3, 16), signed(directions, 4, 16)]
    states: list[Array | None] = [floats(directions, 2, 4) if state else None] * 2
    inputs = [floats(3, 2, 3), *weights, floats(directions, 32) if bias else None, None, *states, None]
    constants = (1, 2, *((3,) if bias else ()), 8, 9, 10, 11)
    attributes = {"hidden_size": 4, "direction": way}
    return Case("DynamicQuantizeLSTM", [*inputs, scale, zero, scale, zero], attributes, ("y", "h", "c"), constants)


LSTM = [
    lstm("forward", 1, state=True),
    lstm("reverse", 1, columns=True, state=True, bias=False),
    lstm("bidirectional", 2, columns=True, state=True),
]
ATTENTION = [
    *(
        Case(
            "QAttention",
            [integers(2, 4, 8), signed(8, 24), floats(24), f(0.02), f(0.01), mask, u(120), None, past],
            {"num_heads": 2, "unidirectional": int(past is not None)},
            ("y", "present") if past is not None else ("y",),
            (1, 2),
        )
        for mask, past in ((None, None), (TEXT[7], None), (None, floats(2, 2, 2, 3, 4)))
    ),
    Case("Attention", SELF, {"num_heads": 2}),
    Case("Attention", SELF, {"num_heads": 2, "unidirectional": 1, "scale": 0.3}),
    Case("Attention", [*SELF, TEXT[7]], {"num_heads": 2}),
    Case("Attention", [*SELF, np.array([3, 2], np.int32)], {"num_heads": 2}),
    Case("Attention", [*SELF, np.array([3, 4, 1, 0], np.int32)], {"num_heads": 2}),
    Case("Attention", [*SELF, None, floats(2, 2, 2, 3, 4)], {"num_heads": 2, "unidirectional": 1}, ("y", "present")),
    Case("Attention", [*SELF, None, None, floats(1, 2, 4, 4)], {"num_heads": 2}),
    Case("MultiHeadAttention", [floats(2, 3, 8), floats(2, 5, 8), floats(2, 5, 8), floats(24)], {"num_heads": 2}),
    Case("MultiHeadAttention", [floats(2, 3, 8), floats(2, 2, 5, 4), floats(2, 2, 5, 4)], {"num_heads": 2}),
    Case("MultiHeadAttention", [floats(2, 3, 8), *[floats(2, 5, 8)] * 2], {"num_heads": 2}, ("y", "k", "v")),
    Case("MultiHeadAttention", [floats(2, 1, 8), *[floats(2, 5, 8)] * 2], {"num_heads": 2, "unidirectional": 1}),
    Case(
        "MultiHeadAttention",
        [floats(2, 3, 8), floats(2, 3, 8), floats(2, 3, 8), None, None, None, floats(2, 2, 4, 4), floats(2, 2, 4, 4)],
        {"num_heads": 2},
        ("y", "k", "v"),
    ),
]
NBITS = [
    Case(
        "MatMulNBits",
        [floats(3, 40), integers(5, 3, 8 * bits // 4), floats(5, 3), zeros],
        {"K": 40, "N": 5, "block_size": 16, "bits": bits},
        constants=(1, 2, 3),
    )
    for bits, zeros in ((4, integers(5, 2)), (4, None), (8, integers(5, 3)))
]


@pytest.mark.sample(17)
@pytest.mark.parametrize("case", [*PLAIN, *QUANTISED, *LSTM, *ATTENTION, *NBITS], ids=lambda case: case.op)
def test_an_operator_is_what_onnx_runtime_computes(case: Case):
    compare(case, run_module(lowered(case.model, "tensor"), case.feeds))


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", [ATTENTION[5], QUANTISED[0], QUANTISED[7], LSTM[0]], ids=lambda case: case.op)
def test_an_operator_in_c(case: Case):
    network = HostNetwork(render(lowered(case.model, "")), sanitize=True, flags=FLAGS)
    compare(case, host_run(network)(case.feeds))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case("Attention", SELF, {"num_heads": 2, "do_rotary": 1}), "Attention with rotary positions"),
        (Case("Attention", [*SELF, integers(3, 3, 3)], {"num_heads": 2}), r"a mask of shape \[3, 3, 3\]"),
        (Case("FusedGemm", [floats(3, 4), floats(4, 5)], {"activation": "Gelu"}), "with the activation 'Gelu'"),
        (Case("MatMulNBits", NBITS[0].inputs, NBITS[0].attributes), "weights that are not constant"),
        (Case("BiasGelu", [floats(2)]), "BiasGelu has a wrong number of inputs"),
        (Case("DynamicQuantizeLSTM", LSTM[0].inputs, {"clip": 1.0}), "DynamicQuantizeLSTM with clip"),
        (Case("DynamicQuantizeLSTM", LSTM[0].inputs, {"activations": ["Relu"] * 3}), "with these activations"),
        (Case("Attention", SELF), "lacks the attribute 'num_heads'"),
        (
            Case(
                "MultiHeadAttention", [floats(2, 3, 8), *[floats(2, 5, 8)] * 2], {"num_heads": 2, "unidirectional": 1}
            ),
            "causal attention of 3 queries to 5 new keys",
        ),
    ],
)
def test_what_is_not_handled_says_so(case: Case, message: str):
    with pytest.raises(Diagnostic, match=message):
        import_model(case.model)


def test_each_operator_has_a_rule():
    load_rules()
    assert {(schema.domain, schema.name) for schema in CONTRIB_SCHEMAS} <= REPLACEMENTS.keys()
