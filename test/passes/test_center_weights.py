"""Products of weights less a zero point as products of bytes: `center-weights` against the kernels themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn import ConvOp, MatmulOp
from tilewright.ir import element_of
from tilewright.passes.center_weights import CenterWeightsPass, centered
from tilewright.runtime.interpreter.engine import Interpreter

pytestmark = pytest.mark.quick

CONTEXT = new_context()
EPILOGUE = """epilogue(%b : tensor<{0}xi32>) at [{1}] {{
^bb0(%sum: i32, %bias: i32):
  %r = arith.addi %sum, %bias : i32
  linalg.yield %r : i32
}}"""


def text_of(kernel: str, x: str, w: str, weights: str, out: str, properties: str, epilogue: str, features: int) -> str:
    """Return a function of one product with constant weights."""
    return f"""func.func @f(%x: {x}, %b: tensor<{features}xi32>) -> {out} {{
      %w = arith.constant dense<{weights}> : {w}
      %e = tensor.empty() : {out}
      %y = {kernel} ins(%x, %w : {x}, {w}) outs(%e : {out}) {{accumulator = i32, {properties}}} {epilogue}
      func.return %y : {out} }}"""


@st.composite
def products(draw: st.DrawFn) -> tuple[str, tuple[int, ...], int]:
    """Draw a product; return its text, the shape of x, and its features."""
    seed, low = draw(st.integers(0, 2**16)), draw(st.sampled_from([-255, -200, -128, -3, 0, 30]))
    random, unsigned = np.random.default_rng(seed), draw(st.sampled_from(["", ", unsigned = array<i64: 0>"]))
    groups, depth, more = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    features, is_conv, is_last = groups * more, draw(st.booleans()), draw(st.booleans())
    kernel = [draw(st.integers(1, 3)), draw(st.integers(1, 2))]
    has_epilogue = draw(st.booleans())
    if is_conv:
        w = (features, *kernel, depth) if is_last else (features, depth, *kernel)
        x = (1, 4, 5, groups * depth) if is_last else (1, groups * depth, 4, 5)
        space = (6 - kernel[0] + 1, 5 - kernel[1] + 1)
        out = (1, *space, features) if is_last else (1, features, *space)
        properties = (
            "strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 0>, "
            f"groups = {groups} : i64{', channels_last' if is_last else ''}{unsigned}"
        )
        last = f"affine_map<(d0, d1, d2, d3) -> (d{3 if is_last else 1})>"
    else:
        features, inner = more, groups * depth
        w, x, out = ((features, inner) if is_last else (inner, features)), (3, inner), (3, features)
        properties = ("transpose_b" if is_last else "test.plain") + unsigned
        last = "affine_map<(d0, d1) -> (d1)>"
    values = random.integers(low, low + 256, w)
    types = [tensor_of(shape, element) for shape, element in ((x, "i8"), (w, "i16"), (out, "i32"))]
    epilogue = EPILOGUE.format(features, last) if has_epilogue else ""
    name = "nn.conv" if is_conv else "nn.matmul"
    text = text_of(name, types[0], types[1], str(values.tolist()), types[2], properties, epilogue, features)
    return text, x, features


def tensor_of(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


@settings(max_examples=40, deadline=None)
@given(products())
def test_products_of_bytes_are_equal(drawn: tuple[str, tuple[int, ...], int]) -> None:
    text, shape, features = drawn
    x = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    inputs = [x, np.arange(features, dtype=np.int32) * 1000]
    module = parse_module(CONTEXT, text)
    (expected,) = Interpreter(module).call("f", inputs)
    CenterWeightsPass().apply(CONTEXT, module)
    verify(module)
    kernels = [op for op in module.walk() if isinstance(op, ConvOp | MatmulOp)]
    assert all(str(element_of(op.inputs[1])) == "i8" for op in kernels)
    (found,) = Interpreter(module).call("f", inputs)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("weights", "offset", "is_unsigned"),
    [([-128, 127], 0, False), ([0, 255], 0, True), ([-20, 235], 108, False), ([-200, -100], -72, False)],
)
def test_offsets(weights: list[int], offset: int, is_unsigned: bool) -> None:
    found = centered(np.array(weights))
    assert found is not None
    assert (found.offset, found.is_unsigned) == (offset, is_unsigned)
    stored = found.weight.view(np.uint8) if is_unsigned else found.weight
    np.testing.assert_array_equal(stored.astype(np.int64) + offset, weights)


def test_wider_weights_stay() -> None:
    assert centered(np.array([-1, 255])) is None
