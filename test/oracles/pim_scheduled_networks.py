"""
Networks of visual Transformers at small widths, as programs of 4 x 4 nodes that follow their schedule.

    python test/oracles/pim_scheduled_networks.py [--networks NAME...] [--mpi]

Each network of the zoo, with weights from a seed, is scheduled by find-branches and schedule-branches{regular=true},
and compiled to C for the mesh, a thread a node, or with --mpi a rank of mpicc and mpirun. The table has the partition
(head split, patch split) and the layers of each stage, and the largest difference between its outputs and those of the
C for the host.

Exit code 1 where outputs differ by more than 1e-4 of the largest one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import numpy as np
import onnx
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, ModuleOp

from tilewright import api
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo import cswin_tiny, focal_tiny, pvt_tiny, swin_tiny, twins_small, vit_tiny
from tilewright.ir import Array, numbers_of
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.targets.pim.passes.schedule_branches import SCHEDULE
from tilewright.test.exits import exit_with
from tilewright.test.targets.pim import ranks

TARGET, RANKS = "pim/4x4", 16
TOLERANCE = 1e-4
PVT = ((4, 8, 1, 1, 8, 8), (2, 16, 2, 2, 8, 4), (2, 24, 3, 1, 4, 2), (2, 32, 4, 1, 4, 1))
NETWORKS: dict[str, Callable[[], onnx.ModelProto]] = {
    "ViT": lambda: vit_tiny.build(image=32, patch=8, dim=16, heads=2, layers=2, classes=4),
    "PVT": lambda: pvt_tiny.build(image=64, stages=[pvt_tiny.Stage(*each) for each in PVT], classes=4),
    "Swin": lambda: swin_tiny.build(image=56, patch=2, dim=16, layers=(2, 2), heads=(2, 4), classes=4),
    "Twins": lambda: twins_small.build(
        image=112, dims=(8, 16), layers=(2, 2), heads=(2, 4), reductions=(4, 2), classes=4
    ),
    "CSWin": lambda: cswin_tiny.build(image=112, dim=8, layers=(1, 2), heads=(2, 4), stripes=(1, 7), classes=4),
    "Focal": lambda: focal_tiny.build(image=56, patch=2, dim=16, layers=(2, 2), heads=(2, 4), focus=(5, 3), classes=4),
}


def scheduled(file: Path) -> ModuleOp:
    """Return a network on tensors, with a regular schedule."""
    module = compile_model(Model(file), TARGET, stop_after="tensor").module
    passes = f'attach-machine{{target="{TARGET}"}},find-branches,schedule-branches{{regular=true}}'
    PassManager().run(module, parse_pipeline(f"builtin.module({passes})", all_passes()), new_context())
    return module


def partitions(module: ModuleOp) -> str:
    """Return the partition and the number of layers of each stage."""
    found: list[str] = []
    for stage in cast("ArrayAttr[DictionaryAttr]", module.attributes[SCHEDULE]).data:
        layers = cast("ArrayAttr[DictionaryAttr]", stage.data["layers"]).data
        heads, patches = numbers_of(cast("DenseArrayBase", layers[0].data["scheme"]))
        found.append(f"{heads},{patches} x {len(layers)}")
    return ", ".join(found)


def difference(model: onnx.ModelProto, folder: Path, *, by_ranks: bool = False) -> tuple[str, float]:
    """Return the partitions of a network, and the largest difference of its outputs, of the largest one."""
    file, program = folder / "network.onnx", folder / "scheduled.mlir"
    file.write_bytes(model.SerializeToString())
    module = scheduled(file)
    program.write_text(print_ir(module, context=new_context()))
    shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in model.graph.input}
    rng = np.random.default_rng(0)
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    expected = api.load(file, "host").run(inputs)
    found = ranked(program, inputs) if by_ranks else [api.load(program, TARGET).run(inputs)]
    pairs = ((each[name].reshape(wanted.shape), wanted) for name, wanted in expected.items() for each in found)
    return partitions(module), max(float(np.abs(each - wanted).max() / np.abs(wanted).max()) for each, wanted in pairs)


def ranked(program: Path, inputs: Mapping[str, Array]) -> list[dict[str, Array]]:
    """Return the outputs of each rank of a program with one output, run once. Raises Diagnostic where it fails."""
    folder = ranks.build(program, TARGET, list(inputs.values()))
    if (ran := ranks.run(folder, RANKS)).returncode:
        raise Diagnostic("the program does not run as MPI ranks", found=ran.stderr.strip())
    (name,) = api.load(program, TARGET).outputs
    return [{name.name: each} for each in ranks.outputs(folder, 0, RANKS)]


def main() -> int:
    """Print a row for each network; return 1 where outputs differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--mpi", action="store_true", help="a rank a node in place of a thread")
    arguments = parser.parse_args()
    table, worst = Table("network", "partition x layers, by stage", "difference"), 0.0
    for name in arguments.networks:
        with tempfile.TemporaryDirectory() as folder:
            schedule, off = difference(NETWORKS[name](), Path(folder), by_ranks=arguments.mpi)
        worst = max(worst, off)
        table.add_row(name, schedule, f"{off:.1e}")
    Console(width=120).print(table)
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    exit_with(main)
