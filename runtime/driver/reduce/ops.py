"""Edits of ops: an op is erased, and what it gives comes from elsewhere; its region takes its place; blocks merge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from .case import ReductionCase
from .search import Edit, ReductionRule
from .stand_ins import (
    argument_of,
    constant_before,
    first_of_type,
    is_attached,
    is_function,
    is_terminator,
    stand_in,
    visible_values,
)

_Replacement: TypeAlias = Callable[[Operation, Attribute], SSAValue | None]
"""Value to use instead of a result of a type of an op, None where there is none."""


def _operand(op: Operation, type: Attribute) -> SSAValue | None:
    return first_of_type(op.operands, type)


def _visible(op: Operation, type: Attribute) -> SSAValue | None:
    return first_of_type(visible_values(op), type)


def _constant(op: Operation, type: Attribute) -> SSAValue | None:
    return constant_before(op, type)


def _edits_with(replacement: _Replacement, *, large: bool = False) -> Callable[[ReductionCase], list[Edit]]:
    """Return the edits that each erase an op, or only a `large` one, results that are used being replaced."""

    def edits(case: ReductionCase) -> list[Edit]:
        ops = [op for op in case.module.walk() if op is not case.module and (_is_large(op) or not large)]
        erasable = [op for op in ops if not is_terminator(op) and not is_function(op)]
        return [partial(_erase, op, case.module, replacement) for op in erasable]

    return edits


def _is_large(op: Operation) -> bool:
    """Return whether an op stands for others: those of its regions, or of a function that it calls."""
    return bool(op.regions) or any(isinstance(value, SymbolRefAttr) for value in op.properties.values())


def _erase(op: Operation, root: Operation, replacement: _Replacement) -> None:
    if not is_attached(op, root):
        return
    for result in op.results:
        if not result.uses:
            continue
        other = replacement(op, result.type)
        if other is None or other.owner is op:
            return
        result.replace_all_uses_with(other)
    op.detach()
    op.erase(safe_erase=False)


ERASURES = (
    ReductionRule("calls and regions to arguments", _edits_with(argument_of, large=True)),
    ReductionRule("ops to arguments", _edits_with(argument_of)),
    ReductionRule("ops to their operands", _edits_with(_operand)),
    ReductionRule("ops to earlier values", _edits_with(_visible)),
)
"""Rules that erase ops. Arguments come first: they cut a program without a change to what the other ops compute."""


def constants(case: ReductionCase) -> list[Edit]:
    """Return the edits that each replace an op with operands or regions by constant zeros."""
    ops = [op for op in case.module.walk() if op.results and (op.operands or op.regions) and not is_terminator(op)]
    return [partial(_erase, op, case.module, _constant) for op in ops]


def inlined_regions(case: ReductionCase) -> list[Edit]:
    """Return the edits that each put the ops of a block in the place of the op around it."""
    edits: list[Edit] = []
    for op in case.module.walk():
        if op is case.module or is_function(op):
            continue
        blocks = [region.blocks[0] for region in op.regions if len(region.blocks) == 1]
        edits += [partial(_inline, op, block, case.module) for block in blocks]
    return edits


def _inline(op: Operation, block: Block, root: Operation) -> None:
    """
    Move the ops of a block before the op around it, which is erased.

    The last arguments of the block are the last operands of the op, and its last results the last operands of the
    terminator, where the types allow it, as those of a loop are; other values stand in for the rest.
    """
    if not is_attached(op, root) or op.parent is None:
        return
    for argument, operand in _aligned(block.args, op.operands):
        value = operand or stand_in(op, argument.type)
        if argument.uses and value is None:
            return
        if value is not None:
            argument.replace_all_uses_with(value)
    last = block.last_op
    yielded = list(last.operands) if last is not None and is_terminator(last) else []
    pairs = _aligned(op.results, yielded)
    inner_ops = [inner for inner in block.ops if inner is not last or not is_terminator(inner)]
    for inner in inner_ops:
        inner.detach()
        op.parent.insert_op_before(inner, op)
    for result, value in pairs:
        value = value or (stand_in(op, result.type) if result.uses else None)
        if value is not None:
            result.replace_all_uses_with(value)
    op.detach()
    op.erase(safe_erase=False)


def _aligned(values: Sequence[SSAValue], others: Sequence[SSAValue]) -> list[tuple[SSAValue, SSAValue | None]]:
    """Pair values with others of the same type that are as far from the end, else with the first of the type."""
    pairs: list[tuple[SSAValue, SSAValue | None]] = []
    for index, value in enumerate(values):
        place = index - len(values) + len(others)
        other = others[place] if 0 <= place < len(others) else None
        if other is None or other.type != value.type:
            other = first_of_type(others, value.type)
        pairs.append((value, other))
    return pairs


def carried_values(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop a result of an op with regions, and the operand and values that carry it."""
    edits: list[Edit] = []
    for op in case.module.walk():
        if op.regions and not is_terminator(op):
            edits += [partial(_drop_carried, op, index, case.module) for index in range(len(op.results))]
    return edits


def _drop_carried(op: Operation, index: int, root: Operation) -> None:
    """Drop result `index`, and counted from the end its operand, block argument and operand of the terminator."""
    if not is_attached(op, root) or op.parent is None or index >= len(op.results):
        return
    result, from_end = op.results[index], len(op.results) - index
    if result.uses:
        other = _operand(op, result.type) or _visible(op, result.type)
        if other is None:
            return
        result.replace_all_uses_with(other)
    for region in op.regions:
        for block in region.blocks:
            _drop_in_block(block, from_end, result.type, op)
    operands = list(op.operands)
    if len(operands) >= from_end and operands[-from_end].type == result.type:
        del operands[-from_end]
    _recreate(op, operands, [other for other in op.results if other is not result])


def _drop_in_block(block: Block, from_end: int, type: Attribute, op: Operation) -> None:
    last = block.last_op
    if last is not None and is_terminator(last) and len(last.operands) >= from_end:
        last.operands = [value for place, value in enumerate(last.operands) if place != len(last.operands) - from_end]
    if len(block.args) >= from_end and block.args[-from_end].type == type:
        argument = block.args[-from_end]
        if argument.uses and (other := first_of_type(op.operands, type)) is not None:
            argument.replace_all_uses_with(other)
        block.erase_arg(argument)


def _recreate(op: Operation, operands: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
    """Replace an op by one with other operands and some of its results: an op keeps its number of results."""
    smaller = type(op).create(
        operands=operands,
        result_types=[result.type for result in results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        successors=list(op.successors),
        regions=[op.detach_region(region) for region in list(op.regions)],
        location=op.location,
    )
    assert op.parent is not None
    op.parent.insert_op_before(smaller, op)
    for result, other in zip(results, smaller.results, strict=True):
        result.replace_all_uses_with(other)
    op.detach()
    op.erase(safe_erase=False)


def merged_blocks(case: ReductionCase) -> list[Edit]:
    """Return the edits that each go on from a block with a copy of a successor: branches and blocks become fewer."""
    edits: list[Edit] = []
    for op in case.module.walk():
        edits += [partial(_continue_with, op, successor, case.module) for successor in op.successors]
    return edits


def _continue_with(terminator: Operation, successor: Block, root: Operation) -> None:
    """Replace a terminator by a copy of the ops of a successor; then erase the blocks that nothing reaches."""
    block = terminator.parent
    if block is None or not is_attached(terminator, root) or successor is block or successor.parent is None:
        return
    values: dict[SSAValue, SSAValue] = {}
    operands = list(terminator.operands)
    for argument in successor.args:
        value = first_of_type(operands, argument.type) or stand_in(terminator, argument.type)
        if value is None:
            return
        if value in operands:
            operands.remove(value)
        values[argument] = value
    for op in list(successor.ops):
        block.insert_op_before(op.clone(values), terminator)
    terminator.detach()
    terminator.erase()
    if block.parent is not None:
        _erase_unreached(block.parent)


def _erase_unreached(region: Region) -> None:
    pending, reached = [region.blocks[0]], set[Block]()
    while pending:
        block = pending.pop()
        if block in reached:
            continue
        reached.add(block)
        if block.last_op is not None:
            pending += block.last_op.successors
    for block in [block for block in region.blocks if block not in reached]:
        region.erase_block(block, safe_erase=False)
