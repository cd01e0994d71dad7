"""A Pareto front as a self-contained page: energy of a frame over the period, and the table of its points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from ...runtime.html_table import table
from .fronts import FrontPoint, Space

_TEMPLATE = Path(__file__).with_name("front.html")
_WIDTH, _HEIGHT, _MARGIN = 900, 420, 60
_MARKS = 6
"""Marks of an axis."""


def page_of(space: Space, front: Sequence[FrontPoint]) -> str:
    """Return the page of a front."""
    heads = ["order", "ms a frame", "frames/s", "mJ a frame", "clocks in MHz"]
    parts = {
        "title": escape(f"{space.network.name} on {space.machine.name}: period and energy"),
        "subtitle": escape(f"modelled; {len(front)} of {space.points:,} points are Pareto-optimal"),
        "chart": _chart(front),
        "table": table(heads, map(_row, front)),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def _letters(choice: FrontPoint) -> str:
    return "".join(name[0].upper() for name in choice.order)


def _row(choice: FrontPoint) -> Sequence[str]:
    clocks = ", ".join(f"{name} {mhz:g}" for name, mhz in choice.clocks.items() if name in choice.order)
    costs = f"{choice.period:.2f}", f"{1000 / choice.period:.2f}", f"{choice.energy:.1f}"
    return _letters(choice), *costs, clocks


def _chart(front: Sequence[FrontPoint]) -> str:
    periods = [choice.period for choice in front]
    energies = [choice.energy for choice in front]
    across, up = _scale(periods, _MARGIN, _WIDTH - 20), _scale(energies, _HEIGHT - _MARGIN, 20)
    points = [(across[0] + across[1] * choice.period, up[0] + up[1] * choice.energy, choice) for choice in front]
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" style="min-width: 560px" role="img" aria-label="Pareto front">']
    parts += _axes(across, up)
    parts.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y, _ in points)}"/>')
    for x, y, choice in points:
        label = escape(f"{_letters(choice)}: {choice.period:.2f} ms, {choice.energy:.1f} mJ")
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{label}</title></circle>')
    return "".join([*parts, "</svg>"])


def _scale(values: Sequence[float], first: float, last: float) -> tuple[float, float]:
    """Return offset and factor that map the range of values, a twentieth wider on both sides, to pixels."""
    low, high = min(values), max(values)
    pad = (high - low or abs(high) or 1.0) / 20
    factor = (last - first) / (high - low + 2 * pad)
    return first - factor * (low - pad), factor


def _axes(across: tuple[float, float], up: tuple[float, float]) -> Iterable[str]:
    bottom = _HEIGHT - _MARGIN
    for number in range(_MARKS):
        x = _MARGIN + (_WIDTH - 20 - _MARGIN) * number / (_MARKS - 1)
        y = bottom + (20 - bottom) * number / (_MARKS - 1)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="20" y2="{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{(x - across[0]) / across[1]:.1f}</text>'
        yield f'<line x1="{_MARGIN}" x2="{_WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{(y - up[0]) / up[1]:.0f}</text>'
    yield f'<text x="{(_WIDTH + _MARGIN) / 2}" y="{_HEIGHT - 12}" text-anchor="middle">ms a frame</text>'
    yield f'<text x="{_MARGIN}" y="12" text-anchor="middle">mJ a frame</text>'
