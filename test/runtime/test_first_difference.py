"""`tilewright check` names the phase and the layer at which a network that differs begins to differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Compilation, Model
from tilewright.errors import Diagnostic
from tilewright.ir import node_names
from tilewright.passes.fuse_epilogues import FuseEpiloguesPass
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools import session
from tilewright.test.faults.changed_weights import change_weights, plant_in
from tilewright.test.small_models import chain, save


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """The folder of three convolutions in a row, with what their ONNX operators compute."""
    save(chain(), tmp_path / "network.onnx")
    x = np.random.RandomState(5).randint(0, 256, (1, 2, 6, 6)).astype(np.uint8)
    np.savez(tmp_path / "inputs.npz", allow_pickle=False, x=x)
    outputs = cast("dict[str, Any]", run_module(Model(tmp_path / "network.onnx").load(), {"x": x}))
    np.savez(tmp_path / "outputs.npz", allow_pickle=False, **outputs)
    return tmp_path


def notes(folder: Path, place: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Check a case that differs, and return what is said besides."""
    assert cli.main(["check", str(folder), "--on", place]) == 1
    return [line.strip() for line in capsys.readouterr().err.splitlines() if "note: " in line]


def test_a_fault_of_a_pass(case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(case)]) == 0
    plant_in(FuseEpiloguesPass, "w1", monkeypatch)
    phase, layer = notes(case, "host", capsys)
    assert phase == "note: pass 'fuse-epilogues' of phase 'fused' is the first after which the interpreter differs"
    assert layer.startswith('note: the first layer that differs is node "conv1" (onnx.Conv): its output ')
    assert "expected" in layer
    assert "found" in layer


def test_a_fault_of_a_place(case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def faulty(compilation: Compilation) -> session.Run:
        change_weights(compilation.module, "w2")
        return session.Interpreted(compilation)

    monkeypatch.setitem(session.ON, "host", faulty)
    (layer,) = notes(case, "host", capsys)
    assert layer.startswith('note: the first layer that differs is node "conv2" (onnx.Conv): its output ')


REFUSED = {"conv1": "rq1", "conv2": "rq2", "rq2": ""}
"""Last layer of a prefix -> the layer after it."""


def refuse(monkeypatch: pytest.MonkeyPatch, is_refused: Callable[[set[str]], bool]) -> None:
    """Let a place negate weights, and refuse programs by the names of their nodes, but for the first."""
    came: list[None] = []

    def faulty(compilation: Compilation) -> session.Run:
        if came and is_refused({name for op in compilation.module.walk() for name in node_names(op)}):
            raise Diagnostic("the program is too large")
        came.append(None)
        change_weights(compilation.module, "w1")
        return session.Interpreted(compilation)

    monkeypatch.setitem(session.ON, "host", faulty)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("refused", "layers"),
    [
        ({"conv1"}, 'one of 2, node "conv1" (onnx.Conv) to node "rq1" (onnx.RequantShift): the last one\'s output '),
        ({"conv2"}, 'node "conv1" (onnx.Conv): its output '),
        ({"rq2", "conv2"}, 'node "conv1" (onnx.Conv): its output '),
    ],
)
def test_prefixes_that_are_refused(
    refused: set[str], layers: str, case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(monkeypatch, lambda names: any(end in names and REFUSED[end] not in names for end in refused))
    layer, *others = notes(case, "host", capsys)
    assert layer.startswith(f"note: the first layer that differs is {layers}")
    prefix = 'note: the prefix of the network that ends with node "conv1" (onnx.Conv) is refused'
    assert others == ([f"{prefix}: the program is too large"] if "one of" in layers else [])


def test_a_difference_whose_prefixes_are_all_refused(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(monkeypatch, lambda names: True)
    first, *refusals = notes(case, "host", capsys)
    assert first == "note: no prefix of the network is known to differ"
    assert len(refusals) == 6
    assert all(text.endswith("is refused: the program is too large") for text in refusals)


def test_arrays_of_another_network(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(case / "outputs.npz") as outputs:
        np.savez(case / "outputs.npz", allow_pickle=False, y=outputs["y"] + 1)
    (note,) = notes(case, "interpreter", capsys)
    assert note.startswith("note: the network as imported differs before any pass: output 'y' is wrong")
