"""
Step functions of integers, by channel.

A requantisation to bytes is a nondecreasing function of a sum: it is told by the least sums at which it reaches each of
its 256 values. Two such functions that reach them at the same sums are the same, which is how all here is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...ir import Array


@dataclass(frozen=True)
class Domain:
    """The arguments that occur: from `least` to `most`, both included, int64 arrays [channels]."""

    least: Array
    most: Array

    def joined(self) -> Domain:
        """Return the arguments that occur in any channel, for one channel."""
        return Domain(self.least.min(keepdims=True), self.most.max(keepdims=True))

    def of(self, channels: int) -> Domain:
        """Return the domain of so many channels."""
        return Domain(*(np.broadcast_to(end, channels) for end in (self.least, self.most)))


@dataclass(frozen=True)
class Steps:
    """
    A nondecreasing function from a domain to the integers from `low` to `high`.

    `first`, int64 [channels, high - low], are the least arguments at which it is low + 1, low + 2, ... or more; one
    beyond the domain where it nowhere is.
    """

    domain: Domain
    low: int
    high: int
    first: Array


def steps_of(function: Callable[[Array], Array], domain: Domain, low: int, high: int) -> Steps:
    """
    Return the steps of a nondecreasing function, which takes and returns int64 [channels, n].

    They are found by bisection, all at once.
    """
    values = np.arange(low + 1, high + 1, dtype=np.int64)[None, :]
    shape = len(domain.least), high - low
    below = np.broadcast_to(domain.least[:, None], shape)
    above = np.broadcast_to(domain.most[:, None] + 1, shape)
    while bool((below < above).any()):
        middle = (below + above) >> 1
        reached = function(np.minimum(middle, domain.most[:, None])) >= values
        open_ = below < above
        above = np.where(open_ & reached, middle, above)
        below = np.where(open_ & ~reached, middle + 1, below)
    return Steps(domain, low, high, below)
