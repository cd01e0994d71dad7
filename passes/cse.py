"""Common subexpressions, structured kernels included, and ops that nobody needs."""

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
    Let each op that computes what an earlier one has computed give way to it, then erase ops that are trivially dead.

    An op without effects gives way to an equal one that dominates it; one that only reads, to an equal one before it in
    its block, with no write in between. Ops inside of an op that is isolated from above see none of those outside.
    """
    analysis = EffectAnalysis()
    _eliminate_in(module, {}, analysis)
    erase_dead(nested_ops(module), analysis)


@dataclass
class _Scope:
    """The ops that later ones of a block may give way to, by their class and operands, then by their whole key."""

    pure: dict[Hashable, Operation | dict[Hashable, Operation]]
    """Ops without effects that dominate the next one, those around the block included; keys where there are several."""
    own: list[tuple[Hashable, Hashable]] = field(default_factory=list[tuple[Hashable, Hashable]])
    """The keys of those in the block, the second None where the first was new."""
    reads: dict[Hashable, Operation] = field(default_factory=dict[Hashable, Operation])
    """Ops that read, since the last write in the block."""

    def first_pure(self, op: Operation) -> Operation:
        """Return the op without effects that equals `op` and dominates it, `op` itself where it is the first."""
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
        """Forget the ops of the block."""
        for short, key in reversed(self.own):
            alike = self.pure[short]
            if key is None or isinstance(alike, Operation):
                del self.pure[short]
            else:
                del alike[key]


def _eliminate_in(
    op: Operation, pure: dict[Hashable, Operation | dict[Hashable, Operation]], analysis: EffectAnalysis
) -> None:
    """Eliminate in the regions of an op; `pure` are the ops around it, and as they were afterwards."""
    # A kernel's scalar code stays its own: it captures no constants from outside.
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
    """Return the canonical key of an op, in which operands count by identity."""
    return structural_key([op], lambda value: value)


@dataclass(frozen=True)
class CsePass(Pass):
    """
    Compute each value once: an op without effects that equals an earlier one is replaced by it.

    Kernels on tensors count, bodies and all; reads count where nothing is written in between. Locations do not count:
    the first op's stays. Ops that are trivially dead are erased.
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_common(op)
