"""Proof of memory safety: every access reads the data that program order implies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import ViewOp
from xdsl.dialects.scf import ParallelOp

from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import DmaStartOp, DmaWaitOp, GridOp, LaunchOp
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass
from .explicit.events import queue_of
from .proof.body import prove_body
from .proof.calls import entry_functions
from .proof.copies import prove_copies
from .proof.equal_grids import first_equal_grids
from .proof.grid import prove_tiles
from .proof.instances import prove_instances, residents_of
from .proof.levels import prove_levels
from .proof.residents import prove_residents
from .proof.walk import Walk
from .sharding.residents import one_call, prove_read_only

_EXPLICIT = (GridOp, DmaStartOp, DmaWaitOp, LaunchOp, ParallelOp, ViewOp)


def verify_memory(module: ModuleOp, *, plain: bool = True, tiles: bool = True) -> None:
    """
    Prove that a program with grids, transfers or queues moves data correctly, independent of the passes that built it.

    With `plain` false, programs without these, launches and views of memory by address are skipped. With
    `tiles` false, the operand tiles of kernels among explicit transfers are not checked. Raises Diagnostic at the first
    broken rule, with the op and a counterexample. Level sizes are checked if the module has a machine.
    """
    prove_read_only(module)
    machine = machine_of(module) if ATTRIBUTE in module.attributes else None
    kept = [residents_of(function, machine) for function in functions(module)] if machine is not None else []
    module = one_call(module)
    levels = {level.name: level for level in machine.levels} if machine is not None else {}
    grids = [op for op in nested_ops(module) if isinstance(op, GridOp)]
    outer = [grid for grid in grids if not _is_inner(grid)]
    representative = first_equal_grids(outer)
    for grid in grids:
        if machine is not None:
            prove_copies(grid, machine)
        prove_levels(grid, levels)
        if representative.get(grid, grid) is grid:
            prove_tiles(grid)
    for number, function in enumerate(functions(module)):
        prove_residents(function, levels)
        if machine is not None:
            others = sum(map(Counter, kept[:number] + kept[number + 1 :]), Counter[tuple[str, tuple[int, ...]]]())
            prove_instances(function, machine, others)
    proved = {grid: prove_body(grid) for grid in outer if representative[grid] is grid}
    carried = {grid: proved[representative[grid]] for grid in outer}
    if not plain and not _places_memory(module):
        return
    walk = Walk(module, levels, carried, tiles=tiles, machine=machine)
    for function in entry_functions(module):
        _refuse_tensors(function)
        walk.run(function)


def _refuse_tensors(function: FuncOp) -> None:
    """Raise Diagnostic for a function on tensors."""
    for op in (function, *nested_ops(function.body)):
        values = function.body.block.args if op is function else op.results
        if any(isinstance(value.type, TensorType) for value in values):
            raise Diagnostic(
                "the program has tensors, which have no memory to verify",
                where=where(op),
                expected="buffers only",
                found=op.name,
                remedy="run bufferize before",
            )


def _places_memory(module: ModuleOp) -> bool:
    """Return whether a program places memory explicitly; otherwise its buffers are disjoint by construction."""
    return any(isinstance(op, _EXPLICIT) or queue_of(type(op)) is not None for op in nested_ops(module))


def _is_inner(grid: GridOp) -> bool:
    around = grid.parent_op()
    while around is not None and not isinstance(around, GridOp):
        around = around.parent_op()
    return around is not None


@dataclass(frozen=True)
class VerifyMemoryPass(Pass):
    """
    Prove memory safety: in grids, in arenas, and in programs with transfers.

    Changes nothing. Rejects a program that breaks a rule, with the op, the rule and a counterexample. With
    `plain=false`, programs without grids, transfers, launches and views of memory by address are skipped. With
    `tiles=false`, the operand tiles of kernels among explicit transfers are not checked, because those of the original
    grids have been proved.
    """

    name = "verify-memory"

    plain: bool = True
    tiles: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_memory(op, plain=self.plain, tiles=self.tiles)
