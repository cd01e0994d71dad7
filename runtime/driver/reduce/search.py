"""
Delta debugging over the rules of a table: the chunks of a rule's edits are halved until single edits are tried.

The rules run in their order, from coarse to fine, and again until none of them reduces the test case. A candidate is
the current test case with a chunk of edits applied; it is tried once it verifies and no equal one has been tried.

Source: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002 (ddmin).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp

from ....dialects.core.verification.verifier import verify
from .case import ReductionCase

Edit: TypeAlias = Callable[[], object]
"""Change of a test case in place. One whose op another edit has erased does nothing; one that raises is dropped."""


@dataclass(frozen=True)
class ReductionRule:
    """
    Rule of the table: `edits` returns the edits of a test case.

    The number and the order of edits depend on the structure of the test case alone, so that an edit of a clone is the
    one with the same index. Edits of later ops have greater indices: a chunk is applied from its end.
    """

    name: str
    edits: Callable[[ReductionCase], Sequence[Edit]]


@dataclass
class DeltaDebugger:
    """Search for a smaller test case that is still interesting; `best` is one at any time."""

    best: ReductionCase
    is_interesting: Callable[[ReductionCase], bool]
    """Predicate. It may change the test case that it is given."""
    is_verified: bool = True
    """Only candidates that verify are tried; not where the failure is one of the verifier."""
    progress: Callable[[DeltaDebugger], object] = field(default=lambda _: None)
    rule: str = ""
    tries: int = 0
    refused: int = 0
    """Candidates that do not verify."""
    _tried: set[int] = field(default_factory=set[int])

    def run(self, rules: Sequence[ReductionRule]) -> None:
        """Apply the rules until none of them reduces the test case."""
        self._tried.add(self.best.key())
        is_reduced = True
        while is_reduced:
            reductions = [self._by_rule(rule) for rule in rules]
            is_reduced = any(reductions)

    def _by_rule(self, rule: ReductionRule) -> bool:
        """Apply a rule to chunks of its edits, of all and then of half as many; return whether any has reduced."""
        self.rule = rule.name
        is_reduced = False
        size = len(rule.edits(self.best))
        while size:
            end = len(rule.edits(self.best))
            while end > 0:
                start = max(0, end - size)
                if self._accepts(rule, range(start, end)):
                    is_reduced = True
                    start = min(start, len(rule.edits(self.best)))
                end = start
            size = min(size // 2, len(rule.edits(self.best)))
        return is_reduced

    def _accepts(self, rule: ReductionRule, chunk: range) -> bool:
        """Try the candidate of a chunk of edits; it becomes the best where it is interesting."""
        candidate = self._candidate(rule, chunk)
        if candidate is None or not self.propose(candidate):
            return False
        edited = self._candidate(rule, chunk)  # the predicate has changed the first
        assert edited is not None
        self.best = edited
        self.progress(self)
        return True

    def propose(self, candidate: ReductionCase) -> bool:
        """Return whether a candidate is new, verifies and is interesting; it is used up."""
        key = candidate.key()
        if key in self._tried:
            return False
        self._tried.add(key)
        if self.is_verified and not verifies(candidate.module):
            self.refused += 1
            return False
        self.tries += 1
        self.progress(self)
        return self.is_interesting(candidate)

    def _candidate(self, rule: ReductionRule, chunk: range) -> ReductionCase | None:
        """Return the best test case with a chunk of edits applied, None where one raises."""
        candidate = self.best.clone()
        edits = rule.edits(candidate)
        try:
            for index in reversed(chunk):
                edits[index]()
        except Exception:  # definitions of ops and attributes raise any, where an edit makes what they refuse
            return None
        return candidate


def verifies(module: ModuleOp) -> bool:
    """Return whether a module verifies; definitions of ops raise any exception for what they do not expect."""
    try:
        verify(module)
    except Exception:
        return False
    return True
