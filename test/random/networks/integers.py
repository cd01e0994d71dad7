"""Random networks of integers, which floats carry or their own types, drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.ir import Array

from .builder import Builder, NoChoice, Operator, Tensor, grow
from .operators import elementwise, layers, movement, requantised

SHAPES: Sequence[Operator] = (
    *(movement.slice_, movement.split, movement.concat, movement.gather, movement.transpose, movement.pad),
    *(movement.reshape, movement.flatten, movement.unsqueeze, movement.squeeze),
)
ELEMENTWISE: Sequence[Operator] = (
    *(elementwise.arithmetic, elementwise.extremes, elementwise.exact, elementwise.clip, requantised.requant_shift),
)
REDUCING: Sequence[Operator] = (
    *(layers.conv, layers.gemm, layers.matmul, layers.matmul_of_itself, layers.pool, elementwise.reduction),
    requantised.integer_mean,
)
CUSTOM: Sequence[Operator] = (
    *(requantised.integer_softmax, requantised.integer_norm, requantised.integer_activation),
    *(requantised.integer_division, requantised.quantise),
)
TYPED: Sequence[Operator] = (
    *(layers.gemm, layers.matmul, layers.matmul_of_itself, layers.pool, elementwise.reduction),
    *(*ELEMENTWISE, elementwise.cast, elementwise.cast),
    *(movement.slice_, movement.split, movement.concat, movement.reshape, movement.pad),
)
"""Operators on tensors of integer types, whose arithmetic wraps around."""

_BITS = 48
"""Integers of that many bits are exact in the doubles of a reference."""
_DTYPES = {"i8": np.int8, "ui8": np.uint8, "i32": np.int32, "i64": np.int64}
_INPUTS = ([[1, 2, 4, 4]], [[1, 4, 6]], [[2, 3], [2, 3]], [[6]], [[1, 2, 3, 2], [1, 2, 3, 2]])
"""Shapes of the inputs that a network begins with."""


class IntegerBuilder(Builder):
    """Builder of networks of integers: carried by floats, or in types of their own where they are `typed`."""

    whole = True

    def __init__(self, random: Random, types: Sequence[str], *, typed: bool):
        super().__init__(random, opset=20, largest=160)
        self.types, self.typed = types, typed
        self.images = tuple(_DTYPES.values()) if typed else (np.float32,)
        self.input_types: dict[str, str] = {}
        self.has_all_inputs = False

    def input(self, kind: Sequence[Any] = (np.float32,), shape: Sequence[int] | None = None) -> Tensor:
        """Add an input of integers. Raises NoChoice for one too large or too many, or that is to be no float."""
        chosen = self.shape() if shape is None else tuple(shape)
        if self.has_all_inputs or np.dtype(kind[0]).kind != "f" or np.prod(chosen) > self.largest:
            raise NoChoice
        name, type = f"x{len(self.inputs)}", self.choice(self.types)
        self.input_types[name] = type
        dtype = np.dtype(_DTYPES[type] if self.typed else np.float32)
        bits = 25 if type == "int" else int(type.strip("ui"))
        return self.port(Tensor(name, helper.np_dtype_to_tensor_dtype(dtype), chosen, bits))

    def pick_kind(self, kinds: str = "f", ranks: Sequence[int] | None = None, *, exact: bool = False) -> Tensor:
        return super().pick_kind("iu" if self.typed and "f" in kinds else kinds, ranks, exact=exact)

    def numbers(self, dtype: Any, shape: Sequence[int]) -> Array:
        limit = self.choice((8, 8, 8, 100))
        values = self.generator().integers(-limit, limit, shape)
        return (np.abs(values) if np.dtype(dtype).kind == "u" else values).astype(dtype)

    def node(
        self, operator: str, inputs: Sequence[Tensor | str], outputs: int = 1, *, bits: int = 0, **attributes: Any
    ) -> list[Tensor]:
        if bits > _BITS and not self.typed:
            raise NoChoice
        return super().node(operator, inputs, outputs, bits=bits, **attributes)


@dataclass(frozen=True)
class Network:
    """A random network: its model, the same with every tensor as an output, and the integers that its inputs hold."""

    model: ModelProto
    exposed: ModelProto
    input_types: dict[str, str]

    def __repr__(self) -> str:
        lines = [f"{name}: {kind}" for name, kind in self.input_types.items()]
        for node in self.model.graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            lines.append(f"{', '.join(node.output)} = {node.op_type}({', '.join(node.input)}) {attributes}")
        for tensor in self.model.graph.initializer:
            lines.append(f"{tensor.name} = {numpy_helper.to_array(tensor).tolist()}")
        shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in self.model.graph.input}
        return "\n".join([f"inputs {shapes}", *lines, f"outputs {[v.name for v in self.model.graph.output]}"])


def examples(count: int) -> settings:
    """Return the settings of a test of so many examples, the same ones each time."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=slow)


@st.composite
def networks(
    draw: Any,
    operators: Sequence[Operator],
    *,
    largest: int = 6,
    types: Sequence[str] = ("i8", "ui8", "i8", "ui4", "i16"),
    typed: bool = False,
) -> Network:
    """
    Draw a network of up to `largest` of these operators, each on a result or input drawn among all before.

    Integers of `types` are its inputs: carried by floats, or in these types where it is `typed`. Some outputs are
    inner tensors, inputs, constants, or a tensor that another output is too.
    """
    # By a seed choices are even, where hypothesis prefers what is simple; it shrinks the number of operators.
    count, seed = draw(st.integers(1, largest)), draw(st.integers(0, 1 << 32))
    net = IntegerBuilder(Random(seed), types, typed=typed)
    for shape in net.choice(_INPUTS):
        net.input(shape=shape)
    # Of 64 bits, more would leave few networks whose numbers a reference holds.
    net.has_all_inputs = typed
    grow(net, operators, count)
    if not net.nodes:
        elementwise.exact(net)
    used = {name for node in net.nodes for name in node.input}
    unused = [value for value in net.values if value not in net.inputs and value.name not in used]
    constants = [Tensor(x.name, x.data_type, tuple(x.dims)) for x in net.constants.values() if _is_number(x, typed)]
    chosen = unused + [net.choice([*net.values, *constants[:1]]) for _ in range(net.number(0, 2))]
    outputs = list(dict.fromkeys(chosen or net.values[-1:]))
    for index, value in enumerate(sorted({x for x in chosen if chosen.count(x) > 1}, key=lambda x: x.name)):
        # A tensor returned twice: ONNX wants two names for it.
        outputs.insert(index, net.node("Identity", [value], bits=value.bits)[0])
    results = [value for value in net.values if value not in net.inputs]
    return Network(net.model(outputs), net.model(results), net.input_types)


def _is_number(tensor: TensorProto, typed: bool) -> bool:
    """Return whether a constant may be an output: no shape or index."""
    return typed or tensor.data_type == TensorProto.FLOAT
