"""Recognition of explicit programs: kernels and transfers are ops on buffers, so that they can be simulated."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation

from ...dialects.core.effects import EffectAnalysis
from ...dialects.core.kernel import is_kernel
from ...dialects.core.syntax.text import new_context
from ...dialects.hier import FirstOp, GridOp, LastOp, ResidentOp, YieldOp
from ...errors import Diagnostic
from ...grammar import quote
from ...ir import functions
from ...passes import all_passes
from ...passes.core.base import places_operands
from ...passes.core.manager import Observer, PassManager, PassPosition
from ...passes.core.pipeline import Pipeline, parse_pipeline
from ...passes.explicit.transfers import transfer_of
from .walk import can_walk

_EXPANDED = (GridOp, FirstOp, LastOp, YieldOp, ResidentOp)
"""Classes of ops that `simulate` replaces by explicit ones."""


def is_explicit(module: ModuleOp, function: str = "network") -> bool:
    """
    Return whether a function consists of kernels and transfers on buffers, loops and index arithmetic.

    Grids, which expand-grid lowers to these, are included, and so are calls of explicit functions.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    pending, seen = [function], {function}
    while pending:
        callee = functions.get(pending.pop())
        if callee is None or not callee.body.blocks:
            return False
        for op in outside_kernels(callee):
            if not _is_explicit_op(op):
                return False
            if isinstance(op, func.CallOp) and op.callee.string_value() not in seen:
                seen.add(op.callee.string_value())
                pending.append(op.callee.string_value())
    return True


def outside_kernels(op: Operation) -> list[Operation]:
    """Return the ops inside an op, without the scalar code of kernels and transfers."""
    ops: list[Operation] = []
    blocks = (block for region in op.regions for block in region.blocks if not _is_scalar(block))
    for inner in (inner for block in blocks for inner in block.ops):
        ops.append(inner)
        if inner.regions and not is_kernel(inner):
            ops += outside_kernels(inner)
    return ops


def _is_scalar(block: Block) -> bool:
    """Return whether a block is the scalar code of a transfer, which yields an element."""
    return isinstance(block.last_op, YieldOp) and bool(block.last_op.operands)


def _is_explicit_op(op: Operation) -> bool:
    if any(type(value.type) is TensorType for value in (*op.operands, *op.results)):
        return False
    return type(op) in _EXPANDED or can_walk(op)


def _has_transfers(module: ModuleOp) -> bool:
    analysis = EffectAnalysis()
    ops = (op for function in functions(module) for op in outside_kernels(function))
    return any(isinstance(op, GridOp) or transfer_of(op, analysis.of(op)) is not None for op in ops)


class _Lost(Diagnostic):
    """Raised after the pass that lowers an explicit program further."""


class _Keeper(Observer):
    """
    Observer that clones the program after each pass while it is explicit, and then stops the pipeline.

    A program whose transfers are instructions is none: it has as many events as the machine has instructions, and links
    that nothing crosses.
    """

    def __init__(self, *, is_placed: bool) -> None:
        self.module: ModuleOp | None = None
        self.has_transfers = False
        self._is_placed = is_placed
        """True once operands are in the memories of their engines."""

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._is_placed |= places_operands(place.step.run)
        if not self._is_placed:
            return
        if is_explicit(module) and not (self.has_transfers and not _has_transfers(module)):
            self.module, self.has_transfers = module.clone(), _has_transfers(module)
        elif self.module is not None:
            raise _Lost(f"'{place.step.name}' turns kernels or transfers into something else")


def last_explicit(module: ModuleOp, pipeline: Pipeline, target: str, manager: PassManager) -> ModuleOp:
    """
    Run a target's pipeline while the program is explicit, and return the last explicit program.

    Raises Diagnostic if there is none.
    """
    keeper = _Keeper(is_placed=is_explicit(module))
    steps = pipeline if is_explicit(module) else planning(pipeline, target)
    with suppress(_Lost):
        replace(manager, observers=[keeper, *manager.observers]).run(module, steps, new_context())
    if keeper.module is None:
        raise _no_program(pipeline, target)
    return keeper.module


def planning(pipeline: Pipeline, target: str) -> Pipeline:
    """
    Return a target's pipeline, with memory planning inserted after bufferize if missing.

    Raises Diagnostic for a pipeline without bufferize.
    """
    names = [step.name for step in pipeline.steps]
    if "bufferize" not in names:
        raise _no_program(pipeline, target)
    if any(places_operands(step.run) for step in pipeline.steps):
        return pipeline
    attach = [] if "attach-machine" in names else [f"attach-machine{{target={quote(target)}}}"]
    missing = ",".join([*attach, "plan-memory"])
    at = names.index("bufferize") + 1
    return Pipeline((*pipeline.steps[:at], *parse_pipeline(missing, all_passes()).steps, *pipeline.steps[at:]))


def _no_program(pipeline: Pipeline, target: str) -> Diagnostic:
    return Diagnostic(
        f"the pipeline of '{target}' cannot be profiled",
        expected="a pipeline with bufferize, and kernels after it",
        found=", ".join(step.name for step in pipeline.steps),
    )
