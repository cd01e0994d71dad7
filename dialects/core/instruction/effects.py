"""Effects of instructions: the region of each buffer that they access, and the queue that executes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffectKind, OpTrait, Pure

from ....errors import Diagnostic
from ....ir import element_of, numpy_type, shape_of
from ..effect_traits import DeclaredEffects, Effect, OperandEffects, State, StateEffects
from ..queue_effects import AwaitsQueues, OnQueue, QueueAccess
from .configured import Configured
from .record import Axes
from .region import blank, check_semantics
from .signature import Buffer, Kind, Parameter, maker_of

if TYPE_CHECKING:
    from ..machine.model import Machine
    from .op import InstructionOp

_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@dataclass(frozen=True)
class RegionEffects(DeclaredEffects):
    """Accesses to the regions that an instruction's record declares; to all of a buffer that has none there."""

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return dict.fromkeys(cast(EffectInstance, access) for access in _accesses(cast("InstructionOp", op))).keys()


@dataclass(frozen=True)
class QueuedEffects(OnQueue):
    """Accesses of an instruction on a queue, to the regions, states and registers that its record declares."""

    queue: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        instruction, name = cast("InstructionOp", op), StringAttr(self.queue)
        record = instruction.INSTRUCTION
        effects = [
            Effect(access.kind, access.value, region=access.region, queue=name) for access in _accesses(instruction)
        ]
        for state in record.states:
            resource = State(state_name(state.element))
            effects += [Effect(kind, resource=resource, queue=name) for kind in (_READ, _WRITE)]
        for register, kinds in ((record.fills, (_WRITE,)), (record.takes, (_READ, MemoryEffectKind.FREE))):
            resource = State(f"{self.queue}.{register}")
            effects += [Effect(kind, resource=resource, queue=name) for kind in kinds if register]
        return dict.fromkeys(cast(EffectInstance, effect) for effect in effects).keys()

    def cycles_of(self, op: Operation, operands: Sequence[Any], machine: Machine) -> int:
        return cast("InstructionOp", op).cycles_of(operands, machine)

    def issue(self, op: Operation, operands: Sequence[Any], configured: dict[Any, Any]) -> Sequence[QueueAccess]:
        instruction = cast("InstructionOp", op)
        record = instruction.INSTRUCTION
        present = configured.setdefault(Configured, Configured())
        if record.configures:
            numbers = _known(instruction, instruction.numbers_at(operands))
            flat = {name: blank() for name in record.buffers}

            def run(changed: Mapping[str, Any]) -> None:
                record.run(flat, numbers, changed)

            present.configure(record, run)
            return ()
        sizes = tuple(operands[instruction.operands.index(value)] for value in instruction.sizes)
        key = op, present.key(record), sizes
        if key not in configured:
            configured[key] = list(_planned(instruction, instruction.numbers_at(operands), present.of(record)))
        return [
            QueueAccess(is_write, at, tuple(operands[i] for i in indices) or (0,) * rank, *axes, beside)
            for is_write, at, indices, rank, axes, beside in cast("list[_Plan]", configured[key])
        ]


class _Plan(NamedTuple):
    """Access of an instruction: whether it writes, its operands, its region, and whether it is beside others."""

    is_write: bool
    operand: int
    indices: tuple[int, ...]
    rank: int
    axes: Axes
    beside: bool


def _known(op: InstructionOp, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of parameters. Raises Diagnostic where one depends on data."""
    constants = {name: number for name, number in numbers.items() if name in op.INSTRUCTION.numbers}
    for name, number in constants.items():
        if isinstance(number, SSAValue):
            message = f"the configuration that '{op.name}' sets depends on data"
            raise Diagnostic(message, expected="numbers that are known as it is issued", found=f"'{name}'")
    return constants


def _planned(op: InstructionOp, numbers: dict[str, Any], configurations: Mapping[str, Any]) -> Iterator[_Plan]:
    """Yield the accesses of an instruction. Raises Diagnostic where its semantics accesses anything else."""
    record, values = op.INSTRUCTION, {**numbers, **configurations}
    axes = {name: record.axes_of(name, len(shape_of(getattr(op, name))), values) for name in record.regions}
    opaque = [state for state in record.states if state not in record.configurations]
    is_known = all(type(count) is int for region in axes.values() for count in region.counts)
    if is_known and (record.configurations or not opaque):
        exact = {name: Axes(region.counts, region.steps or tuple(op.steps_of(name))) for name, region in axes.items()}
        types = {name: np.dtype(numpy_type(element_of(getattr(op, name)))) for name in axes}
        top = cast(Operation, op.get_toplevel_object())
        states = {**{state.name: maker_of(state.element)(top) for state in opaque}, **configurations}
        scalars = {e.name: e.element(1) for e in record.parameters if isinstance(numbers.get(e.name), SSAValue)}
        check_semantics(record, exact, types, {**numbers, **scalars}, states, is_complete=not (opaque or scalars))
    operands = list(op.operands)
    for name, kind in record.buffers.items():
        value, indices = op.operands_of()[name]
        places = tuple(operands.index(index) for index in indices)
        for is_write, does in ((False, kind.reads), (True, kind.writes)):
            if does:
                beside = not is_write and name in record.beside
                yield _Plan(is_write, operands.index(value), places, len(shape_of(value)), axes[name], beside)


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
    buffers = [(parameter.name, parameter.kind) for parameter in parameters if isinstance(parameter.kind, Buffer)]
    reads = tuple(name for name, kind in buffers if kind.reads)
    writes = tuple(name for name, kind in buffers if kind.writes)
    accesses = [RegionEffects() if has_regions else OperandEffects(reads, writes)] if reads or writes else []
    states = [StateEffects(state_name(parameter.element)) for parameter in parameters if parameter.kind is Kind.STATE]
    fences = [AwaitsQueues(tuple(awaits))] if awaits is not None else []
    return [*accesses, *states, *fences] or ([Pure()] if result is not None else [])


def state_name(state: type[Any]) -> str:
    """Return the name of a state's resource."""
    return f"{state.__module__}.{state.__qualname__}"
