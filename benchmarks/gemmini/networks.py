"""
Quantise networks for Gemmini, compile them, and compare all executions with each other and with the network in floats.

    .venv/bin/pip install --no-deps --target build/packages silero-vad rapidocr-onnxruntime
    PYTHONPATH=build/packages python benchmarks/gemmini/networks.py [--filter NAME] [--simulator] [--spike]

Networks of the zoo have weights and inputs from seeds; those of packages are trained, their inputs are those of
quantize/networks.py. Both are quantised with one scale per tensor and common scales of summands, from four samples.
Columns: layers on the array and on the core, million modelled cycles, the signal-to-noise ratio of the outputs on four
other inputs in dB beside its bound, and the largest differences between executions. With --spike, the C on Spike gives
what it gives on this machine; floats at the end of a network, which C libraries round differently, may differ by 1e-6.
The interpreter adds floats in another order than C: where a sum is in the middle of two integers that it is quantised
to, outputs differ, by less than from those in floats. With --simulator, the simulator runs with data too, and adds
floats as the interpreter does.

With --nonlinear integer, softmax, layer normalisation and functions of one number are integers too. With --channels N,
weights have a scale for each N output channels.

Exit code 1 where outputs differ by more, or a ratio is below its bound.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

from tilewright.benchmarks.quantize.networks import CASES as TRAINED
from tilewright.benchmarks.quantize.networks import Sample, read, session
from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.frontend.quantize.names import NONLINEAR
from tilewright.frontend.quantize.network import FloatNetwork, read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.frontend.zoo import bert_tiny
from tilewright.ir import Array
from tilewright.runtime.tools.profile import profile
from tilewright.runtime.tools.session import level_for, runner
from tilewright.test.exits import exit_with

TARGET = "gemmini"
OPTIONS = QuantizeOptions(ranges="minmax", per_channel=False, adaptive=False, common_sums=True)
SAMPLES = 4
_FLOAT = 1e-6
"""Largest difference of outputs in floats."""


@dataclass(frozen=True)
class Case:
    """Network in floats, its inputs by a first seed and a count, and the least signal-to-noise ratio in dB."""

    network: Callable[[], FloatNetwork]
    samples: Callable[[ModelProto, int, int], Sequence[Sample]]
    bound: float


def _of_zoo(build: Callable[[], ModelProto], bound: float) -> Case:
    def samples(_: ModelProto, first: int, count: int) -> Sequence[Sample]:
        return [zoo.sample_inputs(build(), seed) for seed in range(first, first + count)]

    return Case(lambda: read_network(build()), samples, bound)


def _trained(name: str, bound: float) -> Case:
    case = TRAINED[name]
    return Case(partial(read, case), case.samples, bound)


CASES = {
    "ResNet-50": _of_zoo(partial(zoo.build, "resnet50"), 20),
    "MobileNetV2": _of_zoo(partial(zoo.build, "mobilenet-v2"), 14),
    "ViT-tiny": _of_zoo(partial(zoo.build, "vit-tiny"), 14),
    "BERT-tiny, 128 tokens": _of_zoo(partial(zoo.build, "bert-tiny"), 25),
    "BERT-tiny, 9 tokens": _of_zoo(partial(bert_tiny.build, tokens=9), 25),
    "PP-OCR direction": _trained("PP-OCR direction", 13),
    "PP-OCR detection": _trained("PP-OCR detection", 16),
    "PP-OCR recognition": _trained("PP-OCR recognition", 8),
    "silero-vad": _trained("silero-vad", 6),
}


@dataclass(frozen=True)
class Row:
    """Layers of a network on the array and on the core, modelled cycles, and quality of its outputs."""

    array: int
    core: int
    cycles: float
    decibels: float
    differences: Mapping[str, float]
    """Largest difference from the C on this machine, by the place that runs the network."""
    agreement: float
    """Least ratio of the power of outputs to that of the interpreter's and the simulator's differences, in dB."""

    def fails(self, bound: float) -> bool:
        """Return whether outputs are too far from those in floats, or executions from each other."""
        spike = self.differences.get("spike", 0)
        return self.decibels < bound or self.agreement < self.decibels or spike > _FLOAT


def measured(case: Case, folder: Path, chosen: QuantizeOptions, target: str, places: Sequence[str]) -> Row:
    """Quantise and compile a network, and run it in C, by the interpreter and in other `places`."""
    real = case.network().model()
    quantised = quantize(case.network(), case.samples(real, 0, SAMPLES), chosen).model
    path = folder / "network.onnx"
    path.write_bytes(quantised.SerializeToString())
    model = Model(path, integers=True)
    unseen = case.samples(real, 1000, SAMPLES)
    found = _outputs(model, target, "host", unseen)
    others = {place: _outputs(model, target, place, unseen) for place in ("interpreter", *places)}
    differences = {place: _difference(found, outputs) for place, outputs in others.items()}
    agreement = min(_decibels(outputs, found) for place, outputs in others.items() if place != "spike")
    simulation = profile(model, target)
    engines = [{name for name, totals in layer.engines.items() if totals.busy} for layer in simulation.layers]
    on_array = sum("array" in names for names in engines)
    only_core = sum(names == {"core"} for names in engines)
    decibels = _decibels([session(real)(sample) for sample in unseen], found)
    return Row(on_array, only_core, simulation.cycles / 1e6, decibels, differences, agreement)


def _outputs(model: Model, target: str, place: str, samples: Sequence[Sample]) -> list[list[Array]]:
    if place == "interpreter":
        run = runner(compile_model(model, "host", stop_after="tensor"), place)
    else:
        run = runner(compile_model(model, target, **level_for(place)._asdict()), place)
    return [list(run(sample).values()) for sample in samples]


def _difference(one: Sequence[Sequence[Array]], other: Sequence[Sequence[Array]]) -> float:
    pairs = [pair for these, those in zip(one, other, strict=True) for pair in zip(these, those, strict=True)]
    return max(float(np.abs(a.astype(np.float64) - b).max()) for a, b in pairs)


def _decibels(exact: Sequence[Sequence[Array]], found: Sequence[Sequence[Array]]) -> float:
    """Return the ratio of the power of the first outputs to that of their errors."""
    wanted, got = (np.concatenate([each[0].astype(np.float64).ravel() for each in all_]) for all_ in (exact, found))
    noise = float(((wanted - got) ** 2).sum())
    return 10 * float(np.log10((wanted**2).sum() / noise)) if noise else float("inf")


def _shown(difference: float | None) -> str:
    if difference is None:
        return "-"
    return f"{difference:.0e}" if difference else "equal"


def main() -> int:
    """Print the table; returns 1 where outputs differ or are too far from those in floats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="part of the name of the networks to take")
    parser.add_argument("--simulator", action="store_true", help="run on the simulator with data too")
    parser.add_argument("--spike", action="store_true", help="run on Spike too: a quarter of an hour for ResNet-50")
    parser.add_argument("--target", default=TARGET, help="the instance")
    parser.add_argument("--nonlinear", choices=NONLINEAR, default=NONLINEAR[0], help="arithmetic of softmax and others")
    parser.add_argument("--channels", type=int, help="output channels that share a scale (all)")
    options = parser.parse_args()
    chosen = replace(OPTIONS, nonlinear=options.nonlinear)
    if options.channels:
        chosen = replace(chosen, per_channel=True, smooth=False, block=options.channels)
    logging.disable(logging.WARNING)
    places = [place for place in ("simulator", "spike") if getattr(options, place)]
    table = Table("network", "array", "core", "million cycles", "dB", "bound")
    for head in ("interpreter", "simulator", "Spike", "agree, dB"):
        table.add_column(head)
    failed = False
    for name, case in CASES.items():
        if options.filter not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = measured(case, Path(folder), chosen, options.target, places)
        numbers = [str(row.array), str(row.core), f"{row.cycles:.1f}", f"{row.decibels:.1f}", f"{case.bound:.0f}"]
        shown = [_shown(row.differences.get(place)) for place in ("interpreter", "simulator", "spike")]
        table.add_row(name, *numbers, *shown, f"{row.agreement:.0f}")
        failed |= row.fails(case.bound)
    Console(width=120).print(table)
    return int(failed)


if __name__ == "__main__":
    exit_with(main)
