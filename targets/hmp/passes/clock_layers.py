"""The pass `clock-layers`: the clock of each layer's processor, for switch mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.model import Machine
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from .find_layers import layer_of

CLOCK = "hmp.clock"
"""Attribute of the ops of a layer: the clock of their processor while it computes them, in MHz."""


def clock_layers(function: FuncOp, machine: Machine, clocks: Sequence[int]) -> None:
    """
    Give the ops of each layer the clock of their processor, in MHz; 0 is the one from which the run starts.

    Raises Diagnostic for another number of clocks than layers, and for a clock that the layer's processor lacks.
    """
    layers = _layers(function)
    if len(clocks) != len(layers):
        raise Diagnostic(
            f"{len(clocks)} clocks for {len(layers)} layers",
            where=where(function),
            expected=f"{len(layers)} numbers, 0 for a layer at the clock of the start",
        )
    for number, ops in layers.items():
        for op in ops:
            op.attributes.pop(CLOCK, None)
            if clocks[number]:
                _check(op, machine, clocks[number])
                op.attributes[CLOCK] = IntegerAttr(clocks[number], i64)


def layer_clocks_of(function: FuncOp, machine: Machine) -> list[tuple[str, int]]:
    """
    Return the processor and the clock in MHz of each layer, 0 where its ops have none.

    Raises Diagnostic for a layer with several clocks, and as `clock_layers` does.
    """
    layer_clocks: list[tuple[str, int]] = []
    for number, ops in _layers(function).items():
        clocks = {_clock_of(op) for op in ops}
        if len(clocks) > 1:
            raise Diagnostic(
                f"layer {number} has several clocks",
                where=where(ops[0]),
                expected=f"one `{CLOCK}` of all its ops",
                found=", ".join(f"{mhz} MHz" for mhz in sorted(clocks)),
                remedy="run clock-layers",
            )
        mhz = clocks.pop()
        if mhz:
            _check(ops[0], machine, mhz)
        layer_clocks.append((_processor_of(ops[0]), mhz))
    return layer_clocks


def _layers(function: FuncOp) -> dict[int, list[Operation]]:
    layers: dict[int, list[Operation]] = {}
    for op in function.body.block.ops:
        if (number := layer_of(op)) is not None:
            layers.setdefault(number, []).append(op)
    return dict(sorted(layers.items()))


def _clock_of(op: Operation) -> int:
    mhz = op.attributes.get(CLOCK)
    return cast("IntegerAttr[Any]", mhz).value.data if isinstance(mhz, IntegerAttr) else 0


def _processor_of(op: Operation) -> str:
    name = op.attributes.get(ENGINE)
    return name.data if isinstance(name, StringAttr) else ""


def _check(op: Operation, machine: Machine, mhz: int) -> None:
    """Raise Diagnostic for a clock that the processor of an op lacks."""
    name, engines = _processor_of(op), {engine.name: engine for engine in machine.engines}
    if name not in engines:
        raise Diagnostic(
            f"layer {layer_of(op)} has a clock, but no processor",
            where=where(op),
            expected=f"an attribute `{ENGINE}`",
            remedy="run map-layers with an order",
        )
    if mhz not in engines[name].clock.mhz:
        raise Diagnostic(
            f"{name} has no clock {mhz}",
            where=where(op),
            expected=", ".join(f"{clock:g}" for clock in engines[name].clock.mhz) or "none of its own",
            found=f"layer {layer_of(op)} at {mhz} MHz",
        )


@dataclass(frozen=True)
class ClockLayersPass(Pass):
    """
    Set the clocks of layers in switch mode, by the attribute `hmp.clock` of their ops.

    `mhz` has a number for each layer: mhz=1800+1800+0+600, where 0 is the clock from which the run starts. Without
    numbers, ops keep the clocks that they have. Run it after map-layers.
    """

    name = "clock-layers"

    mhz: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.mhz:
            return
        parts = self.mhz.split("+")
        if wrong := [part for part in parts if not part.isdecimal()]:
            raise Diagnostic(f"'{wrong[0]}' is no clock", expected="MHz of each layer: 1800+0+600", found=self.mhz)
        for function in functions(op):
            clock_layers(function, machine_of(op), [int(part) for part in parts])
