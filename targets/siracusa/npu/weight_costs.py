"""Estimated cost of fetching a kernel's weights to its engine, before tiling."""

from __future__ import annotations

from math import ceil, prod

from xdsl.ir import Operation

from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....ir import element_of, numpy_type, shape_of


def with_weights(cycles: int, op: Operation, engine: Engine, machine: Machine, share: float = 1) -> int:
    """
    Return the larger of a kernel's cycles and the cycles of fetching its weights, unless these are preloaded.

    `share` is the fraction of the weights needed.
    """
    if any(machine.level(name).preloaded for name in engine.levels_of("weights")):
        return cycles
    weights = op.operands[1]
    size = prod(shape_of(weights)) * numpy_type(element_of(weights)).itemsize
    return max(cycles, machine.fetch_cycles(engine, ceil(size * share)))
