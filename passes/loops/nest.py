"""Builder of loop nests with loop-invariant code motion."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.core.builder import Builder
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import Index, index_attribute, scalar_attr

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


class Nest(Builder):
    """
    Builder of loop nests with loop-invariant code motion.

    `op` hoists an op to the outermost loop in which all its operands are defined; equal index computations are built
    once. `insert` does not hoist. A loop is appended to its parent after the hoisted ops. All ops get one location.
    """

    def __init__(self, constants: Constants, location: LocationAttr):
        super().__init__(InsertPoint.at_end(Block()), location)
        self._constants = constants
        self._depths: dict[SSAValue, int] = {}

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

    @contextmanager
    def inside(self, block: Block, *, may_be_skipped: bool = True) -> Generator[None]:
        """Build in a block of an op that is inserted afterwards, here."""
        with super().inside(block, may_be_skipped=may_be_skipped):
            self._depths.update(dict.fromkeys(block.args, self.depth))
            yield

    def insert(self, op: Operation) -> None:
        """Append an op to the innermost loop."""
        self._append(op, self.depth)

    def read(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Load an element of a buffer that loops write, in the innermost loop whatever its indices are."""
        load = memref.LoadOp.get(buffer, indices)
        self.insert(load)
        return load.res

    def op(self, op: Operation) -> SSAValue:
        """Hoist an op as far as possible, and return its result."""
        self._append(op, self._depth_for(op))
        return op.results[0]

    def once(self, key: object, operands: Sequence[SSAValue], make: Callable[[], Operation]) -> SSAValue:
        """Return the result of an op with these operands, built once per key in the loop that it is hoisted to."""
        hoisted = self._scopes[self._depth_of(operands)].reusable
        whole = (key, *operands)
        if whole not in hoisted:
            hoisted[whole] = self.op(make())
        return hoisted[whole]

    def _append(self, op: Operation, depth: int) -> None:
        assert self.location is not None
        for nested in nested_ops(op):
            nested.location = self.location
        self._scopes[depth].block.add_op(op)
        self._depths.update(dict.fromkeys(op.results, depth))

    def _depth_for(self, op: Operation) -> int:
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
        return self.attribute(index_attribute(int(value)) if isinstance(type, IndexType) else scalar_attr(value, type))

    def attribute(self, value: IntegerAttr[Any] | FloatAttr[Any]) -> SSAValue:
        """Return the constant with this value and type."""
        assert self.location is not None
        return self._constants.get(value, self.location)
