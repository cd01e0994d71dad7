"""The registers of jobs, and what is refused before it reaches the hardware."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilewright.errors import Diagnostic
from tilewright.targets.siracusa.npu.geometry import L1_BASE, WEIGHT_MEMORY_BASE, ConvKind
from tilewright.targets.siracusa.npu.jobs import JobAddresses, NpuJob, NpuRegister, Padding, registers

JOB = NpuJob(ConvKind.DENSE, 12, 12, 56, 64)
SUMS = {"output_bits": 32, "scale_bits": 0}


def test_the_registers_of_a_dense_job():
    at = JobAddresses(WEIGHT_MEMORY_BASE + 64, L1_BASE + 0x1000, L1_BASE + 0x8000, L1_BASE + 0x100, L1_BASE + 0x200)
    job = replace(
        JOB,
        padding=Padding(1, 1, 1, 1),
        weight_bits=4,
        weight_offset=-8,
        shift=9,
        relu=False,
        signed=True,
        addresses=at,
    )
    assert registers(job) == (
        64, L1_BASE + 0x1000 - 13 * 56, L1_BASE + 0x8000,
        L1_BASE + 0x100, 0, L1_BASE + 0x200,
        56, 12 * 56, 0,
        32, 64, 12 * 64,
        32, 32 * 4 * 2, 0,
        32 << 16 | 28, 6 << 16 | 6, 7 << 16 | 7, 2 << 16 | 2, 2 << 16 | 2,
        0x1111_0000, 0xFFFF_FFF8, 0,
        3 | 1 << 4 | 1 << 9 | 1 << 15 | 9 << 16 | 1 << 23 | 1 << 25 | 1 << 26,
    )  # fmt: skip


def test_the_registers_of_a_pointwise_job_with_sums():
    job = NpuJob(ConvKind.POINTWISE, 7, 1, 33, 3, output_bits=32, scale_bits=0, accumulate=True, relu=True)
    words = registers(job)
    assert words[NpuRegister.OUTPUT_STRIDES + 1 :][:2] == (12, 12)
    assert words[NpuRegister.WEIGHT_STRIDES + 1] == 64
    assert words[NpuRegister.CHANNEL_REMAINDERS : NpuRegister.PADDING] == (
        3 << 16 | 1, 1 << 16 | 1, 1 << 16 | 1, 1 << 16 | 2, 2 << 16 | 1
    )  # fmt: skip
    assert words[NpuRegister.CONF0] == 7 | 2 << 5 | 1 << 14 | 1 << 15 | 2 << 21


def test_a_depthwise_job_walks_channels_in_28():
    words = registers(NpuJob(ConvKind.DEPTHWISE, 6, 6, 30, 30))
    assert words[NpuRegister.CHANNEL_BLOCKS] == 2 << 16 | 2
    assert words[NpuRegister.CHANNEL_REMAINDERS] == 2 << 16 | 2
    assert words[NpuRegister.WEIGHT_STRIDES + 1] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"height": 0}, "does not support a job of height 0"),
        ({"features": 65536}, "does not support a job of features 65536"),
        ({"kind": ConvKind.DEPTHWISE}, "a multiplier of channels"),
        ({"weight_bits": 1}, "does not support weights of 1 bits"),
        ({"weight_offset": 1 << 31}, "a weight offset"),
        ({"input_row_stride": -1}, "a stride of -1 bytes"),
        ({"padding": Padding(3)}, "padding so wide"),
        ({"padding": Padding(value=256)}, "padding value of more than a byte"),
        ({"kind": ConvKind.POINTWISE, "padding": Padding(1)}, "padding so wide"),
        ({"height": 1, "padding": Padding(2, 0, 1)}, "padding only"),
        ({"height": 7, "padding": Padding(bottom=2)}, "padding at the bottom that reaches"),
        ({"width": 13, "padding": Padding(right=2)}, "padding at the right that reaches"),
        ({"scale_bits": 16}, "numbers of this width"),
        ({"output_bits": 16}, "numbers of this width"),
        ({"output_bits": 32}, "requantisation to 32 bits"),
        ({"scale_bits": 0}, "bytes without it"),
        ({"accumulate": True}, "adding to these outputs"),
        (
            {"kind": ConvKind.DEPTHWISE, "features": 28, "channels": 28, "accumulate": True, **SUMS},
            "adding to these outputs",
        ),
        ({"padding": Padding(0, 1, 0, 0, 3)}, "padding below or right of the image by 3"),
        ({"padding": Padding(0, 0, 1, 0, -128)}, "padding below or right of the image by -128"),
        ({"shift": 32}, "a shift by 32"),
    ],
)
def test_what_the_hardware_lacks_is_named(changes: dict[str, Any], message: str):
    with pytest.raises(Diagnostic, match=message):
        registers(replace(JOB, **changes))


def test_padding_that_only_the_last_sub_tile_sees_is_taken():
    assert registers(replace(JOB, height=8, padding=Padding(2, 2, 2, 2)))[NpuRegister.INPUT_REMAINDERS] >> 16 == 2
    assert np.all(np.array(registers(replace(JOB, height=1, padding=Padding(1, 0, 1)))) >= 0)
