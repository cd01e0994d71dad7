"""Rows of the paged store: references, serials and digests of the blocks that they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arithmetic import Floats, Stored, widened
from .config import PoolConfig
from .status import PagedError, Status


class RowTable:
    """
    Table of rows. A row is in use while a sequence or an open step refers to it.

    `blocks` and `serials` are those of rows in use; `written` says that its files have it, `pinned` that its frames are
    fixed; `touched` [pages][rows] marks the pages that the last `attend` of their layer touched; `unsynced` says that a
    row was written and no sync has followed, `suspect` that one has followed and failed.
    """

    def __init__(self, config: PoolConfig) -> None:
        self._config = config
        self.references = np.zeros(config.rows, np.int64)
        self.blocks = np.zeros(config.rows, np.int64)
        self.serials = np.zeros(config.rows, np.uint64)
        self.written = np.zeros(config.rows, np.bool_)
        self.pinned = np.zeros(config.rows, np.bool_)
        self.touched = np.zeros((config.pages, config.rows), np.bool_)
        self.unsynced = np.zeros(config.rows, np.bool_)
        self.suspect = np.zeros(config.rows, np.bool_)
        self.next_serial = 0
        self._digests = np.zeros((config.rows, config.pages, 2, config.head_dim), config.digest.storage)
        self._saved = np.zeros(config.rows, np.bool_)
        """Rows of the last manifest, and of the one before while the last may not be durable."""

    @property
    def in_use(self) -> list[int]:
        """Rows in use, ascending."""
        return np.flatnonzero(self.references).tolist()

    @property
    def unwritten(self) -> list[int]:
        """Rows in use that the files do not have, ascending."""
        return np.flatnonzero((self.references > 0) & ~self.written).tolist()

    @property
    def to_save(self) -> list[int]:
        """Rows in use that `save` writes, ascending: those not written, and those that a failed sync may have lost."""
        return np.flatnonzero((self.references > 0) & (~self.written | self.suspect)).tolist()

    def note_write(self, row: int) -> None:
        """Note that the files have a row, which is not durable yet."""
        self.written[row] = self.unsynced[row] = True
        self.suspect[row] = False

    def note_sync(self, has_failed: bool) -> None:
        """Note a sync of what is written. Where it failed, the system may have dropped what it did not write."""
        self.suspect |= self.unsynced & has_failed
        self.unsynced[:] = False

    def touched_rows(self, page: int) -> list[int]:
        """Return the rows in use whose page the last `attend` touched, in order of blocks."""
        rows = np.flatnonzero(self.touched[page] & (self.references > 0))
        return rows[np.argsort(self.blocks[rows], kind="stable")].tolist()

    def is_fixed(self, page: int) -> bool:
        """Return whether a page, row * pages + page of the row, is not evicted."""
        row = page // self._config.pages
        return bool(self.pinned[row] or not self.written[row])

    def take(self, blocks: Sequence[int]) -> list[int]:
        """
        Take a row for each block, the lowest free ones; rows of the last manifest are not free.

        Raises PagedError (FULL) where they are too few.
        """
        free = np.flatnonzero((self.references == 0) & ~self._saved)[: len(blocks)]
        if len(free) < len(blocks):
            raise PagedError(
                "all rows are in use, or in the last manifest",
                expected=f"{len(blocks)} free rows",
                found=f"{len(free)} of {self._config.rows}",
                remedy="drop or truncate sequences, then save; or open the folder with a larger capacity",
                status=Status.FULL,
            )
        self.references[free] = 1
        self.blocks[free] = blocks
        self.written[free] = self.unsynced[free] = self.suspect[free] = False
        return free.tolist()

    def number(self, rows: Sequence[int]) -> None:
        """Give the next serials to rows."""
        for row in rows:
            self.serials[row] = self.next_serial
            self.next_serial += 1

    def share(self, rows: Sequence[int]) -> None:
        """Count one more reference to each row."""
        self.references[list(rows)] += 1

    def drop(self, rows: Sequence[int]) -> list[int]:
        """Count one reference less to each row; returns those that become free."""
        self.references[list(rows)] -= 1
        free = [row for row in rows if not self.references[row]]
        self.pinned[free] = False
        return free

    # Digests

    def set_digests(self, row: int, first_page: int, digests: Stored) -> None:
        """Set the digests [pages][2][D] of a row, from a page on."""
        self._digests[row, first_page : first_page + len(digests)] = digests

    def digests(self, row: int) -> Stored:
        """Return the digests of a row [pages][2][D] as stored."""
        return self._digests[row]

    def bounds(self, rows: Sequence[int], page: int) -> Floats:
        """Return the digests of a page of each row as float32 [rows][2][D]."""
        return widened(self._digests[list(rows), page], self._config.digest)

    # Manifests

    def saved_state(self) -> tuple[tuple[int, int, int], ...]:
        """Return row, block and serial of each row in use."""
        return tuple((row, int(self.blocks[row]), int(self.serials[row])) for row in self.in_use)

    def restore(self, saved: Sequence[tuple[int, int, int]], next_serial: int) -> None:
        """Set the rows of a manifest, which no sequence refers to yet."""
        for row, block, serial in saved:
            self.blocks[row], self.serials[row] = block, serial
            self.written[row] = self._saved[row] = True
        self.next_serial = next_serial

    def protect(self, rows: Sequence[int]) -> None:
        """Keep rows from being used again, besides those that are kept already."""
        self._saved[list(rows)] = True

    def protect_only(self, rows: Sequence[int]) -> None:
        """Keep rows of the last manifest, which is durable, from being used again, and no others."""
        self._saved[:] = False
        self._saved[list(rows)] = True
