"""Design space as a self-contained HTML page: the Pareto plot and the table of points."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .evaluate import Design
    from .results import PointResult
    from .rows import PointRow

_TEMPLATE = Path(__file__).with_name("page.html")


def page_of(rows: Sequence[PointRow], failed: Sequence[PointResult], objectives: Sequence[str], design: Design) -> str:
    """Return the page; the first two objectives are the axes of its plot at first."""
    data = json.dumps(data_of(rows, failed, objectives, design), separators=(",", ":"), allow_nan=False)
    # Names come from the user and must be escaped.
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    text = _TEMPLATE.read_text(encoding="utf-8")
    return text.replace("{{title}}", escape(design.target)).replace("{{data}}", safe)


def data_of(
    rows: Sequence[PointRow], failed: Sequence[PointResult], objectives: Sequence[str], design: Design
) -> dict[str, Any]:
    """Return the data of the page: points are lists of the network, the values of the axes, and the costs or null."""
    names = list(dict.fromkeys((*objectives, *chain.from_iterable(row.metrics for row in rows))))
    networks = list(dict.fromkeys(row.job.network for row in rows))
    points: list[list[Any]] = []
    for row in rows:
        costs = [row.metrics.get(name) for name in names]
        points.append([networks.index(row.job.network), _values(row.job.point.values), costs])
    return {
        "target": design.target,
        "by": design.by,
        "networks": networks,
        "axes": [name for name, _ in rows[0].job.point.values],
        "costs": [{"name": name, "unit": design.units.get(name, "")} for name in names],
        "points": points,
        "failed": [[result.subject.network, _values(result.point), result.error] for result in failed],
    }


def _values(point: Iterable[tuple[str, Any]]) -> list[Any]:
    return [value for _, value in point]
