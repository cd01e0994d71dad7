"""The pass `lower-npu-stages`: stages that have an artefact become calls of the vendor's plug-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.effects import callee_of
from ....dialects.core.nesting import nested_ops
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ..dialects.vendor import OpenOp, RunOp
from ..npu.artifacts import ARTIFACT
from ..npu.subgraph import OUTPUT


def lower_npu_stages(module: ModuleOp) -> None:
    """
    Replace the body of each function that has an artefact by `vendor.run`, and open artefacts where a network begins.

    Raises Diagnostic for a function on tensors.
    """
    known = {function.sym_name.data: function for function in functions(module)}
    stages = {name: function for name, function in known.items() if ARTIFACT in function.attributes}
    for function in stages.values():
        _lower(function)
    for function in known.values():
        if function.sym_visibility is None and stages:
            _open(function, [name for name in _reached(function, known) if name in stages])


def _lower(function: FuncOp) -> None:
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
    written = [OUTPUT in attributes.data for attributes in said]
    pairs = list(zip(block.args, written, strict=True))
    inputs = [value for value, is_output in pairs if not is_output]
    outputs = [value for value, is_output in pairs if is_output]
    run = RunOp.build(operands=[inputs, outputs], properties={"artifact": function.attributes[ARTIFACT]})
    run.location = function.location
    block.add_ops([run, func.ReturnOp()])
    function.body.detach_block(old)
    old.erase(safe_erase=False)
    function.body.add_block(block)


def _open(function: FuncOp, stages: list[str]) -> None:
    if not stages:
        return
    op = OpenOp.create(properties={"stages": ArrayAttr(SymbolRefAttr(name) for name in sorted(stages))})
    op.location = function.location
    Rewriter.insert_op(op, InsertPoint.at_start(function.body.block))


def _reached(function: FuncOp, known: Mapping[str, FuncOp]) -> Iterator[str]:
    """Yield the functions that a function calls, directly or not."""
    pending, reached = [function], set[str]()
    while pending:
        for op in nested_ops(pending.pop()):
            name = callee_of(op)
            if name is not None and name in known and name not in reached:
                reached.add(name)
                pending.append(known[name])
                yield name


@dataclass(frozen=True)
class LowerNpuStagesPass(Pass):
    """
    Let plug-ins compute the stages that have an artefact (`hmp.artifact`); others keep their body.

    The network opens all artefacts before its first frame. Run it on buffers, before convert-to-emitc.
    """

    name = "lower-npu-stages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_npu_stages(op)
