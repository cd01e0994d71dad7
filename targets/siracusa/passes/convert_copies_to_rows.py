"""Lowering of copies of buffers to rows that a cluster's cores share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import SSAValue

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....ir import element_of, functions, numpy_type, shape_of
from ....passes.core.base import Pass
from ....passes.loops.blocks import BlockInterval, parts
from ....passes.loops.nest import PARALLEL, Constants, Nest
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..dialects.cluster.instructions import copy_row

_LEAST, _WORDS = 16, 8
"""Bytes of a stretch that is worth a core, and the multiple of bytes in which `cluster.copy` moves words."""


def convert_copies_to_rows(function: func.FuncOp, engine: str, cores: int) -> None:
    """
    Replace the copies of a function by parallel loops, and map the function to an engine with so many cores.

    Functions with anything besides copies are kept, and so are copies of dynamic shape.
    """
    copies = [op for op in nested_ops(function) if isinstance(op, memref.CopyOp)]
    others = [op for op in function.body.block.ops if op not in copies and not isinstance(op, func.ReturnOp)]
    if not copies or others or any(_strides(value) is None for op in copies for value in op.operands):
        return
    constants = Constants()
    for op in copies:
        nest = Nest(constants, op.location)
        _copy(op, nest, cores)
        function.body.block.insert_ops_before(nest.take(), op)
        op.detach()
        op.erase()
    constants.place(function.body.block)
    function.attributes.setdefault(ENGINE, StringAttr(engine))


def _strides(value: SSAValue) -> list[int] | None:
    """Return the strides of a buffer of static shape and strides, None for others."""
    strides = cast("MemRefType[Any]", value.type).get_strides()
    if strides is None or None in strides or any(extent < 0 for extent in shape_of(value)):
        return None
    return [step or 0 for step in strides]


def _copy(op: memref.CopyOp, nest: Nest, cores: int) -> None:
    """Build the loops of a copy: over rows of contiguous elements, or stretches of rows; of others, over elements."""
    shape, size = shape_of(op.source), numpy_type(element_of(op.source)).itemsize
    if 0 in shape:
        return
    if not _has_rows(op):
        with nest.loops(_names(shape), shape, marks=[PARALLEL], kept=True) as indices:
            at = [nest.value(index) for index in indices]
            load = memref.LoadOp.get(op.source, at)
            nest.insert(load)
            nest.insert(memref.StoreOp.get(load.res, op.destination, at))
        return
    axis = _row_axis(op, cores)
    outer, inner = shape[:axis], prod(shape[axis + 1 :])
    stretches = _stretches(shape[axis], inner * size, prod(outer), cores)
    is_shared = len(stretches) > 1 or stretches[0].count > 1 or not outer
    with nest.loops(_names(outer), outer, marks=[PARALLEL], kept=True) as indices:
        for part in stretches:
            with nest.loop("s", 0, part.count, marks=[PARALLEL], kept=is_shared) as stretch:
                begin = nest.add(nest.mul(stretch, part.size), part.start) if part.count > 1 else part.start
                zeros = [0] * (len(shape) - axis - 1)
                at = [nest.value(index) for index in (*indices, begin, *zeros)]
                nest.insert(copy_row((op.source, at), (op.destination, at), nest.value(part.size * inner)))


def _names(shape: Sequence[int]) -> list[str]:
    return [f"i{axis}" for axis in range(len(shape))]


def _has_rows(op: memref.CopyOp) -> bool:
    """Return whether the last axis of both sides is contiguous."""
    sides = ((_strides(value) or [], shape_of(value)) for value in op.operands)
    return all(shape and (steps[-1] == 1 or shape[-1] == 1) for steps, shape in sides)


def _row_axis(op: memref.CopyOp, cores: int) -> int:
    """Return the outermost axis from which on both sides are contiguous, or one further in to have a row for a core."""
    shape = shape_of(op.source)
    steps = [_strides(value) or [] for value in op.operands]
    axis = len(shape) - 1
    while axis > 0 and all(strides[axis - 1] == prod(shape[axis:]) for strides in steps):
        axis -= 1
    while axis < len(shape) - 1 and prod(shape[: axis + 1]) < cores:
        axis += 1
    return axis


def _stretches(extent: int, inner: int, rows: int, cores: int) -> list[BlockInterval]:
    """Return the intervals of an axis, with `inner` bytes for each index, that the cores share in each of the rows."""
    if rows >= cores:
        return [BlockInterval(0, extent, 1)]
    share = max(_LEAST, -(-extent * inner // cores))
    size = -(-share // inner) if inner > 1 else -(-share // _WORDS) * _WORDS
    return list(parts(0, extent, min(size, extent)))


@dataclass(frozen=True)
class ConvertCopiesToRowsPass(Pass):
    """
    Lower copies of buffers, in functions of their own, to parallel loops over rows of contiguous elements.

    A row is a `cluster.copy`; of few long rows each is cut into stretches. Elements with gaps are copied one by one.
    The functions become kernels of the general-purpose engine, so that fork-kernels shares them. Run it after
    outline-kernels, with the machine attached.
    """

    name = "convert-copies-to-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module in place."""
        engine = machine_of(op).copier
        for function in functions(op):
            convert_copies_to_rows(function, engine.name, engine.cores)
