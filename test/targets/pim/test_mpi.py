"""C of the programs of nodes as MPI ranks with private memory, where an MPI is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.frontend.zoo import vit_tiny
from tilewright.runtime.interpreter.boundary import Session
from tilewright.targets.pim.passes.find_branches import find_branches
from tilewright.targets.pim.passes.schedule_branches import ScheduleBranchesPass
from tilewright.test.targets.pim.ranks import build, outputs, run

TARGET = "pim/2x2"

pytestmark = pytest.mark.skipif(shutil.which("mpicc") is None, reason="there is no mpicc")


@pytest.mark.parametrize("instances", [4, 2], ids=["mesh", "schedule"])
def test_ranks_compute_what_the_interpreter_does(instances: int, tmp_path: Path) -> None:
    """Two calls of a process on four ranks, the second with the weights of the first; too few ranks are refused."""
    model = vit_tiny.build(image=32, patch=8, dim=16, heads=2, layers=1, classes=4)
    network = tmp_path / "network.onnx"
    network.write_bytes(model.SerializeToString())
    if instances == 2:
        module = compile_model(Model(network), TARGET, stop_after="tensor").module
        find_branches(module)
        ScheduleBranchesPass(array=(2, 2), regular=True).apply(new_context(), module)
        network = tmp_path / "scheduled.mlir"
        network.write_text(print_ir(module, context=new_context()))
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    rng = np.random.default_rng(3)
    calls = [rng.standard_normal(shape).astype(np.float32) for _ in range(2)]
    folder = build(network, TARGET, calls)
    assert (ran := run(folder, 4)).returncode == 0, ran.stderr
    session = Session(compile_model(Model(network), TARGET, stop_after="kernels").module)
    for number, call in enumerate(calls):
        (expected,) = session.run({model.graph.input[0].name: call}).values()
        for found in outputs(folder, number, 4):
            np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-5, atol=1e-5)
    wanted = "at least as many ranks as a stream has queues, one for each instance, found"
    assert f"error: expected {wanted} {instances - 1}" in run(folder, instances - 1).stderr
