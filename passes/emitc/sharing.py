"""Memory that functions share because only one of them runs at a time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

from ...ir import functions
from ..memory.views import bytes_of


def share_memories(module: ModuleOp) -> None:
    """
    Let the public functions of a module have one arena, and one memory in each near level: the largest of theirs.

    What is in them does not outlive a call, and calls do not overlap.
    """
    public = [function for function in functions(module) if function.sym_visibility is None]
    if len(public) < 2:
        return
    groups: dict[Hashable, list[tuple[memref.GlobalOp, list[memref.GetGlobalOp]]]] = {}
    for op in module.body.block.ops:
        if not isinstance(op, memref.GlobalOp) or (kind := _kind(op)) is None:
            continue
        users = _users(module, op)
        if len({_function(user) for user in users}) == 1:
            groups.setdefault(kind, []).append((op, users))
    for group in groups.values():
        _merge(group)


def _kind(op: memref.GlobalOp) -> Hashable:
    """Return what tells memories apart that may be one; None for globals that are no such memory."""
    space = cast("MemRefType[Any]", op.type).memory_space
    if "tilewright.arena" not in op.attributes and isinstance(space, NoneAttr):
        return None
    kept = {key: value for key, value in op.attributes.items() if key != "tilewright.peak"}
    return space, op.constant, op.alignment, frozenset(kept.items())


def _users(module: ModuleOp, op: memref.GlobalOp) -> list[memref.GetGlobalOp]:
    gets = (user for user in module.walk() if isinstance(user, memref.GetGlobalOp))
    return [user for user in gets if user.name_.string_value() == op.sym_name.data]


def _function(op: memref.GetGlobalOp) -> FuncOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


def _merge(group: list[tuple[memref.GlobalOp, list[memref.GetGlobalOp]]]) -> None:
    largest, _ = max(group, key=lambda entry: bytes_of(entry[0].type))
    for op, users in group:
        if op is largest:
            continue
        for user in users:
            user.properties["name"] = SymbolRefAttr(StringAttr(largest.sym_name.data))
            Rewriter.replace_value_with_new_type(user.memref, largest.type)
        Rewriter.erase_op(op)
