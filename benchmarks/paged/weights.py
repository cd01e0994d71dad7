"""
Decoding with weights of float32, bfloat16 and int8: bytes, milliseconds a token, and bits a byte.

Times are of `klm` (23 million parameters), compiled for `native`, on one thread, after 256 tokens: rounds of the three
programs take turns, and the least time of each counts. Bits a byte are those that the trained `klm-small` gives to the
second half of a text; its weights are int8 by origin.

    python benchmarks/paged/weights.py
    python benchmarks/paged/weights.py --text test/frontend/klm_held_out.txt --bytes 2048

Exit code 1 where bfloat16 is not faster than float32, or int8 not faster than bfloat16.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from tilewright.benchmarks.paged.decoding import Decoder
from tilewright.benchmarks.paged.quality import PAGE, Steps, bits, by_digests
from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.frontend import zoo
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.toolchain import vector_flags
from tilewright.test.exits import exit_with

WEIGHTS = ("f32", *TYPES)
ROUNDS, STEPS, LENGTH, CHUNK = 12, 16, 256, 64
"""Rounds of a time, of which the least counts; tokens of each; tokens before them; tokens of a prompt's call."""


class _Run:
    """A decoder with a prompt in its store, which is timed in rounds that start at the same length."""

    def __init__(self, folder: Path, weights: str):
        decoder = Decoder(folder, weights)
        self.weights_bytes = decoder.weights_bytes
        self.run: BoundNetwork = decoder.open(2 * LENGTH, Element.F32, 0)
        self.step, self.prompt = float("inf"), float("inf")

    def round(self) -> None:
        """Time a prompt of LENGTH tokens in calls of CHUNK, then STEPS tokens; keep the least times of a token."""
        self.run.reset()
        ids = np.arange(CHUNK)[None] + 1
        self.prompt = min(self.prompt, self._times(ids, range(0, LENGTH, CHUNK), "network_prefill") / CHUNK)
        self.step = min(self.step, self._times(ids[:, :1], range(LENGTH, LENGTH + STEPS), "network"))

    def _times(self, ids: np.ndarray, positions: range, function: str) -> float:
        """Return the mean milliseconds of the calls of a function."""
        start = time.perf_counter()
        for position in positions:
            self.run({"input_ids": ids, "position": np.array([position])}, function=function)
        return 1e3 * (time.perf_counter() - start) / len(positions)


def times() -> bool:
    """Print bytes and times; return whether narrower weights are faster."""
    with tempfile.TemporaryDirectory() as name:
        runs = {weights: _Run(Path(name), weights) for weights in WEIGHTS}
        for _ in range(ROUNDS):
            for run in runs.values():
                run.round()
    table = Table("weights", "bytes", "ms a token", "of f32's", "ms a token of a prompt", "of f32's")
    whole = runs["f32"]
    for weights, run in runs.items():
        ratios = [f"{run.step / whole.step:.2f}", f"{run.prompt / whole.prompt:.2f}"]
        figures = [f"{run.weights_bytes:,}", f"{run.step:.2f}", ratios[0], f"{run.prompt:.2f}", ratios[1]]
        table.add_row(weights, *figures)
    table_console().print(table)
    steps = [runs[weights].step for weights in WEIGHTS]
    return steps == sorted(steps, reverse=True)


def quality(text: bytes) -> None:
    """Print the bits a byte of the trained model with each type of weights, with dense attention."""
    table = Table("weights", "bytes", "bits a byte")
    model = zoo.build("klm-small", is_open=True)
    for weights in WEIGHTS:
        stored = model if weights == "f32" else store_weights(model, None, weights)[0]
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "klm-small.onnx"
            path.write_bytes(stored.SerializeToString())
            program = compile_model(Model(path, context=len(text), page_length=PAGE), "native").program()
            network = HostNetwork(program, flags=["-O3", *vector_flags()])
        config = PoolConfig.of_shape(network.pool_shape())
        rows = np.zeros((config.layers, 2, len(text), config.kv_heads, config.head_dim), np.float32)
        figure = bits(network, Steps(config, by_digests, rows), text)
        table.add_row(weights, f"{program.weights_bytes:,}", f"{figure:.4f}")
    table_console().print(f"klm-small, {len(text):,} bytes", table)


def main() -> int:
    """Print the tables; return 1 where a bound of the first lines does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, metavar="FILE", help="a text for klm-small, instead of times")
    parser.add_argument("--bytes", type=int, default=2048, metavar="N", help="its first bytes (2048)")
    options = parser.parse_args()
    if options.text is not None:
        quality(options.text.read_bytes()[: options.bytes])
        return 0
    return 0 if times() else 1


if __name__ == "__main__":
    exit_with(main)
