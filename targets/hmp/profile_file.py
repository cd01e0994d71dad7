"""Files of measured times of layers: published ones of this folder, and those that a run wrote."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeGuard, cast

from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from ...files import read_regular
from .model import LayeredNetwork, NetworkLayer

PUBLISHED = Path(__file__).parent / "profiles"
_SHOWN = 120
"""Characters of what a message quotes of a profile."""


def published_of(network: LayeredNetwork, machine: Machine) -> LayeredNetwork:
    """Return a network with the published times of its layers on a machine, where there are some."""
    for file in sorted(PUBLISHED.glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        if content["machine"] == machine.name and content["macs"] == [layer.macs for layer in network.layers]:
            return with_times(network, machine, content, str(file))
    return network


def measured(network: LayeredNetwork, machine: Machine, file: Path) -> LayeredNetwork:
    """
    Return a network with the times of a file, JSON that `coop profile` wrote or TOML.

    Raises Diagnostic for a file of another network or machine, and for one that is none.
    """
    try:
        text = read_regular(file).decode()
        content: Any = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise _no_profile(file, getattr(error, "strerror", None) or str(error)) from error
    if not isinstance(content, dict):
        raise _no_profile(file, f"a {type(content).__name__}")
    return with_times(network, machine, cast("dict[str, Any]", content), str(file))


def _no_profile(file: Path, fault: str) -> Diagnostic:
    return Diagnostic(
        "not a profile",
        str(file),
        expected="a table with macs and times_ms, JSON or TOML",
        found=fault,
        remedy="tilewright coop profile writes one",
    )


def with_times(network: LayeredNetwork, machine: Machine, content: Mapping[str, Any], file: str) -> LayeredNetwork:
    """
    Return a network with the times of a profile, those of its cost functions where the profile has none.

    Raises Diagnostic for a profile of another network or machine, and for times that are no positive numbers.
    """
    own = [layer.macs for layer in network.layers]
    if content.get("macs") != own:
        raise Diagnostic(
            "the profile is of another network",
            file,
            expected=_layers_of(own),
            found=_layers_of(content.get("macs")),
            remedy="profile this network: coop profile",
        )
    if content.get("machine", machine.name) != machine.name:
        raise Diagnostic(
            "the profile is of another machine",
            file,
            expected=machine.name,
            found=str(content["machine"]),
            remedy="profile this machine: coop profile --target, or choose that one with --target",
        )
    columns = _columns_of(content.get("times_ms"), machine, len(own), file)
    layers: list[NetworkLayer] = []
    for number, layer in enumerate(network.layers):
        measured = {name: column[number] * 1e6 for name, column in columns.items()}
        layers.append(replace(layer, times=dict(layer.times) | measured))
    switch = content.get("switch_ms")
    if switch is not None and not (_is_number(switch) and switch >= 0):
        raise Diagnostic(
            "the time of a hand-over is no time",
            file,
            expected="switch_ms, milliseconds from 0",
            found=repr(switch),
            remedy="leave switch_ms out for the modelled time",
        )
    return replace(
        network,
        layers=tuple(layers),
        source=str(content.get("source", file)),
        switch=None if switch is None else float(switch) * 1e6,
    )


def _layers_of(macs: object) -> str:
    """Return the layers of a profile in words, by the multiply-accumulates of the first ones."""
    if not isinstance(macs, list):
        return "no list macs"
    counts = cast("list[object]", macs)
    return f"{len(counts)} layers of {', '.join(map(str, counts[:3]))}, .. multiply-accumulates"


def _columns_of(times: object, machine: Machine, layers: int, file: str) -> Mapping[str, list[float]]:
    """Return the milliseconds of layers by processor. Raises Diagnostic where they do not fit."""
    columns = cast("Mapping[str, object]", times if isinstance(times, Mapping) else {})
    names = [engine.name for engine in machine.engines]
    wrong = [name for name, column in columns.items() if name not in names or not _are_times(column, layers)]
    if wrong or not columns:
        raise Diagnostic(
            "the profile does not fit the machine",
            file,
            expected=f"tables times_ms of {', '.join(names)}, each with {layers} positive times",
            found=", ".join(f"{name} = {columns[name]}" for name in wrong)[:_SHOWN] or "no times_ms",
            remedy="tilewright coop profile writes one",
        )
    return cast("Mapping[str, list[float]]", columns)


def _are_times(column: object, layers: int) -> bool:
    """Return whether a column of a profile has a positive number for each layer."""
    if not isinstance(column, list):
        return False
    numbers = cast("list[object]", column)
    return len(numbers) == layers and all(_is_number(number) and number > 0 for number in numbers)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
