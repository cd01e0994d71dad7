"""Statistics of a pool: tw_paged_stats."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Stats:
    """
    Counters of a pool since it was opened, and its current sizes; docs/paged.md defines them.

    `memory`, `bytes_read` and `bytes_written` are in bytes, `read_ns` in nanoseconds.
    """

    memory: int = 0
    resident_pages: int = 0
    frames: int = 0
    rows: int = 0
    dirty_rows: int = 0
    attended_pages: int = 0
    hits: int = 0
    misses: int = 0
    prefetched: int = 0
    evictions: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    pages_written: int = 0
    read_errors: int = 0
    write_errors: int = 0
    read_ns: int = 0
    missed_mass: float = 0.0
    degraded: bool = False
