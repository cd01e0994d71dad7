"""
Recall of selected pages in a long context: the share of the softmax's mass that they hold, for the trained `klm-small`.

The decoder reads a text through the store, with selection, in calls of 64 tokens; then the pages that the store selects
for the last queries are compared with all keys, and with as many pages of the greatest mass over the heads of a cache.
Weights and pages are bfloat16, as in the configuration of the Keyboard LM: 65,536 tokens, pages of 32, 512 tokens
attended to.

    cat docs/*.md > text
    python benchmarks/paged/recall.py text
    python benchmarks/paged/recall.py text --context 16384 --budget 2048
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from tilewright.benchmarks.paged.quality import PAGE, bind
from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import host_inputs
from tilewright.runtime.paged.arithmetic import Floats
from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.toolchain import vector_flags
from tilewright.runtime.tools.generate_paged import paged_language
from tilewright.test.exits import exit_with

CHUNK = 64
"""Tokens of a call."""


@dataclass
class Watched:
    """Functions of a store that a decoder calls, which keep all keys; note the recall of queries while `measured`."""

    pool: NativePool
    keys: Floats
    """Keys of each layer: [layers, tokens, kv_heads, head_dim]."""
    start: int = 0
    count: int = 0
    measured: bool = False
    recall: list[float] = field(default_factory=list[float])
    oracle: list[float] = field(default_factory=list[float])

    def begin(self, _: Any, position: int, count: int, tokens: Any) -> int:
        self.start, self.count = position, count
        self.pool.begin(0, np.zeros(count, np.uint32))
        return 0

    def append(self, _: Any, layer: int, keys: Any, values: Any) -> int:
        config = self.pool.config
        shape = (self.count, config.kv_heads, config.head_dim)
        rows = [np.ctypeslib.as_array(array, shape) for array in (keys, values)]
        self.keys[layer, self.start : self.start + self.count] = rows[0]
        self.pool.append(layer, rows[0], rows[1])
        return 0

    def attend(self, _: Any, layer: int, queries: Any, results: Any) -> int:
        config = self.pool.config
        shape = (self.count, config.heads, config.head_dim)
        asked, attended = (np.ctypeslib.as_array(array, shape) for array in (queries, results))
        attended[...] = self.pool.attend(layer, asked)
        if self.measured:
            self._measure(layer, asked[-1].reshape(config.kv_heads, config.group, config.head_dim))
        return 0

    def commit(self, _: Any) -> int:
        self.pool.commit()
        return 0

    def _measure(self, layer: int, queries: Floats) -> None:
        """Note the mass that the attended pages hold, and that of as many pages of the greatest mass."""
        config, length = self.pool.config, self.start + self.count
        own = (length - 1) // PAGE
        for head, rows in enumerate(self.pool.touched(layer)):
            keys = self.keys[layer, :length, head]
            scores = queries[head] @ keys.T * config.scale
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            full = shares[:, : own * PAGE].reshape(config.group, own, PAGE).sum(-1)
            last = shares[:, own * PAGE :].sum(-1)
            # One sequence alone: its blocks are the rows of the store.
            selected = np.array(sorted(set(rows) - {own}), np.int64)
            best = np.argsort(-full.sum(0))[: len(selected)]
            for notes, blocks in ((self.recall, selected), (self.oracle, best)):
                notes.append(float((full[:, blocks].sum(-1) + last).mean()))


def build(folder: Path, weights: str, context: int) -> HostNetwork:
    """Return the compiled decoder."""
    model = zoo.build("klm-small", is_open=True)
    path = folder / "klm-small.onnx"
    stored = model if weights == "f32" else store_weights(model, None, weights)[0]
    path.write_bytes(stored.SerializeToString())
    compilation = compile_model(Model(path, context=context, prefill=CHUNK, page_length=PAGE), "native")
    return HostNetwork(compilation.program(), flags=["-O3", *vector_flags()])


def read(network: HostNetwork, steps: Watched, text: bytes, queries: int) -> float:
    """Read a text in calls of CHUNK tokens, the last `queries` one by one and measured; returns tokens a second."""
    language = paged_language(host_inputs(network), host_inputs(network, "network_prefill"), len(text))
    prompt = language.prompt
    assert prompt is not None
    ids = np.frombuffer(text, np.uint8).astype(np.int64)
    before = (len(ids) - queries) // CHUNK * CHUNK
    start = time.perf_counter()
    for position in range(0, before, CHUNK):
        _call(network, prompt, ids[position : position + CHUNK], position)
    rate = before / (time.perf_counter() - start)
    steps.measured = True
    for position in range(before, len(ids)):
        _call(network, language, ids[position : position + 1], position)
    return rate


def _call(network: HostNetwork, language: Any, ids: Any, position: int) -> None:
    function = "network" if len(ids) == 1 else "network_prefill"
    index = network.number_of(function)
    inputs = {
        language.token.name: ids.reshape(language.token.shape),
        language.position.name: np.full(language.position.shape, position, np.int32),
    }
    network.run([inputs[port.name] for port in network.entries[index].inputs], index)


def main() -> int:
    """Print the table; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("text", type=Path, metavar="TEXT", help="a file of at least --context bytes")
    add("--context", type=int, default=65536, metavar="TOKENS", help="bytes that are read (65536)")
    add("--budget", type=int, default=512, metavar="TOKENS", help="tokens that a query attends to (512)")
    add("--queries", type=int, default=64, metavar="N", help="queries that are measured, at the end (64)")
    add("--weights", choices=("f32", *TYPES), default="bf16", help="the type of stored weights (bf16)")
    add("--kv-memory", type=int, default=100 << 20, metavar="BYTES", help="memory of the store (100 MiB)")
    options = parser.parse_args()
    text = options.text.read_bytes()[: options.context]
    if len(text) < options.context:
        raise Diagnostic(
            "the text is too short", expected=f"{options.context:,} bytes", found=f"{len(text):,}", where="TEXT"
        )
    with tempfile.TemporaryDirectory(dir=".") as name:
        network = build(Path(name), options.weights, options.context)
        config = replace(
            PoolConfig.of_shape(network.pool_shape(), options.kv_memory),
            element=Element.BF16,
            digest=Element.BF16,
            budget_pages=options.budget // PAGE,
            sparse_prefill=True,
        )
        with NativePool(config, name) as pool:
            pool.create()
            keys = np.zeros((config.layers, len(text), config.kv_heads, config.head_dim), np.float32)
            steps = Watched(pool, keys)
            table = bind(network, steps)
            rate = read(network, steps, text, options.queries)
            stats = pool.get_stats()
            del table
    figures = {
        "recall of the selected pages": f"{np.mean(steps.recall):.3f}",
        "of the pages of the greatest mass": f"{np.mean(steps.oracle):.3f}",
        "share of the context": f"{options.budget / options.context:.3f}",
        "tokens a second": f"{rate:,.0f}",
        "hit rate": f"{100 * stats.hits / max(1, stats.hits + stats.misses):.1f} %",
    }
    result = Table("what", "figure", title=f"klm-small, {options.context:,} tokens, {options.budget:,} attended to")
    for what, figure in figures.items():
        result.add_row(what, figure)
    table_console().print(result)
    return 0


if __name__ == "__main__":
    exit_with(main)
