"""Import rules of resizing and sampling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, TensorProto

from ...errors import Diagnostic
from ..node_view import NodeView
from ..opset import put, take
from . import EVERY_OPSET, Moved, operators
from .common import holds, scales

_COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resampling(node: NodeView) -> None:
    """Check that a result that is not empty has input elements to sample, and that the nearest ones exist."""
    x, result = node.shape(0), node.result()
    if node.attribute("mode") == "nearest" and node.attribute("exclude_outside"):
        raise node.misfit(
            "the attribute 'exclude_outside'", "0, or the mode linear or cubic", "1 with the mode nearest"
        )
    if result is not None and 0 in x and 0 not in result:
        raise node.misfit("the result", "an empty tensor", list(result))


def _affine(node: NodeView) -> None:
    """Check that theta [N, axes, axes + 1] fits the size [N, C, extents...]."""
    theta, size, sizes = node.shape(0), node.shape(1), node.value(1)
    axes = size[0] - 2 if len(size) == 1 else 0
    batch = theta[0] if sizes is None and theta else sizes.reshape(-1)[0] if sizes is not None and axes > 0 else 0
    if axes not in (2, 3) or theta != (batch, axes, axes + 1):
        raise node.misfit("theta", f"{[int(batch), axes, axes + 1]} for a size of {axes + 2}", list(theta))


def _older_upsample(view: NodeView) -> Sequence[NodeProto]:
    view.node.op_type = "Resize"
    return [_without_region(view.node)]


def _without_region(node: NodeProto) -> NodeProto:
    """Insert the empty region of interest and the coordinate modes that opset 10 implied."""
    node.input.insert(1, "")
    return put(node, coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def _older_resize(view: NodeView) -> Sequence[NodeProto]:
    """Rewrite a Resize up to opset 12, in which empty scales stood for none, and one more coordinate mode existed."""
    node = view.node
    if view.graph.opset < 11:
        return [_without_region(node)]
    factors = view.value(2) if view.inputs > 3 else None
    if factors is not None and not factors.size:
        node.input[2] = ""
    modes = {attribute.name: attribute.s for attribute in node.attribute if attribute.s}
    if modes.get("coordinate_transformation_mode") != b"tf_half_pixel_for_nn":
        return [node]
    if modes.get("nearest_mode") != b"floor" or modes.get("mode", b"nearest") != b"nearest":
        raise Diagnostic(
            "this old form of Resize is not handled",
            where=view.where,
            expected="nearest_mode = floor where the coordinates are those of tf_half_pixel_for_nn",
            found=", ".join(f"{name} = {mode.decode(errors='replace')}" for name, mode in sorted(modes.items())),
            remedy="export the model with opset 13 or newer",
        )
    # floor((x + 0.5) / scale) is the nearest element to (x + 0.5) / scale - 0.5, the upper one of two.
    take(node, "coordinate_transformation_mode")
    take(node, "nearest_mode")
    return [put(node, coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_ceil")]


def _older_grid_sample(view: NodeView) -> Sequence[NodeProto]:
    mode = take(view.node, "mode", "bilinear")
    return [put(view.node, mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode))]


operators("AffineGrid", shape_inputs=(1,), checks=(_affine,))
operators(
    "GridSample",
    words={"mode": ("linear", "nearest", "cubic"), "padding_mode": ("zeros", "border", "reflection")},
    until=20,
    older=_older_grid_sample,
)
operators(
    "Resize",
    words={
        "mode": ("nearest", "linear", "cubic"),
        "coordinate_transformation_mode": (*_COORDINATES, "tf_crop_and_resize"),
        "nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
        "keep_aspect_ratio_policy": ("stretch", "not_larger", "not_smaller"),
    },
    shape_inputs=(1, 2, 3),
    until=13,
    older=_older_resize,
    checks=(*scales(2), holds(3, lambda sizes: np.asarray(sizes > 0), "lengths above zero"), _resampling),
)
operators(
    "RoiAlign",
    words={"mode": ("avg", "max"), "coordinate_transformation_mode": ("half_pixel", "output_half_pixel")},
)
operators(
    "Upsample",
    shape_inputs=(1,),
    moved=(Moved("scales", 1, TensorProto.FLOAT),),
    until=EVERY_OPSET,
    older=_older_upsample,
)
