"""Documents of a language model of bytes, and predictions on forks of them: the semantics of the C server."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import Diagnostic
from .choose import Random, Scores, choose
from .protocol import PREDICTED, Reason, RefusalCode, refusal


@dataclass(frozen=True)
class StoreCounts:
    """
    Figures of a model's store: tw_keyboard_counts.

    `hits` and `misses` are pages attended to, in memory or not; `resident`, `memory` and the last two are bytes.
    """

    hits: int = 0
    misses: int = 0
    resident: int = 0
    memory: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    degraded: bool = False


class KeyboardModel(Protocol):
    """
    Language model and the documents that it has read: tw_keyboard_model. Each method may raise a Diagnostic.

    A length counts tokens; `begin` is the token at the start of each document, None for none. `run` takes one token or
    `chunk` of them and returns the scores [tokens] of what may follow the last. `is_full` tells the errors of a call
    for which the model has no room.
    """

    begin: int | None
    length: int
    chunk: int
    documents: int

    def run(self, document: int, tokens: Sequence[int]) -> Scores: ...
    def create(self) -> int: ...
    def fork(self, document: int) -> int: ...
    def truncate(self, document: int, length: int) -> None: ...
    def drop(self, document: int) -> None: ...
    def exists(self, document: int) -> bool: ...
    def count(self, document: int) -> int: ...
    def read(self, document: int, first: int, count: int) -> list[int]: ...
    def is_full(self, error: Diagnostic) -> bool: ...
    def save(self) -> None: ...
    def counts(self) -> StoreCounts: ...


@dataclass(frozen=True)
class PredictionRequest:
    """Request for `count` bytes at most, up to one of `stops`; a temperature of 0 takes the greatest score."""

    count: int = 32
    stops: bytes = b""
    temperature: float = 0.0
    seed: int = 0


class KeyboardSession:
    """
    Documents of a model, of which one is selected.

    `tokens` were given to the model in `seconds`. Raises KeyboardError for requests that it refuses, and what the model
    raises; nothing of such a request is done.
    """

    def __init__(self, model: KeyboardModel):
        self.model = model
        self.document = 0
        self.reason = Reason.COUNT
        self.tokens = 0
        self.seconds = 0.0
        self._base = 0 if model.begin is None else 1
        self._branch: int | None = None
        self._select_lowest()

    def documents(self) -> dict[int, int]:
        """Return the documents with their lengths in bytes."""
        numbers = [number for number in range(self.model.documents + 1) if self.exists(number)]
        return {number: self.model.count(number) - self._base for number in numbers}

    def exists(self, document: int) -> bool:
        """Return whether there is a document; one of another origin, without the token at the start, is none."""
        if document == self._branch or not self.model.exists(document):
            return False
        if self.model.begin is None:
            return True
        return self.model.count(document) > 0 and self.model.read(document, 0, 1) == [self.model.begin]

    def text(self, document: int | None = None) -> bytes:
        """Return the text of a document, of the selected one by default."""
        number = self.document if document is None else document
        return bytes(self.model.read(number, self._base, self.model.count(number) - self._base))

    def append(self, text: bytes) -> None:
        """Append bytes: all of them, or none."""
        before = self.model.count(self.document)
        if len(text) > self.model.length - before:
            raise refusal(RefusalCode.FULL, "the context is full")
        try:
            while text:
                size = self.model.chunk if len(text) >= self.model.chunk else 1
                self._run(self.document, list(text[:size]))
                text = text[size:]
        except Exception:
            self.model.truncate(self.document, before)
            raise

    def remove(self, count: int) -> None:
        """Remove the last bytes."""
        length = self.model.count(self.document)
        if count > length - self._base:
            raise refusal(RefusalCode.BAD_REQUEST, "the document has fewer bytes")
        self.model.truncate(self.document, length - count)

    def clear(self) -> None:
        """Empty the document."""
        self.model.truncate(self.document, self._base)

    def fork(self, length: int | None = None) -> int:
        """Create a document with the first bytes of the selected one, all by default; returns its number."""
        whole = self.model.count(self.document) - self._base
        if length is not None and length > whole:
            raise refusal(RefusalCode.BAD_REQUEST, "the document has fewer bytes")
        if len(self.documents()) >= self.model.documents:
            raise refusal(RefusalCode.FULL, "there are as many documents as there may be")
        document = self.model.fork(self.document)
        if length is None or length == whole:
            return document
        try:
            self.model.truncate(document, self._base + length)
        except Exception:
            self.model.drop(document)
            raise
        return document

    def select(self, document: int) -> None:
        """Select a document."""
        self._check(document)
        self.document = document

    def drop(self, document: int) -> None:
        """Remove a document, not the last one."""
        self._check(document)
        if len(self.documents()) == 1:
            raise refusal(RefusalCode.BAD_REQUEST, "the last document stays; RESET empties it")
        self.model.drop(document)
        if document == self.document:
            self._select_lowest()

    def predict(self, prediction: PredictionRequest) -> Generator[int]:
        """
        Yield the bytes that follow the selected document, one for each call of the model; the document does not change.

        `reason` says afterwards why it ended; a generator that is closed has cancelled it. Raises KeyboardError.
        """
        model = self.model
        if not 1 <= prediction.count <= PREDICTED:
            raise refusal(RefusalCode.BAD_REQUEST, f"PREDICT takes 1 to {PREDICTED} bytes")
        count = model.count(self.document)
        if not count:
            raise refusal(RefusalCode.BAD_REQUEST, "the document is empty")
        self.reason = Reason.CANCELLED
        self._branch = model.fork(self.document)
        try:
            token = model.read(self._branch, count - 1, 1)[0]
            model.truncate(self._branch, count - 1)
            yield from self._extended(self._branch, token, prediction)
        finally:
            branch, self._branch = self._branch, None
            model.drop(branch)

    def _extended(self, branch: int, token: int, prediction: PredictionRequest) -> Generator[int]:
        """Yield the bytes that follow a branch and a token that it lacks."""
        random = Random(prediction.seed)
        for place in range(prediction.count):
            if self.model.count(branch) >= self.model.length:
                self.reason = Reason.NO_ROOM
                return
            try:
                scores = self._run(branch, [token])
            except Diagnostic as error:
                if not place or not self.model.is_full(error):
                    raise
                self.reason = Reason.NO_ROOM
                return
            chosen = choose(scores, self.model.begin, prediction.temperature, random)
            if chosen is None:
                raise refusal(RefusalCode.NOT_FINITE, "the greatest score is infinite or NaN")
            if chosen > 255:
                self.reason = Reason.FINISHED
                return
            token = chosen
            yield token
            if token in prediction.stops:
                self.reason = Reason.STOP
                return
        self.reason = Reason.COUNT

    def save(self) -> None:
        """Make all documents durable."""
        self.model.save()

    def _run(self, document: int, tokens: Sequence[int]) -> Scores:
        start = time.perf_counter()
        scores = self.model.run(document, tokens)
        self.seconds += time.perf_counter() - start
        self.tokens += len(tokens)
        return scores

    def _check(self, document: int) -> None:
        if not self.exists(document):
            raise refusal(RefusalCode.NO_DOCUMENT, "there is no such document")

    def _select_lowest(self) -> None:
        lowest = min(self.documents(), default=None)
        if lowest is not None:
            self.document = lowest
            return
        self.document = self.model.create()
        if self.model.begin is None:
            return
        try:
            self._run(self.document, [self.model.begin])
        except Exception:
            self.model.drop(self.document)
            raise
