"""
Actions within passes: folds, and applications of patterns that rewrite, reported to a listener while there is one.

Passes that rewrite by the pattern rewriters of xDSL report their patterns; `canonicalize` its folds, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, PatternRewriteWalker, RewritePattern

from ...dialects.core.syntax.text import one_line

Listener: TypeAlias = Callable[[str, str, str], None]
"""Receives an action that is done: its kind, its label, and the op as it was before."""

PATTERN = "apply-pattern"
"""Kind of the application of a pattern."""
_FEW = 8
"""The elements of a constant that the text of an op shows in full."""
_listeners: list[Listener] = []


@contextmanager
def reported_to(listener: Listener) -> Generator[None]:
    """Report the actions of passes that run in the body."""
    original = PatternRewriteWalker.rewrite_region

    def rewrite_region(self: PatternRewriteWalker, region: Region) -> bool:
        self.pattern = reporting(self.pattern)
        return original(self, region)

    _listeners.append(listener)
    setattr(PatternRewriteWalker, "rewrite_region", rewrite_region)
    try:
        yield
    finally:
        setattr(PatternRewriteWalker, "rewrite_region", original)
        _listeners.remove(listener)


def reporting(pattern: RewritePattern) -> RewritePattern:
    """Return a pattern that reports its rewrites while there is a listener; else the pattern itself."""
    if not _listeners or isinstance(pattern, _Reporting):
        return pattern
    if isinstance(pattern, GreedyRewritePatternApplier):
        return dataclasses.replace(pattern, rewrite_patterns=[reporting(inner) for inner in pattern.rewrite_patterns])
    return _Reporting(pattern)


def reported(kind: str, label: str, op: Operation, act: Callable[[], bool]) -> bool:
    """Run an action; if it changed anything, report it to the listeners. Return whether it did."""
    if not _listeners:
        return act()
    text = one_line(op, elide=_FEW)
    is_done = act()
    for listener in _listeners if is_done else ():
        listener(kind, label, text)
    return is_done


class _Reporting(RewritePattern):
    """Pattern that reports its rewrites."""

    def __init__(self, pattern: RewritePattern):
        self._pattern = pattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if rewriter.has_done_action:
            self._pattern.match_and_rewrite(op, rewriter)
            return
        reported(PATTERN, type(self._pattern).__name__, op, lambda: self._rewrites(op, rewriter))

    def _rewrites(self, op: Operation, rewriter: PatternRewriter) -> bool:
        self._pattern.match_and_rewrite(op, rewriter)
        return rewriter.has_done_action
