"""
Bufferisation of `scf.if` with tensor results.

A result has one buffer, shared by both branches. A value computed in a branch is written to it directly; a value from
outside of the branch is copied.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, scf, tensor
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from ...dialects.core.kernel import is_kernel, is_shaped
from ...errors import Diagnostic
from ...ir import where
from .bufferizer import Bufferizer, buffer_of
from .loops import Convert, scalar

_OWNERS = (scf.IfOp, scf.ForOp, scf.WhileOp, tensor.ConcatOp, tensor.PadOp)
"""Ops besides kernels that write to a destination."""


def plan_branches(state: Bufferizer) -> None:
    """Plan destination passing for branches: a result computed in a branch is written to the result's buffer."""
    for op in (op for op in state.old.walk() if isinstance(op, scf.IfOp)):
        for region in op.regions:
            _plan_branch(state, op, region)


def _plan_branch(state: Bufferizer, op: scf.IfOp, region: Region) -> None:
    for value, result in zip(_yielded(list(region.blocks)), op.results, strict=False):
        if value not in state.destinations and _makes(value, region.block):
            state.destinations[value] = lambda result=result: state.destination(result)
            state.holders[value] = result


def _makes(value: SSAValue, block: Block) -> bool:
    """Return whether a tensor is the result of a destination-passing op in a block."""
    if not is_shaped(value) or not isinstance(value, OpResult) or value.op.parent is not block:
        return False
    return is_kernel(value.op) or isinstance(value.op, _OWNERS)


def convert_branches(state: Bufferizer, op: Operation, convert: Convert) -> None:
    """Bufferise a conditional; scalar results are kept, tensor results get buffers."""
    assert isinstance(op, scf.IfOp)
    condition = scalar(state, op.cond)
    for result in op.results:
        if is_shaped(result):
            if result not in state.destinations:
                state.owned.add(result)
            state.destination(result)
    then, other = (Region(_branch(state, op, list(region.blocks), convert)) for region in op.regions)
    state.current = op
    scalars = [result for result in op.results if not is_shaped(result)]
    conditional = scf.IfOp(condition, [result.type for result in scalars], then, other)
    state.emit(conditional)
    state.buffers.update(zip(scalars, conditional.results, strict=True))


def _branch(state: Bufferizer, op: scf.IfOp, blocks: Sequence[Block], convert: Convert) -> list[Block]:
    if not blocks:
        return []
    inner = Block()
    outer, state.new = state.new, inner
    for nested in list(blocks[0].ops):
        state.current = nested
        if nested is blocks[0].last_op:
            _yield(state, op, nested)
        else:
            convert(nested)
    state.new = outer
    return [inner]


def _yield(state: Bufferizer, op: scf.IfOp, terminator: Operation) -> None:
    """
    Terminate a branch: copy results in other buffers to their destination.

    Raises Diagnostic for a type mismatch between the branch and the op, which xDSL does not verify.
    """
    yielded, declared = terminator.operand_types, op.result_types
    if yielded != declared:
        raise Diagnostic(
            "a branch yields other types than the results of 'scf.if'",
            where=where(terminator),
            expected=", ".join(map(str, declared)) or "nothing",
            found=", ".join(map(str, yielded)) or "nothing",
        )
    pairs = list(zip(terminator.operands, op.results, strict=True))
    for value, result in pairs:
        if is_shaped(value) and not _is_fresh(value):
            source, memory = buffer_of(state, value), state.buffers[result]
            if source is not memory:
                state.emit(memref.CopyOp(source, memory))
    state.emit(scf.YieldOp(*(scalar(state, value) for value, _ in pairs if not is_shaped(value))))


def _is_fresh(value: SSAValue) -> bool:
    """Return whether a tensor has undefined content."""
    return isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp)


def _yielded(blocks: Sequence[Block]) -> Sequence[SSAValue]:
    return blocks[0].last_op.operands if blocks and blocks[0].last_op is not None else ()
