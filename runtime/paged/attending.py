"""Attention of a step's queries over selected pages, whose keys and values come from two passes (docs/paged.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arithmetic import Floats, dot, page_scores, softmax_terms, weighted_sum
from .config import PoolConfig, bad_value
from .selection import Blocks, is_selective, missed_mass, selected
from .status import PagedError, Status


@dataclass(frozen=True)
class Query:
    """
    Query heads [heads][D] of a token for one KV head, and the blocks that they attend to, the token's own last.

    `unselected` are the scores times scale [heads][blocks] of the other blocks before the token's own.
    """

    heads: Floats
    position: int
    blocks: Blocks
    unselected: Floats


def query_of(config: PoolConfig, layer: int, tokens: int, heads: Floats, position: int, bounds: Floats) -> Query:
    """
    Select the blocks that a token's query heads attend to, in a step of so many tokens.

    bounds: digests of the full blocks before the token's own [blocks][2][D]. Raises PagedError (NOT_FINITE) where a
    score overflows.
    """
    own = len(bounds)
    if not is_selective(config, layer, tokens) or own < config.budget_pages:
        return Query(heads, position, np.arange(own + 1), np.zeros((len(heads), 0), np.float32))
    scores = page_scores(heads, bounds)
    blocks = selected(config, checked(scores, config.scale))
    others = np.setdiff1d(np.arange(own), blocks)
    return Query(heads, position, np.append(blocks, own), scores[:, others] * np.float32(config.scale))


def query_over(config: PoolConfig, heads: Floats, position: int, blocks: Blocks, bounds: Floats) -> Query:
    """
    Return a token's query heads over given blocks. bounds: as of `query_of`.

    Raises PagedError for blocks that do not ascend, or end elsewhere than in the token's own.
    """
    own = len(bounds)
    if not len(blocks) or blocks[0] < 0 or blocks[-1] != own or bool((np.diff(blocks) <= 0).any()):
        raise bad_value("table", f"ascending blocks from 0 on, the last is the token's own, {own}", blocks.tolist())
    scores = page_scores(heads, bounds) if config.certificate else np.zeros((len(heads), own), np.float32)
    others = np.setdiff1d(np.arange(own), blocks)
    return Query(heads, position, blocks, checked(scores, config.scale)[:, others] * np.float32(config.scale))


def checked(scores: Floats, scale: float) -> Floats:
    """Return scores. Raises PagedError (NOT_FINITE) where they, times scale, are not finite."""
    if np.isfinite(scores * np.float32(scale)).all():
        return scores
    raise not_finite("a score q k overflows")


def not_finite(message: str) -> PagedError:
    """Return the error for infinities and NaN."""
    return PagedError(
        message, remedy="check the network's keys, values and queries: float32 must hold them", status=Status.NOT_FINITE
    )


@dataclass(frozen=True)
class Softmax:
    """Maximum [heads], terms [heads][T] and their sum [heads] of a query's softmax over its tokens."""

    most: Floats
    terms: Floats
    total: Floats


def tokens_of(query: Query, union: Sequence[int], pages: Floats) -> Floats:
    """Gather the tokens that a query attends to [T][D], of the pages [blocks of the union][P][D]."""
    page_length = pages.shape[1]
    tokens = pages[np.searchsorted(union, query.blocks)].reshape(-1, pages.shape[2])
    return tokens[: (len(query.blocks) - 1) * page_length + query.position % page_length + 1]


def softmax_of(config: PoolConfig, query: Query, keys: Floats) -> Softmax:
    """Compute a query's softmax over keys [T][D]. Raises PagedError (NOT_FINITE) where a score overflows."""
    scores = checked(dot(query.heads[:, None], keys[None]), config.scale) * np.float32(config.scale)
    return Softmax(*softmax_terms(scores))


def result_of(softmax: Softmax, values: Floats) -> Floats:
    """Compute a query's results [heads][D] from values [T][D]. Raises PagedError (NOT_FINITE)."""
    result = weighted_sum(softmax.terms, values) / softmax.total[:, None]
    if np.isfinite(result).all():
        return result
    raise not_finite("a result of attention overflows")


def missed_of(config: PoolConfig, query: Query, softmax: Softmax) -> float:
    """Bound the softmax mass of a query's unselected pages."""
    return missed_mass(query.unselected, softmax.most, softmax.total, config.page_length)
