"""Verification of ops against their definitions, memoised for structurally equal ops."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from itertools import chain, count
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments, OpDef
from xdsl.traits import IsolatedFromAbove, OpTrait

_REMEMBERED = 20_000
"""Greatest number of types, attributes and kinds of ops in the memo."""
_LARGE = 1024
"""The bytes of a tensor whose numbers no definition constrains: its type and size stand for it."""
_SEGMENTS = {AttrSizedOperandSegments.attribute_name, AttrSizedResultSegments.attribute_name}

_Facts = tuple[object, ...]


class _Numbers:
    """Numbers of types and attributes, the same for equal ones. No number is given twice."""

    def __init__(self) -> None:
        self.of: dict[int, int] = {}
        """By identity: most are the same objects again, and are not hashed. The objects are kept alive."""
        self._kept: list[Attribute] = []
        self._equal: dict[object, int] = {}
        self._next = count()

    def learn(self, op: Operation) -> list[Attribute]:
        """Number the types and attributes of an op; return those that are not kept."""
        arguments = (block.args for region in op.regions if (block := region.first_block) is not None)
        types = (value.type for value in chain(op.operands, op.results, *arguments))
        passing: list[Attribute] = []
        for attribute in chain(types, op.properties.values(), op.attributes.values()):
            if id(attribute) in self.of:
                continue
            key = _key_of(attribute)
            (self._kept if key is attribute else passing).append(attribute)
            self.of[id(attribute)] = self._equal.setdefault(key, next(self._next))
        return passing

    def forget(self) -> None:
        """Forget all, but which numbers have been given."""
        for table in (self.of, self._kept, self._equal):
            table.clear()


def _key_of(attribute: Attribute) -> object:
    """Return the canonical key of an attribute: the attribute itself, or the stand-in of a large tensor."""
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        return attribute
    tensor = cast("DenseIntOrFPElementsAttr[Any]", attribute)
    size = len(tensor.data.data)
    return tensor if size <= _LARGE else (type(tensor), tensor.type, size)


_numbers = _Numbers()
_known: set[_Facts] = set()


@contextmanager
def alike_verified_once() -> Generator[None]:
    """
    Let xDSL check one of several ops of equal types and attributes.

    What a definition says of an op depends on nothing else, but for its traits, which are always checked, save
    isolation, which the check of dominance implies. In a network of like layers hardly an op has no equal, and most
    passes leave most ops as they are.
    """
    verify = OpDef.verify
    if max(len(_numbers.of), len(_known)) > _REMEMBERED:
        _numbers.forget()
        _known.clear()

    def verify_new(self: OpDef, op: Operation) -> None:
        if op.successors:
            verify(self, op)
            return
        facts = _known_facts(self, op)
        if facts not in _known:
            verify(self, op)
            _known.add(facts)
            return
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
    checks = (trait for trait in op_class.traits if type(trait).verify is not OpTrait.verify)
    return tuple(trait for trait in checks if not isinstance(trait, IsolatedFromAbove))


def _known_facts(definition: OpDef, op: Operation) -> _Facts:
    try:
        return _facts_of(definition, op, _numbers.of)
    except KeyError:
        passing = _numbers.learn(op)
        facts = _facts_of(definition, op, _numbers.of)
        for attribute in passing:
            _numbers.of.pop(id(attribute), None)
        return facts


def _facts_of(definition: OpDef, op: Operation, numbers: dict[int, int]) -> _Facts:
    """
    Return the class, types and attributes of an op, and the form of its regions, each in its place.

    Attributes that the definition does not name do not count. Raises KeyError where a type or attribute has no number.
    """
    operands = [numbers[id(value.type)] for value in op.operands]
    results = [numbers[id(value.type)] for value in op.results]
    facts: list[object] = [type(op), len(operands), len(results), *operands, *results]
    for region in op.regions:
        block = region.first_block
        facts.append(len(region.blocks))
        facts += [numbers[id(argument.type)] for argument in block.args] if block is not None else ()
    for name, attribute in op.properties.items():
        facts += name, numbers[id(attribute)]
    declared = definition.attributes
    for name, attribute in op.attributes.items():
        if name in declared or name in _SEGMENTS:
            facts += name, numbers[id(attribute)]
    return tuple(facts)
