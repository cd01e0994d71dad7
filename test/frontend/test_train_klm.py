"""The training of the keyboard language model: its texts, its network in PyTorch, and what a run leaves."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from io import BytesIO
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.files import open_regular
from tilewright.frontend.zoo import klm
from tilewright.frontend.zoo._klm import DOCUMENT, SMALL, KlmConfig, dequantised, drawn
from tilewright.frontend.zoo.train_klm import __main__ as command
from tilewright.frontend.zoo.train_klm import corpus, network, texts
from tilewright.frontend.zoo.train_klm.corpus import Corpus
from tilewright.frontend.zoo.train_klm.training import Report, TrainingSchedule, bits, train
from tilewright.test import onnx_runtime

TINY = KlmConfig(layers=2, dim=16, heads=4, kv_heads=2, head=4, hidden=24, vocabulary=DOCUMENT + 1)
SCHEDULE = TrainingSchedule(steps=40, rows=4, length=32, long=64, rate=0.02, seed=5, every=20)
DOCUMENTS = [f"The cat number {number} sat on the mat.\nIt is {number % 7} years old." for number in range(80)]


def saved(folder: Path, name: str, documents: list[str]) -> str:
    file = folder / name
    file.write_text("%\n".join(f"{document}\n" for document in documents), encoding="utf-8")
    return str(file)


# Texts


def test_documents_are_split_by_their_content(tmp_path: Path) -> None:
    first, second = saved(tmp_path, "a.txt", DOCUMENTS), saved(tmp_path, "b.txt", ["Só.", *DOCUMENTS[::-1], "Só."])
    read = corpus.read([first, second, first], seed=1)
    aside = [text for documents in read.held_out.values() for text in documents]
    assert 1 <= len(aside) <= 12
    assert not set(aside) & set(read.training)
    assert set(aside) | set(read.training) == {*DOCUMENTS, "Só."}
    assert all(read.training.count(text) == 2 for text in set(read.training) - {"Só."})
    assert corpus.read([first, second], seed=1).held_out == read.held_out
    assert corpus.read([first, second], seed=2).held_out != read.held_out


def test_too_few_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="too few documents"):
        corpus.read([saved(tmp_path, "a.txt", ["one"])], seed=0)
    with pytest.raises(Diagnostic, match="too short for a batch"):
        next(corpus.batches(["one", "two"], rows=2, length=16, seed=0))


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6), st.integers(1, 9), st.integers(0, 99))
def test_batches_are_the_windows_of_a_stream(documents: list[str], length: int, seed: int) -> None:
    tokens = corpus.stream(documents)
    assert int((tokens == DOCUMENT).sum()) == len(documents)
    pieces = [np.array(piece[1:], np.uint8) for piece in np.split(tokens, np.flatnonzero(tokens == DOCUMENT))[1:]]
    assert [piece.tobytes().decode() for piece in pieces] == documents
    count = (len(tokens) - 1) // length
    if not count:
        return
    source = corpus.batches(documents, 1, length, seed)
    windows = [next(source)[0] for _ in range(count)]
    assert {len(window) for window in windows} == {length + 1}
    counts = np.bincount(tokens, minlength=DOCUMENT + 1)
    used = np.bincount(np.concatenate([window[:-1] for window in windows]), minlength=DOCUMENT + 1)
    assert np.all(used <= counts)
    assert used.sum() == count * length
    whole = {bytes(text, "utf-8") for text in documents}
    for window in windows:
        inside = np.split(window, np.flatnonzero(window == DOCUMENT))[1:-1]
        assert {bytes(piece[1:].tolist()) for piece in inside} <= whole


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("_\bB\tx  y   z  ", "B x y z"),
        ("a" * 60 + "\nand on\nnot on\n\t\t\t-- Me", "a" * 60 + " and on\nnot on\n    -- Me"),
        ("one\n\n\n\ntwo ------ three", "one\n\ntwo --- three"),
        ("+--+\n|  |\n+--+", ""),
    ],
)
def test_epigrams_are_cleaned(document: str, expected: str) -> None:
    assert texts.cleaned(document) == expected


def test_fortunes_are_those_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "wise").write_text("Be wise.\n%\nBe wise.\n%\n%\nBe kind.\n%\n", encoding="utf-8")
    (tmp_path / "wise.dat").write_bytes(b"\0")
    (tmp_path / "ethnic").write_text("A joke.\n", encoding="utf-8")
    assert texts.fortunes(tmp_path) == ["Be wise.", "Be kind."]
    with pytest.raises(Diagnostic, match="no fortunes"):
        texts.fortunes(tmp_path / "none")


def test_a_source_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wise").write_text("Be wise.\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert texts.main([str(tmp_path / "out"), "--fortunes", str(tmp_path)]) == 1
    assert "apt-get install bible-kjv" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_pytorch_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str) -> Any:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(network, "import_module", absent)
    assert command.main(["--text", saved(tmp_path, "a.txt", DOCUMENTS), "--out", str(tmp_path / "w.npz")]) == 1
    assert "pip install torch" in capsys.readouterr().err


# Schedules


def test_the_rate_rises_and_falls() -> None:
    schedule = replace(SCHEDULE, steps=1000)
    rates = [schedule.rate_at(step) for step in range(1000)]
    assert max(rates) == pytest.approx(schedule.rate, rel=0.03)
    assert rates[:100] == sorted(rates[:100])
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[-1] == pytest.approx(0.02 * schedule.rate, rel=0.01)


def test_the_last_fifth_sees_long_windows() -> None:
    shapes = [batch.shape for batch in SCHEDULE.batches(DOCUMENTS)]
    assert shapes == [(4, 33)] * 32 + [(2, 65)] * 8


@pytest.mark.parametrize(("changes", "message"), [({"steps": 0}, "too small"), ({"long": 48}, "do not fill")])
def test_schedules_that_do_not_fit_are_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        replace(SCHEDULE, **changes)


# With PyTorch


@pytest.fixture
def torch() -> Any:
    """PyTorch on one thread, as the command has it: several wait for each other on a machine with other work."""
    loaded: Any = pytest.importorskip("torch")
    loaded.set_num_threads(1)
    return loaded


def test_pytorch_computes_the_network_of_the_zoo(torch: Any) -> None:
    """More tokens than a block of attention has."""
    weights = drawn(TINY, 4)
    tokens = np.random.RandomState(0).randint(TINY.vocabulary, size=(1, 150))
    model = klm.build(4, tokens=150, past=0, config=TINY)
    cache = np.zeros((1, TINY.kv_heads, 0, TINY.head), np.float32)
    inputs = {"input_ids": tokens, "position_ids": np.arange(150)[None]}
    inputs |= {value.name: cache for value in model.graph.input[2:]}
    expected = onnx_runtime.session(model).run(["logits"], inputs)[0]
    held = {name: torch.from_numpy(array) for name, array in weights.items()}
    found = network.logits(TINY, held, torch.from_numpy(tokens)).numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_no_knowledge_is_the_logarithm_of_the_vocabulary(torch: Any) -> None:
    weights = {name: torch.from_numpy(array) for name, array in drawn(TINY, 0).items()}
    weights["norm"] *= 0
    assert bits(TINY, weights, DOCUMENTS, 50) == pytest.approx(log2(TINY.vocabulary), rel=1e-5)
    assert bits(TINY, weights, DOCUMENTS, 50, 3) == pytest.approx(log2(TINY.vocabulary), rel=1e-5)


def test_a_training_learns_and_goes_on_where_it_was_ended(torch: Any, tmp_path: Path) -> None:
    texts_ = Corpus(DOCUMENTS[8:], {"a": DOCUMENTS[:8]})
    reports: list[Report] = []
    checkpoint = tmp_path / "state.pt"
    whole = train(TINY, texts_, SCHEDULE, None, reports.append)
    assert [report.step for report in reports] == [20, 40]
    assert reports[-1].held_out["a"] < 0.8 * log2(TINY.vocabulary)
    assert reports[-1].tokens == 40 * 4 * 32

    def end(report: Report) -> None:
        if report.step == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TINY, texts_, SCHEDULE, checkpoint, end)
    resumed: list[Report] = []
    again = train(TINY, texts_, SCHEDULE, checkpoint, resumed.append)
    assert [report.step for report in resumed] == [40]
    for name, weight in whole.items():
        assert torch.equal(weight, again[name]), name
    longer = train(TINY, texts_, replace(SCHEDULE, steps=60), checkpoint, resumed.append)
    assert [report.step for report in resumed] == [40, 60]
    assert not torch.equal(longer["norm"], again["norm"])
    with pytest.raises(Diagnostic, match="cannot go on"):
        train(TINY, texts_, replace(SCHEDULE, rows=8), checkpoint, resumed.append)
    checkpoint.write_bytes(b"nothing")
    with pytest.raises(Diagnostic, match="cannot go on"):
        train(TINY, texts_, SCHEDULE, checkpoint, resumed.append)


@pytest.mark.usefixtures("torch")
def test_the_command_writes_weights_of_the_small_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, out, model = saved(tmp_path, "a.txt", DOCUMENTS), tmp_path / "w.npz", tmp_path / "w.onnx"
    words = ["--text", text, "--out", str(out), "--onnx", str(model), "--steps", "2", "--rows", "1"]
    assert command.main([*words, "--length", "64", "--long", "32"]) == 0
    with open_regular(out) as stream, np.load(BytesIO(stream.read())) as stored:
        weights = dequantised(dict(stored), SMALL)
        assert stored["embedding"].dtype == np.int8
    assert out.stat().st_size < 2_000_000
    shown = capsys.readouterr().out
    scored = re.search(r"^ +all +\d+ +\d+ +(\S+) +(\S+)$", shown, re.MULTILINE)
    assert scored
    tokens = np.array([[DOCUMENT, *DOCUMENTS[0].encode()]])
    session = onnx_runtime.session(model)
    inputs: dict[str, Any] = {"input_ids": tokens, "position_ids": np.arange(tokens.shape[1])[None]}
    cache = np.zeros((1, SMALL.kv_heads, 0, SMALL.head), np.float32)
    inputs |= {value.name: cache for value in session.get_inputs()[2:]}
    logits = session.run(["logits"], inputs)[0]
    torch = import_module("torch")
    held = {name: torch.from_numpy(array) for name, array in weights.items()}
    np.testing.assert_allclose(logits, network.logits(SMALL, held, torch.from_numpy(tokens)).numpy(), atol=1e-4)


def test_a_place_that_cannot_be_written_is_refused_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = saved(tmp_path, "a.txt", DOCUMENTS)
    assert command.main(["--text", text, "--out", str(tmp_path / "none" / "w.npz")]) == 1
    assert "there is no such folder" in capsys.readouterr().err
    assert command.main(["--text", text, "--out", text]) == 1
    assert "the place of an input" in capsys.readouterr().err
