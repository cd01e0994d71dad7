"""Timing simulation of explicit programs on the engines and links of a machine."""

from .compute import TimedSession
from .result import EngineCost, Event, LayerCost, LevelUse, LinkCost, OperatorCost, Residency, Simulation
from .simulate import simulate

__all__ = [
    "EngineCost",
    "Event",
    "LayerCost",
    "LevelUse",
    "LinkCost",
    "OperatorCost",
    "Residency",
    "Simulation",
    "TimedSession",
    "simulate",
]
