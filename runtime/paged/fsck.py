"""Check of a folder of the paged store: manifest, headers, checksums, and digests against keys."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .arithmetic import Stored, digests, widened
from .config import HEADER, PoolConfig
from .crc import crc32c_rows
from .files import (
    DIGESTS,
    MANIFEST,
    PAGES,
    PageHeader,
    digest_header,
    header_fault,
    page_header,
    parse_manifest,
    reference_faults,
)
from .status import PagedError, Status, io_error
from .storage import locked, read_whole
from .system_calls import POSIX, Io, read_all


def fsck(folder: str | os.PathLike[str], io: Io = POSIX) -> list[str]:
    """
    Check every file of a folder; returns a line for each fault, none where all is well.

    A folder without a manifest is an empty one. Raises PagedError: LOCKED where it is open, IO, NEWER.
    """
    path = os.fspath(folder)
    with _exclusive(io, path):
        return list(_faults(io, path))


@contextmanager
def _exclusive(io: Io, folder: str) -> Generator[None]:
    """Hold the lock of a folder that has one."""
    try:
        file = locked(io, folder, create=False)
    except FileNotFoundError:
        yield
        return
    try:
        yield
    finally:
        io.close(file)


def _faults(io: Io, folder: str) -> Iterator[str]:
    data = read_whole(io, folder, MANIFEST)
    if data is None:
        return
    try:
        manifest = parse_manifest(data)
        config = manifest.config()
    except PagedError as error:
        if error.status is Status.NEWER:
            raise
        difference = f" (expected {error.expected}, found {error.found})" if error.found else ""
        yield f"{MANIFEST}: {error.message}{difference}"
        return
    yield from (f"{MANIFEST}: {fault}" for fault in reference_faults(manifest))
    files = {name: _opened(io, folder, name) for name in (PAGES, DIGESTS)} if manifest.rows else {}
    try:
        yield from (f"{name}: it is missing" for name, file in files.items() if file is None)
        present = {name: file for name, file in files.items() if file is not None}
        checker = _Checker(config, io, folder, present)
        for row in manifest.rows:
            yield from checker.faults(*row)
    finally:
        for file in (file for file in files.values() if file is not None):
            io.close(file)


def _opened(io: Io, folder: str, name: str) -> int | None:
    try:
        return io.open(folder, name, False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise io_error(error, os.path.join(folder, name), "opening") from error


@dataclass(frozen=True)
class _Checker:
    """Check of rows in the files that are present."""

    config: PoolConfig
    io: Io
    folder: str
    files: dict[str, int]

    def faults(self, row: int, block: int, serial: int) -> Iterator[str]:
        """Yield the faults of a row's pages and digests."""
        config, bounds = self.config, None
        if DIGESTS in self.files:
            data = self._read(DIGESTS, config.entry, row * config.entry)
            payload = _payload(data, config.digest_payload)
            fault = header_fault(data[:HEADER], digest_header(config, row, block, serial, _crc(payload)))
            if fault:
                yield f"{DIGESTS}: row {row}: {fault}"
            else:
                bounds = payload.view(config.digest.storage).reshape(config.pages, 2, config.head_dim)
        if PAGES not in self.files:
            return
        for page in range(config.pages):
            data = self._read(PAGES, config.slot, (row * config.pages + page) * config.slot)
            payload = _payload(data, config.payload)
            header = page_header(config, page, row, block, serial, _crc(payload))
            yield from self._page_faults(data[:HEADER], header, payload, None if bounds is None else bounds[page])
            if any(data[HEADER + config.payload :]):
                yield f"{PAGES}: row {row}, layer {header.layer}, head {header.head}: not followed by zeros"

    def _page_faults(self, raw: bytes, header: PageHeader, payload: Stored, bounds: Stored | None) -> Iterator[str]:
        config, place = self.config, f"row {header.row}, layer {header.layer}, head {header.head}"
        fault = header_fault(raw, header)
        if fault:
            yield f"{PAGES}: {place}: {fault}"
            return
        shape = (2, config.page_length, config.head_dim)
        pair = widened(payload.view(config.element.storage).reshape(shape), config.element)
        if not np.isfinite(pair).all():
            yield f"{PAGES}: {place}: infinities or NaN"
        elif bounds is not None and digests(pair[0], config.digest).tobytes() != bounds.tobytes():
            yield f"{DIGESTS}: {place}: not the digest of its keys"

    def _read(self, name: str, size: int, offset: int) -> bytes:
        try:
            return read_all(self.io, self.files[name], size, offset)
        except OSError as error:
            raise io_error(error, os.path.join(self.folder, name), "reading") from error


def _payload(data: bytes, size: int) -> Stored:
    """Return the payload behind a header, filled up with zeros where the file ends early."""
    return np.frombuffer(data[HEADER : HEADER + size].ljust(size, b"\0"), np.uint8)


def _crc(payload: Stored) -> int:
    return int(crc32c_rows(payload[None])[0])
