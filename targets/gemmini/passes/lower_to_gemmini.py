"""The pass `lower-to-gemmini`: kernels of the array, and transfers, become instructions."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....dialects.hier.sharded import level_name
from ....dialects.hier.transfers import DmaNoneOp, DmaStartOp, DmaWaitOp
from ....ir import functions
from ....passes.core.base import Pass
from ....passes.loops.copier import Copiers
from ....passes.loops.lowering import lower_kernels
from ....passes.normalize_memrefs import normalize_memrefs
from ..dialects.gemmini.instructions import begin, fence
from ..dialects.gemmini.loops import begin_loops, config_loop, config_loop_conv
from ..instance import ArrayInstance, instance_of
from ..products import lower_kernel
from ..transfers import load_tile, store_tile, zero_tile


def _is_outward(token: SSAValue) -> bool:
    """Return whether a token may be that of a transfer out of a near level."""
    pending, seen = [token], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument):
            loop = value.owner.parent_op()
            if isinstance(loop, scf.ForOp):
                pending += [loop.iter_args[value.index - 1], _yielded(loop.body.block)[value.index - 1]]
            continue
        assert isinstance(value, OpResult)
        op = value.op
        if isinstance(op, DmaStartOp) and op.writes_far is not None:
            return True
        if isinstance(op, scf.ForOp):
            pending += [op.iter_args[value.index], _yielded(op.body.block)[value.index]]
        elif isinstance(op, scf.IfOp):
            pending += [_yielded(region.block)[value.index] for region in op.regions if region.blocks]
    return False


def _yielded(block: Block) -> Sequence[SSAValue]:
    return block.last_op.operands if block.last_op is not None else ()


def fence_results(function: FuncOp, storing: Set[str]) -> None:
    """
    Insert fences where results are there, outside of loops: from there on, anyone may read them.

    They stand before waits for transfers out, and behind loops that wait for these inside, or call a function of
    `storing`, which stores results itself.
    """
    is_fenced = False
    for op in list(function.body.block.ops) if function.body.blocks else []:
        if isinstance(op, DmaWaitOp):
            if not is_fenced and any(_is_outward(token) for token in op.operands):
                _fence(op, InsertPoint.before(op))
                is_fenced = True
            continue
        is_fenced = _ends_stores(op, storing)
        if is_fenced:
            _fence(op, InsertPoint.after(op))


def begin_memories(function: FuncOp, instance: ArrayInstance) -> None:
    """
    State the instance at the begin of a function that has near memories, with the arenas that stand for them in C.

    The arena of one memory stands for one that has no buffers too. Functions of loops in hardware state it as well.
    """
    gets = [op for op in function.body.block.ops if isinstance(op, memref.GetGlobalOp)] if function.body.blocks else []
    by_level = {level_name(op.memref.type): op for op in gets}
    if any(isinstance(op, _LOOPS) for op in nested_ops(function)):
        instruction = begin_loops(*instance)
        instruction.location = function.location
        Rewriter.insert_op(instruction, InsertPoint.at_start(function.body.block))
    near = [by_level[name] for name in ("SPAD", "ACC") if name in by_level]
    if near:
        last = max(near, key=gets.index)
        instruction = begin(near[0].memref, near[-1].memref, *instance)
        instruction.location = last.location
        Rewriter.insert_op(instruction, InsertPoint.after(last))


def _ends_stores(op: Operation, storing: Set[str]) -> bool:
    """Return whether an op has no transfers out that are waited for behind it, and some inside, or other stores."""
    if not isinstance(op, scf.ForOp | CallOp) or any(_is_outward(result) for result in op.results):
        return False
    return any(_stores(inner, storing) for inner in (op, *nested_ops(op)))


def _stores(op: Operation, storing: Set[str]) -> bool:
    if isinstance(op, CallOp):
        return op.callee.string_value() in storing
    return isinstance(op, DmaStartOp) and op.writes_far is not None


def _fence(op: Operation, place: InsertPoint) -> None:
    instruction = fence()
    instruction.location = op.location
    Rewriter.insert_op(instruction, place)


_STORER = StringAttr("storer")
_LOOPS = config_loop.op, config_loop_conv.op


@dataclass(frozen=True)
class LowerToGemminiPass(Pass):
    """
    Lower kernels of the array to loops over instructions, and transfers to loads and stores.

    Run it on outlined kernels (`outline-kernels`), after `expand-grid`. Near buffers are in blocks of a row each
    (`blocked` in the machine); afterwards they have their physical shapes. A `gemmini.fence` stands where results are
    waited for. Raises Diagnostic for a kernel or a transfer that no instructions compute.
    """

    name = "lower-to-gemmini"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        lower_kernels(op, partial(lower_kernel, machine))
        copiers, instance = Copiers(op), instance_of(machine)
        lines = next((link.lines for link in machine.links if link.leads("ACC", machine.far.name)), 0)
        store = partial(store_tile, instance.element, lines)
        storing = {function.sym_name.data for function in functions(op) if function.attributes.get("engine") == _STORER}
        for function in functions(op):
            begin_memories(function, instance)
            fence_results(function, storing)
            for start in [inner for inner in nested_ops(function) if isinstance(inner, DmaStartOp)]:
                move = store if start.writes_far is not None else load_tile
                call, done = copiers.call(function, start, [], move, zero_tile), DmaNoneOp()
                done.location = start.location
                Rewriter.replace_op(start, [call, done], [done.token])
        normalize_memrefs(op)
