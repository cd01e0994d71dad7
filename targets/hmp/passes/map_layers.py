"""The pass `map-layers`: the processor of each layer, by an order of letters or by partition points."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.model import Machine
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..mapping import order_of
from .find_layers import layer_of


def map_layers(function: FuncOp, machine: Machine, order: str, points: str) -> None:
    """
    Give the ops of each layer the processor that an order names, as their attribute `engine`.

    Raises Diagnostic for a function without layers, and as `order_of` does.
    """
    layers: dict[int, list[Operation]] = {}
    for op in function.body.block.ops:
        if (number := layer_of(op)) is not None:
            layers.setdefault(number, []).append(op)
    if not layers:
        raise Diagnostic(
            "the network has no layers", where=where(function), expected="hmp.layer on ops", remedy="run find-layers"
        )
    chosen = order_of(order, points, len(layers), machine)
    for number, ops in layers.items():
        for op in ops:
            op.attributes[ENGINE] = StringAttr(chosen[number])


@dataclass(frozen=True)
class MapLayersPass(Pass):
    """
    Map the layers of a network to the processors of the machine, by their attribute `engine`.

    `order` has a letter for each layer, the first one of a processor's name: BBLGGNNN is two layers on big, one on
    little, two on the GPU, three on the NPU. A single letter is for all layers. With `points`, the numbers of the
    layers at which the network is cut, it has a letter for each part: order=GLB points=3+5. Without an order, ops keep
    the processor that they have. Run it after find-layers.
    """

    name = "map-layers"

    order: str = ""
    points: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.order:
            return
        for function in functions(op):
            map_layers(function, machine_of(op), self.order, self.points)
