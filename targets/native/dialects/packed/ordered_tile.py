"""Tiles of convolutions whose weights are in an order in which sums of four products fit 16 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i8, i32
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.semantics import Runner, Value, semantics
from .....ir import Array, shape_of
from .records import COPIED, FEATURES, SHORT, weights_in
from .tiles import LANES, TileOp, windows_of


@irdl_op_definition
class OrderedTileOp(TileOp):
    """
    A `packed.dot_tile` of bytes whose weights are a record (`records.py`); the index is that of a block of features.

        packed.ordered_tile %x[%n, %h, %w], %record[%block] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
            : memref<1x34x34x16xi8>, memref<2892xi8>, memref<8x16xi32>
    """

    name = "packed.ordered_tile"
    TYPES: ClassVar = ((i8, i8, i32),)

    def verify_(self) -> None:
        super().verify_()
        if len(shape_of(self.w)) != 1 or self.lanes % LANES or self.channels is not None:
            raise VerifyException(f"expected a record in one axis, lanes in blocks of {LANES}, and all channels")


def copy_pitch(rows: int, span: int, run: int, *, is_signed: bool) -> int:
    """
    Return the stride in bytes of the rows of a copy of the windows of a tile, 0 where they are read in place.

    Copied are signed and short rows, of `span` bytes for all windows, which vectors of 32 bytes may fill.
    """
    pitch = (span + 63) // 32 * 32
    return pitch if (is_signed or run < SHORT) and rows * pitch <= COPIED else 0


def ordered_sums(windows: Array, record: Array, first: int, blocks: int) -> Array:
    """Return the sums [pixels, features] of windows [pixels, rows, run] times blocks of a record."""
    _, rows, run = windows.shape
    parts = LANES // FEATURES
    weights = weights_in(record, parts * first, parts * blocks, rows, run)
    total = np.einsum("prk,bfrk->pbf", windows.astype(np.float64), weights.astype(np.float64), optimize=True)
    return total.reshape(len(windows), -1).astype(np.int64)


@semantics(OrderedTileOp)
def _ordered_tile(runner: Runner, op: OrderedTileOp, operands: Sequence[Value]) -> list[Value]:
    x, record, sums, *at, first = operands
    windows = windows_of(op, x, [int(index) for index in at]).reshape(op.pixels, op.rows, op.run)
    sums[...] = ordered_sums(windows, record, int(first), op.lanes // LANES).astype(sums.dtype)
    return []
