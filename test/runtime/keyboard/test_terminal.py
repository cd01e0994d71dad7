"""The terminal program by its pilot, and the thread with its documents."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tilewright import cli
from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.runtime.keyboard.choose import Scores
from tilewright.runtime.keyboard.engine import DocumentState, Ended, KeyboardEngine, Suggestion
from tilewright.runtime.keyboard.session import KeyboardSession, PredictionRequest
from tilewright.runtime.paged.files import decode_manifest
from tilewright.test.runtime.keyboard.servers import FakeModel

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tilewright.runtime.keyboard.terminal import Terminal


class GatedModel(FakeModel):
    """Model whose calls wait until a gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()

    def run(self, document: int, tokens: Sequence[int]) -> Scores:
        assert self.gate.wait(30)
        return super().run(document, tokens)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


# The thread


def test_edits_come_before_suggestions() -> None:
    """An edit that comes during a suggestion ends it within one call of the model."""
    model, news = GatedModel(), list[DocumentState | Suggestion | Ended]()
    session = KeyboardSession(model)
    engine = KeyboardEngine(session, PredictionRequest(500), news.append)
    engine.start()
    until(lambda: any(isinstance(each, Suggestion) for each in news))
    model.gate.clear()
    calls = model.calls
    version = engine.post(lambda session: session.append(b"ab"))
    model.gate.set()
    until(lambda: any(isinstance(each, DocumentState) and each.version == version for each in news))
    before = [each for each in news if isinstance(each, Suggestion) and each.version == 0]
    assert len(before) <= calls + 1
    engine.close()
    last = [each for each in news if isinstance(each, Suggestion) and each.version == version][-1]
    assert last.text == bytes(session.predict(PredictionRequest(500)))[: len(last.text)]
    assert session.documents() == {0: 2}


def test_an_edit_that_fails_gives_its_error_and_the_texts() -> None:
    news = list[DocumentState | Suggestion | Ended]()
    engine = KeyboardEngine(KeyboardSession(FakeModel()), PredictionRequest(1), news.append)
    engine.start()
    engine.post(lambda session: session.append(b"ab"))
    version = engine.post(lambda session: session.remove(3))
    engine.close()
    state = next(each for each in news if isinstance(each, DocumentState) and each.version == version)
    assert (state.error is not None, state.texts) == (True, {0: b"ab"})


def test_a_fault_of_the_program_is_told() -> None:
    news = list[DocumentState | Suggestion | Ended]()
    engine = KeyboardEngine(KeyboardSession(FakeModel()), PredictionRequest(1), news.append)
    engine.start()
    engine.post(lambda session: 1 // 0)
    engine.close()
    assert isinstance(news[-1], Ended)
    assert isinstance(news[-1].error, ZeroDivisionError)


# The terminal program


def piloted(
    model: FakeModel, play: Callable[[Terminal, Pilot[None]], Coroutine[Any, Any, None]], folder: Path | None = None
) -> KeyboardSession:
    """Run the program without a terminal and let a function press its keys; returns the documents."""
    pytest.importorskip("textual", reason="pip install 'tilewright[keyboard]'")
    from tilewright.runtime.keyboard.terminal import Terminal

    session = KeyboardSession(model)

    async def run() -> None:
        app = Terminal(session, PredictionRequest(12, b"\n"), folder=folder)
        async with app.run_test() as pilot:
            await play(app, pilot)
            assert app.failure is None

    asyncio.run(run())
    return session


async def settled(app: Terminal, pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, (app.text, app.suggestion)
        await pilot.pause(0.01)


def suggested(text: bytes) -> bytes:
    """Return what the model suggests after a text."""
    session = KeyboardSession(FakeModel())
    session.append(text)
    return bytes(session.predict(PredictionRequest(12, b"\n")))


def test_what_is_typed_gets_a_suggestion_that_tab_takes() -> None:
    whole = suggested(b"Hi you\n")
    taken = b""

    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        nonlocal taken
        await pilot.press(*"Hi", "space", *"youx", "backspace", "enter")
        await settled(app, pilot, lambda: app.suggestion == whole)
        await pilot.press("tab")
        taken = app.text

    session = piloted(FakeModel(), play)
    assert taken.startswith(b"Hi you\n")
    assert whole.startswith(taken[7:])
    assert len(whole) - len(taken[7:]) < 4
    assert session.text() == taken


def test_typing_never_waits_for_the_model() -> None:
    model = GatedModel()

    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        await settled(app, pilot, lambda: app.suggestion != b"")
        model.gate.clear()
        await pilot.press(*"while", "space", *"it", "space", *"thinks")
        assert app.text == b"while it thinks"
        assert "while it thinks" in str(app.query_one("#text").render())
        model.gate.set()
        await settled(app, pilot, lambda: app.suggestion == suggested(b"while it thinks"))

    assert piloted(model, play).text() == b"while it thinks"


def test_documents_are_created_forked_selected_and_closed(tmp_path: Path) -> None:
    model = FakeModel()

    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        await pilot.press(*"one")
        await pilot.press("ctrl+f")
        await settled(app, pilot, lambda: len(app.query_one("#documents").options) == 2)  # pyright: ignore
        await pilot.press(*"two")
        assert app.text == b"onetwo"
        await pilot.press("ctrl+n")
        await settled(app, pilot, lambda: app.text == b"")
        await pilot.press(*"three")
        await pilot.press("down")
        assert app.text == b"one"
        await pilot.press("up", "up")
        await settled(app, pilot, lambda: app.text == b"onetwo")
        await pilot.press("ctrl+w")
        await settled(app, pilot, lambda: app.text == b"one")
        await pilot.press("ctrl+q")

    session = piloted(model, play, tmp_path)
    assert {number: session.text(number) for number in session.documents()} == {0: b"one", 2: b"three"}
    assert model.saved == model.kept


def test_an_edit_that_fails_shows_why_and_the_text_that_there_is() -> None:
    model = FakeModel()
    model.length = 5

    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        await pilot.press(*"abcdef")
        await settled(app, pilot, lambda: app.text == b"abcd")
        assert "the context is full" in str(app.query_one("#error").render())
        await pilot.press("backspace")
        assert app.text == b"abc"
        assert str(app.query_one("#error").render()) == ""

    assert piloted(model, play).text() == b"abc"


def test_a_character_of_several_bytes_is_removed_as_one() -> None:
    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        from textual.events import Paste

        app.post_message(Paste("a\r\né€"))
        await settled(app, pilot, lambda: app.text == "a\né€".encode())
        await pilot.press("backspace", "backspace")
        assert app.text == b"a\n"
        await pilot.press("ß")

    assert piloted(FakeModel(), play).text() == "a\nß".encode()


def test_a_word_of_the_suggestion_is_taken() -> None:
    class Words(FakeModel):
        """Model that knows one text."""

        def run(self, document: int, tokens: Sequence[int]) -> Scores:
            scores = super().run(document, tokens) * 0
            scores[b"the quick brown fox\n"[(self.count(document) - 1) % 20]] = 1
            return scores

    async def play(app: Terminal, pilot: Pilot[None]) -> None:
        await pilot.press("t", "h")
        await settled(app, pilot, lambda: app.suggestion == b"e quick brow")
        await pilot.press("right")
        assert app.text == b"the"
        assert app.suggestion.startswith(b" quick brow")
        await pilot.press("right")
        assert app.text == b"the quick"

    assert piloted(Words(), play).text() == b"the quick"


def test_without_textual_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    assert cli.main(["keyboard", "none.onnx"]) == 1
    assert "pip install 'tilewright[keyboard]'" in capsys.readouterr().err


@pytest.mark.nightly
def test_the_command_runs_in_a_terminal_and_saves(tmp_path: Path) -> None:
    """A compiled folder, typed to through a pseudo-terminal; what was typed is in the files afterwards."""
    pytest.importorskip("textual", reason="pip install 'tilewright[keyboard]'")
    model, build, folder = tmp_path / "decoder.onnx", tmp_path / "build", tmp_path / "kv"
    sizes = KlmConfig(layers=1, dim=32, heads=4, kv_heads=2, head=8, hidden=48, vocabulary=260)
    model.write_bytes(build_open(3, config=sizes).SerializeToString())
    assert cli.main(["compile", str(model), "--context", "64", "--paged", "-o", str(build)]) == 0
    own, other = pty.openpty()
    command = [sys.executable, "-m", "tilewright.cli", "keyboard", str(build), "--kv-dir", str(folder)]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, close_fds=True) as process:
        shown = b""
        while b"documents" not in shown:
            shown += os.read(own, 1 << 16)
        os.write(own, b"Hello\x11")
        while process.poll() is None:
            if select.select([own], [], [], 0.05)[0]:
                os.read(own, 1 << 16)
        assert process.returncode == 0
    manifest = decode_manifest((folder / "manifest.tw").read_bytes())
    assert [bytes(each.tokens[1:].tolist()) for each in manifest.sequences] == [b"Hello"]
