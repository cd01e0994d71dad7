"""Choice of resident constants: those for which instances have no memory are streamed, loaded before each use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import LocalOp, ResidentOp
from ...dialects.hier.sharded import level_name
from ...ir import functions
from ..allocate_static import ancestor
from ..memory.arena import Lifetime
from ..proof.instances import Use, add_shards, memory_of, residents_of
from .arenas import shards_of

STREAMED = "hier.streamed"
"""Attribute of a constant that is loaded in each call: the reason."""

Arena: TypeAlias = Callable[[Sequence[Lifetime], str], int]
"""Bytes of the arena of some shards in a level."""


def stream_unfit(module: ModuleOp, machine: Machine, limit: int | None, arena: Arena) -> None:
    """
    Stream resident constants until the others fit the instances beside all else.

    All else are the arenas of shards, slots, and the buffers of programs, as if these were fused to one. With a
    `limit`, resident constants take at most so many bytes of an instance. A constant that is streamed frees no more
    than its bytes: best is the smallest with all bytes that are missing, else the largest; the last one of equals.
    """
    residents = [op for function in functions(module) for op in nested_ops(function) if isinstance(op, ResidentOp)]
    sizes = {op: _bytes(op, machine) for op in reversed(residents)}
    while sizes and (missing := _excess(module, machine, limit, arena)) > 0:
        while sizes and missing > 0:
            enough = [op for op, size in sizes.items() if size >= missing]
            op = min(enough, key=sizes.__getitem__) if enough else max(sizes, key=sizes.__getitem__)
            _stream(op, f"{sizes[op]} bytes of an instance, where {missing} are missing")
            missing -= sizes.pop(op)


def _bytes(op: ResidentOp, machine: Machine) -> int:
    """Return the bytes that a resident constant takes in an instance."""
    used: Use = Counter()
    add_shards(used, machine, op.result.type)
    return max(used.values())


def _excess(module: ModuleOp, machine: Machine, limit: int | None, arena: Arena) -> int:
    """Return by how many bytes the program exceeds the memory of an instance, or resident constants their limit."""
    kept = {function: residents_of(function, machine) for function in functions(module)}
    levels = {level_name(op.result.type) for op in nested_ops(module) if isinstance(op, ResidentOp)}
    worst = -1
    for name in sorted(filter(None, levels)):
        level = machine.level(name)
        resident = sum(_largest(use, name) for use in kept.values())
        worst = max(worst, resident - (level.size if limit is None else limit))
        for function, own in kept.items():
            needed = _needed(function, machine, name, arena) + resident - _largest(own, name)
            worst = max(worst, needed - level.size)
    return worst


def _needed(function: FuncOp, machine: Machine, level: str, arena: Arena) -> int:
    """Return the bytes of an instance that a function needs once its shards are in arenas."""
    separate, together = Counter[tuple[str, tuple[int, ...]]](), 0
    for (name, _), values in shards_of(function).items():
        for op, _ in values if name == level else ():
            add_shards(separate, machine, op.memref.type)
        together += arena([lifetime for _, lifetime in values], name) if name == level else 0
    return _largest(memory_of(function, machine, fused=True), level) - _largest(separate, level) + together


def _largest(use: Use, level: str) -> int:
    """Return the most bytes of an instance of a level."""
    return max((size for (name, _), size in use.items() if name == level), default=0)


def _stream(op: ResidentOp, reason: str) -> None:
    """Load a resident constant before each op of the function that uses it, into a sharded value of its own."""
    block = op.parent_block()
    assert block is not None
    steps = {user: number for number, user in enumerate(block.ops)}
    users: dict[Operation, list[LocalOp]] = {}
    for use in list(op.result.uses):
        assert isinstance(use.operation, LocalOp)
        users.setdefault(ancestor(use.operation, steps), []).append(use.operation)
    for user in sorted(users, key=steps.__getitem__):
        loaded = _loaded(op, user)
        for local in users[user]:
            local.operands[0] = loaded
    for allocation in nested_ops(op):
        if isinstance(allocation, memref.GetGlobalOp):
            _definition(op, allocation).attributes[STREAMED] = StringAttr(reason)
    passed = _allocations(op)
    Rewriter.erase_op(op)
    for allocation in passed:
        if not allocation.memref.uses.get_length():
            Rewriter.erase_op(allocation)


def _loaded(op: ResidentOp, before: Operation) -> SSAValue:
    """Insert a copy of the region of a resident constant, with values of its own."""
    shard = memref.AllocaOp.get(
        op.result.type.get_element_type(), shape=op.result.type.get_shape(), memory_space=op.result.type.memory_space
    )
    shard.location, shard.memref.name_hint = op.location, "streamed"
    mapping: dict[SSAValue, SSAValue] = {op.body.block.args[0]: shard.memref}
    copies: list[Operation] = [shard]
    for inner in _allocations(op):
        copies.append(inner.clone())
        copies[-1].location = inner.location
        mapping[inner.memref] = copies[-1].results[0]
    Rewriter.insert_op(copies, InsertPoint.before(before))
    for inner in op.body.block.ops:
        Rewriter.insert_op(inner.clone(mapping), InsertPoint.before(before))
    return shard.memref


def _allocations(op: ResidentOp) -> list[memref.AllocaOp]:
    """Return the sharded values by which the region of a resident constant passes its parts."""
    used = [value.owner for inner in nested_ops(op) for value in inner.operands]
    allocations = [owner for owner in used if isinstance(owner, memref.AllocaOp) and owner.parent is op.parent]
    return list(dict.fromkeys(allocations))


def _definition(op: ResidentOp, use: memref.GetGlobalOp) -> memref.GlobalOp:
    """Return the definition of a constant."""
    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    assert module is not None
    return next(
        definition
        for definition in module.body.block.ops
        if isinstance(definition, memref.GlobalOp) and definition.sym_name.data == use.name_.string_value()
    )
