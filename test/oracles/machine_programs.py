"""
Run the programs of test/machines at every level: proved, interpreted in any interleaving, simulated, and as C.

    python test/oracles/machine_programs.py [SEEDS] [--programs GLOB...]

Each program, on the machine that its RUN line names, has to print and parse to itself, verify, be proved by
`verify-memory`, give one result under SEEDS seeds (100) of interleaving, the same on the simulator, and the same as C
under ThreadSanitizer and UBSan, twice in a process. Those with grids are taken as grids, as loops, and as pipelined
loops. Floats of C are compared within 1e-4. The cycles are those without data: instead of them stands why there are
none, where a computed table chooses tiles. Exits with 1 if anything fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import CProgram, render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.exits import exit_with
from tilewright.test.faults.machine_faults import FOLDER, Program, machine_of, programs

_SHARDED = "fuse-programs,hoist-transfers,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops"
_THREADS = ("-fno-sanitize=address", "-fsanitize=thread", "-pthread")


def check(program: Program, seeds: int) -> None:
    """Check a program at its level. Raises Diagnostic where something fails."""
    text = print_ir(program.module)
    if print_ir(parse_module(new_context(), text)) != text:
        raise Diagnostic("the printed program parses to another one")
    verify(program.module)
    verify_memory(program.module)
    for seed in range(seeds):
        _compare(run_module(program.module, program.inputs, interleave=seed), program.wanted, f"seed {seed}")
    _compare(TimedSession(program.module).run(program.inputs), program.wanted, "the simulator")


def _cycles(program: Program) -> str:
    """Return the simulated cycles of a program, whose times no data choose."""
    try:
        return f"{simulate(program.module).cycles:,}"
    except Diagnostic as error:
        return error.message


def check_c(name: str, program: Program) -> None:
    """Compare the C of a program, under sanitizers of threads. Raises Diagnostic where it differs, or fails."""
    network = HostNetwork(_compiled(name, program), sanitize=True, flags=_THREADS)
    found = network.run(list(program.inputs.values()))
    _compare(dict(zip(program.wanted, found, strict=True)), program.wanted, "C", 1e-4)


def _compiled(name: str, program: Program) -> CProgram:
    """Return a program as C, by the pipeline of its machine; one over sharded values by passes that fuse its parts."""
    file = FOLDER / "programs" / f"{name}.mlir"
    if "hier.sharded" not in file.read_text(encoding="utf-8"):
        return compile_model(Model(file), str(machine_of(file))).program()
    module = program.module.clone()
    PassManager().run(module, parse_pipeline(_SHARDED, all_passes()), new_context())
    convert_to_emitc(module)
    return render(module)


def _compare(found: Mapping[str, Array], wanted: Mapping[str, Array], where: str, tolerance: float = 0) -> None:
    for name, array in wanted.items():
        allowed, each = tolerance if array.dtype.kind == "f" else 0, np.asarray(found[name]).reshape(array.shape)
        if not np.allclose(each, array, allowed, allowed):
            raise Diagnostic(f"'{name}' differs in {where}")


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns 1 if anything fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=int, nargs="?", default=100)
    parser.add_argument("--programs", nargs="+", default=["*"], metavar="GLOB")
    options = parser.parse_args(arguments)
    table, failed = Table("program", "level", "cycles", f"{options.seeds} seeds, simulator", "C, threads"), 0
    for program in programs():
        name, _, level = program.name.partition(" ")
        if not any(fnmatch(name, glob) for glob in options.programs):
            continue
        verdict, in_c = "equal", ""
        try:
            check(program, options.seeds)
        except Diagnostic as error:
            verdict, failed = error.message, failed + 1
        if level == "as written":
            try:
                check_c(name, program)
                in_c = "equal"
            except Diagnostic as error:
                in_c, failed = error.message, failed + 1
        table.add_row(name, level, _cycles(program), verdict, in_c)
    Console(width=150).print(table)
    print(f"{failed} fail" if failed else "all hold")
    return 1 if failed else 0


if __name__ == "__main__":
    exit_with(lambda: main(sys.argv[1:]))
