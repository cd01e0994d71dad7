"""Placement of weights in preloaded memories, which engines read in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, OpResult, Use
from xdsl.rewriter import Rewriter

from ..dialects.core.analysis.constants import has_constant_elements
from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.engine import Engine
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .core.base import Pass
from .map_engines import engine_of
from .memory.views import bytes_of


@dataclass
class WeightConstant:
    """Constant with the kernels that use it as weights, their engines, modelled cycles, and the benefit in cycles."""

    definition: memref.GlobalOp
    bytes: int
    uses: list[tuple[KernelOp, memref.GetGlobalOp]]
    engines: list[Engine]
    cycles: list[int]
    benefit: float

    @property
    def density(self) -> float:
        """Benefit in cycles per byte."""
        return self.benefit / max(self.bytes, 1)

    def is_readable_in(self, level: str) -> bool:
        """Return whether the engines of all users read weights from a level."""
        return all(level in engine.levels_of("weights") for engine in self.engines)


def place_weights(module: ModuleOp, machine: Machine) -> None:
    """
    Place weights in the machine's preloaded memories, greedily by saved cycles per byte.

    A constant is placed only if all its users can read it there, no slower than fetching it.
    """
    pending = weights_of(module, machine)
    for level in [level for level in machine.levels if level.preloaded]:
        free = level.size
        able = [weights for weights in pending if weights.is_readable_in(level.name)]
        for weights in sorted(able, key=lambda weights: -weights.density):
            size = level.aligned(weights.bytes)
            if size > free:
                continue
            before = weights.definition.type.memory_space
            _place(weights, StringAttr(level.name))
            if sum(_cycles(weights.uses, weights.engines, machine)) - sum(weights.cycles) >= weights.benefit:
                _place(weights, before)
                continue
            free -= size
            pending.remove(weights)


def weights_of(module: ModuleOp, machine: Machine) -> list[WeightConstant]:
    """Return the constants used only as weights of kernels, in order of first use."""
    globals_ = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, memref.GlobalOp)}
    uses: dict[str, list[tuple[KernelOp, memref.GetGlobalOp]]] = {}
    others: set[str] = set()
    for function in functions(module):
        for op in nested_ops(function):
            if isinstance(op, memref.GetGlobalOp):
                name = op.name_.string_value()
                weights = [use.operation for use in op.memref.uses if _is_weight(use)]
                uses.setdefault(name, []).extend((cast(KernelOp, user), op) for user in weights)
                others |= {name} if len(weights) < op.memref.uses.get_length() else set()
    return [
        _weights(globals_[name], accesses, machine)
        for name, accesses in uses.items()
        if accesses and name not in others and name in globals_ and has_constant_elements(globals_[name])
    ]


def _weights(
    definition: memref.GlobalOp, uses: list[tuple[KernelOp, memref.GetGlobalOp]], machine: Machine
) -> WeightConstant:
    size, engines = bytes_of(definition.type), [engine_of(op, machine) for op, _ in uses]
    cycles = _cycles(uses, engines, machine)
    return WeightConstant(definition, size, uses, engines, cycles, _benefit(size, engines, cycles, machine))


def _is_weight(use: Use) -> bool:
    user = use.operation
    return isinstance(user, KernelOp) and len(user.inputs) > 1 and use.index == 1


def _cycles(uses: list[tuple[KernelOp, memref.GetGlobalOp]], engines: list[Engine], machine: Machine) -> list[int]:
    """Return the modelled cycles of kernels with their weights in their current level."""
    return [machine.cost(engine, op) or 0 for (op, _), engine in zip(uses, engines, strict=True)]


def _benefit(size: int, engines: list[Engine], cycles: list[int], machine: Machine) -> float:
    """Return the exposed cycles of fetching weights, plus a small fraction of the hidden ones."""
    fetches = [machine.fetch_cycles(engine, size) for engine in engines]
    return sum(max(fetch - computing, fetch / 16) for fetch, computing in zip(fetches, cycles, strict=True))


def _place(weights: WeightConstant, space: Attribute) -> None:
    type = cast("MemRefType[Any]", weights.definition.type)
    placed = MemRefType(type.element_type, type.get_shape(), type.layout, space)
    weights.definition.properties["type"] = placed
    for get in dict.fromkeys(get for _, get in weights.uses):
        cast(OpResult, Rewriter.replace_value_with_new_type(get.memref, placed))


@dataclass(frozen=True)
class PlaceWeightsPass(Pass):
    """
    Place weights in memories that are filled before the program runs (`preloaded` in the machine).

    Kernels whose engines name such a memory for the role `weights` then read them in place. If capacity is short,
    weights with the most exposed fetch cycles per byte are placed first. Weights whose in-place reads are slower than
    fetching are not placed. Run it after map-engines.
    """

    name = "place-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        place_weights(op, machine_of(op))
