"""Entry points of a network: functions of a module with shared state and weights."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...dialects.core.buckets import BUCKET_OF
from ...dialects.ml_program import GlobalOp
from ...dialects.paged.ops import PagedPoolOp
from ...errors import Diagnostic
from ...ir import functions


def add_entry(module: ModuleOp, other: ModuleOp, name: str, *, function: str = "network") -> None:
    """
    Move a function with state, and its buckets, from another module into this one under a new name.

    It shares the module's state, matched by cache names. Raises Diagnostic if its caches differ.
    """
    states, others = _states(module), _states(other)
    if states != others:
        odd = next(symbol for symbol in [*others, *states] if states.get(symbol) != others.get(symbol))
        raise Diagnostic(
            "two networks with a shared state have different caches",
            expected=f"@{odd}: {states[odd]}" if odd in states else "the caches " + ", ".join(states),
            found=f"@{odd}: {others[odd]}" if odd in others else f"no @{odd}",
            remedy="export both from one model, with inputs of the same names",
        )
    for copied in functions(other):
        own = copied.sym_name.data
        if own != function and copied.attributes.get(BUCKET_OF) != StringAttr(function):
            continue
        copied.detach()
        copied.properties["sym_name"] = StringAttr(f"{name}{own.removeprefix(function)}")
        if BUCKET_OF in copied.attributes:
            copied.attributes[BUCKET_OF] = StringAttr(name)
        module.body.block.add_op(copied)


def _states(module: ModuleOp) -> dict[str, str]:
    """Return the types of a module's states and the sizes of its paged stores, by symbol."""
    states: dict[str, str] = {}
    for op in module.body.block.ops:
        if isinstance(op, GlobalOp):
            states[op.sym_name.data] = str(op.type)
        elif isinstance(op, PagedPoolOp):
            sizes = ", ".join(f"{name} {op.size(name)}" for name in op.SIZES)
            states[op.sym_name.data] = f"{sizes}, scale {op.scale}"
    return states
