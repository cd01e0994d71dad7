"""Parameters of the mesh that a machine describes."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from typing import cast

from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.level import Level
from ....dialects.core.machine.model import Machine
from ....errors import Diagnostic
from .records import MeshProfile


def mesh_of(machine: Machine, profile: MeshProfile) -> MeshProfile:
    """
    Return a profile with the nodes, memory, links, energies, clock and multipliers of a machine.

    Raises Diagnostic where no level of the machine is a mesh, or its array of multipliers is not square.
    """
    level = next((level for level in machine.levels if len(level.count) == 2), None)
    link = next((link for link in machine.links if link.neighbours and level and link.far == level.name), None)
    engine = next((engine for engine in machine.engines if level and level.name in engine.levels_of()), None)
    if level is None or link is None or engine is None:
        raise Diagnostic(
            f"the machine '{machine.name}' has no mesh of nodes",
            expected="a level with count = [rows, columns], a link between neighbours of it and an engine in it",
            found=", ".join(map(_shown, machine.levels)),
        )
    return replace(
        profile,
        array=cast("tuple[int, int]", level.count),
        node_bytes=level.size,
        link_bytes=link.width,
        link_energy=link.energy,
        memory_energy=level.energy,
        mhz=round(machine.clock.nominal) or profile.mhz,
        lanes=_lanes(engine),
    )


def _shown(level: Level) -> str:
    return f"{level.name} {list(level.count)}" if level.count else level.name


def _lanes(engine: Engine) -> int:
    """Return the channels of inputs, and of outputs, that an engine multiplies in a cycle."""
    product = next((support for support in engine.runs if support.op == "nn.matmul"), None)
    macs = dict(product.parameters).get("macs_per_cycle") if product is not None else None
    lanes = isqrt(int(macs)) if isinstance(macs, int | float) else 0
    if not lanes or lanes * lanes != macs:
        expected = "nn.matmul with N x N multiply-accumulates a cycle"
        raise Diagnostic(f"the multipliers of engine '{engine.name}' are no square array", "", expected, str(macs))
    return lanes
