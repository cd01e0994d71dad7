"""Windows of convolutions and poolings: their padding, `auto_pad` resolved, and the elements that they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...ir import Array, shape_of
from .facts import Trait, having
from .schema import OnnxOp


@dataclass(frozen=True)
class Windows:
    """Windows along the spatial axes of an op's input; padding below zero crops the input."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    def counts(self, sizes: Sequence[int], outputs: Sequence[int], *, with_padding: bool) -> Array:
        """Return the elements of x, or of padded x, that each window holds; f64 [outputs...], 1 for an empty window."""
        rank, total = len(self.kernel), np.ones([1] * len(self.kernel), np.float64)
        for axis, (size, output) in enumerate(zip(sizes, outputs, strict=True)):
            begin, end = self.begins[axis], self.ends[axis]
            taps: Array = np.arange(self.kernel[axis]) * self.dilations[axis]
            places = np.add.outer(np.arange(output) * self.strides[axis], taps) - begin
            low, high = (-begin, size + end) if with_padding else (0, size)
            count: Array = np.count_nonzero((places >= low) & (places < high), axis=1)
            total = total * count.reshape([-1 if i == axis else 1 for i in range(rank)])
        return np.maximum(total, 1)


def windows_of(op: OnnxOp, kernel: Sequence[int]) -> Windows:
    """Return the windows of a convolution or pooling with a kernel of that shape."""
    x, outputs, rank = shape_of(op.operands[0])[2:], shape_of(op.results[0])[2:], len(kernel)
    strides = tuple(op.attribute("strides") or (1,) * rank)
    dilations = tuple(op.attribute("dilations") or (1,) * rank)
    mode = op.attribute("auto_pad") or "NOTSET"
    if not mode.startswith("SAME"):
        pads = tuple(op.attribute("pads") or ()) if mode == "NOTSET" else ()
        pads = pads or (0,) * 2 * rank
        return Windows(tuple(kernel), strides, dilations, pads[:rank], pads[rank:])
    totals = [
        (output - 1) * stride + (size - 1) * dilation + 1 - extent
        for output, stride, size, dilation, extent in zip(outputs, strides, kernel, dilations, x, strict=True)
    ]
    # Convolutions start at the first element, as in onnx.reference.
    totals = totals if op.SCHEMA.name in having(Trait.CROPS) else [max(0, total) for total in totals]
    # Divided toward zero, as in ONNX Runtime.
    begins = tuple(int((total + (mode == "SAME_LOWER")) / 2) for total in totals)
    ends = tuple(total - begin for total, begin in zip(totals, begins, strict=True))
    return Windows(tuple(kernel), strides, dilations, begins, ends)
