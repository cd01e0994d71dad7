"""Grows a random ONNX graph node by node; types and shapes are those that onnx infers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, TypeProto, defs, helper, numpy_helper, shape_inference

Array = np.ndarray[Any, Any]

FLOATS = (*[np.float32] * 8, np.float64, np.float16)
INTEGERS = (np.int32, np.int64, np.int8, np.uint8)
OPSETS = (13, 15, 17, 18, 19, 21, 22)
INPUT_BITS = 6
"""Of a random input: multiples of 1/8 from -4 to 4, or integers of that many bits."""
EXACT_BITS = 22
INEXACT = 1000
_LARGEST = 4096
"""How many elements a value may have."""


class NoChoice(Exception):
    """A graph has no values yet that an operator takes."""


@dataclass(frozen=True)
class Value:
    """
    A value of the graph: a name, an element type and a shape.

    `bits` are those that its numbers need at most, more than EXACT_BITS where they may be rounded: what jumps where
    numbers differ a little, as Floor does, takes others only.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    bits: int = INPUT_BITS

    @property
    def is_exact(self) -> bool:
        """Whether no number of it can have been rounded."""
        return self.bits <= (EXACT_BITS if self.dtype.itemsize > 2 or self.dtype.kind != "f" else 10)


Operator = Callable[["Builder"], None]


class Builder:
    """A graph that grows; `random` makes all choices."""

    def __init__(self, random: Random):
        self.random = random
        self.opset = random.choice(OPSETS)
        self.values: list[Value] = []
        self._inputs: list[Value] = []
        self._constants: list[TensorProto] = []
        self._nodes: list[NodeProto] = []
        self._used: set[str] = set()

    # Values

    def input(self, kind: Sequence[Any] = FLOATS, shape: Sequence[int] | None = None) -> Value:
        """Add an input of the graph, of a shape that is random where none is given."""
        chosen = self.shape() if shape is None else tuple(shape)
        value = Value(f"x{len(self._inputs)}", np.dtype(self.random.choice(kind)), chosen)
        self._inputs.append(value)
        self.values.append(value)
        return value

    def shape(self, rank: int | None = None, largest: int = 5) -> tuple[int, ...]:
        """Return a random shape; extents of 1 are frequent, as they broadcast."""
        rank = self.random.choice((0, 1, 2, 2, 3, 3, 4)) if rank is None else rank
        return tuple(self.random.choice((1, *range(1, largest + 1))) for _ in range(rank))

    def constant(self, array: Any) -> str:
        """Add an initialiser."""
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def numbers(self, dtype: Any, shape: Sequence[int]) -> Array:
        """Return random numbers as inputs have them."""
        return random_numbers(np.random.default_rng(self.random.randrange(1 << 30)), np.dtype(dtype), shape)

    def weight(self, dtype: Any, shape: Sequence[int]) -> str:
        """Add an initialiser of random numbers."""
        return self.constant(self.numbers(dtype, shape))

    def pick(self, matches: Callable[[Value], bool] = lambda _: True) -> Value:
        """Return one of the values that match, rather a late one. Raises NoChoice where there is none."""
        known = [value for value in self.values if matches(value)]
        if not known:
            raise NoChoice
        return known[-1] if self.random.random() < 0.5 else self.random.choice(known)

    def pick_kind(self, kinds: str = "f", ranks: Sequence[int] | None = None, *, exact: bool = False) -> Value:
        """Return a value of these NumPy kinds and ranks, one that is not rounded where `exact`; else an input."""

        def matches(value: Value) -> bool:
            fits = value.dtype.kind in kinds and (ranks is None or len(value.shape) in ranks)
            return fits and (value.is_exact or not exact)

        try:
            return self.pick(matches)
        except NoChoice:
            rank = None if ranks is None else self.random.choice(list(ranks))
            known = {"f": FLOATS, "i": INTEGERS[:3], "u": INTEGERS[3:], "b": (np.bool_,)}
            return self.input(known[self.random.choice(kinds)], self.shape(rank))

    def like(self, value: Value) -> str:
        """Return an operand of that type, whose shape broadcasts with the value's: known, or a constant."""
        shape = list(value.shape[self.random.randrange(len(value.shape) + 1) :])
        shape = [extent if self.random.random() < 0.7 else 1 for extent in shape]
        known = [
            other.name
            for other in self.values
            if other.dtype == value.dtype and other.is_exact and _broadcasts(value.shape, other.shape)
        ]
        return self.random.choice(known) if known and self.random.random() < 0.6 else self.weight(value.dtype, shape)

    # Nodes

    def node(
        self, operator: str, inputs: Sequence[Value | str], outputs: int = 1, *, bits: int = INEXACT, **attributes: Any
    ) -> list[Value]:
        """
        Add a node and return its results, of which each has `bits`.

        Raises NoChoice where the operator does not exist in this opset or does not take these types, where the results
        have no known shape, and where they are empty or large.
        """
        return self._append(operator, inputs, outputs, None, bits, attributes)

    def sized_node(self, operator: str, inputs: Sequence[Value | str], shape: Sequence[int], bits: int) -> Value:
        """Add a node whose result has a shape that other nodes compute, and return that. Raises NoChoice as `node`."""
        (made,) = self._append(operator, inputs, 1, shape, bits, {})
        return made

    def _append(
        self,
        operator: str,
        inputs: Sequence[Value | str],
        outputs: int,
        shape: Sequence[int] | None,
        bits: int,
        attributes: dict[str, Any],
    ) -> list[Value]:
        names = [value.name if isinstance(value, Value) else value for value in inputs]
        made = [f"v{len(self._nodes)}_{index}" for index in range(outputs)]
        node = helper.make_node(operator, names, made, **attributes)
        found = self._inferred(node)
        results = [Value(name, *_dtype_and_shape(found.get(name), shape), bits) for name in made]
        self._nodes.append(node)
        self.values += results
        self._used.update(names)
        return results

    def _inferred(self, node: NodeProto) -> dict[str, TypeProto]:
        try:
            schema = defs.get_schema(node.op_type, self.opset, "")
        except defs.SchemaError as error:
            raise NoChoice from error
        constants = {tensor.name: tensor for tensor in self._constants}
        types = {value.name: _type_of(value) for value in self.values}
        types |= {name: helper.make_tensor_type_proto(t.data_type, t.dims) for name, t in constants.items()}
        used = [name for name in node.input if name]
        data = {name: constants[name] for name in used if name in constants}
        imports = [helper.make_opsetid("", self.opset)]
        try:
            return shape_inference.infer_node_outputs(
                schema, node, {name: types[name] for name in used}, cast(Any, data), opset_imports=imports
            )
        except Exception as error:
            raise NoChoice from error

    def model(self) -> ModelProto:
        """Return the graph: its outputs are the values that nobody uses, and one that somebody does."""
        last = [value for value in self.values if value.name not in self._used and value not in self._inputs]
        inner = [value for value in self.values if value.name in self._used and value not in self._inputs]
        outputs = last + ([self.random.choice(inner)] if inner and self.random.random() < 0.3 else [])
        graph = helper.make_graph(
            self._nodes,
            "random",
            [helper.make_value_info(value.name, _type_of(value)) for value in self._inputs],
            [helper.make_value_info(value.name, _type_of(value)) for value in outputs],
            self._constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def random_numbers(generator: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    """Return numbers that arithmetic in f32 keeps exact for some steps: multiples of 1/8, small integers."""
    if dtype.kind == "b":
        return np.asarray(generator.random(shape) < 0.5)
    if dtype.kind == "f":
        return np.asarray(generator.integers(-32, 33, shape) / 8).astype(dtype)
    return np.asarray(generator.integers(0 if dtype.kind == "u" else -5, 6, shape)).astype(dtype)


def _type_of(value: Value) -> TypeProto:
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


def _dtype_and_shape(type: TypeProto | None, computed: Sequence[int] | None) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if type is None or not (type.tensor_type.HasField("shape") or computed is not None):
        raise NoChoice
    dims = list(type.tensor_type.shape.dim)
    shape = tuple(dim.dim_value for dim in dims) if computed is None else tuple(computed)
    is_open = computed is None and any(not dim.HasField("dim_value") for dim in dims)
    if is_open or not 0 < np.prod(shape, dtype=float) <= _LARGEST:
        raise NoChoice
    return np.dtype(helper.tensor_dtype_to_np_dtype(type.tensor_type.elem_type)), shape


def _broadcasts(shape: Sequence[int], other: Sequence[int]) -> bool:
    try:
        return np.broadcast_shapes(tuple(shape), tuple(other)) == tuple(shape)
    except ValueError:
        return False


def random_model(random: Random, operators: Sequence[Operator], nodes: int) -> ModelProto:
    """Return a graph of up to that many applications of operators."""
    builder = Builder(random)
    for _ in range(random.choice((1, 1, 2))):
        builder.input()
    made = 0
    for _ in range(20 * nodes):
        if made == nodes:
            break
        try:
            random.choice(operators)(builder)
            made += 1
        except NoChoice:
            continue
    return builder.model()
