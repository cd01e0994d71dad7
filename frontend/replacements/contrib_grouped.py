"""
ONNX Runtime's GroupQueryAttention as ai.onnx's Attention on the keys and values of the past and the new ones.

Source: the operator's documentation, docs/ContribOperators.md of ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from ..site import Site, replaces
from .attention import causal_mask

_REFUSED = {
    12: "with a quantised cache",
    13: "with a quantised cache",
    14: "with a norm of queries and keys",
    15: "with a norm of queries and keys",
}


@dataclass(frozen=True)
class _Sizes:
    """Of a batch: its entries, new tokens, those of the cache before and after, heads of queries and of keys, width."""

    batch: int
    new: int
    past: int
    total: int
    heads: int
    groups: int
    width: int
    has_cache: bool

    @property
    def is_prompt(self) -> bool:
        """Return whether there is no cache, or nothing in it yet."""
        return not self.has_cache

    @property
    def is_even(self) -> bool:
        """Return whether it is known where in the cache the new tokens are: behind the past, as they are one text."""
        return self.is_prompt or (self.batch == 1 and self.total == self.past + self.new)


@replaces("GroupQueryAttention")
def _grouped(site: Site) -> None:
    """Rotate queries and keys, append keys and values to the cache, and attend to its valid rows."""
    _check(site)
    packed = not site.input(1)
    sizes = _sizes(site, packed=packed)
    parts = [site.input(index) for index in range(3)]
    if packed:
        rows = site.sizes(*(count * sizes.width for count in (sizes.heads, sizes.groups, sizes.groups)))
        parts = site.emit_many("Split", [site.input(0), rows], 3, axis=-1)
    before = _before(site, sizes)
    query, key, value = (
        _by_head(site, part, sizes, heads)
        for part, heads in zip(parts, (sizes.heads, sizes.groups, sizes.groups), strict=True)
    )
    if site.attribute("do_rotary"):
        query, key = (_rotated(site, part, before, sizes) for part in (query, key))
    present = [_cached(site, index, part, before, sizes) for index, part in ((3, key), (4, value))]
    bias = site.sum(_mask(site, before, sizes), site.input(10))
    y = _attend(site, [query, *present], bias, sizes)
    rows = site.emit("Transpose", y, perm=[0, 2, 1, 3])
    site.give(0, site.reshape(rows, sizes.batch, sizes.new, sizes.heads * sizes.width))
    for index, part in enumerate(present, start=1):
        site.give(index, part)


def _attend(site: Site, parts: Sequence[str], bias: str, sizes: _Sizes) -> str:
    """Append the attention, [B, N, S, h], of queries to keys and values of [B, G, T, h], with a bias or ""."""
    scale, cap = site.given.get("scale", 0.0), float(site.attribute("softcap"))
    if not site.input(11) and site.attribute("smooth_softmax") <= 0:
        attributes = {"scale": scale} if scale else {}
        return site.emit("Attention", *filter(None, (*parts, bias)), softcap=cap, **attributes)
    query, keys, values = parts
    kind, group = site.kind(0), sizes.heads // sizes.groups
    # Queries whose heads share keys are the rows of one product.
    rows = site.reshape(query, sizes.batch, sizes.groups, group * sizes.new, sizes.width)
    product = site.emit("MatMul", rows, site.emit("Transpose", keys, perm=[0, 1, 3, 2]))
    scores = site.emit("Mul", product, site.number(scale or sizes.width**-0.5, kind))
    if cap:
        bent = site.emit("Tanh", site.emit("Div", scores, site.number(cap, kind)))
        scores = site.emit("Mul", bent, site.number(cap, kind))
    scores = site.sum(site.reshape(scores, sizes.batch, sizes.heads, sizes.new, sizes.total), bias)
    shares = _shares(site, scores, sizes)
    grouped = site.reshape(shares, sizes.batch, sizes.groups, group * sizes.new, sizes.total)
    y = site.emit("MatMul", grouped, values)
    return site.reshape(y, sizes.batch, sizes.heads, sizes.new, sizes.width)


def _shares(site: Site, scores: str, sizes: _Sizes) -> str:
    """Append the softmax of scores [B, N, S, T], to whose sum the sink of a head adds: exp(sink), or 1 to smooth it."""
    smooth = site.attribute("smooth_softmax") > 0
    if not site.input(11) and not smooth:
        return site.emit("Softmax", scores, axis=-1)
    sink = site.input(11) or site.cast(
        site.constant(np.zeros(sizes.heads, np.float32)), TensorProto.FLOAT, site.kind(0)
    )
    sink, axis = site.reshape(sink, 1, sizes.heads, 1, 1), site.sizes(-1)
    largest = site.emit("Max", site.emit("ReduceMax", scores, axis, keepdims=1), sink)
    powers = site.emit("Exp", site.emit("Sub", scores, largest))
    total = site.emit("ReduceSum", powers, axis, keepdims=1)
    return site.emit("Div", powers, site.emit("Add", total, site.emit("Exp", site.emit("Sub", sink, largest))))


def _check(site: Site) -> None:
    """Raise Diagnostic for forms of the operator that are not handled."""
    for index, what in _REFUSED.items():
        if site.input(index):
            raise site.unsupported(what)
    for name in ("sliding_window_cache", "qk_output"):
        if site.attribute(name):
            raise site.unsupported(f"with {name}")
    if site.wants(3):
        raise site.unsupported("that gives its scores")
    rotates = bool(site.attribute("do_rotary")) and not site.input(9)
    if site.graph.rows and not site.graph.is_open and (rotates or site.attribute("local_window_size") > 0):
        what = "that counts positions in a cache of a fixed length, which becomes state,"
        raise site.unsupported(what, "caches of an open length, or position_ids and no window")
    if bool(site.input(3)) != bool(site.input(4)) or bool(site.input(1)) != bool(site.input(2)):
        raise site.unsupported("with keys but without values, or the other way round")


def _sizes(site: Site, *, packed: bool) -> _Sizes:
    batch, new, width = site.shape(0, 3)
    heads, groups = int(site.attribute("num_heads")), int(site.attribute("kv_num_heads"))
    count = heads + 2 * groups if packed else heads
    if heads < 1 or groups < 1 or heads % groups or width % count:
        raise site.unsupported(f"of {heads} and {groups} heads in {width} numbers", "heads that divide the queries")
    keys = (batch, new, width // count * groups)
    shapes = [site.shape(index, 3) for index in (() if packed else (1, 2))]
    if any(shape != keys for shape in shapes):
        raise site.unsupported(f"of keys and values of {shapes}", f"keys and values of {list(keys)}")
    past = site.shape(3, 4)[2] if site.input(3) else 0
    cache = (batch, groups, past, width // count)
    if past and any(site.shape(index, 4) != cache for index in (3, 4)):
        raise site.unsupported(f"with a past other than {list(cache)}", "a past of keys and of values in that shape")
    total = _total(site, past, new)
    # A cache that becomes state is one at any length.
    has_cache = past > 0 or bool(site.input(3) and site.graph.rows)
    return _Sizes(batch, new, past, total, heads, groups, width // count, has_cache)


def _total(site: Site, past: int, new: int) -> int:
    """Return the tokens of the cache behind the operator: those of a buffer that stays where it is, or with the new."""
    value = site.value(6)
    if value is None:
        return past + new
    total = int(value.reshape(-1)[0])
    if total < new or (past and total == new) or (not past and total != new):
        raise site.unsupported(
            f"of {new} new tokens, {past} in the cache and {total} in all",
            "a cache of no tokens for a prompt, and for more tokens one that has those before",
        )
    return max(total, past)


def _before(site: Site, sizes: _Sizes) -> str:
    """Return the number of cached tokens of each entry, int64 [B or 1, 1, 1, 1], limited so that the new ones fit."""
    if sizes.is_even:
        return site.constant(np.full((1, 1, 1, 1), sizes.past, np.int64))
    last = site.reshape(site.cast(site.input(5), site.kind(5), TensorProto.INT64), sizes.batch, 1, 1, 1)
    before = site.emit("Add", last, site.constant(np.array(1 - sizes.new, np.int64)))
    ends = (site.constant(np.array(end, np.int64)) for end in (0, sizes.total - sizes.new))
    return site.emit("Clip", before, *ends)


def _by_head(site: Site, x: str, sizes: _Sizes, heads: int) -> str:
    split_heads = site.reshape(x, sizes.batch, sizes.new, heads, sizes.width)
    return site.emit("Transpose", split_heads, perm=[0, 2, 1, 3])


def _rotated(site: Site, x: str, before: str, sizes: _Sizes) -> str:
    """Append queries or keys [B, N, S, h], rotated by their positions."""
    positions = site.input(9)
    if not positions:
        places = np.broadcast_to(np.arange(sizes.new, dtype=np.int64), (sizes.batch, sizes.new))
        first = site.reshape(before, -1, 1)
        positions = site.emit("Add", site.constant(np.ascontiguousarray(places)), first)
    rotated = 2 * site.shape(7, 2)[1]
    return site.emit(
        "RotaryEmbedding",
        x,
        site.input(7),
        site.input(8),
        positions,
        interleaved=int(site.attribute("rotary_interleaved")),
        rotary_embedding_dim=rotated if rotated < sizes.width else 0,
    )


def _cached(site: Site, index: int, new: str, before: str, sizes: _Sizes) -> str:
    """Append the cache with new rows in it: behind the past, or where each entry of the batch goes on."""
    if sizes.is_prompt:
        return new
    past = site.input(index)
    if sizes.is_even:
        return site.emit("Concat", past, new, axis=2)
    if sizes.past < sizes.total:
        shape = (sizes.batch, sizes.groups, sizes.total - sizes.past, sizes.width)
        room = site.cast(site.constant(np.zeros(shape, np.float32)), TensorProto.FLOAT, site.kind(index))
        past = site.emit("Concat", past, room, axis=2)
    return site.emit("TensorScatter", past, new, site.reshape(before, sizes.batch), axis=2)


def _mask(site: Site, before: str, sizes: _Sizes) -> str:
    """Append the causal and sliding-window mask of queries, [B or 1, 1, S, T]; "" for none."""
    window, causal = int(site.attribute("local_window_size")), bool(site.attribute("causal"))
    if window > 0 and not causal:
        raise site.unsupported("of a window that is not causal")
    longest = max(sizes.total, site.graph.rows)
    kind = site.kind(0)
    lowest = float(np.finfo(np.float16).min) if kind == TensorProto.FLOAT16 else -1e30
    if sizes.is_even and not 0 < window < longest:
        is_full = sizes.new == 1 or not causal
        return "" if is_full else causal_mask(site, sizes.past, sizes.new, sizes.total, lowest)
    keys = site.constant(np.arange(sizes.total, dtype=np.int64).reshape(1, 1, 1, -1))
    rows = np.arange(sizes.new) if causal else np.full(sizes.new, sizes.new - 1)
    last = site.emit("Add", before, site.constant(rows.astype(np.int64).reshape(1, 1, -1, 1)))
    hidden = site.emit("Greater", keys, last)
    if window > 0:
        far = site.emit("Sub", last, site.constant(np.array(window, np.int64)))
        hidden = site.emit("Or", hidden, site.emit("LessOrEqual", keys, far))
    return site.emit("Where", hidden, site.number(lowest, kind), site.number(0.0, kind))
