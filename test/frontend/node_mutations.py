"""ONNX's own node tests as models to mutate: small numbers, ranks and extents where an operator expects others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from tilewright.test.frontend import mutations

_SMALL = (0, 1, -1, 2, 3, 5, -2, 100)


def base(model: ModelProto, inputs: Sequence[Any]) -> ModelProto:
    """Return a model of a node test, of whose inputs those that are a few integers are constants."""
    copy = ModelProto()
    copy.CopyFrom(model)
    given = dict(zip((value.name for value in model.graph.input), inputs, strict=False))
    fixed = {name: array for name, array in given.items() if _is_fixed(array)}
    kept = [value for value in copy.graph.input if value.name not in fixed]
    if kept:
        del copy.graph.input[:]
        copy.graph.input.extend(kept)
        copy.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in fixed.items())
    return copy


def _is_fixed(given: Any) -> bool:
    if not isinstance(given, np.ndarray):
        return False
    array = cast("np.ndarray[Any, Any]", given)
    return array.dtype.kind in "iub" and array.size <= 16 and array.ndim <= 2


def mutated(model: ModelProto, random: Random) -> bytes:
    """Return the file of a model with one or two mutations."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for _ in range(random.choice((1, 1, 2))):
        mutations.apply(random.choice(CHANGES), copy, random)
    return copy.SerializeToString()


def _numbers(model: ModelProto, random: Random) -> None:
    """Change a number of an attribute, or how many there are."""
    attribute = random.choice(list(random.choice(list(model.graph.node)).attribute))
    if not attribute.ints:
        attribute.i = random.choice(_SMALL)
        return
    attribute.ints[random.randrange(len(attribute.ints))] = random.choice(_SMALL)
    if random.random() < 0.3:
        attribute.ints.append(random.choice(_SMALL))
    elif random.random() < 0.3:
        del attribute.ints[-1]


def _shape(model: ModelProto, random: Random) -> None:
    """Change an extent of an input, or its rank."""
    shape = random.choice(list(model.graph.input)).type.tensor_type.shape
    kind = random.choice(("more", "fewer", "extent"))
    if kind == "more":
        shape.dim.add().dim_value = random.choice((1, 2, 3))
    elif kind == "fewer":
        del shape.dim[random.randrange(len(shape.dim))]
    else:
        random.choice(list(shape.dim)).dim_value = random.choice((0, 1, 2, 3, 7))
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")


def _values(model: ModelProto, random: Random) -> None:
    """Change a number of a constant, or how many there are."""
    tensor = random.choice(list(model.graph.initializer))
    if tensor.data_location == TensorProto.EXTERNAL:
        return
    numbers = numpy_helper.to_array(tensor).reshape(-1).copy()
    kind = random.choice(("number", "number", "more", "fewer"))
    if kind == "number":
        numbers[random.randrange(numbers.size)] = np.asarray(random.choice(_SMALL)).astype(numbers.dtype)
        numbers = numbers.reshape(tuple(tensor.dims))
    else:
        numbers = np.concatenate([numbers, numbers[:1]]) if kind == "more" else numbers[1:]
    tensor.CopyFrom(cast(Any, numpy_helper.from_array(numbers, tensor.name)))


CHANGES: tuple[Callable[[ModelProto, Random], None], ...] = (
    *mutations.CHANGES,
    *(_numbers,) * 6,
    *(_shape,) * 6,
    *(_values,) * 4,
)
"""What changes a part of a model."""
