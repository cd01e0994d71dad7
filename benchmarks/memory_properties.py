"""
Properties of memory that hold of every compiled network: capacity, alignment, and the proof of the program that runs.

    python benchmarks/memory_properties.py [FOLDER...] [--targets host,siracusa/l3] [--networks mlp,ds-cnn]

The networks of the zoo, and each `.onnx` file below the folders, on every target and variant. Each is taken to the last
program that shows its transfers; `test/memory_properties.py` says what has to hold of it. A network that the compiler
refuses with an error is counted separately. The exit code is 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.progress import track
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model
from tilewright.dialects.core.machine.file import variants
from tilewright.dialects.core.machine.targets import machines
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.runtime.inputs import load_arrays
from tilewright.runtime.tools.check import model_for
from tilewright.test.memory_properties import explicit_program, violations


def cases(folders: Sequence[Path], networks: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str | Path, str]]:
    """Yield each network, a name of the zoo or a file, the smallest of a folder first, with each target."""
    files = [sorted(folder.rglob("*.onnx"), key=lambda file: file.stat().st_size) for folder in folders]
    for network in (*networks, *chain.from_iterable(files)):
        for target in targets:
            yield network, target


def load(network: str | Path) -> ModuleOp:
    """Return a network at the graph level, with the types of inputs that an inputs.npz beside its file declares."""
    if isinstance(network, str):
        return import_model(zoo.build(network))
    given = network.with_name("inputs.npz")
    model = model_for(network, load_arrays(given)) if given.is_file() else Model(network)
    return model.load()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the violations; returns 1 if there are any."""
    known = [*machines(), *variants()]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="folders with .onnx files")
    parser.add_argument("--targets", default=",".join(known), help="with commas")
    parser.add_argument("--networks", default=",".join(zoo.names()), help="of the zoo, with commas; none where empty")
    options = parser.parse_args(arguments)
    networks = [name for name in options.networks.split(",") if name]
    todo = list(cases(options.folders, networks, options.targets.split(",")))
    status = Console(stderr=True)
    held = refused = 0
    failures: list[str] = []
    for network, target in track(todo, "proving", console=status, transient=True, disable=not status.is_terminal):
        try:
            program = explicit_program(load(network), target)
        except Diagnostic as error:
            refused += 1
            print(f"refused: {network} on {target}: {error.message}", flush=True)
            continue
        found = list(violations(program))
        held += not found
        failures += [f"{network} on {target}: {each}" for each in found]
        for each in found:
            print(f"FAILS: {network} on {target}: {each}", flush=True)
    print(f"{held} programs hold what is asked of them, {len(failures)} do not; {refused} networks were refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
