"""Loops that unpack rows of packed numbers by words on a cluster's cores."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from ....dialects.core.kernel import Kernel
from ....dialects.nn.unpack import UnpackOp
from ....passes.loops.kernel import KernelLoops
from ....passes.loops.nest import PARALLEL, Nest
from ..dialects.cluster.instructions import unpack_row


def is_unpack(op: Operation) -> bool:
    """Return whether an op on buffers unpacks rows with contiguous bytes on both sides."""
    if not isinstance(op, UnpackOp):
        return False
    strides = [cast("MemRefType[Any]", value.type).get_strides() for value in op.operands]
    return all(steps is not None and steps[-1] == 1 for steps in strides)


def lower_unpack(op: UnpackOp, kernel: Kernel, nest: Nest) -> None:
    """Build the loops over rows, with one `cluster.unpack` each."""
    loops = KernelLoops(kernel, nest)
    *outer, last = range(len(kernel.bounds))
    bits, is_signed = op.bits.value.data, not op.is_unsigned(0)
    with loops.over(outer, [PARALLEL]):
        at = [nest.value(loops.position[dim]) for dim in outer] + [nest.value(0)]
        count = nest.value(kernel.bounds[last])
        nest.insert(unpack_row((op.inputs[0], at), (op.output, at), count, bits=bits, is_signed=is_signed))
