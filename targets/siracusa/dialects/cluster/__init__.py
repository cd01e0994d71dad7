"""
Dialect of a cluster of cores with private memory: DMA transfers, and sums of products of bytes.

`external` transfers have an end in external memory. Another engine executes them, with groups of its own.

One controller runs the program; the cores wait until it forks a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.effect_traits import Fence, OperandEffects, StateEffects
from .....dialects.core.instruction import located, state_of
from .....dialects.core.instruction.flat import flat_from
from .....dialects.core.semantics import Runner, Value, c_rule, semantics
from .....ir import Array, element_of, shape_of
from .instructions import (
    copy_row,
    dot,
    dot_narrow,
    dot_packed,
    fill_row,
    im2col,
    mac,
    pack_window,
    spread_weights,
    transpose,
    unpack_row,
    window_words,
)
from .transfers import Transfers

# Transfers

_QUEUE = StateEffects("cluster transfers")
"""Groups of transfers: a transfer belongs to the last group begun."""


@irdl_op_definition
class DmaBeginOp(IRDLOperation):
    """
    Begin a group of transfers: those that are started until the engine's next group begins.

        %group = cluster.dma_begin : i32
        %spilled = cluster.dma_begin {external} : i32
    """

    name = "cluster.dma_begin"
    external = opt_prop_def(UnitAttr)
    group = result_def(i32)
    traits = traits_def(_QUEUE)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `:` type($group)"

    def __init__(self, *, external: bool = False) -> None:
        super().__init__(properties={"external": UnitAttr() if external else None}, result_types=[i32])


class DmaCopyOp(IRDLOperation):
    """
    Transfer of rows between far memory, where they are strided, and near memory, where they are contiguous.

        cluster.dma_in %far[%i, %j], %near[%p, %q] rows %n of %m {axis = 0 : i64}
            : memref<16x64xi8>, memref<8x64xi8, "L1">
        cluster.dma_out %far[%i, %j], %near[%p, %q] rows %n of %m {axis = 0 : i64}
            : memref<16x64xi8>, memref<8x64xi8, "L1">
    """

    far = operand_def(MemRefType)
    far_at = var_operand_def(IndexType)
    near = operand_def(MemRefType)
    near_at = var_operand_def(IndexType)
    rows = operand_def(IndexType)
    elements = operand_def(IndexType)
    axis = prop_def(IntegerAttr[I64])
    """Axis of the far buffer along which the rows are consecutive; all other indices are equal."""
    external = opt_prop_def(UnitAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$far `[` $far_at `]` `,` $near `[` $near_at `]` `rows` $rows `of` $elements attr-dict "
        "`:` type($far) `,` type($near)"
    )

    def __init__(
        self,
        far: SSAValue,
        far_at: Sequence[SSAValue],
        near: SSAValue,
        near_at: Sequence[SSAValue],
        rows: SSAValue,
        elements: SSAValue,
        axis: int,
        *,
        external: bool = False,
    ):
        super().__init__(
            operands=[far, list(far_at), near, list(near_at), rows, elements],
            properties={"axis": IntegerAttr(axis, i64), "external": UnitAttr() if external else None},
        )

    def verify_(self) -> None:
        if any(len(at) != len(shape_of(buffer)) for buffer, at in ((self.far, self.far_at), (self.near, self.near_at))):
            raise VerifyException("expected an index for each axis of both sides")
        if element_of(self.far) != element_of(self.near):
            raise VerifyException("both sides must hold elements of one type")
        if not 0 <= self.axis.value.data < max(len(self.far_at), 1):
            raise VerifyException(f"the far buffer has no axis {self.axis.value.data}")


@irdl_op_definition
class DmaInOp(DmaCopyOp):
    """Start to copy rows to near memory."""

    name = "cluster.dma_in"
    traits = traits_def(OperandEffects(reads=("far",), writes=("near",)), _QUEUE)


@irdl_op_definition
class DmaOutOp(DmaCopyOp):
    """Start to copy rows to far memory."""

    name = "cluster.dma_out"
    traits = traits_def(OperandEffects(reads=("near",), writes=("far",)), _QUEUE)


@irdl_op_definition
class ClusterDmaWaitOp(IRDLOperation):
    """
    Wait until all transfers of a group are done. Group -1 is that of no transfers.

        cluster.dma_wait %group : i32
    """

    name = "cluster.dma_wait"
    group = operand_def(i32)
    external = opt_prop_def(UnitAttr)
    traits = traits_def(Fence(), _QUEUE)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$group attr-dict `:` type($group)"

    def __init__(self, group: SSAValue, *, external: bool = False):
        super().__init__(operands=[group], properties={"external": UnitAttr() if external else None})


# Semantics


@semantics(DmaBeginOp)
def _begin(runner: Runner, op: DmaBeginOp, operands: Sequence[Value]) -> list[Value]:
    return [np.int32(state_of(runner, op, Transfers).begin())]


@semantics(DmaInOp, DmaOutOp)
def _copy(runner: Runner, op: DmaCopyOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.far_at)
    *sides, rows, elements = operands
    if not rows or not elements:
        return []
    far, near, size = sides[0], sides[1 + count], int(elements)
    stride = far.strides[op.axis.value.data] // far.itemsize if count else 0

    def begin() -> list[Value]:
        there = flat_from(far, [int(i) for i in sides[1 : 1 + count]]).along((rows, stride), (size, 1))
        here = flat_from(near, [int(i) for i in sides[2 + count :]]).along((rows, size), (size, 1))
        target, source = (here, there) if isinstance(op, DmaInOp) else (there, here)
        state_of(runner, op, Transfers).start(lambda: np.copyto(target, source))
        return []

    return located(op, begin)


@semantics(ClusterDmaWaitOp)
def _wait(runner: Runner, op: ClusterDmaWaitOp, operands: Sequence[Value]) -> list[Value]:
    state_of(runner, op, Transfers).wait(int(operands[0]))
    return []


# Functions of the C runtime


@c_rule("tw_dma_begin")
@c_rule("tw_ram_begin")
def _begin_in_c(runner: Runner, op: Operation) -> list[Value]:
    return [np.int32(state_of(runner, op, Transfers).begin())]


@c_rule("tw_dma_wait")
@c_rule("tw_ram_wait")
def _wait_in_c(runner: Runner, op: Operation, group: Value) -> list[Value]:
    state_of(runner, op, Transfers).wait(int(group))
    return []


@c_rule("tw_dma_in")
@c_rule("tw_ram_in")
def _in_in_c(runner: Runner, op: Operation, near: Array, far: Array, *sizes: Value) -> list[Value]:
    return located(op, lambda: _start(runner, op, (near, far), sizes, is_in=True))


@c_rule("tw_dma_out")
@c_rule("tw_ram_out")
def _out_in_c(runner: Runner, op: Operation, far: Array, near: Array, *sizes: Value) -> list[Value]:
    return located(op, lambda: _start(runner, op, (near, far), sizes, is_in=False))


def _start(
    runner: Runner, op: Operation, sides: tuple[Array, Array], sizes: Sequence[Value], *, is_in: bool
) -> list[Value]:
    """Start a transfer between rows of bytes, contiguous on the near side and a stride apart on the far one."""
    width, rows, stride = sizes
    near, far = (flat_from(side.reshape(-1).view(np.uint8), [0]) for side in sides)
    here, there = near.along((rows, width), (width, 1)), far.along((rows, stride), (width, 1))
    target, source = (here, there) if is_in else (there, here)
    state_of(runner, op, Transfers).start(lambda: np.copyto(target, source))
    return []


CLUSTER = Dialect(
    "cluster",
    [
        *(DmaBeginOp, DmaInOp, DmaOutOp, ClusterDmaWaitOp),
        *(
            instruction.op
            for instruction in (
                mac,
                dot,
                dot_packed,
                dot_narrow,
                window_words,
                spread_weights,
                im2col,
                pack_window,
                unpack_row,
                fill_row,
                copy_row,
                transpose,
            )
        ),
    ],
)
