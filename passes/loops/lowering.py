"""Replacement of a module's kernels by loops, by a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from ...dialects.core.nesting import nested_ops
from ...errors import Diagnostic
from ...ir import element_of, functions, shape_of, where
from ..core.on_buffers import refuse_tensors
from .nest import Constants, Nest

Rule = Callable[[Operation, Kernel, Nest], bool]
"""Emits the loops of a kernel into a nest; returns False, without emitting, to leave the kernel."""


def lower_kernels(module: ModuleOp, rule: Rule) -> None:
    """
    Replace the kernels of every function by the loops of a rule.

    Raises Diagnostic for kernels on tensors and for dynamic shapes; errors of the rule get the op's location.
    """
    for function in functions(module):
        _lower_in(function, rule)


def _lower_in(function: func.FuncOp, rule: Rule) -> None:
    constants = Constants()
    for op in nested_ops(function):
        kernel = _kernel_of(op)
        block = op.parent
        if kernel is None or block is None:
            continue
        nest = Nest(constants, op.location)
        try:
            is_lowered = rule(op, kernel, nest)
        except Diagnostic as error:
            error.where = error.where or where(op)
            raise
        if not is_lowered:
            continue
        block.insert_ops_before(nest.take(), op)
        op.detach()
        op.erase()
    constants.place(function.body.blocks[0])


def _kernel_of(op: Operation) -> Kernel | None:
    """Return the kernel of an op to lower, None for other ops."""
    if type(op) is memref.CopyOp:
        return _copy(op)
    if not is_kernel(op):
        return None
    refuse_tensors(op)
    return kernel_of(op)


def _copy(op: memref.CopyOp) -> Kernel | None:
    """Return a strided copy as a kernel; None for a contiguous copy, which is a copy of bytes."""
    if all(_is_dense(cast("MemRefType[Any]", value.type)) for value in op.operands):
        return None
    shape = shape_of(op.source)
    if any(extent < 0 for extent in shape):
        raise Diagnostic(f"'{op.name}' has an operand of dynamic shape", where=where(op), expected="static shapes")
    identity = AffineMap.identity(len(shape))
    body = Body([element_of(op.source)])
    accesses = [Access(value, identity) for value in (op.source, op.destination)]
    return Kernel(shape, frozenset(), (accesses[0],), (accesses[1],), result=body.finish(body.args[0]))


def _is_dense(type: MemRefType[Any]) -> bool:
    """Return whether a layout is dense and row-major."""
    strides = type.get_strides()
    if strides is None:
        return False
    expected = 1
    for extent, stride in zip(reversed(type.get_shape()), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True
