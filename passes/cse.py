"""Common subexpression elimination, structured kernels included, and dead code elimination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import Rewriter
from xdsl.traits import Commutative, IsolatedFromAbove, IsTerminator

from ..dialects.core.analysis.structural_key import all_facts, structural_key
from ..dialects.core.effects import EffectAnalysis
from ..dialects.core.kernel import is_kernel
from ..dialects.core.nesting import nested_ops
from ..dialects.core.verification.dominance import dominator_tree
from .core.base import Pass
from .core.dead_code import erase_dead
from .core.statistics import Statistic, statistic


def eliminate_common(module: Operation) -> tuple[int, int]:
    """
    Replace each op by an equal one that dominates it, then erase trivially dead ops; return how many of each.

    An op without effects is replaced by an equal dominating op. A read is replaced by an equal read earlier in its
    block, with no write in between. Ops inside of an op that is isolated from above are not replaced by ops outside.
    """
    elimination = _Elimination()
    _eliminate_in(module, {}, elimination)
    return elimination.replaced, erase_dead(nested_ops(module), elimination.analysis)


@dataclass
class _Elimination:
    """Run of the elimination: the effects of ops, and the number of ops replaced so far."""

    analysis: EffectAnalysis = field(default_factory=EffectAnalysis)
    replaced: int = 0


@dataclass
class _AvailableExpressions:
    """Scope of available expressions of a block, keyed by class and operands, then by the canonical key."""

    pure: dict[Hashable, Operation | dict[Hashable, Operation]]
    """Dominating ops without effects, enclosing scopes included; nested by canonical key on a collision."""
    own: list[tuple[Hashable, Hashable]] = field(default_factory=list[tuple[Hashable, Hashable]])
    """Keys added by this block; the second is None for the first op of a key."""
    reads: dict[Hashable, Operation] = field(default_factory=dict[Hashable, Operation])
    """Available reads since the last write in the block."""

    def first_pure(self, op: Operation) -> Operation:
        """Return the dominating op without effects that equals `op`, `op` itself if it is the first."""
        short = type(op), _operands(op)
        entry = self.pure.setdefault(short, op)
        if entry is op:
            self.own.append((short, None))
            return op
        if isinstance(entry, Operation):
            entry = self.pure[short] = {_key(entry): entry}
        key = _key(op)
        first = entry.setdefault(key, op)
        if first is op:
            self.own.append((short, key))
        return first

    def leave(self) -> None:
        """Remove the ops of the block from the scope."""
        for short, key in reversed(self.own):
            entry = self.pure[short]
            if key is None or isinstance(entry, Operation):
                del self.pure[short]
            else:
                del entry[key]


def _eliminate_in(
    op: Operation, pure: dict[Hashable, Operation | dict[Hashable, Operation]], run: _Elimination
) -> None:
    """Eliminate in the regions of an op; `pure` has the enclosing scope, and is restored on return."""
    # A kernel's scalar code is self-contained: it captures no constants from outside.
    is_isolated = is_kernel(op) or op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
    for region in op.regions:
        _eliminate_in_region(region, {} if is_isolated else pure, run)


def _eliminate_in_region(
    region: Region, pure: dict[Hashable, Operation | dict[Hashable, Operation]], run: _Elimination
) -> None:
    """Eliminate in the reachable blocks of a region, in preorder of the dominator tree."""
    dominated = dominator_tree(region)
    # Blocks to enter, and the scopes of entered ones, which are left when all that they dominate is done.
    pending: list[Block | _AvailableExpressions] = [] if region.first_block is None else [region.first_block]
    while pending:
        block = pending.pop()
        if isinstance(block, _AvailableExpressions):
            block.leave()
            continue
        scope = _AvailableExpressions(pure)
        for inner in list(block.ops):
            _eliminate(inner, scope, run)
        pending += [scope, *reversed(dominated[block])]


def _eliminate(op: Operation, scope: _AvailableExpressions, run: _Elimination) -> None:
    if op.regions:
        _eliminate_in(op, scope.pure, run)
    effects = run.analysis.of(op)
    if effects.may_write:
        scope.reads.clear()
    if not op.results or not effects.only_read or op.has_trait(IsTerminator):
        return
    if any(len(region.blocks) > 1 for region in op.regions):
        return
    first = scope.first_pure(op) if effects.is_none else scope.reads.setdefault(_key(op), op)
    if first is not op:
        Rewriter.replace_op(op, [], first.results)
        run.replaced += 1


def _key(op: Operation) -> Hashable:
    """Return the canonical key of an op; operands compare by identity, those of a commutative op in any order."""
    if not _is_commutative(type(op)) or op.regions:
        return structural_key([op], lambda value: value)
    return _operands(op), tuple(op.result_types), all_facts(op)


def _operands(op: Operation) -> Hashable:
    """Return a key of an op's operands."""
    return frozenset(Counter(op.operands).items()) if _is_commutative(type(op)) else tuple(op.operands)


@cache
def _is_commutative(kind: type[Operation]) -> bool:
    """Return whether ops of a class are commutative upstream; xDSL declares it of a few only."""
    return kind.has_trait(Commutative) or kind in _COMMUTATIVE


_COMMUTATIVE = (
    *(arith.AddfOp, arith.MulfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
    *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp),
    *(arith.AddUIExtendedOp, arith.MulSIExtendedOp, arith.MulUIExtendedOp),
)


@dataclass(frozen=True)
class CsePass(Pass):
    """
    Eliminate common subexpressions: replace an op without effects by an equal one that dominates it.

    Kernels on tensors are included, bodies and all; reads are included if no write is in between. Commutative ops are
    equal with their operands in any order. The first op's location is kept. Trivially dead ops are erased.
    """

    name = "cse"

    replaced: Statistic = statistic("Number of operations CSE'd", "num-cse'd")
    erased: Statistic = statistic("Number of operations DCE'd", "num-dce'd")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        replaced, erased = eliminate_common(op)
        self.replaced.add(replaced)
        self.erased.add(erased)
