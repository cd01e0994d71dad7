"""
Plant faults in the compiler and its C runtime, and see whether the tests of the part kill them (mutation testing).

    python test/faults/planted_faults.py [--jobs N] [NAME ...]

Each fault of `planted_tensor_faults.py` and `planted_program_faults.py` replaces one text in one file of a copy of the
project; the tests of that part then run until the first failure. Prints a row a fault; exits with 1 if one survives, if
its text is not found exactly once, or if its tests are not there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from queue import Queue

from rich.console import Console
from rich.progress import track

from tilewright.test.faults.planted_fault import Fault
from tilewright.test.faults.planted_program_faults import PROGRAM_FAULTS
from tilewright.test.faults.planted_tensor_faults import TENSOR_FAULTS

ROOT = Path(__file__).parents[2]
LIMIT = 600
"""Seconds after which the tests of a fault are stopped: an endless loop is noticed too."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one fault: the first test that failed, empty where the fault survived; `problem` where it is stale."""

    fault: Fault
    killer: str
    seconds: float
    problem: str = ""


def copy_project(folder: Path) -> Path:
    """Copy the project's files that git tracks into a folder; returns the folder that holds the package by its name."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).exists():
            target = folder / "copy" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    return folder / "copy"


def run_fault(fault: Fault, copy: Path) -> Outcome:
    """Plant one fault in a copy, run the tests of its part, and take it out again."""
    path = copy / fault.file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text.count(fault.old) != 1:
        return Outcome(fault, "", 0, f"{text.count(fault.old)} places hold the text that it replaces")
    absent = [test for test in fault.tests if not any(copy.glob(test))]
    if absent:
        return Outcome(fault, "", 0, f"there is no {absent[0]}")
    start = time.perf_counter()
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    try:
        killer = first_failure(fault.tests, copy)
    finally:
        path.write_text(text, encoding="utf-8")
    return Outcome(fault, killer, time.perf_counter() - start)


def first_failure(tests: Sequence[str], copy: Path) -> str:
    """Run tests of a copy, given as globs, until one fails; returns its name, empty where all pass."""
    files = [str(path.relative_to(copy)) for test in tests for path in sorted(copy.glob(test))]
    environment = os.environ | {"PYTHONPATH": str(copy / ".links"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "-rfE", *files]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"stopped after {LIMIT} s"
    if done.returncode == 0:
        return ""
    failed = (line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
    return next(failed, f"exit code {done.returncode}").split(" - ")[0].removeprefix("FAILED ").removeprefix("ERROR ")


def run(faults: Sequence[Fault], jobs: int) -> Iterator[Outcome]:
    """Run faults in `jobs` copies of the project at once; yields the outcomes in the order of the faults."""
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(jobs) as pool:
        copies: Queue[Path] = Queue()
        for number in range(jobs):
            copies.put(copy_project(Path(temporary) / str(number)))

        def one(fault: Fault) -> Outcome:
            copy = copies.get()
            try:
                return run_fault(fault, copy)
            finally:
                copies.put(copy)

        yield from pool.map(one, faults)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only faults whose name or file match (a glob)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at once (%(default)s)")
    options = parser.parse_args()
    patterns = options.names or ["*"]
    chosen = [
        fault
        for fault in (*TENSOR_FAULTS, *PROGRAM_FAULTS)
        if any(fnmatch(text, p) for p in patterns for text in (fault.name, fault.file))
    ]
    if not chosen:
        parser.error("no fault has such a name")
    console, progress = Console(soft_wrap=True), Console(stderr=True)
    alive: list[str] = []
    for each in track(run(chosen, options.jobs), "faults", total=len(chosen), console=progress, transient=True):
        verdict = f"killed by {each.killer}" if each.killer else f"[bold red]{each.problem or 'SURVIVED'}[/]"
        console.print(f"{each.fault.file}: {each.fault.name}: {verdict} ({each.seconds:.0f} s)", highlight=False)
        alive += [] if each.killer else [each.fault.name]
    console.print(f"{len(chosen) - len(alive)} of {len(chosen)} killed", highlight=False)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
