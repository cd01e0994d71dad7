"""Weights of fewer bits than a byte has: their range, the error, and sums of two products that 16 bits hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper

from tilewright import cli
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.ir import Array
from tilewright.test.frontend.quantize.networks import attention, quantized, residual


def weights_of(options: QuantizeOptions) -> list[Array]:
    """Return the constant bytes of networks of convolutions, a Gemm and products, without zero points and tables."""
    found = [quantized(build(), options)[0].model for build in (residual, attention)]
    constants = [each for model in found for each in model.graph.initializer]
    bytes_ = [each for each in constants if each.data_type == TensorProto.INT8 and len(each.dims) > 1]
    return [numpy_helper.to_array(each).astype(np.int16) for each in bytes_]


CHOICES = (
    QuantizeOptions(),
    QuantizeOptions(per_channel=False, adaptive=False, ranges="mse"),
    QuantizeOptions(wide=("*",)),
)


@pytest.mark.parametrize("options", CHOICES, ids=["default", "one scale", "wide"])
def test_weights_use_their_range(options: QuantizeOptions) -> None:
    for bits in (4, 7):
        largest = [int(np.abs(each).max()) for each in weights_of(replace(options, weight_bits=bits))]
        assert max(largest) == (1 << (bits - 1)) - 1
        assert min(largest) > max(largest) // 2


def test_two_products_with_7_bits_fit_16() -> None:
    assert 2 * 255 * max(int(np.abs(each).max()) for each in weights_of(QuantizeOptions(weight_bits=7))) < 1 << 15


def test_each_bit_less_costs_at_most_6_decibels() -> None:
    sqnr = [
        min(each.sqnr for each in quantized(residual(), QuantizeOptions(weight_bits=bits))[1]) for bits in (8, 7, 5)
    ]
    assert sqnr[0] - 6 < sqnr[1] < sqnr[0] + 1
    assert sqnr[1] - 13 < sqnr[2] < sqnr[1]


@pytest.mark.parametrize("bits", ["3", "9", "x"])
def test_other_bits_are_refused(bits: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["quantize", "net.onnx", "--calibration", "data.npz", "-o", "q.onnx", "--weight-bits", bits]
    assert cli.main(words) == 2
    assert "--weight-bits" in capsys.readouterr().err
