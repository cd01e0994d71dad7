"""Siracusa on a PC: threads for the cores, the DMA engine and the NPU."""

from __future__ import annotations

from .bare import emulation_flags


def flags() -> list[str]:
    """Return what compiles an emitted network with the emulation."""
    return emulation_flags()
