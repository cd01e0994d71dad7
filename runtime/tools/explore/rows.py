"""Rows of the table of points: a network at a point of the design space, and its costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .axes import Point


class PointJob(NamedTuple):
    """A network at a point of the design space."""

    network: str
    point: Point


@dataclass(frozen=True)
class PointRow:
    """A job and its costs, with those of the area; `optimal` where no other point of the network dominates it."""

    job: PointJob
    metrics: Mapping[str, float]
    optimal: bool
