"""Pages of rows in memory: frames that hold them, and reads of absent ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from .arithmetic import Stored
from .config import PoolConfig
from .frames import Frames
from .rows import RowTable
from .stats import Stats
from .status import PagedError, Status
from .storage import Bytes, Storage


class Pages:
    """Resident pages of rows, and those that are read from a folder. A page of a row is layer * kv_heads + head."""

    def __init__(self, config: PoolConfig, rows: RowTable, storage: Storage | None, stats: Stats) -> None:
        self.frames = Frames(config.frames, config.eviction, rows.is_fixed)
        self._config = config
        self._rows = rows
        self._storage = storage
        self._stats = stats
        self._payloads = np.zeros((config.frames, config.payload), np.uint8)

    def empty_block(self) -> Stored:
        """Return keys and values of zeros for the pages of a row [pages][2][P][D]."""
        shape = (self._config.pages, 2, self._config.page_length, self._config.head_dim)
        return np.zeros(shape, self._config.element.storage)

    def take(self, rows: Sequence[int]) -> None:
        """Take frames for all pages of new rows, which stay until they are written. Raises PagedError (NO_SPACE)."""
        missing = len(rows) * self._config.pages
        if missing and (available := self.frames.available()) < missing:
            dirty, pinned = len(self._rows.unwritten) - len(rows), int(self._rows.pinned.sum())
            raise PagedError(
                "no frames are free for the blocks that the step fills",
                expected=f"{missing} frames",
                found=f"{available} of {self.frames.count}; {dirty} rows are not written, {pinned} are pinned",
                remedy="add fewer tokens at once, unpin, free space on the disk and save, or give more memory",
                status=Status.NO_SPACE,
            )
        for row in rows:
            for page in range(self._config.pages):
                self.frames.take(self._number(row, page))

    def release(self, row: int) -> None:
        """Free the frames of a row."""
        for page in range(self._config.pages):
            self.frames.release(self._number(row, page))

    def fill(self, row: int, first: int, block: Stored) -> None:
        """Store pages [pages][2][P][D] of a new row, from a page on."""
        for place, page in enumerate(block, first):
            frame = self.frames.frame(self._number(row, place))
            self._payloads[frame] = np.frombuffer(page.tobytes(), np.uint8)

    def touched(self, row: int, page: int, counts_hit: bool) -> Stored:
        """
        Touch a page and return its keys and values [2][P][D], valid until the next touch.

        Raises PagedError: IO or CORRUPT where it is absent and cannot be read.
        """
        self._rows.touched[page, row] = True
        frame = self.frames.touch(self._number(row, page))
        if frame is not None:
            self._stats.hits += counts_hit
            return self._pair(self._payloads[frame])
        self._stats.misses += 1
        return self._pair(self._fetched(row, page, self.frames.take(self._number(row, page))))

    def block(self, row: int) -> Stored:
        """
        Copy the keys and values of a row [pages][2][P][D]; absent pages are read, and not kept.

        Raises PagedError: IO, CORRUPT.
        """
        block = self.empty_block()
        for page in range(self._config.pages):
            number = self._number(row, page)
            is_resident = number in self.frames
            payload = self._payloads[self.frames.frame(number)] if is_resident else self._read(row, page)
            block[page] = self._pair(payload)
        return block

    def prefetch(self, layer: int) -> None:
        """Read the absent pages that the last `attend` of a layer touched, as far as frames can be taken."""
        kept: set[int] = set()
        first = layer * self._config.kv_heads
        for page in range(first, first + self._config.kv_heads):
            is_readable = (self._rows.references > 0) & self._rows.written
            for row in np.flatnonzero(self._rows.touched[page] & is_readable).tolist():
                if not self._prefetch_page(row, page, kept):
                    return

    def _prefetch_page(self, row: int, page: int, kept: set[int]) -> bool:
        """Touch or read a page and keep it; returns False where no frame can be taken."""
        number = self._number(row, page)
        if self.frames.touch(number) is None:
            frame = self.frames.take(number, kept)
            if frame is None:
                return False
            self._stats.prefetched += 1
            with suppress(PagedError):  # who needs the page reads it again, and fails
                self._fetched(row, page, frame)
        kept.add(number)
        return True

    def _fetched(self, row: int, page: int, frame: int | None) -> Bytes:
        """Read an absent page into the frame that was taken for it, if one was. Raises PagedError: IO, CORRUPT."""
        try:
            payload = self._read(row, page)
        except PagedError:
            self.frames.release(self._number(row, page))
            raise
        if frame is not None:
            self._payloads[frame] = payload
        return payload

    def _read(self, row: int, page: int) -> Bytes:
        assert self._storage is not None, "without a folder all pages are resident"
        return self._storage.read_page(page, row, int(self._rows.blocks[row]), int(self._rows.serials[row]))

    def _number(self, row: int, page: int) -> int:
        return row * self._config.pages + page

    def _pair(self, payload: Bytes) -> Stored:
        """Return a page's keys and values [2][P][D]."""
        return payload.view(self._config.element.storage).reshape(2, self._config.page_length, self._config.head_dim)
