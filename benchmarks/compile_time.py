"""
Compile time and size of a Llama for Siracusa, with its layers: published and ours.

    python benchmarks/compile_time.py [--layers 1,2,4,8] [--runs 3] [--profile]

The rows are those of Deeploy's Table I (Scherer et al., arXiv:2408.04413, section VI-C): the 128th step of a Llama of
64 features, 16 heads and 256 hidden ones, for the NPU with the weight memory. Ours has an embedding and scores besides,
of two tokens.

Seconds are from the ONNX file to written C, in a process that has compiled nothing before: wall time and CPU time, the
minimum over the runs. Sizes are those of the program for the chip: code, with the C runtime; constants, in L2 and the
weight memory; and the caches and other inputs and outputs. Published code holds an SDK, too.

The exit code is 1 where 8 layers take 6 s of CPU time or more, where a layer in the second half takes over 1.3 times
one in the first, and where code or constants are larger than published.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.compiler import Compilation, Model, compile_model, write_compilation
from tilewright.frontend.zoo import llama
from tilewright.runtime.host import ports_of
from tilewright.runtime.rv32 import read_elf
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare

TARGET = "siracusa"
STEP = 128
LIMIT_SECONDS = 6.0
LIMIT_GROWTH = 1.3
"""What a layer of the second half may take, in layers of the first: the wall time of single runs varies by a tenth."""


@dataclass(frozen=True)
class Published:
    """A column of Table I: seconds, and kilobytes of code, of input and output buffers, and of constants."""

    seconds: float
    code: float
    buffers: float
    requantisation: float
    weights: float


TABLE_I = {
    1: Published(1, 42.4, 10.4, 7.0, 64),
    2: Published(2.65, 61.8, 18.6, 15.3, 128),
    3: Published(5.17, 84.4, 26.8, 23.6, 192),
    4: Published(7.92, 105.7, 35.0, 31.9, 256),
    5: Published(11.72, 128.1, 43.2, 40.2, 320),
    6: Published(16.9, 150.1, 51.4, 48.5, 384),
    7: Published(22.25, 171.5, 59.5, 57.8, 448),
    8: Published(28, 194.8, 67.7, 66.1, 512),
}
KILO = 1000


@dataclass(frozen=True)
class Row:
    """Result of one compilation, in seconds and bytes."""

    layers: int
    wall: float
    cpu: float
    code: int
    constants: int
    buffers: int


def write_model(layers: int, path: Path) -> Path:
    """Write the network with `layers` layers, for the 128th token."""
    config = llama.Config(layers=layers, dim=64, heads=16, hidden=256, vocabulary=2, context=STEP)
    path.write_bytes(llama.step(STEP - 1, config=config).SerializeToString())
    return path


def compiled(path: Path, folder: Path) -> Compilation:
    """Compile a network to C in a folder."""
    compilation = compile_model(Model(path), TARGET)
    write_compilation(compilation, folder)
    return compilation


def measured(layers: int, path: Path) -> Row:
    """Compile a network once, build it for the chip, and return seconds and sizes."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "build"
        wall, cpu = time.perf_counter(), time.process_time()
        compilation = compiled(path, folder)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        program = compilation.program()
        elf = build_bare(folder, Path(temporary) / "network.elf", SIRACUSA)
        names = [weight.c_name for weight in program.weights]
        header = (folder / "network.h").read_text()
        upper = program.prefix.upper()
        ports = [port for kind in ("INPUT", "OUTPUT") for port in ports_of(header, f"{upper}_{kind}")]
        buffers = sum(int(np.prod(port.shape)) * port.dtype.itemsize for port in ports)
        return Row(layers, wall, cpu, code_bytes(elf, names), program.weights_bytes, buffers)


def code_bytes(elf: Path, constants: Sequence[str]) -> int:
    """Return the bytes of a program's code, which lies before its constants in L2, as the linker script says."""
    program = read_elf(elf)
    begin = program.symbols["tw_start_program"]
    return min(program.symbols[name] for name in constants if program.symbols[name] > begin) - begin


def in_new_process(layers: int, path: Path) -> Row:
    """Measure a network in a process of its own. Raises CalledProcessError where that fails."""
    command = [sys.executable, __file__, "--measure", str(layers), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return Row(**json.loads(done.stdout))


@dataclass(frozen=True)
class Fit:
    """Seconds as `base + each * layers` by least squares, and what a layer of the second half takes of one before."""

    base: float
    each: float
    worst: float
    growth: float


def fit(seconds: dict[int, float]) -> Fit:
    """Fit seconds by layers, from three counts or more; `worst` is the largest relative residual."""
    layers, times = np.array(list(seconds)), np.array(list(seconds.values()))
    each, base = np.polyfit(layers, times, 1)
    worst = float(np.max(np.abs(base + each * layers - times) / times))
    middle = len(layers) // 2
    slopes = [(times[end] - times[start]) / (layers[end] - layers[start]) for start, end in ((0, middle), (middle, -1))]
    return Fit(float(base), float(each), worst, float(slopes[1] / slopes[0]))


def table_of(rows: Sequence[Row]) -> Table:
    """Return the rows beside the published ones."""
    table = Table(title=f"the {STEP}th step of a Llama: published (Deeploy, Table I) and ours; kB are 1000 bytes")
    for title in ("layers", "published s", "ours s", "CPU s", "faster", "code kB", "ours", "constants kB", "ours"):
        table.add_column(title, justify="right")
    table.add_column("inputs, outputs kB", justify="right")
    table.add_column("ours", justify="right")
    for row in rows:
        there = TABLE_I[row.layers]
        seconds = (f"{there.seconds:g}", f"{row.wall:.2f}", f"{row.cpu:.2f}", f"{there.seconds / row.wall:.1f}x")
        code = (f"{there.code:.1f}", f"{row.code / KILO:.1f}")
        constants = (f"{there.requantisation + there.weights:.1f}", f"{row.constants / KILO:.1f}")
        table.add_row(str(row.layers), *seconds, *code, *constants, f"{there.buffers:.1f}", f"{row.buffers / KILO:.1f}")
    return table


def holds(console: Console, rows: Sequence[Row]) -> bool:
    """Check the claims on the rows, print them, and return whether all hold."""
    claims = {
        f"{row.layers} layers: code and constants are no larger": (
            row.code <= TABLE_I[row.layers].code * KILO
            and row.constants <= (TABLE_I[row.layers].requantisation + TABLE_I[row.layers].weights) * KILO
        )
        for row in rows
    }
    if len(rows) > 2:
        found = fit({row.layers: row.cpu for row in rows})
        theirs = fit({layers: row.seconds for layers, row in TABLE_I.items()})
        for name, line in ("ours, CPU", found), ("published", theirs):
            text = f"{line.base:+.2f} s + {line.each:.2f} s a layer, at most {line.worst:.0%} off"
            console.print(f"{name}: {text}; a layer of the second half takes {line.growth:.2f} of one before")
        claims["time is linear in the layers"] = found.growth <= LIMIT_GROWTH
    if rows[-1].layers == max(TABLE_I):
        claims[f"{rows[-1].layers} layers take less than {LIMIT_SECONDS:g} s"] = rows[-1].cpu < LIMIT_SECONDS
    for claim, is_true in claims.items():
        if not is_true:
            console.print(f"[red]not so: {claim}")
    console.print(f"{sum(claims.values())} of {len(claims)} claims hold")
    return all(claims.values())


def hot_spots(path: Path, count: int = 25) -> None:
    """Print the functions in which a compilation spends most time themselves."""
    with tempfile.TemporaryDirectory() as temporary:
        profile = cProfile.Profile()
        profile.runcall(compiled, path, Path(temporary) / "build")
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(count)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", default=",".join(map(str, TABLE_I)), help="counts of layers, with commas")
    parser.add_argument("--runs", type=int, default=3, help="of each; the least counts")
    parser.add_argument("--profile", action="store_true", help="where the time of the largest goes, instead")
    parser.add_argument("--measure", nargs=2, metavar=("LAYERS", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(asdict(measured(int(options.measure[0]), Path(options.measure[1])))))
        return 0
    counts = sorted({int(text) for text in options.layers.split(",")})
    if unknown := [count for count in counts if count not in TABLE_I]:
        parser.error(f"Table I has no {unknown[0]} layers; it has 1 to 8")
    with tempfile.TemporaryDirectory() as temporary:
        paths = {count: write_model(count, Path(temporary) / f"{count}.onnx") for count in counts}
        if options.profile:
            hot_spots(paths[counts[-1]])
            return 0
        status, turns = Console(stderr=True), [count for _ in range(options.runs) for count in counts]
        runs = [in_new_process(n, paths[n]) for n in track(turns, "compiling", console=status, transient=True)]
    rows = [min((run for run in runs if run.layers == count), key=lambda run: run.cpu) for count in counts]
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(table_of(rows))
    return 0 if holds(console, rows) else 1


if __name__ == "__main__":
    sys.exit(main())
