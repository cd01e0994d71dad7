"""
Policies of selection on the trained `klm-small`: the share of the softmax's mass that the pages hold, and bits a byte.

Attention is computed in NumPy over the pages that the store's own selection gives, called from the compiled decoder.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import host_inputs
from tilewright.runtime.paged.arithmetic import Floats, page_scores
from tilewright.runtime.paged.config import PoolConfig
from tilewright.runtime.paged.selection import selected
from tilewright.runtime.toolchain import vector_flags
from tilewright.runtime.tools.generate_paged import paged_language

PAGE = 32
Scores = Callable[[Floats, Floats], Floats]
"""Queries [heads of a group, D] and the keys of full pages [pages, PAGE, D] to scores of the pages [heads, pages]."""


def by_digests(queries: Floats, keys: Floats) -> Floats:
    """Score pages by their digests, as the store does."""
    return page_scores(queries, np.stack([keys.max(1), keys.min(1)], axis=1))


def by_mass(queries: Floats, keys: Floats) -> Floats:
    """Score pages by the logarithm of their softmax mass, over the scale of scores."""
    scores = np.einsum("hd,ptd->hpt", queries, keys)
    scale = 1 / np.sqrt(keys.shape[-1])
    most = scores.max(initial=0)
    return (most + np.log(np.exp(scale * (scores - most)).sum(-1) + 1e-30) / scale).astype(np.float32)


POLICIES: dict[str, tuple[Scores, bool]] = {
    "recency window": (by_digests, True),
    "digests (Quest)": (by_digests, False),
    "oracle pages": (by_mass, False),
}
"""Policy -> its scores, and whether the last pages take all places."""


@dataclass
class Steps:
    """Functions that a decoder calls, with attention over the pages that a policy selects; notes each query's mass."""

    config: PoolConfig
    scores: Scores
    rows: Floats
    """Keys and values of each layer: [layers, 2, tokens, kv_heads, head_dim]."""
    length: int = 0
    mass: list[float] = field(default_factory=list[float])

    def begin(self, _: Any, position: int, count: int, tokens: Any) -> int:
        self.length = position + count
        return 0

    def append(self, _: Any, layer: int, keys: Any, values: Any) -> int:
        shape = (self.config.kv_heads, self.config.head_dim)
        for part, array in enumerate((keys, values)):
            self.rows[layer, part, self.length - 1] = np.ctypeslib.as_array(array, shape)
        return 0

    def attend(self, _: Any, layer: int, queries: Any, results: Any) -> int:
        shape = (self.config.kv_heads, self.config.group, self.config.head_dim)
        groups, attended = (np.ctypeslib.as_array(array, shape) for array in (queries, results))
        keys, values = self.rows[layer, :, : self.length]
        for head in range(self.config.kv_heads):
            attended[head], mass = self._head(groups[head], keys[:, head], values[:, head])
            self.mass.append(mass)
        return 0

    def _head(self, queries: Floats, keys: Floats, values: Floats) -> tuple[Array, float]:
        scores = queries @ keys.T * self.config.scale
        terms = np.exp(scores - scores.max(-1, keepdims=True))
        pages = self._pages(queries, keys)
        tokens = (pages[:, None] * PAGE + np.arange(PAGE)).ravel()
        tokens = tokens[tokens < len(keys)]
        kept = terms[:, tokens]
        total = kept.sum(-1, keepdims=True)
        return kept @ values[tokens] / total, float((total[:, 0] / terms.sum(-1)).mean())

    def _pages(self, queries: Floats, keys: Floats) -> Array:
        """Return the pages that a query attends to, its own last."""
        own = (len(keys) - 1) // PAGE
        if not self.config.budget_pages:
            return np.arange(own + 1)
        full = keys[: own * PAGE].reshape(own, PAGE, keys.shape[-1])
        return np.append(selected(self.config, self.scores(queries, full)), own)

    def commit(self, _: Any) -> int:
        return 0


_POINTER, _FLOATS = ctypes.c_void_p, ctypes.POINTER(ctypes.c_float)
_TYPES = {
    "begin": ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, ctypes.c_int64, ctypes.c_uint32, _POINTER),
    "append": ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, ctypes.c_uint32, _FLOATS, _FLOATS),
    "attend": ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, ctypes.c_uint32, _FLOATS, _FLOATS),
    "commit": ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER),
}


class _Table(ctypes.Structure):
    _fields_ = (("context", _POINTER), *_TYPES.items(), ("status", ctypes.c_int32))


def bind(network: HostNetwork, steps: Any) -> ctypes.Structure:
    """Give a decoder the functions `begin`, `append`, `attend` and `commit` of `steps`; the result must stay alive."""
    table = _Table(None, *(kind(getattr(steps, name)) for name, kind in _TYPES.items()))
    network.bind(ctypes.addressof(table))
    return table


def bits(network: HostNetwork, steps: Steps, text: bytes) -> float:
    """Return the bits a byte that the decoder gives to the second half of a text after what is before."""
    _bound = bind(network, steps)
    language = paged_language(host_inputs(network), (), len(text))
    total, half = 0.0, len(text) // 2
    for position in range(len(text) - 1):
        if position == half:
            steps.mass.clear()
        inputs = {
            language.token.name: np.full(language.token.shape, text[position], np.int64),
            language.position.name: np.full(language.position.shape, position, np.int32),
        }
        (scores,) = network.run([inputs[port.name] for port in network.inputs])
        row = scores.reshape(-1).astype(np.float64)
        if position >= half:
            total += np.log(np.exp(row - row.max()).sum()) - (row[text[position + 1]] - row.max())
    return total / np.log(2) / (len(text) - 1 - half)


def quality(path: Path, budgets: Sequence[int]) -> int:
    """Print mass and bits a byte of each policy on a text; return 0."""
    text = path.read_bytes()
    table = Table("tokens attended to", "policy", "mass of the softmax", "bits a byte")
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "klm-small.onnx"
        model.write_bytes(zoo.build("klm-small", is_open=True).SerializeToString())
        compilation = compile_model(Model(model, context=len(text), page_length=PAGE), "native")
        network = HostNetwork(compilation.program(), flags=["-O3", *vector_flags()])
    config = PoolConfig.of_shape(network.pool_shape())
    runs: list[tuple[str, str, Scores, PoolConfig]] = [("all", "dense", by_digests, config)]
    for budget in budgets:
        pages = budget // PAGE
        for name, (scores, is_recent) in POLICIES.items():
            bounded = replace(config, budget_pages=pages, recent=pages - 1 if is_recent else 0)
            runs.append((f"{budget:,}", name, scores, bounded))
    for tokens, name, scores, policy in runs:
        rows = np.zeros((config.layers, 2, len(text), config.kv_heads, config.head_dim), np.float32)
        steps = Steps(policy, scores, rows)
        bits_a_byte = bits(network, steps, text)
        table.add_row(tokens, name, f"{np.mean(steps.mass):.4f}", f"{bits_a_byte:.3f}")
    table_console().print(f"{len(text):,} bytes, pages of {PAGE}", table)
    return 0
