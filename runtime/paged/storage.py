"""Folder of the paged store: locking, reading and writing of rows, and saving of manifests."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Stored
from .config import HEADER, PoolConfig
from .crc import crc32c_rows
from .files import (
    DIGESTS,
    LOCK,
    MANIFEST,
    NEW_MANIFEST,
    PAGES,
    Manifest,
    decode_manifest,
    digest_header,
    header_fault,
    page_header,
    shape_of,
)
from .stats import Stats
from .status import PagedError, Status, corrupt, io_error
from .system_calls import Io, read_all, repeated, write_all

Bytes: TypeAlias = "NDArray[np.uint8]"
_T = TypeVar("_T")

_GROWTH = 64
"""Rows by which the files grow."""
_UNSUPPORTED = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)


class Storage:
    """
    Files of a folder, locked until `close`; counts its calls and bytes in `stats`.

    Raises PagedError: LOCKED where another has the folder open, IO where the lock cannot be made.
    """

    def __init__(self, config: PoolConfig, folder: str | os.PathLike[str], io: Io, stats: Stats) -> None:
        self.folder = os.fspath(folder)
        self._config = config
        self._io = io
        self._stats = stats
        self._files: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._has_new_names = False
        self._lock = locked(io, self.folder, create=True)
        try:
            for name in (PAGES, DIGESTS):
                self._open_old(name)
        except PagedError:
            self.close()
            raise

    def close(self) -> None:
        """Close the files and release the lock."""
        for file in (*self._files.values(), self._lock):
            self._io.close(file)
        self._files = {}

    def _open_old(self, name: str) -> None:
        with suppress(FileNotFoundError):
            try:
                self._files[name] = self._io.open(self.folder, name, False)
                self._sizes[name] = self._io.size(self._files[name])
            except FileNotFoundError:
                raise
            except OSError as error:
                raise io_error(error, self.where(name), "opening") from error

    def where(self, name: str) -> str:
        """Return a file's path, for messages."""
        return os.path.join(self.folder, name)

    # Reading

    def manifest(self) -> Manifest | None:
        """
        Read the manifest, None where there is none.

        Raises PagedError: CORRUPT, NEWER, IO, and FOREIGN where it is of another configuration.
        """
        data = read_whole(self._io, self.folder, MANIFEST)
        if data is None:
            return None
        manifest = decode_manifest(data)
        if (manifest.shape, manifest.model) != (shape_of(self._config), self._config.model):
            raise PagedError(
                "the files are of another model, page length, element type or shape",
                self.where(MANIFEST),
                expected=_described(shape_of(self._config), self._config.model),
                found=_described(manifest.shape, manifest.model),
                remedy="open another folder, or configure the pool as the folder is",
                status=Status.FOREIGN,
            )
        rows = manifest.rows[-1][0] + 1 if manifest.rows else 0
        self._check_size(PAGES, rows * self._config.pages * self._config.slot)
        self._check_size(DIGESTS, rows * self._config.entry)
        return manifest

    def _check_size(self, name: str, least: int) -> None:
        if least and name not in self._files:
            raise corrupt(self.where(name), "it is missing")
        if self._sizes.get(name, 0) < least:
            size = self._sizes[name]
            raise corrupt(self.where(name), "it ends early", f"{least} bytes at least", f"{size} bytes")

    def read_page(self, page: int, row: int, block: int, serial: int) -> Bytes:
        """Read the payload of a page. Raises PagedError: IO, and CORRUPT where it is not the page of that serial."""
        start = time.monotonic_ns()
        offset = (row * self._config.pages + page) * self._config.slot
        data = self._read(PAGES, self._config.slot, offset)
        self._stats.bytes_read += self._config.slot
        self._stats.read_ns += time.monotonic_ns() - start
        payload = np.frombuffer(data, np.uint8)[HEADER : HEADER + self._config.payload]
        header = page_header(self._config, page, row, block, serial, int(crc32c_rows(payload[None])[0]))
        if fault := header_fault(data[:HEADER], header):
            raise corrupt(self.where(PAGES), f"row {row}, layer {header.layer}, head {header.head}: {fault}")
        return payload

    def read_digests(self, row: int, block: int, serial: int) -> Stored:
        """Read the digests of a row [pages][2][D]. Raises PagedError: IO, CORRUPT."""
        config = self._config
        data = self._read(DIGESTS, config.entry, row * config.entry)
        payload = np.frombuffer(data, np.uint8)[HEADER : HEADER + config.digest_payload]
        header = digest_header(config, row, block, serial, int(crc32c_rows(payload[None])[0]))
        if fault := header_fault(data[:HEADER], header):
            raise corrupt(self.where(DIGESTS), f"row {row}: {fault}")
        return payload.view(config.digest.storage).reshape(config.pages, 2, config.head_dim)

    def _read(self, name: str, size: int, offset: int) -> bytes:
        try:
            data = read_all(self._io, self._files[name], size, offset)
        except OSError as error:
            self._stats.read_errors += 1
            raise io_error(error, self.where(name), "reading") from error
        if len(data) < size:
            raise corrupt(self.where(name), "it ends early", f"{offset + size} bytes", f"{offset + len(data)} bytes")
        return data

    # Writing

    def write_row(self, row: int, block: int, serial: int, payloads: Bytes, digests: Stored) -> None:
        """Write the pages [pages][bytes] of a row, then its digests. Raises OSError; counts what was written."""
        config = self._config
        self._create(PAGES)
        self._create(DIGESTS)
        self._grow(PAGES, row, config.pages * config.slot)
        self._grow(DIGESTS, row, config.entry)
        for page, crc in enumerate(crc32c_rows(payloads).tolist()):
            header = page_header(config, page, row, block, serial, crc).encode()
            data = (header + payloads[page].tobytes()).ljust(config.slot, b"\0")
            self._write(PAGES, data, (row * config.pages + page) * config.slot)
            self._stats.pages_written += 1
        payload = digests.tobytes()
        crc = int(crc32c_rows(np.frombuffer(payload, np.uint8)[None])[0])
        data = digest_header(config, row, block, serial, crc).encode() + payload
        self._write(DIGESTS, data.ljust(config.entry, b"\0"), row * config.entry)

    def _write(self, name: str, data: bytes, offset: int) -> None:
        self._counted(lambda: write_all(self._io, self._files[name], data, offset))
        self._stats.bytes_written += len(data)

    def _create(self, name: str) -> None:
        if name in self._files:
            return
        self._files[name] = self._counted(lambda: self._io.open(self.folder, name, True))
        self._sizes[name] = self._io.size(self._files[name])
        self._has_new_names = True

    def _grow(self, name: str, row: int, row_bytes: int) -> None:
        if self._sizes[name] >= (row + 1) * row_bytes:
            return
        size = min(self._config.rows, -(-(row + 1) // _GROWTH) * _GROWTH) * row_bytes
        self._counted(lambda: self._reserve(name, size))
        self._sizes[name] = size

    def _reserve(self, name: str, size: int) -> None:
        try:
            self._io.reserve(self._files[name], size)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise

    def _counted(self, call: Callable[[], _T], *expected: type[OSError]) -> _T:
        """Make a system call, and count it where it fails otherwise than `expected`."""
        try:
            return call()
        except OSError as error:
            self._stats.write_errors += not isinstance(error, expected)
            raise

    def sync(self) -> None:
        """Make the files of pages and digests durable. Raises OSError."""
        for name in (PAGES, DIGESTS):
            if name in self._files:
                self._sync(self._files[name])

    def _sync(self, file: int) -> None:
        self._counted(lambda: repeated(self._io.sync, file))

    def write_manifest(self, data: bytes) -> None:
        """Write a manifest beside the last one, and make it durable. Raises OSError."""
        if self._has_new_names:
            self._sync_folder()
        with suppress(FileNotFoundError):
            self._counted(lambda: self._io.remove(self.folder, NEW_MANIFEST), FileNotFoundError)
        file = self._counted(lambda: self._io.open(self.folder, NEW_MANIFEST, True))
        try:
            self._counted(lambda: write_all(self._io, file, data, 0))
            self._stats.bytes_written += len(data)
            self._sync(file)
        finally:
            self._io.close(file)

    def replace_manifest(self) -> None:
        """Give the new manifest the name of the last one, durably. Raises OSError: either has the name then."""
        self._counted(lambda: self._io.rename(self.folder, NEW_MANIFEST, MANIFEST))
        self._sync_folder()

    def _sync_folder(self) -> None:
        self._counted(lambda: self._io.sync_folder(self.folder))
        self._has_new_names = False


def locked(io: Io, folder: str, create: bool) -> int:
    """Open and lock the file `lock`. Raises PagedError: LOCKED, IO; FileNotFoundError where it is not to be created."""
    where = os.path.join(folder, LOCK)
    try:
        file = io.open(folder, LOCK, create)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not create:
            raise
        raise io_error(error, where, "opening") from error
    try:
        io.lock(file)
    except BlockingIOError as error:
        io.close(file)
        message, remedy = "another process has the folder open", "close it there, or open another folder"
        raise PagedError(message, where, remedy=remedy, status=Status.LOCKED) from error
    except OSError as error:
        io.close(file)
        raise io_error(error, where, "locking") from error
    return file


def read_whole(io: Io, folder: str, name: str) -> bytes | None:
    """Read a file; None where there is none. Raises PagedError (IO, CORRUPT) where it cannot be read."""
    where = os.path.join(folder, name)
    try:
        file = io.open(folder, name, False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise io_error(error, where, "opening") from error
    try:
        return read_all(io, file, io.size(file), 0)
    except OSError as error:
        raise io_error(error, where, "reading") from error
    finally:
        io.close(file)


def _described(shape: tuple[int, ...], model: bytes) -> str:
    layers, heads, kv_heads, head_dim, page_length, element, digest = shape
    types = f"element {element}, digest {digest}"
    return f"{layers} layers, {heads}/{kv_heads} heads of {head_dim}, pages of {page_length}, {types}, {model.hex()}"
