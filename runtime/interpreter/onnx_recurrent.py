"""
Semantics of LSTM, GRU and RNN, which ONNX's reference implements in part: one step after the other, in f64.

A sequence keeps its state after its end, where its outputs are 0; the last state of one of length 0 is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...dialects.onnx.recurrent import RECURRENCES, Activation, activations_of
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import Array, where

_Function: TypeAlias = Callable[[Array], Array]

_FUNCTIONS: dict[str, Callable[[Array, float, float], Array]] = {
    "relu": lambda x, a, b: np.maximum(x, 0),
    "tanh": lambda x, a, b: np.tanh(x),
    "sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "softplus": lambda x, a, b: np.logaddexp(x, 0),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "thresholdedrelu": lambda x, a, b: np.where(x > a, x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
}


@dataclass(frozen=True)
class _Direction:
    """One direction of an operator: its weights, biases [2, gates, hidden], peepholes [3, hidden] and activations."""

    op: OnnxOp
    w: Array
    r: Array
    bias: Array
    holes: Array
    functions: Sequence[_Function]

    def gates(self, x: Array, state: Array, *names: int) -> list[Array]:
        """Return the sums of the gates `names` [batch, hidden] before their activation."""
        hidden = self.r.shape[1]
        rows = [slice(name * hidden, (name + 1) * hidden) for name in names]
        return [
            x @ self.w[gate].T + state @ self.r[gate].T + self.bias[:, name].sum(0)
            for name, gate in zip(names, rows, strict=True)
        ]

    def applied(self, number: int, x: Array) -> Array:
        """Return an activation function of sums, which are clipped to the operator's limits."""
        clip = self.op.attribute("clip")
        return self.functions[number](x if clip is None else np.clip(x, -clip, clip))


def _lstm(own: _Direction, x: Array, hidden: Array, cell: Array) -> list[Array]:
    i, o, f, c = own.gates(x, hidden, 0, 1, 2, 3)
    opened = own.applied(0, i + own.holes[0] * cell)
    kept = 1 - opened if own.op.attribute("input_forget") else own.applied(0, f + own.holes[2] * cell)
    new_cell = kept * cell + opened * own.applied(1, c)
    return [own.applied(0, o + own.holes[1] * new_cell) * own.functions[2](new_cell), new_cell]


def _gru(own: _Direction, x: Array, hidden: Array) -> list[Array]:
    z, r = (own.applied(0, gate) for gate in own.gates(x, hidden, 0, 1))
    if own.op.attribute("linear_before_reset"):
        (outer,), (both,) = own.gates(x, np.zeros_like(hidden), 2), own.gates(np.zeros_like(x), hidden, 2)
        inner = both - own.bias[0, 2]
        fresh = outer - own.bias[1, 2] + r * inner
    else:
        (fresh,) = own.gates(x, r * hidden, 2)
    return [(1 - z) * own.applied(1, fresh) + z * hidden]


def _rnn(own: _Direction, x: Array, hidden: Array) -> list[Array]:
    return [own.applied(0, own.gates(x, hidden, 0)[0])]


_CELLS: Registry[str, Callable[..., list[Array]]] = Registry("interpreter", {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn})


def recurrent(op: OnnxOp, *inputs: Array | None) -> list[Array]:
    """
    Return the results that are asked for, of inputs by position: x, w, r, bias, lengths, states, peepholes.

    Raises Diagnostic for an activation that ONNX lacks.
    """
    kind = RECURRENCES[op.SCHEMA.name]
    x, w, r, bias, lengths, *states = [*inputs, *[None] * 8][:8]
    assert x is not None
    assert w is not None
    assert r is not None
    wide = [None if array is None else array.astype(np.float64) for array in (x, *states[: kind.states])]
    x, *starts = [None if array is None else array.swapaxes(0, 1) for array in wide] if op.attribute("layout") else wide
    assert x is not None
    (time, batch, _), (directions, _, hidden) = x.shape, r.shape
    ends = np.full(batch, time) if lengths is None else lengths
    biases = np.zeros([directions, 2 * kind.gates * hidden]) if bias is None else bias.astype(np.float64)
    holes = np.zeros([directions, 3 * hidden]) if states[2] is None else states[2].astype(np.float64)
    outputs, last = np.zeros([time, directions, batch, hidden]), np.zeros([kind.states, directions, batch, hidden])
    for d, functions in enumerate(activations_of(op, directions)):
        own = _Direction(
            op,
            w[d].astype(np.float64),
            r[d].astype(np.float64),
            biases[d].reshape(2, kind.gates, hidden),
            holes[d].reshape(3, hidden),
            [_function(op, activation) for activation in functions],
        )
        state = [np.zeros([batch, hidden]) if start is None else start[d] for start in starts]
        backward = d == 1 or op.attribute("direction") == "reverse"
        for t in reversed(range(time)) if backward else range(time):
            runs = (t < ends)[:, None]
            new_states = _CELLS[op.SCHEMA.name](own, x[t], *state)
            state = [np.where(runs, new, old) for new, old in zip(new_states, state, strict=True)]
            outputs[t, d] = np.where(runs, state[0], 0)
        last[:, d] = np.where((ends > 0)[:, None], np.stack(state), 0)
    results = [outputs, *last]
    if op.attribute("layout"):
        results = [outputs.transpose(2, 0, 1, 3), *(array.swapaxes(0, 1) for array in last)]
    return [array for array, result in zip(results, op.node_outputs, strict=False) if result is not None]


def _function(op: OnnxOp, activation: Activation) -> _Function:
    if activation.name not in _FUNCTIONS:
        raise Diagnostic(
            f"'{op.name}' has an unknown activation",
            where=where(op),
            expected=", ".join(_FUNCTIONS),
            found=activation.name,
        )
    function, alpha, beta = _FUNCTIONS[activation.name], activation.alpha or 0.0, activation.beta or 0.0
    return lambda x: function(x, alpha, beta)
