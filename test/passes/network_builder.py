"""A builder of networks in ONNX whose operators, shapes and attributes hypothesis draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st
from onnx import NodeProto, ValueInfoProto, helper

_T = TypeVar("_T")


@dataclass(frozen=True)
class Value:
    """A tensor of a network; `is_float` where it holds other numbers than integers, `dtype` what carries them."""

    name: str
    shape: tuple[int, ...]
    is_float: bool = False
    dtype: Any = np.float32


@dataclass
class Builder:
    """A network in the making. What it holds is drawn from hypothesis, the weights from a seeded generator."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    random: np.random.Generator
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    values: list[Value] = field(default_factory=list[Value])

    def like(self, x: Value) -> list[Value]:
        """Return the tensors that carry integers in the same type."""
        return [value for value in self.values if not value.is_float and value.dtype == x.dtype]

    def integer(self, low: int, high: int) -> int:
        """Draw an integer, both ends included."""
        return self.draw(st.integers(low, high))

    def choice(self, options: Sequence[_T]) -> _T:
        """Draw one of several."""
        return self.draw(st.sampled_from(list(options)))

    def flag(self) -> bool:
        """Draw yes or no."""
        return self.draw(st.booleans())

    def constant(self, array: Any, dtype: Any = np.float32) -> str:
        """Add a constant and return its name."""
        name = f"k{len(self.constants)}"
        self.constants[name] = np.asarray(array, dtype)
        return name

    def weights(self, shape: Sequence[int], low: int = -8, high: int = 7, dtype: Any = np.float32) -> str:
        """Add a constant of random whole numbers, as far as the type holds them."""
        numbers = self.random.integers(low, high + 1, shape)
        if np.dtype(dtype).kind in "iu":
            numbers = np.clip(numbers, np.iinfo(dtype).min, np.iinfo(dtype).max)
        return self.constant(numbers, dtype)

    def add(self, op: str, inputs: Sequence[str], *shapes: Sequence[int], **attributes: Any) -> list[Value]:
        """Add a node and return its results, of the type that carries the first input."""
        dtype = attributes.pop("dtype", None) or self.dtype(inputs[0])
        results = [
            Value(f"t{len(self.values)}{'ab'[i]}", tuple(int(n) for n in shape), op == "Dequant", dtype)
            for i, shape in enumerate(shapes)
        ]
        given = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(op, inputs, [value.name for value in results], **given))
        self.values += results
        return results

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor or constant."""
        shapes = {value.name: value.shape for value in self.values}
        return shapes[name] if name in shapes else self.constants[name].shape

    def info(self, name: str) -> ValueInfoProto:
        """Return the type and shape of a tensor or constant."""
        dtype = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype(name)))
        return helper.make_tensor_value_info(name, dtype, self.shape(name))

    def dtype(self, name: str) -> Any:
        """Return the type that carries a tensor or constant."""
        dtypes = {value.name: value.dtype for value in self.values}
        return dtypes[name] if name in dtypes else self.constants[name].dtype

    def reshaped(self, x: Value, shape: Sequence[int]) -> Value:
        """Return x in another shape."""
        if tuple(shape) == x.shape:
            return x
        return self.add("Reshape", [x.name, self.constant(shape, np.int64)], shape)[0]

    def image(self, x: Value, rank: int) -> Value:
        """Return x as [N, C, spatial...] with so many spatial axes."""
        extents = [n for n in x.shape if n != 1][-rank:]
        spatial = [*[1] * (rank - len(extents)), *extents]
        return self.reshaped(x, [1, prod(x.shape) // prod(spatial), *spatial])

    def matrix(self, x: Value) -> Value:
        """Return x as a matrix."""
        last = x.shape[-1]
        return self.reshaped(x, [prod(x.shape) // last, last])
