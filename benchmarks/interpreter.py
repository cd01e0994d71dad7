"""
Run time of the interpreter for a network of floats at each level, beside ONNX's reference and ONNX Runtime.

    python benchmarks/interpreter.py [--runs N] [--limit SECONDS] [NETWORK]

NETWORK is a name of the zoo (resnet50). Levels are the phases of the host's pipeline up to its buffers; below them are
loops over single elements. Times are the minimum CPU time of all runs, summed over threads.
Exit code 1 where a level takes longer than the limit (2 s), or gives other numbers than ONNX Runtime (1e-4 of the
largest).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.interpreter import Session

LAST = "buffers"
CLOSE = 1e-4


def least(run: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """Return the least seconds of processor time of some runs, and what the last one gives."""
    times: list[float] = []
    result: Any = None
    for _ in range(runs):
        start = time.process_time()
        result = run()
        times.append(time.process_time() - start)
    return min(times), result


def phases() -> list[str]:
    """Return the phases of the host's pipeline up to its buffers."""
    names = [phase.name for phase in machine_named("host").phases]
    return names[: names.index(LAST) + 1]


def level(path: Path, phase: str, inputs: dict[str, Array]) -> Callable[[], Array]:
    """Return a function that runs a network at a level and gives its first output."""
    session = Session(compile_model(Model(path), "host", stop_after=phase).module)
    return lambda: next(iter(session.run(inputs).values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", default="resnet50")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=2.0)
    arguments = parser.parse_args()
    model = zoo.build(arguments.network)
    inputs = zoo.sample_inputs(model, 0)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        path.write_bytes(model.SerializeToString())
        runtime: Any = onnxruntime
        library: Any = onnx
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        taken, (expected, *_) = least(lambda: session.run(None, inputs), arguments.runs)
        print(f"{'ONNX Runtime':<20}{taken:>8.3f} s")
        reference: Any = ReferenceEvaluator(library.load(path))
        print(f"{'ONNX reference':<20}{least(lambda: reference.run(None, inputs), arguments.runs)[0]:>8.3f} s")
        for phase in phases():
            taken, found = least(level(path, phase, inputs), arguments.runs)
            error = float(np.abs(found - expected).max() / np.abs(expected).max())
            print(f"{phase:<20}{taken:>8.3f} s   error {error:.1e}", flush=True)
            good = good and taken <= arguments.limit and error <= CLOSE
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
