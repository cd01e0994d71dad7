"""
What Siracusa's machine files and cost functions say, beside what GVSoC's model of the chip took.

The measured points are a few of those that benchmarks/siracusa/micro.py compares. They ran on gvsoc edfcd839, the
commit that Deeploy pins: C without a system, riscv64-unknown-elf-gcc 12.2 -O3 -march=rv32imc, Xpulp as .insn, warm
cache. Those "without conflicts" on several cores ran on gvsoc 209c147c, whose L1 has no bank conflicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType, UnitAttr, f32, i8, i32, i64
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.affine import AffineMap
from xdsl.utils.test_value import create_ssa_value

import tilewright
from tilewright.dialects.core.body import Body
from tilewright.dialects.core.kernel import Access, Kernel, Reduction, is_kernel, kernel_of
from tilewright.dialects.core.machine.cost_table import Cost, cost_named
from tilewright.dialects.core.machine.engine import Stack
from tilewright.dialects.core.machine.file import find_machine, load_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.nn import MatmulOp
from tilewright.dialects.quant import RequantizeOp
from tilewright.targets.siracusa.cost.jobs import job_cycles
from tilewright.targets.siracusa.cost.kernels import share
from tilewright.targets.siracusa.cost.loops import AROUND, BRANCH
from tilewright.targets.siracusa.cost.products import product_of
from tilewright.targets.siracusa.cost.scalar import Rates, ScalarWork, work_of

FOLDER = Path(str(tilewright.__file__)).parent / "targets" / "siracusa"
SIRACUSA = find_machine("siracusa")
CLUSTER = SIRACUSA.engine("cluster")
PRODUCT, CODE = cost_named("siracusa.product"), cost_named("siracusa.code")
ALIGNED = st.integers(1, 8).map(lambda n: 4 * n)


def requantised(accumulator: Attribute = i32) -> Block:
    body = Body([i32])
    mul, add = body.constant(3, accumulator), body.constant(5, accumulator)
    result = RequantizeOp(body.args[0], mul, add, shift=8, low=-128, high=127, compute=accumulator, type=i8)
    return body.finish(body.op(result))


def product(rows: int, columns: int, depth: int, *, quantised: bool = False, transposed: bool = True) -> Kernel:
    """Return [rows, depth] times [columns, depth] transposed, or [depth, columns], all bytes."""
    second = [columns, depth] if transposed else [depth, columns]
    inputs = [create_ssa_value(MemRefType(i8, shape)) for shape in ([rows, depth], second)]
    output = create_ssa_value(MemRefType(i8 if quantised else i32, [rows, columns]))
    flags: dict[str, Any] = {"transpose_b": UnitAttr()} if transposed else {}
    form = MatmulOp(inputs, output, {"accumulator": i32, **flags}).core()
    return replace(form, epilogue=requantised()) if quantised else form


def elementwise(block: Block, inputs: Sequence[Attribute], output: Attribute, shape: tuple[int, ...]) -> Kernel:
    values = [create_ssa_value(MemRefType(each, shape)) for each in (*inputs, output)]
    *reads, write = [Access(value, AffineMap.identity(len(shape))) for value in values]
    return Kernel(shape, frozenset(), tuple(reads), (write,), result=block)


def on(
    cores: int,
    kernel: Kernel,
    cost: Any = PRODUCT,
    bounds: tuple[int, ...] | None = None,
    stack: Stack = Stack(),
    **parameters: Any,
) -> int:
    engine = replace(CLUSTER, cores=cores, stack=stack)
    return cost(kernel, bounds or kernel.bounds, engine, **parameters)


# Machine files


def test_the_two_directions_of_the_dma_run_at_once():
    there, back = SIRACUSA.path("L2", "L1"), SIRACUSA.path("L1", "L2")
    assert [link.name for link in (*there, *back)] == ["dma_in", "dma_out"]


def test_variants_leave_engines_out():
    cluster, single = load_machine(FOLDER / "cluster.toml"), load_machine(FOLDER / "one-core.toml")
    assert [engine.name for engine in SIRACUSA.engines] == ["cluster", "npu"]
    assert cluster.engines == (CLUSTER,)
    assert single.engines == (replace(CLUSTER, cores=1),)
    assert cluster.levels == single.levels == tuple(level for level in SIRACUSA.levels if not level.preloaded)


@pytest.mark.parametrize(
    ("link", "row", "rows", "measured"),
    [
        ("dma_in", 64, 1, 24),
        ("dma_in", 1024, 1, 144),
        ("dma_in", 65536, 1, 8208),
        ("dma_in", 1, 64, 81),
        ("dma_in", 257, 8, 286),
        ("dma_in", 512, 64, 4114),
        ("dma_out", 64, 1, 24),
        ("dma_out", 65536, 1, 8463),
        ("dma_out", 1, 64, 145),
        ("dma_out", 257, 8, 303),
        ("dma_out", 64, 64, 593),
    ],
)
def test_transfers_take_what_was_measured(link: str, row: int, rows: int, measured: int):
    assert SIRACUSA.transfer_cycles(SIRACUSA.link(link), row, (rows,)) == pytest.approx(measured, rel=0.05)


# Sums of products


@pytest.mark.parametrize(
    ("shape", "cores", "measured"),
    [
        ((64, 64, 64), 1, 139525),
        ((16, 64, 256), 1, 120979),
        ((16, 16, 1024), 1, 116455),
        ((64, 16, 32), 1, 21127),
        ((1, 64, 64), 1, 2979),
        ((1, 256, 256), 1, 42481),
        ((64, 64, 64), 8, 17535),
        ((16, 16, 64), 8, 1196),
        ((64, 16, 32), 4, 5365),
        ((1, 64, 64), 8, 417),
    ],
)
def test_words_of_products_without_conflicts(shape: tuple[int, int, int], cores: int, measured: int):
    """The loop of a single row multiplies by the word that it has loaded last, which ours in assembly does not."""
    step = int(shape[0] == cores == 1)
    assert on(cores, product(*shape), simd=1, step=step) == pytest.approx(measured, rel=0.015)


@pytest.mark.parametrize(
    ("shape", "median"),
    [
        ((64, 64, 64), 20555),
        ((16, 64, 256), 16453),
        ((16, 16, 1024), 15478),
        ((32, 32, 128), 8803),
        ((16, 16, 64), 1327),
    ],
)
def test_eight_cores_lose_what_the_middle_of_20_runs_lost(shape: tuple[int, int, int], median: int):
    price = SIRACUSA.tile_cost(CLUSTER, _op(MATMUL.format(m=shape[0], n=shape[1], k=shape[2])))
    assert price is not None
    assert (price(shape) or 0) - CLUSTER.setup == pytest.approx(median, rel=0.07)


MATMUL = """
func.func @f(%a: memref<{m}x{k}xi8>, %b: memref<{n}x{k}xi8>, %o: memref<{m}x{n}xi32>) {{
  nn.matmul ins(%a, %b : memref<{m}x{k}xi8>, memref<{n}x{k}xi8>) outs(%o : memref<{m}x{n}xi32>)
    {{accumulator = i32, transpose_b}}
  func.return
}}
"""
_MODULES: list[Operation] = []


def _op(text: str) -> Operation:
    module = parse_module(new_context(), text)
    _MODULES.append(module)
    return next(op for op in module.walk() if is_kernel(op))


def test_requantisation_and_plain_c():
    assert on(1, product(32, 32, 128, quantised=True), simd=1) == pytest.approx(71649, rel=0.01)
    assert on(1, product(64, 64, 64), CODE) == pytest.approx(2916982, rel=0.001)
    assert on(8, product(16, 16, 64), CODE) == pytest.approx(22858, rel=0.001)
    assert on(1, product(16, 64, 256), blocks=1) == pytest.approx(1511438, rel=0.001)


def test_what_does_not_lie_side_by_side_is_left_to_plain_c():
    lying, other = product(32, 32, 64), product(32, 32, 64, transposed=False)
    in_place, plain = on(8, lying, simd=1), on(8, other, simd=1)
    assert plain == on(8, other, CODE) > 5 * in_place


CONV = """
func.func @f(%x: memref<1x{h}x{h}x{c}xi8>, %w: memref<{f}x{k}x{k}x{d}xi8>, %o: memref<1x8x8x{f}xi32>) {{
  nn.conv ins(%x, %w : memref<1x{h}x{h}x{c}xi8>, memref<{f}x{k}x{k}x{d}xi8>) outs(%o : memref<1x8x8x{f}xi32>)
    {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: {p}, {p}, {p}, {p}>,
     groups = {g} : i64, accumulator = i32, channels_last}}
  func.return
}}
"""


def conv(channels: int, features: int, window: int, *, pad: int = 0, groups: int = 1) -> Kernel:
    size, depth = 8 + window - 1 - 2 * pad, channels // groups
    text = CONV.format(h=size, c=channels, f=features, k=window, d=depth, p=pad, g=groups)
    return kernel_of(_op(text))


def test_windows_are_read_in_place_and_take_more_for_a_product_at_the_border():
    """Padding of 1 leaves 22 of 24 taps of 8 windows along each axis in bounds."""
    macs = 64 * 32 * 9 * 16
    inside, padded = on(1, conv(16, 32, 3), simd=1), on(1, conv(16, 32, 3, pad=1), simd=1)
    assert 1.8 < macs / inside < 2.3
    in_bounds = (22 / 24) ** 2
    assert 1.05 * in_bounds * inside < padded < inside
    cut = on(1, conv(16, 32, 3, pad=1), simd=1, bounds=(1, 1, 32, 8, 4, 16, 3, 3))
    assert cut == pytest.approx(on(1, conv(16, 32, 3), simd=1, bounds=(1, 1, 32, 8, 4, 16, 3, 3)), rel=0.1)


def test_windows_that_are_copied_are_long_rows():
    """Gcc 12 -O3 copies 3x3 taps of 3 channels in 3 rows of 17 cycles each, half of the words not aligned."""
    copied, in_place = (replace(conv(3, 32, 3, pad=1), im2col=flag) for flag in (True, False))
    both = [on(1, each, simd=1, stack=Stack(windows=512)) for each in (copied, in_place)]
    assert both[0] < 0.8 * both[1]
    pairs, blocks = 32, 8
    sums = (7 * (14 + 3 + 4 / 7) + 47) * blocks + 21
    assert both[0] / pairs - sums == pytest.approx(2 * 3 * 17, rel=0.5)
    wide = replace(conv(32, 32, 3), im2col=True)
    assert "exceed the bytes" in str(on(1, wide, simd=1, stack=Stack(windows=575)))
    assert on(1, wide, simd=1, stack=Stack(windows=576)) > on(1, conv(32, 32, 3), simd=1)


@pytest.mark.parametrize(("size", "in_bounds"), [(6, (16 / 18) ** 2), (3, (7 / 9) ** 2), (24, (70 / 72) ** 2)])
def test_products_in_the_padding_take_nothing(size: int, in_bounds: float):
    text = CONV.format(h=size, c=128, f=32, k=3, d=128, p=1, g=1).replace("1x8x8x", f"1x{size}x{size}x")
    form = product_of(kernel_of(_op(text)))
    assert form is not None
    border_taps = 2 * form.border_share + (size - 2)
    assert form.rows_share * border_taps / size == pytest.approx(in_bounds)


def test_a_line_of_one_pixel_has_no_pairs():
    """Blocks of pixels are those of the last axis, by `lower_dot`, even where the tile has one pixel along it."""
    kernel = conv(16, 32, 1)
    column, row = (on(1, kernel, simd=1, bounds=(1, 1, 32, h, w, 16, 1, 1)) for h, w in ((8, 1), (1, 8)))
    assert column > 1.1 * row


def test_a_depthwise_window_is_unrolled():
    """Gcc 12 -O3 makes 43 loads, products and sums of 3x3 taps, and some 8 instructions more for an output."""
    outputs = 64 * 16
    assert on(1, conv(16, 16, 3, groups=16)) / outputs == pytest.approx(51, rel=0.1)
    assert on(1, conv(16, 16, 3, groups=16, pad=1)) == on(1, conv(16, 16, 3, groups=16))


@pytest.mark.parametrize(
    ("window", "stride", "channels", "size", "measured"),
    [
        (3, 1, 32, 24, 383_000),
        (3, 1, 64, 12, 182_000),
        (3, 1, 128, 6, 94_000),
        (5, 1, 32, 20, 444_000),
        (7, 1, 32, 20, 652_000),
        (5, 2, 32, 28, 238_000),
        (7, 2, 24, 28, 252_000),
    ],
)
def test_depthwise_windows_by_words(window: int, stride: int, channels: int, size: int, measured: int):
    """The layers took so long on one core of GVSoC, less their modelled transposes."""
    text = CONV.format(h=size, c=channels, f=channels, k=window, d=1, p=window // 2, g=channels)
    text = text.replace("1x8x8x", "1x{0}x{0}x".format(size // stride)).replace(
        "array<i64: 1, 1>, d", f"array<i64: {stride}, {stride}>, d"
    )
    kernel = replace(kernel_of(_op(text)), epilogue=requantised())
    assert on(1, kernel, simd=1, xpulp=1, stack=Stack(windows=1280)) == pytest.approx(measured, rel=0.15)


@given(ALIGNED, ALIGNED, ALIGNED, st.sampled_from([1, 2, 4, 8]), st.integers(0, 2))
def test_more_work_never_takes_less(rows: int, columns: int, depth: int, cores: int, grown: int):
    """
    But by up to 3 %: cores share the loop with the fewest blocks for the busiest one, not with the fewest cycles.

    And by what it takes to find shares that are not equal, in each row.
    """
    kernel, unequal = product(64, 64, 64), 3 * AROUND * rows
    small = (rows, columns, depth)
    large = tuple(extent + (4 if dim == grown else 0) for dim, extent in enumerate(small))
    choices: list[tuple[Cost, dict[str, Any]]] = [(PRODUCT, {"simd": 1}), (CODE, {}), (PRODUCT, {"blocks": 1})]
    for cost, parameters in choices:
        most = 1.03 * on(cores, kernel, cost, large, **parameters) + unequal
        assert on(cores, kernel, cost, small, **parameters) <= most


@given(ALIGNED, ALIGNED, ALIGNED, st.integers(1, 8))
def test_cores_are_neither_slower_together_nor_faster_than_each(rows: int, columns: int, depth: int, cores: int):
    kernel, bounds = product(64, 64, 64), (rows, columns, depth)
    single = on(1, kernel, bounds=bounds, simd=1)
    assert single / cores <= on(cores, kernel, bounds=bounds, simd=1) <= single


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(1, 9))
def test_the_busiest_core_has_at_least_its_share(extents: list[int], cores: int):
    mine = share(extents, cores)
    part = mine.trips / extents[mine.loop] if mine.loop >= 0 else 1.0
    assert 1 / cores <= part == min(1.0, *(-(-extent // cores) / extent for extent in extents))
    assert 1 <= mine.cores <= cores


# Rows


NORM = """
func.func @f(%x: memref<{m}x{n}xi8>, %w: memref<{n}xi32>, %y: memref<{m}x{n}xi8>) {{
  nn.int_rms_norm ins(%x, %w : memref<{m}x{n}xi8>, memref<{n}xi32>) outs(%y : memref<{m}x{n}xi8>)
    {{shift = 6 : i64, low = -128 : i64, high = 127 : i64, accumulator = i32, element = i8}}
  func.return
}}
"""


def test_cores_share_the_results_of_a_single_row():
    one, two, rest = (kernel_of(_op(NORM.format(m=m, n=n))) for m, n in ((1, 64), (2, 64), (1, 66)))
    rows = Stack(rows=512)
    alone, shared = (on(cores, one, CODE, stack=rows) for cores in (1, 8))
    result = 64 * 7 / 8
    assert 0.3 * alone < shared < alone - 10 * result
    assert on(8, two, CODE, stack=rows) == alone + 2 * AROUND  # a loop over one row
    assert on(8, one, CODE) == on(1, one, CODE)
    assert shared < on(8, rest, CODE, stack=rows) < 1.3 * shared


SOFTMAX = """
func.func @f(%x: memref<{m}x64xi16>, %y: memref<{m}x64xi8>) {{
  nn.int_softmax ins(%x : memref<{m}x64xi16>) outs(%y : memref<{m}x64xi8>)
    {{a = 1 : i64, b = 43 : i64, c = 983 : i64, log2 = 22 : i64, levels = 256 : i64, span = 4351 : i64,
     accumulator = i32, element = i8}}
  func.return
}}
"""


def test_powers_come_from_a_table_where_there_are_many():
    """Gcc 12 -O3 makes 41 instructions of four elements with a table, 51 without, and 14 of an entry."""
    few, many = (kernel_of(_op(SOFTMAX.format(m=m))) for m in (507, 508))

    def priced(each: Kernel, size: int) -> int:
        return on(1, each, CODE, stack=Stack(rows=512, tables=size), xpulp=1)

    prices = [priced(each, size) for each in (few, many) for size in (0, 508)]
    assert prices[0] == prices[1]
    saved = (prices[2] - prices[3] + 254 * 15) / (508 * 64)
    assert saved == pytest.approx(10 / 4, rel=0.25)
    assert priced(many, 507) == prices[2]


# Loops over elements


def _copied() -> Block:
    body = Body([i32])
    return body.finish(body.args[0])


def _larger() -> Block:
    body = Body([i8, i8])
    a, b = body.args
    return body.finish(body.max(a, b))


def _clipped_sum() -> Block:
    body = Body([i8, i8])
    a, b = (body.convert(arg, i32) for arg in body.args)
    return body.finish(body.convert(body.clip(body.add(a, b), -128, 127), i8))


@pytest.mark.parametrize(
    ("block", "inputs"), [(_larger(), [i8, i8]), (_clipped_sum(), [i8, i8]), (requantised(), [i32])]
)
def test_unrolled_loops_branch_once_per_four_elements(block: Block, inputs: list[Attribute]):
    """A loop that is unrolled by four steps its pointers and branches once per four elements."""
    more, less = (on(1, elementwise(block, inputs, i8, (size,)), CODE) for size in (72, 36))
    work = work_of(block).beside_others(Rates())
    moving = len(inputs) + 1
    assert (more - less) / 36 == pytest.approx(work + moving + (moving + BRANCH) / 4, abs=0.02)


def test_small_nests_are_unrolled():
    """Two loops over two points each are as one over four; points that are too many are in loops within each other."""
    block, inputs = _clipped_sum(), [i8, i8]
    nested, flat = (on(1, elementwise(block, inputs, i8, shape), CODE) for shape in ((8, 2, 2), (8, 4)))
    assert nested == flat
    outer, inner = (on(1, elementwise(block, inputs, i8, shape), CODE) for shape in ((32, 5), (4, 8, 5)))
    assert outer < inner


@pytest.mark.parametrize(("low", "high", "bounds"), [(-64, 64, 0), (-63, 64, 1), (-64, 63, 1), (-63, 63, 2)])
def test_bounds_that_no_value_exceeds_take_nothing(low: int, high: int, bounds: int):
    """Half of a byte, rounded, is from -64 to 64: with Xpulp a sum, a shift, and a cycle for each bound in reach."""
    body = Body([i8])
    half = RequantizeOp(
        body.args[0], body.constant(1, i32), body.constant(0, i32), shift=1, low=low, high=high, compute=i32, type=i8
    )
    assert work_of(body.finish(body.op(half))).total(Rates(xpulp=True)) == 2 + bounds


@pytest.mark.parametrize(("low", "cycles"), [(637, 1), (638, 2)])
def test_extrema_that_are_known_take_nothing(low: int, cycles: int):
    body = Body([i8])
    total = body.add(body.convert(body.args[0], i32), body.constant(765, i32))
    assert work_of(body.finish(body.max(total, body.constant(low, i32)))).total(Rates(xpulp=True)) == cycles


def _of_floats(kind: type[Operation], divisor: float | None = None) -> Block:
    """Return an op on a float, or on it and a constant, or on it twice where that is 0."""
    body = Body([f32])
    first = body.args[0]
    if divisor is None:
        return body.finish(body.op(kind.create(operands=[first], result_types=[f32])))
    second = body.constant(divisor, f32) if divisor else first
    return body.finish(body.op(kind.create(operands=[first, second], result_types=[f32])))


@pytest.mark.parametrize(
    ("block", "elements", "alone", "eight"),
    [
        (_of_floats(math.ExpOp), 128, 202_974, 31_761),
        (_of_floats(math.FloorOp), 128, 36_966, 6_329),
        (_of_floats(arith.DivfOp, 0.3), 1024, 127_733, 16_961),
        (_of_floats(arith.MulfOp, 0.3), 3072, 196_732, 26_337),
        (_of_floats(arith.AddfOp, 0), 18_250, 1_750_498, 235_932),
    ],
    ids=["exp", "floor", "div", "mul", "add"],
)
def test_float_loops(block: Block, elements: int, alone: int, eight: int):
    """The cycles are those of whole networks of one operator (benchmarks/siracusa/measured.csv), transfers included."""
    kernel = elementwise(block, [f32], f32, (elements,))
    assert on(1, kernel, CODE) == pytest.approx(alone, rel=0.1)
    assert on(8, kernel, CODE) == pytest.approx(eight, rel=0.2)


@pytest.mark.parametrize(("summed", "cores", "sums"), [(True, 1, 1.6), (True, 8, 1.67 * 1.2), (False, 1, 1.67)])
def test_products_that_are_summed_expect_zeros(summed: bool, cores: int, sums: float):
    """A product of two operands in a sum with a third takes a core alone 0.6 of a sum, other products 0.67."""
    body = Body([f32, f32, f32])
    a, b, accumulator = body.args
    product = body.mul(a, b)
    work = work_of(body.finish(body.add(product, accumulator if summed else product)))
    assert work.total(Rates().beside(cores)) == pytest.approx(sums * Rates().float_cycles)


def test_exact_reciprocals_are_products():
    forms = [(arith.DivfOp, 4.0), (arith.MulfOp, 4.0), (arith.DivfOp, 10.0)]
    quarter, four, tenth = (on(1, elementwise(_of_floats(*form), [f32], f32, (64,)), CODE) for form in forms)
    assert quarter == four < tenth


def pool(pad: int, element: str = "i8") -> Kernel:
    shapes = f"memref<1x4x62x{element}>", f"memref<1x4x{31 if pad else 30}x{element}>"
    return kernel_of(
        _op(
            f"""func.func @f(%x: {shapes[0]}, %o: {shapes[1]}) {{
              nn.pool ins(%x : {shapes[0]}) outs(%o : {shapes[1]})
                {{kind = "max", window = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>,
                 pads = array<i64: {pad}, 0>, accumulator = {element}}}
              func.return }}"""
        )
    )


def test_windows_of_pools_are_unrolled_without_padding():
    """In the corpus' MaxPool/Regular_1D a core took 15.2 cycles a window of 3 bytes."""
    per_window = on(1, pool(0), CODE, xpulp=1) / (4 * 30)
    assert per_window == pytest.approx(15.2, rel=0.25)
    assert on(1, pool(1), CODE, xpulp=1) / (4 * 31) > 1.5 * per_window


def test_bytes_are_copied_as_words():
    body = Body([i8])
    bytes_ = elementwise(body.finish(body.args[0]), [i8], i8, (4, 512))
    words = elementwise(_copied(), [i32], i32, (4, 128))
    assert on(1, bytes_, CODE) == on(1, words, CODE)


def test_scalar_code_counts_what_it_needs():
    body = Body([i32, i32])
    a, b = body.args
    body.div(a, b)
    live = body.finish(body.add(a, b))
    assert work_of(live) == ScalarWork(1.0)
    assert work_of(requantised(i64)).cycles > 3 * work_of(requantised()).cycles
    floats = Body([f32, f32])
    assert work_of(floats.finish(floats.div(*floats.args))) == ScalarWork(0, 1.45)


def test_several_passes_over_a_row_add_up():
    shape = (8, 64)
    value, output = (create_ssa_value(MemRefType(i32, shape)) for _ in range(2))
    body = Body([i32, i32])
    fold = Reduction((arith.ConstantOp.from_int_and_width(0, 32).value,), body.finish(body.add(*body.args)))
    result = Body([i32, i32])
    block = result.finish(result.sub(*result.args))
    access = Access(value, AffineMap.identity(2)), Access(output, AffineMap.identity(2))
    kernel = Kernel(shape, frozenset({1}), access[:1], access[1:], (fold,), block)
    alone = elementwise(block, [i32, i32], i32, shape)
    assert on(1, alone, CODE) < on(1, kernel, CODE) < 2 * on(1, alone, CODE)


# The NPU

NPU_CONV = """
func.func @f(%x: memref<1x12x12x{c}xi8>, %w: memref<{rows}x{bytes}xi8>, %o: memref<1x12x12x{f}xi32>) {{
  npu.conv ins(%x, %w : memref<1x12x12x{c}xi8>, memref<{rows}x{bytes}xi8>) outs(%o : memref<1x12x12x{f}xi32>)
    {{kind = "{kind}", bits = {bits} : i64, offset = 0 : i64, pads = array<i64: {p}, {p}, {p}, {p}>}}
  func.return
}}
"""
NPU_MATMUL = """
func.func @f(%x: memref<{m}x64xi8>, %w: memref<32x64xi8>, %o: memref<{m}x32xi32>) {{
  npu.matmul ins(%x, %w : memref<{m}x64xi8>, memref<32x64xi8>) outs(%o : memref<{m}x32xi32>)
    {{bits = 8 : i64, offset = 0 : i64}}
  func.return
}}
"""


def npu(text: str, bounds: tuple[int, ...] | None = None) -> int | None:
    op, engine = _op(text), SIRACUSA.engine("npu")
    cycles = SIRACUSA.cost(engine, op, bounds)
    return None if cycles is None else cycles - engine.setup


@pytest.mark.parametrize("bits", [4, 8])
def test_a_dense_convolution_is_a_job(bits: int):
    text = NPU_CONV.format(kind="dense", c=60, f=64, rows=64, bytes=3 * bits * 32, bits=bits, p=1)
    assert npu(text) == job_cycles("3x3", 12, 12, 60, 64, pad=(1, 1), out_bits=32, weight_bits=bits)
    whole = kernel_of(_op(text)).bounds
    tile = (1, 6, 12, 32, *whole[4:])
    assert npu(text, tile) == job_cycles("3x3", 6, 12, 60, 32, pad=(0, 1), out_bits=32, weight_bits=bits)
    assert npu(text, (*whole[:6], 28, whole[7])) is None


def test_other_kinds_are_jobs_too():
    pointwise = NPU_CONV.format(kind="pointwise", c=64, f=32, rows=32, bytes=64, bits=8, p=0)
    assert npu(pointwise) == job_cycles("1x1", 12, 12, 64, 32, out_bits=32)
    depthwise = NPU_CONV.format(kind="depthwise", c=56, f=56, rows=2, bytes=256, bits=8, p=1)
    assert npu(depthwise) == job_cycles("depthwise", 12, 12, 56, 56, pad=(1, 1), out_bits=32)


REQUANTISED = """
#c = affine_map<(d0, d1, d2, d3) -> (d3)>
func.func @f(%x: memref<1x8x8x64xi8>, %w: memref<36x64xi8>, %s: memref<36x{t}>, %b: memref<36xi32>,
    %o: memref<1x8x8x36xi8>) {{
  npu.conv ins(%x, %w : memref<1x8x8x64xi8>, memref<36x64xi8>) outs(%o : memref<1x8x8x36xi8>)
    {{kind = "pointwise", bits = 8 : i64, offset = 0 : i64, pads = array<i64: 0, 0, 0, 0>}}
    epilogue(%s, %b : memref<36x{t}>, memref<36xi32>) at [#c, #c] {{
    ^bb0(%sum: i32, %scale: {t}, %bias: i32):
      %r = npu.requantize %sum, %scale, %bias shift 9 clip 0 to 255 : i32, {t}, i32 -> i8
      linalg.yield %r : i8
    }}
  func.return
}}
"""


def test_scales_of_a_byte_are_fetched_faster():
    """Measured: 1627 cycles with scales of 8 bits."""
    assert npu(REQUANTISED.format(t="i8")) == 1627
    assert npu(REQUANTISED.format(t="i32")) == job_cycles("1x1", 8, 8, 64, 36)


def test_the_rows_of_a_matrix_fill_blocks_of_pixels():
    assert npu(NPU_MATMUL.format(m=36)) == job_cycles("1x1", 6, 6, 64, 32, out_bits=32)
    assert npu(NPU_MATMUL.format(m=1)) == job_cycles("1x1", 1, 1, 64, 32, out_bits=32)
    several = npu(NPU_MATMUL.format(m=37))
    assert several is not None
    assert several < job_cycles("1x1", 1, 37, 64, 32, out_bits=32)


def test_engines_are_found_for_kernels():
    packed = _op(NPU_CONV.format(kind="pointwise", c=64, f=32, rows=32, bytes=64, bits=8, p=0))
    assert [engine.name for engine, _ in SIRACUSA.engines_for(packed)] == ["npu", "cluster"]
    assert [engine.name for engine, _ in SIRACUSA.engines_for(_op(MATMUL.format(m=8, n=8, k=8)))] == ["cluster"]
