"""
Functions that a machine file names: what kernels cost on engines, and which bodies of transfers a link computes.

Those that fit many machines lie in `costs.py` beside this file, those of a target in `costs.py` in its folder, where
`cost("npu")` makes the one that machine files call `<name>.npu`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import MISSING
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Region

from ....discovery import module_at, on_forget, target_files
from .containers import ListForm
from .keys import Key
from .values import IntegerForm, NumberForm

if TYPE_CHECKING:
    from .link import Link

Cost = Callable[..., Any]
"""
`(kernel, bounds, engine, *, parameters...)`: the cycles of a tile of a kernel on an engine.

`kernel` is the whole kernel, `bounds` the extents of the tile's loops, rounded up to whole blocks. Parameters are
keyword-only and annotated `int`, `float`, or `tuple` of these; they are positive, or may be 0 where that is their
default. The function is pure, and what it returns counts for all kernels that are alike (`kernel_structure`): it may
look at types and scalar code, but of a constant or shift in that code only at whether it is 0, 1 or -1. It returns
cycles of the engine's clock, without the engine's `setup`, or why the engine cannot run a kernel of that form.

A function `over_tiles` takes many tiles at once: `bounds` is an array of integers [loops, tiles], and it returns their
cycles [tiles], -1 for each that the engine cannot run, or why it can run none.
"""

Transform = Callable[[Region, "Link"], str]
"""
The body of a transfer, and a link -> why the link's engine cannot compute it on the way, empty if it can.

The body takes one element, may take its indices in the far buffer, and ends with `hier.yield`; `quant.rescale` and
`quant.requantize` are as they are.
"""

Passes = Callable[[Region, "Link"], int]
"""The body of a transfer that a link computes, and the link -> how often it reads each row of the near tile for it."""

Timing = Callable[[int, int], int]
"""Cycles in which data move into or out of a level, and the number in the machine file -> those that they take."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_COSTS: dict[str, Cost] = {}
_COUNTS: dict[str, Cost] = {}
_TRANSFORMS: dict[str, Transform] = {}
_PASSES: dict[str, Passes] = {}
_TIMINGS: dict[str, Timing] = {}
_over_tiles = set[Cost]()


def cost(name: str, *, over_tiles: bool = False) -> Callable[[_Function], _Function]:
    """Register a cost function; in `costs.py` of a target its name becomes `<target>.<name>`."""
    return _register(_COSTS, "cost function", name, over_tiles=over_tiles)


def count(name: str, *, over_tiles: bool = False) -> Callable[[_Function], _Function]:
    """
    Register the number of instructions of a kernel beside its cost function of that name, of the same parameters.

    A machine whose program issues instructions (`instruction` of `program`) plans with it.
    """
    return _register(_COUNTS, "count", name, over_tiles=over_tiles)


def transform(name: str) -> Callable[[_Function], _Function]:
    """Register a function of bodies that links compute; in `costs.py` of a target it becomes `<target>.<name>`."""
    return _register(_TRANSFORMS, "transform", name)


def passes(name: str) -> Callable[[_Function], _Function]:
    """
    Register how often a link reads each row for a body, beside the function of bodies of that name.

    Once where none is registered. Each pass takes the transfer's cycles and instructions anew.
    """
    return _register(_PASSES, "number of passes", name)


def timing(name: str) -> Callable[[_Function], _Function]:
    """
    Register what a property of a memory costs the transfers into and out of it, by a number in the machine file.

    In `costs.py` of a target its name becomes `<target>.<name>`, a key of the table `timing` of levels.
    """
    return _register(_TIMINGS, "timing", name)


def _register(
    table: dict[str, Any], kind: str, name: str, *, over_tiles: bool = False
) -> Callable[[_Function], _Function]:
    def register(function: _Function) -> _Function:
        target = re.search(r"\.targets\.(\w+)\.costs$", function.__module__)
        full = f"{target[1]}.{name}" if target else name
        if full in table and table[full].__module__ != function.__module__:
            raise ValueError(f"the {kind} '{full}' is defined twice")
        table[full] = function
        if over_tiles:
            _over_tiles.add(function)
        parameters_of.cache_clear()
        return function

    return register


def cost_named(name: str) -> Cost:
    """Return a cost function. Raises KeyError for an unknown one."""
    return _named(_COSTS, name)


def count_named(name: str) -> Cost | None:
    """Return the number of instructions beside a cost function, None where there is none."""
    _named(_COSTS, name)
    return _COUNTS.get(name)


def is_over_tiles(function: Cost) -> bool:
    """Return whether a cost function takes many tiles at once."""
    return function in _over_tiles


def transform_named(name: str) -> Transform:
    """Return a function of bodies that links compute. Raises KeyError for an unknown one."""
    return _named(_TRANSFORMS, name)


def passes_named(name: str) -> Passes:
    """Return the reads of each row by a link for the bodies of a function. Raises KeyError for an unknown function."""
    transform_named(name)
    return _PASSES.get(name, lambda body, link: 1)


def timing_named(name: str) -> Timing:
    """Return the cost in transfers of a property of a memory. Raises KeyError for an unknown one."""
    return _named(_TIMINGS, name)


def _named(table: dict[str, Any], name: str) -> Any:
    target = name.rpartition(".")[0]
    if name not in table and target in (files := _files()):
        module_at(files[target])
    return table[name]


def functions_by_kind() -> dict[str, list[str]]:
    """Return the names of all functions that a machine file may name, every target's included, by what they are."""
    return {"a cost function": known_costs(), "a transform": known_transforms(), "a timing": known_timings()}


def known_costs() -> list[str]:
    """Return the names of all cost functions, every target's included."""
    return _known(_COSTS)


def known_transforms() -> list[str]:
    """Return the names of all functions of bodies, every target's included."""
    return _known(_TRANSFORMS)


def known_timings() -> list[str]:
    """Return the names of all properties of memories that cost transfers, every target's included."""
    return _known(_TIMINGS)


def _known(table: dict[str, Any]) -> list[str]:
    for file in _files().values():
        module_at(file)
    return sorted(table)


def _forget(targets: Collection[str]) -> None:
    for table in (_COSTS, _COUNTS, _TRANSFORMS, _PASSES, _TIMINGS):
        for name in [name for name in table if name.rpartition(".")[0] in targets]:
            _over_tiles.discard(table.pop(name))
    parameters_of.cache_clear()


on_forget(_forget)


def _files() -> dict[str, Path]:
    """Return the file of cost functions of each target that has one; of those of no target under an empty name."""
    return {"": Path(__file__).parent / "costs.py", **{file.parent.name: file for file in target_files("costs.py")}}


@cache
def parameters_of(name: str) -> dict[str, Key]:
    """Return the keys of a cost function's parameters, by name. Raises KeyError for an unknown function."""
    parameters = inspect.signature(cost_named(name)).parameters.values()
    keys = (_key(parameter) for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY)
    return {key.name: key for key in keys}


def _key(parameter: inspect.Parameter) -> Key:
    """Return the key of a parameter, which is positive, or may be 0 where that is its default."""
    may_be_zero = parameter.default == 0
    numbers = NumberForm(is_positive=not may_be_zero)
    forms = {"int": IntegerForm(0 if may_be_zero else 1), "float": numbers, "tuple": ListForm(numbers)}
    kind = str(parameter.annotation).partition("[")[0]
    return Key(parameter.name, forms[kind], MISSING if parameter.default is parameter.empty else parameter.default)
