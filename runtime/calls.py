"""The arrays of each call of a network, of those that are given for one or for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Diagnostic
from ..ir import Array
from .inputs import Input
from .interpreter.conversion import converted

if TYPE_CHECKING:
    from .host import HostEntry


def given_to(entry: HostEntry, inputs: Mapping[str, Array]) -> list[Array]:
    """Return the inputs of a function in the types that it takes. Raises Diagnostic where a value would change."""
    limits = {port.name: port.limits for port in entry.inputs if not port.added}
    return [
        converted(port.name, inputs[port.name], port.dtype, port.shape, limits=limits.get(port.name, ()))
        for port in entry.inputs
    ]


def steps_of(inputs: Sequence[Input], arrays: Mapping[str, Array]) -> tuple[list[dict[str, Array]], bool]:
    """
    Return the inputs of each call, and whether the arrays have an axis for these, as `run_steps` says.

    Raises Diagnostic where arrays differ in their number of steps, or have none.
    """
    counts = {name: len(array) for name, array in arrays.items() if _has_steps(inputs, name, array)}
    if len(set(counts.values())) > 1:
        raise Diagnostic(
            "inputs differ in their number of steps",
            expected="the same first extent",
            found=", ".join(f"{name}: {count}" for name, count in counts.items()),
        )
    steps = next(iter(counts.values()), 1)
    if not steps:
        raise Diagnostic("the inputs have no steps", expected="one at least")
    return [_step(inputs, arrays, counts, step) for step in range(steps)], bool(counts)


def _has_steps(inputs: Sequence[Input], name: str, array: Array) -> bool:
    shape = next((port.shape for port in inputs if port.name == name), array.shape)
    return array.ndim == len(shape) + 1 and tuple(array.shape[1:]) == tuple(shape)


def _step(
    inputs: Sequence[Input], arrays: Mapping[str, Array], counts: Mapping[str, int], step: int
) -> dict[str, Array]:
    values = {name: array[step] if name in counts else array for name, array in arrays.items()}
    for port in inputs:
        if port.added and port.name not in values:
            values[port.name] = np.full(port.shape, step * port.added, np.int64)
    return values
