"""Plans of small modules on the systolic machines, and their C."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import GridOp
from tilewright.ir import element_of, functions
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.plan_memory import PlanLimits, plan_memory
from tilewright.runtime.toolchain import STRICT, compile_shared

MACHINES = Path(__file__).parents[2] / "machines"
LOOPS = "outline-kernels,convert-dma-to-loops,convert-kernels-to-loops,normalize-memrefs"
TO_C = f"expand-grid,pipeline-dma,allocate-static,verify-levels,{LOOPS}"
SCALED = """
    %f = arith.constant 77 : i32
    %z = arith.constant 0 : i32
    %r = quant.requantize %s, %f, %z shift 14 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8"""


def machine(file: str = "systolic_local") -> Machine:
    return find_machine(MACHINES / f"{file}.toml")


def without(target: Machine, **transforms: str) -> Machine:
    """Return a machine whose links lack a transform each."""
    links = [replace(e, transforms=tuple(t for t in e.transforms if t != transforms.get(e.name))) for e in target.links]
    return replace(target, links=tuple(links))


def alone(target: Machine) -> Machine:
    """Return a machine without the engine that runs epilogues as kernels."""
    return replace(target, engines=tuple(engine for engine in target.engines if engine.name != "activation"))


def grids(module: ModuleOp) -> list[GridOp]:
    return [op for op in module.walk() if isinstance(op, GridOp)]


def stored(grid: GridOp) -> bool:
    """Return whether a grid's result is stored as partial sums."""
    return grid.storage_of(-1) != element_of(grid.operands[-1])


def planned(module: ModuleOp, target: Machine) -> ModuleOp:
    plan = module.clone()
    for function in functions(plan):
        plan_memory(function, target, PlanLimits())
    return plan


def layers(module: ModuleOp, target: Machine) -> Layers:
    (function,) = functions(module)
    return layers_of(function.body.block, target, 0, double_buffered=True, keep_resident=True)


def equal_in_c(plan: ModuleOp, inputs: list[np.ndarray], expected: np.ndarray, folder: Path) -> None:
    """Assert that the C of a planned module computes the expected result."""
    PassManager().run(plan, parse_pipeline(TO_C, all_passes()), new_context())
    convert_to_emitc(plan)
    (folder / "network.c").write_text(render(plan).text(), encoding="utf-8")
    library = ctypes.CDLL(str(compile_shared([folder / "network.c"], STRICT)))
    result = np.zeros_like(expected)
    library.network_run(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, result)))
    np.testing.assert_array_equal(result, expected)
