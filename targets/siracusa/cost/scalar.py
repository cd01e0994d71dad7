"""
Cost of straight-line scalar code on a RI5CY core: cycles per op of `arith`, `math` and `quant`.

Latencies were measured on GVSoC's model of the core: one cycle for most instructions and `p.mac`, two for a
multiplication and one more if the next instruction uses its result, 33 for a division, three for a taken branch. 64-bit
integers are pairs of registers: their costs count the instructions of a C compiler for rv32im, or were estimated from
libgcc's code (division). Floats are counted separately, because their cost depends on the floating-point unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import frexp
from typing import NamedTuple

from xdsl.dialects import arith, math, memref
from xdsl.dialects.builtin import i32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from ....dialects.core.analysis.constants import constant_number
from ....dialects.core.analysis.value_ranges import ValueRanges
from ....dialects.core.nesting import nested_ops
from ....dialects.core.scalars import is_float
from ....dialects.nn import IntegerSqrtOp
from ....dialects.quant import LookupOp, RequantizeOp, RescaleOp
from ....ir import integer_width
from ....passes.annotate_unrolling import CALL
from ....passes.loops.branches import exclusive_slice, rare_value
from ....passes.loops.scalar import live_ops
from ..passes.fuse_products import fusible_product

MEMOISED = 256
"""Arguments, such as blocks of scalar code, for which a function of costs is memoised; the blocks are kept alive."""

_FLOAT_CYCLES = 81.0
"""Cycles of a float addition in software."""


_UNCACHED = 3.5
"""
Cycles of a float routine that is seldom called in those of others: its code is fetched anew.

A conversion, a sum and a product that requantise 2 % of 51 x 48 and of 50 x 48 sums took 770 and 580 cycles beside
seven other cores, where others take 194 on one.
"""


class ScalarWork(NamedTuple):
    """
    Work of scalar code: cycles of integer code, and equivalent float additions or multiplications.

    `waits` are stalls for products, which code of other points can fill. `saved` are the cycles, and `saved_waits` the
    stalls, that Xpulp's instructions save; `zeros` the float additions that zeros among the operands save a core alone.
    """

    cycles: float = 0.0
    floats: float = 0.0
    waits: float = 0.0
    saved: float = 0.0
    saved_waits: float = 0.0
    zeros: float = 0.0

    def plus(self, other: ScalarWork) -> ScalarWork:
        """Return the sum of two works."""
        return ScalarWork(*(mine + others for mine, others in zip(self, other, strict=True)))

    def seldom(self, frequency: float) -> ScalarWork:
        """Return the work of code in a branch that is taken with a frequency; floats count as calls."""
        return ScalarWork(frequency * (self.cycles + self.floats * _FLOAT_CYCLES * _UNCACHED))

    def total(self, rates: Rates) -> float:
        """Return the total cycles."""
        floats = self.floats if rates.is_shared else self.floats - self.zeros
        return self.cycles + floats * rates.float_cycles - (self.saved if rates.xpulp else 0)

    def beside_others(self, rates: Rates) -> float:
        """Return the total cycles if code of other points fills the stalls for products."""
        return self.total(rates) - self.waits + (self.saved_waits if rates.xpulp else 0)


class Rates(NamedTuple):
    """
    Cost parameters of a core's scalar code: cycles of a float addition, availability of Xpulp's minimum, maximum and
    multiply-accumulate (`fuse-products`), and whether other cores fetch code from the same cache.
    """

    float_cycles: float = _FLOAT_CYCLES
    xpulp: bool = False
    is_shared: bool = False

    def beside(self, cores: int) -> Rates:
        """Return the rates of one of several active cores, which share an instruction cache."""
        factor = 1 + _SHARED_CODE * (cores - 1) / 7
        return self._replace(float_cycles=self.float_cycles * factor, is_shared=cores > 1)


_SHARED_CODE = 0.2
"""
Loss of eight cores in float routines, of which two exceed a core's own instruction cache of 512 bytes: 0.04 to 0.08 in
loops with a single one, 0.12 to 0.39 with more.
"""


class _OpCost(NamedTuple):
    """Cycles in up to 32 bits, and in 64."""

    narrow: float
    wide: float


_BIT, _SUM, _SHIFT = _OpCost(1, 2), _OpCost(1, 4), _OpCost(1, 4)
_PRODUCT = _OpCost(3, 13)
_DIVISION = _OpCost(33, 200)
_ROUNDED_DIVISION = _OpCost(70, 410)
"""Quotient and remainder, to round away from zero instead of C's truncation."""
_INDEX_WIDTH = 32

_OP_COSTS: dict[type[Operation], _OpCost] = {
    arith.AddiOp: _SUM,
    arith.SubiOp: _SUM,
    arith.AndIOp: _BIT,
    arith.OrIOp: _BIT,
    arith.XOrIOp: _BIT,
    arith.ShLIOp: _SHIFT,
    arith.ShRSIOp: _SHIFT,
    arith.ShRUIOp: _SHIFT,
    arith.MuliOp: _PRODUCT,
    arith.MulSIExtendedOp: _OpCost(5, 40),
    arith.MulUIExtendedOp: _OpCost(5, 40),
    arith.CmpiOp: _OpCost(1, 3),
    arith.SelectOp: _OpCost(3, 4),
    arith.DivSIOp: _DIVISION,
    arith.DivUIOp: _DIVISION,
    arith.RemSIOp: _DIVISION,
    arith.RemUIOp: _DIVISION,
    arith.FloorDivSIOp: _ROUNDED_DIVISION,
    arith.CeilDivSIOp: _ROUNDED_DIVISION,
    arith.CeilDivUIOp: _ROUNDED_DIVISION,
    math.AbsIOp: _OpCost(3, 6),
    IntegerSqrtOp: _OpCost(160, 960),
    LookupOp: _OpCost(17, 17),
}
"""Cycles of ops; one for those not listed. The root is that of `tw_isqrt`, a step per two bits; tables are in L2."""

_FREE = (
    arith.ConstantOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.IndexCastOp,
    arith.BitcastOp,
    IndexOp,
)
"""Free conversions: loads extend and stores truncate."""

EXTENSIONS: dict[type[Operation], float] = {arith.ExtUIOp: 1, arith.ExtSIOp: 2}
"""Cycles of extensions of bytes and halfwords in registers."""

EXTREMA = (arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)
"""Ops whose operands are in range, and need no extension."""
FLOAT_EXTREMA = (arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp)
_OF_TWO = _OpCost(4.1, 8)
"""Cycles of the larger of two bytes: a branch taken half of the time."""
_BOUND = _OpCost(2.9, 6)
"""Cycles of half a clip of a sum of bytes, which is often clipped."""
_SELDOM_BOUND = _OpCost(1.5, 5)
"""Cycles of half a clip of a rescaled value, which is rarely clipped."""
_PRODUCT_FOR_DIVISION: dict[type[Operation], float] = {arith.FloorDivSIOp: 12, arith.DivSIOp: 15}
"""
Cycles of a division by a loop-invariant: upper word of a product, remainder and test; with signs half of the time for
truncation. Floor division becomes a product only for non-negative dividends.
"""
_BRANCH = 1 / 3
"""Cycles of a branch that is seldom taken, in those of a select."""
_MAC_COPY = 1
"""Cycles to copy an operand with further uses into the accumulator register of `p.mac`."""
_TABLE = 33
"""Cycles of a load from a table of floats, in L2, beside seven other cores: 53 an element of a lookup measured."""
_DIVISION_BY_CONSTANT = 10
"""Cycles of a multiplication that yields the upper half, and shifts."""

_FLOAT_WEIGHTS: dict[type[Operation], float] = {
    arith.ConstantOp: 0,
    arith.BitcastOp: 0,
    arith.SelectOp: 0.05,
    arith.NegfOp: 0.02,
    math.AbsFOp: 0.02,
    arith.MulfOp: 0.67,
    arith.DivfOp: 1.45,
    arith.CmpfOp: 0.5,
    arith.MaximumfOp: 1.6,
    arith.MinimumfOp: 1.6,
    arith.MaxnumfOp: 1.6,
    arith.MinnumfOp: 1.6,
    arith.SIToFPOp: 0.73,
    arith.UIToFPOp: 0.73,
    arith.FPToSIOp: 0.5,
    arith.FPToUIOp: 0.5,
    arith.ExtFOp: 0.02,
    arith.TruncFOp: 0.3,
    math.SqrtOp: 1.7,
    math.FloorOp: 3.5,
    math.CeilOp: 3.5,
    math.RoundEvenOp: 2.5,
    math.ErfOp: 29,
    math.PowFOp: 59.6,
}
"""
Cycles of float ops in units of an addition.

Fitted to one core on GVSoC, with the routines of libgcc and of the C library: medians over the corpus' kernels of each
op, whose cycles depend on its data. The comparisons and conversions that no kernel of the corpus has alone were
estimated from the others.
"""
_FUNCTION_WEIGHT = 19.9
"""Equivalent float additions of an exponential, and of functions that the table lacks."""
_ZEROS = 0.07
"""
Equivalent float additions that a product saves a core alone where a reduction sums it: 0.67 fits random numbers.

Of zeros, as many activations are, products and sums are shorter. Eight cores, which wait for code, save less.
"""
_BOUND_WEIGHT = 0.83
"""Equivalent float additions of an extremum with a constant, whose NaN is known."""


def work_of(block: Block | None) -> ScalarWork:
    """Return the work of a body's code at each point."""
    return works_of(block)[0]


def works_of(block: Block | None, fixed: Sequence[SSAValue] = (), carried: int = 0) -> tuple[ScalarWork, ScalarWork]:
    """
    Return the work of a body's code per point of a loop, and before the loop, for loop-invariant arguments `fixed`.

    The last arguments, `carried`, are accumulators, with which `fuse-products` fuses no product. Loop-invariant code is
    computed before the loop, and a division by it is a product (`divide-by-invariants`).
    """
    if block is None:
        return ScalarWork(), ScalarWork()
    # Detached bodies are code of `KernelOp.core`, immutable and shared by structurally equal kernels.
    split = _split_once if block.parent is None else _split_anew
    return split(block, tuple(fixed), carried)


@lru_cache(maxsize=MEMOISED)
def _split_once(block: Block, fixed: tuple[SSAValue, ...], carried: int) -> tuple[ScalarWork, ScalarWork]:
    return _split_anew(block, fixed, carried)


def _split_anew(block: Block, fixed: Sequence[SSAValue], carried: int) -> tuple[ScalarWork, ScalarWork]:
    each_point, before = ScalarWork(), ScalarWork()
    accumulators = block.args[len(block.args) - carried :]
    invariant, ops = set(fixed), live_ops(block)[0]
    rare = _rare_ops(ops)
    for live in ops:
        constants = [operand for operand in live.operands if _is_constant(operand)]
        if not live.regions and live.operands and all(v in invariant or v in constants for v in live.operands):
            invariant.update(live.results)
            before = before.plus(_work(live))
        elif type(live) in _PRODUCT_FOR_DIVISION and live.operands[1] in invariant and live.results[0].type == i32:
            each_point = each_point.plus(ScalarWork(_PRODUCT_FOR_DIVISION[type(live)]))
            before = before.plus(ScalarWork(_DIVISION.narrow + _OF_TWO.narrow))
        else:
            for op in nested_ops(live):
                each_point = each_point.plus(_work(op).seldom(rare[live]) if live in rare else _work(op))
            each_point = each_point.plus(_saved_by_mac(live, invariant, accumulators))
    return each_point, before


def size_of(block: Block) -> tuple[int, bool]:
    """
    Return the instructions of a body, as clang counts them before it unrolls loops, and whether some are seldom taken.

    Loads and stores of operands are not counted.
    """
    ops = live_ops(block)[0]
    return sum(map(_size, ops)), bool(_rare_ops(ops))


def _size(op: Operation) -> int:
    if isinstance(op, RequantizeOp):
        return 3 * CALL + 3 if constant_number(op.mul) != 1 else 2 * CALL + 4
    if isinstance(op, arith.MuliOp):
        use = op.result.get_user_of_unique_use()
        return CALL - 1 if isinstance(use, arith.AddiOp) and fusible_product(use) is not None else 1
    return CALL if isinstance(op, EXTREMA) else int(not isinstance(op, arith.ConstantOp | IndexOp))


def _rare_ops(ops: Sequence[Operation]) -> dict[Operation, float]:
    """Return the ops that `convert-select-to-branch` sinks into branches, and how often these are taken."""
    rare: dict[Operation, float] = {}
    for select in (op for op in ops if isinstance(op, arith.SelectOp)):
        value = rare_value(select)
        sunk = exclusive_slice(select, value[0]) if value is not None else []
        rare |= dict.fromkeys(sunk, value[1] if value is not None else 1)
        if sunk:
            rare[select] = _BRANCH
    return rare


def _saved_by_mac(op: Operation, invariant: set[SSAValue], accumulators: Sequence[SSAValue]) -> ScalarWork:
    """Return the cycles saved by fusing a product and its accumulation into one instruction."""
    if not isinstance(op, arith.AddiOp) or (product := fusible_product(op)) is None:
        return ScalarWork()
    rest = op.rhs if product is op.lhs else op.lhs
    if rest in accumulators or product in invariant:
        return ScalarWork()
    # Operands of a kernel are mostly constants of a channel, which stay in registers.
    copy = _MAC_COPY if rest in invariant or _is_constant(rest) or isinstance(rest, BlockArgument) else 0
    return ScalarWork(saved=_PRODUCT.narrow - copy, saved_waits=1)


def _work(op: Operation) -> ScalarWork:
    if isinstance(op, RequantizeOp):
        return _requantise(op)
    if isinstance(op, RescaleOp):
        return _rescale(op)
    if isinstance(op, memref.LoadOp) and is_float(op.res.type):
        return ScalarWork(_TABLE)
    if any(is_float(value.type) for value in (*op.operands, *op.results)):
        return ScalarWork(0, _float_weight(op), zeros=_ZEROS if isinstance(op, arith.MulfOp) and _is_summed(op) else 0)
    if isinstance(op, arith.TruncIOp) and _extends_again(op):
        return ScalarWork(EXTENSIONS[arith.ExtSIOp])
    if isinstance(op, _FREE) or not op.results or _multiplies_by_one(op) or _is_idle(op):
        return ScalarWork()
    wide = any((integer_width(value.type) or _INDEX_WIDTH) > 32 for value in (*op.operands, *op.results))
    cost = _op_cost(op)
    saved = max(0, cost.narrow - _bound(op, cost)) if isinstance(op, EXTREMA) and not wide else 0
    return ScalarWork(cost.wide if wide else cost.narrow, 0, isinstance(op, arith.MuliOp), saved)


def _rescale(op: RescaleOp) -> ScalarWork:
    """Return the work of a rescaling as `expand_rescale` emits it: a product, a sum that rounds, a clip in integers."""
    floats = _FLOAT_WEIGHTS[arith.MulfOp] if constant_number(op.scale) != 1 else 0
    floats += 1 if is_float(op.x.type) else 1 + _FLOAT_WEIGHTS[arith.SIToFPOp]
    return ScalarWork(1 + 2 * _SELDOM_BOUND.narrow, floats, saved=2 * (_SELDOM_BOUND.narrow - 1))


def _float_weight(op: Operation) -> float:
    constants = [value for value in map(constant_number, op.operands) if value is not None]
    if isinstance(op, arith.DivfOp) and _is_constant(op.operands[1]) and constants:
        # C compilers multiply by the reciprocal where it is exact.
        divisor = abs(constants[-1])
        return _FLOAT_WEIGHTS[arith.MulfOp if divisor and frexp(divisor)[0] == 0.5 else type(op)]
    if isinstance(op, FLOAT_EXTREMA) and constants:
        return _BOUND_WEIGHT
    return _FLOAT_WEIGHTS.get(type(op), _FUNCTION_WEIGHT if op.name.startswith("math.") else 1)


def _is_summed(product: arith.MulfOp) -> bool:
    """Return whether a product of two operands of the kernel has one use, in a sum with a third: its accumulator."""
    use = product.result.get_user_of_unique_use()
    if not isinstance(use, arith.AddfOp) or not all(isinstance(value, BlockArgument) for value in product.operands):
        return False
    return any(isinstance(value, BlockArgument) for value in use.operands)


def _op_cost(op: Operation) -> _OpCost:
    if isinstance(op, EXTREMA):
        if not any(_is_constant(value) for value in op.operands):
            return _OF_TWO
        return _SELDOM_BOUND if _is_scaled(op) else _BOUND
    cost = _OP_COSTS.get(type(op), _BIT)
    if cost is _DIVISION and _is_constant(op.operands[1]):
        return _OpCost(_DIVISION_BY_CONSTANT, _DIVISION.wide)
    return cost


def _bound(op: Operation, cost: _OpCost) -> int:
    """Return the cycles of an extremum as an instruction; half the extension of a narrow sum that two bounds clip."""
    return 1 if cost is _OF_TWO or op.results[0].type == i32 else 2


def _extends_again(op: arith.TruncIOp) -> bool:
    """Return whether a truncated value is computed with, and may differ from what was truncated."""
    users = [use.operation for use in op.result.uses]
    if all(user.has_trait(IsTerminator) for user in users):
        return False
    whole, width = ValueRanges().of(op.input), integer_width(op.result.type) or 0
    return whole is None or whole.low < -(1 << (width - 1)) or whole.high >= 1 << (width - 1)


def _multiplies_by_one(op: Operation) -> bool:
    return isinstance(op, arith.MuliOp) and any(constant_number(operand) == 1 for operand in op.operands)


def _is_idle(op: Operation) -> bool:
    """Return whether an extremum is known by the ranges of its operands, so that a C compiler leaves it out."""
    if not isinstance(op, arith.MaxSIOp | arith.MinSIOp):
        return False
    a, b = map(ValueRanges().of, op.operands)
    return a is not None and b is not None and (a.low >= b.high or b.low >= a.high)


def _bounds_in_reach(op: RequantizeOp) -> int:
    """Return the number of bounds of a clip, of two, that the values before it may exceed."""
    ranges = ValueRanges()
    x, factor, summand = (ranges.of(value) for value in (op.x, op.mul, op.add))
    if x is None or factor is None or summand is None:
        return 2
    shift = op.shift.value.data
    sums = x * factor + summand
    low, high = ((end + ((1 << shift) >> 1)) >> shift for end in (sums.low, sums.high))
    return (low < op.low.value.data) + (high > op.high.value.data)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def _is_scaled(op: Operation) -> bool:
    """Return whether a bound clips the result of a shift, before or after another bound."""
    inner = [value.owner for value in op.operands if not _is_constant(value)]
    if len(inner) != 1 or not isinstance(inner[0], Operation):
        return False
    return isinstance(inner[0], arith.ShRSIOp) or (isinstance(inner[0], EXTREMA) and _is_scaled(inner[0]))


def _requantise(op: RequantizeOp) -> ScalarWork:
    """
    Return the work of a product, a sum, a shift and a clip; the rounding is folded into a constant summand.

    A factor of 1, a summand of 0 and a shift by 0 take nothing.
    """
    is_wide = op.compute.width.data > 32
    shift, add, has_product = op.shift.value.data, constant_number(op.add), constant_number(op.mul) != 1
    rounding = (1 << shift) >> 1
    sums = bool(add + rounding) if add is not None else 1 + bool(rounding)
    bounds = _bounds_in_reach(op)
    parts = [_PRODUCT] * has_product + [_SUM] * sums + [_SHIFT] * bool(shift) + [_SELDOM_BOUND] * bounds
    saved = has_product * (_PRODUCT.narrow - _MAC_COPY) + bounds * (_SELDOM_BOUND.narrow - 1)
    return ScalarWork(sum(part[is_wide] for part in parts), saved=0 if is_wide else saved)
