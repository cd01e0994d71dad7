"""Attributes of the arguments and results of a network's function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...errors import Diagnostic

NAME = "tilewright.name"
"""The attribute of a module of C in which all names of functions and globals begin with this one (`name-network`)."""

SHAPE_OF = "tilewright.shape_of"
"""
The attribute of a result, or of the argument that it becomes, that names another: it holds how much of that is there.

Such a tensor has the most elements that it can hold; along each axis, as many of the first entries count.
"""

ROWS = "tilewright.rows"
"""
The attribute of an op, or an argument, of a network with caches of an open length: for each result the axis that has an
entry for each row of the caches, -1 for none.
"""

POSITION = "position"
"""The name of the input that says how many rows a state holds."""

POSITIONS = ("position_ids", "cache_position")
"""Names by which exporters call the input that has the position of each new row."""

ATTENTION_MASK = "attention_mask"
"""The name by which exporters call the input that says which of all rows count."""


def cut_outputs(arrays: Mapping[str, Any], shape_of: Mapping[str, str]) -> dict[str, Any]:
    """
    Return the outputs of a network by name, each cut to its valid part; `shape_of` names the outputs with their shapes.

    Raises Diagnostic where that is more than there can be.
    """
    shapes = {target: np.asarray(arrays[name]).reshape(-1) for name, target in shape_of.items()}
    return {name: _cut(name, array, shapes) for name, array in arrays.items() if name not in shape_of}


def _cut(name: str, array: Any, shapes: Mapping[str, Any]) -> Any:
    if name not in shapes:
        return array
    shape = tuple(int(extent) for extent in shapes[name])
    if len(shape) != array.ndim or any(not 0 <= a <= b for a, b in zip(shape, array.shape, strict=True)):
        raise Diagnostic(
            "an output has another size than it can have",
            where=f'output "{name}"',
            expected=f"at most {list(array.shape)}",
            found=str(list(shape)),
        )
    return np.ascontiguousarray(array[tuple(slice(extent) for extent in shape)])


def symbol_in(module: ModuleOp, function: str) -> str:
    """
    Return the name that a function has in a module: itself, or that of C.

    In C, `network` is `network_run`, or `NAME_run` in a module of that name; characters and names that C does not
    allow are replaced, as `main` by `main_`.
    """
    symbols = [op.properties["sym_name"] for op in module.ops if "sym_name" in op.properties]
    names = [symbol.data for symbol in symbols if isinstance(symbol, StringAttr)]
    named = module.attributes.get(NAME)
    own = named.data if isinstance(named, StringAttr) else ""
    as_c = f"{own}{function.removeprefix('network')}_run" if own and function.startswith("network") else ""
    if function in names or as_c in names:
        return function if function in names else as_c
    spelt = re.escape(re.sub(r"[^A-Za-z0-9_]", "_", function))
    forms = [rf"{spelt}_run", rf"(?:{re.escape(own)}_)?(?:n_?)?{spelt}_?(?:_run)?", rf"{re.escape(own)}_run"]
    matches = [name for form in forms for name in names if re.fullmatch(form, name)]
    return matches[0] if matches else function
