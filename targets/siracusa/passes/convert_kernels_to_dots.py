"""Lowering of structured kernels on bytes, and of copies of rows, to loops for a cluster's cores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ....dialects.core.kernel import Kernel
from ....dialects.core.machine.attribute import ATTRIBUTE as MACHINE
from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.engine import Stack
from ....dialects.nn import ConvOp, MatmulOp
from ....dialects.nn.contraction import ContractionOp, PackableOp
from ....dialects.nn.unpack import UnpackOp
from ....ir import element_of, integer_width
from ....passes.core.base import Pass
from ....passes.core.remarks import missed, passed, wanted
from ....passes.loops.lowering import lower_kernels
from ....passes.loops.nest import Nest
from ....passes.map_engines import mapped_engine
from ..cost.windows import Lines, lines_of, windows_of
from ..loops.depthwise import lower_depthwise
from ..loops.dot import is_dot, lower_dot
from ..loops.im2col import lower_im2col, lower_narrow_input
from ..loops.rows import is_row_copy, lower_rows
from ..loops.transposes import lower_transpose, transposed_loops, transposes_blocks
from ..loops.unpack import is_unpack, lower_unpack


def why_scalar(op: Operation, kernel: Kernel) -> str:
    """Return why a kernel has no form by words."""
    if not isinstance(op, ConvOp | MatmulOp):
        return "only sums of products, unpacking, copies of rows and transposes of bytes have such a form"
    types = [element_of(access.value) for access in kernel.inputs]
    if any(integer_width(element) != 8 for element in types):
        return f"inputs of {' and '.join(map(str, types))}, not of bytes"
    if windows_of(kernel) is not None:
        return "no line of a channel fits the engine's stack ('windows')"
    if isinstance(op, ConvOp) and op.channels_last is None:
        return "the image is not channels-last"
    if isinstance(op, MatmulOp) and op.transpose_b is None:
        return "the second matrix is not transposed, so that its products are not contiguous"
    return "its products are not contiguous in both operands"


@dataclass(frozen=True)
class ConvertKernelsToDotsPass(Pass):
    """
    Lower sums of products of bytes on memrefs to register-blocked loops; convert-kernels-to-loops lowers the rest.

    Convolutions with `channels_last` and matrix products with `transpose_b` run over blocks of 2 pixels x 4 features,
    by `cluster.dot`, which reads packed weights too. Depthwise convolutions gather lines of a channel and run over
    blocks of 8 pixels, by `cluster.window_words`. Packed numbers are unpacked by rows, with `cluster.unpack`; rows that
    only move are copied by words, with `cluster.copy`, and bytes transposed in blocks of 4 x 4, with
    `cluster.transpose`. With `im2col` the windows of 2 pixels are copied contiguously
    before, with `narrow_input` packed. Windows and lines are in a stack buffer of at most the engine's `windows` and
    `packed_windows` bytes, or `window-bytes`.
    """

    name = "convert-kernels-to-dots"

    window_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """
        Rewrite the module in place.

        Raises Diagnostic for kernels on tensors, for dynamic shapes, and for `im2col` and `narrow_input` where they are
        not possible.
        """
        lower_kernels(op, partial(self._lower, op))

    def _lower(self, module: ModuleOp, op: Operation, kernel: Kernel, nest: Nest) -> bool:
        form = self._emit(module, op, kernel, nest)
        if form:
            passed(op, "vectorisation", "words of 4 bytes: {form}", form=form)
        elif wanted():
            missed(op, "vectorisation", "not by words of 4 bytes: {reason}", reason=why_scalar(op, kernel))
        return bool(form)

    def _emit(self, module: ModuleOp, op: Operation, kernel: Kernel, nest: Nest) -> str:
        """Build the loops of a kernel and return their form, empty for a kernel that is left."""
        if kernel.im2col:
            lower_im2col(cast(ConvOp, op), kernel, nest, self._stack(module, op).windows)
            return "blocks of products, windows copied before"
        if kernel.narrow_input:
            lower_narrow_input(cast(PackableOp, op), kernel, nest, self._stack(module, op).packed_windows)
            return "blocks of products of packed numbers"
        if (lines := self._lines(module, op, kernel)) is not None:
            lower_depthwise(cast(ConvOp, op), kernel, nest, lines)
            return "blocks of 8 pixels of a channel"
        if is_dot(op):
            lower_dot(cast(ContractionOp, op), kernel, nest)
            return "blocks of products"
        if is_unpack(op):
            lower_unpack(cast(UnpackOp, op), kernel, nest)
            return "unpacked rows"
        if is_row_copy(kernel, self._cores(module)):
            lower_rows(kernel, nest)
            return "copied rows"
        if (transposed := transposed_loops(kernel)) is not None and transposes_blocks(transposed, kernel.bounds):
            lower_transpose(kernel, nest, transposed)
            return "transposed blocks of 4 x 4"
        return ""

    def _lines(self, module: ModuleOp, op: Operation, kernel: Kernel) -> Lines | None:
        """Return the blocking of a depthwise convolution on its engine; None for other kernels, and if none fits."""
        windows = windows_of(kernel) if isinstance(op, ConvOp) else None
        if windows is None:
            return None
        cores = mapped_engine(op, machine_of(module)).cores if MACHINE in module.attributes else 1
        return lines_of(windows, kernel.bounds, cores, self._stack(module, op).windows)

    def _cores(self, module: ModuleOp) -> int:
        """Return the cores that share a copy, 1 without a machine."""
        return machine_of(module).copier.cores if MACHINE in module.attributes else 1

    def _stack(self, module: ModuleOp, op: Operation) -> Stack:
        """Return the bytes that windows may take on the stack of a core."""
        if self.window_bytes is not None:
            return Stack(windows=self.window_bytes, packed_windows=self.window_bytes)
        return mapped_engine(op, machine_of(module)).stack
