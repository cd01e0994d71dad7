"""ONNX Runtime's DynamicQuantizeLSTM: an LSTM whose products are of integers, quantised while it runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from ..site import Site, replaces
from ..tensor_info import untyped

_ACTIVATIONS = ["sigmoid", "tanh", "tanh"]
_FORWARD, _BACKWARD = 0, 1


class _Weights(NamedTuple):
    """Weights of a direction, [inputs, 4 H] with the gates in the order i, o, f, c, and how they are quantised."""

    values: str
    scale: str
    zero: str


@replaces("DynamicQuantizeLSTM")
def _dynamic_lstm(site: Site) -> None:
    """
    Quantise the input [T, B, I] as a whole, and the state [B, H] at each step, as ONNX Runtime does on one thread.

    i, o, f = sigmoid(gates), c = f * c + i * tanh(gate c), h = o * tanh(c).
    """
    _check(site)
    length, batch, _ = site.shape(0, 3)
    directions, hidden, _ = site.shape(2, 3)
    order = {"forward": [_FORWARD], "reverse": [_BACKWARD], "bidirectional": [_FORWARD, _BACKWARD]}
    results = [
        _direction(site, number, way, (length, batch, hidden))
        for number, way in enumerate(order[site.attribute("direction")])
    ]
    if len(results) != directions:
        raise site.unsupported(f"in {len(results)} directions with weights for {directions}")
    axes = (1, 0, 0)
    for index, axis in enumerate(axes):
        parts = [site.emit("Unsqueeze", direction[index], site.sizes(axis)) for direction in results]
        site.give(index, site.emit("Concat", *parts, axis=axis))


def _check(site: Site) -> None:
    """Raise Diagnostic for forms that are not handled."""
    names: list[bytes] = site.given.get("activations") or []
    if [name.decode().lower() for name in names] != _ACTIVATIONS * (len(names) // 3):
        raise site.unsupported("with these activations", "Sigmoid, Tanh and Tanh")
    for name in ("activation_alpha", "activation_beta", "clip"):
        if site.given.get(name):
            raise site.unsupported(f"with {name}")
    if site.attribute("input_forget") or site.input(4) or site.input(7):
        raise site.unsupported("with coupled gates, lengths of sequences or peepholes")


def _direction(site: Site, number: int, way: int, sizes: tuple[int, int, int]) -> tuple[str, str, str]:
    """Append a direction and return its states [T, B, H], and the last h and c [B, H]."""
    _, batch, hidden = sizes
    weights, recurrent = (_weights(site, number, *indices) for indices in ((1, 8, 9), (2, 10, 11)))
    values, scale, zero = site.emit_many("DynamicQuantizeLinear", [site.input(0)], 3)
    gates = site.integer_product(values, weights.values, (zero, weights.zero), (scale, weights.scale))
    if site.input(3):
        whole = _of_direction(site, site.input(3), number)
        gates = site.sum(gates, *site.emit_many("Split", [whole, site.sizes(4 * hidden, 4 * hidden)], 2, axis=0))
    zeros = site.constant(np.zeros((batch, hidden), np.float32))
    states = [_of_direction(site, site.input(index), number) if site.input(index) else zeros for index in (5, 6)]
    body = _step(site, f"{number}", recurrent, batch, hidden)
    last_h, last_c, every = site.emit_many(
        "Scan",
        [*states, gates],
        3,
        body=body,
        num_scan_inputs=1,
        scan_input_directions=[way],
        scan_output_directions=[way],
    )
    return every, last_h, last_c


def _of_direction(site: Site, name: str, number: int) -> str:
    """Append the part of a tensor that is of one direction, its first axis."""
    return site.emit("Gather", name, site.constant(np.array(number, np.int64)), axis=0)


def _weights(site: Site, number: int, values: int, scale: int, zero: int) -> _Weights:
    return _Weights(*(_of_direction(site, site.input(index), number) for index in (values, scale, zero)))


def _step(site: Site, prefix: str, weights: _Weights, batch: int, hidden: int) -> GraphProto:
    """Build one step: from h, c and the input's part of the gates [B, 4 H] to h, c, and h as output."""
    nodes: list[NodeProto] = []

    def emit(op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"{prefix}.{len(nodes)}.{index}" for index in range(outputs)]
        nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names

    values, scale, zero = emit("DynamicQuantizeLinear", "h", outputs=3)
    (total,) = emit("MatMulInteger", values, weights.values, zero, weights.zero)
    (real,) = emit("Cast", total, to=TensorProto.FLOAT)
    (product,) = emit("Mul", real, *emit("Mul", scale, weights.scale))
    (summed,) = emit("Add", product, "gates")
    (gates,) = emit("Reshape", summed, site.sizes(batch, 4, hidden))
    places = [site.constant(np.array(index, np.int64)) for index in range(4)]
    i, o, f, c = (emit("Gather", gates, place, axis=1)[0] for place in places)
    kept = emit("Mul", *emit("Sigmoid", f), "c")
    added = emit("Mul", *emit("Sigmoid", i), *emit("Tanh", c))
    (cell,) = emit("Add", *kept, *added)
    (state,) = emit("Mul", *emit("Sigmoid", o), *emit("Tanh", cell))
    (copy,) = emit("Identity", state)
    return helper.make_graph(nodes, "step", untyped(("h", "c", "gates")), untyped((state, cell, copy)))
