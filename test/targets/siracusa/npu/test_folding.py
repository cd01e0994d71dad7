"""Convolutions with strides whose columns are folded into channels: the same results, without the columns between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array, shape_of
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.kernel_ops import NpuConvOp

CONTEXT = new_context()
MACHINE = Path(__file__).parent / "npu.toml"
REGISTERS = (
    f"canonicalize,cse,bufferize,attach-machine{{target={MACHINE}}},map-engines,"
    "plan-memory{level-bytes=%d time-budget=0},verify-memory{plain=false},allocate-static,expand-grid,pipeline-dma,"
    "lower-to-npu"
)


@dataclass(frozen=True)
class Layer:
    """A convolution of an image [N, H, W, C], or [N, C, H, W], in padding that holds `fill`."""

    image: tuple[int, int, int, int]
    features: int
    strides: tuple[int, int]
    pads: tuple[int, int, int, int]
    fill: int
    channels_last: bool
    unsigned: bool
    seed: int

    @property
    def padded(self) -> tuple[int, int]:
        above, left, below, right = self.pads
        return self.image[1] + above + below, self.image[2] + left + right

    @property
    def made(self) -> tuple[int, int]:
        (height, width), (down, across) = self.padded, self.strides
        return (height - 3) // down + 1, (width - 3) // across + 1

    @property
    def is_small(self) -> bool:
        """
        Whether the columns of a stride fill the image, and have no more channels than the NPU takes at once.

        An image in padding that is not 0, part of the image then, is widened to such columns.
        """
        is_whole = self.fill != 0 or self.image[2] % self.strides[1] == 0
        return is_whole and self.strides[1] * self.image[3] <= 28

    def module(self) -> ModuleOp:
        batch, height, width, channels = self.image
        weights = np.random.default_rng(self.seed).integers(-128, 128, (self.features, channels, 3, 3))
        if self.channels_last:
            weights = np.moveaxis(weights, 1, -1)
        x, padded = self._type(batch, height, width, channels), self._type(batch, *self.padded, channels)
        kernel, out = _type(weights.shape, "i8"), self._type(batch, *self.made, self.features, element="i32")
        pad, layout = "", ", channels_last" if self.channels_last else ""
        if self.fill:
            pad = f"""%p = tensor.pad %x low{self._sides(*self.pads[:2])} high{self._sides(*self.pads[2:])} {{
            ^bb0(%i: index, %j: index, %k: index, %l: index):
              %f = arith.constant {self.fill} : i8
              tensor.yield %f : i8
            }} : {x} to {padded}"""
        return parse_module(
            CONTEXT,
            f"""func.func @network(%x: {x}) -> {out} {{
              %w = arith.constant dense<{weights.tolist()}> : {kernel}
              %o = tensor.empty() : {out}
              {pad}
              %y = nn.conv ins({"%p" if pad else "%x"}, %w : {padded if pad else x}, {kernel}) outs(%o : {out})
                {{strides = array<i64: {_list(self.strides)}>, dilations = array<i64: 1, 1>, groups = 1 : i64,
                 pads = array<i64: {_list([0] * 4 if pad else self.pads)}>, accumulator = i32{layout}
                 {", unsigned = array<i64: 0>" if self.unsigned else ""}}}
              func.return %y : {out}
            }}""",
        )

    def _sides(self, row: int, column: int) -> list[int]:
        return [0, row, column, 0] if self.channels_last else [0, 0, row, column]

    def _type(self, batch: int, height: int, width: int, channels: int, *, element: str = "i8") -> str:
        shape = [batch, height, width, channels] if self.channels_last else [batch, channels, height, width]
        return _type(shape, element)


def _type(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


@st.composite
def layers(draw: st.DrawFn, *, most: int) -> Layer:
    """Draw a layer with strides along the columns, of an image with so many rows and columns at most."""
    across = draw(st.sampled_from([2, 3, 4]))
    width = across * draw(st.integers(1, most // across)) + draw(st.sampled_from([0, 0, 0, 1]))
    pads = draw(st.tuples(*[st.integers(0, 2)] * 4))
    rows = max(1, 3 - pads[0] - pads[2])
    image = draw(st.integers(1, 2)), draw(st.integers(rows, most)), width, draw(st.sampled_from([1, 2, 3, 7, 14, 15]))
    fill = draw(st.sampled_from([0, 0, -128, 7]))
    numbers = draw(st.integers(1, 5)), (draw(st.integers(1, 3)), across), pads, fill
    return Layer(image, *numbers, draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 99)))


def run(module: ModuleOp, passes: str) -> None:
    for step in parse_pipeline(f"builtin.module({passes})", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)


def results(layer: Layer, module: ModuleOp) -> Array:
    batch, height, width, channels = layer.image
    shape = (batch, height, width, channels) if layer.channels_last else (batch, channels, height, width)
    x = np.random.default_rng(layer.seed).integers(-128, 128, shape, np.int8)
    return next(iter(run_module(module, {"arg0": x}).values()))


def kernel_of_npu(module: ModuleOp) -> NpuConvOp | None:
    return next((op for op in module.walk() if isinstance(op, NpuConvOp)), None)


@pytest.mark.nightly
def test_folded_convolutions_compute_the_same():
    seen: Counter[str] = Counter()

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(layers(most=17).filter(lambda layer: min(layer.padded) >= 3))
    def check(layer: Layer) -> None:
        module = layer.module()
        expected = results(layer, module)
        run(module, "convert-to-npu{everything=true}")
        np.testing.assert_array_equal(results(layer, module), expected)
        kernel = kernel_of_npu(module)
        if kernel is None:
            axes = zip(layer.padded, layer.pads[2:], strict=True)
            late = [after == 2 and extent - 2 > 6 and (extent - 2) % 6 == 1 for extent, after in axes]
            assert layer.fill == 0
            assert any(late[:1] if layer.is_small else late)
            return
        assert kernel.fill == 0
        channels, made = shape_of(kernel.inputs[0])[-1], shape_of(kernel.output)[2]
        is_folded = channels != layer.image[3]
        assert (channels, made) == (
            (layer.strides[1] * layer.image[3], layer.made[1]) if is_folded else (layer.image[3], layer.padded[1] - 2)
        )
        assert layer.is_small or not is_folded
        seen[f"{is_folded}, small {layer.is_small}"] += 1
        seen[f"{is_folded}, filled {layer.fill != 0 and any(layer.pads)}"] += 1
        seen[f"{is_folded}, strides of {layer.strides[1]}"] += 1

    check()
    for name in ("small True", "filled True", "filled False", "strides of 2", "strides of 3", "strides of 4"):
        assert seen[f"True, {name}"], seen
    assert not seen["False, small True"], seen


@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(
    layers(most=30).filter(lambda layer: layer.is_small and min(layer.padded) >= 3),
    st.sampled_from([5 << 10, 48 << 10]),
)
def test_folded_convolutions_run_in_tiles_by_the_registers(layer: Layer, near: int):
    module = layer.module()
    expected = results(layer, module)
    run(module, "convert-to-npu{everything=true}")
    run(module, REGISTERS % near)
    assert kernel_of_npu(module) is None
    np.testing.assert_array_equal(results(layer, module), expected)
