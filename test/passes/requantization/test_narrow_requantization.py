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
from tilewright.passes.requantization import narrow
from tilewright.passes.requantization.rounded import rounded_product
from tilewright.passes.requantization.steps import Domain, steps_of
from tilewright.passes.requantization.upper_products import UpperProduct, upper_product
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
    for step in parse_pipeline("builtin.module(narrow-requantization)", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)
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


@pytest.mark.sample(2)
@pytest.mark.parametrize("zero", [0, 3, 128])
def test_floats_become_integers(zero: int) -> None:
    """What rounds halves to even in floats is found as a product too, for nearly all factors."""
    random, found = np.random.default_rng(zero), 0
    for _ in range(20):
        factor = [float(np.float32(number)) for number in random.uniform(0.002, 0.004, CHANNELS)]
        bias = [int(number) for number in random.integers(-2000, 2000, CHANNELS)]
        text = KERNEL.format(bias=bias, factor=factor, type="f32", requantize=SCALED.format(zero=zero, low=0, high=255))
        module, expected = narrowed(text)
        np.testing.assert_array_equal(outputs(module), expected)
        found += not count(module, "quant.rescale")
    assert found >= 18


def test_every_other_half_is_rounded_up() -> None:
    requantize = SCALED.format(zero=0, low=-128, high=127)
    module, expected = narrowed(KERNEL.format(bias=[0] * 4, factor=[0.5] * 4, type="f32", requantize=requantize))
    assert not count(module, "quant.rescale")
    np.testing.assert_array_equal(outputs(module), expected)


def test_a_negative_factor_stays() -> None:
    requantize = SHIFTED.format(add=0, shift=20, low=-128, high=127)
    text = KERNEL.format(bias=[0] * 4, factor=[5, 5, -5, 5], type="i32", requantize=requantize)
    module, expected = narrowed(text)
    assert count(module, "quant.requantize") == 1
    np.testing.assert_array_equal(outputs(module), expected)


def test_a_summand_that_is_off_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of all numbers sees a step that comes one too late in one channel."""
    found = narrow.upper_product

    def late(*arguments: object, **options: object) -> UpperProduct | None:
        made = found(*arguments, **options)  # pyright: ignore[reportArgumentType]
        assert made is not None
        made.summand[2] -= 1 << (made.right - 8)
        return made

    monkeypatch.setattr(narrow, "upper_product", late)
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


def test_two_roundings_at_once() -> None:
    """Of integers whose products with floats are next to halves, often as near as a float can be."""
    scale = np.ldexp(np.random.default_rng(0).uniform(0.5, 1, 512), -15).astype(np.float32)
    x = np.clip(next_to_halves(scale), 1 - (1 << 24), (1 << 24) - 1).astype(np.int64)
    made = rounded_product(scale, x.min(axis=1), x.max(axis=1))
    assert made is not None
    wanted = np.rint(x.astype(np.float32) * scale[:, None]).astype(np.int64)
    np.testing.assert_array_equal(made.values(x), wanted)


@pytest.mark.sample(28)
@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(2.0**-15, 2.0**-13, width=32), min_size=CHANNELS, max_size=CHANNELS),
       st.sampled_from([0, 1, -1, 3, 128]), clips)  # fmt: skip
def test_roundings_of_small_factors(factor: list[float], zero: int, clip: tuple[int, int]) -> None:
    """Sums so large that a float next to a half is that half are rounded as floats are, in integers."""
    x = next_to_halves(np.array(factor, np.float32))
    sizes = {"rows": CHANNELS, "count": x.shape[1]}
    text = WIDE.format(**sizes, factor=factor, zero=zero, low=clip[0], high=clip[1])
    module = parse_module(CONTEXT, text)
    (expected,) = Interpreter(module).call("network", [x])
    for step in parse_pipeline("builtin.module(narrow-requantization)", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)
    assert not count(module, "quant.rescale")
    np.testing.assert_array_equal(Interpreter(module).call("network", [x])[0], expected)


def test_layers_of_many_channels_are_products() -> None:
    """All channels of a convolution have a line, with ties of their own or a step told apart, nearly always."""
    random, found, told_apart = np.random.default_rng(5), 0, 0
    for _ in range(12):
        scale = random.uniform(0.0008, 0.0022, 64).astype(np.float32)
        reach = random.integers(1 << 17, 1 << 18, 64)
        domain = Domain(-reach, reach + random.integers(0, 1 << 16, 64))

        def rescaled(sums: Array, scale: Array = scale) -> Array:
            rounded = np.rint(sums.astype(np.float32) * scale[:, None]).astype(np.int64)
            return np.clip(rounded, 0, 255)

        steps = steps_of(rescaled, domain, 0, 255)
        product = upper_product(steps, scale.astype(np.float64))
        if product is None:
            continue
        found += 1
        told_apart += product.late is not None or product.early is not None
        near = (steps.first[:, :, None] + np.arange(-2, 3)).reshape(64, -1)
        sums = np.clip(near, domain.least[:, None], domain.most[:, None])
        x = sums if product.center is None else sums + product.center[:, None]
        x = x if product.within is None else np.clip(x, *product.within)
        np.testing.assert_array_equal(np.clip(product.values(x), 0, 255), rescaled(sums))
    assert found >= 11
    assert told_apart
