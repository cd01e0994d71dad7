"""
Instructions of Gemmini: a queue each for loads, for the array and for stores, which scratchpad and accumulators order.

Near buffers are rows of as many elements as the array has columns, `memref<...xROWSxDIM>`: bytes, bf16 or floats in the
scratchpad, and sums of 32 bits in the accumulators, integers or floats. The semantics are those of Gemmini's generator
(github.com/ucb-bar/gemmini, README, and `include/gemmini.h` of gemmini-rocc-tests). Cycles of loads are those of the
machine's links `mvin` and `mvin_acc`.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from .....dialects.core.instruction import (
    Configuration,
    Const,
    ElementSize,
    Extent,
    Flag,
    Flat,
    In,
    InAt,
    InOutAt,
    Out,
    OutAt,
    Ref,
    Registers,
    Scalar,
    Size,
    State,
    Stride,
    bf16,
    f32,
    i8,
    i32,
    instruction,
)
from .....dialects.core.polynomials import gelu
from .....errors import Diagnostic
from ...limits import (
    OUTPUTS,
    blocks_fault,
    bytes_fault,
    channels_fault,
    column_fault,
    columns_fault,
    factors_fault,
    gelu_fault,
    keep_fault,
    last_fault,
    lines_fault,
    load_stride_fault,
    memories_fault,
    partial_fault,
    pitch_fault,
    pool_stride_fault,
    preload_fault,
    product_fault,
    rows_fault,
    scale_fault,
    store_fault,
    store_stride_fault,
    sums_fault,
    weights_fault,
)
from .cells import block_products

if TYPE_CHECKING:
    from .....dialects.core.machine.model import Machine


HEADER = "tw_gemmini.h"

Element = TypeVar("Element", np.int8, bf16, np.float32)
Kept = TypeVar("Kept", np.int8, np.float32)
"""Elements of output-stationary products and of loops in hardware."""
Sum = TypeVar("Sum", np.int32, np.float32)

Dimension: TypeAlias = Annotated[Const, (4, 8, 16, 32, 64)]
Blocks: TypeAlias = Annotated[Const, range(2, 5)]
WholeBlocks: TypeAlias = Annotated[Const, range(1, 4)]
Columns: TypeAlias = Annotated[Const, range(1, 64)]
AnyBlocks: TypeAlias = Annotated[Const, range(1, 5)]
Window: TypeAlias = Annotated[Const, range(1, 4)]
Pixels: TypeAlias = Annotated[Const, range(1, 256)]
Id: TypeAlias = Annotated[Const, range(3)]
Block: TypeAlias = Annotated[Const, range(1 << 16)]
Bytes: TypeAlias = Annotated[Const, (1, 2, 4)]
NearDim: TypeAlias = Annotated[int, Extent("near", -1)]
NearSize: TypeAlias = Annotated[int, ElementSize("near")]
ADim: TypeAlias = Annotated[int, Extent("a", -1)]
ASize: TypeAlias = Annotated[int, ElementSize("a")]


class LoadConfig(Configuration):
    """Configuration of loads, by id: elements between far rows, rows between blocks, and whether sums are of bytes."""

    strides: Registers
    blocks: Registers
    shrunk: Registers


class ArrayArenas:
    """The arenas whose addresses stand for rows."""

    is_known = False


class ExecuteConfig(Configuration):
    """Configuration of products: rows between those of the first factor, and which operand the cells keep."""

    step: int
    keeps_sums: int
    """1 for output-stationary products, 0 for weight-stationary ones."""


class ArrayWeights:
    """The array: the weights in use, and those that are preloaded."""

    used: Any = None
    following: Any = None


class Cells:
    """The array: the sums that its cells keep in output-stationary products."""

    sums: Any = None


class StoreConfig(Configuration):
    """Configuration of stores: elements between far rows, how sums become elements, and the windows of pooling."""

    stride: int
    scale: Any
    relu: int
    is_gelu: int
    qb: int
    qc: int
    window: int
    """0 for stores without pooling."""
    step: int
    line: int
    """Pixels of a row of the whole result."""
    results: tuple[int, int]
    sums: tuple[int, int]
    """Rows and columns of pixels, of the results and of the sums."""


def _tile(rows: Any, cols: Any) -> tuple[Any, Any]:
    return rows, cols


def _line(shape: tuple[int, ...], rows: Any, cols: Any) -> tuple[Any, ...]:
    """Return the region of rows along the last axis with several of them, before the one of columns."""
    behind = 0
    while behind < len(shape) - 2 and shape[-2 - behind] == 1:
        behind += 1
    return rows, *([1] * (behind if behind < len(shape) - 2 else 0)), cols


def _near(rows: Any, cols: Any, near_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return _line(near_shape, rows, cols)


def _near_rows(rows: Any, near_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return _line(near_shape, rows, near_shape[-1])


def _repeated(rows: Any, cols: Any, repeats: int) -> tuple[Any, Any]:
    return 1 if repeats else rows, cols


def _far_blocks(rows: Any, blocks: int, dim: int) -> tuple[Any, int]:
    return rows, dim * blocks


def _far_bytes(rows: Any, blocks: int, dim: int, far_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return _line(far_shape, rows, dim * blocks)


def _near_blocks(rows: Any, blocks: int, near_shape: tuple[int, ...]) -> tuple[Any, ...]:
    line = _line(near_shape[1:], rows, near_shape[-1])
    return blocks, *([1] * (len(near_shape) - 1 - len(line))), *line


def _far_columns(rows: Any, blocks: int, cols: int, dim: int) -> tuple[Any, int]:
    return rows, dim * blocks + cols


def _last(rows: Any, cols: int, last_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return _line(last_shape, rows, cols)


def _weights(k: int, n: int) -> tuple[int, int]:
    return k, n


def _factors(rows: int, k: int, step: int, a_shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the region of rows at a distance, along the last axis that is long enough for them."""
    behind, unit = 0, 1
    while (rows - 1) * step // unit >= a_shape[-2 - behind] and behind < len(a_shape) - 3:
        unit, behind = unit * a_shape[-2 - behind], behind + 1
    return (rows - 1) * step // unit + 1, *([1] * behind), k


def _sums(rows: int, n: int, c_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return _line(c_shape, rows, n)


def _requests(machine: Machine, rows: int, count: int) -> float:
    """Return the cycles of rows of a load of so many bytes each."""
    return machine.link("mvin").cycles(count, (rows,))


def _sum_loads(machine: Machine, rows: int, repeats: int, count: int) -> float:
    """Return the cycles of rows of sums: a repeated one is one request, and is written once a cycle."""
    return max(_requests(machine, 1, count), rows) if repeats else _requests(machine, rows, count)


@instruction(
    "gemmini.begin", c="tw_gemmini_begin", header=HEADER, queue="load", cycles=lambda: 3, requires=[memories_fault]
)
def begin(
    spad: Ref[i8], acc: Ref[i8], dim: Dimension, banks: Const, bank_rows: Const, acc_rows: Const, size: Bytes,
    memories: State[ArrayArenas],
) -> None:  # fmt: skip
    """
    State the instance, and name the arenas in C that stand for its memories: rows are addresses in them.

    The array has `dim` x `dim` cells; the scratchpad `banks` of `bank_rows` rows, of elements of `size` bytes; the
    accumulators `acc_rows` rows of sums. It issues a configuration of each id of loads: loads of zeros need one.
    """
    memories.is_known = True


@instruction(
    "gemmini.config_ld", c="tw_gemmini_config_ld", header=HEADER, queue="load", cycles=lambda: 1,
    requires=[load_stride_fault],
)  # fmt: skip
def config_ld(
    far: Ref[Any], stride: Annotated[int, Stride("far")], block: Block, size: Bytes, id: Id, load: State[LoadConfig]
) -> None:
    """
    Set the elements between far rows (0 repeats one row), and the rows between blocks of columns.

    An element has `size` bytes: the hardware's stride is in bytes.
    """
    load.strides[id], load.blocks[id], load.shrunk[id] = stride, block, 0


@instruction(
    "gemmini.config_ld_bytes", c="tw_gemmini_config_ld_bytes", header=HEADER, queue="load", cycles=lambda: 1,
    requires=[load_stride_fault],
)  # fmt: skip
def config_ld_bytes(
    far: Ref[i8], stride: Annotated[int, Stride("far")], block: Block, id: Id, load: State[LoadConfig]
) -> None:
    """Set loads of bytes to accumulators: the elements between far rows, and the rows between blocks of columns."""
    load.strides[id], load.blocks[id], load.shrunk[id] = stride, block, 1


@instruction(
    "gemmini.mvin", c="tw_gemmini_mvin", header=HEADER, queue="load",
    cycles=lambda rows, dim, size, machine: _requests(machine, rows, dim * size),
    regions={"far": _tile, "near": _near}, requires=[rows_fault, columns_fault, column_fault],
)  # fmt: skip
def mvin(
    far: In[Element], near: OutAt[Element], rows: Size, cols: Size, id: Id, dim: NearDim, size: NearSize,
    load: State[LoadConfig],
) -> None:  # fmt: skip
    """Load rows of at most DIM elements: near[r, c] = far[r * stride + c]."""
    near.along((rows, dim), (cols, 1))[...] = far.along((rows, load.strides[id]), (cols, 1))


@instruction(
    "gemmini.mvin_blocks", c="tw_gemmini_mvin_blocks", header=HEADER, queue="load",
    cycles=lambda rows, blocks, dim, size, machine: _requests(machine, rows, blocks * dim * size),
    regions={"far": _far_blocks, "near": _near_blocks}, requires=[rows_fault, blocks_fault, column_fault],
)  # fmt: skip
def mvin_blocks(
    far: In[Element], near: OutAt[Element], rows: Size, blocks: Blocks, id: Id, dim: NearDim, size: NearSize,
    load: State[LoadConfig],
) -> None:  # fmt: skip
    """Load rows of 2 to 4 blocks of DIM elements, 64 bytes at most: near[b, r, c] = far[r * stride + DIM * b + c]."""
    source = far.along((blocks, dim), (rows, load.strides[id]), (dim, 1))
    near.along((blocks, load.blocks[id] * dim), (rows, dim), (dim, 1))[...] = source


@instruction(
    "gemmini.mvin_columns", c="tw_gemmini_mvin_columns", header=HEADER, queue="load",
    cycles=lambda rows, blocks, dim, size, machine: _requests(machine, rows, (blocks + 1) * dim * size),
    regions={"far": _far_columns, "near": _near_blocks, "last": _last},
    requires=[rows_fault, partial_fault, columns_fault, column_fault, last_fault],
)  # fmt: skip
def mvin_columns(
    far: In[Element], near: OutAt[Element], last: OutAt[Element], rows: Size, blocks: WholeBlocks, cols: Columns,
    id: Id, dim: NearDim, size: NearSize, load: State[LoadConfig],
) -> None:  # fmt: skip
    """
    Load rows of 1 to 3 blocks of DIM elements and of a part of another one, `last`, which follows them.

    It is one load: near[b, r, c] = far[r * stride + DIM * b + c], and last[r, c] of the block behind.
    """
    stride, first = load.strides[id], blocks * dim
    near.along((blocks, load.blocks[id] * dim), (rows, dim), (dim, 1))[...] = far.along(
        (blocks, dim), (rows, stride), (dim, 1)
    )
    columns, lines = np.arange(cols), np.arange(rows)[:, None]
    last[lines * dim + columns] = far[lines * stride + first + columns]


@instruction(
    "gemmini.mvin_zero", c="tw_gemmini_mvin_zero", header=HEADER, queue="load", cycles=lambda rows: rows,
    regions={"near": _near_rows}, requires=[rows_fault, column_fault],
)  # fmt: skip
def mvin_zero(near: OutAt[Element], rows: Size, dim: NearDim, size: NearSize) -> None:
    """Set rows of the scratchpad to 0: a load from the address 0."""
    near.along((rows, dim), (dim, 1))[...] = 0


@instruction(
    "gemmini.mvin_acc", c="tw_gemmini_mvin_acc", header=HEADER, queue="load",
    cycles=lambda rows, repeats, dim, machine: _sum_loads(machine, rows, repeats, 4 * dim),
    regions={"far": _repeated, "near": _near}, requires=[rows_fault, columns_fault, column_fault],
)  # fmt: skip
def mvin_acc(
    far: In[Sum], near: OutAt[Sum], rows: Size, cols: Size, repeats: Flag, id: Id, dim: NearDim, load: State[LoadConfig]
) -> None:
    """Load rows of sums, or one row repeatedly, where the stride is 0: near[r, c] = far[r * stride + c]."""
    near.along((rows, dim), (cols, 1))[...] = far.along((1 if repeats else rows, load.strides[id]), (cols, 1))


def _bytes(far: Flat[Any], load: LoadConfig, rows: int, blocks: int, id: int, dim: int) -> Any:
    if not load.shrunk[id]:
        raise Diagnostic(
            "a load of bytes to accumulators is configured for sums of 32 bits",
            expected=f"config_ld_bytes with the id {id} before",
            found="config_ld",
        )
    return far.along((blocks, dim), (rows, load.strides[id]), (dim, 1)).astype(np.int32)


@instruction(
    "gemmini.mvin_bytes", c="tw_gemmini_mvin_bytes", header=HEADER, queue="load",
    cycles=lambda rows, blocks, dim, machine: _requests(machine, rows, blocks * dim),
    regions={"far": _far_bytes, "near": _near_blocks}, requires=[rows_fault, bytes_fault, column_fault],
)  # fmt: skip
def mvin_bytes(
    far: In[i8], near: OutAt[i32], rows: Size, blocks: AnyBlocks, id: Id, dim: NearDim, load: State[LoadConfig]
) -> None:
    """Load rows of 1 to 4 blocks of DIM bytes to accumulators: near[b, r, c] = far[r * stride + DIM * b + c]."""
    near.along((blocks, load.blocks[id] * dim), (rows, dim), (dim, 1))[...] = _bytes(far, load, rows, blocks, id, dim)


@instruction(
    "gemmini.mvin_bytes_add", c="tw_gemmini_mvin_bytes_add", header=HEADER, queue="load",
    cycles=lambda rows, blocks, dim, machine: _requests(machine, rows, blocks * dim),
    regions={"far": _far_bytes, "near": _near_blocks}, requires=[rows_fault, bytes_fault, column_fault],
)  # fmt: skip
def mvin_bytes_add(
    far: In[i8], near: InOutAt[i32], rows: Size, blocks: AnyBlocks, id: Id, dim: NearDim, load: State[LoadConfig]
) -> None:
    """Add rows of 1 to 4 blocks of DIM bytes to sums: near[b, r, c] += far[r * stride + DIM * b + c]."""
    near.along((blocks, load.blocks[id] * dim), (rows, dim), (dim, 1))[...] += _bytes(far, load, rows, blocks, id, dim)


@instruction(
    "gemmini.mvin_acc_zero", c="tw_gemmini_mvin_acc_zero", header=HEADER, queue="load", cycles=lambda rows: rows,
    regions={"near": _near_rows}, requires=[rows_fault, column_fault],
)  # fmt: skip
def mvin_acc_zero(near: OutAt[Sum], rows: Size, dim: NearDim) -> None:
    """Set rows of the accumulators to 0: a load from the address 0."""
    near.along((rows, dim), (dim, 1))[...] = 0


@instruction("gemmini.config_ex", c="tw_gemmini_config_ex", header=HEADER, queue="execute", cycles=lambda: 1)
def config_ex(step: Annotated[Const, range(1, 1 << 16)], execute: State[ExecuteConfig]) -> None:
    """Set weight-stationary products, and the rows between those of the first factor."""
    execute.step, execute.keeps_sums = step, 0


@instruction("gemmini.config_os", c="tw_gemmini_config_os", header=HEADER, queue="execute", cycles=lambda: 1)
def config_os(step: Annotated[Const, range(1, 1 << 16)], execute: State[ExecuteConfig]) -> None:
    """Set output-stationary products, and the rows between those of the first factor; sums leave unshifted."""
    execute.step, execute.keeps_sums = step, 1


@instruction(
    "gemmini.preload", c="tw_gemmini_preload", header=HEADER, queue="execute", cycles=lambda: 0,
    regions={"b": _weights}, beside=["b"], fills="weights", requires=[preload_fault, weights_fault],
)  # fmt: skip
def preload(
    b: InAt[Element], k: Const, n: Const, dim: Annotated[int, Extent("b", -1)], size: Annotated[int, ElementSize("b")],
    weights: State[ArrayWeights],
) -> None:  # fmt: skip
    """
    Bring weights to the array, for the next `compute_preloaded`, during the product before: it takes no cycles itself.

    In C it is issued with that: the hardware's preload names the sums too.
    """
    weights.following = np.zeros((dim, dim), b.dtype)
    weights.following[:k, :n] = b.along((k, dim), (n, 1))


def _check_products(execute: ExecuteConfig, step: int, name: str, *, keeps_sums: int) -> None:
    """Raise Diagnostic where products are configured for another dataflow, or rows at another distance."""
    if (execute.step, execute.keeps_sums) == (step, keeps_sums):
        return
    raise Diagnostic(
        "the array is configured for another dataflow than a product's, or for rows at another distance",
        expected=f"{name} with the step {step} before",
        found=f"config_{'os' if execute.keeps_sums else 'ex'} with the step {execute.step}",
    )


def _products(
    a: Flat[Any], weights: ArrayWeights, execute: ExecuteConfig, rows: int, k: int, n: int, step: int, dim: int
) -> Any:
    """Return products of rows with the weights."""
    _check_products(execute, step, "config_ex", keeps_sums=0)
    factors = a.along((rows, dim * step), (k, 1))
    if weights.used is None:
        return np.zeros((rows, n), np.int32)
    return block_products(factors, weights.used[:k, :n])


@instruction(
    "gemmini.compute_preloaded", c="tw_gemmini_compute_preloaded", header=HEADER, queue="execute",
    cycles=lambda dim: dim, regions={"a": _factors, "c": _sums}, takes="weights",
    requires=[product_fault, sums_fault, factors_fault],
)  # fmt: skip
def compute_preloaded(
    a: InAt[Element], c: OutAt[Sum], rows: Const, k: Const, n: Const, step: Const, dim: ADim, size: ASize,
    execute: State[ExecuteConfig], weights: State[ArrayWeights],
) -> None:  # fmt: skip
    """Take the preloaded weights: c[r, j] = sum over i of a[r * step, i] * weights[i, j]."""
    weights.used = weights.following
    c.along((rows, dim), (n, 1))[...] = _products(a, weights, execute, rows, k, n, step, dim)


@instruction(
    "gemmini.compute_preloaded_add", c="tw_gemmini_compute_preloaded_add", header=HEADER, queue="execute",
    cycles=lambda dim: dim, regions={"a": _factors, "c": _sums}, takes="weights",
    requires=[product_fault, sums_fault, factors_fault],
)  # fmt: skip
def compute_preloaded_add(
    a: InAt[Element], c: InOutAt[Sum], rows: Const, k: Const, n: Const, step: Const, dim: ADim, size: ASize,
    execute: State[ExecuteConfig], weights: State[ArrayWeights],
) -> None:  # fmt: skip
    """Take the preloaded weights and add to the sums: c[r, j] += sum over i of a[r * step, i] * weights[i, j]."""
    weights.used = weights.following
    c.along((rows, dim), (n, 1))[...] += _products(a, weights, execute, rows, k, n, step, dim)


@instruction(
    "gemmini.compute_accumulated", c="tw_gemmini_compute_accumulated", header=HEADER, queue="execute",
    cycles=lambda rows: max(4, rows), regions={"a": _factors, "c": _sums},
    requires=[product_fault, sums_fault, factors_fault],
)  # fmt: skip
def compute_accumulated(
    a: InAt[Element], c: OutAt[Sum], rows: Const, k: Const, n: Const, step: Const, dim: ADim, size: ASize,
    execute: State[ExecuteConfig], weights: State[ArrayWeights],
) -> None:  # fmt: skip
    """Keep the weights: c[r, j] = sum over i of a[r * step, i] * weights[i, j]."""
    c.along((rows, dim), (n, 1))[...] = _products(a, weights, execute, rows, k, n, step, dim)


@instruction(
    "gemmini.compute_accumulated_add", c="tw_gemmini_compute_accumulated_add", header=HEADER, queue="execute",
    cycles=lambda rows: max(4, rows), regions={"a": _factors, "c": _sums},
    requires=[product_fault, sums_fault, factors_fault],
)  # fmt: skip
def compute_accumulated_add(
    a: InAt[Element], c: InOutAt[Sum], rows: Const, k: Const, n: Const, step: Const, dim: ADim, size: ASize,
    execute: State[ExecuteConfig], weights: State[ArrayWeights],
) -> None:  # fmt: skip
    """Keep the weights and add to the sums: c[r, j] += sum over i of a[r * step, i] * weights[i, j]."""
    c.along((rows, dim), (n, 1))[...] += _products(a, weights, execute, rows, k, n, step, dim)


def _accumulate(
    a: Flat[Any], b: Flat[Any], execute: ExecuteConfig, cells: Cells, rows: int, k: int, n: int, first: int, step: int,
    dim: int,
) -> Any:  # fmt: skip
    """
    Add products to the sums of the cells, or start from them, and return those of the rows.

    Floats are added in the order of the second factor's rows, each product and each sum rounded; the hardware rounds
    once. Sums of integers leave the array with 20 bits, saturated.
    """
    _check_products(execute, step, "config_os", keeps_sums=1)
    factors, weights = a.along((rows, dim * step), (k, 1)), b.along((k, dim), (n, 1))
    if first or cells.sums is None:
        cells.sums = np.zeros((dim, dim), np.float32 if a.dtype.kind == "f" else np.int32)
    sums = cells.sums[:rows, :n]
    if a.dtype.kind == "i":
        sums += factors.astype(np.int32) @ weights.astype(np.int32)
        return np.clip(sums, *OUTPUTS)
    for row in range(k):
        sums += factors[:, row : row + 1] * weights[row]
    return sums


@instruction(
    "gemmini.multiply_keep", c="tw_gemmini_multiply_keep", header=HEADER, queue="execute", cycles=lambda dim: dim,
    regions={"a": _factors, "b": _weights}, beside=["b"], requires=[product_fault, keep_fault],
)  # fmt: skip
def multiply_keep(
    a: InAt[Kept], b: InAt[Kept], rows: Const, k: Const, n: Const, first: Flag, step: Const, dim: ADim, size: ASize,
    execute: State[ExecuteConfig], cells: State[Cells],
) -> None:  # fmt: skip
    """Keep products in the cells: sums[r, j] += sum over i of a[r * step, i] * b[i, j], from 0 with `first`."""
    _accumulate(a, b, execute, cells, rows, k, n, first, step, dim)


@instruction(
    "gemmini.multiply", c="tw_gemmini_multiply", header=HEADER, queue="execute", cycles=lambda dim: dim,
    regions={"a": _factors, "b": _weights, "c": _sums}, beside=["b"],
    requires=[product_fault, sums_fault, factors_fault, weights_fault],
)  # fmt: skip
def multiply(
    a: InAt[Kept], b: InAt[Kept], c: OutAt[Sum], rows: Const, k: Const, n: Const, first: Flag, step: Const, dim: ADim,
    size: ASize, execute: State[ExecuteConfig], cells: State[Cells],
) -> None:  # fmt: skip
    """Do as `multiply_keep`, and move the sums out: c[r, j] = sums[r, j]."""
    c.along((rows, dim), (n, 1))[...] = _accumulate(a, b, execute, cells, rows, k, n, first, step, dim)


@instruction(
    "gemmini.multiply_add", c="tw_gemmini_multiply_add", header=HEADER, queue="execute", cycles=lambda dim: dim,
    regions={"a": _factors, "b": _weights, "c": _sums}, beside=["b"],
    requires=[product_fault, sums_fault, factors_fault, weights_fault],
)  # fmt: skip
def multiply_add(
    a: InAt[Kept], b: InAt[Kept], c: InOutAt[Sum], rows: Const, k: Const, n: Const, first: Flag, step: Const,
    dim: ADim, size: ASize, execute: State[ExecuteConfig], cells: State[Cells],
) -> None:  # fmt: skip
    """Do as `multiply_keep`, and add the sums: c[r, j] += sums[r, j]."""
    c.along((rows, dim), (n, 1))[...] += _accumulate(a, b, execute, cells, rows, k, n, first, step, dim)


@instruction(
    "gemmini.config_st", c="tw_gemmini_config_st", header=HEADER, queue="store", cycles=lambda: 1,
    requires=[scale_fault, store_stride_fault],
)  # fmt: skip
def config_st(
    far: Ref[Any], stride: Annotated[int, Stride("far")], size: Bytes, scale: Scalar[f32], relu: Flag,
    store: State[StoreConfig],
) -> None:  # fmt: skip
    """Set the elements of `size` bytes between far rows, the scale of sums, and whether negative results become 0."""
    store.stride, store.scale, store.relu, store.window = stride, np.float32(scale), relu, 0
    store.is_gelu = 0


@instruction(
    "gemmini.config_gelu", c="tw_gemmini_config_gelu", header=HEADER, queue="store", cycles=lambda: 2,
    requires=[gelu_fault, pool_stride_fault],
)  # fmt: skip
def config_gelu(
    far: Ref[i8],
    stride: Annotated[int, Stride("far")],
    scale: Scalar[f32],
    qb: Const,
    qc: Const,
    store: State[StoreConfig],
) -> None:
    """
    Set stores of the GELU of sums, on instances with normalisations: I-BERT's polynomial, scaled as by `config_st`.

    q * (sign(q) * ((min(|q|, -qb) + qb)^2 + qc) + qc), in 32 bits, which wrap around.
    """
    store.stride, store.scale, store.relu, store.window = stride, np.float32(scale), 0, 0
    store.is_gelu, store.qb, store.qc = 1, qb, qc


@instruction(
    "gemmini.config_pool", c="tw_gemmini_config_pool", header=HEADER, queue="store", cycles=lambda: 1,
    requires=[scale_fault, pool_stride_fault],
)  # fmt: skip
def config_pool(
    far: Ref[i8], stride: Annotated[int, Stride("far")], scale: Scalar[f32], relu: Flag, window: Window, step: Window,
    line: Pixels, rows: Pixels, cols: Pixels, sum_rows: Pixels, sum_cols: Pixels, store: State[StoreConfig],
) -> None:  # fmt: skip
    """
    Set stores of maxima over windows: `window` x `window` pixels, `step` apart, without padding.

    Results have rows x cols pixels, `stride` elements apart, `line` pixels from row to row; sums sum_rows x sum_cols.
    """
    store.stride, store.scale, store.relu = stride, np.float32(scale), relu
    store.window, store.step, store.line = window, step, line
    store.results, store.sums, store.is_gelu = (rows, cols), (sum_rows, sum_cols), 0


@instruction(
    "gemmini.config_lines", c="tw_gemmini_config_lines", header=HEADER, queue="store", cycles=lambda: 1,
    requires=[scale_fault, pool_stride_fault, lines_fault, pitch_fault],
)  # fmt: skip
def config_lines(
    far: Ref[i8], stride: Annotated[int, Stride("far")], scale: Scalar[f32], relu: Flag, line: Pixels, pitch: Pixels,
    rows: Size, cols: Size, store: State[StoreConfig],
) -> None:  # fmt: skip
    """
    Set stores of `rows` lines of `cols` rows: those of maxima over windows of one pixel.

    Far rows are `stride` elements apart, and far lines `line` rows; near lines `pitch` rows, no fewer than they have.
    """
    store.stride, store.scale, store.relu = stride, np.float32(scale), relu
    store.window, store.step, store.line = 1, 1, line
    store.results, store.sums, store.is_gelu = (rows, cols), (rows, pitch), 0


@instruction(
    "gemmini.mvout", c="tw_gemmini_mvout", header=HEADER, queue="store", cycles=lambda rows: rows,
    regions={"near": _near, "far": _tile}, requires=[rows_fault, columns_fault, column_fault, store_fault],
)  # fmt: skip
def mvout(
    near: InAt[Sum], far: Out[Element], rows: Size, cols: Size, dim: NearDim,
    size: Annotated[int, ElementSize("far")], store: State[StoreConfig],
) -> None:  # fmt: skip
    """
    Store rows of sums as bytes: far[r * stride + c] = clip(round(float(near[r, c]) * scale), low, 127).

    The sum becomes the nearest f32 first; halves are rounded to even; low is 0 with ReLU, else -128. The sum is its
    GELU after `config_gelu`. Floats are only scaled, and with ReLU what is not above 0 becomes 0.
    """
    sums = near.along((rows, dim), (cols, 1))
    results = gelu(sums, store.qb, store.qc) if store.is_gelu else sums
    far.along((rows, store.stride), (cols, 1))[...] = scaled(results, store)


class Scaling(Protocol):
    """Conversion of sums to elements: their scale, and 1 where what is negative becomes 0."""

    scale: Any
    relu: int


def scaled(sums: Any, store: Scaling) -> Any:
    """Return sums as elements: floats by their scale, integers rounded to the nearest byte, halves to even."""
    scaled = sums.astype(np.float32) * store.scale
    if sums.dtype.kind == "f":
        return np.where(scaled > 0, scaled, np.float32(0)) if store.relu else scaled
    return np.clip(np.rint(scaled), 0 if store.relu else -128, 127).astype(np.int8)


def _near_lines(rows: Any, cols: Any, channels: Any, near_shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the region of lines, along the two axes before the one of columns; of one line where that has one row."""
    has_lines = len(near_shape) > 3 and near_shape[-2] > 1
    return (rows, cols, channels) if has_lines else _line(near_shape, cols, channels)


def _far_lines(rows: Any, cols: Any, channels: Any, far_shape: tuple[int, ...]) -> tuple[Any, ...]:
    return (rows, cols, channels) if len(far_shape) > 2 else (cols, channels)


def _pooled_sums(near_shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the region of all pixels of a block of columns."""
    return near_shape[-3:]


def _pooled_results(rows: int, cols: int, dim: int) -> tuple[int, ...]:
    return rows, cols, dim


@instruction(
    "gemmini.mvout_pool", c="tw_gemmini_mvout_pool", header=HEADER, queue="store",
    cycles=lambda rows, cols, window: rows * cols * window * window,
    regions={"near": _pooled_sums, "far": _pooled_results}, requires=[column_fault],
)  # fmt: skip
def mvout_pool(
    near: InAt[i32], far: Out[i8], rows: Pixels, cols: Pixels, window: Window, dim: NearDim, store: State[StoreConfig]
) -> None:
    """
    Store the maxima of windows of sums as bytes, DIM channels, scaled as by `mvout`.

    far[i, j] = max over h, w < window of near[i * step + h, j * step + w], as `config_pool` says.
    """
    if store.window != window or store.results != (rows, cols):
        raise Diagnostic(
            "a store of maxima has another shape than is configured",
            expected=f"config_pool of {rows} x {cols} results of windows of {window} before",
            found=f"{store.results[0]} x {store.results[1]} results of windows of {store.window}",
        )
    sums = near.along((store.sums[0], store.sums[1] * dim), (store.sums[1], dim), (dim, 1))
    ends = (rows - 1) * store.step + 1, (cols - 1) * store.step + 1
    taps = [sums[h : h + ends[0] : store.step, w : w + ends[1] : store.step] for h, w in np.ndindex(window, window)]
    pixels = far.along((rows, store.line * store.stride), (cols, store.stride), (dim, 1))
    pixels[...] = np.max([scaled(tap, store) for tap in taps], axis=0)


@instruction(
    "gemmini.mvout_lines", c="tw_gemmini_mvout_lines", header=HEADER, queue="store",
    cycles=lambda rows, cols: rows * cols, regions={"near": _near_lines, "far": _far_lines},
    requires=[lines_fault, channels_fault, column_fault],
)  # fmt: skip
def mvout_lines(
    near: InAt[i32], far: Out[i8], rows: Size, cols: Size, channels: Size, pitch: Annotated[int, Extent("near", -2)],
    dim: NearDim, store: State[StoreConfig],
) -> None:  # fmt: skip
    """
    Store lines of rows of sums as bytes, each as `mvout` does: far[i, j, c] = near[i, j, c].

    Several lines are `pitch` rows apart, as `config_lines` says.
    """
    if store.window != 1 or store.results != (rows, cols) or (rows > 1 and store.sums[1] != pitch):
        raise Diagnostic(
            "a store of lines has another shape than is configured",
            expected=f"config_lines of {rows} lines of {cols} rows, {pitch} apart, before",
            found=f"{store.results[0]} lines of {store.results[1]} rows, {store.sums[1]} apart",
        )
    sums = near.along((rows, pitch * dim), (cols, dim), (channels, 1))
    far.along((rows, store.line * store.stride), (cols, store.stride), (channels, 1))[...] = scaled(sums, store)


@instruction(
    "gemmini.mvout_full", c="tw_gemmini_mvout_full", header=HEADER, queue="store", cycles=lambda rows: 4 * rows,
    regions={"near": _near, "far": _tile}, requires=[rows_fault, columns_fault, column_fault],
)  # fmt: skip
def mvout_full(near: InAt[Sum], far: Out[Sum], rows: Size, cols: Size, dim: NearDim, store: State[StoreConfig]) -> None:
    """Store rows of sums as they are: far[r * stride + c] = near[r, c]."""
    far.along((rows, store.stride), (cols, 1))[...] = near.along((rows, dim), (cols, 1))


@instruction("gemmini.fence", c="tw_gemmini_fence", header=HEADER, fence=True)
def fence() -> None:
    """Wait for all queues."""
