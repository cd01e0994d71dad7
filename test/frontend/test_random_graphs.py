"""Random graphs agree with ONNX Runtime; test/fuzz/random_graphs.py tries more of them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tilewright.test.frontend.random_onnx import compare
from tilewright.test.frontend.random_onnx.differences import DIFFERENCES
from tilewright.test.random.networks.builder import Builder

PAGE = Path(__file__).parent.parent.parent / "docs" / "onnx-differences.md"


@pytest.mark.sample(2)
@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part: int):
    place = compare.Place("interpreter")
    kinds = {seed: compare.judged(compare.graph_of(seed), seed, place)[0] for seed in range(part, 80, 4)}
    assert not {seed: verdict for seed, verdict in kinds.items() if verdict.kind not in compare.AGREEMENTS}
    assert sum(verdict.kind == "equal" for verdict in kinds.values()) > 15


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("kind", "seed"), [*product(["static"], range(8)), *product(["open"], range(2)), *product(["selected"], range(2))]
)
def test_random_graphs_as_c(kind: str, seed: int):
    verdict, _ = compare.judged(compare.graph_of(seed, kind), seed, compare.Place("c"), compare.KINDS[kind])
    assert verdict.kind in compare.AGREEMENTS, verdict


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["open", "selected"])
def test_graphs_of_symbolic_and_of_dynamic_sizes(kind: str):
    place, turns = compare.Place("interpreter"), compare.KINDS[kind]
    kinds = {seed: compare.judged(compare.graph_of(seed, kind), seed, place, turns)[0] for seed in range(100, 112)}
    assert not {seed: verdict for seed, verdict in kinds.items() if verdict.kind not in compare.AGREEMENTS}
    assert sum(verdict.kind == "equal" for verdict in kinds.values()) > 9


def test_all_extents_of_an_open_graph_count(monkeypatch: pytest.MonkeyPatch):
    builder = Builder(Random(0))
    builder.node("Exp", [builder.input((np.float32,), (2, 3))])
    graph = builder.model()
    graph.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "extent_2"
    data = [compare.inputs_of(graph, 1, turn)["x0"] for turn in range(3)]
    assert data[0].shape == (2, 3)
    assert len({array.shape[0] for array in data}) > 1
    golden = compare.golden

    def wrong(model: compare.ModelProto, inputs: dict[str, compare.Array]) -> list[compare.Array]:
        off = 0.0 if inputs["x0"].shape == (2, 3) else 0.01
        return [array + np.float32(off) for array in golden(model, inputs)]

    monkeypatch.setattr(compare, "golden", wrong)
    assert compare.judged(graph, 1, compare.Place())[0].kind == "equal"
    assert compare.judged(graph, 1, compare.Place(), 3)[0].kind == "differs"


def test_a_difference_is_found_and_cut_down(monkeypatch: pytest.MonkeyPatch):
    builder = Builder(Random(0))
    x = builder.input((np.float32,), (2, 3))
    (y,) = builder.node("Relu", [x])
    (z,) = builder.node("Exp", [y])
    builder.node("Abs", [z])
    golden = compare.golden

    def wrong(model: compare.ModelProto, inputs: dict[str, compare.Array]) -> list[compare.Array]:
        off = 0.01 if any(node.op_type == "Exp" for node in model.graph.node) else 0
        return [array + np.float32(off) for array in golden(model, inputs)]

    monkeypatch.setattr(compare, "golden", wrong)
    verdict, part = compare.judged(builder.model(), 0, compare.Place("interpreter"))
    assert verdict.kind == "differs"
    assert [node.op_type for node in part.graph.node] in (["Exp"], ["Relu", "Exp"])


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_documented(name: str):
    assert f"| `{name}` |" in PAGE.read_text("utf-8")
