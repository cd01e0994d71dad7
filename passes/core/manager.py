"""
Runs a pipeline on a module, verifies after each pass, and tells observers.

Printing, dumping, timing and interpreting the IR between passes are observers: the manager knows none of them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from ...dialects.core.verification.verifier import verify
from ...errors import Diagnostic
from .failures import as_diagnostic, catchable
from .garbage import nothing_older_searched, rare_collections
from .pipeline import ANY, Pipeline, PipelineStep


@dataclass(frozen=True)
class PassPosition:
    """A pass in its pipeline: the `number`th, from 1."""

    step: PipelineStep
    number: int
    pipeline: Pipeline

    @property
    def stage(self) -> str:
        """Return the stage in an error's text: `foo-bar, pass 2 of 9`."""
        return f"{self.step.name}, pass {self.number} of {len(self.pipeline.steps)}"

    @property
    def ends_phase(self) -> bool:
        """Return whether no pass of its phase comes after it."""
        steps = self.pipeline.steps
        return self.number == len(steps) or steps[self.number].phase != self.step.phase

    def rest(self) -> Pipeline:
        """Return the passes after this one."""
        return Pipeline(self.pipeline.steps[self.number :])


class Observer:
    """
    Observer of a pass manager. The default hooks do nothing.

    An observer may raise Diagnostic: the run then ends as if the pass had failed. It must not change the module.
    """

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        """Observe the module before the first pass."""

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        """Observe the module before a pass."""

    def after_rewrite(self, place: PassPosition, module: ModuleOp) -> None:
        """Observe the module after a pass, before its verification."""

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        """Observe the verified module after a pass."""

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        """Observe the module after a pass that failed, or whose result does not verify."""


@dataclass(frozen=True)
class PassManager:
    """
    Runs pipelines.

    Between passes the module verifies, unless `verify_each` is false; with `verify_phases` it does where the last pass
    of a phase has run. The hooks that come before a pass are called in the order of `observers`, those after it in the
    reverse order: the last observer is nearest to the pass.
    """

    observers: Sequence[Observer] = ()
    verify_each: bool = True
    verify_phases: bool = False

    def run(self, module: ModuleOp, pipeline: Pipeline, context: Context) -> None:
        """
        Rewrite `module` in place with the passes of `pipeline`.

        Raises Diagnostic with its stage set when a pass fails, its result does not verify or an observer objects; the
        module is then as the pass left it.
        """
        for observer in self.observers:
            observer.before_pipeline(pipeline, module)
        with rare_collections(), nothing_older_searched():
            for number, step in enumerate(pipeline.steps, 1):
                self._run_step(PassPosition(step, number, pipeline), module, context)

    def _run_step(self, place: PassPosition, module: ModuleOp, context: Context) -> None:
        try:
            for observer in self.observers:
                observer.before_pass(place, module)
            _rewrite(place.step, module, context)
            for observer in reversed(self.observers):
                observer.after_rewrite(place, module)
            if self.verify_each:
                _verify(place.step, module)
            elif self.verify_phases and place.ends_phase:
                _verify_phase(place, module)
            for observer in reversed(self.observers):
                observer.after_pass(place, module)
        except BaseException as error:
            if not catchable(error):
                raise
            diagnostic = as_diagnostic(error, f"pass '{place.step.name}'")
            diagnostic.stage = diagnostic.stage or place.stage
            for observer in reversed(self.observers):
                observer.after_failure(place, module, diagnostic)
            if diagnostic is error:
                raise
            raise diagnostic from error


def _verify(step: PipelineStep, module: ModuleOp) -> None:
    """Verify the module after a pass. Raises Diagnostic; for a pass of xDSL one that names xDSL as the cause."""
    try:
        verify(module)
    except Diagnostic as error:
        if not _is_of_xdsl(step):
            raise
        message = f"pass '{step.name}' of xDSL does not support this program"
        raise Diagnostic(message, error.where, notes=[f"its result does not verify: {error.message}"]) from error


def _verify_phase(place: PassPosition, module: ModuleOp) -> None:
    """Verify the module after the last pass of a phase. Raises Diagnostic; of several passes it names them all."""
    try:
        _verify(place.step, module)
    except Diagnostic as error:
        names = [step.name for step in place.pipeline.steps[: place.number] if step.phase == place.step.phase]
        if len(names) > 1:
            first, total = place.number - len(names) + 1, len(place.pipeline.steps)
            error.stage = f"{place.step.phase}, passes {first} to {place.number} of {total}"
            error.notes.append(f"after one of {', '.join(names)}; opt-tool verifies after each pass, and names it")
        raise


def _is_of_xdsl(step: PipelineStep) -> bool:
    return type(step.run).__module__.startswith("xdsl.")


def _rewrite(step: PipelineStep, module: ModuleOp, context: Context) -> None:
    if _is_of_xdsl(step):
        from .required import check_requirement

        check_requirement(step.name, module)
    for target in list(anchored(module, step.anchor)):
        if isinstance(target, ModuleOp):
            step.run.apply(context, target)
            continue
        with _alone(target) as temporary:
            step.run.apply(context, temporary)


def anchored(op: Operation, anchor: tuple[str, ...]) -> Iterator[Operation]:
    """Yield the ops that an anchor addresses, in order."""
    if not anchor:
        yield op
        return
    for inner in (inner for region in op.regions for block in region.blocks for inner in block.ops):
        if inner.name == anchor[0] or (anchor[0] == ANY and inner.has_trait(IsolatedFromAbove)):
            yield from anchored(inner, anchor[1:])


@contextmanager
def _alone(op: Operation) -> Generator[ModuleOp]:
    """Move an op into a temporary module; afterwards replace the op by the module's ops."""
    block = op.parent
    assert block is not None
    following = op.next_op
    op.detach()
    temporary = ModuleOp([op])
    try:
        yield temporary
    finally:
        for result in list(temporary.body.block.ops):
            result.detach()
            if following is None:
                block.add_op(result)
            else:
                block.insert_op_before(result, following)
