"""Registry of patterns and the operators that they are raised to, with helpers that rules share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.registry import treats
from ...ir import shape_of
from ..state.nodes import node
from .pattern import Match, Pattern, operators_of

Build = Callable[[Match, Operation], SSAValue | None]
"""`(match, root) -> value`: inserts the operator before the root. None, and nothing inserted, where it says another."""


@dataclass(frozen=True)
class RecoveryRule:
    """A pattern that means an operator."""

    operator: str
    pattern: Pattern
    build: Build


RULES: list[RecoveryRule] = []
"""All rules; of those that match at one op, the first counts."""


def recovers(operator: str, *patterns: Pattern) -> Callable[[Build], Build]:
    """Register a function as the builder of an ONNX operator from one of these patterns."""

    def register(build: Build) -> Build:
        RULES.extend(RecoveryRule(operator, pattern, build) for pattern in patterns)
        treats("recovery", [operator], build)
        treats("pattern", [name for pattern in patterns for name in operators_of(pattern)], build)
        return build

    return register


def fits(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Return whether a shape broadcasts to another, without changing that."""
    if len(shape) > len(target):
        return False
    return all(own in (1, full) for own, full in zip(reversed(shape), reversed(target), strict=False))


def pointwise(operator: str, **attributes: str) -> Build:
    """Return a builder of an operator of the capture x alone; a number captured as alpha is its attribute."""

    def build(match: Match, root: Operation) -> SSAValue | None:
        x, result = match.values["x"], root.results[0]
        if shape_of(x) != shape_of(result):
            return None
        return node(operator, [x], result.type, root, **attributes, **match.numbers)

    return build
