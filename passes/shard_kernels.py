"""The pass `shard-kernels`: kernels become programs over the instances of a mesh, which keep their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of, reads_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.hier import ShiftOp
from ..ir import element_of, functions, shape_of
from .core.base import Pass
from .grids.writer import Writer
from .memory.views import VIEWS
from .sharding.placement import Mesh, Placement, accesses_of, mesh_of, needed, reshaped, root_of, split_loops
from .sharding.programs import Located, Program, in_shape

_PASSIVE = (*VIEWS, memref.AllocOp, memref.GetGlobalOp, arith.ConstantOp, ReturnOp)


class Sharder:
    """The values of a function that lie in the instances of a mesh, up to the present op."""

    def __init__(self, mesh: Mesh):
        self._mesh = mesh
        self._held: dict[SSAValue, Located] = {}
        """Buffer -> the sharded value that has its elements; others have them in the far level."""

    def visit(self, op: Operation) -> None:
        """Replace a kernel by a program; give the far level what any other op reads."""
        if isinstance(op, ReturnOp):
            for root in [root for root in self._held if root.owner is op.parent_block()]:
                self.give_back(root, op)
            return
        if isinstance(op, _PASSIVE):
            return
        kernel = kernel_of(op) if is_kernel(op) and not op.results else None
        accesses = accesses_of(op, kernel) if kernel is not None and not kernel.tables else None
        if kernel is None or accesses is None:
            for root in list(self._held):
                self.give_back(root, op)
            return
        self._shard(op, kernel, accesses)

    def give_back(self, root: SSAValue, before: Operation) -> None:
        """Insert the transfer of a value back to its buffer in the far level."""
        found = self._held.pop(root)
        outer = Writer(InsertPoint.before(before), before.location)
        far = in_shape(outer, root, found.shape)
        program = Program(outer, self._mesh, before.location)
        program.store(program.own(found, self._mesh.part(found.shape, found.placement)), far, found.placement)
        program.finish("gather")

    def _shard(self, op: Operation, kernel: Kernel, accesses: Sequence[Access]) -> None:
        held = [self._as_shaped(access.value) for access in accesses]
        inputs = len(accesses) - len(kernel.outputs)
        placements = [None if each is None else each.placement for each in held]
        loops = split_loops(kernel, accesses, [*placements[:inputs], *[None] * len(kernel.outputs)], self._mesh)
        wanted = [needed(access, loops, self._mesh) for access in accesses]
        read = [*range(inputs), *(n for n in range(inputs, len(accesses)) if accesses[n].value in reads_of(kernel))]
        sources = {n: self._source(accesses[n], held[n], wanted[n], op) for n in read}
        outer = Writer(InsertPoint.before(op), op.location)
        kept = {n: self._new(outer, accesses[n].value, wanted[n], op) for n in range(inputs, len(accesses))}
        program = Program(outer, self._mesh, op.location)
        local: list[SSAValue] = []
        for number, access in enumerate(accesses):
            shape = self._mesh.part(shape_of(access.value), wanted[number]) if is_shaped(access.value) else []
            if not is_shaped(access.value):
                local.append(access.value)
            elif number < inputs:
                local.append(self._taken(program, sources[number], access.value, wanted[number]))
            else:
                target = kept[number]
                own = program.empty(access.value, shape) if target is None else program.own(target, shape)
                if number in sources:
                    old = self._taken(program, sources[number], access.value, wanted[number])
                    program.move(old, own, program.offsets(shape, self._mesh.copies))
                local.append(own)
        made = op.clone()
        for number, value in enumerate(local):
            made.operands[number] = value
        program.body.effect(made)
        for number in range(inputs, len(accesses)):
            value, target = accesses[number].value, kept[number]
            if target is None:
                program.store(local[number], value, wanted[number])
            else:
                self._held[root_of(value)[0]] = target
        program.finish(op.name.rpartition(".")[2])
        Rewriter.erase_op(op)

    def _as_shaped(self, value: SSAValue) -> Located | None:
        """Return where a value lies in the instances, in its own shape; None for one of the far level."""
        root, is_whole = root_of(value)
        found = self._held.get(root)
        if found is None or not is_whole:
            return None
        placement = reshaped(found.placement, found.shape, shape_of(value), self._mesh)
        return None if placement is None else Located(found.buffer, tuple(shape_of(value)), placement)

    def _source(self, access: Access, held: Located | None, wanted: Placement, op: Operation) -> Located | None:
        """Return an operand in the instances, gathered along coordinates where it is wanted; None in the far level."""
        if held is None:
            root, _ = root_of(access.value)
            if root in self._held:
                self.give_back(root, op)
            return None
        for coordinate, (axis, want) in enumerate(zip(held.placement, wanted, strict=True)):
            if axis is not None and axis != want:
                held = self._gathered(held, coordinate, op)
        return held

    def _taken(self, program: Program, source: Located | None, value: SSAValue, wanted: Placement) -> SSAValue:
        """Return the instance's part of an operand."""
        if source is None:
            return program.load(value, wanted)
        own = program.own(source, self._mesh.part(source.shape, source.placement))
        rest = tuple(want if axis is None else None for axis, want in zip(source.placement, wanted, strict=True))
        return own if not any(each is not None for each in rest) else program.part(own, rest)

    def _new(self, outer: Writer, value: SSAValue, wanted: Placement, op: Operation) -> Located | None:
        """Return a new sharded value for a result; None for part of a buffer, which stays in the far level."""
        root, is_whole = root_of(value)
        if is_whole:
            kind = self._mesh.type_of(element_of(value), shape_of(value), wanted)
            return Located(outer.op(memref.AllocOp([], [], kind)), tuple(shape_of(value)), wanted)
        if root in self._held:
            self.give_back(root, op)
        return None

    def _gathered(self, value: Located, coordinate: int, op: Operation) -> Located:
        """Insert the ring along a coordinate in which each instance takes the parts of all others."""
        mesh, extent, axis = self._mesh, self._mesh.extents[coordinate], value.placement[coordinate]
        assert axis is not None
        outer = Writer(InsertPoint.before(op), op.location)
        placement = tuple(None if each == coordinate else old for each, old in enumerate(value.placement))
        kind = mesh.type_of(element_of(value.buffer), value.shape, placement)
        found = Located(outer.op(memref.AllocOp([], [], kind)), value.shape, placement)
        passed = Located(outer.op(memref.AllocOp([], [], value.buffer.type)), value.shape, value.placement)
        self._put(outer, value, found, coordinate, 0, op)
        outer.effect(_shift(value, passed, coordinate))
        if extent > 2:
            body = Block(arg_types=[IndexType()])
            inner = outer.at_end_of(body)
            self._put(inner, passed, found, coordinate, body.args[0], op)
            inner.effect(_shift(passed, passed, coordinate))
            inner.effect(scf.YieldOp())
            bounds = [outer.value(number) for number in (1, extent - 1, 1)]
            outer.effect(scf.ForOp(*bounds, [], Region(body)))
        self._put(outer, passed, found, coordinate, extent - 1, op)
        return found

    def _put(
        self, outer: Writer, part: Located, whole: Located, coordinate: int, steps: SSAValue | int, op: Operation
    ) -> None:
        """Insert a program that puts the part of the instance so many steps back to its place in the whole."""
        mesh, axis = self._mesh, part.placement[coordinate]
        assert axis is not None
        program = Program(outer, mesh, op.location)
        size, extent = part.shape[axis] // mesh.extents[coordinate], mesh.extents[coordinate]
        shape = mesh.part(part.shape, part.placement)
        offsets = program.offsets(shape, mesh.copies)
        own = program.block.args[coordinate]
        if isinstance(steps, int):
            behind = program.body.add(own, extent - steps)
        else:
            behind = program.body.op(arith.SubiOp(program.body.value(program.body.add(own, extent)), steps))
        number = program.body.remainder(behind, extent)
        offsets[axis] = program.body.value(program.body.multiply(number, size))
        target = program.own(whole, mesh.part(whole.shape, whole.placement))
        program.move(program.own(part, shape), target, offsets)
        program.finish("keep")


def _shift(source: Located, target: Located, coordinate: int) -> ShiftOp:
    """Build the step of parts to the next instance round the ring of a coordinate."""
    along: dict[str, Attribute] = {"along": IntAttr(coordinate), "by": IntAttr(1)}
    return ShiftOp.create(operands=[source.buffer, target.buffer], properties=along)


@dataclass(frozen=True)
class ShardKernelsPass(Pass):
    """
    Split kernels over the instances of a mesh, such as the nodes of memory banks; results stay in the instances.

    Run it on buffers, before lower-sharded. Each coordinate of the mesh takes a loop of a kernel: one along which an
    operand is split already, else the longest for the last coordinate and the innermost for those before it, if it
    divides into equal parts. What lies in other instances along a coordinate is passed round its ring
    (`hier.shift`); what lies in the far level is loaded part by part. Function arguments and what other ops read are
    given back to the far level.
    """

    name = "shard-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        mesh = mesh_of(machine_of(op))
        for function in functions(op):
            self._function(function, mesh)

    def _function(self, function: FuncOp, mesh: Mesh) -> None:
        sharder = Sharder(mesh)
        for each in list(function.body.block.ops) if function.body.blocks else []:
            sharder.visit(each)
