"""
Random networks on the instances of Gemmini: their instructions and loops in hardware beside the tensor level.

    python test/fuzz/gemmini_networks.py [--count 500] [--first 0] [--target NAME...] [--spike] [--processes 2]

Networks are those of test/random/networks/symmetric.py, of every kind in turn: convolutions, products, sums of two
tensors and pooling of bytes; convolutions and products of floats for instances of floats, in bf16 for `bf16`. Each is
compiled for the target. Its instructions are interpreted at the level `array`, and its C runs on this machine on the
model of the array, and with --spike on Spike with the target's coprocessor.

Bytes have to equal those of the interpreter at the level `tensor`. Floats, which the array adds in an order of its own,
have to be within 1e-5 of the greatest of them, bf16 within 2 %. Spike has to equal C bit for bit, and C the
instructions, save where the core sums floats, which the interpreter adds in another order.

Exit code 1 where outputs differ or a network fails, with its kind and seed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from onnx import ModelProto, helper
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.dialects.nn.contraction import ContractionOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.tools.session import host_run, runner
from tilewright.test.exits import exit_with
from tilewright.test.random.networks.symmetric import (
    Network,
    float_conv,
    float_matmul,
    half_conv,
    half_matmul,
    random_conv,
    random_matmul,
    random_pool,
    residual,
)
from tilewright.test.targets.gemmini.networks import Phase

Outputs: TypeAlias = Mapping[str, Array]

BYTES: Sequence[Network] = (random_conv, random_matmul, residual, random_pool)
FLOATS: Sequence[Network] = (float_conv, float_matmul)
KINDS: Mapping[str, Sequence[Network]] = {
    **{
        target: BYTES
        for target in ("gemmini", *(f"gemmini/{instance}" for instance in ("lean", "chip", "32x32", "ibert")))
    },
    **{target: BYTES for target in ("gemmini/os", "gemmini/loops")},
    **{f"gemmini/{instance}": FLOATS for instance in ("fp32", "fp32-os", "fp32-loops")},
    "gemmini/bf16": (half_conv, half_matmul),
}
"""Networks by target."""
NEAR = {"float32": 1e-5, "bfloat16": 2e-2}
"""Largest difference from the level `tensor`, of the greatest output, by type."""


class Case(NamedTuple):
    """A target, a kind of networks, by its place, and the seed of one."""

    target: str
    kind: int
    seed: int

    def __str__(self) -> str:
        return f"{self.target}: {KINDS[self.target][self.kind].__name__}, seed {self.seed}"


def faults_of(case: Case, spike: bool = False) -> list[str]:
    """Return the faults of a network: an error, or a place whose outputs are others."""
    model, shape = KINDS[case.target][case.kind](case.seed)
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.onnx"
            file.write_bytes(model.SerializeToString())
            return _compared(file, _input(model, shape, case.seed), case.target, spike)
    except Diagnostic as error:
        return [str(error)]


def _compared(file: Path, inputs: Mapping[str, Array], target: str, spike: bool) -> list[str]:
    tensors, array = compile_model(Model(file, integers=True), "host", stop_after="tensor"), Phase("array")
    wanted = runner(tensors, "interpreter")(inputs)
    compilation = compile_model(Model(file), target, observers=[array])
    interpreted = Session(array.module).run(inputs)
    # Compiled with -O2 a network takes longer than it runs.
    in_c = host_run(HostNetwork(compilation.program(), flags=["-O0"]))(inputs)
    sums_by_core = any(isinstance(op, ContractionOp) for op in array.module.walk())
    faults = _faults("C differs from the instructions", in_c, interpreted, _near if sums_by_core else _same)
    if spike:
        faults += _faults("Spike differs from C", runner(compilation, "spike")(inputs), in_c, _same)
    return [*faults, *_faults("instructions differ from the level tensor", interpreted, wanted, _near)]


def _faults(what: str, outputs: Outputs, wanted: Outputs, agree: Callable[[Array, Array], bool]) -> list[str]:
    return [f'{what} in "{name}"' for name, values in wanted.items() if not agree(outputs[name], values)]


def _input(model: ModelProto, shape: Sequence[int], seed: int) -> dict[str, Array]:
    draw = np.random.default_rng(seed)
    dtype = helper.tensor_dtype_to_np_dtype(model.graph.input[0].type.tensor_type.elem_type)
    if dtype.itemsize == 1:
        return {"x": draw.integers(-128, 128, shape, dtype=np.int8)}
    return {"x": draw.standard_normal(shape).astype(dtype)}


def _same(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def _near(computed: Array, wanted: Array) -> bool:
    if wanted.dtype.name not in NEAR:
        return _same(computed, wanted)
    real = wanted.astype(np.float64)
    return bool(np.abs(computed.astype(np.float64) - real).max() <= NEAR[wanted.dtype.name] * np.abs(real).max())


def main() -> int:
    """Print a row for each target; returns 1 where a network has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="networks of each target (500)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--target", choices=KINDS, nargs="+", default=list(KINDS), help="the instances (all)")
    parser.add_argument("--spike", action="store_true", help="run on Spike too")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (2)")
    options = parser.parse_args()
    console, failed = Console(width=120), False
    table = Table("target", "kind", "networks", "with faults")
    with ProcessPoolExecutor(options.processes) as pool:
        for target in options.target:
            kinds = KINDS[target]
            cases = [Case(target, seed % len(kinds), options.first + seed) for seed in range(options.count)]
            results = pool.map(partial(faults_of, spike=options.spike), cases)
            wrong: Counter[int] = Counter()
            for case, faults in track(zip(cases, results, strict=True), target, len(cases), console=console):
                wrong[case.kind] += bool(faults)
                for fault in faults:
                    print(f"{case}: {fault}", flush=True)
            for kind, network in enumerate(kinds):
                count = sum(case.kind == kind for case in cases)
                table.add_row(target, network.__name__, str(count), str(wrong[kind]))
            failed |= wrong.total() > 0
    console.print(table)
    return int(failed)


if __name__ == "__main__":
    exit_with(main)
