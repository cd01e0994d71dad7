"""The windows of convolutions and poolings, as properties of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from ...dialects.nn import ints
from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.windows import Windows, windows_of
from ...ir import shape_of
from .lowerer import Lowerer
from .moves import part_of


def window_properties(op: OnnxOp, kernel: Sequence[int]) -> dict[str, Any]:
    """Return strides, dilations and pads of a convolution or pooling, `auto_pad` resolved; pads below zero are 0."""
    windows = windows_of(op, kernel)
    pads = [max(0, pad) for pad in (*windows.begins, *windows.ends)]
    return {"strides": ints(windows.strides), "dilations": ints(windows.dilations), "pads": ints(pads)}


def cropped(lower: Lowerer, value: SSAValue, windows: Windows) -> SSAValue:
    """Append a tensor [N, C, spatial...] without the elements that padding below zero leaves out before it."""
    for axis, begin in enumerate(windows.begins, 2):
        if begin < 0:
            value = part_of(lower, value, axis, -begin, shape_of(value)[axis] + begin)
    return value
