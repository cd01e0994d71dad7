"""Route of a fused group's operands: levels and links between them, engines and their instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import gt

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...ir import Ints
from ..tiles.operands import OperandTiles
from ..timing.transfers import link_between
from .role_levels import RoleLevels, engine_beside
from .views import VIEWS

_HIDDEN = 16
"""Divisor of hidden cycles in the cost: a tie-breaker towards fewer transfers."""


def is_constant(value: SSAValue) -> bool:
    """Return whether a buffer, or the base of a view, is a global."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return isinstance(value.owner, memref.GetGlobalOp)


@dataclass(frozen=True)
class Route:
    """Route of a group's operands: the engine of each kernel, and the levels of its operands."""

    machine: Machine
    engines: Mapping[Operation, Engine]
    role_levels: tuple[RoleLevels, ...]
    copies: int = 1
    """Engine instances available for spatial mapping."""
    around: int = 1
    """Instances of the enclosing grid; each executes the estimated group."""

    @property
    def ahead(self) -> bool:
        """True if operands fetched once are prefetched during earlier kernels."""
        return not self.role_levels[-1].is_last

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Levels of tiles and scratch, from far to near."""
        named = {name for role_levels in self.role_levels for name in role_levels.levels.values()}
        far = {role_levels.far for role_levels in self.role_levels}
        return tuple(level for level in self.machine.levels if level.name in named - far)

    def link(self, tile: OperandTiles) -> Link:
        """Return the link of an operand's transfers."""
        ends = (tile.level, tile.operand_level) if tile.is_output else (tile.operand_level, tile.level)
        return link_between(self.machine, *ends, next(iter(self.engines)))

    def neighbours(self, level: str) -> Link | None:
        """Return the link between neighbouring instances of a level; None where it has none, or no instances."""
        return next((link for link in self.machine.links if link.neighbours and link.far == level), None)

    @property
    def chains(self) -> bool:
        """True if operands may come from neighbours: all near levels have instances, and links between them."""
        return self.copies > 1 and all(
            prod(level.count) > 1 and self.neighbours(level.name) is not None for level in self.levels
        )

    def are_neighbours(self, extents: Sequence[int]) -> bool:
        """Return whether programs over these coordinates run on instances of the levels at the same coordinates."""
        counts = [level.count for level in self.levels]
        return not any(len(extents) == len(count) and any(map(gt, extents, count)) for count in counts)

    def sharing(self, level: Level, copies: int) -> int:
        """Return the number of engine instances that share one instance of a level."""
        return 1 if prod(level.count) > 1 else copies * self.around

    def waited(self, value: SSAValue, cycles: Ints) -> Ints:
        """Return the exposed cycles of an operand fetched once; a prefetched one counts a small fraction."""
        return cycles // _HIDDEN if self.ahead and is_constant(value) else cycles

    def engine_beside(self, op: Operation, leader: Operation) -> Engine | None:
        """Return the engine for the initialisation or the epilogue of a kernel's partial sums; None if none is able."""
        number = list(self.engines).index(leader)
        return engine_beside(op, self.engines[leader], self.role_levels[number], self.machine)
