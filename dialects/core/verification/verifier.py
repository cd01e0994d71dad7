"""The IR verifier, SSA dominance included."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from ....errors import Diagnostic, note_at
from ....locations import where
from ....plugins import author_place
from ..symbols import symbol_name
from .definitions import alike_verified_once
from .dominance import dominator_tree, is_in_graph_region
from .notes import current_operation, definition, redefined_symbol
from .reshapes import verify_reshape

Errors: TypeAlias = list[tuple[Operation, Diagnostic]]
"""Errors, each with the innermost op of a block that it is about."""


def verify(op: Operation) -> None:
    """
    Check that the IR is well formed, SSA dominance included.

    Raises Diagnostic that names the first op which is not. What xDSL's `Operation.verify` checks is checked, but a
    failure does not print the whole module, whose constants may be huge.
    """
    with _symbols_in_tables(), alike_verified_once():
        _verify_op(op, set(op.operands), None)


def verification_errors(op: Operation) -> list[tuple[Operation, Diagnostic]]:
    """Return the errors of all ops that are not well formed, each with its op, in the order in which they are seen."""
    errors: Errors = []
    with _symbols_in_tables(), alike_verified_once():
        try:
            _verify_op(op, set(op.operands), errors)
        except Diagnostic as error:
            errors.append((op, error))
    return errors


@contextmanager
def _symbols_in_tables() -> Generator[None]:
    """Let xDSL's verifiers find a symbol in a table made once, while no op changes: its own search is linear."""
    search, tables = SymbolTable.lookup_symbol, dict[Operation, dict[str, Operation]]()

    def lookup(op: Operation, name: str | StringAttr | SymbolRefAttr) -> Operation | None:
        anchor: Operation | None = op
        while anchor is not None and not anchor.has_trait(SymbolTable):
            anchor = anchor.parent_op()
        if anchor is None or (isinstance(name, SymbolRefAttr) and name.nested_references):
            return search(op, name)
        if anchor not in tables:
            tables[anchor] = _symbols_of(anchor)
        root = name.root_reference if isinstance(name, SymbolRefAttr) else name
        return tables[anchor].get(root if isinstance(root, str) else root.data)

    SymbolTable.lookup_symbol = staticmethod(lookup)
    try:
        yield
    finally:
        SymbolTable.lookup_symbol = staticmethod(search)


def _symbols_of(table: Operation) -> dict[str, Operation]:
    """Return the ops that a symbol table names, of equal names the first."""
    symbols: dict[str, Operation] = {}
    for op in table.regions[0].block.ops:
        if op.has_trait(SymbolOpInterface) and (name := symbol_name(op)) is not None:
            symbols.setdefault(name, op)
    return symbols


def _verify_op(op: Operation, visible: set[SSAValue] | None, errors: Errors | None) -> None:
    """
    Check an op to which the values `visible` are visible, or any where it is None: in code that is never reached.

    The errors of ops in its regions are added to `errors`, and raised where it is None.
    """
    if visible is None or not visible.issuperset(op.operands):
        _verify_operands(op, visible)
    if op.regions:
        inner = set[SSAValue]() if _is_isolated(op) else visible
        for region in op.regions:
            _verify_region(region, inner, errors)
    try:
        if type(op).verify is Operation.verify:
            op.verify_()
        else:
            op.verify(verify_nested_ops=False)
        verify_reshape(op)
    except Diagnostic:
        raise
    # xDSL's own ops raise others, too: scf.while a bare Exception.
    except Exception as error:
        raise _refused(op, error) from error


def _refused(op: Operation, error: Exception) -> Diagnostic:
    """Return the error of an op whose own verifier raised one."""
    if redefinition := redefined_symbol(op):
        second, first, name = redefinition
        note = note_at(where(first), "see existing symbol definition here")
        return _failure(second, f"redefinition of symbol named '{name}'", notes=[note])
    message = str(error).strip().splitlines()
    reason = message[-1] if message else "no reason given"
    place = "" if isinstance(error, VerifyException) else author_place(error)
    notes = [f"{place} raises {type(error).__name__}"] if place else []
    return _failure(op, f"'{_name(op)}' does not verify: {reason}", notes=notes)


def _failure(op: Operation, message: str, expected: str = "", notes: Sequence[str] = ()) -> Diagnostic:
    return Diagnostic(message, where=where(op), expected=expected, notes=[current_operation(op), *notes])


def _verify_operands(op: Operation, visible: set[SSAValue] | None) -> None:
    """Check those operands of an op that are not among the values `visible`."""
    for index, operand in enumerate(op.operands):
        if visible is not None and operand in visible:
            continue
        around = _isolated_from(op, operand)
        if around is not None:
            message = f"operand {index} of '{_name(op)}' is defined outside of '{_name(around)}', which is isolated"
            expected = f"a value that is defined within '{_name(around)}'"
            raise _failure(op, message, expected, [definition(operand, op)])
        if visible is not None and not is_in_graph_region(operand, op):
            message = f"operand {index} of '{_name(op)}' does not dominate its use"
            expected = "a value that is defined earlier, in this block or one around it"
            raise _failure(op, message, expected, [definition(operand, op)])


def _name(op: Operation) -> str:
    """Return the name of an op, also of one that is not registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _is_isolated(op: Operation) -> bool:
    """Return whether an op is isolated from above, which is not known of one that is not registered."""
    return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _isolated_from(op: Operation, operand: SSAValue) -> Operation | None:
    """Return the innermost op around this one that is isolated from above, where the operand is not within it."""
    around = op.parent_op()
    while around is not None and not _is_isolated(around):
        around = around.parent_op()
    owner = operand.owner
    if around is None or (owner is not around and around.is_ancestor(owner)):
        return None
    return around


def _verify_end(op: Operation, block: Block) -> None:
    """Check an op that ends its block, or jumps."""
    region = block.parent
    if op.successors and block.last_op is not op:
        raise _failure(op, f"'{_name(op)}' jumps, but is not the last op of its block")
    if any(successor.parent is not region for successor in op.successors):
        raise _failure(op, f"'{_name(op)}' jumps into another region")
    parent = region.parent if region is not None else None
    if region is None or parent is None or op.has_trait(IsTerminator):
        return
    if region.first_block is not region.last_block or not parent.has_trait(NoTerminator):
        raise _failure(op, f"'{_name(op)}' ends a block, but is not a terminator", "a terminator")


def _verify_region(region: Region, visible: set[SSAValue] | None, errors: Errors | None) -> None:
    """Check a region whose surroundings define `visible`; restores `visible` before it returns."""
    entry = region.first_block
    if entry is None:
        return
    if visible is None:
        for block in region.blocks:
            _verify_block(block, None, errors)
        return
    if entry is region.last_block:
        visible.difference_update(_verify_block(entry, visible, errors))
        return
    children = dominator_tree(region)
    pending: list[Block | list[SSAValue]] = [entry]
    while pending:
        block = pending.pop()
        if isinstance(block, list):
            visible.difference_update(block)
            continue
        pending.append(_verify_block(block, visible, errors))
        pending += reversed(children[block])
    for block in region.blocks:
        if block not in children:
            _verify_block(block, None, errors)


def _verify_block(block: Block, visible: set[SSAValue] | None, errors: Errors | None) -> list[SSAValue]:
    """Verify a block, add the values that it defines to `visible`, and return them."""
    defined: list[SSAValue] = [*block.args]
    if visible is not None:
        visible.update(defined)
    op = block.first_op
    parent = block.parent_op()
    if op is None and parent is not None and not parent.has_trait(NoTerminator):
        raise _failure(parent, f"'{_name(parent)}' has an empty block", "a terminator in it")
    while op is not None:
        following = op.next_op
        try:
            if following is None or op.successors:
                _verify_end(op, block)
            _verify_op(op, visible, errors)
        except Diagnostic as error:
            if errors is None:
                raise
            errors.append((op, error))
        results = op.results
        defined += results
        if visible is not None:
            visible.update(results)
        op = following
    return defined
