"""What products with packed weights cost on Siracusa's cores, as the law states it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.dialects.core.kernel import Kernel, kernel_of
from tilewright.dialects.core.machine.cost_table import cost_named
from tilewright.dialects.core.machine.engine import Stack
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.nn.unpack import packed_shape
from tilewright.targets.siracusa.cost.narrow import narrow_of

pytestmark = pytest.mark.quick

CLUSTER = find_machine("siracusa").engine("cluster")
CONV = "strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64"


def kernel(name: str, x: str, w: str, o: str, properties: str) -> Kernel:
    types = [f"memref<{shape}xi8>" for shape in (x, w)]
    operands = f"ins(%x, %w : {', '.join(types)}) outs(%o : memref<{o}xi32>)"
    text = f"func.func @f(%x: {types[0]}, %w: {types[1]}, %o: memref<{o}xi32>) {{\n{name} {operands} {{{properties}}}"
    module = parse_module(new_context(), f"{text}\nfunc.return\n}}")
    return next(kernel_of(op) for op in module.walk() if op.name == name)


def matmul(rows: int, columns: int, depth: int, bits: int, more: str = "") -> Kernel:
    (width,), flags = packed_shape((depth,), bits), f"accumulator = i32, transpose_b, weight_bits = {bits} : i64{more}"
    return kernel("nn.matmul", f"{rows}x{depth}", f"{columns}x{width}", f"{rows}x{columns}", flags)


def price(found: Kernel, cores: int = 1, xpulp: int = 1, windows: int = 0, **more: int) -> int | str:
    engine = replace(CLUSTER, cores=cores, stack=Stack(packed_windows=windows))
    return cost_named("siracusa.product")(found, found.bounds, engine, simd=1, xpulp=xpulp, **more)


@pytest.mark.parametrize(
    ("rows", "depth", "bits", "blocks"),
    [
        (1, 64, 4, 8 * 22 + 3 + 6.5 * 4),
        (1, 64, 2, 4 * 48 + 3 + 6.5 * 4),
        (1, 70, 4, 8 * (22 + 2) + 4 + 5 + 2 * (1 + 4 * 7 + 5) + 2 * 4 + 3 + 6.5 * 4),
    ],
)
def test_one_row(rows: int, depth: int, bits: int, blocks: float) -> None:
    """16 blocks of 4 features; 70 numbers leave 6, and rows whose words are not aligned."""
    assert price(matmul(rows, 64, depth, bits)) == 52 + 16 * blocks


def test_pairs_of_rows_share_cores() -> None:
    pair = 21 + 16 * (8 * 32 + 3 + 6.5 * 8)
    assert price(matmul(16, 64, 64, 4)) == 95 + 8 * pair
    assert price(matmul(16, 64, 64, 4), cores=8) == 95 + pair


def test_without_shifts_of_bytes() -> None:
    assert price(matmul(1, 64, 64, 4), xpulp=0) == 52 + 16 * (8 * (4 + 2 * (1 + 4 * 7 + 5)) + 3 + 6.5 * 4)


def test_taps_have_to_fill_words() -> None:
    """A window of 3 x 3 taps is read in rows; of 20 channels it is not, and plain C takes longer than one of 24."""
    flags = f"{CONV}, accumulator = i32, channels_last, weight_bits = 4 : i64"
    whole = kernel("nn.conv", "1x3x8x24", "4x3x3x12", "1x1x6x4", flags)
    pair = 21 + 3 * 9 * 32 + 2 * (4 + 2 + 4 + 8) + 3 + 6.5 * 8
    assert price(whole) == 95 + 3 * pair
    parts = kernel("nn.conv", "1x3x8x20", "4x3x3x12", "1x1x6x4", flags)
    assert int(price(parts)) > 10_000


def test_other_kernels_are_none() -> None:
    bytes_only = kernel("nn.matmul", "4x64", "8x64", "4x8", "accumulator = i32, transpose_b")
    assert narrow_of(bytes_only) is None
    assert narrow_of(matmul(4, 8, 64, 2)) is not None


@pytest.mark.parametrize(("bits", "words", "packing"), [(4, 8, 6), (2, 4, 14)])
def test_packed_windows(bits: int, words: int, packing: int) -> None:
    """Two rows are packed; each of 16 blocks multiplies their words by those of 4 features in 14 cycles a word."""
    narrow = matmul(2, 64, 64, bits, ", narrow_input")
    window = 10 + 6 + words * packing
    assert price(narrow, xpulpnn=1, windows=64) == 95 + 2 * window + 21 + 16 * (words * 14 + 3 + 6.5 * 8 - 8)


def test_windows_that_cannot_be_packed() -> None:
    narrow = matmul(2, 64, 64, 4, ", narrow_input")
    assert "xpulpnn" in str(price(narrow, windows=64))
    assert "exceed the bytes" in str(price(narrow, xpulpnn=1, windows=60))
    assert "exceed the bytes" in str(price(narrow, xpulpnn=1))


def test_a_rest_of_numbers_is_packed_in_c() -> None:
    """Of 13 numbers 8 are a word, and 5 one of four and a byte; two words are multiplied."""
    window = 10 + 6 + 6 + (6 + 4 + 5)
    narrow = matmul(1, 4, 13, 4, ", narrow_input")
    assert price(narrow, xpulpnn=1, windows=64) == 52 + window + 2 * (4 + 1 + 4 + 1) + 3 + 5.5 * 4
