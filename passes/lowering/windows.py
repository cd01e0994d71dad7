"""The windows of convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialects.nn import ints
from ...dialects.onnx.schema import OnnxOp
from ...ir import shape_of


def windows_of(op: OnnxOp, kernel: Sequence[int]) -> dict[str, Any]:
    """Return strides, dilations and pads of a convolution or pooling, `auto_pad` resolved."""
    x, rank = shape_of(op.operands[0])[2:], len(kernel)
    strides = list(op.attribute("strides") or [1] * rank)
    dilations = list(op.attribute("dilations") or [1] * rank)
    pads = list(op.attribute("pads") or [0] * 2 * rank)
    mode = op.attribute("auto_pad") or "NOTSET"
    if mode.startswith("SAME"):
        out = shape_of(op.results[0])[2:]
        total = [
            max(0, (o - 1) * s + (k - 1) * d + 1 - size)
            for o, s, k, d, size in zip(out, strides, kernel, dilations, x, strict=True)
        ]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        pads = [*small, *large] if mode == "SAME_UPPER" else [*large, *small]
    return {"strides": ints(strides), "dilations": ints(dilations), "pads": ints(pads)}
