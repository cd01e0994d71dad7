"""
Search for the layer at which a network begins to differ from its ONNX operators, and for the phase that changes it.

Prefixes of the network are compiled and run as the network was: a prefix ends with one ONNX node, whose values are its
output. Both searches bisect: n nodes and p phases cost log n + log p compilations. A prefix that cannot be compiled
alone is unknown, neither equal nor different, and its nearest neighbour takes its place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ...compiler import Model, compile_model, machine_named, pipeline_of
from ...dialects.core.syntax.text import Locations, print_ir
from ...errors import Diagnostic
from ...files import write_text
from ...ir import Array, functions, where
from ...passes.core.pipeline import PipelineStep
from ..inputs import network_inputs
from ..prefixes import first_different, first_range, prefix_of
from .session import CompileLevel, run_steps, runner

Compare = Callable[[Mapping[str, Array], Mapping[str, Array]], str]
"""Returns the difference of outputs from expected ones, empty where they are equal."""


@dataclass(frozen=True)
class Search:
    """A network that gave other outputs than the expected ones at a place, and its inputs by name."""

    model: Model
    machine: str
    place: str
    level: CompileLevel
    inputs: Mapping[str, Array]
    compare: Compare

    def notes(self, expected: Mapping[str, Array]) -> tuple[str, ...]:
        """Return notes that name the phase that changes values, and the first layer that differs."""
        try:
            return tuple(self._notes(expected))
        except Diagnostic as error:
            return (f"the first layer that differs is unknown: {error.message}",)

    def _notes(self, expected: Mapping[str, Array]) -> list[str]:
        module = self.model.load()
        if difference := self.compare(interpreted(module, self.inputs), expected):
            return [f"the network as imported differs before any pass: {difference}"]
        execution = TargetExecution(self.model, self.machine, self.place, self.level, self.inputs)
        guilty = execution.first_pass(self.model, lambda outputs: self.compare(outputs, expected))
        notes = [f"{guilty} is the first after which the interpreter differs"] if guilty else []
        if guilty:
            execution = replace(execution, place="interpreter", level=CompileLevel(guilty.step))
        return [*notes, *first_node(module, execution.run, self._interpreted, self.compare)]

    def _interpreted(self, module: ModuleOp) -> dict[str, Array]:
        return interpreted(module, self.inputs)


@dataclass(frozen=True)
class GuiltyPass:
    """First pass after which the interpreter differs; `step` is its name for --stop-after, `phase` may be empty."""

    step: str
    phase: str

    def __str__(self) -> str:
        return f"pass '{self.step}'" + (f" of phase '{self.phase}'" if self.phase else "")


@dataclass(frozen=True)
class TargetExecution:
    """Execution of networks compiled for a target, at a place."""

    model: Model
    machine: str
    place: str
    level: CompileLevel
    inputs: Mapping[str, Array]

    def run(self, module: ModuleOp) -> dict[str, Array]:
        """Compile a network at the graph level, or a prefix of one, and return its outputs."""
        with _model_of(module, self.model) as model:
            compilation = compile_model(model, self.machine, **self.level._asdict())
            return run_steps(runner(compilation, self.place), network_inputs(compilation.module), self.inputs)

    def first_pass(self, model: Model, differs: Callable[[Mapping[str, Array]], str]) -> GuiltyPass | None:
        """Return the first pass after which the interpreter gives other outputs, None where there is none."""
        steps = pipeline_of(machine_named(self.machine)).select(stop_after=self.level.stop_after).steps
        phases = [index for index in range(len(steps)) if _ends_phase(steps, index)]
        if (whole := first_range(len(phases), partial(self._differs, model, steps, phases, differs))) is None:
            return None
        inside = list(range(phases[whole[0] - 1] + 1 if whole[0] else 0, phases[whole[1]] + 1))
        one = first_range(len(inside), partial(self._differs, model, steps, inside, differs))
        index = inside[one[1]] if one else phases[whole[1]]
        return GuiltyPass(_name(steps, index), steps[index].phase)

    def _differs(
        self,
        model: Model,
        steps: Sequence[PipelineStep],
        indices: Sequence[int],
        differs: Callable[[Mapping[str, Array]], str],
        number: int,
    ) -> str | None:
        """Return the difference after a pass, None where the interpreter does not run what it leaves."""
        compilation = compile_model(model, self.machine, stop_after=_name(steps, indices[number]))
        try:
            return differs(interpreted(compilation.module, self.inputs))
        except Diagnostic:
            return None


def _ends_phase(steps: Sequence[PipelineStep], index: int) -> bool:
    return index + 1 == len(steps) or steps[index + 1].phase != steps[index].phase


def _name(steps: Sequence[PipelineStep], index: int) -> str:
    """Return the name of a pass for --stop-after: `cse#2` for the second of that name."""
    names = [step.name for step in steps]
    name, number = names[index], names[: index + 1].count(names[index])
    return name if names.count(name) == 1 else f"{name}#{number}"


@contextmanager
def _model_of(module: ModuleOp, model: Model) -> Generator[Model]:
    """Yield a model whose file holds a module; what the user says of inputs is in that already."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        file = Path(folder, "network.mlir")
        write_text(file, print_ir(module, locations=Locations.GIVEN) + "\n")
        yield Model(file, threads=model.threads, shifts=model.shifts)


Run = Callable[[ModuleOp], Mapping[str, Array]]
"""Returns the outputs of a network at the graph level, or of a prefix of it."""


def first_node(module: ModuleOp, run: Run, expected: Run, compare: Compare) -> list[str]:
    """
    Return notes about the first ONNX node whose values differ between two executions.

    They name a range of nodes where prefixes between the last equal one and the first different one cannot run.
    """
    network = functions(module)[0]
    names = [f"{where(op)} ({op.name})" for op in network.body.block.ops]
    refusals: dict[int, str] = {}

    def differs(position: int) -> str | None:
        part = prefix_of(module, network.sym_name.data, position)
        try:
            return compare(run(part), expected(part))
        except Diagnostic as error:
            end = names[position]
            refusals[position] = f"the prefix of the network that ends with {end} is refused: {error.message}"
            return None

    layer = first_different(network, differs)
    if layer is None:
        causes = refusals.values() or ["what is computed depends on what layers are compiled together"]
        return ["no prefix of the network is known to differ", *causes]
    first, last = layer.first, layer.last
    if first == last:
        return [f"the first layer that differs is {names[last]}: its {layer.difference}"]
    between = [position for position in range(first, last) if position in refusals]
    layers = f"one of {len(between) + 1}, {names[first]} to {names[last]}"
    untested = [refusals[position] for position in between]
    return [f"the first layer that differs is {layers}: the last one's {layer.difference}", *untested]


def interpreted(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Return the outputs of a network as the interpreter runs it."""
    from ..interpreter import run_module

    return run_module(module, inputs)
