"""From the graph level to the tensor level: each form of an operator, against the operator's own semantics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

from tilewright.dialects.core.kernel import is_kernel
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, where
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import run_step, steps
from tilewright.test.passes.lowering.one_node import network

F, U8, I8, I32, I64 = np.float32, np.uint8, np.int8, np.int32, np.int64


def lowered(op: str, inputs: dict[str, Array], outputs: int = 1, *, constants: Any = (), **attributes: Any) -> Any:
    """Return the module of one operator, at the tensor level, having checked what it computes on these inputs."""
    fixed = {f"k{i}": np.asarray(value) for i, value in enumerate(constants)}
    module = import_model(network(op, inputs, fixed, outputs=outputs, name="the_node", **attributes))
    expected = run_module(module, inputs)
    for step in steps("tensor"):
        run_step(step, module)
        for name, value in run_module(module, inputs).items():
            np.testing.assert_array_equal(value, expected[name], err_msg=f"{name} after {step.name}")
            assert value.dtype == expected[name].dtype
    return module


def numbers(*shape: int, dtype: Any = F) -> Array:
    """Return whole numbers around zero, or as far as a type has them."""
    values = np.random.default_rng(7).integers(-100, 101, shape)
    return values.astype(dtype)


def image(dtype: Any = F) -> Array:
    return numbers(1, 2, 5, 6, dtype=dtype)


@pytest.mark.parametrize("dtype", [F, U8, I8, I32, I64])
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Max", "Min"])
def test_arithmetic_in_each_type(op: str, dtype: Any):
    module = lowered(op, {"a": numbers(2, 1, 4, dtype=dtype), "b": numbers(3, 1, dtype=dtype)})
    assert [where(op) for op in module.walk() if is_kernel(op)] == ['node "the_node"']


@pytest.mark.parametrize("dtype", [F, I8, I32])
@pytest.mark.parametrize("op", ["Neg", "Abs", "Relu", "Identity"])
def test_unary_operators(op: str, dtype: Any):
    lowered(op, {"x": np.array([-128, -1, 0, 1, 127], dtype)})


@pytest.mark.parametrize("target", [F, U8, I8, I32, I64])
@pytest.mark.parametrize("source", [U8, I8, I32])
def test_casts(source: Any, target: Any):
    x = np.array([0, 1, 127, 200, 255]).astype(source)
    lowered("Cast", {"x": x}, to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))


@pytest.mark.parametrize("dtype", [F, U8, I8, I64])
@pytest.mark.parametrize("bounds", [[3, 90], [90, 3], [3]])
def test_clips(dtype: Any, bounds: list[int]):
    lowered("Clip", {"x": numbers(9, dtype=dtype)}, constants=[np.asarray(b, dtype) for b in bounds])


CONV: dict[str, dict[str, Any]] = {
    "plain": {},
    "same_upper": {"auto_pad": "SAME_UPPER", "strides": [2, 3]},
    "same_lower": {"auto_pad": "SAME_LOWER", "strides": [2, 1]},
    "valid": {"auto_pad": "VALID"},
    "skewed": {"pads": [0, 2, 1, 0], "dilations": [2, 1], "strides": [1, 2]},
}


@pytest.mark.parametrize("form", CONV)
@pytest.mark.parametrize("bias", [False, True])
def test_convolutions(form: str, bias: bool):
    constants = [numbers(4, 2, 2, 3), numbers(4)][: 2 if bias else 1]
    lowered("Conv", {"x": image()}, constants=constants, **CONV[form])


def test_grouped_convolution():
    lowered("Conv", {"x": image()}, constants=[numbers(4, 1, 3, 3)], group=2, pads=[1, 1, 1, 1])


@pytest.mark.parametrize("dtype", [F, I32])
@pytest.mark.parametrize(
    ("a", "b"), [((3, 4), (4,)), ((4,), (4, 3)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3))]
)
def test_products(a: tuple[int, ...], b: tuple[int, ...], dtype: Any):
    lowered("MatMul", {"a": numbers(*a, dtype=dtype), "b": numbers(*b, dtype=dtype)})


@pytest.mark.sample(10)
@pytest.mark.parametrize("bias", [None, (5,), (1, 5), (3, 1), (3, 5)])
@pytest.mark.parametrize(("left", "right"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_affine_layers(left: int, right: int, bias: tuple[int, ...] | None):
    a, b = ((4, 3) if left else (3, 4)), ((5, 4) if right else (4, 5))
    constants = [numbers(*b)] + ([numbers(*bias)] if bias else [])
    lowered("Gemm", {"a": numbers(*a)}, constants=constants, transA=left, transB=right)
    lowered("Gemm", {"a": numbers(*a)}, constants=constants, transA=left, transB=right, alpha=0.5, beta=2.0)


@pytest.mark.parametrize("dtype", [F, I8, U8])
@pytest.mark.parametrize(
    "form",
    [
        {"kernel_shape": [2, 2]},
        {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]},
        {"kernel_shape": [2, 3], "strides": [3, 2], "ceil_mode": 1},
        {"kernel_shape": [2, 2], "dilations": [2, 3]},
        {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]},
    ],
    ids=["plain", "padded", "ceil", "dilated", "same"],
)
def test_pooling(dtype: Any, form: dict[str, Any]):
    lowered("MaxPool", {"x": image(dtype)}, **form)


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("axes", [[0], [-1, 1], []])
@pytest.mark.parametrize(
    ("op", "dtype"), [("ReduceSum", F), ("ReduceSum", I32), ("ReduceMax", U8), ("ReduceMin", I8), ("ReduceMax", F)]
)
def test_reductions(op: str, dtype: Any, axes: list[int], keep: int):
    constants = [np.array(axes, I64)] if axes else []
    lowered(op, {"x": numbers(2, 4, 3, dtype=dtype)}, constants=constants, keepdims=keep)


def test_no_axes_may_mean_no_reduction():
    lowered("ReduceSum", {"x": numbers(2, 3)}, noop_with_empty_axes=1)


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize(("start", "end"), [(0, 9), (-3, 1 << 60), (1, -1), (-99, 3)])
def test_slices(start: int, end: int, step: int):
    lowered("Slice", {"x": numbers(2, 6)}, constants=[np.array([v], I64) for v in (start, end, -1, step)])


@pytest.mark.parametrize("dtype", [F, I8, U8])
def test_padding_with_a_value(dtype: Any):
    lowered("Pad", {"x": numbers(2, 3, dtype=dtype)}, constants=[np.array([1, 0, 0, 2], I64), np.asarray(77, dtype)])
    lowered("Pad", {"x": numbers(2, 3, dtype=dtype)}, constants=[np.array([1, 0, 0, 2], I64)])


@pytest.mark.parametrize("indices", [[0, 1, 2], [2, 1], [-1], [[0, 2], [1, 1]], 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_selections(indices: Any, axis: int):
    lowered("Gather", {"x": numbers(3, 2, 4)[:, :, :3]}, constants=[np.array(indices, I64) % 2], axis=axis)


def test_splits_are_views():
    module = lowered("Split", {"x": numbers(2, 6)}, 3, constants=[np.array([1, 2, 3], I64)], axis=-1)
    assert not [op for op in module.walk() if is_kernel(op)]


@pytest.mark.parametrize("order", [[0, 2, 1], [2, 1, 0], [1, 0, 2], None])
def test_transposes(order: list[int] | None):
    attributes: dict[str, Any] = {"perm": order} if order else {}
    lowered("Transpose", {"x": numbers(2, 3, 4)}, **attributes)


@pytest.mark.parametrize("shape", [[24], [6, 4], [4, 6], [2, 12], [1, 2, 3, 4, 1], [0, -1], [8, 3]])
def test_reshapes(shape: list[int]):
    lowered("Reshape", {"x": numbers(2, 3, 4)}, constants=[np.array(shape, I64)])


@pytest.mark.parametrize(
    ("op", "shape", "constants"),
    [("Gather", (4,), [np.array(1)]), ("MatMul", (4,), [numbers(4)]), ("Reshape", (), [np.array([1, 1])])],
    ids=["element", "dot product", "number"],
)
def test_tensors_without_axes(op: str, shape: tuple[int, ...], constants: list[Array]):
    lowered(op, {"x": numbers(*shape)}, constants=constants)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("op", ["Div", "Max", "Min"])
def test_unsigned_integers(op: str, dtype: Any):
    """Numbers above the signed range are what they are."""
    top = np.iinfo(dtype).max
    lowered(op, {"a": np.array([top, top - 1, 200, 7], dtype), "b": np.array([3, 1, 7, 200], dtype)})
