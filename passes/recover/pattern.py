"""
Patterns of operators at the graph level: expressions whose leaves are captures and numbers.

    Product("x", Sum(Node("Erf", Product("x", scale=0.7071)), offset=1), scale=0.5)

A text is a capture: the same text matches the same value. Products and sums match in any order and association, with
the constant factors and terms of all their operators taken together, and with division, Reciprocal, subtraction and Neg
as what they mean: so one pattern stands for what exporters write in many ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import isclose
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.registry import Registry, mentions
from ...dialects.onnx.schema import OnnxOp, is_constant
from ...ir import Array, shape_of
from ..lowering.lowerer import constant_of

TOLERANCE = 1e-5
"""How far a constant may be from the pattern's number, relative to that: exporters write six digits or more."""

DEPTH = 8
"""The largest number of operators on a path of one sum or product: a longer chain matches by the end of it."""


@dataclass(frozen=True)
class Spread:
    """A tree of products, or of sums, as its leaves, those taken inversely, and the number of its constants."""

    leaves: tuple[SSAValue, ...]
    inverse: tuple[SSAValue, ...]
    number: float
    ops: tuple[Operation, ...] = ()


Chains: TypeAlias = dict[tuple[SSAValue, int, bool], list[Spread]]
"""The ways to see a value as a chain of at most so many leaves, of sums or of products."""


@dataclass(frozen=True)
class Match:
    """Match of a pattern: `values` and `numbers` by capture, `nodes` by name, `ops` all operators in it."""

    values: Mapping[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    nodes: Mapping[str, OnnxOp] = field(default_factory=dict[str, OnnxOp])
    ops: frozenset[Operation] = frozenset()
    chains: Chains = field(default_factory=Chains, compare=False, repr=False)

    def with_value(self, name: str, value: SSAValue) -> Match | None:
        """Return this match with a capture, None where it is bound to another value."""
        bound = self.values.get(name)
        if bound is None:
            return replace(self, values={**self.values, name: value})
        return self if bound == value else None

    def with_number(self, target: float | str, number: float) -> Match | None:
        """Return this match where `number` is the target, or with the capture of that name; None otherwise."""
        if not isinstance(target, str):
            return self if isclose(number, target, rel_tol=TOLERANCE) else None
        bound = self.numbers.get(target)
        if bound is None:
            return replace(self, numbers={**self.numbers, target: number})
        return self if isclose(number, bound, rel_tol=TOLERANCE) else None


@dataclass(frozen=True)
class Number:
    """A constant all of whose elements are this number; a text captures the number."""

    value: float | str


class Node:
    """An operator with these inputs, in this order, and these attributes; `name` keeps the op."""

    def __init__(self, operator: str, *inputs: Pattern, name: str = "", **attributes: float):
        self.operator, self.inputs, self.name, self.attributes = f"onnx.{operator}", inputs, name, attributes

    def is_form_of(self, op: Operation) -> bool:
        """Return whether an op is this operator with as many inputs and results, and with these attributes."""
        if not isinstance(op, OnnxOp) or op.name != self.operator or len(op.results) != 1:
            return False
        if len(op.node_inputs) != len(self.inputs) or None in op.node_inputs:
            return False
        return all(isclose(op.attribute(key), value, rel_tol=TOLERANCE) for key, value in self.attributes.items())


class AnyOf:
    """The first of several patterns that matches."""

    def __init__(self, *options: Pattern):
        self.options = options


@dataclass(frozen=True)
class _Chain:
    """Base of products and sums: parts, parts taken inversely, and one number; a text captures that."""

    parts: tuple[Pattern, ...]
    inverse: tuple[Pattern, ...]
    number: float | str


class Product(_Chain):
    """The product of the factors, divided by those `over` which it is, times `scale`."""

    def __init__(self, *factors: Pattern, over: Sequence[Pattern] = (), scale: float | str = 1.0):
        super().__init__(factors, tuple(over), scale)


class Sum(_Chain):
    """The sum of the terms, less the others, plus `offset`."""

    def __init__(self, *terms: Pattern, less: Sequence[Pattern] = (), offset: float | str = 0.0):
        super().__init__(terms, tuple(less), offset)


Pattern: TypeAlias = str | Number | Node | AnyOf | Product | Sum

_PRODUCTS = Registry(
    "chain of a pattern", {"onnx.Mul": (False, False), "onnx.Div": (False, True), "onnx.Reciprocal": (True,)}
)
_SUMS = Registry("chain of a pattern", {"onnx.Add": (False, False), "onnx.Sub": (False, True), "onnx.Neg": (True,)})


def roots(pattern: Pattern) -> set[str]:
    """Return the names of the operators whose result the pattern may be."""
    match pattern:
        case Node():
            return {pattern.operator}
        case AnyOf():
            return set[str]().union(*(roots(option) for option in pattern.options))
        case Product():
            return set(_PRODUCTS)
        case Sum():
            return set(_SUMS)
        case _:
            return set()


def operators_of(pattern: Pattern) -> Iterator[str]:
    """Yield the names of the operators that the pattern spells out, those of its parts too."""
    match pattern:
        case Node():
            yield pattern.operator
            parts = pattern.inputs
        case AnyOf():
            parts = pattern.options
        case Product() | Sum():
            parts = (*pattern.parts, *pattern.inverse)
        case _:
            parts = ()
    for part in parts:
        yield from operators_of(part)


def matches(pattern: Pattern, root: Operation, chains: Chains) -> Iterator[Match]:
    """
    Yield the matches of a pattern that end in an op, whose inner values have no use outside.

    `chains` memoises the sums and products below the root for all patterns; it holds as long as no op changes.
    """
    for match in _match(pattern, root.results[0], Match(chains=chains)):
        if root in match.ops and _is_closed(match, root):
            yield match


def _is_closed(match: Match, root: Operation) -> bool:
    inner = (use for op in match.ops if op is not root for result in op.results for use in result.uses)
    return all(use.operation in match.ops for use in inner)


def _match(pattern: Pattern, value: SSAValue, match: Match) -> Iterator[Match]:
    match pattern:
        case str():
            extended = match.with_value(pattern, value)
            yield from [] if extended is None else [extended]
        case Number():
            number = _uniform(value)
            extended = None if number is None else match.with_number(pattern.value, number)
            yield from [] if extended is None else [extended]
        case AnyOf():
            for option in pattern.options:
                yield from _match(option, value, match)
        case Node():
            yield from _match_node(pattern, value, match)
        case _:
            yield from _match_chain(pattern, value, match)


@mentions("Cast", "Identity")
def _is_identity(op: Operation) -> bool:
    """Return whether an op forwards its operand: exporters cast to the type that a value has."""
    return op.name in ("onnx.Identity", "onnx.Cast") and op.operands[0].type == op.results[0].type


def _match_node(pattern: Node, value: SSAValue, match: Match) -> Iterator[Match]:
    op, passed = value.owner, list[Operation]()
    while isinstance(op, Operation) and _is_identity(op) and len(passed) < DEPTH:
        passed.append(op)
        op = op.operands[0].owner
    if not isinstance(op, OnnxOp) or not pattern.is_form_of(op):
        return
    nodes = {**match.nodes, pattern.name: op} if pattern.name else match.nodes
    yield from _match_all(pattern.inputs, op.operands, replace(match, nodes=nodes, ops=match.ops | {op, *passed}))


def _match_all(patterns: Sequence[Pattern], values: Sequence[SSAValue], match: Match) -> Iterator[Match]:
    if not patterns:
        yield match
        return
    for first in _match(patterns[0], values[0], match):
        yield from _match_all(patterns[1:], values[1:], first)


# Products and sums


def _match_chain(pattern: Product | Sum, value: SSAValue, match: Match) -> Iterator[Match]:
    limit = len(pattern.parts) + len(pattern.inverse)
    key = value, limit, isinstance(pattern, Sum)
    if key not in match.chains:
        match.chains[key] = list(_spreads(value, limit, DEPTH, is_sum=key[-1]))
    for spread in match.chains[key]:
        if (len(spread.leaves), len(spread.inverse)) != (len(pattern.parts), len(pattern.inverse)):
            continue
        start = match.with_number(pattern.number, spread.number)
        if start is None:
            continue
        start = replace(start, ops=start.ops.union(spread.ops))
        for parts in _match_in_any_order(pattern.parts, spread.leaves, start):
            yield from _match_in_any_order(pattern.inverse, spread.inverse, parts)


def _match_in_any_order(patterns: Sequence[Pattern], values: Sequence[SSAValue], match: Match) -> Iterator[Match]:
    for ordered in permutations(values):
        yield from _match_all(patterns, ordered, match)


def _spreads(value: SSAValue, limit: int, depth: int, *, is_sum: bool) -> Iterator[Spread]:
    """Yield the ways to see a value as a chain of at most `limit` leaves, `depth` operators deep; itself last."""
    neutral = 0.0 if is_sum else 1.0
    number = _uniform(value)
    if number is not None:
        yield Spread((), (), number)
    if limit and depth and number is None:
        yield from _opened(value, limit, depth, is_sum=is_sum)
    if limit:
        yield Spread((value,), (), neutral)


def _opened(value: SSAValue, limit: int, depth: int, *, is_sum: bool) -> Iterator[Spread]:
    op = value.owner
    if not isinstance(op, OnnxOp):
        return
    signs = (False,) if _is_identity(op) else (_SUMS if is_sum else _PRODUCTS).get(op.name)
    if signs is None:
        return
    needed = [int(constant_of(operand) is None) for operand in op.operands]
    for first in _spreads(op.operands[0], limit - sum(needed[1:]), depth - 1, is_sum=is_sum):
        left = _inverted(first, is_sum=is_sum) if signs[0] else first
        if left is None:
            continue
        if len(signs) == 1:
            yield replace(left, ops=(*left.ops, op))
            continue
        rest = limit - len(left.leaves) - len(left.inverse)
        for second in _spreads(op.operands[1], rest, depth - 1, is_sum=is_sum):
            right = _inverted(second, is_sum=is_sum) if signs[1] else second
            if right is not None:
                yield _joined(left, right, op, is_sum=is_sum)


def _inverted(spread: Spread, *, is_sum: bool) -> Spread | None:
    """Return the negative or the reciprocal of a chain, None where it is divided by zero."""
    if not is_sum and spread.number == 0:
        return None
    number = -spread.number if is_sum else 1 / spread.number
    return replace(spread, leaves=spread.inverse, inverse=spread.leaves, number=number)


def _joined(left: Spread, right: Spread, op: Operation, *, is_sum: bool) -> Spread:
    number = left.number + right.number if is_sum else left.number * right.number
    ops = (*left.ops, *right.ops, op)
    return Spread(left.leaves + right.leaves, left.inverse + right.inverse, number, ops)


def _uniform(value: SSAValue) -> float | None:
    """Return the number that all elements of a constant of floats are, None for other values."""
    if not is_constant(value.owner) or 0 in shape_of(value):
        return None
    values: Array | None = constant_of(value)
    if values is None or not np.issubdtype(np.asarray(values).dtype, np.floating):
        return None
    first = values.flat[0]
    return float(first) if bool(np.all(values == first)) else None
