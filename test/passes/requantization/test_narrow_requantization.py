"""Requantisations written anew in 32 bits give what they gave, for every number that can occur, at every level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.requantization import lines
from tilewright.passes.requantization.halves import Halves
from tilewright.runtime.interpreter.engine import Interpreter

CONTEXT = new_context()
CHANNELS = 4
EVERY = np.broadcast_to(np.arange(-(1 << 15), 1 << 15).astype(np.int16), (CHANNELS, 1 << 16))
KERNEL = """func.func @network(%x: tensor<4x65536xi16>) -> tensor<4x65536xi8> {{
  %b = arith.constant dense<{bias}> : tensor<4xi32>
  %m = arith.constant dense<{factor}> : tensor<4x{type}>
  %e = tensor.empty() : tensor<4x65536xi8>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %b, %m : tensor<4x65536xi16>, tensor<4xi32>, tensor<4x{type}>) outs(%e : tensor<4x65536xi8>) {{
  ^bb0(%s: i16, %bias: i32, %factor: {type}, %old: i8):
    %w = arith.extsi %s : i16 to i32
    %t = arith.addi %w, %bias overflow<nsw> : i32
    {requantize}
    linalg.yield %r : i8
  }} -> tensor<4x65536xi8>
  func.return %y : tensor<4x65536xi8>
}}"""
SHIFTED = """%z = arith.constant {add} : i32
    %r = quant.requantize %t, %factor, %z shift {shift} clip {low} to {high} in i64 : i32, i32, i32 -> i8"""
SCALED = "%r = quant.rescale %t, %factor zero {zero} clip {low} to {high} : i32, f32 -> i8"
clips = st.sampled_from([(-128, 127), (0, 255), (0, 127), (-8, 7), (10, 200)])
biases = st.lists(st.integers(-(1 << 15), 1 << 15), min_size=CHANNELS, max_size=CHANNELS)


def narrowed(text: str) -> tuple[ModuleOp, Array]:
    """Return a module after the pass, and what it gave before."""
    module = parse_module(CONTEXT, text)
    expected = outputs(module)
    narrow(module)
    return module, expected


def outputs(module: ModuleOp) -> Array:
    return Interpreter(module).call("network", [EVERY])[0]


def count(module: ModuleOp, name: str) -> int:
    return sum(op.name == name for op in module.walk())


@settings(max_examples=40, deadline=None)
@given(
    biases, st.lists(st.integers(0, 1 << 30), min_size=CHANNELS, max_size=CHANNELS), st.integers(0, 40),
    st.integers(-(1 << 31), (1 << 31) - 1), clips,
)  # fmt: skip
def test_every_integer_factor(bias: list[int], factor: list[int], shift: int, add: int, clip: tuple[int, int]) -> None:
    requantize = SHIFTED.format(add=add, shift=shift, low=clip[0], high=clip[1])
    module, expected = narrowed(KERNEL.format(bias=bias, factor=factor, type="i32", requantize=requantize))
    np.testing.assert_array_equal(outputs(module), expected)


@pytest.mark.sample(22)
@settings(max_examples=40, deadline=None)
@given(biases, st.lists(st.floats(2.0**-12, 2.0**-6, width=32), min_size=CHANNELS, max_size=CHANNELS),
       st.integers(-128, 255), clips)  # fmt: skip
def test_every_float_factor(bias: list[int], factor: list[float], zero: int, clip: tuple[int, int]) -> None:
    requantize = SCALED.format(zero=zero, low=clip[0], high=clip[1])
    module, expected = narrowed(KERNEL.format(bias=bias, factor=factor, type="f32", requantize=requantize))
    np.testing.assert_array_equal(outputs(module), expected)


def test_a_negative_factor_stays() -> None:
    requantize = SHIFTED.format(add=0, shift=20, low=-128, high=127)
    text = KERNEL.format(bias=[0] * 4, factor=[5, 5, -5, 5], type="i32", requantize=requantize)
    module, expected = narrowed(text)
    assert count(module, "quant.requantize") == 1
    np.testing.assert_array_equal(outputs(module), expected)


def test_a_margin_that_is_too_narrow_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of all numbers sees sums that the original code has to decide."""
    early = lines._early  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(lines, "_early", lambda *given: np.minimum(early(*given), 0))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    requantize = SCALED.format(zero=0, low=0, high=255)
    factor = [0.0031, 0.0027, 0.0034, 0.0022]
    module, expected = narrowed(KERNEL.format(bias=[0] * 4, factor=factor, type="f32", requantize=requantize))
    assert not np.array_equal(outputs(module), expected)


WIDE = """func.func @network(%x: tensor<{rows}x{count}xi32>) -> tensor<{rows}x{count}xi8> {{
  %m = arith.constant dense<{factor}> : tensor<{rows}xf32>
  %e = tensor.empty() : tensor<{rows}x{count}xi8>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %m : tensor<{rows}x{count}xi32>, tensor<{rows}xf32>) outs(%e : tensor<{rows}x{count}xi8>) {{
  ^bb0(%s: i32, %factor: f32, %old: i8):
    %r = quant.rescale %s, %factor zero {zero} clip {low} to {high} : i32, f32 -> i8
    linalg.yield %r : i8
  }} -> tensor<{rows}x{count}xi8>
  func.return %y : tensor<{rows}x{count}xi8>
}}"""


def next_to_halves(factor: Array) -> Array:
    """Return integers i32 [channels, n] of which the products with floats are next to halves, with others beyond."""
    halves = np.arange(-300, 300) + 0.5
    middle = np.rint(halves / factor.astype(np.float64)[:, None]).astype(np.int64)
    near = np.concatenate([middle + offset for offset in (-2, -1, 0, 1, 2)], axis=1)
    far = np.broadcast_to([-(1 << 31), -(1 << 24), 0, 1 << 24, (1 << 31) - 1], (len(factor), 5))
    return np.concatenate([near, far], axis=1).astype(np.int32)


@pytest.mark.sample(28)
@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(2.0**-15, 2.0**-13, width=32), min_size=CHANNELS, max_size=CHANNELS),
       st.sampled_from([0, 1, -1, 3, 128]), clips)  # fmt: skip
def test_roundings_of_small_factors(factor: list[float], zero: int, clip: tuple[int, int]) -> None:
    """Sums so large that a float next to a half is that half are rounded as floats are."""
    x = next_to_halves(np.array(factor, np.float32))
    sizes = {"rows": CHANNELS, "count": x.shape[1]}
    text = WIDE.format(**sizes, factor=factor, zero=zero, low=clip[0], high=clip[1])
    module = parse_module(CONTEXT, text)
    (expected,) = Interpreter(module).call("network", [x])
    narrow(module)
    assert count(module, "arith.shrsi")
    np.testing.assert_array_equal(Interpreter(module).call("network", [x])[0], expected)


def test_two_roundings_at_once() -> None:
    """Sums of which the products with floats are next to halves, often as near as a float can be."""
    random = np.random.default_rng(0)
    for zero in (0, 3, -128):
        scale = np.ldexp(random.uniform(0.5, 1, 512), -9).astype(np.float32)
        x = np.clip(next_to_halves(scale), 1 - (1 << 24), (1 << 24) - 1).astype(np.int64)
        wanted = np.rint(x.astype(np.float32) * scale[:, None]).astype(np.int64) + zero
        factor = np.ldexp(scale.astype(np.float64), 33).astype(np.int64)
        halves = Halves(factor, np.zeros(512, np.int64), 33, zero)
        exact = x * scale.astype(np.float64)[:, None]
        upper = np.floor(exact + 0.5 + 2.0**-8).astype(np.int64) + zero
        is_near = np.abs(exact - (upper - zero - 0.5)) < 2.0**-6
        assert int(is_near.sum()) > 5000
        np.testing.assert_array_equal(halves.values(x, upper)[is_near], wanted[is_near])


# All else that is a function of one or two bytes, or of a float

ELEMENTS = """func.func @network(%a: tensor<4x{count}x{type}>, %b: tensor<4x{count}xi8>) -> tensor<4x{count}xi8> {{
  %m = arith.constant dense<{factor}> : tensor<4xf32>
  %n = arith.constant dense<{summand}> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x{count}xi8>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b, %m, %n : tensor<4x{count}x{type}>, tensor<4x{count}xi8>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<4x{count}xi8>) {{
  ^bb0(%p: {type}, %q: i8, %f: f32, %g: f32, %old: i8):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    {body}
    %r = quant.rescale %v, %one zero {zero} clip {low} to {high} : f32, f32 -> i8
    linalg.yield %r : i8
  }} -> tensor<4x{count}xi8>
  func.return %y : tensor<4x{count}xi8>
}}"""
REAL = """%w{0} = arith.{2} %{0} : i8 to i32
    %z{0} = arith.constant {1} : i32
    %d{0} = arith.subi %w{0}, %z{0} overflow<nsw> : i32
    %r{0} = arith.sitofp %d{0} : i32 to f32
    %s{0} = arith.constant {3:e} : f32
    %v{0} = arith.mulf %r{0}, %s{0} : f32
    """
OF_BYTE = (
    "%t = arith.mulf %vp, %f : f32\n %v = arith.addf %t, %g : f32",
    "%t = arith.mulf %vp, %f : f32\n %u = arith.addf %t, %g : f32\n %v = arith.maximumf %u, %zero : f32",
    "%v = arith.divf %vp, %f : f32",
)
OF_PAIR = (
    "%v = arith.addf %vp, %vq : f32",
    "%v = arith.subf %vp, %vq : f32",
    "%v = arith.mulf %vp, %vq : f32",
    "%t = arith.addf %vp, %vq : f32\n %v = arith.maximumf %t, %zero : f32",
)
OF_FLOAT = (
    "%v = arith.divf %p, %f : f32",
    "%t = arith.mulf %p, %f : f32\n %v = arith.addf %t, %g : f32",
    "%v = arith.mulf %p, %one : f32",
)
BYTES = np.arange(-128, 128).astype(np.int8)


def elements(random: np.random.Generator, body: str, type: str, count: int) -> str:
    """Return a kernel of random scales, zero points and clips."""
    reads = [("p" if type == "i8" else "", 0.9), ("q" if "%vq" in body else "", 0.7)]
    prefix = ""
    for name, most in reads:
        if name:
            scale = float(np.float32(random.uniform(0.01, most) if "mulf %vp, %vq" not in body else 0.09 * most))
            is_unsigned = bool(random.integers(2))
            zero = int(random.integers(0, 256) if is_unsigned else random.integers(-128, 128))
            prefix += REAL.format(name, zero, "extui" if is_unsigned else "extsi", scale)
    low, high = [(-128, 127), (0, 255), (-100, 127)][random.integers(3)]
    factor, summand = (random.uniform(*ends, CHANNELS).astype(np.float32) for ends in ((0.3, 1.7), (-9, 9)))
    if type == "f32":
        factor /= np.float32(random.uniform(0.001, 10))
    return ELEMENTS.format(
        count=count, type=type, factor=list(map(float, factor)), summand=list(map(float, summand)), body=prefix + body,
        zero=int(random.integers(low, high)), low=low, high=high,
    )  # fmt: skip


def narrow(module: ModuleOp) -> None:
    for step in parse_pipeline("builtin.module(narrow-requantization)", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(60))
def test_functions_of_bytes_and_floats(seed: int) -> None:
    """All bytes, all pairs of bytes, and floats of every exponent: the same numbers, by a line or a table."""
    random = np.random.default_rng(seed)
    kinds = [*((body, "i8") for body in OF_BYTE + OF_PAIR), *((body, "f32") for body in OF_FLOAT)]
    body, type = kinds[seed % len(kinds)]
    a, b = (each.reshape(1, -1).repeat(CHANNELS, 0) for each in np.meshgrid(BYTES, BYTES, indexing="ij"))
    if type == "f32":
        typical = random.standard_normal(a.shape) * np.exp2(random.integers(-30, 30, a.shape))
        a = typical.astype(np.float32)
        a[:, :6] = [0.0, -0.0, np.inf, -np.inf, 1e-45, 3e38]
    module = parse_module(CONTEXT, elements(random, body, type, a.shape[1]))
    (expected,) = Interpreter(module).call("network", [a, b])
    narrow(module)
    assert count(module, "arith.shrsi") or count(module, "quant.lookup")
    np.testing.assert_array_equal(Interpreter(module).call("network", [a, b])[0], expected)
