"""The pass `copy-windows`: select convolutions for im2col."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.model import Machine
from ....dialects.core.nesting import nested_ops
from ....dialects.nn import ConvOp
from ....ir import functions
from ....passes.core.base import Pass
from ....passes.core.on_buffers import refuse_tensors
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..loops.im2col import check_im2col, takes_im2col


def copy_windows(module: ModuleOp, machine: Machine) -> None:
    """
    Set the attribute `im2col` on convolutions with fewer modelled cycles with it.

    Raises Diagnostic for an existing attribute that is not supported.
    """
    most_bytes = max(engine.stack.windows for engine in machine.engines)
    for function in functions(module):
        for op in (inner for inner in nested_ops(function) if isinstance(inner, ConvOp)):
            refuse_tensors(op)
            if op.im2col is not None:
                check_im2col(op, most_bytes)
            elif takes_im2col(op, most_bytes):
                _choose(op, machine)


def _choose(op: ConvOp, machine: Machine) -> None:
    before = _least_cycles(op, machine)
    op.im2col = UnitAttr()
    if _least_cycles(op, machine) >= before:
        op.im2col = None


def _least_cycles(op: ConvOp, machine: Machine) -> float:
    """Return the cycles on the engine that the op names, or else the fastest; infinity if none runs it."""
    named = op.attributes.get(ENGINE)
    costs = {engine.name: cycles for engine, cycles in machine.engines_for(op)}
    return min((cycles for name, cycles in costs.items() if named in (None, StringAttr(name))), default=inf)


@dataclass(frozen=True)
class CopyWindowsPass(Pass):
    """
    Select convolutions of bytes for im2col, the contiguous copy of each pixel's window, by modelled cycles.

    They get the attribute `im2col`, which the machine's cost functions and convert-kernels-to-dots read. The windows of
    two pixels take at most the engine's `windows` bytes on the stack of a core. An existing attribute is kept, and
    rejected if not supported. Run it before map-engines, on whole kernels on buffers.
    """

    name = "copy-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        copy_windows(op, machine_of(op))
