"""Several ways into one network: functions of a module that share its state and its weights."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.ml_program import GlobalOp

from ...errors import Diagnostic
from ...ir import functions


def add_entry(module: ModuleOp, other: ModuleOp, name: str) -> None:
    """
    Move the network of another module with state into a module, under a name of its own.

    It uses the state of the module, which is found by the names of the caches. Raises Diagnostic where it has other
    caches.
    """
    known = {op.sym_name.data: op.type for op in module.body.block.ops if isinstance(op, GlobalOp)}
    found = {op.sym_name.data: op.type for op in other.body.block.ops if isinstance(op, GlobalOp)}
    if known != found:
        odd = next(each for each in [*found, *known] if known.get(each) != found.get(each))
        raise Diagnostic(
            "two networks that are to share a state have other caches",
            expected=f"@{odd} of type {known[odd]}" if odd in known else "the caches " + ", ".join(known),
            found=f"@{odd} of type {found[odd]}" if odd in found else f"no @{odd}",
            remedy="export both from one model, with inputs of the same names",
        )
    function = next(op for op in functions(other) if op.sym_name.data == "network")
    function.detach()
    function.properties["sym_name"] = StringAttr(name)
    module.body.block.add_op(function)
