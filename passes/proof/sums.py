"""Proofs about partial sums: between two initialisations, all steps of a reduction are accumulated once."""

from __future__ import annotations

from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation

from .contents import Contents, Held
from .kernel import Mismatch, Part
from .neutral import number_of
from .parts import mismatched
from .rules import refuse
from .scope import Buffer, Guard, Place, Scope


def prove_period(
    op: Operation,
    buffer: Buffer,
    start: Held | None,
    guard: Guard,
    steps: frozenset[int],
    scope: Scope,
    contents: Contents,
) -> frozenset[int]:
    """
    Prove that each step of a reduction runs once between two initialisations of its accumulator.

    Returns those of the grid dimensions in `steps` that run around the start, which then must be a copy of sums.
    """
    if copies := steps & scope.spatial:
        raise refuse(
            "whole-kernel",
            f"'{op.name}' adds up over {scope.names(copies)} in {buffer.name} of the grid: each copy has its own sums",
            op,
            scope.at(buffer, scope.point(ones={min(copies)})),
            remedy="reduce over temporal dimensions, or let a kernel add up what the copies have written",
        )
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
    if contents.others(buffer, op, *([start.op] if start is not None else [])):
        raise _wrong_steps(op, buffer, scope.point(), "adds to sums that something else writes over", scope)
    return steps - within


def period(start: Held | None, guard: Guard, scope: Scope) -> frozenset[int]:
    """Return the dimensions between one initialisation and the next, for a guarded op."""
    first = start.guard.first - guard.first if start is not None else frozenset[int]()
    return first | scope.running(start.depth if start is not None else 0)


def _wrong_steps(op: Operation, buffer: Buffer, point: list[int], what: str, scope: Scope) -> Exception:
    return refuse(
        "whole-kernel",
        f"'{op.name}' {what} in {buffer.name} of the grid",
        op,
        scope.at(buffer, point),
        remedy="start the sums in hier.first over the dimensions that the reduction is cut along, the innermost ones",
    )


def started_anew(op: Operation, buffer: Buffer, steps: frozenset[int], scope: Scope) -> Exception:
    """Return the refusal of sums that begin again before all has been added."""
    point = scope.point(ones={min(steps)})
    return _wrong_steps(op, buffer, point, "adds to sums that begin anew at each step", scope)


def prove_start(part: Part, k: int, buffer: Buffer, start: Held | None, scope: Scope) -> None:
    """
    Prove that sums are initialised as in the whole kernel: by the same constant, or by a copy of the output's tile.
    """
    if start is None:
        return
    if start.sums is not None:
        what = f"adds to what '{start.sums.name}' has summed up"
        raise _wrong_steps(part.op, buffer, scope.point(), what, scope)
    wanted, found = number_of(part.initial), number_of(start.value)
    if wanted is not None and found is not None and wanted != found:
        raise refuse(
            "whole-kernel",
            f"the sums of '{part.op.name}' begin at {found} in {buffer.name} of the grid, not at {wanted}",
            start.op,
            scope.at(buffer, scope.point()),
        )
    source = start.source
    if source is None or source.tiles is None or buffer.tiles is None:
        return
    for axis, (a, b) in enumerate(zip(source.start, buffer.start, strict=True)):
        if a != b:
            raise mismatched(part, Mismatch(k, axis, b), source, Place(source.start, part.shapes[k]), scope)


def goes_on(start: Held | None, buffer: Buffer) -> bool:
    """Return whether sums are initialised by a copy of the output's tile."""
    source = start.source if start is not None and isinstance(start.op, CopyOp) else None
    if source is None or source.tiles is None or buffer.tiles is None:
        return False
    return source.tiles.value is buffer.tiles.value and source.start == buffer.start
