"""From kernels of `packed` on buffers to loops over tiles of their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ....dialects.core.kernel import Kernel
from ....passes.core.base import Pass
from ....passes.loops.lowering import lower_kernels
from ....passes.loops.nest import Nest
from ..dialects.packed import ChannelsLastOp, PackedMatmulOp
from ..loops import is_tiled, is_tiled_matmul, lower_packed, lower_packed_matmul


def _lower(pixels: int, float_pixels: int, op: Operation, kernel: Kernel, nest: Nest) -> bool:
    if isinstance(op, ChannelsLastOp) and is_tiled(op):
        lower_packed(op, kernel, nest, byte_pixels=pixels, float_pixels=float_pixels)
    elif isinstance(op, PackedMatmulOp) and is_tiled_matmul(op):
        lower_packed_matmul(op, kernel, nest, float_pixels=float_pixels)
    else:
        return False
    return True


@dataclass(frozen=True)
class ConvertKernelsToTilesPass(Pass):
    """
    Turn kernels of `packed` on memrefs into loops over tiles of outputs; convert-kernels-to-loops does the rest.

    The sums of a tile come from `packed.dot_tile`, `packed.depthwise_tile` or `packed.matmul_tile`, into a buffer on
    the stack; loops over it compute the epilogue. Kernels whose sums do not start from 0, and those on images whose
    rows have gaps, stay. Tiles of bytes have at most `pixels` pixels, by default as many as fit the registers with
    their features. Those of floats have `float_pixels`, the last one of a row up to two more, by default even ones of
    at most 14.
    """

    name = "convert-kernels-to-tiles"
    pixels: int = 0
    float_pixels: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place. Raises Diagnostic for kernels on tensors and for dynamic shapes."""
        lower_kernels(op, partial(_lower, self.pixels, self.float_pixels))
