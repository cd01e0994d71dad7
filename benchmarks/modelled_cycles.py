"""
Table of the modelled cycles of networks on targets, and of the seconds in which their plans are made.

    python benchmarks/modelled_cycles.py [--targets siracusa,gemmini] [-o TABLE.csv] [NETWORK|CORPUS ...]
    python benchmarks/modelled_cycles.py --against TABLE.csv [-o NEW.csv]

A NETWORK is a name of the zoo or an .onnx file, a CORPUS a folder as `tilewright check` takes it. `planned` is the
processor time of the passes of the phase *planned*. With `--against`, the networks and targets are those of that table,
and rows whose cycles differ are printed with their ratio.

Exit code 1 where a row differs from that of the other table, or a network that it has does not compile.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import cast

import onnx
from rich.console import Console
from rich.progress import track
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.runtime.simulator import simulate
from tilewright.runtime.tools.check import case_inputs, find_cases, model_for
from tilewright.runtime.tools.profile import explicit_program

NETWORKS = (
    "resnet8-qlinear", "ds-cnn-qlinear", "mobilenet-v1-025-qlinear", "autoencoder-qlinear", "resnet8", "bert-tiny",
    "llama", "vit-tiny", "lstm", "mlp", "squeezenet",
)  # fmt: skip
"""Networks of the zoo that are planned in seconds: of integers, of floats, with a state, recurrent."""
TARGETS = ("siracusa", "gemmini", "pim", "sg2002")


@dataclass(frozen=True)
class Row:
    """Modelled cycles of a network on a target, and the seconds of its plan; `cycles` is -1 with an error."""

    network: str
    target: str
    cycles: int
    planned: float
    error: str = ""


class _Planned(Observer):
    """Sum of the processor time of the passes that plan."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begin = 0.0

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._begin = time.process_time()

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.step.phase == "planned":
            self.seconds += time.process_time() - self._begin


def row_of(network: str, target: str) -> Row:
    """Compile and simulate a network on a target."""
    planned = _Planned()
    try:
        cycles = simulate(explicit_program(_model(network), target, observers=[planned])).cycles
    except Diagnostic as error:
        return Row(network, target, -1, 0.0, str(error).partition("\n")[0])
    return Row(network, target, cycles, round(planned.seconds, 2))


def _model(network: str) -> Model:
    if not (path := Path(network)).exists():
        return _of_zoo(network)
    if path.is_file():
        return Model(path)
    (case,) = find_cases(path)
    return model_for(case.model, case_inputs(case))


def _of_zoo(name: str) -> Model:
    path = Path(tempfile.mkdtemp()) / f"{name}.onnx"
    onnx.save(zoo.build(name), path)  # pyright: ignore[reportUnknownMemberType]
    return Model(path)


def pairs_of(networks: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each network, those of a corpus one by one, with each target."""
    for network in networks:
        path = Path(network)
        names = [str(case.model.parent) for case in find_cases(path)] if path.is_dir() else [network]
        for name in names:
            yield from ((name, target) for target in targets)


def read_table(path: Path) -> list[Row]:
    """Read a table that was written with -o."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    return [Row(r["network"], r["target"], int(r["cycles"]), float(r["planned"]), r["error"]) for r in lines]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK|CORPUS")
    parser.add_argument("--targets", default=",".join(TARGETS), help="separated by commas (%(default)s)")
    parser.add_argument("--against", type=Path, metavar="TABLE", help="a table of before")
    parser.add_argument("-o", "--output", type=Path, metavar="TABLE", help="write the table to a file, as CSV")
    options = parser.parse_args(arguments)
    console = Console(width=160)
    before = read_table(options.against) if options.against else []
    pairs = [(row.network, row.target) for row in before]
    pairs = pairs or list(pairs_of(options.networks or NETWORKS, cast(str, options.targets).split(",")))
    rows = [row_of(*pair) for pair in track(pairs, console=Console(stderr=True), transient=True)]
    if options.output:
        with cast(Path, options.output).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([column.name for column in fields(Row)])
            writer.writerows([astuple(row) for row in rows])
    show = partial(console.print, soft_wrap=True, highlight=False, markup=False)
    if not before:
        for row in rows:
            show(f"{row.network:50} {row.target:14} {row.cycles:>14,} {row.planned:8.2f} s  {row.error}")
        return 0
    changed = [(old, new) for old, new in zip(before, rows, strict=True) if old.cycles != new.cycles]
    for old, new in changed:
        ratio = f"{new.cycles / old.cycles:.4f}" if min(old.cycles, new.cycles) > 0 else "-"
        show(f"{new.network:50} {new.target:14} {old.cycles:>14,} {new.cycles:>14,} {ratio:>8}  {new.error}")
    seconds = sum(row.planned for row in before), sum(row.planned for row in rows)
    show(f"{len(rows)} rows, {len(changed)} differ; planned in {seconds[0]:.1f} s before, {seconds[1]:.1f} s now")
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
