"""Arenas of the instances of a mesh: the shards that have addresses in one memory of each instance."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp

from ...dialects.hier import LocalOp
from ...dialects.hier.sharded import is_sharded, shard_type, sharding_of
from ..allocate_static import ancestor
from ..memory.arena import Lifetime
from ..memory.views import bytes_of

Instances: TypeAlias = "tuple[str, tuple[int, ...]]"
"""Level, and the extents of its coordinates."""


def shards_of(function: FuncOp) -> dict[Instances, list[tuple[memref.AllocaOp, Lifetime]]]:
    """Compute the live range of each sharded value in ops of a function's body, by the instances that hold shards."""
    steps = {op: index for index, op in enumerate(function.body.block.ops)}
    shards: dict[Instances, list[tuple[memref.AllocaOp, Lifetime]]] = {}
    for op in function.body.block.ops:
        if not isinstance(op, memref.AllocaOp) or not is_sharded(op.memref.type) or not _is_in_all(op):
            continue
        sharding, size = sharding_of(op.memref.type), bytes_of(shard_type(cast("MemRefType[Any]", op.memref.type)))
        values = shards.setdefault((sharding.level, sharding.over), [])
        used = sorted({steps[ancestor(use.operation, steps)] for use in op.memref.uses}) or [steps[op]]
        name = op.memref.name_hint or f"shards_{len(values)}"
        values.append((op, Lifetime(name, size, used[0], used[-1])))
    return shards


def _is_in_all(op: memref.AllocaOp) -> bool:
    """Return whether all instances hold a shard, which programs alone access."""
    sharding = sharding_of(op.memref.type)
    return sharding.extents == sharding.over and all(isinstance(use.operation, LocalOp) for use in op.memref.uses)
