"""
Cost of straight-line scalar code on a RI5CY core: cycles per op of `arith`, `math` and `quant`.

Instructions take what was measured on GVSoC's model of the core: most one cycle, `p.mac` too, a multiplication two and
one more where the next instruction needs its result, a division 33, a taken branch three. 64-bit integers are pairs of
registers: their prices count the instructions that a C compiler emits for rv32im, or were estimated from libgcc's code
(division). Floats are counted apart, since what one takes depends on whether there is a floating-point unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ....dialects.core.body import is_float
from ....dialects.core.nesting import nested_ops
from ....dialects.nn import IntegerSqrtOp
from ....dialects.quant import LookupOp, RequantizeOp, RescaleOp
from ....ir import integer_width
from ....passes.loops.scalar import is_natural, live_ops
from ....passes.lowering.simplify import constant_value
from ..passes.fuse_products import fusible_product
from .kernels import KERNELS


class Work(NamedTuple):
    """
    Cycles of integer code, and how many additions or multiplications of floats the other code is worth.

    `waits` of the cycles are for products, during which code of other points can run. `saved` are the cycles, and
    `saved_waits` the waits, that Xpulp's instructions save.
    """

    cycles: float = 0.0
    floats: float = 0.0
    waits: float = 0.0
    saved: float = 0.0
    saved_waits: float = 0.0

    def plus(self, other: Work) -> Work:
        """Return both together."""
        return Work(*(mine + others for mine, others in zip(self, other, strict=True)))

    def total(self, rates: Rates) -> float:
        """Return the cycles of all of it."""
        return self.cycles + self.floats * rates.float_cycles - (self.saved if rates.xpulp else 0)

    def beside_others(self, rates: Rates) -> float:
        """Return the cycles of all of it where code of other points runs during products."""
        return self.total(rates) - self.waits + (self.saved_waits if rates.xpulp else 0)


class Rates(NamedTuple):
    """
    Parameters of a core's scalar code: the cycles of an addition of floats, and whether Xpulp's instructions are used
    for the lesser and the greater of two words, and for a product and the sum that it is added to (`fuse-products`).
    """

    float_cycles: float = 60.0
    xpulp: bool = False


class _Price(NamedTuple):
    """Cycles in up to 32 bits, and in 64."""

    narrow: float
    wide: float


_BIT, _SUM, _SHIFT = _Price(1, 2), _Price(1, 4), _Price(1, 4)
_PRODUCT = _Price(3, 13)
_DIVISION = _Price(33, 200)
_ROUNDED_DIVISION = _Price(70, 410)
"""Quotient and remainder, to round away from zero where C rounds toward it."""
_INDEX_WIDTH = 32

_PRICES: dict[type[Operation], _Price] = {
    arith.AddiOp: _SUM,
    arith.SubiOp: _SUM,
    arith.AndIOp: _BIT,
    arith.OrIOp: _BIT,
    arith.XOrIOp: _BIT,
    arith.ShLIOp: _SHIFT,
    arith.ShRSIOp: _SHIFT,
    arith.ShRUIOp: _SHIFT,
    arith.MuliOp: _PRODUCT,
    arith.MulSIExtendedOp: _Price(5, 40),
    arith.MulUIExtendedOp: _Price(5, 40),
    arith.CmpiOp: _Price(1, 3),
    arith.SelectOp: _Price(3, 4),
    arith.DivSIOp: _DIVISION,
    arith.DivUIOp: _DIVISION,
    arith.RemSIOp: _DIVISION,
    arith.RemUIOp: _DIVISION,
    arith.FloorDivSIOp: _ROUNDED_DIVISION,
    arith.CeilDivSIOp: _ROUNDED_DIVISION,
    arith.CeilDivUIOp: _ROUNDED_DIVISION,
    math.AbsIOp: _Price(3, 6),
    IntegerSqrtOp: _Price(160, 960),
    LookupOp: _Price(17, 17),
}
"""What is not here costs a cycle; the root is that of `tw_isqrt`, a step for every second bit; tables are in L2."""

_FREE = (
    arith.ConstantOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.IndexCastOp,
    arith.BitcastOp,
    IndexOp,
)
"""Loads extend and stores truncate."""

EXTENSIONS: dict[type[Operation], float] = {arith.ExtUIOp: 1, arith.ExtSIOp: 2}
"""Of bytes and halfwords in registers."""

EXTREMA = (arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)
"""What they are of is in range, and need not be extended."""
_OF_TWO = _Price(4.1, 8)
"""The larger of two bytes: a branch that is taken half of the time."""
_BOUND = _Price(2.9, 6)
"""Half a clip of a sum of bytes, which often has to be clipped."""
_SELDOM_BOUND = _Price(1.5, 5)
"""Half a clip of what was scaled into its range."""
_PRODUCT_FOR_DIVISION: dict[type[Operation], float] = {arith.FloorDivSIOp: 12, arith.DivSIOp: 15}
"""
By a number known before a loop: the upper word of a product, the remainder and its test; with signs half of the time,
where the division truncates. What is rounded down is a product only where it cannot be negative.
"""
_MAC_COPY = 1
"""To copy a number that is needed again into the register to whose content `p.mac` adds a product."""
_DIVISION_BY_CONSTANT = 10
"""A multiplication that yields the upper half, and shifts."""

_FLOAT_WEIGHTS: dict[type[Operation], float] = {
    arith.ConstantOp: 0,
    arith.BitcastOp: 0,
    arith.NegfOp: 0.2,
    math.AbsFOp: 0.2,
    arith.DivfOp: 3,
    math.SqrtOp: 3,
}
_FUNCTION_WEIGHT = 15
"""An exponential function, a logarithm and such: a polynomial and what scales its argument."""


def work_of(block: Block | None) -> Work:
    """Return the cost of a body's code at each point."""
    return works_of(block)[0]


def works_of(block: Block | None, fixed: Sequence[SSAValue] = ()) -> tuple[Work, Work]:
    """
    Return the costs of a body's code at each point of a loop, and before the loop, where `fixed` arguments are the
    same.

    What depends on these alone is computed before the loop, and a division by it is a product (`divide-by-invariants`).
    """
    if block is None:
        return Work(), Work()
    # What is in no region is code of `KernelOp.core`, which structurally equal kernels share and nobody changes.
    return _split_once(block, tuple(fixed)) if block.parent is None else _split_anew(block, fixed)


@lru_cache(maxsize=KERNELS)
def _split_once(block: Block, fixed: tuple[SSAValue, ...]) -> tuple[Work, Work]:
    return _split_anew(block, fixed)


def _split_anew(block: Block, fixed: Sequence[SSAValue]) -> tuple[Work, Work]:
    each, before = Work(), Work()
    known = set(fixed)
    for live in live_ops(block)[0]:
        constants = [operand for operand in live.operands if _is_constant(operand)]
        if not live.regions and live.operands and all(v in known or v in constants for v in live.operands):
            known.update(live.results)
            before = before.plus(_work(live))
        elif type(live) in _PRODUCT_FOR_DIVISION and live.operands[1] in known and live.results[0].type == i32:
            each = each.plus(Work(_PRODUCT_FOR_DIVISION[type(live)]))
            before = before.plus(Work(_DIVISION.narrow + _OF_TWO.narrow))
        else:
            for op in nested_ops(live):
                each = each.plus(_work(op))
            each = each.plus(_saved_by_mac(live, known))
    return each, before


def _saved_by_mac(op: Operation, known: set[SSAValue]) -> Work:
    """Return the cycles saved by fusing a product and its accumulation into one instruction."""
    if not isinstance(op, arith.AddiOp) or (product := fusible_product(op)) is None:
        return Work()
    rest = op.rhs if product is op.lhs else op.lhs
    if isinstance(rest, BlockArgument) or product in known:
        return Work()
    copy = _MAC_COPY if rest in known or _is_constant(rest) else 0
    return Work(saved=_PRODUCT.narrow - copy, saved_waits=1)


def _work(op: Operation) -> Work:
    if isinstance(op, RequantizeOp):
        return _requantise(op)
    if isinstance(op, RescaleOp):
        return Work(1 + 2 * _SELDOM_BOUND.narrow, 3, saved=2 * (_SELDOM_BOUND.narrow - 1))
    if any(is_float(value.type) for value in (*op.operands, *op.results)):
        default = _FUNCTION_WEIGHT if op.name.startswith("math.") else 1
        return Work(0, _FLOAT_WEIGHTS.get(type(op), default))
    if isinstance(op, _FREE) or not op.results or _multiplies_by_one(op):
        return Work()
    wide = any((integer_width(value.type) or _INDEX_WIDTH) > 32 for value in (*op.operands, *op.results))
    price = _price(op)
    saved = price.narrow - 1 if isinstance(op, EXTREMA) and op.results[0].type == i32 else 0
    return Work(price.wide if wide else price.narrow, 0, isinstance(op, arith.MuliOp), saved)


def _price(op: Operation) -> _Price:
    if isinstance(op, EXTREMA):
        if not any(_is_constant(value) for value in op.operands):
            return _OF_TWO
        return _SELDOM_BOUND if _is_scaled(op) else _BOUND
    price = _PRICES.get(type(op), _BIT)
    if price is _DIVISION and _is_constant(op.operands[1]):
        return _Price(_DIVISION_BY_CONSTANT, _DIVISION.wide)
    return price


def _multiplies_by_one(op: Operation) -> bool:
    return isinstance(op, arith.MuliOp) and any(constant_value(operand) == 1 for operand in op.operands)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def _is_scaled(op: Operation) -> bool:
    """Return whether a bound clips the result of a shift, before or after another bound."""
    inner = [value.owner for value in op.operands if not _is_constant(value)]
    if len(inner) != 1 or not isinstance(inner[0], Operation):
        return False
    return isinstance(inner[0], arith.ShRSIOp) or (isinstance(inner[0], EXTREMA) and _is_scaled(inner[0]))


def _requantise(op: RequantizeOp) -> Work:
    """Return the cost of a product, a sum, a shift and a clip; the rounding is part of a sum with a constant."""
    is_wide = op.compute.width.data > 32
    sums = 1 if _is_constant(op.add) else 2
    bounds = 1 if op.low.value.data <= 0 and is_natural(op) else 2
    parts = _PRODUCT, *([_SUM] * sums), _SHIFT, *([_SELDOM_BOUND] * bounds)
    saved = _PRODUCT.narrow - _MAC_COPY + bounds * (_SELDOM_BOUND.narrow - 1)
    return Work(sum(part[is_wide] for part in parts), saved=0 if is_wide else saved)
