"""
Fuzz the importer: each mutated ONNX file is refused by a clear error or imported, without traceback, crash or hang.

    python test/fuzz/onnx_files.py --models 3000
    python test/fuzz/onnx_files.py --models 1 --seed 1234 --keep /tmp/mutants
    python test/fuzz/onnx_files.py --models 5000 --of nodes

Model number N is made from the seed N by `test/frontend/mutations.py`; of nodes, from ONNX's node tests by
`test/frontend/node_mutations.py`. The exit code is 1 where one ends otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

from rich.console import Console
from rich.progress import track

from tilewright.test.frontend import node_mutations
from tilewright.test.frontend.mutations import bases, mutated, outcome_of
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated
from tilewright.test.fuzz.onnx_cases import Case, load_cases

SECONDS = 10
"""How long a file may take."""


@cache
def node_tests() -> list[Case]:
    return load_cases()


def mutant(seed: int, of: str) -> bytes:
    """Return the file of a number, of a model that is one node or few where `of` says so."""
    random = Random(seed)
    if of == "models":
        models = bases()
        return mutated(models[seed % len(models)], random)
    case = node_tests()[seed % len(node_tests())]
    inputs = case.data[0][0] if case.data else []
    return node_mutations.mutated(node_mutations.base(case.model, inputs), random)


def attempt(data: bytes) -> str:
    """Return the outcome of a file, or the traceback."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return outcome_of(data, Path(folder))
    except Exception:
        return traceback.format_exc()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--models", type=int, default=3000, metavar="N", help="how many files (3000)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--of", choices=("models", "nodes"), default="models", help="what is mutated (models)")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at a time")
    add("--keep", type=Path, metavar="DIR", help="write the files there")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.models)
    if options.of == "nodes":
        node_tests()  # before the processes are forked
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            (options.keep / f"{seed}.onnx").write_bytes(mutant(seed, options.of))
    console = Console(stderr=True)
    runs = run_isolated(seeds, lambda seed: attempt(mutant(seed, options.of)), options.jobs, SECONDS)
    shown = track(runs, "importing", len(seeds), console=console, transient=True, disable=not console.is_terminal)
    counts: Counter[str] = Counter()
    for seed, found in shown:
        ended = type(found).__name__.lower() if isinstance(found, Crash | Hang) else found
        counts[ended if "\n" not in ended else "traceback"] += 1
        if ended not in ("refused", "imported", "compiled"):
            print(f"seed {seed}: {found}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return int(not set(counts) <= {"refused", "imported", "compiled"})


if __name__ == "__main__":
    sys.exit(main())
