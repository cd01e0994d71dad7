"""Narrow integers from the bytes that they are packed into: a kernel of `nn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IntegerAttr, i8, i32
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from ...ir import Array, element_of, shape_of
from ..core.body import Body
from ..core.kernel import Access, Kernel
from ..core.kernel_op import KernelOp

WORD = 4
"""Bytes of a block of packed numbers: a word of a 32-bit machine."""
WIDTHS = (2, 4)
"""The bits that packed numbers may have."""


@irdl_op_definition
class UnpackOp(KernelOp):
    """
    Numbers of 4 or 2 bits, packed along the last axis, as bytes.

    A block of 4 bytes holds 8 numbers of 4 bits or 16 of 2: byte b has the numbers b, b + 4, ... of the block, the
    first lowest, so that a shift and a mask of a word give four neighbours. A row ends with a whole block, whatever is
    in the part of it that no number needs. Numbers are signed unless `unsigned` names the input.

        %w = nn.unpack ins(%packed : tensor<32x3x3x8xi8>) outs(%init : tensor<32x3x3x13xi8>) {bits = 4 : i64}
    """

    name = "nn.unpack"
    TAKES_EPILOGUES: ClassVar[bool] = False
    bits = prop_def(IntegerAttr[I64])

    def verify_structure(self) -> None:
        if self.bits.value.data not in WIDTHS:
            raise VerifyException(f"packed numbers have 2 or 4 bits, not {self.bits.value.data}")
        if len(self.inputs) != 1 or element_of(self.inputs[0]) != i8 or element_of(self.output) != i8:
            raise VerifyException("expected one input, and bytes on both sides")
        shape = shape_of(self.output)
        if not shape or shape_of(self.inputs[0]) != packed_shape(shape, self.bits.value.data):
            wanted = list(packed_shape(shape, self.bits.value.data)) if shape else "[n]"
            raise VerifyException(f"{list(shape)} are packed as {wanted}, got {list(shape_of(self.inputs[0]))}")
        super().verify_structure()

    def core(self) -> Kernel:
        shape = shape_of(self.output)
        *outer, last = (AffineExpr.dimension(dim) for dim in range(len(shape)))
        byte = packed_index(last, self.bits.value.data)
        return Kernel(
            shape,
            frozenset(),
            (Access(self.inputs[0], AffineMap(len(shape), 0, (*outer, byte))),),
            (Access(self.output, AffineMap.identity(len(shape))),),
            result=self._number(len(shape) - 1),
        )

    def _number(self, axis: int) -> Block:
        """Build the code that extracts a number from its byte."""
        body = Body([i8])
        number = number_at(body, body.args[0], axis, self.bits.value.data, is_unsigned=self.is_unsigned(0))
        return body.finish(body.convert(number, i8))


def packed_index(number: AffineExpr, bits: int) -> AffineExpr:
    """Return the byte of a row that holds a packed number of a bit width."""
    return number // (WORD * 8 // bits) * WORD + number % WORD


def number_at(body: Body, byte: SSAValue, axis: int, bits: int, *, is_unsigned: bool) -> SSAValue:
    """Append the number, as i32, that a byte holds for the current index along the axis of the numbers."""
    place = body.op(arith.AndIOp(body.shift_right(body.index_of(axis, i32), 2), body.constant(8 // bits - 1, i32)))
    shifted = body.shift_right(body.convert(byte, i32, unsigned=True), body.mul(place, bits))
    return lowest_bits(body, shifted, bits, is_unsigned=is_unsigned)


def lowest_bits(body: Body, word: SSAValue, bits: int, *, is_unsigned: bool) -> SSAValue:
    """Append the number that the lowest bits of an i32 hold."""
    number = body.op(arith.AndIOp(word, body.constant((1 << bits) - 1, i32)))
    if is_unsigned:
        return number
    sign = 1 << (bits - 1)
    return body.sub(body.op(arith.XOrIOp(number, body.constant(sign, i32))), sign)


def packed_shape(shape: Sequence[int], bits: int) -> tuple[int, ...]:
    """Return the shape in bytes of numbers [..., n] packed at a bit width."""
    *outer, last = shape
    return *outer, -(-last * bits // (8 * WORD)) * WORD


def pack(numbers: Array, bits: int) -> Array:
    """
    Return numbers [..., n] of 2 or 4 bits as int8 [..., bytes], as `nn.unpack` takes them; spare places hold 0.

    Bits above the lowest `bits` of a number are dropped.
    """
    *outer, size = packed_shape(numbers.shape, bits)
    count = 8 // bits
    padded = np.zeros((*outer, size * count), np.uint8)
    padded[..., : numbers.shape[-1]] = numbers.astype(np.uint8) & ((1 << bits) - 1)
    places = padded.reshape(*outer, size // WORD, count, WORD)
    packed = np.zeros((*outer, size // WORD, WORD), np.uint8)
    for place in range(count):
        packed |= places[..., place, :] << (bits * place)
    return packed.reshape(*outer, size).view(np.int8)


def unpack(packed: Array, count: int, bits: int, *, is_unsigned: bool) -> Array:
    """Return the numbers int8 [..., count] that bytes [..., bytes] hold, as `nn.unpack` does."""
    *outer, size = packed.shape
    words = np.ascontiguousarray(packed).view(np.uint8).reshape(*outer, size // WORD, 1, WORD)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)[:, None]
    numbers = ((words >> shifts) & ((1 << bits) - 1)).reshape(*outer, -1)[..., :count].astype(np.int8)
    sign = 0 if is_unsigned else 1 << (bits - 1)
    return (numbers ^ sign) - np.int8(sign)
