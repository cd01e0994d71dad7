"""Parallelisation of kernels over the threads of one processor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ..dialects.core.effects import callee_of
from ..dialects.hier.programs import ConcurrentOp
from ..ir import functions
from .core.base import Pass
from .forking.rewriting import fork
from .forking.shares import is_shareable, shares_of
from .forking.work import cycles_of_block

MOST_THREADS = 256
"""Threads of the pool of a C runtime."""
LEAST_CYCLES = 10_000
"""Estimated cycles of a kernel that is worth a fork and join: some 3 us, where these take 0.1 to 0.3 us."""
LEAST_IN_ALL = 1_000_000
"""
Estimated cycles of all such kernels of a network that is worth waking threads: some 250 us. Waking takes the caller 5
us and the threads 50 us: a network of 65 us that is called every 200 us is no faster on two.
"""


def fork_threads(module: ModuleOp, threads: int, kernel_cycles: int, network_cycles: int) -> None:
    """
    Partition the parallel loops of every large kernel into `threads` shares, which threads claim.

    Large ones take `kernel_cycles` each and `network_cycles` together, or all stay as they are.
    """
    ops = list(module.walk())
    if any(isinstance(op, ConcurrentOp) for op in ops):
        return
    calls = Counter(op.callee.string_value() for op in ops if isinstance(op, func.CallOp))
    kernels = [function for function in functions(module) if calls[function.sym_name.data] and _is_leaf(function)]
    cycles = {function: cycles_of_block(function.body.block) for function in kernels if is_shareable(function)}
    large = {function: count for function, count in cycles.items() if count >= kernel_cycles}
    if sum(calls[function.sym_name.data] * count for function, count in large.items()) < network_cycles:
        return
    for function in large:
        fork(function, shares_of(function.body.block, threads, 0), claimed=True)


def _is_leaf(function: func.FuncOp) -> bool:
    """Return whether a function calls none: a share must not fork."""
    return all(callee_of(op) is None for op in function.walk())


@dataclass(frozen=True)
class ForkThreadsPass(Pass):
    """
    Partition large kernels over threads: `hier.fork` of a function with one share of the work.

        hier.fork @conv_0(%x, %w, %y) {cores = 2 : i64, claimed} : ...

    The loops are those that `fork-kernels` of a cluster would partition: only along independent outputs, so that no
    result depends on the number of `threads`. Kernels of fewer than `kernel_cycles` stay, as a fork and join would take
    longer than it saves; so do all of a network of fewer than `network_cycles`, as waking threads would, and all where
    there are concurrent programs, which are threads already. Run it on functions of loops; with one thread it does
    nothing.
    """

    name = "fork-threads"

    threads: int = 1
    kernel_cycles: int = LEAST_CYCLES
    network_cycles: int = LEAST_IN_ALL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.threads > 1:
            fork_threads(op, self.threads, self.kernel_cycles, self.network_cycles)
