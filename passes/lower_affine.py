"""Lowering of affine control flow, accesses and maps to scf, memref, vector and arith."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintKind
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .core.index_code import IndexCode

_PREDICATES = {
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
    AffineConstraintKind.eq: "eq",
}


def lower_affine(module: ModuleOp) -> None:
    """
    Replace the ops of `affine`, inner ones first.

    Raises Diagnostic for reductions of affine.parallel, and for a divisor that is not positive.
    """
    for op in reversed(nested_ops(module)):
        if type(op) in _LOWERINGS:
            _LOWERINGS[type(op)](op)


def _replace(op: Operation, made: Operation) -> None:
    made.location = op.location
    made.attributes |= op.attributes
    Rewriter.replace_op(op, made)


def _apply(op: affine.ApplyOp) -> None:
    Rewriter.replace_op(op, [], IndexCode(op, op.result).results(op.map.data, op.mapOperands))


def _min(op: affine.MinOp) -> None:
    code = IndexCode(op, op.result)
    Rewriter.replace_op(op, [], [code.reduce(arith.MinSIOp, code.results(op.map.data, op.arguments))])


def _load(op: affine.LoadOp) -> None:
    _replace(op, memref.LoadOp.get(op.memref, IndexCode(op).results(op.map.data, op.indices)))


def _store(op: affine.StoreOp) -> None:
    _replace(op, memref.StoreOp.get(op.value, op.memref, IndexCode(op).results(op.map.data, op.indices)))


def _vector_load(op: affine.VectorLoadOp) -> None:
    indices = IndexCode(op).results(op.map.data, op.indices)
    _replace(op, vector.LoadOp(op.memref, indices, cast(Any, op.result.type)))


def _vector_store(op: affine.VectorStoreOp) -> None:
    _replace(op, vector.StoreOp(op.value, op.memref, IndexCode(op).results(op.map.data, op.indices)))


def _for(op: affine.ForOp) -> None:
    """Lower a loop from the largest of its lower bounds to the smallest of its upper ones."""
    code = IndexCode(op)
    low = code.reduce(arith.MaxSIOp, code.results(op.lowerBoundMap.data, op.lowerBoundOperands))
    high = code.reduce(arith.MinSIOp, code.results(op.upperBoundMap.data, op.upperBoundOperands))
    step = code.constant(op.step.value.data)
    _replace(op, scf.ForOp(low, high, step, op.inits, _body(op.body)))


def _if(op: affine.IfOp) -> None:
    code, data = IndexCode(op), op.condition.data
    dims, symbols = op.args[: data.num_dims], op.args[data.num_dims :]
    zero = code.constant(0)
    tests: list[SSAValue] = []
    for constraint in data.constraints:
        difference = code.expression(constraint.lhs - constraint.rhs, dims, symbols)
        tests.append(code.compare(_PREDICATES[constraint.kind], difference, zero))
    holds = tests or [code.insert(arith.ConstantOp(IntegerAttr(1, i1))).result]
    condition = code.reduce(arith.AndIOp, holds)
    _replace(op, scf.IfOp(condition, op.res.types, _body(op.then_region), _body(op.else_region)))


def _parallel(op: affine.ParallelOp) -> None:
    if op.res:
        raise Diagnostic("affine.parallel with reductions is not lowered", where=where(op), remedy="use scf.parallel")
    code = IndexCode(op)
    lower, upper = op.lowerBoundsMap.data, op.upperBoundsMap.data
    count = lower.num_dims + lower.num_symbols
    low = code.results(lower, op.map_operands[:count])
    high = code.results(upper, op.map_operands[count:])
    lows = [code.reduce(arith.MaxSIOp, group) for group in _groups(low, op.lowerBoundsGroups.get_values())]
    highs = [code.reduce(arith.MinSIOp, group) for group in _groups(high, op.upperBoundsGroups.get_values())]
    steps = [code.constant(step.value.data) for step in op.steps.data]
    body = op.body.block.last_op
    assert body is not None
    end = scf.ReduceOp()
    end.location = body.location
    Rewriter.replace_op(body, end)
    _replace(op, scf.ParallelOp(lows, highs, steps, _moved(op.body)))


def _groups(values: Sequence[SSAValue], sizes: Sequence[int]) -> list[Sequence[SSAValue]]:
    """Return values in consecutive groups of these sizes."""
    ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    return [values[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _body(region: Region) -> Region:
    """Detach the block of a region, whose terminator becomes that of `scf`."""
    if (block := region.first_block) is not None and isinstance(end := block.last_op, affine.YieldOp):
        _replace(end, scf.YieldOp(*end.arguments))
    return _moved(region)


def _moved(region: Region) -> Region:
    blocks: list[Block] = list(region.blocks)
    for block in blocks:
        region.detach_block(block)
    return Region(blocks)


_LOWERINGS: dict[type[Operation], Callable[[Any], None]] = {
    affine.ApplyOp: _apply,
    affine.ForOp: _for,
    affine.IfOp: _if,
    affine.LoadOp: _load,
    affine.MinOp: _min,
    affine.ParallelOp: _parallel,
    affine.StoreOp: _store,
    affine.VectorLoadOp: _vector_load,
    affine.VectorStoreOp: _vector_store,
}


@dataclass(frozen=True)
class LowerAffinePass(Pass):
    """
    Lower affine loops, conditions, accesses and maps to scf, memref, vector and arith.

    A modulus is never negative, divisions round as their names say; loops may have several bounds, maps symbols.
    Upstream's pass of that name.
    """

    name = "lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_affine(op)
