"""Row values computed in the last reduction and stored for reuse by the result."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.core.body import Body
from ...dialects.core.kernel import Kernel
from .affine import clamps_of
from .scalar import live_ops

_FREE = (arith.ConstantOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp)
_LEAST_WORK = 4
"""Least work, in ops, of a value worth storing instead of recomputing."""
_FUNCTION_WORK = 4
"""Least work of a root, an exponential and similar functions."""

Numbers: TypeAlias = "dict[Hashable, int]"


@dataclass(frozen=True)
class Kept:
    """
    Bodies of a kernel that stores a value per element of a row.

    The last `reduction` yields the value after its accumulators; `result` takes it as its last argument.
    """

    reduction: Block
    result: Block
    type: Attribute


def row_of(kernel: Kernel) -> int | None:
    """Return the dimension along which a kernel reduces rows and computes results; None for other kernels."""
    if len(kernel.reduced) != 1 or not kernel.reductions or kernel.result is None or clamps_of(kernel):
        return None
    (dim,) = kernel.reduced
    return dim if dim in kernel.output_dims else None


def kept_of(kernel: Kernel) -> Kept | None:
    """
    Select the most expensive value that both the last reduction and the result compute; None if there is none.

    A value that the result only truncates is stored in the narrower type.
    """
    if row_of(kernel) is None or kernel.result is None:
        return None
    body, result = kernel.reductions[-1].body, kernel.result
    own = len(kernel.reductions[-1].initial)
    table: Numbers = {}
    computed = {number: value for value, number in _numbered(body, len(body.args) - own, table).items()}
    weights = _weights(result, len(kernel.inputs))
    again = {
        value: computed[number]
        for value, number in _numbered(result, len(body.args) - own, table).items()
        if number in computed and weights.get(value, 0) >= _LEAST_WORK
    }
    if not again:
        return None
    value = max(again, key=weights.__getitem__)
    users = [use.operation for use in value.uses]
    narrow = users[0] if len(users) == 1 and isinstance(users[0], arith.TruncIOp) else None
    used = value if narrow is None else narrow.results[0]
    return Kept(_yielding(body, again[value], used.type), _taking(result, used), used.type)


def _numbered(block: Block, shared: int, table: Numbers) -> dict[SSAValue, int]:
    """
    Number the values of a body (value numbering): equal values of bodies with the same `table` have the same number.
    """

    def number(key: Hashable) -> int:
        return table.setdefault(key, len(table))

    numbers: dict[SSAValue, int] = {
        arg: number(("argument", place if place < shared else arg)) for place, arg in enumerate(block.args)
    }
    own_numbers: dict[SSAValue, int] = {}
    for op in live_ops(block)[0]:
        operands = tuple(numbers[v] if v in numbers else number(("outside", v)) for v in op.operands)
        key = (op.name, tuple(sorted(op.properties.items(), key=lambda item: item[0])), operands)
        for place, value in enumerate(op.results):
            same = ("own", value) if op.regions or op.attributes else (*key, place, value.type)
            numbers[value] = own_numbers[value] = number(same)
    return own_numbers


def _weights(block: Block, inputs: int) -> dict[SSAValue, int]:
    """Return the work of each value: ops in its backward slice that depend on an element of the inputs."""
    slices: dict[SSAValue, frozenset[Operation]] = {arg: frozenset() for arg in block.args[:inputs]}
    for op in live_ops(block)[0]:
        below = [slices[operand] for operand in op.operands if operand in slices]
        if below:
            own = frozenset([op]) if not isinstance(op, _FREE) else frozenset[Operation]()
            slices |= dict.fromkeys(op.results, own.union(*below))
    return {value: sum(map(_work, ops)) for value, ops in slices.items()}


def _work(op: Operation) -> int:
    return _FUNCTION_WORK if op.name.startswith("math.") else 1


def _yielding(body: Block, value: SSAValue, type: Attribute) -> Block:
    """Return a reduction's body that also yields one of its values, in this type."""
    copy, values = _copied(body, [arg.type for arg in body.args], None)
    assert body.last_op is not None
    yielded = [values.get(operand, operand) for operand in body.last_op.operands]
    return copy.finish(*yielded, copy.convert(values[value], type))


def _taking(block: Block, kept: SSAValue) -> Block:
    """Return a result's body that takes one of its values as its last argument."""
    copy, values = _copied(block, [*(arg.type for arg in block.args), kept.type], kept)
    assert block.last_op is not None
    return copy.finish(*(values.get(operand, operand) for operand in block.last_op.operands))


def _copied(block: Block, types: list[Attribute], kept: SSAValue | None) -> tuple[Body, dict[SSAValue, SSAValue]]:
    """Copy a body without its terminator; `kept` becomes the last argument."""
    copy = Body(types)
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, copy.args, strict=False))
    for old, new in zip(block.args, copy.args, strict=False):
        new.name_hint = old.name_hint
    for op in live_ops(block)[0]:
        if kept is not None and kept in op.results:
            values[kept] = copy.args[-1]
        else:
            copy.block.add_op(op.clone(values))
    return copy, values
