"""
A keyboard server with a long context, whole process: what it holds in memory, and tokens a second.

The program of `tilewright keyboard build` with `klm` (23 million parameters) starts on a folder that holds a document
of the context but for --tokens, and reads these, under a limit of its address space. What is in the folder are random
keys and values, unless --read has the program read all of the context itself.

    python benchmarks/paged/process.py
    python benchmarks/paged/process.py --context 65536 --read
    CC='riscv64-linux-gnu-gcc -static' RUNNER='qemu-riscv64 -R 0x10000000'
    python benchmarks/paged/process.py --context 8192 --cc "$CC" --runner "$RUNNER"

The second is the configuration of the Keyboard LM: pages of 32 tokens, 512 tokens attended to, bfloat16. With a runner,
such as an emulator, the limit is the runner's own to set, and VmHWM is the runner's. Exit code 1 where the program
fails.
"""

from __future__ import annotations

import argparse
import json
import resource
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.table import Table

from tilewright.compiler import MODEL_HASH, Model, compile_model
from tilewright.console import table_console
from tilewright.errors import Diagnostic
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.frontend.zoo.klm import KLM, build_open
from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.tools.keyboard_build import PROGRAM, write_server
from tilewright.test.exits import exit_with

PAGE, BEGIN = 32, 256
"""Tokens of a page, and the token at the start of a document."""


def build(folder: Path, weights: str, context: int, words: Sequence[str]) -> tuple[int, bytes]:
    """Build the program in a folder; returns the bytes of its weights, and the hash of its model."""
    model = build_open()
    if weights != "f32":
        model, _ = store_weights(model, None, weights)
    path = folder / "klm.onnx"
    path.write_bytes(model.SerializeToString())
    compilation = compile_model(Model(path, context=context, prefill=64, page_length=PAGE), "native")
    write_server(compilation, folder / "build", words, BEGIN)
    return compilation.program().weights_bytes, bytes.fromhex(compilation.report[MODEL_HASH])


def fill(folder: Path, model: bytes, tokens: int, options: argparse.Namespace) -> None:
    """Write a document of random keys and values to a folder."""
    config = PoolConfig(
        layers=KLM.layers,
        heads=KLM.heads,
        kv_heads=KLM.kv_heads,
        head_dim=KLM.head,
        scale=KLM.head**-0.5,
        page_length=PAGE,
        capacity=options.context,
        element=Element.BF16,
        digest=Element.BF16,
        budget_pages=options.budget // PAGE,
        memory=options.kv_memory,
        model=model,
    )
    random = np.random.default_rng(0)
    with NativePool(config, folder) as pool:
        sequence = pool.create()
        for start in range(0, tokens, 1024):
            count = min(1024, tokens - start)
            text = random.integers(32, 127, count, np.uint32)
            text[0] = BEGIN if start == 0 else text[0]
            pool.begin(sequence, text)
            for layer in range(config.layers):
                keys, values = random.standard_normal((2, count, config.kv_heads, config.head_dim), np.float32)
                pool.append(layer, keys, values)
            pool.commit()
        pool.save()


def run(folder: Path, count: int, options: argparse.Namespace) -> list[dict[str, float]]:
    """
    Run the program on `count` bytes of text; returns its figures, a row for each 16th, of 64 bytes at least.

    Raises Diagnostic where it fails.
    """
    text = folder / "text"
    text.write_bytes(np.random.default_rng(1).integers(32, 127, count, np.uint8).tobytes())
    store = ["--kv-dir", folder / "store", "--kv-memory", options.kv_memory, "--kv-budget", options.budget]
    sizes = ["--kv-type", "bf16", "--kv-capacity", options.context, "--documents", 1]
    words = [
        *shlex.split(options.runner),
        folder / "build" / PROGRAM,
        "--tokens",
        text,
        "--every",
        max(64, -(-count // 16)),
    ]

    def limit() -> None:
        if options.limit and not options.runner:
            resource.setrlimit(resource.RLIMIT_AS, (options.limit, options.limit))

    command = list(map(str, [*words, *store, *sizes]))
    completed = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if completed.returncode:
        raise Diagnostic(f"the program ended with status {completed.returncode}", found=completed.stderr.strip()[-200:])
    return [json.loads(line) for line in completed.stdout.splitlines()]


def main() -> int:
    """Print the table; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--context", type=int, default=524288, metavar="TOKENS", help="tokens of the document in the end (524288)")
    add("--tokens", type=int, default=128, metavar="N", help="those that the program reads (128)")
    add("--read", action="store_true", help="the program reads all of them")
    add("--weights", choices=("f32", *TYPES), default="bf16", help="the type of stored weights (bf16)")
    add("--budget", type=int, default=512, metavar="TOKENS", help="tokens that a query attends to (512)")
    add("--kv-memory", type=int, default=100 << 20, metavar="BYTES", help="memory of the store (100 MiB)")
    add("--limit", type=int, default=256 << 20, metavar="BYTES", help="address space; 0 for no limit (256 MiB)")
    add("--cc", default="cc -march=native", metavar="COMMAND", help="the C compiler (cc -march=native)")
    add("--runner", default="", metavar="COMMAND", help="what runs the program, such as an emulator")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        weights, model = build(folder, options.weights, options.context, shlex.split(options.cc))
        (folder / "store").mkdir()
        # The program starts a document that is empty with the token BEGIN.
        count = options.context - 1 if options.read else options.tokens
        if not options.read:
            fill(folder / "store", model, options.context - count, options)
        rows = run(folder, count, options)
    last = rows[-1]
    limit = f"{options.limit:,} bytes" if options.limit and not options.runner else options.runner or "none"
    figures = {
        "limit of the address space": limit,
        "most memory (VmHWM)": f"{last['vm_hwm']:,} bytes",
        "weights": f"{weights:,} bytes, {options.weights}",
        "store": f"{last['store_bytes']:,} of {options.kv_memory:,} bytes",
        "read by the program": f"{last['tokens']:,} tokens in {last['seconds']:,.1f} s",
        "tokens a second": f"{last['tokens'] / last['seconds']:,.1f}, the last {last['tokens_per_second']:,.1f}",
        "hit rate": ", ".join(f"{100 * row['hit_rate']:.1f}" for row in rows[:: max(1, len(rows) // 4)]) + " %",
        "read from disk": f"{last['bytes_read'] / last['tokens']:,.0f} bytes a token",
    }
    table = Table("what", "figure", title=f"{options.context:,} tokens, {options.budget:,} attended to")
    for what, figure in figures.items():
        table.add_row(what, figure)
    table_console().print(table)
    return 0


if __name__ == "__main__":
    exit_with(main)
