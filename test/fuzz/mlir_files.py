"""
Fuzz opt-tool: each mutated `.mlir` file is refused by a clear error or compiled, without traceback, crash or hang.

    python test/fuzz/mlir_files.py --files 1000
    python test/fuzz/mlir_files.py --files 1 --seed 1234 --keep /tmp/mutants

File number N is made from the seed N by `test/opt_tool/mutated_programs.py`, of a program of the lit tests, and goes
through the passes of its test. The exit code is 1 where one ends otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated
from tilewright.test.opt_tool.mutated_programs import mutant, outcome_of

SECONDS = 10
"""How long a file may take."""


def attempt(seed: int) -> str:
    """Return the outcome of a file, or the traceback."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return outcome_of(mutant(seed), Path(folder))
    except Exception:
        return traceback.format_exc()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--files", type=int, default=1000, metavar="N", help="how many files (1000)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at a time")
    add("--keep", type=Path, metavar="DIR", help="write the files there")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.files)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            program = mutant(seed)
            (options.keep / f"{seed}.mlir").write_text(f"// RUN: opt-tool %s -p '{program.passes}'\n{program.text}")
    console = Console(stderr=True)
    runs = run_isolated(seeds, attempt, options.jobs, SECONDS)
    shown = track(runs, "compiling", len(seeds), console=console, transient=True, disable=not console.is_terminal)
    counts: Counter[str] = Counter()
    for seed, found in shown:
        ended = type(found).__name__.lower() if isinstance(found, Crash | Hang) else found
        counts[ended if "\n" not in ended else "traceback"] += 1
        if ended not in ("refused", "compiled"):
            print(f"seed {seed}: {found}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return int(not set(counts) <= {"refused", "compiled"})


if __name__ == "__main__":
    sys.exit(main())
