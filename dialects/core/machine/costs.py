"""Cost models of kernels for engines of many machines: by products, by elements or by loops."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING

from .cost_table import cost

if TYPE_CHECKING:
    from ..kernel import Kernel
    from .engine import Engine


def outputs_of(kernel: Kernel, bounds: tuple[int, ...]) -> int:
    """Return the number of elements of each output that a tile computes."""
    return prod(bounds[d] for d in kernel.output_dims)


def passes_of(kernel: Kernel) -> int:
    """Return the number of passes over a kernel's points: one for each reduction, and one for a result after them."""
    return max(1, len(kernel.reductions) + (kernel.result is not None))


@cost("per_mac")
def per_mac(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    macs_per_cycle: float,
    efficiency: float = 1.0,
    per_output: float = 0.0,
    startup: int = 0,
) -> int:
    """
    Estimate the cycles of a kernel that multiplies and adds at a steady rate.

    `macs_per_cycle` is that of the whole engine, `efficiency` the part of it that is reached; `per_output` are the
    cycles for each element of the output, such as those of requantisation.
    """
    outputs = per_output * outputs_of(kernel, bounds) if per_output else 0
    return startup + ceil(prod(bounds) / (macs_per_cycle * efficiency) + outputs)


@cost("per_element")
def per_element(
    kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, cycles: float, parallel: float = 1.0, startup: int = 0
) -> int:
    """
    Estimate the cycles of a kernel by the points that it computes, each `cycles` long on one core.

    `parallel` is the part of the work that is shared among the engine's cores.
    A kernel that goes over its points several times, as a softmax does, pays for each time.
    """
    points = prod(bounds) * passes_of(kernel) * cycles
    return startup + ceil(points * (1 - parallel) + points * parallel / engine.cores)


@cost("per_point")
def per_point(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    cycles: tuple[float, ...],
    per_output: float = 0.0,
    startup: int = 0,
) -> int:
    """
    Estimate the cycles of a loop nest on the engine's cores.

    `cycles` are those that one iteration of a loop costs, the innermost loop first, beyond what its inner loops cost;
    the last holds for all further loops. Loops of a single iteration cost nothing. A kernel with several passes over
    its points costs their sum. `per_output` is as in `per_mac`.
    """
    iterations, total, depth = prod(bounds), 0.0, 0
    for extent in reversed(bounds):
        if extent > 1:
            total += iterations * cycles[min(depth, len(cycles) - 1)]
            iterations, depth = iterations // extent, depth + 1
    total = total or cycles[0]
    outputs = per_output * outputs_of(kernel, bounds) if per_output else 0
    return startup + ceil((total * passes_of(kernel) + outputs) / engine.cores)
