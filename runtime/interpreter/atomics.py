"""Rules for updates of elements of memory by a kind: `memref.atomic_rmw` and reductions of `affine.parallel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import memref
from xdsl.ir import Attribute, Block

from ...dialects.core.atomic_kinds import combined, kind_of
from ...dialects.core.semantics import SCALAR_RULES, Runner, Value, semantics
from .memory import check_writable
from .tensors import point


def combiner(kind: str, element: Attribute) -> Callable[[Value, Value], Value]:
    """Return the function of a kind on scalars of a type."""
    left, right = Block(arg_types=[element, element]).args
    op = combined(kind, left, right)
    if op is None:
        return lambda old, value: value
    rule: Any = SCALAR_RULES[type(op)]
    return lambda old, value: rule(op, old, value)


@semantics(memref.AtomicRMWOp)
def _update(runner: Runner, op: memref.AtomicRMWOp, operands: Sequence[Value]) -> list[Value]:
    value, target, *indices = operands
    check_writable(op, target)
    place = point(op, target, [int(index) for index in indices])
    old = target[place]
    target[place] = combiner(kind_of(op.kind), op.result.type)(old, value)
    return [old]
