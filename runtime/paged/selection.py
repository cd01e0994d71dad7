"""Selection of the blocks that a query attends to (Quest, arXiv:2406.10774), by scores of their digests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Floats, exp, softmax_terms
from .config import HeadReduction, PoolConfig

Blocks: TypeAlias = "NDArray[np.int64]"
"""Numbers of blocks, ascending."""


def is_selective(config: PoolConfig, layer: int, tokens: int) -> bool:
    """Return whether the queries of a step of so many tokens attend to selected pages of a layer only."""
    return bool(config.budget_pages) and layer >= config.skip_layers and (tokens == 1 or config.sparse_prefill)


def reduced(scores: Floats, scale: float, reduce: HeadReduction) -> Floats:
    """
    Reduce the scores of a KV head's query heads [heads][blocks] to those by which they agree.

    Returns [1][blocks], for union the scores of each head as they are.
    """
    if reduce is HeadReduction.UNION:
        return scores
    if reduce is HeadReduction.SOFTMAX_SUM:
        _, terms, total = softmax_terms(scores * np.float32(scale))
        scores = terms / total[:, None]
    result: Floats = scores[0]
    for row in scores[1:]:
        result = np.where(row > result, row, result) if reduce is HeadReduction.MAX else result + row
    return result[None]


def chosen(scores: Floats, places: int, forced: Blocks) -> Blocks:
    """Choose the blocks of the greatest scores [blocks] beside the forced ones, the lower one of equals."""
    order = np.argsort(-scores, kind="stable")
    free = order[~np.isin(order, forced)]
    return np.union1d(free[:places], forced)


def selected(config: PoolConfig, scores: Floats) -> Blocks:
    """
    Select the blocks before a query's own: the forced ones, and those that the budget has places for.

    scores: of the query heads of a KV head, for all blocks before the query's own [heads][blocks].
    """
    own = int(scores.shape[1])
    if own < config.budget_pages:
        return np.arange(own)
    order: Blocks = np.arange(own)
    forced: Blocks = order[(order < config.sinks) | (order >= own - config.recent)]
    places = config.budget_pages - 1 - len(forced)
    rows = reduced(scores, config.scale, config.reduce)
    picks: Sequence[Blocks] = [chosen(row, places, forced) for row in rows]
    return np.unique(np.concatenate(picks))


def missed_mass(unselected: Floats, most: Floats, total: Floats, page_length: int) -> float:
    """
    Bound the softmax mass of a query's unselected pages from above, up to rounding; the greatest over the heads.

    unselected: scores times scale [heads][blocks]; most, total: m and z of the attended tokens [heads].
    """
    if not unselected.shape[1]:
        return 0.0
    peak = unselected.max(-1)
    peak = np.where(peak > most, peak, most)
    terms = exp(unselected - peak[:, None]).astype(np.float64)
    missed = page_length * np.add.accumulate(terms, axis=1)[:, -1]
    kept = total.astype(np.float64) * exp(most - peak).astype(np.float64)
    return float((missed / (missed + kept)).max())


def table_of(
    config: PoolConfig, scores: Floats, first: int, places: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """
    Select the blocks of tokens by their scores [tokens][heads][blocks]; the first token is at position `first`.

    Returns a table [tokens][kv_heads][places], behind whose entries the token's own block follows, and their numbers
    [tokens][kv_heads].
    """
    table = np.empty((len(scores), config.kv_heads, places), np.int32)
    counts = np.empty(table.shape[:2], np.int32)
    for token, of_token in enumerate(scores):
        own = (first + token) // config.page_length
        table[token] = own
        for head, of_head in enumerate(np.split(of_token[:, :own], config.kv_heads)):
            blocks = selected(config, of_head)
            table[token, head, : len(blocks)] = blocks
            counts[token, head] = len(blocks) + 1
    return table, counts
