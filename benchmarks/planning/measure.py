"""Measurements of compiled networks for benchmarks/planning/networks.py, in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Operation, SSAValue

from tilewright.compiler import Compilation, Model, compile_model, write_compilation
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.errors import Diagnostic
from tilewright.ir import Array, functions
from tilewright.passes.allocate_static import lifetimes
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.passes.memory.views import bytes_of
from tilewright.runtime.simulator import simulate
from tilewright.runtime.tools.check import Case, case_inputs, model_for
from tilewright.runtime.tools.profile import explicit_program


@dataclass(frozen=True)
class Compiled:
    """
    A network compiled to files, or an error, and whether it came to buffers: figures, and the seconds after planning.

    `declared` are the bytes that the module has in each near level, `tables` those of arrays beside these.
    """

    layers: int = 0
    arena: int = 0
    declared: Mapping[str, int] = field(default_factory=dict[str, int])
    tables: int = 0
    after_planning: float = 0.0
    error: str = ""
    lowered: bool = True


@dataclass(frozen=True)
class Measured:
    """
    Cost of the simulated program: modelled cycles, bytes of the near and of the far level.

    `alive` are the bytes of buffers, inputs and outputs that are needed at once.
    """

    cycles: int
    near: int
    near_size: int
    far: int
    far_size: int
    alive: int


class _Planning(Observer):
    """Recorder of the end of planning, and of the network's constants before it."""

    def __init__(self) -> None:
        self.lowered = False
        self.ended = 0.0
        self.constants = 0

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.step.phase == "planned":
            self.ended = time.perf_counter()
        elif place.step.phase == "buffers":
            self.lowered = True
            self.constants = _constants(module)


class _Alive(Observer):
    """Counts the bytes that are needed at once, with those of the network's inputs and outputs."""

    def __init__(self) -> None:
        self.peak = 0

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.step.name == "allocate-static":
            self.peak = max((alive_at_once(function) for function in functions(module)), default=0)


def compiled(case: Case, target: str, folder: Path) -> Compiled:
    """Compile a network and write its files."""
    planning = _Planning()
    try:
        compilation = compile_model(_model(case), target, observers=[planning])
        write_compilation(compilation, folder)
        after = time.perf_counter() - planning.ended
    except Diagnostic as error:
        return Compiled(error=str(error).partition("\n")[0], lowered=planning.lowered)
    report = compilation.report
    tables = _tables(compilation, planning.constants)
    far, *others = report["levels"]
    near = {level["name"]: level["arena"] for level in others}
    return Compiled(len(report["layers"]), far["arena"], near, tables, after)


def measured(case: Case, target: str, result: Compiled) -> Measured:
    """Simulate a network."""
    alive = _Alive()
    module = explicit_program(_model(case), target, observers=[alive])
    simulation, machine = simulate(module), machine_of(module)
    far, near = machine.far, machine.levels[-1]
    places = [each for each in simulation.memory if each.level == near.name and each.address >= 0]
    reached = max((each.address + each.bytes for each in places), default=0)
    fixed = next(level.fixed for level in simulation.levels if level.name == far.name)
    bytes_near = max(reached, result.declared.get(near.name, 0)) + result.tables
    return Measured(simulation.cycles, bytes_near, near.size, result.arena + fixed, far.size, alive.peak)


def _model(case: Case) -> Model:
    """Return a network whose integer inputs have the types that Deeploy gives them: by the values of the arrays."""
    inputs = case_inputs(case)
    model = model_for(case.model, inputs)
    types = {name: _narrowed(inputs[name]) if kind == "int" else kind for name, kind in model.input_types.items()}
    return replace(model, input_types=types)


def _narrowed(array: Array) -> str:
    """Return the smallest type that holds integers, without a sign first; `int` for zeros, which say nothing."""
    if not array.any():
        return "int"
    if 0 <= array.min() and array.max() <= 255:
        return "ui8"
    return "i8" if -128 <= array.min() and array.max() <= 127 else "int"


def alive_at_once(function: FuncOp) -> int:
    """Return the most bytes that are needed at a step of a network: buffers, and inputs and outputs from use to use."""
    steps = {op: index for index, op in enumerate(function.body.block.ops)}
    spans = [(lifetime.first, lifetime.last, lifetime.size) for _, lifetime in lifetimes(function)]
    for argument in function.body.block.args:
        used = [_step(op, steps) for op in _users(argument)]
        spans += [(min(used), max(used), bytes_of(argument.type))] if used else []
    return max((sum(size for low, high, size in spans if low <= step <= high) for step in steps.values()), default=0)


def _users(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a buffer, through views too."""
    for use in value.uses:
        if use.operation.results and not use.operation.regions:
            yield from _users(use.operation.results[0])
        else:
            yield use.operation


def _step(op: Operation, steps: dict[Operation, int]) -> int:
    while op not in steps:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return steps[op]


def _constants(module: ModuleOp) -> int:
    definitions = [op for op in module.body.block.ops if isinstance(op, GlobalOp)]
    return sum(bytes_of(op.type) for op in definitions if isinstance(op.initial_value, DenseIntOrFPElementsAttr))


def _tables(compilation: Compilation, constants: int) -> int:
    """Return the bytes of arrays in the C beyond arenas and the network's own constants: tables, and local arrays."""
    local, given = 0, 0
    for op in compilation.module.walk():
        if op.name == "emitc.global" and isinstance(op.properties.get("initial_value"), DenseIntOrFPElementsAttr):
            given += _array_bytes(op.properties["type"])
        elif op.name == "emitc.variable":
            local += _array_bytes(op.results[0].type)
    return local + max(0, given - constants)


def _array_bytes(type: object) -> int:
    """Return the bytes of an array, 0 of anything else."""
    if not isinstance(type, EmitC_ArrayType):
        return 0
    array = cast("EmitC_ArrayType[Any]", type)
    width = getattr(array.element_type, "bitwidth", 64)
    return prod(array.get_shape()) * -(-int(width) // 8)
