"""Convolutions and products of bytes on `native`: the interpreter's sums with each kind of vectors, of extremes too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test.small_models import node, save

Bytes = type[np.int8] | type[np.uint8]
AVX2 = ("-mavx2", "-mfma")
WAYS = {
    "avx2": (AVX2, ("avx2", "fma")),
    "avxvnni": ((*AVX2, "-mavxvnni"), ("avx2", "fma", "avx_vnni")),
    "native": (("-march=native",), ()),
}
"""Flags of the compiler, and the processor's features that they need."""


def is_runnable(way: str) -> bool:
    cpu = Path("/proc/cpuinfo")
    features = cpu.read_text().split() if cpu.is_file() else []
    return all(feature in features for feature in WAYS[way][1])


def extremes(
    random: np.random.Generator, shape: tuple[int, ...], dtype: type[np.int8 | np.uint8], share: float
) -> Array:
    """Return random integers, of which a share are the least or the largest ones of their type."""
    limits = np.iinfo(dtype)
    numbers = random.integers(limits.min, limits.max, shape, endpoint=True)
    ends = random.choice([limits.min, limits.max], shape)
    return np.where(random.random(shape) < share, ends, numbers).astype(dtype)


def network(random: np.random.Generator, x: Array, features: int, taps: tuple[int, int], stride: int) -> ModelProto:
    """
    Return a dense convolution, a depthwise one and a product of the input [1, C, H, W], each with its sums as output.

    The share of extreme weights is random: sums of two products of such bytes do not fit 16 bits.
    """
    channels, width, share = x.shape[1], x.shape[3], float(random.choice([0, 0.3, 1]))
    zero = int(random.integers(np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, endpoint=True))
    weights = {
        "dense": (features, channels, *taps),
        "depthwise": (channels, 1, *taps),
        "matrix": (width, features),
    }
    tensors = [numpy_helper.from_array(extremes(random, size, np.int8, share), key) for key, size in weights.items()]
    tensors.append(numpy_helper.from_array(np.array(zero, x.dtype), "zero"))
    spatial = {"strides": [stride, stride], "pads": [taps[0] // 2, 1, taps[0] // 2, 0]}
    nodes = [
        node("ConvInteger", ["x", "dense", "zero"], ["a"], **spatial),
        node("ConvInteger", ["x", "depthwise", "zero"], ["b"], group=channels, **spatial),
        node("MatMulInteger", ["x", "matrix", "zero"], ["c"]),
    ]
    input_type = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        nodes,
        "sums",
        [helper.make_tensor_value_info("x", input_type, x.shape)],
        [helper.make_tensor_value_info(name, TensorProto.INT32, None) for name in "abc"],
        tensors,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.sample(4)
@settings(max_examples=24, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1000),
    channels=st.integers(2, 75),
    features=st.integers(1, 70),
    size=st.tuples(st.integers(3, 5), st.integers(3, 18)),
    taps=st.sampled_from([(1, 1), (3, 3), (1, 2), (3, 2)]),
    stride=st.integers(1, 2),
    dtype=st.sampled_from([np.uint8, np.int8]),
)
def test_random_sums(
    seed: int,
    channels: int,
    features: int,
    size: tuple[int, int],
    taps: tuple[int, int],
    stride: int,
    dtype: Bytes,
    tmp_path: Path,
) -> None:
    random = np.random.default_rng(seed)
    x = extremes(random, (1, channels, *size), dtype, float(random.choice([0, 0.5, 1])))
    save(network(random, x, features, taps, stride), tmp_path / "net.onnx")
    model = Model(tmp_path / "net.onnx")
    expected = run_module(model.load(), {"x": x})
    program = compile_model(model, "native").program()
    assert "tw_dot_tile(" in program.source
    assert "tw_depthwise_tile(" in program.source
    for way in filter(is_runnable, WAYS):
        compiled = HostNetwork(program, flags=(*STRICT, "-O1", *WAYS[way][0]), sanitize=seed % 4 == 0)
        for port, found in zip(compiled.outputs, compiled.run([x]), strict=True):
            np.testing.assert_array_equal(found, expected[port.name], f"{way} {port.name}")
