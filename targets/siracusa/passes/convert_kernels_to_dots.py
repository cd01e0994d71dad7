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
from ....dialects.nn import ConvOp
from ....dialects.nn.contraction import ContractionOp, PackableOp
from ....dialects.nn.unpack import UnpackOp
from ....passes.core.base import Pass
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
        if kernel.im2col:
            lower_im2col(cast(ConvOp, op), kernel, nest, self._stack(module, op).windows)
        elif kernel.narrow_input:
            lower_narrow_input(cast(PackableOp, op), kernel, nest, self._stack(module, op).packed_windows)
        elif (lines := self._lines(module, op, kernel)) is not None:
            lower_depthwise(cast(ConvOp, op), kernel, nest, lines)
        elif is_dot(op):
            lower_dot(cast(ContractionOp, op), kernel, nest)
        elif is_unpack(op):
            lower_unpack(cast(UnpackOp, op), kernel, nest)
        elif is_row_copy(kernel, self._cores(module)):
            lower_rows(kernel, nest)
        elif (transposed := transposed_loops(kernel)) is not None and transposes_blocks(transposed, kernel.bounds):
            lower_transpose(kernel, nest, transposed)
        else:
            return False
        return True

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
