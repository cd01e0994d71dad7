"""Gemm of any operands, factors and biases: the same function by nodes whose products are of bytes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper

from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.ir import Array
from tilewright.test.frontend.quantize.networks import floats, model_of, quantized, reference


def drawn(seed: int) -> ModelProto:
    """Return a Gemm [3, 5] x [5, 4] whose operands, transposes, factors and bias are drawn."""
    random = Random(seed)
    attributes: dict[str, Any] = {name: random.choice((0, 1)) for name in ("transA", "transB")}
    attributes |= {name: random.choice((1.0, 0.5, 2.0)) for name in ("alpha", "beta")}
    shapes = [(5, 3) if attributes["transA"] else (3, 5), (4, 5) if attributes["transB"] else (5, 4)]
    bias = random.choice((None, (4,), (3, 4), (1, 4), (3, 1), ()))
    shapes += [] if bias is None else [bias]
    names = ["a", "b", "c"][: len(shapes)]
    computed = {"a", *(name for name in names if random.random() < 0.4)}
    computed -= {"a"} if len(computed) > 1 and random.random() < 0.3 else set[str]()
    sizes = dict(zip(names, shapes, strict=True))
    constants: dict[str, Array] = {name: floats(*sizes[name], seed=seed) for name in names if name not in computed}
    inputs = {name: sizes[name] for name in names if name in computed}
    arrays = {name: np.asarray(array, np.float32) for name, array in constants.items()}
    return model_of([helper.make_node("Gemm", names, ["y"], "gemm", **attributes)], inputs, ["y"], arrays)


@pytest.mark.parametrize("part", range(2))
def test_a_gemm_is_the_same_function_and_quantised(part: int) -> None:
    for seed in range(part, 20, 2):
        model = drawn(seed)
        options = QuantizeOptions(adaptive=False, correct=False)
        result, errors = quantized(model, options, count=4)
        shapes = {each.name: [d.dim_value for d in each.type.tensor_type.shape.dim] for each in model.graph.input}
        sample = {name: floats(*shape, seed=seed) for name, shape in shapes.items()}
        wanted = reference(model)(sample)[0]
        np.testing.assert_allclose(reference(result.float_network.model())(sample)[0], wanted, rtol=1e-5, atol=1e-5)
        products = {layer.node.op_type for layer in result.selection.layers}
        assert products & {"Gemm", "MatMul"} or set(sample) == {"c"}, seed
        assert errors[-1].sqnr > 25, seed
