"""Kernels get the fastest of the engines that can run them, and keep the one that they name."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.map_engines import engine_of, map_engines
from tilewright.passes.timing.kernels import cost_of_kernel
from tilewright.test.machines.make import FILES, library

pytestmark = pytest.mark.quick

TO_TENSORS = "infer-integer-types,convert-onnx-to-linalg,canonicalize,fold-constants,cse,fuse-epilogues,canonicalize"
LEVELS = {"tensors": TO_TENSORS, "buffers": f"{TO_TENSORS},bufferize"}


@cache
def _network(name: str, level: str) -> ModuleOp:
    module = import_model(zoo.build(name))
    PassManager().run(module, parse_pipeline(LEVELS[level], all_passes()), new_context())
    return module


def kernels(module: ModuleOp) -> list[Operation]:
    return [op for function in functions(module) for op in function.walk() if is_kernel(op)]


@pytest.mark.sample(19)
@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_the_fastest_runs_it(name: str, level: str) -> None:
    machine, module = library(name), _network("ds-cnn", level).clone()
    map_engines(module, machine)
    verify(module)
    assert kernels(module)
    for op in kernels(module):
        chosen = machine.engine(_name(op))
        costs = [cost for engine in machine.engines if (cost := machine.cost(engine, op)) is not None]
        assert machine.cost(chosen, op) == min(costs)
        assert cost_of_kernel(op, machine).engine == chosen.name
    before = print_ir(module)
    map_engines(module, machine)
    assert print_ir(module) == before


def _name(op: Operation) -> str:
    attribute = op.attributes["engine"]
    assert isinstance(attribute, StringAttr)
    return attribute.data


@pytest.mark.long
def test_each_engine_may_be_named_that_can_run_it() -> None:
    machine, module = library("npu_cluster"), _network("ds-cnn", "buffers").clone()
    refused: set[tuple[Any, ...]] = set()
    for op in kernels(module):
        for engine in machine.engines:
            op.attributes["engine"] = StringAttr(engine.name)
            if machine.cost(engine, op) is not None:
                assert engine_of(op, machine) is engine
                continue
            with pytest.raises(Diagnostic, match=f"engine '{engine.name}' does not run '{op.name}'") as caught:
                engine_of(op, machine)
            assert "cluster" in caught.value.expected
            refused.add((engine.name, op.name))
    assert refused
    assert {engine for engine, _ in refused} == {"npu"}
