"""The pass `unfuse-epilogues`: split the ops of an epilogue that neither an engine nor a link computes into kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.engine import Engine
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..ir import element_of, functions, shape_of
from .core.base import Pass
from .loops.scalar import live_ops
from .map_engines import ATTRIBUTE, map_kernel, mapped_engine
from .mapping.refusals import refuse
from .memory.sums import passing_cycles, sums_fault


def unfuse_epilogue(op: KernelOp, machine: Machine) -> None:
    """
    Keep the largest prefix of an epilogue that the machine computes while it moves the sums out of their level.

    What remains is a `linalg.generic` behind it, on an engine of its own. A kernel of which the machine can compute no
    form is unchanged. One that an engine refuses with its whole epilogue goes there with less, where that is faster.
    """
    engine = mapped_engine(op, machine)
    if op.epilogue is None:
        return
    fault, passing = sums_fault(op, engine, machine), (0, 0)
    if not fault and not any(passing := passing_cycles(op, engine, machine)):
        _move(op, engine, machine)
        return
    for value in _cuts(op.epilogue.block):
        head = _head(op, value)
        if machine.cost(engine, head) is not None and not sums_fault(head, engine, machine):
            if not fault and not (fault := _passes_fault(op, head, value, engine, machine, passing)):
                _drop(head)
                return
            refuse(_split(op, head, value, machine), engine.name, fault)
            return
        _drop(head)


def _passes_fault(
    op: KernelOp, head: KernelOp, value: SSAValue, engine: Engine, machine: Machine, passing: tuple[int, int]
) -> str:
    """
    Return why a kernel of the ops after a value is faster than a transfer in several passes, empty if it is not.

    `passing` are the cycles of the transfer of the sums, once and in passes; it overlaps the kernel, the rest does not.
    """
    rest = _rest(op, head, value)
    behind, computing = machine.engines_for(rest)[0][1], machine.cost(engine, head) or 0
    rest.erase()
    once, passes = (max(computing, moving) for moving in passing)
    return f"its transfer takes {passing[1]} cycles, in several passes" if once + behind < passes else ""


def _drop(head: KernelOp) -> None:
    """Erase a detached kernel and its buffer."""
    buffer = head.output.owner
    head.erase()
    cast(Operation, buffer).erase()


def _move(op: KernelOp, engine: Engine, machine: Machine) -> None:
    """Move a kernel with less of its epilogue to the engine where it and the rest take the least cycles."""
    assert op.epilogue is not None
    refusing = [other for other in machine.engines if other is not engine and machine.fault(other, op)]
    candidates = list[tuple[int, int, Engine, SSAValue]]()
    for value in _cuts(op.epilogue.block) if refusing else ():
        head = _head(op, value)
        costs = [(machine.cost(other, head), other) for other in refusing if not sums_fault(head, other, machine)]
        rest = _rest(op, head, value)
        behind = machine.engines_for(rest)[0][1]
        candidates += [(cost + behind, len(candidates), other, value) for cost, other in costs if cost is not None]
        rest.erase()
        _drop(head)
    best = min(candidates, key=lambda candidate: candidate[:2], default=None)
    if best is None or best[0] >= (machine.cost(engine, op) or 0):
        return
    head, fault = _head(op, best[3]), machine.fault(best[2], op)
    head.attributes[ATTRIBUTE] = StringAttr(best[2].name)
    refuse(_split(op, head, best[3], machine), best[2].name, fault)


def _cuts(body: Block) -> Iterator[SSAValue]:
    """Yield the values that an epilogue can be cut at, the last ones first: all that follows depends on that alone."""
    ops, _ = live_ops(body)
    for count in range(len(ops) - 1, -1, -1):
        later = list(chain.from_iterable(map(nested_ops, ops[count:])))
        needed = set(chain.from_iterable(op.operands for op in later))
        needed.difference_update(body.args[1:], *(op.results for op in later))
        needed = {value for value in needed if not isinstance(value.owner, arith.ConstantOp)}
        last = ops[count - 1].results[0] if count else body.args[0]
        if needed == {last}:
            yield last


def _head(op: KernelOp, value: SSAValue) -> KernelOp:
    """Build a detached kernel whose epilogue ends with a value, on a buffer of its own."""
    assert op.epilogue is not None
    buffer = memref.AllocOp([], [], MemRefType(cast(Any, value.type), shape_of(op.output)))
    body = op.epilogue.block
    maps = op.epilogue_maps.data if op.epilogue_maps else ()
    properties = {name: attribute for name, attribute in op.properties.items() if name not in _OF_PARTS}
    if value is body.args[0]:
        return op.create_from(op.inputs, [], [buffer.memref], properties, [[]], dict(op.attributes))
    region, kept = _part(body, [body.args[0]], value, None)
    chosen = [(op.extras[number], maps[number]) for number in kept]
    properties["epilogue_maps"] = ArrayAttr([map for _, map in chosen])
    extras = [extra for extra, _ in chosen]
    return op.create_from(op.inputs, extras, [buffer.memref], properties, [[region]], dict(op.attributes))


_OF_PARTS = ("operandSegmentSizes", "epilogue_maps")


def _part(body: Block, starts: Sequence[SSAValue], end: SSAValue, out: Attribute | None) -> tuple[Region, list[int]]:
    """
    Build the code between values of an epilogue; also return the numbers of the operands that it uses.

    Its arguments are the first values, the elements of these operands, and one of type `out`, if any.
    """
    ops = list[Operation]()
    pending, seen = [end], set[SSAValue](starts)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, Operation):
            ops.append(value.owner)
            pending += [operand for op in nested_ops(value.owner) for operand in op.operands]
    extras = [arg for arg in body.args[1:] if arg in seen]
    block = Block(arg_types=[*(source.type for source in (*starts, *extras)), *([out] if out is not None else [])])
    mapping: dict[SSAValue, SSAValue] = dict(zip((*starts, *extras), block.args, strict=False))
    for op in body.ops:
        if op in ops:
            block.add_op(op.clone(value_mapper=mapping))
    block.add_op(linalg.YieldOp(mapping[end]))
    return Region(block), [list(body.args).index(arg) - 1 for arg in extras]


def _split(op: KernelOp, head: KernelOp, value: SSAValue, machine: Machine) -> Operation:
    """Replace a kernel by its head and a kernel of the rest of its epilogue; return that."""
    rest = _rest(op, head, value)
    map_kernel(rest, machine)
    buffer = cast(Operation, head.output.owner)
    for new in (buffer, head, rest):
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return rest


def _rest(op: KernelOp, head: KernelOp, value: SSAValue) -> linalg.GenericOp:
    """Build the detached kernel of the ops after a value of an epilogue; it reads the output of the head."""
    assert op.epilogue is not None
    body = op.epilogue.block
    last = body.last_op
    assert last is not None
    (end,) = last.operands
    region, kept = _part(body, [value], end, element_of(op.output))
    rank = len(shape_of(op.output))
    identity = AffineMapAttr(AffineMap.identity(rank))
    maps = op.epilogue_maps.data if op.epilogue_maps else ()
    ins = [head.output, *(op.extras[number] for number in kept)]
    indexing = [identity, *(maps[number] for number in kept), identity]
    return linalg.GenericOp(ins, [op.output], region, indexing, [IteratorTypeAttr.parallel()] * rank)


@dataclass(frozen=True)
class UnfuseEpiloguesPass(Pass):
    """
    Split the ops of an epilogue that neither an engine nor a link computes into kernels.

    Run it on buffers, after map-engines and before plan-memory. A kernel that an engine refuses with its epilogue goes
    to that engine with as much of it as there takes the least cycles, those of the rest included. Where a level stores
    partial sums alone, an epilogue is a kernel of an engine that reads the level, or the body of the transfer out of it
    (`transforms` of the link). Of an epilogue that is neither, the longest beginning that is stays with its kernel;
    what follows is a kernel on the fastest engine; so is what a link computes in several passes, where that takes
    fewer cycles. Other kernels are unchanged.
    """

    name = "unfuse-epilogues"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for kernel in [inner for inner in nested_ops(function) if isinstance(inner, KernelOp)]:
                unfuse_epilogue(kernel, machine)
