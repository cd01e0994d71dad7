"""Lowering from the graph level to the tensor level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, MemRefType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation

from ..dialects.core.nesting import nested_ops
from ..dialects.ml_program import GlobalLoadOp, GlobalStoreOp, definition_of
from ..dialects.onnx.schema import OnnxOp
from ..dialects.paged.ops import PagedOp
from ..errors import Diagnostic
from ..ir import array_of, dense, functions, where
from .core.base import Pass
from .lowering import load_rules
from .lowering.lowerer import LOWERINGS, Lowerer, is_lowered, signless


def convert_onnx_to_linalg(function: func.FuncOp) -> None:
    """
    Lower the onnx ops of a function to nn, linalg, tensor and arith ops on signless tensors.

    A function at the tensor level is unchanged. Raises Diagnostic with all operators without a lowering, and for a
    function that mixes levels or is at the buffer level.
    """
    load_rules()
    block = function.body.block
    if is_lowered(function):
        _refuse_buffers(function)
        return
    _refuse_unknown([op for op in block.walk() if isinstance(op, OnnxOp)])
    lowered = Block(arg_types=[_tensor_level(argument.type) for argument in block.args])
    lower = Lowerer(lowered)
    for old, new in zip(block.args, lowered.args, strict=True):
        lower.values[old] = new
        new.name_hint = old.name_hint
    for op in block.ops:
        lower.location = op.location
        if isinstance(op, OnnxOp):
            lower.lower(op)
        elif isinstance(op, GlobalLoadOp | GlobalStoreOp):
            _move_access(lower, op)
        elif isinstance(op, PagedOp | func.CallOp):
            _move(lower, op)
        elif not isinstance(op, func.ReturnOp):
            raise Diagnostic(f"{op.name} stands beside onnx ops", where=where(op), expected="onnx ops, or none at all")
    assert block.last_op is not None
    results = [lower[value] for value in block.last_op.operands]
    end = func.ReturnOp(*results)
    lowered.add_op(end)
    function.body.detach_block(block)
    block.erase(safe_erase=False)
    function.body.add_block(lowered)
    function.properties["function_type"] = FunctionType.from_lists(lowered.arg_types, end.operand_types)


def _move_access(lower: Lowerer, op: GlobalLoadOp | GlobalStoreOp) -> None:
    """Lower the load or store of a global, and convert the global's type."""
    definition = definition_of(op, op.symbol)
    if definition is None:
        raise Diagnostic(f"there is no ml_program.global @{op.symbol}", where=where(op))
    definition.properties["type"] = kind = _tensor_level(definition.type)
    value = definition.value
    if isinstance(value, DenseIntOrFPElementsAttr):
        array = array_of(cast("DenseIntOrFPElementsAttr[Any]", value))
        element = cast("TensorType[Any]", kind).get_element_type()
        bits = array.view(f"i{array.itemsize}") if array.dtype.kind == "u" else array
        definition.properties["value"] = dense(bits, element)
    if isinstance(op, GlobalLoadOp):
        lower.values[op.result] = lower.op(GlobalLoadOp(op.symbol, kind))
        return
    store = GlobalStoreOp(op.symbol, lower[op.value])
    store.location = op.location
    lower.block.add_op(store)


def _move(lower: Lowerer, op: Operation) -> None:
    """Rebuild an op on the lowered values of its operands."""
    moved = type(op).create(
        operands=[lower[value] for value in op.operands],
        result_types=list(map(_tensor_level, op.result_types)),
        properties=op.properties,
        attributes=op.attributes,
    )
    moved.location = op.location
    lower.block.add_op(moved)
    for old, new in zip(op.results, moved.results, strict=True):
        lower.values[old] = new


def _tensor_level(type: Attribute) -> Attribute:
    if not isinstance(type, TensorType):
        raise Diagnostic(f"a value of type {type} cannot be lowered to the tensor level", expected="tensors")
    ranked = cast("TensorType[Any]", type)
    return TensorType(cast(Any, signless(ranked.get_element_type())), ranked.get_shape())


def _refuse_buffers(function: func.FuncOp) -> None:
    """Raise Diagnostic if a function without onnx ops is at the buffer level."""
    for op in (function, *nested_ops(function.body)):
        values = function.body.block.args if op is function else (*op.operands, *op.results)
        if any(isinstance(value.type, MemRefType) for value in values):
            raise Diagnostic(
                "the program is at the level of buffers already",
                where=where(op),
                expected="onnx ops, or structured ops on tensors",
                found=op.name,
                remedy="skip the completed phases: opt-tool --start-at=NAME",
            )


def _refuse_unknown(ops: list[OnnxOp]) -> None:
    gaps = [op for op in ops if op.name not in LOWERINGS]
    if not gaps:
        return
    raise Diagnostic(
        f"{len(gaps)} node{'s' if len(gaps) > 1 else ''} of the network cannot be lowered to the tensor level",
        notes=[f"{where(op)}: no lowering for {op.name.removeprefix('onnx.')}" for op in gaps],
        remedy="replace these operators in the exported model, or add rules to passes/lowering",
    )


@dataclass(frozen=True)
class ConvertOnnxToLinalgPass(Pass):
    """
    Lower onnx ops to structured kernels on tensors (nn, linalg, tensor, arith), one kernel per node.

    Element types become signless; signedness moves to the ops. Run infer-integer-types first for networks whose
    integers are encoded as floats.
    """

    name = "convert-onnx-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_onnx_to_linalg(function)
