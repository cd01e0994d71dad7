"""Statuses of the paged key-value store, as tilewright_paged.h has them, and the error that carries one."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum

from ...errors import Diagnostic


class Status(IntEnum):
    """Result of a call: tw_paged_status."""

    OK = 0
    BAD_ARGUMENT = 1
    NO_MEMORY = 2
    FULL = 3
    NO_SPACE = 4
    IO = 5
    CORRUPT = 6
    FOREIGN = 7
    NEWER = 8
    LOCKED = 9
    NOT_FINITE = 10
    OUT_OF_ORDER = 11


@dataclass(eq=False)
class PagedError(Diagnostic):
    """Failed call of the paged store, with its status. The store's state is that before the call."""

    status: Status = Status.BAD_ARGUMENT


def io_error(error: OSError, where: str, action: str) -> PagedError:
    """Return the error for a failed system call: NO_SPACE where the disk or the quota is full, else IO."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return PagedError(
        f"{action} failed: {error.strerror or error}",
        where,
        remedy="free space on the disk" if is_full else "check the disk and the folder's permissions",
        status=Status.NO_SPACE if is_full else Status.IO,
    )


def corrupt(where: str, fault: str, expected: object = "", found: object = "") -> PagedError:
    """Return the error for a damaged file."""
    return PagedError(
        f"the file is damaged: {fault}",
        where,
        expected=str(expected),
        found=str(found),
        remedy="`tilewright paged fsck` lists all faults; restore the folder, or compute its keys and values again",
        status=Status.CORRUPT,
    )
