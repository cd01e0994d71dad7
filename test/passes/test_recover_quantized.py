"""What is computed in integers is what the floats between DequantizeLinear and QuantizeLinear give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto

from tilewright.dialects.core.onnx_schema import OnnxOp
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, element_of, new_context, verify
from tilewright.passes.recover_quantized import RecoverQuantizedPass
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.recover.quantised_networks import OPERATORS, Network

pytestmark = pytest.mark.quick

seeds = st.integers(0, 2**31)
shapes = st.tuples(st.just(1), st.integers(1, 4), st.integers(1, 6), st.integers(1, 6))
chains = st.lists(st.sampled_from(sorted(OPERATORS)), min_size=1, max_size=4)
FOUR_BITS = (TensorProto.UINT4, TensorProto.INT4)


def both(model: ModelProto, inputs: Mapping[str, Array]) -> tuple[list[Array], list[Array], list[str]]:
    """Return the outputs before and after the pass, and the operators on floats that are left, constants aside."""
    module = import_model(model)
    before = list(run_module(module, inputs).values())
    RecoverQuantizedPass().apply(new_context(), module)
    verify(module)
    ops = [op for op in module.walk() if isinstance(op, OnnxOp) and op.name != "onnx.Constant"]
    floats = [op.name for op in ops if str(element_of(op.results[0])) == "f32"]
    return before, list(run_module(module, inputs).values()), floats


@settings(max_examples=150, deadline=None)
@given(seed=seeds, shape=shapes, names=chains, four=st.booleans())
def test_networks_with_powers_of_two_give_the_same(seed: int, shape: Sequence[int], names: Sequence[str], four: bool):
    net = Network(np.random.RandomState(seed))
    x = net.input(shape)
    if four:
        net.kinds = FOUR_BITS
    for name in names:
        x = OPERATORS[name](net, x)
    if four:
        net.kinds = (TensorProto.UINT8,)
        x = net.quantised(net.real(x))
    expected, found, floats = both(net.model([x]), net.samples())
    assert not floats
    for wanted, got in zip(expected, found, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", sorted(OPERATORS))
@settings(max_examples=20, deadline=None)
@given(seed=seeds, shape=shapes)
def test_an_operator_is_off_by_one_step_at_most(name: str, seed: int, shape: Sequence[int]):
    net = Network(np.random.RandomState(seed), exact=False)
    x = OPERATORS[name](net, net.input(shape))
    (wanted,), (found,), floats = both(net.model([x]), net.samples())
    assert not floats
    apart = np.abs(wanted.astype(int) - found.astype(int))
    assert apart.max() <= 1
    assert np.count_nonzero(apart) <= max(1, apart.size // 100)


def by_onnxruntime(model: ModelProto, inputs: Mapping[str, Array]) -> list[Any]:
    session: Any = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(inputs))


@pytest.mark.parametrize("name", ["Conv", "Gemm", "MatMul"])
@settings(max_examples=25, deadline=None)
@given(seed=seeds, shape=shapes)
def test_products_are_those_of_onnxruntime(name: str, seed: int, shape: Sequence[int]):
    net = Network(np.random.RandomState(seed), exact=False)
    x = OPERATORS[name](net, net.input(shape))
    model, inputs = net.model([x]), net.samples()
    np.testing.assert_array_equal(both(model, inputs)[1][0], by_onnxruntime(model, inputs)[0])
