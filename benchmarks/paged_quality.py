"""
Policies of selection on the trained `klm-small`: the share of the softmax's mass that the pages hold, and bits a byte.

Attention is computed in NumPy, by the store's own selection and arithmetic, called from the compiled decoder.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
from tilewright.runtime.toolchain import vector_flags
from tilewright.runtime.tools.generate_paged import paged_language

PAGE = 32
Policy = Callable[[Array, Array, int], Array]
"""Queries [heads of a group, D], keys [tokens, D] and a number of pages to the pages that are attended to."""


def dense(queries: Array, keys: Array, pages: int) -> Array:
    """Select all pages."""
    return np.arange(-(-len(keys) // PAGE))


def recent(queries: Array, keys: Array, pages: int) -> Array:
    """Select the last pages."""
    return dense(queries, keys, pages)[-pages:]


def quest(queries: Array, keys: Array, pages: int) -> Array:
    """Select by the digests of pages, the heads' shares of a softmax added; the query's own page is one of them."""
    full = keys[: (len(keys) - 1) // PAGE * PAGE].reshape(-1, PAGE, keys.shape[-1])
    greatest, least = full.max(1), full.min(1)
    scores = np.maximum(queries[:, None] * greatest, queries[:, None] * least).sum(-1)
    return _best(scores, pages, keys)


def oracle(queries: Array, keys: Array, pages: int) -> Array:
    """Select by the mass that pages have."""
    full = keys[: (len(keys) - 1) // PAGE * PAGE]
    scores = (queries @ full.T).reshape(len(queries), -1, PAGE)
    scale = 1 / np.sqrt(keys.shape[-1])
    sums = np.log(np.exp(scale * (scores - scores.max(initial=0))).sum(-1) + 1e-300) / scale
    return _best(sums, pages, keys)


def _best(scores: Array, pages: int, keys: Array) -> Array:
    own = (len(keys) - 1) // PAGE
    if own < pages:
        return np.arange(own + 1)
    scaled = scores / np.sqrt(keys.shape[-1])
    terms = np.exp(scaled - scaled.max(-1, keepdims=True))
    shares = (terms / terms.sum(-1, keepdims=True)).sum(0)
    best = np.argsort(-shares, kind="stable")[: pages - 1]
    return np.append(np.sort(best), own)


POLICIES: dict[str, Policy] = {"recency window": recent, "digests (Quest)": quest, "oracle pages": oracle}


@dataclass
class Steps:
    """Functions that a decoder calls, with attention by a policy over `pages`; `mass` of each query is noted."""

    policy: Policy
    pages: int
    heads: int
    kv_heads: int
    head_dim: int
    rows: Array
    """Keys and values of each layer: [layers, 2, tokens, kv_heads, head_dim]."""
    length: int = 0
    mass: list[float] = field(default_factory=list[float])

    def begin(self, _: Any, position: int, count: int, tokens: Any) -> int:
        self.length = position + count
        return 0

    def append(self, _: Any, layer: int, keys: Any, values: Any) -> int:
        shape = (self.kv_heads, self.head_dim)
        for part, array in enumerate((keys, values)):
            self.rows[layer, part, self.length - 1] = np.ctypeslib.as_array(array, shape)
        return 0

    def attend(self, _: Any, layer: int, queries: Any, results: Any) -> int:
        given = np.ctypeslib.as_array(queries, (self.kv_heads, self.heads // self.kv_heads, self.head_dim))
        found = np.ctypeslib.as_array(results, given.shape)
        keys, values = self.rows[layer, :, : self.length]
        for head in range(self.kv_heads):
            found[head], mass = self._head(given[head], keys[:, head], values[:, head])
            self.mass.append(mass)
        return 0

    def _head(self, queries: Array, keys: Array, values: Array) -> tuple[Array, float]:
        scores = queries @ keys.T / np.sqrt(self.head_dim)
        terms = np.exp(scores - scores.max(-1, keepdims=True))
        pages = self.policy(queries, keys, self.pages)
        tokens = (pages[:, None] * PAGE + np.arange(PAGE)).ravel()
        tokens = tokens[tokens < len(keys)]
        kept = terms[:, tokens]
        total = kept.sum(-1, keepdims=True)
        return kept @ values[tokens] / total, float((total[:, 0] / terms.sum(-1)).mean())

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


def bits(network: HostNetwork, steps: Steps, text: bytes) -> float:
    """Return the bits a byte that the decoder gives to the second half of a text after what is before."""
    table = _Table(None, *(kind(getattr(steps, name)) for name, kind in _TYPES.items()))
    network.bind(ctypes.addressof(table))
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
    shape = network.pool_shape()
    runs = [("all", "dense", dense, 0)]
    runs += [(f"{budget:,}", name, policy, budget // PAGE) for budget in budgets for name, policy in POLICIES.items()]
    for tokens, name, policy, pages in runs:
        rows = np.zeros((shape.layers, 2, len(text), shape.kv_heads, shape.head_dim), np.float32)
        steps = Steps(policy, pages, shape.heads, shape.kv_heads, shape.head_dim, rows)
        found = bits(network, steps, text)
        table.add_row(tokens, name, f"{np.mean(steps.mass):.4f}", f"{found:.3f}")
    table_console().print(f"{len(text):,} bytes, pages of {PAGE}", table)
    return 0
