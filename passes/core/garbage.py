"""Rate of Python's cyclic garbage collection, lowered while a module is compiled."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

_COLLECT_EVERY = 500_000
"""Objects made between two searches; with Python's 700 these take a twentieth of a compilation."""


@contextmanager
def rare_collections() -> Generator[None]:
    """Let Python look for garbage less often."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _COLLECT_EVERY), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def nothing_older_searched() -> Generator[None]:
    """Exclude the objects that exist already, mostly of libraries, from garbage collection."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        # What is new counts as old from here: else the first search after a run would go through all of it.
        gc.freeze()
        gc.unfreeze()
