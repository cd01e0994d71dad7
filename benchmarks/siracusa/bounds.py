"""
Lower bounds of a network's cycles on Siracusa: what its engines must compute, and what must move to them.

*Peak*: the multiply-accumulates of the kernels, shared among the engines that can run them so that the last is done as
early as possible (a linear program), each at the most that its hardware does in a cycle. *Moved*: weights that are not
in the weight memory, inputs and outputs over the width of their link. Both hold for any program. *Kernels*: as *peak*,
with the cycles that our cost functions give each whole kernel on its engine, without transfers, forks and code: a bound
for programs of these kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ortools.math_opt.python import mathopt
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tilewright.benchmarks.siracusa.ours import Network
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.work import multiply_accumulates
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.memory.views import bytes_of
from tilewright.passes.timing.kernels import level_of

PLACED = "builtin.module(copy-windows,map-engines,place-weights)"


@dataclass(frozen=True)
class Bounds:
    """Lower bounds of the cycles of a network."""

    peak: float
    moved: float
    kernels: float


def bounds_of(network: Network, target: str) -> Bounds:
    """Return the bounds of a network on a variant of Siracusa. Raises Diagnostic where it cannot be compiled."""
    with network.stored() as (path, types):
        module = compile_model(Model(path, input_types=types), target, stop_after="buffers").module
    PassManager().run(module, parse_pipeline(PLACED, all_passes()), new_context())
    machine = machine_of(module)
    kernels = [op for op in module.walk() if is_kernel(op)]
    peaks = [dict(_at_peak(op, machine)) for op in kernels if multiply_accumulates(op)]
    times = [{engine.name: float(cycles) for engine, cycles in machine.engines_for(op)} for op in kernels]
    return Bounds(shared_evenly(peaks), _moved(module, machine), shared_evenly(times))


def shared_evenly(kernels: Sequence[Mapping[str, float]]) -> float:
    """Return the least time in which engines do kernels that may be divided; cycles by engine for each kernel."""
    if not kernels:
        return 0.0
    model = cast(Any, mathopt.Model())
    end = model.add_variable(lb=0)
    loads: dict[str, Any] = {}
    for times in kernels:
        shares = {engine: model.add_variable(lb=0, ub=1) for engine in times}
        model.add_linear_constraint(sum(shares.values()) == 1)
        for engine, share in shares.items():
            loads[engine] = loads.get(engine, 0) + times[engine] * share
    for load in loads.values():
        model.add_linear_constraint(load <= end)
    model.minimize(end)
    return mathopt.solve(model, mathopt.SolverType.GLOP).objective_value()


def _at_peak(op: Operation, machine: Machine) -> Iterator[tuple[str, float]]:
    """Yield the cycles of a kernel at the peak of each engine that can run it."""
    for engine, _ in machine.engines_for(op):
        if peak := machine.peak(engine, op):
            yield engine.name, multiply_accumulates(op) / peak


def _moved(module: ModuleOp, machine: Machine) -> float:
    """Return the cycles of the link's data, of the fuller direction: constants of the far level and inputs; outputs."""
    widths = {link.direction: link.width for link in machine.links}
    own = {level.name for level in machine.levels if level.preloaded}
    read = {op.memref for op in module.walk() if isinstance(op, memref.GetGlobalOp)}
    brought = [value for value in read if level_of(value, machine.far.name) not in own]
    written = {value for op in module.walk() if is_kernel(op) for value in op.operands[-1:]}
    sizes = {"in": sum(bytes_of(cast(Any, value.type)) for value in brought), "out": 0}
    for value in functions(module)[0].body.block.args:
        sizes["out" if value in written else "in"] += bytes_of(cast(Any, value.type))
    return max(count / widths[direction] for direction, count in sizes.items())
