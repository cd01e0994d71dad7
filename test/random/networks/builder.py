"""Builder of random networks in ONNX, node by node; types and shapes are those that onnx infers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, TypeVar, cast

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, defs, helper, numpy_helper
from onnx import shape_inference as inference

from tilewright.dialects.onnx.custom import SCHEMAS
from tilewright.frontend.requant_shift import DOMAIN, OPSET, requant_shift
from tilewright.ir import Array

FLOATS = (*[np.float32] * 8, np.float64, np.float16)
INTEGERS = (np.int32, np.int64, np.int8, np.uint8)
OPSETS = (13, 15, 17, 18, 19, 21, 22)
INPUT_BITS = 6
"""Of a random input: multiples of 1/8 from -4 to 4, or integers of that many bits."""
EXACT_BITS = 22
INEXACT = 1000

_DOMAINS = {"": 0, "com.microsoft": 1, DOMAIN: OPSET}
"""Domain of operators -> its version, 0 for that of the network."""

_CUSTOM = {schema.name: schema for schema in SCHEMAS}

_T = TypeVar("_T")


class NoChoice(Exception):
    """A network has no tensors yet that an operator takes, or a result would be invalid or too large."""


@dataclass(frozen=True)
class Tensor:
    """
    Tensor of a network: a name, an ONNX element type and a shape.

    `bits` are those that its numbers need at most, more than EXACT_BITS where they may be rounded: what jumps where
    numbers differ a little, as Floor does, takes others only. In a network with scales, `size` is about how large the
    real numbers are that it stands for, by `scale` and zero point.
    """

    name: str
    kind: int
    shape: tuple[int, ...]
    bits: int = INPUT_BITS
    size: float = 1.0
    scale: float = 1.0
    zero: int = 0

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(helper.tensor_dtype_to_np_dtype(self.kind))

    @property
    def is_exact(self) -> bool:
        """Whether no number of it can have been rounded."""
        return self.bits <= (EXACT_BITS if self.dtype.itemsize > 2 or self.dtype.kind != "f" else 10)

    @property
    def port(self) -> ValueInfoProto:
        return helper.make_tensor_value_info(self.name, self.kind, self.shape)


Operator = Callable[["Builder"], None]
"""Adds nodes to a network. Raises NoChoice where it has no operands for them."""


class Builder:
    """
    Network that grows node by node; `random` makes all choices.

    `values` are its inputs and the results of its nodes so far, none larger than `largest` (elements).
    """

    whole = False
    """Whether all numbers are integers, whatever carries them."""
    images: Sequence[Any] = (np.float32,)
    """Types of the maps that convolutions and poolings take."""

    def __init__(self, random: Random, *, opset: int = 0, largest: int = 4096):
        self.random = random
        self.opset = opset or random.choice(OPSETS)
        self.largest = largest
        self.values: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.constants: dict[str, TensorProto] = {}
        self.nodes: list[NodeProto] = []

    # Draws

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def number(self, low: int, high: int) -> int:
        """Return a number between two, both included."""
        return self.random.randint(low, high)

    def choice(self, options: Sequence[_T]) -> _T:
        return self.random.choice(options)

    def generator(self) -> np.random.Generator:
        """Return a generator of arrays, whose seed is drawn."""
        return np.random.default_rng(self.random.randrange(1 << 30))

    def shape(self, rank: int | None = None, largest: int = 5) -> tuple[int, ...]:
        """Return a random shape; extents of 1 are frequent, as they broadcast."""
        rank = self.random.choice((0, 1, 2, 2, 3, 3, 4)) if rank is None else rank
        return tuple(self.random.choice((1, *range(1, largest + 1))) for _ in range(rank))

    def numbers(self, dtype: Any, shape: Sequence[int]) -> Array:
        """Return random numbers as inputs have them."""
        return random_numbers(self.generator(), np.dtype(dtype), shape)

    # Operands

    def input(self, kind: Sequence[Any] = FLOATS, shape: Sequence[int] | None = None) -> Tensor:
        """Add an input of the network, of a shape that is random where none is given."""
        chosen = self.shape() if shape is None else tuple(shape)
        dtype = np.dtype(self.random.choice(kind))
        return self.port(Tensor(f"x{len(self.inputs)}", helper.np_dtype_to_tensor_dtype(dtype), chosen))

    def port(self, x: Tensor) -> Tensor:
        """Add a tensor as an input of the network."""
        self.inputs.append(x)
        self.values.append(x)
        return x

    def constant(self, values: Any, kind: int | None = None) -> str:
        """Add an initialiser, of an ONNX type if one is given."""
        name = f"c{len(self.constants)}"
        dtype = None if kind is None else helper.tensor_dtype_to_np_dtype(kind)
        self.constants[name] = numpy_helper.from_array(np.asarray(values, dtype), name)
        return name

    def weight(self, dtype: Any, shape: Sequence[int]) -> str:
        """Add an initialiser of random numbers."""
        return self.constant(self.numbers(dtype, shape))

    def pick(self, matches: Callable[[Tensor], bool] = lambda _: True) -> Tensor:
        """Return one of the values that match, rather a late one. Raises NoChoice where there is none."""
        matching = [value for value in self.values if matches(value)]
        if not matching:
            raise NoChoice
        return matching[-1] if self.random.random() < 0.5 else self.random.choice(matching)

    def pick_kind(self, kinds: str = "f", ranks: Sequence[int] | None = None, *, exact: bool = False) -> Tensor:
        """Return a value of these NumPy kinds and ranks, one that is not rounded where `exact`; else an input."""

        def matches(value: Tensor) -> bool:
            fits = value.dtype.kind in kinds and (ranks is None or len(value.shape) in ranks)
            return fits and (value.is_exact or not exact)

        try:
            return self.pick(matches)
        except NoChoice:
            rank = None if ranks is None else self.random.choice(list(ranks))
            types = {"f": FLOATS, "i": INTEGERS[:3], "u": INTEGERS[3:], "b": (np.bool_,)}
            return self.input(types[self.random.choice(kinds)], self.shape(rank))

    def like(self, value: Tensor) -> str:
        """Return an operand of that type, whose shape broadcasts with the value's: of the network, or a constant."""
        shape = list(value.shape[self.random.randrange(len(value.shape) + 1) :])
        shape = [extent if self.random.random() < 0.7 else 1 for extent in shape]
        fitting = [
            other.name
            for other in self.values
            if other.kind == value.kind and other.is_exact and _broadcasts(value.shape, other.shape)
        ]
        if fitting and self.random.random() < 0.6:
            return self.random.choice(fitting)
        return self.weight(value.dtype, shape)

    # Nodes

    def emit(
        self, op: str, inputs: Sequence[str], outputs: int = 1, *, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node, of whatever types, and return the names of its results."""
        names = [f"v{len(self.nodes)}_{index}" for index in range(outputs)]
        label = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, names, name=label, domain=domain, **attributes))
        return names

    def op(self, op: str, inputs: Sequence[str], *, domain: str = "", **attributes: Any) -> str:
        """Add a node of one result and return its name."""
        return self.emit(op, inputs, domain=domain, **attributes)[0]

    def called(self, name: str) -> str:
        """Give the result of the last node a name, and return it."""
        self.nodes[-1].output[0] = name
        return name

    def requant(self, x: str, mul: Any, add: Any, *, div: int, levels: int = 256, signed: bool = True) -> str:
        """Add RequantShift of integers that floats carry, which the model defines for ONNX Runtime as a function."""
        numbers = {"div": div, "n_levels_out": levels, "signed": int(signed)}
        attributes = {key: numpy_helper.from_array(np.array(value)) for key, value in numbers.items()}
        factors = [self.constant(values, TensorProto.FLOAT) for values in (mul, add)]
        return self.op("RequantShift", [x, *factors], domain=DOMAIN, **attributes)

    def node(
        self, operator: str, inputs: Sequence[Tensor | str], outputs: int = 1, *, bits: int = INEXACT, **attributes: Any
    ) -> list[Tensor]:
        """
        Add a node and return its results, of which each has `bits`.

        Raises NoChoice where the operator does not exist in this opset or does not take these types, where the results
        have no known shape, and where they are empty or large.
        """
        return self._append(operator, inputs, outputs, None, bits, attributes)

    def sized_node(self, operator: str, inputs: Sequence[Tensor | str], shape: Sequence[int], bits: int) -> Tensor:
        """Add a node whose result has a shape that other nodes compute, and return that. Raises NoChoice as `node`."""
        return self._append(operator, inputs, 1, shape, bits, {})[0]

    def _append(
        self,
        operator: str,
        inputs: Sequence[Tensor | str],
        outputs: int,
        shape: Sequence[int] | None,
        bits: int,
        attributes: dict[str, Any],
    ) -> list[Tensor]:
        operands = [value.name if isinstance(value, Tensor) else value for value in inputs]
        names = self.emit(operator, operands, outputs, **attributes)
        try:
            types = self._inferred(self.nodes[-1])
            results = [Tensor(name, *self._kind_and_shape(types.get(name), shape), bits) for name in names]
        except NoChoice:
            self.nodes.pop()
            raise
        self.values += results
        return results

    def _inferred(self, node: NodeProto) -> dict[str, TypeProto]:
        schema = self._schema(node.op_type)
        types = {value.name: _type_of(value) for value in self.values}
        types |= {name: helper.make_tensor_type_proto(t.data_type, t.dims) for name, t in self.constants.items()}
        used = [name for name in node.input if name]
        formal = [schema.inputs[min(index, len(schema.inputs) - 1)] for index in range(len(node.input))]
        for name, parameter in zip(node.input, formal, strict=True):
            if name and _written(types[name]) not in parameter.types:
                raise NoChoice
        data = {name: self.constants[name] for name in used if name in self.constants}
        imports = [helper.make_opsetid("", self.opset)]
        try:
            return inference.infer_node_outputs(
                schema, node, {name: types[name] for name in used}, cast(Any, data), opset_imports=imports
            )
        except Exception as error:
            raise NoChoice from error

    def _schema(self, op: str) -> defs.OpSchema:
        if op in _CUSTOM:
            return _CUSTOM[op]
        try:
            return defs.get_schema(op, self.opset, "")
        except defs.SchemaError as error:
            raise NoChoice from error

    def _kind_and_shape(self, type: TypeProto | None, computed: Sequence[int] | None) -> tuple[int, tuple[int, ...]]:
        if type is None or not (type.tensor_type.HasField("shape") or computed is not None):
            raise NoChoice
        dims = list(type.tensor_type.shape.dim)
        shape = tuple(dim.dim_value for dim in dims) if computed is None else tuple(computed)
        is_open = computed is None and any(not dim.HasField("dim_value") for dim in dims)
        if is_open or not 0 < np.prod(shape, dtype=float) <= self.largest:
            raise NoChoice
        return type.tensor_type.elem_type, shape

    # Networks

    def results(self) -> list[Tensor]:
        """Return the values that nobody uses, and perhaps one that somebody does."""
        used = {name for node in self.nodes for name in node.input}
        computed = [value for value in self.values if value not in self.inputs]
        last = [value for value in computed if value.name not in used]
        inner = [value for value in computed if value.name in used]
        return last + ([self.random.choice(inner)] if inner and self.random.random() < 0.3 else [])

    def model(self, outputs: Sequence[Tensor | ValueInfoProto] | None = None) -> ModelProto:
        """Return the network with these outputs, else those of `results`."""
        chosen = self.results() if outputs is None else outputs
        graph = helper.make_graph(
            self.nodes,
            "random",
            [value.port for value in self.inputs],
            [value.port if isinstance(value, Tensor) else value for value in chosen],
            list(self.constants.values()),
        )
        domains = {"", *(node.domain for node in self.nodes)}
        functions = [requant_shift()] if DOMAIN in domains else []
        imports = [helper.make_opsetid(name, _DOMAINS[name] or self.opset) for name in sorted(domains)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=functions)


def random_numbers(generator: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    """Return numbers that arithmetic in f32 keeps exact for some steps: multiples of 1/8, small integers."""
    if dtype.kind == "b":
        return np.asarray(generator.random(shape) < 0.5)
    if dtype.kind == "f":
        return np.asarray(generator.integers(-32, 33, shape) / 8).astype(dtype)
    return np.asarray(generator.integers(0 if dtype.kind == "u" else -5, 6, shape)).astype(dtype)


def _type_of(value: Tensor) -> TypeProto:
    return helper.make_tensor_type_proto(value.kind, value.shape)


@cache
def _type_name(kind: int) -> str:
    return f"tensor({TensorProto.DataType.Name(kind).lower()})"


def _written(type: TypeProto) -> str:
    """Return a type as schemas write it."""
    return _type_name(type.tensor_type.elem_type)


def _broadcasts(shape: Sequence[int], other: Sequence[int]) -> bool:
    try:
        return np.broadcast_shapes(tuple(shape), tuple(other)) == tuple(shape)
    except ValueError:
        return False


def grow(builder: Builder, operators: Sequence[Operator], nodes: int, attempts: int = 20) -> None:
    """Apply up to that many operators, drawn among these, to a network, in so many attempts at each."""
    for _ in range(attempts * nodes):
        try:
            builder.choice(operators)(builder)
            nodes -= 1
        except NoChoice:
            continue
        if not nodes:
            return
