"""Running a compiled network, wherever it runs."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ..errors import Diagnostic, did_you_mean
from ..ir import Array
from ..passes.core.grammar import UsageError

if TYPE_CHECKING:
    from ..compiler import Compilation

Run = Callable[[Mapping[str, Array]], dict[str, Array]]
"""Named inputs to named outputs."""


def interpreted(compilation: Compilation) -> Run:
    """Return the network as the interpreter runs it, at the level to which it was compiled."""
    from .interpreter import run_module

    return lambda inputs: run_module(compilation.module, inputs)


def native(compilation: Compilation) -> Run:
    """Return the network as C, compiled for this machine."""
    from .host import HostNetwork

    return host_run(HostNetwork(compilation.program()))


def sanitized(compilation: Compilation) -> Run:
    """Return the network as C under ASan and UBSan, run twice in one process."""
    from .host import HostNetwork

    return host_run(HostNetwork(compilation.program(), sanitize=True))


def host_run(network: object) -> Run:
    """Return a run of a network of `runtime.host` that takes values of any type that fit."""
    from .host import HostNetwork

    assert isinstance(network, HostNetwork)

    def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
        given = [fitted(port.name, inputs[port.name], port.dtype, port.shape) for port in network.inputs]
        return {port.name: array for port, array in zip(network.outputs, network.run(given), strict=True)}

    return run


def fitted(name: str, array: Array, dtype: np.dtype[np.generic], shape: Sequence[int]) -> Array:
    """Return an input in the type that the network takes. Raises Diagnostic where a value would change."""
    if tuple(array.shape) != tuple(shape):
        raise Diagnostic(
            "an input has the wrong shape", where=f'input "{name}"', expected=str(tuple(shape)), found=str(array.shape)
        )
    with np.errstate(invalid="ignore"):
        converted = np.ascontiguousarray(array.astype(dtype))
    same = np.array_equal(converted.astype(array.dtype), array, equal_nan=array.dtype.kind == "f")
    if not same and dtype.kind != "f":
        raise Diagnostic(
            f"an input holds values that {dtype} cannot hold",
            where=f'input "{name}"',
            found=f"values from {array.min()} to {array.max()}",
            remedy=f"compile with another --input-type {name}=...",
        )
    return converted


ON: dict[str, Callable[[Compilation], Run]] = {"interpreter": interpreted, "host": native, "sanitizers": sanitized}
"""Where a network can run."""


def check_place(on: str) -> None:
    """Raise UsageError where networks cannot run."""
    if on not in ON:
        raise UsageError(
            f"nothing runs on '{on}'",
            expected=f"one of {', '.join(ON)}",
            remedy=did_you_mean(on, ON) or "--help shows the options",
        )


def runner(compilation: Compilation, on: str) -> Run:
    """Return the network, ready to run there. Raises UsageError for an unknown place."""
    check_place(on)
    return ON[on](compilation)


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the names of what the network takes, in order. Raises Diagnostic where the module holds no network."""
    from .interpreter.boundary import ports

    network = next((op for op in module.body.block.ops if _symbol(op) in ("network", "network_run")), None)
    if network is None:
        raise Diagnostic("the module holds no network", expected="a function named 'network'")
    arguments, _ = ports(network)
    return tuple(port.name for port in arguments if not port.is_output)


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def load_arrays(path: Path) -> dict[str, Array]:
    """Read an .npz file of arrays. Raises Diagnostic where it is none."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, BadZipFile, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Diagnostic(
            "the arrays cannot be read", source=str(path), expected="an .npz file of numbers", found=reason
        ) from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise Diagnostic("an array holds no numbers", source=str(path), found=f"{name}: {array.dtype}")
    return arrays


def by_name(arrays: Mapping[str, Array], names: Sequence[str], source: Path) -> dict[str, Array]:
    """
    Return the arrays under these names: by name, or by their order where none is named so, as exporters write them.

    Raises Diagnostic where one is missing.
    """
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
