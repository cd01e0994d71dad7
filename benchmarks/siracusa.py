"""
Modelled latencies of whole networks on Siracusa, beside those that were published for it.

    python benchmarks/siracusa.py [--context 256] [--only mlperf|llama] [--model NAME=FILE...]

The published figures are those of Deeploy (Scherer et al., arXiv:2408.04413), measured on silicon at 360 MHz: Table
III for the networks of MLPerf Tiny, section VI-D for the Llama (8 layers of 64 features, 16 heads, 256 hidden ones).
Ours are modelled, by the costs of targets/siracusa. The networks are those of the zoo, with random weights, or those of
`--model`, on bytes without sign: ds-cnn=net.onnx. "their way" is our model of how they go about it: every layer from
and to L2, its tiles fetched one at a time, on 64,000 bytes of L1.

The exit code is 1 where ours is not modelled to be faster than the published figure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import onnx
from onnx import ModelProto
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tilewright import targets
from tilewright.compiler import Model
from tilewright.frontend import zoo
from tilewright.frontend.zoo import llama
from tilewright.ir import new_context
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator import simulate

MHZ = 360
THEIR_WAY = "plan-memory{layer-by-layer=true double-buffered=false level-bytes=64000}"
MLPERF = {
    "ds-cnn": (1.4, 0.39),
    "resnet8": (3.7, 0.60),
    "mobilenet-v1-025": (5.6, 0.69),
    "autoencoder": (0.24, 0.11),
}
"""Network -> milliseconds on eight cores, and with the NPU and the weight memory."""
PUBLISHED = llama.Config(layers=8, dim=64, heads=16, hidden=256)
TOKENS_PER_SECOND = 340
SCENARIOS = {
    "one core": "siracusa/one-core",
    "eight cores": "siracusa/cluster",
    "NPU": "siracusa/npu",
    "NPU and weight memory": "siracusa",
}


def modelled(model: ModelProto | Path, target: str, *, plan: str = "plan-memory", context: int = 0) -> int:
    """Return the cycles that a network takes on a machine. Raises Diagnostic where it cannot be compiled for it."""
    phases = targets.machine_named(target).phases
    names = [phase.name for phase in phases]
    text = ",".join(phase.text for phase in phases[: names.index("kernels") + 1])
    pipeline = parse_pipeline(f"builtin.module({text.replace('plan-memory', plan)})", all_passes())
    with tempfile.TemporaryDirectory() as folder:
        path, types = model if isinstance(model, Path) else Path(folder) / "network.onnx", dict[str, str]()
        if isinstance(model, Path):
            types = {value.name: "ui8" for value in cast(Any, onnx).load(path, load_external_data=False).graph.input}
        else:
            path.write_bytes(model.SerializeToString())
        module = Model(path, input_types=types, context=context).load()
    PassManager([], verify_each=False, verify_phases=True).run(module, pipeline, new_context())
    return simulate(module).cycles


def mlperf(console: Console, files: Mapping[str, Path]) -> bool:
    """Print the networks of MLPerf Tiny; returns whether ours are faster."""
    table = Table(title="modelled milliseconds on Siracusa; published: Deeploy, Table III", show_lines=False)
    titles = ("network", "8 cores", "published", "faster", "their way", "off", "with NPU", "published", "faster")
    for title in titles:
        table.add_column(title, justify="left" if title == "network" else "right")
    sound = True
    with Progress(console=console, transient=True) as progress:
        for name in progress.track(MLPERF, description="MLPerf Tiny"):
            cores, npu = MLPERF[name]
            model = files.get(name) or zoo.build(name)
            ours, with_npu = (modelled(model, target) / MHZ / 1000 for target in ("siracusa/cluster", "siracusa"))
            theirs = modelled(model, "siracusa/cluster", plan=THEIR_WAY) / MHZ / 1000
            sound &= ours < cores and with_npu < npu
            row = (f"{ours:.3f}", f"{cores}", f"{cores / ours:.2f}x", f"{theirs:.3f}", f"{theirs / cores - 1:+.0%}")
            table.add_row(name, *row, f"{with_npu:.3f}", f"{npu}", f"{npu / with_npu:.2f}x")
    console.print(table)
    return sound


def language_model(console: Console, context: int) -> bool:
    """Print the steps of the Llama; returns whether it gives more tokens a second than published."""
    table = Table(title=f"a token after {context // 2 - 1} others, embedding and scores included: modelled on Siracusa")
    for title in ("scenario", "cycles", "ms", "tokens/s", "against one core", f"one program for {context}"):
        table.add_column(title, justify="left" if title == "scenario" else "right")
    model = llama.step(context // 2 - 1, config=PUBLISHED)
    found: dict[str, int] = {}
    with Progress(console=console, transient=True) as progress:
        for name, target in progress.track(list(SCENARIOS.items()), description="Llama"):
            found[name] = modelled(model, target)
            whole = modelled(model, target, context=context)
            cycles = found[name]
            speed = f"{found['one core'] / cycles:.2f}x"
            rate = f"{MHZ * 1e6 / cycles:,.0f}"
            table.add_row(name, f"{cycles:,}", f"{cycles / MHZ / 1000:.2f}", rate, speed, f"{whole:,}")
    console.print(table)
    best = MHZ * 1e6 / found["NPU and weight memory"]
    console.print(f"published: {TOKENS_PER_SECOND} tokens/s on average over 256 steps, without embedding and scores")
    return best > TOKENS_PER_SECOND


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0].strip())
    parser.add_argument("--context", type=int, default=256, help="rows of the caches (default 256)")
    parser.add_argument("--only", choices=["mlperf", "llama"], help="one of the two tables")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE", help="another file for a network")
    options = parser.parse_args(arguments)
    files = {name: Path(file) for name, _, file in (text.partition("=") for text in options.model)}
    if unknown := [name for name in files if name not in MLPERF]:
        parser.error(f"there is no network '{unknown[0]}'; known are {', '.join(MLPERF)}")
    console = Console(width=None if sys.stdout.isatty() else 150)
    parts = {"mlperf": lambda: mlperf(console, files), "llama": lambda: language_model(console, options.context)}
    sound = [part() for name, part in parts.items() if options.only in (None, name)]
    console.print("faster than published" if all(sound) else "not faster than published everywhere")
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main())
