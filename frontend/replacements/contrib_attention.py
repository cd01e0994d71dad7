"""ONNX Runtime's Attention and MultiHeadAttention as matrix products and ai.onnx's Attention."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ..site import FLOATS, Site, replaces
from .attention import causal_mask


@replaces("Attention")
def _attention(site: Site) -> None:
    """Project the input to queries, keys and values, [B, S, 3 H], and attend."""
    if site.attribute("do_rotary") or site.attribute("past_present_share_buffer"):
        raise site.unsupported("with rotary positions or with a past in place", "a past that is an input of its own")
    _attend_projected(site, site.sum(site.emit("MatMul", site.input(0), site.input(1)), site.input(2)), (3, 4, 5))


@replaces("QAttention")
def _quantised_attention(site: Site) -> None:
    """Project in integers, and attend in floats."""
    if site.attribute("do_rotary") or site.attribute("past_present_share_buffer"):
        raise site.unsupported("with rotary positions or with a past in place", "a past that is an input of its own")
    x, w, bias, x_scale, w_scale, _, x_zero, w_zero = (site.input(index) for index in range(8))
    projected = site.integer_product(x, w, (x_zero, w_zero), (x_scale, w_scale))
    _attend_projected(site, site.sum(projected, bias), (5, 8, 9))


def _attend_projected(site: Site, projected: str, inputs: tuple[int, int, int]) -> None:
    """Append the attention of queries, keys and values; `inputs` are mask, past and attention bias."""
    mask, earlier, added = inputs
    heads, width = int(site.attribute("num_heads")), site.shape(1, 2)[1]
    sizes = [int(size) for size in site.given.get("qkv_hidden_sizes", ())] or [width // 3] * 3
    parts = site.emit_many("Split", [projected, site.sizes(*sizes)], 3, axis=-1)
    batch, length = site.shape(0, 3)[:2]
    past, before = ["", ""], 0
    if site.input(earlier):
        before = site.shape(earlier, 5)[3]
        pair = site.emit_many("Split", [site.input(earlier), site.sizes(1, 1)], 2, axis=0)
        past = [site.emit("Squeeze", part, site.sizes(0)) for part in pair]
    bias = _bias(site, mask, added, (batch, length, before + length))
    y, *present = _attend(site, parts, bias, past, heads)
    site.give(0, y)
    if site.wants(1):
        outer = site.sizes(0)
        site.give(1, site.emit("Concat", *(site.emit("Unsqueeze", part, outer) for part in present), axis=0))


@replaces("MultiHeadAttention")
def _multi_head(site: Site) -> None:
    """Attend to keys and values of [B, L, H], to which a bias of the three is added; or of [B, N, L, h], without."""
    if not site.input(1) or not site.input(2) or len(site.shape(0)) != 3:
        raise site.unsupported("with packed queries, keys and values", "inputs of three axes")
    heads, (batch, length, width) = int(site.attribute("num_heads")), site.shape(0)
    parts = [site.input(index) for index in range(3)]
    crossed = len(site.shape(1, 3, 4)) == 4
    if crossed:
        parts[1:] = [_rows(site, index) for index in (1, 2)]
    if site.input(3):
        inner = width if crossed else site.shape(2, 3)[2]
        pieces = site.emit_many("Split", [site.input(3), site.sizes(width, width, inner)], 3, axis=0)
        parts = [site.sum(part, piece) if i == 0 or not crossed else part
                 for i, (part, piece) in enumerate(zip(parts, pieces, strict=True))]  # fmt: skip
    past = [site.input(6), site.input(7)]
    before = site.shape(6, 4)[2] if past[0] else 0
    keys = site.shape(1)[2 if crossed else 1]
    if site.attribute("unidirectional") and length not in (1, keys):
        # ONNX Runtime lets query i see keys up to the past's length + i, and the last query all of them.
        raise site.unsupported(
            f"with causal attention of {length} queries to {keys} new keys", "as many queries as keys, or one query"
        )
    total = before + keys
    y, *present = _attend(site, parts, _bias(site, 4, 5, (batch, length, total)), past, heads)
    for index, value in enumerate((y, *present)):
        site.give(index, value)


def _rows(site: Site, index: int) -> str:
    """Append keys or values of [B, N, L, h] as [B, L, N h]."""
    batch, heads, length, width = site.shape(index, 4)
    return site.reshape(site.emit("Transpose", site.input(index), perm=[0, 2, 1, 3]), batch, length, heads * width)


def _attend(site: Site, parts: list[str], bias: str, past: list[str], heads: int) -> list[str]:
    """
    Append ai.onnx's Attention and return its result, and the keys and values with the past before them.

    These are [B, N, L, h], and only there with a past or where the node gives them.
    """
    operands = [*parts, bias, *past]
    while not operands[-1]:
        operands.pop()
    scale = site.given.get("scale", 0.0)
    attributes = {"scale": scale} if scale else {}
    heads_of = {"q_num_heads": heads, "kv_num_heads": heads}
    results = site.emit_many("Attention", operands, 3 if past[0] else 1, **heads_of, **attributes)
    if not past[0] and any(site.wants(index) for index in (1, 2)):
        split = (site.reshape(part, 0, 0, heads, -1) for part in parts[1:])
        results += [site.emit("Transpose", part, perm=[0, 2, 1, 3]) for part in split]
    return results


def _bias(site: Site, mask: int, bias: int, sizes: tuple[int, int, int]) -> str:
    """Append the attention bias of `sizes` [B, S, T]: padding mask, causal mask, and a given bias."""
    padding = _padding(site, mask, sizes) if site.input(mask) else ""
    return site.sum(padding, _causal(site, sizes) if site.attribute("unidirectional") else "", site.input(bias))


def _causal(site: Site, sizes: tuple[int, int, int]) -> str:
    """Append the causal mask [S, T] of queries that are the last S of T positions; "" where one query sees all."""
    _, length, total = sizes
    lowest = np.finfo(np.float16).min if _kind(site) == TensorProto.FLOAT16 else -1e30
    return causal_mask(site, total - length, length, total, float(lowest)) if length > 1 else ""


def _kind(site: Site) -> int:
    """Return the element type of the scores: that of the input, or of the scales of a quantised input."""
    return site.kind(0) if site.kind(0) in FLOATS else TensorProto.FLOAT


def _padding(site: Site, index: int, sizes: tuple[int, int, int]) -> str:
    """
    Append the filter value where a mask says that a key does not count, as [B, 1, 1 or S, T].

    The mask holds 0 and 1 for [B, T] or [B, S, T], or as a vector the length of each batch, then perhaps its start.
    """
    shape, (batch, length, total) = site.shape(index), sizes
    mask = site.input(index)
    if shape in ((batch, total), (batch, length, total)):
        counts = site.emit(
            "Cast", site.reshape(mask, batch, 1, *([1] if len(shape) == 2 else []), *shape[1:]), to=TensorProto.BOOL
        )
    elif shape in ((batch,), (2 * batch,)):
        counts = _within(site, mask, shape[0] // batch, batch, total)
    else:
        raise site.unsupported(f"with a mask of shape {list(shape)}", "a mask of [B], [2 B], [B, T] or [B, S, T]")
    value, kind = float(site.attribute("mask_filter_value")), _kind(site)
    return site.emit("Where", counts, site.number(0.0, kind), site.number(value, kind))


def _within(site: Site, mask: str, bounds: int, batch: int, total: int) -> str:
    """Append whether a key's place is before the end of its batch, and not before its start."""
    places = site.constant(np.arange(total, dtype=np.int32).reshape(1, 1, 1, total))
    limits = site.reshape(mask, bounds * batch, 1, 1, 1)
    if bounds == 1:
        return site.emit("Less", places, limits)
    end, start = site.emit_many("Split", [limits, site.sizes(batch, batch)], 2, axis=0)
    return site.emit("And", site.emit("Less", places, end), site.emit("GreaterOrEqual", places, start))
