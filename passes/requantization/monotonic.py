"""
Lines through sums and floats, proved next to the steps of a nondecreasing function.

Such a function, and a line, are known everywhere by their values on both sides of each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...ir import Array
from .approximation import CLIP, Approximation, ExactRounding, approximation_by
from .floats import BITS, INFINITY, append_fixed, fixed, of_keys
from .halves import Halves, halves_of
from .lines import INT32, ORIGINAL, FixedPointLine, Points, centred, fitted
from .slices import Slice
from .steps import Domain, Steps, steps_of

_TYPICAL = 4096
"""Arguments between the first and the last step at which is counted how often the original code decides."""
_DECISION = 25
"""Cycles of the exact rounding next to halves, by its instructions."""
_WORD_BITS = 32
_PART, _SHIFTS = 9, 4
"""
Low bits of sums that may be dropped: from a part of `2^-9` of the distance of two steps on, so many shifts are tried.

What is dropped leaves more bits for factors.
"""
_ENDS = 64
"""Numbers among which one is chosen to clip at: clipped sums are common, so the line shall decide them."""
_LARGEST_EXPONENT = 90
"""Of the greatest float that is not clipped, so that shifts fit a word for all floats that count."""


@dataclass(frozen=True)
class _Rise:
    """
    The arguments between which a nondecreasing function changes, int64 [channels], and its values there.

    It is `low` up to `first`, and `high` from `last` on; `steps` are those between.
    """

    steps: Steps
    first: Array
    last: Array
    low: int
    high: int

    def near_steps(self) -> Array:
        """Return the arguments [channels, n] on both sides of each step, and the ends of the domain."""
        least, most = self.steps.domain.least[:, None], self.steps.domain.most[:, None]
        first = self.steps.first
        return np.clip(np.concatenate([first, first - 1, least, most], axis=1), least, most)

    def everywhere(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the ends of the domain of all channels."""
        domain = self.steps.domain
        return [int(domain.least.min())], [int(domain.most.max())]

    def within(self, reach: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return numbers before the first and behind the last argument of all channels, up to a reach."""
        first, last = int(self.first.min()), int(self.last.max())
        offsets = sorted({reach * part // _ENDS for part in range(_ENDS)} | {1})
        before = [first - offset for offset in offsets]
        return before, [last + offset for offset in offsets]

    def spread(self) -> Array:
        """Return evenly spread arguments [channels, n]."""
        first, last = self.first[:, None], self.last[:, None]
        return first + (last - first) * np.arange(_TYPICAL) // _TYPICAL


def _rise(function: Callable[[Array], Array], domain: Domain, low: int, high: int) -> _Rise | None:
    """Return the change of a function from int64 [channels, n], None where it is constant."""
    least, most = domain.least[:, None], domain.most[:, None]
    lowest, highest = function(least), function(most)
    if int(lowest.min()) == int(highest.max()):
        return None
    steps = steps_of(function, domain, low, high)
    first = np.take_along_axis(steps.first, np.minimum(lowest - low, high - low - 1), axis=1) - 1
    last = np.take_along_axis(steps.first, np.maximum(highest - low - 1, 0), axis=1)
    first, last = (np.clip(end, least, most)[:, 0] for end in (first, last))
    return _Rise(steps, first, np.maximum(first + 1, last), int(lowest.min()), int(highest.max()))


def _slopes(reals: Callable[[Array], Array], positions: Callable[[Array], Array], rise: _Rise) -> Array:
    """Return by how much reals grow with their positions between the first and the last step, [channels]."""
    ends = np.stack([rise.first + 1, rise.last - 1], axis=1)
    ends = np.where(ends[:, :1] < ends[:, 1:], ends, np.stack([rise.first, rise.last], axis=1))
    grown, moved = np.diff(reals(ends), axis=1)[:, 0], np.diff(positions(ends), axis=1)[:, 0]
    return np.maximum(grown, 0.0) / np.maximum(moved, 1)


def _without_overflow(code: Slice, domain: Domain) -> Domain:
    """Return the part of a domain for which sums and products do not overflow, which their ops promise."""
    least, most = domain.least, domain.most
    for factor, summand in code.lines():
        slope = np.maximum(factor, 1)
        least = np.maximum(least, -((INT32 + summand) // slope))
        most = np.minimum(most, (INT32 - 1 - summand) // slope)
    return Domain(least.astype(np.int64), most.astype(np.int64))


def line_of_sum(code: Slice, domain: Domain, low: int, high: int) -> Approximation | None:
    domain = _without_overflow(code, domain)
    domain = domain.joined() if code.is_uniform() else domain.of(code.channels.count)
    rise = _rise(code.values, domain, low, high)
    if rise is None:
        return None
    step = float(np.median(rise.last - rise.first)) / (rise.high - rise.low)
    finest = int(np.frexp(step)[1]) - _PART
    shifts = sorted({max(0, finest + offset) for offset in range(_SHIFTS)})
    bounds = [rise.everywhere(), rise.within(int(step) + 1)]
    candidates = [_of_part(code, rise, *ends, shift) for shift in shifts for ends in bounds]
    best = min(filter(None, candidates), key=lambda candidate: candidate.estimate.cost, default=None)
    return None if best is None else best.appended(code.leaves[0])


def product_of_sum(code: Slice, domain: Domain, low: int, high: int) -> FixedPointLine | None:
    """Return a line through whole sums that is nowhere off by more than one, None where it needs more than 32 bits."""
    domain = _without_overflow(code, domain)
    domain = domain.joined() if code.is_uniform() else domain.of(code.channels.count)
    rise = _rise(code.values, domain, low, high)
    if rise is None:
        return None
    near = rise.near_steps()
    points = Points((near,), code.values(near), rise.low, rise.high, (rise.spread(),), original=0)
    ends = np.stack([domain.least, domain.most], axis=1)
    line = fitted(points, [_slopes(code.reals, lambda sums: sums, rise)], [np.abs(ends).max(axis=1)])
    return centred(points, line) if line is not None and line.margin < 1 << line.shift else None


@dataclass(frozen=True)
class _Part:
    """A line through sums that are clipped at any of `lows` and `highs`, then shifted to the right."""

    estimate: Approximation
    lows: Sequence[int]
    highs: Sequence[int]
    right: int
    halves: Halves | None

    def appended(self, leaf: SSAValue) -> Approximation:
        """Return the approximation with its term, clipped at numbers at which the line itself decides."""
        ends = [min(numbers, key=self._near_channels) for numbers in (self.lows, self.highs)]

        def sums(body: Body) -> SSAValue:
            value = body.convert(leaf, i32)
            return body.clip(value, *ends) if len(self.lows) > 1 else value

        def shifted(body: Body) -> SSAValue:
            return body.shift_right(sums(body), self.right) if self.right else sums(body)

        decision = None if self.halves is None else ExactRounding(self.halves, sums)
        return replace(self.estimate, terms=(shifted,), decision=decision)

    def _near_channels(self, end: int) -> float:
        return self.estimate.line.near([np.array([[end >> self.right]])])


def _of_part(code: Slice, rise: _Rise, lows: Sequence[int], highs: Sequence[int], right: int) -> _Part | None:
    """Return a line through sums, all of them or those from the least to the greatest of these numbers."""
    within = min(lows), max(highs)

    def term(sums: Array) -> Array:
        return np.clip(sums, *within) >> right

    domain, near = rise.steps.domain, rise.near_steps()
    ends = np.stack([np.clip(end, *within) for end in (domain.least, domain.most)], axis=1)
    slopes = [_slopes(code.reals, lambda sums: sums / (1 << right), rise)]
    for halves in (halves_of(code, ends), None):
        original = ORIGINAL if halves is None else _DECISION
        points = Points((term(near),), code.values(near), rise.low, rise.high, (term(rise.spread()),), original)
        estimate = approximation_by([], points, slopes, [ends >> right], CLIP if len(lows) > 1 else 0)
        if estimate is None:
            return None
        if halves is None or _decides(halves, estimate, points, np.clip(near, *within)):
            return _Part(estimate, lows, highs, right, halves)
    return None


def _decides(halves: Halves, estimate: Approximation, points: Points, sums: Array) -> bool:
    """Return whether the rounding next to halves has the values of all sums next to steps that need a decision."""
    line = estimate.line
    numerators = line.numerators(points.terms)
    is_near = (numerators & ((1 << line.shift) - 1)) < line.margin
    decided = np.clip(halves.values(sums, numerators >> line.shift), points.low, points.high)
    fits = 2 * line.margin << halves.exponent < 1 << line.shift + _WORD_BITS - 1
    return fits and bool((~is_near | (decided == points.values)).all())


def line_of_float(code: Slice, low: int, high: int) -> Approximation | None:
    """Return a line through a float in fixed point, between its steps."""
    count = 1 if code.is_uniform() else code.channels.count
    domain = Domain(np.array([-INFINITY]), np.array([INFINITY])).of(count)
    rise = _rise(lambda keys: code.values(of_keys(keys)), domain, low, high)
    if rise is None:
        return None
    greatest = max(float(np.abs(of_keys(end)).max()) for end in (rise.first, rise.last))
    exponent = int(np.frexp(greatest)[1])
    if not np.isfinite(greatest) or abs(exponent) > _LARGEST_EXPONENT:
        return None
    (leaf,) = code.leaves

    def term(keys: Array) -> Array:
        return fixed(of_keys(keys), exponent)

    near = rise.near_steps()
    ends = of_keys(rise.first).astype(np.float64), of_keys(rise.last).astype(np.float64)
    fractions = np.arange(_TYPICAL) / _TYPICAL
    spread = (ends[0][:, None] + (ends[1] - ends[0])[:, None] * fractions).astype(np.float32)
    points = Points((term(near),), code.values(of_keys(near)), rise.low, rise.high, (fixed(spread, exponent),))
    unit = float(np.ldexp(1.0, exponent - BITS + 1))
    slopes = [_slopes(lambda keys: code.reals(of_keys(keys)), lambda keys: of_keys(keys) / unit, rise)]
    limit = np.array([[-(1 << BITS) + 1, (1 << BITS) - 1]])
    return approximation_by([lambda body: append_fixed(body, leaf, exponent)], points, slopes, [limit])
