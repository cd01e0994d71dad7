"""Recurrent operators: gates, states and activation functions of LSTM, GRU and RNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .registry import Registry
from .schema import OnnxOp


class Recurrence(NamedTuple):
    """Gates, tensors of state and default activations of a recurrent operator."""

    gates: int
    states: int
    activations: tuple[str, ...]


RECURRENCES = Registry(
    "gates",
    {
        "LSTM": Recurrence(4, 2, ("sigmoid", "tanh", "tanh")),
        "GRU": Recurrence(3, 1, ("sigmoid", "tanh")),
        "RNN": Recurrence(1, 1, ("tanh",)),
    },
)


class Activation(NamedTuple):
    """Activation function by its name in lower case, with its numbers alpha and beta."""

    name: str
    alpha: float | None
    beta: float | None


_NUMBERS: dict[str, tuple[float | None, float | None]] = {
    "affine": (1.0, 0.0),
    "leakyrelu": (0.01, None),
    "thresholdedrelu": (1.0, None),
    "scaledtanh": (1.0, 1.0),
    "hardsigmoid": (0.2, 0.5),
    "elu": (1.0, None),
}
"""Alpha and beta of functions where the operator gives none; None for a number that a function has not."""


def activations_of(op: OnnxOp, directions: int) -> list[Sequence[Activation]]:
    """Return the activation functions of each direction of a recurrent operator; any name is taken."""
    defaults = RECURRENCES[op.SCHEMA.name].activations
    names = [str(name).lower() for name in op.attribute("activations") or defaults * directions]
    alphas, betas = (list(op.attribute(f"activation_{name}") or ()) for name in ("alpha", "beta"))
    activations: list[Activation] = []
    for name in names:
        alpha, beta = _NUMBERS.get(name, (None, None))
        a = alphas.pop(0) if alpha is not None and alphas else alpha
        b = betas.pop(0) if beta is not None and betas else beta
        activations.append(Activation(name, a, b))
    count = len(defaults)
    return [activations[i * count : (i + 1) * count] for i in range(directions)]
