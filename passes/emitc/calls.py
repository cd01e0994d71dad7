"""Conversion of instructions to calls of a target's C runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from xdsl.dialects.builtin import StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.effects import is_pure
from ...dialects.core.instruction import InstructionOp
from ...dialects.core.instruction.signature import Buffer, ElementSize, Extent, Parameter, Stride
from ...ir import element_of, numpy_type, shape_of
from .buffers import element_index
from .builder import EmitcBuilder, Strided, layout_of, scalar_type

OFFSETS = "tilewright.offsets"
"""Attribute of a call that takes buffers and their offsets apart."""
_HOLDS = UnitAttr()
_FIRST_RANK = 2
"""Rank of the first header of an instruction, after those of the runtime."""


def place(b: EmitcBuilder, op: Operation, value: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
    """Emit a pointer to an element."""
    base = b.value(value)
    return b.emit(emitc.AddOp, [base, element_index(b, layout_of(value, op), at)], base.type)


def call_instruction(b: EmitcBuilder, op: InstructionOp) -> None:
    """Convert an instruction to a call of its C function."""
    record = op.INSTRUCTION
    operands = op.operands_of()
    numbers = op.properties_of()
    arguments = [
        value for parameter in record.c_parameters for value in _arguments(b, op, parameter, operands, numbers)
    ]
    result = scalar_type(op.results[0].type, op) if op.results else None
    if not record.headers:
        b.include_runtime(op)
    for rank, header in enumerate(record.headers, _FIRST_RANK):
        b.headers[header] = max(b.headers.get(header, 0), rank)
    if is_pure(op) and result is not None:
        value = b.emit(emitc.CallOpaqueOp, arguments, result, {"callee": StringAttr(record.c)})
    else:
        value = effect(b, record.c, arguments, result)
    if op.results:
        b.values[op.results[0]] = value
    if any(isinstance(parameter.kind, Buffer) and parameter.kind.has_offset for parameter in record.c_parameters):
        b.ops[-1].attributes[OFFSETS] = _HOLDS


def _arguments(
    b: EmitcBuilder,
    op: InstructionOp,
    parameter: Parameter,
    operands: Mapping[str, tuple[SSAValue, Sequence[SSAValue]]],
    numbers: Mapping[str, int],
) -> list[SSAValue]:
    """Return the C arguments for a parameter: two for a buffer with an offset."""
    if not isinstance(parameter.kind, Buffer):
        return [_number(b, op, parameter, operands, numbers)]
    value, at = operands[parameter.name]
    if not parameter.kind.has_offset:
        return [_pointer(b, op, value, at)]
    return [b.value(value), _offset(b, layout_of(value, op), at)]


def _offset(b: EmitcBuilder, layout: Strided, at: Sequence[SSAValue]) -> SSAValue:
    """Emit the index of an element: `(i * 16 + j) * 8` for one that begins a row of 8."""
    first = layout.offset or 0
    unit = gcd(first, *layout.strides[:-1])
    if not at or unit < 2 or b.known(at[-1]) != 0 or all(b.known(index) is not None for index in at):
        return element_index(b, layout, at) if at else b.integer(first)
    rows = Strided(layout.shape[:-1], tuple(stride // unit for stride in layout.strides[:-1]), first // unit)
    index = element_index(b, rows, at[:-1])
    return b.emit(emitc.MulOp, [index, b.integer(unit)], i32)


def _number(
    b: EmitcBuilder,
    op: InstructionOp,
    parameter: Parameter,
    operands: Mapping[str, tuple[SSAValue, Sequence[SSAValue]]],
    numbers: Mapping[str, int],
) -> SSAValue:
    """Return the C argument for a parameter that is no buffer."""
    kind = parameter.kind
    if parameter.name in operands:
        return b.value(operands[parameter.name][0])
    if isinstance(kind, Stride):
        axis, times = op.step_of(parameter.name)
        return b.integer(layout_of(operands[kind.buffer][0], op).strides[axis] * times if times else 0)
    if isinstance(kind, Extent):
        return b.integer(shape_of(operands[kind.buffer][0])[kind.axis])
    if isinstance(kind, ElementSize):
        return b.integer(numpy_type(element_of(operands[kind.buffer][0])).itemsize)
    return b.integer(numbers[parameter.name])


def _pointer(b: EmitcBuilder, op: Operation, value: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
    """Emit a pointer to an element, the first one without indices."""
    if at:
        return place(b, op, value, at)
    base, offset = b.value(value), layout_of(value, op).offset
    return b.emit(emitc.AddOp, [base, b.integer(offset)], base.type) if offset else base


def effect(b: EmitcBuilder, function: str, operands: list[SSAValue], result: Attribute | None) -> SSAValue:
    """Emit a call with side effects, which is neither moved nor folded into an expression."""
    value = b.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(function)})
    b.ops[-1].attributes["tilewright.effect"] = _HOLDS
    return value
