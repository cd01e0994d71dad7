"""Checks that operators of several families share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import numpy as np

from ...dialects.onnx.parameters import broadcasts_to, misfit
from ...errors import Diagnostic
from ..node_view import NodeView

Check = Callable[[NodeView], None]


def one_number(index: int) -> Check:
    """Return a check that an input, where it is given, is one number."""

    def check(node: NodeView) -> None:
        if node.input(index) and (len(shape := node.shape(index)) > 1 or prod(shape) != 1):
            raise node.misfit(f"input {index}", "one number", list(shape))

    return check


def holds(index: int, predicate: Callable[[Any], Any], expected: str) -> Check:
    """Return a check that all elements of an input satisfy a predicate, where that input is a constant."""

    def check(node: NodeView) -> None:
        values = node.value(index)
        if values is None or (good := np.asarray(predicate(values))).all():
            return
        raise Diagnostic(
            f"input {index} of {node.op_type} holds an invalid value",
            where=node.where,
            expected=expected,
            found=f'{values[~good].flat[0]} in "{node.input(index)}"',
            remedy=f'correct the constant "{node.input(index)}", or quantise the network again',
        )

    return check


def is_scale(array: Any) -> Any:
    """Return for each element whether it can be a scale."""
    numbers = array.astype(np.float64)
    return np.isfinite(numbers) & (numbers > 0)


def scales(*indices: int) -> tuple[Check, ...]:
    """Return checks that inputs are scales, where they are constants."""
    return tuple(holds(index, is_scale, "finite numbers above zero") for index in indices)


def parameters(node: NodeView) -> None:
    """Check that scales and zero points fit the tensors that they belong to."""
    if fault := misfit(node.op_type, lambda index: node.shape(index) if node.input(index) else None):
        raise node.misfit(f"input {fault.index}", fault.expected, fault.found)


def broadcast(node: NodeView, indices: Iterable[int], kept: int = 0) -> None:
    """Check that the shapes of inputs, without their last `kept` axes, broadcast together."""
    whole: tuple[int, ...] = ()
    for index in indices:
        shape = node.shape(index)
        outer = shape[: len(shape) - kept] if len(shape) > kept else ()
        rank = max(len(outer), len(whole))
        pairs = list(zip((1,) * (rank - len(whole)) + whole, (1,) * (rank - len(outer)) + outer, strict=True))
        if any(1 not in (a, b) and a != b for a, b in pairs):
            wanted = f"axes that broadcast with {list(whole)}" + (f" before the last {kept}" if kept else "")
            raise node.misfit(f"input {index}", wanted, list(shape))
        whole = tuple(b if a == 1 else a for a, b in pairs)


def axis(node: NodeView) -> None:
    """Check that the attribute `axis` is one of the axes of the first input."""
    x, number = node.shape(0), node.attribute("axis")
    if not -len(x) <= number < len(x):
        raise node.misfit("the axis", f"one of the {len(x)} axes of {list(x)}", number)


def broadcast_to_first(node: NodeView) -> None:
    """Check that all inputs broadcast to the first."""
    x = node.shape(0)
    for index in range(1, node.inputs):
        if node.input(index) and not broadcasts_to(shape := node.shape(index), x):
            raise node.misfit(f"input {index}", f"a shape that broadcasts to {list(x)}", list(shape))


def per_channel_vectors(node: NodeView) -> None:
    """Check that all inputs but the first are vectors of one number per channel."""
    x = node.shape(0)
    for index in range(1, node.inputs):
        if node.input(index) and (shape := node.shape(index)) != x[1:2]:
            raise node.misfit(f"input {index}", f"{list(x[1:2])}, one number per channel", list(shape))
