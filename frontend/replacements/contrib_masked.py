"""ONNX Runtime's DecoderMaskedMultiHeadAttention: one query to each text, and a cache that stays where it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from onnx import TensorProto

from ..site import Site, replaces


class _CacheSizes(NamedTuple):
    """Numbers of texts, heads, elements of a head, rows of the cache, and keys that are attended to."""

    batch: int
    heads: int
    width: int
    rows: int
    keys: int


@replaces("DecoderMaskedMultiHeadAttention")
def _masked(site: Site) -> None:
    """
    Attend to the keys of another text, [B, N, L, h], or to those of the cache up to `past_length`, with the new one.

    The mask is [B, T], 1 for keys that count; the attention bias is [1 or B, 1 or N, 1, T].
    """
    _check(site)
    if len(site.shape(1, 3, 4)) == 4:
        batch, heads, rows, width = site.shape(1)
        sizes = _CacheSizes(batch, heads, width, rows, rows)
        _give(site, sizes, site.input(1), site.input(2), "")
        return
    sizes = _sizes(site)
    length = site.reshape(site.cast(site.input(7), site.kind(7), TensorProto.INT64), 1)
    position = site.emit("Clip", length, *(site.constant(np.array(end, np.int64)) for end in (0, sizes.rows - 1)))
    present = [_written(site, index, position, sizes) for index in (1, 2)]
    for index, cache in enumerate(present, start=1):
        site.give(index, cache)
    keys, values = (_attended(site, cache, position, sizes) for cache in present)
    places = site.constant(np.arange(sizes.keys, dtype=np.int64).reshape(1, 1, 1, -1))
    later = "" if site.value(7) is not None else site.emit("Greater", places, position)
    _give(site, sizes, keys, values, later)


def _check(site: Site) -> None:
    """Raise Diagnostic for forms that ONNX Runtime's CPU does not compute."""
    if not site.input(1) or not site.input(2) or site.attribute("output_qk") or site.wants(3):
        raise site.unsupported("with packed queries, keys and values, or that gives its scores", "three inputs")
    batch, length, width = site.shape(0, 3)
    heads, crossed = int(site.attribute("num_heads")), len(site.shape(1, 3, 4)) == 4
    if length != 1 or heads < 1 or width % heads:
        raise site.unsupported(f"of {length} queries of {width} numbers in {heads} heads", "one query, equal heads")
    if crossed and (site.input(4) or site.shape(2) != site.shape(1) or site.shape(1)[:2] != (batch, heads)):
        raise site.unsupported("with such keys and values of another text", "keys and values of one shape, no bias")
    if crossed:
        return
    if not site.attribute("past_present_share_buffer") or not all(map(site.input, (5, 6, 7))):
        raise site.unsupported("with a cache that grows", "past_present_share_buffer = 1, past_key, past_value, length")
    cache = (batch, heads, site.shape(5, 4)[2], width // heads)
    if site.shape(1) != (batch, 1, width) or site.shape(2) != site.shape(1):
        raise site.unsupported(f"of keys {list(site.shape(1))}", f"keys and values of {[batch, 1, width]}")
    if site.shape(5) != cache or site.shape(6) != cache:
        raise site.unsupported(f"with a past other than {list(cache)}", "a past of keys and of values in that shape")


def _sizes(site: Site) -> _CacheSizes:
    """Return the sizes for a cache, of which a constant length, a mask or a bias says how much is attended to."""
    batch, heads, rows, width = site.shape(5, 4)
    length = site.value(7)
    if site.shape(7) not in ((), (1,)):
        raise site.misfit("input 7", "one number", list(site.shape(7)))
    stated = {site.shape(index, rank)[-1] for index, rank in ((3, 2), (4, 4)) if site.input(index)}
    stated |= {int(length.reshape(-1)[0]) + 1} if length is not None else set()
    keys = stated.pop() if stated else rows
    if stated or not 1 <= keys <= rows:
        raise site.unsupported(f"of {keys} keys in a cache of {rows}", "one number of keys, at most those of the cache")
    return _CacheSizes(batch, heads, width, rows, keys)


def _by_head(site: Site, index: int, sizes: _CacheSizes) -> str:
    """Append a query, key or value [B, 1, N h], with its part of the bias, as [B, N, 1, h]."""
    size = sizes.heads * sizes.width
    x = site.input(index)
    if site.input(10):
        ends = (site.sizes(index * size), site.sizes((index + 1) * size))
        x = site.emit("Add", x, site.emit("Slice", site.input(10), *ends, site.sizes(0)))
    return site.reshape(x, sizes.batch, sizes.heads, 1, sizes.width)


def _written(site: Site, index: int, position: str, sizes: _CacheSizes) -> str:
    """Append the cache with the new key or value in it, [B, N, rows, h]."""
    starts = site.emit("Expand", position, site.sizes(sizes.batch))
    return site.emit("TensorScatter", site.input(index + 4), _by_head(site, index, sizes), starts, axis=2)


def _attended(site: Site, cache: str, position: str, sizes: _CacheSizes) -> str:
    """Append the rows of the cache that are attended to, of the beams that they come from, [B, N, T, h]."""
    if not site.input(9):
        if sizes.keys == sizes.rows:
            return cache
        return site.emit("Slice", cache, site.sizes(0), site.sizes(sizes.keys), site.sizes(2))
    groups, beams, longest = site.shape(9, 3)
    if site.input(4) and site.shape(4)[0] != 1:
        raise site.unsupported("with beams and a bias for each", "one bias for all beams, as ONNX Runtime takes it")
    if groups * beams != sizes.batch or longest < sizes.keys:
        wanted = f"indices for {sizes.batch} beams and {sizes.keys} keys"
        raise site.unsupported(f"with beams of {[groups, beams, longest]}", wanted)
    own = np.arange(sizes.batch, dtype=np.int64).reshape(-1, 1)
    places = np.arange(sizes.keys, dtype=np.int64).reshape(1, -1)
    beam_of = site.cast(site.reshape(site.input(9), sizes.batch, longest), site.kind(9), TensorProto.INT64)
    beam_of = site.emit("Slice", beam_of, site.sizes(0), site.sizes(sizes.keys), site.sizes(1))
    source = site.emit("Add", beam_of, site.constant(own // beams * beams))
    is_new = site.emit("Equal", site.constant(places), position)
    source = site.emit("Where", is_new, site.constant(own), source)
    shape = (sizes.batch, sizes.keys)
    pairs = [source, site.constant(np.ascontiguousarray(np.broadcast_to(places, shape)))]
    indices = site.emit(
        "Concat", *(site.emit("Unsqueeze", axis_indices, site.sizes(2)) for axis_indices in pairs), axis=2
    )
    rows = site.emit("GatherND", site.emit("Transpose", cache, perm=[0, 2, 1, 3]), indices)
    return site.emit("Transpose", rows, perm=[0, 2, 1, 3])


def _give(site: Site, sizes: _CacheSizes, keys: str, values: str, later: str) -> None:
    """Attend to keys and values [B, N, T, h], without those that are `later` than the query, and give [B, 1, N h]."""
    kind, hidden = site.kind(0), ""
    if site.input(3):
        if site.shape(3) != (sizes.batch, sizes.keys):
            raise site.unsupported(f"with a mask {list(site.shape(3))}", f"a mask of {[sizes.batch, sizes.keys]}")
        counts = site.cast(site.reshape(site.input(3), sizes.batch, 1, 1, sizes.keys), site.kind(3), TensorProto.BOOL)
        value = float(site.attribute("mask_filter_value"))
        hidden = site.emit("Where", counts, site.number(0.0, kind), site.number(value, kind))
    if later:
        beyond = site.emit("Where", later, site.number(-1e30, kind), site.number(0.0, kind))
        hidden = site.sum(hidden, beyond)
    mask = site.sum(hidden, site.input(4))
    scale = site.given.get("scale", 0.0)
    attributes = {"scale": scale} if scale else {}
    operands = filter(None, [_by_head(site, 0, sizes), keys, values, mask])
    y = site.emit("Attention", *operands, **attributes)
    site.give(0, site.reshape(y, sizes.batch, 1, sizes.heads * sizes.width))
