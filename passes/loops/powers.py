"""Lookup table of exponentials for softmax, by distance from the row's maximum, filled by each core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.core.body import Body
from ...dialects.core.kernel import Kernel
from ...dialects.core.scalars import scalar_attr
from ...dialects.core.semantics import SCALAR_RULES
from ...ir import Array, integer_width, numpy_type
from ...runtime.interpreter import arithmetic
from .kept import Kept
from .scalar import live_ops

_RULES = (arithmetic,)
"""Module whose import registers the rules of `arith`."""
_MOST_DISTANCES = 1 << 16
_WORTH = 128
"""Least elements per table entry: with eight cores, each looks up more entries than it fills."""


@dataclass(frozen=True)
class Powers:
    """
    Lookup table of powers: `power` yields an entry, `reduction` takes the table as its last argument.

    `reduction` is the last one of a kernel that stores powers. All distances beyond the last entry have its value.
    """

    entries: int
    type: Attribute
    power: Block
    reduction: Block

    @property
    def bytes(self) -> int:
        """Bytes of the table."""
        return self.entries * numpy_type(self.type).itemsize


def powers_of(kernel: Kernel, kept: Kept | None) -> Powers | None:
    """
    Return the lookup table of a kernel that stores powers; None if the range of distances is unknown or too large.
    """
    if kept is None or kernel.furthest is None or kernel.furthest >= _MOST_DISTANCES:
        return None
    if len(kernel.reductions) != 2 or integer_width(kept.type) is None:
        return None
    body, ops = kept.reduction, live_ops(kept.reduction)[0]
    largest = body.args[len(kernel.inputs)]
    distance = next((op for op in ops if isinstance(op, arith.SubiOp) and op.lhs is largest), None)
    chain = _dependent_ops(distance.result, ops) if distance is not None else []
    if distance is None or not chain:
        return None
    power = chain[-1].results[0]
    values = _values(distance.result, chain, kernel.furthest)
    if (values != values.astype(numpy_type(kept.type))).any():
        return None
    last = int(np.append(np.flatnonzero(values != values[-1]), -1).max()) + 1
    code = _power(distance.result, chain, kept.type)
    return Powers(last + 1, kept.type, code, _looking_up(body, distance.result, power, last, kept.type))


def tabulates(powers: Powers | None, points: int, table_bytes: int) -> bool:
    """Return whether a kernel of `points` elements uses a table of at most `table_bytes` bytes."""
    return powers is not None and powers.bytes <= table_bytes and points >= _WORTH * powers.entries


def _dependent_ops(distance: SSAValue, ops: list[Operation]) -> list[Operation]:
    """Return the ops that depend on a distance and on constants alone, with their operands' definitions."""
    available = {distance}
    chain: list[Operation] = []
    for op in ops:
        is_constant = isinstance(op, arith.ConstantOp)
        if type(op) in SCALAR_RULES and len(op.results) == 1 and (is_constant or available.issuperset(op.operands)):
            available.add(op.results[0])
            chain.append(op)
    while chain and isinstance(chain[-1], arith.ConstantOp | arith.TruncIOp):
        chain.pop()
    return chain


def _values(distance: SSAValue, chain: list[Operation], furthest: int) -> Array:
    """Evaluate the power of every distance."""
    distances = np.arange(furthest + 1)
    values: dict[SSAValue, Any] = {distance: distances.astype(numpy_type(distance.type))}
    with np.errstate(all="ignore"):
        for op in chain:
            values[op.results[0]] = SCALAR_RULES[type(op)](op, *(values[operand] for operand in op.operands))
    return np.broadcast_to(np.asarray(values[chain[-1].results[0]]), distances.shape)


def _power(distance: SSAValue, chain: list[Operation], type: Attribute) -> Block:
    body = Body([distance.type])
    values = {distance: body.args[0]}
    for op in chain:
        body.block.add_op(op.clone(values))
    return body.finish(body.convert(values[chain[-1].results[0]], type))


def _looking_up(block: Block, distance: SSAValue, power: SSAValue, last: int, type: Attribute) -> Block:
    """Return a body that takes a table as its last argument, and loads a power instead of computing it."""
    table = MemRefType(cast(Any, type), [last + 1])
    body = Body([*(arg.type for arg in block.args), table])
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, body.args, strict=False))
    assert block.last_op is not None
    for op in live_ops(block)[0]:
        if power not in op.results:
            body.block.add_op(op.clone(values))
            continue
        index = values[distance]
        limit = body.op(arith.ConstantOp(scalar_attr(last, index.type)))
        place = body.op(arith.IndexCastOp(body.op(arith.MinSIOp(index, limit)), IndexType()))
        values[power] = body.convert(body.op(memref.LoadOp.get(body.args[-1], [place])), power.type)
    return body.finish(*(values.get(operand, operand) for operand in block.last_op.operands))
