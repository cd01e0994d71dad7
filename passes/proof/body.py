"""Proofs about the body of a grid, and about single kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.memref import CopyOp, SubviewOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from ...dialects.core.kernel import Access, Kernel, is_among, is_kernel, is_shaped, kernel_of, reads_of, used_inputs
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import FirstOp, GridOp, LastOp
from ...ir import shape_of
from ..loops.affine import axes_of
from ..memory.views import VIEWS
from .clobbers import clobber_of
from .contents import Contents, Held
from .grid import prove_in_place
from .kernel import Part, accesses_of, output_start, part_of
from .parts import prove_part
from .rules import listed, name_of, refuse
from .scope import BufferOffset, GridBuffer, GridScope, Guard
from .sets import leaving
from .steps import prove_steps
from .sums import goes_on, period, prove_period, prove_start, started_anew


def prove_kernel(op: Operation, kernel: Kernel, part: Part | None) -> None:
    """
    Prove that a kernel accesses its operands in bounds, or where a fill is declared.

    A kernel on tiles must be in bounds along tiled axes: its own padding need not be outside of the whole operand.
    Along a loop without iterations nothing is accessed.
    """
    for number, access in enumerate(accesses_of(kernel)):
        if access.fill is not None and part is None:
            continue
        if any(kernel.bounds[dim] == 0 for dim in access.map.used_dims()):
            continue
        for axis, index in enumerate(axes_of(access, kernel.bounds)):
            low, high = index.index.interval(kernel.bounds)
            if part is not None and part.pads(number, axis):
                continue
            if low < 0 or high >= index.extent:
                raise _outside(op, kernel, access, axis, index.index, index.extent)


def _outside(op: Operation, kernel: Kernel, access: Access, axis: int, index: Linear, extent: int) -> Exception:
    point = leaving(index, 1, extent, kernel.bounds) or [0] * len(kernel.bounds)
    element = access.map.eval(point, [])
    return refuse(
        "inside",
        f"'{op.name}' leaves {name_of(op, list(op.operands).index(access.value))} along axis {axis}",
        op,
        [f"loop point {listed(point)}", f"element {listed(element)} of the shape {listed(shape_of(access.value))}"],
    )


def prove_body(grid: GridOp) -> frozenset[int]:
    """
    Prove a grid's body, nested grids included: accesses in bounds, initialised reads, correct tiles, complete
    reductions.

    Returns the operands that it reads besides the inputs: outputs in place that it accumulates into.
    """
    body = _Body(grid)
    body.run()
    return frozenset(
        index
        for index, value in enumerate(grid.operands)
        if index >= len(grid.inputs) and value in body.contents.carried
    )


class _Body:
    """Walk of the ops of a grid and its nested grids."""

    def __init__(self, grid: GridOp):
        self._top = GridScope(grid, None, Guard())
        self._scopes: dict[GridOp, GridScope] = {grid: self._top}
        self._owed: dict[SSAValue, frozenset[int]] = {}
        writers: dict[SSAValue, set[Operation]] = {}
        for op, value, scope in self._writes(grid.body.block, self._top, Guard()):
            if value in scope.buffers:
                writers.setdefault(scope.buffers[value].memory, set()).add(op)
        self.contents = Contents(writers)

    def _writes(self, block: Block, scope: GridScope, guard: Guard) -> Iterator[tuple[Operation, SSAValue, GridScope]]:
        """Yield the writes of each op; the scopes of nested grids are made on the way."""
        for op in block.ops:
            if isinstance(op, FirstOp | LastOp):
                yield from self._writes(op.body.block, scope, scope.within(op, guard))
            elif isinstance(op, GridOp):
                inner = self._scopes[op] = GridScope(op, scope, guard)
                yield from self._writes(op.body.block, inner, guard)
                yield from ((op, value, scope) for value in _written_back(op))
            elif isinstance(op, SubviewOp):
                scope.buffers[op.result] = scope.view(op)
            else:
                yield from ((op, value, scope) for value in _outputs_of(op))

    def run(self) -> None:
        """Prove the outermost grid."""
        self._enter(self._top)

    # Grids

    def _enter(self, scope: GridScope) -> None:
        grid = scope.grid
        for tiles, value in zip(grid.tiles, grid.buffers, strict=True):
            buffer = scope.buffers[value]
            if tiles.own_buffer is not None and not buffer.is_output:
                self._bring(scope, buffer)
            elif tiles.started_output is not None:
                self._bring(scope, buffer)
                self._start(scope, buffer, scope.buffers[grid.buffers[len(grid.inputs) + tiles.started_output]])
        self._block(grid.body.block, scope, scope.guard)
        for value in grid.buffers[len(grid.inputs) :]:
            self._leave(scope, scope.buffers[value])

    def _bring(self, scope: GridScope, buffer: GridBuffer) -> None:
        """Record the content of an input's tiles: that of the operand when the grid begins."""
        around, outer = buffer.around, scope.outer
        assert around is not None
        content = None
        if outer is not None:
            is_written = any(self._memory(scope, value) is around.memory for value in scope.grid.outputs)
            read = self.contents.written if is_written else self.contents.read
            content = read(scope.grid, around, scope.guard, outer)
            if content is not None and is_written and (content.sums or content.guard.first - scope.guard.first):
                content = replace(content, place=None, is_lost=True)
        if content is None:
            self.contents.given.add(buffer.memory)
            self.contents.put(buffer, None)
            return
        is_known = content.place is not None and not buffer.by_data
        place = (
            content.place.moved(_sum(around.offset, buffer.start)) if content.place is not None and is_known else None
        )
        is_lost = content.is_lost or buffer.by_data
        is_mapped = scope.grid.body_of(scope.grid.buffers.index(buffer.value)) is not None
        value = content.value if not is_mapped else None
        left = Held(content.op, scope.guard, scope.depth, None, place, is_lost, value=value)
        self.contents.put(buffer, left)

    def _start(self, scope: GridScope, source: GridBuffer, target: GridBuffer) -> None:
        """Record the content of an output's tiles that an input starts, at the first point of each."""
        guard = Guard(scope.guard.first | scope.running(target.kept), scope.guard.last)
        content = self.contents.last(source)
        left = Held(scope.grid, guard, scope.depth, None, source=source)
        self.contents.put(
            target, left if content is None else replace(left, value=content.value, is_lost=content.is_lost)
        )

    def _memory(self, scope: GridScope, value: SSAValue) -> SSAValue:
        return scope.operand(value).memory

    def _grid(self, op: GridOp, scope: GridScope) -> None:
        inner = self._scopes[op]
        for read, source in enumerate(op.inputs):
            for number, target in enumerate(op.outputs, start=len(op.inputs)):
                if self._memory(inner, source) is self._memory(inner, target):
                    self._in_place(op, inner, read, number)
        self._enter(inner)

    def _in_place(self, op: GridOp, scope: GridScope, read: int, written: int) -> None:
        a, b = scope.operand(op.operands[read]), scope.operand(op.operands[written])
        if a.offset != b.offset or a.shape != b.shape:
            message = f"operand {read} and operand {written} of the grid are parts of one buffer"
            raise scope.refuse("disjoint", op, message, a)
        prove_in_place(op, read, written)

    def _leave(self, scope: GridScope, buffer: GridBuffer) -> None:
        """Prove that each tile of an output has been written, and record the content of the operand."""
        content, around = self.contents.last(buffer), buffer.around
        assert around is not None
        if content is None or not scope.grid.is_ancestor(content.op):
            raise self._not_written(scope, buffer, scope.point())
        asked = Guard(content.guard.first - scope.guard.first, content.guard.last - scope.guard.last)
        wrong = {d for d in asked.dims if d in buffer.offset_dims or (d < buffer.kept and not buffer.is_view)}
        if wrong:
            raise self._not_written(scope, buffer, scope.point(wrong & asked.first, scope.guard.last))
        if scope.outer is None:
            return
        place = self._left(scope, buffer, content)
        is_lost = content.is_lost or (content.place is not None and place is None)
        still = frozenset(dim for dim in content.open if dim < scope.base)
        if still and scope.grid.body_of(scope.grid.buffers.index(buffer.value)) is not None:
            message = f"the body of {buffer.name} of the grid maps sums before they are complete"
            pending = f"the end of {scope.names(still)} is still to come"
            remedy = "map them where they leave the grid over which they are summed"
            raise scope.refuse("whole-kernel", scope.grid, message, buffer, found=pending, remedy=remedy)
        sums = content.sums if still else None
        guard = content.guard.below(scope.base)
        left = Held(scope.grid, guard, scope.base, around.part, place, is_lost, sums, still)
        if owed := self._owed.pop(buffer.memory, None):
            self._prove_added(scope, around, owed)
        self.contents.put(around, left)

    def _left(self, scope: GridScope, buffer: GridBuffer, content: Held) -> BufferOffset | None:
        """Return the offset of an output operand's memory in the whole result of the op that wrote its tiles."""
        assert buffer.around is not None
        if content.place is None:
            return None
        start = content.place.start
        if not buffer.is_view:
            start = _sum(start, _negated(_sum(buffer.start, buffer.around.offset)))
        if any(dim >= scope.base for form in start for dim in form.dims()):
            return None
        return BufferOffset(start, content.place.shape)

    def _prove_added(self, scope: GridScope, around: GridBuffer, owed: frozenset[int]) -> None:
        """Prove that a grid which adds to sums of the grid around it does so for all steps there."""
        assert scope.outer is not None
        start = self.contents.written(scope.grid, around, scope.guard, scope.outer)
        self._owe(scope.grid, around, start, scope.guard, owed, scope.outer)

    def _owe(
        self,
        op: Operation,
        buffer: GridBuffer,
        start: Held | None,
        guard: Guard,
        steps: frozenset[int],
        scope: GridScope,
    ) -> None:
        """Prove that an op adds to sums once per step; steps around their start are left to the grid around."""
        rest = prove_period(op, buffer, start, guard, steps, scope, self.contents)
        if rest and not goes_on(start, buffer):
            raise started_anew(op, buffer, rest, scope)
        if rest:
            self._owed[buffer.memory] = rest

    def _not_written(self, scope: GridScope, buffer: GridBuffer, point: Sequence[int]) -> Exception:
        message = f"the body does not write {buffer.name} of the grid"
        return scope.refuse("complete", scope.grid, message, buffer, point)

    # Ops

    def _block(self, block: Block, scope: GridScope, guard: Guard) -> None:
        for op in block.ops:
            if isinstance(op, FirstOp | LastOp):
                self._block(op.body.block, scope, scope.within(op, guard))
            elif isinstance(op, GridOp):
                self._grid(op, scope)
            elif isinstance(op, CopyOp):
                self._copy(op, scope, guard)
            elif is_kernel(op):
                self._kernel(op, scope, guard)
            elif not isinstance(op, SubviewOp):
                for value in _outputs_of(op):
                    self._write(op, value, scope, guard)

    def _write(self, op: Operation, value: SSAValue, scope: GridScope, guard: Guard, left: Held | None = None) -> None:
        self._prove_own(op, value, scope)
        if buffer := scope.buffers.get(value):
            if buffer.is_part:
                remedy = "give the grid tiles of that part"
                raise scope.refuse(
                    "complete", op, f"'{op.name}' writes a part of {buffer.name} of the grid", buffer, remedy=remedy
                )
            left = left or Held(op, guard, scope.depth, None)
            self.contents.put(buffer, replace(left, op=op, guard=guard, depth=scope.depth, offset=buffer.part))

    def _prove_own(self, op: Operation, value: SSAValue, scope: GridScope) -> None:
        """Prove that an op writes shared buffers of a spatially mapped grid only through tiles."""
        around: GridScope | None = scope
        while around is not None and not around.grid.is_ancestor(value.owner):
            if around.grid.copies > 1 and is_shaped(value):
                name = f"%{value.name_hint}" if value.name_hint else "a buffer"
                point = scope.text(scope.point(ones=around.spatial & scope.running(around.base)))
                message = f"'{op.name}' writes {name} from outside of the grid on each of {around.grid.copies} copies"
                raise refuse("race", message, op, [point], remedy="make it an output of the grid")
            around = around.outer

    def _copy(self, op: CopyOp, scope: GridScope, guard: Guard) -> None:
        source, target = scope.buffers.get(op.source), scope.buffers.get(op.destination)
        if source is not None and source.is_part:
            remedy = "give the grid tiles of that part"
            raise scope.refuse(
                "whole-kernel", op, f"'{op.name}' copies a part of {source.name} of the grid", source, remedy=remedy
            )
        content = self.contents.read(op, source, guard, scope) if source is not None else None
        left = Held(op, guard, scope.depth, None, source=source)
        if content is not None:
            left = replace(left, is_lost=content.is_lost, value=content.value)
        if content is not None and content.place is not None and source is not None and target is not None:
            left = replace(left, place=content.place.moved(source.offset).moved(_negated(target.offset)))
        self._write(op, op.destination, scope, guard, left)

    def _prove_known(self, op: Operation, kernel: Kernel, scope: GridScope) -> None:
        """Prove that the grid point alone chooses the tiles of a kernel, whose maps say which it needs."""
        for value in (access.value for access in accesses_of(kernel)):
            buffer = scope.buffers.get(value)
            if buffer is None and isinstance(value.owner, VIEWS) and self._top.grid.is_ancestor(value.owner):
                message, at = f"nothing tells what {name_of(op, list(op.operands).index(value))} holds", scope.point()
                remedy = "use tiles of the grid, scratch, or subviews of these"
                raise refuse("whole-kernel", message, op, [scope.text(at)], remedy=remedy)
            if buffer is not None and buffer.by_data:
                message = f"a table chooses {buffer.name} of the grid, the whole kernel of '{op.name}' another tile"
                raise scope.refuse("whole-kernel", op, message, buffer)

    def _kernel(self, op: Operation, scope: GridScope, guard: Guard) -> None:
        kernel = kernel_of(op)
        part = part_of(op, kernel)
        prove_kernel(op, kernel, part)
        if part is not None:
            self._prove_known(op, kernel, scope)
        self._prove_disjoint(op, kernel, scope)
        outputs = {access.value for access in kernel.outputs}
        reads = [value for value in dict.fromkeys(reads_of(kernel)) if value in scope.buffers]
        sums = outputs if part is not None and part.accumulates else set[SSAValue]()
        contents = {
            value: self.contents.read(op, scope.buffers[value], guard, scope) for value in reads if value not in sums
        }
        if part is None:
            for value in outputs:
                self._write(op, value, scope, guard, Held(op, guard, scope.depth, None, value=constant_of(op)))
            return
        values = (access.value for access in part.accesses)
        buffers = {k: scope.buffers[value] for k, value in enumerate(values) if value in scope.buffers}
        first = len(part.accesses) - len(kernel.outputs)
        read = {k: contents[b.value] for k, b in buffers.items() if k < first and b.value in contents}
        described = {k: b for k, b in buffers.items() if k >= first or k in read}
        x = prove_part(part, described, read, scope, self._period(part, described, scope, guard))
        steps = prove_steps(part, x, described, scope)
        for k in range(first, len(part.accesses)):
            if k in described:
                self._made(part, k, described[k], x, steps, scope, guard)

    def _period(self, part: Part, buffers: Mapping[int, GridBuffer], scope: GridScope, guard: Guard) -> frozenset[int]:
        """Return the dimensions that run while a kernel on tiles adds to the same sums."""
        buffer = buffers.get(len(part.accesses) - 1)
        if buffer is None or not part.accumulates:
            return frozenset()
        begun = self.contents.written(part.op, buffer, guard, scope)
        return period(begun, guard, scope) - buffer.offset_dims

    def _made(
        self,
        part: Part,
        k: int,
        buffer: GridBuffer,
        x: dict[int, Linear],
        steps: frozenset[int],
        scope: GridScope,
        guard: Guard,
    ) -> None:
        """Record the content that a kernel on tiles leaves in an output; prove that partial sums are accumulated."""
        start = output_start(part, k, x, Linear())
        place = BufferOffset(_sum(start, _negated(buffer.offset)), part.shapes[k]) if start is not None else None
        left = Held(part.op, guard, scope.depth, None, place, is_lost=place is None)
        if part.accumulates:
            begun = self.contents.written(part.op, buffer, guard, scope)
            prove_start(part, buffer, begun, scope, start)
            self._owe(part.op, buffer, begun, guard, steps, scope)
            left = replace(left, sums=part.op, open=steps)
        self._write(part.op, buffer.value, scope, guard, left)

    def _prove_disjoint(self, op: Operation, kernel: Kernel, scope: GridScope) -> None:
        """Prove that a kernel does not clobber inputs that it still has to read, nor one output by another."""
        reads = [access.value for access in used_inputs(kernel) if not is_among(access, kernel.outputs)]
        values = [*reads, *kernel.tables]
        for number, write in enumerate(kernel.outputs):
            for value in (value for value in dict.fromkeys(values) if is_shaped(value)):
                self._prove_elementwise(op, kernel, value, write, scope)
            for other in kernel.outputs[:number]:
                self._prove_elementwise(op, kernel, other.value, write, scope, in_place=False)

    def _prove_elementwise(
        self, op: Operation, kernel: Kernel, value: SSAValue, write: Access, scope: GridScope, *, in_place: bool = True
    ) -> None:
        """Prove that an operand is in another buffer than an output, or `in_place`: that its update is elementwise."""
        a, b = scope.buffers.get(value), scope.buffers.get(write.value)
        if a is None or b is None or a.memory is not b.memory:
            return
        message = f"'{op.name}' writes {b.name} over {a.name}, which it still needs"
        if not in_place or a.offset != b.offset or a.shape != b.shape:
            raise scope.refuse("disjoint", op, message, b)
        if (clobber := clobber_of(kernel, value, write)) is not None:
            raise scope.refuse("disjoint", op, message, b, found=clobber.text)


def _sum(a: Sequence[Linear], b: Sequence[Linear]) -> tuple[Linear, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _negated(forms: Sequence[Linear]) -> tuple[Linear, ...]:
    return tuple(form * -1 for form in forms)


def _written_back(grid: GridOp) -> list[SSAValue]:
    """Return the outputs of a grid whose tiles are not views: those of views are written by the ops in it."""
    tiles = list(grid.tiles)[len(grid.inputs) :]
    return [value for tile, value in zip(tiles, grid.outputs, strict=True) if tile.level_name is not None]


def _outputs_of(op: Operation) -> list[SSAValue]:
    """Return the buffers that an op may write."""
    if isinstance(op, CopyOp):
        return [op.destination]
    if is_kernel(op):
        return [access.value for access in kernel_of(op).outputs]
    return list({value: None for inner in nested_ops(op) for value in inner.operands})


def constant_of(op: Operation) -> Attribute | None:
    """Return the number that a fill writes, None for other ops."""
    owner = op.operands[0].owner if isinstance(op, linalg.FillOp) else None
    return owner.value if isinstance(owner, arith.ConstantOp) else None
