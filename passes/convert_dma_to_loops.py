"""Lowering of transfers to copy loops, for machines without a DMA engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.builder import Builder
from ..dialects.core.effects import EffectAnalysis
from ..dialects.hier import DmaNoneOp, DmaStartOp, DmaWaitOp, LaunchOp, PushOp, TokenType, YieldOp
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import functions
from .core.base import Pass
from .grids.sequential import make_sequential
from .loops.copier import Copiers, Range, over_box
from .loops.scalar import expand_requantize, expand_rescale


def convert_dma_to_loops(function: func.FuncOp, copiers: Copiers) -> None:
    """
    Replace each transfer by a call of a copy function, and remove completion tokens: a call is synchronous.

    Parallel loops become sequential and launches synchronous, because one processor executes them.
    """
    for op in list(function.walk()):
        if isinstance(op, scf.ParallelOp):
            make_sequential(op)
        elif isinstance(op, LaunchOp):
            _run_in_place(op)
    for op in list(function.walk()):
        if isinstance(op, DmaStartOp):
            call, done = copiers.call(function, op, [], _copy_elements), DmaNoneOp()
            done.location = op.location
            Rewriter.replace_op(op, [call, done], [done.token])
        elif isinstance(op, DmaWaitOp):
            Rewriter.erase_op(op)
        elif isinstance(op, PushOp) and op.after is not None:
            plain = PushOp(op.stream, op.coordinates)
            plain.location = op.location
            Rewriter.replace_op(op, plain)
    for op in reversed(list(function.walk())):
        if isinstance(op, scf.ForOp | scf.IfOp):
            _drop_tokens(op)
    analysis = EffectAnalysis()
    for op in reversed(list(function.walk())):
        if isinstance(op, DmaNoneOp) or _is_idle(op, analysis):
            Rewriter.erase_op(op)


def _run_in_place(launch: LaunchOp) -> None:
    """Replace a launch by its kernel, and remove the join."""
    for use in list(launch.token.uses):
        Rewriter.erase_op(use.operation)
    Rewriter.inline_block(launch.body.block, InsertPoint.before(launch))
    Rewriter.erase_op(launch)


def _is_idle(op: Operation, analysis: EffectAnalysis) -> bool:
    """Return whether an op is dead: an empty conditional, or unused results without side effects."""
    if isinstance(op, scf.IfOp):
        blocks = [region.block for region in op.regions if region.blocks]
        return not op.results and all(block.first_op is block.last_op for block in blocks)
    return bool(op.results) and not any(result.uses for result in op.results) and analysis.of(op).is_none


def _copy_elements(builder: Builder, op: DmaStartOp, bounds: Sequence[Range]) -> Sequence[SSAValue]:
    """Build loops that copy element by element, each mapped by the transfer's body."""
    far, near, *offsets = builder.block.args
    with over_box(builder, bounds) as here:
        pairs = enumerate(zip(offsets, here, strict=True))
        there = [o if axis in op.repeated else builder.add(o, i) for axis, (o, i) in pairs]
        source, target = ((near, here), (far, there)) if op.writes_far else ((far, there), (near, here))
        value = builder.op(memref.LoadOp.get(*source))
        builder.insert(memref.StoreOp.get(_mapped(builder, op, value, there), *target))
    return ()


def _mapped(builder: Builder, op: DmaStartOp, value: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """Build the body of a transfer for one element, at its indices in the far buffer; return the yielded value."""
    if op.body is None:
        return value
    copies: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, (value, *indices), strict=False))
    for inner in op.body.block.ops:
        if isinstance(inner, YieldOp):
            return copies[inner.arguments[0]]
        if isinstance(inner, RequantizeOp):
            copies[inner.result] = expand_requantize(
                inner, copies[inner.x], copies[inner.mul], copies[inner.add], builder
            )
        elif isinstance(inner, RescaleOp):
            copies[inner.result] = expand_rescale(inner, copies[inner.x], copies[inner.scale], builder)
        else:
            builder.insert(inner.clone(copies))
    raise AssertionError("a body ends with hier.yield")


def _drop_tokens(op: scf.ForOp | scf.IfOp) -> None:
    """Rebuild a loop or conditional without loop-carried or yielded tokens."""
    kept = [i for i, result in enumerate(op.results) if result.type != TokenType()]
    if len(kept) == len(op.results):
        return
    for region in op.regions:
        if region.blocks:
            _drop_from_block(region.block, kept, carried=len(op.results) if isinstance(op, scf.ForOp) else 0)
    regions = [op.detach_region(region) for region in list(op.regions)]
    operands = list(op.operands)
    if isinstance(op, scf.ForOp):
        operands = [*operands[:3], *(operands[3 + i] for i in kept)]
    types = [op.results[i].type for i in kept]
    new = op.__class__.create(
        operands=operands, result_types=types, properties=op.properties, attributes=op.attributes, regions=regions
    )
    new.location = op.location
    none = DmaNoneOp()
    results: list[SSAValue] = [none.token] * len(op.results)
    for place, index in enumerate(kept):
        results[index] = new.results[place]
    Rewriter.replace_op(op, [new, none], results)


def _drop_from_block(block: Block, kept: Sequence[int], *, carried: int) -> None:
    """Remove the tokens from a block's trailing arguments and from its terminator."""
    terminator = block.last_op
    assert terminator is not None
    values = [terminator.operands[i] for i in kept]
    Rewriter.replace_op(terminator, scf.YieldOp(*values), [])
    first = len(block.args) - carried
    dropped = [block.args[first + i] for i in range(carried) if i not in kept]
    if not dropped:
        return
    none = DmaNoneOp()
    Rewriter.insert_op(none, InsertPoint.at_start(block))
    for argument in dropped:
        argument.replace_all_uses_with(none.token)
        block.erase_arg(argument)


@dataclass(frozen=True)
class ConvertDmaToLoopsPass(Pass):
    """
    Lower transfers of tiles to calls of functions that copy element by element.

    For machines whose processor moves the data itself and runs all kernels. Waits and joins are removed, because calls
    are synchronous. Parallel loops over engine instances become sequential loops, launches calls.
    """

    name = "convert-dma-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        copiers = Copiers(op)
        for function in functions(op):
            convert_dma_to_loops(function, copiers)
