"""Products in 32 bits that have the same steps as a requantisation, by channel, and the search for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...ir import Array
from .steps import Domain, Steps

INT32 = 1 << 31
WORD_BITS = 32


@dataclass(frozen=True)
class UpperProduct:
    """
    `clip(y + (x == late) - (x == early), low, high)`, where `y = (t - (t >> right & 1) * tie) >> right` is the line.

    `t = upper(x << left, factor) + summand` has the upper word of a product. What varies by channel is int64
    [channels]: x is an argument plus the `center`, clipped `within` two numbers, where these are given; a `tie` is by
    how much later odd values are reached than even ones; `late` and `early` are the x at which the line takes a step
    too late or too early, where channels have such. Nothing leaves 32 bits.
    """

    left: int
    factor: Array
    summand: Array
    right: int
    tie: Array
    late: Array | None = None
    early: Array | None = None
    within: tuple[int, int] | None = None
    center: Array | None = None

    def values(self, x: Array) -> Array:
        """Return the results for x, int64 [channels, n], before they are clipped."""
        t = _upper(x, self.factor, self.left) + self.summand[:, None]
        values = (t - (t >> self.right & 1) * self.tie[:, None]) >> self.right
        values = values if self.late is None else values + (x == self.late[:, None])
        return values if self.early is None else values - (x == self.early[:, None])


_SPREAD = 1 << 12
"""The factors that are tried differ by up to this part of the nearest one."""
EVEN, ODD = 0, 1


def upper_product(steps: Steps, slope: Array) -> UpperProduct | None:
    """
    Return a product in 32 bits that has the same steps, for all arguments of the domain; None where none was found.

    `slope`, float64 [channels], is by how much the function grows with its argument between its ends, not negative. The
    summands of a factor with which a step comes where it should are an interval; what all steps of a channel admit is
    their intersection. Floats round halves to even, and what is near a half to one: then steps to even values come
    early and to odd ones late, and both have an intersection of their own. What needs more bits than the domain leaves
    gets them where arguments beyond all steps are clipped first, and more where the middle of each channel's steps is
    moved to 0. Where no line has all steps, one argument of a channel may be told apart.
    """
    if not bool(slope.max() > 0):
        return None
    products: list[tuple[Steps, UpperProduct]] = []
    for domain, product in _products(steps, slope):
        if not any(bool(wrong.any()) for wrong in _wrong_steps(domain, product)):
            return product
        products.append((domain, product))
    told_apart = (_told_apart(domain, product) for domain, product in products)
    return next((product for product in told_apart if product is not None), None)


def _products(steps: Steps, slope: Array) -> Iterator[tuple[Steps, UpperProduct]]:
    """Yield products with as many steps as were found, and the steps of their x, those of the least work first."""
    product = _product_on(steps, slope)
    if product is not None:
        yield steps, product
    clipped, within = _between_steps(steps)
    product = _product_on(clipped, slope)
    if product is not None:
        yield clipped, replace(product, within=within)
    center, moved = _centred(steps)
    if moved is None:
        return
    clipped, within = _between_steps(moved)
    product = _product_on(clipped, slope)
    if product is not None:
        yield clipped, replace(product, within=within, center=center)


def _between_steps(steps: Steps) -> tuple[Steps, tuple[int, int]]:
    """Return the function on the arguments from the last before all steps to the last step, and which these are."""
    domain = steps.domain
    low = int(np.maximum(steps.first.min(axis=1) - 1, domain.least).min())
    high = int(np.minimum(steps.first.max(axis=1), domain.most).max())
    inside = Domain(np.clip(domain.least, low, high), np.clip(domain.most, low, high))
    return replace(steps, domain=inside), (low, high)


def _centred(steps: Steps) -> tuple[Array, Steps | None]:
    """Return the numbers [channels] that move the middle of each channel's steps to 0, and the steps moved so."""
    domain = steps.domain
    low, high = np.maximum(steps.first.min(axis=1) - 1, domain.least), np.minimum(steps.first.max(axis=1), domain.most)
    center = -((low + high) >> 1)
    moved = Domain(domain.least + center, domain.most + center)
    fits = int(moved.least.min()) >= -INT32 and int(moved.most.max()) < INT32
    return center, Steps(moved, steps.low, steps.high, steps.first + center[:, None]) if fits else None


def _product_on(steps: Steps, slope: Array) -> UpperProduct | None:
    """Return a product with as many of the steps as were found; None beyond 32 bits."""
    left = _room(steps.domain)
    right = min(WORD_BITS - 1, _largest_shift(float(slope.max()), left))
    if left < 0 or right < 0:
        return None
    nearest = np.rint(np.ldexp(slope, WORD_BITS + right - left)).astype(np.int64)
    line = _Line(steps, left, right)
    factor = line.improved(np.clip(nearest, 0, INT32 - 1), _joint_width)
    factor = line.improved(factor, _least_width)
    product = _with_fewest_wrong(line, factor, *line.summands(factor))
    return product if _stays_in_a_word(product, steps.domain) else None


def _with_fewest_wrong(line: _Line, factor: Array, least: Array, most: Array) -> UpperProduct:
    """Return a product whose channels without a summand have the factor and ends at which fewest steps are wrong."""
    lacks: Array = np.any(least > most, axis=0)
    if not 0 < int(lacks.sum()) <= max(_FEW, len(factor) // _FEW):
        return _with_ends(line, factor, np.minimum(least, most), most)
    own, start = line.of(lacks), factor[lacks]
    best: Array = start
    low: Array = np.minimum(least, most)[:, lacks]
    high: Array = most[:, lacks]
    fewest: Array = np.full(len(start), np.iinfo(np.int64).max)
    for offset in range(-_TRIED, _TRIED + 1):
        tried = np.clip(start + offset * _TRIED_STEP, 0, INT32 - 1)
        for low_end, high_end in _ends(*own.summands(tried)):
            is_late, is_early = _wrong_steps(own.steps, _with_ends(own, tried, low_end, high_end))
            late: Array = is_late.sum(axis=1)
            early: Array = is_early.sum(axis=1)
            wrong = late + early
            count: Array = np.where(np.maximum(late, early) <= 1, wrong, wrong << WORD_BITS)
            is_better: Array = count < fewest
            fewest = np.minimum(count, fewest)
            best = np.where(is_better, tried, best)
            low = np.where(is_better, low_end, low)
            high = np.where(is_better, high_end, high)
    factor, least, most = factor.copy(), least.copy(), most.copy()
    factor[lacks], least[:, lacks], most[:, lacks] = best, low, high
    return _with_ends(line, factor, least, most)


_FEW = 8
"""Channels without a summand for which others are tried, or their part of all: of more, too few would get one."""
_TRIED, _TRIED_STEP = 24, 4
"""Factors on each side that are tried, and their distance: about 2^-20 of a step of the result at its ends."""


def _ends(least: Array, most: Array) -> Iterator[tuple[Array, Array]]:
    """Yield intervals of summands in which one end stands for the empty ones, for steps to even and to odd values."""
    late, early = np.minimum(least, most), np.maximum(least, most)
    for even, odd in ((0, 0), (1, 1), (0, 1), (1, 0)):
        low = np.stack([least[EVEN] if even else late[EVEN], least[ODD] if odd else late[ODD]])
        high = np.stack([early[EVEN] if even else most[EVEN], early[ODD] if odd else most[ODD]])
        yield low, high


def _with_ends(line: _Line, factor: Array, low: Array, high: Array) -> UpperProduct:
    tie = _ties(low, high)
    return UpperProduct(line.left, factor, _summands_with(tie, low, high), line.right, tie)


def _wrong_steps(steps: Steps, product: UpperProduct, *, reach: int = 0) -> tuple[Array, Array]:
    """Return which steps [channels, values] a product takes too late, by more than `reach` arguments, and too early."""
    least, most = steps.domain.least[:, None], steps.domain.most[:, None]
    values = np.arange(steps.low + 1, steps.high + 1, dtype=np.int64)
    at, before = (np.clip(steps.first + offset, least, most) for offset in (reach, -1 - reach))
    is_late = (steps.first <= most) & (product.values(at) < values)
    is_early = (steps.first > least) & (product.values(before) >= values)
    return is_late, is_early


def _told_apart(steps: Steps, product: UpperProduct) -> UpperProduct | None:
    """Return a product with one late and one early step of each channel told apart, None where a channel has more."""
    nowhere = int(steps.domain.least.min()) - 1
    is_late, is_early = _wrong_steps(steps, product)
    if nowhere < -INT32 or any(bool((wrong.sum(axis=1) > 1).any()) for wrong in (is_late, is_early)):
        return None
    late = np.where(is_late, steps.first, nowhere).max(axis=1)
    early = np.where(is_early, steps.first - 1, nowhere).max(axis=1)
    whole = replace(product, late=late if is_late.any() else None, early=early if is_early.any() else None)
    wrong = [*_wrong_steps(steps, whole), *_wrong_steps(steps, whole, reach=1)]
    return whole if not any(bool(mask.any()) for mask in wrong) else None


# Intervals of summands: int64 [2, channels], their ends for the steps to even values, and to odd ones


def _joint_width(least: Array, most: Array) -> Array:
    """Return the widths of what the intervals of even and of odd values have in common, [channels]."""
    return most.min(axis=0) - least.max(axis=0)


def _least_width(least: Array, most: Array) -> Array:
    """Return the widths of the narrower of the intervals of even and of odd values, [channels]."""
    return (most - least).min(axis=0)


def _ties(least: Array, most: Array) -> Array:
    """
    Return the ties [channels]: 0 if no channel needs one, else one for all if that is possible.

    A power of two is at once the mask of a bit that odd values have.
    """
    is_even = _joint_width(least, most) >= 0
    if bool(is_even.all()):
        return np.zeros(len(is_even), np.int64)
    low, high = least[EVEN] - most[ODD], most[EVEN] - least[ODD]
    from_, to = int(low.max()), int(high.min())
    if from_ > to:
        return np.where(is_even, 0, (low + high) >> 1)
    power = 1 << max(to, 1).bit_length() - 1
    return np.full(len(is_even), power if from_ <= power <= to else (from_ + to) >> 1)


def _summands_with(tie: Array, least: Array, most: Array) -> Array:
    """Return the summands [channels] with which steps to odd values come `tie` later."""
    later, earlier = np.maximum(tie, 0), np.maximum(-tie, 0)
    from_ = np.maximum(least[EVEN] - earlier, least[ODD] + later)
    to = np.minimum(most[EVEN] - earlier, most[ODD] + later)
    return (from_ + to) >> 1


@dataclass(frozen=True)
class _Line:
    """Line of a requantisation with representable products."""

    steps: Steps
    left: int
    right: int

    def summands(self, factor: Array) -> tuple[Array, Array]:
        """Return from which summand to which each channel has the steps, an empty interval where none does."""
        least, most = self.steps.domain.least[:, None], self.steps.domain.most[:, None]
        values = np.arange(self.steps.low + 1, self.steps.high + 1, dtype=np.int64)
        wanted, first = values << self.right, self.steps.first
        at = wanted - _upper(np.minimum(first, most), factor, self.left)
        before = wanted - 1 - _upper(np.maximum(first - 1, least), factor, self.left)
        from_, to = np.where(first <= most, at, -INT32), np.where(first > least, before, INT32 - 1)
        parities = [values & 1 == parity for parity in (EVEN, ODD)]
        return (
            np.stack([from_[:, parity].max(axis=1, initial=-INT32) for parity in parities]),
            np.stack([to[:, parity].min(axis=1, initial=INT32 - 1) for parity in parities]),
        )

    def improved(self, factor: Array, width: Callable[[Array, Array], Array]) -> Array:
        """Return factors of which those without a summand, by a width of intervals, are replaced by better ones."""
        lacks = width(*self.summands(factor)) < 0
        if not bool(lacks.any()):
            return factor
        best = factor.copy()
        best[lacks] = self.of(lacks).best_factor(factor[lacks], width)
        return best

    def of(self, channels: Array) -> _Line:
        """Return the line of the channels of a mask."""
        steps, domain = self.steps, self.steps.domain
        own = Domain(domain.least[channels], domain.most[channels])
        return replace(self, steps=replace(steps, domain=own, first=steps.first[channels]))

    def best_factor(self, nearest: Array, width: Callable[[Array, Array], Array]) -> Array:
        """
        Return the factors, near the given ones, with the widest intervals of summands.

        How wide one is is a concave function of the factor, but for what the upper word cuts off, so that a search that
        drops a third of the factors in each turn finds its maximum. It stays where all channels have a summand.
        """
        best, widest = nearest, width(*self.summands(nearest))
        low, high = (np.clip(nearest + sign * (nearest // _SPREAD + 1), 0, INT32 - 1) for sign in (-1, 1))
        while bool((widest < 0).any()) and bool((low < high).any()):
            third = (high - low) // 3
            inner = low + third, high - third
            widths = [width(*self.summands(factor)) for factor in inner]
            for factor, found in zip(inner, widths, strict=True):
                best, widest = np.where(found > widest, factor, best), np.maximum(found, widest)
            rises = widths[0] < widths[1]
            low, high = np.where(rises, inner[0] + 1, low), np.where(rises, high, inner[1] - 1)
        return best


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


def _stays_in_a_word(product: UpperProduct, domain: Domain) -> bool:
    later, earlier = np.maximum(product.tie, 0), np.maximum(-product.tie, 0)
    for end in (domain.least, domain.most):
        sums = _upper(end[:, None], product.factor, product.left)[:, 0] + product.summand
        if not bool(((sums >= later - INT32) & (sums < INT32 - earlier)).all()):
            return False
    return bool((abs(product.tie) < 1 << product.right).all())
