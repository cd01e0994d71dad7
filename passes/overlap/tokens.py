"""In-flight transfers: each holds one of a DMA engine's counters until its wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ...dialects.core.effect_traits import Launches, NothingPending
from ...dialects.core.effects import declared
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import TokenType

Kind = Callable[[Operation], int]
"""Maps a transfer to the number of its DMA engine."""


@dataclass(frozen=True)
class Opened:
    """Change of the number of in-flight transfers by an op: the peak during it, and the balance after it."""

    during: int = 0
    after: int = 0


ONE = Opened(1, 1)
"""Change by a single start."""


class Tokens:
    """Counter of the in-flight transfers of one DMA engine; a transfer of an unknown engine is included."""

    def __init__(self, engine: int, kind: Kind):
        self._engine, self._kind = engine, kind

    def opened_by(self, op: Operation) -> Opened:
        """Count the transfers that an op issues minus those that it waits for. Tokens of no transfer do not count."""
        taken = self._taken(op)
        real = sum(not _is_nothing(token.owner) for token in taken)
        # A loop result without uses carries no transfer that is waited for.
        issued = sum(bool(result.uses) and self._is_mine(result) for result in op.results)
        inside = [self._most_open(region.block, len(taken)) for region in op.regions if region.blocks]
        return Opened(max([issued, *inside]) - real, issued - real)

    def _most_open(self, block: Block, handed: int) -> int:
        """Return the peak of in-flight transfers in a block, given their number at its entry."""
        count = most = handed
        for op in block.ops:
            if op is block.last_op:
                break
            if _is_nothing(op):
                continue
            opened = self.opened_by(op)
            most = max(most, count + opened.during)
            count += opened.after
        return max(most, count)

    def _taken(self, op: Operation) -> set[SSAValue]:
        """Return the tokens defined before an op that it, or an op in its regions, waits for or carries."""
        if not op.regions:
            return {value for value in op.operands if self._is_mine(value)}
        used, inner = set[SSAValue](), set[SSAValue]()
        for inner_op in nested_ops(op):
            used.update(value for value in inner_op.operands if isinstance(value.type, TokenType))
            inner.update(inner_op.results)
            inner.update(value for region in inner_op.regions for block in region.blocks for value in block.args)
        return {value for value in used - inner if self._is_mine(value)}

    def _is_mine(self, value: SSAValue) -> bool:
        if not isinstance(value.type, TokenType):
            return False
        kind = self._kind_of(value, set())
        return kind is None or kind == self._engine

    def _kind_of(self, token: SSAValue, seen: set[SSAValue]) -> int | None:
        """Return the DMA engine of a token's transfer, None for no transfer, -1 for a kernel."""
        if token in seen:
            return None
        seen.add(token)
        owner = token.owner
        if _is_nothing(owner):
            return None
        if isinstance(owner, Block | scf.ForOp | scf.IfOp):
            kinds = (self._kind_of(value, seen) for value in _sources(token))
            return next((kind for kind in kinds if kind is not None), None)
        return -1 if declared(type(owner), Launches) is not None else self._kind(owner)


def _is_nothing(owner: Operation | Block) -> bool:
    """Return whether tokens of an owner are tokens of nothing."""
    return isinstance(owner, Operation) and declared(type(owner), NothingPending) is not None


def _sources(token: SSAValue) -> list[SSAValue]:
    """Return the tokens that a region op's result or a loop-carried token may be."""
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
