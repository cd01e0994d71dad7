"""Common subexpressions, structured kernels included."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from ..dialects.ml_program import GlobalLoadOp
from .core.base import Pass


def eliminate_common(region: Region, known: dict[Hashable, Operation]) -> None:
    """
    Let each op of a region without effects that equals an earlier one give way to it.

    `known` holds the ops in whose sight the region stands; it is as it was afterwards.
    """
    for block in region.blocks:
        own: list[Hashable] = []
        for op in list(block.ops):
            _eliminate(op, known, own)
        for key in own:
            del known[key]


def _eliminate(op: Operation, known: dict[Hashable, Operation], own: list[Hashable]) -> None:
    """Let an op give way to an equal one in `known`, or enter it there, and its key in `own`."""
    if not _is_value(op):
        for inner in op.regions:
            eliminate_common(inner, known)
        return
    key = _key(op)
    first = known.setdefault(key, op)
    if first is op:
        own.append(key)
    else:
        Rewriter.replace_op(op, [], first.results)


def _is_value(op: Operation) -> bool:
    """Return whether an op only computes its results from its operands."""
    if not op.results or op.successors or isinstance(op, GlobalLoadOp):
        return False
    if op.regions:
        return all(isinstance(value.type, TensorType) for value in op.results) and all(
            is_side_effect_free(inner) for region in op.regions for inner in region.walk() if inner.next_op is not None
        )
    return is_side_effect_free(op) or all(isinstance(value.type, TensorType) for value in op.results)


def _key(op: Operation) -> Hashable:
    """Return what equal ops have in common: name, operands, attributes, types and the structure of their regions."""
    names: dict[SSAValue, Hashable] = {}
    return _describe(op, names)


def _describe(op: Operation, names: dict[SSAValue, Hashable]) -> Hashable:
    operands = tuple(names.get(value, value) for value in op.operands)
    attributes = frozenset(op.properties.items()), frozenset(op.attributes.items())
    regions = tuple(tuple(_describe_block(block, names) for block in region.blocks) for region in op.regions)
    for value in op.results:
        names[value] = len(names)
    return op.name, operands, attributes, tuple(value.type for value in op.results), regions


def _describe_block(block: Block, names: dict[SSAValue, Hashable]) -> Hashable:
    for argument in block.args:
        names[argument] = len(names)
    return tuple(argument.type for argument in block.args), tuple(_describe(op, names) for op in block.ops)


@dataclass(frozen=True)
class CsePass(Pass):
    """
    Compute each value once: an op without effects that equals an earlier one is replaced by it.

    Kernels on tensors count, bodies and all. Locations do not: the first op's stays.
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for region in op.regions:
            eliminate_common(region, {})
