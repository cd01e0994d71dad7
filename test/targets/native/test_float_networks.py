"""Networks of floats on `native`: every phase and the C, with and without vector instructions, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.frontend.zoo._float_builder import FloatBuilder, Value
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test import onnx_runtime
from tilewright.test.phases import each_phase
from tilewright.test.small_models import node, save

WAYS = {
    "plain": ("native", ()),
    "avx2": ("native-avx2", ("-mavx2", "-mfma")),
    "native": ("native", ("-march=native",)),
}
"""Ways to compile the tiles, by target and flags: loops, vectors of 8 floats, the widest vectors of this machine."""


def samples(model: onnx.ModelProto, seed: int = 0) -> Array:
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def golden(path: Path, x: Array) -> Array:
    session: Any = onnx_runtime.session(path)
    return session.run(None, {"input": x})[0]


def assert_near(found: Array, expected: Array, what: str = "") -> None:
    """Sums of floats are taken in another order: what counts is the error beside the largest of the results."""
    assert np.isfinite(expected).all()
    assert len(np.unique(expected)) > 1
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * float(np.abs(expected).max()), err_msg=what)


def check(model: onnx.ModelProto, folder: Path, ways: tuple[str, ...], *, sanitize: bool = False) -> None:
    path, x = folder / "net.onnx", samples(model)
    save(model, path)
    expected = golden(path, x)
    for way in ways:
        target, flags = WAYS[way]
        program = compile_model(Model(path), target).program()
        network = HostNetwork(program, flags=(*STRICT, "-O2", *flags), sanitize=sanitize)
        for _ in range(2):
            assert_near(network.run([x])[0], expected, way)


def check_phases(model: onnx.ModelProto, folder: Path) -> None:
    path, x = folder / "net.onnx", samples(model)
    save(model, path)
    expected = golden(path, x)
    names = [phase.name for phase in machine_named("native").phases]
    for phase, module in each_phase(Model(path).load(), names, "native", verify_each=False):
        assert_near(run_module(module, {"input": x})["output"], expected, phase)


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
    pytest.param((1, 5, 1, 1, 1), id="one channel, poolings whose lanes are no loop"),
]


@pytest.mark.parametrize("sizes", SIZES)
def test_networks(sizes: tuple[int, ...], tmp_path: Path) -> None:
    check(network(1, *sizes), tmp_path, ("plain", "avx2", "native"))


def model_of(
    nodes: list[onnx.NodeProto], shape: tuple[int, ...], weights: dict[str, tuple[int, ...]]
) -> onnx.ModelProto:
    """Return a model of `input` and `output`, with random weights; the shape of `output` is open."""
    random = np.random.RandomState(11)
    tensors = [
        numpy_helper.from_array(random.standard_normal(size).astype(np.float32) / 4, name)
        for name, size in weights.items()
    ]
    x = helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "net", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def attention() -> onnx.ModelProto:
    """Return products with constant matrices and of two activations, one of them transposed, and rows to normalise."""
    heads = numpy_helper.from_array(np.array([2, 40, 3, 8]))
    nodes = [
        node("MatMul", ["input", "w"], ["product"]),
        node("Add", ["product", "b"], ["biased"]),
        node("Constant", [], ["heads"], value=heads),
        node("Reshape", ["biased", "heads"], ["apart"]),
        node("Transpose", ["apart"], ["q"], perm=[0, 2, 1, 3]),
        node("Transpose", ["apart"], ["k"], perm=[0, 2, 3, 1]),
        node("MatMul", ["q", "k"], ["scores"]),
        node("Softmax", ["scores"], ["shares"]),
        node("MatMul", ["shares", "q"], ["mixed"]),
        node("MatMul", ["mixed", "v"], ["last"]),
        node("Tanh", ["last"], ["squashed"]),
        node("Erf", ["squashed"], ["bent"]),
        node("LayerNormalization", ["bent", "s"], ["output"]),
    ]
    return model_of(nodes, (2, 40, 20), {"w": (20, 24), "b": (24,), "v": (8, 70), "s": (70,)})


def gram() -> onnx.ModelProto:
    """Return the product of the input and its transpose, whose columns leave something over at the input's end."""
    nodes = [
        node("Transpose", ["input"], ["x"], perm=[0, 2, 1]),
        node("MatMul", ["x", "input"], ["products"]),
        node("Softmax", ["products"], ["output"]),
    ]
    return model_of(nodes, (2, 9, 37), {})


def groups() -> onnx.ModelProto:
    """Return convolutions of groups: of few features, of more than a block of them, dilated."""
    nodes = [
        node("Conv", ["input", "a"], ["x"], group=6, pads=[1, 1, 1, 1]),
        node("Conv", ["x", "b"], ["y"], group=2, dilations=[2, 2], strides=[1, 2]),
        node("Conv", ["y", "c"], ["output"], dilations=[1, 3], pads=[0, 3, 0, 3]),
    ]
    return model_of(nodes, (1, 12, 9, 11), {"a": (24, 2, 3, 3), "b": (40, 12, 3, 3), "c": (7, 40, 1, 3)})


def recurrence() -> onnx.ModelProto:
    """Return an LSTM, whose products lie in a loop."""
    nodes = [node("LSTM", ["input", "w", "r"], ["output"], hidden_size=12)]
    return model_of(nodes, (5, 1, 10), {"w": (1, 48, 10), "r": (1, 48, 12)})


@pytest.mark.parametrize("build", [attention, groups, recurrence])
def test_tiles_of_products(build: Callable[[], onnx.ModelProto], tmp_path: Path) -> None:
    check(build(), tmp_path, ("plain", "avx2", "native"))


@pytest.mark.parametrize("build", [attention, groups])
def test_products_at_every_phase(build: Callable[[], onnx.ModelProto], tmp_path: Path) -> None:
    check_phases(build(), tmp_path)


def test_products_are_clean(tmp_path: Path) -> None:
    check(gram(), tmp_path, ("avx2", "native"), sanitize=True)
    check(groups(), tmp_path, ("avx2",), sanitize=True)


def test_c_is_clean_and_right_twice(tmp_path: Path) -> None:
    check(network(2, 5, 9, 18, 3, 1), tmp_path, ("plain", "native"), sanitize=True)


def test_every_phase(tmp_path: Path) -> None:
    check_phases(network(3, 5, 9, 18, 3, 1), tmp_path)


def test_tiles_are_used(tmp_path: Path) -> None:
    source = source_of(network(4, 5, 9, 18, 3, 1), tmp_path)
    assert "tw_float_dot_tile(" in source
    assert "tw_float_depthwise_tile(" in source
    assert "tilewright_float_tile.h" in source
    assert "tilewright_vector.h" not in source


def test_products_are_tiles(tmp_path: Path) -> None:
    source = source_of(attention(), tmp_path)
    assert source.count("tw_float_matmul_tile(") >= 2
    assert source.count("tw_float_dot_tile(") >= 2
    assert "partial[32]" in source


def source_of(model: onnx.ModelProto, folder: Path) -> str:
    path = folder / "net.onnx"
    save(model, path)
    return compile_model(Model(path), "native").program().source


@pytest.mark.sample(2)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    check(network(seed, channels, size, features, kernel, stride), tmp_path, ("avx2", "native"))
