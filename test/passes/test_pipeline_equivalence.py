"""Random networks compute the same after every pass, from the graph level to outlined kernels on static memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.test.passes.levels import check_levels
from tilewright.test.passes.random_networks import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, TYPED, networks

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)


def examples(count: int) -> Any:
    return settings(
        max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.__name__.strip("_"))
def test_each_operator(operator: Any):
    @examples(6)
    @given(networks([operator], largest=2))
    def check(network: Any) -> None:
        assert check_levels(network)

    check()


@examples(50)
@given(networks(ALL, largest=7))
def test_chains(network: Any):
    assert check_levels(network)


@examples(60)
@given(networks((*SHAPES, *ELEMENTWISE), largest=9))
def test_shapes_and_residuals(network: Any):
    assert check_levels(network)


@examples(20)
@given(networks(ALL, types=("i32", "int", "i16", "i32")))
def test_wide_integers(network: Any):
    check_levels(network)


@examples(50)
@given(networks(TYPED, types=("i8", "ui8", "i32", "i64"), typed=True))
def test_integers_that_wrap_around(network: Any):
    check_levels(network)


@examples(20)
@given(networks(ALL, types=("ui4", "i4", "i8")), st.integers(0, 1 << 16))
def test_narrow_integers(network: Any, seed: int):
    assert check_levels(network, seed=seed)
