"""Requantisations of a kernel's scalar code, written anew in integers of 32 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i8, i16, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.body import Body
from ...dialects.quant import RequantizeOp, RescaleOp
from ...ir import Array, integer_width
from ..core.dead_code import erase_dead
from .channels import Chain, Channels, chain_to, domain_of
from .rounded import HALF_BIT, SMEARED, WORD_BITS, RoundedProduct, rounded_product
from .steps import Domain, Steps, steps_of
from .upper_products import INT32, UpperProduct, upper_product

LEVELS = 256
"""The most values of a requantisation whose steps are looked for."""


@dataclass(frozen=True)
class Product:
    """`clip((x * factor + summand) >> right, low, high)` in 32 bits; int64 [channels] or [1]."""

    factor: Array
    summand: Array
    right: int


def narrow_body(block: Block, channels: Channels, sums: Domain | None) -> list[tuple[SSAValue, Array]] | None:
    """
    Rewrite the requantisations of a body that become cheaper; returns new arguments with their constants.

    The constants are [channels], the arguments stand at the end of the block, in the narrowest type that holds them.
    None where nothing changed.
    """
    made: list[tuple[SSAValue, Array]] = []
    changed = False
    for op in list(block.ops):
        if not isinstance(op, RequantizeOp | RescaleOp) or (chain := chain_to(op, channels)) is None:
            continue
        root = chain.root
        if (integer_width(root.type) or 64) > 32:
            continue
        form = _form(op, chain, channels, domain_of(root, channels, sums))
        if form is None:
            continue
        if isinstance(form, RoundedProduct):
            _round(cast(RescaleOp, op), form, _argument(block, form.factor, made))
        else:
            arguments = [_argument(block, numbers, made) for numbers in _numbers_of(form)]
            _replace(op, root, form, arguments)
        changed = True
    erase_dead(block.ops)
    return made if changed else None


def _form(
    op: RequantizeOp | RescaleOp, chain: Chain, channels: Channels, domain: Domain
) -> Product | UpperProduct | RoundedProduct | None:
    """Return the narrowed form of a requantisation, None where it is unchanged."""
    used = [channels[operand] for each in chain.ops for operand in each.operands]
    if all(numbers is None or len(numbers) == 1 for numbers in used):
        domain = Domain(domain.least.min(keepdims=True), domain.most.max(keepdims=True))
    if isinstance(op, RequantizeOp):
        product = _product(op, chain, channels, domain)
        if product is not None:
            return product if _is_cheaper(op, chain, channels) else None
        if op.compute == i32:
            return None
    return _upper_product(op, chain, channels, domain)


def _product(op: RequantizeOp, chain: Chain, channels: Channels, domain: Domain) -> Product | None:
    """Rewrite a requantisation as an equivalent product in 32 bits; None where it overflows."""
    mul, add = (cast(Array, channels[value]).astype(object) for value in (op.mul, op.add))
    right = op.shift.value.data
    factor, summand = chain.line(channels)
    factor, summand = factor * mul, summand * mul + add + ((1 << right) >> 1)
    ends = [end.astype(object) * factor for end in (domain.least, domain.most)]
    reached = [factor, summand, *ends, *(end + summand for end in ends)]
    if any(int(numbers.min()) < -INT32 or int(numbers.max()) >= INT32 for numbers in reached) or right > 31:
        return None
    return Product(factor.astype(np.int64), summand.astype(np.int64), right)


def _is_cheaper(op: RequantizeOp, chain: Chain, channels: Channels) -> bool:
    """Return whether a product in 32 bits costs less than the present code: fewer sums, or fewer bits."""
    joins = any(isinstance(each, arith.AddiOp | arith.SubiOp | arith.MuliOp) for each in chain.ops)
    return joins or op.compute != i32 or not isinstance(op.add.owner, arith.ConstantOp)


def _upper_product(
    op: RequantizeOp | RescaleOp, chain: Chain, channels: Channels, domain: Domain
) -> UpperProduct | RoundedProduct | None:
    """
    Return a requantisation to bytes as the upper word of a product, proved the same by its steps; or None.

    By a float whose roundings no line has, it is the exact product, rounded as they do.
    """
    low, high = op.low.value.data, op.high.value.data
    if high - low >= LEVELS:
        return None
    numbers = [channels[operand] for each in chain.ops for operand in each.operands]
    count = max([len(domain.least), *(len(each) for each in numbers if each is not None)])
    domain = Domain(*(np.broadcast_to(end, count) for end in (domain.least, domain.most)))
    base = _base(op)
    steps = steps_of(lambda roots: chain.values(channels, roots) - base, domain, low - base, high - base)
    factor, _ = chain.line(channels)
    if isinstance(op, RequantizeOp):
        slope = factor * cast(Array, channels[op.mul]).astype(object) / (1 << op.shift.value.data)
    else:
        slope = factor * cast(Array, channels[op.scale]).astype(np.float64)
    made = upper_product(steps, np.broadcast_to(slope.astype(np.float64), count))
    return _rounded(op, chain, channels, steps) if made is None and isinstance(op, RescaleOp) else made


def _rounded(op: RescaleOp, chain: Chain, channels: Channels, steps: Steps) -> RoundedProduct | None:
    """
    Return a requantisation by floats as exact products; None where they take more than 64 bits.

    Only next to halves can these differ, where bits are cut off: there all are compared.
    """
    factor, summand = (each.astype(np.int64)[:, None] for each in chain.line(channels))
    least, most = (end[:, None] for end in (steps.domain.least, steps.domain.most))
    before, last = steps.first.min(axis=1, keepdims=True) - 1, steps.first.max(axis=1, keepdims=True)
    ends = [np.clip(end, least, most) * factor + summand for end in (before, last)]
    scale = np.broadcast_to(cast(Array, channels[op.scale]), len(least))
    made = rounded_product(scale, ends[0][:, 0], ends[1][:, 0])
    if made is None or op.x.type not in (i8, i16, i32):
        return None
    roots = np.concatenate([np.clip(steps.first + offset, least, most) for offset in (-2, -1, 0, 1)], axis=1)
    low, high, zero = (each.value.data for each in (op.low, op.high, op.zero))
    found = np.clip(made.values(roots * factor + summand) + zero, low, high)
    return made if bool((found == chain.values(channels, roots)).all()) else None


def _base(op: RequantizeOp | RescaleOp) -> int:
    """Return the zero point where it is odd, so that halves are rounded to odd results; else 0."""
    zero = op.zero.value.data if isinstance(op, RescaleOp) else 0
    return zero if zero % 2 else 0


# Building


def _argument(block: Block, numbers: Array, made: list[tuple[SSAValue, Array]]) -> SSAValue | int:
    """Return a number that is the same in all channels, or a new argument of the body that holds each channel's."""
    if bool((numbers == numbers.flat[0]).all()):
        return int(numbers.flat[0])
    argument = block.insert_arg(_narrowest(numbers), len(block.args))
    made.append((argument, numbers))
    return argument


def _narrowest(numbers: Array) -> Attribute:
    bits = max(int(numbers.max()).bit_length(), (-int(numbers.min()) - 1).bit_length() if numbers.min() < 0 else 0) + 1
    return next(type for type in (i8, i16, i32) if bits <= type.width.data)


class _Before(Body):
    """A body whose new ops stand before an op of another block."""

    def __init__(self, op: Operation, *, wraps: bool = False):
        super().__init__([], wraps=wraps)
        self._point = op

    def op(self, op: Operation) -> SSAValue:
        op.location = self._point.location
        Rewriter.insert_op(op, InsertPoint.before(self._point))
        return op.results[0]


TIE, CENTER, LATE, EARLY = range(4)
"""Places of an upper product's numbers behind factor and summand."""


def _numbers_of(form: Product | UpperProduct) -> list[Array]:
    """Return the numbers of each channel in the order in which `_replace` takes them."""
    if isinstance(form, Product):
        return [form.factor, form.summand]
    numbers = (form.factor, form.summand, form.tie, form.center, form.late, form.early)
    nothing = np.zeros(1, np.int64)
    return [nothing if channels is None else channels for channels in numbers]


def _replace(
    op: RequantizeOp | RescaleOp, root: SSAValue, form: Product | UpperProduct, numbers: list[SSAValue | int]
) -> None:
    body = _Before(op)
    factor, summand, *others = (body.convert(each, i32) if isinstance(each, SSAValue) else each for each in numbers)
    x = total = body.convert(root, i32)
    if isinstance(form, UpperProduct):
        total = total if others[CENTER] == 0 else body.add(total, others[CENTER])
        x = total = body.clip(total, *form.within) if form.within else total
        total = body.shift_left(total, form.left) if form.left else total
        factor = factor if isinstance(factor, SSAValue) else body.constant(factor, i32)
        product = arith.MulSIExtendedOp(total, factor)
        body.op(product)
        total = product.high
    else:
        total = body.mul(total, factor)
    total = total if summand == 0 else body.add(total, summand)
    if isinstance(form, UpperProduct):
        total = _later_if_odd(body, total, form.right, others[TIE])
    total = body.shift_right(total, form.right) if form.right else total
    if isinstance(form, UpperProduct) and form.late is not None:
        total = body.add(total, _is_equal(body, x, others[LATE]))
    if isinstance(form, UpperProduct) and form.early is not None:
        total = body.sub(total, _is_equal(body, x, others[EARLY]))
    base = _base(op) if isinstance(form, UpperProduct) else 0
    clipped = body.clip(total, op.low.value.data - base, op.high.value.data - base)
    clipped = body.add(clipped, base) if base else clipped
    result = body.convert(clipped, cast("IntegerType[Any, Any]", op.result.type))
    result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [], [result])


def _later_if_odd(body: Body, total: SSAValue, right: int, tie: SSAValue | int) -> SSAValue:
    """Append the subtraction of a tie from what is shifted to odd values."""
    if tie == 0:
        return total
    if isinstance(tie, int) and tie > 0 and tie & (tie - 1) == 0:
        moved = body.shift_right(total, right - tie.bit_length() + 1)
        return body.sub(total, body.op(arith.AndIOp(moved, body.constant(tie, i32))))
    bit = body.op(arith.AndIOp(body.shift_right(total, right), body.constant(1, i32)))
    tie = tie if isinstance(tie, SSAValue) else body.constant(tie, i32)
    return body.sub(total, body.mul(bit, tie))


def _is_equal(body: Body, x: SSAValue, number: SSAValue | int) -> SSAValue:
    """Append 1 where x is a number, else 0."""
    number = number if isinstance(number, SSAValue) else body.constant(number, i32)
    return body.op(arith.ExtUIOp(body.compare(x, "eq", number), i32))


def _round(op: RescaleOp, form: RoundedProduct, factor: SSAValue | int) -> None:
    """Write a requantisation as an exact product that is rounded as `RoundedProduct.values` does it."""
    body = _Before(op, wraps=True)
    x = body.clip(body.convert(op.x, i32), *form.within)
    factor = body.convert(factor, i32) if isinstance(factor, SSAValue) else body.constant(factor, i32)
    product = arith.MulSIExtendedOp(x, factor)
    body.op(product)
    whole = body.add(product.high, 1 << (form.right - 1))
    rest = body.op(arith.ShRUIOp(product.low, body.constant(form.right, i32)))
    down = body.shift_right(whole, form.right)
    part = body.op(arith.OrIOp(body.shift_left(whole, WORD_BITS - form.right), rest))
    up = body.add(down, body.op(arith.ShRUIOp(part, body.constant(WORD_BITS - 1, i32))))
    reach = body.shift_left(_highest_bit(body, body.sub(body.add(up, up), 1), signed=form.signed), HALF_BIT)
    is_half = body.compare(body.add(part, reach), "ult", body.add(reach, reach))
    rounded = body.select(is_half, body.op(arith.AndIOp(up, body.constant(-2, i32))), down)
    low, high, zero = (each.value.data for each in (op.low, op.high, op.zero))
    clipped = body.clip(rounded, low - zero, high - zero)
    clipped = body.add(clipped, zero) if zero else clipped
    result = body.convert(clipped, cast("IntegerType[Any, Any]", op.result.type))
    result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [], [result])


def _highest_bit(body: Body, number: SSAValue, *, signed: bool) -> SSAValue:
    """Append the highest bit of a number's magnitude."""
    number = body.absolute(number) if signed else number
    for shift in SMEARED:
        moved = body.op(arith.ShRUIOp(number, body.constant(shift, i32)))
        number = body.op(arith.OrIOp(number, moved))
    return body.sub(number, body.op(arith.ShRUIOp(number, body.constant(1, i32))))
