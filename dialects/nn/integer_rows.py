"""The integer softmax and norms of quantised transformers, kernels of `nn`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IntegerAttr, i16, i32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, integer_width, shape_of
from ..core.body import Body
from ..core.kernel import Kernel, Reduction
from ..core.kernel_rows import RowOp
from .scalars import IntegerSqrtOp


class DistanceOp(RowOp):
    """Softmax whose powers depend on the distance of an element to the maximum of its row."""

    MASKED: ClassVar[bool] = True
    span = opt_prop_def(IntegerAttr[I64])
    """The largest distance that there can be, where the elements' type allows for more."""

    @property
    def furthest(self) -> int:
        """The largest distance that there can be."""
        if self.span is not None:
            return self.span.value.data
        return (1 << (integer_width(element_of(self.inputs[0])) or 64)) - 1

    def verify_structure(self) -> None:
        if integer_width(self.accumulator) is None or integer_width(self.element) is None:
            raise VerifyException(f"expected integers, got {self.element} and sums of {self.accumulator}")
        if self.span is not None and self.span.value.data < 0:
            raise VerifyException(f"a distance is not negative, got a span of {self.span.value.data}")
        super().verify_structure()

    def rows(self, reductions: Sequence[Reduction], result: Block) -> Kernel:
        return replace(super().rows(reductions, result), furthest=self.furthest)

    def distance(self, body: Body, x: SSAValue, largest: SSAValue) -> SSAValue:
        """Append max(x) - x, 0 for masked elements, which may exceed the maximum."""
        return body.sub(largest, self.counted(body, x, largest))


@irdl_op_definition
class IntSoftmaxOp(DistanceOp):
    """
    I-BERT's softmax of each row, in integers:

        d = max(x) - x;  z = min(d / log2, 31);  p = z * log2 - d
        q = (a * (p + b)^2 + c) >> z;  y = floor(q * (levels - 1) / sum(q))

        %y = nn.int_softmax ins(%x : tensor<4x8xi8>) outs(%init : tensor<4x8xi8>)
            {a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64, accumulator = i64,
            element = i8}

    With a mask, `ins(%x, %valid : tensor<4x8xi8>, tensor<8xi1>)`, elements at which it is false do not count, and y is
    0 there.

    Kim et al., I-BERT (arXiv:2101.01321), algorithm 2; Deeploy's iSoftmax.
    """

    name = "nn.int_softmax"
    a = prop_def(IntegerAttr[I64])
    b = prop_def(IntegerAttr[I64])
    c = prop_def(IntegerAttr[I64])
    log2 = prop_def(IntegerAttr[I64])
    levels = prop_def(IntegerAttr[I64])

    def verify_structure(self) -> None:
        if self.log2.value.data < 1:
            raise VerifyException(f"log2 must be positive, got {self.log2.value.data}")
        super().verify_structure()

    def core(self) -> Kernel:
        body, (x,), (largest, total) = self.body(2)
        power = self.counted(body, self._exponential(body, x, largest), 0)
        summed = self.reduction(self.zero(), body, body.add(total, power))
        body, (x,), (largest, total) = self.body(2)
        power = self.counted(body, self._exponential(body, x, largest), 0)
        ratio = body.convert(self._share(body, power, total), self.element)
        return self.rows([self.maximum(), summed], body.finish(ratio))

    def _share(self, body: Body, power: SSAValue, total: SSAValue) -> SSAValue:
        """Append floor(power * (levels - 1) / total), 0 where the power is 0."""
        most = self._largest_power()
        if most is not None and most < 1 << 15:
            power = body.convert(body.convert(power, i16), self.accumulator)
        if most is None or not self._has_exact_factor(most):
            return self.counted(body, body.floordiv(body.mul(power, self.levels.value.data - 1), total), 0)
        if self.has_mask:
            # The total of a row in which no element counts is 0, and any divisor will do for its powers.
            total = body.max(total, body.constant(self._first_power(), total.type))
        if self._has_short_factor(most):
            factor, shift = self._short_factor(body, total, most)
            return body.op(arith.ShRUIOp(body.op(arith.MuliOp(power, factor)), shift))
        product = arith.MulUIExtendedOp(power, self._factor(body, total))
        body.op(product)
        return product.high

    def _largest_power(self) -> int | None:
        """Return the largest power that there can be, None where one may be negative."""
        a, b, c, log2 = (attr.value.data for attr in (self.a, self.b, self.c, self.log2))
        if self.wraps is not None:
            return None
        # Before it is halved, a power is a parabola of p, whose ends are those of the first 31 halvings and the last.
        near, far = 1 - log2, min(1 - log2, 31 * log2 - self.furthest)
        peaks = [a * (p + b) ** 2 + c for p in (0, near, max(near, min(0, -b)))]
        last = [a * (p + b) ** 2 + c for p in (far, max(far, min(0, -b)))]
        return max(*peaks, *(power >> 31 for power in last)) if min(*peaks, *last) >= 0 else None

    def _first_power(self) -> int:
        """Return the power of a row's largest element, the least total of a row that has one."""
        return self.a.value.data * self.b.value.data**2 + self.c.value.data

    def _has_exact_factor(self, most: int) -> bool:
        """
        Return whether a power times `_factor` has the share for its upper word.

        With total * factor = 2^32 * (levels - 1) + e and 0 < e <= total, a power's product is power * e / total more,
        in units of 2^-32, than the quotient: no matter where power * e is less than 2^32. The total is at least the
        power of a row's largest element; where that is at least `levels`, the factor has 32 bits.
        """
        steps = self.levels.value.data - 1
        total = most * shape_of(self.inputs[0])[-1]
        return self.accumulator == i32 and 0 < steps < self._first_power() and max(most, steps) * total < 1 << 32

    def _has_short_factor(self, most: int) -> bool:
        """Return whether a power times the factor of `_short_factor` has 32 bits."""
        total = most * shape_of(self.inputs[0])[-1]
        return most * total < 1 << 31 and most * (2 * most * (self.levels.value.data - 1) + 1) < 1 << 32

    def _short_factor(self, body: Body, total: SSAValue, most: int) -> tuple[SSAValue, SSAValue]:
        """
        Append floor(2^s * (levels - 1) / total) + 1 and s, the least with most * total < 2^s.

        A power times it, shifted by s, is exact for the reason that `_has_exact_factor` gives. The factor is no larger
        than 2 * most * (levels - 1) + 1, since 2^s <= 2 * most * total.
        """
        low, high = (most * bound for bound in (self._first_power(), most * shape_of(self.inputs[0])[-1]))
        shift = body.constant(low.bit_length(), i32)
        for bits in range(low.bit_length(), high.bit_length()):
            limit = body.constant(((1 << bits) - 1) // most, i32)
            shift = body.add(shift, body.op(arith.ExtUIOp(body.op(arith.CmpiOp(total, limit, "ugt")), i32)))
        scale = body.op(arith.ShLIOp(body.constant(1, i32), shift))
        whole = body.op(arith.DivUIOp(scale, total))
        rest = body.op(arith.SubiOp(scale, body.op(arith.MuliOp(whole, total))))
        return self._scaled(body, whole, rest, total), shift

    def _factor(self, body: Body, total: SSAValue) -> SSAValue:
        """Append floor(2^32 * (levels - 1) / total) + 1, as an unsigned number, by divisions of 32 bits."""
        ones = body.constant(-1, i32)
        whole = body.op(arith.DivUIOp(ones, total))
        rest = body.op(arith.SubiOp(ones, body.op(arith.MuliOp(whole, total))))
        return self._scaled(body, whole, body.op(arith.AddiOp(rest, body.constant(1, i32))), total)

    def _scaled(self, body: Body, whole: SSAValue, rest: SSAValue, total: SSAValue) -> SSAValue:
        """Append floor((whole * total + rest) * (levels - 1) / total) + 1, as an unsigned number."""
        steps = body.constant(self.levels.value.data - 1, i32)
        parts = body.op(arith.DivUIOp(body.op(arith.MuliOp(rest, steps)), total))
        whole = body.op(arith.AddiOp(body.op(arith.MuliOp(whole, steps)), parts))
        return body.op(arith.AddiOp(whole, body.constant(1, i32)))

    def _exponential(self, body: Body, x: SSAValue, largest: SSAValue) -> SSAValue:
        a, b, c, log2 = (attr.value.data for attr in (self.a, self.b, self.c, self.log2))
        below = self.distance(body, x, largest)
        z = self._halvings(body, below)
        p = body.add(body.mul(z, log2), body.sub(body.constant(b, below.type), below))
        square = body.mul(p, p)
        return body.shift_right(body.add(square if a == 1 else body.mul(square, a), c), z)

    def _halvings(self, body: Body, below: SSAValue) -> SSAValue:
        """Append min(distance / log2, 31)."""
        log2, furthest = self.log2.value.data, self.furthest
        product = _product_for(log2, furthest, self.accumulator)
        quotient = (
            body.div(below, log2) if product is None else body.shift_right(body.mul(below, product[0]), product[1])
        )
        return quotient if furthest // log2 <= 31 else body.min(quotient, 31)


def _product_for(divisor: int, largest: int, type: Attribute) -> tuple[int, int] | None:
    """
    Return m and s with `(n * m) >> s` = n / divisor for 0 <= n <= largest; None where a type cannot hold the product.

    With m * divisor = 2^s + e, the product is n / divisor and n * e / (2^s * divisor) more: no matter where n * e is
    less than 2^s. It never takes more than 32 bits.
    """
    room = 1 << (min(integer_width(type) or 0, 32) - 1)
    for shift in range(31):
        factor = (1 << shift) // divisor + 1
        if factor * largest >= room:
            return None
        if (factor * divisor - (1 << shift)) * largest < 1 << shift:
            return factor, shift
    return None


@irdl_op_definition
class ItaMaxOp(DistanceOp):
    """
    ITA's softmax of each row with shifts for powers:

        s = (max(x) - x + 16) >> 5;  y = ((levels - 1) * 256 / sum(256 >> s)) >> s

        %y = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%init : tensor<4x8xi8>)
            {levels = 256 : i64, accumulator = i32, element = i8}

    A mask as that of nn.int_softmax says which elements count.

    Islamoglu et al., ITA (arXiv:2307.03493); Deeploy's ITAMax.
    """

    name = "nn.ita_max"
    levels = prop_def(IntegerAttr[I64])

    def core(self) -> Kernel:
        body, (x,), (largest, total) = self.body(2)
        power = body.shift_right(body.constant(256, self.accumulator), self._shift(body, x, largest))
        summed = self.reduction(self.zero(), body, body.add(total, self.counted(body, power, 0)))
        body, (x,), (largest, total) = self.body(2)
        inverse = body.div(body.constant((self.levels.value.data - 1) * 256, self.accumulator), total)
        share = body.shift_right(inverse, self._shift(body, x, largest))
        share = body.convert(self.counted(body, share, 0), self.element)
        return self.rows([self.maximum(), summed], body.finish(share))

    def _shift(self, body: Body, x: SSAValue, largest: SSAValue) -> SSAValue:
        shift = body.shift_right(body.add(self.distance(body, x, largest), 16), 5)
        return shift if (self.furthest + 16) >> 5 <= 31 else body.min(shift, 31)


class NormOp(RowOp):
    """An integer norm of each row; `shift` is log2 of Deeploy's divisor D."""

    shift = prop_def(IntegerAttr[I64])

    def verify_structure(self) -> None:
        width = integer_width(self.accumulator) or 0
        if not 0 <= self.shift.value.data < width:
            raise VerifyException(
                f"a shift of {self.shift.value.data} is outside 0 to {width - 1}, the width of {self.accumulator}"
            )
        super().verify_structure()

    def deviation(self, body: Body, squares: SSAValue) -> SSAValue:
        """Append floor(sqrt(squares / L + 1))."""
        length = shape_of(self.inputs[0])[-1]
        return body.op(IntegerSqrtOp(body.add(body.div(squares, length), 1)))


@irdl_op_definition
class IntRmsNormOp(NormOp):
    """
    Integer RMS norm of each row: `y = clip(((x * w) / floor(sqrt(sum(x^2) / L + 1))) >> shift, low, high)`.

        %y = nn.int_rms_norm ins(%x, %w : tensor<1x64xi8>, tensor<64xi32>) outs(%init : tensor<1x64xi8>)
            {shift = 16 : i64, low = -128 : i64, high = 127 : i64, accumulator = i64, element = i8}

    Deeploy's iRMSNorm; the division truncates.
    """

    name = "nn.int_rms_norm"
    VECTORS: ClassVar[tuple[int, ...]] = (1,)
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])

    def core(self) -> Kernel:
        body, (x, _), (total,) = self.body(1)
        squares = self.reduction(self.zero(), body, body.add(total, body.mul(x, x)))
        body, (x, weight), (total,) = self.body(1)
        scaled = body.shift_right(body.div(body.mul(x, weight), self.deviation(body, total)), self.shift.value.data)
        clipped = body.clip(scaled, self.low.value.data, self.high.value.data)
        return self.rows(
            [squares],
            body.finish(body.convert(clipped, self.element)),
        )


@irdl_op_definition
class IntLayerNormOp(NormOp):
    """
    Integer layer norm of each row, truncated to the output's type without saturation:

        m = sum(x) / L;  y = (((x - m) * w / floor(sqrt(sum((x - m)^2) / L + 1))) + b) >> shift

        %y = nn.int_layer_norm ins(%x, %w, %b : tensor<64x128xi8>, tensor<128xi32>, tensor<128xi32>)
            outs(%init : tensor<64x128xi8>) {shift = 14 : i64, accumulator = i64, element = i8}

    Deeploy's iLayerNorm; the divisions truncate.
    """

    name = "nn.int_layer_norm"
    VECTORS: ClassVar[tuple[int, ...]] = (2,)

    def core(self) -> Kernel:
        length = shape_of(self.inputs[0])[-1]
        body, (x, weight, bias), (total, squares) = self.body(2)
        centred = body.sub(x, body.div(total, length))
        scaled = body.add(body.div(body.mul(centred, weight), self.deviation(body, squares)), bias)
        shifted = body.shift_right(scaled, self.shift.value.data)
        return self.rows(
            self.moments(),
            body.finish(body.convert(shifted, self.element)),
        )
