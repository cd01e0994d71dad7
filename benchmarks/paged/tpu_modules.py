"""
A decoder whose modules run on the TPU's runtime, beside its core: bits a byte, differences of scores, time of a step.

    python benchmarks/paged/tpu_modules.py klm-small --tokens 160 --plugin cvi

exits with 1 where bits a byte differ by more than 0.01, or where scores of the reference plug-in differ at all. With
`--plugin cvi` it needs tpu-mlir (`tilewright tpu vendor`), whose simulator then computes the modules.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.targets.sg2002.building import build, write
from tilewright.targets.sg2002.tpu.vendors import tpu_vendor

TARGET = "sg2002"
START = 256
"""Token at the start of a document."""
TEXT = Path(__file__).parents[2] / "test" / "frontend" / "klm_held_out.txt"


def scores_of(network: HostNetwork, tokens: Sequence[int], prefill: int) -> tuple[NDArray[np.float64], float]:
    """Return the scores [tokens, vocabulary] by prompts of `prefill` tokens, then steps, and the seconds of a step."""
    config = PoolConfig.of_shape(network.pool_shape(), 1 << 26)
    run = BoundNetwork(network, NativePool(config), 0)
    run.sequence = run.pool.create()
    rows: list[NDArray[np.float64]] = []
    seconds: list[float] = []
    at = 0
    while at < len(tokens):
        count = prefill if at + prefill <= len(tokens) // 2 else 1
        inputs = {"input_ids": np.array([tokens[at : at + count]]), "position": np.array([at])}
        start = time.process_time()
        (scores,) = run(inputs, function="network_prefill" if count > 1 else "network").values()
        seconds += [time.process_time() - start] if count == 1 else []
        rows.append(scores[0].astype(np.float64))
        at += count
    return np.concatenate(rows), float(np.median(seconds))


def bits(scores: NDArray[np.float64], tokens: Sequence[int]) -> float:
    """Return the mean bits of each token behind the one before."""
    shifted = scores[:-1] - scores[:-1].max(-1, keepdims=True)
    logarithms = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    chosen = np.asarray(tokens[1:])
    return float(-logarithms[np.arange(len(chosen)), chosen].mean() / np.log(2))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", default="klm-small", help="a decoder of the zoo (klm-small)")
    parser.add_argument("--tokens", type=int, default=160, metavar="N", help="bytes of held-out text (160)")
    parser.add_argument("--prefill", type=int, default=16, metavar="N", help="tokens of a prompt (16)")
    parser.add_argument("--modules", default="qkv+ffn", help="kinds of modules (qkv+ffn)")
    parser.add_argument("--plugin", default="reference", help="reference or cvi (reference)")
    options = parser.parse_args()
    tokens = [START, *TEXT.read_bytes()[: options.tokens]]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        path = folder / "model.onnx"
        path.write_bytes(zoo.build(options.network, is_open=True).SerializeToString())
        model = Model(path, context=len(tokens), prefill=options.prefill, page_length=32)
        built = build(model, TARGET, options.modules, tpu_vendor(options.plugin, TARGET))
        write(built, folder / "build")
        core = HostNetwork(compile_model(model, TARGET).program())
        expected, core_seconds = scores_of(core, tokens, options.prefill)
        computed, seconds = scores_of(HostNetwork(folder / "build"), tokens, options.prefill)
    artifacts = [content for name, content in built.artifacts.files.items() if name.endswith((".cvi", ".twnpu"))]
    equal = float((expected.argmax(-1) == computed.argmax(-1)).mean())
    print(f"{len(artifacts)} artefacts of {sum(map(len, artifacts)):,} bytes")
    ours, theirs = bits(expected, tokens), bits(computed, tokens)
    difference = float(np.abs(expected - computed).max())
    print(f"bits a byte: core {ours:.4f}, {options.plugin} {theirs:.4f}")
    print(f"greatest difference of scores {difference:.4f} of {np.abs(expected).max():.2f}")
    print(f"most probable token equal at {100 * equal:.1f} % of {len(tokens)} positions")
    print(f"processor time of a step: core {1e3 * core_seconds:.2f} ms, {options.plugin} {1e3 * seconds:.2f} ms")
    return 1 if abs(ours - theirs) > 0.01 or (difference and options.plugin == "reference") else 0


if __name__ == "__main__":
    sys.exit(main())
