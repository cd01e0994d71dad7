"""ONNX's own quantised operators: every level and the C compute what ONNX Runtime does, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, machine_named
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.phases import each_phase
from tilewright.test.small_models import save

NATIVE = ("-O3", "-march=native")
NETWORKS = [name for name in zoo.names() if name.endswith("-qlinear")]
SLOWEST = ("mobilenet-v1-025-qlinear", "native")
"""Its kernels on `native` are those of the other networks."""


def one_node(op: str, x: Array, constants: Mapping[str, Array], result: Array, **attributes: Any) -> ModelProto:
    """Return a network of one operator on input `x`, in the type and rank of `result`."""
    names = ["x", *constants]
    node = helper.make_node(op, names, ["y"], name="node", **attributes)
    types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in (x, result)]
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info("x", types[0], x.shape)],
        [helper.make_tensor_value_info("y", types[1], [None] * result.ndim)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def check_everywhere(
    model: ModelProto,
    inputs: Sequence[Mapping[str, Array]],
    folder: Path,
    target: str = "host",
    flags: Sequence[str] = NATIVE,
) -> None:
    """Compare each phase of the target's pipeline and its C, by flags and under sanitisers, with ONNX Runtime."""
    path = folder / "net.onnx"
    save(model, path)
    session: Any = onnx_runtime.session(path)
    golden = [session.run(None, dict(each))[0] for each in inputs]
    assert any(len(np.unique(each)) > 1 for each in golden)
    module = Model(path).load()
    phases = each_phase(module, [each.name for each in machine_named(target).phases], target, verify_each=False)
    for phase, reached in chain([("", module)], phases):
        (found,) = run_module(reached, inputs[0]).values()
        np.testing.assert_array_equal(found.astype(np.float64), golden[0].astype(np.float64), phase)
    program = render(module)
    sanitized = HostNetwork(program, sanitize=True, flags=["-march=native"])
    for run in map(host_run, [HostNetwork(program, flags=(*STRICT, *flags)), sanitized]):
        for each, expected in zip(inputs, golden, strict=True):
            (found,) = run(each).values()
            np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "target"),
    [(name, target) for name in NETWORKS for target in ("host", "native") if (name, target) != SLOWEST],
)
def test_networks(name: str, target: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    flags = NATIVE if target == "native" else ()
    check_everywhere(model, [zoo.sample_inputs(model, seed) for seed in (1, 2)], tmp_path, target, flags)


def random_of(random: np.random.RandomState, dtype: Any, *shape: int) -> Array:
    limits = np.iinfo(dtype)
    return random.randint(limits.min, limits.max + 1, size=shape).astype(dtype)


def conv_constants(random: np.random.RandomState, w: Array, x: type, y: type, channels: int) -> dict[str, Array]:
    """Return the constants of a QLinearConv, scaled so that about half of the results saturate."""
    factor = 120 / (np.abs(w.astype(np.float64)).reshape(len(w), -1).sum(1).mean() * 40)
    w_scale = (random.uniform(0.5, 2, channels) * factor).astype(np.float32)
    zero = np.zeros(channels, w.dtype) if w.dtype == np.int8 else random_of(random, w.dtype)
    return {
        "xs": np.array(0.75, np.float32),
        "xz": random_of(random, x),
        "w": w,
        "ws": w_scale if zero.ndim else w_scale[0],
        "wz": zero,
        "ys": np.array(0.6, np.float32),
        "yz": random_of(random, y),
        "b": random.randint(-5000, 5000, size=len(w)).astype(np.int32),
    }


CONVOLUTIONS: list[Any] = [
    ((1, 3, 9, 7), (5, 3, 3, 3), 1, {"pads": [1, 1, 1, 1]}, np.uint8, np.int8),
    ((1, 8, 9, 7), (8, 1, 3, 3), 8, {"pads": [0, 1, 1, 0], "strides": [2, 1]}, np.uint8, np.int8),
    ((2, 4, 8, 8), (6, 2, 2, 3), 2, {"dilations": [2, 1]}, np.uint8, np.uint8),
    ((1, 17, 5, 6), (33, 17, 1, 1), 1, {}, np.uint8, np.int8),
    ((1, 6, 11, 10), (16, 6, 5, 3), 1, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, np.uint8, np.int8),
    ((1, 5, 6, 6), (4, 5, 3, 3), 1, {"pads": [1, 1, 1, 1]}, np.int8, np.int8),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["host", "native"])
@pytest.mark.parametrize(("x", "w", "group", "windows", "x_type", "w_type"), CONVOLUTIONS)
def test_convolutions(
    x: Any, w: Any, group: int, windows: Any, x_type: type, w_type: type, target: str, tmp_path: Path
) -> None:
    random = np.random.RandomState(len(windows) + w[0])
    constants = conv_constants(random, random_of(random, w_type, *w), x_type, x_type, w[0])
    inputs = [{"x": random_of(random, x_type, *x)} for _ in range(3)]
    result: Array = np.zeros((1, 1, 1, 1), cast(Any, x_type))
    model = one_node("QLinearConv", inputs[0]["x"], constants, result, group=group, **windows)
    check_everywhere(model, inputs, tmp_path, target)


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["host", "native"])
@pytest.mark.parametrize(
    ("a", "columns", "per_column"), [((5, 37), 20, True), ((1, 64), 3, False), ((2, 3, 9), 16, False)]
)
def test_matrix_products(a: Any, columns: int, per_column: bool, target: str, tmp_path: Path) -> None:
    random = np.random.RandomState(columns)
    shape = (columns,) if per_column else ()
    constants = {
        "as": np.array(0.03, np.float32),
        "az": np.array(131, np.uint8),
        "b": random_of(random, np.int8, a[-1], columns),
        "bs": np.asarray(random.uniform(0.01, 0.03, shape), np.float32),
        "bz": np.zeros(shape, np.int8) if per_column else np.array(-3, np.int8),
        "ys": np.array(0.9, np.float32),
        "yz": np.array(77, np.uint8),
    }
    inputs = [{"x": random_of(random, np.uint8, *a)} for _ in range(2)]
    model = one_node("QLinearMatMul", inputs[0]["x"], constants, np.zeros((1,) * len(a), np.uint8))
    check_everywhere(model, inputs, tmp_path, target)


@pytest.mark.parametrize(("dtype", "zero"), [(np.uint8, 0), (np.uint8, 200), (np.int8, -7)])
def test_quantisation_of_floats_rounds_halves_to_even(dtype: type, zero: int, tmp_path: Path) -> None:
    x = np.concatenate([np.arange(-300, 300, 0.25), [1e30, -1e30, 2.5000002, 0.49999997]]).astype(np.float32)[None]
    constants: dict[str, Array] = {"s": np.array(0.5, np.float32), "z": np.array(zero, dtype)}
    check_everywhere(one_node("QuantizeLinear", x, constants, np.zeros((1, 1), cast(Any, dtype))), [{"x": x}], tmp_path)


def test_dequantisation(tmp_path: Path) -> None:
    x = np.arange(256, dtype=np.uint8)[None]
    constants = {"s": np.array(0.037, np.float32), "z": np.array(99, np.uint8)}
    check_everywhere(one_node("DequantizeLinear", x, constants, np.zeros((1, 1), np.float32)), [{"x": x}], tmp_path)


def test_a_weight_may_be_an_input(tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    weight = random_of(random, np.int8, 4, 3, 1, 1)
    constants = conv_constants(random, weight, np.uint8, np.uint8, 4)
    x = random_of(random, np.uint8, 1, 3, 4, 4)
    model = one_node("QLinearConv", x, constants, np.zeros((1, 4, 4, 4), np.uint8))
    name = model.graph.initializer[2].name
    del model.graph.initializer[2]
    model.graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT8, [4, 3, 1, 1]))
    check_everywhere(model, [{"x": x, name: weight}], tmp_path)
