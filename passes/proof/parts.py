"""Kernels on tiles in the body of a grid: whether each gets the tiles that it needs, for all grid points at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.linalg import ops as linalg

from ...dialects.core.analysis.affine_form import Linear
from ...dialects.core.nesting import nested_ops
from ...ir import shape_of
from .contents import Held
from .kernel import Mismatch, Part, output_start, solve
from .rules import listed, name_of, refuse
from .scope import BufferOffset, Forms, GridBuffer, GridScope, at_first
from .sets import Dims, leaving, sample
from .steps import active_steps


def prove_part(
    part: Part,
    buffers: Mapping[int, GridBuffer],
    read: Mapping[int, Held | None],
    scope: GridScope,
    period: frozenset[int] = frozenset(),
) -> dict[int, Linear]:
    """
    Prove that a kernel on tiles gets the tiles that it needs, where it is known what its buffers hold.

    `buffers` and `read` are by access; `read` has those of inputs. `period` has the dimensions that run between one
    start of its sums and the next. Returns the point of the whole kernel at which the tiles begin, as far as it is
    known.
    """
    prove_even(part)
    places: dict[int, BufferOffset] = {}
    for k in sorted(buffers, key=lambda k: k < len(part.accesses) - len(part.kernel.outputs)):
        if place := _place(part, k, buffers[k], read.get(k), scope):
            places[k] = place
    x = _solved(part, places)
    if isinstance(x, dict) and part.accumulates and any(dim not in x for dim in part.cut_reductions):
        x = _solve_steps(part, places, x, period, scope)
    if isinstance(x, Mismatch):
        raise mismatched(part, x, buffers[x.access], places[x.access], scope)
    for k in read:
        _prove_filled(part, k, buffers[k], scope)
        if k in places:
            _prove_outside(part, k, buffers[k], read[k], places[k], scope)
        _prove_reached(part, k, buffers, places.get(k), scope)
    return x


def _solve_steps(
    part: Part, places: dict[int, BufferOffset], x: dict[int, Linear], period: frozenset[int], scope: GridScope
) -> dict[int, Linear] | Mismatch[Linear]:
    """
    Solve the equations of the steps of a reduction that say too little by themselves.

    Sums stay where they are while the dimensions in `period` run, and where these begin, so do the reduced loops: any
    point that solves the equations will do. What reads the sums, or where they are written, shows whether it is theirs.
    """
    begun: dict[int, Forms] = {}
    for k, place in places.items():
        begun[k] = tuple(at_first(form, period, scope.bounds) for form in place.start)
    first = solve(part.equations(list(begun), [dim for dim in part.cut_reductions if dim not in x]), begun)
    output = len(part.accesses) - 1
    start = output_start(part, output, first, Linear()) if isinstance(first, dict) else None
    if start is None:
        return x
    places.setdefault(output, BufferOffset(tuple(start), part.shapes[output]))
    return _solved(part, places)


def _solved(part: Part, places: Mapping[int, BufferOffset]) -> dict[int, Linear] | Mismatch[Linear]:
    return solve(part.equations(list(places)), {k: place.start for k, place in places.items()})


def prove_even(part: Part) -> None:
    """Prove that a kernel on tiles moves within them as the whole kernel does, and that no index is a tile's own."""
    if uneven := part.uneven():
        value = part.accesses[uneven[0]].value
        name = name_of(part.op, list(part.op.operands).index(value))
        message = f"{name} of '{part.op.name}' moves along axis {uneven[1]} otherwise than the whole kernel"
        at = [f"tile of {listed(shape_of(value))}", "element 1 of that axis"]
        raise refuse("whole-kernel", message, part.op, at)
    for region in part.op.regions:
        for op in nested_ops(region):
            if isinstance(op, linalg.IndexOp) and not part.is_whole(op.dim.value.data):
                message = f"the scalar code of '{part.op.name}' uses an index that is cut, d{op.dim.value.data}"
                raise refuse("whole-kernel", message, part.op, [f"d{op.dim.value.data} = 0 in each tile"])


def _place(part: Part, k: int, buffer: GridBuffer, content: Held | None, scope: GridScope) -> BufferOffset | None:
    """Return the offset of a buffer in the whole kernel's operand, None where that is not known."""
    written = content.place.moved(buffer.offset) if content is not None and content.place is not None else None
    is_lost = content is not None and content.is_lost
    places = [*buffer.places, *([written] if written is not None else [])]
    for place in reversed(places) if not is_lost else ():
        if place.shape == part.shapes[k]:
            return place
    if written is None and not is_lost and (buffer.root.number is not None or not places):
        return None
    tiles = " of ".join(listed(place.shape) for place in places)
    message = f"what {buffer.name} of the grid holds is no tile of what '{part.op.name}' needs"
    actual = "it is not known which tile it is" if is_lost else f"a tile of {tiles}"
    remedy = f"give it a tile of {listed(part.shapes[k])}"
    raise scope.refuse("whole-kernel", part.op, message, buffer, found=actual, remedy=remedy)


def mismatched(
    part: Part, mismatch: Mismatch[Linear], buffer: GridBuffer, place: BufferOffset, scope: GridScope
) -> Exception:
    """Return the error of a kernel on tiles with a wrong tile."""
    start = place.start[mismatch.axis]
    point = [0] * scope.depth
    wanted = "elsewhere"
    if mismatch.expected is not None:
        point = leaving(start + mismatch.expected * -1, 1, 1, scope.bounds) or point
        wanted = f"at {mismatch.expected.at(point)} along axis {mismatch.axis}"
    return refuse(
        "whole-kernel",
        f"{buffer.name} of the grid is not the tile that '{part.op.name}' needs",
        part.op,
        [scope.text(point), f"{_tile_at(place.start, point)}, needed {wanted}"],
        found=f"{buffer.tiles.tile.map.data}" if buffer.tiles is not None else "what another op has left there",
    )


def _tile_at(start: Forms, point: Sequence[int]) -> str:
    return f"tile at {listed([form.at(point) for form in start])}"


def _prove_filled(part: Part, k: int, buffer: GridBuffer, scope: GridScope) -> None:
    """Prove that the padding of an operand is filled with the value that the kernel reads there."""
    wanted = part.fills[k]
    tiled: GridBuffer | None = None if isinstance(wanted, UnitAttr) else buffer
    while tiled is not None and tiled.tiles is not None and tiled.around is not None:
        fill = tiled.tiles.tile.source.padding
        for axis, start in enumerate(tiled.start if fill is not None and fill != wanted else ()):
            point = leaving(start, tiled.shape[axis], tiled.around.shape[axis], scope.bounds)
            if point is not None:
                raise refuse(
                    "whole-kernel",
                    f"{tiled.name} of the grid is filled with {fill}, '{part.op.name}' needs {wanted}",
                    part.op,
                    [scope.text(point), _tile_at(tiled.start, point)],
                )
        tiled = tiled.around


def _prove_outside(
    part: Part, k: int, buffer: GridBuffer, content: Held | None, place: BufferOffset, scope: GridScope
) -> None:
    """Prove that an intermediate's tile has nothing outside of the intermediate where the kernel needs that filled."""
    if isinstance(part.fills[k], UnitAttr) or content is None or content.place is None:
        return
    for axis, (start, size) in enumerate(zip(place.start, place.shape, strict=True)):
        if (point := leaving(start, buffer.shape[axis], size, scope.bounds)) is not None:
            raise refuse(
                "whole-kernel",
                f"'{part.op.name}' needs {part.fills[k]} outside of what {buffer.name} of the grid is a tile of",
                part.op,
                [scope.text(point), _tile_at(place.start, point)],
                found=f"the tile has {buffer.shape[axis]} of the {size} elements along axis {axis}",
            )


def _prove_reached(
    part: Part, k: int, buffers: Mapping[int, GridBuffer], place: BufferOffset | None, scope: GridScope
) -> None:
    """
    Prove that a nested tile at `place` covers the kernel's footprint for the elements finally written; the rest is
    fill.
    """
    around, places = buffers[k].around, buffers[k].places
    if around is None or (places and places[0] is place):
        return
    dims, loops = Dims("p", scope.bounds), Dims("l", part.kernel.bounds)
    for axis, start in enumerate(buffers[k].start):
        own, size = part.inner[k][axis], around.shape[axis]
        low, high = own.interval(part.kernel.bounds)
        first, last = start.interval(scope.bounds)
        if (first + low >= 0 and last + high < size) or part.pads(k, axis) or _is_all(around, axis):
            continue
        text = f"{dims.text(start)} + {loops.text(own)}"
        leaves = f"({text} < 0 or {text} >= {size})"
        names = [*dims.names, *loops.names]
        witness = sample(names, [*dims.inside, *loops.inside, *_matters(part, buffers, dims, loops), leaves])
        if witness is not None:
            raise refuse(
                "whole-kernel",
                f"{buffers[k].name} of the grid lacks what '{part.op.name}' needs: the tile around it ends before",
                part.op,
                [scope.text(witness[: scope.depth]), f"loop point {listed(witness[scope.depth :])}"],
                found=f"{size} elements along axis {axis}",
            )


def _is_all(buffer: GridBuffer, axis: int) -> bool:
    """Return whether the padding of a buffer along an axis is also outside of the buffer that it is a tile of."""
    if buffer.root.number is not None:
        return False
    return all(p.start[axis] == Linear() and p.shape[axis] == buffer.shape[axis] for p in buffer.places)


def _matters(part: Part, buffers: Mapping[int, GridBuffer], dims: Dims, loops: Dims) -> list[str]:
    """Return the constraints that a loop point contributes to an element finally written."""
    constraints: list[str] = []
    for k in range(len(part.accesses) - len(part.kernel.outputs), len(part.accesses)):
        for place in buffers[k].places if k in buffers else ():
            for start, own, size in zip(place.start, part.inner[k], place.shape, strict=True):
                text = f"{dims.text(start)} + {loops.text(own)}"
                constraints.append(f"0 <= {text} < {size}")
    for dim in sorted(part.kernel.reduced) if part.accumulates else ():
        if not part.is_whole(dim):
            constraints += active_steps(part, dim, dims, loops.names[dim], buffers)
    return constraints
