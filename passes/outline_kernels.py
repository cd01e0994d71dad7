"""Outlining of structurally equal kernels into functions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.structural_key import structural_key
from ..dialects.core.buckets import BUCKET_OF, buckets_of
from ..dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ..dialects.core.nesting import nested_ops
from ..dialects.core.work import multiply_accumulates
from ..dialects.hier import LaunchOp
from ..errors import Diagnostic
from ..ir import FreshNames, functions, symbol_names, where
from .core.base import Pass
from .core.on_buffers import refuse_tensors
from .lowering.index_ranges import RANGE
from .map_engines import ATTRIBUTE as ENGINE
from .proof.kernel import ATTRIBUTE
from .proof.values import ATTRIBUTE as VALUES


@dataclass(frozen=True)
class _OutlinedKernel:
    """Kernel with its buffers and the integer constants of its scalar code, in order."""

    op: Operation
    arguments: Sequence[SSAValue]
    numbers: Sequence[Attribute]


def _varying(group: Sequence[_OutlinedKernel]) -> list[int]:
    """Return the positions of the constants that differ within a group of kernels."""
    columns = zip(*(kernel.numbers for kernel in group), strict=True)
    return [index for index, column in enumerate(columns) if len(set(column)) > 1]


def outline_kernels(module: ModuleOp, family: Sequence[func.FuncOp]) -> None:
    """
    Outline every kernel and copy of some functions, and insert the calls.

    Structurally equal kernels share one function; constants that differ (requantisation factors) become arguments.
    Raises Diagnostic for kernels on tensors.
    """
    groups: dict[Hashable, list[_OutlinedKernel]] = {}
    for op in (op for function in family for op in nested_ops(function.body)):
        if is_kernel(op) or isinstance(op, memref.CopyOp):
            refuse_tensors(op)
            arguments = _arguments(op)
            key, numbers = _structure(op, arguments)
            groups.setdefault(key, []).append(_OutlinedKernel(op, arguments, numbers))
    for function in family:
        function.attributes.pop(VALUES, None)
    names = FreshNames(symbol_names(module.body.block))
    for group in groups.values():
        _outline_group(group, names.take_numbered(_base_name(group[0].op)), family[0])


def _base_name(op: Operation) -> str:
    name = op.name.split(".")[-1]
    return "elementwise" if name == "generic" else name


def _numbers(op: Operation) -> list[arith.ConstantOp]:
    """Return the constants in the scalar code of a kernel."""
    return [inner for region in op.regions for inner in nested_ops(region) if isinstance(inner, arith.ConstantOp)]


def _structure(op: Operation, arguments: Sequence[SSAValue]) -> tuple[Hashable, list[Attribute]]:
    """Return the canonical key of a kernel, and the integer constants that it abstracts."""
    scalars = [_constant_of(value) for value in dict.fromkeys(op.operands) if value not in arguments]
    numbers = [constant.value for constant in (*scalars, *_numbers(op)) if isinstance(constant.value, IntegerAttr)]
    return structural_key([*scalars, op], lambda value: _type_anywhere(value.type), _facts), list(numbers)


def _facts(op: Operation) -> Hashable:
    """Return the attributes of an op for the key, without integer constants and the kernel description."""
    facts = op.properties | op.attributes
    for described in (ATTRIBUTE, VALUES):
        facts.pop(described, None)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        del facts["value"]
    return frozenset(facts.items())


def _outline_group(group: Sequence[_OutlinedKernel], name: str, before: func.FuncOp) -> None:
    first = group[0]
    varying = _varying(group)
    outlined = _outlined(first.op, first.arguments)
    outlined.properties["sym_name"] = StringAttr(name)
    outlined.location = first.op.location
    if ENGINE in first.op.attributes:
        outlined.attributes[ENGINE] = first.op.attributes[ENGINE]
    numbers: dict[int, list[Attribute]] = {}
    for index in varying:
        numbers[index] = [kernel.numbers[index] for kernel in group]
    _make_arguments(outlined, numbers)
    Rewriter.insert_op(outlined, InsertPoint.before(before))
    macs = IntegerAttr(multiply_accumulates(first.op), i64)
    for kernel in group:
        op = kernel.op
        constants = [arith.ConstantOp(cast(Any, kernel.numbers[index])) for index in varying]
        buffers = [_anywhere(value, op) for value in kernel.arguments]
        arguments = [*buffers, *(constant.result for constant in constants)]
        call = func.CallOp(name, arguments, [])
        call.attributes["macs"] = macs
        for new in (*constants, call):
            new.location = op.location
        Rewriter.replace_op(op, [*constants, call], [])


def _anywhere(value: SSAValue, op: Operation) -> SSAValue:
    """Return an argument cast to a type with dynamic offset."""
    type = _type_anywhere(value.type)
    if type == value.type:
        return value
    around = op.parent_op()
    cast_op = memref.CastOp.get(value, cast(Any, type))
    cast_op.location = op.location
    Rewriter.insert_op(cast_op, InsertPoint.before(around if isinstance(around, LaunchOp) else op))
    return cast_op.results[0]


@cache
def _type_anywhere(type: Attribute) -> Attribute:
    if not isinstance(type, MemRefType):
        return type
    source = cast("MemRefType[Any]", type)
    if not isinstance(source.layout, StridedLayoutAttr) or source.get_offset() is None:
        return source
    layout = StridedLayoutAttr(source.layout.strides, NoneAttr())
    return MemRefType(source.element_type, source.get_shape(), layout, source.memory_space)


def _make_arguments(outlined: func.FuncOp, varying: Mapping[int, Sequence[Attribute]]) -> None:
    """
    Convert the integer constants at these positions to arguments, each with the range of its values at all calls.

        func.func private @matmul_0(%in0: ..., %factor0: i32 {tilewright.range = array<i64: 3, 17>})
    """
    constants = [constant for constant in _numbers(outlined) if isinstance(constant.value, IntegerAttr)]
    block = outlined.body.block
    ranges = [DictionaryAttr({}) for _ in block.args]
    for number, (index, values) in enumerate(varying.items()):
        argument = block.insert_arg(constants[index].result.type, len(block.args))
        argument.name_hint = f"factor{number}"
        numbers = [cast("IntegerAttr[Any]", value).value.data for value in values]
        limits = DenseArrayBase.from_list(i64, [min(numbers), max(numbers)])
        ranges.append(DictionaryAttr({RANGE: limits}))
        Rewriter.replace_op(constants[index], [], [argument])
    types = [argument.type for argument in block.args]
    outlined.properties["function_type"] = FunctionType.from_lists(types, [])
    if varying:
        outlined.properties["arg_attrs"] = ArrayAttr(ranges)


def _arguments(op: Operation) -> list[SSAValue]:
    """Return the distinct captures and buffers of a kernel."""
    captures = kernel_of(op).captures if is_kernel(op) else ()
    return list(dict.fromkeys([*captures, *(value for value in op.operands if is_shaped(value))]))


def _outlined(op: Operation, arguments: Sequence[SSAValue]) -> func.FuncOp:
    """Build a private function with a clone of the op."""
    types = [_type_anywhere(value.type) for value in arguments]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for position, value in enumerate(arguments):
        mapping[value].name_hint = "out" if position == len(arguments) - 1 else f"in{position}"
    for value in op.operands:
        if value not in mapping:
            constant = _constant_of(value).clone()
            block.add_op(constant)
            mapping[value] = constant.results[0]
    clone = op.clone(value_mapper=mapping)
    clone.location = op.location
    for described in (ATTRIBUTE, VALUES):
        clone.attributes.pop(described, None)
    block.add_ops([clone, func.ReturnOp()])
    return func.FuncOp("kernel", FunctionType.from_lists(types, []), Region(block), visibility="private")


def _constant_of(value: SSAValue) -> arith.ConstantOp:
    """Return the defining constant of a scalar operand. Raises Diagnostic for other values."""
    if isinstance(value.owner, arith.ConstantOp):
        return value.owner
    user = next(iter(value.uses)).operation
    raise Diagnostic("a kernel's scalar operand is not a constant", where=where(user), expected="an arith.constant")


@dataclass(frozen=True)
class OutlineKernelsPass(Pass):
    """
    Outline each structurally distinct kernel into a private function, and call it.

    Layers of the same shapes and attributes share one function, which reduces compile time and code size. Factors that
    differ become arguments. A function and its buckets share functions too.
    """

    name = "outline-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if BUCKET_OF not in function.attributes:
                buckets = (bucket for _, bucket in buckets_of(op, function.sym_name.data))
                outline_kernels(op, [function, *buckets])
