"""The pass `allocate-sharded`: place shards in one memory of each instance, by their lifetimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StringAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.machine.attribute import ATTRIBUTE, units_of
from ..dialects.hier import LocalOp
from ..dialects.hier.sharded import ShardedAttr, is_sharded, shard_type, sharding_of
from ..ir import functions
from .allocate_static import ancestor
from .core.base import Pass
from .grids.writer import Writer
from .memory.arena import BUDGET, Lifetime, place
from .memory.views import bytes_of
from .sharding.programs import in_shape

_ALIGNMENT = 8
Instances: TypeAlias = "tuple[str, tuple[int, ...]]"


def allocate_sharded(function: FuncOp, units: dict[str, int], budget: int) -> None:
    """Replace the sharded values of a function by views of one sharded value for each level and mesh."""
    found: dict[Instances, list[memref.AllocaOp]] = {}
    for op in function.body.block.ops:
        if isinstance(op, memref.AllocaOp) and is_sharded(op.memref.type) and _is_in_all(op):
            sharding = sharding_of(op.memref.type)
            found.setdefault((sharding.level, sharding.over), []).append(op)
    for (level, over), values in found.items():
        _place(function, level, over, values, units.get(level, _ALIGNMENT), budget)


def _is_in_all(op: memref.AllocaOp) -> bool:
    """Return whether all instances hold a shard, which programs alone access."""
    sharding = sharding_of(op.memref.type)
    return sharding.extents == sharding.over and all(isinstance(use.operation, LocalOp) for use in op.memref.uses)


def _place(
    function: FuncOp, level: str, over: tuple[int, ...], values: Sequence[memref.AllocaOp], alignment: int, budget: int
) -> None:
    steps = {op: index for index, op in enumerate(function.body.block.ops)}
    lifetimes: list[Lifetime] = []
    for number, op in enumerate(values):
        used = sorted({steps[ancestor(use.operation, steps)] for use in op.memref.uses}) or [steps[op]]
        size = bytes_of(shard_type(cast("MemRefType[Any]", op.memref.type)))
        lifetimes.append(Lifetime(op.memref.name_hint or f"shards_{number}", size, used[0], used[-1]))
    placement = place(lifetimes, alignment, budget)
    rank = len(over)
    map = AffineMap(rank + 1, 0, tuple(AffineExpr.dimension(each) for each in range(rank)))
    space = ShardedAttr.get(level, over, map)
    first = function.body.block.first_op
    assert first is not None
    shape = [*over, placement.size]
    memory = memref.AllocaOp.get(i8, shape=shape, memory_space=space)
    memory.location = function.location
    Rewriter.insert_op(memory, InsertPoint.before(first))
    for op, offset in zip(values, placement.offsets, strict=True):
        for local in [cast(LocalOp, use.operation) for use in op.memref.uses]:
            _view(local, memory, placement.size, offset)
        Rewriter.erase_op(op)


def _view(local: LocalOp, memory: memref.AllocaOp, size: int, offset: int) -> None:
    """Replace a shard by the view of the instance's memory from a byte on."""
    writer = Writer(InsertPoint.before(local), local.location)
    own = in_shape(writer, writer.op(LocalOp(memory.memref, list(local.coordinates))), [size])
    kind = cast("MemRefType[Any]", local.result.type)
    flat = MemRefType(kind.element_type, kind.get_shape(), NoneAttr(), cast(StringAttr, kind.memory_space))
    view = memref.ViewOp(own, writer.value(offset), [], flat)
    view.location = local.location
    Rewriter.replace_op(local, view)


@dataclass(frozen=True)
class AllocateShardedPass(Pass):
    """
    Place the shards of sharded values in one memory of each instance; those that live at once do not overlap.

    Run it after lower-sharded. Values that not all instances hold a shard of are unchanged. `budget` limits the search
    for a smaller memory.
    """

    name = "allocate-sharded"

    budget: int = BUDGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        units = units_of(op) if ATTRIBUTE in op.attributes else {}
        for function in functions(op):
            if function.body.blocks:
                allocate_sharded(function, units, self.budget)
