"""A network at the end of each phase of a machine's pipeline, on one way through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline


def each_phase(
    module: ModuleOp, phases: Sequence[str], machine: str = "host", *, verify_each: bool = True
) -> Iterator[tuple[str, ModuleOp]]:
    """
    Take a module through a pipeline; yield each of the `phases`, in their order, and the module at its end.

    It is one module, which the next phase changes. The phase "" is the end of the pipeline. Without `verify_each` the
    module is verified at the ends of phases only, as compile_model does.
    """
    pipeline, manager = pipeline_of(machine_named(machine)), PassManager([], verify_each, verify_phases=True)
    done = 0
    for phase in phases:
        end = len(pipeline.select(stop_after=phase).steps)
        assert end >= done, f"{phase} comes before the phase that is done"
        manager.run(module, Pipeline(pipeline.steps[done:end]), new_context())
        yield phase, module
        done = end
