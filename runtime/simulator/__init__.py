"""Timing simulation of explicit programs on the engines and links of a machine."""

from .compute import TimedSession
from .result import BufferResidency, BusyInterval, EngineCost, LayerCost, LevelUse, LinkCost, OperatorCost, Simulation
from .simulate import simulate

__all__ = [
    "BufferResidency",
    "BusyInterval",
    "EngineCost",
    "LayerCost",
    "LevelUse",
    "LinkCost",
    "OperatorCost",
    "Simulation",
    "TimedSession",
    "simulate",
]
