"""Value ranges of buffers: interval analysis of constants and of the scalar code of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.intervals import Range
from ...dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of
from ...ir import DenseAttr, array_of, integer_width
from ..loops.affine import axes_of
from ..memory.views import VIEWS

Ranges = dict[SSAValue, Range | None]
"""Value or buffer -> the integers that it may be or hold, as signed ones of its type; None where they may be any."""


def ranges_of(function: func.FuncOp, module: ModuleOp) -> Callable[[SSAValue], Range | None]:
    """
    Return the function that tells what integers a buffer of a function, or a view of it, holds when it is read.

    What an op writes that is no kernel, view or copy, or that is in a loop or branch, may be any number, as what
    arguments and state hold. Bytes without a sign are numbers from -128 on, as everywhere on buffers.
    """
    constants = {op.sym_name.data: op for op in module.ops if isinstance(op, memref.GlobalOp)}
    found: Ranges = dict.fromkeys(function.args)
    for op in function.body.block.ops:
        _visit(op, found, constants)
    return lambda value: found.get(_root(value))


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value


def _visit(op: Operation, found: Ranges, constants: dict[str, memref.GlobalOp]) -> None:
    if isinstance(op, memref.GetGlobalOp):
        found[op.memref] = _constant(constants.get(op.name_.root_reference.data))
    elif isinstance(op, arith.ConstantOp):
        found[op.result] = _number(op)
    elif isinstance(op, memref.CopyOp):
        _write(op.destination, found.get(_root(op.source)), found)
    elif is_kernel(op):
        kernel = kernel_of(op)
        for access, written in zip(kernel.outputs, _outputs(kernel, found), strict=True):
            _write(access.value, written, found)
    elif not isinstance(op, (memref.AllocOp, memref.DeallocOp, *VIEWS)) and not op.has_trait(IsTerminator):
        for value in {value for inner in op.walk() for value in inner.operands if is_shaped(value)}:
            found[_root(value)] = None


def _write(buffer: SSAValue, written: Range | None, found: Ranges) -> None:
    root = _root(buffer)
    before = found.get(root, written)
    found[root] = None if before is None or written is None else before | written


def _constant(definition: memref.GlobalOp | None) -> Range | None:
    if definition is None or definition.constant is None:
        return None
    element = cast("MemRefType[Any]", definition.type).element_type
    if integer_width(element) is None:
        return None
    return Range.of_array(array_of(cast(DenseAttr, definition.initial_value)))


def _number(op: arith.ConstantOp) -> Range | None:
    if not isinstance(op.value, IntegerAttr):
        return None
    number = cast("IntegerAttr[Any]", op.value).value.data
    return Range(number, number)


# Kernels


def _outputs(kernel: Kernel, found: Ranges) -> list[Range | None]:
    """Return the value range of each output that a kernel writes."""
    inputs = [_element(access, kernel, found) for access in kernel.inputs]
    values = [_fold(kernel, number, inputs, found) for number in range(len(kernel.reductions))]
    if kernel.result is not None:
        values = _yielded(kernel.result, [*inputs, *values], found)
    if kernel.epilogue is not None:
        values = _yielded(
            kernel.epilogue, [*values, *(_element(access, kernel, found) for access in kernel.extras)], found
        )
    return values


def _element(access: Access, kernel: Kernel, found: Ranges) -> Range | None:
    """Return the value range of an operand's elements, joined with the fill where a kernel reads outside of it."""
    held, fill = found.get(_root(access.value)), access.fill
    if held is None or not any(axis.low or axis.high for axis in axes_of(access, kernel.bounds)):
        return held
    return held | Range(fill.value.data, fill.value.data) if isinstance(fill, IntegerAttr) else None


def _fold(kernel: Kernel, number: int, inputs: Sequence[Range | None], found: Ranges) -> Range | None:
    """Return the value range of an accumulator: a fixed point that one more step preserves."""
    reduction = kernel.reductions[number]
    (initial, *others) = reduction.initial
    if others or number or not isinstance(initial, IntegerAttr):
        return None
    start = Range(initial.value.data, initial.value.data)
    once = _yielded(reduction.body, [*inputs, start], found)[0]
    again = _yielded(reduction.body, [*inputs, once], found)[0]
    if once is None or again is None or again not in once:
        return None
    return once | start if kernel.points == 0 else once


def _yielded(body: Block, arguments: Sequence[Range | None], found: Ranges) -> list[Range | None]:
    """Return the value ranges that scalar code yields."""
    known: Ranges = dict(zip(body.args, arguments, strict=False))
    for op in body.ops:
        if op.has_trait(IsTerminator):
            return [_of(value, known, found) for value in op.operands]
        for result in op.results:
            known[result] = None
        if len(op.results) == 1:
            known[op.results[0]] = _computed(op, lambda value: _of(value, known, found), found)
    return []


def _of(value: SSAValue, known: Ranges, found: Ranges) -> Range | None:
    """Return the value range of an SSA value of scalar code, by default that of its type."""
    here = known[value] if value in known else found.get(value)
    return here if here is not None else _all_of(value.type)


def _all_of(type: Attribute) -> Range | None:
    width = integer_width(type)
    return Range.of_bits(width, signed=True) if width else None


def _computed(op: Operation, of: Callable[[SSAValue], Range | None], found: Ranges) -> Range | None:
    """Return the value range of an op of scalar code; None where it is unbounded."""
    if isinstance(op, arith.ConstantOp):
        return _number(op)
    if isinstance(op, memref.LoadOp):
        return found.get(_root(op.memref))
    made, whole = _by_rule(op, [of(value) for value in op.operands]), _all_of(op.results[0].type)
    return made if made is not None and whole is not None and made in whole else None


def _by_rule(op: Operation, operands: Sequence[Range | None]) -> Range | None:
    if isinstance(op, arith.SelectOp):
        operands = operands[1:]
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return None
    if isinstance(op, arith.SelectOp):
        return known[0] | known[1]
    if type(op) in _UNARY:
        return _UNARY[type(op)](known[0])
    return _BINARY[type(op)](known[0], known[1]) if type(op) in _BINARY else None


def _unsigned(value: Range, *others: Range) -> Range | None:
    """Return a range of which all numbers are the same with a sign and without; None for others."""
    return value if all(each.low >= 0 for each in (value, *others)) else None


def _shifted(value: Range, by: Range) -> Range | None:
    return Range(value.low >> by.low, value.high >> by.low) if by.low == by.high >= 0 else None


def _minimum(a: Range, b: Range) -> Range:
    return Range(min(a.low, b.low), min(a.high, b.high))


def _maximum(a: Range, b: Range) -> Range:
    return Range(max(a.low, b.low), max(a.high, b.high))


def _masked(a: Range, b: Range) -> Range | None:
    ends = [each.high for each in (a, b) if each.low >= 0]
    return Range(0, min(ends)) if ends else None


_UNARY: dict[type[Operation], Callable[[Range], Range | None]] = {
    arith.ExtSIOp: lambda a: a,
    arith.ExtUIOp: _unsigned,
    arith.TruncIOp: lambda a: a,
}
_BINARY: dict[type[Operation], Callable[[Range, Range], Range | None]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MinSIOp: _minimum,
    arith.MaxSIOp: _maximum,
    arith.MinUIOp: lambda a, b: _minimum(a, b) if _unsigned(a, b) else None,
    arith.MaxUIOp: lambda a, b: _maximum(a, b) if _unsigned(a, b) else None,
    arith.ShRSIOp: _shifted,
    arith.ShRUIOp: lambda a, b: _shifted(a, b) if _unsigned(a) else None,
    arith.AndIOp: _masked,
}
"""Op of scalar code -> what it may compute of what its operands may be, before its own type bounds that."""
