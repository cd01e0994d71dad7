"""Operators before, after and beside products, with any options: a network that runs and is right, or a Diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, helper

from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.ir import Array
from tilewright.test.frontend.quantize import population
from tilewright.test.frontend.quantize.networks import floats, model_of

pytestmark = pytest.mark.filterwarnings("ignore:.*0 for all calibration data")
node = helper.make_node

SHAPE = (1, 6, 8)
SAMPLES = {"x": floats(4, *SHAPE)}

ROWS: dict[str, tuple[Sequence[NodeProto], dict[str, Array]]] = {
    "Softmax": ([node("Softmax", ["a"], ["b"], "op", axis=-1)], {}),
    "LayerNormalization": ([node("LayerNormalization", ["a", "g"], ["b"], "op")], {"g": 1 + np.abs(floats(8))}),
    "LSTM": (
        [
            node("LSTM", ["a", "W", "R"], ["s"], "op", hidden_size=8, layout=0),
            node("Squeeze", ["s", "one"], ["b"], "squeeze"),
        ],
        {"W": floats(1, 32, 8), "R": floats(1, 32, 8, seed=1), "one": np.array([1])},
    ),
    "grouped ConvTranspose": (
        [node("ConvTranspose", ["a", "t"], ["b"], "op", group=2, pads=[1, 1])],
        {"t": floats(6, 3, 3)},
    ),
    "product without weights": (
        [node("Transpose", ["a"], ["t"], "turn", perm=[0, 2, 1]), node("MatMul", ["a", "t"], ["b"], "op")],
        {},
    ),
    "GlobalLpPool": ([node("GlobalLpPool", ["a"], ["l"], "op"), node("Add", ["a", "l"], ["b"], "add")], {}),
}
PLACES = ("first", "last", "only")
CHOICES = (
    QuantizeOptions(),
    QuantizeOptions(keep=1),
    QuantizeOptions(floats=("op",)),
    QuantizeOptions(wide=("*",)),
    QuantizeOptions(per_channel=False),
)
OPTIONS = tuple(
    replace(options, form=form, nonlinear=nonlinear)
    for form, nonlinear in product(("qdq", "qlinear"), ("float", "integer", "ibert"))
    for options in CHOICES
)


def placed(name: str, place: str) -> ModelProto:
    """Return a network with an operator before a product, after it, or alone."""
    nodes, constants = ROWS[name]
    width = 6 if name == "product without weights" and place == "first" else 8
    before = [node("Identity" if place != "last" else "MatMul", ["x", *["v"] * (place == "last")], ["a"], "before")]
    after = [node("Identity" if place != "first" else "MatMul", ["b", *["w"] * (place == "first")], ["y"], "after")]
    weights = {"v": floats(8, 8, seed=2) / 3, "w": floats(width, 4, seed=3)}
    used = {key: weights[key] for key in ("v", "w") if key in before[0].input or key in after[0].input}
    return model_of([*before, *nodes, *after], {"x": SHAPE}, ["y"], {**constants, **used})


def failures(name: str, options: Sequence[QuantizeOptions]) -> list[str]:
    """Return what is wrong with a network of each place and options."""
    found: list[str] = []
    for place, chosen in product(PLACES, options):
        verdict = population.judged(placed(name, place), chosen, SAMPLES)
        if verdict.kind not in population.GOOD:
            found.append(f"{place}, {chosen}: {verdict}")
    return found


@pytest.mark.parametrize("name", ROWS)
def test_an_operator_first_last_or_alone(name: str) -> None:
    assert not failures(name, Random(name).sample(OPTIONS, 1))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ROWS)
def test_an_operator_first_last_or_alone_with_all_options(name: str) -> None:
    assert not failures(name, OPTIONS)


@pytest.mark.parametrize("name", ["Softmax", "LSTM", "LayerNormalization", "grouped ConvTranspose"])
def test_a_product_before_an_operator_of_floats_is_quantised(name: str) -> None:
    for options in (QuantizeOptions(), QuantizeOptions(form="qlinear", floats=("op",))):
        assert population.judged(placed(name, "last"), options, SAMPLES).kind == "quantised"


def test_a_normalisation_of_integers_has_a_scale_where_one_layer_stays_in_floats() -> None:
    options = QuantizeOptions(nonlinear="integer", keep=1)
    assert population.judged(placed("LayerNormalization", "first"), options, SAMPLES).kind == "quantised"


def random_failures(seeds: Sequence[int]) -> dict[int, population.Verdict]:
    """Return the verdicts of random networks that are not right."""
    verdicts = {seed: population.judged_network(seed) for seed in seeds}
    return {seed: verdict for seed, verdict in verdicts.items() if verdict.kind not in population.GOOD}


@pytest.mark.parametrize("part", range(2))
def test_random_networks(part: int) -> None:
    assert not random_failures(range(part, 16, 2))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
def test_more_random_networks(part: int) -> None:
    assert not random_failures(range(100 + part, 1100, 20))
