"""Convolutions and products of bytes on `native`: the interpreter's sums with each kind of vectors, of extremes too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test.phases import each_phase
from tilewright.test.small_models import node, save

Bytes = type[np.int8] | type[np.uint8]
AVX2 = ("-mavx2", "-mfma")
WAYS = {
    "avx2": ("native", AVX2, ("avx2", "fma")),
    "avxvnni": ("native", (*AVX2, "-mavxvnni"), ("avx2", "fma", "avx_vnni")),
    "widest": ("native", ("-march=native",), ()),
    "ordered": ("native-avx2", AVX2, ("avx2", "fma")),
    "ordered-plain": ("native-avx2", (), ()),
}
"""Targets, flags of the compiler, and the processor's features that these need."""


def is_runnable(way: str) -> bool:
    cpu = Path("/proc/cpuinfo")
    present = cpu.read_text().split() if cpu.is_file() else []
    return all(feature in present for feature in WAYS[way][2])


def extremes(random: np.random.Generator, numbers: Array, dtype: Bytes, share: float) -> Array:
    """Return numbers as integers, a share of them replaced by the least and the largest one of the type."""
    limits = np.iinfo(dtype)
    ends = random.choice([limits.min, limits.max], numbers.shape)
    whole = np.clip(np.rint(numbers), limits.min, limits.max)
    return np.where(random.random(numbers.shape) < share, ends, whole).astype(dtype)


def inputs(random: np.random.Generator, sizes: Sizes, dtype: Bytes) -> Array:
    """Return an input [1, C, H, W], half of it extremes."""
    numbers = random.integers(-128, 256, (1, sizes.channels, *sizes.size))
    return extremes(random, numbers, dtype, 0.5)


@dataclass(frozen=True)
class Sizes:
    """Sizes of the input and of windows."""

    channels: int
    features: int
    size: tuple[int, int]
    taps: tuple[int, int]
    stride: int


def network(random: np.random.Generator, x: Array, sizes: Sizes, share: float) -> ModelProto:
    """
    Return a dense convolution, a depthwise one and a product of the input [1, C, H, W], each with its sums as output.

    A share of the weights are extremes, the others normal. Sums of two products of extremes do not fit 16 bits.
    """
    channels, taps, stride = sizes.channels, sizes.taps, sizes.stride
    zero = int(random.integers(np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, endpoint=True))
    weights = {
        "dense": (sizes.features, channels, *taps),
        "depthwise": (channels, 1, *taps),
        "matrix": (x.shape[3], sizes.features),
    }
    arrays = {key: extremes(random, random.normal(0, 30, size), np.int8, share) for key, size in weights.items()}
    tensors = [numpy_helper.from_array(array, key) for key, array in arrays.items()]
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


def check(
    way: str, seed: int, sizes: Sizes, dtype: Bytes, share: float, folder: Path, *, sanitize: bool = False
) -> str:
    """Compare the C of one way with the interpreter on the model; return the C."""
    if not is_runnable(way):
        pytest.skip(f"this processor has not all of {WAYS[way][2]}")
    random = np.random.default_rng(seed)
    x = inputs(random, sizes, dtype)
    save(network(random, x, sizes, share), folder / "net.onnx")
    model = Model(folder / "net.onnx")
    expected = run_module(model.load(), {"x": x})
    target, flags, _ = WAYS[way]
    program = compile_model(model, target).program()
    compiled = HostNetwork(program, flags=(*STRICT, "-O1", *flags), sanitize=sanitize)
    for port, found in zip(compiled.outputs, compiled.run([x]), strict=True):
        np.testing.assert_array_equal(found, expected[port.name], port.name)
    return program.source


@pytest.mark.parametrize("way", WAYS)
def test_extreme_sums(way: str, tmp_path: Path) -> None:
    source = check(way, 4, Sizes(21, 19, (3, 8), (3, 2), 1), np.uint8, 0.03, tmp_path)
    assert ("tw_ordered_tile(" if WAYS[way][0] == "native-avx2" else "tw_dot_tile(") in source
    assert "tw_depthwise_tile(" in source


@pytest.mark.nightly
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=24, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1000),
    sizes=st.builds(
        Sizes,
        channels=st.integers(2, 75),
        features=st.integers(1, 40),
        size=st.tuples(st.integers(3, 5), st.integers(3, 14)),
        taps=st.sampled_from([(1, 1), (3, 3), (1, 2), (3, 2)]),
        stride=st.integers(1, 2),
    ),
    dtype=st.sampled_from([np.uint8, np.int8]),
    share=st.sampled_from([0, 0.03, 0.1, 1]),
)
def test_random_sums(way: str, seed: int, sizes: Sizes, dtype: Bytes, share: float, tmp_path: Path) -> None:
    check(way, seed, sizes, dtype, share, tmp_path, sanitize=seed % 4 == 0)


@pytest.mark.parametrize(("channels", "taps"), [(5, (3, 1)), (24, (1, 2))])
def test_ordered_weights_at_every_phase(channels: int, taps: tuple[int, int], tmp_path: Path) -> None:
    """Rows of fewer than 16 products, and longer ones; the interpreter refuses sums that may overflow 16 bits."""
    random, sizes = np.random.default_rng(channels), Sizes(channels, 9, (4, 7), taps, 1)
    x = inputs(random, sizes, np.uint8)
    save(network(random, x, sizes, 0.02), tmp_path / "net.onnx")
    module = Model(tmp_path / "net.onnx").load()
    expected = run_module(module, {"x": x})
    names = [phase.name for phase in machine_named("native-avx2").phases]
    for phase, reached in each_phase(module, names, "native-avx2", verify_each=False):
        if phase in ("loops", "emitc"):
            assert "ordered_tile" in str(reached)
            for name, found in run_module(reached, {"x": x}).items():
                np.testing.assert_array_equal(found, expected[name], f"{phase} {name}")
