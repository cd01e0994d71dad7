"""
The cycles of N-Eureka's jobs, beside what GVSoC's model took for some of them (gvsoc edfcd839), and block by block.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.targets.siracusa.cost.jobs import Kind, job_cycles

JOBS: list[tuple[Kind, tuple[int, int, int, int], dict[str, Any], int]] = [
    ("1x1", (6, 6, 32, 32), {}, 189),
    ("1x1", (16, 16, 64, 64), {}, 4819),
    ("1x1", (1, 1, 256, 64), {}, 1561),
    ("1x1", (7, 9, 40, 20), {}, 885),
    ("1x1", (12, 12, 64, 64), {"out_bits": 32}, 2623),
    ("1x1", (8, 8, 64, 36), {"scale_bits": 8}, 1627),
    ("1x1", (12, 12, 64, 64), {"prefetch": True}, 1687),
    ("1x1", (7, 9, 40, 20), {"prefetch": True}, 721),
    ("3x3", (12, 12, 64, 64), {"pad": (1, 1)}, 8693),
    ("3x3", (12, 12, 56, 64), {"weight_bits": 4}, 4111),
    ("3x3", (8, 8, 16, 8), {"pad": (1, 1), "out_bits": 32}, 552),
    ("3x3", (12, 12, 56, 64), {"prefetch": True}, 5305),
    ("3x3", (7, 9, 40, 20), {"pad": (1, 1), "prefetch": True}, 1774),
    ("depthwise", (16, 16, 64, 64), {"pad": (1, 1), "weights_in_wmem": True}, 9079),
    ("depthwise", (16, 16, 64, 64), {"pad": (1, 1)}, 4687),
    ("depthwise", (8, 8, 56, 56), {"pad": (1, 1), "weights_in_wmem": True, "scale_bits": 8}, 2765),
]


@pytest.mark.parametrize(("kind", "shape", "options", "measured"), JOBS)
def test_jobs_take_what_was_measured(kind: Kind, shape: tuple[int, ...], options: dict[str, Any], measured: int):
    assert job_cycles(kind, *shape, **options) == measured


@given(
    st.sampled_from(["1x1", "3x3", "depthwise"]),
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 100), st.integers(1, 100)),
    st.integers(0, 1),
    st.sampled_from([8, 32]),
    st.sampled_from([8, 32]),
    st.integers(2, 8),
    st.booleans(),
)
def test_jobs_are_the_sum_of_their_blocks(
    kind: Kind, shape: tuple[int, int, int, int], pad: int, out: int, scale: int, bits: int, prefetch: bool
):
    prefetch, pad = prefetch and kind != "depthwise", pad if kind != "1x1" else 0
    found = job_cycles(
        kind, *shape, pad=(pad, pad), out_bits=out, scale_bits=scale, weight_bits=bits, prefetch=prefetch
    )
    assert found == _job(kind, *shape, pad, out, scale, bits, prefetch=prefetch)


def _job(
    kind: Kind,
    height: int,
    width: int,
    depth: int,
    features: int,
    pad: int,
    out: int,
    scale: int,
    bits: int,
    **flags: bool,
) -> int:
    """Go through a job block by block, as the NPU does."""
    total, pointwise = 7, kind == "1x1"
    outs, steps = _cut(features, 28 if kind == "depthwise" else 32), len(_cut(depth, 32 if pointwise else 28))
    for number, part in enumerate(outs):
        rows, columns, busy = _cut(height, 6), _cut(width, 6), 0
        multiply = {"1x1": 10 + part, "3x3": 14 + part * bits, "depthwise": 34 + bits}[kind]
        if flags["prefetch"]:
            multiply -= 3 if pointwise else 0
        for i, high in enumerate(rows):
            for j, wide in enumerate(columns):
                load = (high + 2 - pad if i == len(rows) - 1 else 8) * (wide + 2 - pad if j == len(columns) - 1 else 8)
                load = 42 if pointwise else load
                for _ in range(1 if kind == "depthwise" else steps):
                    total += 6 + load + (max(0, busy - 3 - load) if flags["prefetch"] else multiply)
                    total += (7 if pointwise else 6) if flags["prefetch"] else 0
                    busy = multiply
                pixels = (high - 1) * 6 + wide
                scales = part if number == len(outs) - 1 and part != 32 else 32
                quantise = 21 + (-(-scales // 4) if scale == 8 else scales)
                total += (pixels + quantise if out == 8 else pixels * -(-part // 8)) + (3 if pointwise else 0)
        total += multiply - (7 if pointwise else 6) if flags["prefetch"] else 0
    return total


def _cut(extent: int, block: int) -> list[int]:
    return [min(block, extent - start) for start in range(0, extent, block)]


def test_the_time_of_depthwise_jobs_with_prefetch_is_not_known():
    with pytest.raises(ValueError, match="prefetch"):
        job_cycles("depthwise", 6, 6, 28, 28, prefetch=True)
