"""A plan as a self-contained page: who does what over frames, layers, queues, energy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from ...runtime.html_table import table
from .frames import RECEIVE, Span
from .plan import FramePlan

_TEMPLATE = Path(__file__).with_name("page.html")

_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac")
"""One for each frame in turn: eight that people with any colour vision tell from their neighbours."""

_WIDTH, _LEFT, _ROW, _TOP = 1000, 70, 46, 24
"""Pixels of the chart at its full width, of its labels, of a processor's row, and above the first."""


def page_of(plan: FramePlan) -> str:
    """Return the page of a plan."""
    title = f"{plan.network.name} on {len(plan.prediction.stages)} stages, {plan.mode}"
    source = plan.network.source or "cost functions"
    parts = {
        "title": escape(title),
        "subtitle": escape(f"modelled; times of layers from {source}"),
        "facts": _facts(plan),
        "chart": _chart(plan),
        "legend": "A bar is a stage at work on a frame, whose number it bears; light parts receive values from another "
        "processor, in the row of the host of a processor that has one. Gaps are waits.",
        "layers": _layers(plan),
        "queues": table(
            ["queue", "slots", "bytes of a slot", "bytes"],
            [(queue.name, queue.depth, f"{queue.bytes:,}", f"{queue.depth * queue.bytes:,}") for queue in plan.queues],
        ),
        "energy": _energy(plan),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def _facts(plan: FramePlan) -> str:
    simulation, energy = plan.simulation, plan.prediction.energy
    facts = {
        "frames a second": f"{1e9 / simulation.period:.2f}",
        "ms between frames": f"{simulation.period / 1e6:.2f}",
        "ms of latency": f"{simulation.latency / 1e6:.2f}",
        "mJ a frame": "not known" if energy is None else f"{energy:.0f}",
        "bytes of queues": f"{plan.queue_bytes:,}",
    }
    return "".join(f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for name, value in facts.items())


def _chart(plan: FramePlan) -> str:
    spans = plan.simulation.spans
    rows = _processors(plan)
    end = max(span.end for span in spans) or 1
    scale = (_WIDTH - _LEFT - 10) / end
    height = _TOP + _ROW * len(rows) + 24
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" style="min-width: 700px" role="img" aria-label="timeline">']
    for place, name in enumerate(rows):
        middle = _TOP + _ROW * place + _ROW // 2
        parts.append(f'<text x="0" y="{middle + 4}">{escape(name)}</text>')
        parts.append(f'<line class="line" x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{middle + 20}" y2="{middle + 20}"/>')
    parts += _ticks(end, scale, height)
    for bar in _bars(spans):
        parts += _drawn(bar, _LEFT, scale, _TOP + _ROW * rows.index(bar[0].processor))
    return "".join([*parts, "</svg>"])


def _processors(plan: FramePlan) -> list[str]:
    """Return the processors at work: those of stages, then those that only host others."""
    stages = [stage.processor for stage in plan.prediction.stages]
    return list(dict.fromkeys([*stages, *(span.processor for span in plan.simulation.spans)]))


def _ticks(end: int, scale: float, height: int) -> Iterable[str]:
    """Yield about eight marks of time, at round milliseconds."""
    step = next(unit * 10**power for power in range(1, 12) for unit in (1, 2, 5) if end / (unit * 10**power) <= 8)
    for time in range(0, end + 1, step):
        x = _LEFT + time * scale
        yield f'<line class="line" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 4}" y2="{height - 20}"/>'
        yield f'<text class="soft" x="{x:.1f}" y="{height - 6}" text-anchor="middle">{time / 1e6:g} ms</text>'


def _bars(spans: Sequence[Span]) -> list[list[Span]]:
    """Return the spans of each stage and frame on a processor."""
    bars: dict[tuple[str, int, str], list[Span]] = {}
    for span in spans:
        bars.setdefault((span.stage, span.frame, span.processor), []).append(span)
    return list(bars.values())


def _drawn(bar: Sequence[Span], left: float, scale: float, top: int) -> Iterable[str]:
    colour = _COLOURS[bar[0].frame % len(_COLOURS)]
    for span in bar:
        x, width = left + span.start * scale, max(0.5, (span.end - span.start) * scale)
        what = "receives" if span.layer == RECEIVE else f"layer {span.layer}"
        label = f"{span.stage}, frame {span.frame}, {what}: {(span.end - span.start) / 1e6:.2f} ms"
        opacity = 0.35 if span.layer == RECEIVE else 1
        yield (
            f'<rect x="{x:.2f}" y="{top + 6}" width="{width:.2f}" height="34" fill="{colour}" fill-opacity="{opacity}"'
            f' stroke="var(--paper)" stroke-width="0.5"><title>{escape(label)}</title></rect>'
        )
    first, last = bar[0].start, bar[-1].end
    if (last - first) * scale > 14:
        x = left + (first + last) / 2 * scale
        yield f'<text x="{x:.1f}" y="{top + 27}" text-anchor="middle" style="fill:#fff">{bar[0].frame}</text>'


def _layers(plan: FramePlan) -> str:
    names = list(plan.network.layers[0].times)
    rows: list[Sequence[object]] = []
    for layer, processor in zip(plan.network.layers, plan.prediction.order, strict=True):
        nodes = layer.first if layer.first == layer.last else f"{layer.first} .. {layer.last}"
        times = [f"{layer.times[name] / 1e6:.1f}" for name in names]
        rows.append((layer.number, nodes, f"{layer.macs:,}", *times, processor))
    return table(["layer", "nodes", "MACs", *names, "on"], rows)


def _energy(plan: FramePlan) -> str:
    simulation = plan.simulation
    end = max(span.end for span in simulation.spans) or 1
    rows: list[Sequence[object]] = [(name, f"{simulation.busy(name) / end:.0%}") for name in _processors(plan)]
    total = plan.prediction.energy
    rows.append(("all", "not known" if total is None else f"{total:.0f} mJ a frame"))
    return table(["processor", "busy"], rows)
