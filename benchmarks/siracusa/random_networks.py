"""
Random quantised networks on Siracusa, on GVSoC: measured cycles beside modelled ones, of programs nobody chose.

    GVSOC=... python benchmarks/siracusa/random_networks.py [--count 40] [--first 0] [--target siracusa] [--fit]
        [--processes 2]

Networks are those of `tilewright.test.random.networks` by seed, in RequantShift, QLinear and QDQ form in turn, the last
two compiled with `--integers`, every other one with `--shifts` too. Their first maps have 8 to 64 channels and 7 to 28
pixels a side. Networks of fewer than 5,000 modelled cycles are passed over, for these are mostly forks and joins, and
so are those of more than 1,000,000, which GVSoC takes minutes for.

The laws in targets/siracusa/cost were fitted to even seeds, which `--fit` runs; without it odd ones are drawn, and the
last lines say how many of these programs are within 10 % and 20 % of their modelled cycles. Cycles are those of a later
call. The exit code is 1 where an output differs from the interpreter's at the level `layout`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.tools.check import Case, check
from tilewright.runtime.tools.session import Interpreted
from tilewright.targets.siracusa.simulators.gvsoc import PROGRAM
from tilewright.test.exits import exit_with
from tilewright.test.random.networks.network import RandomNetwork, random_network

FORMS = ("requant", "qlinear", "qdq")
CHANNELS = (8, 12, 16, 17, 24, 31, 32, 33, 48, 64)
EXTENTS = (7, 8, 9, 11, 12, 13, 14, 16, 19, 24, 28)
LEAST, MOST = 5_000, 1_000_000
"""Modelled cycles of a program that is measured."""
NEAR, FAR = 0.10, 0.20
"""Relative errors of the model that are counted."""


@dataclass(frozen=True)
class Result:
    """Measured and modelled cycles of a program; `verdict` is equal, differs, an error, or empty if passed over."""

    seed: int
    form: str
    layers: tuple[str, ...]
    verdict: str = ""
    modelled: int = 0
    measured: int = 0

    @property
    def ratio(self) -> float:
        """Return the measured cycles by the modelled ones."""
        return self.measured / self.modelled


def network_of(seed: int) -> tuple[RandomNetwork, Model]:
    """Return the network of a seed, and the options that it is compiled with."""
    draw = np.random.default_rng([seed, 2])
    shape = (1, int(draw.choice(CHANNELS)), int(draw.choice(EXTENTS)), int(draw.choice(EXTENTS)))
    # Seeds of one parity have all forms, and each form both options.
    form = FORMS[seed // 2 % len(FORMS)]
    network = random_network(seed, form, exact=False, layers=int(draw.integers(1, 4)), shape=shape)
    is_affine = form != "requant"
    return network, Model(Path(), integers=is_affine, shifts=is_affine and seed // 6 % 2 == 1)


def write_program(network: RandomNetwork, options: Model, folder: Path) -> Case:
    """Write a network with an input and the interpreter's outputs at the level `layout` as a case of `check`."""
    path, inputs = folder / "network.onnx", network.samples[0]
    path.write_bytes(network.model.SerializeToString())
    model = Model(path, integers=options.integers, shifts=options.shifts)
    outputs = Interpreted(compile_model(model, "siracusa", stop_after="layout"))(inputs)
    _save(folder / "inputs.npz", inputs)
    _save(folder / "outputs.npz", outputs)
    return Case(path, f"seed {network.seed}")


def _save(file: Path, arrays: dict[str, Array]) -> None:
    np.savez(file, allow_pickle=False, **arrays)


def measure(seed: int, target: str) -> Result:
    """Compile and run the network of a seed; passed over if it is small or large by its modelled cycles."""
    network, options = network_of(seed)
    kind = f"{FORMS[seed // 2 % len(FORMS)]}{' shifts' if options.shifts else ''}"
    result = Result(seed, kind, network.layers)
    with tempfile.TemporaryDirectory() as temporary:
        try:
            case = write_program(network, options, Path(temporary))
            whole = Model(case.model, integers=options.integers, shifts=options.shifts)
            modelled = int(compile_model(whole, target).report["modelled_cycles"])
        except Diagnostic as error:
            return Result(seed, kind, network.layers, f"error: {error.message}")
        if not LEAST <= modelled <= MOST:
            return result
        [row] = check([case], target, ["gvsoc"], template=options)
    if row.error is not None:
        return Result(seed, kind, network.layers, f"error: {row.error.message}")
    return Result(seed, kind, network.layers, row.verdict, modelled, row.measured[0].later)


def summary(results: Sequence[Result]) -> str:
    """Return the counts of programs within each error, and the largest error."""
    errors = [abs(result.ratio - 1) for result in results]
    shares = [f"{sum(error <= most for error in errors)} within {most:.0%}" for most in (NEAR, FAR)]
    return f"{len(results)} programs: {', '.join(shares)}; furthest off {max(errors, default=0):.0%}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="programs that are measured (40)")
    parser.add_argument("--first", type=int, default=0, help="least seed (0)")
    parser.add_argument("--seed", type=int, nargs="+", help="these seeds alone")
    parser.add_argument("--target", default="siracusa", help="target (siracusa)")
    parser.add_argument("--fit", action="store_true", help="even seeds, to which the model was fitted")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (2)")
    options = parser.parse_args()
    PROGRAM.found_version()
    first = options.first + (options.first % 2 == options.fit)
    table = Table("seed", "form", "layers", title=f"cycles on GVSoC, later calls, {options.target}")
    for title in ("modelled", "measured", "measured / modelled", "outputs"):
        table.add_column(title, justify="right")
    results: list[Result] = []
    failed: list[Result] = []
    with ProcessPoolExecutor(options.processes) as pool:
        seeds = iter(options.seed or count(first, 2))
        while len(results) < options.count:
            batch = list(islice(seeds, options.processes))
            if not batch:
                break
            for result in pool.map(measure, batch, [options.target] * len(batch)):
                if not result.verdict:
                    continue
                (failed if result.verdict != "equal" else results).append(result)
                cells = (str(result.seed), result.form, ", ".join(result.layers), f"{result.modelled:,}")
                ratio = f"{result.ratio:.2f}" if result.modelled else ""
                table.add_row(*cells, f"{result.measured:,}", ratio, result.verdict)
                print(*cells, f"{result.measured:,}", ratio, result.verdict, sep="  ", file=sys.stderr, flush=True)
    console = Console(width=150)
    console.print(table)
    console.print(summary(results), highlight=False)
    return int(any(result.verdict == "differs" for result in failed))


if __name__ == "__main__":
    exit_with(main, failed=2)
