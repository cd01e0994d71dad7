"""Random programs as kernels of an OpenCL device: each is one work-item of a stage, which the program launches."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.core.manager import PassManager
from tilewright.runtime.testing.programs.program import RandomProgram
from tilewright.test.random.programs.in_c import CText, in_c
from tilewright.test.random.programs.passes import pipeline

_LOOPS = "allocate-static, convert-kernels-to-loops, normalize-memrefs, lower-affine"
_DEVICE = "convert-to-opencl, convert-to-emitc"


def on_device(program: RandomProgram) -> CText:
    """Return the C that launches a program on a device. Raises Diagnostic where a pass refuses it."""
    context = new_context()
    module = parse_module(context, program.text, f"{program.seed}.mlir")
    PassManager([]).run(module, pipeline(_LOOPS), context)
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    _wrap(module, function)
    return in_c(program, module, _DEVICE)


def _wrap(module: ModuleOp, function: FuncOp) -> None:
    """Make a program the kernel of a stage, its numbers elements of buffers: a launch takes buffers and constants."""
    entry, types = function.sym_name.data, list(function.function_type.inputs.data)
    said = function.arg_attrs or ArrayAttr([DictionaryAttr({})] * len(types))
    _take_buffers(function)
    buffers = list(function.function_type.inputs.data)
    function.properties["sym_name"] = StringAttr(f"{entry}_kernel")
    function.properties["sym_visibility"] = StringAttr("private")
    function.attributes["engine"] = StringAttr("gpu")
    function.properties.pop("arg_attrs", None)

    block = Block(arg_types=buffers)
    block.add_ops([func.CallOp(f"{entry}_kernel", block.args, []), func.ReturnOp()])
    stage = FuncOp(f"{entry}_stage", FunctionType.from_lists(buffers, []), Region(block), "private", arg_attrs=said)
    stage.attributes |= {"engine": StringAttr("gpu"), "hmp.layers": DenseArrayBase.from_list(i64, [0, 0])}

    outer = Block(arg_types=types)
    arguments = [_spilled(outer, argument) for argument in outer.args]
    outer.add_ops([func.CallOp(f"{entry}_stage", arguments, []), func.ReturnOp()])
    network = FuncOp(entry, FunctionType.from_lists(types, []), Region(outer), arg_attrs=said)
    for made in (stage, network):
        made.location = function.location
        Rewriter.insert_op(made, InsertPoint.at_end(module.body.block))


def _take_buffers(function: FuncOp) -> None:
    """Replace the numbers that a function takes by buffers of one element."""
    block = function.body.block
    start = InsertPoint.at_start(block)
    for argument in list(block.args):
        if isinstance(argument.type, MemRefType):
            continue
        buffer = block.insert_arg(_buffer_of(argument.type), argument.index)
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        load = memref.LoadOp.get(buffer, [zero.result])
        for op in (zero, load):
            op.location = function.location
        Rewriter.insert_op([zero, load], start)
        argument.replace_all_uses_with(load.res)
        block.erase_arg(argument)
    function.properties["function_type"] = FunctionType.from_lists([argument.type for argument in block.args], [])


def _buffer_of(type: Attribute) -> MemRefType[Any]:
    return MemRefType(cast(Any, type), [1])


def _spilled(block: Block, argument: Any) -> Any:
    """Return the buffer of an argument, one of its own for a number."""
    if isinstance(argument.type, MemRefType):
        return argument
    buffer = memref.AllocaOp.get(argument.type, shape=[1])
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    block.add_ops([buffer, zero, memref.StoreOp.get(argument, buffer.memref, [zero.result])])
    return buffer.memref
