"""Padding of ConvTranspose."""

from __future__ import annotations

from ...ir import shape_of
from .schema import OnnxOp


def transposed_pads(op: OnnxOp) -> list[int]:
    """
    Return the elements before the result of a ConvTranspose that padding cuts off, by axis.

    They are those of ONNX's formula where its shape is given; what is odd goes to the end for SAME_UPPER alone.
    """
    x, kernel, out = (shape_of(value)[2:] for value in (*op.operands[:2], op.results[0]))
    rank, mode = len(x), op.attribute("auto_pad")
    if op.attribute("output_shape") is None and not mode.startswith("SAME"):
        return list((op.attribute("pads") or (0,) * 2 * rank)[:rank])
    strides, dilations = (op.attribute(name) or (1,) * rank for name in ("strides", "dilations"))
    extra = op.attribute("output_padding") or (0,) * rank
    sizes = zip(strides, x, extra, kernel, dilations, out, strict=True)
    total = [max(s * (n - 1) + e + (k - 1) * d + 1 - o, 0) for s, n, e, k, d, o in sizes]
    return [t // 2 if mode == "SAME_UPPER" else t - t // 2 for t in total]
