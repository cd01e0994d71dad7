"""Integer ranges of a network's inputs, and random inputs within them."""

from __future__ import annotations

from typing import cast

import numpy as np
import onnx

from ...errors import Diagnostic

INPUT_TYPE = "tilewright.input_type."
"""Metadata key prefix: `tilewright.input_type.<input name>` = `ui8` or `i8` is the integer type of that input."""

INPUT_VALUES = "tilewright.input_values."
"""
Metadata key prefix: `tilewright.input_values.<input name>` = `normal`, of floats, or `0..99`, the integers that an
input holds, both ends included.
"""

RANGES: dict[str, tuple[int, int]] = {"ui8": (0, 255), "i8": (-128, 127)}
"""The integer types an input may declare, with their least and greatest values."""


def random_integers(random: np.random.RandomState, low: int, high: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return int64 values uniform over `low` to `high`, both included, of `shape`."""
    return random.randint(low, high + 1, size=shape, dtype=np.int64)


def sample_inputs(model: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    """Return one random array for each input of `model`; see `tilewright.frontend.zoo.sample_inputs`."""
    random = np.random.RandomState(seed)
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    return {value.name: _sample(model, value, random) for value in inputs}


def _sample(model: onnx.ModelProto, value: onnx.ValueInfoProto, random: np.random.RandomState) -> np.ndarray:
    dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    values = {entry.key: entry.value for entry in model.metadata_props}.get(INPUT_VALUES + value.name, "")
    if values == "normal":
        return random.standard_normal(_shape(value)).astype(dtype)
    low, high = map(int, values.split("..")) if values else _range(model, value.name, dtype)
    return random_integers(random, low, high, _shape(value)).astype(dtype)


def _range(model: onnx.ModelProto, name: str, dtype: np.dtype) -> tuple[int, int]:
    declared = {entry.key: entry.value for entry in model.metadata_props}.get(INPUT_TYPE + name, "")
    if declared in RANGES:
        return RANGES[declared]
    if not declared and np.issubdtype(dtype, np.integer):
        limits = np.iinfo(cast("np.dtype[np.integer]", dtype))
        return max(int(limits.min), -(2**31)), min(int(limits.max), 2**31 - 1)
    raise Diagnostic(
        f"nothing says which integers the input {name!r} may hold",
        expected=f"metadata {INPUT_TYPE + name} = {' or '.join(RANGES)}, or an input of an integer type",
        found=declared or str(dtype),
        remedy="add the entry to the model's metadata_props",
    )


def _shape(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    shape = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    if all(shape):
        return shape
    dims = [dim.dim_param or str(dim.dim_value or "?") for dim in value.type.tensor_type.shape.dim]
    raise Diagnostic(
        f"the shape of the input {value.name!r} is not static",
        expected="a positive size for each axis",
        found="x".join(dims),
        remedy="fix the sizes, for example with onnxruntime.tools.make_dynamic_shape_fixed",
    )
