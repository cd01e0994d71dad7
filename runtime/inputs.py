"""What a network takes, and the arrays that are given to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ..errors import Diagnostic
from ..ir import Array

if TYPE_CHECKING:
    from .host import HostNetwork


@dataclass(frozen=True)
class Input:
    """
    What a network takes.

    Of the position in a state, `added` are the rows that each call adds, `rows` those of the state; else both are 0.
    `limits` are the least and the greatest number that are allowed, empty where that is not declared.
    """

    name: str
    shape: tuple[int, ...]
    added: int = 0
    rows: int = 0
    limits: tuple[int, ...] = ()


def network_inputs(module: ModuleOp, function: str = "network") -> list[Input]:
    """Return what a function of a module takes, in order. Raises Diagnostic where the module has it not."""
    from .interpreter.boundary import ports

    arguments, _ = ports(_network(module, function))
    return [
        Input(port.name, port.shape, *(port.state or (0, 0)), limits=port.limits)
        for port in arguments
        if not port.is_output
    ]


def host_inputs(network: HostNetwork, function: str = "network") -> list[Input]:
    """Return what a function of a compiled network takes, in order. Raises Diagnostic where it has it not."""
    ports = network.entries[network.number_of(function)].inputs
    return [Input(port.name, port.shape, port.added, port.rows, port.limits) for port in ports]


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the names of what the network takes, in order. Raises Diagnostic where the module holds no network."""
    return tuple(each.name for each in network_inputs(module))


def _network(module: ModuleOp, function: str = "network") -> Operation:
    network = next((op for op in module.body.block.ops if _symbol(op) in (function, f"{function}_run")), None)
    if network is None:
        raise Diagnostic("the module holds no network", expected=f"a function named '{function}'")
    return network


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def fitted(name: str, array: Array, dtype: np.dtype[np.generic], shape: Sequence[int]) -> Array:
    """Return an input in the type that the network takes. Raises Diagnostic where a value would change."""
    if tuple(array.shape) != tuple(shape):
        raise Diagnostic(
            "an input has the wrong shape", where=f'input "{name}"', expected=str(tuple(shape)), found=str(array.shape)
        )
    with np.errstate(invalid="ignore"):
        converted = np.asarray(array.astype(dtype), order="C")
    # The kind of bf16, which NumPy does not know, is V.
    same = np.array_equal(converted.astype(array.dtype), array, equal_nan=array.dtype.kind in "fV")
    if not same and dtype.kind not in "fV":
        raise Diagnostic(
            f"an input holds values that {dtype} cannot hold",
            where=f'input "{name}"',
            found=f"values from {array.min()} to {array.max()}",
            remedy=f"compile with another --input-type {name}=...",
        )
    return converted


def load_arrays(path: Path) -> dict[str, Array]:
    """Read an .npz file of arrays. Raises Diagnostic where it is none."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # what the archive's and NumPy's readers raise for damaged files is no closed list
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Diagnostic(
            "the arrays cannot be read", source=str(path), expected="an .npz file of numbers", found=reason
        ) from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise Diagnostic("an array holds no numbers", source=str(path), found=f"{name}: {array.dtype}")
    return arrays


def by_name(
    arrays: Mapping[str, Array], names: Sequence[str], source: Path, *, optional: Sequence[str] = ()
) -> dict[str, Array]:
    """
    Return the arrays under these names: by name, or by their order where none is named so, as exporters write them.

    Raises Diagnostic where one is missing that is not optional.
    """
    if any(name in arrays for name in names) or len(arrays) < len(names):
        names = [name for name in names if name in arrays or name not in optional]
    missing = [name for name in names if name not in arrays]
    if not missing:
        return {name: arrays[name] for name in names}
    if len(missing) < len(names) or len(arrays) < len(names):
        raise Diagnostic(
            "not all inputs are given",
            source=str(source),
            expected=", ".join(names),
            found=", ".join(arrays) or "no arrays",
            remedy=f"add {', '.join(missing)}",
        )
    return dict(zip(names, arrays.values(), strict=False))
