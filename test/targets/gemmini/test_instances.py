"""Instances of Gemmini's generator: the same networks on arrays and memories of other sizes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilewright import api
from tilewright.compiler import Model, compile_model
from tilewright.runtime.tools.session import runner
from tilewright.test.random.networks.symmetric import (
    Network,
    float_conv,
    float_matmul,
    half_conv,
    half_matmul,
    random_conv,
    random_groups,
    random_matmul,
    random_pool,
    residual,
)
from tilewright.test.targets.gemmini.networks import Phase, assert_equal, has_spike

BEGINS = {
    "lean": "{dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64, size = 1 : i64}",
    "chip": "{dim = 16 : i64, banks = 4 : i64, bank_rows = 1024 : i64, acc_rows = 512 : i64, size = 1 : i64}",
    "32x32": "{dim = 32 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64, size = 1 : i64}",
    "ibert": "{dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 2048 : i64, size = 1 : i64}",
    "fp32": "{dim = 4 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 4096 : i64, size = 4 : i64}",
    "bf16": "{dim = 8 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 2048 : i64, size = 2 : i64}",
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("network", [random_conv, random_matmul, residual, random_pool, random_groups])
@pytest.mark.parametrize("instance", ["chip", "32x32", "os", "loops"])
def test_instances_of_integers(instance: str, network: Network, tmp_path: Path) -> None:
    assert_equal(network(9), 9, tmp_path, ["sanitizers"], f"gemmini/{instance}")


@pytest.mark.sample(2)
@pytest.mark.parametrize("instance", BEGINS)
def test_a_program_states_its_instance(instance: str, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    network = {"fp32": float_matmul, "bf16": half_matmul}.get(instance, random_matmul)
    file.write_bytes(network(3)[0].SerializeToString())
    text = str(compile_model(Model(file), f"gemmini/{instance}", stop_after="array").module)
    assert BEGINS[instance] in text


@pytest.mark.sample(1)
@pytest.mark.parametrize(("network", "seed"), [*product([half_conv, half_matmul], range(3))])
def test_bf16_is_equal_in_c_and_near_the_host(network: Network, seed: int, tmp_path: Path) -> None:
    """Each partial sum in the array is rounded to 8 bits: the error grows with the rows of a block."""
    model, shape = network(seed)
    file = tmp_path / "network.onnx"
    file.write_bytes(model.SerializeToString())
    inputs = {"x": np.random.default_rng(seed).standard_normal(shape).astype(ml_dtypes.bfloat16)}
    places, planned = ["interpreter", "sanitizers", *(["spike"] if has_spike() and not seed else [])], Phase("planned")
    compilation = compile_model(Model(file), "gemmini/bf16", observers=[planned])
    found = [runner(compilation, place)(inputs)["y"] for place in places]
    kernels = [op for op in planned.module.walk() if op.name in ("nn.conv", "nn.matmul", "linalg.generic")]
    assert {str(op.attributes["engine"]) for op in kernels} == {'"array"'}
    expected = api.load(file, "host").run(inputs)["y"].astype(np.float32)
    for each in found:
        np.testing.assert_array_equal(each.view(np.uint16), found[0].view(np.uint16))
    np.testing.assert_allclose(found[0].astype(np.float32), expected, atol=2e-2 * np.abs(expected).max())


PRODUCTS = {"fp32": "gemmini.compute_preloaded_add", "fp32-os": "gemmini.multiply", "fp32-loops": "gemmini.loop_"}


@pytest.mark.sample(1)
@pytest.mark.parametrize(("network", "seed"), [*product([float_conv, float_matmul], range(3))])
def test_floats_are_equal_in_c_and_near_the_host(network: Network, seed: int, tmp_path: Path) -> None:
    instance = [*PRODUCTS][seed % 3]
    model, shape = network(seed)
    file = tmp_path / "network.onnx"
    file.write_bytes(model.SerializeToString())
    inputs = {"x": np.random.default_rng(seed).standard_normal(shape).astype(np.float32)}
    places, array = ["interpreter", "sanitizers", *(["spike"] if has_spike() and seed == 3 else [])], Phase("array")
    compilation = compile_model(Model(file), f"gemmini/{instance}", observers=[array])
    found = [runner(compilation, place)(inputs)["y"] for place in places]
    assert PRODUCTS[instance] in str(array.module)
    expected = api.load(file, "host").run(inputs)["y"]
    for each in found:
        np.testing.assert_array_equal(each, found[0])
    np.testing.assert_allclose(found[0], expected, atol=1e-5 * np.abs(expected).max())


def test_the_interpreter_has_the_array_of_an_instance(tmp_path: Path) -> None:
    assert_equal(residual(3), 3, tmp_path, ["interpreter"], "gemmini/32x32")
