"""Quantised arithmetic on scalars, for the bodies of kernels."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseIntOrFPElementsAttr,
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    i8,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ..ir import Array, array_of, integer_width, numpy_type
from .core.analysis.arithmetic import Tabulated, check_entry
from .core.semantics import scalar


@irdl_op_definition
class RequantizeOp(IRDLOperation):
    """
    Integer requantisation: `clip((x * mul + add + round) >> shift, low, high)`, `round = 2^(shift-1)`, 0 for shift 0.

        %y = quant.requantize %x, %mul, %add shift 16 clip -128 to 127 in i32 : i32, i32, i32 -> i8

    The operands are sign-extended to the type named after `in`, in which all arithmetic is done and must not overflow;
    the shift is arithmetic. A range that needs the result's unsigned reading (0 to 255 in i8) is stored as these bits.
    Deeploy, `RequantShift` (arXiv:2408.04413, and its test set).
    """

    name = "quant.requantize"

    x = operand_def(IntegerType)
    mul = operand_def(IntegerType)
    add = operand_def(IntegerType)
    shift = prop_def(IntegerAttr[I64])
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])
    compute = prop_def(base(IntegerType))
    result = result_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = (
        "$x `,` $mul `,` $add `shift` $shift `clip` $low `to` $high `in` $compute attr-dict"
        " `:` type($x) `,` type($mul) `,` type($add) `->` type($result)"
    )

    def __init__(
        self,
        x: SSAValue,
        mul: SSAValue,
        add: SSAValue,
        *,
        shift: int,
        low: int,
        high: int,
        compute: Attribute,
        type: Attribute,
    ):
        numbers = {"shift": shift, "low": low, "high": high}
        properties: dict[str, Attribute] = {name: IntegerAttr(value, i64) for name, value in numbers.items()}
        super().__init__(operands=[x, mul, add], properties=properties | {"compute": compute}, result_types=[type])

    def verify_(self) -> None:
        width = self.compute.width.data
        if not 0 <= self.shift.value.data < width:
            raise VerifyException(
                f"a shift of {self.shift.value.data} is outside 0 to {width - 1}, the width of {self.compute}"
            )
        if self.low.value.data > self.high.value.data:
            raise VerifyException(f"the clip range {self.low.value.data} to {self.high.value.data} is empty")
        for operand in self.operands:
            if (integer_width(operand.type) or 0) > width:
                raise VerifyException(
                    f"an operand of type {operand.type} does not fit the computation in {self.compute}"
                )
        bits = integer_width(self.result.type) or 0
        if self.low.value.data < -(1 << (bits - 1)) or self.high.value.data >= 1 << bits:
            raise VerifyException(f"the clip range does not fit the result type {self.result.type}")


@scalar(RequantizeOp)
def _requantize(op: RequantizeOp, x: Array, mul: Array, add: Array) -> Array:
    compute = numpy_type(op.compute)
    shift = op.shift.value.data
    rounding = compute.type((1 << shift) >> 1)
    total = np.asarray(x).astype(compute) * np.asarray(mul).astype(compute) + np.asarray(add).astype(compute) + rounding
    clipped = np.clip(total >> compute.type(shift), op.low.value.data, op.high.value.data)
    return clipped.astype(numpy_type(op.result.type))


@irdl_op_definition
class RescaleOp(IRDLOperation):
    """
    Requantisation by a float factor: `clip(round(x * scale) + zero, low, high)`, halves rounded to even.

        %y = quant.rescale %x, %scale zero 128 clip 0 to 255 : i32, f32 -> i8

    An integer `x` is converted to f32 first, then multiplied in f32, as ONNX Runtime does for QLinearConv. What is no
    number becomes one of the ends of the range. A range that needs the result's unsigned reading (0 to 255 in i8) is
    stored as these bits.
    """

    name = "quant.rescale"

    x = operand_def(IntegerType | Float32Type)
    scale = operand_def(Float32Type)
    zero = prop_def(IntegerAttr[I64])
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])
    result = result_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = (
        "$x `,` $scale `zero` $zero `clip` $low `to` $high attr-dict `:` type($x) `,` type($scale) `->` type($result)"
    )

    def __init__(self, x: SSAValue, scale: SSAValue, *, zero: int, low: int, high: int, type: Attribute):
        numbers = {"zero": zero, "low": low, "high": high}
        properties: dict[str, Attribute] = {name: IntegerAttr(value, i64) for name, value in numbers.items()}
        super().__init__(operands=[x, scale], properties=properties, result_types=[type])

    def verify_(self) -> None:
        low, high, zero = self.low.value.data, self.high.value.data, self.zero.value.data
        if low > high:
            raise VerifyException(f"the clip range {low} to {high} is empty")
        bits = integer_width(self.result.type) or 0
        if low < -(1 << (bits - 1)) or high >= 1 << bits:
            raise VerifyException(f"the clip range does not fit the result type {self.result.type}")
        if max(abs(low - zero), abs(high - zero)) >= LARGEST_RESCALED:
            raise VerifyException(f"the clip range less the zero point must lie within {LARGEST_RESCALED}")


LARGEST_RESCALED = 1 << 22
"""Numbers below it are rounded in f32 by adding and subtracting 1.5 * 2^23."""


@scalar(RescaleOp)
def _rescale(op: RescaleOp, x: Array, scale: Array) -> Array:
    low, high, zero = op.low.value.data, op.high.value.data, op.zero.value.data
    scaled = np.asarray(x).astype(np.float32) * np.asarray(scale).astype(np.float32)
    least, most = np.float32(low - zero), np.float32(high - zero)
    clipped = np.minimum(np.where(scaled > least, scaled, least), most)
    return (np.rint(clipped).astype(np.int64) + zero).astype(numpy_type(op.result.type))


@irdl_op_definition
class LookupOp(IRDLOperation):
    """
    The entry of a table for a byte: entry 0 is that of -128.

        %y = quant.lookup %x {table = dense<0> : tensor<256xi8>} : i8 -> i8
    """

    name = "quant.lookup"

    x = operand_def(IntegerType)
    table = prop_def(DenseIntOrFPElementsAttr)
    result = result_def()

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x attr-dict `:` type($x) `->` type($result)"

    def __init__(self, x: SSAValue, table: DenseIntOrFPElementsAttr[Any]):
        super().__init__(operands=[x], properties={"table": table}, result_types=[table.get_element_type()])

    def verify_(self) -> None:
        table = cast("DenseIntOrFPElementsAttr[Any]", self.table)
        if self.x.type != i8 or table.get_shape() != (ENTRIES,) or table.get_element_type() != self.result.type:
            raise VerifyException(f"a byte is looked up among {ENTRIES} entries of the result's type")


@irdl_op_definition
class EntryOp(IRDLOperation):
    """
    The entry of a table for an index, such as the factor of a channel. An index beyond the table is an error.

        %f = quant.entry %channel {table = dense<[0.5, 0.25]> : tensor<2xf32>} : f32
    """

    name = "quant.entry"

    index = operand_def(IndexType)
    table = prop_def(DenseIntOrFPElementsAttr)
    result = result_def()

    traits = traits_def(Pure(), Tabulated())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$index attr-dict `:` type($result)"

    def __init__(self, index: SSAValue, table: DenseIntOrFPElementsAttr[Any]):
        super().__init__(operands=[index], properties={"table": table}, result_types=[table.get_element_type()])

    @property
    def entries(self) -> int:
        """The number of entries."""
        return prod(cast("DenseIntOrFPElementsAttr[Any]", self.table).get_shape())

    def verify_(self) -> None:
        table = cast("DenseIntOrFPElementsAttr[Any]", self.table)
        if len(table.get_shape()) != 1 or table.get_element_type() != self.result.type:
            raise VerifyException("an index is looked up in a table of one axis, of the result's type")


ENTRIES = 256
"""Of the table of a byte."""


@scalar(LookupOp)
def _lookup(op: LookupOp, x: Array) -> Array:
    return array_of(cast("DenseIntOrFPElementsAttr[Any]", op.table))[np.asarray(x).astype(np.int64) + 128]


@scalar(EntryOp)
def _entry(op: EntryOp, index: Array) -> Array:
    check_entry(op, np.min(index, initial=0), np.max(index, initial=0))
    return array_of(cast("DenseIntOrFPElementsAttr[Any]", op.table))[np.asarray(index)]


QUANT = Dialect("quant", [RequantizeOp, RescaleOp, LookupOp, EntryOp], [])
