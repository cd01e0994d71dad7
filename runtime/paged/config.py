"""Configuration of the paged key-value store, and the sizes that follow from it (docs/paged.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from .status import PagedError, Status

if TYPE_CHECKING:
    from ...dialects.paged.ops import PoolShape

HEADER = 64
"""Bytes of the header of a page, and of a row's digests."""
FRAME = 64
"""Bytes of a frame beside its page."""
POOL_BYTES = 65536
QUERIES = 64
"""Queries of a step that `attend` computes at once."""


class Element(IntEnum):
    """Type of stored keys and values, or of digests."""

    F32 = 0
    BF16 = 1

    @property
    def bytes(self) -> int:
        """Bytes of an element."""
        return 4 if self is Element.F32 else 2

    @property
    def storage(self) -> np.dtype[np.generic]:
        """Type of arrays of stored elements: float32, or uint16 with the bits of a bfloat16; little-endian."""
        return np.dtype("<f4") if self is Element.F32 else np.dtype("<u2")


class HeadReduction(IntEnum):
    """Rule by which the query heads of a KV head agree on blocks."""

    SOFTMAX_SUM = 0
    UNION = 1
    MAX = 2
    SUM = 3


class Eviction(IntEnum):
    """Policy by which a frame is evicted."""

    LRU = 0
    CLOCK = 1


@dataclass(frozen=True, kw_only=True)
class PoolConfig:
    """
    Configuration of a pool: the fields of tw_paged_config. Raises PagedError (BAD_ARGUMENT) for a bad value.

    `capacity` and `context` are in tokens, `memory` in bytes; `budget_pages` 0 attends to all pages, `context` 0 is
    the capacity. `threads` above 0 lets `prefetch` read; the Python pool reads in the calling thread. `model` is a
    hash of all that decides keys and values.
    """

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    page_length: int
    capacity: int
    memory: int
    scale: float
    element: Element = Element.F32
    digest: Element = Element.F32
    budget_pages: int = 0
    sinks: int = 0
    recent: int = 0
    skip_layers: int = 0
    reduce: HeadReduction = HeadReduction.SOFTMAX_SUM
    eviction: Eviction = Eviction.LRU
    sparse_prefill: bool = False
    max_sequences: int = 1
    context: int = 0
    threads: int = 0
    certificate: bool = False
    model: bytes = bytes(32)

    def __post_init__(self) -> None:
        for name, kind in (
            ("element", Element),
            ("digest", Element),
            ("reduce", HeadReduction),
            ("eviction", Eviction),
        ):
            value = getattr(self, name)
            if value not in list(kind):
                raise bad_value(name, " or ".join(f"{member.value} ({member.name})" for member in kind), value)
            object.__setattr__(self, name, kind(value))
        for name, limits in _LIMITS.items():
            _check_range(name, getattr(self, name), *limits)
        for fault in self._faults():
            raise fault

    def _faults(self) -> Iterator[PagedError]:
        if self.heads % self.kv_heads:
            yield bad_value("heads", f"a multiple of kv_heads, {self.kv_heads}", self.heads)
        if self.head_dim % 8:
            yield bad_value("head_dim", "a multiple of 8", self.head_dim)
        if self.pages > 4096:
            yield bad_value("layers * kv_heads", "at most 4096", self.pages)
        if self.capacity % self.page_length:
            yield bad_value("capacity", f"a multiple of page_length, {self.page_length}", self.capacity)
        if self.rows * self.pages > 1 << 31:
            yield bad_value("capacity", f"at most {2**31 // self.pages * self.page_length} tokens", self.capacity)
        if self.context > self.capacity:
            yield bad_value("context", f"at most the capacity, {self.capacity}", self.context)
        if self.budget_pages and self.forced > self.budget_pages:
            yield bad_value("budget_pages", f"0, or sinks + recent + 1 = {self.forced} at least", self.budget_pages)
        if not 0 < self.scale <= float(np.finfo(np.float32).max) or not np.float32(self.scale):
            yield bad_value("scale", "a finite float32 above 0", self.scale)
        if len(self.model) != 32:
            yield bad_value("model", "32 bytes", f"{len(self.model)} bytes")

    @classmethod
    def of_shape(cls, shape: PoolShape, memory: int = 0) -> PoolConfig:
        """Return a configuration of a network's shape and context, by default without memory, that attends to all."""
        return cls(
            layers=shape.layers,
            heads=shape.heads,
            kv_heads=shape.kv_heads,
            head_dim=shape.head_dim,
            page_length=shape.page_length,
            capacity=shape.capacity,
            memory=memory,
            scale=shape.scale,
        )

    @property
    def pages(self) -> int:
        """Pages of a row: N = layers * kv_heads."""
        return self.layers * self.kv_heads

    @property
    def rows(self) -> int:
        """Rows of the files: R."""
        return self.capacity // self.page_length

    @property
    def group(self) -> int:
        """Query heads of a KV head: Q."""
        return self.heads // self.kv_heads

    @property
    def longest(self) -> int:
        """Tokens of a sequence at most: C."""
        return self.context or self.capacity

    @property
    def blocks(self) -> int:
        """Blocks of a sequence at most: B."""
        return -(-self.longest // self.page_length)

    @property
    def forced(self) -> int:
        """Blocks that are always attended, the query's own included."""
        return self.sinks + self.recent + 1

    @property
    def payload(self) -> int:
        """Bytes of a page's keys and values."""
        return 2 * self.page_length * self.head_dim * self.element.bytes

    @property
    def slot(self) -> int:
        """Bytes of a page in `pages.tw`."""
        return HEADER + aligned(self.payload)

    @property
    def digest_payload(self) -> int:
        """Bytes of a row's digests."""
        return self.pages * 2 * self.head_dim * self.digest.bytes

    @property
    def entry(self) -> int:
        """Bytes of a row in `digests.tw`."""
        return HEADER + aligned(self.digest_payload)

    @property
    def least_frames(self) -> int:
        """Frames of the working set: a block that is being filled, and the pages that a layer selects."""
        heads = self.group if self.reduce is HeadReduction.UNION else 1
        return min(self.pages * self.rows, self.pages + self.kv_heads * min(self.blocks, self.budget_pages * heads))

    @property
    def working_set(self) -> int:
        """Bytes of `memory` that the configuration needs at least."""
        rows = self.rows * self.entry + aligned(64 * self.rows) + aligned(4 * self.pages * self.rows)
        rows += self.pages * aligned(-(-self.rows // 8))
        sequences = self.max_sequences * (64 + aligned(4 * self.longest) + aligned(4 * self.blocks))
        tails = (self.max_sequences + 1) * self.pages * aligned(self.payload)
        scratch = aligned(8 * self.page_length * self.head_dim) + 4 * QUERIES * self.group * (self.head_dim + 16)
        scratch += QUERIES * aligned(-(-self.blocks // 8)) + (self.group + 4) * aligned(4 * self.blocks)
        scratch += self.group * aligned(4 * self.longest)
        return POOL_BYTES + self.slot + self.least_frames * (self.slot + FRAME) + rows + sequences + tails + scratch

    @property
    def frames(self) -> int:
        """Frames that `memory` holds. Raises PagedError (NO_MEMORY) where it is below the working set."""
        if self.memory < self.working_set:
            raise PagedError(
                "the memory is below the working set",
                expected=f"{self.working_set} bytes at least",
                found=f"{self.memory} bytes",
                remedy="give more memory, or fewer budget_pages, a shorter context or fewer sequences",
                status=Status.NO_MEMORY,
            )
        more = (self.memory - self.working_set) // (self.slot + FRAME)
        return min(self.pages * self.rows, self.least_frames + more)

    @property
    def bytes_in_use(self) -> int:
        """Bytes of `memory` that a pool uses."""
        return self.working_set + (self.frames - self.least_frames) * (self.slot + FRAME)


_LIMITS = {
    "layers": (1, 65535),
    "heads": (1, 65535),
    "kv_heads": (1, 65535),
    "head_dim": (1, 4096),
    "page_length": (1, 4096),
    "budget_pages": (0, 2**32 - 1),
    "sinks": (0, 2**32 - 1),
    "recent": (0, 2**32 - 1),
    "skip_layers": (0, 2**32 - 1),
    "max_sequences": (1, 4096),
    "capacity": (1, 2**43),
    "context": (0, 2**43),
    "memory": (0, 2**64 - 1),
    "threads": (0, 64),
}


def aligned(size: int) -> int:
    """Round a size up to a multiple of 64 bytes."""
    return -(-size // 64) * 64


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not least <= value <= most:
        raise bad_value(name, f"{least} to {most}", value)


def bad_value(name: str, expected: str, found: object) -> PagedError:
    """Return the error for a value of a configuration that is none."""
    return PagedError(f"bad value of {name}", expected=expected, found=str(found), remedy=f"choose another {name}")
