"""docs/levels.md shows what the compiler makes, and every level of it computes the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo import build
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.docs.levels import LEVELS, NETWORK, PAGE, blocks, excerpt, machine_of, main, with_blocks

pytestmark = pytest.mark.quick


@pytest.mark.long
def test_the_page_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = blocks(machine_of(text))
    assert with_blocks(text, made) == text, "python test/docs/levels.py"
    stale = tmp_path / "levels.md"
    stale.write_text(text.replace("hier.grid (%0) in [8]", "hier.grid (%0) in [9]"), encoding="utf-8")
    monkeypatch.setattr("tilewright.test.docs.levels.PAGE", stale)
    monkeypatch.setattr("tilewright.test.docs.levels.blocks", {machine_of(text): made}.__getitem__)
    assert main(["--check"]) == 1
    assert main([]) == main(["--check"]) == 0
    assert stale.read_text(encoding="utf-8") == text


@pytest.mark.long
def test_levels_shown_compute_the_same(tmp_path: Path) -> None:
    machine, network = tmp_path / "near.toml", tmp_path / f"{NETWORK}.onnx"
    machine.write_text(machine_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    onnx.save(build(NETWORK), network)  # pyright: ignore[reportUnknownMemberType]
    passes = [name for name, _ in LEVELS.values() if name]
    modules = [compile_model(Model(network), str(machine), stop_after=name).module for name in passes]
    inputs = random_inputs(modules[0], seed=1)
    results = [run_module(module, inputs)["output"].astype(np.int64) for module in modules]
    assert all((result == results[0]).all() for result in results)


def test_excerpts_end_with_their_op() -> None:
    text = "  a {\n  ^bb0:\n    b\n  } -> c\n  d\n    e\n"
    assert excerpt(text, "a") == "a {\n^bb0:\n  b\n} -> c"
    assert excerpt(text, "d") == "d\n  e"
