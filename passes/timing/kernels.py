"""Cost of a kernel call in cycles, for operands in any level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import is_shaped, kernel_of
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...dialects.core.work import multiply_accumulates, points_of
from ...dialects.hier.sharded import level_name
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from .. import map_engines
from ..memory.views import bytes_of
from ..tiles.group import roles_of


class Allocation(NamedTuple):
    """
    Allocation of a buffer: its name, its level, and its offset there in bytes, -1 if unallocated.

    `bytes` is the size of a buffer resident across layers; other buffers of near levels are tiles.
    """

    name: str
    level: str
    address: int
    bytes: int = 0


@dataclass(frozen=True)
class KernelCost:
    """
    Cost of a kernel call: cycles, points, multiply-accumulates, energy in picojoules, and operand bytes per level.

    `peak` is the engine's maximum of multiply-accumulates per cycle on such operands, 0 if unknown.
    """

    operator: str
    engine: str
    cycles: int
    points: int
    macs: int
    energy: float
    sizes: tuple[int, ...]
    levels: tuple[tuple[str, int], ...]
    peak: float = 0.0


def level_of(value: SSAValue, far: str) -> str:
    """Return the level of a buffer: its memory space, by default the far level."""
    return level_name(value.type) or far


def cost_of_kernel(op: Operation, machine: Machine, around: StringAttr | None = None) -> KernelCost:
    """
    Return the cost of a kernel on the engine that its attribute `engine` names, else on that `around` it, else on the
    fastest.

    An element in a level that the engine does not reach directly costs one access there, divided by the engine's cores.
    Raises Diagnostic if no engine runs the kernel.
    """
    engine = engine_of(op, machine, around)
    kernel = kernel_of(op)
    tile_cost = machine.tile_cost(engine, op)
    cycles = None if tile_cost is None else tile_cost(kernel.bounds)
    if cycles is None:
        raise Diagnostic(
            f"engine '{engine.name}' does not run '{op.name}' on these types and shapes",
            where=where(op),
            remedy="give the kernel another engine, or the engine an entry for it in runs",
        )
    far = _far_accesses([value for value in op.operands if is_shaped(value)], engine, machine)
    points, macs = points_of(op), multiply_accumulates(op)
    counts = cycles + far, points, macs, engine.energy * points
    cost = KernelCost(op.name, engine.name, *counts, (), (), peak=machine.peak(engine, op) if macs else 0.0)
    return _with_operands(cost, op, machine)


def bank_conflict_cycles(op: Operation, machine: Machine, engine: str) -> Callable[[Sequence[Allocation]], int] | None:
    """
    Return the bank conflict cycles of a kernel's reads, by the allocations of its shaped operands.

    None where its engine reads no rows in step, or no bank has a single port.
    """
    support = machine.engine(engine).support(op)
    levels = {level.name: level for level in machine.levels if level.single_port}
    if not levels or support is None or not support.beside:
        return None
    shaped = [value for value in op.operands if is_shaped(value)]
    inputs = [(shaped.index(value), role, bytes_of(value.type)) for value, role in roles_of(op) if role in _READ]

    def cycles(places: Sequence[Allocation]) -> int:
        placed = [(places[at], role, size) for at, role, size in inputs]
        reads = [(p.level, range(p.address, p.address + size), role) for p, role, size in placed if p.address >= 0]
        conflicts = 0.0
        for level, rows, role in reads:
            others = [read for read in reads if read[0] == level and read[1] is not rows]
            if level in levels and role in support.beside:
                count = len(rows) / levels[level].row_bytes
                conflicts += count * sum(levels[level].meeting(rows, other) for _, other, _ in others)
        return round(conflicts)

    return cycles


_READ = ("ins", "weights")


def cost_of_copy(op: Operation, source: SSAValue, machine: Machine, around: StringAttr | None = None) -> KernelCost:
    """
    Return the cost of a copy of a buffer within its level, by the engine `around` it, else the general-purpose one.

    An access is one element, or a vector along the last axis if the engine has vectors; what is left of a row goes by
    elements.
    """
    engine = machine.copier if around is None else machine.engine(around.data)
    latency = machine.level(level_of(source, machine.far.name)).latency
    *outer, row = shape_of(source) or (1,)
    width = max(1, engine.vector_bytes // numpy_type(element_of(source)).itemsize)
    cycles = engine.setup + ceil(2 * latency * prod(outer) * (row // width + row % width) / engine.cores)
    return _with_operands(KernelCost(op.name, engine.name, cycles, 0, 0, 0.0, (), ()), op, machine)


def engine_of(op: Operation, machine: Machine, around: StringAttr | None = None) -> Engine:
    """Return the engine of a kernel: its own, that around it, or the fastest. Raises Diagnostic for none."""
    named = op.attributes.get("engine") or around
    if isinstance(named, StringAttr):
        return machine.engine(named.data)
    return map_engines.engine_of(op, machine)


def _far_accesses(values: Sequence[SSAValue], engine: Engine, machine: Machine) -> int:
    reached = {name for _, names in engine.level for name in names}
    levels = [(machine.level(level_of(value, machine.far.name)), prod(shape_of(value))) for value in values]
    accesses = sum(level.latency * elements for level, elements in levels if level.name not in reached)
    return ceil(accesses / engine.cores)


def _with_operands(cost: KernelCost, op: Operation, machine: Machine) -> KernelCost:
    """Return a cost with the operand bytes, per operand and per level."""
    values = [value for value in op.operands if is_shaped(value)]
    sizes = tuple(bytes_of(value.type) for value in values)
    levels: dict[str, int] = {}
    for value, size in zip(values, sizes, strict=True):
        level = level_of(value, machine.far.name)
        levels[level] = levels.get(level, 0) + size
    return replace(cost, sizes=sizes, levels=tuple(levels.items()))
