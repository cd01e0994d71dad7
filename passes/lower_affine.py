"""Lowering of affine control flow, accesses and maps to scf, memref, vector and arith."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.affine import AffineMaxOp, AffinePrefetchOp, DelinearizeIndexOp
from ..dialects.core.atomic_kinds import combined, identity, kind_of
from ..dialects.core.builder import Builder
from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import Index
from ..dialects.memref import MemRefPrefetchOp
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass

_PREDICATES = {
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
    AffineConstraintKind.eq: "eq",
}


_Access: TypeAlias = affine.LoadOp | affine.StoreOp | affine.VectorLoadOp | affine.VectorStoreOp | AffinePrefetchOp


def lower_affine(module: ModuleOp) -> None:
    """
    Replace the ops of `affine`, inner ones first.

    Raises Diagnostic for a divisor that is not positive.
    """
    for op in reversed(nested_ops(module)):
        if type(op) not in _LOWERINGS:
            continue
        try:
            _LOWERINGS[type(op)](op)
        except Diagnostic as error:
            error.where = error.where or where(op)
            raise


def _replace(op: Operation, replacement: Operation) -> None:
    replacement.location = op.location
    replacement.attributes |= op.attributes
    Rewriter.replace_op(op, replacement)


def _replace_value(op: affine.ApplyOp | affine.MinOp | AffineMaxOp, value: SSAValue) -> None:
    value.name_hint = value.name_hint or op.result.name_hint
    Rewriter.replace_op(op, [], [value])


def _results(builder: Builder, map: AffineMap, operands: Sequence[SSAValue]) -> list[Index]:
    """Build the results of a map; its dimensions come before its symbols."""
    dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
    return [builder.affine(expr, dims.__getitem__, symbols.__getitem__) for expr in map.results]


def _apply(op: affine.ApplyOp) -> None:
    builder = Builder.before(op, wraps=True)
    (value,) = _results(builder, op.map.data, op.mapOperands)
    _replace_value(op, builder.value(value))


def _min(op: affine.MinOp) -> None:
    builder = Builder.before(op, wraps=True)
    _replace_value(op, builder.value(builder.min(*_results(builder, op.map.data, op.arguments))))


def _max(op: AffineMaxOp) -> None:
    builder = Builder.before(op, wraps=True)
    _replace_value(op, builder.value(builder.max(*_results(builder, op.map.data, op.arguments))))


def _delinearize(op: DelinearizeIndexOp) -> None:
    builder = Builder.before(op, wraps=True)
    quotient: SSAValue = op.linear_index
    inner: list[SSAValue] = []
    for extent in reversed(op.basis[1:]):
        rest = builder.op(arith.FloorDivSIOp(quotient, extent))
        inner.append(builder.sub(quotient, builder.mul(rest, extent)))
        quotient = rest
    Rewriter.replace_op(op, [], [quotient, *reversed(inner)])


def _prefetch(op: AffinePrefetchOp) -> None:
    properties = {name: value for name, value in op.properties.items() if name != "map"}
    _replace(op, MemRefPrefetchOp.build(operands=[op.memref, _indices(op)], properties=properties))


def _indices(op: _Access) -> list[SSAValue]:
    builder = Builder.before(op, wraps=True)
    return [builder.value(index) for index in _results(builder, op.map.data, op.indices)]


def _load(op: affine.LoadOp) -> None:
    _replace(op, memref.LoadOp.get(op.memref, _indices(op)))


def _store(op: affine.StoreOp) -> None:
    _replace(op, memref.StoreOp.get(op.value, op.memref, _indices(op)))


def _vector_load(op: affine.VectorLoadOp) -> None:
    _replace(op, vector.LoadOp(op.memref, _indices(op), cast(Any, op.result.type)))


def _vector_store(op: affine.VectorStoreOp) -> None:
    _replace(op, vector.StoreOp(op.value, op.memref, _indices(op)))


def _for(op: affine.ForOp) -> None:
    """Lower a loop from the largest of its lower bounds to the smallest of its upper ones."""
    builder = Builder.before(op, wraps=True)
    low = builder.max(*_results(builder, op.lowerBoundMap.data, op.lowerBoundOperands))
    high = builder.min(*_results(builder, op.upperBoundMap.data, op.upperBoundOperands))
    bounds = builder.value(low), builder.value(high), builder.value(op.step.value.data)
    _replace(op, scf.ForOp(*bounds, op.inits, _body(op.body)))


def _if(op: affine.IfOp) -> None:
    builder, data = Builder.before(op, wraps=True), op.condition.data
    dims, symbols = op.args[: data.num_dims], op.args[data.num_dims :]
    condition: SSAValue | None = None
    for constraint in data.constraints:
        difference = builder.affine(constraint.lhs - constraint.rhs, dims.__getitem__, symbols.__getitem__)
        test = builder.compare(difference, _PREDICATES[constraint.kind], 0)
        condition = test if condition is None else builder.both(condition, test)
    if condition is None:
        condition = builder.constant(1, i1)
    _replace(op, scf.IfOp(condition, op.res.types, _body(op.then_region), _body(op.else_region)))


def _parallel(op: affine.ParallelOp) -> None:
    builder = Builder.before(op, wraps=True)
    lower, upper = op.lowerBoundsMap.data, op.upperBoundsMap.data
    count = lower.num_dims + lower.num_symbols
    low = _results(builder, lower, op.map_operands[:count])
    high = _results(builder, upper, op.map_operands[count:])
    lows = [builder.value(builder.max(*group)) for group in _groups(low, op.lowerBoundsGroups.get_values())]
    highs = [builder.value(builder.min(*group)) for group in _groups(high, op.upperBoundsGroups.get_values())]
    steps = [builder.value(step.value.data) for step in op.steps.data]
    kinds = [(kind_of(kind), type) for kind, type in zip(op.reductions, op.result_types, strict=True)]
    starts = [builder.op(arith.ConstantOp(cast(Any, identity(kind, type)))) for kind, type in kinds]
    body = op.body.block.last_op
    assert body is not None
    end = scf.ReduceOp(body.operands, [_reduction(kind, type) for kind, type in kinds])
    end.location = body.location
    Rewriter.replace_op(body, end)
    _replace(op, scf.ParallelOp(lows, highs, steps, _moved(op.body), starts))


def _reduction(kind: str, type: Attribute) -> Region:
    """Return the region that combines two numbers by a kind of reduction."""
    block = Block(arg_types=[type, type])
    op = combined(kind, *block.args)
    if op is not None:
        block.add_op(op)
    block.add_op(scf.ReduceReturnOp(block.args[1] if op is None else op.results[0]))
    return Region(block)


def _groups(values: Sequence[Index], sizes: Sequence[int]) -> list[Sequence[Index]]:
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
    AffineMaxOp: _max,
    AffinePrefetchOp: _prefetch,
    DelinearizeIndexOp: _delinearize,
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
