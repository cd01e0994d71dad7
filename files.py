"""
Reading inputs and writing outputs.

An input is a regular file of a size that the tools can work on, or standard input where a tool says so. An output
appears whole or not at all, be it a file or the files of a folder. What goes wrong is an `OSError` where a caller has
words of its own for it, else a `Diagnostic`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from .errors import Diagnostic

STDIN = "<stdin>"
LARGEST = 2**31 - 1
"""The bytes of the largest model, as ONNX or as IR: a protobuf message holds no more."""
LARGEST_DESCRIPTION = 1 << 24
"""The bytes of the largest description of a machine or a pipeline."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


# Reading


def open_regular(path: Path | str, largest: int | None = LARGEST) -> IO[bytes]:
    """
    Open a regular file of at most `largest` bytes (None: any number) for reading.

    Raises OSError where there is none, where it is a folder, a pipe or a device, which are not opened, and where it is
    larger.
    """
    _check_regular(path, os.stat(path), largest)
    # Another file may have taken the name since; opening a pipe would wait for its writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _check_regular(path, os.fstat(handle), largest)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _check_regular(path: Path | str, status: os.stat_result, largest: int | None) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))
    if largest is not None and status.st_size > largest:
        raise _too_large(path, f"{status.st_size:,}", largest)


def _too_large(path: Path | str, found: str, largest: int) -> OSError:
    return OSError(errno.EFBIG, f"it has {found} bytes, more than the {largest:,} that are read", str(path))


def read_regular(path: Path | str, largest: int = LARGEST) -> bytes:
    """Return what a regular file holds. Raises OSError as `open_regular` does."""
    with open_regular(path, largest) as stream:
        return _read(stream, path, largest)


def _read(stream: IO[bytes], path: Path | str, largest: int) -> bytes:
    # The size of a file that the system makes up as it is read is 0.
    data = stream.read(largest + 1) or b""
    if len(data) > largest:
        raise _too_large(path, "more", largest)
    return data


def read_text(name: str) -> str:
    """
    Return the text of a file, or of standard input where `name` is `-`.

    Raises Diagnostic where it is missing, no regular file, empty, larger than `LARGEST` or not UTF-8.
    """
    shown = STDIN if name == "-" else name
    with _readable(shown):
        data = _read(sys.stdin.buffer, shown, LARGEST) if name == "-" else read_regular(name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Diagnostic(
            "the input is not UTF-8", where=f"{shown}:{line}", found=f"the byte 0x{data[error.start]:02X}"
        ) from error
    if not text.strip():
        raise Diagnostic("the input is empty", source=shown, expected="IR as MLIR text")
    return text


def read_description(path: Path, shown: str = "") -> str:
    """
    Return the text of a file that describes a machine or its pipeline; errors call it `shown`.

    Raises Diagnostic where it cannot be read, is no regular file, is larger than `LARGEST_DESCRIPTION` or not UTF-8.
    """
    try:
        return read_regular(path, LARGEST_DESCRIPTION).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise Diagnostic(f"the machine's file cannot be read: {reason}", shown or str(path)) from error


def check_readable(name: str) -> None:
    """Raise Diagnostic where a file cannot be read, is no regular one or is empty."""
    with _readable(name), open_regular(name) as stream:
        if not stream.read(1):
            raise Diagnostic("the input is empty", source=name)


@contextmanager
def _readable(shown: str) -> Generator[None]:
    try:
        yield
    except IsADirectoryError as error:
        raise Diagnostic("the input is a folder", source=shown, expected="a .mlir or an .onnx file") from error
    except OSError as error:
        raise Diagnostic(f"the input cannot be read: {error.strerror}", source=shown) from error


@cache
def memory_bytes() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


# Writing


def write_text(file: Path, text: str) -> None:
    """
    Write a file as a whole or not at all: it appears under its name when all of it is written.

    Raises Diagnostic where it cannot be written.
    """
    write_bytes(file, text.encode())


def write_bytes(file: Path, data: bytes) -> None:
    """Do the same with bytes. Raises Diagnostic where the file cannot be written."""
    target = Path(os.path.realpath(file))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise Diagnostic(
            f"the file cannot be written: {error.strerror}", str(file), remedy="choose another place or free space"
        ) from error


def _replace(target: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def umask() -> int:
    """Return the permissions that new files of this process lack."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_stdout(text: str) -> None:
    """Write to standard output. Raises Diagnostic where it is full or closed."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # Python flushes the stream once more as it ends
        raise Diagnostic(f"cannot write the output: {error.strerror}", remedy="choose a file with -o") from error
