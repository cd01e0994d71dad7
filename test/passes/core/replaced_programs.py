"""A pass that replaces the program by another, for tests of what `--interpret-each` says of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline, PipelineStep
from tilewright.runtime.driver.interpret import InterpretEach


@dataclass(frozen=True)
class ReplacePass(ModulePass):
    """Puts the ops of another program in the place of those of this one."""

    name = "replace"

    text: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        other = parse_module(new_context(), self.text)
        for each in list(op.body.block.ops):
            each.detach()
        for each in list(other.body.block.ops):
            each.detach()
            op.body.block.add_op(each)


def replace(before: str, *after: str, observer: InterpretEach | None = None) -> None:
    """Run passes that replace a program by others, one after another; raise what --interpret-each says."""
    context = new_context()
    pipeline = Pipeline(tuple(PipelineStep("replace", ReplacePass(text)) for text in after))
    PassManager([observer or InterpretEach()]).run(parse_module(context, before), pipeline, context)
