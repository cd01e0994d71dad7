"""Random networks compute the same after every pass, from the graph level to outlined kernels on static memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.test.passes.levels import check_levels
from tilewright.test.random.networks.integers import (
    CUSTOM,
    ELEMENTWISE,
    REDUCING,
    SHAPES,
    TYPED,
    Network,
    examples,
    networks,
)

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)


@pytest.mark.sample(3)
@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.__name__.strip("_"))
def test_each_operator(operator: Any):
    ran: list[bool] = []

    @examples(6)
    @given(networks([operator], largest=2, types=("i8", "ui8", "i16", "int")))
    def check(network: Network) -> None:
        ran.append(bool(check_levels(network)))

    check()
    assert sum(ran) > len(ran) / 2


@examples(12)
@given(networks(ALL, largest=7))
def test_chains(network: Network):
    assert check_levels(network)


@examples(16)
@given(networks((*SHAPES, *ELEMENTWISE), largest=9))
def test_shapes_and_residuals(network: Network):
    assert check_levels(network)


@examples(12)
@given(networks((*SHAPES, *SHAPES, *ELEMENTWISE), largest=12, types=("i8",)))
def test_views_of_shared_memory(network: Network):
    assert check_levels(network, stop_after="planned")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "drawn",
    [
        networks(ALL, types=("i32", "int", "i16", "i32")),
        networks(TYPED, types=("i8", "ui8", "i32", "i64"), typed=True),
    ],
    ids=["wide integers", "integers that wrap around"],
)
def test_large_numbers(drawn: st.SearchStrategy[Network]):
    ran: list[bool] = []

    @examples(10)
    @given(drawn)
    def check(network: Network) -> None:
        ran.append(bool(check_levels(network)))

    check()
    # Numbers beyond what the reference or 64 bits hold are left out.
    assert sum(ran) > len(ran) / 2


@examples(6)
@given(networks(ALL, types=("ui4", "i4", "i8")), st.integers(0, 1 << 16))
def test_narrow_integers(network: Network, seed: int):
    assert check_levels(network, seed=seed)
