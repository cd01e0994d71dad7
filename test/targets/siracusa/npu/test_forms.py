"""Kernels of one form: whatever their numbers, the NPU does them alike, and they are divided alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.kernel_structure import structure_of
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.targets.siracusa.npu.conversion import Conversion
from tilewright.targets.siracusa.npu.division import Division, divisible
from tilewright.targets.siracusa.npu.sources import Source, source_of

SIRACUSA = find_machine("siracusa")
CONTEXT = new_context()


@dataclass(frozen=True)
class Layer:
    """A 3x3 convolution of bytes: the range of its weights, and its requantisation by factors up to `most`."""

    weights: tuple[int, int]
    most: int
    shift: int
    clip: tuple[int, int]

    def source(self, seed: int) -> tuple[ModuleOp, Source]:
        """Return one with random numbers, and the module that it is in."""
        random, (low, high) = np.random.default_rng(seed), self.weights
        weights = random.integers(low, high + 1, (8, 3, 3, 4))
        weights[0, 0, 0, :2] = low, high
        factors = random.integers(2, 5, 8)
        factors[0] = self.most
        text = f"""func.func @network(%x: tensor<1x20x9x4xi8>) -> tensor<1x20x9x8xi8> {{
  %w = arith.constant dense<"0x{weights.astype(np.uint8).tobytes().hex()}"> : tensor<8x3x3x4xi8>
  %m = arith.constant dense<{factors.tolist()}> : tensor<8xi32>
  %b = arith.constant dense<{random.integers(-9, 10, 8).tolist()}> : tensor<8xi32>
  %o = tensor.empty() : tensor<1x20x9x8xi8>
  %y = nn.conv ins(%x, %w : tensor<1x20x9x4xi8>, tensor<8x3x3x4xi8>) outs(%o : tensor<1x20x9x8xi8>)
    {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32, channels_last}}
    epilogue(%m, %b : tensor<8xi32>, tensor<8xi32>)
    at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {{
  ^bb0(%sum: i32, %factor: i32, %bias: i32):
    %r = quant.requantize %sum, %factor, %bias shift {self.shift} clip {self.clip[0]} to {self.clip[1]} in i32
      : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }}
  func.return %y : tensor<1x20x9x8xi8>
}}"""
        module = parse_module(CONTEXT, text)
        return module, source_of(next(op for op in module.walk() if is_kernel(op)))


def layers() -> Iterator[Layer]:
    weights, clips = [(-2, 1), (-5, 2), (-100, 100)], [(-128, 127), (0, 255), (-100, 100)]
    for numbers in product(weights, [-1, 5, 300], [2, 3], clips):
        yield Layer(*numbers)


def outcome(source: Source) -> tuple[Hashable, list[Division]]:
    """Return all that the price of a kernel on the NPU follows from, and the ways to divide it."""
    conversion = Conversion(source)
    found = divisible(conversion, SIRACUSA.engine("npu"), SIRACUSA.engine("cluster"), SIRACUSA)
    rest = [conversion.rest] if conversion.rest is not None else []
    assert found is not None
    return structure_of([conversion.kernel, *rest]), list(found.divisions())


def test_kernels_of_one_form_are_done_alike() -> None:
    outcomes: dict[Hashable, list[tuple[Hashable, list[Division]]]] = defaultdict(list)
    for layer, seed in product(layers(), range(2)):
        _module, source = layer.source(seed)
        outcomes[source.form].append(outcome(source))
    assert all(each == alike[0] for alike in outcomes.values() for each in alike)
    assert len({first for (first, _), *_ in outcomes.values()}) > 9


def test_the_numbers_of_a_kernel_are_not_its_form() -> None:
    for layer in layers():
        (_first, one), (_second, other) = layer.source(0), layer.source(1)
        assert one.form == other.form
