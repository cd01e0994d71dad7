"""
Our programs for Siracusa on GVSoC, the simulator of the chip that others wrote: measured cycles beside modelled ones.

    python benchmarks/siracusa/measured.py [--corpus FOLDER] [--only TEXT,...] [--target NAME]... [--write]
    python benchmarks/siracusa/measured.py --docs
    python benchmarks/siracusa/measured.py --against FILE

Networks are those of MLPerf Tiny in the zoo and, below CORPUS, all with golden outputs; `--only` chooses those whose
names contain a text. Inputs that hold whole numbers are declared as the narrowest integers that hold them. All outputs
are compared: with the golden ones, those of the zoo with the interpreter's at the level `tensor`.

Cycles are those of the first call, whose code is fetched, and of the third, each beside the model's. The results stand
in measured.csv with the commits of both; `--write` replaces the rows of networks whose outputs are equal.
*Slower* are networks that take more than 1 % more cycles than in the file. The exit code is 1 where an output differs,
or a network is slower.
`--docs` measures nothing: it writes the table of docs/siracusa-costs.md from the file. Neither does `--against`, which
compares the file with the later calls of another, by network and target: before.csv has those of Tilewright
fc2e684. The exit code is 1 where a network is slower that is more than a kernel.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.inputs import load_arrays, network_inputs
from tilewright.runtime.tools.check import Case, check, find_cases
from tilewright.runtime.tools.session import Interpreted
from tilewright.targets.siracusa.simulators.gvsoc import PROGRAM
from tilewright.test.exits import exit_with

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_suffix(".csv")
PAGE = ROOT / "docs" / "siracusa-costs.md"
TABLE = ("<!-- table of measured.csv -->\n", "<!-- end of the table -->\n")
"""Lines of the page around the table that `--docs` writes."""
TARGETS = ("siracusa", "siracusa/npu", "siracusa/cluster", "siracusa/one-core")
ZOO = ("ds-cnn", "resnet8", "mobilenet-v1-025", "autoencoder")
CODE = ("dialects", "frontend", "passes", "runtime/rv32.py", "targets/siracusa")
"""Files and folders of the project on which the programs and their modelled cycles depend."""

WARM, FIRST, KERNEL, LONG = 0.10, 0.15, 0.20, 2000
"""Errors that the model may have: of networks in later and first calls, and of kernels with more than `LONG` cycles."""

_KERNELS = "Kernels/"
_NARROW = (np.int8, np.uint8, np.int16, np.uint16)


@dataclass(frozen=True)
class Row:
    """
    Result of a network on a target: measured cycles of the first and third call, and modelled ones of both.

    `outputs` is equal, differs, or begins with error. `tilewright` is the commit that was measured, with `+` where it
    had changes, `simulator` the simulator with its version.
    """

    network: str
    target: str
    outputs: str
    first: int
    warm: int
    modelled: int
    modelled_first: int
    tilewright: str
    simulator: str

    @property
    def ratio(self) -> float:
        """Return measured relative to modelled cycles, of the third call."""
        return self.warm / self.modelled if self.modelled else 0.0


def rows_of(file: Path = FILE) -> dict[tuple[str, str], Row]:
    """Return the rows of a file of results by network and target; none where there is no file."""
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8", newline="") as stream:
        found = [
            Row(
                each["network"],
                each["target"],
                each["outputs"],
                int(each["first"]),
                int(each["warm"]),
                int(each["modelled"]),
                int(each.get("modelled_first") or 0),
                each["tilewright"],
                each["simulator"],
            )
            for each in csv.DictReader(stream)
        ]
    return {(row.network, row.target): row for row in found}


def cycles_of(file: Path) -> dict[tuple[str, str], int]:
    """Return the later calls in a file of results, or of fewer columns, by network and target."""
    with file.open(encoding="utf-8", newline="") as stream:
        return {(each["network"], each["target"]): int(each["warm"]) for each in csv.DictReader(stream)}


def write_rows(rows: Iterable[Row], file: Path = FILE) -> None:
    """Write rows, sorted by network and target."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in sorted(rows, key=lambda row: (row.network, TARGETS.index(row.target))))


@cache
def is_older(commit: str) -> bool | None:
    """Return whether the code that programs depend on has changed since a commit, None where git does not know."""
    words = ["git", "-C", str(ROOT), "diff", "--quiet", commit.rstrip("+"), "--", *CODE]
    status = subprocess.run(words, capture_output=True, check=False).returncode
    return {0: False, 1: True}.get(status)


def commit() -> str:
    """Return the commit of the code, with `+` where that has changes."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short=9", "HEAD"], capture_output=True, text=True, check=False
    )
    name = done.stdout.strip()
    return "unknown" if done.returncode else name + "+" * bool(is_older(name))


def narrow(array: Array) -> Array:
    """Return an array of whole numbers in the narrowest of the integer types that holds them, others as they are."""
    whole = array.size > 0 and bool(np.all(np.isfinite(array))) and bool(np.all(array == np.round(array)))
    for kind in _NARROW if whole and array.dtype.kind in "fiu" else ():
        limits = np.iinfo(kind)
        if limits.min <= array.min() and array.max() <= limits.max:
            return array.astype(kind)
    return array


def _write_case(model: bytes, inputs: Mapping[str, Array], outputs: Mapping[str, Array], folder: Path) -> Case:
    folder.mkdir()
    (folder / "network.onnx").write_bytes(model)
    np.savez(folder / "inputs.npz", **inputs)  # pyright: ignore[reportArgumentType]
    np.savez(folder / "outputs.npz", **outputs)  # pyright: ignore[reportArgumentType]
    return Case(folder / "network.onnx", folder.name)


def zoo_case(name: str, folder: Path) -> Case:
    """Write a network of the zoo with inputs from a seed, and the outputs of the interpreter."""
    path, random = folder / f"{name}.onnx", np.random.default_rng(1)
    path.write_bytes(zoo.build(name).SerializeToString())
    compilation = compile_model(Model(path), "host", stop_after="tensor")
    shapes = {each.name: each.shape for each in network_inputs(compilation.module)}
    inputs: dict[str, Array] = {name: random.integers(0, 128, shape, np.uint8) for name, shape in shapes.items()}
    return _write_case(path.read_bytes(), inputs, Interpreted(compilation)(inputs), folder / "zoo")


def corpus_case(case: Case, folder: Path) -> Case:
    """Copy a case with its inputs declared as narrow integers where they hold such."""
    inputs = {name: narrow(array) for name, array in load_arrays(case.folder / "inputs.npz").items()}
    outputs = load_arrays(case.folder / "outputs.npz")
    return _write_case(case.model.read_bytes(), inputs, outputs, folder / "corpus")


def measure(name: str, case: Case | None, target: str) -> Row:
    """Run a network of the corpus, or else of the zoo, on GVSoC."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = zoo_case(name, folder) if case is None else corpus_case(case, folder)
        [row] = check([made], target, ["gvsoc"])
    if row.error is not None:
        text = f"error: {row.error.message}".replace("\n", " ")
        return Row(name, target, text, 0, 0, 0, 0, commit(), "")
    found = row.measured[0]
    warm, cold = (row.report[key] or 0 for key in ("modelled_cycles", "modelled_cold_cycles"))
    return Row(name, target, row.verdict, found.first, found.later, warm, cold, commit(), found.version)


def shown(rows: Sequence[Row], before: Mapping[tuple[str, str], Row], console: Console) -> None:
    """Print rows, beside the cycles of the file."""
    table = Table("network", "target", "outputs", title="cycles on GVSoC, measured, and those of the model")
    for title in ("first call", "warm", "modelled", "measured / modelled", "warm before", "change"):
        table.add_column(title, justify="right")
    for row in rows:
        old = before.get((row.network, row.target))
        known = (f"{old.warm:,}", f"{row.warm / old.warm - 1:+.1%}") if old is not None and old.warm else ("", "")
        numbers = (
            (f"{row.first:,}", f"{row.warm:,}", f"{row.modelled:,}", f"{row.ratio:.2f}") if row.warm else ("",) * 4
        )
        table.add_row(row.network, row.target, row.outputs, *numbers, *known)
    console.print(table)


def compared(before: Mapping[tuple[str, str], int], now: Mapping[tuple[str, str], Row], console: Console) -> int:
    """Print the later calls of the programs in `before`; return how many take 1 % longer, kernels aside."""
    table = Table("network", "target", title="cycles on GVSoC, later calls")
    for title in ("before", "now", "change"):
        table.add_column(title, justify="right")
    found = {key: (cycles, now[key].warm) for key, cycles in before.items() if key in now}
    for (network, target), (old, new) in found.items():
        table.add_row(network, target, f"{old:,}", f"{new:,}", f"{new / old - 1:+.1%}")
    console.print(table)
    slower = [network for (network, _), (old, new) in found.items() if new > 1.01 * old]
    networks = sum(not network.startswith(_KERNELS) for network in slower)
    console.print(f"{len(found)} programs, {len(slower)} slower, {networks} of them no kernels")
    return networks


def is_within(measured: int, modelled: int, error: float) -> bool:
    """Return whether a model is right within a relative error."""
    return abs(measured - modelled) <= error * modelled


def documented(rows: Iterable[Row]) -> str:
    """Return the counts of rows within the errors, and tables of all networks and of kernels that are further off."""
    found = sorted(rows, key=lambda row: (row.network, TARGETS.index(row.target)))
    networks = [row for row in found if not row.network.startswith(_KERNELS)]
    kernels = [row for row in found if row.network.startswith(_KERNELS) and row.warm > LONG]
    off = [row for row in kernels if not is_within(row.warm, row.modelled, KERNEL)]
    warm = sum(is_within(row.warm, row.modelled, WARM) for row in networks)
    begun = [row for row in networks if row.modelled_first]
    first = sum(is_within(row.first, row.modelled_first, FIRST) for row in begun)
    text = (
        f"Modelled within {WARM:.0%} of later calls: {warm} of {len(networks)} programs of networks; "
        f"within {FIRST:.0%} of first calls: {first} of {len(begun)}; "
        f"within {KERNEL:.0%} of kernels of more than {LONG:,} cycles: {len(kernels) - len(off)} of {len(kernels)}."
    ).replace("%", " %")
    return f"{text}\n\n{_documented_rows(networks, WARM)}\nKernels further off:\n\n{_documented_rows(off, KERNEL)}"


def _documented_rows(rows: Iterable[Row], error: float) -> str:
    titles = "first call", "modelled", "measured / modelled", "later calls", "modelled", "measured / modelled", "commit"
    lines = [f"| network | target | {' | '.join(titles)} |", "|---|---|---:|---:|---:|---:|---:|---:|---|"]
    for row in rows:
        first = _compared(row.first, row.modelled_first, max(error, FIRST))
        later = _compared(row.warm, row.modelled, error)
        lines.append(f"| {row.network} | `{row.target}` | {first} | {later} | `{row.tilewright}` |")
    return "".join(f"{line}\n" for line in lines)


def _compared(measured: int, modelled: int, error: float) -> str:
    """Return the cells of measured and modelled cycles, and their ratio, in bold letters where the error is larger."""
    if not modelled:
        return f"{measured:,} | | "
    mark = "" if is_within(measured, modelled, error) else "**"
    return f"{measured:,} | {modelled:,} | {mark}{measured / modelled:.2f}{mark}"


def with_table(page: str, rows: Iterable[Row]) -> str:
    """Return a page with the table between its marks replaced."""
    before, _, rest = page.partition(TABLE[0])
    _, end, after = rest.partition(TABLE[1])
    if not end:
        raise Diagnostic("the page has no place for the table", source=PAGE.name, expected="".join(TABLE))
    return f"{before}{TABLE[0]}\n{documented(rows)}\n{end}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="networks with golden outputs, at any depth")
    parser.add_argument("--only", default="", help="texts of which the names of networks contain one, with commas")
    parser.add_argument("--target", action="append", choices=TARGETS, help="repeatable (all)")
    parser.add_argument("--write", action="store_true", help=f"replace the rows in {FILE.name}")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (2)")
    parser.add_argument("--docs", action="store_true", help=f"write the table of {PAGE.name} from {FILE.name}")
    parser.add_argument("--against", type=Path, metavar="FILE", help=f"compare {FILE.name} with FILE")
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 170)
    if options.against is not None:
        return int(compared(cycles_of(options.against), rows_of(), console) > 0)
    if options.docs:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), rows_of().values()), encoding="utf-8")
        return 0
    cases: dict[str, Case | None] = dict.fromkeys(ZOO)
    cases |= {case.name: case for case in (find_cases(options.corpus) if options.corpus else ())}
    texts = options.only.split(",")
    names = [name for name in cases if any(text in name for text in texts)]
    jobs = [(name, target) for name in names for target in options.target or TARGETS]
    PROGRAM.found_version()
    before = rows_of()
    rows: list[Row] = []
    with ProcessPoolExecutor(options.processes) as pool:
        for row in pool.map(measure, *zip(*((name, cases[name], target) for name, target in jobs), strict=True)):
            rows.append(row)
            console.print(f"{row.network} {row.target}: {row.outputs} {row.warm:,} {row.modelled:,}", highlight=False)
            if options.write and row.outputs == "equal":
                write_rows((rows_of() | {(row.network, row.target): row}).values())
    shown(rows, before, console)
    wrong = [row for row in rows if row.outputs == "differs"]
    slower = [row for row in rows if (old := before.get((row.network, row.target))) and row.warm > 1.01 * old.warm > 0]
    console.print(
        f"{sum(row.outputs == 'equal' for row in rows)} equal, {len(wrong)} differ, "
        f"{len(rows) - len(wrong) - sum(row.outputs == 'equal' for row in rows)} do not run, {len(slower)} slower"
    )
    return 1 if wrong or slower else 0


if __name__ == "__main__":
    exit_with(main, failed=2)
