"""The pass `allocate-sharded`: place shards in one memory of each instance, by their lifetimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StringAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of, units_of
from ..dialects.hier import LocalOp
from ..dialects.hier.sharded import ShardedAttr
from ..ir import functions
from .core.base import Pass
from .grids.writer import Writer
from .memory.arena import BUDGET, Lifetime, place
from .sharding.arenas import shards_of
from .sharding.programs import in_shape
from .sharding.streaming import stream_unfit

_ALIGNMENT = 8


def allocate_sharded(function: FuncOp, units: dict[str, int], budget: int) -> None:
    """Replace the sharded values of a function by views of one sharded value for each level and mesh."""
    for (level, over), values in shards_of(function).items():
        _place(function, level, over, values, units.get(level, _ALIGNMENT), budget)


def _place(
    function: FuncOp,
    level: str,
    over: tuple[int, ...],
    values: Sequence[tuple[memref.AllocaOp, Lifetime]],
    alignment: int,
    budget: int,
) -> None:
    placement = place([lifetime for _, lifetime in values], alignment, budget)
    rank = len(over)
    map = AffineMap(rank + 1, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank)))
    space = ShardedAttr.get(level, over, map)
    first = function.body.block.first_op
    assert first is not None
    shape = [*over, placement.size]
    memory = memref.AllocaOp.get(i8, shape=shape, memory_space=space)
    memory.location = function.location
    Rewriter.insert_op(memory, InsertPoint.before(first))
    for (op, _), offset in zip(values, placement.offsets, strict=True):
        for local in [cast(LocalOp, use.operation) for use in op.memref.uses]:
            _view(local, memory, placement.size, offset)
        Rewriter.erase_op(op)


def _view(local: LocalOp, memory: memref.AllocaOp, size: int, offset: int) -> None:
    """Replace a shard by the view of the instance's memory from a byte on."""
    writer = Writer.before(local)
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

    Run it after lower-sharded. Values that not all instances hold a shard of are unchanged. Resident constants that do
    not fit the instances of the module's machine beside these memories are loaded before each use instead; their
    definitions say so (`hier.streamed`). `resident` limits the bytes of an instance that the others take.
    `budget` limits the search for a smaller memory.
    """

    name = "allocate-sharded"

    budget: int = BUDGET
    resident: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        units = units_of(op) if ATTRIBUTE in op.attributes else {}
        if ATTRIBUTE in op.attributes:

            def arena(lifetimes: Sequence[Lifetime], level: str) -> int:
                return place(lifetimes, units.get(level, _ALIGNMENT), self.budget).size

            stream_unfit(op, machine_of(op), self.resident, arena)
        for function in functions(op):
            if function.body.blocks:
                allocate_sharded(function, units, self.budget)
