"""Files of measured times of layers: published ones of this folder, and those that a run wrote."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from ...files import read_text
from .model import Network

PUBLISHED = Path(__file__).parent / "profiles"


def published_of(network: Network, machine: Machine) -> Network:
    """Return a network with the published times of its layers on a machine, where there are some."""
    for file in sorted(PUBLISHED.glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        if content["machine"] == machine.name and content["macs"] == [layer.macs for layer in network.layers]:
            return with_times(network, machine, content, str(file))
    return network


def measured(network: Network, machine: Machine, file: Path) -> Network:
    """
    Return a network with the times of a file, JSON that `coop profile` wrote or TOML.

    Raises Diagnostic for a file of another network or machine, and for one that is none.
    """
    text = read_text(str(file))
    try:
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except ValueError as error:
        raise Diagnostic(f"not a profile: {error}", str(file), remedy="tilewright coop profile writes one") from error
    return with_times(network, machine, content, str(file))


def with_times(network: Network, machine: Machine, content: Mapping[str, Any], file: str) -> Network:
    """Return a network with the times of a profile, those of its cost functions where the profile has none."""
    times = content.get("times_ms")
    macs = cast("list[int] | None", content.get("macs"))
    own = [layer.macs for layer in network.layers]
    if macs != own:
        raise Diagnostic(
            "the profile is of another network",
            file,
            expected=f"{len(own)} layers of {', '.join(map(str, own[:3]))}, .. multiply-accumulates",
            found=f"{len(macs)} layers" if isinstance(macs, list) else "no list macs",
            remedy="profile this network: coop profile",
        )
    named = cast("Mapping[str, list[float]]", times if isinstance(times, Mapping) else {})
    known = [engine.name for engine in machine.engines]
    wrong = [name for name, column in named.items() if name not in known or len(column) != len(own)]
    if wrong or not named:
        raise Diagnostic(
            "the profile does not fit the machine",
            file,
            expected=f"tables times_ms of {', '.join(known)}, each with {len(own)} times",
            found=", ".join(wrong) or "no times_ms",
        )
    layers = tuple(
        replace(layer, times=dict(layer.times) | {name: column[number] * 1e6 for name, column in named.items()})
        for number, layer in enumerate(network.layers)
    )
    switch = content.get("switch_ms")
    return replace(
        network,
        layers=layers,
        source=str(content.get("source", file)),
        switch=None if switch is None else float(switch) * 1e6,
    )
