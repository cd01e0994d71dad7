"""Each distinct kernel becomes one function."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ..errors import Diagnostic
from ..ir import functions, print_ir
from .core.base import Pass


def multiply_accumulates(op: Operation) -> int:
    """Return the number of multiplications that a kernel adds up: its points where it is a sum of products, else 0."""
    if not is_kernel(op) or op.name.removeprefix("nn.") not in ("conv", "matmul"):
        return 0
    return kernel_of(op).points


def outline_kernels(module: ModuleOp, function: func.FuncOp) -> None:
    """Move every kernel and copy of a function into a function of its own, equal ones into the same, and call it."""
    known: dict[str, str] = {}
    counts: dict[str, int] = {}
    for op in list(function.body.block.ops):
        if not (is_kernel(op) or isinstance(op, memref.CopyOp)):
            continue
        arguments = [value for value in dict.fromkeys(op.operands) if is_shaped(value)]
        outlined = _outlined(op, arguments)
        text = print_ir(outlined, locations=False)
        if text not in known:
            base = _base_name(op)
            counts[base] = counts.get(base, -1) + 1
            known[text] = f"{base}_{counts[base]}"
            outlined.properties["sym_name"] = StringAttr(known[text])
            outlined.location = op.location
            Rewriter.insert_op(outlined, InsertPoint.before(function))
        call = func.CallOp(known[text], arguments, [])
        call.location = op.location
        call.attributes["macs"] = IntegerAttr(multiply_accumulates(op), i64)
        Rewriter.replace_op(op, call, [])


def _base_name(op: Operation) -> str:
    name = op.name.split(".")[-1]
    return {"generic": "elementwise"}.get(name, name)


def _own_constant(block: Block, value: SSAValue) -> SSAValue:
    """Clone the constant that a scalar operand is into a block."""
    if not isinstance(value, OpResult) or not isinstance(value.op, arith.ConstantOp):
        raise Diagnostic("a kernel's scalar operand is no constant", expected="an arith.constant")
    clone = value.op.clone()
    block.add_op(clone)
    return clone.results[0]


def _outlined(op: Operation, arguments: list[SSAValue]) -> func.FuncOp:
    """Return a private function that does a copy of the op on its arguments."""
    types = [value.type for value in arguments]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for position, value in enumerate(arguments):
        mapping[value].name_hint = "out" if position == len(arguments) - 1 else f"in{position}"
    for value in op.operands:
        if value not in mapping:
            mapping[value] = _own_constant(block, value)
    clone = op.clone(value_mapper=mapping)
    for inner in clone.walk():
        inner.location = op.location if inner is clone else inner.location
    block.add_ops([clone, func.ReturnOp()])
    return func.FuncOp("kernel", FunctionType.from_lists(types, []), Region(block), visibility="private")


@dataclass(frozen=True)
class OutlineKernelsPass(Pass):
    """
    Make each distinct kernel a private function and call it.

    Layers of the same shapes and attributes share one function, so that lowering, C code and program memory pay for
    it once.
    """

    name = "outline-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            outline_kernels(op, function)
