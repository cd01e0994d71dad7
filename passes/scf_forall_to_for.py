"""Conversion of `scf.forall` to nests of `scf.for`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import index_constant
from ..dialects.scf import ForallOp
from ..dialects.tensor import ParallelInsertSliceOp
from ..ir import numbers_of
from .core.base import Pass
from .loops.serial import move_body, replace_by_nest, serial_nest


def scf_forall_to_for(module: ModuleOp) -> None:
    """Replace loops of independent iterations, inner ones first; shared outputs become loop-carried values."""
    for op in reversed(nested_ops(module)):
        if isinstance(op, ForallOp):
            _replace(op)


def _replace(op: ForallOp) -> None:
    lower = list(_bounds(op, op.staticLowerBound, op.dynamicLowerBound)) or [_constant(op, 0)]
    upper = list(_bounds(op, op.staticUpperBound, op.dynamicUpperBound)) or [_constant(op, 1)]
    steps = list(_bounds(op, op.staticStep, op.dynamicStep)) or [_constant(op, 1)]
    loops = serial_nest(list(zip(lower, upper, steps, strict=True)), op.outputs)
    body, inner = op.region.block, loops[-1].body.block
    indices = [loop.body.block.args[0] for loop in loops]
    rank = len(body.args) - len(op.outputs)
    inserts = _inserts(body.last_op)
    places: list[int] = [cast(Any, insert.dest).index - rank for insert in inserts]
    # An iteration reads of a shared output what it was before the loop.
    end = move_body(body, inner, [*indices[:rank], *op.outputs])
    shared: list[SSAValue] = list(inner.args[1:])
    for insert, place in zip(inserts, places, strict=True):
        shared[place] = _inserted(insert, shared[place], inner)
    end.erase(safe_erase=False)
    inner.add_op(scf.YieldOp(*shared))
    replace_by_nest(op, loops)


def _bounds(op: ForallOp, numbers: Any, values: Sequence[SSAValue]) -> Iterator[SSAValue]:
    dynamic = iter(values)
    for number in numbers_of(numbers):
        yield next(dynamic) if number == DYNAMIC_INDEX else _constant(op, number)


def _constant(op: Operation, number: int) -> SSAValue:
    constant = index_constant(number)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.results[0]


def _inserts(end: Operation | None) -> list[ParallelInsertSliceOp]:
    ops = end.regions[0].block.ops if end is not None and end.regions else ()
    return [op for op in ops if isinstance(op, ParallelInsertSliceOp)]


def _inserted(insert: ParallelInsertSliceOp, target: SSAValue, block: Any) -> SSAValue:
    """Add the insertion of a slice into a carried tensor."""
    op = tensor.InsertSliceOp.build(
        operands=[insert.source, target, insert.offsets, insert.sizes, insert.strides],
        result_types=[target.type],
        properties={
            "static_offsets": insert.static_offsets,
            "static_sizes": insert.static_sizes,
            "static_strides": insert.static_strides,
        },
    )
    op.location = insert.location
    block.add_op(op)
    return op.results[0]


@dataclass(frozen=True)
class ScfForallToForPass(Pass):
    """
    Run the iterations of scf.forall one after the other, in a nest of scf.for; upstream's pass of this name.

    A shared output is carried by the loops, and tensor.parallel_insert_slice becomes tensor.insert_slice.
    """

    name = "scf-forall-to-for"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scf_forall_to_for(op)
