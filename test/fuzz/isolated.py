"""Runs a function on many things, each in a process that may hang or crash without harm."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Crash(Exception):
    """The process ended while it ran the function."""


class Hang(Exception):
    """The function exceeded its time limit."""


def run_isolated(
    items: Sequence[T], function: Callable[[T], Any], jobs: int, seconds: float
) -> Iterator[tuple[T, Any]]:
    """
    Yield each item with the function's result, as they come; Crash or Hang in its place if there is none.

    The function must not raise, and its result must be one that can be pickled. It runs in forks of this process.
    """
    waiting = list(range(len(items)))[::-1]
    workers = [_Worker(items, function) for _ in range(min(jobs, len(items)))]
    try:
        while waiting or any(worker.item is not None for worker in workers):
            for worker in workers:
                if worker.item is None and waiting:
                    worker.start(waiting.pop())
            wait([worker.pipe for worker in workers if worker.item is not None], 0.5)
            for worker in workers:
                if (done := worker.finished(seconds)) is not None:
                    yield done
    finally:
        for worker in workers:
            worker.stop()


class _Worker(Generic[T]):
    """Worker process that runs the function on items one by one."""

    def __init__(self, items: Sequence[T], function: Callable[[T], Any]):
        self._items, self._function = items, function
        self.item: int | None = None
        self._fork()

    def _fork(self) -> None:
        # A fork has the items and all modules already.
        context = multiprocessing.get_context("fork")
        self.pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, self._items, self._function), daemon=True)
        self._process.start()
        there.close()

    def start(self, item: int) -> None:
        self.item, self._began = item, time.monotonic()
        self.pipe.send(item)

    def finished(self, seconds: float) -> tuple[T, Any] | None:
        """Return the item with its result, None while there is none."""
        if self.item is None:
            return None
        item = self._items[self.item]
        if self.pipe.poll():
            self.item = None
            try:
                return item, self.pipe.recv()
            except EOFError:
                self._process.join()
                code = self._process.exitcode or 0
                self._fork()
                return item, Crash(signal.Signals(-code).name if code < 0 else f"status {code}")
        if time.monotonic() - self._began < seconds:
            return None
        self.item = None
        self.stop()
        self._fork()
        return item, Hang(f"longer than {seconds:g} s")

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: Connection, items: Sequence[T], function: Callable[[T], Any]) -> None:
    while True:
        try:
            index: int = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(function(items[index]))
