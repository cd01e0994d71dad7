"""Inputs of a network, and the arrays of a file that are given for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.lib.npyio import NpzFile
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ..dialects.core.ports import symbol_in
from ..errors import Diagnostic, did_you_mean
from ..files import memory_bytes, open_regular
from ..ir import Array

if TYPE_CHECKING:
    from .host import HostNetwork

Described: TypeAlias = tuple[str, np.dtype[Any], tuple[int, ...]]
"""Name, NumPy type and shape of a tensor."""


_PLACE = re.compile(r"(?:arr|arg|input)?_?(\d+)")


@dataclass(frozen=True)
class Input:
    """
    Input of a network.

    Of the position in a state, `added` are the rows that each call adds, `rows` those of the state; else both are 0.
    `limits` are the least and the greatest number that are allowed, empty where that is not declared.
    """

    name: str
    shape: tuple[int, ...]
    added: int = 0
    rows: int = 0
    limits: tuple[int, ...] = ()


def network_inputs(module: ModuleOp, function: str = "network") -> list[Input]:
    """Return the inputs of a function of a module, in order. Raises Diagnostic for an unknown function."""
    from .interpreter.boundary import ports

    arguments, _ = ports(_network(module, function))
    return [
        Input(port.name, port.shape, *(port.state or (0, 0)), limits=port.limits)
        for port in arguments
        if not port.is_output
    ]


def network_tensors(module: ModuleOp, function: str = "network") -> tuple[list[Described], list[Described]]:
    """Return name, NumPy type and shape of what a function of a module takes and of what it returns, in order."""
    from .interpreter.boundary import check_static, ports

    network = _network(module, function)
    arguments, results = ports(network)
    check_static(results, network)
    inputs: list[Described] = []
    outputs: list[Described] = []
    for port in arguments:
        (outputs if port.is_output else inputs).append((port.name, port.declared, port.shape))
    outputs += [(port.name, port.declared, port.shape) for port in results]
    return inputs, outputs


def host_inputs(network: HostNetwork, function: str = "network") -> list[Input]:
    """Return the inputs of a function of a compiled network, in order. Raises Diagnostic for an unknown function."""
    ports = network.entries[network.number_of(function)].inputs
    return [Input(port.name, port.shape, port.added, port.rows, port.limits) for port in ports]


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the names of what the network takes, in order. Raises Diagnostic where the module holds no network."""
    return tuple(port.name for port in network_inputs(module))


def ssa_names(module: ModuleOp, function: str = "network") -> dict[str, str]:
    """Return the names of a function's inputs by those of their values in the IR: of `%x` by `x`."""
    from .interpreter.boundary import ports

    network = _network(module, function)
    arguments, _ = ports(network)
    values = [value for region in network.regions if region.blocks for value in region.blocks[0].args]
    hints = [value.name_hint or "" for value in values]
    return {
        hint: port.name
        for hint, port in zip(hints, arguments, strict=False)
        if hint and hints.count(hint) == 1 and not port.is_output
    }


def _network(module: ModuleOp, function: str = "network") -> Operation:
    name = symbol_in(module, function)
    network = next((op for op in module.body.block.ops if _symbol(op) == name), None)
    if network is None:
        raise Diagnostic("the module holds no network", expected=f"a function named '{function}'")
    return network


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def load_arrays(path: Path) -> dict[str, Array]:
    """
    Return the arrays of an .npz file by name, in order, each in C order and in this machine's order of bytes.

    Raises Diagnostic where it is none, holds more than this machine's memory, or a member is no array of numbers.
    """
    try:
        with open_regular(path, None) as stream:
            arrays = _arrays(stream)
    except Exception as error:  # what the archive's and NumPy's readers raise for damaged files is no closed list
        raise Diagnostic(
            "the arrays cannot be read",
            source=str(path),
            expected="an .npz file of numbers",
            found=_reason(error),
            remedy="write it with numpy.savez, each array by the name of its input",
        ) from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise Diagnostic(
                "an array holds no numbers",
                source=str(path),
                expected="integers, floats or booleans",
                found=f"{name}: {array.dtype}",
                remedy="convert the array",
            )
    return {name: np.asarray(array, array.dtype.newbyteorder("="), order="C") for name, array in arrays.items()}


class _Unreadable(ValueError):
    """Statement of what is found in place of an archive of arrays."""


def _reason(error: Exception) -> str:
    """Return the fault of an archive that cannot be read, without the words of its readers."""
    if isinstance(error, _Unreadable):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, MemoryError):
        return "more than the memory that is left"
    return "an array of Python's objects" if "allow_pickle" in str(error) else "a damaged archive, or part of one"


_SIGNATURE, _EMPTY, _OF_ONE = b"PK\x03\x04", b"PK\x05\x06", b"\x93NUM"
"""First bytes of an archive, of one without members, and of what numpy.save writes."""


def _arrays(stream: IO[bytes]) -> dict[str, Array]:
    """Return the members of an archive. Raises _Unreadable for what is none, and what NumPy and zipfile raise."""
    signature = stream.read(len(_SIGNATURE))
    stream.seek(0)
    if signature and signature not in (_SIGNATURE, _EMPTY, _OF_ONE):
        raise _Unreadable("a file of another kind: it does not begin as a ZIP archive does")
    archive: Any = np.load(stream, allow_pickle=False)
    if not isinstance(archive, NpzFile):
        raise _Unreadable("a single array, as numpy.save writes it")
    names: list[str] = archive.files
    if repeated := [name for name in names if names.count(name) > 1]:
        raise _Unreadable(f"two arrays are named '{repeated[0]}'")
    size = sum(member.file_size for member in cast(Any, archive).zip.infolist())
    if size > memory_bytes():
        raise _Unreadable(f"{size:,} bytes of arrays, more than the memory of this machine")
    # What is no array, NumPy gives as the member's bytes.
    members: dict[str, Array | bytes] = {name: cast(Any, archive)[name] for name in names}
    if others := [name for name, member in members.items() if isinstance(member, bytes)]:
        raise _Unreadable(f"the member '{others[0]}' is no array")
    return cast("dict[str, Array]", members)


def matched(
    arrays: Mapping[str, Array],
    names: Sequence[str],
    source: Path,
    *,
    optional: Sequence[str] = (),
    aliases: Mapping[str, str] = {},
) -> dict[str, Array]:
    """
    Return arrays under the names of a network's inputs, each array and each input used once.

    An array is named as its input or as an alias of it; or all of them say their place in the order of the inputs:
    `arr_0`, `arr_1`, as NumPy names them. Those that are `optional` may be missing. Raises Diagnostic for any other
    array, and where one is missing.
    """
    required = [name for name in names if name not in optional]
    for wanted in (names, required):
        if is_ordered(arrays) and len(arrays) == len(wanted) and not set(arrays) & set(names):
            return dict(zip(wanted, arrays.values(), strict=True))
    by_name = {name if name in names else aliases.get(name, name): array for name, array in arrays.items()}
    missing = [name for name in required if name not in by_name]
    unknown = [name for name in by_name if name not in names]
    if not missing and not unknown and len(by_name) == len(arrays):
        return {name: by_name[name] for name in names if name in by_name}
    if missing and not unknown:
        message, remedy = "not all inputs are given", f"add {', '.join(missing)}"
    elif unknown:
        message = f"the network has no input '{unknown[0]}'"
        other = f"name the array as its input: {', '.join(missing)}" if missing else "leave it out"
        remedy = did_you_mean(unknown[0], missing or names) or other
    else:
        message, remedy = "two arrays are for one input", "leave one out"
    raise Diagnostic(
        message,
        source=str(source),
        expected=f"{', '.join(names)}; or arr_0, arr_1, ... in this order" if names else "no arrays",
        found=", ".join(arrays) or "no arrays",
        remedy=remedy,
    )


def matched_inputs(
    module: ModuleOp, arrays: Mapping[str, Array], source: Path, function: str = "network"
) -> dict[str, Array]:
    """
    Return the arrays of a file under the names of a function's inputs, which SSA names stand for too.

    The position in a state may be missing, since `run_calls` counts it; it is 0 then. Raises Diagnostic as `matched`.
    """
    inputs = network_inputs(module, function)
    counted = [port.name for port in inputs if port.added]
    names = [port.name for port in inputs]
    matching = matched(arrays, names, source, optional=counted, aliases=ssa_names(module, function))
    return {port.name: np.zeros(port.shape, np.int64) for port in inputs if port.added} | matching


def is_ordered(arrays: Mapping[str, Array]) -> bool:
    """Return whether the names of arrays say their places: arr_0, arr_1, ..; input_0, ..; arg0, ..; _0, .."""
    matches = [_PLACE.fullmatch(name) for name in arrays]
    return all(match is not None and int(match[1]) == place for place, match in enumerate(matches))
