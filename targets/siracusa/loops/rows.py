"""Loops of kernels that only move contiguous rows: a row is copied by words."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType

from ....dialects.core.analysis.affine_form import linear
from ....dialects.core.kernel import Access, Kernel, is_shaped
from ....ir import element_of, numpy_type
from ....passes.loops.kernel import KernelLoops
from ....passes.loops.nest import PARALLEL, Nest
from ....passes.loops.scalar import live_ops
from ..dialects.cluster.instructions import copy_row

PAIR = 8
"""Bytes that an iteration of `cluster.copy` moves."""


def copied_bytes(kernel: Kernel) -> int:
    """Return the element size in bytes of a kernel that only copies contiguous rows, else 0."""
    source = copied_source(kernel)
    if source is None or not all(_is_row(access, len(kernel.bounds) - 1) for access in (source, *kernel.outputs)):
        return 0
    return numpy_type(element_of(kernel.outputs[0].value)).itemsize


def copies_rows(bounds: Sequence[int], size: int, cores: int) -> bool:
    """Return whether rows of elements of `size` bytes are long enough to copy by words, and enough for the cores."""
    return size > 0 and bounds[-1] * size >= PAIR and prod(bounds[:-1]) >= cores


def is_row_copy(kernel: Kernel, cores: int) -> bool:
    """Return whether a kernel on buffers copies rows for `lower_rows`, contiguous in both buffers."""
    if not copies_rows(kernel.bounds, copied_bytes(kernel), cores):
        return False
    source = copied_source(kernel)
    values = [access.value for access in (source, *kernel.outputs) if access is not None]
    strides = [cast("MemRefType[Any]", value.type).get_strides() for value in values]
    return all(steps is not None and steps[-1] == 1 for steps in strides)


def copied_source(kernel: Kernel) -> Access | None:
    """Return the input of a kernel that yields its element as it is, None for others."""
    block = kernel.result
    if kernel.reductions or kernel.epilogue is not None or block is None or block.last_op is None:
        return None
    yielded, used = block.last_op.operands, live_ops(block)[1]
    pairs = zip(block.args, kernel.inputs, strict=False)
    read = [(arg, access) for arg, access in pairs if arg in used and is_shaped(access.value)]
    if len(yielded) != 1 or len(read) != 1 or yielded[0] is not read[0][0] or len(kernel.outputs) != 1:
        return None
    source, target = read[0][1], kernel.outputs[0]
    return source if element_of(source.value) == element_of(target.value) else None


def _is_row(access: Access, innermost: int) -> bool:
    """Return whether consecutive iterations of the innermost loop access consecutive elements in bounds."""
    if not access.map.results or access.fill is not None:
        return False
    *outer, last = (linear(expr) for expr in access.map.results)
    return (innermost, 1) in last.terms and not any(innermost in form.dims() for form in outer)


def lower_rows(kernel: Kernel, nest: Nest) -> None:
    """Build the loops over rows, with one `cluster.copy` each."""
    loops, source = KernelLoops(kernel, nest), copied_source(kernel)
    assert source is not None
    *outer, last = range(len(kernel.bounds))
    with loops.over(outer, [PARALLEL]):
        loops.position[last] = 0
        both = [(access.value, loops.indices_of(access)) for access in (source, *kernel.outputs)]
        nest.insert(copy_row(*both, nest.value(kernel.bounds[last])))
