"""Contents of the buffers in a grid, symbolic over all grid points, in program order of the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from .scope import BufferOffset, GridBuffer, GridScope, Guard, at_first


@dataclass(frozen=True)
class Held:
    """
    Content of a buffer after its last write in program order.

    `place` is its offset in the whole result of the op, None if unknown. `offset` is the written part, None for all.
    Sums are partial while `open` dimensions are not at their ends. `value` is a constant fill, `source` the buffer of a
    copy.
    """

    op: Operation
    guard: Guard
    depth: int
    offset: tuple[Linear, ...] | None
    place: BufferOffset | None = None
    is_lost: bool = False
    """True if a kernel on tiles wrote it at an unknown offset."""
    sums: Operation | None = None
    open: frozenset[int] = frozenset()
    value: Attribute | None = None
    source: GridBuffer | None = None


class Contents:
    """The content of each buffer that has been written."""

    def __init__(self, writers: Mapping[SSAValue, set[Operation]]):
        self._held: dict[SSAValue, Held] = {}
        self._writers = writers
        self.given: set[SSAValue] = set()
        """Buffers of input tiles, with content from outside of all grids."""
        self.carried: set[SSAValue] = set()
        """Buffers outside of all grids that are read before they are written."""

    def last(self, buffer: GridBuffer) -> Held | None:
        """Return the last content of a buffer's memory."""
        return self._held.get(buffer.memory)

    def put(self, buffer: GridBuffer, content: Held | None) -> None:
        """Record the content of a buffer, None where only its presence is known."""
        if content is None:
            self._held.pop(buffer.memory, None)
        else:
            self._held[buffer.memory] = content

    def others(self, buffer: GridBuffer, *ops: Operation) -> list[Operation]:
        """Return the ops that write the memory of a buffer, except the given ones."""
        writers = list(self._writers.get(buffer.memory, ()))
        for excluded in ops:
            writers = [op for op in writers if not excluded.is_ancestor(op)]
        return writers

    def read(self, op: Operation, buffer: GridBuffer, guard: Guard, scope: GridScope) -> Held | None:
        """
        Return the content that an op reads from a buffer; None for content from outside of all grids.

        Raises Diagnostic for a possibly uninitialised read, and for partial sums.
        """
        content = self.written(op, buffer, guard, scope)
        if content is None:
            return None
        if content.sums is not None and not (content.open <= guard.last and guard.implies(content.guard)):
            raise _incomplete(op, buffer, content, guard, scope)
        missing = content.guard.first - guard.first
        if missing and content.place is None and self.others(buffer, content.op):
            return replace(content, is_lost=True)
        if not missing or content.place is None:
            return content
        return self._stale(op, buffer, content, missing, guard, scope)

    def written(self, op: Operation, buffer: GridBuffer, guard: Guard, scope: GridScope) -> Held | None:
        """Return the content of a buffer, proved to be written at all points at which a guarded op reads it."""
        content = self.last(buffer)
        if content is None:
            self._from_outside(op, buffer, scope)
            return None
        if content.offset is not None and content.offset != buffer.part:
            raise unwritten(op, buffer, scope, scope.point())
        if missing := content.guard.last - guard.last:
            raise unwritten(op, buffer, scope, scope.point(ends=guard.last - missing))
        lost = {d for d in content.guard.first - guard.first if d < buffer.kept or d in buffer.offset_dims}
        if lost:
            raise unwritten(op, buffer, scope, scope.point(ones={min(lost)}, ends=guard.last))
        return content

    def _from_outside(self, op: Operation, buffer: GridBuffer, scope: GridScope) -> None:
        if buffer.memory in self.given:
            return
        if buffer.memory is not buffer.root.value or buffer.root.number is not None:
            raise unwritten(op, buffer, scope, scope.point())
        self.carried.add(buffer.memory)

    def _stale(
        self, op: Operation, buffer: GridBuffer, content: Held, missing: frozenset[int], guard: Guard, scope: GridScope
    ) -> Held:
        """Return the stale content from an earlier grid point, the last at which those dimensions were 0."""
        place = content.place
        assert place is not None
        between = {d for d in scope.running(min(missing)) if d not in missing | guard.first | buffer.offset_dims}
        moved = {dim for form in place.start for dim in form.dims()} & between
        if moved or self.others(buffer, content.op):
            message = f"'{op.name}' reads {buffer.name} of the grid, which holds what another grid point needed"
            point = scope.point(ones={min(missing)}, ends=guard.last)
            writes = f"written only where {scope.names(missing)} is 0"
            raise scope.refuse("whole-kernel", op, message, buffer, point, found=writes)
        start = tuple(at_first(form, missing, scope.bounds) for form in place.start)
        return replace(content, place=BufferOffset(start, place.shape))


def unwritten(op: Operation, buffer: GridBuffer, scope: GridScope, point: list[int]) -> Exception:
    """Return the refusal of an op that reads what nothing has written."""
    name = f"{'the tile of ' if buffer.tiles else ''}{buffer.name} of the grid"
    return scope.refuse("initialised", op, f"'{op.name}' reads {name}, which holds nothing yet", buffer, point)


def _incomplete(op: Operation, buffer: GridBuffer, content: Held, guard: Guard, scope: GridScope) -> Exception:
    steps = scope.names(content.open - guard.last) or "the steps"
    message = f"'{op.name}' reads {buffer.name} of the grid before its sums are complete"
    pending, remedy = f"the end of {steps} is still to come", f"read it in hier.last over {steps}"
    point = scope.point(ends=guard.last)
    return scope.refuse("whole-kernel", op, message, buffer, point, found=pending, remedy=remedy)
