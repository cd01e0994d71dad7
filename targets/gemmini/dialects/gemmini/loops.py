"""
Loops of Gemmini in hardware: products and convolutions of tiles in DRAM, each one command with its configuration.

The hardware brings a tile to the half of the scratchpad and of the accumulators that it owns, and its results back
(`LOOP_WS` and `LOOP_CONV_WS` of Gemmini's generator, and `tiled_matmul_outer` and `tiled_conv` of `include/gemmini.h`).
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from .....dialects.core.instruction import (
    Configuration,
    Const,
    ElementSize,
    Flag,
    In,
    Out,
    Ref,
    Scalar,
    State,
    Stride,
    f32,
    instruction,
)
from .....errors import Diagnostic
from ...limits import (
    bias_fault,
    conv_bias_fault,
    conv_strides_fault,
    loop_conv_fault,
    loop_fault,
    loop_strides_fault,
    scale_fault,
)
from ...tile_costs import Array, ConvWindow
from .cells import block_products
from .instructions import HEADER, ArrayArenas, Bytes, Dimension, Kept, Sum, scaled

if TYPE_CHECKING:
    from .....dialects.core.machine.model import Machine

Count: TypeAlias = Annotated[Const, range(1, 1 << 16)]
Small: TypeAlias = Annotated[Const, range(1, 1 << 8)]
ASize: TypeAlias = Annotated[int, ElementSize("a")]
XSize: TypeAlias = Annotated[int, ElementSize("x")]

Along: TypeAlias = "tuple[tuple[int, int], ...]"


class LoopWs(Configuration):
    """Configuration of products: elements between rows of factors and results, and how sums become elements."""

    a_stride: int
    b_stride: int
    c_stride: int
    scale: Any
    relu: int


class LoopConv(Configuration):
    """Configuration of convolutions: elements between rows, pixels and channels, and how sums become elements."""

    x_strides: tuple[int, int]
    w_strides: tuple[int, int, int]
    y_strides: tuple[int, int]
    step: int
    dilation: int
    scale: Any
    relu: int


class LoopKind(Configuration):
    """Registers that configurations of products and of convolutions share: those of the array and of stores."""

    convolves: int


def _check_kind(kind: LoopKind, name: str, *, convolves: int) -> None:
    """Raise Diagnostic where the registers of a loop hold the other kind's configuration."""
    if kind.convolves != convolves:
        raise Diagnostic(
            "a loop is configured for the other kind",
            expected=f"{name} before",
            found="config_loop_conv" if kind.convolves else "config_loop",
        )


def add_products(sums: Any, factors: Any, weights: Any, dim: int) -> None:
    """Add products of two matrices to sums, in blocks of `dim` columns of the first one."""
    for first in range(0, factors.shape[1], dim):
        sums += block_products(factors[:, first : first + dim], weights[first : first + dim])


def _zeros(factors: Any, *shape: int) -> Any:
    return np.zeros(shape, np.float32 if factors.dtype.kind == "f" else np.int32)


@instruction("gemmini.begin_loops", c="tw_gemmini_begin_loops", header=HEADER, queue="loop", cycles=lambda: 1)
def begin_loops(
    dim: Dimension, banks: Const, bank_rows: Const, acc_rows: Const, size: Bytes, memories: State[ArrayArenas]
) -> None:
    """State the instance of a program of loops, as `begin` does; the hardware has the memories to itself."""
    memories.is_known = True


@instruction(
    "gemmini.config_loop", c="tw_gemmini_config_loop", header=HEADER, queue="loop", cycles=lambda: 5,
    requires=[scale_fault, loop_strides_fault],
)  # fmt: skip
def config_loop(
    a: Ref[Kept], b: Ref[Kept], c: Ref[Kept], a_stride: Annotated[int, Stride("a")],
    b_stride: Annotated[int, Stride("b")], c_stride: Annotated[int, Stride("c")], size: ASize, scale: Scalar[f32],
    relu: Flag, loop: State[LoopWs], kind: State[LoopKind],
) -> None:  # fmt: skip
    """Set the elements between rows of products' operands, the scale of sums, and whether negative results become 0."""
    loop.a_stride, loop.b_stride, loop.c_stride = a_stride, b_stride, c_stride
    loop.scale, loop.relu, kind.convolves = np.float32(scale), relu, 0


def _a(rows: int, depth: int, loop: LoopWs) -> Along:
    return (rows, loop.a_stride), (depth, 1)


def _b(cols: int, depth: int, loop: LoopWs) -> Along:
    return (depth, loop.b_stride), (cols, 1)


def _c(rows: int, cols: int, loop: LoopWs) -> Along:
    return (rows, loop.c_stride), (cols, 1)


def _array(machine: Machine, dim: int) -> Array:
    """Return the parameters of tiles on a machine."""
    spad, acc = machine.level("SPAD"), machine.level("ACC")
    request = machine.link("mvin").cycles(1, (1,))
    return Array(dim, spad.rows, acc.rows, request, spad.row_bytes // dim)


def _loop_cycles(rows: int, cols: int, depth: int, dim: int, machine: Machine) -> float:
    """Return the cycles of the slowest of a tile's loads, products and stores: those of other tiles overlap it."""
    return max(_array(machine, dim).product(rows, cols, depth, is_biased=False))


def _biased_cycles(rows: int, cols: int, depth: int, dim: int, machine: Machine) -> float:
    return max(_array(machine, dim).product(rows, cols, depth, is_biased=True))


@instruction(
    "gemmini.loop_ws", c="tw_gemmini_loop_ws", header=HEADER, queue="loop", cycles=_loop_cycles,
    regions={"a": _a, "b": _b, "c": _c}, requires=[loop_fault],
)  # fmt: skip
def loop_ws(
    a: In[Kept], b: In[Kept], c: Out[Kept], rows: Count, cols: Count, depth: Count, dim: Dimension,
    spad_rows: Const, acc_rows: Const, loop: State[LoopWs], kind: State[LoopKind],
) -> None:  # fmt: skip
    """Multiply two matrices: c[i, j] = scaled(sum over k of a[i, k] * b[k, j]), scaled as by `mvout`."""
    _check_kind(kind, "config_loop", convolves=0)
    factors, weights = a.along(*_a(rows, depth, loop)), b.along(*_b(cols, depth, loop))
    sums = _zeros(factors, rows, cols)
    add_products(sums, factors, weights, dim)
    c.along(*_c(rows, cols, loop))[...] = scaled(sums, loop)


@instruction(
    "gemmini.loop_ws_bias", c="tw_gemmini_loop_ws_bias", header=HEADER, queue="loop", cycles=_biased_cycles,
    regions={"a": _a, "b": _b, "d": lambda cols: (cols,), "c": _c}, requires=[loop_fault, bias_fault],
)  # fmt: skip
def loop_ws_bias(
    a: In[Kept], b: In[Kept], d: In[Sum], c: Out[Kept], rows: Count, cols: Count, depth: Count,
    dim: Dimension, spad_rows: Const, acc_rows: Const, loop: State[LoopWs], kind: State[LoopKind],
) -> None:  # fmt: skip
    """Multiply two matrices and add a row: c[i, j] = scaled(d[j] + sum over k of a[i, k] * b[k, j])."""
    _check_kind(kind, "config_loop", convolves=0)
    factors, weights = a.along(*_a(rows, depth, loop)), b.along(*_b(cols, depth, loop))
    sums = _zeros(factors, rows, cols) + d[:cols]
    add_products(sums, factors, weights, dim)
    c.along(*_c(rows, cols, loop))[...] = scaled(sums, loop)


@instruction(
    "gemmini.config_loop_conv", c="tw_gemmini_config_loop_conv", header=HEADER, queue="loop", cycles=lambda: 2,
    requires=[scale_fault, conv_strides_fault],
)  # fmt: skip
def config_loop_conv(
    x: Ref[Kept], w: Ref[Kept], y: Ref[Kept], x_row: Annotated[int, Stride("x")],
    x_pixel: Annotated[int, Stride("x")], w_row: Annotated[int, Stride("w")], w_tap: Annotated[int, Stride("w")],
    w_channel: Annotated[int, Stride("w")], y_row: Annotated[int, Stride("y")], y_pixel: Annotated[int, Stride("y")],
    step: Small, dilation: Small, size: XSize, scale: Scalar[f32], relu: Flag, conv: State[LoopConv],
    kind: State[LoopKind],
) -> None:  # fmt: skip
    """
    Set the elements between rows and pixels of images, and between rows, taps and channels of windows.

    Windows are `step` pixels apart, their taps `dilation` pixels.
    """
    conv.x_strides, conv.w_strides, conv.y_strides = (x_row, x_pixel), (w_row, w_tap, w_channel), (y_row, y_pixel)
    conv.step, conv.dilation, conv.scale, conv.relu = step, dilation, np.float32(scale), relu
    kind.convolves = 1


def _x(rows: int, cols: int, depth: int, taps_down: int, taps_across: int, conv: LoopConv) -> Along:
    down = (rows - 1) * conv.step + (taps_down - 1) * conv.dilation + 1
    across = (cols - 1) * conv.step + (taps_across - 1) * conv.dilation + 1
    return (down, conv.x_strides[0]), (across, conv.x_strides[1]), (depth, 1)


def _w(features: int, depth: int, taps_down: int, taps_across: int, conv: LoopConv) -> Along:
    return *zip((taps_down, taps_across, depth), conv.w_strides, strict=True), (features, 1)


def _y(rows: int, cols: int, features: int, conv: LoopConv) -> Along:
    return (rows, conv.y_strides[0]), (cols, conv.y_strides[1]), (features, 1)


def _conv_cycles(*, is_biased: bool) -> Any:
    """Return the cycles of a tile's slowest phase as a function."""

    def cycles(
        rows: int, cols: int, features: int, depth: int, taps_down: int, taps_across: int, step: int, dilation: int,
        dim: int, machine: Machine,
    ) -> float:  # fmt: skip
        window = ConvWindow(depth, (taps_down, taps_across), step, dilation, is_biased)
        return max(_array(machine, dim).convolution(window, rows, cols, features))

    return cycles


def _convolve(sums: Any, pixels: Any, weights: Any, dim: int, conv: LoopConv) -> None:
    """Add the products of windows to sums [rows, columns, features], tap by tap."""
    rows, cols, features = sums.shape
    for down, across in np.ndindex(weights.shape[:2]):
        first = down * conv.dilation, across * conv.dilation
        ends = first[0] + (rows - 1) * conv.step + 1, first[1] + (cols - 1) * conv.step + 1
        seen = pixels[first[0] : ends[0] : conv.step, first[1] : ends[1] : conv.step]
        add_products(sums.reshape(-1, features), seen.reshape(rows * cols, -1), weights[down, across], dim)


@instruction(
    "gemmini.loop_conv_ws", c="tw_gemmini_loop_conv_ws", header=HEADER, queue="loop",
    cycles=_conv_cycles(is_biased=False),
    regions={"x": _x, "w": _w, "y": _y}, requires=[loop_conv_fault],
)  # fmt: skip
def loop_conv_ws(
    x: In[Kept], w: In[Kept], y: Out[Kept], rows: Count, cols: Count, features: Count, depth: Count,
    taps_down: Count, taps_across: Count, step: Small, dilation: Small, dim: Dimension, spad_rows: Const,
    acc_rows: Const, conv: State[LoopConv], kind: State[LoopKind],
) -> None:  # fmt: skip
    """
    Convolve an image without padding: y[i, j, f] = scaled(sum over h, w, c of x[i * step + h, ...] * w[h, w, c, f]).

    Images are [rows, columns, channels], windows [rows, columns, channels, features].
    """
    _check_kind(kind, "config_loop_conv", convolves=1)
    pixels = x.along(*_x(rows, cols, depth, taps_down, taps_across, conv))
    sums = _zeros(pixels, rows, cols, features)
    _convolve(sums, pixels, w.along(*_w(features, depth, taps_down, taps_across, conv)), dim, conv)
    y.along(*_y(rows, cols, features, conv))[...] = scaled(sums, conv)


@instruction(
    "gemmini.loop_conv_ws_bias", c="tw_gemmini_loop_conv_ws_bias", header=HEADER, queue="loop",
    cycles=_conv_cycles(is_biased=True),
    regions={"x": _x, "w": _w, "d": lambda features: (features,), "y": _y}, requires=[loop_conv_fault, conv_bias_fault],
)  # fmt: skip
def loop_conv_ws_bias(
    x: In[Kept], w: In[Kept], d: In[Sum], y: Out[Kept], rows: Count, cols: Count, features: Count,
    depth: Count, taps_down: Count, taps_across: Count, step: Small, dilation: Small, dim: Dimension,
    spad_rows: Const, acc_rows: Const, conv: State[LoopConv], kind: State[LoopKind],
) -> None:  # fmt: skip
    """Convolve an image as `loop_conv_ws` does, with a bias for each feature: sums start from d[f]."""
    _check_kind(kind, "config_loop_conv", convolves=1)
    pixels = x.along(*_x(rows, cols, depth, taps_down, taps_across, conv))
    sums = _zeros(pixels, rows, cols, features) + d[:features]
    _convolve(sums, pixels, w.along(*_w(features, depth, taps_down, taps_across, conv)), dim, conv)
    y.along(*_y(rows, cols, features, conv))[...] = scaled(sums, conv)
