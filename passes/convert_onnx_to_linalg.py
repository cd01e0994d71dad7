"""From the graph level to the tensor level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block

from ..dialects.core.onnx_schema import OnnxOp
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass
from .lowering import load_rules
from .lowering.lowerer import LOWERINGS, Lowerer, signless


def convert_onnx_to_linalg(function: func.FuncOp) -> None:
    """
    Replace the onnx ops of a function by nn, linalg, tensor and arith ops on signless tensors.

    Raises Diagnostic with all operators that have no lowering, not just the first.
    """
    load_rules()
    block = function.body.block
    _refuse_unknown([op for op in block.ops if isinstance(op, OnnxOp)])
    lowered = Block(arg_types=[_tensor_level(argument.type) for argument in block.args])
    lower = Lowerer(lowered)
    for old, new in zip(block.args, lowered.args, strict=True):
        lower.values[old] = new
        new.name_hint = old.name_hint
    for op in block.ops:
        if isinstance(op, OnnxOp):
            lower.location = op.location
            _lower(lower, op)
    assert block.last_op is not None
    results = [lower[value] for value in block.last_op.operands]
    lowered.add_op(func.ReturnOp(*results))
    function.body.detach_block(block)
    block.erase(safe_erase=False)
    function.body.add_block(lowered)
    types = [value.type for value in lowered.args], [value.type for value in results]
    function.properties["function_type"] = FunctionType.from_lists(*types)


def _lower(lower: Lowerer, op: OnnxOp) -> None:
    for old, new in zip(op.results, LOWERINGS[op.name](lower, op), strict=True):
        lower.values[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint


def _tensor_level(type: Attribute) -> Attribute:
    if not isinstance(type, TensorType):
        raise Diagnostic(f"a value of type {type} has no place at the tensor level", expected="tensors")
    ranked = cast("TensorType[Any]", type)
    return TensorType(cast(Any, signless(ranked.get_element_type())), ranked.get_shape())


def _refuse_unknown(ops: list[OnnxOp]) -> None:
    gaps = [op for op in ops if op.name not in LOWERINGS]
    if not gaps:
        return
    raise Diagnostic(
        f"{len(gaps)} node{'s' if len(gaps) > 1 else ''} of the network cannot be lowered to the tensor level",
        notes=[f"{where(op)}: no lowering for {op.name.removeprefix('onnx.')}" for op in gaps],
        remedy="replace these operators in the exported model, or add rows to passes/lowering/standard.py",
    )


@dataclass(frozen=True)
class ConvertOnnxToLinalgPass(Pass):
    """
    Lower onnx ops to structured kernels on tensors (nn, linalg, tensor, arith), one kernel per node.

    Element types become signless; which integers are unsigned is then said by the ops. Run infer-integer-types first
    for networks whose integers are encoded as floats.
    """

    name = "convert-onnx-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_onnx_to_linalg(function)
