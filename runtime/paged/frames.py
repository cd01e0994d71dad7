"""Frames of the resident pages, and the policies by which one is evicted (docs/paged.md, Memory)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container
from heapq import heappop, heappush

from .config import Eviction


class Frames:
    """
    Map of resident pages to frames. A page is an integer; a page for which `is_fixed` holds is not evicted.

    `evictions` counts the pages evicted by `take`.
    """

    def __init__(self, count: int, eviction: Eviction, is_fixed: Callable[[int], bool]) -> None:
        self.count = count
        self.evictions = 0
        self._eviction = eviction
        self._is_fixed = is_fixed
        self._frame_of: OrderedDict[int, int] = OrderedDict()
        """The page used longest ago first."""
        self._page_of: list[int] = [-1] * count
        self._used = [False] * count
        self._free = list(range(count))
        self._hand = 0

    def __len__(self) -> int:
        return len(self._frame_of)

    def __contains__(self, page: int) -> bool:
        return page in self._frame_of

    def frame(self, page: int) -> int:
        """Return the frame of a resident page."""
        return self._frame_of[page]

    def available(self) -> int:
        """Count the frames that can be taken: the free ones, and those of pages that are not fixed."""
        return self.count - sum(map(self._is_fixed, self._frame_of))

    def touch(self, page: int) -> int | None:
        """Mark a page as used, the latest of all; return its frame, None where it is absent."""
        frame = self._frame_of.get(page)
        if frame is not None:
            self._mark(page, frame)
        return frame

    def take(self, page: int, kept: Container[int] = ()) -> int | None:
        """
        Take a frame for an absent page: the lowest free one, else one that is evicted.

        Returns None where all are fixed, or where one of the pages that are `kept` would be evicted.
        """
        frame = heappop(self._free) if self._free else self._evicted(kept)
        if frame is None:
            return None
        self._frame_of[page] = frame
        self._page_of[frame] = page
        self._mark(page, frame)
        return frame

    def release(self, page: int) -> None:
        """Free the frame of a page, if it has one."""
        frame = self._frame_of.pop(page, None)
        if frame is None:
            return
        self._page_of[frame] = -1
        heappush(self._free, frame)

    def _mark(self, page: int, frame: int) -> None:
        self._frame_of.move_to_end(page)
        self._used[frame] = True

    def _evicted(self, kept: Container[int]) -> int | None:
        frame = self._oldest() if self._eviction is Eviction.LRU else self._next_of_clock()
        if frame is None or (page := self._page_of[frame]) in kept:
            return None
        self.evictions += 1
        del self._frame_of[page]
        self._hand = (frame + 1) % self.count
        return frame

    def _oldest(self) -> int | None:
        pages = (page for page in self._frame_of if not self._is_fixed(page))
        page = next(pages, None)
        return None if page is None else self._frame_of[page]

    def _next_of_clock(self) -> int | None:
        """Move the hand to the frame to evict; None where all are fixed. All frames hold pages."""
        for _ in range(2 * self.count):  # in the second round a mark that the first one cleared is absent
            frame = self._hand
            is_fixed = self._is_fixed(self._page_of[frame])
            if not is_fixed and not self._used[frame]:
                return frame
            self._used[frame] &= is_fixed
            self._hand = (frame + 1) % self.count
        return None
