"""Keyboard servers for tests: a model without weights in Python and in C, on a pseudo-terminal or in this process."""

from __future__ import annotations

import ctypes
import os
import pty
import select
import subprocess
import time
import tty
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from tilewright.errors import Diagnostic
from tilewright.runtime.keyboard.choose import Scores
from tilewright.runtime.keyboard.client import KeyboardClient
from tilewright.runtime.keyboard.protocol import Decoder, Frame, Type, encode
from tilewright.runtime.keyboard.session import StoreCounts
from tilewright.runtime.toolchain import STRICT, compile_executable, compile_shared

HERE = Path(__file__).parent
RUNTIME = HERE.parents[2] / "runtime"
MACHINE = [RUNTIME / "keyboard" / f"tw_keyboard_{name}.c" for name in ("work", "choose", "frames", "server", "text")]
"""The sources without I/O."""
SANITIZERS = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_WORD = (1 << 64) - 1


class FakeModel:
    """The model of fake_model.h: scores are a hash of the tokens before."""

    length = 4096
    chunk = 16
    documents = 4

    def __init__(self, begin: int | None = 256) -> None:
        self.begin = begin
        self.kept: dict[int, list[int]] = {}
        self.saved: dict[int, list[int]] = {}
        self.calls = 0

    def run(self, document: int, tokens: Sequence[int]) -> Scores:
        assert len(tokens) in (1, self.chunk)
        self.kept[document] += tokens
        self.calls += 1
        value = 0xCBF29CE484222325
        for token in self.kept[document]:
            value = _mixed(value, token)
        hashes = [_mixed(_mixed(value, token), 0) >> 40 for token in range(260)]
        return np.array(hashes, np.float32) * np.float32(2.0**-21)

    def create(self) -> int:
        number = next(number for number in range(self.documents + 1) if number not in self.kept)
        self.kept[number] = []
        return number

    def fork(self, document: int) -> int:
        number = self.create()
        self.kept[number] = list(self.kept[document])
        return number

    def truncate(self, document: int, length: int) -> None:
        del self.kept[document][length:]

    def drop(self, document: int) -> None:
        del self.kept[document]

    def exists(self, document: int) -> bool:
        return document in self.kept

    def count(self, document: int) -> int:
        return len(self.kept[document])

    def read(self, document: int, first: int, count: int) -> list[int]:
        return self.kept[document][first : first + count]

    def is_full(self, error: Diagnostic) -> bool:
        return False

    def save(self) -> None:
        self.saved = {number: list(tokens) for number, tokens in self.kept.items()}

    def counts(self) -> StoreCounts:
        return StoreCounts(hits=self.calls, resident=sum(map(len, self.kept.values())))


def _mixed(value: int, other: int) -> int:
    value = (value ^ other) * 0xBF58476D1CE4E5B9 & _WORD
    return value ^ value >> 27


# In this process


@cache
def library() -> ctypes.CDLL:
    """Build the protocol on the model without weights, and load it."""
    flags = [*STRICT, "-O2", f"-I{RUNTIME / 'keyboard'}"]
    loaded = ctypes.CDLL(str(compile_shared([HERE / "fake_machine.c", *MACHINE], flags)))
    loaded.machine_step.restype = ctypes.c_bool
    loaded.machine_calls.restype = ctypes.c_uint64
    loaded.tw_keyboard_crc.restype = ctypes.c_uint32
    return loaded


class Machine:
    """State machine of the protocol; there is one in a process."""

    def __init__(self, begin: int | None = 256) -> None:
        self._library = library()
        assert self._library.machine_open(-1 if begin is None else begin) == 0
        self._library.machine_fail(ctypes.c_uint64(0))
        self.replies()
        self.sequence = 0

    @property
    def calls(self) -> int:
        """Calls of the model, of all machines."""
        return self._library.machine_calls()

    def fail_after(self, calls: int) -> None:
        """Let the model refuse all calls but the next ones."""
        self._library.machine_fail(ctypes.c_uint64(self.calls + calls + 1))

    def heal(self) -> None:
        """Let the model refuse no call."""
        self._library.machine_fail(ctypes.c_uint64(0))

    def give(self, data: bytes) -> None:
        """Give bytes, doing what is to be done where there is no room."""
        while data:
            data = data[self._library.machine_receive(data, ctypes.c_uint32(len(data))) :]
            if data:
                assert self.step()

    def step(self) -> bool:
        return self._library.machine_step()

    def silence(self) -> None:
        self._library.machine_silence()

    def end(self) -> None:
        self._library.machine_end()

    def settle(self) -> None:
        """Do all that is to be done."""
        while self.step():
            pass

    def replies(self) -> list[Frame]:
        """Return what was written since the last call."""
        buffer = ctypes.create_string_buffer(1 << 20)
        count = self._library.machine_written(buffer)
        return list(Decoder().feed(buffer.raw[:count]))

    def send(self, kind: Type, payload: bytes = b"") -> None:
        """Give the next request."""
        self.sequence = self.sequence + 1 & 0xFFFF
        self.give(encode(Frame(kind, self.sequence, payload)))

    def ask(self, kind: Type, payload: bytes = b"") -> list[Frame]:
        """Give the next request, do what is to be done, and return the replies."""
        self.send(kind, payload)
        self.settle()
        return self.replies()


# As a process


def fake_server(flags: Sequence[str] = SANITIZERS) -> Path:
    """Build the server on the model without weights; returns the program."""
    sources = [HERE / "fake_server.c", *MACHINE, RUNTIME / "keyboard" / "tw_keyboard_posix.c"]
    return compile_executable(sources, [*STRICT, *flags, f"-I{RUNTIME / 'keyboard'}"])


@contextmanager
def serving(command: Sequence[str | Path]) -> Generator[tuple[int, subprocess.Popen[bytes]]]:
    """
    Run a server on the other end of a pseudo-terminal; gives the file descriptor of this end, and the process.

    The device's name takes the place of the word {}.
    """
    own, other = pty.openpty()
    tty.setraw(other)
    words = [os.ttyname(other) if word == "{}" else str(word) for word in command]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield own, process
        finally:
            process.kill()
            os.close(own)
            os.close(other)


@contextmanager
def talking(command: Sequence[str | Path]) -> Generator[tuple[KeyboardClient, subprocess.Popen[bytes]]]:
    """Run a server on a pseudo-terminal, `{}` in the command, and greet it; gives a client."""
    with serving(command) as (line, process):
        client = KeyboardClient(line, line, timeout=20, attempts=2)
        client.hello()
        yield client, process


def exchanged(line: int, data: bytes, is_answered: Callable[[list[Frame]], object], seconds: float = 60) -> list[Frame]:
    """
    Write bytes and read replies at the same time, until `is_answered` holds of these.

    Raises AssertionError where that takes too long.
    """
    decoder, frames, end = Decoder(), list[Frame](), time.monotonic() + seconds
    while data or not is_answered(frames):
        readable, writable, _ = select.select([line], [line] if data else [], [], end - time.monotonic())
        assert readable or writable, f"no answer: {frames[-5:]}"
        if readable:
            frames += decoder.feed(os.read(line, 1 << 16))
        if writable:
            data = data[os.write(line, data[:512]) :]
    return frames
