"""Additions by loads: of tensors, the first of which is written to the accumulators, and of a tensor along axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.core.kernel import Access, Kernel
from ...dialects.core.scalars import Index
from ...dialects.nn import ReduceOp
from ...ir import shape_of
from ...passes.loops.nest import Nest
from .dialects.gemmini.instructions import config_ld_bytes, mvin_acc_zero, mvin_bytes, mvin_bytes_add
from .limits import REQUEST_BYTES
from .rows import chunks, each_row, over_rows, rows_of, zero_rows

_ID = 1
"""Configuration of the loads."""


def add_by_loads(kernel: Kernel, nest: Nest) -> None:
    """Emit the loads of a sum of tensors of bytes, whose last axes are in whole blocks."""
    for number, access in enumerate(kernel.inputs):
        _load(access, kernel.outputs[0].value, nest, adds=number > 0)


def reduce_by_loads(op: ReduceOp, kernel: Kernel, nest: Nest) -> None:
    """Emit the loads of a sum along axes of a tensor of bytes, whose last axis is in whole blocks: a row each."""
    far, output = kernel.inputs[0].value, kernel.outputs[0]
    rows = rows_of(output.value)
    if op.accumulate is None:
        zero_rows(nest, output.value, mvin_acc_zero)
    nest.insert(config_ld_bytes(far, stride=(max(0, len(kernel.bounds) - 2), 1), block=rows.count, id=_ID))
    with over_rows(nest, [(0, bound) for bound in kernel.bounds[:-1]]) as point:
        exprs = [output.map.results[axis] for axis in rows.others]
        at = [point[expr.position] if isinstance(expr, AffineDimExpr) else 0 for expr in exprs]

        def blocks(first: Index, number: Index) -> None:
            assert isinstance(number, int)
            here = [nest.value(index) for index in (first, *at, 0)]
            there = [nest.value(index) for index in (*point, nest.mul(first, rows.dim))]
            nest.insert(mvin_bytes_add((far, there), (output.value, here), nest.value(1), number, _ID))

        chunks(nest, 0, shape_of(output.value)[rows.axis] // rows.dim, REQUEST_BYTES // rows.dim, blocks)


def _load(access: Access, sums: SSAValue, nest: Nest, *, adds: bool) -> None:
    rows, far = rows_of(sums), access.value
    line = rows.others[rows.line]
    nest.insert(config_ld_bytes(far, stride=(line, 1), block=rows.count, id=_ID))
    load = mvin_bytes_add if adds else mvin_bytes

    def blocks(first: Index, number: Index) -> None:
        def row(at: Sequence[Index], count: Index) -> None:
            indices = dict(zip((*rows.others, rows.axis), (*at, nest.mul(first, rows.dim)), strict=True))
            there = [nest.value(indices[axis]) for axis in sorted(indices)]
            here = [nest.value(index) for index in (first, *at, 0)]
            assert isinstance(number, int)
            nest.insert(load((far, there), (sums, here), nest.value(count), number, _ID))

        each_row(nest, [(0, extent) for extent in rows.extents], rows.line, rows.dim, row)

    chunks(nest, 0, shape_of(sums)[rows.axis] // rows.dim, REQUEST_BYTES // rows.dim, blocks)
