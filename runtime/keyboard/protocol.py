"""Frames of the keyboard protocol, their payloads, and a decoder that resynchronises (docs/keyboard.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from ...errors import Diagnostic

SYNC = b"\xf5\xc1"
"""Bytes at the start of a frame, which no UTF-8 text has."""
PAYLOAD = 1024
"""Bytes of a payload at most."""
PREDICTED = 512
"""Bytes of a prediction at most."""
WINDOW = 8
"""Replies that a server stores for requests that are sent again."""
ALL = 0xFFFFFFFF
"""Length of a fork of the whole document."""
_HEADER = struct.Struct("<2sHHBB")
_CHECKSUM = struct.Struct("<I")
_POLYNOMIAL = 0x82F63B78


class Type(IntEnum):
    """Type of a frame: requests below 128, replies above."""

    HELLO = 1
    KEY = 2
    BACKSPACE = 3
    RESET = 4
    PREDICT = 5
    CANCEL = 6
    SAVE = 7
    LOAD = 8
    FORK = 9
    SELECT = 10
    DROP = 11
    STATS = 12
    READ = 13
    WELCOME = 129
    ACK = 130
    TOKEN = 131
    DONE = 132
    COUNTS = 133
    TEXT = 134
    ERR = 135


class RefusalCode(IntEnum):
    """Reason of a refusal: tw_keyboard_code."""

    OK = 0
    BAD_FRAME = 1
    UNKNOWN = 2
    BAD_REQUEST = 3
    OUT_OF_ORDER = 4
    STALE = 5
    FULL = 6
    NO_SPACE = 7
    NO_DOCUMENT = 8
    IO = 9
    CORRUPT = 10
    NOT_FINITE = 11
    NO_FOLDER = 12
    CLOSED = 13
    REFUSED = 14
    ENDED = 15


class Reason(IntEnum):
    """Reason for which a prediction ended."""

    COUNT = 0
    STOP = 1
    FINISHED = 2
    CANCELLED = 3
    NO_ROOM = 4


_REMEDIES = {
    RefusalCode.BAD_REQUEST: "change the request's values",
    RefusalCode.FULL: "shorten or drop documents and save, or start the server with a larger --kv-capacity or context",
    RefusalCode.NO_SPACE: "free space on the disk",
    RefusalCode.NO_DOCUMENT: "STATS lists the documents",
    RefusalCode.IO: "check the disk and the folder's permissions",
    RefusalCode.CORRUPT: "`tilewright paged fsck` lists the faults of a folder",
    RefusalCode.NO_FOLDER: "start the server with --kv-dir",
    RefusalCode.CLOSED: "repair the folder and send LOAD",
}


@dataclass(eq=False)
class KeyboardError(Diagnostic):
    """Refused request, with its code. Nothing of it was done."""

    code: RefusalCode = RefusalCode.BAD_REQUEST


def refusal(code: RefusalCode, message: str) -> KeyboardError:
    """Return the error for a code and the text that explains it."""
    return KeyboardError(message, remedy=_REMEDIES.get(code, ""), code=code)


# Frames


@dataclass(frozen=True)
class Frame:
    """Frame: its type, sequence number and payload; `is_damaged` where its checksum is wrong and its payload empty."""

    type: int
    sequence: int
    payload: bytes = b""
    is_damaged: bool = False


def _remainder(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_REMAINDERS = tuple(_remainder(byte) for byte in range(256))


def checksum(data: bytes) -> int:
    """Return the CRC32C of bytes; for the few of a frame, a table is faster than vectors."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _REMAINDERS[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def encode(frame: Frame) -> bytes:
    """Return the bytes of a frame. Raises Diagnostic where the payload is too long."""
    if len(frame.payload) > PAYLOAD:
        raise Diagnostic(
            "the payload is too long", expected=f"{PAYLOAD} bytes at most", found=f"{len(frame.payload)} bytes"
        )
    fields = struct.pack("<HHB", len(frame.payload), frame.sequence & 0xFFFF, frame.type)
    body = fields + bytes([checksum(fields) & 255]) + frame.payload
    return SYNC + body + _CHECKSUM.pack(checksum(body))


@dataclass
class Decoder:
    """
    Decoder of a stream: bytes in, frames out. Bytes that are no frame are skipped.

    Types from `least` to `most` are those that it expects: of replies by default.
    """

    least: int = 128
    most: int = 255
    _bytes: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that bytes complete; of one with a wrong checksum its header, and what lies in it."""
        self._bytes += data
        while (frame := self._next()) is not None:
            yield frame

    @property
    def waits(self) -> bool:
        """Return whether a frame has begun."""
        return bool(self._bytes)

    def _next(self) -> Frame | None:
        while self._bytes:
            start = self._bytes.find(SYNC[:1])
            del self._bytes[: start if start >= 0 else len(self._bytes)]
            if not self._may_begin():
                del self._bytes[:1]
                continue
            size = self._size()
            if size is None or len(self._bytes) < size:
                return None
            return self._taken(size)
        return None

    def _may_begin(self) -> bool:
        data = self._bytes
        if len(data) < _HEADER.size:
            return len(data) > 0 and data.startswith(SYNC[: len(data)])
        sync, length, _, kind, check = _HEADER.unpack_from(data)
        is_plausible = sync == SYNC and length <= PAYLOAD and self.least <= kind <= self.most
        return is_plausible and checksum(bytes(data[2:7])) & 255 == check

    def _size(self) -> int | None:
        if len(self._bytes) < _HEADER.size:
            return None
        return _HEADER.size + _HEADER.unpack_from(self._bytes)[1] + _CHECKSUM.size

    def _taken(self, size: int) -> Frame:
        data = bytes(self._bytes[:size])
        _, _, sequence, kind, _ = _HEADER.unpack_from(data)
        is_whole = checksum(data[2:-4]) == _CHECKSUM.unpack_from(data, size - 4)[0]
        del self._bytes[: size if is_whole else 1]
        return Frame(kind, sequence, data[_HEADER.size : -4] if is_whole else b"", not is_whole)


# Payloads of requests


def predict_payload(count: int, stops: bytes = b"", temperature: float = 0.0, seed: int = 0) -> bytes:
    """
    Return the payload of PREDICT: `count` bytes at most, up to one of `stops`.

    With a temperature of 0 the greatest score decides, else a draw by `seed`; it is rounded to hundredths.
    """
    return struct.pack("<HHI", count, round(temperature * 100), seed & 0xFFFFFFFF) + bytes(sorted(set(stops)))


def document_payload(document: int) -> bytes:
    """Return the payload of SELECT and DROP."""
    return struct.pack("<H", document)


def count_payload(count: int) -> bytes:
    """Return the payload of BACKSPACE and FORK: a number of bytes."""
    return struct.pack("<I", count)


def read_payload(first: int, count: int) -> bytes:
    """Return the payload of READ: the bytes [first, first + count)."""
    return struct.pack("<IH", first, count)


# Payloads of replies


@dataclass(frozen=True)
class Welcome:
    """Reply to HELLO: limits of the server, and the selected document with its length in bytes."""

    version: int
    window: int
    payload: int
    predicted: int
    documents: int
    context: int
    document: int
    length: int

    @classmethod
    def decode(cls, payload: bytes) -> Welcome:
        """Return the reply of a payload. Raises struct.error for another size."""
        return cls(*struct.unpack("<BBHHHIHI", payload))


@dataclass(frozen=True)
class Ack:
    """Acknowledgement: a document, that of FORK or else the selected one, and its length in bytes."""

    document: int
    length: int

    @classmethod
    def decode(cls, payload: bytes) -> Ack:
        """Return the reply of a payload. Raises struct.error for another size."""
        return cls(*struct.unpack("<HI", payload))


@dataclass(frozen=True)
class PredictedByte:
    """Byte of a prediction and its index in it."""

    index: int
    byte: int

    @classmethod
    def decode(cls, payload: bytes) -> PredictedByte:
        """Return the reply of a payload. Raises struct.error for another size."""
        return cls(*struct.unpack("<HB", payload))


@dataclass(frozen=True)
class PredictionEnd:
    """
    End of a prediction: its reason, pages attended to in memory and not, bytes of pages in memory, time, text.

    The time is that from PREDICT to the end, in microseconds.
    """

    reason: Reason
    hits: int
    misses: int
    resident: int
    microseconds: int
    text: bytes

    @classmethod
    def decode(cls, payload: bytes) -> PredictionEnd:
        """Return the reply of a payload. Raises struct.error for another size."""
        size = struct.calcsize("<BQQQQ")
        reason, *counts = struct.unpack("<BQQQQ", payload[:size])
        return cls(Reason(reason), *counts, text=payload[size:])


@dataclass(frozen=True)
class ServerCounts:
    """
    Reply to STATS: figures since the server started, and its documents with their lengths in bytes.

    `tokens` were given to the model in `microseconds`; `hits` and `misses` are pages attended to, `resident` bytes of
    pages in memory, `memory` those that the store uses; `damaged` are frames with a wrong checksum.
    """

    tokens: int
    microseconds: int
    hits: int
    misses: int
    resident: int
    memory: int
    bytes_read: int
    bytes_written: int
    requests: int
    resent: int
    damaged: int
    degraded: bool
    document: int
    documents: dict[int, int]

    @classmethod
    def decode(cls, payload: bytes) -> ServerCounts:
        """Return the reply of a payload. Raises struct.error for another size."""
        size = struct.calcsize("<11Q?H")
        fields: tuple[Any, ...] = struct.unpack("<11Q?H", payload[:size])
        documents = {int(number): int(length) for number, length in struct.iter_unpack("<HI", payload[size:])}
        return cls(*fields, documents=documents)


def decode_error(payload: bytes) -> KeyboardError:
    """Return the error of an ERR."""
    code = payload[0] if payload else RefusalCode.REFUSED
    text = payload[1:].decode(errors="replace")
    return refusal(RefusalCode(code) if code in list(RefusalCode) else RefusalCode.REFUSED, text)
