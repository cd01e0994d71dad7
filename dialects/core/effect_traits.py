"""
Declarations of memory effects, as traits of an op: the buffers that it reads and writes, and what it calls or awaits.

    traits = traits_def(OperandEffects(reads=("x", "w"), writes=("sums",)))

They refine xDSL's `MemoryEffect`, whose own traits (`Pure`, `NoMemoryEffect`, `RecursiveMemoryEffect`, ...) count as
well. An op without any has unknown effects. `effects.py` resolves declarations to effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import IntAttr, MemRefType, NoneAttr, TensorType, UnrankedMemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    OpTrait,
    RecursiveMemoryEffect,
    Resource,
)

from ...errors import Diagnostic
from .kernel import kernel_of, reads_of


@dataclass(frozen=True)
class Box:
    """
    Region of a buffer: `sizes` elements from `offsets` on, along each axis, by values of index type or integers.

    A `clipped` one may extend beyond the buffer. Only its part inside of it is accessed; what is read beyond is `fill`.
    """

    offsets: tuple[SSAValue | int, ...]
    sizes: tuple[SSAValue | int, ...]
    clipped: bool = False
    fill: Attribute | None = None


@dataclass(frozen=True)
class Effect(EffectInstance):
    """
    Access to a buffer, of its whole or of a `region`.

    It lasts from its op until a wait for the token `until`; without one it ends with the op, or with a fence that
    awaits its `queue`. Ops on one in-order `queue` are executed in the order of their issue: the end of one is the end
    of those before it.
    """

    until: SSAValue | None = None
    region: Box | None = None
    queue: Attribute | None = None


@dataclass(frozen=True)
class State(Resource):
    """State apart from memory, such as that of a generator of random numbers or of a device's registers."""

    state: str

    def name(self) -> str:
        return self.state


_KINDS = MemoryEffectKind.READ, MemoryEffectKind.WRITE


def is_buffer(value: SSAValue) -> bool:
    """Return whether a value is a memref."""
    return isinstance(value.type, MemRefType | UnrankedMemRefType)


def places_named(op: Operation, names: Iterable[str]) -> list[SSAValue]:
    """Return the operands of these names that are no tensors, those of variadic ones each."""
    places: list[SSAValue] = []
    for name in names:
        operand: SSAValue | Iterable[SSAValue] | None = getattr(op, name)
        values = [operand] if isinstance(operand, SSAValue) else operand or ()
        places += [value for value in values if not isinstance(value.type, TensorType)]
    return places


def accesses(reads: Iterable[SSAValue], writes: Iterable[SSAValue]) -> Set[EffectInstance]:
    """Return the effects of reading and writing buffers, in this order."""
    kinds = ((MemoryEffectKind.READ, reads), (MemoryEffectKind.WRITE, writes))
    return dict.fromkeys(Effect(kind, value) for kind, values in kinds for value in values).keys()


class DeclaredEffects(MemoryEffect):
    """Effects that depend on the parameters of the trait."""

    def get_effects(self, op: Operation) -> Set[EffectInstance] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the effects of an op, None where they are unknown, as they are by default."""
        return None


@dataclass(frozen=True)
class OperandEffects(DeclaredEffects):
    """
    Reads and writes of the buffers that are the named operands, and of nothing else; tensors among them have none.

    Accesses of an op that goes on without waiting for them last until the next `Fence`.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return accesses(places_named(op, self.reads), places_named(op, self.writes))


@dataclass(frozen=True)
class ElementEffects(DeclaredEffects):
    """An access to one element of the buffer that is the named operand, at the operands `indices`."""

    kind: MemoryEffectKind
    operand: str = "memref"
    indices: str = "indices"

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        offsets: tuple[SSAValue, ...] = tuple(getattr(op, self.indices))
        box = Box(offsets, (1,) * len(offsets))
        return {Effect(self.kind, value, region=box) for value in places_named(op, [self.operand])}


@dataclass(frozen=True)
class CopyEffects(OperandEffects):
    """A copy: the content of the buffer that is written is that of the one that is read, unwritten elements too."""


@dataclass(frozen=True)
class StateEffects(DeclaredEffects):
    """A read and a write of a `State`, so that the order among the ops on it, and their number, matter."""

    state: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return dict.fromkeys(EffectInstance(kind, resource=State(self.state)) for kind in _KINDS).keys()


@dataclass(frozen=True)
class GlobalEffect(DeclaredEffects):
    """A read or a write of the global that a property names."""

    kind: MemoryEffectKind
    symbol: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return {EffectInstance(self.kind, cast(Any, op.properties[self.symbol]))}


@dataclass(frozen=True)
class OperandRelease(DeclaredEffects):
    """The end of the memory of the named operand."""

    operand: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.FREE, value) for value in places_named(op, [self.operand])}


class ResultAllocation(MemoryEffect):
    """Memory of its own for each result."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, result) for result in op.results}


class ViewLike(NoMemoryEffect):
    """Results that are views of the buffer that is the first operand."""


class KernelEffects(MemoryEffect):
    """
    Structured kernels, in destination-passing style: pure on tensors; on memrefs they read inputs and write outputs.

    The kernel view says which; an output is read as well where a reduction goes on from its content. The effects of a
    kernel without a view, such as one of dynamic shape, are unknown.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        if not any(map(is_buffer, op.operands)):
            return frozenset()
        try:
            kernel = kernel_of(op)
        except Diagnostic:
            return None
        return accesses(filter(is_buffer, reads_of(kernel)), (a.value for a in kernel.outputs if is_buffer(a.value)))


@dataclass(frozen=True)
class Accesses(Resource):
    """Outstanding accesses of other ops, each of which declares its own."""

    def name(self) -> str:
        return "accesses"


class Fence(MemoryEffect):
    """Barrier that completes outstanding accesses of other ops: no access may be moved across the op."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return dict.fromkeys(EffectInstance(kind, resource=Accesses()) for kind in _KINDS).keys()


class OwnArguments(RecursiveMemoryEffect):
    """The effects of the ops in the regions; the buffers among the block arguments are memory of the op's own."""


class NothingPending(NoMemoryEffect):
    """Results that are tokens of nothing: a wait for one has no effects."""


@dataclass(frozen=True)
class Launches(RecursiveMemoryEffect):
    """
    The effects of the ops in the regions, which last until a wait for the result of this name.

    They are executed on the in-order queue that the attribute `queue` of the ops names; those without it share one.
    """

    token: str
    queue: str = "engine"

    def queue_of(self, op: Operation) -> Attribute:
        """Return the queue of the ops that an op launches."""
        first = op.regions[0].block.first_op
        return (first.attributes.get(self.queue) if first is not None else None) or NoneAttr()


@dataclass(frozen=True)
class Awaits(DeclaredEffects):
    """
    The rest of the effects that last until the token that is the named operand.

    A wait for one of several transfers is a `Fence`: which is not known before the program runs.
    """

    token: str

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        return Fence.get_effects(op)


class Signals(OpTrait):
    """Event between concurrent programs, such as the publication of a slot of a stream."""


class Blocks(Signals):
    """Event that another program has to allow: the program of the op may block there."""


class DeclaredRange(OpTrait):
    """Data-dependent result of index type from the property `low` to below the property `high`, which a run checks."""

    @staticmethod
    def of(op: Operation) -> tuple[int, int]:
        """Return the least result, and the one after the greatest."""
        return cast(IntAttr, op.properties["low"]).data, cast(IntAttr, op.properties["high"]).data


class Programs(RecursiveMemoryEffect):
    """Concurrent programs: each op in the region has one as its own region. The op ends with the last of them."""


@dataclass(frozen=True)
class Calls(DeclaredEffects):
    """The effects of the function that the property `callee` names on the operands `arguments`."""

    callee: str = "callee"
    arguments: str = "arguments"
    instances: str = ""
    """Property with the number of calls, whose number from 0 is the callee's last argument; empty for one call."""

    def get_effects(self, op: Operation) -> None:
        return None
