"""Prefix of all C names of a network, so that several networks link into one program."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr

from ..dialects import emitc
from ..dialects.core.nesting import nested_ops
from ..dialects.core.ports import NAME
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass

_HEADERS = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)
"""C11 headers that a network's own header would shadow."""


def check_name(name: str) -> None:
    """Raise Diagnostic for a name that is not a valid prefix in C."""
    reason = ""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        reason = "letters, digits and '_', a letter first"
    elif name in _HEADERS:
        reason = f"another name than that of C's header {name}.h"
    elif re.match(r"(?i)tw(_|$)|tilewright", name):
        reason = "a name that does not begin as those of the runtime do: tw_, tilewright"
    if reason:
        raise Diagnostic(f"'{name}' cannot be the name of a network in C", expected=reason, found=name)


def name_network(module: ModuleOp, name: str) -> None:
    """
    Rename the functions and globals of a module of `emitc`: `network_x` becomes `<name>_x`, another `y` `<name>_y`.

    Raises Diagnostic if no function is public, and for a name reserved by C or the runtime.
    """
    check_name(name)
    functions = [op for op in module.body.block.ops if isinstance(op, emitc.FuncOp)]
    public = [op for op in functions if op.specifiers is None or StringAttr("static") not in op.specifiers.data]
    if not public:
        raise Diagnostic(
            "no function is public", where(module), "a network in emitc", remedy="run convert-to-emitc first"
        )
    old = f"{public[0].sym_name.data.removesuffix('_run')}_"
    defined = [op for op in module.body.block.ops if isinstance(op, emitc.FuncOp | emitc.GlobalOp)]
    renamed = {op.sym_name.data: StringAttr(f"{name}_{op.sym_name.data.removeprefix(old)}") for op in defined}
    if len(set(renamed.values())) < len(renamed):
        # Names with and without the old prefix collide.
        kept = {op.sym_name.data: renamed[op.sym_name.data] for op in public}
        renamed = {symbol: StringAttr(f"{name}_{symbol}") for symbol in renamed} | kept
    for op in defined:
        op.properties["sym_name"] = renamed[op.sym_name.data]
    for op in nested_ops(module):
        for key, value in op.properties.items():
            if isinstance(value, SymbolRefAttr) and value.root_reference.data in renamed:
                op.properties[key] = SymbolRefAttr(renamed[value.root_reference.data])
    module.attributes[NAME] = StringAttr(name)


@dataclass(frozen=True)
class NameNetworkPass(Pass):
    """
    Prefix all C names of a network with `name`: functions, variables, types, macros and files.

    Run it on `emitc`. In a program of several networks, all but one need a name.
    """

    name = "name-network"

    prefix: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        name_network(op, self.prefix)
