"""Sums of products of two inputs: the base of convolutions and matrix products, also with weights of 4 and 2 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, UnitAttr, i8, i32
from xdsl.ir import Attribute, Block, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import base, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.body import Body
from ..core.kernel import Access, Kernel, Reduction, kernel_of
from ..core.kernel_op import KernelOp
from ..core.kernel_parts import affine
from ..core.scalars import scalar_attr
from .unpack import WIDTHS, lowest_bits, number_at, packed_index, packed_shape


class ContractionOp(KernelOp):
    """A sum of products of two inputs in the type `accumulator`."""

    accumulator = prop_def(base(TypeAttribute))

    @property
    def multiply_accumulates(self) -> int:
        return kernel_of(self).points

    def contract(
        self, bounds: Sequence[int], reduced: Sequence[int], maps: Sequence[AffineMap], *, padded: bool = False
    ) -> Kernel:
        """Return the kernel that sums input 0 times input 1 under these maps (input 0, input 1, output)."""
        zero = scalar_attr(0, self.accumulator)
        fill = scalar_attr(0, element_of(self.inputs[0])) if padded else None
        return Kernel(
            tuple(bounds),
            frozenset(reduced),
            (Access(self.inputs[0], maps[0], fill), Access(self.inputs[1], self.weight_map(maps[1]))),
            (Access(self.output, maps[2]),),
            reductions=(Reduction((zero,), self._sum_of_products(maps[1])),),
            fill_is_neutral=True,
        )

    def weight_map(self, numbers: AffineMap) -> AffineMap:
        """Return the map to the elements of input 1 that hold its packed numbers, from the map to the numbers."""
        return numbers

    def weight(self, body: Body, element: SSAValue, numbers: AffineMap) -> SSAValue:
        """Append the number, in the accumulator's type, that an element of input 1 holds for the current point."""
        return body.convert(element, self.accumulator, unsigned=self.is_unsigned(1))

    def number(self, body: Body, element: SSAValue) -> SSAValue:
        """Append the value of an element of input 0, in the accumulator's type."""
        return body.convert(element, self.accumulator, unsigned=self.is_unsigned(0))

    def _sum_of_products(self, numbers: AffineMap) -> Block:
        types: list[Attribute] = [*(element_of(value) for value in self.inputs), self.accumulator]
        body = Body(types, wraps=self.wraps is not None)
        x, w, total = body.args
        factors = self.number(body, x), self.weight(body, w, numbers)
        return body.finish(body.add(total, body.mul(*factors)))


class PackableOp(ContractionOp):
    """
    A contraction whose second input, with `weight_bits`, holds numbers of 4 or 2 bits.

    They are packed along its last axis as `nn.unpack` has them, and signed unless `unsigned` names the input. With
    `narrow_input` the numbers of the first input, which stay bytes, have as many bits: the lowest of each byte. Loops
    pack them, a window at a time, and multiply packed numbers by packed ones.
    """

    weight_bits = opt_prop_def(IntegerAttr[I64])
    narrow_input = opt_prop_def(UnitAttr)

    @property
    def packed_bits(self) -> int:
        """The bits of a packed number of the second input, 0 where each is an element."""
        return self.weight_bits.value.data if self.weight_bits is not None else 0

    @property
    def factor_type(self) -> Attribute:
        return IntegerType(self.packed_bits) if self.packed_bits else super().factor_type

    def verify_structure(self) -> None:
        if self.narrow_input is not None and not self.packed_bits:
            raise VerifyException("'narrow_input' needs 'weight_bits'")
        super().verify_structure()

    def verify_packing(self, numbers: int, needed: str, *, is_there: bool) -> None:
        """
        Check the second input, which holds packed numbers, `numbers` of them along its last axis.

        `is_there` says whether the property `needed` is, without which that axis is another one.
        """
        if self.packed_bits not in WIDTHS:
            raise VerifyException(f"packed weights have 2 or 4 bits, not {self.packed_bits}")
        if not is_there or element_of(self.inputs[1]) != i8:
            raise VerifyException(f"packed weights are bytes, and need '{needed}'")
        if self.narrow_input is not None and element_of(self.inputs[0]) != i8:
            raise VerifyException("'narrow_input' is for bytes")
        (expected,), stored = packed_shape((numbers,), self.packed_bits), shape_of(self.inputs[1])[-1]
        if stored != expected:
            raise VerifyException(f"{numbers} weights of {self.packed_bits} bits take {expected} bytes, got {stored}")

    def contract(
        self, bounds: Sequence[int], reduced: Sequence[int], maps: Sequence[AffineMap], *, padded: bool = False
    ) -> Kernel:
        kernel = super().contract(bounds, reduced, maps, padded=padded)
        return replace(kernel, narrow_input=self.narrow_input is not None)

    def number(self, body: Body, element: SSAValue) -> SSAValue:
        if self.narrow_input is None:
            return super().number(body, element)
        byte = body.convert(element, i32, unsigned=True)
        number = lowest_bits(body, byte, self.packed_bits, is_unsigned=self.is_unsigned(0))
        return body.convert(number, self.accumulator)

    def weight_map(self, numbers: AffineMap) -> AffineMap:
        if not self.packed_bits:
            return numbers
        *outer, last = numbers.results
        return affine(numbers.num_dims, [*outer, packed_index(last, self.packed_bits)])

    def weight(self, body: Body, element: SSAValue, numbers: AffineMap) -> SSAValue:
        if not self.packed_bits:
            return super().weight(body, element, numbers)
        axis = cast(AffineDimExpr, numbers.results[-1]).position
        number = number_at(body, element, axis, self.packed_bits, is_unsigned=self.is_unsigned(1))
        return body.convert(number, self.accumulator)
