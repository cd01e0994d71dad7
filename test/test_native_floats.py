"""Networks of floats on `native`: every phase and the C, with and without vector instructions, beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.frontend.zoo._float_builder import FloatBuilder, Value
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test.small_models import save

WAYS = {"plain": (), "avx2": ("-mavx2", "-mfma"), "native": ("-march=native",)}
"""Ways to compile the tiles: loops, vectors of 8 floats, the widest vectors of this machine."""


def samples(model: onnx.ModelProto, seed: int = 0) -> Array:
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def golden(path: Path, x: Array) -> Array:
    session: Any = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"input": x})[0]


def assert_near(found: Array, expected: Array, what: str = "") -> None:
    """Sums of floats are taken in another order: what counts is the error beside the largest of the results."""
    assert np.isfinite(expected).all()
    assert len(np.unique(expected)) > 1
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * float(np.abs(expected).max()), err_msg=what)


def check(model: onnx.ModelProto, folder: Path, ways: tuple[str, ...], *, sanitize: bool = False) -> None:
    path, x = folder / "net.onnx", samples(model)
    save(model, path)
    program, expected = compile_model(Model(path), "native").program(), golden(path, x)
    for way in ways:
        network = HostNetwork(program, flags=(*STRICT, "-O2", *WAYS[way]), sanitize=sanitize)
        for _ in range(2):
            assert_near(network.run([x])[0], expected, way)


def chain(b: FloatBuilder, channels: int, size: int, features: int, kernel: int, stride: int) -> Value:
    """Return a convolution, a depthwise one, a residual and a concatenation of what is pooled."""
    x = b.input([channels, size, size])
    y = b.relu(b.norm(b.conv(x, features, kernel, stride, kernel // 2)))
    z = b.relu6(b.conv(y, features, 3, 1, 1, group=features))
    z = b.relu(b.add(b.norm(b.conv(z, features, 1)), y))
    size = z.shape[2]
    pooled = [b.max_pool(z, 3, 2, (1, 1)), b.average_pool(b.max_pool(z, 3, 1, (1, 1)), 1, 2)]
    joined = b.concat([part for part in pooled if part.shape == pooled[0].shape])
    return b.dense(b.flatten(b.global_average(joined)), 5)


def network(seed: int, *sizes: int) -> onnx.ModelProto:
    b = FloatBuilder("zoo.chain", "A chain.", seed)
    return b.finish(chain(b, *sizes))


SIZES = [
    pytest.param((3, 28, 32, 7, 2), id="a first layer, rows of 14"),
    pytest.param((17, 13, 20, 3, 1), id="features and rows that leave something over"),
    pytest.param((16, 7, 70, 1, 1), id="rows of 7, four blocks of features"),
]


@pytest.mark.parametrize("sizes", SIZES)
def test_networks(sizes: tuple[int, ...], tmp_path: Path) -> None:
    check(network(1, *sizes), tmp_path, ("plain", "avx2", "native"))


def test_c_is_clean_and_right_twice(tmp_path: Path) -> None:
    check(network(2, 5, 9, 18, 3, 1), tmp_path, ("plain", "native"), sanitize=True)


def test_every_phase(tmp_path: Path) -> None:
    model, path = network(3, 5, 9, 18, 3, 1), tmp_path / "net.onnx"
    save(model, path)
    x = samples(model)
    expected = golden(path, x)
    for phase in machine_named("native").phases:
        module = compile_model(Model(path), "native", stop_after=phase.name).module
        assert_near(run_module(module, {"input": x})["output"], expected, phase.name)


def test_tiles_are_used(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    save(network(4, 5, 9, 18, 3, 1), path)
    source = compile_model(Model(path), "native").program().source
    assert "tw_float_dot_tile(" in source
    assert "tw_float_depthwise_tile(" in source
    assert "tilewright_float_tile.h" in source
    assert "tilewright_vector.h" not in source


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1000),
    channels=st.integers(1, 20),
    size=st.integers(5, 31),
    features=st.integers(1, 40),
    kernel=st.sampled_from([1, 3, 5]),
    stride=st.integers(1, 3),
)
def test_random_shapes(
    seed: int, channels: int, size: int, features: int, kernel: int, stride: int, tmp_path: Path
) -> None:
    check(network(seed, channels, size, features, kernel, stride), tmp_path, ("native",))
