"""Generation of `main`: network inputs from standard input, outputs to standard output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, bufferization, func, memref
from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ..errors import Diagnostic
from ..ir import functions, numpy_type, where
from .core.base import Pass

MAIN, READ, WRITE = "main", "read", "write"
_STANDARD_INPUT, _STANDARD_OUTPUT = 0, 1


def add_main(module: ModuleOp, name: str = "network") -> None:
    """
    Add `main`, which calls the function `name` once on tensors.

    Inputs are read in order, C-contiguous, with POSIX `read`, outputs written with `write`. Elements have their NumPy
    size; a boolean has one byte. `main` returns the number of bytes that could not be read or written, 0 on success.

    Raises Diagnostic for a missing function, for arguments or results other than static tensors, and for a name clash.
    """
    network = next((op for op in functions(module) if op.sym_name.data == name), None)
    if network is None:
        names = ", ".join(op.sym_name.data for op in functions(module))
        raise Diagnostic(f"the module has no function '{name}'", expected=f"one of {names}" if names else "a function")
    taken = {op.sym_name.data for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    if clashes := sorted(taken & {MAIN, READ, WRITE}):
        raise Diagnostic(
            f"the module has a function '{clashes[0]}' already", where=where(network), remedy="give it another name"
        )
    signature = network.function_type
    for type in (*signature.inputs.data, *signature.outputs.data):
        _check(type, network)
    body = Builder(InsertPoint.at_end(module.body.block))
    for function in (READ, WRITE):
        body.insert(func.FuncOp.external(function, [i32, i64, i64], [i64]))
    body.insert(_Main(name, signature).function)


def _check(type: Attribute, network: func.FuncOp) -> None:
    if isinstance(type, TensorType) and cast("TensorType[Any]", type).has_static_shape():
        return
    raise Diagnostic(
        f"'{network.sym_name.data}' takes or returns a value of type {type}",
        where=where(network),
        expected="tensors of static shape",
        remedy="stop the pipeline at the tensor level, before bufferize",
    )


class _Main:
    """Builder of the function `main`."""

    def __init__(self, name: str, signature: FunctionType):
        self.function = func.FuncOp(MAIN, ([], [i32]))
        self._builder = Builder(InsertPoint.at_end(self.function.body.block))
        self._missing = self.number(0)
        inputs = [self.input(cast("TensorType[Any]", type)) for type in signature.inputs.data]
        call = self._builder.insert(func.CallOp(name, inputs, signature.outputs.data))
        self.outputs(call.results)
        self.op(func.ReturnOp, self.value(arith.TruncIOp, self._missing, i32))

    def input(self, type: TensorType[Any]) -> SSAValue:
        """Read the next input tensor."""
        buffer = self.buffer(type)
        self.transfer(READ, _STANDARD_INPUT, buffer)
        return self.value(bufferization.ToTensorOp, buffer, restrict=True)

    def outputs(self, values: Sequence[SSAValue]) -> None:
        """Write the output tensors."""
        for value in values:
            buffer = self.buffer(cast("TensorType[Any]", value.type))
            into = bufferization.MaterializeInDestinationOp.build(
                operands=[value, buffer],
                result_types=[None],
                properties={"restrict": UnitAttr(), "writable": UnitAttr()},
            )
            self._builder.insert(into)
            self.transfer(WRITE, _STANDARD_OUTPUT, buffer)

    def transfer(self, function: str, file: int, buffer: SSAValue) -> None:
        """Read or write a whole buffer, and accumulate the number of missing bytes."""
        type = cast("MemRefType[Any]", buffer.type)
        size = self.number(type.element_count() * numpy_type(type.element_type).itemsize)
        address = self.value(memref.ExtractAlignedPointerAsIndexOp.get, buffer)
        descriptor = self.value(arith.ConstantOp, IntegerAttr(file, i32))
        arguments = [descriptor, self.value(arith.IndexCastOp, address, i64), size]
        done = self._builder.insert(func.CallOp(function, arguments, [i64])).results[0]
        self._missing = self.value(arith.AddiOp, self._missing, self.value(arith.SubiOp, size, done))

    def buffer(self, type: TensorType[Any]) -> SSAValue:
        """Allocate a buffer for a tensor."""
        return self.value(memref.AllocOp, [], [], MemRefType(type.element_type, type.get_shape()))

    def number(self, value: int) -> SSAValue:
        return self.value(arith.ConstantOp, IntegerAttr(value, i64))

    def op(self, make: Callable[..., Operation], *arguments: Any, **options: Any) -> Operation:
        return self._builder.insert(make(*arguments, **options))

    def value(self, make: Callable[..., Operation], *arguments: Any, **options: Any) -> SSAValue:
        """Add an op and return its result."""
        return self.op(make, *arguments, **options).results[0]


@dataclass(frozen=True)
class AddMainPass(Pass):
    """
    Add a `main` that reads the network's inputs from standard input and writes its outputs to standard output.

    Values are raw bytes, one tensor after the other. With it upstream's JIT runs a network; see docs/mlir.md.
    """

    name = "add-main"

    function: str = "network"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        add_main(op, self.function)
