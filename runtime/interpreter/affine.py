"""Rules for affine loops, conditions and accesses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from typing import Any, cast

import numpy as np
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir.affine import AffineConstraintKind, AffineSet

from ...dialects.core.atomic_kinds import identity, kind_of
from ...dialects.core.semantics import Runner, Value, semantics
from ...errors import Diagnostic
from ...ir import Array, where
from .arithmetic import evaluate_affine
from .atomics import combiner
from .bits import dtype_of
from .control import trips
from .memory import check_writable
from .tensors import point


def map_results(map: AffineMapAttr, operands: Sequence[Value]) -> list[int]:
    """Return the results of a map of indices; its dimensions come before its symbols."""
    dims = [int(operand) for operand in operands]
    count = map.data.num_dims
    return [int(evaluate_affine(expr, dims[:count], dims[count:])) for expr in map.data.results]


@semantics(affine.ForOp)
def _for(runner: Runner, op: affine.ForOp, operands: Sequence[Value]) -> Sequence[Value]:
    lower_count, upper_count = len(op.lowerBoundOperands), len(op.upperBoundOperands)
    lower = max(map_results(op.lowerBoundMap, operands[:lower_count]))
    upper = min(map_results(op.upperBoundMap, operands[lower_count : lower_count + upper_count]))
    carried = operands[lower_count + upper_count :]
    for index in range(lower, upper, _step(op, op.step.value.data)):
        runner.spend(op)
        carried = runner.run_region(op.body, [np.int64(index), *carried])
    return carried


def _step(op: Any, step: int) -> int:
    if step < 1:
        raise Diagnostic(f"a loop with the step {step} does not end", where=where(op), expected="a step above 0")
    return step


@semantics(affine.IfOp)
def _if(runner: Runner, op: affine.IfOp, operands: Sequence[Value]) -> Sequence[Value]:
    region = op.then_region if _contains(op.condition.data, operands) else op.else_region
    return runner.run_region(region, ()) if region.blocks else ()


def _contains(set: AffineSet, operands: Sequence[Value]) -> bool:
    """Return whether a point is in an integer set."""
    dims = [int(operand) for operand in operands]
    groups = dims[: set.num_dims], dims[set.num_dims :]
    return all(
        _holds(constraint.kind, int(evaluate_affine(constraint.lhs - constraint.rhs, *groups)))
        for constraint in set.constraints
    )


def _holds(kind: AffineConstraintKind, difference: int) -> bool:
    match kind:
        case AffineConstraintKind.ge:
            return difference >= 0
        case AffineConstraintKind.le:
            return difference <= 0
        case AffineConstraintKind.eq:
            return difference == 0


@semantics(affine.LoadOp)
def _load(runner: Runner, op: affine.LoadOp, operands: Sequence[Value]) -> list[Value]:
    source, *indices = operands
    return [source[point(op, source, map_results(op.map, indices))]]


@semantics(affine.StoreOp)
def _store(runner: Runner, op: affine.StoreOp, operands: Sequence[Value]) -> list[Array]:
    value, target, *indices = operands
    check_writable(op, target)
    target[point(op, target, map_results(op.map, indices))] = value
    return []


def _lanes(op: Any, array: Array, indices: Sequence[Value], shape: Sequence[int]) -> tuple[Any, ...]:
    """Return the slices of the elements of a vector in memory. Raises Diagnostic for those out of bounds."""
    first = point(op, array, map_results(op.map, indices))
    sizes = [1] * (len(first) - len(shape)) + list(shape)
    point(op, array, [low + size - 1 for low, size in zip(first, sizes, strict=True)])
    return tuple(slice(low, low + size) for low, size in zip(first, sizes, strict=True))


@semantics(affine.VectorLoadOp)
def _vector_load(runner: Runner, op: affine.VectorLoadOp, operands: Sequence[Value]) -> list[Array]:
    source, *indices = operands
    shape = cast(Any, op.result.type).get_shape()
    return [np.array(source[_lanes(op, source, indices, shape)]).reshape(shape)]


@semantics(affine.VectorStoreOp)
def _vector_store(runner: Runner, op: affine.VectorStoreOp, operands: Sequence[Value]) -> list[Array]:
    value, target, *indices = operands
    check_writable(op, target)
    lanes = _lanes(op, target, indices, value.shape)
    target[lanes] = value.reshape(target[lanes].shape)
    return []


@semantics(affine.ParallelOp)
def _parallel(runner: Runner, op: affine.ParallelOp, operands: Sequence[Value]) -> Sequence[Value]:
    """Run the iterations in order; reductions start with their identity."""
    lower_map, upper_map = op.lowerBoundsMap.data, op.upperBoundsMap.data
    cut = lower_map.num_dims + lower_map.num_symbols
    lower = _grouped(map_results(op.lowerBoundsMap, operands[:cut]), op.lowerBoundsGroups)
    upper = _grouped(
        map_results(op.upperBoundsMap, operands[cut : cut + upper_map.num_dims + upper_map.num_symbols]),
        op.upperBoundsGroups,
    )
    steps = [_step(op, step.value.data) for step in op.steps.data]
    spans = [range(max(low), min(high), step) for low, high, step in zip(lower, upper, steps, strict=True)]
    runner.spend(op, trips(spans))
    kinds = [(kind_of(kind), element) for kind, element in zip(op.reductions, op.result_types, strict=True)]
    combiners = [combiner(kind, element) for kind, element in kinds]
    starts = [(cast(Any, identity(kind, element)).value.data, element) for kind, element in kinds]
    totals: list[Value] = [dtype_of(element).type(start) for start, element in starts]
    for indices in product(*spans):
        values = runner.run_region(op.body, [np.int64(index) for index in indices])
        totals = [combine(old, value) for combine, old, value in zip(combiners, totals, values, strict=True)]
    return totals


def _grouped(values: Sequence[int], sizes: Any) -> list[list[int]]:
    """Return values in consecutive groups of some sizes."""
    rest = iter(values)
    return [list(islice(rest, int(size))) for size in sizes.get_values()]
