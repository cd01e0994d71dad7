"""The arithmetic and selection of docs/paged.md, term by term in NumPy's float32, over all tokens of a sequence."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.paged.config import Element, HeadReduction, PoolConfig

Floats = NDArray[np.float32]
F = np.float32


def stored(values: Floats, element: Element) -> Floats:
    """Round to the element type, by ml_dtypes."""
    return values.astype(ml_dtypes.bfloat16).astype(F) if element is Element.BF16 else values


def lane_sum(terms: Floats) -> Floats:
    """Add the first axis: term t to lane t mod 8, then the lanes as a tree."""
    lanes = [F(0) * terms[0]] * 8
    for place, term in enumerate(terms):
        lanes[place % 8] = term if place < 8 else lanes[place % 8] + term
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def exp(x: Floats) -> Floats:
    """The exponential of numbers of at most 0."""
    n = np.rint(x * F(1.44269502))
    r = (x - n * F(0.693359375)) - n * F(-2.12194440e-4)
    p = np.full_like(x, 1.9875691500e-4)
    for coefficient in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        p = p * r + F(coefficient)
    y = ((p * (r * r)) + r) + F(1)
    return np.where(x < -87, F(0), y * np.exp2(n).astype(F))


def attention(query: Floats, keys: Floats, values: Floats, scale: float) -> Floats:
    """Attention of a query [D] over keys and values [T][D]."""
    scores = lane_sum((query * keys).T) * F(scale)
    terms = exp(scores - scores.max())
    total = np.zeros_like(query)
    for term, value in zip(terms, values, strict=True):
        total = total + term * value
    return total / lane_sum(terms)


def bounds_of(keys: Floats, digest: Element) -> tuple[Floats, Floats]:
    """Maximum and minimum [D] of a page's keys [P][D], of a narrower type the next number above and below."""
    most, least = keys.max(0), keys.min(0)
    if digest is Element.F32:
        return most, least
    # NumPy's stubs do not know the type.
    numpy: Any = np
    narrow: Any = ml_dtypes.bfloat16
    above, below = numpy.asarray(most, narrow), numpy.asarray(least, narrow)
    above = numpy.where(above.astype(F) < most, numpy.nextafter(above, narrow(np.inf)), above)
    below = numpy.where(below.astype(F) > least, numpy.nextafter(below, narrow(-np.inf)), below)
    return above.astype(F), below.astype(F)


def page_score(query: Floats, bounds: tuple[Floats, Floats]) -> Floats:
    """Upper bound of q k over a page: a number."""
    return lane_sum(np.maximum(query * bounds[0], query * bounds[1]))


def chosen(scores: Floats, config: PoolConfig) -> list[int]:
    """Blocks before a query's own that a row of scores [blocks] selects, with the forced ones."""
    own = len(scores)
    forced = {block for block in range(own) if block < config.sinks or block >= own - config.recent}
    free = sorted(set(range(own)) - forced, key=lambda block: (-scores[block], block))
    return sorted(forced | set(free[: config.budget_pages - 1 - len(forced)]))


def selected(queries: Floats, bounds: list[tuple[Floats, Floats]], config: PoolConfig) -> list[int]:
    """Blocks before a query's own that a group of query heads [G][D] attends to."""
    scores = np.array([[page_score(query, pair) for pair in bounds] for query in queries], F)
    if config.reduce is HeadReduction.UNION:
        return sorted({block for row in scores for block in chosen(row, config)})
    if config.reduce is HeadReduction.SOFTMAX_SUM:
        scaled = scores * F(config.scale)
        rows = [exp(row - row.max()) for row in scaled]
        scores = np.array([terms / lane_sum(terms) for terms in rows], F)
    reduced = scores[0]
    for row in scores[1:]:
        reduced = np.maximum(reduced, row) if config.reduce is HeadReduction.MAX else reduced + row
    return chosen(reduced, config)


class Sequence:
    """Keys and values of a sequence, as stored: [layer][token][kv_heads][D]."""

    def __init__(self, config: PoolConfig):
        shape = (config.layers, 0, config.kv_heads, config.head_dim)
        self.config = config
        self.keys, self.values = np.zeros(shape, F), np.zeros(shape, F)

    @property
    def length(self) -> int:
        """Tokens."""
        return self.keys.shape[1]

    def add(self, keys: Floats, values: Floats) -> None:
        """Add tokens [layer][count][kv_heads][D]."""
        self.keys = np.concatenate([self.keys, stored(keys, self.config.element)], 1)
        self.values = np.concatenate([self.values, stored(values, self.config.element)], 1)

    def truncate(self, length: int) -> None:
        """Keep the first tokens."""
        self.keys, self.values = self.keys[:, :length], self.values[:, :length]

    def blocks(self, layer: int, position: int, head: int, queries: Floats, is_several: bool) -> list[int]:
        """Blocks that the token at a position attends to for a KV head, its own last; queries [G][D]."""
        config, page = self.config, self.config.page_length
        own = position // page
        is_selective = layer >= config.skip_layers and (not is_several or config.sparse_prefill)
        if not config.budget_pages or own < config.budget_pages or not is_selective:
            return [*range(own + 1)]
        keys = self.keys[layer, :, head]
        bounds = [bounds_of(keys[block * page : (block + 1) * page], config.digest) for block in range(own)]
        return [*selected(queries, bounds, config), own]

    def attend(self, layer: int, position: int, queries: Floats, is_several: bool = False) -> Floats:
        """Results [heads][D] of the token at a position for queries [heads][D]."""
        config, page = self.config, self.config.page_length
        results: list[Any] = []
        for head, group in enumerate(np.split(queries, config.kv_heads)):
            blocks = self.blocks(layer, position, head, group, is_several)
            tokens = [token for block in blocks for token in range(block * page, block * page + page)]
            kept = [token for token in tokens if token <= position]
            keys, values = self.keys[layer, kept, head], self.values[layer, kept, head]
            results += [attention(query, keys, values, config.scale) for query in group]
        return np.array(results, F)
