"""Formats of the files of the paged store: headers of pages and digests, and the manifest (docs/paged.md, Files)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .config import Element, PoolConfig, bad_value
from .crc import crc32c
from .status import PagedError, Status, corrupt

LOCK, PAGES, DIGESTS, MANIFEST, NEW_MANIFEST = "lock", "pages.tw", "digests.tw", "manifest.tw", "manifest.new"
VERSION = 1

_HEADER = struct.Struct("<4sHBB16sHHIIIQIQ")
_START = struct.Struct("<4sI7I32sQQ")
_ROW = struct.Struct("<IIQ")
_SEQUENCE = struct.Struct("<IIQ")
_COUNT = struct.Struct("<I")
_SHAPE = ("layers", "heads", "kv_heads", "head_dim", "page_length", "element", "digest")


class PageHeader(NamedTuple):
    """Header of a page, or of a row's digests; `element` is the type of its payload."""

    magic: bytes
    element: int
    model: bytes
    layer: int
    head: int
    row: int
    block: int
    tokens: int
    serial: int
    payload_crc: int

    def encode(self) -> bytes:
        """Return its 64 bytes."""
        place = (self.layer, self.head, self.row, self.block, self.tokens, self.serial)
        start = _HEADER.pack(self.magic, VERSION, self.element, 0, self.model[:16], *place, self.payload_crc, 0)
        return start + _COUNT.pack(crc32c(start))


def page_header(config: PoolConfig, page: int, row: int, block: int, serial: int, payload_crc: int) -> PageHeader:
    """Return the header of a page of a row; `page` is layer * kv_heads + head."""
    layer, head = divmod(page, config.kv_heads)
    place = (layer, head, row, block, config.page_length, serial)
    return PageHeader(b"TWPG", config.element, config.model[:16], *place, payload_crc)


def digest_header(config: PoolConfig, row: int, block: int, serial: int, payload_crc: int) -> PageHeader:
    """Return the header of a row's digests."""
    place = (0, 0, row, block, config.page_length, serial)
    return PageHeader(b"TWDG", config.digest, config.model[:16], *place, payload_crc)


def header_fault(raw: bytes, expected: PageHeader) -> str:
    """
    Return the first fault of a header's 64 bytes, empty where it is the expected one.

    `expected` has the checksum of the payload as it was read.
    """
    if raw == expected.encode():
        return ""
    if len(raw) < 64:
        return "the file ends in it"
    if crc32c(raw[:60]) != _COUNT.unpack(raw[60:])[0]:
        return "checksum of the header"
    magic, version, element, _, model, *rest, _ = _HEADER.unpack(raw[:60])
    if version != VERSION:
        return f"version {version}, not {VERSION}"
    read = PageHeader(magic, element, model, *rest)
    names = (name for name in PageHeader._fields if getattr(read, name) != getattr(expected, name))
    name = next(names, "reserved bytes")
    if name == "payload_crc":
        return "checksum of the payload"
    return f"{name} {_shown(getattr(read, name, ''))}, not {_shown(getattr(expected, name, '0'))}"


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


# Manifest


@dataclass(frozen=True)
class SavedSequence:
    """
    A sequence in a manifest: its tokens, the rows of its full blocks, and the bytes of its tail.

    tail: for each page keys [length mod P][D], then values.
    """

    number: int
    tokens: np.ndarray[tuple[int], np.dtype[np.uint32]]
    rows: tuple[int, ...]
    tail: bytes


@dataclass(frozen=True)
class Manifest:
    """
    State of a folder: rows in use, with block and serial, and the sequences, both in ascending order.

    shape: layers, heads, kv_heads, head_dim, page_length, element, digest.
    """

    shape: tuple[int, ...]
    model: bytes
    capacity: int
    next_serial: int
    rows: tuple[tuple[int, int, int], ...]
    sequences: tuple[SavedSequence, ...]

    def encode(self) -> bytes:
        """Return its bytes, checksum included."""
        parts = [_START.pack(b"TWMF", VERSION, *self.shape, self.model, self.capacity, self.next_serial)]
        parts.append(_COUNT.pack(len(self.rows)))
        parts += [_ROW.pack(*row) for row in self.rows]
        parts.append(_COUNT.pack(len(self.sequences)))
        for sequence in self.sequences:
            parts.append(_SEQUENCE.pack(sequence.number, 0, len(sequence.tokens)))
            parts += [sequence.tokens.astype("<u4").tobytes(), np.array(sequence.rows, "<u4").tobytes(), sequence.tail]
        data = b"".join(parts)
        return data + _COUNT.pack(crc32c(data))

    def config(self) -> PoolConfig:
        """Return the configuration of a folder's files. Raises PagedError where the shape is none."""
        named = dict(zip(_SHAPE, self.shape, strict=True))
        for name in ("element", "digest"):
            if named[name] not in (Element.F32, Element.BF16):
                raise bad_value(name, "0 or 1", named[name])
        return PoolConfig(
            layers=named["layers"],
            heads=named["heads"],
            kv_heads=named["kv_heads"],
            head_dim=named["head_dim"],
            page_length=named["page_length"],
            element=Element(named["element"]),
            digest=Element(named["digest"]),
            capacity=self.capacity,
            model=self.model,
            memory=0,
            scale=1.0,
            max_sequences=4096,
        )


def shape_of(config: PoolConfig) -> tuple[int, ...]:
    """Return the part of a configuration that a manifest has."""
    return tuple(int(getattr(config, name)) for name in _SHAPE)


def decode_manifest(data: bytes) -> Manifest:
    """Return the manifest of a file. Raises PagedError: CORRUPT where it is damaged, NEWER for a newer version."""
    manifest = parse_manifest(data)
    for fault in reference_faults(manifest):
        raise corrupt(MANIFEST, fault)
    return manifest


def parse_manifest(data: bytes) -> Manifest:
    """Return a manifest whose references are not checked. Raises PagedError: CORRUPT, NEWER."""
    reader = _Reader(data)
    magic, version = struct.unpack("<4sI", reader.take(8))
    if magic != b"TWMF":
        raise corrupt(MANIFEST, "it is no manifest", "TWMF", magic)
    if version > VERSION:
        raise PagedError(
            "the files are of a newer version",
            MANIFEST,
            expected=f"version {VERSION}",
            found=f"version {version}",
            remedy="open them with a newer tilewright",
            status=Status.NEWER,
        )
    if len(data) < 12 or version < VERSION or crc32c(data[:-4]) != _COUNT.unpack(data[-4:])[0]:
        raise corrupt(MANIFEST, f"version {version}" if version < VERSION else "checksum")
    reader = _Reader(data[:-4])
    _, _, *values, model, capacity, next_serial = _START.unpack(reader.take(_START.size))
    rows = tuple(_ROW.unpack(reader.take(_ROW.size)) for _ in range(reader.count()))
    sequences = tuple(_sequence(reader, values) for _ in range(reader.count()))
    if reader.place != len(reader.data):
        raise corrupt(MANIFEST, f"{len(reader.data) - reader.place} bytes after its end")
    return Manifest(tuple(values), model, capacity, next_serial, rows, sequences)


class _Reader:
    """Reader of a manifest's fields in order."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes. Raises PagedError (CORRUPT) where the file ends before."""
        if size > len(self.data) - self.place:
            raise corrupt(MANIFEST, "it ends early", f"{self.place + size} bytes at least", f"{len(self.data)} bytes")
        self.place += size
        return self.data[self.place - size : self.place]

    def count(self) -> int:
        """Return the next number of entries."""
        return _COUNT.unpack(self.take(4))[0]


def _sequence(reader: _Reader, shape: Iterable[int]) -> SavedSequence:
    layers, _, kv_heads, head_dim, page_length, element, _ = shape
    if not page_length or element not in (Element.F32, Element.BF16):
        raise corrupt(MANIFEST, f"page length {page_length}, element {element}")
    number, _, length = _SEQUENCE.unpack(reader.take(_SEQUENCE.size))
    tokens = np.frombuffer(reader.take(4 * length), "<u4").astype(np.uint32)
    rows = np.frombuffer(reader.take(4 * (length // page_length)), "<u4")
    size = layers * kv_heads * 2 * (length % page_length) * head_dim * Element(element).bytes
    return SavedSequence(number, tokens, tuple(rows.tolist()), reader.take(size))


def reference_faults(manifest: Manifest) -> Iterator[str]:
    """Yield the faults of a manifest's rows and sequences: order, serials, and references between them."""
    rows = [row for row, _, _ in manifest.rows]
    if rows != sorted(set(rows)):
        yield "its rows are not in ascending order"
    numbers = [sequence.number for sequence in manifest.sequences]
    if numbers != sorted(set(numbers)):
        yield "its sequences are not in ascending order"
    late = (row for row, _, serial in manifest.rows if serial >= manifest.next_serial)
    yield from (f"row {row}: its serial is not given yet" for row in late)
    blocks = {row: block for row, block, _ in manifest.rows}
    for sequence in manifest.sequences:
        wrong = ((block, row) for block, row in enumerate(sequence.rows) if blocks.get(row) != block)
        yield from (f"sequence {sequence.number}: block {block} is not in row {row}" for block, row in wrong)
    yield from _sharing_faults(manifest)


def _sharing_faults(manifest: Manifest) -> Iterator[str]:
    page_length = dict(zip(_SHAPE, manifest.shape, strict=True))["page_length"]
    tokens_of: dict[int, bytes] = {}
    for sequence in manifest.sequences:
        for block, row in enumerate(sequence.rows):
            tokens = sequence.tokens[block * page_length : (block + 1) * page_length].tobytes()
            if tokens_of.setdefault(row, tokens) != tokens:
                yield f"sequence {sequence.number}: row {row} has other tokens in another sequence"
    yield from (f"row {row}: no sequence has it" for row, _, _ in manifest.rows if row not in tokens_of)
