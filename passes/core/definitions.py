"""xDSL's check of ops against their definitions, done once for ops that are alike."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Operation
from xdsl.irdl import OpDef

_REMEMBERED = 20_000
"""How many ops' types and attributes are kept from one check to the next."""

_NUMBERS = (DenseIntOrFPElementsAttr, DenseResourceAttr)

_known: set[tuple[object, ...]] = set()


@contextmanager
def alike_verified_once() -> Generator[None]:
    """
    Let xDSL check one of several ops of equal types and attributes.

    What a definition says of an op depends on nothing else, but for its traits, which are always checked. In a network
    of like layers hardly an op has no equal, and most passes leave most ops as they are. What was found of ops that
    hold the numbers of tensors is forgotten after the check.
    """
    verify, known_now = OpDef.verify, set[tuple[object, ...]]()
    if len(_known) > _REMEMBERED:
        _known.clear()

    def verify_new(self: OpDef, op: Operation) -> None:
        if op.successors:
            verify(self, op)
            return
        known, facts = known_now if _holds_numbers(op) else _known, _facts_of(op)
        if facts not in known:
            verify(self, op)
            known.add(facts)
            return
        for trait in self.traits:
            trait.verify(op)

    OpDef.verify = verify_new
    try:
        yield
    finally:
        OpDef.verify = verify


def _holds_numbers(op: Operation) -> bool:
    return any(isinstance(each, _NUMBERS) for each in (*op.properties.values(), *op.attributes.values()))


def _facts_of(op: Operation) -> tuple[object, ...]:
    """Return the class, types and attributes of an op, and the form of its regions, each in its place."""
    facts: list[object] = [type(op), len(op.operands)]
    facts += [value.type for value in op.operands]
    facts.append(len(op.results))
    facts += [value.type for value in op.results]
    for region in op.regions:
        block = region.first_block
        facts.append(len(region.blocks))
        facts += [argument.type for argument in block.args] if block is not None else ()
    for named in (op.properties, op.attributes):
        facts.append(len(named))
        facts += named
        facts += named.values()
    return tuple(facts)
