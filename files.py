"""
Reading inputs and writing outputs.

An input is a regular file of a size that the tools can work on, or standard input where a tool says so. An output
appears whole or not at all, be it a file or the files of a folder. What goes wrong is an `OSError` where a caller has
words of its own for it, else a `Diagnostic`.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from .errors import Diagnostic, point_into

STDIN = "<stdin>"
LARGEST = 2**31 - 1
"""The bytes of the largest model, as ONNX or as IR: a protobuf message holds no more."""
LARGEST_DESCRIPTION = 1 << 24
"""The bytes of the largest description of a machine or a pipeline."""
_PIECE = 1 << 20
"""The bytes that one read asks for where a stream states no size."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def path_of(text: str) -> Path:
    """Return an argument of a command that is a path. Raises ArgumentTypeError for texts that are none."""
    if not text or "\0" in text:
        raise ArgumentTypeError(f"expected a path, found {'a text with a null character' if text else 'an empty text'}")
    return Path(text)


# Reading


def open_regular(path: Path | str, largest: int | None = LARGEST) -> IO[bytes]:
    """
    Open a regular file of at most `largest` bytes (None: any number) for reading.

    Raises OSError if there is none, where it is a folder, a pipe or a device, which are not opened, and where it is
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


def _too_large(path: Path | str, size: str, largest: int) -> OSError:
    return OSError(errno.EFBIG, f"it has {size} bytes, more than the {largest:,} that are read", str(path))


def read_regular(path: Path | str, largest: int | None = LARGEST) -> bytes:
    """Return the bytes of a regular file. Raises OSError as `open_regular` does."""
    with open_regular(path, largest) as stream:
        return stream.read() if largest is None else _read(stream, path, largest, os.fstat(stream.fileno()).st_size)


def _read(stream: IO[bytes], path: Path | str, largest: int, size: int = 0) -> bytes:
    """
    Return the bytes of a stream that states its size, 0 where it does not. Raises OSError for more than `largest`.

    A read allocates all bytes that are asked for: of a file of known size that is its size, else a piece.
    """
    pieces = [stream.read(min(size, largest) + 1)]
    total = len(pieces[0])
    # A file that the system makes up as it is read states no size, and any file may grow.
    while pieces[-1] and total <= largest:
        pieces.append(stream.read(_PIECE))
        total += len(pieces[-1])
    if total > largest:
        raise _too_large(path, "more", largest)
    return b"".join(filter(None, pieces))


def read_text(name: str) -> str:
    """
    Return the text of a file, or of standard input where `name` is `-`.

    Raises Diagnostic where it is missing, no regular file, empty, larger than `LARGEST` or not UTF-8.
    """
    return decoded(read_data(name), STDIN if name == "-" else name)


def read_data(name: str) -> bytes:
    """Return the bytes of a file, or of standard input. Raises Diagnostic as `read_text` does, but for its contents."""
    shown = STDIN if name == "-" else name
    with _readable(shown):
        return _read(sys.stdin.buffer, shown, LARGEST) if name == "-" else read_regular(name)


def decoded(data: bytes, shown: str) -> str:
    """Return the text that bytes are. Raises Diagnostic, which names `shown`, where they are empty or not UTF-8."""
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


@contextmanager
def errors_in(path: Path) -> Generator[None]:
    """Name a file in the errors of a block that name none, and show the line of IR that they are about."""
    try:
        yield
    except Diagnostic as error:
        error.source = error.source or str(path)
        if path.suffix == ".mlir" and path.is_file() and error.where.startswith(f"{path}:"):
            point_into(error, path.read_text(encoding="utf-8", errors="replace"), str(path))
        raise


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


def check_places(files: Mapping[str, Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """
    Raise Diagnostic where files, by the options that name them, cannot be written: before the work, not after it.

    That is where a folder is missing or closed, where a folder has the name, where two files have one place, and where
    a file is one of the `inputs`, also by a link to it.
    """
    read = [path for path in inputs if path is not None]
    places: dict[Path, str] = {}
    for option, file in files.items():
        if file is None:
            continue
        place = Path(os.path.realpath(file))
        if fault := _place_fault(place):
            raise _not_written(file, fault)
        first = places.setdefault(place, option)
        if first != option and (place.is_file() or not place.exists()):
            raise Diagnostic("two files have one place", str(file), found=f"{first} and {option}", remedy="name two")
        if replaced := next((path for path in read if _is_same(place, path)), None):
            pair, remedy = f"{option} and {replaced}", "choose another place: the input would be lost"
            raise Diagnostic("a file has the place of an input", str(file), found=pair, remedy=remedy)


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths are of one regular file, under whatever names."""
    return one.is_file() and other.is_file() and os.path.samefile(one, other)


def _place_fault(place: Path) -> str:
    """Return the error that the writing of a file will end in, empty if none is foreseen."""
    try:
        if place.is_dir():
            return os.strerror(errno.EISDIR)
        if not place.parent.is_dir():
            return os.strerror(errno.ENOTDIR) if place.parent.exists() else "there is no such folder"
        is_open = os.access(place.parent, os.W_OK | os.X_OK) or (place.exists() and not place.is_file())
    except OSError as error:
        return error.strerror or str(error)
    return "" if is_open else os.strerror(errno.EACCES)


def _not_written(file: Path, reason: str | None) -> Diagnostic:
    return Diagnostic(f"the file cannot be written: {reason}", str(file), remedy="choose another place or free space")


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
        raise _not_written(file, error.strerror) from error


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


def write_folder(folder: Path, fill: Callable[[Path], object], is_stale: Callable[[Path], bool]) -> list[Path]:
    """
    Put what `fill` writes to an empty folder into `folder`, all of it or none, and return the paths there.

    Entries of `folder` with the names of new ones are replaced, those that are `is_stale` removed, all others kept. The
    new folder is written beside the old one, with hard links to the files to keep, and the two are exchanged in one
    step: at each moment the name is that of the old output whole or of the new one whole. A crash may leave a copy in
    `.NAME.*` beside it. A folder that cannot be exchanged gets its entries one by one: after an error it is as it was,
    after a crash it may hold parts of both. Such are the working directory, a mount point, another user's folder, one
    in a folder that cannot be written to, and those of systems that cannot exchange folders or link files.

    Raises OSError where that fails or an entry is of another kind, and what `fill` raises; `folder` is then as it was.
    """
    target = Path(os.path.realpath(folder))
    created = [parent for parent in (target.parent, *target.parents) if not parent.exists()]
    staging: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        is_whole = _can_be_renamed(target)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent if is_whole else target))
        os.chmod(staging, target.stat().st_mode & 0o777 if target.exists() else 0o777 & ~umask())
        fill(staging)
        new = sorted(entry.name for entry in staging.iterdir())
        old = [entry for entry in target.iterdir() if entry != staging] if target.exists() else []
        kept = [entry.name for entry in old if entry.name not in new and not is_stale(entry)]
        _check_kinds(staging, old, new, is_stale)
        if not (is_whole and _take_place(target, staging, kept)):
            _replace_entries(target, staging, old, new, kept)
        return [folder / name for name in new]
    except BaseException:
        for parent in created:
            shutil.rmtree(parent, ignore_errors=True)
        raise
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def _can_be_renamed(folder: Path) -> bool:
    if not folder.exists():
        return True
    is_used = folder == Path.cwd() or folder in Path.cwd().parents or os.path.ismount(folder)
    is_own = folder.stat().st_uid == os.geteuid()
    return folder.is_dir() and is_own and not is_used and os.access(folder.parent, os.W_OK | os.X_OK)


def _check_kinds(staging: Path, old: Sequence[Path], new: Sequence[str], is_stale: Callable[[Path], bool]) -> None:
    """Raise OSError where an entry would be replaced by one of another kind, or a folder that is not an old output."""
    for entry in old:
        if entry.name not in new:
            continue
        if entry.is_dir() != (staging / entry.name).is_dir():
            kind = "a folder" if entry.is_dir() else "no folder"
            raise FileExistsError(errno.EEXIST, f"{entry.name} is {kind}", str(entry))
        if entry.is_dir() and not is_stale(entry):
            raise FileExistsError(errno.EEXIST, f"{entry.name} holds files of another origin", str(entry))


def _take_place(target: Path, staging: Path, kept: Sequence[str]) -> bool:
    """
    Give a new folder the name of the old one in one step, with links to the entries to keep.

    Returns False, and leaves the old folder as it was, where the system cannot do so.
    """
    if not target.exists():
        os.rename(staging, target)
        return True
    try:
        for name in kept:
            _link(target / name, staging / name)
    except OSError:
        return False
    return _exchange(target, staging)


def _link(source: Path, place: Path) -> None:
    """Link a file, or the files of a folder, to another place. Raises OSError where the system cannot."""
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, place, symlinks=True, copy_function=os.link)
    else:
        os.link(source, place, follow_symlinks=False)


_CURRENT_FOLDER, _RENAME_EXCHANGE = -100, 2
"""AT_FDCWD of fcntl.h and RENAME_EXCHANGE of stdio.h: renameat2(2) of Linux."""


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; returns False where the system cannot."""
    import ctypes

    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(one), os.fsencode(other)
    if exchange is None:
        return False
    return exchange(_CURRENT_FOLDER, names[0], _CURRENT_FOLDER, names[1], _RENAME_EXCHANGE) == 0


def _replace_entries(target: Path, staging: Path, old: Sequence[Path], new: Sequence[str], kept: Sequence[str]) -> None:
    """Take the old entries out of a folder one by one and put the new ones into it; none where one fails."""
    away = staging.with_name(f"{staging.name}.old")
    away.mkdir()
    try:
        taken = [(entry, away / entry.name) for entry in old if entry.name not in kept]
        _rename_all([*taken, *((staging / name, target / name) for name in new)])
    finally:
        shutil.rmtree(away, ignore_errors=True)


def _rename_all(moves: Sequence[tuple[Path, Path]]) -> None:
    """Rename all or, where one fails, none."""
    done: list[tuple[Path, Path]] = []
    try:
        for source, place in moves:
            os.rename(source, place)
            done.append((source, place))
    except BaseException:
        for source, place in reversed(done):
            os.rename(place, source)
        raise


def umask() -> int:
    """Return the permissions that new files of this process lack."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def open_standard_streams() -> None:
    """
    Open those standard streams with which this process was started closed, so that their use is an error.

    Standard error alone takes what is written to it, and drops it: nobody could read of an error.
    """
    for name, flags in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            stream = open(os.open(os.devnull, flags), "r" if name == "stdin" else "w")
            setattr(sys, name, stream)


def flushed(code: int) -> int:
    """Flush standard output and return an exit code: where the output is full or closed, it is not 0."""
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # Python flushes the stream once more as it ends
        if not isinstance(error, BrokenPipeError):
            print(Diagnostic(f"cannot write the output: {error.strerror}"), file=sys.stderr)
        return code or 1
    return code


def write_stdout(text: str, remedy: str = "") -> None:
    """Write to standard output. Raises Diagnostic where it is full or closed, BrokenPipeError where nobody reads it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # Python flushes the stream once more as it ends
        if isinstance(error, BrokenPipeError):
            raise
        raise Diagnostic(f"cannot write the output: {error.strerror}", remedy=remedy) from error
