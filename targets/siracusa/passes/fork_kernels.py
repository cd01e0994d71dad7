"""Parallelisation of kernels over the cores of their engine."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....passes.annotate_unrolling import is_worth_unrolling
from ....passes.core.base import Pass
from ....passes.emitc.text.functions import SPECIFIER
from ....passes.forking.rewriting import fork
from ....passes.forking.shares import is_shareable, shares_of
from ....passes.map_engines import ATTRIBUTE as ENGINE

_CALLS = ("cluster.mac", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui")
"""Ops that become p.mac, p.max and p.min, in inline assembly: clang takes them for calls."""
_MOST_CALLS = 2
"""Such ops in a loop that clang unrolls wholly, at most."""

_PRODUCTS = ("cluster.dot", "cluster.dot_packed", "cluster.dot_narrow")


def fork_kernels(module: ModuleOp, cores: int = 0) -> None:
    """
    Partition the parallel loops of every outlined kernel over the cores of its engine.

    On one core, the C of kernels that spend their time in sums is marked to be compiled apart from their callers.
    `cores` overrides the number of cores of every engine.
    """
    for function in [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]:
        engine = function.attributes.get(ENGINE)
        if not isinstance(engine, StringAttr):
            continue
        used = None if cores else machine_of(module).engine(engine.data)
        count = used.cores if used else cores
        if count > 1 and is_shareable(function):
            banks = machine_of(module).near_level_of(used).bandwidth if used else 0
            fork(function, shares_of(function.body.block, count, banks), stays_unrolled=_stays_unrolled)
        elif count == 1 and _sums(function):
            function.attributes[SPECIFIER] = StringAttr("TW_APART")


def _sums(function: func.FuncOp) -> bool:
    """
    Return whether a kernel has blocks of products, or innermost loops that all carry sums.

    Those need registers. Loops that store need the addresses of their buffers, which say what does not overlap.
    """
    ops = nested_ops(function)
    loops = [op for op in ops if isinstance(op, scf.ForOp)]
    if any(op.name in _PRODUCTS for op in ops):
        return True
    return bool(loops) and all(loop.results for loop in loops if _is_innermost(loop))


def _is_innermost(loop: scf.ForOp) -> bool:
    return not any(isinstance(op, scf.ForOp) for op in nested_ops(loop.body))


def _stays_unrolled(loop: scf.ForOp, trips: int, factor: int) -> bool:
    """
    Return whether a share of a loop is worth unrolling, and would not be unrolled wholly without being asked.

    Without a load it is a fill, of which clang would make a call.
    """
    ops = list(loop.body.block.ops)
    is_fill = not any(isinstance(op, memref.LoadOp) for op in ops)
    needs_asking = is_fill or sum(op.name in _CALLS for op in ops) > _MOST_CALLS
    return is_worth_unrolling(trips, factor) or (trips == 2 * factor and needs_asking)


@dataclass(frozen=True)
class ForkKernelsPass(Pass):
    """
    Partition every kernel over the cores of its engine: `hier.fork` of a function with one core's share.

    Of the loops without loop-carried dependences, those that minimise the work of the busiest core are partitioned into
    equal chunks. Other work without visible effects, such as a row's reduction, is redundant on every core. Kernels
    without such loops stay on the controller. Run it after convert-kernels-to-loops, with the machine attached, or with
    a number of `cores`.
    """

    name = "fork-kernels"

    cores: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fork_kernels(op, self.cores)
