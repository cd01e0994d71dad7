"""Progress of tiled reductions during a walk: the points accumulated into each sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Attribute, Operation

from ...dialects.core.analysis.affine_form import Linear
from ...ir import shape_of
from .kernel import Part
from .memory import MemoryState
from .neutral import is_neutral, number_of
from .origins import Origin, PartialSums, Spot, of_shape
from .rules import listed
from .steps import axes_along, reduces_other_points


class Progress:
    """Progress of reductions: the steps that are accumulated."""

    def __init__(self, state: MemoryState):
        self._state = state
        self._neutral: dict[tuple[Operation, int, Attribute], bool] = {}

    def after(
        self, part: Part, x: Mapping[int, int], origins: Mapping[int, Origin], result: Spot | None
    ) -> PartialSums:
        """Return the sums that a kernel on tiles which begin at x leaves."""
        before = origins.get(len(part.accesses) - 1)
        start = result.start if result is not None else None
        sums = before.sums if before is not None else None
        cut = part.cut_reductions
        if sums is not None and (sums.op is not part.op or sums.start != start):
            raise self._wrong(part, "adds to sums of another tile, which have not begun anew")
        if part.starts is None and not (_may_begin(part, before, result) if sums is None else _fits(before)):
            raise self._wrong(part, "adds to what is not the beginning of its sums")
        if before is not None and before.value is not None:
            self._check_value(part, before.value)
        if sums is None:
            self._check_start(part, before, result)
        shape = tuple(part.bounds[dim] for dim in cut)
        done = np.zeros(shape, np.bool_) if sums is None else sums.done.copy()
        box = tuple(self._added(part, dim, x, origins) for dim in cut)
        if done[box].any():
            raise self._wrong(part, "adds the same points of its reduced loops again")
        done[box] = True
        begun = before.spots if before is not None and part.starts is None else ()
        return PartialSums(part.op, start, done, begun if sums is None else sums.begun)

    def check_padding(self, part: Part, origins: Mapping[int, Origin]) -> None:
        """Check that what a kernel on tiles reduces beyond the end of a loop leaves the sums as they are."""
        for dim in part.padded_reductions:
            self._added(part, dim, {dim: 0}, origins)

    def _check_value(self, part: Part, value: Attribute) -> None:
        wanted, start = number_of(part.initial), number_of(value)
        if wanted is not None and start is not None and wanted != start:
            raise self._wrong(part, f"adds to sums that begin at {start}, not at {wanted},")

    def _check_start(self, part: Part, before: Origin | None, result: Spot | None) -> None:
        """Check that sums start from the tile of the operand that the whole kernel starts them from."""
        if part.starts is None:
            if before is not None and before.repeated:
                raise self._wrong(part, "adds to sums that start from an operand, the whole kernel's do not,")
            return
        spots = [] if before is None else [*before.spots, *([before.result] if before.result is not None else [])]
        if before is None or result is None or not spots:
            raise self._wrong(part, f"adds to sums that do not start from an operand of {listed(part.starts[1])}")
        spot = of_shape(spots, part.starts[1]) or spots[-1]
        source = tuple(Linear((), at) for at in spot.start)
        sums = tuple(Linear((), at) for at in result.start)
        fault = part.start_fault(source, sums, spot.shape, before.repeated, shape_of(part.accesses[-1].value))
        if fault is not None:
            raise self._wrong(part, f"starts its sums from a wrong tile: axis {fault[0]} {fault[1]}")

    def _wrong(self, part: Part, what: str) -> Exception:
        return self._state.refuse("whole-kernel", part.op, f"'{part.op.name}' {what} at this step")

    def _added(self, part: Part, dim: int, x: Mapping[int, int], origins: Mapping[int, Origin]) -> slice:
        """
        Return the points of a reduced loop that are dealt with: those that change the sums, and those at which it is
        the operand itself that has nothing. At the others, inputs are filled.
        """
        if dim not in x:
            raise reduces_other_points(part, dim)
        low, high, size = 0, part.kernel.bounds[dim], part.kernel.bounds[dim]
        inside: list[tuple[int, int]] = []
        for k, axis in axes_along(part, dim):
            origin = origins.get(k)
            if origin is None or origin.valid is None or origin.fill is None or not self._skips(part, k, origin.fill):
                continue
            at = part.inner[k][axis].constant
            low, high = max(low, origin.valid[axis][0] - at), min(high, origin.valid[axis][1] - at)
            if spot := of_shape(origin.spots, part.shapes[k]):
                begin = spot.start[axis] + at
                inside.append((-begin, spot.shape[axis] - begin))
        low, high = _with_outside(low, max(low, high), range(-x[dim], part.bounds[dim] - x[dim]), size, inside)
        low, high = x[dim] + low, x[dim] + high
        if low < high and (low < 0 or high > part.bounds[dim]):
            at = f"d{dim} = {low if low < 0 else part.bounds[dim]}"
            message = f"'{part.op.name}' does more points than there are of the reduced loop d{dim}"
            actual = f"points {low} to {high - 1}, of {part.bounds[dim]}"
            remedy = "fill what lies beyond with what leaves the sums as they are"
            raise self._state.refuse("whole-kernel", part.op, message, at, found=actual, remedy=remedy)
        return slice(low, high)

    def _skips(self, part: Part, k: int, fill: Attribute) -> bool:
        """Return whether sums stay as they are where an input has been filled."""
        key = (part.op, k, fill)
        if key not in self._neutral:
            self._neutral[key] = is_neutral(part.kernel.reductions[0], {k: fill})
        return self._neutral[key]

    def check_reached(
        self,
        op: Operation,
        part: Part,
        spots: Mapping[int, Spot],
        origins: Mapping[int, Origin],
        inside: Sequence[slice],
    ) -> None:
        """Check that a kernel's tiles cover its footprint for the written part of its output."""
        filled = {
            k: origin for k, origin in origins.items() if origin.valid is not None and _is_inner(origin, spots.get(k))
        }
        if not filled:
            return
        limits = _limits(part, inside)
        for k, axis in ((k, axis) for k in filled for axis in range(len(part.inner[k]))):
            form = part.inner[k][axis]
            if part.pads(k, axis) or (part.accumulates and set(form.dims()) & part.kernel.reduced):
                continue
            element = _unreached(form.ends(limits.__getitem__), (filled[k].valid or ())[axis], spots.get(k), axis)
            if element is not None:
                message = f"'{part.op.name}' has been given less of the tile around than it needs for what is written"
                at = f"element {element} along axis {axis} of its tile"
                raise self._state.refuse("whole-kernel", op, message, at)


def _fits(before: Origin | None) -> bool:
    """Return whether the contents of a buffer have one origin, as far as it is known."""
    return before is None or not before.is_mixed


def _may_begin(part: Part, before: Origin | None, result: Spot | None) -> bool:
    """
    Return whether a reduction may begin with that in its sums: a constant, or the tile that they are written to.

    Where the whole kernel adds to its output, it may be what another kernel has made at the same place, not a constant.
    """
    if not _fits(before):
        return False
    if part.initial is not None:
        return before is not None and (before.value is not None or bool(before.spots))
    if before is None or before.result is None or result is None:
        return before is None or before.value is None
    return (before.result.start, before.result.shape) == (result.start, result.shape)


def _unreached(needed: tuple[int, int], valid: tuple[int, int], spot: Spot | None, axis: int) -> int | None:
    """Return the first needed element along an axis that is in the operand but missing in the tile."""
    (low, high), (first, last) = needed, valid
    start, size = (spot.start[axis], spot.shape[axis]) if spot is not None else (0, last)
    if low < first and start + first > 0:
        return low
    if high >= last and start + last < size:
        return low if low < first else last
    return None


def _with_outside(low: int, high: int, loop: range, size: int, inside: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """
    Extend points [low, high) of a tile by adjacent loop points out of bounds of an operand, in bounds at `inside`.
    """
    first, end = max(0, loop.start), min(size, loop.stop)
    if low >= high and any(end <= begin or stop <= first for begin, stop in inside):
        return first, max(first, end)
    if low < high and any(low <= begin for begin, _ in inside):
        low = min(low, first)
    if low < high and any(stop <= high for _, stop in inside):
        high = max(high, end)
    return low, high


def _is_inner(origin: Origin, spot: Spot | None) -> bool:
    """Return whether a tile is one of a tile, of an operand that begins at a spot."""
    return len(origin.spots) > 1 and origin.spots[0] is not spot


def _limits(part: Part, inside: Sequence[slice]) -> list[tuple[int, int]]:
    """Return the first and the last point of each loop that adds to a part of the output."""
    limits = [(0, bound - 1) for bound in part.kernel.bounds]
    for form, piece in zip(part.inner[-1], inside, strict=True):
        if len(form.terms) == 1 and form.terms[0][1] == 1 and isinstance(dim := form.terms[0][0], int):
            low, high = limits[dim]
            limits[dim] = max(low, piece.start - form.constant), min(high, piece.stop - 1 - form.constant)
    return limits
