"""
Compare networks for Gemmini whose weights have a scale for each output channel with those of one scale per tensor.

    python benchmarks/gemmini/channels.py [--filter NAME] [--instructions] [--most RATIO]

Networks of the zoo are quantised twice, from two random samples with nearest rounding. Columns: million modelled cycles
with one scale per tensor, with scales of channels, and their ratio. *Bound* is the least ratio of plans that differ in
stores alone: what a layer takes beside the core is that with one scale, or a store of each sum, a cycle each. With
--instructions, the programs of instructions are simulated too, and their instructions counted.

Exit code 1 where a ratio is more than RATIO times its bound.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.runtime.simulator import simulate
from tilewright.runtime.simulator.result import LayerCost
from tilewright.runtime.tools.profile import profile
from tilewright.test.exits import exit_with

TARGET = "gemmini"
NETWORKS = ("squeezenet", "mobilenet-v2", "resnet50")
_SAMPLES = 2
_SUM_BYTES = 4


@dataclass(frozen=True)
class Costs:
    """Modelled cycles of a network and of its layers; cycles and instructions of its program of instructions."""

    layers: Sequence[tuple[int, int, int]]
    """Cycles of each layer, of what the core computes of it, and bytes of the sums that the array's stores move."""
    cycles: int
    issued: int
    instructions: int


def costs_of(name: str, folder: Path, *, per_channel: bool, with_instructions: bool) -> Costs:
    """Quantise a network and simulate it."""
    network = read_network(zoo.build(name))
    samples = [zoo.sample_inputs(zoo.build(name), seed) for seed in range(_SAMPLES)]
    options = QuantizeOptions(ranges="minmax", per_channel=per_channel, adaptive=False, common_sums=True)
    path = folder / "network.onnx"
    path.write_bytes(quantize(network, samples, options).model.SerializeToString())
    model = Model(path, integers=True)
    simulation = profile(model, TARGET)
    layers = [(layer.cycles, _busy(layer, "core"), _sums(layer)) for layer in simulation.layers]
    if not with_instructions:
        return Costs(layers, simulation.cycles, 0, 0)
    program = simulate(compile_model(model, TARGET, stop_after="array").module)
    return Costs(layers, simulation.cycles, program.cycles, sum(layer.calls for layer in program.layers))


def _busy(layer: LayerCost, engine: str) -> int:
    return layer.engines[engine].busy if engine in layer.engines else 0


def _sums(layer: LayerCost) -> int:
    return layer.bytes_out if _busy(layer, "array") else 0


def bound(tensor: Costs) -> float:
    """Return the least ratio of cycles: a store of each sum takes one, beside the core's."""
    least = sum(core + max(cycles - core, sums // _SUM_BYTES) for cycles, core, sums in tensor.layers)
    return least / tensor.cycles


def main() -> int:
    """Print the table; returns 1 where a ratio is too far from its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="part of the name of the networks to take")
    parser.add_argument("--instructions", action="store_true", help="simulate the programs of instructions too")
    parser.add_argument("--most", type=float, default=1.1, help="most that a ratio is beside its bound")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    table = Table("network", "tensor", "channel", "ratio", "bound")
    for head in ("issued: tensor", "channel", "ratio", "instructions: tensor", "channel", "ratio"):
        table.add_column(head)
    failed = False
    for name in (network for network in NETWORKS if options.filter in network):
        with tempfile.TemporaryDirectory() as folder:
            tensor, channel = (
                costs_of(name, Path(folder), per_channel=per_channel, with_instructions=options.instructions)
                for per_channel in (False, True)
            )
        least, ratio = bound(tensor), channel.cycles / tensor.cycles
        numbers = [f"{tensor.cycles / 1e6:.2f}", f"{channel.cycles / 1e6:.2f}", f"{ratio:.2f}", f"{least:.2f}"]
        if options.instructions:
            numbers += [f"{tensor.issued / 1e6:.2f}", f"{channel.issued / 1e6:.2f}"]
            numbers += [f"{channel.issued / tensor.issued:.2f}", f"{tensor.instructions:,}"]
            numbers += [f"{channel.instructions:,}", f"{channel.instructions / tensor.instructions:.2f}"]
        table.add_row(name, *numbers)
        failed |= ratio > options.most * least
    Console(width=140).print(table)
    return int(failed)


if __name__ == "__main__":
    exit_with(main)
