"""A pipeline whose kernels become instructions that only a target knows."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import emitc
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.kernel import is_kernel
from tilewright.passes.core.base import Pass
from tilewright.passes.core.pipeline import Pipeline, PipelineStep


class ToInstructionsPass(Pass):
    """Replace every kernel by an instruction that nothing but its target knows."""

    name = "to-instructions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.walk() if is_kernel(each)]:
            made = emitc.EmitC_CallOpaqueOp("multiply", [], [result.type for result in kernel.results])
            Rewriter.replace_op(kernel, [made], made.results)


def with_instructions(target: str, before: str) -> Pipeline:
    """Return a target's pipeline with kernels turned into instructions before a pass."""
    steps = pipeline_of(machine_named(target)).steps
    at = [step.name for step in steps].index(before)
    return Pipeline((*steps[:at], PipelineStep("to-instructions", ToInstructionsPass()), *steps[at:]))
