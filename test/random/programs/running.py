"""Inputs of random programs, with the ends of their types, and comparison of results bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.testing.programs.program import Argument, RandomProgram
from tilewright.runtime.testing.programs.types import FLOATS, float_bits, integer

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i4": np.int8,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
"""Scalar type -> NumPy's."""

_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def inputs_of(program: RandomProgram, seed: int) -> dict[str, Array]:
    """Return random inputs of a program, by the names that the interpreter gives to arguments."""
    draw = Random(f"inputs {program.seed} {seed}")
    given = [argument for argument in program.arguments if not argument.is_output]
    return {f"arg{place}": _array(draw, argument) for place, argument in enumerate(given)}


def _array(draw: Random, argument: Argument) -> Array:
    dtype = np.dtype(DTYPES[argument.element])
    count = prod(argument.shape)
    if argument.element in FLOATS and argument.bounds != (0, 0):
        quarters = [draw.randint(*argument.bounds) for _ in range(count)]
        return (np.array(quarters, np.float64) / 4).astype(dtype).reshape(argument.shape)
    if argument.element in FLOATS:
        bits = [float_bits(draw, argument.element) for _ in range(count)]
        return np.array(bits, _BITS[dtype.itemsize]).view(dtype).reshape(argument.shape)
    if argument.element == "index":
        return np.array([draw.randint(*argument.bounds) for _ in range(count)], dtype).reshape(argument.shape)
    return np.array([integer(draw, argument.element) for _ in range(count)], dtype).reshape(argument.shape)


def interpreted(module: ModuleOp, program: RandomProgram, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Run a program, at any level, in the interpreter and return its results by name, with indices of 64 bits."""
    results = run_module(module, inputs, function=program.entry)
    indices = {f"result{place}" for place, port in enumerate(program.results) if port.element == "index"}
    return {name: array.astype(np.int64) if name in indices else array for name, array in results.items()}


def difference(expected: Mapping[str, Array], actual: Mapping[str, Array]) -> str:
    """Return the first difference between results, bit for bit except for the bits of NaN; "" where there is none."""
    if list(expected) != list(actual):
        return f"results {list(actual)}, expected {list(expected)}"
    for name, array in expected.items():
        other = actual[name]
        if array.dtype != other.dtype or array.shape != other.shape:
            return f"{name}: {other.dtype}{list(other.shape)}, expected {array.dtype}{list(array.shape)}"
        if (place := _first(array, other)) is not None:
            return f"{name}{list(place)}: {other[place]!r}, expected {array[place]!r}"
    return ""


def _first(expected: Array, actual: Array) -> tuple[int, ...] | None:
    """Return the position of the first elements that differ."""
    is_integer = expected.dtype.kind in "biu"
    bits = expected.dtype if is_integer else _BITS[expected.dtype.itemsize]
    differs = np.ascontiguousarray(expected).view(bits) != np.ascontiguousarray(actual).view(bits)
    if not is_integer:
        wide, other = expected.astype(np.float64), actual.astype(np.float64)
        differs &= ~(np.isnan(wide) & np.isnan(other))
    differs = differs.reshape(expected.shape)
    return tuple(int(axis) for axis in np.argwhere(differs)[0]) if differs.any() else None
