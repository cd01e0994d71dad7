"""Conversion of transfers and instructions to calls of a cluster's C runtime."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.machine.attribute import ATTRIBUTE as MACHINE
from ...dialects.core.machine.attribute import machine_of
from ...ir import element_of, numpy_type, shape_of
from ...passes.emitc.builder import INDEX, EmitcBuilder, layout_of
from ...passes.emitc.calls import effect, place
from ...passes.emitc.converter import FunctionConverter
from ...passes.emitc.emitters import emits
from ...passes.emitc.text.functions import SPECIFIER
from .dialects.cluster import DmaCopyOp, DmaOutOp


@emits("cluster.dma_begin")
def _dma_begin(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dma_begin`."""
    b = converter.b
    b.values[op.results[0]] = _transfer(b, op, "begin", [], INDEX)


@emits("cluster.dma_in", "cluster.dma_out")
def _dma_copy(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cluster.dma_in` and `cluster.dma_out`."""
    b = converter.b
    assert isinstance(op, DmaCopyOp)
    size = numpy_type(element_of(op.far)).itemsize
    far, near = place(b, op, op.far, op.far_at), place(b, op, op.near, op.near_at)
    stride = layout_of(op.far, op).strides[op.axis.value.data] * size if shape_of(op.far) else 0
    is_out = isinstance(op, DmaOutOp)
    row = b.value(op.elements)
    bytes_of_row = row if size == 1 else b.emit(emitc.MulOp, [row, b.integer(size)], INDEX)
    operands = [far, near] if is_out else [near, far]
    sizes = [bytes_of_row, b.value(op.rows), b.integer(stride)]
    _transfer(b, op, "out" if is_out else "in", [*operands, *sizes], None)


@emits("cluster.dma_wait")
def _dma_wait(converter: FunctionConverter, op: Operation) -> None:
    """
    Convert `cluster.dma_wait`; what waits is code of the controller, which runs once in a call.

    Not on a single core, whose kernels C compilers make part of it.
    """
    b = converter.b
    if _has_workers(converter.function):
        converter.attributes[SPECIFIER] = StringAttr("TW_SEQUENCE")
    _transfer(b, op, "wait", [b.value(op.operands[0])], None)


def _has_workers(function: Operation) -> bool:
    module = function.parent_op()
    has_machine = isinstance(module, ModuleOp) and MACHINE in module.attributes
    return not has_machine or machine_of(cast(ModuleOp, module)).copier.cores > 1


def _transfer(
    b: EmitcBuilder, op: Operation, call: str, operands: list[SSAValue], result: Attribute | None
) -> SSAValue:
    """Emit a call of the engine that executes an op's transfers."""
    is_external = "external" in op.properties
    b.include_runtime(op, external=is_external)
    return effect(b, f"tw_{'ram' if is_external else 'dma'}_{call}", operands, result)
