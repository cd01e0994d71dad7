"""State update of one step of LSTM, GRU and RNN, as kernels on [batch, hidden]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import math
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.nn import MatmulOp
from ...dialects.onnx import recurrent
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .activations import sigmoid, softplus, tanh
from .code import Code, computed
from .lowerer import Lowerer, unsupported
from .moves import part_of

_LONGEST = 2**31 - 1
"""What every index can hold."""

Activation = Callable[[Code, SSAValue], SSAValue]
Valid = Callable[[Code, SSAValue], SSAValue]
"""`(code, length) -> condition`: whether a sequence of this length has this step."""


def _affine(code: Code, x: SSAValue, a: float, b: float) -> SSAValue:
    return code.add(code.mul(x, a), b)


def _leaky(code: Code, x: SSAValue, a: float, _: float) -> SSAValue:
    return code.select(code.compare(x, "slt", 0), code.mul(x, a), x)


def _thresholded(code: Code, x: SSAValue, a: float, _: float) -> SSAValue:
    return code.select(code.compare(x, "sgt", a), x, code.constant(0, x.type))


def _scaled_tanh(code: Code, x: SSAValue, a: float, b: float) -> SSAValue:
    return code.mul(tanh(code, code.mul(x, b)), a)


def _hard_sigmoid(code: Code, x: SSAValue, a: float, b: float) -> SSAValue:
    return code.clip(code.add(code.mul(x, a), b), 0, 1)


def _elu(code: Code, x: SSAValue, a: float, _: float) -> SSAValue:
    return code.select(code.compare(x, "slt", 0), code.mul(code.op(math.ExpM1Op(x)), a), x)


def _softsign(code: Code, x: SSAValue) -> SSAValue:
    return code.div(x, code.add(code.op(math.AbsFOp(x)), 1))


_PLAIN: dict[str, Activation] = {
    "relu": lambda code, x: code.max(x, 0),
    "tanh": tanh,
    "sigmoid": sigmoid,
    "softsign": _softsign,
    "softplus": softplus,
}
_WITH_NUMBERS: dict[str, Callable[..., SSAValue]] = {
    "affine": _affine,
    "leakyrelu": _leaky,
    "thresholdedrelu": _thresholded,
    "scaledtanh": _scaled_tanh,
    "hardsigmoid": _hard_sigmoid,
    "elu": _elu,
}
"""Functions of a number and of alpha and beta."""


def activation(op: OnnxOp, function: recurrent.Activation) -> Activation:
    """Return an activation function of a recurrent operator. Raises Diagnostic for one that ONNX lacks."""
    name, alpha, beta = function
    if name in _PLAIN:
        return _PLAIN[name]
    if name not in _WITH_NUMBERS:
        raise unsupported(op, f"with the activation '{name}'")
    build = _WITH_NUMBERS[name]
    return lambda code, x: build(code, x, alpha, beta)


@dataclass
class CellStep:
    """
    One step of one direction: its weights, as tensor-level values of one element type, and the attributes that count.

    `hidden` is the number of elements of the state, `recurrent` [gates * hidden, hidden] the weights that it meets.
    """

    lower: Lowerer
    hidden: int
    recurrent: SSAValue
    activations: Sequence[Activation]
    clip: float | None = None
    recurrent_bias: SSAValue | None = None
    peepholes: SSAValue | None = None
    lengths: SSAValue | None = None
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def product(self, state: SSAValue, first: int = 0, count: int | None = None) -> SSAValue:
        """Append the state times the weights of `count` gates from `first` on: [batch, count, hidden]."""
        gates = shape_of(self.recurrent)[0] // self.hidden - first if count is None else count
        weights = part_of(self.lower, self.recurrent, 0, first * self.hidden, gates * self.hidden)
        element = element_of(state)
        out = self.lower.empty([shape_of(state)[0], gates * self.hidden], element)
        product = self.lower.op(MatmulOp([state, weights], out, {"accumulator": element, "transpose_b": UnitAttr()}))
        return self.lower.reshape(product, [shape_of(state)[0], gates, self.hidden])

    def gate(self, number: int) -> AffineMap:
        """Return the map from an element of the state to an element of a gate in [batch, gates, hidden]."""
        row, column = AffineMap.identity(2).results
        return AffineMap(2, 0, (row, AffineExpr.constant(number), column))

    def weight(self, number: int) -> AffineMap:
        """Return the map from an element of the state to that of a gate's weights: of [gates, hidden]."""
        return AffineMap(2, 0, (AffineExpr.constant(number), AffineMap.identity(2).results[1]))

    def limited(self, code: Code, x: SSAValue) -> SSAValue:
        """Append the input of an activation, clipped to the operator's limits."""
        return x if self.clip is None else code.clip(x, -self.clip, self.clip)

    def kernel(
        self,
        like: SSAValue,
        inputs: Sequence[tuple[SSAValue, AffineMap]],
        valid: Valid | None,
        build: Callable[..., SSAValue],
    ) -> SSAValue:
        """
        Append a kernel on the state: `build(code, *elements)`. Where a sequence has ended, the old element, of `like`,
        stays.
        """
        lower, identity = self.lower, AffineMap.identity(2)
        operands = list(inputs)
        ends = valid is not None and self.lengths is not None
        if ends and self.lengths is not None:
            operands += [(like, identity), (self.lengths, AffineMap(2, 0, identity.results[:1]))]

        def body(code: Code, *elements: SSAValue) -> SSAValue:
            new = build(code, *elements[: len(inputs)])
            if not ends or valid is None:
                return new
            old, length = elements[len(inputs) :]
            return code.select(valid(code, code.limited(length, 0, _LONGEST)), new, old)

        values = [value for value, _ in operands]
        maps = [map for _, map in operands]
        return computed(lower, values, maps, shape_of(like), element_of(like), body)


Cell = Callable[[CellStep, SSAValue, Sequence[SSAValue], "Valid | None"], Sequence[SSAValue]]
"""`(step, projected, state, valid) -> state`; `projected` [batch, gates, hidden] is the input times its weights."""


def lstm(step: CellStep, projected: SSAValue, state: Sequence[SSAValue], valid: Valid | None) -> Sequence[SSAValue]:
    """Append a step of an LSTM, gates in the order i, o, f, c; the state is [hidden state, cell]."""
    hidden, cell = state
    f, g, h = step.activations
    recurrent, identity = step.product(hidden), AffineMap.identity(2)

    def gates(*numbers: int) -> list[tuple[SSAValue, AffineMap]]:
        return [(value, step.gate(number)) for number in numbers for value in (projected, recurrent)]

    def holes(*numbers: int) -> list[tuple[SSAValue, AffineMap]]:
        return [(step.peepholes, step.weight(number)) for number in numbers] if step.peepholes is not None else []

    def opened(code: Code, x: SSAValue, r: SSAValue, seen: SSAValue, hole: SSAValue | None) -> SSAValue:
        total = code.add(x, r)
        if hole is not None:
            total = code.add(total, code.mul(hole, seen))
        return f(code, step.limited(code, total))

    def new_cell(code: Code, old: SSAValue, *inputs: SSAValue) -> SSAValue:
        xi, ri, xf, rf, xc, rc, *holes = inputs
        i = opened(code, xi, ri, old, holes[0] if holes else None)
        if step.options.get("input_forget"):
            kept = code.sub(code.constant(1, i.type), i)
        else:
            kept = opened(code, xf, rf, old, holes[1] if holes else None)
        fresh = g(code, step.limited(code, code.add(xc, rc)))
        return code.add(code.mul(kept, old), code.mul(i, fresh))

    def new_hidden(code: Code, seen: SSAValue, xo: SSAValue, ro: SSAValue, *holes: SSAValue) -> SSAValue:
        return code.mul(opened(code, xo, ro, seen, holes[0] if holes else None), h(code, seen))

    updated = step.kernel(cell, [(cell, identity), *gates(0, 2, 3), *holes(0, 2)], valid, new_cell)
    return step.kernel(hidden, [(updated, identity), *gates(1), *holes(1)], valid, new_hidden), updated


def gru(step: CellStep, projected: SSAValue, state: Sequence[SSAValue], valid: Valid | None) -> Sequence[SSAValue]:
    """Append a step of a GRU, gates in the order z, r, h."""
    (hidden,) = state
    f, g = step.activations
    identity, bias = AffineMap.identity(2), step.recurrent_bias
    z, r, h = (projected, step.gate(0)), (projected, step.gate(1)), (projected, step.gate(2))

    def opened(code: Code, x: SSAValue, y: SSAValue) -> SSAValue:
        return f(code, step.limited(code, code.add(x, y)))

    def mixed(code: Code, old: SSAValue, kept: SSAValue, fresh: SSAValue) -> SSAValue:
        return code.add(code.mul(code.sub(code.constant(1, kept.type), kept), fresh), code.mul(kept, old))

    def after(code: Code, old: SSAValue, xz: SSAValue, rz: SSAValue, *rest: SSAValue) -> SSAValue:
        xr, rr, xh, rh, *biases = rest
        inner = code.add(rh, biases[0]) if biases else rh
        fresh = g(code, step.limited(code, code.add(xh, code.mul(opened(code, xr, rr), inner))))
        return mixed(code, old, opened(code, xz, rz), fresh)

    def before(code: Code, old: SSAValue, xz: SSAValue, rz: SSAValue, xh: SSAValue, rh: SSAValue) -> SSAValue:
        return mixed(code, old, opened(code, xz, rz), g(code, step.limited(code, code.add(xh, rh))))

    own = (hidden, identity)
    if step.options.get("linear_before_reset"):
        recurrent = step.product(hidden)
        biases = [(bias, step.weight(2))] if bias is not None else []
        met = [(recurrent, step.gate(k)) for k in range(3)]
        return [step.kernel(hidden, [own, z, met[0], r, met[1], h, met[2], *biases], valid, after)]
    recurrent = step.product(hidden, 0, 2)

    def reset(code: Code, old: SSAValue, xr: SSAValue, rr: SSAValue) -> SSAValue:
        return code.mul(opened(code, xr, rr), old)

    kept = step.kernel(hidden, [own, r, (recurrent, step.gate(1))], None, reset)
    inner = step.product(kept, 2, 1)
    return [step.kernel(hidden, [own, z, (recurrent, step.gate(0)), h, (inner, step.gate(0))], valid, before)]


def rnn(step: CellStep, projected: SSAValue, state: Sequence[SSAValue], valid: Valid | None) -> Sequence[SSAValue]:
    """Append a step of a plain recurrent network."""
    (hidden,) = state
    (f,) = step.activations

    def new(code: Code, x: SSAValue, r: SSAValue) -> SSAValue:
        return f(code, step.limited(code, code.add(x, r)))

    return [step.kernel(hidden, [(projected, step.gate(0)), (step.product(hidden), step.gate(0))], valid, new)]
