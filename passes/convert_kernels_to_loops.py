"""From structured kernels on buffers to the explicit level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from ..dialects.core.body import Body
from ..dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp, PoolOp
from ..dialects.nn.contraction import ContractionOp, PackableOp
from ..dialects.nn.unpack import UnpackOp
from ..dialects.packed import ChannelsLastOp, PackedMatmulOp
from ..errors import Diagnostic
from ..ir import element_of, functions, shape_of, where
from .core.base import Pass
from .loops.depthwise import is_depthwise, lower_depthwise
from .loops.dot import is_dot, lower_dot
from .loops.im2col import lower_im2col, lower_narrow_input
from .loops.kernel import lower_kernel
from .loops.lookups import expand_lookups
from .loops.nest import Constants, Nest
from .loops.packed import is_tiled, is_tiled_matmul, lower_packed, lower_packed_matmul
from .loops.pool import is_pool, lower_pool
from .loops.rows import is_of_rows, lower_rows
from .loops.rowwise import is_rowwise, lower_rowwise
from .loops.unpack import is_unpack, lower_unpack


@dataclass(frozen=True)
class Stack:
    """The bytes that buffers of a kernel may take on a core's stack: of a row, of a table of powers, of windows."""

    row: int = 0
    table: int = 0
    windows: int = 0


def convert_kernels_to_loops(
    module: ModuleOp, *, dots: bool = False, vectors: bool = False, stack: Stack = Stack()
) -> None:
    """
    Replace the kernels of every function by loops; with `dots`, sums of products of bytes by blocks of them; with
    `vectors`, reductions of f32 along memory by those of partial results; with room for a row on the stack, kernels
    over rows by loops that keep values of it.

    Raises Diagnostic for kernels on tensors, for dynamic shapes, and for `im2col` and `narrow_input` where they are not
    possible.
    """
    for function in functions(module):
        _convert_function(function, dots=dots, vectors=vectors, stack=stack)
    expand_lookups(module)


def _convert_function(function: func.FuncOp, *, dots: bool, vectors: bool, stack: Stack) -> None:
    constants = Constants()
    for op in nested_ops(function):
        kernel = _kernel_of(op)
        block = op.parent
        if kernel is None or block is None:
            continue
        nest = Nest(constants, op.location)
        try:
            if isinstance(op, ChannelsLastOp) and is_tiled(op):
                lower_packed(op, kernel, nest)
            elif isinstance(op, PackedMatmulOp) and is_tiled_matmul(op):
                lower_packed_matmul(op, kernel, nest)
            elif is_pool(op):
                lower_pool(cast(PoolOp, op), kernel, nest)
            elif kernel.im2col:
                lower_im2col(cast(ConvOp, op), kernel, nest, stack.windows)
            elif dots and kernel.narrow_input:
                lower_narrow_input(cast(PackableOp, op), kernel, nest, stack.windows)
            elif dots and is_dot(op):
                lower_dot(cast(ContractionOp, op), kernel, nest)
            elif dots and is_depthwise(op):
                lower_depthwise(cast(ConvOp, op), kernel, nest)
            elif dots and is_unpack(op):
                lower_unpack(cast(UnpackOp, op), kernel, nest)
            elif vectors and is_of_rows(kernel):
                lower_rows(kernel, nest)
            elif stack.row and is_rowwise(kernel):
                lower_rowwise(kernel, nest, stack.row, stack.table)
            else:
                lower_kernel(kernel, nest)
        except Diagnostic as error:
            error.where = error.where or where(op)
            raise
        block.insert_ops_before(nest.take(), op)
        op.detach()
        op.erase()
    constants.place(function.body.blocks[0])


def _kernel_of(op: Operation) -> Kernel | None:
    """Return the kernel that an op is and that needs loops."""
    if type(op) is memref.CopyOp:
        return _copy(op)
    if not is_kernel(op):
        return None
    if any(isinstance(value.type, TensorType) for value in op.operands):
        raise Diagnostic(
            f"'{op.name}' works on tensors; it needs buffers",
            where=where(op),
            expected="operands of type memref",
            remedy="run bufferize first",
        )
    return kernel_of(op)


def _copy(op: memref.CopyOp) -> Kernel | None:
    """Return a copy as a kernel; None where both sides lie in one piece, so that it is a copy of bytes."""
    if all(_is_dense(cast("MemRefType[Any]", value.type)) for value in op.operands):
        return None
    shape = shape_of(op.source)
    if any(extent < 0 for extent in shape):
        raise Diagnostic(f"'{op.name}' has an operand of dynamic shape", where=where(op), expected="static shapes")
    identity = AffineMap.identity(len(shape))
    body = Body([element_of(op.source)])
    accesses = [Access(value, identity) for value in (op.source, op.destination)]
    return Kernel(shape, frozenset(), (accesses[0],), (accesses[1],), result=body.finish(body.args[0]))


def _is_dense(type: MemRefType[Any]) -> bool:
    """Return whether the elements lie in row-major order without gaps."""
    strides = type.get_strides()
    if strides is None:
        return False
    expected = 1
    for extent, stride in zip(reversed(type.get_shape()), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


@dataclass(frozen=True)
class ConvertKernelsToLoopsPass(Pass):
    """
    Turn structured kernels on memrefs (nn and linalg ops, copies between layouts) into scf loops over loads and stores.

    The loops that are not reduced are outermost, in the order of the kernel's dimensions; each reduction is a perfect
    nest that carries its accumulators. Whatever does not change in a loop is computed outside of it. Padding costs no
    test where the bounds of the loops over the window can be narrowed. `quant` ops become arithmetic. Convolutions with
    packed weights run over tiles, whose sums come from `packed.dot_tile` and `packed.depthwise_tile`. Poolings of
    floats, channels last, run over stretches of channels.

    With `dots`, convolutions with `channels_last` and matrix products with `transpose_b`, of bytes, run over blocks of
    2 pixels and 4 features, whose sums come from `cluster.dot`, which reads packed weights too; depthwise ones run over
    blocks of 8 pixels, with `cluster.window`; packed numbers are unpacked row by row, with `cluster.unpack`. Those with
    `im2col` copy the windows of 2 pixels side by side before, and those with `narrow_input` pack them, into
    `window-bytes` at most on the stack.

    With `vectors`, reductions of f32 along memory (softmax, norms, products with a vector) have 16 or 32 partial
    results, which are folded at the end: the order in which a sum is taken is another one.

    With `row-bytes`, kernels over rows (softmax, norms) take four elements at a time, and what their last reduction and
    their result both compute is kept in a buffer on the stack, where a row of it takes no more bytes. The powers of
    large softmaxes of integers are looked up in a table there, where it takes no more than `table-bytes`.
    """

    name = "convert-kernels-to-loops"

    dots: bool = False
    vectors: bool = False
    row_bytes: int = 0
    table_bytes: int = 0
    window_bytes: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        stack = Stack(self.row_bytes, self.table_bytes, self.window_bytes)
        convert_kernels_to_loops(op, dots=self.dots, vectors=self.vectors, stack=stack)
