"""OpenCL C of a kernel: its loops as in C, those of the index space as work-items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, TypeVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.emitc import EmitC_OpaqueType, EmitC_PointerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import emitc
from ....dialects.core.analysis.constants import constant_integer
from ....dialects.core.analysis.intervals import Range
from ....dialects.core.nesting import nested_ops
from ....dialects.core.scalars import index_constant
from ....errors import Diagnostic
from ....ir import shape_of, where
from ....passes.emitc.buffers import flags, shape_attribute
from ....passes.emitc.builder import EmitcBuilder, pointer, scalar_type
from ....passes.emitc.converter import FunctionConverter, ModuleState, memref_type
from ....passes.emitc.names import Names, identifier
from ....passes.emitc.text.expressions import c_type, pointer_type
from ....passes.emitc.text.functions import argument_names, operands_comment
from ....passes.emitc.text.statements import function_text
from ..dialects.opencl import AXIS, GlobalIdOp

_OPENCL_WORDS = """
kernel global local constant private half bool uchar ushort uint ulong event_t sampler_t image1d_t image2d_t image3d_t
read_only write_only read_write complex imaginary quad
""".split()
_VECTORS = [
    f"{scalar}{width}"
    for scalar in "char uchar short ushort int uint long ulong half float double".split()
    for width in (2, 3, 4, 8, 16)
]
RESERVED = frozenset([*_OPENCL_WORDS, *_VECTORS])
"""Words of OpenCL C that are no words of C."""

_O = TypeVar("_O", bound=Operation)

_CHECKED = ("tw_entry_i64",)
"""Functions of the C runtime that end the program, which a work-item cannot."""


def kernel_text(state: ModuleState, kernel: FuncOp, name: str, written: Sequence[int]) -> str:
    """
    Return the OpenCL C of a kernel: its code for a work-item, and the entry, which finds the arguments in buffers.

        static void conv_0_item(const __global tw_f32 *in0, __global tw_f32 *out) { ... }
        __kernel void conv_0(const __global uchar *in0, ulong in0_from, __global uchar *out, ulong out_from) { ... }

    A buffer is passed as memory of the device and the byte where it begins. Raises Diagnostic for code that cannot run
    on a device.
    """
    item = kernel.clone()
    ids = _spread(item)
    converter = FunctionConverter(state, kernel, EmitcBuilder())
    converter.b.assume({op.result: Range(0, op.size.value.data - 1) for op in ids})
    source = item.body.block
    block = Block(arg_types=[_argument_type(argument, kernel) for argument in source.args])
    said: list[Attribute] = []
    for old, new in zip(source.args, block.args, strict=True):
        new.name_hint = identifier(old.name_hint) if old.name_hint else None
        said.append(DictionaryAttr(_argument_attributes(old, constant=old.index not in written)))
        converter.bind(old, new)
    converter.block(source)
    _refuse_checks(converter.b.called, kernel)
    block.add_ops([*converter.b.constants.values(), *converter.b.ops])
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(f"{name}_item"),
        "function_type": FunctionType.from_lists([argument.type for argument in block.args], []),
        "arg_attrs": ArrayAttr(said),
        "specifiers": flags(["static"]),
    }
    function = emitc.FuncOp.create(properties=properties, regions=[Region(block)])
    function.location = kernel.location
    head = operands_comment(function, argument_names(function, Names(RESERVED)))
    _name_memories(function)
    _, code = function_text(function, Names(RESERVED).fork(), frozenset()).split(" */\n", 1)
    return "\n".join([*head, code, _entry(function, name)])


def _argument_type(argument: SSAValue, kernel: FuncOp) -> Attribute:
    type_ = memref_type(argument)
    if type_ is None:
        return scalar_type(argument.type, kernel)
    return pointer(scalar_type(type_.get_element_type(), kernel))


def _argument_attributes(argument: SSAValue, *, constant: bool) -> dict[str, Attribute]:
    if memref_type(argument) is None:
        return {}
    shape: dict[str, Attribute] = {"tilewright.shape": shape_attribute(shape_of(argument))}
    return shape | ({"tilewright.const": UnitAttr()} if constant else {})


def _refuse_checks(called: Mapping[str, None], kernel: FuncOp) -> None:
    if checked := [name for name in _CHECKED if name in called]:
        raise Diagnostic(
            "a kernel of an OpenCL device checks entries of a table, at which a program ends",
            where=where(kernel),
            found=", ".join(checked),
            remedy="map its layer to a core",
        )


# Work-items


def _spread(kernel: FuncOp) -> list[GlobalIdOp]:
    """Replace the loops of a kernel's index space by the numbers of the work-item, and return these."""
    axes: dict[int, list[scf.ForOp]] = {}
    for op in nested_ops(kernel):
        if isinstance(op, scf.ForOp) and AXIS in op.attributes:
            axes.setdefault(cast("IntegerAttr[Any]", op.attributes[AXIS]).value.data, []).append(op)
    ids: list[GlobalIdOp] = []
    first = cast(Operation, kernel.body.block.first_op)
    for axis, loops in axes.items():
        counts = [len(range(*_bounds(loop))) for loop in loops]
        number = GlobalIdOp(axis, prod(counts))
        number.result.name_hint = f"item{axis}"
        ids.append(_insert(number, first))
        rest: SSAValue = number.result
        for loop, count in zip(reversed(loops[1:]), reversed(counts[1:]), strict=True):
            size = _constant(count, first)
            _inline(loop, _insert(arith.RemUIOp(rest, size), first).result, first)
            rest = _insert(arith.DivUIOp(rest, size), first).result
        _inline(loops[0], rest, first)
    return ids


def _bounds(loop: scf.ForOp) -> tuple[int, int, int]:
    """Return the constant bounds of a loop and its step."""
    return cast("tuple[int, int, int]", tuple(map(constant_integer, (loop.lb, loop.ub, loop.step))))


def _insert(op: _O, before: Operation) -> _O:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op


def _constant(value: int, before: Operation) -> SSAValue:
    return _insert(index_constant(value), before).result


def _inline(loop: scf.ForOp, iteration: SSAValue, first: Operation) -> None:
    """Replace a loop by its body, for one of its iterations."""
    lower, _, step = _bounds(loop)
    index = iteration
    if step != 1:
        index = _insert(arith.MuliOp(index, _constant(step, first)), first).result
    if lower:
        index = _insert(arith.AddiOp(index, _constant(lower, first)), first).result
    body = loop.body.block
    index.name_hint = body.args[0].name_hint
    body.args[0].replace_all_uses_with(index)
    for op in list(body.ops):
        op.detach()
        if not isinstance(op, scf.YieldOp):
            Rewriter.insert_op(op, InsertPoint.before(loop))
    Rewriter.erase_op(loop)


# Memories of pointers


def _name_memories(function: emitc.FuncOp) -> None:
    """Give the pointers into a kernel's arguments types of global memory; local arrays are private by default."""
    block = function.body.block
    for argument in block.args:
        if isinstance(argument.type, EmitC_PointerType):
            _name_memory(argument)
    function.properties["function_type"] = FunctionType.from_lists([argument.type for argument in block.args], [])


def _name_memory(value: SSAValue) -> None:
    element = pointer_type(cast(EmitC_PointerType, value.type), constant=False).removesuffix(" *")
    inside = EmitC_PointerType(EmitC_OpaqueType(StringAttr(f"__global {element}")))
    named = Rewriter.replace_value_with_new_type(value, inside)
    for use in list(named.uses):
        for result in use.operation.results:
            if isinstance(result.type, EmitC_PointerType):
                _name_memory(result)


# Entries


def _entry(function: emitc.FuncOp, name: str) -> str:
    """Return the kernel that calls the code of a work-item."""
    names = argument_names(function, Names(RESERVED))
    said = [dict(attributes.data) for attributes in cast("ArrayAttr[DictionaryAttr]", function.arg_attrs).data]
    parameters: list[str] = []
    arguments: list[str] = []
    for type_, text, attributes in zip(function.function_type.inputs.data, names, said, strict=True):
        if not isinstance(type_, EmitC_PointerType):
            parameters.append(f"const {_scalar_parameter(type_)} {text}")
            arguments.append(text)
            continue
        constant = "const " if "tilewright.const" in attributes else ""
        parameters += [f"{constant}__global uchar *{text}", f"const ulong {text}_from"]
        arguments.append(f"({constant}{c_type(type_)})({text} + {text}_from)")
    return f"__kernel void {name}({', '.join(parameters)}) {{\n    {name}_item({', '.join(arguments)});\n}}\n"


def _scalar_parameter(type_: Attribute) -> str:
    """Return the type of a number that the host passes; OpenCL has no arguments of type bool."""
    text = c_type(type_)
    return "uchar" if text == "bool" else text
