"""Resize, GridSample and the pooling of regions: as ONNX's reference or ONNX Runtime have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tilewright.ir import Array
from tilewright.test.passes.lowering.one_node import check, check_c, network, runtime

CLOSE: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-4}
TRANSFORMATIONS = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]


def image(*shape: int, seed: int = 3) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("exclude", [0, 1])
def test_a_filter_reads_all_elements_that_it_covers(mode: str, exclude: int) -> None:
    x = np.eye(17, dtype=np.float32).reshape(1, 17, 17)
    for count in (2, 3, 5, 8, 12, 16):
        sizes = np.array([1, 17, count])
        attributes: dict[str, Any] = {"mode": mode, "antialias": 1, "exclude_outside": exclude}
        model = network("Resize", {"x": x}, {"sizes": sizes}, names=["x", "", "", "sizes"], **attributes)
        check(model, {"x": x}, phases=("tensor",), rtol=1e-5, atol=1e-6)


@pytest.mark.long
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_sizes(data: st.DataObject) -> None:
    x = image(1, 2, *(data.draw(st.integers(2, 7)) for _ in range(2)))
    sizes = np.array([1, 2, *(data.draw(st.integers(1, 9)) for _ in range(2))])
    attributes: dict[str, Any] = {
        "mode": data.draw(st.sampled_from(["nearest", "linear", "cubic"])),
        "coordinate_transformation_mode": data.draw(st.sampled_from(TRANSFORMATIONS)),
        "nearest_mode": data.draw(st.sampled_from(NEAREST)),
        "cubic_coeff_a": data.draw(st.sampled_from([-0.5, -0.75])),
    }
    if attributes["mode"] != "nearest":
        attributes |= {name: data.draw(st.integers(0, 1)) for name in ("exclude_outside", "antialias")}
    model = network("Resize", {"x": x}, {"sizes": sizes}, names=["x", "", "", "sizes"], **attributes)
    # ONNX's reference does not read a length of one as the standard says.
    assume(attributes["coordinate_transformation_mode"] != "pytorch_half_pixel" or 1 not in sizes[2:])
    check(model, {"x": x}, **CLOSE)


FILTERS = [("nearest", 0, 0), ("linear", 0, 0), ("linear", 1, 0), ("cubic", 0, 1), ("cubic", 1, 0), ("cubic", 1, 1)]


@pytest.mark.parametrize(("mode", "antialias", "exclude"), FILTERS)
def test_pytorch_half_pixel_reads_a_length_of_one_at_zero(mode: str, antialias: int, exclude: int) -> None:
    attributes: dict[str, Any] = {"mode": mode, "antialias": antialias, "exclude_outside": exclude}
    attributes["coordinate_transformation_mode"] = "pytorch_half_pixel"
    given = {"sizes": np.array([1, 1, 1, 3])} if antialias else {"scales": np.array([1, 1, 0.3, 0.6], np.float32)}
    names = ["x", "", "", "sizes"] if antialias else ["x", "", "scales"]
    images = [image(1, 1, 5, 7), (image(1, 1, 5, 7) * 30 + 128).astype(np.uint8)]
    # ONNX Runtime has no cubic kernel for bytes without a filter.
    for x in images[: 1 + (antialias or mode != "cubic")]:
        model = network("Resize", {"x": x}, given, names=names, **attributes)
        tolerance = CLOSE if x.dtype == np.float32 else {"atol": 1}
        expected = runtime(model, {"x": x})
        check(model, {"x": x}, expected, phases=("types", "tensor"), **tolerance)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_the_aspect_ratio_is_kept(policy: str) -> None:
    x, sizes = image(1, 1, 4, 6), np.array([7, 8])
    model = network(
        "Resize",
        {"x": x},
        {"sizes": sizes},
        names=["x", "", "", "sizes"],
        axes=[2, 3],
        mode="linear",
        keep_aspect_ratio_policy=policy,
    )
    check(model, {"x": x}, **CLOSE)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_regions_are_cropped_and_what_lies_outside_is_a_number(mode: str) -> None:
    x = image(1, 1, 5, 4)
    constants = {"roi": np.array([0, 0, -0.2, 0.3, 1, 1, 0.9, 1.4], np.float32), "sizes": np.array([1, 1, 4, 6])}
    model = network(
        "Resize",
        {"x": x},
        constants,
        names=["x", "roi", "", "sizes"],
        mode=mode,
        coordinate_transformation_mode="tf_crop_and_resize",
        extrapolation_value=7.5,
    )
    check(model, {"x": x}, **CLOSE)
    check_c(model, {"x": x}, **CLOSE)


def test_bytes_are_rounded() -> None:
    x = np.random.default_rng(0).integers(0, 256, (1, 1, 4, 5)).astype(np.uint8)
    scales = np.array([1, 1, 1.7, 2.3], np.float32)
    model = network("Resize", {"x": x}, {"scales": scales}, names=["x", "", "scales"], mode="cubic")
    check(model, {"x": x}, atol=1)
    check_c(model, {"x": x}, atol=1)


@pytest.mark.sample(7)
@pytest.mark.long
@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.data())
def test_grids(data: st.DataObject) -> None:
    inputs = {"x": image(2, 2, 3, 4), "grid": image(2, 3, 2, 2, seed=5) * 1.5}
    mode = data.draw(st.sampled_from(["nearest", "linear", "cubic"]))
    padding = data.draw(st.sampled_from(["zeros", "border", "reflection"]))
    aligned = data.draw(st.integers(0, 1))
    model = network("GridSample", inputs, mode=mode, padding_mode=padding, align_corners=aligned)
    check(model, inputs, **CLOSE)


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_no_grid_leaves_the_picture(mode: str, padding: str) -> None:
    grid = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 0], np.float32).reshape(1, 1, 3, 2)
    inputs = {"x": image(1, 1, 3, 3), "grid": grid}
    check_c(network("GridSample", inputs, mode=mode, padding_mode=padding), inputs, [])


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("transformation", ["half_pixel", "output_half_pixel"])
def test_regions(mode: str, ratio: int, transformation: str) -> None:
    rois = np.array([[0, 0, 5, 4], [1.5, 2, 3, 6.5], [-3, -2, 9, 9]], np.float32)
    inputs = {"x": image(2, 2, 6, 7), "rois": rois, "batch": np.array([0, 1, 0])}
    attributes: dict[str, Any] = {"output_height": 2, "output_width": 3, "spatial_scale": 0.9}
    model = network(
        "RoiAlign", inputs, mode=mode, sampling_ratio=ratio, coordinate_transformation_mode=transformation, **attributes
    )
    check(model, inputs, **CLOSE)


@pytest.mark.long
def test_largest_of_regions() -> None:
    rois = np.array([[0, 0, 0, 5, 4], [1, 2, 1, 3, 5], [0, 4, 4, 20, 20], [1, 9, 9, 12, 12]], np.float32)
    inputs = {"x": image(2, 3, 6, 7), "rois": rois}
    model = network("MaxRoiPool", inputs, pooled_shape=[2, 3], spatial_scale=0.75)
    expected = runtime(model, inputs)
    check(model, inputs, expected)
    check_c(model, inputs, expected)
