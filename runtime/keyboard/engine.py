"""Documents of a keyboard in a thread of their own: edits in their order, and suggestions while none waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import Diagnostic
from .session import KeyboardSession, PredictionRequest, StoreCounts

Edit: TypeAlias = "Callable[[KeyboardSession], object]"


@dataclass(frozen=True)
class DocumentState:
    """
    Documents after edits up to one of the number `version`.

    `documents` are their lengths in bytes, `texts` the texts of those that the listener has to take, `tokens` those
    that the model took in `seconds`. `error` is that of an edit that failed.
    """

    version: int
    document: int
    documents: dict[int, int]
    texts: dict[int, bytes]
    tokens: int
    seconds: float
    counts: StoreCounts
    error: Diagnostic | None = None


@dataclass(frozen=True)
class Suggestion:
    """Bytes that may follow the selected document after the edits up to one of the number `version`."""

    version: int
    text: bytes


@dataclass(frozen=True)
class Ended:
    """End of the thread by an error that is no Diagnostic: a fault of the program."""

    error: Exception


Listener: TypeAlias = "Callable[[DocumentState | Suggestion | Ended], object]"


class KeyboardEngine:
    """
    Thread that does edits, and between them predicts what follows the selected document.

    `listener` is called in that thread: with a state after each edit, and with a suggestion after each byte of one. A
    suggestion is abandoned within one call of the model when an edit comes.
    """

    def __init__(self, session: KeyboardSession, prediction: PredictionRequest, listener: Listener):
        self._session = session
        self._prediction = prediction
        self._listener = listener
        self._edits: queue.SimpleQueue[tuple[int, Edit | None, bool]] = queue.SimpleQueue()
        self._version = 0
        self._thread = threading.Thread(target=self._run, name="keyboard", daemon=True)

    def start(self) -> None:
        """Begin; the first state has the texts of all documents."""
        self._thread.start()

    def post(self, edit: Edit, *, reads: bool = False) -> int:
        """Queue an edit and return its number; with `reads` the state after it has the texts of all documents."""
        self._version += 1
        self._edits.put((self._version, edit, reads))
        return self._version

    def close(self) -> None:
        """End after the edits that are queued."""
        self._edits.put((self._version, None, False))
        self._thread.join()

    def _run(self) -> None:
        try:
            self._serve()
        except Exception as error:
            self._listener(Ended(error))

    def _serve(self) -> None:
        version, edit = 0, _nothing
        reads = True
        while edit is not None:
            error = self._done(edit)
            self._listener(self._state(version, error, reads=reads or error is not None))
            if self._edits.empty():
                self._suggest(version)
            version, edit, reads = self._edits.get()

    def _done(self, edit: Edit) -> Diagnostic | None:
        """Do an edit and return its error, None where it succeeds."""
        try:
            edit(self._session)
        except Diagnostic as error:
            return error
        return None

    def _suggest(self, version: int) -> None:
        text = bytearray()
        predicted = self._session.predict(self._prediction)
        try:
            while self._edits.empty() and (byte := next(predicted, None)) is not None:
                text.append(byte)
                self._listener(Suggestion(version, bytes(text)))
        except Diagnostic as error:
            self._listener(self._state(version, error, reads=False))
        finally:
            predicted.close()
        self._listener(self._state(version, None, reads=False))

    def _state(self, version: int, error: Diagnostic | None, *, reads: bool) -> DocumentState:
        session = self._session
        documents = session.documents()
        texts = {number: session.text(number) for number in documents} if reads else {}
        counts = session.model.counts()
        return DocumentState(
            version, session.document, documents, texts, session.tokens, session.seconds, counts, error
        )


def _nothing(session: KeyboardSession) -> None:
    """Edit nothing."""
