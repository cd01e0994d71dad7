"""Semantics of the C functions for tiles, on flat arrays that begin where the pointers point."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from .....dialects.core.semantics import Runner, Value, c_rule
from .....errors import Diagnostic
from .....ir import Array, where
from .ordered_tile import ordered_sums


def _gathered(op: Operation, array: Array, *axes: tuple[int, int]) -> Array:
    """Return the elements of an array along axes (count, step), wide. Raises Diagnostic beyond its end."""
    index = np.zeros((), np.int64)
    for count, step in axes:
        index = index[..., None] + step * np.arange(count)
    flat = array.reshape(-1)
    if index.size and int(index.max()) >= flat.size:
        raise Diagnostic(
            "a tile reads beyond its buffer",
            where=where(op),
            expected=f"an index below {flat.size}",
            found=str(int(index.max())),
        )
    return flat[index].astype(np.int64 if flat.dtype.kind in "iu" else np.float64)


def _store(op: Operation, sums: Array, total: Array) -> list[Value]:
    flat = sums.reshape(-1)
    if total.size > flat.size:
        raise Diagnostic("a tile writes beyond its buffer", where=where(op), expected=f"{flat.size} sums")
    flat[: total.size] = total.reshape(-1).astype(flat.dtype)
    return []


@c_rule("tw_dot_tile")
def _dot_tile(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, step, rows, row_step, run, blocks, block, flip = (int(size) for size in sizes)
    groups = -(-run // 4)
    windows = _gathered(op, x.view(np.int8 if flip else np.uint8), (pixels, step), (rows, row_step), (run, 1))
    weights = _gathered(op, w, (blocks, block), (rows, groups * 64), (groups, 64), (16, 4), (4, 1))
    padded = np.pad(windows, ((0, 0), (0, 0), (0, groups * 4 - run))).reshape(pixels, rows, groups, 4)
    total = np.einsum("prkg,brklg->pbl", padded.astype(np.float64), weights.astype(np.float64), optimize=True)
    return _store(op, sums, total.astype(np.int64))


@c_rule("tw_ordered_tile")
def _ordered_tile(runner: Runner, op: Operation, x: Array, w: Array, *others: Any) -> list[Value]:
    first, _, sums, *sizes = others
    pixels, step, rows, row_step, run, _, blocks, flip = (int(size) for size in sizes)
    windows = _gathered(op, x.view(np.int8 if flip else np.uint8), (pixels, step), (rows, row_step), (run, 1))
    return _store(op, sums, ordered_sums(windows, w.reshape(-1).view(np.int8), int(first), blocks))


@c_rule("tw_depthwise_tile")
def _depthwise_tile(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, step, rows, row_step, taps, tap_step, lanes, channels, signed = (int(size) for size in sizes)
    numbers = x.view(np.int8 if signed else np.uint8)
    windows = _gathered(op, numbers, (pixels, step), (rows, row_step), (taps, tap_step), (lanes, 1))
    weights = _gathered(op, w, (rows, taps * channels), (taps, channels), (lanes, 1))
    return _store(op, sums, (windows * weights).sum(axis=(1, 2)))


@c_rule("tw_float_dot_tile")
@c_rule("tw_bf16_dot_tile")
@c_rule("tw_byte_dot_tile")
def _float_dot_tile(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, step, rows, row_step, taps, tap_step, run, blocks, block = (int(size) for size in sizes)
    windows = _gathered(op, x, (pixels, step), (rows, row_step), (taps, tap_step), (run, 1))
    weights = _gathered(op, w, (blocks, block), (rows, taps * run * 16), (taps, run * 16), (run, 16), (16, 1))
    return _store(op, sums, np.einsum("prtk,brtkl->pbl", windows, weights, optimize=True))


@c_rule("tw_float_matmul_tile")
def _float_matmul_tile(runner: Runner, op: Operation, a: Array, b: Array, sums: Array, *sizes: Any) -> list[Value]:
    rows, step, depth, following, blocks, columns = (int(size) for size in sizes)
    total = np.zeros((rows, 16 * blocks))
    total[:, :columns] = _gathered(op, a, (rows, step), (depth, 1)) @ _gathered(op, b, (depth, following), (columns, 1))
    return _store(op, sums, total)


@c_rule("tw_float_depthwise_tile")
def _float_depthwise_tile(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, step, rows, row_step, taps, tap_step, lanes, channels = (int(size) for size in sizes)
    windows = _gathered(op, x, (pixels, step), (rows, row_step), (taps, tap_step), (lanes, 1))
    weights = _gathered(op, w, (rows, taps * channels), (taps, channels), (lanes, 1))
    return _store(op, sums, (windows * weights).sum(axis=(1, 2)))
