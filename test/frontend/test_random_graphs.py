"""Random graphs agree with ONNX Runtime; benchmarks/random_graphs.py tries more of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tilewright.test.frontend.random_onnx import compare
from tilewright.test.frontend.random_onnx.builder import Builder
from tilewright.test.frontend.random_onnx.differences import DIFFERENCES

PAGE = Path(__file__).parent.parent.parent / "docs" / "onnx-differences.md"


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part: int):
    kinds = {seed: compare.judged(compare.graph_of(seed), seed, "interpreter")[0] for seed in range(part, 80, 4)}
    assert not {seed: verdict for seed, verdict in kinds.items() if verdict.kind not in compare.AGREEMENTS}
    assert sum(verdict.kind == "equal" for verdict in kinds.values()) > 15


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_as_c(seed: int):
    verdict, _ = compare.judged(compare.graph_of(seed), seed, "c")
    assert verdict.kind in compare.AGREEMENTS, verdict


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
    verdict, part = compare.judged(builder.model(), 0, "interpreter")
    assert verdict.kind == "differs"
    assert [node.op_type for node in part.graph.node] in (["Exp"], ["Relu", "Exp"])


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_documented(name: str):
    assert f"| `{name}` |" in PAGE.read_text("utf-8")
