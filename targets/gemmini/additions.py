"""Additions by loads: the first summand is written to the accumulators, each other one is added to it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects.core.kernel import Access, Kernel
from ...ir import shape_of
from ...passes.loops.nest import Index, Nest
from .dialects.gemmini.instructions import config_ld_bytes, mvin_bytes, mvin_bytes_add
from .limits import REQUEST_BYTES
from .rows import chunks, each_row, rows_of

_ID = 1
"""Configuration of the loads."""


def add_by_loads(kernel: Kernel, nest: Nest) -> None:
    """Emit the loads of a sum of tensors of bytes, whose last axes are in whole blocks."""
    for number, access in enumerate(kernel.inputs):
        _load(access, kernel.outputs[0].value, nest, adds=number > 0)


def _load(access: Access, sums: SSAValue, nest: Nest, *, adds: bool) -> None:
    rows, far = rows_of(sums), access.value
    line = rows.others[rows.line]
    nest.last(config_ld_bytes(far, stride=(line, 1), block=rows.count, id=_ID))
    load = mvin_bytes_add if adds else mvin_bytes

    def blocks(first: Index, number: Index) -> None:
        def row(at: Sequence[Index], count: Index) -> None:
            indices = dict(zip((*rows.others, rows.axis), (*at, nest.mul(first, rows.dim)), strict=True))
            there = [nest.value(indices[axis]) for axis in sorted(indices)]
            here = [nest.value(each) for each in (first, *at, 0)]
            assert isinstance(number, int)
            nest.last(load((far, there), (sums, here), nest.value(count), number, _ID))

        each_row(nest, [(0, extent) for extent in rows.extents], rows.line, rows.dim, row)

    chunks(nest, 0, shape_of(sums)[rows.axis] // rows.dim, REQUEST_BYTES // rows.dim, blocks)
