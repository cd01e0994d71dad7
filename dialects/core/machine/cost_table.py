"""
The table of what kernels cost on engines: functions that a machine file names.

Those that fit many machines lie in `costs.py` beside this file, those of a target in `costs.py` in its folder, where
`cost("npu")` makes the one that machine files call `<name>.npu`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ....discovery import module_at, on_forget, target_files

Cost = Callable[..., "int | None"]
"""
`(kernel, bounds, engine, *, parameters...)`: the cycles of a tile of a kernel on an engine.

`kernel` is the whole kernel, `bounds` the extents of the tile's loops, rounded up to whole blocks. Parameters are
keyword-only and annotated `int`, `float`, or `tuple` of these; they are positive, or may be 0 where that is their
default. The function is pure, and what it returns counts for all kernels that are alike (`kernel_structure`): it may
look at types and scalar code, but of a constant or shift in that code only at whether it is 0, 1 or -1. It returns
cycles of the engine's clock, without the engine's `setup`, or None where the engine cannot run a kernel of that form.
"""

_Cost = TypeVar("_Cost", bound=Cost)
_COSTS: dict[str, Cost] = {}


def cost(name: str) -> Callable[[_Cost], _Cost]:
    """Register a cost function; in `costs.py` of a target its name becomes `<target>.<name>`."""

    def register(function: _Cost) -> _Cost:
        target = re.search(r"\.targets\.(\w+)\.costs$", function.__module__)
        full = f"{target[1]}.{name}" if target else name
        if full in _COSTS and _COSTS[full].__module__ != function.__module__:
            raise ValueError(f"the cost function '{full}' is defined twice")
        _COSTS[full] = function
        parameters_of.cache_clear()
        return function

    return register


def cost_named(name: str) -> Cost:
    """Return a cost function. Raises KeyError for an unknown one."""
    target = name.rpartition(".")[0]
    if name not in _COSTS and target in (files := _files()):
        module_at(files[target])
    return _COSTS[name]


def known_costs() -> list[str]:
    """Return the names of all cost functions, every target's included."""
    for file in _files().values():
        module_at(file)
    return sorted(_COSTS)


def _forget(targets: Collection[str]) -> None:
    for name in [name for name in _COSTS if name.rpartition(".")[0] in targets]:
        del _COSTS[name]
    parameters_of.cache_clear()


on_forget(_forget)


def _files() -> dict[str, Path]:
    """Return the file of cost functions of each target that has one; of those of no target under an empty name."""
    return {"": Path(__file__).parent / "costs.py", **{file.parent.name: file for file in target_files("costs.py")}}


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
