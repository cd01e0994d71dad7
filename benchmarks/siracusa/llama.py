"""
The Llama of arXiv:2408.04413 with its state on Siracusa, on the simulator that others wrote: measured beside published.

    python benchmarks/siracusa/llama.py [--only steps,prompt] [--target NAME] [--bucket 64] [--steps 256]

The network is that of the zoo in the published size: 8 layers of 64 features, 16 heads, 256 in the MLP, weights from a
seed. *steps* are all steps of one program with `--context 256`, from an empty state on, on GVSoC: the rate is that of
360 MHz. *prompt* is the network for 64 tokens at once, without state, its third call. Scores, and the caches of a
prompt, are compared with those of the interpreter at the level `types`, all of them. *L2* is what the linker places
there: code, weights, state and the recorded inputs.

Published are 340 tokens a second on average, and 28.3 million cycles for a prompt of 64 (Deeploy's documentation). The
exit code is 1 where a score differs, or a figure is not better than published.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

from tilewright.benchmarks.siracusa.ours import MHZ, PUBLISHED
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.frontend.zoo import llama
from tilewright.ir import Array
from tilewright.runtime.rv32 import read_elf
from tilewright.runtime.tools.session import Interpreted
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare
from tilewright.targets.siracusa.simulators.gvsoc import RUNS, GvsocSession
from tilewright.test.exits import exit_with

CONTEXT, PROMPT = 256, 64
TOKENS_A_SECOND, PROMPT_CYCLES = 340.0, 28_300_000
SECONDS = 3600.0
"""Wall-clock time after which the simulator is killed."""
_L2 = 0x1C000000


def measured(
    model: ModelProto, target: str, steps: Sequence[dict[str, Array]], *, context: int, bucket: int, runs: int
) -> tuple[Array, int, int]:
    """
    Return the cycles of each call in the last of `runs` runs, how many scores differ, and the bytes in L2.

    Raises Diagnostic where the network does not fit the chip, and where there is no simulator.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        folder = Path(name)
        (folder / "network.onnx").write_bytes(model.SerializeToString())
        given = Model(folder / "network.onnx", context=context, bucket=bucket)
        write_compilation(compile_model(given, target), folder)
        elf = read_elf(build_bare(folder, folder / "network.elf", SIRACUSA))
        session = GvsocSession(folder, seconds=SECONDS, runs=runs)
        ports = session.entries[0].inputs
        calls = [{port.name: step.get(port.name, np.zeros(port.shape, port.dtype)) for port in ports} for step in steps]
        found = session.run_all([(0, list(call.values())) for call in calls])
        reference = Interpreted(compile_model(given, "host", stop_after="types"))
        expected = [list(reference(call).values()) for call in calls]
    pairs = [pair for ours, theirs in zip(found, expected, strict=True) for pair in zip(ours, theirs, strict=True)]
    differing = sum(int(np.count_nonzero(ours != theirs)) for ours, theirs in pairs)
    return session.cycles[-1], differing, sum(size for at, _, size in elf.segments if at & ~0xFFFFFF == _L2)


def _steps(target: str, bucket: int, count: int, console: Console) -> bool:
    """Measure and print the steps of a program; return whether it is right and faster than published."""
    random = np.random.default_rng(1)
    tokens = random.integers(0, PUBLISHED.vocabulary, (count, 1, 1))
    calls = [{"token": token, "position": np.array([position])} for position, token in enumerate(tokens)]
    model = llama.step(8, config=PUBLISHED)
    cycles, differing, size = measured(model, target, calls, context=CONTEXT, bucket=bucket, runs=1)
    rate = MHZ * 1e6 / float(cycles.mean())
    table = Table("target", "bucket", "steps", "L2, bytes", "differ", title="steps of the Llama on GVSoC, measured")
    places = sorted({0, count // 4 - 1, count // 2 - 1, 3 * count // 4 - 1, count - 1} - {-1})
    for title in (*(f"at {place}" for place in places), "average", "tokens/s", "published"):
        table.add_column(title, justify="right")
    at = (f"{int(cycles[place]):,}" for place in places)
    rates = (f"{cycles.mean():,.0f}", f"{rate:,.0f}", f"{TOKENS_A_SECOND:,.0f}")
    table.add_row(target, str(bucket or "-"), str(count), f"{size:,}", str(differing), *at, *rates)
    console.print(table)
    return differing == 0 and rate > TOKENS_A_SECOND


def _prompt(target: str, console: Console) -> bool:
    """Measure and print a prompt; return whether it is right and faster than published."""
    tokens = np.random.default_rng(1).integers(0, PUBLISHED.vocabulary, (1, PROMPT))
    model = llama.prefill(PROMPT, config=PUBLISHED)
    calls = [{"token": tokens, "position": np.array([0])}]
    cycles, differing, size = measured(model, target, calls, context=0, bucket=0, runs=RUNS)
    table = Table("target", "tokens", "L2, bytes", "differ", title="a prompt of the Llama on GVSoC, measured")
    for title in ("cycles", "published"):
        table.add_column(title, justify="right")
    table.add_row(target, str(PROMPT), f"{size:,}", str(differing), f"{int(cycles[0]):,}", f"{PROMPT_CYCLES:,}")
    console.print(table)
    return differing == 0 and int(cycles[0]) < PROMPT_CYCLES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="steps,prompt", help="steps, prompt or both, with a comma")
    parser.add_argument("--target", default="siracusa", help="siracusa, or a variant of it")
    parser.add_argument("--bucket", type=int, default=64, help="rows of each function, 0 for one function (64)")
    parser.add_argument("--steps", type=int, default=CONTEXT, help=f"the first of the {CONTEXT} steps (all)")
    options = parser.parse_args(arguments)
    if not 1 <= options.steps <= CONTEXT:
        parser.error(f"--steps is 1 to {CONTEXT}")
    console, begin = Console(width=None if sys.stdout.isatty() else 170), time.perf_counter()
    good = [
        _steps(options.target, options.bucket, options.steps, console)
        if part == "steps"
        else _prompt(options.target, console)
        for part in options.only.split(",")
    ]
    console.print(f"{time.perf_counter() - begin:,.0f} s")
    return 0 if all(good) else 1


if __name__ == "__main__":
    exit_with(main, failed=2)
