"""Proofs about partial sums: between two initialisations, all steps of a reduction are accumulated once."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation

from ...dialects.core.analysis.affine_form import Linear
from .contents import Contents, Held
from .kernel import Part
from .neutral import number_of
from .rules import listed
from .scope import BufferOffset, GridBuffer, GridScope, Guard


def prove_period(
    op: Operation,
    buffer: GridBuffer,
    start: Held | None,
    guard: Guard,
    steps: frozenset[int],
    scope: GridScope,
    contents: Contents,
) -> frozenset[int]:
    """
    Prove that each step of a reduction runs once between two initialisations of its accumulator.

    Returns those of the grid dimensions in `steps` that run around the start, which then must be a copy of sums.
    """
    if copies := steps & scope.spatial:
        what = f"adds up over {scope.names(copies)} in {buffer.name} of the grid: each copy has its own sums"
        remedy = "reduce over temporal dimensions, or let a kernel add up what the copies have written"
        point = scope.point(ones={min(copies)})
        raise scope.refuse("whole-kernel", op, f"'{op.name}' {what}", buffer, point, remedy=remedy)
    within = period(start, guard, scope)
    left = guard.dims & within
    if left:
        point = scope.point(ones={min(left)} if left & guard.first else ())
        raise _wrong_steps(op, buffer, point, "leaves out steps that fill", scope)
    if still := steps & buffer.offset_dims:
        raise _wrong_steps(op, buffer, scope.point(ones={min(still)}), "adds up in several places", scope)
    if again := within - steps - buffer.offset_dims:
        raise _wrong_steps(op, buffer, scope.point(ones={min(again)}), "adds the same again", scope)
    between = {
        d for d in scope.running(min(within, default=scope.depth)) if d not in within | buffer.offset_dims | guard.dims
    }
    if between:
        raise _wrong_steps(op, buffer, scope.point(ones={min(between)}), "adds to sums of another tile", scope)
    begins = [start.op] if start is not None and not start.op.is_ancestor(op) else []
    if contents.others(buffer, op, *begins):
        raise _wrong_steps(op, buffer, scope.point(), "adds to sums that something else writes over", scope)
    return steps - within


def period(start: Held | None, guard: Guard, scope: GridScope) -> frozenset[int]:
    """Return the dimensions between one initialisation and the next, for a guarded op."""
    first = start.guard.first - guard.first if start is not None else frozenset[int]()
    return first | scope.running(start.depth if start is not None else 0)


def _wrong_steps(op: Operation, buffer: GridBuffer, point: list[int], what: str, scope: GridScope) -> Exception:
    remedy = "start the sums in hier.first over the dimensions that the reduction is cut along, the innermost ones"
    message = f"'{op.name}' {what} in {buffer.name} of the grid"
    return scope.refuse("whole-kernel", op, message, buffer, point, remedy=remedy)


def started_anew(op: Operation, buffer: GridBuffer, steps: frozenset[int], scope: GridScope) -> Exception:
    """Return the refusal of sums that begin again before all has been added."""
    point = scope.point(ones={min(steps)})
    return _wrong_steps(op, buffer, point, "adds to sums that begin anew at each step", scope)


def prove_start(
    part: Part, buffer: GridBuffer, start: Held | None, scope: GridScope, sums: Sequence[Linear] | None
) -> None:
    """
    Prove that sums are initialised as in the whole kernel.

    That is by the same constant, by a copy of the output's tile, or by the tile of the operand that it says; `sums` is
    where the tile of the output begins.
    """
    if start is None:
        return
    if start.sums is not None:
        what = f"adds to what '{start.sums.name}' has summed up"
        raise _wrong_steps(part.op, buffer, scope.point(), what, scope)
    if part.starts is not None or start.op.is_ancestor(part.op):
        _prove_operand(part, buffer, start, scope, sums)
        return
    wanted, start_number = number_of(part.initial), number_of(start.value)
    if wanted is not None and start_number is not None and wanted != start_number:
        message = f"the sums of '{part.op.name}' begin at {start_number} in {buffer.name} of the grid, not at {wanted}"
        raise scope.refuse("whole-kernel", start.op, message, buffer)
    if goes_on(start, buffer) or (part.initial is not None and (wanted is None or start_number is not None)):
        return
    what = f"a copy of {start.source.name}" if start.source is not None else f"what '{start.op.name}' leaves"
    right = f"starts them from {wanted}" if wanted is not None else "adds to what its output holds"
    raise _wrong_start(part, buffer, scope, f"start from {what}", f"the whole kernel {right}")


def _prove_operand(
    part: Part, buffer: GridBuffer, start: Held, scope: GridScope, sums: Sequence[Linear] | None
) -> None:
    """Prove that sums start from the tile of an operand that the whole kernel starts them from."""
    source = start.source
    if part.starts is None or source is None or sums is None:
        what = "an operand" if source is not None else f"what '{start.op.name}' leaves"
        wanted = "a constant" if part.starts is None else f"an operand of {listed(part.starts[1])}"
        raise _wrong_start(part, buffer, scope, f"start from {what}", f"the whole kernel starts them from {wanted}")
    places = [*source.places, BufferOffset(source.offset, source.shape)]
    place = next((place for place in reversed(places) if place.shape == part.starts[1]), places[0])
    repeated = _repeated(source)
    pairs = enumerate(zip(place.start, buffer.offset, strict=True))
    begin = [at if axis in repeated else at + offset for axis, (at, offset) in pairs]
    fault = part.start_fault(begin, sums, place.shape, repeated, buffer.shape)
    if fault is not None:
        text = f"axis {fault[0]} of the operand that they start from {fault[1]}"
        raise _wrong_start(part, buffer, scope, "start from a wrong tile", text)


def _repeated(buffer: GridBuffer) -> set[int]:
    """Return the axes along which a buffer, or one that it is a tile of, repeats one element."""
    own = set(buffer.tiles.tile.source.broadcast_axes) if buffer.tiles is not None else set[int]()
    return own | (_repeated(buffer.around) if buffer.around is not None else set())


def _wrong_start(part: Part, buffer: GridBuffer, scope: GridScope, what: str, right: str) -> Exception:
    message = f"the sums of '{part.op.name}' {what} in {buffer.name} of the grid"
    remedy = "start them from the operand's tile at the output's (starts, broadcast), and say so in hier.kernel"
    return scope.refuse("whole-kernel", part.op, message, buffer, found=right, remedy=remedy)


def goes_on(start: Held | None, buffer: GridBuffer) -> bool:
    """Return whether sums are initialised by a copy of the output's tile."""
    source = start.source if start is not None and isinstance(start.op, CopyOp) else None
    if source is None or source.tiles is None or buffer.tiles is None:
        return False
    return source.tiles.value is buffer.tiles.value and source.start == buffer.start
