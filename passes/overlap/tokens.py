"""In-flight transfers: each holds one of a DMA engine's counters until it is waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ...dialects.core.nesting import nested_ops
from ...dialects.hier import DmaNoneOp, DmaStartOp, LaunchOp, TokenType

Kind = Callable[[DmaStartOp], int]
"""Returns which of several DMA engines does a transfer, by its number."""


@dataclass(frozen=True)
class Opened:
    """Change of the number of in-flight transfers by an op: the peak while it runs, and the balance after it."""

    during: int = 0
    after: int = 0


ONE = Opened(1, 1)
"""What a transfer opens that is begun by itself."""


class Tokens:
    """Counts the open transfers of one DMA engine; what is not known to be another's counts as its."""

    def __init__(self, engine: int, kind: Kind):
        self._engine, self._kind = engine, kind

    def opened_by(self, op: Operation) -> Opened:
        """
        Return the transfers that an op issues and waits for. The token of no transfer counts where it is handed on.
        """
        taken = self._taken(op)
        real = sum(not isinstance(token.owner, DmaNoneOp) for token in taken)
        # Nobody waits for what a loop carries on from its last turn where that is no transfer.
        made = sum(bool(result.uses) and self._is_mine(result) for result in op.results)
        inside = [self._most_open(region.block, len(taken)) for region in op.regions if region.blocks]
        return Opened(max([made, *inside]) - real, made - real)

    def _most_open(self, block: Block, handed: int) -> int:
        """Return the peak of in-flight transfers in a block that begins with so many."""
        count = most = handed
        for op in block.ops:
            if op is block.last_op:
                break
            if isinstance(op, DmaNoneOp):
                continue
            opened = self.opened_by(op)
            most = max(most, count + opened.during)
            count += opened.after
        return max(most, count)

    def _taken(self, op: Operation) -> set[SSAValue]:
        """Return the tokens of before an op that it, or what is in it, waits for or hands on."""
        if not op.regions:
            return {value for value in op.operands if self._is_mine(value)}
        used, inner = set[SSAValue](), set[SSAValue]()
        for each in nested_ops(op):
            used.update(value for value in each.operands if isinstance(value.type, TokenType))
            inner.update(each.results)
            inner.update(value for region in each.regions for block in region.blocks for value in block.args)
        return {value for value in used - inner if self._is_mine(value)}

    def _is_mine(self, value: SSAValue) -> bool:
        if not isinstance(value.type, TokenType):
            return False
        kind = self._kind_of(value, set())
        return kind is None or kind == self._engine

    def _kind_of(self, token: SSAValue, seen: set[SSAValue]) -> int | None:
        """Return whose transfer a token is for, None where there is none; -1 for a kernel's."""
        if token in seen:
            return None
        seen.add(token)
        owner = token.owner
        if isinstance(owner, DmaStartOp):
            return self._kind(owner)
        if isinstance(owner, LaunchOp):
            return -1
        kinds = (self._kind_of(value, seen) for value in _sources(token))
        return next((kind for kind in kinds if kind is not None), None)


def _sources(token: SSAValue) -> list[SSAValue]:
    """Return the tokens that a result of an op with regions, or what a loop carries, may be."""
    if isinstance(token, BlockArgument):
        loop = token.owner.parent_op()
        if not isinstance(loop, scf.ForOp):
            return []
        number = token.index - 1
        return [loop.iter_args[number], _end_of(loop.body.block)[number]]
    if isinstance(token, OpResult) and isinstance(token.op, scf.ForOp | scf.IfOp):
        blocks = [region.block for region in token.op.regions if region.blocks]
        return [_end_of(block)[token.index] for block in blocks]
    return []


def _end_of(block: Block) -> Sequence[SSAValue]:
    assert block.last_op is not None
    return block.last_op.operands
