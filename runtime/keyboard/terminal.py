"""Terminal program of a keyboard's language model, in Textual: suggestions while typing, several documents, figures."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Footer, Header, OptionList, Static
from textual.widgets.option_list import Option

from .engine import DocumentState, Edit, Ended, KeyboardEngine, Suggestion
from .session import KeyboardSession, PredictionRequest

_SNIPPET = 24
"""Characters of a document's start in the list of documents."""


class Arrived(Message):
    """Message from the engine's thread."""

    def __init__(self, news: DocumentState | Suggestion | Ended):
        super().__init__()
        self.news = news


class Terminal(App[None]):
    """
    Documents of a session, edited at their ends, with what the model suggests to follow.

    What is typed is shown at once; the model reads it in a thread. With `folder`, documents are saved at the end.
    """

    CSS = """
    #documents { width: 32; height: 1fr; border: round $primary; background: transparent; }
    #paper { border: round $primary; padding: 0 1; }
    #text { width: 100%; }
    #figures { height: 2; padding: 0 2; color: $text-muted; }
    #error { height: auto; padding: 0 2; color: $error; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "accept", "accept"),
        Binding("right", "accept_word", "a word"),
        Binding("ctrl+n", "create", "new"),
        Binding("ctrl+f", "fork", "fork"),
        Binding("ctrl+w", "drop", "close"),
        Binding("down", "next(1)", "next"),
        Binding("up", "next(-1)", "previous", show=False),
        Binding("ctrl+s", "save", "save"),
        Binding("ctrl+q", "quit", "quit"),
    ]

    def __init__(
        self, session: KeyboardSession, prediction: PredictionRequest, *, title: str = "", folder: Path | None = None
    ):
        super().__init__()
        self.title = title or "keyboard"
        self.failure: Exception | None = None
        self._folder = folder
        self._engine = KeyboardEngine(session, prediction, lambda news: self.post_message(Arrived(news)))
        self._texts: dict[int, bytes] = {}
        self._document = session.document
        self._version = 0
        self._suggestion = b""
        self._error = ""

    @property
    def text(self) -> bytes:
        """The selected document, as it is shown."""
        return self._texts.get(self._document, b"")

    @property
    def suggestion(self) -> bytes:
        """The bytes that are suggested to follow it."""
        return self._suggestion

    def compose(self) -> ComposeResult:
        yield Header(icon="")
        with Horizontal():
            yield OptionList(id="documents")
            with VerticalScroll(id="paper"):
                yield Static(id="text")
        yield Static(id="error")
        yield Static(id="figures")
        yield Footer()

    def on_mount(self) -> None:
        for name in ("documents", "paper"):
            self.query_one(f"#{name}").can_focus = False
        self.query_one("#documents").border_title = "documents"
        self._engine.start()

    def on_unmount(self) -> None:
        self._engine.close()

    # Edits

    def _post(self, edit: Edit, *, reads: bool = False) -> None:
        self._error = ""
        self._version = self._engine.post(edit, reads=reads)

    def _append(self, text: bytes) -> None:
        if not text:
            return
        follows = self._suggestion.startswith(text)
        self._suggestion = self._suggestion[len(text) :] if follows else b""
        self._texts[self._document] = self.text + text
        self._post(lambda session: session.append(text))
        self._show()

    async def on_key(self, event: events.Key) -> None:
        """Take a key; all keys come here in their order, which bindings with priority would not keep."""
        bound = next(
            (binding for binding in self.BINDINGS if isinstance(binding, Binding) and binding.key == event.key), None
        )
        if bound is not None:
            await self.run_action(bound.action)
        elif event.key == "backspace":
            self._remove()
        elif event.key == "enter":
            self._append(b"\n")
        elif event.is_printable and event.character:
            self._append(event.character.encode())
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        self._append(event.text.replace("\r\n", "\n").encode())

    def _remove(self) -> None:
        """Remove the last character; one that is no whole character is a byte."""
        if not self.text:
            return
        count = 1
        while count < min(4, len(self.text)) and self.text[-count] & 0xC0 == 0x80:
            count += 1
        count = count if self._is_character(self.text[-count:]) else 1
        self._suggestion = b""
        self._texts[self._document] = self.text[:-count]
        self._post(lambda session: session.remove(count))
        self._show()

    @staticmethod
    def _is_character(data: bytes) -> bool:
        return len(data.decode(errors="ignore")) == 1

    def action_accept(self) -> None:
        """Append the suggestion."""
        self._append(_whole(self._suggestion))

    def action_accept_word(self) -> None:
        """Append the suggestion up to the end of a word."""
        text = _whole(self._suggestion)
        start = len(text) - len(text.lstrip())
        ends = [place for place in range(start, len(text)) if text[place : place + 1].isspace()]
        self._append(text[: ends[0] if ends else len(text)])

    # Documents

    def action_create(self) -> None:
        """Create an empty document and select it."""
        self._post(lambda session: session.select(session.fork(0)), reads=True)

    def action_fork(self) -> None:
        """Create a document that begins as the selected one, and select it."""
        self._post(lambda session: session.select(session.fork()), reads=True)

    def action_drop(self) -> None:
        """Remove the selected document."""
        document = self._document
        self._post(lambda session: session.drop(document), reads=True)

    def action_next(self, step: int) -> None:
        """Select the next document, or the one before."""
        numbers = sorted(self._texts)
        if numbers:
            self._select(numbers[(numbers.index(self._document) + step) % len(numbers)])

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self._select(int(event.option.id or 0))

    def _select(self, document: int) -> None:
        self._document, self._suggestion = document, b""
        self._post(lambda session: session.select(document))
        self._show()

    def action_save(self) -> None:
        """Make all documents durable."""
        self._post(lambda session: session.save())

    async def action_quit(self) -> None:
        """End, and save where there is a folder."""
        if self._folder is not None:
            self._engine.post(lambda session: session.save())
        self.exit()

    # News

    def on_arrived(self, message: Arrived) -> None:
        news = message.news
        if isinstance(news, Ended):
            self.failure = news.error
            self.exit()
        elif isinstance(news, DocumentState):
            self._take_state(news)
        elif news.version == self._version:
            self._suggestion = news.text
            self._show()

    def _take_state(self, state: DocumentState) -> None:
        """Take figures and, where nothing was typed since, texts; else ask for these again."""
        if state.error is not None:
            self._error = state.error.message
        if state.texts and state.version == self._version:
            self._texts, self._document, self._suggestion = dict(state.texts), state.document, b""
        elif state.texts:
            self._version = self._engine.post(lambda session: None, reads=True)
        self._show_figures(state)
        self._show()

    def _show(self) -> None:
        ahead = _whole(self._suggestion).decode(errors="replace")
        shown = Text(self.text.decode(errors="replace"))
        shown.append(ahead[:1] or " ", "reverse dim" if ahead else "reverse")
        shown.append(ahead[1:], "dim italic")
        self.query_one("#text", Static).update(shown)
        self.query_one("#paper", VerticalScroll).scroll_end(animate=False)
        self.query_one("#error", Static).update(self._error)
        self._show_documents()

    def _show_documents(self) -> None:
        documents = self.query_one("#documents", OptionList)
        documents.clear_options()
        documents.add_options(
            [Option(_label(number, self._texts[number]), str(number)) for number in sorted(self._texts)]
        )
        if self._document in self._texts:
            documents.highlighted = sorted(self._texts).index(self._document)

    def _show_figures(self, state: DocumentState) -> None:
        counts = state.counts
        seen = counts.hits + counts.misses
        hits = f"{100 * counts.hits / seen:.1f} %" if seen else "all"
        rate = state.tokens / state.seconds if state.seconds else 0.0
        first = f"{state.tokens:,} tokens read, {rate:,.0f} a second   {hits} of pages in memory"
        second = (
            f"{_size(counts.resident)} of pages resident, {_size(counts.memory)} of memory   "
            f"{_size(counts.bytes_read)} read, {_size(counts.bytes_written)} written"
        )
        degraded = "   the disk takes no pages" if counts.degraded else ""
        self.query_one("#figures", Static).update(f"{first}\n{second}{degraded}")


def _whole(data: bytes) -> bytes:
    """Return bytes without a character at their end that is not complete."""
    for count in range(1, min(4, len(data)) + 1):
        byte = data[-count]
        if byte & 0xC0 != 0x80:
            size = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-count] if size > count else data
    return data


def _label(number: int, text: bytes) -> str:
    first = text[: 4 * _SNIPPET].decode(errors="replace").split("\n")[0][:_SNIPPET]
    return f"{number}  {first or '(empty)'}\n   {len(text):,} bytes"


def _size(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
