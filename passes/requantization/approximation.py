"""Approximations of requantisations by integer lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...ir import Array
from .halves import Halves
from .lines import FixedPointLine, Points, fitted

MOST_NEAR = 0.25
"""The greatest part of arguments at which the original code may decide; lines of DS-CNN are at 0.005 to 0.05."""
CLIP = 2
"""Cycles of a minimum and a maximum."""

Term: TypeAlias = Callable[[Body], SSAValue]
"""Appends an i32 to a body."""


@dataclass(frozen=True)
class ExactRounding:
    """Exact rounding of a sum next to halves, and the sum as it is clipped for the line."""

    halves: Halves
    sums: Term


@dataclass(frozen=True)
class Approximation:
    """
    A line through terms, clipped from `low` to `high` where its results can leave this range.

    `near` is the part of arguments at which a decision is needed, by the original code unless it has one of its own;
    `cost` are cycles beside those of the line.
    """

    terms: tuple[Term, ...]
    line: FixedPointLine
    low: int
    high: int
    clips: bool
    near: float
    cost: float
    decision: ExactRounding | None = None


def approximation_by(
    terms: Sequence[Term], points: Points, slopes: Sequence[Array], ends: Sequence[Array], cost: float = 0
) -> Approximation | None:
    """Return the best line through points, None where the original code decides too often; `ends` bound the terms."""
    line = fitted(points, slopes, [np.abs(numbers).max(axis=1) for numbers in ends])
    if line is None or (near := line.near(points.typical)) > MOST_NEAR:
        return None
    results = line.numerators(ends) >> line.shift
    clips = int(results.min()) < points.low or int(results.max()) > points.high
    cost += near * points.original + (CLIP if clips else 0)
    return Approximation(tuple(terms), line, points.low, points.high, clips, near, cost)
