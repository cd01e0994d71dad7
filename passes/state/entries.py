"""Entry points of a network: functions of a module with shared state and weights."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...dialects.core.buckets import BUCKET_OF
from ...dialects.ml_program import GlobalOp
from ...dialects.paged.ops import PoolOp
from ...errors import Diagnostic
from ...ir import functions


def add_entry(module: ModuleOp, other: ModuleOp, name: str, *, function: str = "network") -> None:
    """
    Move a function with state, and its buckets, from another module into this one under a new name.

    It shares the module's state, matched by cache names. Raises Diagnostic if its caches differ.
    """
    known, found = _states(module), _states(other)
    if known != found:
        odd = next(each for each in [*found, *known] if known.get(each) != found.get(each))
        raise Diagnostic(
            "two networks with a shared state have different caches",
            expected=f"@{odd}: {known[odd]}" if odd in known else "the caches " + ", ".join(known),
            found=f"@{odd}: {found[odd]}" if odd in found else f"no @{odd}",
            remedy="export both from one model, with inputs of the same names",
        )
    for each in functions(other):
        own = each.sym_name.data
        if own != function and each.attributes.get(BUCKET_OF) != StringAttr(function):
            continue
        each.detach()
        each.properties["sym_name"] = StringAttr(f"{name}{own.removeprefix(function)}")
        if BUCKET_OF in each.attributes:
            each.attributes[BUCKET_OF] = StringAttr(name)
        module.body.block.add_op(each)


def _states(module: ModuleOp) -> dict[str, str]:
    """Return the types of a module's states and the sizes of its paged stores, by symbol."""
    states: dict[str, str] = {}
    for op in module.body.block.ops:
        if isinstance(op, GlobalOp):
            states[op.sym_name.data] = str(op.type)
        elif isinstance(op, PoolOp):
            sizes = ", ".join(f"{name} {op.size(name)}" for name in op.SIZES)
            states[op.sym_name.data] = f"{sizes}, scale {op.scale}"
    return states
