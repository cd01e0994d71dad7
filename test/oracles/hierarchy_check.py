"""One network on one machine with a memory hierarchy, for test/oracles/hierarchy.py; it runs in several processes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.failures import as_diagnostic
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline, PipelineStep, parse_pipeline
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.inputs import load_arrays
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.tools.check import Case, Comparison, case_inputs, model_for
from tilewright.test.machines.make import machine

_NAMED = re.compile(r"give (\S+) ([\d,]+) bytes")
_PROVED = ("plan-memory", "expand-grid", "pipeline-dma")
"""The passes after which verify-memory has to find nothing."""

Judge = Callable[[ModuleOp], str]
"""Runs a module and says how its outputs differ, empty where they do not."""


@dataclass(frozen=True)
class Spec:
    """
    A machine of one to three levels; `sizes` are bytes, `l2` 0 for the file's. Of its engine there are `copies`, each
    with its `own` of some levels.
    """

    levels: int
    l1: int
    channels: int
    l2: int = 0
    copies: int = 1
    own: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name in tables, as 2-levels-64K-1ch."""
        if self.levels == 1:
            return "1-level"
        size = f"{self.l1 >> 10}K" if self.l1 % 1024 == 0 else f"{self.l1}B"
        copies = "-".join(["", f"{self.copies}cores", *self.own]) if self.copies > 1 else ""
        return f"{self.levels}-levels-{size}-{self.channels}ch{copies}"

    def attach(self, module: ModuleOp) -> None:
        """Put the machine into a module."""
        near = machine(
            self.l1, levels=self.levels, channels=self.channels, l2=self.l2, copies=self.copies, own=self.own
        )
        attach_machine(module, near)

    def given(self, level: str, size: int) -> Spec:
        """Return the machine with another size of a level."""
        return replace(self, **{level.lower(): size})


@dataclass(frozen=True)
class Outcome:
    """
    Outcome of a network on a machine: equal, impossible, failed or not compiled, and why.

    `row` is that of the table: the machine's name, or random.
    """

    row: str
    place: str
    verdict: str
    detail: str = ""


@dataclass(frozen=True)
class Instance:
    """A random network, serialised, the types of its inputs, and the machine for it."""

    name: str
    model: bytes
    input_types: Mapping[str, str]
    spec: Spec


def corpus_outcome(case: Case, spec: Spec) -> Outcome:
    """Return the outcome of a network of the corpus, whose golden outputs are beside it."""
    try:
        module, inputs, golden = _loaded(case)
    except Exception as error:
        return Outcome(spec.name, case.name, "not compiled", _line(error))
    return _outcome(module, spec, case.name, lambda each: Comparison()(run_module(each, inputs), golden))


def instance_outcome(instance: Instance) -> Outcome:
    """Return the outcome of a random network, compared with its computation on buffers without tiles."""
    try:
        model = ModelProto.FromString(instance.model)
        module = _on_buffers(import_model(model, input_types=dict(instance.input_types)))
        inputs = random_inputs(module, 0)
        golden = run_module(module, inputs)
    except Exception as error:
        return Outcome("random", instance.name, "not compiled", _line(error))
    result = _outcome(module, instance.spec, instance.name, lambda each: Comparison()(run_module(each, inputs), golden))
    return replace(result, row="random")


def machine_for(seed: int, index: int) -> Spec:
    """Return a random machine with a near memory of 16 bytes to 2 KiB, and one to four instances of the engine."""
    draw = random.Random(f"{seed}:{index}")
    spec = Spec(draw.choice([2, 2, 3]), round(2 ** draw.uniform(4, 11)), draw.choice([1, 2]))
    return replace(spec, copies=draw.randint(1, 4), own=_own(spec.levels, draw))


def _own(levels: int, draw: random.Random) -> tuple[str, ...]:
    """Return the levels of which each copy of the engine has its own."""
    return draw.choice([(), ("L1",), ("L2", "L1"), ("L2",)] if levels == 3 else [(), ("L1",)])


@lru_cache(maxsize=4)
def _loaded(case: Case) -> tuple[ModuleOp, dict[str, Array], dict[str, Array]]:
    """Return a network on buffers, with inputs and golden outputs. Raises Diagnostic where it does not give these."""
    inputs = case_inputs(case)
    module = _on_buffers(model_for(case.model, inputs).load())
    golden = load_arrays(case.folder / "outputs.npz")
    difference = Comparison()(run_module(module, inputs), golden)
    if difference:
        raise Diagnostic(f"differs before planning: {difference}")
    return module, inputs, golden


def _on_buffers(module: ModuleOp) -> ModuleOp:
    PassManager().run(module, _host().select(stop_after="buffers"), new_context())
    return module


def _host() -> Pipeline:
    return parse_pipeline("builtin.module(host-pipeline)", all_passes())


def _outcome(module: ModuleOp, spec: Spec, network: str, judge: Judge) -> Outcome:
    verdict, detail = _verdict(module, spec, judge)
    return Outcome(spec.name, f"{network} on {spec.name}", verdict, detail)


def _verdict(module: ModuleOp, spec: Spec, judge: Judge) -> tuple[str, str]:
    """Return the outcome of a network on a machine, and why."""
    try:
        _check(module, spec, judge)
        return "equal", ""
    except Exception as error:
        named = _named_size(error)
        if named is None:
            return "failed", _line(error)
    level, size = named
    problem = _problem_with(module, spec.given(level, size), judge)
    if problem:
        return "failed", f"with {level} of the size that the error names: {problem}"
    if not _refused(module, spec.given(level, size - 1)):
        return "failed", f"{level} of less than the size that the error names does too"
    return "impossible", f"{level} needs {size:,} bytes"


def _problem_with(module: ModuleOp, spec: Spec, judge: Judge) -> str:
    try:
        _check(module, spec, judge)
    except Exception as error:
        return _line(error)
    return ""


def _refused(module: ModuleOp, spec: Spec) -> bool:
    """Return whether no plan fits a machine."""
    try:
        _check(module, spec, lambda _: "")
    except Exception as error:
        return _named_size(error) is not None
    return False


def _check(module: ModuleOp, spec: Spec, judge: Judge) -> None:
    """
    Plan a copy of a module and make its transfers explicit; prove it and run it on the way.

    Raises Diagnostic where a pass or a proof fails, or where outputs differ.
    """
    module = module.clone()
    spec.attach(module)
    steps = _planning_steps()
    for index, step in enumerate(steps):
        step.run.apply(new_context(), module)
        verify(module)
        if step.name in _PROVED:
            verify_memory(module)
        last = index + 1 == len(steps) or steps[index + 1].phase != step.phase
        difference = judge(module) if last else ""
        if difference:
            raise Diagnostic(f"differs after {step.name}: {difference}")


def _planning_steps() -> list[PipelineStep]:
    """Return the passes from buffers to explicit transfers, without the one that attaches the host."""
    steps = [step for step in _host().steps if step.phase in ("planned", "kernels") and step.name != "attach-machine"]
    names = [step.name for step in steps]
    return steps[: names.index("outline-kernels")]


def _named_size(error: Exception) -> tuple[str, int] | None:
    """Return the level and the size that an error of planning names, if it does."""
    found = _NAMED.search(error.remedy) if isinstance(error, Diagnostic) else None
    return (found[1], int(found[2].replace(",", ""))) if found else None


def _line(error: Exception) -> str:
    """Return an error in one line, without the place."""
    diagnostic = as_diagnostic(error, "planning")
    return " ".join(diagnostic.message.split())
