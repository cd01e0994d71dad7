"""
Random networks of floats with random options, quantised, and run in ONNX Runtime and in the interpreter.

    python test/fuzz/quantized_networks.py                          1,000 networks
    python test/fuzz/quantized_networks.py --networks 1 --seed 1234 -v

Network number N, its options and its samples are made from the seed N by `test/frontend/quantize/population.py`: up to
seven of some 100 operators around products, with cells, attention and dead branches. A network counts as quantised,
refused (a clear error), skipped (ONNX Runtime does not run it in floats), fault (an internal error), invalid (ONNX
Runtime does not run the result), differs (the interpreter has other numbers), noisy (a scale does not fit its tensor),
crash or hang; the exit code is 1 if there is one of the last six.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter

from rich.console import Console
from rich.progress import track

from tilewright.test.exits import exit_with
from tilewright.test.frontend.quantize.population import GOOD, Verdict, judged_network
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated

SECONDS = 120
"""Time limit of a network, in seconds."""


def attempt(seed: int) -> Verdict:
    """Return the verdict of a network."""
    warnings.simplefilter("ignore", UserWarning)
    return judged_network(seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--networks", type=int, default=1000, metavar="N", help="how many networks (1000)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at a time")
    add("-v", "--verbose", action="store_true", help="print what is refused and skipped, too")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.networks)
    console = Console(stderr=True)
    runs = run_isolated(seeds, attempt, options.jobs, SECONDS)
    shown = track(runs, "quantising", len(seeds), console=console, transient=True, disable=not console.is_terminal)
    counts: Counter[str] = Counter()
    for seed, outcome in shown:
        verdict = (
            Verdict(type(outcome).__name__.lower(), str(outcome)) if isinstance(outcome, Crash | Hang) else outcome
        )
        counts[verdict.kind] += 1
        if options.verbose or verdict.kind not in GOOD:
            print(f"seed {seed}: {verdict.kind}: {verdict.detail}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return int(any(kind not in GOOD for kind in counts))


if __name__ == "__main__":
    exit_with(main)
