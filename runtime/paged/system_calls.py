"""System calls of the paged store: a table like tw_paged_io, so that tests can plant faults in it."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from typing import Protocol


class Io(Protocol):
    """
    System calls of a folder of files: tw_paged_io. Each raises OSError where the POSIX call fails.

    `file` is the integer that `open` returned; sizes and offsets are in bytes; names are relative to the folder.
    """

    def open(self, folder: str, name: str, create: bool) -> int:
        """Open a file for reading and writing."""
        ...

    def pread(self, file: int, size: int, offset: int) -> bytes:
        """Read at most so many bytes; none at the end of the file."""
        ...

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        """Write bytes; returns how many were written."""
        ...

    def reserve(self, file: int, size: int) -> None:
        """Make a file so long at least, with space on the disk for all of it: posix_fallocate."""
        ...

    def size(self, file: int) -> int:
        """Return the size of a file."""
        ...

    def sync(self, file: int) -> None:
        """Make the data of a file durable: fdatasync."""
        ...

    def sync_folder(self, folder: str) -> None:
        """Make the names of a folder durable."""
        ...

    def rename(self, folder: str, old: str, new: str) -> None:
        """Give a file another name; a file that has it is replaced."""
        ...

    def remove(self, folder: str, name: str) -> None:
        """Remove a file."""
        ...

    def lock(self, file: int) -> None:
        """Lock a file exclusively by flock, without waiting. Raises BlockingIOError where another has it."""
        ...

    def close(self, file: int) -> None:
        """Close a file, which releases its lock."""
        ...


class PosixIo:
    """System calls of the operating system: tw_paged_posix."""

    def open(self, folder: str, name: str, create: bool) -> int:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return os.open(os.path.join(folder, name), flags, 0o666)

    def pread(self, file: int, size: int, offset: int) -> bytes:
        return os.pread(file, size, offset)

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        return os.pwrite(file, data, offset)

    def reserve(self, file: int, size: int) -> None:
        os.posix_fallocate(file, 0, size)

    def size(self, file: int) -> int:
        return os.fstat(file).st_size

    def sync(self, file: int) -> None:
        os.fdatasync(file)

    def sync_folder(self, folder: str) -> None:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rename(self, folder: str, old: str, new: str) -> None:
        os.rename(os.path.join(folder, old), os.path.join(folder, new))

    def remove(self, folder: str, name: str) -> None:
        os.remove(os.path.join(folder, name))

    def lock(self, file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def close(self, file: int) -> None:
        os.close(file)


POSIX = PosixIo()


def read_all(io: Io, file: int, size: int, offset: int) -> bytes:
    """Read bytes of a file, in pieces where calls are short or interrupted; fewer than `size` at the file's end."""
    pieces: list[bytes] = []
    missing = size
    while missing:
        try:
            piece = io.pread(file, missing, offset + size - missing)
        except InterruptedError:
            continue
        if not piece:
            break
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def write_all(io: Io, file: int, data: bytes, offset: int) -> None:
    """Write bytes, in pieces where calls are short or interrupted. Raises OSError; ENOSPC where nothing is written."""
    written = 0
    while written < len(data):
        try:
            count = io.pwrite(file, data[written:], offset + written)
        except InterruptedError:
            continue
        if not count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written += count


def repeated(call: Callable[[int], None], file: int) -> None:
    """Make a system call on a file until it is not interrupted."""
    while True:
        try:
            return call(file)
        except InterruptedError:
            continue
