"""
What a kernel costs on an engine: functions that a machine file names.

The functions here fit many machines. Those of a target lie in `targets/<name>/costs.py`, where `cost("npu")` makes the
one that machine files call `<name>.npu`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ...dialects.core.kernel import Kernel
    from .machine import Engine

Cost = Callable[..., "int | None"]
"""
`(kernel, bounds, engine, *, parameters...)`: the cycles of a tile of a kernel on an engine.

`kernel` is the whole kernel, `bounds` the extents of the tile's loops, rounded up to whole blocks. Parameters are
keyword-only and annotated `int`, `float`, or `tuple` of these; they are positive, or may be 0 where that is their
default. The function is pure. It returns cycles of the engine's clock, without the engine's `setup`, or None where the
engine cannot run a kernel of that form.
"""

_Cost = TypeVar("_Cost", bound=Cost)
_TARGETS = Path(__file__).parent.parent
_COSTS: dict[str, Cost] = {}


def cost(name: str) -> Callable[[_Cost], _Cost]:
    """Register a cost function; in `targets/<target>/costs.py` its name becomes `<target>.<name>`."""

    def register(function: _Cost) -> _Cost:
        target = re.search(r"\.targets\.(\w+)\.costs$", function.__module__)
        full = f"{target[1]}.{name}" if target and target[1] != "core" else name
        if full in _COSTS and _COSTS[full].__module__ != function.__module__:
            raise ValueError(f"the cost function '{full}' is defined twice")
        _COSTS[full] = function
        parameters_of.cache_clear()
        return function

    return register


def cost_named(name: str) -> Cost:
    """Return a cost function. Raises KeyError for an unknown one."""
    target = name.rpartition(".")[0]
    if name not in _COSTS and target in _targets():
        import_module(f"..{target}.costs", __package__)
    return _COSTS[name]


def known_costs() -> list[str]:
    """Return the names of all cost functions, every target's included."""
    for target in _targets():
        import_module(f"..{target}.costs", __package__)
    return sorted(_COSTS)


def _targets() -> list[str]:
    files = sorted(_TARGETS.glob("*/costs.py"))
    return [file.parent.name for file in files if file.parent.name != "core"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a cost function: its type, one of int, float and tuple, and which values it may have."""

    name: str
    type: type
    required: bool
    may_be_zero: bool


@cache
def parameters_of(name: str) -> dict[str, Parameter]:
    """Return the parameters of a cost function, by name. Raises KeyError for an unknown function."""
    signature = inspect.signature(cost_named(name))
    own = [each for each in signature.parameters.values() if each.kind is inspect.Parameter.KEYWORD_ONLY]
    return {
        each.name: Parameter(each.name, _type_of(each), each.default is each.empty, each.default == 0) for each in own
    }


def _type_of(parameter: inspect.Parameter) -> type:
    word = re.match(r"\w*", str(parameter.annotation))
    types: dict[str, type[Any]] = {"int": int, "float": float, "tuple": tuple}
    return types[word[0] if word else ""]


def outputs_of(kernel: Kernel, bounds: tuple[int, ...]) -> int:
    """Return how many elements of each output a tile computes."""
    return prod(bounds[d] for d in kernel.output_dims)


def passes_of(kernel: Kernel) -> int:
    """Return how many times a kernel goes over its points: once for each reduction, and for a result after them."""
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
    Price a kernel that multiplies and adds at a steady rate.

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
    Price a kernel by the points that it computes, each `cycles` long on one core.

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
    Price a loop nest on the engine's cores.

    `cycles` are those that one iteration of a loop costs, the innermost loop first, beyond what its inner loops cost;
    the last holds for all further loops. Loops of a single iteration cost nothing. A kernel that goes over its points
    several times pays for each time. `per_output` is as in `per_mac`.
    """
    iterations, total, depth = prod(bounds), 0.0, 0
    for extent in reversed(bounds):
        if extent > 1:
            total += iterations * cycles[min(depth, len(cycles) - 1)]
            iterations, depth = iterations // extent, depth + 1
    total = total or cycles[0]
    outputs = per_output * outputs_of(kernel, bounds) if per_output else 0
    return startup + ceil((total * passes_of(kernel) + outputs) / engine.cores)
