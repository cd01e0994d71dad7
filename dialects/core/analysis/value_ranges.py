"""
Value-range analysis: the interval of integers that each value of scalar code may hold.

A forward interval analysis, on demand from a value back to its sources. Intervals are of signed values, of i1 from 0 to
1. They are exact as long as nothing overflows; what may overflow has the whole interval of its type, unless the op says
`nsw`. Cousot and Cousot, "Abstract Interpretation", POPL 1977.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from ....ir import integer_width
from ..index_cast import IndexCastUIOp
from .arithmetic import COMPARISONS, SEMANTICS, integer_of
from .intervals import Range

_BIT = Range(0, 1)


def whole_range(type: Attribute, index_bits: int = 64) -> Range | None:
    """Return all the values of an integer type or index, None for other types."""
    width = index_bits if isinstance(type, IndexType) else integer_width(type)
    if width is None:
        return None
    return _BIT if width == 1 else Range.of_bits(width, signed=True)


# Transfer functions


def _corners(kind: type[Operation], a: Range, b: Range) -> Range:
    """Return the interval of a function that is monotonic in each operand."""
    compute = SEMANTICS[kind].on_numbers
    values = [compute(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(values), max(values))


def _monotonic(kind: type[Operation]) -> Callable[[Range, Range], Range]:
    return lambda a, b: _corners(kind, a, b)


def _quotient(kind: type[Operation]) -> Callable[[Range, Range], Range]:
    """Return the transfer function of a division, monotonic for divisors of one sign; by zero it may give 0."""

    def transfer(a: Range, b: Range) -> Range:
        parts = [Range(b.low, min(b.high, -1))] if b.low < 0 else []
        parts += [Range(max(b.low, 1), b.high)] if b.high > 0 else []
        ranges = [_corners(kind, a, part) for part in parts]
        ranges += [Range(0, 0)] if b.low <= 0 <= b.high else []
        lowest = min(quotients.low for quotients in ranges)
        return Range(lowest, max(quotients.high for quotients in ranges))

    return transfer


def _remainder(a: Range, b: Range) -> Range:
    if a.magnitude < min(abs(b.low), abs(b.high)) and (b.low > 0 or b.high < 0):
        return a
    most = max(b.magnitude - 1, 0)
    return Range(max(min(a.low, 0), -most), min(max(a.high, 0), most))


def _unsigned_remainder(a: Range, b: Range) -> Range | None:
    if a.low >= 0 and b.low >= 0:
        return _remainder(a, b)
    return Range(0, b.high - 1) if b.low > 0 else None


def _unsigned(transfer: Callable[[Range, Range], Range | None]) -> Callable[[Range, Range], Range | None]:
    """Return the transfer function of an unsigned op, known for operands that are not negative."""
    return lambda a, b: transfer(a, b) if a.low >= 0 and b.low >= 0 else None


def _and(a: Range, b: Range) -> Range:
    ends = [operand.high for operand in (a, b) if operand.low >= 0]
    return Range(0, min(ends)) if ends else Range(-1 - _ones(a, b), max(a.high, b.high))


def _or(a: Range, b: Range) -> Range:
    """Return the interval of `or` and `xor`."""
    ones = _ones(a, b)
    return Range(0 if a.low >= 0 and b.low >= 0 else -1 - ones, ones)


def _ones(a: Range, b: Range) -> int:
    """Return the least 2^k - 1 for which all numbers of two intervals are from -2^k to 2^k - 1."""
    return (1 << max(max(side.high, -1 - side.low, 0).bit_length() for side in (a, b))) - 1


def _shift_left(a: Range, b: Range) -> Range | None:
    return _corners(arith.ShLIOp, a, b) if 0 <= b.low and b.high < 64 else None


def _shift_right(a: Range, b: Range) -> Range:
    return _corners(arith.ShRSIOp, a, b if b.low >= 0 else Range(0, 64))


def _select(condition: Range, a: Range, b: Range) -> Range:
    if condition.low == condition.high:
        return a if condition.low else b
    return a | b


TRANSFERS: dict[type[Operation], Callable[[Range, Range], Range | None]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MinSIOp: _monotonic(arith.MinSIOp),
    arith.MaxSIOp: _monotonic(arith.MaxSIOp),
    arith.DivSIOp: _quotient(arith.DivSIOp),
    arith.FloorDivSIOp: _quotient(arith.FloorDivSIOp),
    arith.CeilDivSIOp: _quotient(arith.CeilDivSIOp),
    arith.RemSIOp: _remainder,
    arith.MinUIOp: _unsigned(_monotonic(arith.MinSIOp)),
    arith.MaxUIOp: _unsigned(_monotonic(arith.MaxSIOp)),
    arith.DivUIOp: _unsigned(_quotient(arith.DivSIOp)),
    arith.CeilDivUIOp: _unsigned(_quotient(arith.CeilDivSIOp)),
    arith.RemUIOp: _unsigned_remainder,
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _or,
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _shift_right,
    arith.ShRUIOp: lambda a, b: _shift_right(a, b) if a.low >= 0 else None,
}
"""Op class -> the interval of its exact results on intervals of its operands, None where these are unbounded."""

_SAME = (arith.ExtSIOp, arith.TruncIOp, arith.IndexCastOp)
_ZERO_EXTENDED = (arith.ExtUIOp, IndexCastUIOp)
_OTHERS = (*_SAME, *_ZERO_EXTENDED, arith.CmpiOp, arith.SelectOp)


def _extended(op: Operation, a: Range) -> Range:
    """Return the interval of a zero-extended integer; a truncated one has that of its operand."""
    if isinstance(op.operands[0].type, IndexType):
        return a
    return a if a.low >= 0 else Range(0, (1 << (integer_width(op.operands[0].type) or 64)) - 1)


def _compared(op: arith.CmpiOp, a: Range, b: Range) -> Range:
    """Return the interval of a comparison, one number where it is the same for all operands."""
    number = op.predicate.value.data
    order, is_equality = COMPARISONS[number], number < 2
    if order.is_unsigned:
        width = integer_width(op.lhs.type) or 64
        a, b = a.unsigned(width), b.unsigned(width)
    overlaps, is_single = a.low <= b.high and b.low <= a.high, a.low == a.high and b.low == b.high
    if is_equality and overlaps and not is_single:
        return _BIT
    outcomes = [int(order.on_numbers(x, y)) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(outcomes), max(outcomes))


def exact_range(op: Operation, operands: Sequence[Range]) -> Range | None:
    """Return the interval of an op's result, were its type unlimited; None where it is unbounded."""
    if isinstance(op, arith.SelectOp):
        return _select(*operands)
    if isinstance(op, _ZERO_EXTENDED):
        return _extended(op, operands[0])
    if integer_width(op.operands[0].type) == 1:
        return -operands[0] if isinstance(op, arith.ExtSIOp) else None
    if isinstance(op, _SAME):
        return operands[0]
    if isinstance(op, arith.CmpiOp):
        return _compared(op, *operands)
    if isinstance(op, arith.MuliOp) and op.lhs is op.rhs:
        return operands[0].squared()
    return TRANSFERS[type(op)](*operands)


def is_transferred(op: Operation) -> bool:
    """Return whether the analysis looks through an op."""
    return type(op) in TRANSFERS or isinstance(op, _OTHERS)


# Analysis


class ValueRanges:
    """
    Value ranges of scalar code, memoised as long as the IR does not change.

    `ranges` are intervals of some values; `source` is asked for those that the analysis does not look through, such as
    loads, and gives None for all integers of the type. Indices have `index_bits`. With `carried`, loop-carried values
    are the fixed point of an iteration, else any.
    """

    def __init__(
        self,
        ranges: Mapping[SSAValue, Range | None] | None = None,
        source: Callable[[SSAValue], Range | None] = lambda value: None,
        *,
        index_bits: int = 64,
        carried: bool = False,
    ):
        self._known: dict[SSAValue, Range | None] = dict(ranges or {})
        self._source = source
        self._index_bits, self._limit = index_bits, 1 << (index_bits - 1)
        self._carried = carried

    def of(self, value: SSAValue) -> Range | None:
        """
        Return the interval of a value, None for values that are no integers.

        A value that depends on itself, as in a graph region or in code that is never reached, may be any of its type.
        """
        ranges, pending, path = self._known, [value], set[SSAValue]()
        while pending:
            last = pending[-1]
            missing = [] if last in ranges else [source for source in _inputs(last) if source not in ranges]
            ranges.update({source: whole_range(source.type, self._index_bits) for source in missing if source in path})
            missing = [source for source in missing if source not in ranges]
            if not missing and last not in ranges:
                ranges[last] = self._range(last)
            if missing:
                path.add(last)
                pending += missing
            else:
                pending.pop()
        return ranges[value]

    def refine(self, value: SSAValue, within: Range) -> None:
        """Note that a value is in an interval, where the analysis has found no smaller one."""
        present = self.of(value)
        if present is None or present not in within:
            self._known[value] = within

    def exact(self, op: Operation) -> Range | None:
        """Return the interval of an op's result, were its type unlimited; None where it is unbounded."""
        operands = [operand_range for operand in op.operands if (operand_range := self.of(operand)) is not None]
        return exact_range(op, operands) if is_transferred(op) and len(operands) == len(op.operands) else None

    def _range(self, value: SSAValue) -> Range | None:
        number = integer_of(value)
        if number is not None and -self._limit <= number < self._limit:
            return Range(number, number)
        whole = whole_range(value.type, self._index_bits)
        if whole is None:
            return None
        derived = self._found(value) if number is None else Range(number, number)
        if derived is None or derived in whole:
            return derived or whole
        meets = derived.low <= whole.high and whole.low <= derived.high
        return derived.clip(whole.low, whole.high) if meets and does_not_wrap(value) else whole

    def _found(self, value: SSAValue) -> Range | None:
        """Return the interval of a value before its type bounds that, None where it is unbounded."""
        owner = value.owner
        if isinstance(owner, Operation) and is_transferred(owner):
            return self.exact(owner)
        loop, position = _loop_value(value)
        if loop is not None and position < 0:
            low, high = self.of(loop.lb), self.of(loop.ub)
            return Range(low.low, max(low.low, high.high - 1)) if low is not None and high is not None else None
        if loop is not None and self._carried:
            return self._fixed_points(loop)[position]
        return self._source(value)

    def _fixed_points(self, loop: scf.ForOp) -> list[Range | None]:
        """Return the intervals of what a loop carries: those that a turn preserves, widened until they are."""
        block, carried = loop.body.block, [self.of(value) for value in loop.iter_args]
        while block.last_op is not None:
            ranges = {**self._known, **dict(zip(block.args[1:], carried, strict=True))}
            turn = ValueRanges(ranges, self._source, index_bits=self._index_bits, carried=True)
            after = [turn.of(value) for value in block.last_op.operands]
            pairs = list(zip(carried, after, block.args[1:], strict=True))
            if all(a is None or (b is not None and b in a) for a, b, _ in pairs):
                break
            carried = [a and self._widened(a, b, arg) for a, b, arg in pairs]
        return carried

    def _widened(self, before: Range, after: Range | None, value: SSAValue) -> Range | None:
        whole = whole_range(value.type, self._index_bits)
        if after is None or whole is None:
            return whole
        low = before.low if after.low >= before.low else 0 if after.low >= 0 else whole.low
        return Range(low, before.high if after.high <= before.high else whole.high)


def does_not_wrap(value: SSAValue) -> bool:
    """Return whether a value is the result of an op that says `nsw`."""
    owner = value.owner
    flags = owner.properties.get("overflowFlags") if isinstance(owner, Operation) else None
    return isinstance(flags, arith.IntegerOverflowAttr) and arith.IntegerOverflowFlag.NSW in flags.data


def _loop_value(value: SSAValue) -> tuple[scf.ForOp | None, int]:
    """Return the loop that a value is carried by, and its place there; -1 for the induction variable."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        return (loop, value.index - 1) if isinstance(loop, scf.ForOp) else (None, 0)
    owner = value.owner
    return (owner, value.index) if isinstance(owner, scf.ForOp) and isinstance(value, OpResult) else (None, 0)


def _inputs(value: SSAValue) -> Sequence[SSAValue]:
    """Return the values that the interval of another depends on."""
    owner = value.owner
    if isinstance(owner, Operation) and is_transferred(owner):
        return owner.operands
    loop, position = _loop_value(value)
    if loop is None:
        return ()
    return (loop.lb, loop.ub) if position < 0 else loop.iter_args
