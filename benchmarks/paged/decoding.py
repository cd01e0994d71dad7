"""
Decoding with a paged store: milliseconds a token at lengths of the context, beside llama.cpp and ONNX Runtime.

The decoder is `klm` of the zoo in float32 (23 million parameters, 6 layers, 8 heads of 64 that share 2 caches),
compiled for `native`, on one thread. llama.cpp has the same weights as GGUF and must give the same tokens after prompts
that both compute; longer contexts are random keys and values, since the time does not depend on them. ONNX Runtime's
column is its GroupQueryAttention alone, in place, six layers of it.

    pip install xllamacpp==2026.10.11549 gguf==0.19.0 pyyaml onnxruntime
    python benchmarks/paged/decoding.py
    python benchmarks/paged/decoding.py --lengths 1024,8192 --budgets 512 --no-llama
    python benchmarks/paged/decoding.py --on-disk 524288
    python benchmarks/paged/decoding.py --quality text.txt

With --quality the trained `klm-small` reads a text with each policy of selection: the share of the softmax's mass that
the pages hold, and bits a byte. Exit code 1 where tokens differ, where dense decoding is slower than llama.cpp's, or
where selection does not pay 4 times at 32,768 tokens.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.table import Table

from tilewright.benchmarks.paged.peers import LlamaCpp, write_gguf
from tilewright.benchmarks.paged.quality import quality
from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.frontend.quantize.weights_only import store_weights
from tilewright.frontend.zoo.klm import KLM, build_open, drawn
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import host_inputs
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.toolchain import vector_flags
from tilewright.runtime.tools.generate import generate
from tilewright.runtime.tools.generate_paged import paged_language
from tilewright.test.exits import exit_with, peer_module

ROUNDS, STEPS = 5, 8
"""Rounds of a time, of which the least counts, and tokens of each."""
PROMPTS = (256, 2048)
"""Lengths at which llama.cpp is measured."""
GAIN = 4.0
"""Speed-up of selection over dense attention at FAR tokens, at least."""
FAR = 32768
CAPACITY = 1 << 20
"""Tokens of a sequence at most."""


class Decoder:
    """The compiled decoder, with weights of f32, bf16 or int8; stores are opened for it one after another."""

    def __init__(self, folder: Path, weights: str = "f32"):
        path, model = folder / f"klm_{weights}.onnx", build_open()
        if weights != "f32":
            model, _ = store_weights(model, None, weights)
        path.write_bytes(model.SerializeToString())
        compilation = compile_model(Model(path, context=CAPACITY, prefill=64, page_length=32), "native")
        program = compilation.program()
        self.weights_bytes = program.weights_bytes
        self.network = HostNetwork(program, flags=["-O3", *vector_flags()])
        self._config = PoolConfig.of_shape(self.network.pool_shape())

    def open(self, length: int, element: Element, budget: int) -> BoundNetwork:
        """Return the decoder on a new store in memory, for a length and as much as is added in measuring."""
        page = self._config.page_length
        capacity = -(-(length + 2 * ROUNDS * STEPS) // page) * page
        config = replace(
            self._config, capacity=capacity, element=element, digest=element, budget_pages=-(-budget // page)
        )
        memory = config.working_set + config.rows * config.pages * (config.slot + 64)
        pool = NativePool(replace(config, memory=memory))
        return BoundNetwork(self.network, pool, pool.create())

    def open_on_disk(self, length: int, memory: int, budget: int, folder: Path) -> BoundNetwork:
        """Return the decoder on a new store in a folder, in bfloat16, with a bound of memory."""
        page = self._config.page_length
        config = replace(
            self._config,
            capacity=-(-(length + 2 * ROUNDS * STEPS) // page) * page,
            element=Element.BF16,
            digest=Element.BF16,
            budget_pages=-(-budget // page),
            memory=memory,
            threads=4,
        )
        pool = NativePool(config, folder)
        return BoundNetwork(self.network, pool, pool.create())

    def tokens(self, run: BoundNetwork, prompt: Sequence[int], count: int) -> list[int]:
        """Return the tokens that follow a prompt."""
        inputs = [host_inputs(self.network, name) for name in ("network", "network_prefill")]
        return generate(run, paged_language(inputs[0], inputs[1], CAPACITY), prompt, count)

    def milliseconds(self, length: int, element: Element, budget: int) -> float:
        """Return the least time of a token after `length` random ones."""
        run = self.open(length, element, budget)
        fill(run, length)
        position = length

        def steps() -> None:
            nonlocal position
            for _ in range(STEPS):
                run({"input_ids": np.array([[5]]), "position": np.array([position])})
                position += 1

        return least(steps) / STEPS


def fill(run: BoundNetwork, length: int) -> None:
    """Add random keys and values of `length` tokens."""
    random, config = np.random.default_rng(0), run.pool.config
    for start in range(0, length, 1024):
        count = min(1024, length - start)
        run.pool.begin(run.sequence, np.zeros(count, np.uint32))
        for layer in range(config.layers):
            rows = random.standard_normal((2, count, config.kv_heads, config.head_dim), np.float32)
            run.pool.append(layer, rows[0], rows[1])
        run.pool.commit()


def least(work: Callable[[], object]) -> float:
    """Return the least milliseconds of several calls, after one that is not counted."""
    work()
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


def grouped_attention(length: int) -> float:
    """Return the milliseconds of ONNX Runtime's attention over a cache in place, for all layers of the decoder."""
    from onnx import TensorProto, helper

    ort = peer_module("onnxruntime")
    queries, caches = KLM.heads * KLM.head, KLM.kv_heads * KLM.head
    names = ["q", "k", "v", "past_k", "past_v", "seen", "total"]
    node = helper.make_node(
        "GroupQueryAttention",
        names,
        ["o", "present_k", "present_v"],
        domain="com.microsoft",
        num_heads=KLM.heads,
        kv_num_heads=KLM.kv_heads,
    )
    rows = {"past_k": "L", "past_v": "L", "present_k": "M", "present_v": "M"}
    shapes = {"q": [1, 1, queries], "k": [1, 1, caches], "v": [1, 1, caches], "o": [1, 1, queries]}
    shapes |= {name: [1, KLM.kv_heads, row, KLM.head] for name, row in rows.items()}
    kinds = {"seen": TensorProto.INT32, "total": TensorProto.INT32}
    ports = [
        helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), shapes.get(name, [1]))
        for name in [*names, "o", "present_k", "present_v"]
    ]
    graph = helper.make_graph([node], "attention", ports[:7], ports[7:])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options)
    random, binding = np.random.default_rng(0), session.io_binding()
    for name, extent in (("q", queries), ("k", caches), ("v", caches)):
        binding.bind_cpu_input(name, random.standard_normal((1, 1, extent), np.float32))
    binding.bind_cpu_input("seen", np.array([length], np.int32))
    binding.bind_cpu_input("total", np.array([length + 1], np.int32))
    for name in ("k", "v"):
        rows_of = random.standard_normal((1, KLM.kv_heads, length + 64, KLM.head)).astype(np.float32)
        cache = ort.OrtValue.ortvalue_from_numpy(rows_of)
        binding.bind_ortvalue_input(f"past_{name}", cache)
        binding.bind_ortvalue_output(f"present_{name}", cache)
    binding.bind_output("o")
    return KLM.layers * least(lambda: session.run_with_iobinding(binding))


def on_disk(decoder: Decoder, length: int, memory: int, budget: int) -> None:
    """Print the time of a token, and the store's figures, with most pages of a long context on disk."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        run = decoder.open_on_disk(length, memory, budget, Path(folder))
        start = time.perf_counter()
        fill(run, length)
        seconds = time.perf_counter() - start
        before = run.pool.get_stats()
        start = time.perf_counter()
        for position in range(length, length + ROUNDS * STEPS):
            run({"input_ids": np.array([[position % 512]]), "position": np.array([position])})
        seconds_a_token = (time.perf_counter() - start) / (ROUNDS * STEPS)
        after = run.pool.get_stats()
    hits, misses = after.hits - before.hits, after.misses - before.misses
    table = Table("what", "figure", title=f"{length:,} tokens on disk, {budget:,} attended to")
    rows = {
        "memory of the store": f"{after.memory:,} of {memory:,} bytes",
        "working set": f"{run.pool.config.working_set:,} bytes",
        "written": f"{after.bytes_written:,} bytes, {after.bytes_written / seconds / 1e6:,.0f} MB/s with random keys",
        "read a token": f"{(after.bytes_read - before.bytes_read) / (ROUNDS * STEPS):,.0f} bytes",
        "hit rate": f"{100 * hits / max(hits + misses, 1):.1f} %",
        "milliseconds a token": f"{1e3 * seconds_a_token:.1f}",
        "tokens a second": f"{1 / seconds_a_token:.1f}",
    }
    for name, figure in rows.items():
        table.add_row(name, figure)
    table_console().print(table)


def beside_llama(decoder: Decoder, folder: Path) -> bool:
    """Print both decoders' times after prompts; return whether tokens are equal and ours takes no longer."""
    path = folder / "klm.gguf"
    write_gguf(KLM, drawn(KLM, 0), path, 4096)
    server = LlamaCpp(path, 4096)
    names = ("ours ms/token", "llama.cpp ms/token", "ratio", "ours ms/prompt token", "llama.cpp", "equal")
    table = Table("prompt", *names)
    holds = True
    for length in PROMPTS:
        prompt = [int(token) for token in np.random.default_rng(length).integers(1, KLM.vocabulary, length)]
        peer = min((server.decode(prompt, 1 + STEPS) for _ in range(3)), key=lambda decoding: decoding.milliseconds)
        run = decoder.open(length, Element.F32, 0)
        start = time.perf_counter()
        first = decoder.tokens(run, prompt, 1)
        of_prompt = 1e3 * (time.perf_counter() - start) / length
        run.reset()
        own = [*first, *decoder.tokens(run, [*prompt, *first], STEPS)]
        run.pool.truncate(run.sequence, length)
        ours = decoder.milliseconds(length, Element.F32, 0)
        same = own == peer.tokens
        holds &= same and ours <= peer.milliseconds
        ratio = f"{peer.milliseconds / ours:.2f}"
        figures = [ours, peer.milliseconds, of_prompt, peer.prompt_milliseconds]
        texts = [f"{figure:.2f}" for figure in figures]
        table.add_row(f"{length:,}", texts[0], texts[1], ratio, texts[2], texts[3], "yes" if same else "NO")
    table_console().print(table)
    return holds


def by_length(decoder: Decoder, lengths: Sequence[int], budgets: Sequence[int]) -> bool:
    """Print times at lengths of the context; return whether selection pays at FAR tokens."""
    names = [f"budget {budget:,}" for budget in budgets]
    table = Table("context", "dense f32", "dense bf16", *names, "best gain", "ONNX Runtime, attention alone")
    holds = True
    for length in lengths:
        dense = [decoder.milliseconds(length, element, 0) for element in (Element.F32, Element.BF16)]
        selected = [decoder.milliseconds(length, Element.F32, budget) for budget in budgets]
        gain = dense[0] / min(selected)
        holds &= length != FAR or gain >= GAIN
        texts = [f"{figure:.2f}" for figure in (*dense, *selected)]
        table.add_row(f"{length:,}", *texts, f"{gain:.1f}", f"{grouped_attention(length):.2f}")
    table_console().print("milliseconds a token", table)
    return holds


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def main() -> int:
    """Print the tables; return 1 where a bound of the first lines does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=_numbers, default=[1024, 8192, 32768, 131072], metavar="N,N")
    parser.add_argument("--budgets", type=_numbers, default=[512, 2048], metavar="TOKENS,TOKENS")
    parser.add_argument("--no-llama", action="store_true", help="leave llama.cpp out")
    what = "a context of so many tokens in a folder here, in --kv-memory, instead of the other tables"
    parser.add_argument("--on-disk", type=int, default=0, metavar="TOKENS", help=what)
    what = "bytes of memory of the store with --on-disk (100 MiB)"
    parser.add_argument("--kv-memory", type=int, default=100 << 20, metavar="BYTES", help=what)
    parser.add_argument("--quality", type=Path, metavar="TEXT", help="a text for klm-small, instead of times")
    options = parser.parse_args()
    if options.quality is not None:
        return quality(options.quality, options.budgets)
    with tempfile.TemporaryDirectory() as name:
        decoder = Decoder(Path(name))
        if options.on_disk:
            on_disk(decoder, options.on_disk, options.kv_memory, options.budgets[0])
            return 0
        holds = by_length(decoder, options.lengths, options.budgets)
        if not options.no_llama:
            holds &= beside_llama(decoder, Path(name))
    return 0 if holds else 1


if __name__ == "__main__":
    exit_with(main)
