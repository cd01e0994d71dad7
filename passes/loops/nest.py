"""Builder of loop nests with loop-invariant code motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, LocationAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.core.body import scalar_attr
from ...dialects.core.nesting import nested_ops
from .scalar import NO_SIGNED_WRAP

Index: TypeAlias = "int | SSAValue"
"""Constant or computed index."""

INDEX = IndexType()
INDEPENDENT = "tilewright.independent"
"""Attribute of a loop without loop-carried dependences: iterations may run in any order."""
UNROLL = "tilewright.unroll"
"""Attribute of a loop: by which factor the C compiler is asked to unroll it."""
PARALLEL = "tilewright.parallel"
"""Attribute of a parallel loop that several cores may share: iterations access disjoint memory."""

_DIVISIONS = (
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
)


@cache
def index_attribute(value: int) -> IntegerAttr[IndexType]:
    """Return an index as an attribute."""
    return IntegerAttr(value, INDEX)


def index_constant(value: int) -> arith.ConstantOp:
    """Build the constant op of an index."""
    return arith.ConstantOp.create(properties={"value": index_attribute(value)}, result_types=[INDEX])


class Constants:
    """Constants of a function, uniqued and placed at its top."""

    def __init__(self) -> None:
        self._ops: dict[tuple[Attribute, str], arith.ConstantOp] = {}

    def get(self, value: IntegerAttr[Any] | FloatAttr[Any], location: LocationAttr) -> SSAValue:
        """Return the constant; its location is that of the first request."""
        key = (value, repr(value.value.data) if isinstance(value, FloatAttr) else "")
        if key not in self._ops:
            self._ops[key] = arith.ConstantOp(value)
            self._ops[key].location = location
            self._ops[key].result.name_hint = _constant_name(value)
        return self._ops[key].result

    def place(self, entry: Block) -> None:
        """Insert the used constants at the top of a block."""
        used = [op for op in self._ops.values() if op.result.uses]
        if used and entry.first_op is not None:
            entry.insert_ops_before(used, entry.first_op)
        elif used:
            entry.add_ops(used)


def _constant_name(value: IntegerAttr[Any] | FloatAttr[Any]) -> str | None:
    if not isinstance(value, IntegerAttr):
        return None
    number = value.value.data
    return f"c{number}" if number >= 0 else f"cm{-number}"


def _may_trap(op: Operation) -> bool:
    """Return whether an op must not be speculated: a division whose divisor may be 0."""
    if type(op) not in _DIVISIONS:
        return False
    divisor = op.operands[1].owner
    return not isinstance(divisor, arith.ConstantOp) or divisor.value == scalar_attr(0, divisor.result.type)


class _Scope:
    """Body of an open loop, or the insertion point of the nest."""

    def __init__(self, block: Block, *, may_be_skipped: bool):
        self.block = block
        self.may_be_skipped = may_be_skipped
        self.known: dict[tuple[Any, ...], SSAValue] = {}


class Nest:
    """
    Builder of loops from the outermost inwards.

    `open` begins a loop, `close` ends the innermost. `op` hoists an op to the outermost loop in which all its operands
    are defined; equal index computations are emitted once. A closed loop is appended to its parent after the hoisted
    ops. All ops get one location.
    """

    def __init__(self, constants: Constants, location: LocationAttr):
        self._constants = constants
        self._location = location
        self._scopes = [_Scope(Block(), may_be_skipped=False)]
        self._depths: dict[SSAValue, int] = {}
        self._headers: list[tuple[Index, Index, Sequence[SSAValue], Sequence[str]] | SSAValue] = []
        """Of each open loop its bounds, loop-carried values and marks; the condition of an open branch."""

    @property
    def depth(self) -> int:
        """Return the number of open loops."""
        return len(self._scopes) - 1

    def take(self) -> list[Operation]:
        """Detach and return the finished ops, after all loops are closed."""
        ops = list(self._scopes[0].block.ops)
        for op in ops:
            op.detach()
        return ops

    def open(
        self,
        name: str,
        lower: Index,
        upper: Index,
        carried: Sequence[SSAValue] = (),
        *,
        marks: Sequence[str] = (),
    ) -> tuple[SSAValue, ...]:
        """
        Open the loop `for name in lower to upper` with these loop-carried values.

        The loop gets the `marks` as attributes: INDEPENDENT if it has no loop-carried dependence through memory,
        PARALLEL if cores may share it. Returns the induction variable and the loop-carried values inside, which keep
        their names.
        """
        block = Block(arg_types=[INDEX, *(value.type for value in carried)])
        runs = isinstance(lower, int) and isinstance(upper, int) and lower < upper
        self._headers.append((lower, upper, carried, marks))
        self._scopes.append(_Scope(block, may_be_skipped=not runs))
        self._depths.update(dict.fromkeys(block.args, self.depth))
        for arg, hint in zip(block.args, [name, *(value.name_hint for value in carried)], strict=True):
            arg.name_hint = hint
        return block.args

    def branch(self, condition: SSAValue) -> None:
        """Open the branch `if condition`, which `close` closes as it does a loop."""
        self._headers.append(condition)
        self._scopes.append(_Scope(Block(), may_be_skipped=True))

    def close(self, yielded: Sequence[SSAValue] = ()) -> tuple[SSAValue, ...]:
        """Close the innermost loop or branch, and return the results of its loop-carried values."""
        scope, header = self._scopes.pop(), self._headers.pop()
        scope.block.add_op(self._located(scf.YieldOp(*yielded)))
        if isinstance(header, SSAValue):
            self._append(scf.IfOp(header, [], [scope.block]), self.depth)
            return ()
        lower, upper, carried, marks = header
        loop = scf.ForOp(self.value(lower), self.value(upper), self.value(1), carried, scope.block)
        loop.attributes |= dict.fromkeys(marks, UnitAttr())
        self._append(loop, self.depth)
        for result, value in zip(loop.res, scope.block.args[1:], strict=True):
            result.name_hint = value.name_hint
        return tuple(loop.res)

    def close_all(self, count: int) -> None:
        """Close the innermost `count` loops, which carry no values."""
        for _ in range(count):
            self.close()

    def op(self, op: Operation) -> SSAValue:
        """Hoist an op as far as possible, and return its result."""
        self._append(op, self._place(op))
        return op.results[0]

    def once(self, key: object, operands: Sequence[SSAValue], make: Callable[[], Operation]) -> SSAValue:
        """Return the result of an op with these operands, emitted once per key."""
        scope = self._scopes[self._depth_of(operands)]
        whole = (key, *operands)
        if whole not in scope.known:
            scope.known[whole] = self.op(make())
        return scope.known[whole]

    def last(self, op: Operation) -> None:
        """Append an op to the innermost loop."""
        self._append(op, self.depth)

    def _append(self, op: Operation, depth: int) -> None:
        self._located(op)
        self._scopes[depth].block.add_op(op)
        self._depths.update(dict.fromkeys(op.results, depth))

    def _located(self, op: Operation) -> Operation:
        for nested in nested_ops(op):
            nested.location = self._location
        return op

    def _place(self, op: Operation) -> int:
        depth = self._depth_of([operand for nested in nested_ops(op) for operand in nested.operands])
        if not any(_may_trap(nested) for nested in nested_ops(op)):
            return depth
        skipped = [d for d, scope in enumerate(self._scopes) if scope.may_be_skipped]
        return max([depth, *skipped])

    def _depth_of(self, values: Sequence[SSAValue]) -> int:
        return max((self._depths.get(value, 0) for value in values), default=0)

    def depth_of(self, index: Index) -> int:
        """Return the number of loops around the definition of an index."""
        return 0 if isinstance(index, int) else self._depths.get(index, 0)

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """Return a constant of a scalar type."""
        return self.attribute(scalar_attr(value, type))

    def attribute(self, value: IntegerAttr[Any] | FloatAttr[Any]) -> SSAValue:
        """Return the constant with this value and type."""
        return self._constants.get(value, self._location)

    def value(self, index: Index) -> SSAValue:
        """Return an index as an SSA value."""
        return index if isinstance(index, SSAValue) else self.attribute(index_attribute(index))

    def add(self, a: Index, b: Index) -> Index:
        """Return a + b."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int) and b <= 0:
            return a if b == 0 else self.sub(a, -b)
        return self._binary(arith.AddiOp, a, b)

    def sub(self, a: Index, b: Index) -> Index:
        """Return a - b."""
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self._binary(arith.SubiOp, a, b)

    def mul(self, a: Index, factor: int) -> Index:
        """Return a * factor."""
        if isinstance(a, int):
            return a * factor
        return a if factor == 1 else self._binary(arith.MuliOp, a, factor)

    def greatest(self, indices: Sequence[Index]) -> Index:
        """Return the largest of some indices."""
        known = [index for index in indices if isinstance(index, int)]
        return self._fold(arith.MaxSIOp, indices, [max(known)] if known else [])

    def least(self, indices: Sequence[Index]) -> Index:
        """Return the smallest of some indices."""
        known = [index for index in indices if isinstance(index, int)]
        return self._fold(arith.MinSIOp, indices, [min(known)] if known else [])

    def _fold(self, op: Any, indices: Sequence[Index], known: Sequence[int]) -> Index:
        values = [*(index for index in indices if not isinstance(index, int)), *known]
        return reduce(lambda a, b: self._plain(op, a, b), values)

    def div(self, a: Index, divisor: int, *, negative: bool = False) -> Index:
        """Return a / divisor, truncated; `negative` selects floor division."""
        if isinstance(a, int):
            return a // divisor
        if divisor == 1:
            return a
        return self._plain(arith.FloorDivSIOp if negative else arith.DivSIOp, a, divisor)

    def _binary(self, op: Any, a: Index, b: Index) -> SSAValue:
        left, right = self.value(a), self.value(b)
        return self.once(op, (left, right), lambda: op(left, right, overflow=NO_SIGNED_WRAP))

    def _plain(self, op: Any, a: Index, b: Index) -> SSAValue:
        left, right = self.value(a), self.value(b)
        return self.once(op, (left, right), lambda: op(left, right))

    def compare(self, a: Index, predicate: str, b: Index) -> SSAValue:
        """Return the signed comparison of two indices."""
        left, right = self.value(a), self.value(b)
        return self.once(predicate, (left, right), lambda: arith.CmpiOp(left, right, predicate))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return the conjunction of two conditions."""
        return self.once("and", (a, b), lambda: arith.AndIOp(a, b))
