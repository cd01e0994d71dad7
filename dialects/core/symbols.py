"""Symbols that ops define, of verified ops and of others."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation


def symbol_name(op: Operation) -> str | None:
    """
    Return the symbol that an op defines; None for none.

    Ops that do not verify may lack the name that their definition asks for, or have one of another type, for which
    the trait's own `get_sym_attr_name` raises: these define no symbol.
    """
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None
