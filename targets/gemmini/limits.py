"""Limits of Gemmini's commands: each returns why operands of an instruction break one, None if they do not."""

from __future__ import annotations

from math import ceil, isfinite, prod

REQUEST_BYTES = 64
"""Bytes that one row of a load has at most (`MAX_BYTES`)."""
MOST_PIXELS = 255
"""Lines of a store, rows of a line, and rows between lines, at most: each has a field of 8 bits."""
FIELD = 1 << 16
"""Numbers of a loop in hardware are less: they have 16 bits."""
OUTPUTS = -(1 << 19), (1 << 19) - 1
"""Least and largest integers that leave the array: its outputs have 20 bits."""
SUM_BYTES = 4
SUMS = {"i8": "i32", "bf16": "f32", "f32": "f32"}
"""Type of a product's factors -> type of its sums."""


def most_kept(dim: int, element: str) -> int:
    """Return the blocks of `dim` products that cells may add before a sum exceeds the outputs of the array."""
    return OUTPUTS[1] // (dim << 14) if element == "i8" else 1 << 30


def rows_fault(rows: int, dim: int) -> str | None:
    return None if 0 <= rows <= dim else f"a command moves at most {dim} rows, not {rows}"


def columns_fault(cols: int, dim: int) -> str | None:
    return None if 0 <= cols <= dim else f"a block has at most {dim} columns, not {cols}"


def channels_fault(channels: int, dim: int) -> str | None:
    return columns_fault(channels, dim)


def blocks_fault(blocks: int, dim: int, size: int) -> str | None:
    return request_fault(blocks * dim * size)


def partial_fault(blocks: int, cols: int, dim: int, size: int) -> str | None:
    return request_fault((blocks * dim + cols) * size)


def bytes_fault(blocks: int, dim: int) -> str | None:
    return request_fault(blocks * dim)


def request_fault(count: int) -> str | None:
    return None if count <= REQUEST_BYTES else f"a row of a load has at most {REQUEST_BYTES} bytes, not {count}"


def lines_fault(rows: int, cols: int) -> str | None:
    return (
        None
        if 0 < rows <= MOST_PIXELS and 0 < cols <= MOST_PIXELS
        else f"a store of lines has 1 to {MOST_PIXELS} lines of 1 to {MOST_PIXELS} rows, not {rows} of {cols}"
    )


def pitch_fault(cols: int, pitch: int) -> str | None:
    return None if cols <= pitch else f"the {cols} rows of a line are more than the {pitch} from line to line"


def store_stride_fault(stride: int, size: int) -> str | None:
    return (
        None
        if 0 <= stride * size < 1 << 32
        else f"rows of a store are 0 to 4294967295 bytes apart, not {stride * size}"
    )


def pool_stride_fault(stride: int) -> str | None:
    return store_stride_fault(stride, 1)


def load_stride_fault(stride: int) -> str | None:
    return None if stride >= 0 else f"rows of a load are at least 0 elements apart, not {stride}"


def scale_fault(scale: float) -> str | None:
    return None if isfinite(scale) and scale > 0 else f"the scale of a store is positive and finite, not {scale}"


def gelu_fault(scale: float, qb: int, qc: int) -> str | None:
    if not isfinite(scale) or not scale:
        return f"the scale of a GELU is finite and not 0, not {scale}"
    if not -(1 << 31) < qb <= 0:
        return f"'qb' of a GELU is -2147483647 to 0, not {qb}"
    return None if -(1 << 31) <= qc < 1 << 31 else f"'qc' of a GELU has 32 bits, not {qc}"


def column_fault(near_at: tuple[int | None, ...]) -> str | None:
    return _row_begin(near_at, "near")


def last_fault(near_at: tuple[int | None, ...], last_at: tuple[int | None, ...], blocks: int) -> str | None:
    if (fault := _row_begin(last_at, "last")) is not None:
        return fault
    if len(near_at) < 3 or len(near_at) != len(last_at):
        return None
    pairs = zip((near_at[0], *near_at[1:]), last_at, strict=True)
    differ = [b - a for a, b in pairs if a is not None and b is not None]
    if None in (near_at[0], last_at[0]) or differ[0] == blocks:
        return None
    return f"'last' is block {blocks} behind 'near', not {differ[0]}"


def factors_fault(a_at: tuple[int | None, ...], c_at: tuple[int | None, ...]) -> str | None:
    return _row_begin(a_at, "a") or _row_begin(c_at, "c")


def weights_fault(b_at: tuple[int | None, ...]) -> str | None:
    return _row_begin(b_at, "b")


def keep_fault(a_at: tuple[int | None, ...], b_at: tuple[int | None, ...]) -> str | None:
    return _row_begin(a_at, "a") or _row_begin(b_at, "b")


def _row_begin(at: tuple[int | None, ...], name: str) -> str | None:
    return f"'{name}' begins at column {at[-1]}, and addresses are those of whole rows" if at and at[-1] else None


def product_fault(rows: int, k: int, n: int, dim: int) -> str | None:
    sizes = {"rows": rows, "k": k, "n": n}
    return next((f"{name} is 1 to {dim}, not {size}" for name, size in sizes.items() if not 1 <= size <= dim), None)


def preload_fault(k: int, n: int, dim: int) -> str | None:
    return product_fault(1, k, n, dim)


def sums_fault(a_type: str, c_type: str) -> str | None:
    return None if SUMS[a_type] == c_type else f"products of {a_type} are added to sums of {SUMS[a_type]}, not {c_type}"


def store_fault(near_type: str, far_type: str) -> str | None:
    fits = SUMS[far_type] == near_type
    return None if fits else f"stores of {far_type} are of sums of {SUMS[far_type]}, not {near_type}"


def memories_fault(
    spad_shape: tuple[int, ...],
    acc_shape: tuple[int, ...],
    dim: int,
    banks: int,
    bank_rows: int,
    acc_rows: int,
    size: int,
) -> str | None:
    sizes = {
        "scratchpad": (spad_shape, banks * bank_rows, dim * size),
        "accumulators": (acc_shape, acc_rows, 4 * dim),
    }
    for name, (shape, rows, row) in sizes.items():
        if prod(shape) > rows * row:
            return f"{prod(shape)} bytes are more than the {name} have, {rows} rows of {row}"
    return None


def tile_rows(rows: int, cols: int, depth: int, dim: int) -> tuple[int, int]:
    """Return the rows that a product of matrices in hardware takes of the scratchpad and of the accumulators."""
    blocks = [ceil(extent / dim) for extent in (rows, cols, depth)]
    return (blocks[0] + blocks[1]) * blocks[2] * dim, blocks[0] * blocks[1] * dim


def conv_tile_rows(
    rows: int, cols: int, features: int, depth: int, taps: tuple[int, int], step: int, dilation: int, dim: int
) -> tuple[int, int]:
    """
    Return the rows that a convolution in hardware takes of the scratchpad and of the accumulators.

    The hardware has room for `step` - 1 rows and columns of the image more than windows reach.
    """
    image = prod(extent * step + (count - 1) * dilation for extent, count in zip((rows, cols), taps, strict=True))
    blocks = ceil(features / dim)
    return ceil(depth / dim) * image + blocks * prod(taps) * depth, blocks * rows * cols


def _half_fault(taken: tuple[int, int], spad_rows: int, acc_rows: int) -> str | None:
    if taken[0] > spad_rows // 2:
        return f"the tile takes {taken[0]} rows of the scratchpad, and a loop owns half of {spad_rows}"
    if taken[1] > acc_rows // 2:
        return f"the tile takes {taken[1]} rows of the accumulators, and a loop owns half of {acc_rows}"
    return None


def loop_fault(rows: int, cols: int, depth: int, dim: int, spad_rows: int, acc_rows: int) -> str | None:
    return _half_fault(tile_rows(rows, cols, depth, dim), spad_rows, acc_rows)


def loop_conv_fault(
    rows: int,
    cols: int,
    features: int,
    depth: int,
    taps_down: int,
    taps_across: int,
    step: int,
    dilation: int,
    dim: int,
    spad_rows: int,
    acc_rows: int,
) -> str | None:
    taps = taps_down, taps_across
    return _half_fault(conv_tile_rows(rows, cols, features, depth, taps, step, dilation, dim), spad_rows, acc_rows)


def bias_fault(a_type: str, d_type: str) -> str | None:
    return None if SUMS[a_type] == d_type else f"a bias of products of {a_type} is {SUMS[a_type]}, not {d_type}"


def conv_bias_fault(x_type: str, d_type: str) -> str | None:
    return bias_fault(x_type, d_type)


def loop_strides_fault(a_stride: int, b_stride: int, c_stride: int) -> str | None:
    strides = a_stride, b_stride, c_stride
    return None if min(strides) >= 0 else f"rows are at least 0 elements apart, not {min(strides)}"


def conv_strides_fault(
    x_row: int, x_pixel: int, w_row: int, w_tap: int, w_channel: int, y_row: int, y_pixel: int
) -> str | None:
    pairs = {"row of the image": (x_row, x_pixel), "row of the result": (y_row, y_pixel)}
    pairs |= {"row of a window": (w_row, w_tap), "tap of a window": (w_tap, w_channel)}
    for name, (outer, inner) in pairs.items():
        if inner <= 0 or outer % inner or not 0 < outer // inner < FIELD:
            return f"a {name} is {outer} elements, no 1 to {FIELD - 1} times {inner}"
    widest = max(x_pixel, w_channel, y_pixel)
    return None if widest < FIELD else f"pixels and channels are less than {FIELD} elements apart, not {widest}"
