"""Greedy application of folders and canonicalisation patterns, by upstream's options and with counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.folder import Folder
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, PatternRewriteWalker, RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from .actions import reported, reporting

NO_LIMIT = -1


@dataclass(frozen=True)
class PatternFilter:
    """Choice of patterns by label: all but the disabled ones, and of these only the enabled ones where some are."""

    disabled: frozenset[str] = frozenset()
    enabled: frozenset[str] = frozenset()

    def admits(self, label: str) -> bool:
        """Return whether patterns of a label are applied."""
        return label not in self.disabled and (not self.enabled or label in self.enabled)


@dataclass
class GreedyRewriter(RewritePattern):
    """
    Erases an op that is trivially dead, else folds it, else applies the first canonicalisation pattern that matches.

    `erased`, `folded` and `rewritten` count what was done; in an iteration at most `most_rewrites` patterns are
    applied. The label of a pattern is the name of its class.
    """

    context: Context
    patterns: PatternFilter = PatternFilter()
    most_rewrites: int = NO_LIMIT
    erased: int = 0
    folded: int = 0
    rewritten: int = 0
    _until: int | None = None
    _of_class: dict[type[Operation], Sequence[RewritePattern]] = field(
        default_factory=dict[type[Operation], Sequence[RewritePattern]]
    )

    def begin_iteration(self) -> None:
        """Begin an iteration: its patterns are counted anew."""
        self._until = None if self.most_rewrites == NO_LIMIT else self.rewritten + self.most_rewrites

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if is_trivially_dead(op):
            rewriter.erase(op)
            self.erased += 1
        elif reported("fold", "", op, lambda: self._fold(op, rewriter)):
            self.folded += 1
        elif self.rewritten != self._until and any(self._apply(p, op, rewriter) for p in self._patterns(type(op), op)):
            self.rewritten += 1

    def _fold(self, op: Operation, rewriter: PatternRewriter) -> bool:
        """Fold an op; constants stay, as they would be folded to themselves without end."""
        if not op.has_trait(HasFolder, value_if_unregistered=False):
            return False
        if op.has_trait(ConstantLike, value_if_unregistered=True):
            return False
        folded = Folder(self.context).try_fold(op)
        if folded is None:
            return False
        values, ops = folded
        rewriter.replace(op, new_ops=ops, new_results=values)
        return True

    def _patterns(self, kind: type[Operation], op: Operation) -> Sequence[RewritePattern]:
        """Return the patterns of a class of ops that are applied, in order."""
        if kind not in self._of_class:
            traits = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
            patterns = [pattern for trait in traits for pattern in trait.get_patterns(kind)]
            self._of_class[kind] = [reporting(p) for p in patterns if self.patterns.admits(type(p).__name__)]
        return self._of_class[kind]

    def _apply(self, pattern: RewritePattern, op: Operation, rewriter: PatternRewriter) -> bool:
        pattern.match_and_rewrite(op, rewriter)
        return rewriter.has_done_action


def apply_greedily(
    rewriter: GreedyRewriter,
    region: Region,
    *,
    simplify: Callable[[Region, PatternRewriterListener], bool] | None,
    top_down: bool = True,
    most_iterations: int = NO_LIMIT,
) -> bool:
    """
    Rewrite a region until nothing changes, or by `most_iterations` iterations; return whether nothing changes any more.

    An iteration rewrites each op, new ones included, in preorder or, not `top_down`, from the last to the first, and
    then simplifies the control flow with `simplify`.
    """
    walker = _Iterations(rewriter, walk_reverse=not top_down, walk_regions_first=not top_down, post_walk_func=simplify)
    changed, iterations = True, 0
    while changed and iterations != most_iterations:
        rewriter.begin_iteration()
        changed = walker.iterate(region)
        iterations += 1
    return not changed


class _Iterations(PatternRewriteWalker):
    """Walker of single iterations."""

    def iterate(self, region: Region) -> bool:
        """Rewrite each op of a region, and those that its rewrites concern; return whether there was a rewrite."""
        listener = self._get_rewriter_listener()
        self._populate_worklist(region)
        changed = self._process_worklist(listener)
        return changed | (self.post_walk_func is not None and self.post_walk_func(region, listener))
