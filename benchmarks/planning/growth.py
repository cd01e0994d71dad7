"""Growth of planning time with the number of layers, for benchmarks/planning/networks.py."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from onnx import ModelProto
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo._builder import Builder
from tilewright.passes.core.manager import Observer, PassPosition

KINDS = ("equal", "different")
RUNS = 2
SETTLED = 4
"""From so many layers on, seconds a layer should not grow."""
MOST_GROWTH = 2.0


class _PlanningTime(Observer):
    """Measures the planned phase, verification included."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._start = 0.0

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._start = time.perf_counter()

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.step.phase == "planned":
            self.seconds += time.perf_counter() - self._start


def chain(layers: int, kind: str) -> ModelProto:
    """Return a chain of requantised convolutions: all of 24 channels, or no two of the same shape."""
    builder = Builder("chain", "A chain of convolutions.", seed=0)
    x = builder.input([24, 8, 8])
    for index in range(layers):
        # 7 and 33 share no factor: 33 layers with other channels each, small and large ones mixed.
        channels = 24 if kind == "equal" else 16 + 7 * index % 33
        x = builder.requant(builder.conv(x, channels, (3, 3), pads=(1, 1, 1, 1)))
    return builder.finish(x)


def growth(target: str, counts: Sequence[int], status: Console) -> tuple[Table, list[str]]:
    """Return a table of planning seconds by the layers of a chain, and the rows that grow superlinearly."""
    counts = sorted(counts)
    table = Table(
        title=f"seconds to plan chains of equal and of different convolutions, the best of {RUNS}", title_justify="left"
    )
    table.add_column("layers", justify="right")
    for title in (f"{kind}: {what}" for kind in KINDS for what in ("plan", "a layer", "from ONNX")):
        table.add_column(title, justify="right")
    pairs = [(count, kind) for count in counts for kind in KINDS]
    shown = track(pairs, "planning chains", console=status, transient=True, disable=not status.is_terminal)
    _seconds(chain(1, "equal"), target)  # the first run imports modules
    found = {pair: _seconds(chain(*pair), target) for pair in shown}
    for count in counts:
        both = [found[count, kind] for kind in KINDS]
        cells = [(f"{plan:.3f}", f"{plan / count:.4f}", f"{all_:.2f}") for plan, all_ in both]
        table.add_row(str(count), *(cell for row in cells for cell in row))
    return table, [fault for kind in KINDS for fault in _superlinear(kind, {n: found[n, kind][0] for n in counts})]


def _superlinear(kind: str, seconds: dict[int, float]) -> list[str]:
    settled = {count: value / count for count, value in seconds.items() if count >= SETTLED}
    if not settled or settled[max(settled)] <= MOST_GROWTH * settled[min(settled)]:
        return []
    ratio = settled[max(settled)] / settled[min(settled)]
    return [f"{max(settled)} {kind} layers take {ratio:.1f} times the seconds a layer of {min(settled)}"]


def _seconds(model: ModelProto, target: str) -> tuple[float, float]:
    """Return the seconds of planning, and from ONNX to the planned module."""
    runs: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.onnx"
        path.write_bytes(model.SerializeToString())
        for _ in range(RUNS):
            times, start = _PlanningTime(), time.perf_counter()
            compile_model(Model(path), target, stop_after="planned", observers=[times])
            runs.append((times.seconds, time.perf_counter() - start))
    return min(runs)
