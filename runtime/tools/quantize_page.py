"""Error of a quantised network as a self-contained HTML page with plots."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import inf, isfinite, log10
from typing import TYPE_CHECKING

from ..html_table import table

if TYPE_CHECKING:
    from ...frontend.quantize.error import TensorError

_WIDTH, _HEIGHT, _MARGIN = 960, 240, 40
_STYLE = (
    "body{font:14px sans-serif;margin:2em;max-width:1000px}svg{width:100%}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}"
    "td:nth-child(-n+3),th:nth-child(-n+3){text-align:left}"
)


def page_of(errors: Sequence[TensorError], title: str) -> str:
    """Return the page; `title` names the network."""
    sqnr = [min(max(error.sqnr, 0), 80) for error in errors]
    angle = [-log10(max(1 - error.cosine, 1e-8)) for error in errors]
    name = escape(title)
    labels = list(map(_label, errors))
    plots = (
        ("Signal to quantisation noise (dB)", _bars(sqnr, labels)),
        ("Cosine, as -log10(1 - cosine)", _bars(angle, labels)),
    )
    sections = "".join(f"<h2>{head}</h2>{plot}" for head, plot in plots)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head>"
        f"<body><h1>{name}: error of each layer</h1>{sections}<h2>Tensors</h2>{_table(errors)}</body></html>\n"
    )


def _label(error: TensorError) -> str:
    return f"{error.layer or error.tensor} ({error.operator}): {_decibels(error.sqnr)} dB, cosine {error.cosine:.6f}"


def _decibels(ratio: float) -> str:
    return f"{ratio:.1f}" if isfinite(ratio) else "exact" if ratio == inf else "none"


def _bars(values: Sequence[float], labels: Sequence[str]) -> str:
    """Return a bar chart as SVG; a bar shows its label where the pointer rests."""
    top = max((*values, 1e-9))
    step = (_WIDTH - _MARGIN) / max(1, len(values))
    bars = [
        f'<rect x="{_MARGIN + index * step:.1f}" y="{_HEIGHT * (1 - value / top):.1f}" '
        f'width="{max(step - 1, 0.5):.1f}" height="{_HEIGHT * value / top:.1f}" fill="#4878a8">'
        f"<title>{escape(label)}</title></rect>"
        for index, (value, label) in enumerate(zip(values, labels, strict=True))
    ]
    ticks = [
        f'<text x="0" y="{_HEIGHT * (1 - share) + 12:.1f}" font-size="12">{top * share:.1f}</text>'
        f'<line x1="{_MARGIN}" x2="{_WIDTH}" y1="{_HEIGHT * (1 - share):.1f}" y2="{_HEIGHT * (1 - share):.1f}" '
        'stroke="#ccc"/>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + 20}">{"".join(ticks)}{"".join(bars)}</svg>'


def _table(errors: Sequence[TensorError]) -> str:
    head = ("node", "operator", "tensor", "scale", "zero", "SQNR dB", "cosine")
    rows: list[Sequence[object]] = []
    for error in errors:
        numbers = f"{error.scale:.5g}", error.zero, _decibels(error.sqnr), f"{error.cosine:.6f}"
        rows.append((error.layer, error.operator, error.tensor, *numbers))
    return table(head, rows)
