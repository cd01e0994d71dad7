"""C of the programs of nodes as MPI ranks with private memory."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tilewright.compiler import Model, compile_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render, write_program

MAIN = """
#include <stdio.h>
#include <mpi.h>
#include "network.h"

static NETWORK_INPUT_0_TYPE x[NETWORK_INPUT_0_SIZE];
static NETWORK_OUTPUT_0_TYPE y[NETWORK_OUTPUT_0_SIZE];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int call = 0; call < CALLS; ++call) {
        char name[16];
        snprintf(name, sizeof name, "in%d", call);
        FILE *file = fopen(name, "rb");
        if (file == NULL || fread(x, sizeof x, 1, file) != 1)
            return 1;
        fclose(file);
        network_run(x, y);
        snprintf(name, sizeof name, "out%d_%d", call, rank);
        file = fopen(name, "wb");
        if (file == NULL || fwrite(y, sizeof y, 1, file) != 1 || fclose(file) != 0)
            return 1;
    }
    return MPI_Finalize();
}
"""
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-include", "tilewright_mpi.h")
RUN = ("mpirun", "--allow-run-as-root", "--oversubscribe")


def build(network: Path, target: str, calls: Sequence[Array]) -> Path:
    """Compile a network of one input and one output, with calls on these arrays; returns a new folder beside it."""
    folder = network.with_suffix("")
    folder.mkdir()
    write_program(render(compile_model(Model(network), target).module), folder)
    (folder / "main.c").write_text(MAIN)
    sources = sorted(each.name for each in folder.iterdir() if each.suffix in (".c", ".S"))
    command = ["mpicc", *STRICT, f"-DCALLS={len(calls)}", *sources, "-lm", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    for number, call in enumerate(calls):
        (folder / f"in{number}").write_bytes(call.tobytes())
    return folder


def run(folder: Path, ranks: int) -> subprocess.CompletedProcess[str]:
    """Run the calls on some ranks."""
    return subprocess.run([*RUN, "-n", str(ranks), "./main"], cwd=folder, capture_output=True, text=True, check=False)


def outputs(folder: Path, call: int, ranks: int) -> list[Array]:
    """Return the output of a call by each rank, as numbers in a row."""
    return [np.fromfile(folder / f"out{call}_{rank}", np.float32) for rank in range(ranks)]
