"""Proofs about tiled reductions: each point of a reduction loop is accumulated exactly once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute

from ...dialects.core.analysis.affine_form import Linear
from .kernel import Part
from .neutral import is_neutral
from .rules import refuse
from .scope import BufferOffset, GridBuffer, GridScope
from .sets import Dims, first_point, points, sample


def prove_steps(
    part: Part, x: Mapping[int, Linear], buffers: Mapping[int, GridBuffer], scope: GridScope
) -> frozenset[int]:
    """
    Prove that the steps of a kernel on tiles, with tiles at x, accumulate each point of its reduction loops once.

    Returns the grid dimensions of the steps.
    """
    prove_sizes(part)
    steps: frozenset[int] = frozenset()
    for dim in sorted(part.kernel.reduced):
        if part.kernel.bounds[dim] == part.bounds[dim]:
            continue
        begin = Linear() if part.is_whole(dim) else x.get(dim)
        if begin is None:
            raise reduces_other_points(part, dim)
        dims = frozenset(begin.dims())
        if dims & steps:
            raise refuse(
                "whole-kernel",
                f"'{part.op.name}' goes through d{dim} and another of its loops in the same steps",
                part.op,
                [scope.text(scope.point(ones={min(dims & steps)})), f"d{dim} = {begin.constant}"],
            )
        _prove_loop(part, dim, begin, buffers, scope)
        steps |= dims
    return steps


def prove_sizes(part: Part) -> None:
    """
    Prove that a kernel on tiles reduces each loop at once, or accumulates into sums.

    What it reduces beyond the loop's end, its padding, has to be proved to leave the sums as they are.
    """
    for dim in sorted(part.kernel.reduced):
        if not (part.is_whole(dim) or part.accumulates):
            raise reduces_other_points(part, dim)


def reduces_other_points(part: Part, dim: int) -> Exception:
    """Return the refusal of a kernel on tiles that does not reduce what the whole kernel does."""
    return refuse(
        "whole-kernel",
        f"'{part.op.name}' reduces other points of d{dim} than the whole kernel",
        part.op,
        [f"d{dim} = {min(part.kernel.bounds[dim], part.bounds[dim])}"],
        found=f"{part.kernel.bounds[dim]} points, of {part.bounds[dim]}",
    )


def _prove_loop(part: Part, dim: int, begin: Linear, buffers: Mapping[int, GridBuffer], scope: GridScope) -> None:
    """Prove that the tiles along one reduction loop partition it, except for fills that leave the sums unchanged."""
    size, bound = part.kernel.bounds[dim], part.bounds[dim]
    if len(begin.terms) == 1 and not begin.constant and bound % size == 0:
        ((atom, factor),) = begin.terms
        if isinstance(atom, int) and factor == size and scope.bounds[atom] == bound // size:
            return
    p, q = Dims("p", scope.bounds), Dims("q", scope.bounds)
    used = sorted(begin.dims())
    tiles: list[list[str]] = []
    for dims, loop in ((p, "l"), (q, "m")):
        inside = [*(dims.inside[d] for d in used), f"0 <= {loop} < {size}"]
        tiles.append([*inside, *active_steps(part, dim, dims, loop, buffers, used)])
    place = f"{p.text(begin)} + l"
    names = [*(p.names[d] for d in used), "l"]
    done = points(["x"], [f"x = {place}", *tiles[0]], exists=names)
    wanted = points(["x"], [f"0 <= x < {bound}"])
    left = wanted.subtract(done)
    if (missed := first_point(left if left.is_empty() else left.intersect(_changing(part, dim)))) is not None:
        raise _not_once(part, dim, missed, "leaves out a point")
    if (beyond := first_point(done.subtract(wanted))) is not None:
        raise _not_once(part, dim, beyond, "does more points than there are")
    others = [*(q.names[d] for d in used), "m"]
    both = [*tiles[0], *tiles[1], f"{place} = {q.text(begin)} + m"]
    for at, (a, b) in enumerate(zip(names, others, strict=True)):
        same = [f"{c} = {d}" for c, d in list(zip(names, others, strict=True))[:at]]
        witness = sample([*names, *others], [*both, *same, f"{a} < {b}"])
        if witness is not None:
            point = dict(zip([*used, -1], witness, strict=False))
            number = begin.constant + sum(f * point[d] for d, f in begin.terms if isinstance(d, int)) + point[-1]
            raise _not_once(part, dim, [number], "does a point twice")


def _changing(part: Part, dim: int) -> Any:
    """
    Return the isl set of points of a reduction loop that change sums, without those whose inputs are neutral fills.
    """
    loops = Dims("d", part.bounds)
    inside = [
        f"0 <= {loops.text(form)} < {size}"
        for k, forms in enumerate(part.maps[: len(part.kernel.inputs)])
        if is_neutral(part.kernel.reductions[0], {k: part.fills[k]})
        for form, size in zip(forms, part.shapes[k], strict=True)
    ]
    return points(["x"], [f"x = {loops.names[dim]}", *loops.inside, *inside], exists=loops.names)


def _not_once(part: Part, dim: int, point: list[int], what: str) -> Exception:
    size, bound = part.kernel.bounds[dim], part.bounds[dim]
    return refuse(
        "whole-kernel",
        f"'{part.op.name}' {what} of the reduced loop d{dim}",
        part.op,
        [f"d{dim} = {point[0]}"],
        found=f"steps of {size} points, of {bound}",
        remedy="cover the loop once, and fill what lies beyond it with what leaves the sums as they are",
    )


def active_steps(
    part: Part, dim: int, dims: Dims, loop: str, buffers: Mapping[int, GridBuffer], used: Sequence[int] | None = None
) -> list[str]:
    """
    Return the constraints on a point of a reduced loop that it changes the sums: inputs which would leave them as they
    are have not been filled there.
    """
    constraints: list[str] = []
    filled = {
        k: fill for k, axis in axes_along(part, dim) if k in buffers and (fill := _fill(buffers[k], axis)) is not None
    }
    (body,) = part.kernel.reductions
    alone = {k for k, fill in filled.items() if is_neutral(body, {k: fill})}
    for k, axis in axes_along(part, dim):
        if k not in alone:
            continue
        places = (p for p in buffers[k].places if used is None or p.start[axis].dims() <= set(used))
        constraints += [_in_place(part, k, axis, dims, loop, place) for place in places]
    if alone or not filled or not is_neutral(body, filled):
        return constraints
    alternatives: list[str] = []
    for k, axis in ((k, axis) for k, axis in axes_along(part, dim) if k in filled):
        inside = [_in_place(part, k, axis, dims, loop, place) for place in buffers[k].places]
        alternatives.append(f"({' and '.join(inside)})")
    return [f"({' or '.join(alternatives)})"]


def _in_place(part: Part, k: int, axis: int, dims: Dims, loop: str, place: BufferOffset) -> str:
    """Return the constraint that a point of a loop is within what a tile is a part of."""
    own = part.inner[k][axis].constant
    return f"0 <= {dims.text(place.start[axis])} + {own} + {loop} < {place.shape[axis]}"


def axes_along(part: Part, dim: int) -> list[tuple[int, int]]:
    """Return the axes of inputs that a loop alone leads along, one element per point."""
    bounds = part.kernel.bounds
    along: list[tuple[int, int]] = []
    for k in range(len(part.kernel.inputs)):
        for axis, form in enumerate(part.inner[k]):
            moving = [(d, f) for d, f in form.terms if d == dim or not isinstance(d, int) or bounds[d] > 1]
            if moving == [(dim, 1)]:
                along.append((k, axis))
    return along


def _fill(buffer: GridBuffer, axis: int) -> Attribute | None:
    """Return the fill outside of the operand along an axis of a tile, None where that may be more than one value."""
    fills: set[Attribute] = set()
    tiled: GridBuffer | None = buffer
    while tiled is not None and tiled.tiles is not None:
        if tiled.tiles.tile.source.padding is not None:
            fills.add(tiled.tiles.tile.source.padding)
        tiled = tiled.around
    return fills.pop() if len(fills) == 1 else None
