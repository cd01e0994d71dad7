"""Keys of machine files that are no properties of a part: they stand for others, or say where others come from."""

from __future__ import annotations

from dataclasses import dataclass

from .values import Count


@dataclass(frozen=True)
class MachineFileKeys:
    """Keys at the top of a machine file."""

    include: str = ""
    """Machine that the file builds on: its name, or the path of its file. `false` for a key leaves out that of it."""
    pipeline: str = ""
    """Target whose pipeline.txt compiles for the machine; without it that of the machine that it includes."""


@dataclass(frozen=True)
class LevelFileKeys:
    """Keys of a level in a machine file."""

    rows: Count = 0
    """Rows of a level with `row_bytes`, in place of `size`."""


@dataclass(frozen=True)
class EngineFileKeys:
    """Keys of an engine in a machine file."""

    like: str = ""
    """Engine of another machine that this one builds on, as `MACHINE.ENGINE`."""


MERGED = ("include", "like")
"""Keys that the table of a file with what it includes no longer has."""
