"""
Check invariants of profiles of networks on all targets and variants.

    python test/oracles/profile_properties.py [MODEL...] [--zoo] [--corpus FOLDER] [--target NAME...]

Without models, the networks of the zoo whose graphs are small; with --corpus, every network.onnx in a folder too, with
the types of inputs that its inputs.npz declare. Each is compiled for every target, profiled, and checked by the rules
of `test/runtime/simulator/sound.py`: no engine beats its peak in any layer; the layers add up to the whole; each layer
names the engines that its kernels ran on. The table has the networks, layers and faults of each target, and the
fastest layer relative to its peak. The exit code is 1 if a rule does not hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model
from tilewright.dialects.core.machine.file import variants
from tilewright.dialects.core.machine.targets import machines
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.inputs import load_arrays
from tilewright.runtime.simulator import Simulation
from tilewright.runtime.tools import profile
from tilewright.runtime.tools.check import model_for
from tilewright.test.runtime.simulator.sound import faults

SMALL = ("autoencoder", "ds-cnn", "lstm", "mlp", "mobilenet-v1-025", "resnet8", "squeezenet")
"""Networks of the zoo that are profiled by default; --zoo takes all."""


@dataclass
class Row:
    """Findings on a target: networks, layers, faults, refused networks, and the best fraction of a peak."""

    target: str
    networks: int = 0
    layers: int = 0
    multiplying: int = 0
    best: float = 0.0
    where: str = ""
    refused: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])

    def add(self, name: str, simulation: Simulation) -> None:
        """Count a profile."""
        self.networks += 1
        self.layers += len(simulation.layers)
        self.faults += [f"{name} on {self.target}: {fault}" for fault in faults(simulation)]
        for layer in simulation.layers:
            self.multiplying += layer.macs > 0
            if not isnan(layer.of_peak) and layer.of_peak > self.best:
                self.best, self.where = layer.of_peak, f"{name}, {' + '.join(layer.nodes)[:40]}"


def models_of(names: Sequence[str], corpora: Sequence[Path], folder: Path) -> Iterator[tuple[str, Model]]:
    """Yield networks with their names: of the zoo, written to a folder, .onnx files, and those of corpora."""
    for name in names:
        path = Path(name)
        if path.suffix != ".onnx":
            path = folder / f"{name}.onnx"
            path.write_bytes(zoo.build(name).SerializeToString())
        yield name, Model(path)
    for corpus in corpora:
        for path in sorted(corpus.rglob("network.onnx")):
            given = path.with_name("inputs.npz")
            model = model_for(path, load_arrays(given)) if given.is_file() else Model(path)
            yield str(path.parent.relative_to(corpus)), model


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns 1 if a rule does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("models", nargs="*", help="names of the zoo, or .onnx files")
    parser.add_argument("--zoo", action="store_true", help="all networks of the zoo")
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--target", nargs="+", default=[*machines(), *variants()], metavar="NAME")
    options = parser.parse_args(arguments)
    names = options.models or (zoo.names() if options.zoo else [] if options.corpus else SMALL)
    rows = {target: Row(target) for target in options.target}
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        for name, model in models_of(names, options.corpus, Path(folder)):
            for row in rows.values():
                _profile(row, name, model)
    _print(list(rows.values()))
    found = [fault for row in rows.values() for fault in row.faults]
    print("\n".join(found) or "all rules hold")
    return 1 if found else 0


def _profile(row: Row, name: str, model: Model) -> None:
    start = time.perf_counter()
    try:
        simulation = profile.profile(model, row.target)
    except Diagnostic as error:
        row.refused.append(f"{name}: {error.message}")
        print(f"{name} on {row.target}: {error.message}", file=sys.stderr)
        return
    row.add(name, simulation)
    print(f"{name} on {row.target}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)


def _print(rows: Sequence[Row]) -> None:
    table = Table(title="modelled profiles", title_justify="left")
    for title in ("target", "networks", "refused", "layers", "that multiply", "faults", "best of peak", "where"):
        table.add_column(title, justify="left" if title in ("target", "where") else "right")
    for row in rows:
        counts = row.networks, len(row.refused), row.layers, row.multiplying, len(row.faults)
        table.add_row(row.target, *(f"{count:,}" for count in counts), f"{row.best:.1%}", row.where)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
