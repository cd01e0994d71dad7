"""ARM-CO-UP's tables, and networks with the times that they have."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from tilewright.dialects.core.machine.file import find_machine
from tilewright.targets.hmp.mapping import stages_of
from tilewright.targets.hmp.model import LayeredNetwork, LayerValue, NetworkLayer
from tilewright.targets.hmp.profile_file import PUBLISHED, with_times

TABLES: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "arm_co_up.toml").read_text())
MACHINE = find_machine("hmp/rk3399pro")


def chain(
    name: str, layers: Sequence[Mapping[str, float]], sizes: Sequence[int], switch: float | None
) -> LayeredNetwork:
    """Return a chain of layers with times in nanoseconds, and values of `sizes` bytes between them."""
    made = tuple(NetworkLayer(number, f"l{number}", f"l{number}", 1, times) for number, times in enumerate(layers))
    values = tuple(LayerValue(f"v{number}", size, number, (number + 1,)) for number, size in enumerate(sizes))
    return LayeredNetwork(name, made, values, switch=switch)


def googlenet(switch_ms: float) -> LayeredNetwork:
    """Return GoogLeNet with the layer times of table 7 (targets/hmp/profiles), and a time for each hand-over."""
    content = tomllib.loads((PUBLISHED / "rk3399pro-googlenet.toml").read_text())
    names = [engine.name for engine in MACHINE.engines]
    layers = tuple(
        NetworkLayer(n, f"l{n}", f"l{n}", macs, dict.fromkeys(names, 1e9)) for n, macs in enumerate(content["macs"])
    )
    values = tuple(LayerValue(f"v{n}", 1000, n - 1, (n,)) for n in range(len(layers) + 1))
    return with_times(LayeredNetwork("googlenet", layers, values), MACHINE, content | {"switch_ms": switch_ms}, "test")


def switched(row: Mapping[str, Any], order: Sequence[str], switch_ms: float | None) -> LayeredNetwork:
    """
    Return a network of a row of table 8: what is no switch takes equal times of all layers.

    `switch_ms` is the time of a hand-over; None for that of the model, by the bytes of the activation at the switch.
    """
    milliseconds = (row["ms"] - row["switch_ms"]) / len(order)
    layers = [{engine.name: milliseconds * 1e6 for engine in MACHINE.engines}] * len(order)
    sizes = [0] * (len(order) - 1)
    for stage in stages_of(order)[1:]:
        sizes[stage.first - 1] = 4 * prod(row["shape"])
    return chain(row["network"], layers, sizes, None if switch_ms is None else switch_ms * 1e6)
