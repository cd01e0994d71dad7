"""
The model zoo: networks in ONNX built from a seed, quantised or of floats, with nothing to download.

`frontend/zoo/foo_bar.py` is the network `foo-bar`: it defines `build(seed: int = 0) -> onnx.ModelProto`, and the first
line of its docstring is the network's summary. A network whose lengths may stay open defines `build_open` of the same
form too. Files that begin with an underscore are no networks.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import Diagnostic, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from onnx import ModelProto

    from ._cost import Cost

_HERE = Path(__file__).parent
_MAX_SEED = 2**32 - 1


def names() -> list[str]:
    """Return the names of the networks, sorted."""
    return sorted(file.stem.replace("_", "-") for file in _HERE.glob("[!_]*.py"))


def summary(name: str) -> str:
    """Return in one line what the network `name` is, without importing ONNX; raises a Diagnostic if it is unknown."""
    source = _file(name).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def is_of_floats(name: str) -> bool:
    """Return whether the network `name` is one of floats, as its summary says; raises a Diagnostic if unknown."""
    return "in float" in summary(name)


def build(name: str, seed: int = 0, *, is_open: bool = False) -> ModelProto:
    """
    Return the network `name` with weights from `seed` (0 to 2^32 - 1), the same bytes for the same seed.

    With `is_open` its lengths, such as that of a cache, are dynamic axes. Raises a Diagnostic for an unknown name, a
    seed out of range, and a network without open lengths.
    """
    file = _file(name)
    if not 0 <= seed <= _MAX_SEED:
        raise Diagnostic("the seed is out of range", expected=f"0 to {_MAX_SEED}", found=str(seed))
    module = import_module(f".{file.stem}", __name__)
    if not is_open:
        return module.build(seed)
    if not hasattr(module, "build_open"):
        raise Diagnostic(f"the shapes of the network {name!r} are fixed", remedy="build it without open lengths")
    return module.build_open(seed)


def sample_inputs(model: ModelProto, seed: int) -> dict[str, np.ndarray]:
    """
    Return one random array for each input of `model`, in the input's declared shape and element type.

    Values are standard normal where the model's metadata says so. Else they are integers, uniform over the range that
    the metadata gives, over that of the 8-bit type that it declares for the input, or of the integer type that the
    graph declares. Raises a Diagnostic for an input with none of these, and for one whose shape is not static.
    """
    from ._inputs import sample_inputs

    return sample_inputs(model, seed)


def evaluate(model: ModelProto, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """
    Return every tensor that `model`, a network of this zoo, computes from `inputs`, as int64 by tensor name.

    The first axis of the inputs may hold any number of samples. Raises a Diagnostic for an operator that the zoo does
    not use.
    """
    from ._evaluate import evaluate

    return evaluate(model, inputs)


def cost(model: ModelProto) -> Cost:
    """Return the parameters, multiply-accumulates and layers of `model`, a network of this zoo."""
    from ._cost import cost

    return cost(model)


def _file(name: str) -> Path:
    networks = names()
    if name in networks:
        return _HERE / f"{name.replace('-', '_')}.py"
    raise Diagnostic(
        f"the zoo has no network {name!r}",
        expected=f"one of {', '.join(networks)}",
        found=name,
        remedy=did_you_mean(name, networks),
    )
