"""Partition of parallel loops over workers that minimises the work of the busiest one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.effects import effects_of, root_of
from ...ir import element_of, numpy_type
from ..loops.nest import PARALLEL

_LEAST = 4
"""Iterations of a loop within others that are worth a core."""


def is_shareable(function: func.FuncOp) -> bool:
    """Return whether all effects of a function visible to other cores are in parallel loops."""
    return _does_nothing_beside_loops(function.body.block)


def _does_nothing_beside_loops(block: Block) -> bool:
    loops = [op for op in block.ops if is_parallel(op)]
    return bool(loops) and all(op in loops or _is_local(op) for op in block.ops)


def is_parallel(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) and PARALLEL in op.attributes and not op.results


def _is_local(op: Operation) -> bool:
    """Return whether every core may execute an op redundantly: it has no effect visible to other cores."""
    effects = effects_of(op)
    return effects.only_on_values and all(isinstance(root_of(value).owner, memref.AllocaOp) for value in effects.writes)


class Shares(NamedTuple):
    """Points of each core, and the loops to partition for that; a single iteration with the core that runs it."""

    points: tuple[int, ...]
    loops: tuple[tuple[scf.ForOp, int | None], ...] = ()

    def plus(self, other: Shares) -> Shares:
        """Return the shares of two pieces of code, one after the other."""
        points = tuple(mine + others for mine, others in zip(self.points, other.points, strict=True))
        return Shares(points, self.loops + other.loops)


def shares_of(block: Block, cores: int, banks: int) -> Shares:
    """Return the partition of the loops in a block that minimises the work of the busiest core."""
    total = Shares((_points_beside_parallel(block),) * cores)
    # Single iterations come last, each for the core that has the least to do.
    for loop in sorted(
        (cast(scf.ForOp, op) for op in block.ops if is_parallel(op)), key=lambda op: trip_count(op) == 1
    ):
        total = total.plus(_best(loop, total.points, banks))
    return total


def _best(loop: scf.ForOp, before: Sequence[int], banks: int) -> Shares:
    """
    Return the partition of a nest, either of its outermost loop or of loops in it; `before` are points so far.

    Where both take as long, it is that of loops in it if the other's shares meet at banks, `banks` bytes in all.
    """
    cores, trips, points = len(before), trip_count(loop), _points(loop.body.block)
    if trips == 1:
        alone = min(reversed(range(cores)), key=lambda core: before[core])
        outermost = Shares(tuple(points * (core == alone) for core in range(cores)), ((loop, alone),))
    else:
        chunk = -(-trips // cores)
        left = (trips - core * chunk for core in range(cores))
        outermost = Shares(tuple(max(0, min(chunk, iterations)) * points for iterations in left), ((loop, None),))
    if not _does_nothing_beside_loops(loop.body.block):
        return outermost
    shares = shares_of(loop.body.block, cores, banks)
    inner = Shares(tuple(trips * points for points in shares.points), shares.loops)
    if max(inner.points) == max(outermost.points) and banks and _conflicts_at_banks(loop, cores, banks):
        return inner if all(_avoids_bank_conflicts(nested, cores, banks) for nested, _ in inner.loops) else outermost
    return inner if max(inner.points) < max(outermost.points) else outermost


def _conflicts_at_banks(loop: scf.ForOp, cores: int, banks: int) -> bool:
    """Return whether the strides of all accesses between cores along a loop are multiples of `banks` bytes."""
    distances = _distances(loop, -(-trip_count(loop) // cores))
    return bool(distances) and not any(distance % banks for distance in distances)


def _avoids_bank_conflicts(loop: scf.ForOp, cores: int, banks: int) -> bool:
    """Return whether the cores have equal shares of a loop, of some iterations, whose accesses do not all meet."""
    share, rest = divmod(trip_count(loop), cores)
    return (
        not rest and share >= _LEAST and bool(_distances(loop, share)) and not _conflicts_at_banks(loop, cores, banks)
    )


def _distances(loop: scf.ForOp, iterations: int) -> list[int]:
    """
    Return the distance in bytes by which each access moves on in iterations of a loop.

    They are none where the loop's index is used otherwise than as one of the access, or strides are not constants.
    """
    distances: list[int] = []
    for use in loop.body.block.args[0].uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return []
        type_ = cast("MemRefType[Any]", op.memref.type)
        step = (type_.get_strides() or [None] * len(op.indices))[use.index - (len(op.operands) - len(op.indices))]
        if step is None:
            return []
        distances.append(step * iterations * numpy_type(element_of(op.memref)).itemsize)
    return distances


def _points(block: Block) -> int:
    """Return the stores and the innermost iterations without one in a block, 1 if there are none."""
    loops = [cast(scf.ForOp, op) for op in block.ops if is_parallel(op)]
    return sum(trip_count(loop) * _points(loop.body.block) for loop in loops) + _points_beside_parallel(block) or 1


def _points_beside_parallel(block: Block) -> int:
    """Return the points of a block outside of its parallel loops; a loop of unknown length counts as one iteration."""
    stores = sum(isinstance(op, memref.StoreOp) for op in block.ops)
    loops = [op for op in block.ops if isinstance(op, scf.ForOp) and not is_parallel(op)]
    return stores + sum(_static_trip_count(loop) * _points(loop.body.block) for loop in loops)


def _static_trip_count(loop: scf.ForOp) -> int:
    bounds = map(constant_integer, (loop.lb, loop.ub, loop.step))
    constants = [bound for bound in bounds if bound is not None]
    return len(range(*constants)) if len(constants) == 3 else 1


def trip_count(loop: scf.ForOp) -> int:
    return len(range(*bounds_of(loop)))


def bounds_of(loop: scf.ForOp) -> tuple[int, int, int]:
    """Return the bounds of a loop and its step, all constants."""
    return cast("tuple[int, int, int]", tuple(map(constant_integer, (loop.lb, loop.ub, loop.step))))
