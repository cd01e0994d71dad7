"""Sums of products of bytes in blocks: `convert-kernels-to-dots` against the kernels themselves."""

from __future__ import annotations

from ctypes import c_void_p
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.targets.siracusa.passes.convert_kernels_to_dots import ConvertKernelsToDotsPass
from tilewright.test.passes.scalar_c import build_module

CONTEXT = new_context()
EPILOGUE = """epilogue(%s : memref<{features}xi32>) at [{map}] {{
^bb0(%sum: i32, %b: i32):
  %r = arith.addi %sum, %b : i32
  linalg.yield %r : i32
}}"""


def both(text: str, out: tuple[int, ...], **inputs: Array) -> set[str]:
    """Check that kernel and loops agree; return the names of the loops' sums of products of bytes."""
    results: list[Array] = []
    blocks = set[str]()
    for lower in (False, True):
        module = parse_module(CONTEXT, text)
        verify(module)
        if lower:
            ConvertKernelsToDotsPass(512).apply(CONTEXT, module)
            ConvertKernelsToLoopsPass().apply(CONTEXT, module)
            verify(module)
            blocks = {op.name for op in module.walk()} & {"cluster.dot", "cluster.window_words"}
        results.append(np.full(out, 7, np.int32))
        Interpreter(module).call("f", [inputs["x"], inputs["w"], inputs["s"], results[-1]])
    np.testing.assert_array_equal(results[0], results[1])
    return blocks


def bytes_of(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def memref(shape: tuple[int, ...], element: str = "i8") -> str:
    return f"memref<{'x'.join(map(str, shape))}x{element}>"


def text_of(kernel: str, properties: str, shapes: list[tuple[int, ...]], *, features: int, last: str) -> str:
    """Return a function of one kernel on x, w and o, with a bias where `last` is the map to it."""
    x, w, o = memref(shapes[0]), memref(shapes[1]), memref(shapes[2], "i32")
    epilogue = EPILOGUE.format(features=features, map=last) if last else ""
    return f"""func.func @f(%x: {x}, %w: {w}, %s: memref<{features}xi32>, %o: {o}) {{
      {kernel} ins(%x, %w : {x}, {w}) outs(%o : {o}) {{{properties}}} {epilogue}
      func.return }}"""


@dataclass(frozen=True)
class Conv:
    """A convolution of two images of bytes, `form` of which is one of "", "depthwise" and "im2col"."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[int]
    space: list[int]
    channels: int
    features: int
    form: str
    unsigned: str = ""
    extra: str = ""
    groups: int = 1

    @property
    def spans(self) -> list[int]:
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        padded = [n + a + b for n, a, b in zip(self.space, self.pads, self.pads[len(self.space) :], strict=False)]
        outer = [(n - span) // s + 1 for n, span, s in zip(padded, self.spans, self.strides, strict=True)]
        is_depthwise = self.form == "depthwise"
        x, depth = (self.channels, 1) if is_depthwise else (self.channels * self.groups, self.channels)
        features = self.features * (self.channels if is_depthwise else self.groups)
        return [(2, *self.space, x), (features, *self.kernel, depth), (2, *outer, features)]

    @property
    def text(self) -> str:
        named = (("strides", self.strides), ("dilations", self.dilations), ("pads", self.pads))
        arrays = ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>" for name, values in named)
        groups = self.channels if self.form == "depthwise" else self.groups
        unsigned = f", unsigned = array<i64: {self.unsigned}>" if self.unsigned else ""
        flags = unsigned + (", im2col" if self.form == "im2col" else "")
        flags += ", accumulate" if self.extra == "accumulate" else ""
        rank = len(self.space)
        dims = ", ".join(f"d{axis}" for axis in range(rank + 2))
        return text_of(
            "nn.conv",
            f"{arrays}, groups = {groups} : i64, accumulator = i32, channels_last{flags}",
            self.shapes,
            features=self.shapes[2][-1],
            last=f"affine_map<({dims}) -> (d{rank + 1})>" if self.extra == "bias" else "",
        )


@st.composite
def convs(draw: st.DrawFn) -> Conv:
    rank, form = draw(st.integers(1, 2)), draw(st.sampled_from(["", "depthwise", "im2col"]))
    kernel = [draw(st.integers(1, 7 if form == "depthwise" else 4)) for _ in range(rank)]
    strides = [draw(st.integers(1, 3)) for _ in range(rank)]
    dilations = [draw(st.integers(1, 3)) for _ in range(rank)]
    conv = Conv(kernel, strides, dilations, [], [], draw(st.integers(1, 5)), draw(st.integers(1, 9)), form)
    pads = [draw(st.integers(0, span + 2)) for span in conv.spans * 2]
    least = [max(1, span - low - high) for span, low, high in zip(conv.spans, pads, pads[rank:], strict=False)]
    space = [extent + draw(st.integers(0, 6)) for extent in least]
    extra = draw(st.sampled_from(["", "bias", "accumulate"]))
    unsigned = draw(st.sampled_from(["", "0", "1", "0, 1"]))
    features = draw(st.integers(1, 2)) if form == "depthwise" else conv.features
    groups = 1 if form == "depthwise" else draw(st.integers(1, 3))
    return replace(conv, pads=pads, space=space, unsigned=unsigned, extra=extra, groups=groups, features=features)


@pytest.mark.sample(16)
@settings(max_examples=80, deadline=None)
@given(convs(), st.integers(0, 2**16))
def test_conv(conv: Conv, seed: int) -> None:
    x, w, out = conv.shapes
    bias = np.arange(out[-1], dtype=np.int32) * 1000
    names = both(conv.text, out, x=bytes_of(seed, *x), w=bytes_of(seed + 1, *w), s=bias)
    groups, depth = (conv.channels, 1) if conv.form == "depthwise" else (conv.groups, conv.channels)
    is_alone = depth == 1 and (groups > 1 or conv.features == 1)
    is_depthwise = conv.form != "im2col" and is_alone and max(conv.kernel) > 1
    assert names == {"cluster.window_words" if is_depthwise else "cluster.dot"}


IN_C = [
    Conv([3, 3], [1, 1], [1, 1], [1, 1, 1, 1], [5, 6], 3, 6, "im2col", extra="bias"),
    Conv([3, 3], [2, 2], [2, 1], [2, 1, 1, 0], [7, 7], 4, 4, "im2col", unsigned="0"),
    Conv([4], [1], [2], [3, 2], [9], 5, 3, "im2col", extra="accumulate"),
    Conv([3, 3], [1, 1], [1, 1], [1, 1, 1, 1], [5, 6], 3, 6, ""),
    Conv([3, 3], [2, 2], [1, 1], [3, 3, 3, 3], [5, 6], 3, 6, ""),
    Conv([3, 3], [2, 2], [1, 1], [4, 3, 3, 5], [5, 6], 3, 6, "im2col"),
    Conv([3, 2], [1, 1], [1, 4], [3, 4, 5, 4], [5, 1], 6, 1, "depthwise"),
    Conv([5, 5], [2, 2], [1, 1], [2, 2, 2, 2], [21, 22], 3, 1, "depthwise", unsigned="0", extra="bias"),
    Conv([7, 7], [1, 1], [2, 3], [6, 9, 6, 9], [20, 41], 2, 2, "depthwise", unsigned="1"),
    Conv([9], [3], [4], [16, 16], [90], 2, 1, "depthwise", unsigned="0, 1", extra="accumulate"),
    Conv([2, 1], [1, 1], [5, 1], [5, 0, 5, 0], [1, 3], 3, 2, "", extra="accumulate"),
    Conv([3, 3], [1, 2], [2, 2], [2, 1, 2, 2], [6, 7], 5, 3, "", unsigned="0, 1", groups=2),
    Conv([3], [1], [4], [4, 4], [9], 9, 2, "", unsigned="1", groups=3),
    Conv([2, 3], [1, 1], [1, 2], [0, 2, 1, 2], [4, 5], 2, 5, "im2col", unsigned="0, 1", groups=3),
]


@pytest.mark.nightly
@pytest.mark.long
def test_convs_in_c(tmp_path: Path) -> None:
    texts = [conv.text.replace("@f(", f"@f{number}(", 1) for number, conv in enumerate(IN_C)]
    module = parse_module(CONTEXT, "\n".join(texts))
    ConvertKernelsToDotsPass(512).apply(CONTEXT, module)
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    library = build_module(module, tmp_path, "-fsanitize=undefined", "-fno-sanitize-recover=all")
    for number, conv in enumerate(IN_C):
        x, w, out = conv.shapes
        arrays = [bytes_of(1, *x), bytes_of(2, *w), np.arange(out[-1], dtype=np.int32), np.full(out, 7, np.int32)]
        expected = arrays[-1].copy()
        Interpreter(parse_module(CONTEXT, conv.text)).call("f", [*arrays[:-1], expected])
        getattr(library, f"f{number}_run")(*(array.ctypes.data_as(c_void_p) for array in arrays))
        np.testing.assert_array_equal(arrays[-1], expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.integers(1, 3), st.booleans(), st.booleans())
@example([1, 1, 1], 1, False, True)
def test_matmul(sizes: list[int], batch: int, unsigned: bool, bias: bool) -> None:
    rows, columns, inner = sizes
    shapes = [(batch, rows, inner), (columns, inner), (batch, rows, columns)]
    flag = ", unsigned = array<i64: 0>" if unsigned else ""
    last = "affine_map<(d0, d1, d2) -> (d2)>" if bias else ""
    text = text_of("nn.matmul", f"accumulator = i32, transpose_b{flag}", shapes, features=columns, last=last)
    numbers = np.arange(columns, dtype=np.int32)
    assert both(text, shapes[2], x=bytes_of(rows, *shapes[0]), w=bytes_of(inner, *shapes[1]), s=numbers)


def test_other_kernels_become_plain_loops() -> None:
    shapes = [(3, 4), (4, 5), (3, 5)]
    text = text_of("nn.matmul", "accumulator = i32", shapes, features=1, last="")
    x, w = (bytes_of(seed, *shape) for seed, shape in enumerate(shapes[:2]))
    assert not both(text, shapes[2], x=x, w=w, s=np.zeros(1, np.int32))
