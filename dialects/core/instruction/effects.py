"""Effects of instructions: the region of each buffer that they access, and the queue that executes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffectKind, OpTrait, Pure

from ..effect_traits import AwaitsQueues, DeclaredEffects, Effect, OnQueue, OperandEffects, State, StateEffects
from .signature import Buffer, Kind, Parameter

if TYPE_CHECKING:
    from .op import InstructionOp

_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@dataclass(frozen=True)
class RegionEffects(DeclaredEffects):
    """Accesses to the regions that an instruction's record declares; to all of a buffer that has none there."""

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return dict.fromkeys(cast(EffectInstance, each) for each in _accesses(cast("InstructionOp", op))).keys()


@dataclass(frozen=True)
class QueuedEffects(OnQueue):
    """Accesses of an instruction on a queue, to the regions, states and registers that its record declares."""

    queue: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        instruction, name = cast("InstructionOp", op), StringAttr(self.queue)
        record = instruction.INSTRUCTION
        found = [Effect(each.kind, each.value, region=each.region, queue=name) for each in _accesses(instruction)]
        for state in record.states:
            resource = State(state_name(state.element))
            found += [Effect(kind, resource=resource, queue=name) for kind in (_READ, _WRITE)]
        for register, kinds in ((record.fills, (_WRITE,)), (record.takes, (_READ, MemoryEffectKind.FREE))):
            resource = State(f"{self.queue}.{register}")
            found += [Effect(kind, resource=resource, queue=name) for kind in kinds if register]
        return dict.fromkeys(cast(EffectInstance, each) for each in found).keys()

    def cycles_of(self, op: Operation, operands: Sequence[Any]) -> int:
        return cast("InstructionOp", op).INSTRUCTION.cycles_of(cast("InstructionOp", op), operands)


def _accesses(op: InstructionOp) -> Iterable[Effect]:
    for name, kind in op.INSTRUCTION.buffers.items():
        value, region = cast(SSAValue, getattr(op, name)), op.region_of(name)
        for effect, does in ((_READ, kind.reads), (_WRITE, kind.writes)):
            if does:
                yield Effect(effect, value, region=region)


def effects_of_signature(
    parameters: Sequence[Parameter],
    result: Parameter | None,
    queue: str = "",
    awaits: Sequence[str] | None = None,
    *,
    has_regions: bool = False,
) -> list[OpTrait]:
    """Return the traits of effects that follow from a record; none where it does nothing that is known."""
    if queue:
        return [QueuedEffects(queue)]
    buffers = [(each.name, each.kind) for each in parameters if isinstance(each.kind, Buffer)]
    reads = tuple(name for name, kind in buffers if kind.reads)
    writes = tuple(name for name, kind in buffers if kind.writes)
    accesses = [RegionEffects() if has_regions else OperandEffects(reads, writes)] if reads or writes else []
    states = [StateEffects(state_name(each.element)) for each in parameters if each.kind is Kind.STATE]
    fences = [AwaitsQueues(tuple(awaits))] if awaits is not None else []
    return [*accesses, *states, *fences] or ([Pure()] if result is not None else [])


def state_name(state: type[Any]) -> str:
    """Return the name of a state's resource."""
    return f"{state.__module__}.{state.__qualname__}"
