"""Memory levels at which the NPU of a machine reaches its operands."""

from __future__ import annotations

from dataclasses import dataclass

from ....dialects.core.machine.model import Level, Machine
from ....errors import Diagnostic


@dataclass(frozen=True)
class Memories:
    """The near level of all operands, and the preloaded levels that weights may stay in."""

    near: Level
    weights: tuple[Level, ...]


def memories_of(machine: Machine) -> Memories:
    """Return the memories of the engine that runs kernels of the NPU. Raises Diagnostic where there is none."""
    for engine in machine.engines:
        if any(support.op.startswith("npu.") for support in engine.runs):
            weights = [machine.level(name) for name in engine.levels_of("weights")]
            return Memories(machine.near_level_of(engine), tuple(level for level in weights if level.preloaded))
    raise Diagnostic(
        f"no engine of '{machine.name}' runs kernels of the NPU",
        expected='an engine with "npu.conv" and "npu.matmul" among its runs',
        remedy="attach a machine with an NPU, such as siracusa",
    )
