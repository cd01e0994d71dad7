"""Slices, pads, tiles and selections along axes: as ONNX's reference has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.ir import Array
from tilewright.test.passes.lowering.one_node import check, check_c, network

shapes = st.lists(st.integers(1, 5), min_size=1, max_size=3)
quick = settings(max_examples=15, deadline=None, derandomize=True)


def drawn(shape: Any, dtype: str = "int8") -> Any:
    random: Any = np.random.default_rng(3)
    return random.integers(-100, 100, shape).astype(dtype)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@quick
@given(shapes, st.data())
def test_slices(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    start, end = (data.draw(st.integers(-7, 7)) for _ in range(2))
    step = data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
    x = drawn(shape)
    constants = {"starts": ints(start), "ends": ints(end), "axes": ints(axis), "steps": ints(step)}
    check(network("Slice", {"x": x}, constants), {"x": x})


@pytest.mark.long
@quick
@given(st.lists(st.integers(2, 5), min_size=1, max_size=3), st.data())
def test_pads(shape: list[int], data: st.DataObject) -> None:
    mode = data.draw(st.sampled_from(["constant", "reflect", "edge", "wrap"]))
    pads = [
        data.draw(st.integers(-1 if mode == "constant" else 0, shape[i % len(shape)] - 1))
        for i in range(2 * len(shape))
    ]
    x = drawn(shape, "float32")
    check(network("Pad", {"x": x}, {"pads": ints(*pads)}, mode=mode), {"x": x}, [padded(x, pads, mode)])


def padded(x: Array, pads: list[int], mode: str, **options: Any) -> Any:
    """Return a tensor, cut and padded."""
    ends = list(zip(pads[: x.ndim], pads[x.ndim :], strict=True))
    cut = x[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(ends, x.shape, strict=True))]
    pad: Any = np.pad
    return pad(cut, [(max(a, 0), max(b, 0)) for a, b in ends], mode=mode, **options)


def test_pads_with_a_number_of_the_run() -> None:
    inputs = {"x": drawn((2, 3), "float32"), "fill": np.array(2.5, np.float32)}
    model = network("Pad", inputs, {"pads": ints(1, -1, 0, 2)}, names=["x", "pads", "fill"])
    expected = [padded(inputs["x"], [1, -1, 0, 2], "constant", constant_values=2.5)]
    check(model, inputs, expected)
    check_c(model, inputs, expected)


@quick
@given(shapes, st.data())
def test_tiles(shape: list[int], data: st.DataObject) -> None:
    x = drawn(shape)
    repeats = [data.draw(st.integers(1, 3)) for _ in shape]
    check(network("Tile", {"x": x}, {"repeats": ints(*repeats)}), {"x": x})


def repeated(extent: int, times: int, start: int) -> list[int]:
    """Return each index several times, without the first ones."""
    return [i // times for i in range(times * extent)][start:]


@pytest.mark.long
@quick
@given(shapes, st.data())
def test_parts_at_known_indices(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    extent = shape[axis]
    indices = data.draw(
        st.one_of(
            st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=24),
            st.builds(repeated, st.just(extent), st.integers(1, 9), st.integers(0, 3)),
        )
    )
    x = drawn(shape)
    check(network("Gather", {"x": x}, {"i": ints(*(indices or [0]))}, axis=axis), {"x": x})


@pytest.mark.parametrize("repeats", [2, 3, 7])
def test_equal_runs_of_indices_are_one_affine_kernel(repeats: int) -> None:
    x = drawn((2, 11))
    model = network("Gather", {"x": x}, {"i": ints(*(i // repeats for i in range(3, 11 * repeats)))}, axis=1)
    check(model, {"x": x})
    check_c(model, {"x": x})


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space(mode: str) -> None:
    x = drawn((2, 12, 3, 2))
    check(network("DepthToSpace", {"x": x}, blocksize=2, mode=mode), {"x": x})


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [-2, 0, 1, 9, 1 << 62])
def test_triangles(upper: int, k: int) -> None:
    inputs = {"x": drawn((2, 3, 4)), "k": np.array(k)}
    expected = (np.triu if upper else np.tril)(inputs["x"], min(k, 100))
    check(network("Trilu", inputs, upper=upper), inputs, [expected])
