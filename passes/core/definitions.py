"""xDSL's check of ops against their definitions, done once for ops that are alike."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Operation
from xdsl.irdl import OpDef
from xdsl.traits import IsolatedFromAbove, OpTrait

_REMEMBERED = 20_000
"""How many ops' types and attributes are kept from one check to the next."""

_NUMBERS = (DenseIntOrFPElementsAttr, DenseResourceAttr)

_known: set[tuple[object, ...]] = set()
_same: dict[tuple[int, ...], tuple[object, ...]] = {}
"""Facts that are known, by which objects they are, for types and attributes are mostly the same objects again."""


@contextmanager
def alike_verified_once() -> Generator[None]:
    """
    Let xDSL check one of several ops of equal types and attributes.

    What a definition says of an op depends on nothing else, but for its traits, which are always checked, save
    isolation, which the check of dominance implies. In a network of like layers hardly an op has no equal, and most
    passes leave most ops as they are. What was found of ops that hold the numbers of tensors is forgotten afterwards.
    """
    verify, known_now = OpDef.verify, set[tuple[object, ...]]()
    for remembered in (_known, _same):
        if len(remembered) > _REMEMBERED:
            remembered.clear()

    def verify_new(self: OpDef, op: Operation) -> None:
        if op.successors:
            verify(self, op)
            return
        facts = _facts_of(op)
        objects = tuple(map(id, facts))
        if objects not in _same:
            holds_numbers = _holds_numbers(op)
            known = known_now if holds_numbers else _known
            if facts not in known:
                verify(self, op)
                known.add(facts)
                return
            if not holds_numbers:
                _same[objects] = facts
        for trait in _checking(type(op)):
            trait.verify(op)

    OpDef.verify = verify_new
    try:
        yield
    finally:
        OpDef.verify = verify


@cache
def _checking(op_class: type[Operation]) -> tuple[OpTrait, ...]:
    """Return the traits of ops that check something."""
    checks = (each for each in op_class.traits if type(each).verify is not OpTrait.verify)
    return tuple(each for each in checks if not isinstance(each, IsolatedFromAbove))


def _holds_numbers(op: Operation) -> bool:
    return any(isinstance(each, _NUMBERS) for each in (*op.properties.values(), *op.attributes.values()))


def _facts_of(op: Operation) -> tuple[object, ...]:
    """Return the class, types and attributes of an op, and the form of its regions, each in its place."""
    operands, results = [value.type for value in op.operands], [value.type for value in op.results]
    facts: list[object] = [type(op), len(operands), len(results), *operands, *results]
    for region in op.regions:
        block = region.first_block
        facts.append(len(region.blocks))
        facts += [argument.type for argument in block.args] if block is not None else ()
    for named in (op.properties, op.attributes):
        facts += (len(named), *named, *named.values())
    return tuple(facts)
