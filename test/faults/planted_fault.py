"""Fault to plant in the compiler's source: one text of a file replaced by another, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault: its name, the file, the text that stands there once, its replacement, globs of its tests."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def fault(name: str, file: str, old: str, new: str, *tests: str) -> Fault:
    """Return a fault from its fields."""
    return Fault(name, file, old, new, tests)
