"""The pass `lower-npu-stages`: stages that have an artefact become calls of the vendor's plug-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.effects import callee_of
from ....dialects.core.nesting import nested_ops
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ..dialects.vendor import CollectOp, OpenArtifactsOp, RunOp, SubmitOp
from ..npu.artifacts import ARTIFACT
from .outline_stages import OUTPUT
from .submit_npu_frames import SUBMITS, outstanding_of


def lower_npu_stages(module: ModuleOp) -> None:
    """
    Replace the body of each function that has an artefact by `vendor.run`, and open artefacts where a network begins.

    Of a stage whose frames another function submits, these bodies are `vendor.collect` and `vendor.submit`.

    Raises Diagnostic for a function on tensors.
    """
    by_name = {function.sym_name.data: function for function in functions(module)}
    stages = {name: function for name, function in by_name.items() if ARTIFACT in function.attributes}
    submissions = [function for function in by_name.values() if _submitted(function) in stages]
    submitted = {_submitted(function) for function in submissions}
    for name, function in stages.items():
        inputs, outputs = _ports(function)
        artifact = cast(DictionaryAttr, function.attributes[ARTIFACT])
        if name in submitted:
            _end_body(function, CollectOp(outputs, artifact, outstanding_of(function)))
        else:
            _end_body(function, RunOp(inputs, outputs, artifact))
    for function in submissions:
        _end_body(function, SubmitOp(_ports(function)[0], _submitted(function)))
    for function in by_name.values():
        if function.sym_visibility is None and stages:
            _open(function, [name for name in _reached(function, by_name) if name in stages])


def _submitted(function: FuncOp) -> str:
    """Return the stage whose frames a function submits, empty for another function."""
    name = function.attributes.get(SUBMITS)
    return name.string_value() if isinstance(name, SymbolRefAttr) else ""


def _ports(function: FuncOp) -> tuple[list[SSAValue], list[SSAValue]]:
    """Give a function an empty body; return its inputs and outputs. Raises Diagnostic for one on tensors."""
    if function.function_type.outputs.data:
        raise Diagnostic(
            f"stage {function.sym_name.data} returns tensors",
            where=where(function),
            expected="buffers, among the arguments",
            remedy="run bufferize before",
        )
    old = function.body.block
    block = Block(arg_types=[value.type for value in old.args])
    said = function.arg_attrs.data if function.arg_attrs is not None else [DictionaryAttr({})] * len(block.args)
    for value, argument in zip(old.args, block.args, strict=True):
        argument.name_hint = value.name_hint
    function.body.detach_block(old)
    old.erase(safe_erase=False)
    function.body.add_block(block)
    inputs: list[SSAValue] = []
    outputs: list[SSAValue] = []
    for value, attributes in zip(block.args, said, strict=True):
        (outputs if OUTPUT in attributes.data else inputs).append(value)
    return inputs, outputs


def _end_body(function: FuncOp, op: Operation) -> None:
    """Add an op and the return to the empty body of a function."""
    op.location = function.location
    function.body.block.add_ops([op, func.ReturnOp()])


def _open(function: FuncOp, stages: list[str]) -> None:
    if not stages:
        return
    op = OpenArtifactsOp.create(properties={"stages": ArrayAttr(SymbolRefAttr(name) for name in sorted(stages))})
    op.location = function.location
    Rewriter.insert_op(op, InsertPoint.at_start(function.body.block))


def _reached(function: FuncOp, by_name: Mapping[str, FuncOp]) -> Iterator[str]:
    """Yield the functions that a function calls, directly or not."""
    pending, reached = [function], set[str]()
    while pending:
        for op in nested_ops(pending.pop()):
            name = callee_of(op)
            if name is not None and name in by_name and name not in reached:
                reached.add(name)
                pending.append(by_name[name])
                yield name


@dataclass(frozen=True)
class LowerNpuStagesPass(Pass):
    """
    Let plug-ins compute the stages that have an artefact (`hmp.artifact`); others keep their body.

    A function that submits the frames of such a stage (`hmp.submits`) gives them to its plug-in, and the stage collects
    the results. The network opens all artefacts before its first frame. Run it on buffers, before convert-to-emitc.
    """

    name = "lower-npu-stages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_npu_stages(op)
