"""
Random small graphs of ONNX operators, compared with ONNX Runtime.

    python test/fuzz/random_graphs.py                              5,000 graphs on the interpreter
    python test/fuzz/random_graphs.py --graphs 500 --on c          as C, compiled with -O0
    python test/fuzz/random_graphs.py --kind open --on c --target gemmini
    python test/fuzz/random_graphs.py --graphs 1 --seed 1234 -v

Graph number N is made from the seed N by `test/random/networks/`: a `static` one, whose shapes are known; an
`open` one, whose inputs have symbolic extents, and which is compiled for three sets of them; a `selected` one, of
tensors whose extents depend on data (docs/dynamic-sizes.md), one program for three sets of inputs. A differing graph is
reduced to the nodes that reproduce it and printed as ONNX text with its inputs, unless docs/onnx-differences.md
explains it. A graph counts as equal, explained, refused (a clear error), skipped (ONNX Runtime has no kernel for it),
differs, fault, crash or hang; the exit code is 1 if there is one of the last four.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter

import onnx
from rich.console import Console
from rich.progress import track

from tilewright.runtime.tools.onnx_backend import DEVICES
from tilewright.test.frontend.random_onnx.compare import (
    AGREEMENTS,
    KINDS,
    Place,
    Verdict,
    graph_of,
    inputs_of,
    judged,
)
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated

SECONDS = 60
"""How long a graph may take."""


def attempt(seed: int, kind: str, place: Place) -> tuple[Verdict, str]:
    """Return the outcome of a graph, and its reproducer if it failed."""
    verdict, part = judged(graph_of(seed, kind), seed, place, KINDS[kind])
    if verdict.kind in AGREEMENTS:
        return verdict, ""
    data = [inputs_of(part, seed, turn) for turn in range(KINDS[kind])]
    arrays = "\n".join(f"  {name} = {array.tolist()}" for inputs in data for name, array in inputs.items())
    return verdict, f"{onnx.printer.to_text(part)}\n{arrays}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--graphs", type=int, default=5000, metavar="N", help="how many graphs (5000)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--kind", choices=[*KINDS], default="static", help="which graphs (static)")
    add("--target", default="host", metavar="T", help="the machine to compile for (host)")
    add("--on", choices=DEVICES, default=DEVICES[0], help="where to run (interpreter)")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at a time")
    add("-v", "--verbose", action="store_true", help="print what is refused and skipped, too")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.graphs)
    console = Console(stderr=True)
    place = Place(options.on, options.target)
    runs = run_isolated(seeds, lambda seed: attempt(seed, options.kind, place), options.jobs, SECONDS)
    shown = track(runs, "comparing", len(seeds), console=console, transient=True, disable=not console.is_terminal)
    counts: Counter[str] = Counter()
    for seed, outcome in shown:
        ended = isinstance(outcome, Crash | Hang)
        verdict, reproducer = (Verdict(type(outcome).__name__.lower(), str(outcome)), "") if ended else outcome
        counts[verdict.kind] += 1
        if options.verbose or verdict.kind not in AGREEMENTS:
            print(f"seed {seed}: {verdict.kind}: {verdict.detail}\n{reproducer}".strip(), flush=True)
    print(
        f"{options.kind}, {options.on}, {options.target}: "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    )
    return int(not set(counts) <= set(AGREEMENTS))


if __name__ == "__main__":
    sys.exit(main())
