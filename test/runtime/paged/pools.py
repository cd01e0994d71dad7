"""Pools for tests: configurations, steps with random keys, and a file system that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.paged.config import PoolConfig
from tilewright.runtime.paged.pool import Pool

Floats = NDArray[np.float32]


def config(**changes: Any) -> PoolConfig:
    """Return a small configuration; `extra` are bytes of memory beyond the working set, `frames` frames beyond it."""
    extra, frames = changes.pop("extra", 0), changes.pop("frames", 0)
    fields: dict[str, Any] = {
        "layers": 2,
        "heads": 4,
        "kv_heads": 2,
        "head_dim": 8,
        "page_length": 4,
        "capacity": 4 * 32,
        "scale": 8**-0.5,
        "max_sequences": 4,
        "memory": 1 << 20,
        "model": bytes(range(32)),
    }
    fields.update(changes)
    least = PoolConfig(**fields)
    more = extra + frames * (least.slot + 64)
    return PoolConfig(**{**fields, "memory": least.working_set + more}) if more or "memory" not in changes else least


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.standard_normal(shape, dtype=np.float32)


def step(pool: Any, sequence: int, count: int, seed: int) -> Floats:
    """Add random tokens to a sequence and return the results of all layers [layers][count][heads][D]."""
    config, rng = pool.config, np.random.default_rng(seed)
    pool.begin(sequence, rng.integers(0, 256, count).astype(np.uint32))
    results: list[Floats] = []
    for layer in range(config.layers):
        keys, values = (normal(rng, count, config.kv_heads, config.head_dim) for _ in range(2))
        pool.append(layer, keys, values)
        results.append(pool.attend(layer, normal(rng, count, config.heads, config.head_dim)))
    pool.commit()
    return np.stack(results)


def filled(pool: Pool, length: int, seed: int = 0) -> int:
    """Create a sequence of random tokens, which come one at a time."""
    sequence = pool.create()
    for position in range(length):
        step(pool, sequence, 1, seed + position)
    return sequence


class Crash(BaseException):
    """End of the process in the middle of a call."""


class Inode:
    """File of a `MemoryDisk`: content as it is read, content on the medium, and writes that no sync has followed."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.durable = b""
        self.pending: list[tuple[int, bytes]] = []

    def write(self, offset: int, data: bytes) -> None:
        self.data.extend(bytes(max(0, offset + len(data) - len(self.data))))
        self.data[offset : offset + len(data)] = data


class MemoryDisk:
    """
    Disk in memory whose calls `fails` may refuse: it gets the name of the call and of the file, and returns an errno.

    A negative errno is a crash. `after_crash` returns the disk after a loss of power: writes that were not synced are
    there, absent or torn, and so are new names of a folder that was not synced. `calls` lists the calls.
    """

    def __init__(self, fails: Callable[[str, str], int] = lambda call, name: 0) -> None:
        self.fails = fails
        self.calls: list[tuple[str, str]] = []
        self.names: dict[str, Inode] = {}
        self._durable_names: dict[str, Inode] = {}
        self._open: dict[int, tuple[str, Inode]] = {}
        self._locked: set[int] = set()

    def after_crash(self, rng: np.random.Generator) -> MemoryDisk:
        disk = MemoryDisk()
        inodes: dict[int, Inode] = {}
        for name in sorted({*self.names, *self._durable_names}):
            choices = [table.get(name) for table in (self.names, self._durable_names)]
            inode = choices[rng.integers(2)]
            if inode is not None:
                disk.names[name] = inodes.setdefault(id(inode), _after_crash(inode, rng))
        return disk

    def _call(self, call: str, name: str) -> None:
        self.calls.append((call, name))
        error = self.fails(call, name)
        if error < 0:
            raise Crash
        if error:
            raise OSError(error, os.strerror(error))

    def open(self, folder: str, name: str, create: bool) -> int:
        self._call("open", name)
        if name not in self.names:
            if not create:
                raise FileNotFoundError(errno.ENOENT, "absent", name)
            self.names[name] = Inode()
        file = len(self.calls)
        self._open[file] = name, self.names[name]
        return file

    def pread(self, file: int, size: int, offset: int) -> bytes:
        name, inode = self._open[file]
        self._call("pread", name)
        return bytes(inode.data[offset : offset + size])

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        name, inode = self._open[file]
        inode.pending.append((offset, data))  # a crash in the call may leave a part of it
        self._call("pwrite", name)
        inode.write(offset, data)
        return len(data)

    def reserve(self, file: int, size: int) -> None:
        name, inode = self._open[file]
        self._call("reserve", name)
        inode.pending.append((size, b""))
        inode.write(size, b"")

    def size(self, file: int) -> int:
        return len(self._open[file][1].data)

    def sync(self, file: int) -> None:
        name, inode = self._open[file]
        try:
            self._call("sync", name)
        except OSError:
            inode.pending = []  # what was not written is dropped, though reads still see it
            raise
        medium = Inode()
        for offset, data in [(0, inode.durable), *inode.pending]:
            medium.write(offset, data)
        inode.durable, inode.pending = bytes(medium.data), []

    def sync_folder(self, folder: str) -> None:
        self._call("sync_folder", "")
        self._durable_names = dict(self.names)

    def rename(self, folder: str, old: str, new: str) -> None:
        self._call("rename", new)
        self.names[new] = self.names.pop(old)

    def remove(self, folder: str, name: str) -> None:
        if name not in self.names:
            raise FileNotFoundError(errno.ENOENT, "absent", name)
        del self.names[name]

    def lock(self, file: int) -> None:
        if self._locked:
            raise BlockingIOError(errno.EWOULDBLOCK, "locked")
        self._locked.add(file)

    def close(self, file: int) -> None:
        self._locked.discard(file)
        del self._open[file]


def _after_crash(inode: Inode, rng: np.random.Generator) -> Inode:
    left = Inode()
    left.write(0, inode.durable)
    for offset, data in inode.pending:
        kept = [0, int(rng.integers(len(data) + 1)), len(data)][rng.integers(3)]
        if kept or not data:
            left.write(offset, data[:kept])
    left.durable = bytes(left.data)
    return left


def nth(call: str, name: str, first: int, error: int, last: int | None = None) -> Callable[[str, str], int]:
    """Return a fault: calls of a name from the first on, counted from 0, to the last, the same one by default."""
    count = -1

    def fails(this: str, file: str) -> int:
        nonlocal count
        if call not in ("", this) or name not in ("", file):
            return 0
        count += 1
        return error if first <= count <= (first if last is None else last) else 0

    return fails


def failing(call: str, name: str, error: int) -> Callable[[str, str], int]:
    """Return a fault: all calls of a name on a file, or on any."""

    def fails(this: str, file: str) -> int:
        return error if call == this and name in ("", file) else 0

    return fails
