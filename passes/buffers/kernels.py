"""Bufferisation of structured kernels: in place where each element is read only at the point that writes it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from xdsl.dialects import memref, tensor
from xdsl.ir import Operation, OpResult, SSAValue

from ...dialects.core.kernel import Access, Kernel, is_shaped, kernel_of
from ...ir import element_of, shape_of
from ..fuse_epilogues import is_identity
from ..memory.views import bytes_of, is_dense
from .bufferizer import Bufferizer, buffer_of
from .loops import load_tables, scalar


def convert_kernel(state: Bufferizer, op: Operation) -> None:
    """
    Rebuild a kernel on buffers.

    An input that is also the target of a result is read from the result's buffer, into which the target is copied, if
    the update is elementwise, else from its own buffer.
    """
    kernel = kernel_of(op)
    targets = [access.value for access in kernel.outputs]
    written: list[SSAValue] = []
    for number, (target, result) in enumerate(zip(targets, op.results, strict=True)):
        written.append(_destination(state, op, number, written, target, result))
    reads = op.operands[: len(op.operands) - len(targets)]
    sources = [_source(state, kernel, value, written) for value in reads]
    regions = [op.detach_region(region) for region in list(op.regions)]
    rebuilt = op.__class__.create(
        operands=[*sources, *written], properties=op.properties, attributes=op.attributes, regions=regions
    )
    load_tables(state, rebuilt)
    state.emit(rebuilt)


def _source(state: Bufferizer, kernel: Kernel, value: SSAValue, written: list[SSAValue]) -> SSAValue:
    """Return the buffer, or the scalar, that a kernel reads for an operand."""
    if not is_shaped(value):
        return scalar(state, value)
    for output, buffer in zip(kernel.outputs, written, strict=True):
        accesses = [access for access in (*kernel.read, *kernel.extras) if access.value is value]
        if output.value is value and all(is_elementwise_read(kernel, access, output) for access in accesses):
            return buffer
    return buffer_of(state, value)


def is_elementwise_read(kernel: Kernel, access: Access, output: Access) -> bool:
    """Return whether a kernel reads each element of an operand only at the point that writes it in an output."""
    if access.map != output.map:
        return False
    return any(access is extra for extra in kernel.extras) or not kernel.reductions or is_identity(access.map)


def _destination(
    state: Bufferizer, op: Operation, number: int, taken: Collection[SSAValue], target: SSAValue, result: SSAValue
) -> SSAValue:
    """Return the buffer of a kernel's result, with the content of the target if the kernel reads it."""
    fresh = isinstance(target, OpResult) and isinstance(target.op, tensor.EmptyOp)
    _refuse_live_destination(state, op, result)
    if not fresh:
        buffer = state.destination(result)
        state.emit(memref.CopyOp(buffer_of(state, target), buffer))
        return buffer
    reused = None if result in state.destinations else _reusable(state, op, number, taken)
    if reused is None:
        buffer = state.destination(result)
        if result not in state.destinations:
            state.owned.add(result)
        return buffer
    state.join(result, reused)
    return state.buffers[result]


def _refuse_live_destination(state: Bufferizer, op: Operation, result: SSAValue) -> None:
    """
    Drop the planned destination of a result if it is the buffer of a carried tensor that is still alive.

    In-place updates since the plan was made may have extended the live range of that buffer.
    """
    argument = state.carried.get(result)
    if argument is not None and state.last_use.get(state.root(argument), -1) >= state.numbers[op]:
        del state.destinations[result], state.carried[result]


def _reusable(state: Bufferizer, op: Operation, number: int, taken: Collection[SSAValue]) -> SSAValue | None:
    """
    Return an operand that the kernel may update in place: read only at the written element, and dead afterwards.

    `taken` are the buffers of the results before.
    """
    kernel = kernel_of(op)
    output, result = kernel.outputs[number], op.results[number]
    accesses = [*kernel.inputs, *kernel.extras]
    for access in accesses:
        value = access.value
        if not is_shaped(value) or not is_elementwise_read(kernel, access, output):
            continue
        if not state.is_last_use(value, op) or shape_of(value) != shape_of(output.value):
            continue
        root = state.root(value)
        others = [other for other in accesses if other is not access and state.root(other.value) is root]
        if others or state.buffers[value] in taken:
            continue
        same_width = bytes_of(cast(Any, value.type)) == bytes_of(cast(Any, result.type))
        same_element = element_of(value) == element_of(output.value)
        if same_width and same_element and is_dense(buffer_of(state, value)):
            return value
    return None
