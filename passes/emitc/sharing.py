"""Sharing of arenas and near-level memories between functions that do not run concurrently."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

from ...dialects.core.effects import callee_of
from ...dialects.core.nesting import nested_ops
from ...ir import functions
from ..memory.views import bytes_of

_Group: TypeAlias = "list[tuple[memref.GlobalOp, list[memref.GetGlobalOp]]]"
"""Memories, each with its `memref.get_global` ops."""


def share_memories(module: ModuleOp) -> None:
    """
    Merge arenas and near-level memories of a module with several public functions into the largest of each.

    Their contents do not outlive a call, and calls of public functions do not overlap. Functions at different depths of
    calls have memories of their own: one may call the other.
    """
    for group in _groups(module):
        _merge(group)


def spare_memories(module: ModuleOp) -> set[memref.GlobalOp]:
    """Return the memories that sharing replaces by others."""
    return {op for group in _groups(module) for op, _ in group if op is not _largest(group)}


def _groups(module: ModuleOp) -> list[_Group]:
    """Return groups of memories that may be merged."""
    public = [function for function in functions(module) if function.sym_visibility is None]
    if len(public) < 2:
        return []
    users, depths = _users(module), _depths(module)
    groups: dict[Hashable, _Group] = {}
    for op in module.body.block.ops:
        if not isinstance(op, memref.GlobalOp) or (kind := _kind(op)) is None:
            continue
        own = users.get(op.sym_name.data, [])
        within = {_function(user) for user in own}
        if len(within) == 1:
            groups.setdefault((kind, depths.get(within.pop())), []).append((op, own))
    return list(groups.values())


def _depths(module: ModuleOp) -> dict[FuncOp | None, int]:
    """Return the most calls that lead to each function: functions of one depth never run within each other."""
    by_name = {function.sym_name.data: function for function in functions(module)}
    callees = {function: _callees(function, by_name) for function in by_name.values()}
    depths: dict[FuncOp | None, int] = dict.fromkeys(by_name.values(), 0)
    for _ in by_name:
        deeper = [(function, callee) for function in callees for callee in callees[function]]
        changed = [pair for pair in deeper if depths[pair[1]] <= depths[pair[0]]]
        for function, callee in changed:
            depths[callee] = depths[function] + 1
        if not changed:
            break
    return depths


def _callees(function: FuncOp, by_name: Mapping[str, FuncOp]) -> list[FuncOp]:
    names = {callee_of(op) for op in nested_ops(function)}
    return [by_name[name] for name in sorted(filter(None, names)) if name in by_name]


def _kind(op: memref.GlobalOp) -> Hashable:
    """Return the key of memories that may be merged; None for other globals."""
    space = cast("MemRefType[Any]", op.type).memory_space
    if op.constant is not None or ("tilewright.arena" not in op.attributes and isinstance(space, NoneAttr)):
        return None
    kept = {key: value for key, value in op.attributes.items() if key != "tilewright.peak"}
    return space, op.alignment, frozenset(kept.items())


def _users(module: ModuleOp) -> dict[str, list[memref.GetGlobalOp]]:
    """Return the `memref.get_global` ops of each global."""
    users: dict[str, list[memref.GetGlobalOp]] = {}
    for op in nested_ops(module):
        if type(op) is memref.GetGlobalOp:
            users.setdefault(op.name_.string_value(), []).append(op)
    return users


def _function(op: memref.GetGlobalOp) -> FuncOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


def _largest(group: _Group) -> memref.GlobalOp:
    return max(group, key=lambda entry: bytes_of(entry[0].type))[0]


def _merge(group: _Group) -> None:
    largest = _largest(group)
    for op, users in group:
        if op is largest:
            continue
        for user in users:
            user.properties["name"] = SymbolRefAttr(StringAttr(largest.sym_name.data))
            Rewriter.replace_value_with_new_type(user.memref, largest.type)
        Rewriter.erase_op(op)
