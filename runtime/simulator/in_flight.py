"""Kernels and transfers in flight: their completion tokens, and kernels that run beside the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .result import KernelTotals, LayerCost


@dataclass
class CompletionToken:
    """
    Completion token of a kernel or transfer: start and end, known once issued; `outward` if it writes the far side.
    """

    outward: bool = False
    start: int = 0
    end: int = 0


class Running(NamedTuple):
    """Kernel that an engine runs concurrently with the program, from one cycle to another."""

    start: int
    end: int
    layer: LayerCost
    kind: KernelTotals
