"""Pool of the paged key-value store in C, built for this machine: the methods of `Pool`, the functions of C."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..toolchain import compile_shared, vector_flags
from .config import PoolConfig
from .stats import Stats
from .status import PagedError, Status
from .system_calls import Io

Floats: TypeAlias = "NDArray[np.float32]"
Words: TypeAlias = "NDArray[np.uint32]"
Tables: TypeAlias = "Sequence[Sequence[NDArray[Any]]]"
"""Blocks of each token and KV head."""

_RUNTIME = Path(__file__).parents[1] / "c"
FLAGS = ("-std=c11", "-O3", "-pthread")
_MESSAGE = 256
_REMEDIES = {
    Status.BAD_ARGUMENT: "change the argument that the message names",
    Status.NO_MEMORY: "give more memory, or fewer budget_pages, a shorter context or fewer sequences",
    Status.FULL: "drop sequences and save, truncate, or open the pool with a greater capacity or context",
    Status.NO_SPACE: "free space on the disk, unpin, or give more memory",
    Status.IO: "check the disk and the folder's permissions",
    Status.CORRUPT: "restore the folder, or compute its keys and values again",
    Status.FOREIGN: "open the folder with the configuration and model that wrote it",
    Status.NEWER: "use the version that wrote the folder, or a newer one",
    Status.LOCKED: "close the other pool, or use another folder",
    Status.NOT_FINITE: "check the network's keys, values and queries: float32 must hold them",
}


def sources() -> list[Path]:
    """Return the C files of the store, in order."""
    return sorted(Path(__file__).parent.glob("*.c"))


@cache
def library() -> ctypes.CDLL:
    """Build the store for this machine and load it. Raises Diagnostic where the compiler fails."""
    loaded = ctypes.CDLL(str(compile_shared(sources(), [*FLAGS, f"-I{_RUNTIME}", *vector_flags()])))
    loaded.tw_paged_working_set.restype = ctypes.c_uint64
    loaded.tw_paged_length.restype = ctypes.c_uint64
    loaded.tw_paged_message.restype = ctypes.c_char_p
    loaded.tw_paged_exists.restype = ctypes.c_bool
    return loaded


_FIELDS = {
    **dict.fromkeys(("layers", "heads", "kv_heads", "head_dim", "page_length"), ctypes.c_uint32),
    **dict.fromkeys(("element", "digest", "budget_pages", "sinks", "recent", "skip_layers"), ctypes.c_uint32),
    **dict.fromkeys(("reduce", "eviction", "sparse_prefill", "max_sequences"), ctypes.c_uint32),
    **dict.fromkeys(("capacity", "context", "memory"), ctypes.c_uint64),
    "scale": ctypes.c_float,
    **dict.fromkeys(("threads", "certificate"), ctypes.c_uint32),
    "model": ctypes.c_uint8 * 32,
}


class NativeConfig(ctypes.Structure):
    """tw_paged_config."""

    _fields_ = tuple(_FIELDS.items())


class _NativeStats(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in Stats.__dataclass_fields__ if name not in ("missed_mass", "degraded")),
        ("missed_mass", ctypes.c_double),
        ("degraded", ctypes.c_bool),
    )


_POINTER, _INT, _I64, _U64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_uint64
_TEXT = ctypes.c_char_p
_SIGNATURES = {
    "open": (_INT, _POINTER, _TEXT, _TEXT, ctypes.c_bool),
    "pread": (_I64, _POINTER, _INT, _POINTER, _U64, _U64),
    "pwrite": (_I64, _POINTER, _INT, _POINTER, _U64, _U64),
    "reserve": (_INT, _POINTER, _INT, _U64),
    "size": (_I64, _POINTER, _INT),
    "sync": (_INT, _POINTER, _INT),
    "sync_folder": (_INT, _POINTER, _TEXT),
    "rename": (_INT, _POINTER, _TEXT, _TEXT, _TEXT),
    "remove": (_INT, _POINTER, _TEXT, _TEXT),
    "lock": (_INT, _POINTER, _INT),
    "close": (_INT, _POINTER, _INT),
}
_PROTOTYPES = {name: ctypes.CFUNCTYPE(*types) for name, types in _SIGNATURES.items()}


class _NativeIo(ctypes.Structure):
    _fields_ = (("context", _POINTER), *_PROTOTYPES.items())


class _IoTable:
    """
    Table of system calls of C that calls those of Python.

    An exception that is no OSError is the end of the process: it is raised where the function of C returns, and from it
    on no call reaches the files, but for the release of the lock.
    """

    def __init__(self, io: Io) -> None:
        self.end: BaseException | None = None
        self._io = io
        functions = {name: prototype(self._guarded(name)) for name, prototype in _PROTOTYPES.items()}
        self.structure = _NativeIo(None, **functions)

    def _guarded(self, name: str) -> Callable[..., int]:
        call: Callable[..., int] = getattr(self, f"_{name}", partial(self._plain, name))

        def guarded(_context: int | None, *arguments: Any) -> int:
            if self.end is not None and name != "close":
                return -errno.EIO
            try:
                return call(*arguments)
            except OSError as error:
                return -(error.errno or errno.EIO)
            except BaseException as error:
                self.end = error
                return -errno.EIO

        return guarded

    def _plain(self, name: str, *arguments: Any) -> int:
        decoded = [os.fsdecode(argument) if isinstance(argument, bytes) else argument for argument in arguments]
        return getattr(self._io, name)(*decoded) or 0

    def _pread(self, file: int, data: int, size: int, offset: int) -> int:
        read = self._io.pread(file, size, offset)
        ctypes.memmove(data, read, len(read))
        return len(read)

    def _pwrite(self, file: int, data: int, size: int, offset: int) -> int:
        return self._io.pwrite(file, ctypes.string_at(data, size), offset)


def native_config(config: PoolConfig) -> NativeConfig:
    """Convert a configuration to that of C."""
    values = {name: getattr(config, name) for name in _FIELDS if name != "model"}
    return NativeConfig(**values, model=_FIELDS["model"](*config.model))


def working_set(config: PoolConfig) -> int:
    """Return the bytes of `memory` that a configuration needs at least: tw_paged_working_set."""
    return library().tw_paged_working_set(ctypes.byref(native_config(config)))


class NativePool:
    """
    Pool in C, open on a folder or, without one, in memory alone: the methods of `Pool`.

    Keys and values are float32 [count][kv_heads][head_dim], queries and results [count][heads][head_dim]. Raises
    PagedError: NO_MEMORY where `memory` is below the working set, LOCKED, CORRUPT, FOREIGN, NEWER, IO, and BAD_ARGUMENT
    where the folder holds more rows, sequences or tokens than the configuration.
    """

    def __init__(self, config: PoolConfig, folder: str | os.PathLike[str] | None = None, io: Io | None = None) -> None:
        self.config = config
        self._library = library()
        self._pool = ctypes.c_void_p()
        self._table = None if io is None else _IoTable(io)
        self._folder = "" if folder is None else os.fspath(folder)
        message = ctypes.create_string_buffer(_MESSAGE)
        path = None if folder is None else os.fsencode(folder)
        table = None if self._table is None else ctypes.byref(self._table.structure)
        structure = native_config(config)
        status = self._library.tw_paged_open(
            ctypes.byref(self._pool), ctypes.byref(structure), path, table, message, ctypes.c_size_t(_MESSAGE)
        )
        self._raise(status, message.value)

    @classmethod
    def open(cls, config: PoolConfig, folder: str | os.PathLike[str] | None = None, io: Io | None = None) -> NativePool:
        """Open a pool: the constructor by the name that C has."""
        return cls(config, folder, io)

    def __enter__(self) -> NativePool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def address(self) -> int:
        """The address of the pool in C."""
        return self._pool.value or 0

    def failure(self, status: int) -> PagedError:
        """Return the error for a status that a call through the binding of a network had."""
        text = self._library.tw_paged_message(self._pool).decode(errors="replace")
        kind = Status(status)
        return PagedError(text, self._folder, remedy=_REMEDIES[kind], status=kind)

    def __del__(self) -> None:
        self.close()

    def _raise(self, status: int, message: bytes | None = None) -> None:
        if self._table is not None and self._table.end is not None:
            raise self._table.end
        if status == Status.OK:
            return
        text = self._library.tw_paged_message(self._pool) if message is None else message
        kind = Status(status)
        raise PagedError(text.decode(errors="replace"), self._folder, remedy=_REMEDIES[kind], status=kind)

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a function of the pool. Raises PagedError where it has a status other than OK."""
        if not self._pool:
            raise PagedError("the pool is closed", self._folder, remedy=_REMEDIES[Status.BAD_ARGUMENT])
        self._raise(getattr(self._library, f"tw_paged_{name}")(self._pool, *arguments))

    def close(self) -> None:
        """Free the memory and release the lock. What was not saved is lost."""
        pool, self._pool = getattr(self, "_pool", None), ctypes.c_void_p()
        if pool:
            self._library.tw_paged_close(pool)

    def get_stats(self) -> Stats:
        """Return the statistics."""
        stats = _NativeStats()
        self._library.tw_paged_get_stats(self._pool, ctypes.byref(stats))
        return Stats(**{name: getattr(stats, name) for name in Stats.__dataclass_fields__})

    # Sequences

    def create(self) -> int:
        """Create an empty sequence; returns its number. Raises PagedError (FULL)."""
        number = ctypes.c_uint32()
        self._call("create", ctypes.byref(number))
        return number.value

    def fork(self, sequence: int) -> int:
        """Create a sequence with the tokens of another, whose full pages both share. Raises PagedError (FULL)."""
        number = ctypes.c_uint32()
        self._call("fork", _word(sequence), ctypes.byref(number))
        return number.value

    def drop(self, sequence: int) -> None:
        """Remove a sequence."""
        self._call("drop", _word(sequence))

    def truncate(self, sequence: int, length: int) -> None:
        """Keep the first tokens of a sequence. Raises PagedError: IO or CORRUPT where a page cannot be read."""
        self._call("truncate", _word(sequence), _U64(length))

    def pin(self, sequence: int, first: int, last: int) -> None:
        """Forbid to evict the full pages of the tokens of [first, last)."""
        self._call("pin", _word(sequence), _U64(first), _U64(last))

    def unpin(self, sequence: int, first: int, last: int) -> None:
        """Allow to evict the full pages of the tokens of [first, last)."""
        self._call("unpin", _word(sequence), _U64(first), _U64(last))

    def exists(self, sequence: int) -> bool:
        """Return whether there is a sequence of a number."""
        return self._library.tw_paged_exists(self._pool, _word(sequence))

    def length(self, sequence: int) -> int:
        """Return the tokens of a sequence, 0 for none."""
        return self._library.tw_paged_length(self._pool, _word(sequence))

    def tokens(self, sequence: int, first: int, count: int) -> Words:
        """Return the tokens of [first, first + count)."""
        tokens = np.empty(count, np.uint32)
        status = self._library.tw_paged_tokens(
            self._pool, _word(sequence), _U64(first), ctypes.c_uint32(count), _address(tokens)
        )
        self._raise(status, f"tokens: [{first}, {first + count}) is no range of sequence {sequence}".encode())
        return tokens

    # Steps

    def begin(self, sequence: int, tokens: ArrayLike) -> None:
        """Begin a step that adds tokens [count] to a sequence. Raises PagedError: FULL, NO_SPACE."""
        array = np.ascontiguousarray(tokens)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise PagedError("tokens are integers [count]", found=f"{array.dtype} {list(array.shape)}")
        words = array.astype(np.uint32)
        self._call("begin", _word(sequence), ctypes.c_uint32(len(words)), _address(words))
        self._count, self._sequence = len(words), sequence

    def append(self, layer: int, keys: ArrayLike, values: ArrayLike) -> None:
        """Add keys and values [count][kv_heads][head_dim] of a layer. Raises PagedError (NOT_FINITE)."""
        shape = (self.config.kv_heads, self.config.head_dim)
        arrays = [self._floats(name, array, shape) for name, array in (("keys", keys), ("values", values))]
        self._call("append", _word(layer), *map(_address, arrays))

    def attend(self, layer: int, queries: ArrayLike, blocks: Tables | None = None) -> Floats:
        """
        Compute the attention of the step's tokens: queries [count][heads][head_dim]; returns results in that shape.

        `blocks` are those of each token and KV head, ascending, the token's own last; without them the pool selects.
        Raises PagedError: NOT_FINITE, IO or CORRUPT where a page cannot be read, BAD_ARGUMENT for other blocks.
        """
        array = self._floats("queries", queries, (self.config.heads, self.config.head_dim))
        results = np.empty_like(array)
        if blocks is None:
            self._call("attend", _word(layer), _address(array), _address(results))
            return results
        counts = np.array([list(map(len, heads)) for heads in blocks], np.int32)
        table = np.zeros((*counts.shape, int(counts.max(initial=0))), np.int32)
        for place, count in np.ndenumerate(counts):
            table[place][:count] = blocks[place[0]][place[1]]
        lists = [_address(table), _address(counts), ctypes.c_uint32(table.shape[-1])]
        self._call("attend_over", _word(layer), _address(array), *lists, _address(results))
        return results

    def digest(self, layer: int) -> Floats:
        """Return the digests of the full blocks of the step's sequence, its own included [kv_heads][blocks][2][D]."""
        config = self.config
        digests = np.empty((config.kv_heads, config.blocks, 2, config.head_dim), np.float32)
        self._call("digests", _word(layer), ctypes.c_uint32(config.blocks), _address(digests))
        return digests[:, : (self.length(self._sequence) + self._count) // config.page_length]

    def rows(self, sequence: int) -> list[int]:
        """Return the rows of a sequence's full blocks, none where there is no such sequence."""
        rows = np.empty(self.config.rows, np.uint32)
        count = self._library.tw_paged_rows(self._pool, _word(sequence), _address(rows))
        return rows[:count].tolist()

    def touched(self, layer: int) -> list[list[int]]:
        """Return the rows in use that the last `attend` of a layer touched, ascending, for each KV head."""
        rows = np.empty(self.config.rows, np.uint32)
        heads: list[list[int]] = []
        for head in range(self.config.kv_heads):
            count = self._library.tw_paged_touched(self._pool, _word(layer), _word(head), _address(rows))
            heads.append(rows[:count].tolist())
        return heads

    def _floats(self, name: str, values: ArrayLike, shape: tuple[int, int]) -> Floats:
        array = np.ascontiguousarray(values, np.float32)
        if array.shape != (getattr(self, "_count", 0), *shape):
            expected = f"[{getattr(self, '_count', 0)}, {shape[0]}, {shape[1]}]"
            raise PagedError(f"{name} have another shape", expected=expected, found=str(list(array.shape)))
        return array

    def commit(self) -> None:
        """End the step, and write the rows that are full."""
        self._call("commit")

    def rollback(self) -> None:
        """End the step, and restore the state before it."""
        self._library.tw_paged_rollback(self._pool)
        self._raise(Status.OK)

    def prefetch(self, layer: int) -> None:
        """Begin to read the absent pages that the last `attend` of a layer touched, where `threads` is above 0."""
        self._library.tw_paged_prefetch(self._pool, _word(layer))
        self._raise(Status.OK)

    def select(
        self, sequence: int, layer: int, queries: ArrayLike, room: int | None = None
    ) -> tuple[list[NDArray[np.int64]], Floats]:
        """
        Select the blocks that the last token of a sequence attends to, for queries [heads][head_dim] of a layer.

        Returns the blocks of each KV head, at most `room`, and the scores [heads][blocks] of the full blocks before the
        token's own. Raises PagedError (NOT_FINITE).
        """
        config = self.config
        array = np.ascontiguousarray(queries, np.float32)
        if array.shape != (config.heads, config.head_dim):
            expected = f"[{config.heads}, {config.head_dim}]"
            raise PagedError("queries have another shape", expected=expected, found=str(list(array.shape)))
        own = max(self.length(sequence) - 1, 0) // config.page_length
        most = own + 1 if room is None else room
        pages, counts = np.empty((config.kv_heads, most), np.uint32), np.empty(config.kv_heads, np.uint32)
        scores = np.empty((config.heads, own), np.float32)
        arrays = [_address(buffer) for buffer in (pages, counts, scores)]
        self._call("select", _word(sequence), _word(layer), _address(array), ctypes.c_uint32(most), *arrays)
        chosen = [row[:count].astype(np.int64) for row, count in zip(pages, counts, strict=True)]
        return chosen, scores

    # Folder

    def save(self) -> None:
        """
        Make all sequences durable. On failure the last manifest holds.

        Raises PagedError: NO_SPACE, IO, and BAD_ARGUMENT where the pool has no folder.
        """
        self._call("save")

    def hash(self, sequence: int) -> int:
        """
        Hash a sequence's tokens, digests, keys and values to 64 bits.

        Raises PagedError: IO or CORRUPT where an absent page cannot be read.
        """
        value = _U64()
        self._call("hash", _word(sequence), ctypes.byref(value))
        return value.value


def fsck(folder: str | os.PathLike[str], io: Io | None = None) -> list[str]:
    """
    Check every file of a folder; returns a line for each fault, none where all is well.

    A folder without a manifest is an empty one. Raises PagedError: LOCKED where it is open, IO, NEWER.
    """
    lines: list[str] = []

    def add(_context: int | None, text: bytes) -> None:
        lines.append(text.decode(errors="replace"))

    report = ctypes.CFUNCTYPE(None, _POINTER, _TEXT)(add)
    table = None if io is None else _IoTable(io)
    status = library().tw_paged_fsck(
        os.fsencode(folder), None if table is None else ctypes.byref(table.structure), report, None
    )
    if table is not None and table.end is not None:
        raise table.end
    if status not in (Status.OK, Status.CORRUPT):
        raise PagedError(lines[0], os.fspath(folder), remedy=_REMEDIES[Status(status)], status=Status(status))
    return lines


def _word(value: int) -> ctypes.c_uint32:
    """Convert a number of a sequence or layer; one that no uint32 holds becomes one that none has."""
    return ctypes.c_uint32(value if 0 <= value < 1 << 32 else 0xFFFFFFFF)


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
