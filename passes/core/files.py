"""Reading inputs and writing outputs, with each failure as a Diagnostic."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...errors import Diagnostic

STDIN = "<stdin>"


def read_text(name: str) -> str:
    """
    Return the text of a file, or of standard input where `name` is `-`.

    Raises Diagnostic where it is missing, a folder, empty or not UTF-8.
    """
    shown = STDIN if name == "-" else name
    with _readable(shown):
        data = _stdin() if name == "-" else Path(name).read_bytes()
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


def check_readable(name: str) -> None:
    """Raise Diagnostic where a file cannot be read or is empty."""
    with _readable(name), open(name, "rb") as stream:
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


def _stdin() -> bytes:
    return sys.stdin.buffer.read()


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
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
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
