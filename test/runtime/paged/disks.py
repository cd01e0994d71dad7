"""A disk in memory that loses power: what no sync has made durable is lost in part, in any order, writes torn."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

SECTOR = 512
"""Bytes that a disk writes whole or not at all."""


class Crash(BaseException):
    """End of the process in the middle of a call."""


@dataclass
class _File:
    """Content as the system shows it, as the disk has it, and the writes between the two: offset and data."""

    shown: bytearray = field(default_factory=bytearray)
    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])


def _put(content: bytearray, offset: int, data: bytes) -> None:
    content.extend(bytes(max(0, offset + len(data) - len(content))))
    content[offset : offset + len(data)] = data


class Disk:
    """
    Files of one folder: system calls for a pool, with a log.

    `fails` gets the name of a call and of its file, and returns an errno by which it is refused, -1 for the end of the
    process before it, -2 for the end after half of a write, and 0. The files may have `room` bytes. A sync that is
    refused drops the writes that it should make durable, as Linux does, which goes on to show them.
    """

    def __init__(self, fails: Callable[[str, str], int] = lambda call, name: 0, room: int = 1 << 40) -> None:
        self.fails = fails
        self.room = room
        self.calls: list[tuple[str, str]] = []
        self.names: dict[str, _File] = {}
        self._durable_names: dict[str, _File] = {}
        self._pending_names: list[tuple[str, str, _File | None]] = []
        self._handles: dict[int, tuple[str, _File]] = {}
        self._locked: list[int] = []

    def _call(self, call: str, name: str) -> int:
        self.calls.append((call, name))
        error = self.fails(call, name)
        if error == -1:
            raise Crash
        if error > 0:
            raise OSError(error, os.strerror(error))
        return error

    def _file(self, call: str, file: int) -> tuple[_File, int]:
        name, content = self._handles[file]
        return content, self._call(call, name)

    def open(self, folder: str, name: str, create: bool) -> int:
        self._call("open", name)
        if name not in self.names:
            if not create:
                raise FileNotFoundError(errno.ENOENT, name)
            self.names[name] = _File()
            self._pending_names.append(("link", name, self.names[name]))
        handle = max(self._handles, default=2) + 1
        self._handles[handle] = name, self.names[name]
        return handle

    def pread(self, file: int, size: int, offset: int) -> bytes:
        content, _ = self._file("pread", file)
        return bytes(content.shown[offset : offset + size])

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        content, end = self._file("pwrite", file)
        if end == -2:
            data = data[: len(data) // 2]
        self._check_room(content, offset + len(data))
        _put(content.shown, offset, data)
        content.pending.append((offset, data))
        if end == -2:
            raise Crash
        return len(data)

    def reserve(self, file: int, size: int) -> None:
        content, _ = self._file("reserve", file)
        self._check_room(content, size)
        if size > len(content.shown):
            content.pending.append((len(content.shown), bytes(size - len(content.shown))))
            _put(content.shown, size, b"")

    def _check_room(self, content: _File, size: int) -> None:
        used = sum(len(file.shown) for file in self.names.values())
        if used + max(0, size - len(content.shown)) > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def size(self, file: int) -> int:
        return len(self._handles[file][1].shown)

    def sync(self, file: int) -> None:
        content = self._handles[file][1]
        try:
            self._file("sync", file)
        except OSError:
            content.pending.clear()
            raise
        for offset, data in content.pending:
            _put(content.durable, offset, data)
        content.pending.clear()

    def sync_folder(self, folder: str) -> None:
        self._call("sync_folder", "")
        self._durable_names = dict(self.names)
        self._pending_names.clear()

    def rename(self, folder: str, old: str, new: str) -> None:
        self._call("rename", new)
        self.names[new] = self.names.pop(old)
        self._pending_names += [("unlink", old, None), ("link", new, self.names[new])]

    def remove(self, folder: str, name: str) -> None:
        self._call("remove", name)
        if name not in self.names:
            raise FileNotFoundError(errno.ENOENT, name)
        del self.names[name]
        self._pending_names.append(("unlink", name, None))

    def lock(self, file: int) -> None:
        if self._locked:
            raise BlockingIOError(errno.EWOULDBLOCK, "locked")
        self._locked.append(file)

    def close(self, file: int) -> None:
        del self._handles[file]
        if file in self._locked:
            self._locked.remove(file)

    def killed(self) -> Disk:
        """Return the disk after the end of the process: the system has all that was written."""
        disk = Disk(room=self.room)
        disk.names = disk._durable_names = {
            name: _File(bytearray(file.shown), bytearray(file.shown)) for name, file in self.names.items()
        }
        disk.names = dict(disk._durable_names)
        return disk

    def powered_off(self, rng: np.random.Generator) -> Disk:
        """Return the disk after a loss of power: of what is not durable, some is there, sector by sector."""
        names = dict(self._durable_names)
        for kind, name, file in self._pending_names:
            if rng.random() < 0.5:
                continue
            if kind == "link" and file is not None:
                names[name] = file
            else:
                names.pop(name, None)
        disk = Disk(room=self.room)
        disk._durable_names = {name: _remains(file, rng) for name, file in names.items()}
        disk.names = dict(disk._durable_names)
        return disk


def _remains(file: _File, rng: np.random.Generator) -> _File:
    content = bytearray(file.durable)
    kept = rng.random()
    order: list[int] = rng.permutation(len(file.pending)).tolist()
    for offset, data in (file.pending[place] for place in order):
        for start in range(0, len(data), SECTOR):
            if rng.random() < kept:
                _put(content, offset + start, data[start : start + SECTOR])
    return _File(content, bytearray(content))
