"""
Memory effects: which buffers, globals and state an op reads, writes, allocates and frees.

Every pass, proof and simulation asks here whether ops may be merged, moved or erased; none lists op types. Ops declare
their effects by traits (`effect_traits.py`), upstream's in `effects_upstream.py`. Effects of ops with regions are those
of the ops inside, those of a call its callee's. An op that declares none may read and write everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar, cast

from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import (
    DefaultResource,
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from .effect_traits import (
    Awaits,
    Calls,
    Effect,
    KernelEffects,
    Launches,
    NothingPending,
    OwnArguments,
    ResultAllocation,
    State,
    ViewLike,
)
from .effects_upstream import UPSTREAM
from .kernel import is_kernel
from .nesting import nested_ops
from .speculation import is_defined

_T = TypeVar("_T", bound=MemoryEffect)
_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@dataclass(frozen=True)
class Effects:
    """
    Effects of an op on buffers, by their values; on globals, by their symbols; on `State`, by its resource.

    An effect without a value on xDSL's default resource is on any memory.
    """

    instances: tuple[EffectInstance, ...] = ()
    is_known: bool = True
    """False for effects on everything, of whatever kind."""

    @property
    def reads(self) -> list[SSAValue]:
        """The buffers that are read, each once."""
        return self._values(_READ)

    @property
    def writes(self) -> list[SSAValue]:
        """The buffers that are written or freed, each once."""
        return self._values(_WRITE, MemoryEffectKind.FREE)

    def _values(self, *kinds: MemoryEffectKind) -> list[SSAValue]:
        values = (effect.value for effect in self.instances if effect.kind in kinds)
        return list(dict.fromkeys(value for value in values if isinstance(value, SSAValue)))

    @property
    def is_anywhere(self) -> bool:
        """Test for accesses to memory that no value or symbol names."""
        return any(effect.value is None and not isinstance(effect.resource, State) for effect in self.instances)

    @property
    def only_on_values(self) -> bool:
        """Test that all effects are on buffers that values name, so that these order the op."""
        return all(isinstance(effect.value, SSAValue) for effect in self.instances)

    @property
    def on_values_and_state(self) -> bool:
        """Test that all effects on memory are on buffers that values name."""
        return all(
            isinstance(effect.value, SSAValue) or isinstance(effect.resource, State) for effect in self.instances
        )

    @property
    def writes_any(self) -> bool:
        """Test for writes to memory that no value or symbol names; accesses that end here are not counted."""
        of_memory = (effect for effect in self.instances if effect.kind is _WRITE and effect.value is None)
        return any(effect.resource == DefaultResource() for effect in of_memory)

    @property
    def symbols_written(self) -> set[str]:
        """The names of the globals that are written."""
        values = (effect.value for effect in self.instances if effect.kind is _WRITE)
        return {value.root_reference.data for value in values if isinstance(value, SymbolRefAttr)}

    @property
    def is_none(self) -> bool:
        """Test for the absence of effects."""
        return not self.instances

    @property
    def only_read(self) -> bool:
        """Test that all effects are reads."""
        return all(effect.kind is _READ for effect in self.instances)

    @property
    def may_write(self) -> bool:
        """Test for changes of memory or state; allocations are not counted."""
        return any(effect.kind not in (_READ, MemoryEffectKind.ALLOC) for effect in self.instances)


NONE = Effects()
UNKNOWN = Effects((EffectInstance(_READ), EffectInstance(_WRITE)), is_known=False)
"""Effects on everything."""


def effects_of(op: Operation) -> Effects:
    """Return the effects of an op. Use an `EffectAnalysis` for many ops of one module."""
    return NONE if _is_always_pure(op) else EffectAnalysis().of(op)


def is_pure(op: Operation) -> bool:
    """Return whether an op only computes its results from its operands."""
    return effects_of(op).is_none


def _is_always_pure(op: Operation) -> bool:
    """Return whether no op of a class has effects, whatever is in its regions."""
    return _declares_none(type(op)) and not is_kernel(op)


@cache
def _declares_none(op_class: type[Operation]) -> bool:
    traits = _declared(op_class)
    return bool(traits) and all(isinstance(trait, NoMemoryEffect) for trait in traits)


def is_speculatable(op: Operation) -> bool:
    """
    Return whether an op only computes its results, and may do so where the program would not run it.

    A division has to be by a constant with which it is defined for every dividend, an access of a tensor in bounds.
    """
    return not op.regions and is_pure(op) and is_defined(op)


def is_view(op: Operation) -> bool:
    """Return whether the results of an op are views of its first operand's buffer."""
    return any(isinstance(trait, ViewLike) for trait in _declared(type(op)))


def declared(op_class: type[Operation], trait: type[_T]) -> _T | None:
    """Return the trait of a class by which ops declare effects, None if they have none."""
    return next((declared_trait for declared_trait in _declared(op_class) if isinstance(declared_trait, trait)), None)


def callee_of(op: Operation) -> str | None:
    """Return the name of the function that an op calls, None where it is no call."""
    for trait in _declared(type(op)):
        if isinstance(trait, Calls):
            return cast(SymbolRefAttr, op.properties[trait.callee]).root_reference.data
    return None


def calls_in(op: Operation) -> int:
    """Return the number of calls of an op whose callee takes that of the call last; 0 for a plain call."""
    counts = [trait.instances for trait in _declared(type(op)) if isinstance(trait, Calls) and trait.instances]
    return cast(IntegerAttr, op.properties[counts[0]]).value.data if counts else 0


def root_of(value: SSAValue) -> SSAValue:
    """Return the buffer that a memref is a view of, itself where it is none."""
    while isinstance(op := value.owner, Operation) and is_view(op):
        value = op.operands[0]
    return value


def is_allocation(value: SSAValue) -> bool:
    """Return whether a value is memory of its own, that nothing else leads to when its op is done."""
    return isinstance(op := value.owner, Operation) and any(
        isinstance(trait, ResultAllocation) for trait in _declared(type(op))
    )


@cache
def _declared(op_class: type[Operation]) -> tuple[MemoryEffect, ...]:
    """Return the traits by which the ops of a class declare effects."""
    if op_class.name in UPSTREAM:
        return (UPSTREAM[op_class.name],)
    return tuple(trait for trait in op_class.traits if isinstance(trait, MemoryEffect))


_KERNEL = (KernelEffects(), RecursiveMemoryEffect())


@dataclass
class EffectAnalysis:
    """
    Effects of the ops of a module, those of each function and of each op with regions found once.

    A pass that erases ops or replaces them by others of no further effects may go on with its analysis.
    """

    _nested: dict[Operation, Effects] = field(default_factory=dict[Operation, Effects])
    """Those of ops with regions."""
    _functions: dict[Operation, Effects] = field(default_factory=dict[Operation, Effects])
    _symbols: dict[Operation, dict[str, Operation]] = field(default_factory=dict[Operation, dict[str, Operation]])

    def of(self, op: Operation) -> Effects:
        """Return the effects of an op."""
        if not op.regions:
            return self._of(op)
        if op not in self._nested:
            self._nested[op] = self._of(op)
        return self._nested[op]

    def _of(self, op: Operation) -> Effects:
        if _is_always_pure(op):
            return NONE
        traits = _KERNEL if is_kernel(op) else _declared(type(op))
        if not traits:
            return UNKNOWN
        instances: dict[EffectInstance, None] = {}
        for trait in traits:
            effects = self._of_trait(op, trait)
            if effects is None:
                return UNKNOWN
            instances |= dict.fromkeys(effects)
        return Effects(tuple(instances))

    def is_trivially_dead(self, op: Operation) -> bool:
        """Return whether an op is trivially dead: its results have no uses, and it has no other effects."""
        if any(result.first_use is not None for result in op.results):
            return False
        if op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface):
            return False
        effects = self.of(op)
        return effects.is_known and all(_is_own(effect, op) for effect in effects.instances)

    def of_function(self, function: Operation) -> Effects:
        """
        Return the effects of a call of a function: on its arguments, on globals, on state, or on any memory.

        Unknown for functions without a body and for those that call themselves.
        """
        if function in self._functions:
            return self._functions[function]
        self._functions[function] = UNKNOWN
        around = [(function, self._callees(function))]
        while around:
            inner, callees = around[-1]
            new = next((callee for callee in callees if callee not in self._functions), None)
            if new is None:
                around.pop()
                self._functions[inner] = self._of_body(inner)
                continue
            self._functions[new] = UNKNOWN
            around.append((new, self._callees(new)))
        return self._functions[function]

    def _callees(self, function: Operation) -> Iterator[Operation]:
        """Yield the functions with a body that a function calls."""
        for op in nested_ops(function):
            for call in _declared(type(op)):
                if isinstance(call, Calls) and (callee := self._called(op, call)) is not None:
                    yield callee

    def _called(self, op: Operation, call: Calls) -> Operation | None:
        """Return the function with a body that an op calls."""
        name = op.properties.get(call.callee)
        return self._function(op, name) if isinstance(name, SymbolRefAttr) else None

    def _of_trait(self, op: Operation, trait: MemoryEffect) -> Iterable[EffectInstance] | None:
        match trait:
            case Launches():
                inner = self._of_regions(op)
                until: SSAValue = getattr(op, trait.token)
                queue = trait.queue_of(op)
                return inner and [
                    Effect(effect.kind, effect.value, effect.resource, until, None, queue) for effect in inner
                ]
            case RecursiveMemoryEffect():
                return self._of_regions(op)
            case Awaits():
                lasting = self._of_token(getattr(op, trait.token))
                return trait.get_effects(op) if lasting is None else lasting
            case Calls():
                return self._of_call(op, trait)
            case _:
                return trait.get_effects(op)

    def _of_regions(self, op: Operation) -> Iterable[EffectInstance] | None:
        """Return the effects of the ops inside of an op, but for those on memory that is allocated there."""
        instances: dict[EffectInstance, None] = {}
        for inner in (inner for region in op.regions for block in region.blocks for inner in block.ops):
            effects = self.of(inner)
            if not effects.is_known:
                return None
            if effects.instances:
                instances |= dict.fromkeys(map(_over_iterations, effects.instances))
        return [effect for effect in instances if not _is_inside(effect, op)]

    def _of_token(self, token: SSAValue) -> Iterable[EffectInstance] | None:
        """Return the effects that last until a token is waited for, None where the token may be one of several."""
        if not isinstance(owner := token.owner, Operation):
            return None
        if any(isinstance(trait, NothingPending) for trait in _declared(type(owner))):
            return []
        lasting = [
            effect for effect in self.of(owner).instances if isinstance(effect, Effect) and effect.until is token
        ]
        return [EffectInstance(effect.kind, effect.value, effect.resource) for effect in lasting] or None

    def _of_call(self, op: Operation, call: Calls) -> Iterable[EffectInstance] | None:
        function = self._called(op, call)
        if function is None:
            return None
        effects = self.of_function(function)
        if not effects.is_known:
            return None
        operands: Sequence[SSAValue] = getattr(op, call.arguments)
        return [_handed(effect, operands) for effect in effects.instances]

    def _function(self, op: Operation, name: SymbolRefAttr) -> Operation | None:
        """Return the function with a body that a symbol names in the module around an op."""
        module = op.parent_op()
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        if module is None or name.nested_references.data:
            return None
        if module not in self._symbols:
            self._symbols[module] = dict(_symbols(module))
        function = self._symbols[module].get(name.root_reference.data)
        return function if function is not None and function.regions and function.regions[0].blocks else None

    def _of_body(self, function: Operation) -> Effects:
        inner = self._of_regions(function)
        if inner is None:
            return UNKNOWN
        return Effects(tuple(dict.fromkeys(_seen_outside(effect, function) for effect in inner)))


def _over_iterations(effect: EffectInstance) -> EffectInstance:
    """Return an effect of an op in a region as one of all its iterations: on the whole buffer."""
    if not isinstance(effect, Effect) or effect.region is None:
        return effect
    return Effect(effect.kind, effect.value, effect.resource, effect.until, None, effect.queue)


def _symbols(module: ModuleOp) -> Iterator[tuple[str, Operation]]:
    for op in module.body.block.ops:
        if isinstance(name := op.properties.get("sym_name"), StringAttr):
            yield name.data, op


def _is_own(effect: EffectInstance, op: Operation) -> bool:
    """Return whether an effect of an op shows in its results alone."""
    if effect.kind is _READ:
        return True
    value = effect.value
    return effect.kind is MemoryEffectKind.ALLOC and isinstance(value, SSAValue) and op.is_ancestor(value.owner)


def _is_inside(effect: EffectInstance, op: Operation) -> bool:
    """Return whether an effect is on memory that nobody outside of an op sees: it is allocated there, or its own."""
    if not isinstance(effect.value, SSAValue):
        return False
    root = root_of(effect.value)
    if effect.kind is MemoryEffectKind.ALLOC and _hands_out_buffers(op):
        return False
    if is_allocation(root):
        return op.is_ancestor(root.owner)
    is_own = any(isinstance(trait, OwnArguments) for trait in _declared(type(op)))
    return is_own and isinstance(root, BlockArgument) and root.block.parent_op() is op


def _hands_out_buffers(op: Operation) -> bool:
    """Return whether an op, or a call of a function, may return newly allocated memory."""
    type_ = op.properties.get("function_type")
    results = type_.outputs.data if isinstance(type_, FunctionType) else op.result_types
    return any(isinstance(type, MemRefType) for type in results)


def _seen_outside(effect: EffectInstance, function: Operation) -> EffectInstance:
    """Return an effect in a function as its callers know it: on an argument, a global, state, or any memory."""
    if not isinstance(effect.value, SSAValue):
        return EffectInstance(effect.kind, effect.value, effect.resource)
    root = root_of(effect.value)
    if isinstance(root.owner, Operation) and root.owner.name == "memref.get_global":
        return EffectInstance(effect.kind, cast("SymbolRefAttr", root.owner.properties["name"]))
    is_argument = root.owner is function.regions[0].first_block
    return EffectInstance(effect.kind, root if is_argument else None, effect.resource)


def _handed(effect: EffectInstance, operands: Sequence[SSAValue]) -> EffectInstance:
    """Return the effect of a call that its callee has on an argument, on the operand handed over."""
    argument = effect.value
    if not isinstance(argument, BlockArgument):
        return effect
    operand = operands[argument.index] if argument.index < len(operands) else None
    return EffectInstance(effect.kind, operand, effect.resource)
