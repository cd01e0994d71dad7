"""The pass `shard-kernels`: kernels become programs over the instances of a mesh, which keep their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import AllGatherOp
from ..ir import element_of, functions, shape_of
from .core.base import Pass
from .core.on_buffers import refuse_tensors
from .grids.writer import Writer
from .memory.views import VIEWS
from .proof.calls import entry_functions
from .sharding.contents import BufferContents
from .sharding.placement import (
    InstanceMesh,
    Placement,
    accesses_of,
    begin_of,
    covers,
    keeps,
    mesh_of,
    needed,
    outputs_read,
    reshaped,
    root_of,
    shared_loads,
    split_loops,
    sub_array,
)
from .sharding.programs import Located, Program, in_shape
from .sharding.residents import Residents
from .sharding.spatial import SPATIAL, SUB_ARRAYS, spatial_loops, sub_arrays_of

_PASSIVE = (*VIEWS, memref.AllocOp, memref.GetGlobalOp, arith.ConstantOp)


class Sharder:
    """The values of a function that lie in the instances of a mesh, up to the present op."""

    def __init__(self, function: FuncOp, mesh: InstanceMesh, *, is_entry: bool = True, resident: bool = False):
        self._mesh = self._whole = mesh
        self._spatial = spatial_loops(function, mesh)
        self._contents = BufferContents(function) if is_entry else None
        self._held: dict[SSAValue, list[Located]] = {}
        """Buffer -> the sharded values that have its elements, the one as computed first; none: the far level."""
        self._last = _last_uses(function)
        self._residents = Residents(function, is_on=resident)

    def visit(self, op: Operation) -> None:
        """Replace a kernel by a program; before any other op, write its operands back to the far level."""
        if isinstance(op, ReturnOp):
            returned = {root_of(value)[0] for value in op.operands}
            for root in [root for root in self._held if root.owner is op.parent_block() or root in returned]:
                self._give_back(root, op)
            if self._contents is not None:
                self._contents.state_ends()
            return
        if isinstance(op, _PASSIVE):
            return
        if is_kernel(op):
            refuse_tensors(op)
        kernel = kernel_of(op) if is_kernel(op) else None
        is_shardable = kernel is not None and not kernel.tables and not _computed_numbers(op, kernel)
        accesses = accesses_of(op, kernel) if kernel is not None and is_shardable else None
        roots = {root_of(value)[0] for value in op.operands}
        if kernel is None or accesses is None:
            for root in list(self._held):
                self._give_back(root, op)
            if self._contents is not None:
                self._contents.state(op, AffineMap(0, 0, ()))
        else:
            self._enter(sub_arrays_of(op, self._whole), op)
            self._shard(op, kernel, accesses)
        for root in [root for root in roots if self._last.get(root) is op]:
            self._drop(root)

    def _enter(self, mesh: InstanceMesh, before: Operation) -> None:
        """Go on in these instances: give back the values of others."""
        if mesh == self._mesh:
            return
        for root in list(self._held):
            self._give_back(root, before)
        self._mesh = mesh

    def _give_back(self, root: SSAValue, before: Operation) -> None:
        """Insert the transfer of a value back to its buffer in the far level."""
        located = self._held[root][0]
        outer = Writer.before(before)
        far = in_shape(outer, root, located.shape)
        program = Program(outer, self._mesh, before.location)
        program.store(program.own(located, self._mesh.part(located.shape, located.placement)), far, located.placement)
        program.finish("gather")
        self._drop(root)

    def _drop(self, root: SSAValue) -> None:
        """Forget the shards of a dead value."""
        self._held.pop(root, None)

    def _new(self, outer: Writer, element: Attribute, shape: Sequence[int], placement: Placement) -> Located:
        """Return a new sharded value."""
        buffer = outer.op(memref.AllocOp([], [], self._mesh.type_of(element, shape, placement)))
        return Located(buffer, tuple(shape), placement)

    def _shard(self, op: Operation, kernel: Kernel, accesses: Sequence[Access]) -> None:
        mesh, inputs = self._mesh, len(accesses) - len(kernel.outputs)
        placements = [next((at for _, at in self._located(access.value)), None) for access in accesses[:inputs]]
        loops = split_loops(kernel, accesses, placements, mesh, self._spatial.get(op))
        wanted = [needed(access, loops, mesh) for access in accesses]
        kept_in = [n for n in range(inputs, len(accesses)) if not covers(accesses[n], kernel)]
        read = [*range(inputs), *(inputs + n for n, is_read in enumerate(outputs_read(op, kernel)) if is_read)]
        read += [n for n in kept_in if n not in read]
        sources = {n: self._source(accesses[n].value, wanted[n], op) for n in read if is_shaped(accesses[n].value)}
        outer = Writer.before(op)
        kept = {n: self._target(outer, accesses[n].value, wanted[n], op) for n in range(inputs, len(accesses))}
        program = Program(outer, mesh, op.location)
        local = [access.value for access in accesses]
        for number, value in enumerate(local):
            if number < inputs and number in sources:
                local[number] = self._taken(program, sources[number], value, wanted[number])
            if number >= inputs:
                local[number] = self._result(program, kept[number], value, wanted[number])
            if number >= inputs and number in sources:
                old = self._taken(program, sources[number], value, wanted[number])
                program.move(old, local[number], program.offsets(shape_of(old), mesh.copies))
        clone = op.clone()
        for name in (SUB_ARRAYS, SPATIAL):
            clone.attributes.pop(name, None)
        if self._contents is not None:
            self._contents.state(op, begin_of(kernel, loops, mesh), clone)
        for number, value in enumerate(local):
            clone.operands[number] = value
        program.body.insert(clone)
        for number, target in kept.items():
            if target is None:
                program.store(local[number], accesses[number].value, wanted[number])
                continue
            root, _ = root_of(accesses[number].value)
            self._drop(root)
            self._held[root] = [target]
        program.finish(op.name.rpartition(".")[2])
        Rewriter.erase_op(op)

    def _located(self, value: SSAValue) -> list[tuple[Located, Placement]]:
        """Return the sharded values of a value, with their placements in its shape; none for one of the far level."""
        root, is_whole = root_of(value)
        if not is_whole or not is_shaped(value):
            return []
        sharded = self._held.get(root, ())
        shape = shape_of(value)
        candidates = [(one, reshaped(one.placement, one.shape, shape, self._mesh)) for one in sharded]
        return [(located, placement) for located, placement in candidates if placement is not None]

    def _source(self, value: SSAValue, wanted: Placement, op: Operation) -> Located | None:
        """Return an operand in the instances, gathered along coordinates where it is wanted; None in the far level."""
        root, _ = root_of(value)
        candidates = self._located(value) or self._reshaped(value, op)
        if not candidates:
            if root in self._held:
                self._give_back(root, op)
            return self._shared(value, wanted, op)
        located, placement = min(candidates, key=lambda candidate: len(self._moved(candidate[1], wanted)))
        for coordinate in self._moved(placement, wanted):
            located = self._gathered(located, coordinate, op)
            self._held[root].append(located)
        both = zip(placement, keeps(placement, wanted), strict=True)
        gathered = tuple(axis if is_kept else None for axis, is_kept in both)
        return Located(located.buffer, tuple(shape_of(value)), gathered)

    def _reshaped(self, value: SSAValue, op: Operation) -> list[tuple[Located, Placement]]:
        """Gather a value whose parts are no boxes in the shape of a view of it; return those that are then located."""
        root, is_whole = root_of(value)
        for located in self._held.get(root, ()) if is_whole else ():
            split = [number for number, axis in enumerate(located.placement) if axis is not None]
            for gathered in (left for count in range(1, len(split)) for left in combinations(reversed(split), count)):
                rest = tuple(None if number in gathered else axis for number, axis in enumerate(located.placement))
                is_box = reshaped(rest, located.shape, shape_of(value), self._mesh) is not None
                if not is_box or not self._mesh.gathers_faster(gathered):
                    continue
                boxed = located
                for coordinate in self._moved(located.placement, rest):
                    boxed = self._gathered(boxed, coordinate, op)
                self._held[root].append(boxed)
                return self._located(value)
        return []

    def _shared(self, value: SSAValue, wanted: Placement, op: Operation) -> Located | None:
        """Return a value of the far level, resident or loaded once and passed round rings; None: loaded as wanted."""
        split = shared_loads(shape_of(value), wanted, self._mesh)
        if kept := self._residents.get(value, wanted, self._mesh, lambda far, at: self._loaded(far, wanted, split, at)):
            return kept
        return None if split == wanted else self._loaded(value, wanted, split, op)

    def _loaded(self, value: SSAValue, wanted: Placement, split: Placement, op: Operation) -> Located:
        """Insert the load of a value of the far level, and the rings that pass on its parts."""
        outer = Writer.before(op)
        located = self._new(outer, element_of(value), shape_of(value), split)
        program = Program(outer, self._mesh, op.location)
        shape = self._mesh.part(shape_of(value), split)
        program.fetch(value, program.own(located, shape), split)
        program.finish("load")
        for coordinate in self._moved(split, wanted):
            located = self._gathered(located, coordinate, op)
        return located

    def _taken(self, program: Program, source: Located | None, value: SSAValue, wanted: Placement) -> SSAValue:
        """Return the instance's part of an operand."""
        if source is None:
            return program.load(value, wanted)
        own = program.own(source, self._mesh.part(source.shape, source.placement))
        rest = tuple(want if axis is None else None for axis, want in zip(source.placement, wanted, strict=True))
        return own if not any(axis is not None for axis in rest) else program.part(own, rest)

    def _target(self, outer: Writer, value: SSAValue, wanted: Placement, op: Operation) -> Located | None:
        """Return a new sharded value for a result; None for part of a buffer, which stays in the far level."""
        root, is_whole = root_of(value)
        if is_whole:
            return self._new(outer, element_of(value), shape_of(value), wanted)
        if root in self._held:
            self._give_back(root, op)
        return None

    def _result(self, program: Program, target: Located | None, value: SSAValue, wanted: Placement) -> SSAValue:
        """Return the instance's part of a result."""
        shape = self._mesh.part(shape_of(value), wanted)
        return program.empty(value, shape) if target is None else program.own(target, shape)

    def _moved(self, placement: Placement, wanted: Placement) -> list[int]:
        """
        Return the coordinates along which parts lie in other instances than where they are wanted.

        Of those that split one axis the last comes first, so that parts are gathered to larger parts.
        """
        axes = zip(placement, keeps(placement, wanted), self._mesh.extents, strict=True)
        moved = [n for n, (axis, is_kept, extent) in enumerate(axes) if axis is not None and not is_kept and extent > 1]
        return sorted(moved, key=lambda number: (placement.index(placement[number]), -number))

    def _gathered(self, value: Located, coordinate: int, op: Operation) -> Located:
        """Insert the gathering of the parts of all instances along a coordinate."""
        (dim, stride), extent = self._mesh.strides[coordinate], self._mesh.extents[coordinate]
        outer = Writer.before(op)
        placement = tuple(None if number == coordinate else old for number, old in enumerate(value.placement))
        target = self._new(outer, element_of(value.buffer), value.shape, placement)
        axis = value.placement[coordinate]
        assert axis is not None
        properties: dict[str, Attribute] = {"along": IntAttr(dim), "axis": IntAttr(value.placement.count(None) + axis)}
        if stride > 1:
            properties["by"] = IntAttr(stride)
        if stride * extent < self._mesh.instances[dim]:
            properties["within"] = IntAttr(stride * extent)
        outer.insert(AllGatherOp.create(operands=[value.buffer, target.buffer], properties=properties))
        return target


def _computed_numbers(op: Operation, kernel: Kernel) -> list[SSAValue]:
    """Return the numbers that a kernel uses and others compute: programs take buffers, indices and constants alone."""
    used = [value for value in (*kernel.captures, *op.operands) if not is_shaped(value)]
    return [value for value in used if value.type != IndexType() and not isinstance(value.owner, arith.ConstantOp)]


def _last_uses(function: FuncOp) -> dict[SSAValue, Operation]:
    """Return the last op of a function's body that accesses a buffer, by buffer; none for arguments."""
    last_uses: dict[SSAValue, Operation] = {}
    for op in function.body.block.ops:
        if not isinstance(op, _PASSIVE):
            operands = [value for inner in nested_ops(op) for value in inner.operands]
            last_uses |= {root_of(value)[0]: op for value in operands if is_shaped(value)}
    return {root: op for root, op in last_uses.items() if isinstance(root.owner, Operation)}


@dataclass(frozen=True)
class ShardKernelsPass(Pass):
    """
    Split kernels over the instances of a mesh, such as the nodes of memory banks; results stay in the instances.

    Run it on buffers, before lower-sharded. Each coordinate of the mesh takes a loop of a kernel: one along which an
    operand is split already, else the longest for the last coordinate and the innermost for those before it, if it
    divides into equal parts. What lies in other instances along a coordinate is gathered round its ring
    (`hier.all_gather`); what lies in the far level is loaded part by part. Function arguments and what other ops read
    are given back to the far level.

    A kernel may state its mapping: `hier.sub_arrays` splits the coordinates of the mesh, into sub-arrays and the
    instances of each, and `hier.spatial` names the loop along each coordinate. What makes its operands is split as they
    are needed. Where the next kernel has other sub-arrays, values are given back to the far level.

    `over` are the instances to use along each coordinate, from the first on, such as a [head split, patch split] of
    attention; all by default. Raises Diagnostic where the machine has fewer.

    With `resident`, constants are loaded in the first call alone (`hier.resident`); allocate-sharded gives back those
    that do not fit.
    """

    name = "shard-kernels"
    places_operands = True

    over: tuple[int, ...] = ()
    resident: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        mesh = sub_array(mesh_of(machine_of(op)), self.over)
        entries = entry_functions(op)
        for function in functions(op):
            self._function(function, mesh, is_entry=function in entries)

    def _function(self, function: FuncOp, mesh: InstanceMesh, *, is_entry: bool) -> None:
        sharder = Sharder(function, mesh, is_entry=is_entry, resident=self.resident)
        for op in list(function.body.block.ops) if function.body.blocks else []:
            sharder.visit(op)
