"""Test case of a reduction: a module and the passes that run on it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from ....dialects.core.analysis.structural_key import all_facts, structural_key
from ....dialects.core.nesting import nested_ops
from ....dialects.core.syntax.text import Locations, print_ir
from ....passes.core.pipeline import Pipeline, PipelineStep
from ..replay import header


@dataclass
class ReductionCase:
    """A module and the passes of its pipeline. Edits change it in place; the passes themselves are shared."""

    module: ModuleOp
    steps: tuple[PipelineStep, ...]

    @property
    def pipeline(self) -> Pipeline:
        """Return the pipeline to run."""
        return Pipeline(self.steps)

    @property
    def op_count(self) -> int:
        """Return the number of ops, the module itself left out."""
        return len(nested_ops(self.module)) - 1

    def clone(self) -> ReductionCase:
        """Return a test case whose module is a clone."""
        return ReductionCase(self.module.clone(), self.steps)

    def key(self) -> int:
        """Return the hash of the canonical key of the module and the text of the pipeline."""
        locations = tuple([op.location for op in nested_ops(self.module)])
        return hash((structural_key([self.module], lambda value: value.type, _facts), locations, str(self.pipeline)))

    def text(self, context: Context, flags: tuple[str, ...], comment: str = "") -> str:
        """Return the text of a file that runs the pipeline on the module: a RUN line, comments, the IR."""
        comments = "".join(f"// {line}\n" for line in comment.splitlines())
        ir = print_ir(self.module, locations=Locations.GIVEN, context=context)
        return f"{header(self.pipeline, flags)}{comments}{ir}\n"


def _facts(op: Operation) -> Hashable:
    """Return the properties and attributes of an op, and the positions of its successors."""
    return all_facts(op), tuple([_position(block) for block in op.successors])


def _position(block: Block) -> int:
    region = block.parent
    return -1 if region is None else region.get_block_index(block)
