"""The loops of each kind of kernel, run one scalar at a time, against NumPy; directly, and by way of linalg.generic."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, UnknownLoc, i32
from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr

from tilewright.dialects.core.analysis.affine_form import linear
from tilewright.dialects.core.syntax.text import parse_module
from tilewright.errors import Diagnostic
from tilewright.ir import Array, node_names
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.loops.nest import Constants, Nest
from tilewright.test.passes.kernel_loops import CONTEXT, array, check, compute, loops, numbers

pytestmark = pytest.mark.quick

# Convolution and pooling


def windows(x: Array, fill: int, window: Sequence[int], strides: Any, dilations: Any, pads: Any) -> Array:
    """Return x [N, C, spatial...] as [N, C, out..., window...]."""
    rank = len(window)
    widths = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
    padded = np.pad(x, widths, constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, tuple(range(2, 2 + rank)))
    steps = [slice(None, None, int(s)) for s in strides] + [slice(None, None, int(d)) for d in dilations]
    return view[(slice(None), slice(None), *steps)]


@st.composite
def spatial(draw: Any) -> dict[str, list[int]]:
    """Draw a window that fits its padded input, of one or two axes."""
    rank = draw(st.integers(1, 2))
    small = st.lists(st.integers(1, 3), min_size=rank, max_size=rank)
    window, strides, dilations = draw(small), draw(small), draw(small)
    pads = draw(st.lists(st.integers(0, 3), min_size=2 * rank, max_size=2 * rank))
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    space = [max(1, r - pads[i] - pads[rank + i]) + draw(st.integers(0, 3)) for i, r in enumerate(reach)]
    return {"window": window, "strides": strides, "dilations": dilations, "pads": pads, "space": space}


def attributes(shape: dict[str, list[int]], *names: str) -> str:
    return ", ".join(f"{name} = {array(shape[name])}" for name in names)


@pytest.mark.sample(7)
@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(spatial(), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2), st.booleans())
@example({"window": [2], "strides": [2], "dilations": [1], "pads": [0, 0], "space": [3]}, 1, 1, 1, 1, False)
def test_conv(shape: dict[str, list[int]], groups: int, depth: int, each: int, batch: int, unsigned: bool) -> None:
    x = numbers(1, [batch, groups * depth, *shape["space"]])
    w = numbers(2, [groups * each, depth, *shape["window"]])
    mul, add = numbers(3, [groups * each], 1, 300, np.int32), numbers(4, [groups * each], -9999, 9999, np.int32)
    wide = x.view(np.uint8).astype(np.int64) if unsigned else x.astype(np.int64)
    view = windows(wide, 0, shape["window"], shape["strides"], shape["dilations"], shape["pads"])
    rank = len(shape["window"])
    taps = view.reshape(batch, groups, depth, *view.shape[2:])
    kernel = w.astype(np.int64).reshape(groups, each, depth, *shape["window"])
    total = np.einsum("ngdyxkl,gfdkl->ngfyx" if rank == 2 else "ngdxk,gfdk->ngfx", taps, kernel)
    total = total.reshape(batch, groups * each, *view.shape[2 : 2 + rank])
    per_channel = [v.astype(np.int64).reshape(-1, *[1] * rank) for v in (mul, add)]
    expected = np.clip((total * per_channel[0] + per_channel[1] + 128) >> 8, 0, 255).astype(np.uint8).view(np.int8)
    axes = ", ".join(f"d{i}" for i in range(2 + rank))
    body = f"""nn.conv ins(%x, %w : $x, $w) outs(%out : $out) {{{"unsigned = array<i64: 0>, " if unsigned else ""}
        {attributes(shape, "strides", "dilations", "pads")}, groups = {groups} : i64, accumulator = i32}}
        epilogue(%mul, %add : $mul, $add) at [affine_map<({axes}) -> (d1)>, affine_map<({axes}) -> (d1)>] {{
        ^bb0(%sum: i32, %m: i32, %a: i32):
          %r = quant.requantize %sum, %m, %a shift 8 clip 0 to 255 in i32 : i32, i32, i32 -> i8
          linalg.yield %r : i8
        }}"""
    check(compute(body, expected, x=x, w=w, mul=mul, add=add), expected)


@pytest.mark.sample(10)
@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(spatial(), st.sampled_from(["max", "min", "sum"]), st.booleans())
def test_pool(shape: dict[str, list[int]], kind: str, unsigned: bool) -> None:
    x = numbers(5, [1, 2, *shape["space"]])
    wide = x.view(np.uint8).astype(np.int32) if unsigned else x.astype(np.int32)
    neutral = {"max": -(1 << 31), "min": (1 << 31) - 1, "sum": 0}[kind]
    view = windows(wide, neutral, shape["window"], shape["strides"], shape["dilations"], shape["pads"])
    inner = tuple(range(2 + len(shape["window"]), view.ndim))
    expected = {"max": np.max, "min": np.min, "sum": np.sum}[kind](view, axis=inner).astype(np.int32)
    sign = "unsigned = array<i64: 0>, " if unsigned else ""
    body = f"""nn.pool ins(%x : $x) outs(%out : $out) {{kind = "{kind}", {sign}
        {attributes(shape, "window", "strides", "dilations", "pads")}, accumulator = i32}}"""
    # a window wholly in the padding yields the extreme value of the accumulator's or of the element's type
    low, high = (0, 255) if unsigned else (-128, 127)
    limits = {"max": (low, None), "min": (None, high), "sum": (None, None)}[kind]
    results = compute(body, expected, x=x)
    check([np.clip(result, *limits) for result in results], np.clip(expected, *limits))


# Matrix products, reductions, rows


@pytest.mark.sample(14)
@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.integers(1, 4)] * 3), st.sampled_from(range(5)), st.booleans(), st.booleans())
def test_matmul(sizes: tuple[int, int, int], batch: int, transpose_a: bool, transpose_b: bool) -> None:
    m, n, k = sizes
    left, right = [((), ()), ((2,), ()), ((), (3,)), ((2, 1), (3,)), ((1, 2), (2, 2))][batch]
    a = numbers(6, [*left, *((k, m) if transpose_a else (m, k))])
    b = numbers(7, [*right, *((n, k) if transpose_b else (k, n))])
    x, y = (v.astype(np.int64) for v in (a, b))
    expected = np.matmul(np.swapaxes(x, -1, -2) if transpose_a else x, np.swapaxes(y, -1, -2) if transpose_b else y)
    flags = (", transpose_a" if transpose_a else "") + (", transpose_b" if transpose_b else "")
    body = f"nn.matmul ins(%a, %b : $a, $b) outs(%out : $out) {{accumulator = i32{flags}}}"
    check(compute(body, expected.astype(np.int32), a=a, b=b), expected)


@pytest.mark.sample(16)
@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.integers(0, 15),
    st.sampled_from(["sum", "max", "min", "product"]),
    st.booleans(),
)
def test_reduce(shape: list[int], mask: int, kind: str, keep_dims: bool) -> None:
    axes = [axis for axis in range(len(shape)) if mask >> axis & 1] or [0]
    x = numbers(8, shape, -2, 2)
    fold: Any = {"sum": np.sum, "max": np.max, "min": np.min, "product": np.prod}[kind]
    expected = fold(x.astype(np.int64), axis=tuple(axes), keepdims=keep_dims)
    flag = ", keep_dims" if keep_dims else ""
    body = f"""nn.reduce ins(%x : $x) outs(%out : $out)
        {{kind = "{kind}", axes = {array(axes)}, accumulator = i64{flag}}}"""
    check(compute(body, np.asarray(expected, np.int64), x=x), np.asarray(expected))


def truncated(a: Array, b: Any) -> Array:
    """Return a / b rounded toward zero."""
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


ROWS = st.tuples(st.integers(1, 3), st.integers(1, 6))


@pytest.mark.sample(8)
@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_int_softmax(shape: tuple[int, int], seed: int) -> None:
    x = numbers(seed, shape)
    a, b, c, log2, levels = 1, 345, 62395, 255, 256
    t = x.astype(np.int64) - x.max(-1, keepdims=True)
    z = np.clip(-truncated(t, log2), 0, 31)
    q = (a * (t + z * log2 + b) ** 2 + c) >> z
    expected = (q * (levels - 1) // q.sum(-1, keepdims=True)).astype(np.uint8).view(np.int8)
    body = f"""nn.int_softmax ins(%x : $x) outs(%out : $out) {{a = {a} : i64, b = {b} : i64, c = {c} : i64,
        log2 = {log2} : i64, levels = {levels} : i64, accumulator = i64, element = i8}}"""
    check(compute(body, expected, x=x), expected)


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_ita_max(shape: tuple[int, int], seed: int) -> None:
    x = numbers(seed, shape)
    s = (x.max(-1, keepdims=True).astype(np.int64) - x + 16) >> 5
    expected = (((255 * 256) // (256 >> s).sum(-1, keepdims=True)) >> s).astype(np.uint8).view(np.int8)
    body = """nn.ita_max ins(%x : $x) outs(%out : $out) {levels = 256 : i64, accumulator = i32, element = i8}"""
    check(compute(body, expected, x=x), expected)


@pytest.mark.sample(7)
@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_norms(shape: tuple[int, int], seed: int) -> None:
    x = numbers(seed, shape)
    w = numbers(seed + 1, shape[1:], -9999, 9999, np.int32)
    b = numbers(seed + 2, shape[1:], -99999, 99999, np.int32)
    wide, length = x.astype(np.int64), shape[1]
    root = np.floor(np.sqrt((wide**2).sum(-1, keepdims=True) // length + 1)).astype(np.int64)
    expected = np.clip(truncated(wide * w, root) >> 8, -100, 100).astype(np.int8)
    body = """nn.int_rms_norm ins(%x, %w : $x, $w) outs(%out : $out)
        {shift = 8 : i64, low = -100 : i64, high = 100 : i64, accumulator = i64, element = i8}"""
    check(compute(body, expected, x=x, w=w), expected)
    centred = wide - truncated(wide.sum(-1, keepdims=True), length)
    root = np.floor(np.sqrt((centred**2).sum(-1, keepdims=True) // length + 1)).astype(np.int64)
    expected = ((truncated(centred * w, root) + b) >> 10).astype(np.int8)
    body = """nn.int_layer_norm ins(%x, %w, %b : $x, $w, $b) outs(%out : $out)
        {shift = 10 : i64, accumulator = i64, element = i8}"""
    check(compute(body, expected, x=x, w=w, b=b), expected)


# linalg


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)))
def test_elementwise_with_broadcast(shape: tuple[int, int, int]) -> None:
    x, row, column = numbers(9, shape), numbers(10, shape[2:]), numbers(11, [shape[1], 1])
    expected = x.astype(np.int32) * row + column + np.arange(shape[0], dtype=np.int32).reshape(-1, 1, 1)
    body = """linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>,
          affine_map<(a, b, c) -> (b, 0)>, affine_map<(a, b, c) -> (a, b, c)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %row, %column : $x, $row, $column) outs(%out : $out) {
        ^bb0(%p: i8, %q: i8, %r: i8, %old: i32):
          %0 = arith.extsi %p : i8 to i32
          %1 = arith.extsi %q : i8 to i32
          %2 = arith.extsi %r : i8 to i32
          %3 = arith.muli %0, %1 : i32
          %4 = arith.addi %3, %2 : i32
          %5 = linalg.index 0 : index
          %6 = arith.index_cast %5 : index to i32
          %7 = arith.addi %4, %6 : i32
          linalg.yield %7 : i32
        }"""
    check(compute(body, expected, x=x, row=row, column=column), expected)


def test_divisions_in_a_map() -> None:
    x = numbers(12, [3, 2])
    expected = np.concatenate([x, x[::1]]).repeat(2, 1)[:5]
    body = """linalg.generic {indexing_maps = [affine_map<(a, b) -> (a mod 3, b floordiv 2)>,
          affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : $x) outs(%out : $out) {
        ^bb0(%p: i8, %old: i8):
          linalg.yield %p : i8
        }"""
    check(compute(body, expected, x=x), expected)


def test_reduction_goes_on_from_the_output() -> None:
    x = numbers(13, [3, 4]).astype(np.int32)
    body = """linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
          iterator_types = ["parallel", "reduction"]} ins(%x : $x) outs(%out : $out) {
        ^bb0(%p: i32, %sum: i32):
          %0 = arith.addi %sum, %p : i32
          linalg.yield %0 : i32
        }"""
    check(compute(body, np.zeros(3, np.int32), x=x), x.sum(1) + 55)


def test_transpose() -> None:
    x = numbers(14, [2, 3, 4])
    body = "linalg.transpose ins(%x : $x) outs(%out : $out) permutation = [2, 0, 1]"
    check(compute(body, x.transpose(2, 0, 1), x=x), x.transpose(2, 0, 1))


def test_fill() -> None:
    body = "%c = arith.constant 7.5 : f32\nlinalg.fill ins(%c : f32) outs(%out : $out)"
    check(compute(body, np.zeros((2, 1, 3), np.float32)), np.full((2, 1, 3), 7.5))


def test_copy_between_layouts() -> None:
    x = numbers(15, [2, 3])
    expected = np.full((4, 5), 55, np.int8)
    expected[1:3, 2:5] = x
    part = "memref<2x3xi8, strided<[5, 1], offset: 7>>"
    body = f"""%part = memref.subview %out[1, 2] [2, 3] [1, 1] : $out to {part}
        "memref.copy"(%x, %part) : ($x, {part}) -> ()"""
    check(compute(body, expected, x=x), expected)


# Form


def test_the_range_of_an_index_with_divisions() -> None:
    a, b = (AffineExpr.dimension(d) for d in range(2))
    form = linear((a * 2 - 3) // 2 - b % 3 + 4)
    assert form.interval([4, 9]) == (-2 - 2 + 4, 1 + 4)
    assert form.expr({0: 1, 1: 0}).eval([5, 2], []) == 0 - 2 + 4


TWO_KERNELS = """func.func @f(%x: memref<2x3xi8>, %y: memref<2x3xi8>, %z: memref<2x3xi8>) {
  linalg.copy ins(%x : memref<2x3xi8>) outs(%y : memref<2x3xi8>) loc("first")
  linalg.copy ins(%y : memref<2x3xi8>) outs(%z : memref<2x3xi8>) loc("second")
  func.return
}"""


def test_locations_are_the_kernels() -> None:
    function = cast(func.FuncOp, loops(TWO_KERNELS).body.block.first_op)
    names = [name for op in function.walk() if not isinstance(op, arith.ConstantOp) for name in node_names(op)]
    assert names == ["first"] * 6 + ["second"] * 6


def test_division_is_not_moved_out_of_a_loop_that_may_not_run() -> None:
    outside = Block(arg_types=[i32, i32, IndexType()])
    nest = Nest(Constants(), UnknownLoc())
    with nest.loop("i", 0, outside.args[2]):
        safe = nest.op(arith.DivSIOp(outside.args[0], nest.constant(3, i32)))
        unsafe = nest.op(arith.DivSIOp(outside.args[0], outside.args[1]))
    top = nest.take()
    assert [type(op) for op in top] == [arith.DivSIOp, scf.ForOp]
    assert top[0].results[0] is safe
    assert unsafe.owner not in top


@pytest.mark.parametrize(
    ("kernel", "message"),
    [("memref<?x3xi8>", "dynamic shape"), ("tensor<2x3xi8>", "it needs buffers")],
)
def test_refusals(kernel: str, message: str) -> None:
    result = f"-> {kernel}" if kernel.startswith("tensor") else ""
    text = f"""func.func @f(%x: {kernel}, %y: {kernel}) {{
      {"%0 =" if result else ""} linalg.copy ins(%x : {kernel}) outs(%y : {kernel}) {result} loc("node 1")
      func.return
    }}"""
    with pytest.raises(Diagnostic, match=message) as caught:
        loops(text)
    assert 'node "node 1"' in str(caught.value)


_CONSTANTS = "%m = arith.constant 3 : i32\n%a = arith.constant 5 : i32\n"


@pytest.mark.long
@pytest.mark.parametrize("shift", [0, 1, 2, 5])
@pytest.mark.parametrize("constant", [False, True])
def test_requantisation_rounds_halves_up(shift: int, constant: bool) -> None:
    x = np.arange(-300, 301, dtype=np.int32)
    factors = {} if constant else {"p": np.full(1, 3, np.int32), "q": np.full(1, 5, np.int32)}
    maps = ["affine_map<(i) -> (i)>", *["affine_map<(i) -> (0)>"] * len(factors), "affine_map<(i) -> (i)>"]
    names, types = ", ".join(["%x", *(f"%{n}" for n in factors)]), ", ".join(["$x", *(f"${n}" for n in factors)])
    taken = "" if constant else "%m: i32, %a: i32, "
    body = f"""linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = ["parallel"]}}
      ins({names} : {types}) outs(%out : $out) {{
      ^bb0(%v: i32, {taken}%o: i8):
        {_CONSTANTS if constant else ""}
        %r = quant.requantize %v, %m, %a shift {shift} clip -128 to 127 in i32 : i32, i32, i32 -> i8
        linalg.yield %r : i8
      }}"""
    expected = np.clip(np.floor((x * 3 + 5) / 2**shift + (0.5 if shift else 0)), -128, 127)
    for found in compute(body, np.zeros(x.shape, np.int8), x=x, **factors):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.long
def test_time_is_linear_in_the_kernels() -> None:
    least = min(_time_of(6) for _ in range(3))
    assert min(_time_of(60) for _ in range(2)) < 40 * least


def _time_of(count: int) -> float:
    """Return the CPU seconds of so many equal convolutions."""
    kernel = """nn.conv ins(%x, %w : memref<1x8x9x9xi8>, memref<8x8x3x3xi8>) outs(%y : memref<1x8x9x9xi8>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
       accumulator = i32} epilogue(%m, %m : memref<8xi32>, memref<8xi32>)
      at [affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (b)>] {
      ^bb0(%sum: i32, %p: i32, %q: i32):
        %r = quant.requantize %sum, %p, %q shift 8 clip 0 to 255 in i32 : i32, i32, i32 -> i8
        linalg.yield %r : i8
      }"""
    arguments = "%x: memref<1x8x9x9xi8>, %w: memref<8x8x3x3xi8>, %m: memref<8xi32>, %y: memref<1x8x9x9xi8>"
    functions = [f"func.func @f{i}({arguments}) {{\n{kernel}\nfunc.return\n}}" for i in range(count)]
    module = parse_module(CONTEXT, "\n".join(functions))
    start = time.process_time()
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    return time.process_time() - start
