"""LSTM, GRU and RNN in all their forms: as ONNX Runtime has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.ir import Array
from tilewright.test.passes.lowering.one_node import check, check_c, lowered, network, runtime

pytestmark = pytest.mark.quick

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
OPERANDS = ["x", "w", "r", "b", "lengths", "h", "c", "p"]
CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}


def weights(op: str, hidden: int, features: int, directions: int) -> dict[str, Array]:
    random = np.random.default_rng(1)
    rows = GATES[op] * hidden

    def drawn(*shape: int) -> Array:
        return random.normal(size=shape).astype(np.float32)

    return {
        "w": drawn(directions, rows, features),
        "r": drawn(directions, rows, hidden),
        "b": drawn(directions, 2 * rows),
        "p": drawn(directions, 3 * hidden),
    }


def states(batch: int, hidden: int, directions: int) -> dict[str, Array]:
    random = np.random.default_rng(2)
    return {name: random.normal(size=(directions, batch, hidden)).astype(np.float32) for name in ("h", "c")}


def case(
    op: str,
    direction: str,
    time: int = 4,
    batch: int = 3,
    *,
    lengths: Array | None = None,
    given: str = "bhc",
    **more: Any,
) -> tuple[Any, dict[str, Array]]:
    """Return a model and its inputs; `given` names the optional operands that it has."""
    directions = 2 if direction == "bidirectional" else 1
    x = np.random.default_rng(0).normal(size=(time, batch, 3)).astype(np.float32)
    constants = {k: v for k, v in weights(op, 2, 3, directions).items() if k in "wr" or k in given}
    inputs = {"x": x} | {k: v for k, v in states(batch, 2, directions).items() if k in given}
    if op != "LSTM":
        inputs.pop("c", None)
        constants.pop("p", None)
    if lengths is not None:
        inputs["lengths"] = lengths
    known = [name if name in inputs or name in constants else "" for name in OPERANDS]
    while not known[-1]:
        known.pop()
    outputs = 3 if op == "LSTM" else 2
    return network(
        op, inputs, constants, names=known, outputs=outputs, direction=direction, hidden_size=2, **more
    ), inputs


@pytest.mark.sample(5)
@pytest.mark.long
@settings(max_examples=16, deadline=None, derandomize=True)
@given(st.data())
def test_forms(data: st.DataObject) -> None:
    op = data.draw(st.sampled_from(list(GATES)))
    direction = data.draw(st.sampled_from(["forward", "reverse", "bidirectional"]))
    time, batch = data.draw(st.sampled_from([(1, 1), (4, 3), (3, 1)]))
    lengths = np.array([data.draw(st.integers(1, time)) for _ in range(batch)], np.int32)
    more: dict[str, Any] = {}
    if op == "GRU":
        more["linear_before_reset"] = data.draw(st.integers(0, 1))
    if op == "LSTM":
        more["input_forget"] = data.draw(st.integers(0, 1))
    if data.draw(st.booleans()):
        more["clip"] = 0.5
    given_operands = data.draw(st.sampled_from(["", "b", "bhc", "bhcp", "p"]))
    model, inputs = case(
        op, direction, time, batch, lengths=lengths if data.draw(st.booleans()) else None, given=given_operands, **more
    )
    check(model, inputs, runtime(model, inputs), phases=("tensor", "buffers", "loops"), **CLOSE)


@pytest.mark.long
@pytest.mark.parametrize("op", list(GATES))
def test_sequences_of_length_0(op: str) -> None:
    model, inputs = case(op, "bidirectional", 2, lengths=np.array([0, 2, 0], np.int32))
    check(model, inputs, runtime(model, inputs), phases=("tensor",), **CLOSE)


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize("op", list(GATES))
def test_in_c(op: str) -> None:
    model, inputs = case(op, "bidirectional", lengths=np.array([4, 1, 2], np.int32))
    check_c(model, inputs, runtime(model, inputs), **CLOSE)


ACTIVATIONS = {
    "Relu": (None, None),
    "LeakyRelu": (0.2, None),
    "ThresholdedRelu": (0.3, None),
    "ScaledTanh": (0.7, 0.9),
    "HardSigmoid": (0.3, 0.4),
    "Elu": (0.8, None),
    "Softsign": (None, None),
    "Softplus": (None, None),
    "Affine": (0.5, 0.1),
}


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_activations(name: str) -> None:
    alpha, beta = ACTIVATIONS[name]
    more: dict[str, Any] = {"activation_alpha": [alpha]} if alpha is not None else {}
    more |= {"activation_beta": [beta]} if beta is not None else {}
    model, inputs = case("RNN", "forward", activations=[name], **more)
    check(model, inputs, runtime(model, inputs), phases=("tensor",), **CLOSE)


@pytest.mark.parametrize(
    ("name", "alpha", "beta"),
    [("Affine", 1.0, 0.0), ("LeakyRelu", 0.01, None), ("ThresholdedRelu", 1.0, None), ("Elu", 1.0, None)],
)
def test_activations_default_to_the_numbers_of_their_operators(name: str, alpha: float, beta: float | None) -> None:
    numbers: dict[str, Any] = {"activation_alpha": [alpha]} | ({} if beta is None else {"activation_beta": [beta]})
    stated, inputs = case("RNN", "forward", activations=[name], **numbers)
    model, _ = case("RNN", "forward", activations=[name])
    check(model, inputs, runtime(stated, inputs), phases=("tensor",), **CLOSE)


def test_a_loop_is_as_long_for_many_steps() -> None:
    def count(time: int) -> int:
        model, _ = case("LSTM", "forward", time, 1)
        return sum(1 for _ in lowered(model, "tensor").walk())

    assert count(100) == count(3)
