"""
Instructions of a systolic array of 16x16: a queue each for loads, for the array and for stores.

Near buffers are blocks of 16 columns, `memref<BLOCKSxROWSx16>`: a row of SPAD or ACC is 16 elements. The semantics
follow Gemmini's instructions of the same names (github.com/ucb-bar/gemmini, README), with an integer scale.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from math import ceil
from typing import Annotated, Any, TypeAlias

import numpy as np
from xdsl.ir import Dialect

from tilewright.dialects.core.instruction import (
    Configuration,
    Const,
    Flag,
    Flat,
    In,
    InOut,
    Out,
    Ref,
    Registers,
    State,
    Stride,
    i8,
    i32,
    instruction,
)

DIM = 16
HEADER = "systolic.h"

Rows: TypeAlias = Annotated[Const, range(1, DIM + 1)]
Columns: TypeAlias = Annotated[Const, range(1, DIM + 1)]
Id: TypeAlias = Annotated[Const, (0, 1)]


class Load(Configuration):
    """Registers of the queue of loads, by id: elements between far rows, and rows between blocks of columns."""

    strides: Registers
    blocks: Registers


class Execute(Configuration):
    """Register of the array's queue: whether weights are transposed as they are preloaded."""

    transposes: int


class Weights:
    """The array: the weights in use, and those that are preloaded."""

    def __init__(self) -> None:
        self.used, self.following = np.zeros((DIM, DIM), np.int32), np.zeros((DIM, DIM), np.int32)


class Store(Configuration):
    """Registers of the queue of stores: elements between far rows, and the scale and clip of sums."""

    stride: int
    multiplier: int
    shift: int
    low: int


Axes: TypeAlias = tuple[tuple[int, int], ...]
"""Axes of a region: elements, and the step between them."""


def _outside(rows: int, cols: int, id: int, load: Load) -> Axes:
    """Return the axes of far rows in blocks of columns."""
    return (ceil(cols / DIM), DIM), (rows, load.strides[id]), (min(cols, DIM), 1)


def _blocks(rows: int, cols: int, id: int, load: Load) -> Axes:
    """Return the axes of a near tile in blocks of columns."""
    return (ceil(cols / DIM), load.blocks[id] * DIM), (rows, DIM), (min(cols, DIM), 1)


def _rows(rows: int, cols: int, id: int, load: Load) -> Axes:
    """Return the axes of far rows, of one where the step is 0."""
    return (rows, load.strides[id]), (cols, 1)


def _stored(rows: int, cols: int, store: Store) -> Axes:
    return (rows, store.stride), (cols, 1)


def _tile(rows: int, cols: int) -> tuple[int, int]:
    return rows, cols


def _weights(k: int, n: int) -> tuple[int, int]:
    return k, n


def _factors(rows: int, k: int) -> tuple[int, int]:
    return rows, k


def _sums(rows: int, n: int) -> tuple[int, int]:
    return rows, n


def _whole_blocks(cols: int) -> str | None:
    return f"{cols} columns are neither within a block nor blocks of {DIM}" if cols > DIM and cols % DIM else None


@instruction("systolic.config_ld", c="systolic_config_ld", header=HEADER, queue="load", cycles=lambda: 1)
def config_ld(far: Ref[Any], stride: Annotated[int, Stride("far")], block: Const, id: Id, load: State[Load]) -> None:
    """Set the elements between far rows (0 repeats one row), and the rows between blocks of columns."""
    load.strides[id], load.blocks[id] = stride, block


@instruction(
    "systolic.mvin", c="systolic_mvin", header=HEADER, queue="load", cycles=lambda rows: 10.3 * rows,
    regions={"far": _outside, "near": _blocks}, requires=[_whole_blocks],
)  # fmt: skip
def mvin(
    far: In[i8], near: Out[i8], rows: Rows, cols: Annotated[Const, range(1, 65)], id: Id, load: State[Load]
) -> None:
    """Bring rows of bytes to blocks of 16 columns: near[b, r, c] = far[r, 16 * b + c]."""
    near.along(*_blocks(rows, cols, id, load))[...] = far.along(*_outside(rows, cols, id, load))


@instruction(
    "systolic.mvin_acc", c="systolic_mvin_acc", header=HEADER, queue="load", cycles=lambda rows: 10.3 * rows,
    regions={"far": _rows, "near": _tile},
)  # fmt: skip
def mvin_acc(far: In[i32], near: Out[i32], rows: Rows, cols: Columns, id: Id, load: State[Load]) -> None:
    """Bring rows of sums, or one row repeatedly: near[r, c] = far[r * stride, c]."""
    near.along((rows, DIM), (cols, 1))[...] = far.along(*_rows(rows, cols, id, load))


@instruction("systolic.config_ex", c="systolic_config_ex", header=HEADER, queue="execute", cycles=lambda: 1)
def config_ex(transposes: Flag, execute: State[Execute]) -> None:
    """Say whether weights are transposed as they are preloaded."""
    execute.transposes = transposes


@instruction(
    "systolic.preload", c="systolic_preload", header=HEADER, queue="execute", cycles=lambda: 1,
    regions={"b": _weights}, fills="weights",
)  # fmt: skip
def preload(b: In[i8], k: Columns, n: Columns, execute: State[Execute], array: State[Weights]) -> None:
    """Bring weights to the array, for the next compute_preloaded."""
    array.following[...] = 0
    weights = b.along((k, DIM), (n, 1)).astype(np.int32)
    weights = weights.T if execute.transposes else weights
    array.following[: weights.shape[0], : weights.shape[1]] = weights


def _add_products(a: Flat[Any], c: Flat[Any], array: Weights, size: tuple[int, int, int]) -> None:
    rows, k, n = size
    c.along((rows, DIM), (n, 1))[...] += a.along((rows, DIM), (k, 1)).astype(np.int32) @ array.used[:k, :n]


@instruction(
    "systolic.compute_preloaded", c="systolic_compute_preloaded", header=HEADER, queue="execute",
    cycles=lambda rows: DIM, regions={"a": _factors, "c": _sums}, takes="weights",
)  # fmt: skip
def compute_preloaded(a: In[i8], c: InOut[i32], rows: Rows, k: Columns, n: Columns, array: State[Weights]) -> None:
    """Add products with the weights that were preloaded last: c[r, j] += sum over i of a[r, i] * weights[i, j]."""
    array.used[...] = array.following
    _add_products(a, c, array, (rows, k, n))


@instruction(
    "systolic.compute_accumulated", c="systolic_compute_accumulated", header=HEADER, queue="execute",
    cycles=lambda rows: max(4, rows), regions={"a": _factors, "c": _sums},
)  # fmt: skip
def compute_accumulated(a: In[i8], c: InOut[i32], rows: Rows, k: Columns, n: Columns, array: State[Weights]) -> None:
    """Add products with the weights that the array has."""
    _add_products(a, c, array, (rows, k, n))


@instruction("systolic.config_st", c="systolic_config_st", header=HEADER, queue="store", cycles=lambda: 1)
def config_st(
    far: Ref[Any], stride: Annotated[int, Stride("far")], multiplier: Const, shift: Annotated[Const, range(1, 31)],
    relu: Flag, store: State[Store],
) -> None:  # fmt: skip
    """Set the elements between far rows, and how sums become bytes: scaled, rounded half up, clipped."""
    store.stride, store.multiplier, store.shift, store.low = stride, multiplier, shift, 0 if relu else -128


@instruction(
    "systolic.mvout", c="systolic_mvout", header=HEADER, queue="store", cycles=lambda rows: 10.3 * rows,
    regions={"near": _tile, "far": _stored},
)  # fmt: skip
def mvout(near: In[i32], far: Out[i8], rows: Rows, cols: Columns, store: State[Store]) -> None:
    """Bring rows of sums out as bytes: far[r, c] = clip(near[r, c] * multiplier >> shift, low, 127)."""
    sums = near.along((rows, DIM), (cols, 1)).astype(np.int64) * store.multiplier
    scaled = (sums + (1 << (store.shift - 1))) >> store.shift
    far.along(*_stored(rows, cols, store))[...] = np.clip(scaled, store.low, 127)


@instruction("systolic.fence", c="systolic_fence", header=HEADER, fence=True)
def fence() -> None:
    """Wait for all queues."""


SYSTOLIC = Dialect(
    "systolic",
    [
        config_ld.op, mvin.op, mvin_acc.op, config_ex.op, preload.op, compute_preloaded.op, compute_accumulated.op,
        config_st.op, mvout.op, fence.op,
    ],
)  # fmt: skip
