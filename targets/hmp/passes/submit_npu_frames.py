"""The pass `submit-npu-frames`: an NPU gets the next frames while it computes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.nesting import nested_ops
from ....ir import FreshNames, element_of, functions, shape_of, symbol_names
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from .outline_stages import LAYERS, OUTPUT

OUTSTANDING = "hmp.outstanding"
"""Attribute of the function of a stage: the frames that its processor takes before the first is done."""
SUBMITS = "hmp.submits"
"""Attribute of a function that submits frames: the stage that collects them."""


def outstanding_of(function: FuncOp) -> int:
    """Return the frames that the processor of a stage takes before the first is done."""
    count = function.attributes.get(OUTSTANDING)
    return cast("IntegerAttr[Any]", count).value.data if isinstance(count, IntegerAttr) else 1


def set_outstanding(function: FuncOp, count: int) -> None:
    """Set the frames that the processor of a stage takes before the first is done."""
    function.attributes.pop(OUTSTANDING, None)
    if count > 1:
        function.attributes[OUTSTANDING] = IntegerAttr(count, i64)


def submission_of(stage: str) -> str:
    """Return the name of the function that submits the frames of a stage."""
    return f"{stage}_submit"


def submit_npu_frames(module: ModuleOp) -> None:
    """Give each stage whose processor takes several frames a function that submits them, called before it."""
    names = FreshNames(symbol_names(module.body.block))
    for stage in [function for function in functions(module) if LAYERS in function.attributes]:
        if outstanding_of(stage) > 1:
            _split(module, stage, names.take(submission_of(stage.sym_name.data)))


def _split(module: ModuleOp, stage: FuncOp, name: str) -> None:
    """Copy the inputs of a stage in a function of its own, and let the stage take the copies."""
    said = cast("Sequence[DictionaryAttr]", stage.arg_attrs or [])
    inputs = [place for place, attributes in enumerate(said) if OUTPUT not in attributes.data]
    types = [stage.body.block.args[place].type for place in inputs]
    Rewriter.insert_op(_submission(stage, name, inputs, types), InsertPoint.after(stage))
    for call in [op for op in nested_ops(module) if isinstance(op, func.CallOp)]:
        if call.callee.string_value() != stage.sym_name.data:
            continue
        taken = [call.arguments[place] for place in inputs]
        slots = [memref.AllocOp.get(element_of(value), None, list(shape_of(value))) for value in taken]
        for place, slot in zip(inputs, slots, strict=True):
            slot.results[0].name_hint = f"{call.arguments[place].name_hint or 'value'}_slot"
        submit = func.CallOp(name, [*taken, *(slot.results[0] for slot in slots)], [])
        for op in (*slots, submit):
            op.location = call.location
        Rewriter.insert_op([*slots, submit], InsertPoint.before(call))
        for place, slot in zip(inputs, slots, strict=True):
            call.operands[place] = slot.results[0]


def _submission(stage: FuncOp, name: str, inputs: Sequence[int], types: Sequence[Attribute]) -> FuncOp:
    """Return the function that submits the frames of a stage: it copies inputs to slots."""
    block = Block(arg_types=[*types, *types])
    for place, source, slot in zip(inputs, block.args, block.args[len(types) :], strict=False):
        source.name_hint = stage.body.block.args[place].name_hint
        slot.name_hint = f"{source.name_hint or 'value'}_slot"
        block.add_op(memref.CopyOp(source, slot))
    block.add_op(func.ReturnOp())
    function = FuncOp(name, FunctionType.from_lists([*types, *types], []), Region(block), "private")
    marks = [DictionaryAttr({})] * len(types) + [DictionaryAttr({OUTPUT: UnitAttr()})] * len(types)
    function.properties["arg_attrs"] = ArrayAttr(marks)
    function.attributes |= {ENGINE: stage.attributes[ENGINE], SUBMITS: SymbolRefAttr(stage.sym_name.data)}
    for op in (function, *block.ops):
        op.location = stage.location
    return function


@dataclass(frozen=True)
class SubmitNpuFramesPass(Pass):
    """
    Let the stages that take several frames at once (`hmp.outstanding = 3`) get the next ones while they compute.

    The inputs of such a stage are copied by a function of its own, `stage1_npu_submit` (`hmp.submits`), which
    pipeline-frames makes a program: the stream between the two has a slot for each frame that is submitted and not yet
    done. lower-npu-stages makes the copy the submission of a frame, and the stage its collection. Run it on buffers,
    before pipeline-frames.
    """

    name = "submit-npu-frames"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        submit_npu_frames(op)
