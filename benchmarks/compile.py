"""
Compile time from ONNX to C, in all and per phase, beside the load time of other tools for the same model.

    python benchmarks/compile.py [MODEL...] [--runs N]

Without models, those of the zoo that compute in integers. Times are medians of wall time in this process, in turn with
those of the peers: `onnx.checker` with shape inference, and the creation of a session of ONNX Runtime, which optimises
the graph too.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import onnx
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.frontend import zoo
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.passes.core.pipeline import Pipeline
from tilewright.test.exits import exit_with

TARGET = "host"
PHASES = [phase.name for phase in machine_named(TARGET).phases]

Seconds = dict[str, float]


class PhaseTimes(Observer):
    """Measures the phases of a pipeline, verification included; the import is what comes before."""

    def __init__(self) -> None:
        self.seconds: Seconds = {}
        self._last = time.perf_counter()

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self._add("import")

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._add(place.step.phase)

    def _add(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0) + now - self._last
        self._last = now


def ours(path: Path) -> tuple[Seconds, dict[str, Any]]:
    """Compile a model to C; return the seconds of each phase, and facts about the result."""
    start = time.perf_counter()
    phases = PhaseTimes()
    compilation = compile_model(Model(path), TARGET, observers=[phases])
    printing = time.perf_counter()
    program = compilation.program()
    source = program.source
    end = time.perf_counter()
    seconds = phases.seconds | {"print": end - printing, "total": end - start}
    facts = {"nodes": compilation.report["nodes"], "kernels": compilation.report["kernels"]}
    return seconds, facts | {"lines": source.count("\n"), "bytes": len(source) + program.weights_bytes}


def timed(run: Callable[[], object]) -> float:
    """Return the seconds that something takes; not a number where it fails."""
    start = time.perf_counter()
    try:
        run()
    except Exception:
        return float("nan")
    return time.perf_counter() - start


def checked(path: Path) -> object:
    library: Any = onnx  # its stubs leave types open
    model = library.load(path)
    library.checker.check_model(model)
    return library.shape_inference.infer_shapes(model)


def session(path: Path) -> object:
    import onnxruntime

    library: Any = onnxruntime
    library.set_default_logger_severity(4)
    return library.InferenceSession(path, providers=["CPUExecutionProvider"])


def measure(path: Path, runs: int) -> tuple[Seconds, dict[str, Any]]:
    """Return the medians of ours and of the peers, and facts about the result."""
    ours(path)  # the first run imports modules, which is no work on the model
    timed(lambda: session(path))
    all_runs: list[Seconds] = []
    facts: dict[str, Any] = {}
    for _ in range(runs):
        seconds, facts = ours(path)
        peers = {"checker": timed(lambda: checked(path)), "session": timed(lambda: session(path))}
        all_runs.append(seconds | peers)
    return {name: statistics.median(run[name] for run in all_runs) for name in all_runs[0]}, facts


def _name(path: Path) -> str:
    return path.absolute().parent.name if path.stem == "network" else path.stem


def _shown(seconds: float) -> str:
    return "refuses it" if math.isnan(seconds) else f"{seconds:.3f}"


def report(paths: Sequence[Path], runs: int) -> None:
    """Print a table of sizes and totals, and one of phases."""
    status = Console(stderr=True)
    rows = {_name(path): measure(path, runs) for path in track(paths, "compiling", console=status, transient=True)}
    sizes = Table("network", title=f"ONNX to C for {TARGET}, seconds (median of {runs})", title_justify="left")
    for title in ("nodes", "kernels", "C lines", "C bytes", "ONNX to C", "onnx.checker", "ONNX Runtime"):
        sizes.add_column(title, justify="right")
    names = ["import", *PHASES, "print"]
    phases = Table("network", title="seconds per phase", title_justify="left")
    for name in names:
        phases.add_column(name, justify="right")
    for network, (seconds, facts) in rows.items():
        counts = [f"{facts[name]:,}" for name in ("nodes", "kernels", "lines", "bytes")]
        sizes.add_row(network, *counts, *(_shown(seconds[name]) for name in ("total", "checker", "session")))
        phases.add_row(network, *(f"{seconds[name]:.3f}" for name in names))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(sizes)
    console.print(phases)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.models:
        report(arguments.models, arguments.runs)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.onnx" for name in zoo.names() if not zoo.is_of_floats(name)]
        for path in paths:
            path.write_bytes(zoo.build(path.stem).SerializeToString())
        report(paths, arguments.runs)
    return 0


if __name__ == "__main__":
    exit_with(main)
