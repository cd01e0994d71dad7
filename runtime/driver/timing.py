"""Time of reading, of each pass, of verification and of printing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

from ...passes.core.manager import Observer, PassPosition
from .report import heading


@dataclass
class Timing(Observer):
    """Collects wall times in seconds, in the order in which things were done first; as an observer it goes last."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    _start: float = 0.0

    @contextmanager
    def measure(self, name: str) -> Generator[None]:
        """Add the time of the body to the row `name`."""
        start = perf_counter()
        try:
            yield
        finally:
            self._add(name, perf_counter() - start)

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._start = perf_counter()

    def after_rewrite(self, place: PassPosition, module: ModuleOp) -> None:
        now = perf_counter()
        self._add(f"{place.number:>3}  {place.step}", now - self._start)
        self._start = now

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._add("verify", perf_counter() - self._start)

    def _add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def table(self) -> str:
        """Return the times as a table, in the order of a run and with their sum last."""
        order = ("parse", "verify", "print")
        passes = [name for name in self.seconds if name not in order]
        names = [name for name in ("parse", *passes, "verify", "print") if name in self.seconds]
        total = sum(self.seconds.values())
        lines = heading("... Execution time report ...")
        lines += [f"  Total Execution Time: {total:.4f} seconds", "", "  ----Wall Time----  ----Name----"]
        rows = [(self.seconds[name], name) for name in names] + [(total, "Total")]
        lines += [f"  {time:8.4f} ({time / (total or 1.0):6.1%})  {name}" for time, name in rows]
        return "\n".join(lines) + "\n"
