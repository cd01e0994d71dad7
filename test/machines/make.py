"""Machines for tests: those of the files in this folder, and variants of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright.dialects.core.machine.file import load_machine, merged_table
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.schema import machine_from

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.toml"))
TWO_LEVEL = (FOLDER / "two_level.toml").read_text(encoding="utf-8")


def library(name: str) -> Machine:
    """Return the machine of a file in this folder, by its name without `.toml`."""
    return load_machine(FOLDER / f"{name}.toml")


def load_text(text: str, folder: Path) -> Machine:
    """Return the machine that a text describes, from a file in that folder."""
    (folder / "soc.toml").write_text(text, encoding="utf-8")
    return load_machine(folder / "soc.toml")


def machine(
    l1: int = 64 << 10,
    *,
    levels: int = 2,
    channels: int = 1,
    bandwidth: int = 8,
    l2: int = 0,
    copies: int = 1,
    own: Sequence[str] = (),
) -> Machine:
    """
    Return a machine of one, two or three levels with a near memory of `l1` bytes.

    `channels` and `bandwidth`, in bytes per cycle, are those of the DMA engine that fills it. `l2` is the size of the
    level before it; 0 is the file's. There are `copies` of the engine, each with its `own` of some levels; they share
    the others.
    """
    if levels == 1:
        return library("flat")
    table = merged_table(FOLDER / {2: "two_level.toml", 3: "three_level.toml"}[levels])
    table = _with(table, "levels", "L1", size=l1)
    table = _with(table, "links", "dma", channels=channels, width=bandwidth)
    if copies > 1:
        table = _with(table, "engines", "cluster", count=[copies])
    for level in own if copies > 1 else ():
        table = _with(table, "levels", level, count=[copies])
    if l2:
        table = _with(table, "levels", "L2", size=l2)
    return machine_from(table, f"{levels}_levels_{l1}", "test/machines/make.py")


def _with(table: dict[str, Any], kind: str, name: str, **values: int | list[int]) -> dict[str, Any]:
    """Return a copy of a machine's table in which keys of one part have other values."""
    parts: dict[str, Any] = table[kind]
    return {**table, kind: {**parts, name: {**parts[name], **values}}}
