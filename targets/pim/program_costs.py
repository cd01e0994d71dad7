"""
Modelled cycles of the programs of a mesh: one step after the other, without simulating its instances.

All instances of a mesh take the steps of a program at once. A kernel costs what its engine takes for the part of one
instance; a transfer from the far level as many times its cycles as instances issue it; one hop of a gathering the
cycles of a shard on a link, and the routers on the way back from the last instance of the ring to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...dialects.core.work import multiply_accumulates
from ...dialects.hier import AllGatherOp, ConcurrentOp, DmaStartOp, ProgramOp
from ...dialects.hier.sharded import shard_type
from ...errors import Diagnostic
from ...ir import Array, functions, node_names, shape_of, where
from ...passes.memory.views import bytes_of
from ...passes.timing.kernels import cost_of_copy, cost_of_kernel
from ...passes.timing.transfers import Descriptor, levels_of, link_of

KINDS = ("products", "auxiliary", "rings", "far")
"""Products on the array, other kernels, transfers between and within instances, and transfers of the far level."""


@dataclass(frozen=True)
class OpCycles:
    """Cycles of one kind of an op of the network; `nodes` are the names of the ONNX nodes."""

    nodes: tuple[str, ...]
    kind: str
    cycles: int


def steps_of(module: ModuleOp) -> list[OpCycles]:
    """
    Return the steps of the programs over sharded values of a module, as shard-kernels makes them.

    Raises Diagnostic for programs that are not replicated over a mesh, and for loops whose trip count is not constant.
    """
    machine = machine_of(module)
    ring = next((link for link in machine.links if link.neighbours == "mesh"), None)
    if ring is None:
        raise Diagnostic(f"the machine '{machine.name}' has no mesh", expected='a link with neighbours = "mesh"')
    steps: list[OpCycles] = []
    for function in functions(module):
        for block in function.body.blocks:
            steps += _steps(block, _Costs(machine, ring), 1)
    return steps


@dataclass(frozen=True)
class _Costs:
    machine: Machine
    ring: Link

    def transfer(self, op: DmaStartOp, instances: int) -> tuple[str, int]:
        """Return kind and cycles of a transfer that so many instances issue."""
        link = link_of(op, self.machine)
        cost = Descriptor(self.machine, link, op.far, shape_of(op.near), reads=not op.writes_far)
        cycles = cost.at([0] * len(shape_of(op.far))).data
        near, far = levels_of(op, self.machine)
        return ("rings", cycles) if near == far else ("far", cycles * instances)

    def gathering(self, op: AllGatherOp) -> int:
        """Return the cycles of a gathering: hops, each as long as that from the last to the first, and a copy."""
        data = -(-bytes_of(shard_type(cast("MemRefType[Any]", op.source.type))) // self.ring.width)
        hops = (op.count - 1) * op.stride
        return hops * (data + op.ring * self.ring.router) + data


def _steps(block: Block, costs: _Costs, times: int) -> Iterator[OpCycles]:
    for op in block.ops:
        names = node_names(op)
        match op:
            case scf.ForOp():
                yield from _steps(op.body.block, costs, times * _trips(op))
            case ConcurrentOp():
                yield from _program(op, names, costs, times)
            case AllGatherOp():
                yield OpCycles(names, "rings", times * costs.gathering(op))
            case _ if is_kernel(op):
                yield OpCycles(names, "auxiliary", times * cost_of_kernel(op, costs.machine).cycles)
            case memref.CopyOp():
                yield OpCycles(names, "auxiliary", times * cost_of_copy(op, op.source, costs.machine).cycles)
            case _:
                pass


def _program(op: ConcurrentOp, names: tuple[str, ...], costs: _Costs, times: int) -> Iterator[OpCycles]:
    """Yield the steps of a program that is replicated over a mesh."""
    if len(op.programs) != 1 or not op.programs[0].extents:
        raise Diagnostic(
            "several programs at once have no step after step",
            where=where(op),
            expected="one program, replicated over instances",
            found=", ".join(program.title.data for program in op.programs),
        )
    program = op.programs[0]
    coordinates = np.indices(program.extents, sparse=True)
    values: dict[SSAValue, Array] = dict(zip(program.body.block.args, coordinates, strict=True))
    yield from _body(program.body.block, program, names, costs, times, values, np.ones(program.extents, np.bool_))


def _body(
    block: Block,
    program: ProgramOp,
    names: tuple[str, ...],
    costs: _Costs,
    times: int,
    values: dict[SSAValue, Array],
    active: Array,
) -> Iterator[OpCycles]:
    """Yield the steps of the ops of a program that the active instances execute."""
    for op in block.ops:
        if isinstance(op, scf.IfOp):
            if op.cond not in values:
                raise Diagnostic("a condition is not one of coordinates", where=where(op), expected="arith.cmpi eq")
            inside = active & (values[op.cond] != 0)
            yield from _body(op.true_region.block, program, names, costs, times, values, inside)
        elif isinstance(op, DmaStartOp):
            kind, cycles = costs.transfer(op, int(active.sum()))
            yield OpCycles(names, kind, times * cycles)
        elif is_kernel(op):
            cost = cost_of_kernel(op, costs.machine, program.engine)
            yield OpCycles(names, "products" if multiply_accumulates(op) else "auxiliary", times * cost.cycles)
        elif isinstance(op, memref.CopyOp):
            yield OpCycles(
                names, "auxiliary", times * cost_of_copy(op, op.source, costs.machine, program.engine).cycles
            )
        elif isinstance(op, arith.ConstantOp):
            values[op.results[0]] = np.array(_constant(op))
        elif type(op) in _INDEX and _is_known(op, values):
            values[op.results[0]] = _INDEX[type(op)](*(values[value] for value in op.operands))


def _is_known(op: Operation, values: Mapping[SSAValue, Array]) -> bool:
    """Return whether an op on indices of known values is one of `_INDEX`; of comparisons `eq` alone is."""
    if isinstance(op, arith.CmpiOp) and op.predicate.value.data:
        return False
    return all(value in values for value in op.operands)


def _constant(op: Operation) -> int:
    """Return the number of a constant, 0 for one of another type."""
    value = op.value if isinstance(op, arith.ConstantOp) else None
    return cast("IntegerAttr[Any]", value).value.data if isinstance(value, IntegerAttr) else 0


def _equal(a: Array, b: Array) -> Array:
    return np.asarray(a == b)


_INDEX: Mapping[type[Operation], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.DivUIOp: np.floor_divide,
    arith.RemUIOp: np.remainder,
    arith.CmpiOp: _equal,
}
"""Op on indices -> its result for all instances; of comparisons `eq`."""


def _trips(op: scf.ForOp) -> int:
    """Return the trip count of a loop. Raises Diagnostic where it is not constant."""
    bounds = [value.owner for value in (op.lb, op.ub, op.step)]
    constants = [bound for bound in bounds if isinstance(bound, arith.ConstantOp)]
    if len(constants) < len(bounds):
        raise Diagnostic("the trip count of a loop is not constant", where=where(op), expected="constant bounds")
    low, high, step = map(_constant, constants)
    return max(0, -(-(high - low) // step))
