"""Semantics of the functions of a cluster's C runtime, on flat arrays that begin at the pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from ...dialects.cluster import transfers_of
from ...dialects.core.c_call import c_rule
from ...dialects.core.cluster_places import strided
from ...dialects.core.nn_unpack import pack, packed_shape, unpack
from ...dialects.core.semantics import Runner, Value
from ...ir import Array


@c_rule("tw_dma_begin")
@c_rule("tw_ram_begin")
def _begin(runner: Runner, op: Operation) -> list[Value]:
    return [np.int32(transfers_of(runner, op).begin())]


@c_rule("tw_dma_wait")
@c_rule("tw_ram_wait")
def _wait(runner: Runner, op: Operation, group: Any) -> list[Value]:
    transfers_of(runner, op).wait(int(group))
    return []


@c_rule("tw_dma_in")
@c_rule("tw_ram_in")
def _in(runner: Runner, op: Operation, near: Array, far: Array, *sizes: Any) -> list[Value]:
    target, source = _sides(op, near, far, *sizes)
    transfers_of(runner, op).start(lambda: np.copyto(target, source))
    return []


@c_rule("tw_dma_out")
@c_rule("tw_ram_out")
def _out(runner: Runner, op: Operation, far: Array, near: Array, *sizes: Any) -> list[Value]:
    source, target = _sides(op, near, far, *sizes)
    transfers_of(runner, op).start(lambda: np.copyto(target, source))
    return []


def _sides(op: Operation, near: Array, far: Array, row_bytes: Any, rows: Any, stride: Any) -> tuple[Array, Array]:
    """Return the bytes [rows, row] of the near side and of the far one."""
    count, width = int(rows), int(row_bytes)
    if count == 0 or width == 0:
        return np.zeros(0, np.uint8), np.zeros(0, np.uint8)
    near_bytes, far_bytes = near.reshape(-1).view(np.uint8), far.reshape(-1).view(np.uint8)
    here = strided(op, near_bytes, [0], [(count, width), (width, 1)])
    return here, strided(op, far_bytes, [0], [(count, int(stride)), (width, 1)])


@c_rule("tw_dot_block")
def _dot_block(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, features, x_step, x_row, w_step, w_row, rows, elements, is_signed = (int(size) for size in sizes)
    flat = sums.reshape(-1)
    if rows == 0 or elements == 0:
        flat[: pixels * features] = 0
        return []
    numbers = x.reshape(-1).view(np.int8 if is_signed else np.uint8)
    windows = strided(op, numbers, [0], [(pixels, x_step), (rows, x_row), (elements, 1)]).astype(np.int64)
    weights = strided(op, w.reshape(-1), [0], [(features, w_step), (rows, w_row), (elements, 1)]).astype(np.int64)
    flat[: pixels * features] = np.einsum("pre,fre->pf", windows, weights).reshape(-1).astype(np.int32)
    return []


@c_rule("tw_dot_packed")
def _dot_packed(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    _, features, _, _, w_step, w_row, rows, elements, _, bits, are_signed = (int(size) for size in sizes)
    if rows == 0 or elements == 0:
        return _dot_block(runner, op, x, w, sums, *sizes[:-2])
    width = packed_shape((elements,), bits)[0]
    packed = strided(op, w.reshape(-1), [0], [(features, w_step), (rows, w_row), (width, 1)])
    weights = unpack(packed, elements, bits, is_unsigned=not are_signed)
    steps = rows * elements, elements
    return _dot_block(runner, op, x, weights, sums, *sizes[:4], *steps, *sizes[6:-2])


@c_rule("tw_dot_narrow")
def _dot_narrow(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, _, x_step, x_row, _, _, rows, elements, is_signed, bits, _ = (int(size) for size in sizes)
    if rows == 0 or elements == 0:
        return _dot_packed(runner, op, x, w, sums, *sizes)
    width = packed_shape((elements,), bits)[0]
    packed = strided(op, x.reshape(-1), [0], [(pixels, x_step), (rows, x_row), (width, 1)])
    windows = unpack(packed, elements, bits, is_unsigned=not is_signed)
    steps = rows * elements, elements
    return _dot_packed(runner, op, windows, w, sums, *sizes[:2], *steps, *sizes[4:])


@c_rule("tw_window_block")
def _window_block(runner: Runner, op: Operation, x: Array, w: Array, sums: Array, *sizes: Any) -> list[Value]:
    pixels, x_step, x_row, x_tap, w_row, w_tap, rows, taps, is_signed = (int(size) for size in sizes)
    flat = sums.reshape(-1)
    if rows == 0 or taps == 0:
        flat[:pixels] = 0
        return []
    numbers = x.reshape(-1).view(np.int8 if is_signed else np.uint8)
    windows = strided(op, numbers, [0], [(pixels, x_step), (rows, x_row), (taps, x_tap)]).astype(np.int64)
    weights = strided(op, w.reshape(-1), [0], [(rows, w_row), (taps, w_tap)]).astype(np.int64)
    flat[:pixels] = (windows * weights).sum(axis=(1, 2)).astype(np.int32)
    return []


@c_rule("tw_im2col")
def _im2col(runner: Runner, op: Operation, x: Array, window: Array, *numbers: Any) -> list[Value]:
    return _window(op, x, window, *(int(number) for number in numbers))


@c_rule("tw_pack_window")
def _pack_window(runner: Runner, op: Operation, x: Array, window: Array, *numbers: Any) -> list[Value]:
    *sizes, bits = (int(number) for number in numbers)
    return _window(op, x, window, *sizes, bits=bits)


def _window(op: Operation, x: Array, window: Array, *sizes: int, bits: int = 0) -> list[Value]:
    """Copy a window, and pack its numbers where they have `bits` bits."""
    first, size, x_row, x_tap, row, tap, *counts = sizes
    target = window.reshape(-1)[:size]
    target[...] = 0
    if 0 in counts:
        return []
    source = strided(op, x.reshape(-1), [0], list(zip(counts, (x_row, x_tap, 1), strict=True)))
    if bits:
        source = pack(source, bits)
        counts[-1] = source.shape[-1]
    np.copyto(strided(op, target, [first], list(zip(counts, (row, tap, 1), strict=True))), source)
    return []


@c_rule("tw_unpack_row")
def _unpack_row(runner: Runner, op: Operation, packed: Array, out: Array, *numbers: Any) -> list[Value]:
    count, bits, is_signed = (int(number) for number in numbers)
    if count == 0:
        return []
    source = strided(op, packed.reshape(-1), [0], [(packed_shape((count,), bits)[0], 1)])
    target = strided(op, out.reshape(-1), [0], [(count, 1)])
    np.copyto(target, unpack(source, count, bits, is_unsigned=not is_signed))
    return []
