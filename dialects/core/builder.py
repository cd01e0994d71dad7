"""Builder of IR: loops, conditionals, and arithmetic that folds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Self

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, LocationAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from .arithmetic import Arithmetic
from .scalars import INDEX, Index, index_constant, scalar_attr

Side = Callable[[], "Sequence[SSAValue] | None"]
"""Builds one branch of a conditional and returns the yielded values, if any."""


@dataclass
class Loop:
    """
    Loop with loop-carried values.

    `values` are those at the insertion point: the block arguments where the loop begins, in it what its user makes of
    them, and behind it the loop's results.
    """

    index: Index
    values: Sequence[SSAValue]


@dataclass
class Scope:
    """Insertion point in a block, and the pure values that were built there, by how they are computed."""

    block: Block
    before: Operation | None
    may_be_skipped: bool = False
    reusable: dict[tuple[object, ...], SSAValue] = field(default_factory=dict[tuple[object, ...], SSAValue])


class Builder(Arithmetic):
    """
    Builder of ops at an insertion point, with one location.

        builder = Builder.before(op)
        with builder.loop("i", 0, 64, 4) as i, builder.when(builder.compare(i, "slt", limit)):
            builder.insert(memref.StoreOp.get(zero, buffer, [builder.value(builder.add(i, offset))]))

    In a `with` block the insertion point is in the body of the loop or branch, which is inserted when the block ends. A
    loop of one iteration is none: its body is built in place. Constant indices and index arithmetic of a block are
    built once, also for the blocks in it.
    """

    def __init__(self, point: InsertPoint, location: LocationAttr | None = None, *, wraps: bool = False):
        super().__init__(wraps=wraps)
        self.location = location
        self._scopes = [Scope(point.block, point.insert_before)]

    @classmethod
    def before(cls, op: Operation, *, wraps: bool = False) -> Self:
        """Return a builder before an op, with its location."""
        return cls(InsertPoint.before(op), op.location, wraps=wraps)

    @classmethod
    def at_end(cls, block: Block, location: LocationAttr | None = None, *, wraps: bool = False) -> Self:
        """Return a builder at the end of a block."""
        return cls(InsertPoint.at_end(block), location, wraps=wraps)

    @property
    def block(self) -> Block:
        """Block of the insertion point."""
        return self._scopes[-1].block

    @property
    def point(self) -> InsertPoint:
        """Insertion point of the next op."""
        scope = self._scopes[-1]
        return InsertPoint(scope.block, scope.before)

    def insert(self, op: Operation) -> None:
        """Insert an op."""
        if self.location is not None:
            op.location = self.location
        scope = self._scopes[-1]
        if scope.before is None:
            scope.block.add_op(op)
        else:
            scope.block.insert_op_before(op, scope.before)

    def op(self, op: Operation) -> SSAValue:
        """Insert an op and return its first result."""
        self.insert(op)
        return op.results[0]

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """Return a constant of a scalar type; indices are shared."""
        if isinstance(type, IndexType):
            number = int(value)
            return self.once(number, (), lambda: index_constant(number))
        return self.op(arith.ConstantOp(scalar_attr(value, type)))

    def once(self, key: object, operands: Sequence[SSAValue], make: Callable[[], Operation]) -> SSAValue:
        """Return the result of a pure op with these operands, built once per key in the blocks around."""
        whole = (key, *operands)
        for scope in self._scopes:
            if whole in scope.reusable:
                return scope.reusable[whole]
        self._scopes[-1].reusable[whole] = result = self.op(make())
        return result

    @contextmanager
    def inside(self, block: Block, *, may_be_skipped: bool = True) -> Generator[None]:
        """Build at the end of a block of an op that is inserted afterwards, here."""
        self._scopes.append(Scope(block, None, may_be_skipped))
        yield
        self._scopes.pop()

    @contextmanager
    def loop(
        self,
        name: str | None,
        lower: Index,
        upper: Index,
        step: Index = 1,
        *,
        marks: Sequence[str] = (),
        kept: bool = False,
    ) -> Generator[Index]:
        """
        Build the loop `for name in lower to upper by step`, and give its index.

        The loop gets the `marks` as attributes. One of a single iteration is none, unless it is `kept`.
        """
        with self.carried_loop(name, lower, upper, (), step, marks=marks, kept=kept) as loop:
            yield loop.index

    @contextmanager
    def loops(
        self, names: Sequence[str | None], counts: Sequence[int], *, marks: Sequence[str] = (), kept: bool = False
    ) -> Generator[list[Index]]:
        """Build a perfect nest of loops from 0, the first outermost, and give their indices."""
        with ExitStack() as stack:
            pairs = zip(names, counts, strict=True)
            yield [stack.enter_context(self.loop(name, 0, count, marks=marks, kept=kept)) for name, count in pairs]

    @contextmanager
    def carried_loop(
        self,
        name: str | None,
        lower: Index,
        upper: Index,
        values: Sequence[SSAValue],
        step: Index = 1,
        *,
        names: Sequence[str | None] | None = None,
        marks: Sequence[str] = (),
        kept: bool = False,
    ) -> Generator[Loop]:
        """Build a loop with loop-carried values, `loop.values`, of these names or those that they have before it."""
        count = _trip_count(lower, upper, step)
        if count == 1 and not kept:
            yield Loop(lower, values)
            return
        ends = [self.value(end) for end in (lower, upper, step)]
        block = Block(arg_types=[INDEX, *(value.type for value in values)])
        for arg, hint in zip(block.args, [name, *(names or [value.name_hint for value in values])], strict=True):
            arg.name_hint = hint
        loop = Loop(block.args[0], block.args[1:])
        with self.inside(block, may_be_skipped=not count):
            yield loop
            self.insert(scf.YieldOp(*loop.values))
        op = scf.ForOp(ends[0], ends[1], ends[2], values, block)
        op.attributes |= dict.fromkeys(marks, UnitAttr())
        self.insert(op)
        for result, arg in zip(op.results, block.args[1:], strict=True):
            result.name_hint = arg.name_hint
        loop.values = op.results

    @contextmanager
    def when(self, condition: SSAValue) -> Generator[None]:
        """Build the branch `if condition`."""
        block = Block()
        with self.inside(block):
            yield
            self.insert(scf.YieldOp())
        self.insert(scf.IfOp(condition, [], [block]))

    def choose(self, condition: SSAValue, then: Side, otherwise: Side) -> list[SSAValue]:
        """Build a conditional of two branches that yield values of the same types; return its results."""
        blocks, yielded = (Block(), Block()), list[SSAValue]()
        for block, side in zip(blocks, (then, otherwise), strict=True):
            with self.inside(block):
                yielded = list(side() or ())
                self.insert(scf.YieldOp(*yielded))
        op = scf.IfOp(condition, [value.type for value in yielded], [blocks[0]], [blocks[1]])
        self.insert(op)
        return list(op.results)


def _trip_count(lower: Index, upper: Index, step: Index) -> int | None:
    """Return the iterations of a loop, None where they are not known."""
    if isinstance(lower, int) and isinstance(upper, int) and isinstance(step, int):
        return len(range(lower, upper, step))
    return None
