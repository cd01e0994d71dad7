"""
The pass `copy-windows`: choose the convolutions that copy the windows of their pixels before the product (im2col).
"""

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
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..loops.im2col import check_im2col, takes_im2col


def copy_windows(module: ModuleOp, machine: Machine) -> None:
    """
    Give those convolutions the attribute `im2col` that their engine does in fewer modelled cycles with it.

    Raises Diagnostic for an attribute that is not possible.
    """
    most_bytes = max(engine.stack_bytes("windows") for engine in machine.engines)
    for function in functions(module):
        for op in nested_ops(function):
            if isinstance(op, ConvOp) and op.im2col is not None:
                check_im2col(op, most_bytes)
            elif isinstance(op, ConvOp) and takes_im2col(op, most_bytes):
                _choose(op, machine)


def _choose(op: ConvOp, machine: Machine) -> None:
    before = _least_cycles(op, machine)
    op.im2col = UnitAttr()
    if _least_cycles(op, machine) >= before:
        op.im2col = None


def _least_cycles(op: ConvOp, machine: Machine) -> float:
    """Return the cycles on the engine that the op names, or else the fastest; infinity where none runs it."""
    named = op.attributes.get(ENGINE)
    costs = {engine.name: cycles for engine, cycles in machine.engines_for(op)}
    return min((cycles for name, cycles in costs.items() if named in (None, StringAttr(name))), default=inf)


@dataclass(frozen=True)
class CopyWindowsPass(Pass):
    """
    Let convolutions of bytes copy the window of each pixel side by side (im2col) where that is modelled to be faster.

    They get the attribute `im2col`, with which the cost functions of the machine price them from there on, and
    convert-kernels-to-dots builds other loops. The windows of two pixels take as many bytes at most as an engine lets
    `windows` take on the stack of a core. An attribute that is there is kept, and refused where it is not possible. Run
    it before map-engines, on whole kernels on buffers.
    """

    name = "copy-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        copy_windows(op, machine_of(op))
