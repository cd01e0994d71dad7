"""Common subexpression elimination, structured kernels included, and dead code elimination."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from ..dialects.core.analysis.structural_key import structural_key
from ..dialects.core.effects import EffectAnalysis
from ..dialects.core.kernel import is_kernel
from ..dialects.core.nesting import nested_ops
from .core.base import Pass
from .core.dead_code import erase_dead


def eliminate_common(module: Operation) -> None:
    """
    Replace each op by an equal one that dominates it, then erase trivially dead ops.

    An op without effects is replaced by an equal dominating op. A read is replaced by an equal read earlier in its
    block, with no write in between. Ops inside of an op that is isolated from above are not replaced by ops outside.
    """
    analysis = EffectAnalysis()
    _eliminate_in(module, {}, analysis)
    erase_dead(nested_ops(module), analysis)


@dataclass
class _Scope:
    """Scope of available expressions of a block, keyed by class and operands, then by the canonical key."""

    pure: dict[Hashable, Operation | dict[Hashable, Operation]]
    """Dominating ops without effects, enclosing scopes included; nested by canonical key on a collision."""
    own: list[tuple[Hashable, Hashable]] = field(default_factory=list[tuple[Hashable, Hashable]])
    """Keys added by this block; the second is None for the first op of a key."""
    reads: dict[Hashable, Operation] = field(default_factory=dict[Hashable, Operation])
    """Available reads since the last write in the block."""

    def first_pure(self, op: Operation) -> Operation:
        """Return the dominating op without effects that equals `op`, `op` itself if it is the first."""
        short = type(op), *op.operands
        alike = self.pure.setdefault(short, op)
        if alike is op:
            self.own.append((short, None))
            return op
        if isinstance(alike, Operation):
            alike = self.pure[short] = {_key(alike): alike}
        key = _key(op)
        first = alike.setdefault(key, op)
        if first is op:
            self.own.append((short, key))
        return first

    def leave(self) -> None:
        """Remove the ops of the block from the scope."""
        for short, key in reversed(self.own):
            alike = self.pure[short]
            if key is None or isinstance(alike, Operation):
                del self.pure[short]
            else:
                del alike[key]


def _eliminate_in(
    op: Operation, pure: dict[Hashable, Operation | dict[Hashable, Operation]], analysis: EffectAnalysis
) -> None:
    """Eliminate in the regions of an op; `pure` has the enclosing scope, and is restored on return."""
    # A kernel's scalar code is self-contained: it captures no constants from outside.
    is_isolated = is_kernel(op) or op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
    for block in (block for region in op.regions for block in region.blocks):
        scope = _Scope({} if is_isolated else pure)
        for inner in list(block.ops):
            _eliminate(inner, scope, analysis)
        if not is_isolated:
            scope.leave()


def _eliminate(op: Operation, scope: _Scope, analysis: EffectAnalysis) -> None:
    if op.regions:
        _eliminate_in(op, scope.pure, analysis)
    effects = analysis.of(op)
    if effects.may_write:
        scope.reads.clear()
    if not op.results or not effects.only_read or op.has_trait(IsTerminator):
        return
    if any(len(region.blocks) > 1 for region in op.regions):
        return
    first = scope.first_pure(op) if effects.is_none else scope.reads.setdefault(_key(op), op)
    if first is not op:
        Rewriter.replace_op(op, [], first.results)


def _key(op: Operation) -> Hashable:
    """Return the canonical key of an op; operands compare by identity."""
    return structural_key([op], lambda value: value)


@dataclass(frozen=True)
class CsePass(Pass):
    """
    Eliminate common subexpressions: replace an op without effects by an equal one that dominates it.

    Kernels on tensors are included, bodies and all; reads are included if no write is in between. Locations are
    ignored:
    the first op's is kept. Trivially dead ops are erased.
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_common(op)
