"""Timing simulation of explicit programs on the engines and links of a machine."""

from .compute import TimedSession
from .result import BufferResidency, BusyInterval, EngineCost, KernelTotals, LayerCost, LevelUse, LinkCost, Simulation
from .simulate import simulate

__all__ = [
    "BufferResidency",
    "BusyInterval",
    "EngineCost",
    "KernelTotals",
    "LayerCost",
    "LevelUse",
    "LinkCost",
    "Simulation",
    "TimedSession",
    "simulate",
]
