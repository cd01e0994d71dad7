"""
Agreement of quantised networks with those in floats, beside ONNX Runtime's quantiser on the same calibration data.

    .venv/bin/pip install --no-deps --target build/packages silero-vad rapidocr-onnxruntime
    PYTHONPATH=build/packages python benchmarks/quantize/networks.py

The networks are trained and lie in packages: text direction, recognition and detection of PP-OCR, and a detector of
voice activity. Ours is `tilewright quantize` without options. Inputs are made here: lines of a bitmap
font with noise, and vowels by an oscillator. All networks run in ONNX Runtime. Agreement is the share of decisions that
equal those of the network in floats: the greatest score of each place of a line, text or not for each pixel, speech or
not for each window.

Exit code 1 where ONNX Runtime's quantiser is better, 2 with a message where a network cannot be compared, as on
processors without VNNI instructions, on which ONNX Runtime's products of bytes saturate.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import model_proto
from tilewright.frontend.quantize.folding import fold
from tilewright.frontend.quantize.network import FloatNetwork, read_network
from tilewright.frontend.quantize.quantize import quantize
from tilewright.ir import Array
from tilewright.test import onnx_runtime
from tilewright.test.exits import exit_with
from tilewright.test.frontend.quantize.runtime_quantiser import theirs

Sample = Mapping[str, Array]
Decide = Callable[[Sequence[Array]], Array]

FONT = {
    "T": "11111 00100 00100 00100 00100 00100 00100",
    "I": "01110 00100 00100 00100 00100 00100 01110",
    "L": "10000 10000 10000 10000 10000 10000 11111",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "H": "10001 10001 10001 11111 10001 10001 10001",
    "O": "01110 10001 10001 10001 10001 10001 01110",
    "N": "10001 11001 10101 10011 10001 10001 10001",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "2": "01110 10001 00001 00110 01000 10000 11111",
}
RATE = 16000


def line(seed: int, height: int, width: int, *, turned: bool = False) -> Sample:
    """Return a line of random letters on a light ground with noise, [1, 3, height, width], from -1 to 1."""
    rng = np.random.default_rng(seed)
    scale = int(rng.integers(3, 6))
    count = int(rng.integers(2, min(9, (width - 4) // (6 * scale)) + 1))
    letters = rng.choice(sorted(FONT), count)
    glyphs = [np.array([[int(dot) for dot in row] for row in FONT[letter].split()]) for letter in letters]
    ink: Array = np.kron(
        np.concatenate([np.pad(glyph, ((0, 0), (0, 1))) for glyph in glyphs], axis=1), np.ones((scale, scale))
    )
    canvas = np.zeros((height, width))
    top, left = int(rng.integers(0, height - len(ink) + 1)), int(rng.integers(0, width - len(ink[0]) + 1))
    canvas[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    canvas = canvas[::-1, ::-1] if turned else canvas
    ground, contrast = rng.uniform(0.4, 0.95), rng.uniform(0.8, 1.7)
    shown = ground - contrast * canvas + rng.normal(0, rng.uniform(0, 0.1), (3, height, width))
    return {"x": np.clip(shown, -1, 1)[None].astype(np.float32)}


def sound(seed: int) -> Array:
    """Return two seconds of pauses and vowels: a sawtooth through resonances, with noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(2 * RATE) / RATE
    phase = np.cumsum(rng.uniform(90, 220) - 20 * time) / RATE
    wave = (2 * (phase % 1) - 1) * (np.sin(2 * np.pi * rng.uniform(1, 4) * time) > rng.uniform(-0.6, 0.6))
    for centre, width in zip(rng.uniform((300, 900, 2200), (800, 1800, 2900)), (80, 100, 160), strict=True):
        radius, angle = np.exp(-np.pi * width / RATE), 2 * np.pi * centre / RATE
        response = radius ** np.arange(400) * np.sin(angle * np.arange(1, 401)) / np.sin(angle)
        wave = wave + np.convolve(wave, response)[: wave.size] * 0.05
    wave = rng.uniform(0.1, 0.5) * wave / np.abs(wave).max() + rng.uniform(0, 0.01) * rng.standard_normal(wave.size)
    return wave.astype(np.float32)


def windows(network: ModelProto, first: int, count: int) -> list[Sample]:
    """Return windows of sound with the state that the network in floats has reached before each."""
    run = session(network)
    found: list[Sample] = []
    for seed in range(first, first + count):
        state, audio = np.zeros((2, 1, 128), np.float32), sound(seed)
        for start in range(0, audio.size - 576, 512):
            sample = {"input": audio[None, start : start + 576], "state": state}
            found.append(sample)
            state = run(sample)[1]
    return found[:: max(1, len(found) // count)][:count]


@dataclass(frozen=True)
class Case:
    """A trained network, its inputs by a first seed and a count, and its decisions."""

    package: str
    file: str
    shapes: Mapping[str, Sequence[int]]
    samples: Callable[[ModelProto, int, int], list[Sample]]
    decide: Decide
    values: Mapping[str, Array] = field(default_factory=dict[str, Array])


def lines(height: int, width: int, turns: bool, network: ModelProto, first: int, count: int) -> list[Sample]:
    """Return lines of text, every other one turned where `turns`."""
    return [line(seed, height, width, turned=turns and seed % 2 == 1) for seed in range(first, first + count)]


CASES = {
    "PP-OCR direction": Case(
        "rapidocr-onnxruntime",
        "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        {"x": (1, 3, 48, 192)},
        partial(lines, 48, 192, True),
        lambda outputs: outputs[0].argmax(axis=-1),
    ),
    "PP-OCR recognition": Case(
        "rapidocr-onnxruntime",
        "ch_PP-OCRv4_rec_infer.onnx",
        {"x": (1, 3, 48, 192)},
        partial(lines, 48, 192, False),
        lambda outputs: outputs[0].argmax(axis=-1),
    ),
    "PP-OCR detection": Case(
        "rapidocr-onnxruntime",
        "ch_PP-OCRv4_det_infer.onnx",
        {"x": (1, 3, 64, 224)},
        partial(lines, 64, 224, False),
        lambda outputs: outputs[0] > 0.3,
    ),
    "silero-vad": Case(
        "silero-vad",
        "silero_vad.onnx",
        {"input": (1, 576), "state": (2, 1, 128)},
        windows,
        lambda outputs: outputs[0] > 0.5,
        {"sr": np.array(RATE)},
    ),
}


def packaged(case: Case) -> Path:
    """Return the path of a network. Raises Diagnostic where its package is not installed."""
    try:
        found = files(case.package) or []
    except PackageNotFoundError as error:
        remedy = f"pip install --no-deps --target build/packages {case.package}, and PYTHONPATH=build/packages"
        raise Diagnostic(f"the package {case.package} is not installed", remedy=remedy) from error
    return next(Path(str(file.locate())) for file in found if file.name == case.file)


def session(model: ModelProto) -> Callable[[Sample], list[Array]]:
    """Return a model as ONNX Runtime runs it, with exact products of bytes."""
    made: Any = onnx_runtime.exact_session(model)
    return lambda sample: made.run(None, dict(sample))


METHODS = ("MinMax", "Entropy", "Percentile")
_APART = 100_000
"""Seeds between those of calibration and those of comparison."""


def read(case: Case) -> FloatNetwork:
    """Return the float network with its static shapes."""
    path = packaged(case)
    return read_network(model_proto(path), folder=path.parent, input_shapes=case.shapes, input_values=case.values)


def agreement(case: Case, model: ModelProto, samples: Sequence[Sample], wanted: Sequence[Array]) -> float:
    """Return the share of equal decisions."""
    run = session(model)
    found = [case.decide(run(sample)) for sample in samples]
    return sum(float((a == b).mean()) for a, b in zip(found, wanted, strict=True)) / len(samples)


SECONDS = "seconds of ours"


def measured(case: Case, calibration: int, count: int, seed: int) -> dict[str, float]:
    """
    Return the agreement of each quantiser, and the processor's seconds that ours takes.

    Both get the network with batch normalisation folded.
    """
    network = read(case)
    fold(network)
    real = network.model()
    first = 2 * _APART * seed
    known, unseen = case.samples(real, first, calibration), case.samples(real, first + _APART, count)
    exact = session(real)
    wanted = [case.decide(exact(sample)) for sample in unseen]
    start = process_time()
    quantised = quantize(read(case), known).model
    seconds = process_time() - start
    found = {"ours": agreement(case, quantised, unseen, wanted)}
    for method in METHODS:
        found[f"ONNX Runtime, {method}"] = agreement(case, theirs(real, known, method), unseen, wanted)
    return found | {SECONDS: seconds}


def main() -> int:
    """Print the table; returns 1 where ONNX Runtime's best is better than ours."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="part of the name of the networks to take")
    parser.add_argument("--calibration", type=int, default=32, help="samples for calibration (32)")
    parser.add_argument("--count", type=int, default=200, help="inputs on which decisions are compared (200)")
    parser.add_argument(
        "--seed", type=int, nargs="+", default=[0], help="other inputs, for calibration and comparison (0)"
    )
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    rows = {
        f"{name}, seed {seed}": measured(case, options.calibration, options.count, seed)
        for name, case in CASES.items()
        for seed in options.seed
        if options.filter in name
    }
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    table = Table("network", *columns)
    worse = False
    for name, row in rows.items():
        table.add_row(
            name, *(f"{row[each]:.0f}" if each == SECONDS else f"{100 * row[each]:.2f} %" for each in columns)
        )
        worse |= row["ours"] < max(share for column, share in row.items() if column.startswith("ONNX"))
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return int(worse)


if __name__ == "__main__":
    exit_with(main, failed=2)
