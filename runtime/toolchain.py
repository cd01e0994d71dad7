"""Finds a C compiler and runs it; what it built is kept in a cache and built again only when its sources change."""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shlex
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ..errors import Diagnostic
from ..files import read_regular
from .processes import finished

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror")
"""The flags under which the emitted C is free of warnings."""

CACHE_BYTES = 4 << 30
"""Capacity of the cache: seventeen networks of 60 million float32 weights, which take 240 MB each."""
_RECENT = 600.0
"""Seconds for which nothing is evicted: another process may be about to load it."""
_COMPILERS = ("cc", "gcc", "clang")
_SOURCES = (".c", ".S")


def compiler() -> tuple[str, ...]:
    """
    Return the command that compiles C: $CC, else cc, gcc, clang, else the one in the package `ziglang`.

    Raises Diagnostic if there is none.
    """
    return _compiler(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@cache
def _compiler(chosen: str, path: str) -> tuple[str, ...]:
    if words := shlex.split(chosen):
        if shutil.which(words[0], path=path) is None:
            raise Diagnostic("the compiler that $CC names does not exist", where="$CC", found=chosen)
        return tuple(words)
    for name in _COMPILERS:
        if (program := shutil.which(name, path=path)) is not None:
            return (program,)
    if find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    raise Diagnostic(
        "there is no C compiler",
        expected="cc, gcc or clang on the path, the variable CC, or the package ziglang",
        remedy="install one of them: pip install 'tilewright[cc]'",
    )


def compile_shared(sources: Sequence[Path], flags: Sequence[str] = ()) -> Path:
    """
    Compile C and assembly files to a shared library and return its path.

    Files that the sources include from their own folder are found. Sources among the flags, as those of an emulation,
    are compiled once for all libraries with these flags. Raises Diagnostic where the compiler fails.
    """
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    return _build(sources, ("-shared", "-fPIC", *_compiled(flags, ("-fPIC",))), suffix)


def compile_executable(sources: Sequence[Path], flags: Sequence[str] = ()) -> Path:
    """
    Compile C and assembly files to a program and return its path.

    Sources among the flags are compiled once for all programs with these flags. Raises Diagnostic where the compiler
    fails.
    """
    return _build(sources, _compiled(flags, ()), "")


def vector_flags() -> list[str]:
    """Return the flags for the vectors of this processor; what is built is kept by its flags, which name it."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return []
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return []
    features = next((line for line in lines if line.startswith("flags")), "")
    return ["-march=native", f"-DTW_MACHINE_{hashlib.sha256(features.encode()).hexdigest()[:16]}"]


def _compiled(flags: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Replace the sources among flags by their object files, compiled with the other flags and `more`."""
    sources = [flag for flag in flags if flag.endswith(_SOURCES) and not flag.startswith("-")]
    options = tuple(flag for flag in flags if flag not in sources)
    return tuple(
        str(_build([Path(flag)], ("-c", *more, *options), ".o")) if flag in sources else flag for flag in flags
    )


def cache_folder() -> Path:
    """
    Return the folder of what was built, which only this user can write to: what lies in it is loaded and run.

    It is $TILEWRIGHT_CACHE, else one in the user's cache, else a new one of this process. Raises Diagnostic where
    $TILEWRIGHT_CACHE is not the user's own or cannot be written to.
    """
    if chosen := os.environ.get("TILEWRIGHT_CACHE"):
        if problem := _unfit(Path(chosen)):
            raise Diagnostic(
                "the cache of what is built cannot be used",
                where="$TILEWRIGHT_CACHE",
                expected="a folder that you own and can write to",
                found=f"{chosen}: {problem}",
            )
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(base) / "tilewright"
    return folder if folder.is_absolute() and not _unfit(folder) else _own_folder()


def _unfit(folder: Path) -> str:
    """Return why a folder cannot hold what is built; one of this user is closed to others."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid != os.geteuid():
            return f"it belongs to the user {status.st_uid}"
        if status.st_mode & 0o022:
            folder.chmod(0o700)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


@cache
def _own_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="tilewright-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _build(sources: Sequence[Path], flags: tuple[str, ...], suffix: str) -> Path:
    command = compiler()
    files = [source.resolve() for source in sources]
    target = cache_folder() / f"{_fingerprint(command, flags, files)}{suffix}"
    if _is_own(target):
        os.utime(target, ns=(time.time_ns(), target.stat().st_mtime_ns))
        return target
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    arguments = [
        *command,
        *flags,
        *map(str, files),
        "-o",
        str(temporary),
        *([] if sys.platform == "darwin" or suffix == ".o" else ["-lm"]),
    ]
    # Assembly names the binary that it includes relative to the folder it is in.
    try:
        done = finished(arguments, files[0].parent)
        if done.returncode:
            raise Diagnostic(
                f"the C compiler failed with status {done.returncode}",
                where=str(files[0]),
                notes=(done.stderr or done.stdout).strip().splitlines()[:20],
                found=shlex.join(arguments),
            )
        temporary.chmod(0o700)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    _evict(target.parent, CACHE_BYTES)
    return target


def _evict(folder: Path, capacity: int) -> None:
    """Remove the least recently used files of the cache until it holds `capacity` bytes; recent ones stay."""
    files = [(status.st_atime, status.st_size, file) for file in folder.iterdir() if (status := _status(file))]
    excess = sum(size for _, size, _ in files) - capacity
    for used, size, file in sorted(files):
        if excess <= 0 or used > time.time() - _RECENT:
            return
        file.unlink(missing_ok=True)
        excess -= size


def _status(file: Path) -> os.stat_result | None:
    """Return the status of a regular file, None for one that is gone, which another process may have removed."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _is_own(file: Path) -> bool:
    """Return whether a file was built by this user, and nobody else can have written to it."""
    status = _status(file)
    return status is not None and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _fingerprint(command: tuple[str, ...], flags: tuple[str, ...], files: Sequence[Path]) -> str:
    """Return a name for the result of a compilation; headers and binaries beside the sources belong to it."""
    digest = hashlib.sha256(repr((command, flags, [file.name for file in files])).encode())
    beside = {other for file in files for other in file.parent.iterdir() if other.suffix in (".h", ".bin")}
    for file in sorted({*files, *beside}):
        content = read_regular(file, None)
        digest.update(f"{file.name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:32]
