"""Client of a keyboard server over file descriptors: a pipe, a terminal, a serial device."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass

from .protocol import (
    ALL,
    PAYLOAD,
    Ack,
    Decoder,
    Frame,
    KeyboardError,
    PredictedByte,
    PredictionEnd,
    RefusalCode,
    ServerCounts,
    Type,
    Welcome,
    count_payload,
    decode_error,
    document_payload,
    encode,
    predict_payload,
    read_payload,
)

_SENT_AGAIN = (RefusalCode.BAD_FRAME, RefusalCode.OUT_OF_ORDER)
"""Refusals after which the same request is sent again: a line has damaged it or one before it."""


@dataclass
class KeyboardClient:
    """
    Client that has one request outstanding, and sends it again where no reply comes within `timeout` seconds.

    A request is done once, however often it is sent. Methods raise KeyboardError where the server refuses it, and
    TimeoutError after `attempts` without a reply.
    """

    reads: int
    """File descriptor from which replies are read."""
    writes: int
    """File descriptor to which requests are written; the same one for a device."""
    timeout: float = 2.0
    attempts: int = 8
    sequence: int = 0

    def __post_init__(self) -> None:
        self._decoder = Decoder()
        self._awaited: dict[int, deque[Frame]] = {}

    def hello(self) -> Welcome:
        """Begin to count requests."""
        return Welcome.decode(self._request(Type.HELLO).payload)

    def key(self, text: bytes) -> Ack:
        """Append bytes, in several requests where they are more than one takes."""
        reply = Ack(0, 0)
        for first in range(0, len(text), PAYLOAD):
            reply = self._acknowledged(Type.KEY, text[first : first + PAYLOAD])
        return reply

    def backspace(self, count: int = 1) -> Ack:
        """Remove the last bytes."""
        return self._acknowledged(Type.BACKSPACE, count_payload(count))

    def reset(self) -> Ack:
        """Empty the document."""
        return self._acknowledged(Type.RESET)

    def save(self) -> Ack:
        """Make all documents durable."""
        return self._acknowledged(Type.SAVE)

    def load(self) -> Ack:
        """Return to the documents of the last save."""
        return self._acknowledged(Type.LOAD)

    def fork(self, length: int | None = None) -> Ack:
        """Create a document with the first `length` bytes of the selected one, all by default."""
        return self._acknowledged(Type.FORK, count_payload(ALL if length is None else length))

    def select(self, document: int) -> Ack:
        """Select a document."""
        return self._acknowledged(Type.SELECT, document_payload(document))

    def drop(self, document: int) -> Ack:
        """Remove a document, not the last one."""
        return self._acknowledged(Type.DROP, document_payload(document))

    def cancel(self) -> Ack:
        """End a prediction, if there is one."""
        return self._acknowledged(Type.CANCEL)

    def stats(self) -> ServerCounts:
        """Return the figures of the server."""
        return ServerCounts.decode(self._request(Type.STATS).payload)

    def text(self) -> bytes:
        """Return the text of the selected document."""
        length = self._acknowledged(Type.CANCEL).length
        starts = range(0, length, PAYLOAD)
        return b"".join(self.read(first, min(PAYLOAD, length - first)) for first in starts)

    def read(self, first: int, count: int) -> bytes:
        """Return the bytes [first, first + count) of the selected document."""
        return self._request(Type.READ, read_payload(first, count)).payload

    def predict(
        self,
        count: int,
        stops: bytes = b"",
        *,
        temperature: float = 0.0,
        seed: int = 0,
        goes_on: Callable[[bytes], bool] = lambda text: True,
    ) -> PredictionEnd:
        """
        Predict what follows the selected document.

        `goes_on` gets the text so far after each byte; the prediction is cancelled where it returns False.
        """
        text = bytearray()
        is_cancelled = False
        for frame in self._replies(Type.PREDICT, predict_payload(count, stops, temperature, seed)):
            if frame.type == Type.DONE:
                return PredictionEnd.decode(frame.payload)
            if frame.type != Type.TOKEN or is_cancelled:
                continue
            token = PredictedByte.decode(frame.payload)
            text[token.index :] = bytes([token.byte])
            if not goes_on(bytes(text)):
                is_cancelled = True
                self.cancel()
        raise _silence()

    def _acknowledged(self, kind: Type, payload: bytes = b"") -> Ack:
        return Ack.decode(self._request(kind, payload).payload)

    def _request(self, kind: Type, payload: bytes = b"") -> Frame:
        """Send a request and return its first reply."""
        with closing(self._replies(kind, payload)) as replies:
            return next(replies)

    def _replies(self, kind: Type, payload: bytes) -> Generator[Frame]:
        """
        Send a request and yield its replies as they come; it is sent again after each silence.

        Raises KeyboardError where the server refuses it, and TimeoutError.
        """
        self.sequence = self.sequence + 1 & 0xFFFF
        request = Frame(kind, self.sequence, payload)
        queue = self._awaited[request.sequence] = deque[Frame]()
        self._send(request)
        silences = 0
        try:
            while silences < self.attempts:
                self._receive(queue)
                frame = queue.popleft() if queue else None
                error = decode_error(frame.payload) if frame is not None and frame.type == Type.ERR else None
                if frame is not None and error is None:
                    silences = 0
                    yield frame
                elif error is not None and error.code not in _SENT_AGAIN:
                    raise error
                else:
                    silences += 1
                    self._send(request)
        finally:
            del self._awaited[request.sequence]
        raise _silence()

    def _send(self, frame: Frame) -> None:
        data = encode(frame)
        while data:
            data = data[os.write(self.writes, data) :]

    def _receive(self, queue: deque[Frame]) -> None:
        """Read until there is a reply in a queue, for `timeout` seconds at most."""
        end = time.monotonic() + self.timeout
        while not queue:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.reads], [], [], left)[0]:
                return
            data = os.read(self.reads, 1 << 16)
            if not data:
                raise KeyboardError("the keyboard server has ended", code=RefusalCode.ENDED)
            for frame in self._decoder.feed(data):
                if not frame.is_damaged and frame.sequence in self._awaited:
                    self._awaited[frame.sequence].append(frame)


def _silence() -> TimeoutError:
    return TimeoutError("the keyboard server does not answer")
