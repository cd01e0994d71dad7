"""Structured kernels against straightforward loops over NumPy arrays of int64."""

import math as libm
from collections.abc import Callable
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.ir import Array
from tilewright.runtime.interpreter import kernels
from tilewright.test.runtime.interpreter.support import run

pytestmark = pytest.mark.quick


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def ints(*values: int) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def full_range(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any = np.int8) -> Array:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def wide(values: Array, unsigned: bool) -> Array:
    return (values.view(np.dtype(f"uint{8 * values.itemsize}")) if unsigned else values).astype(np.int64)


def reference_conv(x: Array, w: Array, strides: Any, dilations: Any, pads: Any, groups: int) -> Array:
    rank = x.ndim - 2
    padded = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)])
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    extents = [(n - span) // s + 1 for n, span, s in zip(padded.shape[2:], spans, strides, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *extents), np.int64)
    depth, features = w.shape[1], w.shape[0] // groups
    for tap in product(*(range(k) for k in w.shape[2:])):
        window = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilations, extents, strides, strict=True)
        )
        for group in range(groups):
            part = padded[(slice(None), slice(group * depth, (group + 1) * depth), *window)]
            rows = slice(group * features, (group + 1) * features)
            out[:, rows] += np.einsum("nc...,fc->nf...", part, w[(rows, slice(None), *tap)])
    return out


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 2**32), st.booleans(), st.booleans(), st.booleans())
def test_conv(data: st.DataObject, seed: int, unsigned: bool, on_memrefs: bool, channels_last: bool):
    draw, rng = data.draw, np.random.default_rng(seed)
    rank, groups = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    depth, features = draw(st.integers(1, 3)), draw(st.integers(1, 3)) * groups
    kernel = [draw(st.integers(1, 3)) for _ in range(rank)]
    strides, dilations = ([draw(st.integers(1, 2)) for _ in range(rank)] for _ in range(2))
    pads = [draw(st.integers(0, 2)) for _ in range(2 * rank)]
    space = [(k - 1) * d + draw(st.integers(1, 4)) for k, d in zip(kernel, dilations, strict=True)]
    x = full_range(rng, (draw(st.integers(1, 2)), depth * groups, *space))
    w = full_range(rng, (features, depth, *kernel))
    expected = reference_conv(wide(x, unsigned), wide(w, False), strides, dilations, pads, groups)
    if channels_last:
        x, w, expected = (np.ascontiguousarray(np.moveaxis(array, 1, -1)) for array in (x, w, expected))
    types = tensor(x.shape, "i8"), tensor(w.shape, "i8"), tensor(expected.shape, "i32")
    flag = (", unsigned = array<i64: 0>" if unsigned else "") + (", channels_last" if channels_last else "")
    properties = (
        f"{{strides = {ints(*strides)}, dilations = {ints(*dilations)}, pads = {ints(*pads)}, "
        f"groups = {groups} : i64, accumulator = i32{flag}}}"
    )
    conv = f"nn.conv ins(%x, %w : {types[0]}, {types[1]}) outs(%o : {types[2]}) {properties}"
    if on_memrefs:
        text = f"""func.func @network(%x: {types[0]}, %w: {types[1]}, %o: {types[2]} {{tilewright.output}}) {{
          {conv}
          func.return }}""".replace("tensor<", "memref<")
    else:
        text = f"""func.func @network(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{
          %o = tensor.empty() : {types[2]}
          %y = {conv}
          func.return %y : {types[2]} }}"""
    assert np.array_equal(run(text, arg0=x, arg1=w)[0], expected)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 2**32))
def test_matmul_wraps_and_broadcasts(data: st.DataObject, seed: int):
    draw, rng = data.draw, np.random.default_rng(seed)
    element, total = draw(
        st.sampled_from([("i8", "i8"), ("i8", "i32"), ("i32", "i32"), ("i64", "i64"), ("i16", "i64")])
    )
    rows, inner, columns, batch = (draw(st.integers(1, 5)) for _ in range(4))
    shared = draw(st.booleans())
    dtype, result = (np.dtype(f"int{name[1:]}") for name in (element, total))
    a = full_range(rng, (batch, inner, rows), dtype)
    b = full_range(rng, (1 if shared else batch, columns, inner), dtype)
    flags = ["transpose_a", "transpose_b", f"accumulator = {total}"]
    out = (batch, rows, columns)
    text = f"""func.func @network(%a: {tensor(a.shape, element)}, %b: {tensor(b.shape, element)})
          -> {tensor(out, total)} {{
      %o = tensor.empty() : {tensor(out, total)}
      %y = nn.matmul ins(%a, %b : {tensor(a.shape, element)}, {tensor(b.shape, element)})
        outs(%o : {tensor(out, total)}) {{{", ".join(flags)}}}
      func.return %y : {tensor(out, total)} }}"""
    exact = np.matmul(a.astype(object).swapaxes(1, 2), b.astype(object).swapaxes(1, 2))
    bits = 8 * result.itemsize
    wrapped = [(int(v) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)) for v in exact.reshape(-1)]
    assert run(text, arg0=a, arg1=b)[0].reshape(-1).tolist() == wrapped


def test_matmul_of_numbers_too_large_for_floats_is_exact():
    a = np.full((1, 3), 94906267, np.int64)
    text = f"""func.func @network(%a: {tensor((1, 3), "i64")}, %b: {tensor((3, 1), "i64")})
          -> {tensor((1, 1), "i64")} {{
      %o = tensor.empty() : {tensor((1, 1), "i64")}
      %y = nn.matmul ins(%a, %b : {tensor((1, 3), "i64")}, {tensor((3, 1), "i64")})
        outs(%o : {tensor((1, 1), "i64")}) {{accumulator = i64}}
      func.return %y : {tensor((1, 1), "i64")} }}"""
    assert run(text, arg0=a, arg1=a.T)[0].item() == 3 * 94906267**2


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 2**32), st.sampled_from(["max", "min", "sum", "product"]), st.booleans())
def test_pool_ignores_what_lies_outside(data: st.DataObject, seed: int, kind: str, unsigned: bool):
    draw, rng = data.draw, np.random.default_rng(seed)
    window, strides, dilations = ([draw(st.integers(1, 3)) for _ in range(2)] for _ in range(3))
    pads = [draw(st.integers(0, w - 1)) for w in [*window, *window]]
    space = [(k - 1) * d + draw(st.integers(1, 3)) for k, d in zip(window, dilations, strict=True)]
    x = full_range(rng, (1, 2, *space))
    total = draw(st.sampled_from(["i16", "i32"]))
    extents = [
        (n + pads[i] + pads[i + 2] - (k - 1) * d - 1) // s + 1
        for i, (n, k, d, s) in enumerate(zip(space, window, dilations, strides, strict=True))
    ]
    fold: Any = {"max": max, "min": min, "sum": sum, "product": libm.prod}[kind]
    out = np.zeros((1, 2, *extents), np.int64)
    values = wide(x, unsigned)
    for c, i, j in np.ndindex(2, *extents):
        places = [
            (i * strides[0] + ky * dilations[0] - pads[0], j * strides[1] + kx * dilations[1] - pads[1])
            for ky, kx in product(range(window[0]), range(window[1]))
        ]
        inside = [int(values[0, c, y, z]) for y, z in places if 0 <= y < space[0] and 0 <= z < space[1]]
        bits = int(total[1:])
        neutral = {"sum": 0, "product": 1, "max": -(1 << (bits - 1)), "min": (1 << (bits - 1)) - 1}[kind]
        if not inside and kind in ("max", "min"):
            return
        out[0, c, i, j] = (fold(inside or [neutral]) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    if kind == "min" and any(pads):
        return
    text = f"""func.func @network(%x: {tensor(x.shape, "i8")}) -> {tensor(out.shape, total)} {{
      %o = tensor.empty() : {tensor(out.shape, total)}
      %y = nn.pool ins(%x : {tensor(x.shape, "i8")}) outs(%o : {tensor(out.shape, total)}) {{kind = "{kind}",
        window = {ints(*window)}, strides = {ints(*strides)}, dilations = {ints(*dilations)}, pads = {ints(*pads)},
        accumulator = {total}{", unsigned = array<i64: 0>" if unsigned else ""}}}
      func.return %y : {tensor(out.shape, total)} }}"""
    assert np.array_equal(run(text, arg0=x)[0], out)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 20))
def test_an_epilogue_reads_operands_under_its_maps(seed: int, features: int, shift: int):
    rng = np.random.default_rng(seed)
    x, w = full_range(rng, (3, 5)), full_range(rng, (5, features))
    mul, residual = rng.integers(1, 100, features, np.int32), full_range(rng, (3, features))
    types = [tensor(a.shape, name) for a, name in ((x, "i8"), (w, "i8"), (mul, "i32"), (residual, "i8"))]
    text = f"""func.func @network(%x: {types[0]}, %w: {types[1]}, %m: {types[2]}, %r: {types[3]}) -> {types[3]} {{
      %o = tensor.empty() : {types[3]}
      %y = nn.matmul ins(%x, %w : {types[0]}, {types[1]}) outs(%o : {types[3]}) {{accumulator = i32}}
        epilogue(%m, %r : {types[2]}, {types[3]}) at [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {{
        ^bb0(%sum: i32, %scale: i32, %other: i8):
          %c = arith.constant 7 : i32
          %q = quant.requantize %sum, %scale, %c shift {shift} clip -128 to 127 in i32 : i32, i32, i32 -> i8
          %s = arith.addi %q, %other : i8
          linalg.yield %s : i8
      }}
      func.return %y : {types[3]} }}"""
    total = x.astype(np.int64) @ w.astype(np.int64) * mul + 7 + ((1 << shift) >> 1)
    expected = (np.clip(total >> shift, -128, 127) + residual).astype(np.int8)
    assert np.array_equal(run(text, arg0=x, arg1=w, arg2=mul, arg3=residual)[0], expected)


Step = Callable[[int, int, int], int]
STEPS: list[tuple[str, Step]] = [
    ("%r = arith.addi %acc, %v : i32", lambda acc, v, j: acc + v),
    ("%r = arith.muli %v, %acc : i32", lambda acc, v, j: acc * v),
    ("%r = arith.xori %acc, %v : i32", lambda acc, v, j: acc ^ v),
    ("%r = arith.maxui %acc, %v : i32", lambda acc, v, j: max(acc % 2**32, v % 2**32)),
    ("%r = arith.subi %acc, %v : i32", lambda acc, v, j: acc - v),
    ("%c = arith.constant 3 : i32\n%t = arith.muli %acc, %c : i32\n%r = arith.addi %t, %v : i32",
         lambda acc, v, j: 3 * acc + v),
    ("%j = linalg.index 1 : index\n%i = arith.index_cast %j : index to i32\n%t = arith.muli %i, %v : i32\n"
         "%r = arith.addi %acc, %t : i32", lambda acc, v, j: acc + v * j),
    ("%t = arith.addi %acc, %acc : i32\n%r = arith.addi %t, %v : i32", lambda acc, v, j: 2 * acc + v),
]  # fmt: skip

GENERIC = """func.func @network(%x: tensor<4x6xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {{
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}} ins(%x : tensor<4x6xi32>) outs(%o : tensor<4xi32>) {{
    ^bb0(%v: i32, %acc: i32):
      {body}
      linalg.yield %r : i32
  }} -> tensor<4xi32>
  func.return %y : tensor<4xi32> }}"""


@pytest.mark.parametrize(("body", "step"), STEPS)
@pytest.mark.parametrize("largest", [kernels.LARGEST, 4])
def test_a_reduction_starts_from_the_output(body: str, step: Step, largest: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernels, "LARGEST", largest)
    rng = np.random.default_rng(3)
    x, start = rng.integers(-(2**31), 2**31, (4, 6)), rng.integers(-(2**31), 2**31, 4)
    expected: list[int] = [int(v) for v in start]
    for i, j in product(range(4), range(6)):
        value = step(expected[i], int(x[i][j]), int(j))
        expected[i] = (value + 2**31) % 2**32 - 2**31
    assert run(GENERIC.format(body=body), arg0=x, arg1=start)[0].tolist() == expected


def test_a_generic_with_two_outputs_writes_each():
    text = """func.func @network(%x: tensor<2x3xi8>) -> (tensor<2x3xi8>, tensor<3x2xi16>) {
      %a = tensor.empty() : tensor<2x3xi8>
      %b = tensor.empty() : tensor<3x2xi16>
      %y, %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
        affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<2x3xi8>) outs(%a, %b : tensor<2x3xi8>, tensor<3x2xi16>) {
        ^bb0(%v: i8, %p: i8, %q: i16):
          %n = arith.addi %v, %v : i8
          %w = arith.extsi %v : i8 to i16
          linalg.yield %n, %w : i8, i16
      } -> tensor<2x3xi8>, tensor<3x2xi16>
      func.return %y, %z : tensor<2x3xi8>, tensor<3x2xi16> }"""
    x = np.array([[1, 2, 3], [100, -100, 0]])
    doubled, turned = run(text, arg0=x)
    assert doubled.tolist() == [[2, 4, 6], [-56, 56, 0]]
    assert turned.tolist() == x.T.tolist()


def test_a_map_with_division_and_remainder_is_gathered():
    text = """func.func @network(%x: tensor<3x2xi8>) -> tensor<6xi8> {
      %a = tensor.empty() : tensor<6xi8>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%x : tensor<3x2xi8>) outs(%a : tensor<6xi8>) {
        ^bb0(%v: i8, %p: i8):
          linalg.yield %v : i8
      } -> tensor<6xi8>
      func.return %y : tensor<6xi8> }"""
    assert run(text, arg0=np.arange(6).reshape(3, 2))[0].tolist() == list(range(6))


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_a_kernel_evaluated_in_parts_gives_the_same(seed: int):
    rng = np.random.default_rng(seed)
    x, w = full_range(rng, (1, 3, 9, 7)), full_range(rng, (4, 3, 3, 3))
    text = f"""func.func @network(%x: {tensor(x.shape, "i8")}, %w: {tensor(w.shape, "i8")})
          -> {tensor((1, 4, 9, 7), "i32")} {{
      %o = tensor.empty() : {tensor((1, 4, 9, 7), "i32")}
      %y = nn.conv ins(%x, %w : {tensor(x.shape, "i8")}, {tensor(w.shape, "i8")})
            outs(%o : {tensor((1, 4, 9, 7), "i32")})
        {{strides = {ints(1, 1)}, dilations = {ints(1, 1)}, pads = {ints(1, 1, 1, 1)},
              groups = 1 : i64, accumulator = i32}}
      func.return %y : {tensor((1, 4, 9, 7), "i32")} }}"""
    expected = reference_conv(wide(x, False), wide(w, False), (1, 1), (1, 1), (1, 1, 1, 1), 1)
    largest = kernels.LARGEST
    kernels.LARGEST = 50
    try:
        assert np.array_equal(run(text, arg0=x, arg1=w)[0], expected)
    finally:
        kernels.LARGEST = largest


def test_softmax_of_integers_runs_through_all_phases():
    text = f"""func.func @network(%x: {tensor((2, 5), "i8")}) -> {tensor((2, 5), "i8")} {{
      %o = tensor.empty() : {tensor((2, 5), "i8")}
      %y = nn.int_softmax ins(%x : {tensor((2, 5), "i8")}) outs(%o : {tensor((2, 5), "i8")})
            {{a = 1 : i64, b = 345 : i64,
        c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64, accumulator = i64, element = i8}}
      func.return %y : {tensor((2, 5), "i8")} }}"""
    x = np.array([[5, -3, 100, 99, -128], [0, 0, 0, 0, 127]])
    expected: list[list[int]] = []
    for row in x.tolist():
        t = [v - max(row) for v in row]
        z = [min(-int(v / 255), 31) for v in t]
        q = [((v + s * 255 + 345) ** 2 + 62395) >> s for v, s in zip(t, z, strict=True)]
        expected.append([(v * 255 // sum(q) + 128) % 256 - 128 for v in q])
    assert run(text, arg0=x)[0].tolist() == expected


def test_long_float_sums_are_rounded_once():
    x = np.array([[1.0, 2.0**-24, 2.0**-24, -1.0] + [0.0] * 16], np.float32)
    text = f"""func.func @network(%a: {tensor((1, 20), "f32")}, %b: {tensor((20, 1), "f32")})
          -> {tensor((1, 1), "f32")} {{
      %o = tensor.empty() : {tensor((1, 1), "f32")}
      %y = nn.matmul ins(%a, %b : {tensor((1, 20), "f32")}, {tensor((20, 1), "f32")})
        outs(%o : {tensor((1, 1), "f32")}) {{accumulator = f32}}
      func.return %y : {tensor((1, 1), "f32")} }}"""
    assert run(text, arg0=x, arg1=np.ones((20, 1)))[0].item() == 2.0**-23


FLOAT_TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
LOOPS = """func.func @network(%x: {0}, %y: {1}, %out: {1} {{tilewright.output}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  scf.for %j = %c0 to %c3 step %c1 {{
    %a = memref.load %y[%j] : {1}
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%b = %a) -> ({2}) {{
      %q = scf.for %k = %c0 to %c4 step %c1 iter_args(%c = %b) -> ({2}) {{
        %v = memref.load %x[%i, %j, %k] : {0}
        {4}
        %s = arith.{3} %c, {5} : {2}
        scf.yield %s : {2}
      }}
      scf.yield %q : {2}
    }}
    memref.store %r, %out[%j] : {1}
  }}
  func.return
}}"""
KERNEL = """func.func @network(%x: {0}, %y: {1}) -> {1} {{
  %r = linalg.generic {{
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>],
    iterator_types = ["reduction", "parallel", "reduction"]
  }} ins(%x : {0}) outs(%y : {1}) {{
  ^bb0(%v: {2}, %c: {2}):
    {4}
    %s = arith.{3} %c, {5} : {2}
    linalg.yield %s : {2}
  }} -> {1}
  func.return %r : {1}
}}"""


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([*FLOAT_TYPES]), st.sampled_from(["addf", "mulf", "products"]), st.booleans(), st.integers(0, 2**32)
)
def test_short_float_folds_are_in_order(element: str, op: str, in_loops: bool, seed: int):
    """From what the output holds on, with a rounding at each step."""
    dtype, rng = FLOAT_TYPES[element], np.random.default_rng(seed)
    x, y = (rng.uniform(0.5, 2, shape).astype(dtype) for shape in ((2, 3, 4), (3,)))
    kind = "memref" if in_loops else "tensor"
    square = f"%p = arith.mulf %v, %v : {element}"
    sums = ("addf", square, "%p") if op == "products" else (op, "", "%v")
    types = (f"{kind}<2x3x4x{element}>", f"{kind}<3x{element}>", element, *sums)
    expected = y
    for i, k in product(range(2), range(4)):
        term = x[i, :, k] * x[i, :, k] if op == "products" else x[i, :, k]
        expected = expected * term if op == "mulf" else expected + term
    (actual,) = run((LOOPS if in_loops else KERNEL).format(*types), arg0=x, arg1=y)
    np.testing.assert_array_equal(actual, expected)
