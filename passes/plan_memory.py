"""Tile shapes, stages and addresses for the near memories."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel import is_kernel
from ..errors import Diagnostic
from ..ir import functions, where
from ..targets.core.machine import Machine
from ..targets.core.machine_attribute import machine_of
from .core.base import Pass
from .memory.building import grid_of
from .memory.candidates import Candidate, Route, candidates
from .memory.tiling import tiling_of


def plan_memory(function: FuncOp, machine: Machine, *, double_buffered: bool, level_bytes: int) -> None:
    """
    Replace each kernel whose engine works in a near memory by a grid of tiles that fit there, the one modelled to be
    fastest.

    Kernels of engines that work where the network's buffers lie stay as they are. `level_bytes` caps the near level,
    0 for its size. Raises Diagnostic where no tiling fits, with the smallest size that works.
    """
    solved: dict[Hashable, list[Candidate]] = {}
    for op in list(function.body.block.ops):
        if not is_kernel(op):
            continue
        route = _route(op, machine)
        if route is None:
            continue
        key = _structure(op)
        if key not in solved:
            solved[key] = candidates(op, route, double_buffered=double_buffered)
        budget = min(level_bytes or route.near.size, route.near.size)
        _replace(op, route, _chosen(op, route, solved[key], budget))


def _route(op: Operation, machine: Machine) -> Route | None:
    """Return how the fastest engine for an op gets its operands, None where it works on the far level itself."""
    engine = next((engine for engine, _ in machine.engines_for(op)), None)
    if engine is None:
        raise Diagnostic(
            f"no engine of '{machine.name}' runs '{op.name}' on these types",
            where=where(op),
            remedy="give an engine that runs '*', or lower the op to one that an engine runs",
        )
    near = machine.near_level_of(engine)
    if near.name == machine.far.name:
        return None
    inward, outward = machine.path(machine.far.name, near.name), machine.path(near.name, machine.far.name)
    if len(inward) != 1 or len(outward) != 1:
        raise Diagnostic(
            f"'{near.name}' is {len(inward)} links away from '{machine.far.name}'",
            where=where(op),
            expected="one link between the level of the network's buffers and that of the engine",
            remedy="give the machine a link between the two levels",
        )
    return Route(machine, engine, near, inward[0], outward[0])


def _structure(op: Operation) -> Hashable:
    """Return what kernels with the same candidates have in common."""
    types = tuple(value.type for value in op.operands)
    same = tuple(op.operands.index(value) for value in op.operands)
    return op.name, types, same, frozenset(op.properties.items()), len(op.regions)


def _chosen(op: Operation, route: Route, found: list[Candidate], budget: int) -> Candidate:
    """Return the fastest candidate that fits."""
    fitting = [candidate for candidate in found if candidate.bytes <= budget]
    if fitting:
        return min(fitting, key=lambda candidate: (candidate.cycles, candidate.bytes))
    if not found:
        raise Diagnostic(f"'{op.name}' cannot be cut into tiles that '{route.engine.name}' runs", where=where(op))
    least = found[0].bytes
    raise Diagnostic(
        f"no tiling of '{op.name}' fits {route.near.name}: {least - budget:,} bytes short",
        where=where(op),
        expected=f"tiles of {budget:,} bytes in all",
        found=f"{least:,} bytes for the smallest tiles {list(found[0].sizes)}",
        remedy=f"give {route.near.name} {least:,} bytes",
    )


def _replace(op: Operation, route: Route, candidate: Candidate) -> None:
    tiling = tiling_of(op, candidate.sizes)
    align = max(route.near.alignment, 8)
    addresses: list[int | None] = []
    end = 0
    for tile, stages in zip(tiling.tiles, candidate.stages, strict=True):
        addresses.append(end)
        end += -(-tile.bytes // align) * align * stages
    grid = grid_of(tiling, route.near.name, addresses, candidate.stages, candidate.order)
    grid.attributes["engine"] = StringAttr(route.engine.name)
    grid.attributes["modelled_cycles"] = IntegerAttr(candidate.cycles, i64)
    Rewriter.replace_op(op, grid, [])


@dataclass(frozen=True)
class PlanMemoryPass(Pass):
    """
    Cut kernels into tiles for the near memory of the engine that runs them.

    The machine is the module's (attach-machine). Of the tile shapes and loop orders that fit the near level the one
    with the least modelled time is taken; equal layers are solved once. `level-bytes` caps the near level, `double-
    buffered=false` forgoes fetching ahead.
    """

    name = "plan-memory"

    level_bytes: int = 0
    double_buffered: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            plan_memory(function, machine, double_buffered=self.double_buffered, level_bytes=self.level_bytes)
