"""Each distinct kernel becomes one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.buckets import BUCKET_OF, buckets_of
from ..dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ..dialects.core.kernel_op import KernelOp
from ..dialects.hier import LaunchOp
from ..errors import Diagnostic
from ..ir import functions, print_ir, where
from .core.base import Pass
from .map_engines import ATTRIBUTE as ENGINE
from .proof.kernel import ATTRIBUTE


@dataclass
class _Group:
    """Kernels that are alike but for numbers in their scalar code: each with its numbers, in order."""

    kernels: list[tuple[Operation, list[Attribute]]] = field(default_factory=list[tuple[Operation, list[Attribute]]])

    def varying(self) -> list[int]:
        """Return the positions of the numbers that are not the same in all kernels."""
        columns = zip(*(numbers for _, numbers in self.kernels), strict=True)
        return [index for index, column in enumerate(columns) if len(set(column)) > 1]


def outline_kernels(module: ModuleOp, family: Sequence[func.FuncOp]) -> None:
    """
    Move every kernel and copy of some functions into a function of its own, before the first of them, and call it.

    Kernels that are alike share one; numbers in which they differ (requantisation factors) become its arguments.
    """
    groups: dict[str, _Group] = {}
    for op in (op for function in family for op in function.body.walk()):
        if is_kernel(op) or isinstance(op, memref.CopyOp):
            key, numbers = _structure(op)
            groups.setdefault(key, _Group()).kernels.append((op, numbers))
    taken = {str(name) for op in module.body.block.ops if (name := op.properties.get("sym_name")) is not None}
    for group in groups.values():
        base = _base_name(group.kernels[0][0])
        name = next(name for name in (f"{base}_{n}" for n in count()) if str(StringAttr(name)) not in taken)
        taken.add(str(StringAttr(name)))
        _outline_group(group, name, family[0])


def multiply_accumulates(op: Operation) -> int:
    """Return the number of products that a kernel sums up, 0 where it is no sum of products."""
    return op.multiply_accumulates if isinstance(op, KernelOp) else 0


def _base_name(op: Operation) -> str:
    name = op.name.split(".")[-1]
    return "elementwise" if name == "generic" else name


def _numbers(op: Operation) -> list[arith.ConstantOp]:
    """Return the constants in the scalar code of a kernel."""
    return [inner for region in op.regions for inner in region.walk() if isinstance(inner, arith.ConstantOp)]


def _structure(op: Operation) -> tuple[str, list[Attribute]]:
    """Return the text of a kernel as a function, its numbers left out, and the numbers."""
    outlined = _outlined(op)
    numbers: list[Attribute] = []
    for constant in _numbers(outlined):
        numbers.append(constant.value)
        if isinstance(constant.value, IntegerAttr):
            constant.properties["value"] = IntegerAttr(0, cast(Any, constant.result.type))
        else:
            numbers.pop()
    return print_ir(outlined, locations=False), numbers


def _outline_group(group: _Group, name: str, before: func.FuncOp) -> None:
    first = group.kernels[0][0]
    varying = group.varying()
    outlined = _outlined(first)
    outlined.properties["sym_name"] = StringAttr(name)
    outlined.location = first.location
    if ENGINE in first.attributes:
        outlined.attributes[ENGINE] = first.attributes[ENGINE]
    _make_arguments(outlined, varying)
    Rewriter.insert_op(outlined, InsertPoint.before(before))
    for op, numbers in group.kernels:
        constants = [arith.ConstantOp(cast(Any, numbers[index])) for index in varying]
        buffers = [_anywhere(value, op) for value in _arguments(op)]
        arguments = [*buffers, *(constant.result for constant in constants)]
        call = func.CallOp(name, arguments, [])
        call.attributes["macs"] = IntegerAttr(multiply_accumulates(op), i64)
        for made in (*constants, call):
            made.location = op.location
        Rewriter.replace_op(op, [*constants, call], [])


def _anywhere(value: SSAValue, op: Operation) -> SSAValue:
    """Return an argument of a kernel's function as one whose type does not say where in its buffer it begins."""
    type = _type_anywhere(value.type)
    if type == value.type:
        return value
    around = op.parent_op()
    cast_op = memref.CastOp.get(value, cast(Any, type))
    cast_op.location = op.location
    Rewriter.insert_op(cast_op, InsertPoint.before(around if isinstance(around, LaunchOp) else op))
    return cast_op.results[0]


def _type_anywhere(type: Attribute) -> Attribute:
    if not isinstance(type, MemRefType):
        return type
    known = cast("MemRefType[Any]", type)
    if not isinstance(known.layout, StridedLayoutAttr) or known.get_offset() is None:
        return known
    layout = StridedLayoutAttr(known.layout.strides, NoneAttr())
    return MemRefType(known.element_type, known.get_shape(), layout, known.memory_space)


def _make_arguments(outlined: func.FuncOp, varying: list[int]) -> None:
    """Turn the integer constants at these positions into arguments."""
    constants = [constant for constant in _numbers(outlined) if isinstance(constant.value, IntegerAttr)]
    block = outlined.body.block
    for number, index in enumerate(varying):
        argument = block.insert_arg(constants[index].result.type, len(block.args))
        argument.name_hint = f"factor{number}"
        Rewriter.replace_op(constants[index], [], [argument])
    types = [argument.type for argument in block.args]
    outlined.properties["function_type"] = FunctionType.from_lists(types, [])


def _arguments(op: Operation) -> list[SSAValue]:
    """Return the buffers that a kernel works on, each once, after what its scalar code uses from outside."""
    captures = kernel_of(op).captures if is_kernel(op) else ()
    return list(dict.fromkeys([*captures, *(value for value in op.operands if is_shaped(value))]))


def _outlined(op: Operation) -> func.FuncOp:
    """Return a private function that does a copy of the op on its arguments."""
    arguments = _arguments(op)
    types = [_type_anywhere(value.type) for value in arguments]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for position, value in enumerate(arguments):
        mapping[value].name_hint = "out" if position == len(arguments) - 1 else f"in{position}"
    for value in op.operands:
        if value not in mapping:
            mapping[value] = _own_constant(block, value)
    clone = op.clone(value_mapper=mapping)
    clone.location = op.location
    # Which kernel this is a tile of says nothing about what it computes.
    clone.attributes.pop(ATTRIBUTE, None)
    block.add_ops([clone, func.ReturnOp()])
    return func.FuncOp("kernel", FunctionType.from_lists(types, []), Region(block), visibility="private")


def _own_constant(block: Block, value: SSAValue) -> SSAValue:
    """Clone the constant that a scalar operand is into a block."""
    if not isinstance(value, OpResult) or not isinstance(value.op, arith.ConstantOp):
        user = next(iter(value.uses)).operation
        raise Diagnostic("a kernel's scalar operand is no constant", where=where(user), expected="an arith.constant")
    clone = value.op.clone()
    block.add_op(clone)
    return clone.results[0]


@dataclass(frozen=True)
class OutlineKernelsPass(Pass):
    """
    Make each distinct kernel a private function and call it.

    Layers of the same shapes and attributes share one function, so that lowering, C code and program memory pay for it
    once; factors in which they differ are passed to it. So do those of a function and its buckets.
    """

    name = "outline-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if BUCKET_OF not in function.attributes:
                buckets = (bucket for _, bucket in buckets_of(op, function.sym_name.data))
                outline_kernels(op, [function, *buckets])
