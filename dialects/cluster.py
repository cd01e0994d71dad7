"""
A cluster of cores with a memory of their own: kernels that all cores share, transfers that a DMA engine makes, and
sums of products of bytes.

One controller runs the program; the cores wait until it hands them a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import CallableOpInterface, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from ..errors import Diagnostic
from ..ir import Array, element_of, numbers_of, shape_of, where
from .core.semantics import Runner, Value, semantics
from .nn import ints


class _CalleeExists(SymbolUserOpInterface):
    """The function that the cores run has to be there, and to take a core's number last."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ForkOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if callee is None:
            raise VerifyException(f"there is no function {op.callee}")
        interface = callee.get_trait(CallableOpInterface)
        taken = interface.get_argument_types(callee) if interface is not None else ()
        given = [*(value.type for value in op.arguments), IndexType()]
        if list(taken) != given:
            expected, found = (", ".join(map(str, types)) for types in (given, taken))
            raise VerifyException(f"{op.callee} must take {expected}; it takes {found}")


@irdl_op_definition
class ForkOp(IRDLOperation):
    """
    Let every core run a function, and wait until all are done.

    The function takes the arguments and then the core's number, from 0. No core may read what another one writes.

        cluster.fork @conv_0(%x, %w, %y) cores 8 : memref<1x8x8x16xi8, "L1">, ...
    """

    name = "cluster.fork"

    callee = prop_def(FlatSymbolRefAttrConstr)
    cores = prop_def(IntegerAttr[I64])
    arguments = var_operand_def()

    traits = traits_def(_CalleeExists())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` type($arguments)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue], cores: int):
        properties = {"callee": SymbolRefAttr(callee), "cores": IntegerAttr(cores, i64)}
        super().__init__(operands=[list(arguments)], properties=properties)

    def verify_(self) -> None:
        if self.cores.value.data < 1:
            raise VerifyException("a kernel needs at least one core")


# Transfers


@irdl_op_definition
class DmaBeginOp(IRDLOperation):
    """
    Begin a group of transfers: those that are started until the next group begins.

        %group = cluster.dma_begin : i32
    """

    name = "cluster.dma_begin"
    group = result_def(i32)
    assembly_format = "attr-dict `:` type($group)"

    def __init__(self) -> None:
        super().__init__(result_types=[i32])


class DmaCopyOp(IRDLOperation):
    """The copy of rows between far memory, where they lie apart, and near memory, where they lie side by side."""

    far = operand_def(MemRefType)
    far_at = var_operand_def(IndexType)
    near = operand_def(MemRefType)
    near_at = var_operand_def(IndexType)
    rows = operand_def(IndexType)
    elements = operand_def(IndexType)
    axis = prop_def(IntegerAttr[I64])
    """Along which axis of the far buffer the rows follow each other; an element of each lies at the same place else."""

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
    ):
        super().__init__(
            operands=[far, list(far_at), near, list(near_at), rows, elements],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        if len(self.far_at) != len(shape_of(self.far)) or len(self.near_at) != len(shape_of(self.near)):
            raise VerifyException("expected an index for each axis of both sides")
        if element_of(self.far) != element_of(self.near):
            raise VerifyException("both sides must hold elements of one type")
        if not 0 <= self.axis.value.data < max(len(self.far_at), 1):
            raise VerifyException(f"the far buffer has no axis {self.axis.value.data}")


@irdl_op_definition
class DmaInOp(DmaCopyOp):
    """
    Start to copy rows to near memory.

        cluster.dma_in %far[%i, %j], %near[%p, %q] rows %n of %m {axis = 0 : i64}
            : memref<16x64xi8>, memref<8x64xi8, "L1">
    """

    name = "cluster.dma_in"


@irdl_op_definition
class DmaOutOp(DmaCopyOp):
    """
    Start to copy rows to far memory.

        cluster.dma_out %far[%i, %j], %near[%p, %q] rows %n of %m {axis = 0 : i64}
            : memref<16x64xi8>, memref<8x64xi8, "L1">
    """

    name = "cluster.dma_out"


@irdl_op_definition
class DmaWaitOp(IRDLOperation):
    """
    Wait until all transfers of a group are done. Group 0 is that of no transfers.

        cluster.dma_wait %group : i32
    """

    name = "cluster.dma_wait"
    group = operand_def(i32)
    assembly_format = "$group attr-dict `:` type($group)"

    def __init__(self, group: SSAValue):
        super().__init__(operands=[group])


# Sums of products


@irdl_op_definition
class DotOp(IRDLOperation):
    """
    Sums of products of bytes: a few neighbouring windows of x times a few neighbouring features of w.

    sums [pixels, features] of i32. From the given elements on, a sum takes `rows` rows of `elements` consecutive
    elements of both. `x_axes` and `w_axes` name the axis along which pixels (features) follow each other and that along
    which rows do, -1 where there is only one row; `steps` tells how far apart in x the pixels and the rows are.

        cluster.dot %x[%n, %h, %w, %c], %w[%f, %kh, %kw, %c] rows %r of %m into %sums
            {x_axes = array<i64: 2, 1>, w_axes = array<i64: 0, 1>, steps = array<i64: 1, 1>, unsigned}
            : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>, memref<2x4xi32>
    """

    name = "cluster.dot"

    x = operand_def(MemRefType)
    x_at = var_operand_def(IndexType)
    w = operand_def(MemRefType)
    w_at = var_operand_def(IndexType)
    rows = operand_def(IndexType)
    elements = operand_def(IndexType)
    sums = operand_def(MemRefType)
    x_axes = prop_def(base(DenseArrayBase))
    w_axes = prop_def(base(DenseArrayBase))
    steps = prop_def(base(DenseArrayBase))
    unsigned = opt_prop_def(UnitAttr)
    """Whether x holds unsigned integers; w never does."""

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$x `[` $x_at `]` `,` $w `[` $w_at `]` `rows` $rows `of` $elements `into` $sums attr-dict "
        "`:` type($x) `,` type($w) `,` type($sums)"
    )

    def __init__(
        self,
        x: tuple[SSAValue, Sequence[SSAValue]],
        w: tuple[SSAValue, Sequence[SSAValue]],
        extent: tuple[SSAValue, SSAValue],
        sums: SSAValue,
        *,
        x_axes: tuple[int, int],
        w_axes: tuple[int, int],
        steps: tuple[int, int],
        unsigned: bool,
    ):
        super().__init__(
            operands=[x[0], list(x[1]), w[0], list(w[1]), *extent, sums],
            properties={
                "x_axes": ints(x_axes),
                "w_axes": ints(w_axes),
                "steps": ints(steps),
                "unsigned": UnitAttr() if unsigned else None,
            },
        )

    def verify_(self) -> None:
        if len(self.x_at) != len(shape_of(self.x)) or len(self.w_at) != len(shape_of(self.w)):
            raise VerifyException("expected an index for each axis of both sides")
        if element_of(self.x) != i8 or element_of(self.w) != i8 or element_of(self.sums) != i32:
            raise VerifyException("expected bytes and sums of i32")
        if len(shape_of(self.sums)) != 2 or any(
            len(numbers_of(p)) != 2 for p in (self.x_axes, self.w_axes, self.steps)
        ):
            raise VerifyException("the sums must be [pixels, features], axes and steps two numbers each")
        for value, axes in ((self.x, self.x_axes), (self.w, self.w_axes)):
            first, row = numbers_of(axes)
            if not (0 <= first < len(shape_of(value)) and -1 <= row < len(shape_of(value))):
                raise VerifyException(f"axes {[first, row]} do not fit a buffer of {len(shape_of(value))} axes")


@irdl_op_definition
class WindowOp(IRDLOperation):
    """
    Sums of products of bytes over the windows of a few neighbouring pixels, of one channel.

    sums [pixels] of i32. From the given elements on, a sum takes `rows` rows of `taps` elements of both. `x_axes` names
    the axes along which pixels, rows and taps follow each other, -1 where there is one row, `steps` how far apart;
    `w_axes` those of rows and taps.

        cluster.window %x[%n, %h, %w, %c], %w[%c, %kh, %kw, %0] rows %r of %t into %sums
            {x_axes = array<i64: 2, 1, 2>, w_axes = array<i64: 1, 2>, steps = array<i64: 1, 1, 1>, unsigned}
            : memref<1x8x8x16xi8>, memref<16x3x3x1xi8>, memref<8xi32>
    """

    name = "cluster.window"

    x = operand_def(MemRefType)
    x_at = var_operand_def(IndexType)
    w = operand_def(MemRefType)
    w_at = var_operand_def(IndexType)
    rows = operand_def(IndexType)
    taps = operand_def(IndexType)
    sums = operand_def(MemRefType)
    x_axes = prop_def(base(DenseArrayBase))
    w_axes = prop_def(base(DenseArrayBase))
    steps = prop_def(base(DenseArrayBase))
    unsigned = opt_prop_def(UnitAttr)
    """Whether x holds unsigned integers; w never does."""

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$x `[` $x_at `]` `,` $w `[` $w_at `]` `rows` $rows `of` $taps `into` $sums attr-dict "
        "`:` type($x) `,` type($w) `,` type($sums)"
    )

    def __init__(
        self,
        x: tuple[SSAValue, Sequence[SSAValue]],
        w: tuple[SSAValue, Sequence[SSAValue]],
        extent: tuple[SSAValue, SSAValue],
        sums: SSAValue,
        *,
        x_axes: Sequence[int],
        w_axes: Sequence[int],
        steps: Sequence[int],
        unsigned: bool,
    ):
        super().__init__(
            operands=[x[0], list(x[1]), w[0], list(w[1]), *extent, sums],
            properties={
                "x_axes": ints(x_axes),
                "w_axes": ints(w_axes),
                "steps": ints(steps),
                "unsigned": UnitAttr() if unsigned else None,
            },
        )

    def verify_(self) -> None:
        if len(self.x_at) != len(shape_of(self.x)) or len(self.w_at) != len(shape_of(self.w)):
            raise VerifyException("expected an index for each axis of both sides")
        if element_of(self.x) != i8 or element_of(self.w) != i8 or element_of(self.sums) != i32:
            raise VerifyException("expected bytes and sums of i32")
        counts = [len(numbers_of(numbers)) for numbers in (self.x_axes, self.w_axes, self.steps)]
        if len(shape_of(self.sums)) != 1 or counts != [3, 2, 3]:
            raise VerifyException("the sums must be [pixels], x_axes and steps three numbers each, w_axes two")
        for value, axes in ((self.x, self.x_axes), (self.w, self.w_axes)):
            if any(not -1 <= axis < len(shape_of(value)) for axis in numbers_of(axes)):
                raise VerifyException(
                    f"axes {list(numbers_of(axes))} do not fit a buffer of {len(shape_of(value))} axes"
                )


# Semantics


@dataclass
class Transfers:
    """What the DMA engine of a run has to do; nothing moves before it is waited for."""

    groups: dict[int, list[Callable[[], None]]] = field(default_factory=dict[int, list[Callable[[], None]]])
    last: int = 0

    def begin(self) -> int:
        """Open a group and return its number."""
        self.last += 1
        self.groups[self.last] = []
        return self.last

    def start(self, copy: Callable[[], None]) -> None:
        """Add a transfer to the last group."""
        self.groups[self.last].append(copy)

    def wait(self, group: int) -> None:
        """Do what the group has to do, once."""
        for copy in self.groups.pop(group, []):
            copy()


def transfers_of(runner: Runner, op: Operation) -> Transfers:
    """Return the DMA engine of a run."""
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    return runner.cached(top, _new_transfers)


def _new_transfers(_: Operation) -> Transfers:
    return Transfers()


def strided(op: Operation, array: Array, at: Sequence[int], axes: Sequence[tuple[int, int]]) -> Array:
    """
    Return a view of an array from an element on, along axes of (count, step in bytes).

    Raises Diagnostic where that leaves the memory that the array lies in.
    """
    if any(not 0 <= index < extent for index, extent in zip(at, array.shape, strict=True)):
        raise Diagnostic(f"element {tuple(at)} lies outside of the buffer of shape {array.shape}", where=where(op))
    first = sum(index * step for index, step in zip(at, array.strides, strict=True))
    reach = first + sum((count - 1) * step for count, step in axes if count) + array.itemsize
    end = sum((extent - 1) * step for extent, step in zip(array.shape, array.strides, strict=True)) + array.itemsize
    if reach > end:
        raise Diagnostic(
            "a row leaves its buffer", where=where(op), expected=f"{end} bytes at most", found=f"byte {reach - 1}"
        )
    start = array[tuple(slice(index, index + 1) for index in at)]
    counts, steps = tuple(count for count, _ in axes), tuple(step for _, step in axes)
    return np.lib.stride_tricks.as_strided(start, counts, steps)


@semantics(ForkOp)
def _fork(runner: Runner, op: ForkOp, operands: Sequence[Value]) -> list[Value]:
    for core in reversed(range(op.cores.value.data)):
        runner.call(op.callee.string_value(), [*operands, np.int64(core)])
    return []


@semantics(DmaBeginOp)
def _begin(runner: Runner, op: DmaBeginOp, operands: Sequence[Value]) -> list[Value]:
    return [np.int32(transfers_of(runner, op).begin())]


@semantics(DmaInOp, DmaOutOp)
def _copy(runner: Runner, op: DmaCopyOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.far_at)
    far, near, rows, elements = operands[0], operands[1 + count], int(operands[-2]), int(operands[-1])
    far_at, near_at = ([int(i) for i in operands[s]] for s in (slice(1, 1 + count), slice(2 + count, -2)))
    if rows == 0 or elements == 0:
        return []
    size, step = far.itemsize, far.strides[op.axis.value.data] if count else far.itemsize
    there = strided(op, far, far_at, [(rows, step), (elements, size)])
    here = strided(op, near, near_at, [(rows, elements * size), (elements, size)])
    target, source = (here, there) if isinstance(op, DmaInOp) else (there, here)
    transfers_of(runner, op).start(lambda: np.copyto(target, source))
    return []


@semantics(DmaWaitOp)
def _wait(runner: Runner, op: DmaWaitOp, operands: Sequence[Value]) -> list[Value]:
    transfers_of(runner, op).wait(int(operands[0]))
    return []


@semantics(DotOp)
def _dot(runner: Runner, op: DotOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.x_at)
    x, w, sums = operands[0], operands[1 + count], operands[-1]
    x_at, w_at = ([int(i) for i in operands[s]] for s in (slice(1, 1 + count), slice(2 + count, -3)))
    rows, elements = int(operands[-3]), int(operands[-2])
    pixel_step, row_step = numbers_of(op.steps)
    windows = _runs(op, x, x_at, numbers_of(op.x_axes), (sums.shape[0], pixel_step), (rows, row_step), elements)
    weights = _runs(op, w, w_at, numbers_of(op.w_axes), (sums.shape[1], 1), (rows, 1), elements)
    numbers = windows.view(np.uint8) if op.unsigned is not None else windows
    sums[...] = np.einsum("pre,fre->pf", numbers.astype(np.int64), weights.astype(np.int64)).astype(np.int32)
    return []


@semantics(WindowOp)
def _window(runner: Runner, op: WindowOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.x_at)
    x, w, sums = operands[0], operands[1 + count], operands[-1]
    x_at, w_at = ([int(i) for i in operands[s]] for s in (slice(1, 1 + count), slice(2 + count, -3)))
    extent = int(operands[-3]), int(operands[-2])
    x_steps = _strides(x, numbers_of(op.x_axes), numbers_of(op.steps))
    w_steps = _strides(w, numbers_of(op.w_axes), (1, 1))
    windows = strided(op, x, x_at, list(zip((sums.shape[0], *extent), x_steps, strict=True)))
    weights = strided(op, w, w_at, list(zip(extent, w_steps, strict=True))).astype(np.int64)
    numbers = np.ascontiguousarray(windows).view(np.uint8) if op.unsigned is not None else windows
    sums[...] = (numbers.astype(np.int64) * weights).sum(axis=(1, 2)).astype(np.int32)
    return []


def _strides(array: Array, axes: Sequence[int], steps: Sequence[int]) -> list[int]:
    """Return how many bytes apart steps along axes lead, 0 along none."""
    return [array.strides[axis] * step if axis >= 0 else 0 for axis, step in zip(axes, steps, strict=True)]


def _runs(
    op: DotOp,
    array: Array,
    at: Sequence[int],
    axes: Sequence[int],
    first: tuple[int, int],
    rows: tuple[int, int],
    elements: int,
) -> Array:
    """Return the rows [pixels or features, rows, elements] of one side."""
    row_stride = array.strides[axes[1]] if axes[1] >= 0 else 0
    found = strided(
        op, array, at, [(first[0], first[1] * array.strides[axes[0]]), (rows[0], rows[1] * row_stride), (elements, 1)]
    )
    return cast(Any, np.ascontiguousarray(found))


CLUSTER = Dialect("cluster", [ForkOp, DmaBeginOp, DmaInOp, DmaOutOp, DmaWaitOp, DotOp, WindowOp], [])
