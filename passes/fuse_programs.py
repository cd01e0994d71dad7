"""
Fusion of replicated programs that run one after the other, into one without a barrier between them.

    hier.concurrent { hier.program "node" on "array" over (%p) in [4] { a } }
    hier.concurrent { hier.program "shift" on "array" over (%p) in [4] { b } }

becomes

    hier.concurrent { hier.program "node" on "array" over (%p) in [4] { a b } }

An instance computes on its own shards alone, so that its steps are in the order of the two programs; streams order the
rest. A loop around such a program becomes a loop in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.effects import is_pure, root_of
from ..dialects.core.kernel import is_kernel, is_shaped
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import ConcurrentOp, DmaStartOp, ProgramOp, StreamOp
from ..dialects.hier.sharded import is_sharded
from ..ir import functions
from .core.base import Pass
from .grids.writer import Writer


def fuse_programs(root: Operation) -> None:
    """Fuse the replicated programs of each block in an op, innermost blocks first."""
    for op in reversed(nested_ops(root)):
        for region in op.regions:
            for block in region.blocks:
                _fuse_block(block)


def _fuse_block(block: Block) -> None:
    """Move loops around replicated programs into them, and fuse programs one after the other."""
    for op in list(block.ops):
        if isinstance(op, scf.ForOp):
            _sink_loop(op)
    previous: ConcurrentOp | None = None
    between: list[Operation] = []
    for op in list(block.ops):
        if isinstance(op, ConcurrentOp) and _replicated(op) is not None:
            if previous is not None and _can_follow(previous, op):
                _fuse(previous, op, between)
                continue
            previous, between = op, []
        elif _is_movable(op):
            between.append(op)
        else:
            previous, between = None, []


def _replicated(op: ConcurrentOp) -> ProgramOp | None:
    """Return the program of an op that has one, over the instances of an engine; None for others."""
    programs = op.programs
    return programs[0] if len(programs) == 1 and programs[0].extents else None


def _is_movable(op: Operation) -> bool:
    """Return whether an op may be moved before a program that does not use its results."""
    is_shards = isinstance(op, memref.AllocaOp) and is_sharded(op.memref.type)
    return is_shards or isinstance(op, StreamOp) or (is_pure(op) and not op.regions)


def _can_follow(first: ConcurrentOp, second: ConcurrentOp) -> bool:
    """Return whether one of two programs has all instances of the other, and they share no buffer that one writes."""
    a, b = _replicated(first), _replicated(second)
    if a is None or b is None or a.engine != b.engine or not (_contains(a, b) or _contains(b, a)):
        return False
    shared = _shared(a) & _shared(b)
    return not shared & (_written(a) | _written(b))


def _contains(outer: ProgramOp, inner: ProgramOp) -> bool:
    """Return whether a program is over all instances of another one."""
    if len(outer.extents) != len(inner.extents):
        return False
    ranges = zip(outer.first, outer.extents, inner.first, inner.extents, strict=True)
    return all(low <= first and first + m <= low + n for low, n, first, m in ranges)


def _uses(program: ProgramOp) -> Iterator[tuple[SSAValue, Operation]]:
    """Yield the buffers from outside of a program that all instances reach, each with an op that uses it."""
    inside = set(nested_ops(program))
    for op in inside:
        for value in op.operands:
            owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
            if is_shaped(value) and owner not in inside and not is_sharded(value.type):
                yield value, op


def _shared(program: ProgramOp) -> set[SSAValue]:
    return {root_of(value) for value, _ in _uses(program)}


def _written(program: ProgramOp) -> set[SSAValue]:
    """Return the buffers that all instances reach and that an op may write: any but a transfer from there."""
    buffers: set[SSAValue] = set()
    for value, op in _uses(program):
        if not (isinstance(op, DmaStartOp) and op.source == value and op.target != value):
            buffers.add(root_of(value))
    return buffers


def _fuse(first: ConcurrentOp, second: ConcurrentOp, between: Sequence[Operation]) -> None:
    """Append the program of an op to that of another one before it."""
    a, b = first.programs[0], second.programs[0]
    for op in between:
        if op.parent is first.parent:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(first))
    if not _computes(a) and _computes(b):
        a.title = b.title
    for own, other in zip(a.coordinates, b.coordinates, strict=True):
        other.replace_all_uses_with(own)
    parts = [(_range_of(program), _detached(program)) for program in (a, b)]
    if not _contains(a, b):
        a.over, a.start = b.over, b.start
    for range, ops in parts:
        _append(a, range, ops)
    Rewriter.erase_op(second)


def _range_of(program: ProgramOp) -> list[tuple[int, int]]:
    """Return the first coordinate and the number of instances, along each coordinate."""
    return list(zip(program.first, program.extents, strict=True))


def _detached(program: ProgramOp) -> list[Operation]:
    """Return the ops of a program, taken out of it."""
    ops = list(program.body.block.ops)
    for op in ops:
        op.detach()
    return ops


def _append(program: ProgramOp, part: Sequence[tuple[int, int]], ops: Sequence[Operation]) -> None:
    """Append ops to a program, guarded where they are those of a part of its instances."""
    writer = Writer.at_end(program.body.block, program.location)
    whole, is_part = _range_of(program), None
    for coordinate, (low, extent), around in zip(program.coordinates, part, whole, strict=True):
        if (low, extent) != around:
            is_here = writer.within(coordinate, low, low + extent - 1)
            is_part = is_here if is_part is None else writer.both(is_part, is_here)
    if is_part is None:
        program.body.block.add_ops(ops)
        return
    with writer.when(is_part):
        writer.block.add_ops(ops)


def _computes(program: ProgramOp) -> bool:
    return any(is_kernel(op) for op in nested_ops(program.body))


def _sink_loop(loop: scf.ForOp) -> None:
    """Move a loop around a replicated program into it, unless it writes a buffer that all instances reach."""
    block = loop.body.block
    *others, last = block.ops
    programs = [op for op in others if isinstance(op, ConcurrentOp)]
    if len(programs) != 1 or loop.iter_args or (program := _replicated(programs[0])) is None or _written(program):
        return
    rest = [op for op in others if op is not programs[0]]
    if not all(map(_is_movable, rest)):
        return
    index, inner = block.args[0], Block(arg_types=[block.args[0].type])
    inner.args[0].name_hint = index.name_hint
    for op in rest:
        op.detach()
        if isinstance(op, StreamOp | memref.AllocaOp):
            Rewriter.insert_op(op, InsertPoint.before(loop))
        else:
            inner.add_op(op)
    index.replace_all_uses_with(inner.args[0])
    for op in list(program.body.block.ops):
        op.detach()
        inner.add_op(op)
    last.detach()
    inner.add_op(last)
    sunk = scf.ForOp(loop.lb, loop.ub, loop.step, [], Region(inner))
    sunk.location = loop.location
    program.body.block.add_op(sunk)
    programs[0].detach()
    Rewriter.replace_op(loop, programs[0], [])


@dataclass(frozen=True)
class FuseProgramsPass(Pass):
    """
    Fuse replicated programs over the same instances that run one after the other, and loops around them.

    Programs that share a buffer which one of them writes keep the barrier between them: shards are shared with no
    instance.
    """

    name = "fuse-programs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            fuse_programs(function)
