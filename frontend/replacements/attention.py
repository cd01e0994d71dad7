"""Attention written out for networks whose caches become state: a Concat joins the cache and new rows."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ..site import FLOATS, Site, expands


@expands("Attention")
def _attention(site: Site) -> None:
    """
    Write an Attention of ai.onnx out, scaled, capped, masked and normalised over the keys, where caches become state.

    Queries, keys and values are [B, N, S, h] or [B, S, N h]; heads of queries share those of keys in groups. The form
    without caches keeps the operator, and so do those that no cache is known to have.
    """
    kept = ("left_window_size", "right_window_size")
    windows = [site.given.get(name, -1) for name in kept]
    if not site.graph.rows or site.input(6) or site.wants(3) or any(window >= 0 for window in windows):
        return
    query, key, value = (_by_head(site, index) for index in range(3))
    batch, heads, new, width = _head_shape(site, 0)
    groups, past = _head_shape(site, 1)[1], 0
    if site.input(4) and site.input(5):
        past = site.shape(4, 4)[2]
        key, value = (site.emit("Concat", site.input(i), x, axis=2) for i, x in ((4, key), (5, value)))
    total = past + _head_shape(site, 1)[2]
    kind, group = site.kind(0), heads // groups
    scale = float(site.given.get("scale", 0.0)) or width**-0.5
    rows = site.reshape(query, batch, groups, group * new, width) if group > 1 else query
    scores = site.emit("MatMul", rows, site.emit("Transpose", key, perm=[0, 1, 3, 2]))
    scores = site.emit("Mul", scores, site.number(scale, kind))
    if cap := float(site.attribute("softcap")):
        bent = site.emit("Tanh", site.emit("Div", scores, site.number(cap, kind)))
        scores = site.emit("Mul", bent, site.number(cap, kind))
    scores = site.reshape(scores, batch, heads, new, total) if group > 1 else scores
    shares = site.emit("Softmax", site.sum(scores, _mask(site), _causal(site, past, new, total)), axis=-1)
    shares = site.reshape(shares, batch, groups, group * new, total) if group > 1 else shares
    y = site.emit("MatMul", shares, value)
    y = site.reshape(y, batch, heads, new, _head_shape(site, 2)[3]) if group > 1 else y
    if len(site.shape(0)) == 3:
        y = site.reshape(site.emit("Transpose", y, perm=[0, 2, 1, 3]), batch, new, -1)
    for index, result in enumerate((y, key, value)):
        site.give(index, result)


def _head_shape(site: Site, index: int) -> tuple[int, int, int, int]:
    """Return the shape [B, N, S, h] of queries, keys or values."""
    shape = site.shape(index, 3, 4)
    if len(shape) == 4:
        return shape[0], shape[1], shape[2], shape[3]
    heads = int(site.attribute("kv_num_heads" if index else "q_num_heads") or 0)
    if heads < 1 or shape[2] % heads:
        raise site.misfit("the number of heads", f"one that divides {shape[2]}", heads)
    return shape[0], heads, shape[1], shape[2] // heads


def _by_head(site: Site, index: int) -> str:
    """Append queries, keys or values as [B, N, S, h]."""
    if len(site.shape(index)) == 4:
        return site.input(index)
    batch, heads, length, width = _head_shape(site, index)
    return site.emit("Transpose", site.reshape(site.input(index), batch, length, heads, width), perm=[0, 2, 1, 3])


def _mask(site: Site) -> str:
    """Append the mask as numbers to add; "" for none."""
    if not site.input(3) or site.kind(3) != TensorProto.BOOL:
        return site.input(3)
    kind = site.kind(0)
    return site.emit("Where", site.input(3), site.number(0.0, kind), site.number(-np.inf, kind))


def _causal(site: Site, past: int, new: int, total: int) -> str:
    """Append the causal mask, [S, T], in which query i sees the keys up to past + i; "" where all see all."""
    if not site.attribute("is_causal") or new == 1:
        return ""
    return causal_mask(site, past, new, total, float("-inf"))


def causal_mask(site: Site, past: int, new: int, total: int, lowest: float) -> str:
    """
    Append a mask [S, T] that adds `lowest` to the scores of keys behind past + i for query i.

    It is a constant, which is followed from caches of a fixed length, but computed where the length is open.
    """
    kind = site.kind(0) if site.kind(0) in FLOATS else TensorProto.FLOAT
    keys, queries = np.arange(total, dtype=np.int64).reshape(1, -1), np.arange(new, dtype=np.int64).reshape(-1, 1)
    if not site.graph.is_open:
        mask = np.where(keys > queries + past, np.float32(lowest), np.float32(0))
        return site.cast(site.constant(mask), TensorProto.FLOAT, kind)
    # The number of cached rows is a constant by itself, so that it can follow the position.
    last = site.emit("Add", site.constant(np.array([past], np.int64)), site.constant(queries))
    hidden = site.emit("Greater", site.constant(keys), last)
    return site.emit("Where", hidden, site.number(lowest, kind), site.number(0.0, kind))
