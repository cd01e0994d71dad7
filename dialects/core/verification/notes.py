"""Notes of errors about ops: the op itself, and the place of what it refers to, in upstream's words."""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import SymbolOpInterface, SymbolTable

from ....errors import note_at
from ....locations import where
from ..symbols import symbol_name

CURRENT_OPERATION = "see current operation"
"""Begin of the note that shows the op of an error."""
_WIDEST = 160
"""The columns of an op in a note."""
_FEW = 8
"""The elements of a constant that a note shows in full."""


def current_operation(op: Operation) -> str:
    """Return the note that shows an op in its generic form, without regions and big constants."""
    from ..syntax.text import one_line

    text = one_line(op, elide=_FEW, generic=True)
    return f"{CURRENT_OPERATION}: {text if len(text) <= _WIDEST else f'{text[:_WIDEST]}...'}"


def definition(operand: SSAValue, op: Operation) -> str:
    """Return the note that says where an operand of an op is defined: its place, and how its block lies to the op's."""
    if isinstance(operand, BlockArgument):
        around = operand.block.parent_op()
        where_argument = f"argument #{operand.index} of a block {_relation(operand.block, op)}"
        return note_at(where(around) if around else "", f"operand defined here ({where_argument})")
    owner = operand.owner
    assert isinstance(owner, Operation)
    return note_at(where(owner), f"operand defined here (op {_relation(owner.parent, op)})")


def _relation(block: Block | None, op: Operation) -> str:
    """Describe the position of a block relative to that of an op, in upstream's words."""
    user = op.parent
    if block is user:
        return "in the same block"
    region, around = block.parent if block else None, user.parent if user else None
    if region is around:
        return "in the same region"
    if _is_around(region, op):
        return "in a parent region"
    outer = region.parent if region else None
    if outer is not None and around is not None and around.is_ancestor(outer):
        return "in a child region"
    return "neither in a parent nor in a child region"


def _is_around(region: Region | None, op: Operation) -> bool:
    return region is not None and region.is_ancestor(op)


def redefined_symbol(op: Operation) -> tuple[Operation, Operation, str] | None:
    """Return the first op of a symbol table whose symbol another has, that other op, and the symbol; None for none."""
    if not op.has_trait(SymbolTable):
        return None
    symbols: dict[str, Operation] = {}
    for inner in (inner for region in op.regions for block in region.blocks for inner in block.ops):
        name = symbol_name(inner) if inner.has_trait(SymbolOpInterface) else None
        if name is None:
            continue
        if name in symbols:
            return inner, symbols[name], name
        symbols[name] = inner
    return None
