"""Plans of networks on machines whose engines work in different near memories: proved, run and timed."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import GridOp
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.plan_memory import Limits, plan_memory
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.plans import assert_same, check_plan, on_buffers
from tilewright.test.runtime.simulator.programs import modelled_cycles

MACHINES = Path(__file__).parents[2] / "machines"


def network(name: str, target: Machine) -> ModuleOp:
    """Return a network of the zoo on buffers, with the machine attached."""
    module = on_buffers(import_model(zoo.build(name)))
    attach_machine(module, target)
    return module


def planned(module: ModuleOp, target: Machine) -> ModuleOp:
    plan = module.clone()
    for function in functions(plan):
        plan_memory(function, target, Limits(time_budget=0.5))
    return plan


def grids(module: ModuleOp) -> list[GridOp]:
    return [op for op in module.walk() if isinstance(op, GridOp)]


def engines(module: ModuleOp) -> set[str]:
    names = (grid.attributes["engine"] for grid in grids(module))
    return {name.data for name in names if isinstance(name, StringAttr)}


def level_of(value: SSAValue) -> str:
    space = getattr(value.type, "memory_space", None)
    return space.data if isinstance(space, StringAttr) else ""


@pytest.mark.parametrize(("name", "file"), [("ds-cnn", "two_near"), ("resnet8", "two_near_linked")])
def test_engines_work_in_near_memories_of_their_own(name: str, file: str) -> None:
    target = find_machine(MACHINES / f"{file}.toml")
    module = network(name, target)
    check_plan(module, target, 0, double_buffered=True)
    plan = planned(module, target)
    assert engines(plan) == {"core", "npu"}
    assert {tile.level_name for grid in grids(plan) for tile in grid.tiles} == {"SRAM", "TCM", None}
    simulation = simulate(plan)
    assert simulation.cycles == sum(modelled_cycles(plan).values())
    assert all(engine.busy > 0 for engine in simulation.engines)


@pytest.mark.parametrize(("file", "linked"), [("two_near", False), ("two_near_linked", True)])
def test_a_buffer_between_two_memories_takes_the_link_between_them(file: str, linked: bool) -> None:
    target = find_machine(MACHINES / f"{file}.toml")
    plan = planned(network("ds-cnn", target), target)
    (pool,) = (grid for grid in grids(plan) if any(op.name == "nn.pool" for op in grid.body.walk()))
    assert level_of(pool.operands[0]) == ("SRAM" if linked else "")
    assert pool.tiles.data[0].level_name == "TCM"


def test_engines_with_memories_of_their_own_overlap() -> None:
    target = find_machine(MACHINES / "two_near_linked.toml")
    module = network("ds-cnn", target)
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    plan = planned(module, target)
    before = simulate(plan).cycles
    passes = parse_pipeline("expand-grid,pipeline-dma,overlap-engines,verify-levels", all_passes())
    for step in passes.steps:
        step.run.apply(new_context(), plan)
    verify_memory(plan)
    assert_same(plan, inputs, expected, "overlapped")
    assert simulate(plan).cycles < before
