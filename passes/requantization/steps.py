"""
Step functions of integers, by channel, and products in 32 bits that have the same steps.

A requantisation to bytes is a nondecreasing function of a sum: it is told by the least sums at which it reaches each of
its 256 values. Two such functions that reach them at the same sums are the same, which is how all here is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...ir import Array

INT32 = 1 << 31
WORD_BITS = 32


@dataclass(frozen=True)
class Domain:
    """The arguments that occur: from `least` to `most`, both included, int64 arrays [channels]."""

    least: Array
    most: Array


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


@dataclass(frozen=True)
class UpperProduct:
    """
    `clip((t - (t >> right & 1) * tie) >> right, low, high)` with `t = upper(x << left, factor) + summand`.

    `upper` is the upper word of a product; `factor` and `summand` are int64 [channels]. A `tie`, a power of two or 0,
    is by how much later odd values are reached than their line says. x is clipped first, `within` two numbers, where
    these are given. Nothing leaves 32 bits.
    """

    within: tuple[int, int] | None
    left: int
    factor: Array
    summand: Array
    right: int
    tie: int


_SPREAD = 1 << 12
"""The factors that are tried differ by up to this part of the nearest one."""
_FRACTION_BITS = 17
"""Of a float below 256, which rounds to half of the last of them."""


def upper_product(steps: Steps, slope: Array, *, halves_to_even: bool) -> UpperProduct | None:
    """
    Return a product in 32 bits that has the same steps, for all arguments of the domain; None where none was found.

    `slope`, float64 [channels], is by how much the function grows with its argument between its ends, not negative. The
    summands of a factor with which a step comes where it should are an interval; what all steps of a channel admit is
    their intersection. With `halves_to_even` the function rounds so, in floats, in which numbers near a half are one.
    What needs more bits than the domain leaves gets them where arguments beyond all steps are clipped first.
    """
    if not bool(slope.max() > 0):
        return None
    made = _product_on(steps, slope, halves_to_even=halves_to_even)
    if made is not None:
        return made
    inside, within = _between_steps(steps)
    made = _product_on(inside, slope, halves_to_even=halves_to_even)
    return replace(made, within=within) if made is not None else None


def _between_steps(steps: Steps) -> tuple[Steps, tuple[int, int]]:
    """Return the function on the arguments from the last before all steps to the last step, and which these are."""
    domain = steps.domain
    low = int(np.maximum(steps.first.min(axis=1) - 1, domain.least).min())
    high = int(np.minimum(steps.first.max(axis=1), domain.most).max())
    inside = Domain(np.clip(domain.least, low, high), np.clip(domain.most, low, high))
    return replace(steps, domain=inside), (low, high)


def _product_on(steps: Steps, slope: Array, *, halves_to_even: bool) -> UpperProduct | None:
    left = _room(steps.domain)
    right = min(WORD_BITS - 1, _largest_shift(float(slope.max()), left))
    if left < 0 or right < 0:
        return None
    nearest = np.rint(np.ldexp(slope, WORD_BITS + right - left)).astype(np.int64)
    widest = max(right - _FRACTION_BITS + 1, -1) if halves_to_even else -1
    for tie in (0, *(1 << bits for bits in range(widest, -1, -1))):
        line = _Line(steps, left, right, tie)
        factor = line.best_factor(np.clip(nearest, 0, INT32 - 1))
        least, most = line.summands(factor)
        made = UpperProduct(None, left, factor, (least + most) >> 1, right, tie)
        if bool((least <= most).all()) and _stays_in_a_word(made, steps.domain):
            return made
    return None


@dataclass(frozen=True)
class _Line:
    """Line of a requantisation with representable products."""

    steps: Steps
    left: int
    right: int
    tie: int

    def summands(self, factor: Array) -> tuple[Array, Array]:
        """Return from which summand to which each channel has the steps, an empty interval where none does."""
        least, most = self.steps.domain.least[:, None], self.steps.domain.most[:, None]
        values = np.arange(self.steps.low + 1, self.steps.high + 1, dtype=np.int64)[None, :]
        wanted, first = (values << self.right) + (values & 1) * self.tie, self.steps.first
        at = wanted - _upper(np.minimum(first, most), factor, self.left)
        before = wanted - 1 - _upper(np.maximum(first - 1, least), factor, self.left)
        from_ = np.where(first <= most, at, -INT32).max(axis=1, initial=-INT32)
        to = np.where(first > least, before, INT32 - 1).min(axis=1, initial=INT32 - 1)
        return from_, to

    def best_factor(self, nearest: Array) -> Array:
        """
        Return the factors, near the given ones, with the widest intervals of summands.

        How wide one is is a concave function of the factor, but for what the upper word cuts off, so that a search that
        drops a third of the factors in each turn finds its maximum. It stays where all channels have a summand.
        """
        best, widest = nearest, self._width(nearest)
        low, high = (np.clip(nearest + sign * (nearest // _SPREAD + 1), 0, INT32 - 1) for sign in (-1, 1))
        while bool((widest < 0).any()) and bool((low < high).any()):
            third = (high - low) // 3
            inner = low + third, high - third
            widths = [self._width(factor) for factor in inner]
            for factor, found in zip(inner, widths, strict=True):
                best, widest = np.where(found > widest, factor, best), np.maximum(found, widest)
            rises = widths[0] < widths[1]
            low, high = np.where(rises, inner[0] + 1, low), np.where(rises, high, inner[1] - 1)
        return best

    def _width(self, factor: Array) -> Array:
        least, most = self.summands(factor)
        return most - least


def _room(domain: Domain) -> int:
    """Return by how many bits all arguments can be shifted within a word, less than 0 where they do not fit one."""
    magnitude = max(int(domain.most.max()), -int(domain.least.min()) - 1, 1)
    return WORD_BITS - 1 - magnitude.bit_length()


def _largest_shift(slope: float, left: int) -> int:
    """Return the largest shift to the right that leaves a factor below 2^31."""
    _, exponent = np.frexp(slope)
    return left - 1 - int(exponent)


def _upper(arguments: Array, factor: Array, left: int) -> Array:
    return ((arguments << left) * factor[:, None]) >> WORD_BITS


def _stays_in_a_word(made: UpperProduct, domain: Domain) -> bool:
    ends = [_upper(end[:, None], made.factor, made.left)[:, 0] + made.summand for end in (domain.least, domain.most)]
    return all(bool(((end >= made.tie - INT32) & (end < INT32)).all()) for end in ends)
