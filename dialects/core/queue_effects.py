"""Declarations of the effects of ops on in-order queues: asynchronous accesses, and the fences that await them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from xdsl.ir import Operation
from xdsl.traits import EffectInstance

from .effect_traits import DeclaredEffects, Fence
from .machine.model import Machine


class QueueAccess(NamedTuple):
    """
    Access of an op on a queue to a buffer: elements from `offsets` on, along axes of `counts` and `steps`.

    Steps are in elements of memory. Without any, the axes are those of the buffer.
    """

    is_write: bool
    operand: int
    """The index of the buffer among the operands of the op."""
    offsets: tuple[Any, ...]
    counts: tuple[int, ...]
    steps: tuple[int, ...] | None
    beside: bool = False
    """
    Whether the rows are read in step with those of the op's other buffers, or of the op before it in its queue where it
    has none.
    """


@dataclass(frozen=True)
class OnQueue(DeclaredEffects):
    """Asynchronous accesses of an op that an in-order queue executes: they last until a fence that awaits it."""

    queue: str

    def cycles_of(self, op: Operation, operands: Sequence[Any], machine: Machine) -> int:
        """Return the cycles of the op in its queue on a machine, by its run-time operands, None for buffers."""
        raise NotImplementedError

    def issue(self, op: Operation, operands: Sequence[Any], configured: dict[Any, Any]) -> Sequence[QueueAccess]:
        """
        Issue the op: return its accesses, by its run-time operands, None for those that depend on data.

        `configured` is the configuration of the queues at this step of a walk, empty before the first one; the op uses
        it, and may change it. Raises Diagnostic where the configuration does not allow the op.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class AwaitsQueues(DeclaredEffects):
    """Fence that completes all ops on the named queues, on all queues if there is no name."""

    queues: tuple[str, ...] = ()

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return Fence.get_effects(op)
