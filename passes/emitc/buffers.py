"""Conversion of memrefs to pointers in C: elements, views, copies and globals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueAttr, EmitC_PointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects import emitc
from ...dialects.core.effect_traits import DeclaredRange
from ...errors import Diagnostic
from ...ir import Array, array_of, dense, where
from .builder import INDEX, UNSIGNED, EmitcBuilder, Strided, layout_of, lvalue, pointer, scalar_type

ENTRY = "tw_entry_i64"
"""Function of the runtime that checks an entry of a table."""
EXTERNAL = "tilewright.external"
"""Attribute of a global in external memory."""
VIEWS = (
    "memref.assume_alignment",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.transpose",
    "memref.view",
)
"""Ops whose result is a view of their first operand's buffer."""

_DYNAMIC = -(1 << 63)


def local_array(b: EmitcBuilder, op: Operation) -> None:
    """Convert `memref.alloca` to a local array."""
    type_ = cast("MemRefType[Any]", op.results[0].type)
    element = scalar_type(type_.get_element_type(), op)
    count = 1
    for size in layout_of(op.results[0], op).shape:
        count *= size
    array = EmitC_ArrayType([max(count, 1)], cast(Any, element))
    variable = emitc.VariableOp.create(result_types=[array], properties={"value": EmitC_OpaqueAttr(StringAttr(""))})
    alignment = cast("IntegerAttr[Any] | None", op.properties.get("alignment"))
    if alignment is not None:
        variable.attributes["tilewright.alignment"] = IntegerAttr(alignment.value.data, i64)
    variable.result.name_hint = op.results[0].name_hint or "sums"
    b.ops.append(variable)
    b.values[op.results[0]] = b.cast(variable.result, pointer(element))


# Elements


def element_index(b: EmitcBuilder, layout: Strided, indices: Iterable[SSAValue]) -> SSAValue:
    """Emit the flattened index of an element in its buffer: `(i * 16 + j) * 8 + k`."""
    total: SSAValue | None = None
    constant = layout.offset or 0
    inner: SSAValue | None = None
    inner_constant = unit = 0
    for index, size, stride in zip(indices, layout.shape, layout.strides, strict=True):
        if size == 1 or stride == 0:
            continue
        if unit % stride:
            total, constant = _sum(b, total, _product(b, inner, unit)), constant + inner_constant * unit
            inner, inner_constant = None, 0
        inner, inner_constant = _product(b, inner, unit // stride), inner_constant * (unit // stride)
        constant_index = b.known(index)
        inner = inner if constant_index is not None else _sum(b, inner, b.value(index))
        inner_constant, unit = inner_constant + (constant_index or 0), stride
    total, constant = _sum(b, total, _product(b, inner, unit)), constant + inner_constant * unit
    if total is None:
        return b.integer(constant)
    return b.emit(emitc.AddOp, [total, b.integer(constant)], i32) if constant else total


def _sum(b: EmitcBuilder, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
    if left is None or right is None:
        return left or right
    return b.emit(emitc.AddOp, [left, right], i32)


def _product(b: EmitcBuilder, value: SSAValue | None, factor: int) -> SSAValue | None:
    if value is None or factor == 0:
        return None
    return value if factor == 1 else b.emit(emitc.MulOp, [value, b.integer(factor)], i32)


def element(b: EmitcBuilder, op: Operation, memref: SSAValue, indices: Iterable[SSAValue]) -> SSAValue:
    """Emit the lvalue of an element of a memref."""
    return _at(b, b.value(memref), element_index(b, layout_of(memref, op), indices))


def _at(b: EmitcBuilder, base: SSAValue, index: SSAValue) -> SSAValue:
    type_ = cast(EmitC_PointerType, base.type).pointee_type
    return b.emit(emitc.SubscriptOp, [base, index], lvalue(type_))


def load(b: EmitcBuilder, op: Operation) -> None:
    """Convert `memref.load`."""
    lvalue = element(b, op, op.operands[0], op.operands[1:])
    b.values[op.results[0]] = b.emit(emitc.LoadOp, [lvalue], cast(EmitC_LValueType, lvalue.type).value_type)


def lookup(b: EmitcBuilder, op: Operation) -> None:
    """Convert `hier.lookup`: a load, checked against the declared range. Raises Diagnostic beyond int32_t."""
    load(b, op)
    entry, limits = b.cast(b.values[op.results[0]], i64), DeclaredRange.of(op)
    if limits[0] < -(1 << 31) or limits[1] > 1 << 31:
        interval = f"[{limits[0]}, {limits[1]})"
        raise Diagnostic("the range of a table is beyond that of int32_t, an index in C", where(op), found=interval)
    b.values[op.results[0]] = b.call(ENTRY, [entry, *(b.integer(limit, i64) for limit in limits)], i32)


def store(b: EmitcBuilder, op: Operation) -> None:
    """Convert `memref.store`."""
    value = b.value(op.operands[0])
    b.emit(emitc.AssignOp, [element(b, op, op.operands[1], op.operands[2:]), value], None)


# Views


def view(b: EmitcBuilder, op: Operation) -> None:
    """
    Convert an op whose result is a view of a buffer.

    A memref is a pointer to its buffer. A static offset is part of the type and is added to each index; a dynamic
    offset is added to the pointer once.
    """
    source, result = op.operands[0], op.results[0]
    layout = layout_of(result, op)
    base = b.value(source)
    if op.name == "memref.view":
        b.values[result] = _bytes_from(b, op, base)
        return
    old, new = layout_of(source, op).offset, layout.offset
    if op.name in ("memref.subview", "memref.reinterpret_cast"):
        dynamic = new is None
        if dynamic:
            base = _advanced(b, base, _first_element(b, op, old))
        elif old is None:
            raise _unknown_offset(op)
    elif old is not None and new is None:
        base = _advanced(b, base, b.integer(old)) if old else base
    elif old is None and new is not None:
        raise _unknown_offset(op)
    b.values[result] = base


def _unknown_offset(op: Operation) -> Diagnostic:
    return Diagnostic(
        "a static offset follows from one that is known only at run time",
        where(op),
        expected="an offset '?' in the result",
        found=str(op.results[0].type),
    )


def _advanced(b: EmitcBuilder, base: SSAValue, by: SSAValue) -> SSAValue:
    return b.emit(emitc.AddOp, [base, by], base.type)


def _bytes_from(b: EmitcBuilder, op: Operation, base: SSAValue) -> SSAValue:
    """Emit `(T *)(base + shift)` for `memref.view`, whose source is a buffer of bytes."""
    element_type = scalar_type(cast("MemRefType[Any]", op.results[0].type).get_element_type(), op)
    offset, shift = layout_of(op.operands[0], op).offset, op.operands[1]
    constant = b.known(shift)
    if offset is None:
        raise _unknown_offset(op)
    if constant is None:
        moved = _advanced(b, base, b.integer(offset)) if offset else base
        return b.cast(_advanced(b, moved, b.value(shift)), pointer(element_type))
    if (constant + offset) % element_type.compile_time_size:
        raise Diagnostic(
            "a view has a misaligned byte offset",
            where(op),
            expected=f"a multiple of {element_type.compile_time_size}",
            found=str(constant + offset),
        )
    if constant + offset:
        base = _advanced(b, base, b.integer(constant + offset))
    return b.cast(base, pointer(element_type))


def _first_element(b: EmitcBuilder, op: Operation, offset: int | None) -> SSAValue:
    """Return the offset of the result of `memref.subview` or `memref.reinterpret_cast` from its operand's pointer."""
    static = cast("DenseArrayBase[Any]", op.properties["static_offsets"]).get_values()
    segments = cast("DenseArrayBase[Any]", op.properties["operandSegmentSizes"]).get_values()
    dynamic = iter(op.operands[1 : 1 + int(segments[1])])
    strides = (1,)
    if op.name == "memref.subview":
        strides = layout_of(op.operands[0], op).strides
    elif offset is None:
        raise _unknown_offset(op)
    constant, total = (offset or 0) if op.name == "memref.subview" else 0, None
    for static_offset, stride in zip(static, strides, strict=True):
        value = next(dynamic) if static_offset == _DYNAMIC else None
        place = int(static_offset) if value is None else b.known(value)
        if place is not None:
            constant += place * stride
        elif value is not None:
            total = _sum(b, total, _product(b, b.value(value), stride))
    if total is None:
        return b.integer(constant)
    return b.emit(emitc.AddOp, [total, b.integer(constant)], i32) if constant else total


# Whole buffers


def copy(b: EmitcBuilder, op: Operation) -> None:
    """Convert `memref.copy` to a loop nest, a single loop if both sides are contiguous."""
    source, target = (layout_of(operand, op) for operand in op.operands)
    if source.contiguous and target.contiguous:
        count = 1
        for size in source.shape:
            count *= size
        source, target = (Strided((count,), (1,), layout.offset) for layout in (source, target))
    bases = [b.value(operand) for operand in op.operands]
    _copy_nest(b, bases, (source, target), [], op)


def _copy_nest(
    b: EmitcBuilder, bases: list[SSAValue], layouts: tuple[Strided, Strided], indices: list[SSAValue], op: Operation
) -> None:
    depth = len(indices)
    if depth == len(layouts[0].shape):
        lvalues = [_at(b, base, element_index(b, layout, indices)) for base, layout in zip(bases, layouts, strict=True)]
        value = b.emit(emitc.LoadOp, [lvalues[0]], cast(EmitC_LValueType, lvalues[0].type).value_type)
        b.emit(emitc.AssignOp, [lvalues[1], value], None)
        return
    block = Block(arg_types=[i32])
    block.args[0].name_hint = "i"
    b.values[block.args[0]] = block.args[0]
    outer, b.ops = b.ops, []
    _copy_nest(b, bases, layouts, [*indices, block.args[0]], op)
    block.add_ops([*b.ops, emitc.YieldOp.create()])
    b.ops = outer
    loop_bounds = [b.integer(0), b.integer(layouts[0].shape[depth]), b.integer(1)]
    b.ops.append(emitc.ForOp.create(operands=loop_bounds, regions=[Region(block)]))


# Globals


def global_op(op: Operation, name: str, level: int = 1, *, raw: bool) -> emitc.GlobalOp:
    """
    Convert `memref.global` to an array, in a memory level with buffers aligned to `level` bytes.

    `raw` memory, which is accessed through views only, is `uint8_t`. Raises Diagnostic for a constant without a value,
    and for an alignment that C does not have.
    """
    if level & (level - 1):
        raise Diagnostic(
            f"C has no array that is aligned to {level} bytes",
            where(op),
            expected="a power of two",
            remedy="give the level of this memory another alignment, or another row_bytes",
        )
    type_ = cast("MemRefType[Any]", op.properties["type"])
    element_type: Attribute = UNSIGNED[8] if raw else scalar_type(type_.get_element_type(), op)
    count = 1
    for size in type_.get_shape():
        count *= size
    if count < 0 or count >= 1 << 31:
        raise Diagnostic("a buffer has more elements than int32_t can index", where(op), found=str(type_))
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "type": EmitC_ArrayType([max(count, 1)], cast(Any, element_type)),
        "static_specifier": UnitAttr(),
    }
    value = op.properties.get("initial_value")
    if value is None:
        remedy = "define it in this module, or pass it as an argument"
        raise Diagnostic(f"the global @{name} is declared only, and has no memory in C", where(op), remedy=remedy)
    # Static memory in C is zero-initialised.
    zero = "constant" not in op.properties and isinstance(value, DenseIntOrFPElementsAttr) and not any(value.data.data)
    if isinstance(value, DenseIntOrFPElementsAttr) and not zero:
        properties["initial_value"] = _flat(op, cast("DenseIntOrFPElementsAttr[Any]", value), count)
    if "constant" in op.properties:
        properties["const_specifier"] = UnitAttr()
        if "initial_value" not in properties:
            raise Diagnostic("a constant has no value", where(op), found=f"@{name}")
    stated = op.properties.get("alignment", op.attributes.get("alignment"))
    size = scalar_type(type_.get_element_type(), op).compile_time_size
    # The x86-64 ABI aligns every array of 16 bytes or more to 16.
    least = 16 if count * size >= 16 else size
    alignment = max(least, level, cast("IntegerAttr[Any]", stated).value.data if stated is not None else 1)
    attributes: dict[str, Attribute] = {
        "tilewright.alignment": IntegerAttr(alignment, i64),
        "tilewright.shape": shape_attribute(type_.get_shape()),
    }
    attributes |= {key: op.attributes[key] for key in ("tilewright.state", "onnx.name") if key in op.attributes}
    if EXTERNAL in op.attributes:
        attributes[EXTERNAL] = UnitAttr()
    if isinstance(type_.memory_space, StringAttr):
        attributes["tilewright.level"] = type_.memory_space
    converted = emitc.GlobalOp.create(properties=properties, attributes=attributes)
    converted.location = op.location
    return converted


def _flat(op: Operation, value: Any, count: int) -> Attribute:
    """
    Flatten a constant to one axis; an empty one becomes one zero, because C has no empty arrays.

    Raises Diagnostic for an index beyond `int32_t`.
    """
    if isinstance(value.get_element_type(), IndexType):
        return _indices(op, array_of(value))
    if count == 0:
        return dense(np.zeros(1), value.get_element_type())
    return DenseIntOrFPElementsAttr(TensorType(value.get_element_type(), [count]), value.data)


def _indices(op: Operation, values: Array) -> Attribute:
    """Return constant indices as integers of the type that an index has in C."""
    limits = np.iinfo(np.int32)
    beyond = values[(values < limits.min) | (values > limits.max)]
    if beyond.size:
        raise Diagnostic("a constant index is beyond int32_t, an index in C", where(op), found=str(beyond[0]))
    return dense(values.reshape(-1) if values.size else np.zeros(1), INDEX)


def shape_attribute(shape: Iterable[int]) -> Attribute:
    """Return a shape as an attribute."""
    return DenseArrayBase.from_list(i64, tuple(shape))


def flags(names: Iterable[str]) -> Attribute:
    """Return a list of strings as an attribute."""
    return ArrayAttr([StringAttr(name) for name in names])
