"""
Weights of 4 and 2 bits on Siracusa's cores: what products take with them, and a step of a Llama, in modelled cycles;
and what they take of inputs as narrow, on cores that multiply such numbers.

    python benchmarks/siracusa/narrow_weights.py [--target siracusa/cluster] [--layers 2]
        [--features 256] [--hidden 688]

The Llama's weights are random numbers of so many bits. Exits with 1 where packed weights make it slower.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model
from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.machine import targets
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.nn.unpack import packed_shape
from tilewright.frontend.zoo import llama
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator import simulate

POSITION, SIDE = 64, 512
ROWS, WIDTHS = (1, 2, 16), (8, 4, 2)
NARROW = "siracusa/xpulpnn"
"""The machine whose cores multiply numbers of 4 and 2 bits."""
PACKING = "pack-narrow-weights"


def computing(machine: Machine, rows: int, bits: int, *, both: bool = False) -> int:
    """
    Return the cycles of [rows, 512] times [512, 512], whose weights have so many bits, once they are near.

    With `both` the rows have as many.
    """
    width = SIDE if bits == 8 else packed_shape((SIDE,), bits)[0]
    x, w, o = f"memref<{rows}x{SIDE}xi8>", f"memref<{SIDE}x{width}xi8>", f"memref<{rows}x{SIDE}xi32>"
    packed = "" if bits == 8 else f", weight_bits = {bits} : i64"
    packed += ", narrow_input" if both else ""
    text = f"nn.matmul ins(%x, %w : {x}, {w}) outs(%o : {o}) {{accumulator = i32, transpose_b{packed}}}"
    module = parse_module(new_context(), f"func.func @f(%x: {x}, %w: {w}, %o: {o}) {{\n{text}\nfunc.return\n}}")
    op = next(op for op in module.walk() if op.name == "nn.matmul")
    assert kernel_of(op).points == rows * SIDE * SIDE
    return min(cycles for _, cycles in machine.engines_for(op))


def narrowed(model: onnx.ModelProto, bits: int) -> onnx.ModelProto:
    """Return a network the constants of whose matrix products have been drawn anew, from numbers of so many bits."""
    random, factors = np.random.default_rng(0), {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    for tensor in model.graph.initializer:
        if tensor.name in factors and "rotary" not in tensor.name:
            old = numpy_helper.to_array(tensor)
            new = random.integers(-(1 << (bits - 1)), 1 << (bits - 1), old.shape).astype(old.dtype)
            tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))
    return model


def step_cycles(model: onnx.ModelProto, target: str, *, packing: bool) -> tuple[int, int]:
    """Return the cycles of a step, and how many kernels read packed weights or have them unpacked."""
    phases = targets.machine_named(target).phases
    names = [phase.name for phase in phases]
    text = ",".join(phase.text for phase in phases[: names.index("kernels") + 1])
    assert PACKING in text
    text = text if packing else re.sub(rf"{PACKING}({{[^}}]*}})?, *", "", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        path.write_bytes(model.SerializeToString())
        module = Model(path).load()
    PassManager([], verify_each=False, verify_phases=True).run(
        module, parse_pipeline(f"builtin.module({text})", all_passes()), new_context()
    )
    packed = sum("weight_bits" in op.properties or op.name == "nn.unpack" for op in module.walk())
    return simulate(module).cycles, packed


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("--target", default="siracusa/cluster")
    for name, default in (("layers", 2), ("features", 256), ("hidden", 688)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options, console = parser.parse_args(), Console()
    machine = find_machine(options.target)
    engine = next(each for each in machine.engines if each.name == "cluster")
    columns = [*(f"{bits} bits" for bits in WIDTHS), *(f"{bits} bits on both sides" for bits in WIDTHS[1:])]
    table = Table("rows", *columns, title=f"{SIDE} x {SIDE} weights, modelled cycles")
    table.add_row("fetching", *(f"{machine.fetch_cycles(engine, SIDE * SIDE * bits // 8):,}" for bits in WIDTHS))
    narrow = find_machine(NARROW)
    for rows in ROWS:
        cycles = [computing(machine, rows, bits) for bits in WIDTHS]
        cycles += [computing(narrow, rows, bits, both=True) for bits in WIDTHS[1:]]
        table.add_row(str(rows), *(f"{each:,}" for each in cycles))
    console.print(table)
    sizes = {"layers": options.layers, "dim": options.features, "hidden": options.hidden}
    config = llama.Config(**sizes, vocabulary=2, context=2 * POSITION)
    steps, is_right = Table("bits", "bytes", "packed", "kernels", title="a step of the Llama, modelled cycles"), True
    for bits in WIDTHS[1:]:
        model = narrowed(llama.step(POSITION, config=config), bits)
        (plain, _), (packed, kernels) = (step_cycles(model, options.target, packing=each) for each in (False, True))
        is_right &= packed <= plain
        steps.add_row(str(bits), f"{plain:,}", f"{packed:,}", str(kernels))
    console.print(steps)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
