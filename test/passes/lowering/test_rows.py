"""Operators over rows and windows: reductions, softmax, norms, poolings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tilewright.test.passes.lowering.operators import Case, by_onnxruntime, check, numbers

F, I8, U8, I32, I64 = np.float32, np.int8, np.uint8, np.int32, np.int64
REDUCTIONS = "L1 L2 SumSquare LogSum LogSumExp Sum Mean Max Min Prod".split()


def axes(*values: int) -> Any:
    return np.array(values, I64)


@pytest.mark.sample(1)
@pytest.mark.parametrize("keep", [0, 1])
def test_reductions(keep: int):
    x = numbers(2, 3, 4, low=0.2)
    cases = [
        Case(f"Reduce{name}", [x], {"keepdims": keep}, [axes(*chosen)] if chosen else [])
        for name in REDUCTIONS
        for chosen in ((), (1,), (-1, 0))
    ]
    check(cases, in_c=bool(keep), relative=1e-4)


@pytest.mark.parametrize("dtype", [I32, I64])
def test_reductions_of_integers(dtype: Any):
    x = numbers(2, 3, 4, low=1, high=5).astype(dtype)
    check([Case(f"Reduce{name}", [x], {}, [axes(1)]) for name in ("L1", "SumSquare", "Prod", "Max")], in_c=True)


@pytest.mark.sample(4)
@pytest.mark.parametrize("dtype", [F, I32, I8, U8])
@pytest.mark.parametrize("keep", [0, 1])
def test_reductions_of_single_elements(dtype: Any, keep: int):
    x = (numbers(2, 1, 3) * 100).astype(dtype)
    kinds = ("Max", "Min") if dtype in (I8, U8) else ("Sum", "Prod", "Max", "Min", "Mean")
    check([Case(f"Reduce{name}", [x], {"keepdims": keep}, [axes(1)]) for name in kinds], in_c=True)


def test_reductions_of_nothing():
    x = np.zeros((2, 0, 3), F)
    check([Case(f"Reduce{name}", [x], {}, [axes(1)]) for name in ("Sum", "Prod", "Max", "Min", "SumSquare")])


def test_reductions_of_truth():
    x = np.array([[True, False], [True, True], [False, False]])
    check([Case(f"Reduce{name}", [x], {}, [axes(1)]) for name in ("Max", "Min")], in_c=True)


def test_sums_of_exponentials_do_not_overflow():
    x = np.array([[100, 101, 99], [-200, -200, -199], [-np.inf, 0, 1], [-np.inf] * 3], F)
    with np.errstate(divide="ignore"):
        expected = np.log(np.exp(x.astype(np.float64)).sum(1, keepdims=True)).astype(F)
    check([Case("ReduceLogSumExp", [x], {}, [axes(1)], expected=[expected])], in_c=True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_along_each_axis(op: str):
    x = numbers(2, 3, 4, 5)
    check([Case(op, [x], {"axis": axis}) for axis in (0, 1, -2, -1)], in_c=True)


def test_softmax_of_large_numbers():
    x = np.array([[1000, 1001, 999], [-3000, 0, -1]], F)
    distances = x.astype(np.float64) - x.max(1, keepdims=True)
    logarithms = distances - np.log(np.exp(distances).sum(1, keepdims=True))
    cases = [Case("LogSoftmax", [x], expected=[logarithms.astype(F)])]
    check([*cases, Case("Softmax", [x], expected=[np.exp(logarithms).astype(F)])], in_c=True)


def norms() -> list[Case]:
    x, scale, bias = numbers(2, 4, 3, 5), numbers(4), numbers(4, seed=9)
    row, row_bias = numbers(3, 5), numbers(3, 5, seed=9)
    groups = x.reshape(2, 2, -1).astype(np.float64)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    grouped = normal.reshape(x.shape) * scale.reshape(1, 4, 1, 1) + bias.reshape(1, 4, 1, 1)
    statistics = [scale, bias, numbers(4, seed=11), numbers(4, low=0.3, high=2)]
    return [
        Case("LayerNormalization", [x], {"axis": 2}, [row, row_bias], outputs=3),
        Case("LayerNormalization", [x], {"axis": -1, "epsilon": 0.1}, [numbers(5)]),
        Case("LayerNormalization", [x], {"axis": -2}, [numbers(1, 5), numbers(3, 1)]),
        Case("RMSNormalization", [x], {"axis": 2}, [row]),
        Case("InstanceNormalization", [x], {}, [scale, bias]),
        Case("GroupNormalization", [x], {"num_groups": 2}, [scale, bias], expected=[grouped.astype(F)]),
        Case("BatchNormalization", [x], {"epsilon": 0.01}, statistics),
        Case("BatchNormalization", [x, *statistics], {"training_mode": 1}, outputs=3),
        Case("LpNormalization", [x], {"p": 1, "axis": 1}, expected=[x / abs(x).sum(1, keepdims=True)]),
        Case("LpNormalization", [x], {"p": 2, "axis": -1}),
        Case("MeanVarianceNormalization", [x], {"axes": [0, 2, 3]}),
        by_onnxruntime(Case("LRN", [x], {"size": 3, "alpha": 0.1, "beta": 0.6, "bias": 2.0})),
    ]


def test_norms():
    check(norms(), in_c=True, relative=1e-4, absolute=1e-5)


def test_gradients_of_training_graphs():
    x, dy, scale = numbers(3, 4, 6), numbers(3, 4, 6, seed=9), numbers(6)
    mean = x.mean(-1, keepdims=True)
    deviation = (1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)).astype(F)
    labels = np.array([1, 0, 3], I64)
    cases = [
        Case("SGD", [x, dy], {"lr": 0.1}),
        Case("GeluGrad", [dy, x]),
        Case("SoftmaxGrad", [dy, x], {"axis": 1}),
        Case("SoftmaxCrossEntropyLossGrad", [numbers(3, 4), labels]),
        Case("LayerNormalizationGrad", [dy, x], {"axis": -1}, [scale, mean, deviation], outputs=3),
        Case("LayerNormalizationGrad", [dy, x], {"epsilon": 0.5}, [scale, numbers(6, seed=2)]),
        Case("LayerNormalizationGrad", [dy, x], {"axis": 1}, [numbers(4, 6), numbers(4, 6, seed=2)], outputs=3),
        Case("RMSNorm", [x], {"eps": 1e-5}, [scale]),
    ]
    custom = [Case(c.op, c.inputs, c.attributes, c.constants, c.outputs, "com.microsoft") for c in cases]
    check(custom, in_c=True, relative=1e-4, absolute=1e-5)


POOLS: list[dict[str, Any]] = [
    {"kernel_shape": [2, 2]},
    {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]},
    {"kernel_shape": [2, 3], "strides": [3, 2], "ceil_mode": 1},
    {"kernel_shape": [2, 2], "dilations": [2, 3]},
    {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]},
]


@pytest.mark.nightly
def test_poolings():
    x = numbers(2, 3, 5, 6)
    cases = [Case(op, [x], form) for op in ("AveragePool", "MaxPool") for form in POOLS]
    cases += [Case("LpPool", [x], form) for form in POOLS if "ceil_mode" not in form]
    cases += [Case("AveragePool", [x], {**form, "count_include_pad": 1}) for form in POOLS[:4]]
    cases += [Case(op, [x]) for op in ("GlobalAveragePool", "GlobalMaxPool")]
    cubes = (abs(x) ** 3).sum((2, 3), keepdims=True) ** (1 / 3)
    cases += [Case("GlobalLpPool", [x], {"p": 3}, expected=[cubes.astype(F)])]
    indexed = [Case("MaxPool", [x], {**form, "storage_order": n}, outputs=2) for form in POOLS for n in (0, 1)]
    cases += [by_onnxruntime(case) for case in indexed]
    check(cases, in_c=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("dtype", "least"), [(F, -np.inf), (F, np.nan), (np.int8, -128), (np.uint8, 0)], ids=["inf", "nan", "i8", "u8"]
)
def test_places_of_the_largest_are_none_of_the_padding(dtype: type, least: float):
    """Windows with nothing but the least value, of which the padding consists too, or with NaN, equal to nothing."""
    x: np.ndarray[Any, Any] = np.full((1, 2, 5, 6), least, np.float64).astype(dtype)
    x[0, 1] = np.arange(30).reshape(5, 6) % 7
    indexed = [Case("MaxPool", [x], {**form, "storage_order": n}, outputs=2) for form in POOLS for n in (0, 1)]
    check([by_onnxruntime(case) for case in indexed], in_c=True)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_average_pooling_of_any_geometry(data: st.DataObject):
    rank = data.draw(st.integers(1, 3))
    kernel, strides, dilations = (
        data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)) for _ in range(3)
    )
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    # A window that lies in the padding alone has no mean.
    pads = [data.draw(st.integers(0, k - 1 if d == 1 else 0)) for k, d in [*zip(kernel, dilations, strict=True)] * 2]
    assume(all(n + a + b >= s for n, a, b, s in zip(sizes, pads[:rank], pads[rank:], spans, strict=True)))
    form = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    check([Case("AveragePool", [numbers(1, 2, *sizes)], {**form, "count_include_pad": n}) for n in (0, 1)])
