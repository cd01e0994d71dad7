"""
Counterparts of the ops of a program after a pass among those before it.

An op that a pass leaves in its place is the same object before and after. Of others, those are counterparts whose
results have the same names, that come last of a location, and that define the same operand of counterparts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, MemoryEffectKind

from ....dialects.core.effects import effects_of
from ....dialects.core.kernel import is_kernel
from ....dialects.core.nesting import nested_ops

Counterparts = Mapping[Operation, Operation]
"""Op after a pass -> op before it."""


@dataclass(frozen=True)
class Snapshot:
    """Copy of a program before a pass; `copies` are those of its ops, which the pass may rewrite, move or erase."""

    module: ModuleOp
    copies: Mapping[Operation, Operation]

    def counterparts(self, module: ModuleOp) -> Counterparts:
        """Return the counterparts of the ops of the program after the pass, as far as they are known."""
        pairs = {op: copy for op in nested_ops(module) if (copy := self.copies.get(op)) and copy.name == op.name}
        before, after = nested_ops(self.module), nested_ops(module)
        for key_of in (_symbol, _names, _terminates, _location):
            _match(pairs, before, after, key_of)
        _match_operands(pairs)
        return pairs


def snapshot_of(module: ModuleOp) -> Snapshot:
    """Return a copy of a program that a pass is about to rewrite."""
    copy = module.clone()
    return Snapshot(copy, dict(zip(nested_ops(module), nested_ops(copy), strict=True)))


def _match(
    pairs: dict[Operation, Operation],
    before: Iterable[Operation],
    after: Iterable[Operation],
    key_of: Callable[[Operation], Hashable],
) -> None:
    """Add pairs of ops with one key; of several the last counts: a pass names all ops that replace one after it."""
    matched = set(pairs.values())
    old = _last_of_each_key(before, key_of)
    for key, op in _last_of_each_key(after, key_of).items():
        copy = old.get(key)
        if copy is not None and op not in pairs and copy not in matched:
            pairs[op] = copy


def _last_of_each_key(ops: Iterable[Operation], key_of: Callable[[Operation], Hashable]) -> dict[Hashable, Operation]:
    keyed = ((key, op) for op in ops if (key := key_of(op)))
    return {(_function(op), key): op for key, op in keyed}


def _symbol(op: Operation) -> Hashable:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def _names(op: Operation) -> Hashable:
    """Return the name hints of the results of an op, or else of the memory that it writes; None where one has none."""
    hints = tuple(value.name_hint for value in op.results or _written(op))
    return hints if hints and all(hints) else None


def _written(op: Operation) -> list[SSAValue]:
    """Return the memory that a kernel, or another op without regions, writes; none of one that frees some."""
    effects = effects_of(op)
    frees = any(effect.kind is MemoryEffectKind.FREE for effect in effects.instances)
    return [] if frees or (op.regions and not is_kernel(op)) else effects.writes


def _terminates(op: Operation) -> Hashable:
    """Return a key for the terminator of a function of one block."""
    function = op.parent_op()
    if function is None or not op.has_trait(IsTerminator) or len(function.regions[0].blocks) > 1:
        return None
    return op.name if _symbol(function) else None


def _location(op: Operation) -> Hashable:
    """Return the location of an op, if it is known, and of an op without results its name."""
    return None if isinstance(op.location, UnknownLoc) else (op.location, "" if op.results else op.name)


def _function(op: Operation) -> str:
    """Return the symbol of the function around an op, empty outside of functions."""
    around = op.parent_op()
    while around is not None:
        if isinstance(name := _symbol(around), str):
            return name
        around = around.parent_op()
    return ""


def _match_operands(pairs: dict[Operation, Operation]) -> None:
    """Add ops of one name that define the same operand of counterparts, from the last op backwards."""
    matched = set(pairs.values())
    worklist = list(pairs.items())
    while worklist:
        for op, copy in list(_operand_pairs(*worklist.pop())):
            if op not in pairs and copy not in matched:
                pairs[op] = copy
                matched.add(copy)
                worklist.append((op, copy))


def _operand_pairs(op: Operation, copy: Operation) -> Iterator[tuple[Operation, Operation]]:
    if not share_operands(op, copy):
        return
    for operand, old in zip(op.operands, copy.operands, strict=True):
        owner, old_owner = operand.owner, old.owner
        if isinstance(owner, Operation) and isinstance(old_owner, Operation) and owner.name == old_owner.name:
            yield owner, old_owner


def share_operands(op: Operation, copy: Operation) -> bool:
    """Return whether the operands of two counterparts mean the same: ops of one name and as many operands."""
    return op.name == copy.name and len(op.operands) == len(copy.operands)
