"""Memory levels in which the NPU of a machine accesses its operands."""

from __future__ import annotations

from dataclasses import dataclass

from ....dialects.core.machine.level import Level
from ....dialects.core.machine.model import Machine
from ....errors import Diagnostic


@dataclass(frozen=True)
class NpuMemories:
    """
    Near level of all operands, and preloaded levels for weights.

    `prefetching` are the ops whose jobs load inputs ahead, where their weights are in a preloaded level.
    """

    near: Level
    weights: tuple[Level, ...]
    prefetching: frozenset[str] = frozenset()


def memories_of(machine: Machine) -> NpuMemories:
    """Return the memories of the engine that runs NPU kernels. Raises Diagnostic if there is none."""
    for engine in machine.engines:
        if any(support.op.startswith("npu.") for support in engine.runs):
            weights = [machine.level(name) for name in engine.levels_of("weights")]
            ops = frozenset(support.op for support in engine.runs if dict(support.parameters).get("prefetch"))
            return NpuMemories(machine.near_level_of(engine), tuple(level for level in weights if level.preloaded), ops)
    raise Diagnostic(
        f"no engine of '{machine.name}' runs kernels of the NPU",
        expected='an engine with "npu.conv" and "npu.matmul" among its runs',
        remedy="attach a machine with an NPU, such as siracusa",
    )
