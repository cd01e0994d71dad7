"""Signals that end a command: as exceptions, so that temporary files and processes go with it."""

from __future__ import annotations

import signal
from typing import Any

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(KeyboardInterrupt):
    """Request to end by another signal than Ctrl-C."""

    def __init__(self, number: int):
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def raise_when_ended() -> None:
    """Let SIGTERM and SIGHUP raise Terminated in this process; one that it was started to ignore stays ignored."""
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


def _raise(number: int, _: Any) -> None:
    raise Terminated(number)


def end_at_once() -> None:
    """Let the signals that end a command end this process without an exception: a child with nothing to remove."""
    for number in (signal.SIGINT, *_ENDING):
        signal.signal(number, signal.SIG_DFL)


def reported(error: KeyboardInterrupt) -> tuple[str, int]:
    """Return the words and the exit code of a command that was ended: 128 and the number of the signal."""
    number = error.number if isinstance(error, Terminated) else signal.SIGINT
    return str(error) or "interrupted", 128 + number
