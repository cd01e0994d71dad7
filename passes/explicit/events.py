"""Events of the explicit level: the kind of each op, from the effects that it declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from functools import cache

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import IsTerminator, RecursiveMemoryEffect

from ...dialects.core.effect_traits import (
    Awaits,
    Effect,
    Launches,
    NothingPending,
    OperandRelease,
    OwnArguments,
    Programs,
    ResultAllocation,
    Signals,
    ViewLike,
)
from ...dialects.core.effects import NONE, EffectAnalysis, Effects, callee_of, declared
from ...dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ...dialects.core.nesting import nested_ops
from ...dialects.core.queue_effects import AwaitsQueues, OnQueue
from ...dialects.hier import TokenType

CONTROL = (scf.ForOp, scf.IfOp, scf.WhileOp)


class Event(Enum):
    """Kinds of ops of the explicit level, besides control flow and index arithmetic."""

    GET_GLOBAL = auto()
    ALLOC = auto()
    VIEW = auto()
    ACCESS = auto()
    WAIT = auto()
    FENCE = auto()
    """Wait for queues of instructions."""
    NOTHING = auto()
    """Token of nothing."""
    LAUNCH = auto()
    CALL = auto()
    SIGNAL = auto()
    PROGRAMS = auto()
    SILENT = auto()
    UNKNOWN = auto()


_TRAITS = (
    (Launches, Event.LAUNCH),
    (Programs, Event.PROGRAMS),
    (NothingPending, Event.NOTHING),
    (Awaits, Event.WAIT),
    (AwaitsQueues, Event.FENCE),
    (OnQueue, Event.ACCESS),
    (ViewLike, Event.VIEW),
    (ResultAllocation, Event.ALLOC),
    (OperandRelease, Event.SILENT),
    (OwnArguments, Event.ACCESS),
)
"""Trait of an op class -> its event."""


def event_of(op: Operation, analysis: EffectAnalysis) -> tuple[Event, Effects]:
    """
    Return the event of an op, SILENT for one that has no effect on memory, and the effects of an access.

    Those of a kernel are NONE here: its view says them.
    """
    event = event_of_class(type(op))
    if event is not None:
        return event, analysis.of(op) if event is Event.ACCESS else NONE
    if is_kernel(op):
        return Event.ACCESS, NONE
    if not touches_memory(op):
        return Event.SILENT, NONE
    effects = analysis.of(op)
    is_own = not is_recursive(op) and callee_of(op) is None
    is_declared = effects.is_known and effects.on_values_and_state and is_own
    is_access = is_declared and not any(is_shaped(result) for result in op.results)
    return Event.ACCESS if is_access else Event.UNKNOWN, effects


@cache
def queue_of(op_class: type[Operation]) -> OnQueue | None:
    """Return the trait of ops that a queue executes, None for other ops."""
    return declared(op_class, OnQueue)


@cache
def fence_of(op_class: type[Operation]) -> AwaitsQueues | None:
    """Return the trait of ops that await queues, None for other ops."""
    return declared(op_class, AwaitsQueues)


@cache
def event_of_class(op_class: type[Operation]) -> Event | None:
    """Return the event of all ops of a class, None where it depends on the op."""
    if issubclass(op_class, memref.GetGlobalOp):
        return Event.GET_GLOBAL
    if issubclass(op_class, func.CallOp):
        return Event.CALL
    if op_class.has_trait(Signals):
        return Event.SIGNAL
    if op_class.has_trait(IsTerminator):
        return Event.SILENT
    return next((event for trait, event in _TRAITS if declared(op_class, trait) is not None), None)


def is_recursive(op: Operation) -> bool:
    """Return whether the effects of an op are those of the ops in its regions."""
    return bool(op.regions) and not is_kernel(op) and declared(type(op), RecursiveMemoryEffect) is not None


def touches_memory(op: Operation) -> bool:
    """Return whether an op or a nested op has memory or token operands or results, or is on a queue or awaits one."""
    values = (value for inner in nested_ops(op) for value in (*inner.operands, *inner.results))
    if any(isinstance(value.type, MemRefType | TokenType) for value in values):
        return True
    return any(queue_of(type(inner)) or fence_of(type(inner)) for inner in nested_ops(op))


def values_of(op: Operation) -> Sequence[SSAValue]:
    """Return the operands of an access and, after them, the buffers that a kernel captures."""
    return [*op.operands, *kernel_of(op).tables] if op.regions and is_kernel(op) else op.operands


def lasting(op: Operation, effects: Effects) -> list[Effect]:
    """Return the effects that last until a token of an op."""
    instances = (effect for effect in effects.instances if isinstance(effect, Effect) and effect.until is not None)
    return [effect for effect in instances if effect.until in op.results]


def asynchronous(regions: Sequence[Region], analysis: EffectAnalysis) -> Iterator[Operation]:
    """Yield the ops of regions that may not depend on data: asynchronous ones, waits, launches, grids, unknown ones."""
    for op in (op for region in regions for block in region.blocks for op in block.ops):
        if isinstance(op, CONTROL):
            yield from asynchronous(op.regions, analysis)
            continue
        event, effects = event_of(op, analysis)
        if event is Event.ACCESS and not is_kernel(op) and (op.regions or queue_of(type(op)) or lasting(op, effects)):
            yield op
        if event in (Event.WAIT, Event.FENCE, Event.LAUNCH, Event.SIGNAL, Event.PROGRAMS, Event.UNKNOWN):
            yield op
