"""Scalar replacement of an element of memory that a loop loads and stores in each iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.effects import EffectAnalysis, is_allocation, root_of
from ..dialects.core.nesting import nested_ops
from .core.base import Pass
from .symbol_dce import symbols_in


class _Element(NamedTuple):
    """Load and later store of one element in a loop's body."""

    load: memref.LoadOp
    store: memref.StoreOp


def hoist_elements(module: ModuleOp) -> None:
    """
    Carry elements in values through loops that load and then store them, inner loops first.

    The load moves before the loop, the store behind it. The loop is known to run at least once, the element is the same
    in each iteration, and nothing else in the loop accesses memory that may be the element's.
    """
    called = {symbol for op in nested_ops(module) if not op.regions for symbol in symbols_in(op)}
    for op in reversed(nested_ops(module)):
        if isinstance(op, scf.ForOp) and _runs(op) and (elements := _elements(op, called)):
            _carry(op, elements)


def _runs(loop: scf.ForOp) -> bool:
    """Return whether a loop is known to run at least one iteration: else nothing may access the element."""
    low, high, step = map(constant_integer, (loop.lb, loop.ub, loop.step))
    return low is not None and high is not None and step is not None and low < high and step > 0


def _elements(loop: scf.ForOp, called: set[str]) -> list[_Element]:
    ops = list(loop.body.block.ops)
    elements: list[_Element] = []
    for number, load in enumerate(ops):
        if not isinstance(load, memref.LoadOp) or any(loop.is_ancestor(operand.owner) for operand in load.operands):
            continue
        stores = [
            op for op in ops[number:] if isinstance(op, memref.StoreOp) and list(op.operands[1:]) == list(load.operands)
        ]
        if len(stores) == 1 and _is_alone(_Element(load, stores[0]), ops, called):
            elements.append(_Element(load, stores[0]))
    stored = [element.store.value for element in elements]
    return [element for element in elements if stored.count(element.store.value) == 1]


def _is_alone(element: _Element, ops: Sequence[Operation], called: set[str]) -> bool:
    """Return whether no other op of a body accesses memory that may be the element's."""
    analysis = EffectAnalysis()
    for op in ops:
        if op is element.load or op is element.store or op.has_trait(IsTerminator):
            continue
        effects = analysis.of(op)
        if not effects.is_known:
            return False
        for effect in effects.instances:
            value = effect.value
            if not isinstance(value, SSAValue) or _may_alias(value, element.load.memref, called):
                return False
    return True


def _may_alias(a: SSAValue, b: SSAValue, called: set[str]) -> bool:
    """
    Return whether two memrefs may share memory.

    Allocations are apart from each other and from arguments, globals from globals of other names, and the arguments of
    a function that the module does not call from each other.
    """
    a, b = root_of(a), root_of(b)
    if a is b:
        return True
    kinds = {_kind(a, called), _kind(b, called)}
    if kinds == {_GLOBAL}:
        return _name(a) == _name(b)
    return kinds != {_OWN_ARGUMENT} and (_ALLOCATION not in kinds or _UNKNOWN in kinds)


_ALLOCATION, _GLOBAL, _ARGUMENT, _OWN_ARGUMENT, _UNKNOWN = range(5)


def _kind(root: SSAValue, called: set[str]) -> int:
    """Return the kind of memory that a value is; an argument is a function's own where the module does not call it."""
    if is_allocation(root):
        return _ALLOCATION
    if isinstance(root.owner, memref.GetGlobalOp):
        return _GLOBAL
    function = root.owner.parent_op() if isinstance(root.owner, Block) else None
    if not isinstance(function, func.FuncOp):
        return _UNKNOWN
    return _ARGUMENT if function.sym_name.data in called else _OWN_ARGUMENT


def _name(root: SSAValue) -> str:
    assert isinstance(root.owner, memref.GetGlobalOp)
    return root.owner.name_.string_value()


def _carry(loop: scf.ForOp, elements: Sequence[_Element]) -> None:
    """Carry elements through a loop in values."""
    stores: list[Operation] = []
    before, after = InsertPoint.before(loop), InsertPoint.after(loop)
    body, end = loop.body.block, loop.body.block.last_op
    assert isinstance(end, scf.YieldOp)
    loads = [element.load.clone() for element in elements]
    Rewriter.insert_op(loads, before)
    final = scf.YieldOp(*end.operands, *(element.store.value for element in elements))
    final.location = end.location
    Rewriter.replace_op(end, final)
    for element in elements:
        carried = body.insert_arg(element.load.res.type, len(body.args))
        element.load.res.replace_all_uses_with(carried)
    inits = [*loop.iter_args, *(load.res for load in loads)]
    count = len(loop.iter_args)
    rebuilt = scf.ForOp(loop.lb, loop.ub, loop.step, inits, loop.detach_region(0))
    rebuilt.attributes |= loop.attributes
    rebuilt.location = loop.location
    for result, (load, store) in zip(rebuilt.results[count:], elements, strict=True):
        store.detach()
        Rewriter.erase_op(load)
        store.operands[0] = result
        stores.append(store)
    Rewriter.insert_op(stores, after)
    Rewriter.replace_op(loop, rebuilt, rebuilt.results[:count])


@dataclass(frozen=True)
class LoopHoistMemrefPass(Pass):
    """
    Carry an element of memory through a loop in a value, where the loop loads and stores it in each iteration.

    The loop is known to run, and nothing else in it accesses memory that may be the element's: neither a store by
    another index or view nor a call.
    """

    name = "loop-hoist-memref"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoist_elements(op)
