"""C of the programs of nodes as MPI ranks with private memory, where an MPI is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo import vit_tiny
from tilewright.passes.formats.c import render, write_program
from tilewright.runtime.interpreter.boundary import Session

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>
#include "network.h"

static NETWORK_INPUT_0_TYPE x[NETWORK_INPUT_0_SIZE];
static NETWORK_OUTPUT_0_TYPE y[NETWORK_OUTPUT_0_SIZE];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int call = 0; call < 2; ++call) {
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

pytestmark = pytest.mark.skipif(shutil.which("mpicc") is None, reason="there is no mpicc")


def build(model: bytes, folder: Path) -> None:
    """Write a network's C for a mesh, and compile it with ranks."""
    (folder / "network.onnx").write_bytes(model)
    write_program(render(compile_model(Model(folder / "network.onnx"), "pim/2x2").module), folder)
    (folder / "main.c").write_text(MAIN)
    sources = sorted(each.name for each in folder.iterdir() if each.suffix in (".c", ".S"))
    subprocess.run(["mpicc", *STRICT, *sources, "-lm", "-o", "main"], cwd=folder, check=True)


def run(folder: Path, ranks: int = 4) -> subprocess.CompletedProcess[str]:
    """Run two calls, on the files in0 and in1."""
    return subprocess.run([*RUN, "-n", str(ranks), "./main"], cwd=folder, capture_output=True, text=True, check=False)


def test_ranks_compute_what_the_interpreter_does(tmp_path: Path) -> None:
    """Two calls of a process on four ranks, the second with the weights of the first; two ranks are refused."""
    model = vit_tiny.build(image=32, patch=8, dim=16, heads=2, layers=1, classes=4)
    build(model.SerializeToString(), tmp_path)
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    rng = np.random.default_rng(3)
    calls = [rng.standard_normal(shape).astype(np.float32) for _ in range(2)]
    for number, call in enumerate(calls):
        (tmp_path / f"in{number}").write_bytes(call.tobytes())
    assert (ran := run(tmp_path)).returncode == 0, ran.stderr
    session = Session(compile_model(Model(tmp_path / "network.onnx"), "pim/2x2", stop_after="kernels").module)
    for number, call in enumerate(calls):
        (expected,) = session.run({model.graph.input[0].name: call}).values()
        for rank in range(4):
            found = np.fromfile(tmp_path / f"out{number}_{rank}", np.float32)
            np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-5, atol=1e-5)
    assert "as many ranks as queues of a stream, one for each instance, found 2" in run(tmp_path, 2).stderr
